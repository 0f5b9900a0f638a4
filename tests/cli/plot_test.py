"""Columns as pictures, and means of fields: plot_test.py <scree> <source dir> [Plot.test_name ...]"""
import os
import subprocess
import sys
import tempfile
import unittest

import numpy

PROGRAM = os.path.abspath(sys.argv[1])
SCENE = os.path.join(os.path.abspath(sys.argv[2]), "scenes", "moving_walls", "gate.toml")
PNG = b"\x89PNG\r\n"


class Plot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        for name, friction in (("slow", "0.9"), ("fast", "0.1")):
            done = subprocess.run([PROGRAM, "run", SCENE, "-q", "--until", "0.3", "--set", "materials[0].friction=" + friction,
                                   "-o", name], cwd=cls.holder.name, capture_output=True, text=True, timeout=110)
            assert done.returncode == 0, done.stderr

    def scree(self, *arguments, status=0):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, cwd=self.holder.name, timeout=110, text=True)
        self.assertEqual(done.returncode, status, (arguments, done.stdout, done.stderr))
        return done

    def read(self, name):
        with open(os.path.join(self.holder.name, name), "rb") as file:
            return file.read()

    def test_a_picture_of_two_runs(self):
        self.scree("plot", "slow", "fast", "kinetic_energy_J", "boundaries.gate.force_z_N", "-o", "two.svg")
        picture = self.read("two.svg").decode()
        for words in ("slow: kinetic_energy_J", "fast: boundaries.gate.force_z_N", "kinetic energy (J)", "force z (N)", "time (s)"):
            self.assertIn(words, picture)

    def test_curves_of_one_unit_share_a_diagram(self):
        self.scree("plot", "slow", "kinetic_energy_J", "potential_energy_J", "-o", "shared.svg")
        self.scree("plot", "slow", "kinetic_energy_J", "contacts", "-o", "apart.svg")
        width = [float(self.read(name).decode().split('width="')[1].split('"')[0]) for name in ("shared.svg", "apart.svg")]
        self.assertEqual(width[1], 2 * width[0])

    def test_against_another_column(self):
        self.scree("plot", "slow", "boundaries.gate.force_z_N", "--x", "kinetic_energy_J", "--average", "0.02", "-o", "x.svg")
        self.assertIn("kinetic energy (J)", self.read("x.svg").decode())

    def test_the_usual_ones_go_into_the_folder(self):
        self.scree("plot", "slow", "-o", "slow/plot.png")
        self.assertTrue(self.read("slow/plot.png").startswith(PNG))
        self.scree("plot", "slow")
        self.assertTrue(os.path.exists(os.path.join(self.holder.name, "slow", "plot.svg")))

    def test_mistakes_are_reported(self):
        self.assertIn("did you mean 'kinetic_energy_J'", self.scree("plot", "slow", "kinetic_enrgy_J", status=2).stderr)
        self.assertIn("none of these is a folder", self.scree("plot", "kinetic_energy_J", status=2).stderr)
        self.scree("plot", "nowhere/run", "contacts", status=6)
        self.scree("plot", "slow", "contacts", "-o", "plot.gif", status=2)
        self.scree("plot", "slow", "contacts", "-o", "slow/steps.png", "--log", "z", status=2)
        names = self.scree("plot", "slow", "--list").stdout.split()
        self.assertIn("boundaries.gate.force_z_N", names)
        self.assertIn("kinetic_energy_J", names)

    def test_means_of_fields(self):
        common = ["fields", "slow", "--from", "0.1", "--width", "0.1", "--to", "npy", "-q"]
        self.scree(*common, "-o", "each", "--low", "-0.5", "-0.5", "0", "--high", "0.5", "0.5", "0.6")
        self.scree(*common, "-o", "mean", "--average", "--low", "-0.5", "-0.5", "0", "--high", "0.5", "0.5", "0.6")
        folder = os.path.join(self.holder.name, "each")
        each = numpy.array([numpy.load(os.path.join(folder, name)) for name in sorted(os.listdir(folder))])
        mean = numpy.load(os.path.join(self.holder.name, "mean", "fields_mean.npy"))
        self.assertGreater(len(each), 5)
        self.assertEqual(mean.shape, each.shape[1:])
        scale = each["density"].max()
        self.assertGreater(scale, 100.0)
        numpy.testing.assert_allclose(mean["density"], each["density"].mean(axis=0), atol=1e-12 * scale)
        momentum = (each["density"][..., None] * each["velocity"]).mean(axis=0)
        numpy.testing.assert_allclose(mean["density"][..., None] * mean["velocity"], momentum, atol=1e-12 * scale)
        energy = (each["density"] * (3 * each["granular_temperature"] + (each["velocity"] ** 2).sum(axis=-1))).mean(axis=0)
        numpy.testing.assert_allclose(mean["density"] * (3 * mean["granular_temperature"] + (mean["velocity"] ** 2).sum(axis=-1)),
                                      energy, atol=1e-11 * scale)
        numpy.testing.assert_allclose(mean["contact_stress"], each["contact_stress"].mean(axis=0),
                                      atol=1e-12 * abs(each["contact_stress"]).max())
        numpy.testing.assert_allclose(mean["pressure"], numpy.trace(mean["contact_stress"] + mean["kinetic_stress"], axis1=-2, axis2=-1) / 3)
        low = mean["centre"][0, 0, 0]
        self.assertTrue((abs(mean["centre"][0, 0, 1] - low - [mean["centre"][0, 0, 1][0] - low[0], 0, 0]) < 1e-12).all())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
