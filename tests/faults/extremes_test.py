"""Extreme scenes: each ends within a minute with a clear message or a right result, and creates no energy.

    extremes_test.py SCREE [unittest arguments]
"""

import csv
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCREE = None

GRAINS = """
[[bodies]]
generate = "random"
count = {count}
seed = 1
semi_axes = {axes}
region = {{ type = "box", low = [{low}, {low}, {bottom}], high = [{high}, {high}, {top}] }}
{more}
"""


def scene(bodies, size=0.5, time_step=1e-3, end=0.3, density=2500, friction=0.5, limit=0.05):
    return f"""
name = "extreme"
time_step = {time_step}
end_time = {end}
[output]
interval = {end / 10}
vtk = false
[checks]
max_initial_overlap = {limit}
[[materials]]
name = "stone"
density = {density}
friction = {friction}
[[materials]]
name = "wall"
density = 1000
friction = {friction}
[[boundaries]]
name = "box"
type = "box"
material = "wall"
low = [{-size}, {-size}, 0]
high = [{size}, {size}, {2 * size}]
""" + bodies.replace("[[bodies]]", '[[bodies]]\nmaterial = "stone"')


def grains(count=64, axes=(0.03, 0.025, 0.02), size=0.5, more=""):
    return GRAINS.format(count=count, axes=list(axes), low=-0.95 * size, high=0.95 * size, bottom=0.02 * size,
                         top=1.9 * size, more=more)


def together(count):
    return "[[bodies]]\nposition = [0, 0, 0.5]\nsemi_axes = [0.03, 0.025, 0.02]\n" * count


class Extremes(unittest.TestCase):
    def run_it(self, text):
        """Exit status, output, the summary, and the energy after each step (J, zero on the floor)."""
        with tempfile.TemporaryDirectory(prefix="scree extremes ") as folder:
            file, results = Path(folder) / "extreme.toml", Path(folder) / "run"
            file.write_text(text)
            done = subprocess.run([SCREE, "run", str(file), "-q", "-o", str(results)], capture_output=True, text=True,
                                  timeout=60)
            self.assertIn(done.returncode, (0, 5), done.stderr)
            summary = json.loads((results / "summary.json").read_text())
            with open(results / "steps.csv") as rows:
                energy = [float(r["kinetic_energy_J"]) + float(r["potential_energy_J"]) for r in csv.DictReader(rows)]
        if done.returncode == 5 or summary["verdict"]["grade"] == "red":
            self.assertIn("red", done.stderr)
        return done, summary, energy

    def assert_bounded(self, text):
        """In no step is the energy above that of the initial state, to 1 %."""
        done, summary, energy = self.run_it(text)
        begun = summary["energy"]["kinetic_initial_J"] + summary["energy"]["potential_initial_J"]
        self.assertLess(max(energy), 1.01 * begun, done.stderr)
        return summary

    def test_fast(self):
        for speed in (1e3, 3e3, 1e6):  # 50 to 50,000 semi-axes per step
            velocity = [speed, 0.3 * speed, -0.5 * speed]
            summary = self.assert_bounded(scene(grains(more=f"velocity = {velocity}")))
            self.assertEqual(summary["verdict"]["grade"], "red")

    def test_spin(self):
        summary = self.assert_bounded(scene(grains(more="angular_velocity = [1e5, 2e4, 3e4]")))  # 17 rotations per step
        self.assertEqual(summary["verdict"]["grade"], "red")

    def test_in_one_place(self):
        for count in (2, 20):
            done, summary, energy = self.run_it(scene(together(count), limit=1e9))
            self.assertLess(summary["penetration_max"], 0.01)  # they have separated
            self.assertLess(max(energy), 1.1 * energy[0])

    def test_nanometres(self):
        summary = self.assert_bounded(
            scene(grains(axes=(3e-9, 2.5e-9, 2e-9), size=5e-8), size=5e-8, time_step=1e-6, end=1e-4))
        self.assertEqual(summary["status"], "finished")
        self.assertLess(summary["penetration_max_of_run"], 0.02)
        self.assertNotEqual(summary["verdict"]["grade"], "red")

    def test_needles_and_flakes(self):
        for axes in ((0.2, 2e-4, 2e-4), (0.2, 0.2, 2e-4)):
            self.assert_bounded(scene(grains(20, axes)))

    def test_friction(self):
        summary = self.assert_bounded(scene(grains(), friction=1e6))
        self.assertEqual(summary["lost_bodies"], 0)

    def test_mass_ratio(self):
        """A body of 1e12 times the mass on three light ones sinks in, and the verdict reports it."""
        text = scene("".join(f"[[bodies]]\nposition = {p}\nsemi_axes = [0.03, 0.025, 0.02]\n"
                             for p in ([0, 0, 0.02], [0.1, 0, 0.02], [0.05, 0.1, 0.02])), density=1e-3)
        text += '[[materials]]\nname = "heavy"\ndensity = 1e9\n'
        text += '[[bodies]]\nmaterial = "heavy"\nposition = [0.05, 0.03, 0.15]\nsemi_axes = [0.1, 0.1, 0.1]\n'
        summary = self.assert_bounded(text)
        self.assertEqual(summary["verdict"]["grade"], "red")

    def test_squeezed(self):
        """Grains between floor and a body with prescribed motion: unsolvable; the verdict names the rigid object."""
        ball = "[[bodies]]\nposition = [0, 0, 0.05]\nradius = 0.05\n"
        down = 'motion = [{ type = "translation", direction = [0, 0, -1], speed = 0.5 }]\n'
        plate = f'[[boundaries]]\nname = "plate"\ntype = "plane"\nmaterial = "wall"\npoint = [0, 0, 0.2]\nnormal = [0, 0, -1]\n{down}'
        ram = f'[[bodies]]\nname = "ram"\nposition = [0, 0, 0.25]\nradius = 0.05\n{down}'
        press = ('[[boundaries]]\nname = "platen"\ntype = "plane"\nmaterial = "wall"\npoint = [0, 0, 0.2]\nnormal = [0, 0, -1]\n'
                 'part = "platen"\n[[parts]]\nname = "platen"\nfreedom = "all"\nmass = 1\nmoments = [1, 1, 1]\ncentre = [0, 0, 0.3]\n'
                 '[[joints]]\nname = "screw"\ntype = "prismatic"\nb = "platen"\naxis = [0, 0, -1]\n'
                 'motor = { type = "speed", value = 0.5 }\n')
        for what, who in ((plate, "part 'plate'"), (ram, "part 'ram'"), (press, "the motor of joint 'screw'")):
            summary = self.run_it(scene(ball + what, end=0.4))[1]
            verdict = summary["verdict"]
            self.assertEqual(verdict["grade"], "red")
            first = verdict["findings"][0]  # a pinch between walls or bodies; for a motor the unsolved step
            self.assertIn(first["code"], ("pinch", "unsolved_steps", "overlap"))
            told = [f for f in verdict["findings"] if f["code"] in ("pinch", "unsolved_steps") and who in f["text"] + f["advice"]]
            self.assertIn("move it by a force", told[0]["advice"])
        limited = self.run_it(scene(ball + press.replace("0.5 }", "0.5, most = 20 }"), end=0.4))[1]
        self.assertNotEqual(limited["verdict"]["grade"], "red")
        self.assertLess(limited["penetration_max_of_run"], 0.03)


if __name__ == "__main__":
    SCREE = sys.argv.pop(1)
    unittest.main()
