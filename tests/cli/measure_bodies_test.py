"""Surfaces, mixing, stays, pairs, single bodies and screens, against the oracle:
measure_bodies_test.py <scree> <source dir> [Measure.test_name ...]"""
import math
import os
import sys
import unittest

from measure_oracle import Checks, crossings, frames_of, inside
from measure_scenes import BED, CHUTE, GAS, HEAD, PILE, box, made, one, table

import h5py
import numpy as np


class Measure(Checks):
    # Surfaces.

    def surface(self, frame, place, reach, cell, fit=(0.1, 0.9), radial=False):
        """Columns of a surface of bodies at `place` along it, with the extent `reach` to both sides."""
        carry = np.any(frame.impulse != 0, axis=1)
        touching = np.zeros(len(frame.x), dtype=bool)
        touching[frame.a[carry]] = True
        touching[frame.b[carry & (frame.b >= 0)]] = True
        top = frame.x[:, 2] + frame.reach([0, 0, 1])
        column = np.floor(place / cell).astype(int)
        heights, number = {}, {}
        for i in np.flatnonzero(touching):
            heights[column[i]] = max(heights.get(column[i], -math.inf), top[i])
            number[column[i]] = number.get(column[i], 0) + 1
        most = max(sorted(number), key=number.get)
        low = high = most
        while low - 1 in heights:
            low -= 1
        while high + 1 in heights:
            high += 1
        bins = np.arange(low, high + 1)
        h = np.array([heights[b] for b in bins])
        middle = (bins + 0.5) * cell
        begin, length = low * cell, len(bins) * cell
        taken = (middle >= begin + fit[0] * length - 1e-9) & (middle <= begin + fit[1] * length + 1e-9)
        slope = np.polyfit(middle[taken], h[taken], 1)[0]
        first, last = touching & (column == low), touching & (column == high)  # of the outermost bins
        angle = math.degrees(math.atan(-slope if radial else slope))
        out = {"angle_deg": angle, "height_max_m": h.max(), "height_mean_m": h.mean()}
        if radial:
            out["run_out_m"] = (place + reach)[last].max()
        else:
            out["front_low_m"], out["front_high_m"] = (place - reach)[first].min(), (place + reach)[last].max()
        return out, dict(zip(middle, h))

    def check_surface(self, run, measure, columns):
        got, heights = one(run, 'measure = "surface"\n' + measure)
        total, seen = {}, {}
        for k, frame in enumerate(frames_of(run)[1:]):
            if len(frame.a) < 20:
                continue
            expected, profile = columns(frame)
            for name, value in expected.items():
                self.near(got[name][k], value, 1e-7, 1e-9, (k, name))
            for place, height in profile.items():
                key = round(place, 9)
                total[key], seen[key] = total.get(key, 0) + height, seen.get(key, 0) + 1
        place = heights["radius_m" if "centre" in measure else "position_m"]
        return place, heights, total, seen

    def test_surface_along_a_direction(self):
        """A pile: heights of bins, line, fronts; without the ball that flies above it and the ball beside it."""
        run = made("pile", PILE)
        cell, along = 0.02, np.array([1, 2, 0]) / math.sqrt(5)
        place, heights, total, seen = self.check_surface(
            run, f"cell = {cell}\nalong = [1, 2, 0]\nfit_from = 0.2\nfit_to = 0.8\n",
            lambda frame: self.surface(frame, frame.x @ along, frame.reach(along), cell, (0.2, 0.8)))
        if min(seen.values()) and len(heights["moments"]) == len(seen):
            for at, height, moments in zip(place, heights["height_m"], heights["moments"]):
                self.assertEqual(moments, seen[round(at, 9)], at)
                self.near(height, total[round(at, 9)] / seen[round(at, 9)], 1e-7)

    def test_surface_about_an_axis(self):
        """Heights by the distance from an axis, decreasing outwards, and the run-out."""
        run = made("pile", PILE)

        def columns(frame):
            centre = np.array([0.013, -0.021, 0])
            out = frame.x - centre
            out[:, 2] = 0
            r = np.linalg.norm(out, axis=1)
            reach = np.linalg.norm(np.einsum("nij,ni->nj", frame.turn, out / r[:, None]) * frame.axes, axis=1)
            return self.surface(frame, r, reach, 0.015, radial=True)

        self.check_surface(run, "cell = 0.015\ncentre = [0.013, -0.021, 0]\n", columns)
        last = frames_of(run)[-1]
        self.assertGreater(columns(last)[0]["angle_deg"], 5)

    # Mixing.

    def mixing(self, frame, kinds, cell, origin):
        """Lacey's index of the share of kind 0 in cubes, and the distance of the kinds in height."""
        first = kinds == 0
        n = len(first)
        p = first.mean()
        cube = np.floor((frame.x - origin) / cell).astype(int)
        _, where = np.unique(cube, axis=0, return_inverse=True)
        where = where.ravel()
        count = np.bincount(where)
        share = np.bincount(where, first) / count
        apart, random = p * (1 - p), p * (1 - p) * len(count) / n
        now = (count * (share - p)**2).sum() / n
        z = frame.x[:, 2]
        out = {"lacey_index": (apart - now) / (apart - random), "cells": len(count),
               "bodies": (first.sum(), n - first.sum()),
               "segregation_index": (z[first].mean() - z[~first].mean()) / (math.sqrt(3) * z.std())}
        out["centre"] = [frame.x[c].mean(axis=0) for c in (first, ~first)]
        return out

    def test_mixing_by_material_size_and_place(self):
        """All bodies in motion, in cubes with corners at multiples of their edge."""
        run = made("bed", BED)
        frames = frames_of(run)
        along = np.array([1.0, -1.0, 0.0])
        first = frames[0].x @ along
        halves = dict(zip(frames[0].row, (first >= np.median(first)).astype(int)))  # as many in each
        cases = (('by = "material"\n', ("glass", "steel"), lambda f: f.material),
                 ('by = "size"\nsizes = [0.05]\n', ("below_0.05", "above_0.05"),
                  lambda f: (f.diameter >= 0.05).astype(int)),
                 ('by = "place"\nalong = [1, -1, 0]\n', ("low", "high"),
                  lambda f: np.array([halves[b] for b in f.row])))
        for by, names, kind in cases:
            with self.subTest(by):
                got, _ = one(run, f'measure = "mixing"\ncell = 0.1\n{by}')
                for k, frame in enumerate(frames[1:]):
                    expected = self.mixing(frame, kind(frame), 0.1, 0.0)
                    for i, name in enumerate(names):
                        self.assertEqual(got[f"bodies.{name}"][k], expected["bodies"][i], (k, name))
                        for j, axis in enumerate("xyz"):
                            self.near(got[f"centre_{axis}_m.{name}"][k], expected["centre"][i][j], 1e-9, 1e-9, name)
                    self.near(got["segregation_index"][k], expected["segregation_index"], 1e-7, 1e-7)
                    self.assertEqual(got["cells"][k], expected["cells"])
                    self.near(got["lacey_index"][k], expected["lacey_index"], 1e-7, 1e-7)

    def test_mixing_of_layers_and_of_a_chessboard(self):
        """Separate kinds give 0 and -1; one of each in every cube is better than mixed at random, 1 + 1/(n - 1)."""
        scene = HEAD.format(step=0.001, end=0.001, gravity=[0, 0, -9.81], interval=0.001)
        ball = '[[bodies]]\nradius = 0.004\nmaterial = "{}"\nposition = [{}, {}, {}]\n'
        layers, board = scene, scene
        for i in range(4):
            for j in range(4):
                for k in range(20):
                    x, y, z = (0.005 + 0.01 * n for n in (i, j, k))
                    layers += ball.format("glass" if k < 10 else "steel", x, y, z)
                    board += ball.format("glass" if (i + j + k) % 2 else "steel", x, y, z)
        measure = 'measure = "mixing"\nby = "material"\ncell = 0.02\nup = [0, 0, 1]\n' \
                  'region = { type = "box", low = [0, 0, -0.02], high = [0.04, 0.04, 0.2] }\n'
        got, _ = one(made("layers", layers), measure)
        self.near(got["lacey_index"], 0.0, 0, 1e-9)
        self.near(got["segregation_index"], -10 / math.sqrt(3 * 399 / 12), 1e-4)
        got, _ = one(made("board", board), measure)
        self.near(got["lacey_index"], 8 / 7, 1e-9)
        self.near(got["segregation_index"], 0.0, 0, 1e-3)

    # Stays.

    def test_residence(self):
        """Bodies that came after the beginning and left, from frame to frame; a ball that returns has two stays."""
        chute, bed = made("chute", CHUTE), made("bed", BED)

        def tube(frame):
            return (frame.x[:, 2] >= 0.1) & (frame.x[:, 2] <= 0.3) & (np.hypot(frame.x[:, 0], frame.x[:, 1]) <= 0.12)

        def part(frame):
            return inside(frame.x, [-0.2, -0.2, 0.1], [0.2, 0.2, 0.3])

        def whole(frame):
            return inside(frame.x, [-0.3, -0.3, -0.05], [0.3, 0.3, 0.7])

        cylinder = 'region = { type = "cylinder", start = [0, 0, 0.1], end = [0, 0, 0.3], radius = 0.12 }\n'
        for run, region, within in ((chute, box([-0.3, -0.3, -0.05], [0.3, 0.3, 0.7]), whole), (chute, cylinder, tube),
                                    (bed, box([-0.2, -0.2, 0.1], [0.2, 0.2, 0.3]), part)):
            got, stays = one(run, 'measure = "residence"\n' + region)
            frames = frames_of(run)
            since = {row: None for row in frames[0].row[within(frames[0])]}
            entered, left, expected = 0, 0, []
            for k, frame in enumerate(frames[1:]):
                now = set(frame.row[within(frame)])
                for row in sorted(set(since) - now):
                    begin = since.pop(row)
                    left += 1
                    if begin is not None:
                        expected.append((frame.time - begin, row, begin, frame.time))
                for row in now - set(since):
                    since[row] = frame.time
                    entered += 1
                counts = tuple(got[name][k] for name in ("inside", "entered", "left"))
                self.assertEqual(counts, (len(since), entered, left), (run, k))
                if expected:
                    times = np.array([stay[0] for stay in expected])
                    self.near(got["mean_s"][k], times.mean(), 1e-9)
                    for name, q in (("p10_s", 10), ("median_s", 50), ("p90_s", 90)):  # from one value to the next
                        low, high = (np.percentile(times, q, method=m) for m in ("lower", "higher"))
                        self.assertTrue(low - 1e-9 <= got[name][k] <= high + 1e-9, (name, k, low, got[name][k], high))
            self.assertGreaterEqual(left, 20)
            with h5py.File(os.path.join(run, "trajectory.h5")) as file:
                ids = file["bodies/id"][:]
            self.assertEqual(sorted(zip(stays["body"], np.round(stays["entered_s"], 9), np.round(stays["left_s"], 9))),
                             sorted((ids[row], round(begin, 9), round(end, 9)) for _, row, begin, end in expected))

    def test_a_body_that_comes_again(self):
        """A ball flies up through a layer and falls back through it: two stays, both shorter than a third in frames."""
        scene = HEAD.format(step=0.001, end=0.5, gravity=[0, 0, -9.81], interval=0.001) + """
[[bodies]]
radius = 0.01
material = "glass"
position = [0, 0, 0]
velocity = [0, 0, 2]
[[measurements]]
name = "layer"
measure = "residence"
region = { type = "box", low = [-1, -1, 0.05], high = [1, 1, 0.1] }
"""
        run = made("twice", scene)
        low, high = ([(2 + sign * math.sqrt(4 - 2 * 9.81 * z)) / 9.81 for sign in (-1, 1)] for z in (0.05, 0.1))
        for stays in (one(run, 'measure = "residence"\n' + box([-1, -1, 0.05], [1, 1, 0.1]))[1],
                      table(run, "distribution_layer.csv")):
            self.near(stays["entered_s"], [low[0], high[1]], 0, 0.0021)  # to one step, and gravity's error in it
            self.near(stays["left_s"], [high[0], low[1]], 0, 0.0021)

    # Pairs.

    def test_pair_correlation_of_a_gas(self):
        """Counts of all pairs of images by brute force; 1 within noise, because these points are independent."""
        run = made("gas", GAS)
        got, g = one(run, 'measure = "pair_correlation"\nradius = 0.2\ncell = 0.02\n')
        frames = frames_of(run)[1:]
        pairs = []
        edges = 0.02 * np.arange(11)
        for k, frame in enumerate(frames):
            d = frame.x[:, None] - frame.x[None]
            for i, side in enumerate(np.diag(frame.lattice)):
                d[..., i] -= side * np.round(d[..., i] / side)
            r = np.sqrt((d**2).sum(axis=2))[np.triu_indices(len(frame.x), 1)]
            pairs.append(2 * np.histogram(r, edges)[0])
            self.near(got["pairs"][k], pairs[-1].sum(), 1e-3)
            self.near(got["bodies"][k], len(frame.x))
        n, volume = len(frames[0].x), 0.72
        shell = 4 / 3 * math.pi * np.diff(edges**3)
        self.near(g["distance_m"], (edges[1:] + edges[:-1]) / 2, 1e-9)
        total = np.sum(pairs, axis=0)
        self.near(g["pairs"], total, 0, 2 + 1e-4 * total.max())  # a pair at an edge may be on either side
        self.near(g["pair_correlation"], total / (len(frames) * n * n / volume * shell), 2 / n, 0)
        scatter = np.sqrt(2 / total)
        self.assertLess(np.abs((g["pair_correlation"][1:] - 1) / scatter[1:]).max(), 6)

    def test_pair_correlation_in_a_box(self):
        """First bodies are at least a radius from all sides; the density is that of the region."""
        run = made("bed", BED)
        low, high, radius = np.array([-0.2, -0.2, 0.0]), np.array([0.2, 0.2, 0.25]), 0.1
        got, g = one(run, f'measure = "pair_correlation"\nradius = {radius}\ncell = 0.01\n'
                          f'region = {{ type = "box", low = {list(low)}, high = {list(high)} }}')
        edges = 0.01 * np.arange(11)
        shell = 4 / 3 * math.pi * np.diff(edges**3)
        total, wanted = np.zeros(10), np.zeros(10)
        for k, frame in enumerate(frames_of(run)[1:]):
            second = frame.x[inside(frame.x, low, high)]
            first = inside(second, low + radius, high - radius)
            r = np.linalg.norm(second[first][:, None] - second[None], axis=2)
            counts = np.histogram(r[r > 0], edges)[0]
            expected = first.sum() * len(second) / np.prod(high - low) * shell
            total, wanted = total + counts, wanted + expected
            self.near(got["bodies"][k], first.sum())
            self.near(got["pairs"][k], counts.sum())
            if counts.any():
                value = counts / expected
                self.near(got["first_peak"][k], value.max(), 1e-9)
                self.near(got["first_peak_m"][k], (edges[1:] + edges[:-1])[value.argmax()] / 2, 1e-9)
        self.assertGreater(total.sum(), 50)
        self.near(g["pairs"], total)
        self.near(g["pair_correlation"], total / wanted, 1e-9)

    def test_bodies(self):
        """Positions and velocities of two bodies, and the share of the others that is lower."""
        run = made("bed", BED)
        got, _ = one(run, 'measure = "bodies"\nbodies = [50, 3]\n')
        for k, frame in enumerate(frames_of(run)[1:]):
            for body in (3, 50):
                i = np.flatnonzero(frame.id == body)[0]
                for j, axis in enumerate("xyz"):
                    self.assertEqual(got[f"position_{axis}_m.{body}"][k], frame.x[i, j])
                    self.assertEqual(got[f"velocity_{axis}_m_s.{body}"][k], frame.v[i, j])
                self.near(got[f"rank.{body}"][k], (frame.x[:, 2] < frame.x[i, 2]).sum() / (len(frame.x) - 1))
        got, _ = one(run, 'measure = "bodies"\nbodies = [7]\nup = [1, 0, 2]\n')
        last = frames_of(run)[-1]
        height = last.x @ [1, 0, 2]
        self.near(got["rank.7"][-1], (height < height[last.id == 7]).mean() * len(height) / (len(height) - 1))

    def test_screening(self):
        """Undersize through the screen over undersize through it or over its end; purity."""
        run = made("bed", BED)
        got, _ = one(run, 'measure = "screening"\n'
                          "plane = { point = [0, 0, 0.12], normal = [0, 0, -1], radius = 0.12 }\n"
                          "over = { point = [0.05, 0, 0], normal = [1, 0, 0] }\naperture = 0.05\n")
        frames = frames_of(run)
        sums = np.zeros(4)  # undersize and oversize through, then over
        crossed = {}  # row of /bodies: the plane, and the net number of crossings
        for k, (before, after) in enumerate(zip(frames, frames[1:])):
            old = sums.copy()
            for at, plane in enumerate((([0, 0, 0.12], [0, 0, -1], 0.12), ([0.05, 0, 0], [1, 0, 0], None))):
                sign, rows, mass, _, diameter = crossings(before, after, *plane)
                for b in np.flatnonzero(sign):  # a body counts at the plane that it crossed first
                    first, net = crossed.get(rows[b], (at, 0))
                    back = sign[b] < 0 and rows[b] not in crossed  # it was beyond the plane at the start
                    if first != at or back:
                        sign[b] = 0
                    else:
                        crossed[rows[b]] = (at, net + sign[b])
                        if net + sign[b] == 0:
                            del crossed[rows[b]]
                sums[2 * at] += (sign * mass)[diameter < 0.05].sum()
                sums[2 * at + 1] += (sign * mass)[diameter >= 0.05].sum()
            names = [f"{size}_{way}_kg" for way in ("through", "over") for size in ("undersize", "oversize")]
            for name, value in zip(names, sums):
                self.near(got[name][k], value, 1e-9, 1e-12, (k, name))
            self.near(got["through_kg_s"][k], (sums - old)[:2].sum() / 0.02, 1e-9, 1e-9)
            self.near(got["over_kg_s"][k], (sums - old)[2:].sum() / 0.02, 1e-9, 1e-9)
            if sums[0] + sums[1] > 1e-9:
                self.near(got["purity"][k], sums[0] / (sums[0] + sums[1]), 1e-9)
            if sums[0] + sums[2] > 1e-9:
                self.near(got["efficiency"][k], sums[0] / (sums[0] + sums[2]), 1e-9)
        self.assertGreaterEqual(np.count_nonzero(sums), 2, sums)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
