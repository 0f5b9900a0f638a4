"""What commands make of recorded runs, and of being interrupted: recorded_test.py <scree> [Recorded.test_name ...]"""
import contextlib
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
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

    def run_scene(self, name, text, *arguments):
        with open(self.path(name + ".toml"), "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(text))
        return self.scree("run", name + ".toml", "-q", "-o", name, *arguments)

    def means(self, name, command):
        if command == "run":
            with open(self.path(name, "measurements.json"), encoding="utf-8") as file:
                return json.load(file)["measurements"]
        return json.loads(self.scree("measure", name, "--json").stdout)["measurements"]

    def test_a_sheared_cell_has_the_axes_of_its_flow(self):
        """In the run and from its frames, which are those of each step: along y is the flow, along x its gradient."""
        self.run_scene("sheared", """
            gravity = [0, 0, 0]
            time_step = 0.001
            end_time = 0.05
            output = { interval = 0.001, vtk = false, contacts = true }
            cell = { low = [0, 0, 0], high = [0.1, 0.1, 0.1], flow = [{ gradient_x = [0, 20, 0] }] }
            materials = [{ name = "s", density = 2000, friction = 0.3 }]
            measurements = [{ name = "b", measure = "bulk", interval = 0.01 }]
            [[bodies]]
            generate = "random"
            count = 100
            radius = 0.008
            region = { type = "box", low = [0, 0, 0], high = [0.1, 0.1, 0.1] }
            """)
        during, after = (self.means("sheared", command)["b"]["quantities"] for command in ("run", "measure"))
        for column in ("mu_flow", "normal_stress_difference_1", "normal_stress_difference_2"):
            a, b = (of[column]["mean"] for of in (during, after))
            self.assertAlmostEqual(a, b, delta=0.02 * max(abs(a), 0.05), msg=column)

    CHANGED = """
        gravity = [0, 0, -10]
        time_step = 0.001
        end_time = 0.2
        output = { interval = 0.01, vtk = false }
        materials = [{ name = "wet", density = 1000 }, { name = "dry", density = 1000 }]
        bodies = [{ radius = 0.02, material = "wet", position = [0, 0, 0.1] },
                  { radius = 0.02, material = "dry", position = [0.1, 0, 0.1] }]
        boundaries = [{ type = "plane", name = "floor", material = "dry" }]
        events = [{ name = "dries", quantity = "time_s", rises_above = 0.05, change_material = ["wet", "dry"] },
                  { name = "rains", quantity = "time_s", rises_above = 0.15, change_material = ["dry", "wet"] }]
        [[measurements]]
        name = "f"
        measure = "flow"
        by = "material"
        plane = { point = [0, 0, 0.05], normal = [0, 0, -1] }
        """

    def test_frames_know_the_material_that_events_gave(self):
        """Both grains pass the plane as dry ones, at 0.1 s; from 0.15 s on both are wet."""
        self.run_scene("changed", self.CHANGED)
        self.run_scene("resumed", self.CHANGED, "--until", "0.1")
        self.scree("run", "--resume", "resumed", "-q", "--until", "0.2")
        for run in ("changed", "resumed"):
            for command in ("run", "measure"):
                passed = self.means(run, command)["f"]["quantities"]
                self.assertEqual([passed["bodies." + m]["last"] for m in ("wet", "dry")], [0, 2], (run, command))
        for moment, expected in (("0.02", ["wet", "dry"]), ("0.1", ["dry", "dry"]), ("0.2", ["wet", "wet"])):
            self.scree("export", "resumed", "--to", "csv", "--time", moment, "-o", moment + ".csv", "-q")
            with open(self.path(moment + ".csv"), encoding="utf-8", newline="") as file:
                self.assertEqual([row["material"] for row in csv.DictReader(file)], expected)

    def test_a_mesh_region_is_beside_the_scene(self):
        low, high = numpy.array([[-0.1, -0.1, 0], [0.1, 0.1, 0.1]])
        with open(self.path("region.obj"), "w", encoding="utf-8") as file:
            for k in range(8):
                print("v", *(high[i] if k >> i & 1 else low[i] for i in range(3)), file=file)
            for face in ("1 3 4", "1 4 2", "5 6 8", "5 8 7", "1 2 6", "1 6 5", "3 7 8", "3 8 4", "1 5 7", "1 7 3",
                         "2 4 8", "2 8 6"):
                print("f", face, file=file)
        heading = '''
    [[measurements]]
    name = "%s"
    measure = "bulk"
    region = { type = "%s", %s }
    '''
        self.run_scene("meshed", BED + heading % ("mesh", "mesh", 'file = "region.obj"') +
                       heading % ("box", "box", "low = [-0.1, -0.1, 0], high = [0.1, 0.1, 0.1]"))
        measured = self.means("meshed", "measure")
        self.assertEqual(*(measured[name]["quantities"]["bodies"]["mean"] for name in ("mesh", "box")))

    def test_a_name_is_that_of_one_boundary(self):
        """'lid' is a disc, and not 'lid.top' too; 'tray' is a box, all of its walls."""
        names = ("lid", "lid.top")
        discs = ", ".join(f'{{ type = "disc", name = "{name}", centre = [{k}, 0, 0.1], normal = [0, 0, 1], radius = 0.1, '
                          f'rounding = 0.01 }}' for k, name in enumerate(names))
        places = ((0, 0.13), (1, 0.13), (2, 0.02))
        balls = ", ".join(f"{{ radius = 0.02, position = [{x}, 0, {z}] }}" for x, z in places)
        measures = ", ".join(f'{{ name = "{name[:3]}{k}", measure = "quantity", boundary = "{name}", '
                             f'quantities = ["force_z_N"] }}' for k, name in enumerate((*names, "tray")))
        self.run_scene("lids", f"""
            gravity = [0, 0, -10]
            time_step = 0.001
            end_time = 0.2
            output = {{ interval = 0.05, vtk = false }}
            materials = [{{ name = "m", density = 1000 }}]
            boundaries = [{discs}, {{ type = "box", name = "tray", low = [-1, -1, 0], high = [3, 1, 1] }}]
            bodies = [{balls}]
            measurements = [{measures}]
            events = [{{ name = "off", quantity = "time_s", rises_above = 0.105, remove = "lid" }}]
            """)
        weight = -1000 * 4 / 3 * numpy.pi * 0.02**3 * 10
        for command in ("run", "measure"):
            last = [measured["quantities"]["force_z_N"]["last"] for measured in self.means("lids", command).values()]
            numpy.testing.assert_allclose(last, [0, weight, weight], rtol=1e-3, err_msg=command)
        with open(self.path("lids", "events.csv"), encoding="utf-8") as file:
            self.assertIn("remove lid", file.read())

    def test_a_frame_after_the_end_does_not_count(self):
        """The ball passes the plane after `until` and before the next frame: half a step away, it would count."""
        self.run_scene("late", """
            gravity = [0, 0, 0]
            time_step = 0.02
            end_time = 0.6
            output = { interval = 0.1, vtk = false }
            materials = [{ name = "m", density = 1000 }]
            bodies = [{ radius = 0.02, position = [0, 0, 0.499], velocity = [0, 0, -1] }]
            [[measurements]]
            name = "f"
            measure = "flow"
            from = 0.2
            until = 0.4877  # 0.6 steps before the frame
            interval = 0.1
            plane = { point = [0, 0, 0], normal = [0, 0, -1] }
            """)
        for command in ("run", "measure"):
            passed = self.means("late", command)["f"]
            self.assertEqual((passed["samples"], passed["quantities"]["bodies"]["last"]), (2, 0), command)

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
