"""scree.open(): what a run left, against the files themselves."""

import math
import tempfile
import unittest
from pathlib import Path

import h5py
import matplotlib
import numpy as np

import scree

matplotlib.use("Agg")
SCENE = dict(
    name="heap", gravity=[0, 0, -9.81], time_step=0.001, end_time=0.3,
    materials=[dict(name="stone", density=2500.0, friction=0.4), dict(name="wall", density=1000.0)],
    bodies=[dict(generate="lattice", count=60, semi_axes=[0.05, 0.04, 0.03], jitter=0.005, orientation="random", material="stone",
                 region=dict(type="box", low=[-0.2, -0.2, 0.1], high=[0.2, 0.2, 2.0]))],
    boundaries=[dict(name="box", type="box", low=[-0.2, -0.2, 0.0], high=[0.2, 0.2, 2.0], open=["+z"], material="wall")],
    output=dict(interval=0.05, fields=["kinetic_energy", "overlap"]))


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        with scree.Run(scree.Scene(SCENE), folder=cls.folder / "heap") as run:
            run.until()
            cls.bodies = run.bodies
            cls.report = run.report
        cls.results = scree.open(cls.folder / "heap")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_scene(self, name, **more):
        with scree.Run(scree.Scene({**SCENE, "name": name, **more}), folder=self.folder / name) as run:
            run.until()
        return scree.open(self.folder / name)

    def test_frames_are_what_the_file_holds(self):
        frame = self.results.frames[-1]
        with h5py.File(self.folder / "heap/trajectory.h5") as file:
            rows = slice(*file["frames/offset"][-2:])
            np.testing.assert_array_equal(frame.position, file["frames/position"][rows])
            np.testing.assert_array_equal(frame.orientation, file["frames/orientation"][rows])
            np.testing.assert_array_equal(frame["kinetic_energy"], file["frames/kinetic_energy"][rows])
            self.assertEqual(len(self.results.frames), len(file["frames/time"]))
        self.assertTrue(np.all(np.diff(frame.id) > 0))
        np.testing.assert_allclose(frame.position, self.bodies.position, atol=1e-6)  # single precision of metres
        np.testing.assert_allclose(frame.semi_axes, np.tile([0.05, 0.04, 0.03], (60, 1)))
        np.testing.assert_allclose(frame.mass, self.bodies.mass)
        self.assertEqual(set(frame.kind), {"ellipsoid"})
        self.assertEqual(set(frame.fields) - {"position", "orientation", "velocity", "angular_velocity"}, {"kinetic_energy", "overlap"})
        with self.assertRaisesRegex(KeyError, "overlap"):
            frame["asleep"]
        table = frame.to_dataframe()
        np.testing.assert_array_equal(table["position_z"], frame.position[:, 2])

    def test_frames_are_a_sequence(self):
        frames = self.results.frames
        self.assertEqual(len(frames), 7)
        self.assertEqual([f.number for f in frames], list(range(7)))
        self.assertEqual([f.number for f in frames[1::2]], [1, 3, 5])
        self.assertEqual(frames[-1].number, 6)
        with self.assertRaises(IndexError):
            frames[7]
        np.testing.assert_allclose(self.results.times, np.arange(7) * 0.05, atol=1e-9)
        self.assertEqual(self.results.frame_at(0.12).number, 2)

    def test_tables(self):
        steps = self.results.steps
        self.assertEqual(len(steps), 300)
        self.assertEqual(steps["kinetic_energy_J"].iloc[-1], self.report.kinetic_energy_J)  # to the last digit
        self.assertEqual(steps.index[-1], 300)
        self.assertIn("boundaries", self.results.tables)
        self.assertEqual(len(self.results.table("boundaries")), 300 * 5)
        with self.assertRaisesRegex(KeyError, "boundaries"):
            self.results.table("joints")
        self.assertEqual(len(self.results.events), 0)

    def test_contacts(self):
        contacts = self.results.frames[-1].contacts
        with h5py.File(self.folder / "heap/trajectory.h5") as file:
            start, end = file["contacts/offset"][-2:]
            self.assertEqual(len(contacts), end - start)
            ids = file["bodies/id"][()]
            np.testing.assert_array_equal(contacts.a, ids[file["contacts/body_a"][start:end]])
        walls = contacts.b == -1
        self.assertTrue(np.all((contacts.boundary >= 0) == walls))
        self.assertEqual(contacts.boundary_names, self.results.boundaries)
        np.testing.assert_allclose(contacts.force * 0.001, contacts.impulse, rtol=1e-5)
        self.assertEqual(len(contacts.to_dataframe()), len(contacts))
        plain = self.run_scene("plain", output=dict(interval=0.05, contacts=False))
        with self.assertRaisesRegex(KeyError, "without contacts"):
            plain.frames[0].contacts

    def test_verdict_summary_and_scene(self):
        self.assertEqual(self.results.status, "finished")
        self.assertEqual(self.results.summary["bodies"], 60)
        self.assertIn(self.results.verdict.grade, ("green", "amber", "red"))
        self.assertIn(self.results.verdict.grade, str(self.results.verdict))
        self.assertEqual(self.results.scene.to_dict()["name"], "heap")
        self.assertEqual(scree.Run(self.results.scene).state_hash, scree.Run(scree.Scene(SCENE)).state_hash)
        self.assertEqual(self.results.materials, ["stone", "wall"])
        hasty = self.run_scene("hasty", time_step=0.02, solver=dict(max_sweeps=1))
        self.assertFalse(hasty.verdict)
        self.assertIn(hasty.verdict.findings[0]["advice"], str(hasty.verdict))

    def test_bodies_that_come_and_go(self):
        results = self.run_scene(
            "flow", bodies=[], inlets=[dict(name="in", material="stone", semi_axes=[0.03, 0.03, 0.03], number_rate=100,
                                            velocity=[0, 0, -1],
                                            region=dict(type="box", low=[-0.1, -0.1, 1.0], high=[0.1, 0.1, 1.2]))])
        table = results.to_xarray()
        counts = [len(f) for f in results.frames]
        self.assertEqual(counts[0], 0)
        self.assertGreater(counts[-1], counts[1])
        np.testing.assert_array_equal(np.isfinite(table.position[..., 0]).sum("body"), counts)
        last = results.frames[-1]
        np.testing.assert_array_equal(table.position.sel(body=last.id)[-1], last.position)
        self.assertEqual(table.position.attrs["units"], "m")
        self.assertEqual(table.sizes["xyz"], 3)

    def test_an_origin_is_added(self):
        far = [1e5, -2e5, 50.0]
        moved = {**SCENE, "bodies": [dict(SCENE["bodies"][0], region=dict(type="box", low=[99999.8, -200000.2, 50.1], high=[100000.2, -199999.8, 52.0]))],
                 "boundaries": [dict(SCENE["boundaries"][0], low=[99999.8, -200000.2, 50.0], high=[100000.2, -199999.8, 52.0])],
                 "origin": far, "end_time": 0.05}
        with scree.Run(scree.Scene(moved, name="far"), folder=self.folder / "far") as run:
            run.until()
            expected = run.bodies.position
        np.testing.assert_allclose(scree.open(self.folder / "far").frames[-1].position, expected, atol=1e-6)

    def test_other_shapes(self):
        clumps = self.run_scene(
            "clumps", shapes=[dict(name="pair", members=[dict(semi_axes=[1, 1, 1], position=[-0.5, 0, 0]),
                                                                       dict(semi_axes=[1, 1, 1], position=[0.5, 0, 0])])],
            bodies=[dict(shape="pair", size=0.05, position=[0, 0, 0.3], material="stone")])
        frame = clumps.frames[-1]
        self.assertEqual((list(frame.kind), frame.shape, list(frame.size)), (["clump"], ["pair"], [0.05]))
        self.assertEqual(clumps.shapes, ["pair"])
        frame.plot()

    def test_outlines_are_those_of_ellipsoids(self):
        """An ellipsoid reaches sqrt(n S n) along n: against the farthest of many points of its surface."""
        frame = self.results.frames[-1]
        random = np.random.default_rng(1)
        u = random.normal(size=(20000, 3))
        u /= np.linalg.norm(u, axis=1)[:, None]
        w, x, y, z = frame.orientation[7].astype(float)
        q = np.array([x, y, z])
        points = u * frame.semi_axes[7]
        points = points + 2 * np.cross(q, np.cross(q, points) + w * points)
        for n in np.eye(3):
            self.assertAlmostEqual((points @ n).max() / math.sqrt(n @ frame._outlines()[7] @ n), 1.0, delta=3e-3)

    def test_pictures(self):
        axes = self.results.frames[-1].plot(color="kinetic_energy", plane="yz")
        self.assertEqual(len(axes.collections), 1)
        self.assertEqual(axes.get_xlabel(), "y (m)")
        axes = self.results.plot("kinetic_energy_J", "potential_energy_J")
        self.assertEqual(len(axes.lines), 2)
        with self.assertRaisesRegex(KeyError, "no column"):
            self.results.plot("speed_of_light")
        picture = self.results.render(self.folder / "x.png", time=0.2)
        self.assertEqual(picture.read_bytes()[:4], b"\x89PNG")
        with self.assertRaisesRegex(scree.ProgramError, "color"):
            self.results.render(self.folder / "y.png", color="nonsense")
        page = self.results.show()
        self.assertIn("<html", page.html)
        self.assertIn("<iframe", page._repr_html_())
        self.results.verify()
        with open(self.folder / "heap/steps.csv", "r+b") as file:
            whole = file.read()
            file.seek(2000)
            file.write(b"9")
        with self.assertRaisesRegex(scree.ProgramError, "steps.csv"):
            self.results.verify()
        (self.folder / "heap/steps.csv").write_bytes(whole)

    def test_fields(self):
        try:
            import vtk  # noqa: F401
        except ImportError:
            self.skipTest("VTK's Python is not there")
        fields = self.results.fields(time=[0.2, 0.3], width=0.1)
        self.assertEqual(fields.sizes["time"], 2)
        cell = float(fields.x[1] - fields.x[0])
        mass = float((fields.density[-1] * cell**3).sum())
        self.assertAlmostEqual(mass / self.bodies.mass.sum(), 1.0, delta=0.05)  # kernels at the grid's edge are cut off
        self.assertEqual(fields["velocity"].dims[-1], "axis")

    def test_what_is_no_run(self):
        with self.assertRaises(FileNotFoundError):
            scree.open(self.folder / "nothing")
        (self.folder / "empty").mkdir()
        with self.assertRaisesRegex(scree.ReadError, "holds no results"):
            scree.open(self.folder / "empty")
        (self.folder / "bad").mkdir()
        (self.folder / "bad/trajectory.h5").write_text("no HDF5")
        with self.assertRaises(scree.ReadError):
            scree.open(self.folder / "bad").times

    def test_a_run_that_goes_on_is_read(self):
        run = scree.Run(scree.Scene(SCENE, name="going"), folder=self.folder / "going")
        run.until(0.2)
        results = scree.open(self.folder / "going")
        self.assertEqual(results.status, "running")
        with self.assertRaisesRegex(scree.ReadError, "goes on"):
            results.summary
        run.finish()
        self.assertEqual(results.status, "interrupted")
        self.assertGreaterEqual(len(results.frames), 4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
