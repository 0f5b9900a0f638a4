"""Quantities of steps and of regions, and flows, against the oracle:
measure_quantities_test.py <scree> <source dir> [Measure.test_name ...]"""
import csv
import math
import os
import sys
import tempfile
import unittest

from measure_oracle import Checks, crossings, frames_of, inside
from measure_scenes import BED, CHUTE, GAS, HEAD, ROOT, made, measured, one, scree, table

import numpy as np


class Measure(Checks):
    # Quantities of steps and of parts.

    def expected_quantity(self, name, intervals, column, over, boundary=None, run=None):
        """Over the steps of each row of a table of the run."""
        rows = table(run, name)
        with open(os.path.join(run, name), encoding="utf-8") as file:
            names = [row.get("boundary", "") for row in csv.DictReader(file)]
        steps = table(run, "steps.csv")
        length = dict(zip(steps["step"], steps["time_step_s"]))
        out = []
        for begin, end in intervals:
            values, lengths = {}, {}
            for step, now, which, value in zip(rows["step"], rows["time_s"], names, rows[column]):
                if begin + 1e-9 < now <= end + 1e-9 and (boundary is None or which.split(".")[0] == boundary):
                    values[step] = values.get(step, 0.0) + value
                    lengths[step] = length[step]
            v, t = np.array(list(values.values())), np.array(list(lengths.values()))
            out.append({"sum": v.sum(), "largest": v.max(), "last": v[-1], "mean": v @ t / t.sum()}[over])
        return out

    def test_quantities_of_a_run(self):
        """Sums, means over time, largest and last values of the tables; for a box the sum over its walls."""
        run = made("bed", BED)
        expected = {"box": {"force_x_N": "mean", "force_z_N": "mean", "torque_y_N_m": "mean", "normal_force_N": "mean",
                            "work_J": "sum", "impacts": "sum"},
                    "table": {"force_z_N": "mean", "power_W": "mean", "torque_x_N_m": "mean", "torque_N_m": "mean",
                              "impact_energy_J": "sum"},
                    "run": {"kinetic_energy_J": "last", "dissipated_by_friction_J": "sum", "penetration_max": "largest",
                            "penetration_mean": "last"}}
        for name, columns in expected.items():
            got = table(run, f"measured_{name}.csv")
            self.near(got["time_s"], 0.02 * np.arange(1, 21))
            ends = list(zip(got["time_s"] - 0.02, got["time_s"]))
            for column, over in columns.items():
                file, part = ("steps.csv", None) if name == "run" else ("boundaries.csv", name)
                wanted = self.expected_quantity(file, ends, column, over, part, run)
                self.near(got[column], wanted, 1e-12, 1e-12, (name, column))
        rows = table(run, "boundaries.csv")  # five walls per step: the floor is the last
        walls = [rows[f"force_{axis}_N"].reshape(-1, 5)[:, :4].sum(axis=1) for axis in "xyz"]
        size = np.sqrt(np.sum(np.square(walls), axis=0)).reshape(-1, 20).mean(axis=1)
        # A magnitude is that of the walls' total force.
        self.near(table(run, "measured_box.csv")["force_N"], size, 1e-12, 1e-12)
        power = table(run, "measured_table.csv")["power_W"]
        self.assertGreater(np.abs(power).max(), 1.0)

    def test_quantities_of_tables_are_those_of_the_run(self):
        """Both come from the same numbers; also with an interval that has no frame."""
        run = made("bed", BED)
        out = tempfile.mkdtemp(dir=ROOT)
        scree("measure", run, "-o", out, "-q", "--overwrite")
        for name in ("box", "table", "run"):
            got, during = table(out, f"measured_{name}.csv"), table(run, f"measured_{name}.csv")
            for column in during:
                self.near(got[column], during[column], 1e-12, 1e-13 * np.abs(during[column]).max(), (name, column))
        for interval, begin, end in ((0.001, 0.0, 0.4), (0.007, 0.05, 0.331)):
            with self.subTest(interval):
                got, _ = one(run, f'measure = "quantity"\nquantities = ["dissipated_by_friction_J"]\n'
                                  f"interval = {interval}\nfrom = {begin}\nuntil = {end}\n")
                steps = table(run, "steps.csv")
                number = int((end - begin) / interval + 1e-6)
                times = begin + interval * np.arange(1, number + 1)
                self.near(got["time_s"], times, 1e-9)
                now, value = steps["time_s"], steps["dissipated_by_friction_J"]
                sums = [value[(now > t - interval + 1e-9) & (now < t + 1e-9)].sum() for t in times]
                self.near(got["dissipated_by_friction_J"], sums, 1e-12, 1e-15)

    def test_quantities_of_a_region(self):
        """Mass, bodies, share at rest and largest speed of bodies with a centre inside, from frames."""
        run = made("bed", BED)
        region = '[[measurements]]\nname = "it"\nmeasure = "quantity"\nquantities = ["mass_in_region_kg", ' \
                 '"share_at_rest", "bodies_in_region", "largest_speed_m_s"]\n' \
                 'region = { type = "box", low = [-0.15, -0.2, 0.0], high = [0.2, 0.15, 0.12] }\n'
        got = measured(run, region)[0]["it"]
        during = table(run, "measured_part.csv")
        for k, frame in enumerate(frames_of(run)[1:]):
            chosen = inside(frame.x, [-0.15, -0.2, 0], [0.2, 0.15, 0.12])
            self.assertEqual(got["bodies_in_region"][k], chosen.sum())
            self.near(got["mass_in_region_kg"][k], frame.mass[chosen].sum())
            speed = np.linalg.norm(frame.v, axis=1) + frame.axes.max(axis=1) * np.linalg.norm(frame.w, axis=1)
            self.near(got["largest_speed_m_s"][k], speed[chosen].max(), 1e-6)
            self.near(got["share_at_rest"][k], (speed[chosen] <= 0.1 * 9.81 * 0.001).mean(), 1e-9, 1e-12)
        for column in ("bodies_in_region", "mass_in_region_kg", "share_at_rest", "largest_speed_m_s"):
            self.near(got[column], during[column], 1e-6, 1e-12, column)

    def test_share_at_rest(self):
        """Three balls are at rest and one rolls, in a scene that defines the speed of rest."""
        scene = "rest_speed = 0.01\n" + HEAD.format(step=0.001, end=0.1, gravity=[0, 0, -9.81], interval=0.02) + """
[[boundaries]]
name = "floor"
type = "plane"
material = "glass"
""" + "".join(f'[[bodies]]\nradius = 0.01\nmaterial = "glass"\nposition = [{x}, 0, 0.01]\nvelocity = [0, {v}, 0]\n'
              for x, v in ((0, 0), (0.1, 0), (0.2, 0.3), (0.3, 0), (5, 0.3)))
        run = made("rest", scene)
        got, _ = one(run, 'measure = "quantity"\nquantities = ["share_at_rest"]\n'
                          'region = { type = "box", low = [-1, -1, -1], high = [1, 1, 1] }')
        self.near(got["share_at_rest"], [0.75] * 5)

    def test_means_by_time_of_steps_that_adapt(self):
        """Steps of unequal length: forces and power are weighted by time."""
        run = made("adaptive", BED, "--set", 'time_step="adaptive"', "--set", "largest_time_step=0.004",
                   "--until", "0.2")
        steps = table(run, "steps.csv")
        self.assertGreater(steps["time_step_s"].max(), 1.5 * steps["time_step_s"].min())
        for name, columns in (("box", {"force_x_N": "mean", "force_z_N": "mean", "work_J": "sum"}),
                              ("table", {"force_z_N": "mean", "power_W": "mean", "torque_N_m": "mean"})):
            got = table(run, f"measured_{name}.csv")
            ends = list(zip(np.append(0, got["time_s"][:-1]), got["time_s"]))
            self.near(got["time_s"], 0.02 * np.arange(1, 11), 1e-9)
            for column, over in columns.items():
                wanted = self.expected_quantity("boundaries.csv", ends, column, over, name, run)
                self.near(got[column], wanted, 1e-9, 1e-12, (name, column))

    # Flows.

    def test_flow_through_a_disc_by_material_and_size(self):
        """Bodies whose straight path between frames passes through a disc, or a tilted plane."""
        run = made("bed", BED)
        frames = frames_of(run)
        sizes = ("below_0.045", "0.045_to_0.055", "above_0.055")
        for point, normal, radius, kinds in (([0, 0, 0.12], [0, 0, -2], 0.15, "material"),
                                             ([0.03, -0.02, 0.1], [1, 2, -2], None, "size")):
            disc = f", radius = {radius}" if radius else ""
            by = 'by = "size"\nsizes = [0.045, 0.055]\n' if kinds == "size" else 'by = "material"\n'
            got, _ = one(run, f'measure = "flow"\nplane = {{ point = {point}, normal = {normal}{disc} }}\n{by}')
            total = {}
            for k, (before, after) in enumerate(zip(frames, frames[1:])):
                sign, _, mass, material, diameter = crossings(before, after, point, normal, radius)
                if kinds == "material":
                    kind = np.array(["glass", "steel"])[material]
                else:
                    kind = np.array(sizes)[np.digitize(diameter, [0.045, 0.055])]
                for name in ("glass", "steel") if kinds == "material" else sizes:
                    bodies, weight = sign[kind == name].sum(), (sign * mass)[kind == name].sum()
                    sums = total.setdefault(name, [0, 0.0])
                    sums[0] += bodies
                    sums[1] += weight
                    self.assertEqual(got[f"bodies.{name}"][k], sums[0], (name, k))
                    self.near(got[f"mass_kg.{name}"][k], sums[1], 1e-9, 1e-12)
                    self.near(got[f"number_flow_1_s.{name}"][k], bodies / 0.02, 1e-9)
                    self.near(got[f"mass_flow_kg_s.{name}"][k], weight / 0.02, 1e-9, 1e-9)
            self.assertGreater(sum(abs(s[0]) for s in total.values()), 15)

    def test_flow_of_dense_frames_is_that_of_the_steps(self):
        """A frame every step: the same bodies and mass, in the run and from its frames."""
        run = made("dense", BED, "--set", "output.interval=0.001", "--until", "0.3")
        out = tempfile.mkdtemp(dir=ROOT)
        scree("measure", run, "-o", out, "-q", "--overwrite")
        got, during = table(out, "measured_through.csv"), table(run, "measured_through.csv")
        self.assertEqual(len(got["time_s"]), 300)
        for column in during:
            self.near(got[column], during[column], 1e-9, 1e-9, column)
        self.assertGreater(got["bodies.steel"][-1], 5)

    def test_bodies_that_come_back_are_subtracted(self):
        """A ball is thrown up through a plane and falls back through it; another one passes outside the disc."""
        scene = HEAD.format(step=0.001, end=0.5, gravity=[0, 0, -9.81], interval=0.02) + "".join(
            f'[[bodies]]\nradius = 0.01\nmaterial = "{m}"\nposition = [{x}, 0, 0]\nvelocity = [0, 0, 2]\n'
            for x, m in ((0, "glass"), (0.5, "steel"))) + """
[[measurements]]
name = "up"
measure = "flow"
plane = { point = [0, 0, 0.1001], normal = [0, 0, 1], radius = 0.2 }
"""
        run = made("thrown", scene)
        measure = 'measure = "flow"\nplane = { point = [0, 0, 0.1001], normal = [0, 0, 1], radius = 0.2 }'
        up, down = ((2 + sign * math.sqrt(4 - 2 * 9.81 * 0.1001)) / 9.81 for sign in (-1, 1))
        mass = 2500 * 4 / 3 * math.pi * 0.01**3
        for got in (table(run, "measured_up.csv"), one(run, measure)[0]):
            t = got["time_s"]
            self.assertEqual(list(got["bodies"]), list(((t > up) & (t < down)).astype(int)))
            self.near(got["mass_kg"], mass * ((t > up) & (t < down)), 1e-9, 1e-15)
            self.near(got["mass_flow_kg_s"].sum(), 0, 0, 1e-12)
            self.near(got["mass_flow_kg_s"].max(), mass / 0.02)

    def test_flow_through_openings(self):
        """openings.csv has the bodies through inlets and outlets; a body also passes a plane that both sides see."""
        run = made("chute", CHUTE)
        rows = table(run, "openings.csv")
        with open(os.path.join(run, "openings.csv"), encoding="utf-8") as file:
            names = np.array([row["opening"] for row in csv.DictReader(file)])
        out = tempfile.mkdtemp(dir=ROOT)
        scree("measure", run, "-o", out, "-q", "--overwrite")
        for name, opening in (("drained", "drain"), ("fed", "small")):
            for folder in (run, out):
                with self.subTest(name=name, folder="run" if folder == run else "frames"):
                    got = table(folder, f"measured_{name}.csv")
                    t, bodies, mass = (rows[c][names == opening] for c in ("time_s", "bodies", "mass_kg"))
                    k = [np.flatnonzero(t < now + 1e-9)[-1] for now in got["time_s"]]
                    self.near(got["time_s"], 0.01 * np.arange(1, 61))
                    self.near(got["bodies"], bodies[k])
                    self.near(got["mass_kg"], mass[k], 1e-9, 1e-12)
                    self.near(got["number_flow_1_s"], np.diff(np.append(0, bodies[k])) / 0.01, 1e-9)
                    self.near(got["mass_flow_kg_s"], np.diff(np.append(0, mass[k])) / 0.01, 1e-9, 1e-9)
                    self.assertGreater(got["bodies"][-1], 20)
        frames = frames_of(run)
        got, during = table(out, "measured_passed.csv"), table(run, "measured_passed.csv")
        total = {"below_0.03": 0, "above_0.03": 0}
        for k, (before, after) in enumerate(zip(frames, frames[1:])):
            sign, _, _, _, diameter = crossings(before, after, [0, 0, 0.2], [0, 0, -1])
            for name, mine in (("below_0.03", diameter < 0.03), ("above_0.03", diameter > 0.03)):
                total[name] += sign[mine].sum()
                self.assertEqual(got[f"bodies.{name}"][k], total[name])
        for column in got:  # all exist before and after: steps see the same
            self.near(got[column], during[column], 1e-9, 1e-9, column)

    def test_flow_in_a_periodic_cell(self):
        """Images pass the plane as bodies do; a cell of a gas that drifts."""
        measure = 'measure = "flow"\nplane = { point = [0.3, 0.4, 0.4], normal = [1, 0, 0] }\n'
        run = made("gas", GAS + '\n[[measurements]]\nname = "along"\n' + measure)
        frames = frames_of(run)
        got, during = one(run, measure)[0], table(run, "measured_along.csv")
        total = 0
        for k, (before, after) in enumerate(zip(frames, frames[1:])):
            p, q = ((frame.x - frame.shift)[:, 0] - 0.3 for frame in (before, after))
            total += (np.floor(q) - np.floor(p)).sum()  # the cell is 1 m long
            self.assertEqual(got["bodies"][k], total)
        self.assertGreater(total, 150)
        self.near(got["mass_kg"], total_mass := got["bodies"] * frames[0].mass[0], 1e-9)
        self.near(during["mass_kg"], total_mass, 1e-9)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
