"""scree shape: shape_test.py <scree> <source folder> [Shape.test_name ...]"""
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
SHAPES = SOURCE / "scenes" / "shapes"


def scree_shape(*arguments):
    return subprocess.run([PROGRAM, "shape", *map(str, arguments)], capture_output=True, text=True, timeout=100)


def stl_triangles(path):
    """[triangle][corner][axis] of a binary STL."""
    data = path.read_bytes()
    (count,) = struct.unpack_from("<I", data, 80)
    assert len(data) == 84 + 50 * count, path
    return [[struct.unpack_from("<3f", data, 84 + 50 * k + 12 * (c + 1)) for c in range(3)] for k in range(count)]


def volume(triangles):
    return sum(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
               for a, b, c in triangles) / 6


class Shape(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def told(self, *arguments):
        done = scree_shape(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def write(self, text):
        path = self.folder / "mine.toml"
        path.write_text(text, encoding="utf-8")
        return path

    def fails(self, text, *words):
        done = scree_shape(self.write(text))
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        for word in words:
            self.assertIn(word, done.stderr)

    def test_prints_mass_form_and_cost(self):
        text = self.told(SHAPES / "dumbbell.toml")
        for word in ("no errors", "volume", "centre", "moments", "elongation 0.428", "convexity 0.829", "patches", "times"):
            self.assertIn(word, text)
        at_scale = json.loads(self.told(SHAPES / "dumbbell.toml", "--size", "0.01", "--json"))
        self.assertAlmostEqual(at_scale["volume_m3"], 0.747699e-6, delta=1e-11)
        self.assertLess(at_scale["mass_error"], 1e-6)
        self.assertGreater(at_scale["contact"]["searched_us"], at_scale["contact"]["remembered_us"])
        self.assertGreaterEqual(at_scale["contact"]["contacts_a_pair"], 1)
        self.assertEqual(at_scale["warnings"], [])

    def test_mesh_is_closed_and_holds_the_volume(self):
        mesh = self.folder / "pebble.stl"
        told = json.loads(self.told(SHAPES / "pebble.toml", "--size", "0.02", "--mesh", mesh, "--json"))
        triangles = stl_triangles(mesh)
        edges = {(t[k], t[(k + 1) % 3]) for t in triangles for k in range(3)}
        self.assertEqual(len(edges), 3 * len(triangles))  # every edge once per direction
        self.assertTrue(all((b, a) in edges for a, b in edges))
        # Chords of a surface with 24 divisions per edge of the icosahedron: an error of at most 0.3 %.
        self.assertAlmostEqual(volume(triangles) / told["volume_m3"], 1, delta=3e-3)
        self.told(SHAPES / "pebble.toml", "--mesh", self.folder / "coarse.obj", "--fineness", "2")
        lines = (self.folder / "coarse.obj").read_text(encoding="utf-8").split("\n")
        self.assertEqual(sum(line.startswith("v ") for line in lines), 42)
        self.assertEqual(sum(line.startswith("f ") for line in lines), 80)

    def test_picture(self):
        self.told(SHAPES / "rice.toml", "--picture", self.folder / "rice.png")
        self.assertEqual((self.folder / "rice.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_fits_a_mesh(self):
        """The mesh of a shape, as binary STL and as text with other units, gives the same shape again."""
        mesh, fitted = self.folder / "scan.stl", self.folder / "fitted.toml"
        first = json.loads(self.told(SHAPES / "dumbbell.toml", "--mesh", mesh, "--json"))
        text = self.told("--fit", mesh, "-k", "3", "-o", fitted, "--picture", self.folder / "both.png")
        for word in ("11520 triangles", "3 perturbations", "mean", "largest", "volume", "fitted.toml"):
            self.assertIn(word, text)
        again = json.loads(self.told(fitted, "--json"))
        self.assertAlmostEqual(again["volume_m3"] / first["volume_m3"], 1, delta=0.01)
        for index in ("elongation", "flatness", "sphericity", "convexity"):
            self.assertAlmostEqual(again[index], first[index], delta=0.01)
        width, height = struct.unpack(">II", (self.folder / "both.png").read_bytes()[16:24])
        self.told(SHAPES / "dumbbell.toml", "--picture", self.folder / "one.png")
        self.assertEqual((width, height % 2), (720, 0))
        one_height = struct.unpack(">I", (self.folder / "one.png").read_bytes()[20:24])[0]
        self.assertAlmostEqual(height / one_height, 2, delta=0.05)

        self.told(SHAPES / "rice.toml", "--mesh", mesh, "--overwrite")
        with open(self.folder / "text.STL", "w", encoding="utf-8") as file:
            file.write("solid rice\n")
            for triangle in stl_triangles(mesh):
                corners = "".join(f"vertex {25.4 * x:.7e} {25.4 * y:.7e} {25.4 * z:.7e}\n" for x, y, z in triangle)
                file.write(f"facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet\n")
            file.write("endsolid rice\n")
        self.told("--fit", self.folder / "text.STL", "-k", "0", "-o", fitted, "--overwrite")
        rice = json.loads(self.told(fitted, "--json", "--size", str(1 / 25.4)))
        self.assertAlmostEqual(rice["volume_m3"] / json.loads(self.told(SHAPES / "rice.toml", "--json"))["volume_m3"], 1, delta=0.02)

    def test_reads_ply_of_every_kind(self):
        corners = [(x, y, z) for x in (0, 2) for y in (0, 3) for z in (0, 4)]
        faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        header = ("ply\nformat {} 1.0\ncomment a box\nelement vertex 8\nproperty double x\nproperty uchar red\nproperty float y\n"
                  "property short z\nelement face 6\nproperty list uchar int vertex_indices\nend_header\n")
        text = "".join(f"{x} 7 {y} {z}\n" for x, y, z in corners) + "".join("4 %d %d %d %d\n" % face for face in faces)
        files = {"ascii": text.encode()}
        for name, order in (("binary_little_endian", "<"), ("binary_big_endian", ">")):
            files[name] = b"".join(struct.pack(order + "dBfh", x, 7, y, z) for x, y, z in corners)
            files[name] += b"".join(struct.pack(order + "B4i", 4, *face) for face in faces)
        for name, content in files.items():
            path = self.folder / (name + ".ply")
            path.write_bytes(header.format(name).encode() + content)
            text = self.told("--fit", path, "-k", "0", "-o", self.folder / "box.toml", "--overwrite")
            self.assertIn("12 triangles, volume 24,", text)

    def test_fit_reports_errors(self):
        def refused(name, content, status, word):
            path = self.folder / name
            path.write_bytes(content)
            done = scree_shape("--fit", path, "-o", self.folder / "out.toml")
            self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
            self.assertIn(word, done.stderr)
            self.assertFalse((self.folder / "out.toml").exists())

        corners = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
        refused("open.obj", corners + b"f 1 3 2\nf 1 2 4\nf 1 4 3\n", 3, "not closed: 3 edges")
        refused("far.obj", corners + b"f 1 3 5\n", 6, "line 5: there is no vertex 5")
        refused("empty.obj", b"", 3, "no triangles")
        refused("cut.stl", b"\0" * 80 + struct.pack("<I", 7) + b"\0" * 100, 6, "its end is missing")
        refused("odd.stl", b"solid x\nvertex 1 2\n", 6, "three numbers")
        refused("mesh.vrml", b"", 6, "allowed .stl, .obj, .ply")
        refused("no.ply", b"solid\n", 6, "does not begin with ply")
        refused("cut.ply", b"ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nend_header\n1\n", 6, "ends within vertex 2 of 2")
        refused("nan.stl", b"\0" * 80 + struct.pack("<I12fH", 1, *[float("nan")] * 12, 0), 6, "not finite")
        self.assertEqual(scree_shape("--fit", self.folder / "none.stl").returncode, 6)
        done = scree_shape()
        self.assertEqual(done.returncode, 2)
        self.assertIn("give SHAPE.toml, or --fit", done.stderr)

    def test_needles_and_flakes(self):
        """Their meshes and hulls are those of a stretched sphere: volumes to the error of the mesh's chords."""
        for axes in ([1, 1, 100], [1e-2, 1, 1], [1e-6, 1, 1], [1, 1, 1e6], [1e-3, 1, 1e3]):
            mesh = self.folder / "mesh.stl"
            done = scree_shape(self.write(f"semi_axes = {axes}"), "--json", "--mesh", mesh, "--overwrite")
            self.assertEqual(done.returncode, 0, done.stderr)
            told = json.loads(done.stdout)
            self.assertAlmostEqual(told["convexity"], 1, delta=2e-3)
            self.assertAlmostEqual(told["widths_m"][0] / (2 * max(axes)), 1, delta=2e-3)
            self.assertAlmostEqual(volume(stl_triangles(mesh)) / told["volume_m3"], 1, delta=5e-3)

    def test_numbers_out_of_range(self):
        for size in ("5e-324", "1e-300", "1e-100", "1e-40", "1e40", "1e100", "1e200", "1e300", "1.7e308", "inf", "nan"):
            for axes in (f"[{size}, {size}, {size}]", f"[{size}, 1, 1]", f"[1, 1, {size}]"):
                done = scree_shape(self.write(f"semi_axes = {axes}"))
                self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
                self.assertIn("mine.toml:1:", done.stderr)

    def test_bodies_out_of_range(self):
        """For all shapes as for spheres: extreme numbers end the run with a message, or the run succeeds."""
        def ends(lines, *statuses):
            scene = self.folder / "scene.toml"
            scene.write_text(f"""name = "a"\ntime_step = 1e-3\nend_time = 2e-3\n[[materials]]\nname = "m"\ndensity = 2500
[[shapes]]\nname = "s"\nfile = "{SHAPES / 'rod.toml'}"\n[[boundaries]]\ntype = "plane"\n[[bodies]]\n{lines}\n""", encoding="utf-8")
            done = subprocess.run([PROGRAM, "run", scene, "-q", "--overwrite", "-o", self.folder / "run"], capture_output=True,
                                  text=True, timeout=100)
            self.assertIn(done.returncode, statuses, done.stderr)
            self.assertTrue(done.returncode == 0 or "error: " in done.stderr)
        for size in ("5e-324", "1e-300", "1e-103", "1e-66", "1e65", "1e103", "1e300", "1.7e308"):
            ends(f'shape = "s"\nsize = {size}\nposition = [0, 0, {"1" if "-" in size else size}]', 3, 5)
            ends(f"radius = {size}\nposition = [0, 0, {'1' if '-' in size else size}]", 0, 3, 5)
        for speed in ("1e100", "1e200", "1e300"):
            ends(f'shape = "s"\nsize = 0.1\nposition = [0, 0, 1]\nangular_velocity = [{speed}, 0, {speed}]', 5)
            ends(f'shape = "s"\nsize = 0.1\nposition = [0, 0, {speed}]\nvelocity = [{speed}, 0, 0]', 0, 5)
        ends("semi_axes = [1e-14, 1e-14, 0.2]\nposition = [0, 0, 1]", 3)

    def test_fit_is_no_worse_than_the_ellipsoid_of_the_moments(self):
        """A torus of radii 3 and 1 about its axis: with -k 0 the root mean square was 0.566; the ellipsoid had 0.36."""
        mesh, around, across = self.folder / "torus.obj", 24, 12
        with open(mesh, "w", encoding="utf-8") as file:
            for i in range(around):
                for j in range(across):
                    u, v = 2 * math.pi * i / around, 2 * math.pi * j / across
                    r = 3 + math.cos(v)
                    file.write(f"v {r * math.cos(u)} {r * math.sin(u)} {math.sin(v)}\n")
            for i in range(around):
                for j in range(across):
                    corner = lambda a, b: 1 + (i + a) % around * across + (j + b) % across
                    file.write(f"f {corner(0, 0)} {corner(1, 0)} {corner(1, 1)} {corner(0, 1)}\n")
        text = self.told("--fit", mesh, "-k", "0", "-o", self.folder / "torus.toml")
        distance = float(re.search(r"root mean square ([\d.]+)", text).group(1))
        self.assertLess(distance, 0.36)
        for word in ("8 x 8 x 2 in units of the file; if these are millimetres", "it does not fit the mesh", "`-k 6`", "a clump"):
            self.assertIn(word, text)
        self.told(SHAPES / "rice.toml", "--size", "0.01", "--mesh", self.folder / "rice.stl")
        text = self.told("--fit", self.folder / "rice.stl", "-k", "0", "-o", self.folder / "rice.toml")
        self.assertIn("it fits the mesh", text)
        self.assertIn("if these are metres, use size = 1 for bodies", text)

    def test_reports_errors(self):
        self.fails("", "mine.toml", "semi_axes", "is missing")
        self.fails('file = "other.toml"', "cannot be used in a shape file")
        self.fails("semi_axes = [1, 1, 0]", "not bounded")
        self.fails('semi_axis = [1, 1, 1]', "did you mean 'semi_axes'?")
        done = scree_shape(SHAPES / "nothing.toml")
        self.assertEqual(done.returncode, 3)
        self.assertIn("cannot be opened", done.stderr)
        done = scree_shape(SHAPES / "rice.toml", "--mesh", "rice.vrml")
        self.assertEqual(done.returncode, 2)
        self.assertIn(".stl, .obj", done.stderr)
        done = scree_shape(SHAPES / "rice.toml", "--mesh", self.folder / "no" / "rice.stl")
        self.assertEqual(done.returncode, 4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
