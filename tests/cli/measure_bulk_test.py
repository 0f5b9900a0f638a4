"""Packing, stress and profiles, against the oracle:
measure_bulk_test.py <scree> <source dir> [Measure.test_name ...]"""
import math
import sys
import unittest

from measure_oracle import (
    Checks, ball, bulk_columns, expected_bulk, frames_of, inside, order, piece, sampled, volumes_in_box)
from measure_scenes import BED, CELL, HEAD, box, made, one, table, write

import numpy as np


class Measure(Checks):
    # Packing and stress.

    def test_bulk_of_a_box(self):
        """Every column of every frame, balls and ellipsoids in motion, by the formulas of the page."""
        run = made("bed", BED)
        low, high = [-0.15, -0.17, 0.0], [0.16, 0.14, 0.1]
        got, _ = one(run, f'measure = "bulk"\nrattlers_below = 2\nalong = [1, 1, 0]\nup = [0, 1, 2]\n'
                          f'region = {{ type = "box", low = {low}, high = {high} }}')
        during = table(run, "measured_packing.csv")
        names = ("stress_", "normal_", "velocity_", "centre_")
        for k, frame in enumerate(frames_of(run)[1:]):
            expected = expected_bulk(frame, low, high, 2, (1, 1, 0), (0, 1, 2))
            solid = expected.pop("solid_fraction")
            if expected["pressure_Pa"] < 1e-9:  # for bodies that fall side by side: only rounding
                some = ("bodies", "mass_kg", "contact_number", "share_of_rattlers")
                expected = {name: expected[name] for name in some}
            self.columns(got, k, expected, 1e-7, names)
            self.near(got["solid_fraction"][k], solid, 1e-3)  # from points where two caps of one body meet
            usual = expected_bulk(frame, low, high)
            del usual["solid_fraction"]
            if usual["pressure_Pa"] > 1e-9:  # single precision of positions and velocities, in sums that cancel
                self.columns(during, k, usual, 1e-5, names + ("temperature",))
        got, _ = one(run, 'measure = "bulk"\n' + box(low, high))
        for column in ("bodies", "mass_kg", "solid_fraction", "share_of_rattlers", "contact_number"):
            self.near(during[column], got[column], 1e-6, 0, column)

    def test_solid_fraction_of_balls_is_exact(self):
        """A whole ball, one with its middle in the box and one without, one between two faces, and one at an edge."""
        places = {(0, 0, 0): 0.05, (0.19, 0, 0): 0.04, (0.215, 0.1, 0): 0.03, (0, 0.185, 0.17): 0.04, (0.3, 0, 0): 0.05}
        scene = HEAD.format(step=0.001, end=0.001, gravity=[0, 0, 0], interval=0.001) + "".join(
            f'[[bodies]]\nradius = {r}\nmaterial = "steel"\nposition = {list(p)}\n' for p, r in places.items())
        run = made("balls", scene)

        def cap(r, h):
            return math.pi * h**2 * (3 * r - h) / 3

        ball = {r: 4 / 3 * math.pi * r**3 for r in places.values()}
        whole = ball[0.05] + ball[0.04] - cap(0.04, 0.03) + cap(0.03, 0.015)
        # Faces at 0.015 and 0.03 from the middle of the fourth ball: their edge cuts it, so the product is used.
        self.assertLess(math.hypot(0.015, 0.03), 0.04)
        whole += ball[0.04] * (1 - cap(0.04, 0.025) / ball[0.04]) * (1 - cap(0.04, 0.01) / ball[0.04])
        got, _ = one(run, 'measure = "bulk"\nup = [0, 0, 1]\n' + box([-0.2] * 3, [0.2] * 3))
        self.near(got["solid_fraction"], whole / 0.4**3, 1e-6)
        self.near(got["bodies"], 3)
        thin, _ = one(run, 'measure = "bulk"\nup = [0, 0, 1]\n'
                           'region = { type = "box", low = [-0.15, -0.15, -0.02], high = [0.15, 0.15, 0.03] }')
        slice_of_ball = ball[0.05] - cap(0.05, 0.03) - cap(0.05, 0.02)
        self.near(thin["solid_fraction"], slice_of_ball / (0.3 * 0.3 * 0.05), 1e-6)

    def test_two_faces_that_cut_a_ball_beside_their_edge(self):
        """No edge cuts the ball: its volume in the box is exact, minus two caps that do not meet."""
        scene = HEAD.format(step=0.001, end=0.001, gravity=[0, 0, 0], interval=0.001)
        run = made("edge", scene + '[[bodies]]\nradius = 0.1\nmaterial = "steel"\nposition = [0, 0, 0]\n')
        cap = math.pi * 0.028**2 * (0.3 - 0.028) / 3
        got, _ = one(run, 'measure = "bulk"\nup = [0, 0, 1]\n'
                          'region = { type = "box", low = [-0.2, -0.2, -0.2], high = [0.072, 0.072, 0.2] }')
        self.near(got["solid_fraction"], (4 / 3 * math.pi * 0.1**3 - 2 * cap) / (0.272**2 * 0.4), 1e-6)
        outside, _ = one(run, 'measure = "bulk"\nup = [0, 0, 1]\n'
                              'region = { type = "box", low = [0.072, 0.072, -0.2], high = [0.2, 0.2, 0.2] }')
        self.near(outside["solid_fraction"], 0, 0, 1e-9)

    def test_solid_fraction_of_a_packing(self):
        """The formula of the page, and close to the count of points in each body: to 1 % where edges cut some."""
        run = made("bed", BED)
        frame = frames_of(run)[-1]
        for low, high in (([-0.15, -0.17, 0.0], [0.16, 0.14, 0.1]), ([-0.2, -0.2, -0.1], [0.2, 0.2, 0.06]),
                          ([-0.05, -0.05, 0.02], [0.05, 0.05, 0.07])):
            low, high = np.array(low), np.array(high)
            got, _ = one(run, 'measure = "bulk"\n' + box(low, high), "--from", "0.37")
            volume, edges = volumes_in_box(frame, low, high)
            self.near(got["solid_fraction"][-1], volume.sum() / np.prod(high - low), 1e-3, 0, (low, high, edges.sum()))
            points = sum(sampled(frame, i, low, high) * frame.volume[i] for i in range(len(volume)))
            self.near(got["solid_fraction"][-1], points / np.prod(high - low), 0.01, 0, (low, high))

    def test_bulk_of_a_cylinder(self):
        """Bodies on its border by points: to 1 %; the stress from lines that small pieces cut."""
        run = made("bed", BED)
        frame = frames_of(run)[-1]
        start, end, radius = np.array([0.01, -0.02, 0.0]), np.array([0.03, 0.02, 0.09]), 0.15
        axis = (end - start) / np.linalg.norm(end - start)
        length = np.linalg.norm(end - start)
        got, _ = one(run, f'measure = "bulk"\nregion = {{ type = "cylinder", start = {list(start)}, end = {list(end)}, '
                          f"radius = {radius} }}", "--from", "0.37")

        def within(x):
            along = (x - start) @ axis
            across = np.linalg.norm(x - start - along[..., None] * axis, axis=-1)
            return (along >= 0) & (along <= length) & (across <= radius)

        chosen, volume = within(frame.x), math.pi * radius**2 * length
        solid = sum(within(frame.x[i] + ball() * frame.axes[i] @ frame.turn[i].T).mean() * frame.volume[i]
                    for i in range(len(frame.x)))
        steps = (np.arange(1000) + 0.5) / 1000

        def part(p, q):
            return (q - p) * within(p[:, None] + steps[:, None] * (q - p)[:, None]).mean(axis=1)[:, None]

        branch = np.where((frame.b >= 0)[:, None], part(frame.x[frame.b], frame.point), 0.0)
        branch += part(frame.point, frame.x[frame.a])
        expected = bulk_columns(frame, chosen, branch, volume, solid)
        self.near(got["solid_fraction"][-1], expected.pop("solid_fraction"), 0.01)
        for name in ("bodies", "mass_kg", "contact_number", "share_of_rattlers", "temperature_m2_s2", "shear_rate_1_s"):
            self.near(got[name][-1], expected[name], 1e-7, 0, name)
        self.near(got["pressure_Pa"][-1], expected["pressure_Pa"], 0.01)
        for name in expected:
            if name.startswith("stress_"):
                self.near(got[name][-1], expected[name], 0, 0.01 * expected["pressure_Pa"], name)

    def test_bulk_of_a_mesh(self):
        """A box of triangles: the same values as the box itself; volumes on its border and cut lines to 1 % and 2 %."""
        run = made("bed", BED)
        low, high = [-0.15, -0.17, 0.01], [0.16, 0.14, 0.1]
        corners = [[(low, high)[i >> k & 1][k] for k in range(3)] for i in range(8)]
        quads = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
        write("block.obj", "".join("v {} {} {}\n".format(*c) for c in corners) +
              "".join(f"f {a + 1} {b + 1} {c + 1}\nf {a + 1} {c + 1} {d + 1}\n" for a, b, c, d in quads))
        block = one(run, 'measure = "bulk"\n' + box(low, high))[0]
        mesh = one(run, 'measure = "bulk"\nregion = { type = "mesh", file = "block.obj" }')[0]
        for column in ("bodies", "mass_kg", "contact_number", "temperature_m2_s2", "share_of_rattlers"):
            self.near(mesh[column], block[column], 1e-9, 1e-12, column)
        self.near(mesh["solid_fraction"][-8:], block["solid_fraction"][-8:], 0.01)
        for column in block:
            if column.startswith("stress_"):
                self.near(mesh[column][-8:], block[column][-8:], 0, 0.02 * block["pressure_Pa"][-8:].max(), column)

    def test_orientation_order(self):
        """For rods that are nearly parallel, for discs, and for bodies with three different axes."""
        scene = HEAD.format(step=0.001, end=0.001, gravity=[0, 0, 0], interval=0.001)
        group = """
[[bodies]]
generate = "lattice"
count = 27
semi_axes = {axes}
material = "steel"
orientation = {q}
orientation_spread = {spread}
region = {{ type = "box", low = [{x}, 0, 0], high = [{far}, 0.6, 0.6] }}
"""
        turned = [0.8, 0.1, 0.5, math.sqrt(1 - 0.64 - 0.01 - 0.25)]
        scene += group.format(axes=[0.02, 0.022, 0.06], q=turned, spread=15, x=0, far=0.6)
        scene += group.format(axes=[0.03, 0.031, 0.008], q=[1, 0, 0, 0], spread=25, x=1, far=1.6)
        last = group.format(axes=[0.03, 0.02, 0.012], q='"random"', spread=0, x=2, far=2.6)
        scene += last.replace("orientation_spread = 0\n", "")
        run = made("rods", scene)
        frame = frames_of(run)[-1]
        for x in (0, 1, 2):
            low, high = [x, 0, 0], [x + 0.6, 0.6, 0.6]
            chosen = inside(frame.x, low, high)
            self.assertEqual(chosen.sum(), 27)
            value, director = order(frame, chosen)
            got, _ = one(run, 'measure = "bulk"\nup = [0, 0, 1]\n' + box(low, high))
            self.near(got["orientation_order"][-1], value, 1e-7, 1e-7)
            found = np.array([got[f"director_{axis}"][-1] for axis in "xyz"])
            self.near(np.abs(found @ director), 1.0, 1e-7)

    def test_bulk_of_a_periodic_cell(self):
        """Without a region it is the cell; its stress is that of cell.csv, because hardly any body moves."""
        run = made("cell", CELL)
        measure = 'measure = "bulk"\nup = [0, 1, 0]\n'
        got, during = one(run, measure)[0], table(run, "measured_all.csv")
        cell = table(run, "cell.csv")
        frames = frames_of(run)
        for k, frame in enumerate(frames[1:]):
            row = np.flatnonzero(np.abs(cell["time_s"] - frame.time) < 1e-9)[0]
            chosen = np.ones(len(frame.x), dtype=bool)
            first = frame.nearest(frame.point - np.where((frame.b >= 0)[:, None], frame.x[frame.b], frame.point))
            branch = first + frame.nearest(frame.x[frame.a] - frame.point)
            volume = np.linalg.det(frame.lattice)
            self.near(cell["volume_m3"][row], volume, 1e-6)
            expected = bulk_columns(frame, chosen, branch, volume, frame.volume.sum(), up=(0, 1, 0))
            for name in list(expected):
                if name.startswith("centre_"):
                    del expected[name]
            self.columns(got, k, expected, 1e-6, ("stress_", "normal_", "velocity_"))
            for other in (got, during):
                for name, mine in (("solid_fraction", 1e-6), ("contact_number", 1e-9)):
                    self.near(other[name][k], cell[name][row], mine, 0, name)
                # Bodies have moved for half a step since their contacts acted, so lines are longer by this distance.
                apart = frame.v[frame.a] - np.where((frame.b >= 0)[:, None], frame.v[frame.b], 0.0)
                moved = 0.0005 * (np.linalg.norm(frame.force, axis=1) * np.linalg.norm(apart, axis=1)).sum() / volume
                for i in "xyz":
                    for j in "xyz":
                        value = cell[f"stress_{i}{j}_Pa"][row] + cell[f"kinetic_stress_{i}{j}_Pa"][row]
                        absolute = 2e-6 * cell["pressure_Pa"][row] + moved
                        self.near(other[f"stress_{i}{j}_Pa"][k], value, 0, absolute, (k, i, j))
        self.assertGreater(got["pressure_Pa"][-1], 10)
        self.assertLess(moved, 1e-5 * cell["pressure_Pa"][row])

    def test_stress_of_a_region_of_a_periodic_cell(self):
        """A box across the seam: bodies with an image inside count, and lines between images."""
        run = made("cell", CELL)
        frame = frames_of(run)[-1]
        low, high = np.array([0.05, 0.03, 0.06]), np.array([0.13, 0.09, 0.12])
        got, _ = one(run, 'measure = "bulk"\nup = [0, 1, 0]\n' + box(low, high))
        shifts = np.array([[i, j, k] for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]) @ frame.lattice
        count = sum(inside(frame.x + shift, low, high) for shift in shifts)
        self.assertEqual(count.max(), 1)
        self.near(got["bodies"][-1], count.sum())
        self.near(got["mass_kg"][-1], count @ frame.mass, 1e-9)
        first = frame.nearest(frame.point - frame.x[frame.b])
        second = frame.nearest(frame.x[frame.a] - frame.point)
        stress = np.zeros((3, 3))
        for shift in shifts:
            p = frame.point + shift
            branch = piece(p - first, p, low, high) + piece(p, p + second, low, high)
            stress += np.einsum("ci,cj->ij", frame.force, branch)
        stress /= np.prod(high - low)
        pressure = np.trace(stress) / 3
        for i, one_axis in enumerate("xyz"):
            for j, other in enumerate("xyz"):
                self.near(got[f"stress_{one_axis}{other}_Pa"][-1], stress[i, j], 0, 1e-5 * abs(pressure), (i, j))
        solid = 0.0
        for shift in shifts:
            image = frames_of(run)[-1]
            image.x = image.x + shift
            solid += volumes_in_box(image, low, high)[0].sum()
        self.near(got["solid_fraction"][-1], solid / np.prod(high - low), 1e-3)

    # Profiles, single bodies, screens.

    def test_profile_of_a_box(self):
        """Volumes in each layer, except where edges cut; masses, velocities and temperatures."""
        run = made("bed", BED)
        low, high = np.array([-0.2, -0.2, 0.0]), np.array([0.2, 0.2, 0.15])
        got, layers = one(run, f'measure = "profile"\nalong = [0, 0, 1]\ncell = 0.03\n'
                               f'region = {{ type = "box", low = {list(low)}, high = {list(high)} }}')
        frames = frames_of(run)[1:]
        self.near(layers["position_m"], 0.015 + 0.03 * np.arange(5))
        room = 0.4 * 0.4 * 0.03
        for k, z in enumerate(0.03 * np.arange(5)):
            solid, mass, bodies, momentum, heat = 0.0, 0.0, 0, np.zeros(3), []
            for frame in frames:
                here = inside(frame.x, low, high)
                solid += volumes_in_box(frame, [*low[:2], z], [*high[:2], z + 0.03])[0].sum()
                mine = here & (frame.x[:, 2] >= z) & (frame.x[:, 2] < z + 0.03)
                m, v = frame.mass[mine], frame.v[mine]
                mass, bodies, momentum = mass + m.sum(), bodies + mine.sum(), momentum + m @ v
                heat.append((m, v))
            self.near(layers["solid_fraction"][k], solid / len(frames) / room, 1e-3)
            self.near(layers["density_kg_m3"][k], mass / len(frames) / room, 1e-9)
            self.near(layers["bodies"][k], bodies / len(frames), 1e-9)
            mean = momentum / mass
            for i, axis in enumerate("xyz"):
                self.near(layers[f"velocity_{axis}_m_s"][k], mean[i], 1e-9, 1e-9)
            together = sum((m * ((v - mean)**2).sum(axis=1)).sum() for m, v in heat) / (3 * mass)
            each = sum((m * ((v - m @ v / m.sum())**2).sum(axis=1)).sum() for m, v in heat if len(m)) / (3 * mass)
            self.assertTrue(min(abs(layers["temperature_m2_s2"][k] / t - 1) for t in (together, each)) < 1e-7,
                            (layers["temperature_m2_s2"][k], together, each))
        for k, frame in enumerate(frames):
            self.assertEqual(got["bodies"][k], inside(frame.x, low, high).sum())

    def test_profile_of_a_cylinder(self):
        """Layers across a tilted axis: volumes by points in each body, masses by centres."""
        run = made("bed", BED)
        start, end = np.array([-0.1, 0.02, 0.03]), np.array([0.1, 0.05, 0.07])
        length = np.linalg.norm(end - start)
        axis = (end - start) / length
        _, layers = one(run, f'measure = "profile"\ncell = {length / 4}\nregion = {{ type = "cylinder", '
                             f"start = {list(start)}, end = {list(end)}, radius = 0.1 }}", "--from", "0.37")
        frame = frames_of(run)[-1]
        along = (frame.x - start) @ axis
        across = np.linalg.norm(frame.x - start - np.outer(along, axis), axis=1)
        tube = (along >= 0) & (along <= length) & (across <= 0.1)
        room = math.pi * 0.1**2 * length / 4
        self.near(layers["moments"], 1)
        solid = np.zeros(4)
        for i in range(len(frame.x)):
            points = frame.x[i] - start + ball() * frame.axes[i] @ frame.turn[i].T
            at = points @ axis
            held = (np.linalg.norm(points - np.outer(at, axis), axis=1) <= 0.1) & (at >= 0) & (at <= length)
            solid += frame.volume[i] * np.histogram(at[held], np.linspace(0, length, 5))[0] / len(points)
        for k in range(4):
            low, high = k * length / 4, (k + 1) * length / 4
            mine = tube & (along >= low) & (along < high)
            self.near(layers["solid_fraction"][k], solid[k] / room, 0.015)
            self.near(layers["bodies"][k], mine.sum())
            self.near(layers["density_kg_m3"][k], frame.mass[mine].sum() / room, 1e-9)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
