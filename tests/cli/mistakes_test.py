"""Mistakes of users. Each answer states the place, the problem, the allowed values and the advice, with the documented
exit status, in under a second: mistakes_test.py <scree>
"""
import os
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
PATIENCE_S = 1.0

SCENE = """
name = "mixture"
time_step = 0.002
end_time = 0.1
[output]
interval = 0.05
[[materials]]
name = "stone"
density = 2500
[[materials]]
name = "glass"
density = 2500
[[bodies]]
generate = "random"
material = "stone"
count = 10
semi_axes = [0.05, 0.04, 0.03]
region = { type = "box", low = [-0.2, -0.2, 0.05], high = [0.2, 0.2, 0.8] }
[[bodies]]
generate = "random"
material = "glass"
count = 10
radius = 0.03
region = { type = "box", low = [-0.2, -0.2, 0.05], high = [0.2, 0.2, 0.8] }
[[boundaries]]
name = "floor"
material = "stone"
type = "plane"
"""

SMALL = ["--size", "64x64", "--samples", "1", "-q"]
ONE = ["render", "made", "-o", "p.png", *SMALL]

# (command line, exit status, words of the answer)
MISTAKES = [
    # The command line
    ([], 2, ["run", "check", "render"]),
    (["rum", "mixture.toml"], 2, ["no command 'rum'", "'run'"]),
    (["help", "chekc"], 2, ["no command 'chekc'", "'check'"]),
    (["run"], 2, ["a scene file, or --resume", "--help"]),
    (["run", "--resume", "made", "--set", "seed=2"], 2, ["needs a scene", "--restart-from"]),
    (["explain", "frction"], 2, ["'frction'", "did you mean 'friction'"]),
    (["run", "mixture.toml", "again.toml"], 2, ["unexpected argument 'again.toml'"]),
    (["run", "mixture.toml", "--thread", "1"], 2, ["no option --thread", "'--threads'"]),
    (["run", "mixture.toml", "--threads", "100000"], 2, ["--threads", "100000", "0 to 4096"]),
    (["run", "mixture.toml", "--threads", "two"], 2, ["--threads", "whole number", "two"]),
    (["run", "mixture.toml", "--until", "nan"], 2, ["--until", "finite", "nan", ">= 0"]),
    (["run", "mixture.toml", "--until", "-1"], 2, ["--until", "-1", ">= 0"]),
    (["run", "mixture.toml", "--strict=amper"], 2, ["'amper'", "'amber'"]),
    (["solve", "mixture.toml", "--tolerance", "nan"], 2, ["--tolerance", "nan", "> 0"]),
    (["solve", "mixture.toml", "--solver", "gausseidel"], 2, ["'gausseidel'", "'gauss_seidel'"]),
    # Looking at a run
    (["render", "nowhere"], 6, ["nowhere: no such folder", "there are fast, made"]),
    (["report", "mode"], 6, ["mode: no such folder", "did you mean 'made'?"]),
    (["bench", "colapse"], 2, ["'colapse'", "did you mean 'collapse'?"]),
    ([*ONE, "--eye", "nan", "0", "0"], 2, ["--eye", "nan", "-1000000000 to 1000000000"]),
    ([*ONE, "--eye", "1e30", "0", "0"], 2, ["--eye", "1e30", "allowed"]),
    ([*ONE, "--eye", "0", "0", "0", "--target", "0", "0", "0"], 2, ["--eye", "0 0 0", "--target"]),
    ([*ONE, "--up", "0", "0", "0"], 2, ["--up", "0 0 0"]),
    ([*ONE, "--zoom", "nan"], 2, ["--zoom", "nan", "0.001 to 1000"]),
    ([*ONE, "--zoom", "1e30"], 2, ["--zoom", "1e30", "0.001 to 1000"]),
    ([*ONE, "--time", "nan"], 2, ["--time", "nan"]),
    ([*ONE, "--time", "99"], 2, ["--time", "99", "0 to 0.1 s"]),
    ([*ONE, "--range", "3", "1"], 2, ["--range", "3 1", "below"]),
    ([*ONE, "--range", "0", "nan"], 2, ["--range", "nan"]),
    ([*ONE, "--color", "sped"], 2, ["'sped'", "'speed'"]),
    (["render", "made", "-o", "p.bmp", *SMALL], 2, ["p.bmp", ".png, .mp4, .webm, .gif"]),
    (["report", "made", "--view-size", "nan"], 2, ["--view-size", "nan"]),
    (["fields", "made", "--width", "nan"], 2, ["--width", "nan", "> 0"]),
    (["export", "made", "--to", "csv", "--time", "nan"], 2, ["--time", "nan"]),
    (["export", "made", "--to", "lamps"], 2, ["'lamps'", "'lammps'"]),
    (["paraview", "made", "--color", "sped"], 2, ["'sped'", "'speed'"]),
    (["paraview", "made", "--time", "99"], 2, ["--time", "99", "0 to 0.1 s"]),
    (["bench", "--compare", "before.json", "other.json"], 2, ["--compare", "before.json and other.json", "no measurement in common"]),
    # The scene
    (["run", "nothere.toml"], 3, ["nothere.toml: cannot be opened: No such file", "mixture.toml"]),
    (["run", "mixtur.toml"], 3, ["did you mean 'mixture.toml'?"]),
    (["run", "mixture.toml", "--set", 'name="../../evil"'], 3, ["name", "../../evil", "folder"]),
    (["run", "mixture.toml", "--set", "solver.kind=gausseidel"], 3, ["solver.kind", "did you mean 'gauss_seidel'?"]),
    (["run", "mixture.toml", "--set", "friction=0.1"], 3, ["friction", "write materials[0].friction"]),
    (["run", "mixture.toml", "--set", "time_stepp=1"], 3, ["time_stepp", "did you mean 'time_step'?"]),
    (["run", "mixture.toml", "--set", "bodies[1].material=glas"], 3, ["glas", '"stone", "glass"', "did you mean 'glass'?"]),
    (["check", "mixture.toml", "--set", "bodies[0].count=2000000000"], 3, ["bodies[0].count", "2000000000", "allowed <= "]),
    (["check", "table.toml", "--set", 'bodies[0].table="header.csv"'], 3, ["header.csv:1:1", "x, y, z", "east, north, up"]),
    (["check", "table.toml", "--set", 'bodies[0].table="numbers.csv"'], 3, ["numbers.csv:1:1", "must have the names of the columns", "1,2,3"]),
    (["check", "table.toml", "--set", 'bodies[0].table="material.csv"'], 3, ["material.csv:2:1", "stoen", "did you mean 'stone'?"]),
    (["check", "table.toml", "--set", 'bodies[0].table="missing.csv"'], 3, ["missing.csv", "does not exist"]),
    (["check", "table.toml", "--set", "bodies[0].position=[0, 0, -1]"], 3, ["bodies[0]", "form 'table'"]),
    (["check", "behind.toml"], 3, ["behind.toml:4:1", "behind the boundary 'floor' by 1 m"]),
    (["run", "fast.toml", "-q", "-o", "fast", "--overwrite"], 5, ["body 0 of stone", "since this step", "time_step (now 0.002 s)"]),
]

SCENE_HEAD = '[[materials]]\nname = "stone"\ndensity = 2500\n'
FILES = {
    "table.toml": SCENE_HEAD + '[[bodies]]\ntable = "header.csv"\n',
    "behind.toml": SCENE_HEAD + '[[bodies]]\nradius = 0.1\nposition = [0, 0, -1]\n[[boundaries]]\nname = "floor"\ntype = "plane"\n',
    "fast.toml": SCENE_HEAD + "[[bodies]]\nradius = 0.1\nposition = [0, 0, 1]\nvelocity = [1e200, 0, 0]\n",
    "header.csv": "east,north,up\n1,2,3\n",
    "numbers.csv": "1,2,3\n4,5,6\n",
    "material.csv": "x,y,z,radius,material\n0,0,1,0.1,stoen\n",
}


class Mistakes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.write("mixture.toml", SCENE)
        done = cls.scree("run", "mixture.toml", "-q", "-o", "made")
        assert done.returncode == 0, done.stderr
        for name, text in FILES.items():
            cls.write(name, text)
        for name, scene in (("before.json", "drop.toml"), ("other.json", "fall.toml")):
            cls.write(scene, "end_time = 0.01\n" + SCENE_HEAD + "[[bodies]]\nradius = 0.1\nposition = [0, 0, 1]\n")
            done = cls.scree("bench", scene, "--steps", "1", "--repeats", "1", "--threads", "1", "--no-residuals", "--json", name, "-q")
            assert done.returncode == 0, done.stderr
        cls.scree("run", "fast.toml", "-q", "-o", "fast")
        cls.before = sorted(os.listdir(cls.folder))

    @classmethod
    def write(cls, name, text):
        with open(os.path.join(cls.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    @classmethod
    def scree(cls, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=cls.folder, timeout=60)

    def test_all(self):
        self.assertGreaterEqual(len(MISTAKES), 40)
        for arguments, status, words in MISTAKES:
            with self.subTest(" ".join(arguments)):
                start = time.monotonic()
                done = self.scree(*arguments)
                seconds = time.monotonic() - start
                self.assertEqual(done.returncode, status, done.stderr)
                for word in words:
                    self.assertIn(word, done.stderr)
                for bad in ("internal error", "Traceback", "Assert", "17976931348623157"):
                    self.assertNotIn(bad, done.stderr)
                self.assertLessEqual(max(map(len, done.stderr.splitlines())), 400 if arguments else 200, done.stderr)
                self.assertLess(seconds, PATIENCE_S)
        self.assertEqual(sorted(os.listdir(self.folder)), self.before, "a mistake left something behind")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
