"""Hulls and repeated runs of benchmarks/peers/compare.py: peers_test.py"""

import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks" / "peers"))
sys.dont_write_bytecode = True
import compare


def points_of(argument):
    return [[float(x) for x in point.split(",")] for point in argument.removeprefix("points=").split(";")]


class Hulls(unittest.TestCase):
    def test_volume_of_an_octahedron(self):
        corners = [[s if k == axis else 0.0 for k in range(3)] for axis in range(3) for s in (-1, 1)]
        self.assertAlmostEqual(4 / 3, compare.hull_volume(corners))

    def test_points_lie_on_the_unit_sphere(self):
        for points, count in ((compare.icosahedron(), 42), (compare.spiral(60), 60)):
            self.assertEqual(count, len({tuple(point) for point in points}))
            for point in points:
                self.assertAlmostEqual(1.0, math.hypot(*point))

    def test_are_as_large_as_the_ellipsoid(self):
        ellipsoid = 4 / 3 * math.pi * math.prod(float(axis) for axis in compare.SCENE["semi_axes"].split(","))
        for unit in (compare.icosahedron(), compare.spiral(60)):
            inside = compare.hull_volume(points_of(compare.hull_points(unit)))
            equal = compare.hull_volume(points_of(compare.hull_of_equal_volume(unit)))
            self.assertLess(inside, 0.92 * ellipsoid)
            self.assertAlmostEqual(1.0, equal / ellipsoid, places=6)


class Repeats(unittest.TestCase):
    def test_the_middle_one_stands_for_all(self):
        runs = [{"whole_run_s": time, "overlap_max": time} for time in (9.0, 7.0, 8.0)]
        middle = compare.middle(runs)
        self.assertEqual((8.0, 8.0), (middle["whole_run_s"], middle["overlap_max"]))
        self.assertEqual("8 (7 to 9)", compare.whole_run(middle))
        self.assertEqual("7", compare.whole_run(compare.middle(runs[1:2])))
        self.assertEqual(7.0, compare.middle(runs[1:])["whole_run_s"])

    def test_failures_do_not_count(self):
        failed = {"failed": "no memory"}
        self.assertEqual("7", compare.whole_run(compare.middle([failed, {"whole_run_s": 7.0}])))
        self.assertEqual(failed, compare.middle([failed, failed]))


if __name__ == "__main__":
    unittest.main()
