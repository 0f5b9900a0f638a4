"""`scree compare` on real runs: compare_test.py <scree> [Compare.test_name ...]"""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1])

SCENE = """
name = "heap"
time_step = 0.002
end_time = 0.4
[output]
interval = 0.1
vtk = false
fields = ["kinetic_energy"]
[[materials]]
name = "stone"
density = 2500
[[bodies]]
generate = "lattice"
count = 40
semi_axes = [0.05, 0.04, 0.03]
jitter = 0.005
region = { type = "box", low = [-0.2, -0.2, 0.1], high = [0.2, 0.2, 2.0] }
[[boundaries]]
name = "box"
type = "box"
low = [-0.2, -0.2, 0.0]
high = [0.2, 0.2, 2.0]
open = ["+z"]
"""
COMING = """
name = "rain"
time_step = 0.002
end_time = 0.5
[output]
interval = 0.1
vtk = false
[[materials]]
name = "stone"
density = 2500
[[inlets]]
name = "tap"
region = { type = "box", low = [-0.2, -0.2, 0.5], high = [0.2, 0.2, 0.7] }
number_rate = 60.0
material = "stone"
radius = 0.03
velocity = [0, 0, -1]
[[outlets]]
name = "sink"
type = "box"
low = [-1, -1, -0.2]
high = [1, 1, 0.1]
"""


def place(x):
    """Index of a number among those of single precision, in their order."""
    bits = struct.unpack("<I", struct.pack("<f", abs(x)))[0]
    return -bits - 1 if x < 0 or str(x) == "-0.0" else bits


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        for name, text in (("heap.toml", SCENE), ("rain.toml", COMING)):
            with open(os.path.join(cls.folder, name), "w") as file:
                file.write(text)
        cls.run_scene("one", "--threads", "1")

    @classmethod
    def run_scene(cls, name, *options, scene="heap.toml"):
        done = subprocess.run([PROGRAM, "run", scene, "-q", "-o", name, "--overwrite", *options], cwd=cls.folder,
                              capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr

    def compared(self, a, b, *options, status):
        done = subprocess.run([PROGRAM, "compare", a, b, *options], cwd=self.folder, capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def told(self, a, b, *options, status):
        """The result of --json, which the text must agree with."""
        self.assertIn("the runs differ" if status == 14 else "the runs are the same" if status == 0 else "cannot be compared",
                      self.compared(a, b, *options, status=status))
        return json.loads(self.compared(a, b, "--json", *options, status=status))

    def copy(self, name, source="one"):
        path = os.path.join(self.folder, name)
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(os.path.join(self.folder, source), path)
        return path

    def edit(self, folder, row, column, change):
        """Changes one cell of steps.csv; returns its old value."""
        path = os.path.join(self.folder, folder, "steps.csv")
        with open(path) as file:
            lines = file.read().split("\n")
        at = lines[0].split(",").index(column)
        cells = lines[row].split(",")
        old, cells[at] = cells[at], change(cells[at])
        lines[row] = ",".join(cells)
        with open(path, "w") as file:
            file.write("\n".join(lines))
        return old

    def test_same_on_two_threads(self):
        self.run_scene("two", "--threads", "2")
        said = self.compared("one", "two", status=0)
        for words in ("the runs are the same", "the same, 200 rows", "the same, 5 frames, and the state after step 200 to the last bit",
                      "threads: 1 | 2", "scene text, overrides, version, commit, compiler, machine"):
            self.assertIn(words, said)
        told = self.told("one", "two", status=0)
        self.assertTrue(told["same"] and told["comparable"])
        self.assertIsNone(told["first_step"])

    def test_another_setting(self):
        self.run_scene("other", "--set", "solver.tolerance=1e-6")
        said = self.compared("one", "other", status=14)
        self.assertIn("setting solver.tolerance: ", said)
        self.assertIn("overrides: none | solver.tolerance=1e-6", said)
        told = self.told("one", "other", status=14)
        rows = []
        for name in ("one", "other"):
            with open(os.path.join(self.folder, name, "steps.csv")) as file:
                rows.append(file.read().split("\n"))
        header = rows[0][0].split(",")
        kept = [i for i, name in enumerate(header) if name == "time_s" or not name.endswith("_time_s")]
        first = next(i for i, (a, b) in enumerate(zip(*rows))
                     if [a.split(",")[k] for k in kept] != [b.split(",")[k] for k in kept])
        self.assertEqual(told["first_step"], first)
        self.assertEqual(told["tables"]["steps.csv"]["step"], first)
        cells = {cell["name"]: cell for cell in told["tables"]["steps.csv"]["first"]}
        for i in kept:
            a, b = rows[0][first].split(",")[i], rows[1][first].split(",")[i]
            self.assertEqual((cells[header[i]]["a"], cells[header[i]]["b"]) if header[i] in cells else (a, a), (a, b))
        self.assertEqual(cells["sweeps"]["stage"], "solver")
        self.assertIn(f"the runs differ since step {first}: solver", said)
        number = told["frames"]["first"]
        self.assertGreaterEqual(number["step"], first)
        self.assertLess(number["step"], first + 50 + 1)  # the first frame that can show it: one in 50 steps
        self.assertEqual((float.fromhex(number["a_hex"]), float.fromhex(number["b_hex"])), (number["a"], number["b"]))
        self.assertEqual(number["ulps"], abs(place(number["a"]) - place(number["b"])))
        self.assertRegex(said, r"body \d+, position [xyz]: -?[0-9.]+ \(-?0x1[.0-9a-f]*p[+-]\d+\) \| .* ulps? apart")

    def test_edited_rows(self):
        """Every column is compared, of every stage, except wall times."""
        for column, stage, row in (("contacts", "detection", 150), ("sweeps", "solver", 100), ("kinetic_energy_J", "balances", 7),
                                   ("momentum_z_kg_m_s", "balances", 1), ("bodies", "coming and going", 20), ("asleep", "sleep", 3),
                                   ("solver_status", "solver", 4)):
            self.copy("edited")
            old = self.edit("edited", row, column, lambda text: "diverged" if column == "solver_status" else str(float(text) + 1))
            table = self.told("one", "edited", status=14)["tables"]["steps.csv"]
            self.assertEqual(table["step"], row)
            self.assertEqual(table["same_rows"], row - 1)
            self.assertEqual([(cell["name"], cell["stage"], cell["a"]) for cell in table["first"]], [(column, stage, old)])
        self.copy("edited")
        self.edit("edited", 5, "detection_time_s", lambda text: "7.0")
        self.compared("one", "edited", status=0)

    def test_hash_of_the_last_step(self):
        """The state differs, although no frame and no other number differs."""
        self.copy("edited")
        self.edit("edited", 200, "state_hash", lambda text: "0" * 16)
        said = self.compared("one", "edited", status=14)
        self.assertIn("step 200, t = 0.4 s: state: state_hash", said)
        self.assertIn("those from step 200 on are the same in single precision", said)
        self.assertIn("the runs differ since step 200: state", said)
        self.run_scene("sparse", "--set", "output.interval=0.3")
        self.copy("edited", "sparse")
        os.remove(os.path.join(self.folder, "edited", "trajectory.h5"))
        self.edit("edited", 200, "state_hash", lambda text: "0" * 16)
        self.assertIn("only A has one", self.compared("sparse", "edited", status=14))

    def test_last_bit_of_the_last_state(self):
        """A difference below the precision of frames is found in the final state: a kick in the last step alone."""
        scene = SCENE + '[[events]]\nname = "turn"\nquantity = "time_s"\nrises_above = 0.397\ngravity = [1e-12, 0, -9.81]\n'
        with open(os.path.join(self.folder, "kick.toml"), "w") as file:
            file.write(scene)
        self.run_scene("kick", scene="kick.toml")
        number = self.told("one", "kick", status=14)["frames"]["first"]
        self.assertEqual(number["step"], 200)
        self.assertIn("the same in single precision; the last checkpoint is not", self.compared("one", "kick", status=14))
        self.assertGreater(number["ulps"], 0)

    def test_a_run_that_went_on(self):
        """A run that stopped halfway and continued from its checkpoint is the same to the last bit."""
        self.run_scene("stopped", "--until", "0.2")
        done = subprocess.run([PROGRAM, "run", "--resume", "stopped", "--until", "0.4", "-q"], cwd=self.folder,
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(self.compared("one", "stopped", "--json", status=0))
        self.assertEqual(told["frames"]["same_checkpoint"], 200)

    def test_tolerance(self):
        self.copy("edited")
        self.edit("edited", 100, "kinetic_energy_J", lambda text: repr(float(text) * (1 + 1e-9)))
        self.edit("edited", 120, "kinetic_energy_J", lambda text: repr(float(text) * (1 + 1e-3)))
        for tolerance, step in (("1e-12", 100), ("1e-6", 120)):
            self.assertEqual(self.told("one", "edited", "--tolerance", tolerance, status=14)["first_step"], step)
        self.compared("one", "edited", "--tolerance", "1e-2", status=0)
        self.run_scene("other", "--set", "solver.tolerance=1e-6")
        exact, coarse = (self.told("one", "other", "--tolerance", t, status=14)["first_step"] for t in ("0", "1e-4"))
        self.assertLessEqual(exact, coarse)

    def test_one_is_shorter(self):
        self.run_scene("short", "--until", "0.3")
        for a, b, words in (("one", "short", "B ends after 150 rows, A continues with step 151"),
                            ("short", "one", "A ends after 150 rows, B continues with step 151")):
            said = self.compared(a, b, status=14)
            self.assertIn(words, said)
            self.assertIn("the runs differ since step 151, which only one of them has", said)
            self.assertRegex(said, r"the same, 4 frames.*\(frames: [45] \| [45]\)")
        path = os.path.join(self.copy("cut"), "steps.csv")
        with open(path, "r+") as file:
            file.truncate(os.path.getsize(path) - 10)  # as a killed run leaves it
        self.assertIn("B ends after 199 rows", self.compared("one", "cut", status=14))

    def test_bodies_come_and_go(self):
        self.run_scene("rain", scene="rain.toml", *("--threads", "1"))
        self.run_scene("again", scene="rain.toml", *("--threads", "2"))
        self.assertIn("openings.csv", self.compared("rain", "again", status=0))
        self.run_scene("more", scene="rain.toml", *("--set", "inlets[0].number_rate=90"))
        told = self.told("rain", "more", status=14)
        first = told["tables"]["steps.csv"]["first"][0]
        self.assertEqual(first["stage"], "coming and going")
        self.assertIn(told["frames"]["first"]["array"], ("bodies", "mass", "position"))

    def test_runs_that_cannot_be_compared(self):
        self.assertIn("no such folder", self.compared("one", "nowhere", status=6))
        self.run_scene("fewer", "--set", "bodies[0].count=30")
        said = self.compared("one", "fewer", status=15)
        self.assertIn("they start with different bodies", said)
        self.assertIn("is in A only", said)
        os.makedirs(os.path.join(self.folder, "empty"), exist_ok=True)
        self.assertIn("they have nothing in common", self.compared("one", "empty", status=15))
        self.copy("damaged")
        with open(os.path.join(self.folder, "damaged", "summary.json"), "w") as file:
            file.write("{")
        self.assertIn("summary.json", self.compared("one", "damaged", status=6))
        self.assertIn("--tolerance", self.compared("one", "one", "--tolerance", "nan", status=2))


if __name__ == "__main__":
    sys.argv[1:2] = []
    unittest.main()
