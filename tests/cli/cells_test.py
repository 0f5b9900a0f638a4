"""Scenes in periodic cells, and a point between walls, from the scene to the files: cells_test.py <scree> <source dir> [Cells.test_name ...]"""
import base64
import csv
import math
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

PROGRAM = os.path.abspath(sys.argv[1])
SOURCE = os.path.abspath(sys.argv[2])


def unpacked(data):
    """LZ4's block format: literals, then a copy of earlier data, and again."""
    out, at = bytearray(), 0

    def length(nibble):
        nonlocal at
        total, more = nibble, 255 if nibble == 15 else 0
        while more == 255:
            more = data[at]
            at += 1
            total += more
        return total

    while at < len(data):
        token = data[at]
        at += 1
        literals = length(token >> 4)
        out += data[at:at + literals]
        at += literals
        if at >= len(data):
            break
        back = data[at] | data[at + 1] << 8
        at += 2
        for _ in range(4 + length(token & 15)):
            out.append(out[-back])
    return bytes(out)


def array(element):
    """The numbers of a DataArray (docs/paraview.md): base64 of a header, then of its blocks."""
    text = "".join(element.text.split())
    count = struct.unpack("<Q", base64.b64decode(text[:12])[:8])[0]
    header = 4 * math.ceil(8 * (3 + count) / 3)
    sizes = struct.unpack(f"<{3 + count}Q", base64.b64decode(text[:header]))[3:]
    packed, at, out = base64.b64decode(text[header:]), 0, b""
    for size in sizes:
        out += unpacked(packed[at:at + size])
        at += size
    return struct.unpack(f"<{len(out) // 4}f", out)


class Cells(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def scree(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, cwd=self.folder, timeout=110, text=True)
        self.assertEqual(done.returncode, 0, (arguments, done.stdout, done.stderr))
        return done.stdout

    def run_scene(self, name, *arguments):
        """A scene of the tests, or a shipped scene."""
        shipped = os.path.join(SOURCE, "scenes", name)
        scene = shipped if os.path.exists(shipped) else os.path.join(SOURCE, "tests", "data", "cells", name)
        return self.scree("run", scene, "-o", "out", *arguments)

    def table(self, name):
        with open(os.path.join(self.folder, "out", name)) as file:
            return list(csv.DictReader(file))

    def fields(self, *arguments):
        """[frame] the arrays of cells, and the number of cells."""
        self.scree("fields", "out", "-q", *arguments)
        folder = os.path.join(self.folder, "out", "fields")
        frames = []
        for entry in xml.parse(os.path.join(folder, "fields.pvd")).getroot().iter("DataSet"):
            root = xml.parse(os.path.join(folder, entry.get("file"))).getroot()
            arrays = {a.get("Name"): array(a) for a in root.find(".//CellData").iter("DataArray")}
            frames.append((entry.get("file"), arrays, len(arrays["density"])))
        return frames

    def check_fields(self, frames, row):
        """Mass and stress of the last frame equal those of the cell. Frames are in single precision, and bodies have
        moved for half a step since their contacts acted."""
        file, arrays, cells = frames[-1]
        volume = float(row["volume_m3"])
        mass = int(self.table("steps.csv")[-1]["bodies"]) * self.grain
        self.assertAlmostEqual(sum(arrays["density"]) / cells * volume / mass, 1.0, delta=1e-5)
        names = [f"stress_{i}{j}_Pa" for i in "xyz" for j in "xyz"]
        size = max(abs(float(row[name])) for name in names)
        for k, name in enumerate(names):
            mean = sum(arrays["contact_stress"][k::9]) / cells
            self.assertLess(abs(mean - float(row[name])), self.tolerance * size, (name, mean, row[name]))
        return file

    def test_fields_of_a_row_across_the_seam(self):
        """Three balls, two contacts inside the cell and one across its seam: each carries 1000 Pa times the section."""
        self.run_scene("row_at_a_stress.toml", "-q")
        self.grain, self.tolerance = 2500 * 4 / 3 * math.pi * 0.005**3, 1e-4
        frames = self.fields()
        self.assertEqual(self.check_fields(frames, self.table("cell.csv")[-1])[-4:], ".vti")
        _, arrays, cells = frames[-1]
        self.assertAlmostEqual(sum(arrays["contact_stress"][4::9]) / cells, 1000.0, delta=0.1)

    def exported(self, format, time):
        """The lines of a frame."""
        self.scree("export", "out", "--to", format, "--time", time, "-o", "exported", "-q", "--overwrite")
        with open(os.path.join(self.folder, "exported")) as file:
            return file.read().splitlines()

    def test_exports_state_the_periodic_directions(self):
        """An upright and a sheared cell in the formats of OVITO and LAMMPS."""
        self.run_scene("row_at_a_stress.toml", "-q", "--set", "cell.periodic=[\"x\", \"y\"]")
        self.assertRegex(self.exported("xyz", "0.2")[1], r'Lattice="0.03 0(\.0)? 0(\.0)? .*" Origin=".*" pbc="T T F"')
        self.assertEqual(self.exported("lammps", "0.2")[4:6], ["ITEM: BOX BOUNDS pp pp ff", "0 0.03"])
        self.scree("run", os.path.join(SOURCE, "scenes", "cells", "shear_cell.toml"), "-o", "out", "-q", "--overwrite",
                   "--until", "0.32", "--set", "bodies[0].count=20")
        lines = self.exported("lammps", "0.32")
        self.assertEqual(lines[4], "ITEM: BOX BOUNDS xy xz yz pp pp pp")
        (x_low, x_high, xy), (y_low, y_high, xz), (z_low, z_high, yz) = (map(float, line.split()) for line in lines[5:8])
        self.assertEqual((xz, yz), (0, 0))
        side, strain = z_high - z_low, 20 * 0.02
        self.assertAlmostEqual(xy / (y_high - y_low), strain, delta=1e-6)
        self.assertAlmostEqual(x_high - x_low, side * (1 + strain), delta=1e-6)  # bounds are those of its bounding box
        for row in lines[9:]:
            x, y = (float(number) for number in row.split()[2:4])
            along = (x - x_low - (y - y_low) * strain) / side
            self.assertTrue(-1e-6 < along < 1 + 1e-6, row)

    def test_fields_of_a_sheared_cell(self):
        """Cells of the grid move with the cell; the row of cell.csv belongs to the frame. In steps of 0.5 ms at 20 /s
        bodies move by a two-hundredth of their distance before the frame."""
        self.run_scene("cells/shear_cell.toml", "-q", "--until", "0.45", "--set", "bodies[0].count=200", "--set",
                       "cell.high=[0.158,0.158,0.158]", "--set", "bodies[0].region.high=[0.158,0.158,0.158]")
        self.grain, self.tolerance = 2500 * 4 / 3 * math.pi * 0.012 * 0.010 * 0.008, 0.02
        self.assertEqual(self.check_fields(self.fields(), self.table("cell.csv")[-1])[-4:], ".vts")

    def test_a_flow_begins_under_a_stress(self):
        self.run_scene("flow_under_a_stress.toml", "-q")
        rows = self.table("cell.csv")
        start = [row for row in rows if abs(float(row["time_s"]) - 0.01) < 1e-9]
        self.assertLess(abs(float(start[0]["strain_xy"])), 1e-12)
        self.assertAlmostEqual(float(rows[-1]["strain_xy"]), 30 * 0.002, delta=1e-3)  # half a step is 7.5e-3
        # The pair overlaps by 2.2 % from the start; the flow does not increase it.
        steps = self.table("steps.csv")
        self.assertLess(max(float(s["penetration_max"]) for s in steps if float(s["time_s"]) > 0.0095), 0.01)

    def test_a_periodic_box_is_filled(self):
        self.run_scene("inlet.toml", "-q")
        steps, openings = self.table("steps.csv"), self.table("openings.csv")
        self.assertLess(max(float(s["penetration_max"]) for s in steps), 1e-9)
        self.assertGreater(int(steps[-1]["bodies"]), 350)

    def test_a_channel_is_poured_into(self):
        """Inflow and outflow are equal in the end; the verdict states that the balances close."""
        said = self.run_scene("cells/periodic_channel.toml", "--until", "1.0")
        self.assertIn("verdict: green", said)
        passed = {row["opening"]: int(row["bodies"]) for row in self.table("openings.csv")}
        came, left = passed["pour"], passed["slot"]
        self.assertGreater(left, 50)
        self.assertEqual(came - left, int(self.table("steps.csv")[-1]["bodies"]))

    def test_regions_of_events_see_images(self):
        """A ball moves round in a cell of 1 m at 10 m/s: it enters a region of the cell ten times in 1 s."""
        with open(os.path.join(self.folder, "ring.toml"), "w") as file:
            file.write("""
gravity = [0, 0, 0]
time_step = 0.001
end_time = 1.0
materials = [{ name = "grain", density = 2500 }]
bodies = [{ radius = 0.1, position = [0.0505, 0.5, 0.5], velocity = [10, 0, 0] }]
cell = { low = [0, 0, 0], high = [1, 1, 1] }
[[events]]
name = "passes"
quantity = "bodies_in_region"
region = { type = "box", low = [0.4, 0, 0], high = [0.6, 1, 1] }
rises_above = 0.5
repeats = true
record = true
""")
        self.scree("run", "ring.toml", "-o", "out", "-q")
        times = [float(row["time_s"]) for row in self.table("events.csv")]
        self.assertEqual([round(t, 6) for t in times], [round(0.035 + 0.1 * k, 6) for k in range(10)])

    def test_a_point_in_a_rectangle(self):
        """Across a wall 0.9 of the velocity returns, along it all remains: so x and z are independent of each other."""
        self.run_scene("piecewise/rectangle.toml", "-q")
        k, g, speed = 0.9, 9.807, 10 * math.sqrt(0.5)
        expected, t, v = [], 0.0, speed
        for n in range(20):
            t += (5.0 if n == 0 else 7.0) / v
            expected.append((t, "left" if n % 2 else "right"))
            v *= k
        t = (speed - math.sqrt(speed**2 - 4 * g)) / g  # to the ceiling
        expected.append((t, "ceiling"))
        v = k * (speed - g * t)  # downwards
        fall = (math.sqrt(v**2 + 8 * g) - v) / g
        t, v = t + fall, k * (v + g * fall)
        while True:  # from the floor, upwards
            expected.append((t, "floor"))
            if v**2 / (2 * g) < 0.01 + 0.1**2 / (2 * g):
                low = (t + (v - 0.1) / g, "last bounce")  # slower than 0.1 m/s, and lower than 0.01 m
                break
            t, v = t + 2 * v / g, k * v
        expected = sorted(e for e in expected if e[0] < low[0]) + [low]
        rows = self.table("events.csv")
        self.assertEqual([row["event"] for row in rows], [name for _, name in expected])
        self.assertEqual(len(rows), 41)
        for row, (instant, name) in zip(rows, expected):
            self.assertAlmostEqual(float(row["instant_s"]), instant, delta=1e-12, msg=name)  # 1e-14 when this was written


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
