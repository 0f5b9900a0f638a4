"""Scenes from other codes, with right values and verdicts: field_test.py <scree> <source dir> [Field.test_name ...]"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
SCENES = os.path.join(os.path.abspath(sys.argv[2]), "tests", "data", "field")


class Field(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def scree(self, *arguments, status=0):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, cwd=self.folder, timeout=110, text=True)
        self.assertEqual(done.returncode, status, (arguments, done.stdout, done.stderr))
        return done

    def run_scene(self, name, *arguments, out="out", status=0):
        return self.scree("run", os.path.join(SCENES, name), "-q", "--overwrite", "-o", out, *arguments, status=status)

    def summary(self, out="out"):
        with open(os.path.join(self.folder, out, "summary.json")) as file:
            return json.load(file)

    def steps(self, out="out"):
        with open(os.path.join(self.folder, out, "steps.csv")) as file:
            return list(csv.DictReader(file))

    def finding(self, code, out="out"):
        return next(f for f in self.summary(out)["verdict"]["findings"] if f["code"] == code)

    def test_a_ball_lands_on_two_halves(self):
        # Sticking friction and half of the normal speed: 5/7 and 1/2, from the momenta in the last row.
        for step, land in (("0.001", "-0.003"), ("0.002", "-0.01"), ("0.005", "0.004")):
            self.run_scene("02_two_halves.toml", "--set", "land=" + land, "--set", "time_step=" + step)
            last, mass = self.steps()[-1], 7800 * 4 / 3 * 3.141592653589793 * 0.05 ** 3
            self.assertAlmostEqual(float(last["momentum_x_kg_m_s"]) / mass, 5 / 7, delta=1e-6)
            self.assertAlmostEqual(float(last["momentum_z_kg_m_s"]) / mass, 0.5, delta=1e-6)
            self.assertEqual(self.summary()["verdict"]["grade"], "green")

    def test_an_inlet_sprays_a_sheet(self):
        # No grain passes through in its first step: all rest on the sheet, 2 mm above; and `check` reports the speed.
        self.assertIn("inlets[0].velocity", self.scree("check", os.path.join(SCENES, "18_inlet_through.toml")).stderr)
        self.run_scene("18_inlet_through.toml")
        s = self.summary()
        self.assertEqual(s["bodies"], s["insertion"]["openings"][0]["bodies"])
        # Their potential energy is that of bodies above the sheet, not below it: m g z, z > 0.
        self.assertGreater(s["energy"]["potential_energy_J"], 0.0)
        self.assertEqual(s["lost_bodies"], 0)

    def test_no_rod_gains_energy(self):
        self.run_scene("35_spray.toml")
        kinetic = [float(row["kinetic_energy_J"]) for row in self.steps()]
        self.assertTrue(all(b <= a * (1 + 1e-12) for a, b in zip(kinetic, kinetic[1:])))
        self.assertEqual(self.finding("energy_created")["grade"], "green")

    def test_a_bed_that_rests_is_green(self):
        self.run_scene("41_bed.toml", out="bed")
        self.run_scene("41_rest_nobody.toml", "--restart-from", "bed", out="rest")
        s = self.summary("rest")
        self.assertEqual(s["verdict"]["grade"], "green")
        self.assertLess(s["energy_created_relative"], 1e-4)
        self.assertLess(s["kinetic_energy_per_body_J"], 1e-7)

    def test_a_gas_that_bounces_perfectly(self):
        # Impacts within one step lose energy; the message gives advice. With this advice no energy is lost.
        self.run_scene("e1_gas.toml", "--set", "time_step=1e-3")
        told = self.finding("unreturned")
        self.assertEqual(told["grade"], "amber")
        self.assertIn("energetic", told["advice"])
        self.run_scene("e1_gas.toml", "--set", "time_step=1e-3", "--set", 'restitution_law="energetic"')
        s = self.summary()
        self.assertEqual(s["verdict"]["grade"], "green")
        self.assertAlmostEqual(s["energy"]["kinetic_energy_J"] / s["energy"]["kinetic_initial_J"], 1.0, delta=1e-12)

    def test_walls_that_are_too_fast_are_reported_before_and_after(self):
        for scene, code in (("table_1000Hz.toml", "wall_detour"), ("plate_up_3000.toml", "wall_travel")):
            self.assertIn("boundaries[0].motion", self.scree("check", os.path.join(SCENES, scene)).stderr)
            self.run_scene(scene)
            self.assertIn(self.finding(code)["grade"], ("amber", "red"))
            self.assertEqual(self.summary()["verdict"]["findings"][0]["code"], code)

    def test_a_field_that_blows_up_fails(self):
        done = self.run_scene("fn_field.toml", status=5)
        self.assertIn("body 0", done.stderr)
        self.assertEqual(self.summary()["status"], "failed")

    def test_a_pinch_by_a_driven_wall_comes_first(self):
        self.run_scene("pressed_between_walls.toml")
        first, *others = self.summary()["verdict"]["findings"]
        self.assertEqual(first["code"], "pinch")
        self.assertIn("move it by a force", first["advice"])
        self.assertIn("against boundary 'floor'", first["text"])
        pinch = self.summary()["pinch"]
        self.assertEqual(pinch["against"], "boundary 'floor'")
        self.assertLess(abs(pinch["place_m"][0]), 0.04)
        self.assertTrue(all("max_sweeps" not in f["advice"] for f in others))
        self.assertGreaterEqual(self.summary()["energy"]["dissipated_by_friction_J"], 0.0)

    def test_a_rock_falls_on_a_terrain_in_map_coordinates(self):
        # The same result as with the terrain at the origin, to the last digits of coordinates, 1e-9 m, which impacts
        # amplify. The rounding of frames in single precision is reported, with an origin that avoids it.
        scene = "36_terrain.toml"
        self.run_scene(scene, "--until", "1")
        told = self.finding("frame_precision")
        self.assertEqual(told["grade"], "amber")
        self.assertIn("origin = [", told["advice"])
        self.run_scene(scene, "--until", "1", "--set", "origin=[500000, 4649776, 312]", out="map")
        self.assertEqual(self.summary("map")["verdict"]["grade"], "green")
        self.run_scene(scene, "--until", "1", "--set", "move=1", "--set", "X=0", "--set", "Y=0", "--set", "Z=0", out="near")
        for key in ("kinetic_energy_J", "momentum_x_kg_m_s", "momentum_y_kg_m_s", "momentum_z_kg_m_s"):
            far, near = ([float(row[key]) for row in self.steps(out)] for out in ("map", "near"))
            size = max(map(abs, near))
            self.assertLess(max(abs(a - b) for a, b in zip(far, near)), 1e-5 * size, key)

    def test_work_that_cancels_is_turned_over(self):
        self.run_scene("ledger_net_scale.toml")
        self.assertEqual(self.finding("energy_ledger")["grade"], "green")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
