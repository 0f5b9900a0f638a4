"""Places where the program writes and must not write: outputs_test.py <scree> [Outputs.test_name ...]"""
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1])

SCENE = """
name = "tumble"
time_step = 0.002
end_time = 0.1
[output]
interval = 0.05
[[materials]]
name = "stone"
density = 2500
[[bodies]]
generate = "random"
count = 20
semi_axes = [0.05, 0.04, 0.03]
region = { type = "box", low = [-0.2, -0.2, 0.05], high = [0.2, 0.2, 0.8] }
[[boundaries]]
name = "floor"
type = "plane"
"""
SMALL = ("--size", "64x64", "--samples", "1", "-q")


class Outputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("tumble.toml", SCENE)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def scree(self, *arguments, status=0, **options):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, cwd=self.folder, timeout=60, **options)
        self.assertEqual(done.returncode, status, (arguments, done.stdout, done.stderr))
        return done.stderr.decode(errors="replace")

    def made(self, *arguments):
        self.scree("run", "tumble.toml", "-o", "out", "-q", *arguments)

    def test_closed_descriptors(self):
        """The run's own messages do not go into its files."""
        self.scree("run", "tumble.toml", "-o", "out")
        for closed in ("<&- >&- 2>&-", ">&- 2>&-", "<&-", ">&-", "2>&-", "<&- >&-"):
            done = subprocess.run(["bash", "-c", f'"{PROGRAM}" run tumble.toml -o closed --overwrite {closed}'],
                                  cwd=self.folder, capture_output=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, (closed, done.stderr))
            for name in ("walls.vtp", "bodies.pvd", "boundaries.csv"):
                self.assertEqual(self.content("closed/" + name), self.content("out/" + name), (closed, name))
            for name in sorted(os.listdir(self.path("closed"))):
                if os.path.isfile(self.path("closed", name)):
                    self.assertNotIn(b"threads\n", self.content("closed/" + name), (closed, name))
            self.scree("compare", "out", "closed")
            header, *rows = self.content("closed/steps.csv").decode().splitlines()
            self.assertEqual(len(rows), 50)
            self.assertEqual({row.count(",") for row in rows}, {header.count(",")}, closed)

    def test_nothing_is_written_over(self):
        """Without --overwrite, neither inputs of a command nor existing data are overwritten."""
        self.made("--dump-problem", "step.h5", "--until", "0.3", "--dump-step", "145")
        self.write("grains.csv", "mine\n")
        self.write("index.html", "<!DOCTYPE html><title>mine</title>\n")
        self.write("photo.png", "mine\n")
        shape = "semi_axes = [1.0, 0.8, 0.6]\n"
        self.write("pebble.toml", shape)
        self.scree("shape", "pebble.toml", "--mesh", "pebble.stl", "--fineness", "4")
        refused = [
            ("run", "tumble.toml", "-o", "two", "-q", "--dump-problem", "step.h5"),
            ("solve", "step.h5", "--csv", "grains.csv"),
            ("solve", "step.h5", "--csv", "tumble.toml"),
            ("report", "out", "-o", "index.html"),
            ("render", "out", "-o", "photo.png", *SMALL),
            ("export", "out", "--to", "csv", "-o", "grains.csv"),
            ("shape", "pebble.toml", "--mesh", "pebble.stl"),
            ("shape", "--fit", "pebble.stl", "-o", "pebble.toml"),
            ("shape", "--fit", "pebble.stl", "-k", "0"),
            ("bench", "tumble.toml", "--json", "grains.csv"),
            ("new", "box", "-o", "tumble.toml"),
        ]
        before = {name: self.content(name) for name in os.listdir(self.folder) if os.path.isfile(self.path(name))}
        trajectory = self.content("out/trajectory.h5")
        for command in refused:
            with self.subTest(command=command):
                self.assertIn("--overwrite", self.scree(*command, status=4))
        read = [
            ("solve", "step.h5", "--fclib", "step.h5"),
            ("report", "out", "-o", "out/trajectory.h5"),
            ("export", "out", "--to", "csv", "-o", "out/steps.csv"),
            ("shape", "--fit", "pebble.stl", "-o", "./pebble.stl"),
            ("bench", "tumble.toml", "--json", "tumble.toml"),
        ]
        for command in read:
            with self.subTest(command=command):
                self.assertIn("this command reads it", self.scree(*command, "--overwrite", status=4))
        self.assertIn("must end in .h5", self.scree("run", "tumble.toml", "-o", "two", "--dump-problem", "tumble.toml",
                                                    "--overwrite", status=2))
        self.assertEqual(before, {name: self.content(name) for name in before})
        self.assertEqual(trajectory, self.content("out/trajectory.h5"))

    def test_drawings_are_made_again(self):
        """A drawing can be replaced without an option, and everything else with --overwrite."""
        self.made()
        for _ in range(2):
            self.scree("report", "out", "-q")
            self.scree("report", "out", "-q", "-o", "page.html")
            self.scree("render", "out", "-o", "p.png", *SMALL)
            self.scree("render", "out", "-o", "pictures", *SMALL)
            self.scree("fields", "out", "-q")
            self.scree("export", "out", "--to", "csv", "-q", "--overwrite")
            self.scree("run", "tumble.toml", "-o", "two", "-q", "--overwrite", "--dump-problem", "step.h5", "--until", "0.3", "--dump-step", "145")
            self.scree("run", "tumble.toml", "-o", "two", "-q", "--overwrite", "--dump-problem", "two/step.h5", "--dump-step", "40")
            self.scree("solve", "step.h5", "--plot", "p.svg", "--csv", "p.csv", "--overwrite")
        self.write("empty.png", "")
        self.scree("render", "out", "-o", "empty.png", *SMALL)
        self.scree("solve", "step.h5", "--csv", "/dev/null")

    def test_missing_folder_is_reported_before_the_run(self):
        self.assertIn("there is no folder nowhere", self.scree("run", "tumble.toml", "-o", "out", "--dump-problem", "nowhere/p.h5",
                                                              "--until", "1e3", "--force", status=4))
        self.assertFalse(os.path.exists(self.path("out")))
        self.made()
        self.assertIn("there is no folder nowhere", self.scree("report", "out", "-o", "nowhere/p.html", status=4))

    def test_links_are_not_followed(self):
        """A link at the temporary name points elsewhere; a killed run has left its partial file."""
        self.made()
        self.write("victim", "mine\n")
        os.symlink("../victim", self.path("out", "report.html.tmp"))
        self.scree("report", "out", "-q")
        os.symlink("victim", self.path("step.h5.part"))
        self.scree("run", "tumble.toml", "-o", "two", "-q", "--dump-problem", "step.h5", "--until", "0.3", "--dump-step", "145")
        self.assertEqual(self.content("victim"), b"mine\n")
        self.assertIn(b"</html>", self.content("out/report.html"))

    def test_no_name_is_a_command(self):
        """gnuplot would run names that begin with | as commands; ffmpeg treats some names as protocols."""
        self.made("--dump-problem", "step.h5", "--until", "0.3", "--dump-step", "145")
        self.scree("solve", "step.h5", "--plot", "|touch piped;x.svg")
        self.scree("solve", "step.h5", "--plot", "`touch ticked` $(touch ticked) 'x'.svg")
        self.assertFalse(os.path.exists(self.path("piped")) or os.path.exists(self.path("ticked")))
        self.assertIn(b"<svg", self.content("|touch piped;x.svg"))
        self.assertIn("line break", self.scree("solve", "step.h5", "--plot", "a\n!touch said\n.svg", status=4))
        self.assertFalse(os.path.exists(self.path("said")))

    def test_names_that_are_no_utf8(self):
        name = b"f\xff \xe9"
        self.scree("run", "tumble.toml", "-q", "-o", name)
        folder = os.fsencode(self.folder)
        for command in (["report", name, "-q"], ["render", name, "-o", b"p\xff.png", *SMALL], ["fields", name, "-q"],
                        ["export", name, "--to", "csv", "-q"], ["export", name, "--to", "vtk", "-q"],
                        ["paraview", name, "--script-only"], ["check", "tumble.toml", "--quick"]):
            self.scree(*command)
        with open(os.path.join(folder, name, b"view.py"), encoding="utf-8") as file:
            line = next(line for line in file if line.startswith("FOLDER = "))
        read = eval(line.removeprefix("FOLDER = "), {"os": os})  # a literal from our own file
        self.assertEqual(os.fsencode(read), os.path.join(os.path.realpath(folder), name))
        self.assertIn("no such folder", self.scree("report", b"g\xff", status=6))


if __name__ == "__main__":
    sys.argv[1:2] = []
    unittest.main()
