"""The subcommands for finished runs: view_test.py <scree> [Viewing.test_name ...]"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

PROGRAM = sys.argv[1]

SCENE = """
name = "tumble"
time_step = 0.002
end_time = 0.2
[output]
interval = 0.05
fields = ["kinetic_energy"]
[[materials]]
name = "stone"
density = 2500
[[bodies]]
generate = "random"
count = 30
semi_axes = [0.05, 0.04, 0.03]
orientation = "random"
region = { type = "box", low = [-0.2, -0.2, 0.05], high = [0.2, 0.2, 0.8] }
[[boundaries]]
name = "floor"
type = "plane"
[[boundaries]]
name = "pipe"
type = "tube"
start = [0, 0, 0.1]
end = [0, 0, 1]
inner_radius = 0.4
thickness = 0.02
"""


class Viewing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.made = os.path.join(folder.name, "made")
        scene = os.path.join(folder.name, "tumble.toml")
        with open(scene, "w") as file:
            file.write(SCENE)
        done = subprocess.run([PROGRAM, "run", scene, "-q", "-o", cls.made], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.run_folder = os.path.join(self.folder, "run")
        shutil.copytree(self.made, self.run_folder)

    def scree(self, command, *arguments, scene=None, **options):
        """Runs a command on the run's folder, or on a scene."""
        return subprocess.run([PROGRAM, command, scene or self.run_folder, *arguments], capture_output=True, text=True,
                              cwd=self.folder, timeout=120, **options)

    def check_refusals(self, command):
        """The messages of all these subcommands for a folder without a run, and for an unknown option."""
        self.assertEqual(self.scree(command, "--no-such-option").returncode, 2)
        os.remove(os.path.join(self.run_folder, "trajectory.h5"))
        done = self.scree(command)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("trajectory.h5", done.stderr)
        shutil.rmtree(self.run_folder)
        done = self.scree(command)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("no such folder", done.stderr)

    def test_paraview_starts_it_with_a_script(self):
        tools = os.path.join(self.folder, "bin")
        os.mkdir(tools)
        for name in ("paraview", "pvbatch"):
            path = os.path.join(tools, name)
            with open(path, "w") as file:
                file.write('#!/bin/sh\necho "$0 $@"\n')
            os.chmod(path, 0o755)
        environment = dict(os.environ, PATH=tools, DISPLAY=":0")
        script = os.path.join(self.run_folder, "view.py")
        done = self.scree("paraview", "--color", "kinetic_energy", env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.strip().endswith("paraview --script=" + script), done.stdout)
        with open(script) as file:
            self.assertIn('COLOUR = "kinetic_energy"', file.read())
        done = self.scree("paraview", "--chains", "--picture", "p.png", "--time", "0.1", env=environment)
        self.assertTrue(done.stdout.strip().endswith(f"pvbatch {script} p.png 0.1"), done.stdout)

    def test_paraview_makes_files_that_were_not_recorded(self):
        kept = os.path.join(self.folder, "kept")
        shutil.copytree(self.run_folder, kept)
        shutil.rmtree(os.path.join(self.run_folder, "vtk"))
        for name in ("bodies.pvd", "contacts.pvd", "walls.vtp", "view.py"):
            os.remove(os.path.join(self.run_folder, name))
        self.assertEqual(self.scree("paraview", "--script-only").returncode, 0)
        for name in ["bodies.pvd", "contacts.pvd"] + ["vtk/" + name for name in os.listdir(os.path.join(kept, "vtk"))]:
            with open(os.path.join(kept, name), "rb") as a, open(os.path.join(self.run_folder, name), "rb") as b:
                self.assertEqual(a.read(), b.read(), name)
        self.assertTrue(os.path.exists(os.path.join(self.run_folder, "walls.vtp")))

    def test_paraview_has_a_mesh_of_every_function(self):
        """The same files are also made again from the trajectory alone."""
        shutil.rmtree(self.run_folder)
        scene = os.path.join(self.folder, "waists.toml")
        with open(scene, "w") as file:
            file.write(SCENE.replace('semi_axes = [0.05, 0.04, 0.03]', 'shape = "waist"\nsize = 0.05').replace("count = 30", "count = 8")
                       + '[[bodies]]\nradius = 0.02\nposition = [0, 0, 0.1]\n[[shapes]]\nname = "waist"\nsemi_axes = [1, 0.5, 0.5]\n'
                       '[[shapes.perturbations]]\ntype = "ellipsoid"\nsemi_axes = [0.55, 0, 0]\nweight = -0.65\n')
        self.assertEqual(self.scree("run", "-o", self.run_folder, "-q", scene=scene).returncode, 0)
        kept = os.path.join(self.folder, "kept")
        shutil.copytree(self.run_folder, kept)
        with open(os.path.join(kept, "view.py")) as file:
            self.assertIn("\nSHAPES = 1\n", file.read())
        shutil.rmtree(os.path.join(self.run_folder, "vtk"))
        os.remove(os.path.join(self.run_folder, "bodies.pvd"))
        self.assertEqual(self.scree("paraview", "--script-only").returncode, 0)
        names = os.listdir(os.path.join(kept, "vtk"))
        self.assertIn("shape_000000.vtp", names)
        for name in names:
            with open(os.path.join(kept, "vtk", name), "rb") as a, open(os.path.join(self.run_folder, "vtk", name), "rb") as b:
                self.assertEqual(a.read(), b.read(), name)
        with open(os.path.join(self.run_folder, "view.py")) as file:
            self.assertIn("\nSHAPES = 1\n", file.read())

    def test_paraview_reports_errors(self):
        done = self.scree("paraview", "--color", "taste")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'taste'", done.stderr)
        self.assertIn("kinetic_energy", done.stderr)
        tools = os.path.join(self.folder, "bin")
        os.mkdir(tools)
        for name, script in (("paraview", "exit 0"), ("pvbatch", "echo long; echo stack >&2; kill -ABRT $$")):
            with open(os.path.join(tools, name), "w") as file:
                file.write("#!/bin/sh\n" + script + "\n")
            os.chmod(os.path.join(tools, name), 0o755)
        bare = {"PATH": tools}  # no DISPLAY
        done = self.scree("paraview", env=bare)
        self.assertEqual(done.returncode, 7)
        self.assertIn("no display", done.stderr)
        done = self.scree("paraview", "--picture", "p.png", env=bare)
        self.assertEqual(done.returncode, 7)
        self.assertIn("xvfb-run", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        with open(os.path.join(self.run_folder, "paraview.log")) as file:
            self.assertEqual(file.read(), "long\nstack\n")
        with open(os.path.join(tools, "pvbatch"), "w") as file:
            file.write("#!/bin/sh\necho \"ModuleNotFoundError: No module named 'paraview'\" >&2; exit 1\n")
        self.assertIn("python3-paraview", self.scree("paraview", "--picture", "p.png", env=bare).stderr)
        done = self.scree("paraview", env=dict(os.environ, PATH="/nowhere"))
        self.assertEqual(done.returncode, 7)
        self.assertIn("--script=", done.stderr)
        self.check_refusals("paraview")

    def png_size(self, path):
        with open(path, "rb") as file:
            head = file.read(24)
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        return struct.unpack(">II", head[16:24])

    def test_render_draws_one_picture(self):
        picture = os.path.join(self.folder, "p.png")
        done = self.scree("render", "-o", picture, "--size", "320x200", "--samples", "1", "--time", "0.1", "--color",
                          "kinetic_energy", "--view", "front", "--map", "magma")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("picture 1 / 1", done.stdout)
        self.assertEqual(self.png_size(picture), (320, 200))
        done = self.scree("render", "-o", picture, "--size", "64x64", "--samples", "1", "-q", "--chains")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        camera = ["--eye", "2", "-2", "1", "--target", "0", "0", "0", "--up", "0", "0", "1", "--range", "0", "1"]
        done = self.scree("render", "-o", picture, "--size", "64x64", "--samples", "1", "-q", "--no-walls", *camera)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.png_size(picture), (64, 64))

    def test_render_takes_walls_as_glass_or_metal(self):
        pictures = []
        for walls in ([], ["--glass", "pipe"], ["--opaque", "pipe"], ["--fit-to-run"], ["--color", "shape"], ["--no-labels"]):
            done = self.scree("render", "-o", "w.png", "--size", "96x64", "--samples", "1", "--overwrite", "-q", *walls)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), walls)
            with open(os.path.join(self.folder, "w.png"), "rb") as file:
                pictures.append(file.read())
        self.assertEqual(pictures[0], pictures[1])  # the pipe holds the bodies: glass by itself
        self.assertEqual(len(set(pictures[:3] + pictures[4:])), 4)

    def test_render_draws_frames_and_a_film(self):
        if not shutil.which("ffmpeg"):
            self.skipTest("SKIPPED: ffmpeg is not installed (Debian: ffmpeg)")
        done = self.scree("render", "--size", "161x91", "--samples", "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        pictures = os.path.join(self.run_folder, "pictures")
        self.assertEqual(sorted(os.listdir(pictures)), ["film.mp4"] + [f"frame_{k:06}.png" for k in range(5)])
        shown = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-of", "csv=p=0", "-show_entries",
                                "stream=codec_name,width,height,r_frame_rate,nb_read_frames",
                                os.path.join(pictures, "film.mp4")], capture_output=True, text=True)
        # Five frames at 0.05 s; sizes are rounded to even numbers.
        self.assertEqual(shown.stdout.strip(), "h264,162,92,20/1,5")
        film = os.path.join(self.folder, "slow.mp4")
        done = self.scree("render", "-o", film, "--size", "160x90", "--samples", "1", "--speed", "0.5", "--from", "0.05",
                          "--until", "0.15", "-q")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(os.path.getsize(film), 500)
        for name, codec, pictures in (("f.gif", "gif", 2), ("f.webm", "vp9", 2), ("one.mp4", "h264", 1)):
            times = ["--time", "0", "0.1"][:1 + pictures]
            done = self.scree("render", "-o", name, "--size", "64x64", "--samples", "1", *times)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout.endswith(name + "\n"), done.stdout)
            shown = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-of", "csv=p=0", "-show_entries",
                                    "stream=codec_name,nb_read_frames", name], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(shown.stdout.strip(), f"{codec},{pictures}")

    def test_render_reports_errors(self):
        for wrong, word in ((["--color", "taste"], "kinetic_energy"), (["--size", "big"], "1280x720"),
                            (["--map", "jet"], "viridis"), (["--glass", "pipes", "-o", "p.png"], "'pipe'"),
                            (["--opaque", "nothing", "-o", "p.png"], "all, floor, pipe"), (["--from", "7"], "0.2 s"),
                            (["-o", "p.png", "--time", "0", "0.1"], "folder")):
            done = self.scree("render", *wrong)
            self.assertEqual(done.returncode, 2, wrong)
            self.assertIn(word, done.stderr + done.stdout, wrong)
        self.assertEqual(self.scree("render", "-o", "/nowhere/p.png", "--samples", "1").returncode, 4)
        done = self.scree("render", "-o", "film.mp4", env=dict(os.environ, PATH="/nowhere"))
        self.assertEqual(done.returncode, 7)
        self.assertIn("ffmpeg", done.stderr)
        done = self.scree("render", "--size", "32x32", "--samples", "1", env=dict(os.environ, PATH="/nowhere"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("no film", done.stderr)
        self.check_refusals("render")

    def test_fields_are_images_with_times(self):
        done = self.scree("fields", "--every", "2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Lucy's kernel", done.stdout)
        folder = os.path.join(self.run_folder, "fields")
        entries = xml.parse(os.path.join(folder, "fields.pvd")).getroot().iter("DataSet")
        listed = [(round(float(entry.get("timestep")), 9), entry.get("file")) for entry in entries]
        self.assertEqual(listed, [(0.05 * k, f"fields_{k:06}.vti") for k in (0, 2, 4)])
        for _, name in listed:
            xml.parse(os.path.join(folder, name))

    def test_fields_report_errors(self):
        for wrong, word in ((["--cell", "0.2", "--width", "0.2"], "too coarse"), (["--cell", "1e-5"], "too fine"),
                            (["--cell", "1e-5", "--width", "6e-4"], "larger cells"),
                            (["--low", "0", "0", "0"], "--high")):
            done = self.scree("fields", *wrong)
            self.assertEqual(done.returncode, 2, wrong)
            self.assertIn(word, done.stderr + done.stdout, wrong)
        self.check_refusals("fields")

    def test_report_is_one_page(self):
        done = self.scree("report")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = os.path.join(self.run_folder, "report.html")
        self.assertIn(page, done.stdout)
        whole = os.path.getsize(page)
        # Also for a run that goes on, without a summary and with an incomplete last row.
        os.remove(os.path.join(self.run_folder, "summary.json"))
        with open(os.path.join(self.run_folder, "steps.csv"), "r+") as table:
            table.truncate(os.path.getsize(table.name) - 100)
        done = self.scree("report", "-o", "other.html", "-q", "--view-size", "0.002")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertLess(os.path.getsize(os.path.join(self.folder, "other.html")), whole)
        # Two runs side by side: the file contains both pages, once each.
        done = self.scree("report", "-o", "both.html", "-q", "--view-size", "0.002", "--beside", self.made)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(os.path.join(self.folder, "both.html"), encoding="utf-8") as file:
            self.assertEqual(file.read().count("<iframe "), 2)
        self.assertEqual(self.scree("report", "-o", "/nowhere/r.html").returncode, 4)
        self.check_refusals("report")

    def exported(self, *arguments):
        path = os.path.join(self.folder, "exported")
        done = self.scree("export", "-o", path, "-q", "--overwrite", *arguments)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(path) as file:
            return file.read().splitlines()

    def test_export_extended_xyz(self):
        lines = self.exported("--to", "xyz", "--every", "2")
        self.assertEqual(len(lines), 3 * (30 + 2))
        for frame in range(3):
            self.assertEqual(lines[32 * frame], "30")
            comment = lines[32 * frame + 1]
            self.assertAlmostEqual(float(re.search(r"Time=(\S+)", comment).group(1)), 0.1 * frame)
            columns = re.search(r"Properties=(\S+)", comment).group(1).split(":")
            width = sum(int(n) for n in columns[2::3])
            self.assertEqual(columns[0::3], ["species", "id", "pos", "orientation", "aspherical_shape", "velo",
                                             "angular_velocity"])
            for k, row in enumerate(lines[32 * frame + 2:32 * frame + 32]):
                cells = row.split()
                self.assertEqual((len(cells), cells[0], int(cells[1])), (width, "stone", k))
                x, y, z, w = map(float, cells[5:9])
                self.assertAlmostEqual(x * x + y * y + z * z + w * w, 1.0, places=6)
                self.assertEqual(list(map(float, cells[9:12])), [0.05, 0.04, 0.03])

    def test_export_lammps_dump(self):
        lines = self.exported("--to", "lammps", "--time", "0", "0.2")
        self.assertEqual(len(lines), 2 * (30 + 9))
        self.assertEqual(lines[:6:2], ["ITEM: TIMESTEP", "ITEM: NUMBER OF ATOMS", "ITEM: BOX BOUNDS ff ff ff"])
        self.assertEqual((lines[1], lines[3], lines[40]), ("0", "30", "100"))
        names = lines[8].split()[2:]
        low_high = [tuple(map(float, line.split())) for line in lines[5:8]]
        for k, row in enumerate(lines[9:39]):
            atom = dict(zip(names, map(float, row.split())))
            self.assertEqual((len(row.split()), atom["id"], atom["type"]), (len(names), k + 1, 1))
            self.assertEqual([atom["shapex"], atom["shapey"], atom["shapez"]], [0.1, 0.08, 0.06])  # diameters
            self.assertAlmostEqual(sum(atom["quat" + c] ** 2 for c in "wijk"), 1.0, places=6)
            self.assertTrue(all(low < atom[axis] < high for axis, (low, high) in zip("xyz", low_high)))
        self.assertEqual(lines[5:8], lines[44:47])  # one box for all frames

    def test_export_csv_starts_another_run(self):
        lines = self.exported("--to", "csv")
        self.assertEqual(len(lines), 1 + 5 * 30)
        lines = self.exported("--to", "csv", "--time", "0.2")
        self.assertEqual(len(lines), 31)
        with open(os.path.join(self.folder, "bodies.csv"), "w") as table:
            table.write("\n".join(lines) + "\n")
        scene = os.path.join(self.folder, "again.toml")
        with open(scene, "w") as file:
            file.write('time_step = 0.002\nend_time = 0.002\n[[materials]]\nname = "stone"\ndensity = 2500\n[[bodies]]\n'
                       'table = "bodies.csv"\n[[boundaries]]\nname = "floor"\ntype = "plane"\n')
        again = os.path.join(self.folder, "again")
        done = subprocess.run([PROGRAM, "run", scene, "-q", "-o", again], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        first = subprocess.run([PROGRAM, "export", again, "--to", "csv", "--time", "0", "-q"], capture_output=True, text=True)
        self.assertEqual(first.returncode, 0, first.stderr)
        with open(os.path.join(again, "bodies.csv")) as file:
            rows = file.read().splitlines()
        # Positions, velocities and sizes are the same text; quaternions are normalised anew.
        for old, new in zip(lines[1:], rows[1:]):
            old, new = old.split(","), new.split(",")
            self.assertEqual(old[3:6] + old[10:], new[3:6] + new[10:])

    def test_export_vtk_and_its_errors(self):
        done = self.scree("export", "--to", "vtk", "--time", "0.1", "-o", "v")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, "v"))), ["bodies.pvd", "contacts.pvd", "vtk", "walls.vtp"])
        done = self.scree("export", "--to", "vtk", "-o", "v")
        self.assertEqual(done.returncode, 4)
        self.assertIn("already exists", done.stderr)
        self.assertEqual(self.scree("export", "--to", "xyz", "-o", "/nowhere/f").returncode, 4)
        for wrong in ([], ["--to", "pdf"], ["--to", "csv", "--from", "9"]):
            self.assertEqual(self.scree("export", *wrong).returncode, 2, wrong)
        os.remove(os.path.join(self.run_folder, "trajectory.h5"))
        self.assertEqual(self.scree("export", "--to", "csv").returncode, 6)

    def test_walls_are_drawn_in_the_colours_of_their_loads(self):
        self.assertIn("no output.wall_cells", self.scree("render", "--color", "wear", "-o", "w.png").stderr)
        worn = os.path.join(self.folder, "worn")
        scene = os.path.join(self.folder, "worn.toml")
        with open(scene, "w") as file:
            file.write(SCENE.replace('density = 2500', 'density = 2500\nwear_coefficient = 1e-4\nhardness = 1e9')
                            .replace("[output]", "[output]\nwall_cells = 0.1"))
        done = self.scree("run", "-q", "-o", worn, "--until", "0.4", scene=scene)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        pictures = []
        for colour in ("wear", "impacts", "speed"):
            done = self.scree("render", "--color", colour, "-o", colour + ".png", "--size", "160x120", "--samples", "1", scene=worn)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(os.path.join(self.folder, colour + ".png"), "rb") as file:
                pictures.append(file.read())
        self.assertEqual(len(set(pictures)), 3)
        cut = self.scree("render", "--color", "wear", "-o", "cut.png", "--size", "160x120", "--samples", "1", "--cut", "0", "0", "0", "0", "-1", "0",
                         scene=worn)
        self.assertEqual((cut.returncode, cut.stderr), (0, ""))
        with open(os.path.join(self.folder, "cut.png"), "rb") as file:
            self.assertNotIn(file.read(), pictures)
        self.assertEqual(self.scree("render", "--cut", "0", "0", "0", "0", "0", "0", "-o", "x.png", scene=worn).returncode, 2)
        done = self.scree("paraview", "--color", "wear", "--script-only", scene=worn)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(worn, "view.py")) as file:
            script = file.read()
        self.assertIn('COLOUR = "wear"', script)
        self.assertIn('"largest_pressure"', script)

    def test_meshes_are_looked_at_and_mended(self):
        """A box of 2 x 1 x 1 with a hole, in its file's millimetres."""
        corners = [(x, y, z) for z in (0, 1000) for y in (0, 1000) for x in (0, 2000)]
        faces = [(1, 3, 4, 2), (5, 6, 8, 7), (1, 2, 6, 5), (3, 7, 8, 4), (1, 5, 7, 3), (2, 4, 8, 6)]
        box = os.path.join(self.folder, "box.obj")
        with open(box, "w") as file:
            file.writelines("v %g %g %g\n" % corner for corner in corners)
            file.writelines("f %d %d %d %d\n" % face for face in faces[1:])
        done = self.scree("mesh", scene=box)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("10, 8 points, 1 piece", "2000 x 1000 x 1000 m", "closed        no", "1 rim, with 4 edges", "millimetre", "--repair"):
            self.assertIn(words, done.stdout)
        done = self.scree("mesh", "--scale", "0.001", "--repair", "--holes", "3", "--to", "mended.stl", "--picture", "mesh.png", scene=box)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("No defects: the mesh can be used as a wall and as a body.", done.stdout)
        self.assertTrue(os.path.getsize(os.path.join(self.folder, "mesh.png")) > 1000)
        done = self.scree("mesh", scene=os.path.join(self.folder, "mended.stl"))
        self.assertIn("12, 8 points, 1 piece", done.stdout)
        done = self.scree("mesh", "--to", "mended.stl", scene=box)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(self.scree("mesh", "--to", "mended.step", scene=box).returncode, 2)
        self.assertEqual(self.scree("mesh", scene="no.stl").returncode, 6)

    def test_without_vtk_a_run_goes_on_and_says_how_to_get_the_rest(self):
        """A file that is no library takes the place of VTK's library."""
        with open(os.path.join(self.folder, "libscree_vtk.so"), "w") as file:
            file.write("nothing")
        with open(os.path.join(self.folder, "tumble.toml"), "w") as file:
            file.write(SCENE)
        without = os.environ | {"LD_LIBRARY_PATH": self.folder}
        run = lambda *arguments: subprocess.run([PROGRAM, *arguments], cwd=self.folder, env=without, capture_output=True, text=True,
                                                check=False)
        done = run("run", "tumble.toml", "-o", "plain", "--until", "0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no files for ParaView are written", done.stderr)
        self.assertIn("`scree export plain --to vtk` can write them later", done.stderr)
        self.assertNotIn("view.py", done.stdout)
        made = os.listdir(os.path.join(self.folder, "plain"))
        self.assertIn("trajectory.h5", made)
        self.assertEqual([name for name in made if name in ("vtk", "bodies.pvd", "walls.vtp", "view.py")], [])
        for command in (("export", "plain", "--to", "vtk"), ("fields", "plain"), ("paraview", "plain", "--script-only")):
            done = run(*command)
            self.assertEqual(done.returncode, 11, (command, done.stderr))
            self.assertIn("the VTK library cannot be loaded", done.stderr)
        done = run("verify", "plain")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        # A run that began without the series continues without it, also if VTK is now installed: the series would have
        # a gap.
        done = subprocess.run([PROGRAM, "run", "--resume", "plain", "--until", "0.2"], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "plain", "bodies.pvd")))
        done = subprocess.run([PROGRAM, "export", "plain", "--to", "vtk", "-q"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(xml.parse(os.path.join(self.folder, "plain", "vtk_export", "bodies.pvd")).findall(".//DataSet")), 5)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
