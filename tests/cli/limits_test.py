"""Extreme numbers and little memory: limits_test.py <scree> [Limits.test_name ...]"""
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv[1])

HEAD = """
{settings}
[output]
interval = {interval}
[[materials]]
name = "stone"
density = 2500
"""
LATTICE = """
[[bodies]]
generate = "lattice"
count = {count}
semi_axes = [{a}, {b}, {a}]
region = {{ type = "box", low = [-{side}, -{side}, {a}], high = [{side}, {side}, {height}] }}
[[boundaries]]
name = "floor"
type = "plane"
"""


class Limits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def box(self, name="box.toml", settings="time_step = 0.002\nend_time = 0.1", count=60, interval=0.05):
        self.write(name, HEAD.format(settings=settings, interval=interval) +
                   LATTICE.format(count=count, a=0.03, b=0.05, side=0.5, height=5.0))

    def scree(self, *arguments, status=0, **options):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, cwd=self.folder, text=True, timeout=60, **options)
        self.assertEqual(done.returncode, status, (arguments, done.stdout, done.stderr))
        return done.stdout + done.stderr

    def test_more_steps_than_numbers(self):
        """A run that can never end gives a message with the place of its key, and the allowed values."""
        self.box(settings="time_step = 0.002\nend_time = 1e300")
        for command in ("check", "run"):
            said = self.scree(command, "box.toml", status=3)
            self.assertRegex(said, r"box.toml:3:12: end_time: cannot be reached with steps of 0.002 s \(value 1e\+?300 s, allowed <= 1.8e\+13\)")
        self.box(settings="time_step = 1e-18\nend_time = 2")
        self.assertRegex(self.scree("check", "box.toml", status=3), r"box.toml:2:13: time_step: is too short to reach the end.*allowed >= 2.22e-16")
        self.box(settings='time_step = "adaptive"\nleast_time_step = 1e-30\nend_time = 2')
        self.assertRegex(self.scree("check", "box.toml", status=3), r"box.toml:3:19: least_time_step: is too short to reach the end")
        self.box(interval="1e-300")
        self.assertRegex(self.scree("check", "box.toml", status=3), r"box.toml:\d+:12: output.interval: is too short")
        self.box()
        for command in ("check", "run"):
            self.assertRegex(self.scree(command, "box.toml", "--until", "1e300", status=2), "--until: no run gets that far.*1.8e[+]13")
            self.assertIn("cannot be reached with steps of", self.scree(command, "box.toml", "--set", "end_time=1e300", status=3))
        self.assertIn("9e+15", self.scree("check", "box.toml", "--set", "end_time=1e17", "--set", "time_step=1", status=3))
        self.assertRegex(self.scree("check", "box.toml", "--quick", "--set", "end_time=8e15", "--set", "time_step=1", "--set",
                                    "output.interval=1", status=13),
                         " in 8000000000000000 steps")

    def test_crowding_is_reported_soon(self):
        """Ten thousand bodies in one spot are fifty million pairs; the program need not check all of them."""
        self.write("spot.csv", "x,y,z\n" + "0,0,1\n" * 10000)
        self.write("spot.toml", HEAD.format(settings="time_step = 0.002", interval=0.1) +
                   '[[bodies]]\ntable = "spot.csv"\nsemi_axes = [0.05, 0.04, 0.03]\n')
        begin = time.monotonic()
        said = self.scree("check", "spot.toml", status=3)
        self.assertLess(time.monotonic() - begin, 5.0)
        self.assertIn("spot.csv:3:1", said)
        self.assertIn("is in the same place as bodies[0] number 0", said)
        self.write("spot.csv", "x,y,z\n" + "0,0,1\n" * 50)  # few enough to be listed one by one
        self.assertIn("the deepest of 1225 pairs", self.scree("check", "spot.toml", status=3))

    def test_more_bodies_than_memory(self):
        self.box(count=10**8)
        begin = time.monotonic()
        for command in ("check", "run"):
            self.assertIn("need more memory than this machine has", self.scree(command, "box.toml", status=3))
        self.assertLess(time.monotonic() - begin, 2.0)

    def test_grains_of_a_nanometre(self):
        self.write("nano.toml", HEAD.format(settings="time_step = 1e-7\nend_time = 1e-5", interval=5e-6) +
                   LATTICE.format(count=20, a=1e-9, b=2e-9, side=1e-8, height=1e-7))
        self.scree("run", "nano.toml", "-o", "out", "-q")
        for chains in ((), ("--chains",)):
            self.scree("render", "out", "-o", "p.png", "--size", "96x64", "--samples", "1", "-q", "--no-labels", *chains)
        with open(os.path.join(self.folder, "p.png"), "rb") as file:
            self.assertGreater(len(file.read()), 1500)  # a picture of one colour would have a few hundred bytes
        self.scree("report", "out", "-q")
        self.scree("fields", "out", "-q")

    def test_runs_that_exploded(self):
        """Bodies at infinite positions are left out of pictures and fields."""
        for far, speed in ((1e30, 1e308), (1e15, 1e200), (1e3, 1e300)):
            with self.subTest(far=far, speed=speed):
                self.write("far.toml", HEAD.format(settings="time_step = 1e-3\nend_time = 0.1", interval=0.05) +
                           '[[bodies]]\nradius = 0.1\nposition = [0, 0, 1]\n'
                           f'[[bodies]]\nradius = 0.1\nposition = [{far}, 0, 1]\n'
                           f'[[bodies]]\nradius = 0.1\nposition = [-{far}, 0, 1]\nvelocity = [0, 0, {speed}]\n'
                           '[[boundaries]]\nname = "floor"\ntype = "plane"\n')
                done = subprocess.run([PROGRAM, "run", "far.toml", "-o", "out", "-q", "--overwrite"], capture_output=True,
                                      cwd=self.folder, timeout=60, check=False)
                self.assertIn(done.returncode, (0, 5), done.stderr)
                for chains in ((), ("--chains",)):
                    self.scree("render", "out", "-o", "p.png", "--size", "64x64", "--samples", "1", "-q", *chains)
                self.scree("report", "out", "-q")
                if far > 1e6:
                    self.assertIn("--cell", self.scree("fields", "out", "-q", status=2))
                self.scree("fields", "out", "-q", "--low", "-1", "-1", "0", "--high", "1", "1", "2")

    def test_fields_of_too_fine_cells(self):
        self.box()
        self.scree("run", "box.toml", "-o", "out", "-q")
        self.assertIn("too fine", self.scree("fields", "out", "--width", "1e8", "--cell", "0.1", "--low", "0", "0", "0", "--high",
                                             "1", "1", "1", status=2))

    def test_names_that_no_file_can_have(self):
        self.box()
        long = "a" * 5000
        for command in (["report", long], ["check", long], ["compare", long, long], ["solve", long], ["shape", long]):
            self.assertNotIn("internal error", self.scree(*command, status=3 if command[0] in ("check", "shape") else 6))

    def test_memory_limit(self):
        """A larger forecast is refused, with both sizes."""
        self.box(count=400)
        for command in (("run", "-o", "out", "-q"), ("check", "--quick")):
            said = self.scree(command[0], "box.toml", *command[1:], "--memory-limit", "20MB", status=13)
            self.assertRegex(said, r"the run needs about \d+ MB of memory, --memory-limit allows 20 MB")
            self.scree(command[0], "box.toml", *command[1:], "--memory-limit", "1.5 GB")
            self.assertIn("allowed <= ", self.scree(command[0], "box.toml", "--memory-limit", "100kB", status=3))
        self.assertTrue(os.path.exists(os.path.join(self.folder, "out")))
        for size in ("-1", "nan", "2 QB", "", "GB", "1e400"):
            self.assertIn("--memory-limit", self.scree("run", "box.toml", "--memory-limit=" + size, status=2))

    def test_little_memory(self):
        """Under every limit a command does its work or reports that the memory does not suffice; none crashes."""
        self.box(count=400)
        self.scree("run", "box.toml", "-o", "out", "-q", "--dump-problem", "step.h5", "--dump-step", "40")
        self.write("pebble.toml", "semi_axes = [1.0, 0.8, 0.6]\n")
        commands = [["check", "box.toml"], ["render", "out", "-o", "p.png", "--size", "640x480", "--samples", "1", "-q"],
                    ["report", "out", "-q"], ["fields", "out", "-q"], ["export", "out", "--to", "csv", "--overwrite", "-q"],
                    ["solve", "step.h5"], ["shape", "pebble.toml"], ["compare", "out", "out"],
                    ["bench", "box.toml", "--steps", "1", "--repeats", "1", "--threads", "2", "--no-residuals", "--from", "0", "-q"]]
        ends = {}
        for command in commands:
            for megabytes in (60, 90, 120, 160, 220, 300, 400):
                def limit(bytes=megabytes << 20):
                    resource.setrlimit(resource.RLIMIT_AS, (bytes, bytes))
                    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
                done = subprocess.run([PROGRAM, *command], capture_output=True, cwd=self.folder, text=True, timeout=60,
                                      preexec_fn=limit, check=False)
                if "error while loading shared libraries" in done.stderr:
                    continue
                ends[done.returncode] = ends.get(done.returncode, 0) + 1
                with self.subTest(command=command, megabytes=megabytes):
                    self.assertIn(done.returncode, (0, 2, 3, 4, 6, 8, 13), (done.stdout, done.stderr))
                    self.assertNotIn("internal error", done.stderr)
                    if done.returncode == 13:
                        self.assertIn("memory", done.stderr)
        self.assertGreater(ends.get(13, 0), 0)
        self.assertGreater(ends.get(0, 0), 0)


if __name__ == "__main__":
    sys.argv[1:2] = []
    unittest.main()
