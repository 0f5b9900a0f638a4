"""What commands make of recorded runs, and of being interrupted: recorded_test.py <scree> [Recorded.test_name ...]"""
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy

PROGRAM = os.path.abspath(sys.argv[1])

FALL = """
    name = "fall"
    gravity = [0, 0, -9.81]
    time_step = 0.0001
    end_time = 0.3
    output = { interval = 0.1, vtk = false }
    materials = [{ name = "m", density = 2500 }]
    bodies = [{ radius = 0.01, position = [0, 0, 10] }]
    boundaries = [{ type = "plane", name = "bin, left" }]
    [[measurements]]
    name = "way"
    measure = "bodies"
    bodies = [0]
    from = 0.15
    interval = 0.001
    [[measurements]]
    name = "load"
    measure = "quantity"
    boundary = "bin, left"
    quantities = ["force_z_N"]
    [[measurements]]
    name = "sieve"
    measure = "screening"
    plane = { point = [0, 0, 5], normal = [0, 0, -1] }
    over = { point = [5, 0, 0], normal = [1, 0, 0] }
    aperture = 0.001
    """

BED = """
    name = "bed"
    gravity = [0, 0, -9.81]
    time_step = 0.001
    end_time = 0.5
    output = { interval = 0.02, contacts_interval = 0.15, vtk = false }
    materials = [{ name = "m", density = 2500, friction = 0.5 }]
    boundaries = [{ type = "box", name = "box, open", low = [-0.1, -0.1, 0], high = [0.1, 0.1, 1], open = ["+z"] }]
    [[bodies]]
    generate = "random"
    count = 40
    semi_axes = [0.03, 0.02, 0.02]
    region = { type = "box", low = [-0.1, -0.1, 0], high = [0.1, 0.1, 0.3] }
    """


class Recorded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        for name, text, more in (("fall", FALL, []), ("bed", BED, []),
                                 ("every", BED, ["--set", "output.contacts_interval=0"])):
            with open(os.path.join(cls.holder.name, name + ".toml"), "w", encoding="utf-8") as file:
                file.write(text)
            done = subprocess.run([PROGRAM, "run", name + ".toml", "-q", "-o", name, *more], cwd=cls.holder.name,
                                  capture_output=True, text=True, timeout=110)
            assert done.returncode in (0, 1), done.stderr

    def scree(self, *arguments, status=0):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, cwd=self.holder.name, timeout=110, text=True)
        self.assertEqual(done.returncode, status, (arguments, done.stdout, done.stderr))
        return done

    def path(self, *names):
        return os.path.join(self.holder.name, *names)

    def drawn(self, name):
        """The points of the only curve of a picture, in its own units."""
        with open(self.path(name), encoding="utf-8") as file:
            picture = file.read()
        way = max((part.split("'")[0] for part in picture.split("d='")[1:]), key=len)
        return numpy.array([[float(x) for x in pair.split(",")] for pair in
                            way.replace("M", " ").replace("L", " ").split()])

    def test_plots_over_a_column_pair_the_same_times(self):
        """A free fall: E = m g (10 - z), a straight line, though the place was measured from 0.15 s on alone."""
        for options in ([], ["--average", "0.01"]):
            self.scree("plot", "fall", "kinetic_energy_J", "--x", "way.position_z_m.0", "-o", "line.svg", *options)
            points = self.drawn("line.svg")
            self.assertGreater(len(points), 10)
            slope, offset = numpy.polyfit(points[:, 0], points[:, 1], 1)
            self.assertLess(numpy.abs(points @ [slope, -1.0] + offset).max(), 1.0, options)  # of 300 pixels

    def test_columns_without_numbers_leave_other_panels_alone(self):
        self.scree("plot", "fall", "sieve.efficiency", "kinetic_energy_J", "-o", "both.svg")
        with open(self.path("both.svg"), encoding="utf-8") as file:
            self.assertIn("no values", file.read())
        self.assertGreater(len(self.drawn("both.svg")), 10)

    def test_names_with_commas(self):
        self.assertIn("boundaries.bin, left.force_z_N", self.scree("plot", "fall", "--list").stdout)
        measured = json.loads(self.scree("measure", "fall", "--json").stdout)
        self.assertIn("load", measured["measurements"])
        self.scree("report", "bed", "-o", "bed.html")
        with open(self.path("bed.html"), encoding="utf-8") as file:
            self.assertIn("Force on boundaries", file.read())

    def test_frames_without_contacts_are_not_frames_without_forces(self):
        """Contacts in every seventh frame: the mean stress is that of these frames."""
        box = ["--low", "-0.1", "-0.1", "0", "--high", "0.1", "0.1", "0.1", "--cell", "0.025", "--width", "0.05", "--to", "npy"]
        for run in ("bed", "every"):
            done = self.scree("fields", run, "--average", "--from", "0.4", "-o", run + "_fields", *box)
            self.assertEqual("the mean of the others" in done.stderr, run == "bed")
        some, all_of_them = (numpy.load(self.path(run + "_fields", "fields_mean.npy"))["contact_stress"][..., 2, 2].mean()
                             for run in ("bed", "every"))
        self.assertAlmostEqual(some / all_of_them, 1.0, delta=0.3)
        if not os.path.exists(os.path.join(os.path.dirname(PROGRAM), "libscree_vtk.so")):
            return  # built without VTK
        self.scree("export", "bed", "--to", "vtk", "-o", "bed_vtk", "-q")
        self.assertTrue(os.path.exists(self.path("bed_vtk", "contacts.pvd")))

    def test_a_run_does_not_replace_what_it_reads(self):
        with open(self.path("again.toml"), "w", encoding="utf-8") as file:
            file.write(BED.replace("generate = ", "table = \"every/trajectory.h5\" # ").split("count")[0])
        before = os.path.getsize(self.path("every", "trajectory.h5"))
        done = self.scree("run", "again.toml", "-o", "every", "--overwrite", "-q", status=4)
        self.assertIn("trajectory.h5", done.stderr)
        self.assertEqual(os.path.getsize(self.path("every", "trajectory.h5")), before)

    def interrupted(self, arguments, when, group):
        """Ctrl-C, where `when()` is true, to the process or, as in a terminal, to its group; its status."""
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.holder.name, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, start_new_session=True)
        end = time.monotonic() + 60
        while process.poll() is None and not when() and time.monotonic() < end:
            time.sleep(0.01)
        with contextlib.suppress(ProcessLookupError):  # it has ended
            (os.killpg if group else os.kill)(process.pid, signal.SIGINT)
        fault = process.communicate(timeout=60)[1].decode()
        return process.returncode, fault

    def test_an_interrupted_export_leaves_the_old_file(self):
        self.scree("export", "every", "--to", "csv", "-o", "table.csv")
        with open(self.path("table.csv"), "rb") as file:
            before = file.read()
        # The temporary file shows that it has begun.
        status, fault = self.interrupted(["export", "every", "--to", "csv", "-o", "table.csv", "--overwrite"], lambda: any(
            name.startswith("table.csv") and name != "table.csv" for name in os.listdir(self.holder.name)), False)
        self.assertIn(status, (0, 130), fault)  # 0: it was faster
        with open(self.path("table.csv"), "rb") as file:
            self.assertEqual(file.read(), before)
        self.assertEqual([name for name in os.listdir(self.holder.name) if name.startswith("table.csv")], ["table.csv"])

    def test_an_interrupted_film_is_a_film(self):
        status, fault = self.interrupted(["render", "every", "-o", "film.mp4", "--size", "320x240", "--samples", "16"],
                                         lambda: os.path.exists(self.path("film.mp4")), True)
        self.assertIn(status, (0, 7, 130), fault)  # 7: there is no ffmpeg
        self.assertNotIn("ffmpeg ended", fault)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])
