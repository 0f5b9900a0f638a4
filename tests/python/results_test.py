"""scree.open(): the results of a run, compared with the files themselves."""

import math
import os
import signal
import struct
import tempfile
import time
import unittest
import zlib
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

    def test_frames_equal_the_file(self):
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

    def test_measurements(self):
        results = self.run_scene("measured", measurements=[
            dict(name="below", measure="flow", plane=dict(point=[0, 0, 0.1], normal=[0, 0, -1])),
            dict(name="layers", measure="profile", along=[0, 0, 1], cell=0.1,
                 region=dict(type="box", low=[-0.2, -0.2, 0], high=[0.2, 0.2, 0.5]))])
        flow = results.measurements["below"]["quantities"]["mass_flow_kg_s"]
        rows = results.measured("below")
        self.assertAlmostEqual(flow["mean"], rows["mass_flow_kg_s"].mean(), 12)
        self.assertEqual(flow["unit"], "kg/s")
        below = results.frames[-1].position[:, 2] < 0.1
        self.assertEqual(rows["bodies"].iloc[-1], below.sum() - (results.frames[0].position[:, 2] < 0.1).sum())
        self.assertEqual(len(results.distribution("layers")), 5)
        self.assertIn("measured_below", results.tables)
        self.assertEqual(self.results.measurements, {})

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

    def test_all_places_are_the_scenes(self):
        """With an origin at a distance of 1000 km single precision has steps of 6 cm: sums must be made in double."""
        far = np.array([1e6, -2e6, 50.0])
        low, high = (far + [-0.2, -0.2, 0.0]).tolist(), (far + [0.2, 0.2, 2.0]).tolist()
        region = dict(type="box", low=(far + [-0.2, -0.2, 0.1]).tolist(), high=high)
        results = self.run_scene(
            "farther", origin=far.tolist(), end_time=0.1, bodies=[dict(SCENE["bodies"][0], region=region)],
            boundaries=[dict(SCENE["boundaries"][0], low=low, high=high)])
        frame, table = results.frames[-1], results.to_xarray()
        np.testing.assert_array_equal(table.position[-1].sel(body=frame.id), frame.position)
        self.assertLess(np.abs(frame.position - far).max(), 2.0)
        self.assertLess(np.abs(frame.contacts.point - far).max(initial=0.0), 2.0)
        try:
            import vtk  # noqa: F401
        except ImportError:
            self.skipTest("VTK's Python is not there")
        fields = results.fields(low=low, high=high, width=0.1, cell=0.04)  # positions of the scene, not of the file
        self.assertAlmostEqual(float(fields.x[0]), low[0] + 0.02, delta=0.01)
        self.assertGreater(float(fields.density.max()), 0.0)

    def test_a_killed_runs_journal_is_looked_through(self):
        """Data that overwrite a part of the file wait in a journal. A run that was killed at this time has its last
        frames only there, and plain h5py sees the file without them (docs/file_formats.md)."""
        folder = self.folder / "journal"
        folder.mkdir()
        whole = (self.folder / "heap/trajectory.h5").read_bytes()
        torn, pages = bytearray(whole), []
        for number in (0, 1, len(whole) // 4096):  # the last one ends with the file
            page = whole[number * 4096:(number + 1) * 4096].ljust(4096, b"\0")
            pages.append(struct.pack("=Q", number) + page)
            torn[number * 4096:(number + 1) * 4096] = bytes(min(4096, len(whole) - number * 4096))
        (folder / "trajectory.h5").write_bytes(torn)
        os.utime(folder / "trajectory.h5", (0, 0))  # no program writes to it: no waiting
        with self.assertRaises(scree.ReadError):
            len(scree.open(folder).frames)
        body = b"".join(pages)
        journal = struct.pack("=8sQQ", b"ScreeJ01", len(pages), zlib.crc32(body)) + body
        (folder / "trajectory.h5.journal").write_bytes(journal)
        results = scree.open(folder)
        self.assertEqual(len(results.frames), len(self.results.frames))
        np.testing.assert_array_equal(results.frames[-1].position, self.results.frames[-1].position)
        self.assertTrue(results.to_xarray().equals(self.results.to_xarray()))
        self.assertEqual((folder / "trajectory.h5").read_bytes(), torn)  # read, but not changed
        (folder / "trajectory.h5.journal").write_bytes(journal[:-1] + b"x")  # incomplete: it is ignored
        with self.assertRaises(scree.ReadError):
            len(scree.open(folder).frames)

    def test_frames_whose_lists_are_missing_are_cut_off(self):
        from scree.results_file import whole_frames

        for offset, frames, rows, expected in (([0, 2, 4], 2, 4, [0, 2, 4]), ([0, 2, 4], 2, 3, [0, 2]),
                                               ([0, 2, 0], 2, 4, [0, 2]), ([0, 2, 4], 1, 4, [0, 2]),
                                               ([0, 0, 0], 2, 0, [0, 0, 0])):
            self.assertEqual(list(whole_frames(np.array(offset), frames, rows)), expected)

    def test_a_run_that_was_killed_is_read(self):
        """The number of frames on the disk varies; they are those that the program finds, and complete."""
        import subprocess

        folder = self.folder / "killed"
        scene = scree.Scene({**SCENE, "name": "killed", "end_time": 1000.0}).save(self.folder / "killed.toml")
        run = subprocess.Popen([scree.program.path(), "run", scene, "-o", folder, "-q", "--threads", "1"])
        try:
            while not (folder / "steps.csv").exists() or (folder / "steps.csv").stat().st_size < 1_000_000:
                self.assertIsNone(run.poll())
                time.sleep(0.01)
        finally:
            run.send_signal(signal.SIGKILL)
            run.wait()
        results = scree.open(folder)
        self.assertEqual(results.status, "running")
        self.assertEqual(len(results.frames), len(results.times))
        self.assertGreater(len(results.frames), 0)
        for frame in results.frames:
            self.assertEqual(len(frame), 60)
            np.testing.assert_allclose(np.linalg.norm(frame.orientation, axis=1), 1.0, atol=1e-5)
        self.assertGreater(len(results.steps), 100)
        self.assertIn(f" {len(results.frames)} frames", results.verify())

    def test_a_run_without_trajectory(self):
        results = self.run_scene("tables", output=dict(hdf5=False, vtk=False), end_time=0.01)
        self.assertIn("no frames", repr(results))
        self.assertEqual(len(results.steps), 10)
        with self.assertRaisesRegex(scree.ReadError, "output.hdf5"):
            results.frames[0]
        with results as same:
            self.assertIs(same, results)

    def test_hashes_stay_texts(self):
        """A column of hexadecimal digits may look like numbers: 12e4567890123456 is infinite."""
        folder = self.folder / "hashes"
        folder.mkdir()
        (folder / "steps.csv").write_text("step,time_s,state_hash\n1,0.1,12e4567890123456\n2,0.2,0012345678901234\n")
        self.assertEqual(list(scree.open(folder).steps["state_hash"]), ["12e4567890123456", "0012345678901234"])

    def test_bounding_radii(self):
        """Two balls of radius 1, 1 apart: 1.5 from the middle. A ball of radius 1 by a function, off its origin."""
        clumps = self.run_scene(
            "reach", end_time=0.01,
            shapes=[dict(name="pair", members=[dict(semi_axes=[1, 1, 1], position=[3.5, 0, 0]),
                                               dict(semi_axes=[1, 1, 1], position=[4.5, 0, 0])])],
            bodies=[dict(shape="pair", size=0.05, position=[0, 0, 0.3], material="stone"),
                    dict(semi_axes=[0.03, 0.05, 0.04], position=[0, 0, 0.5], material="stone")])
        np.testing.assert_allclose(clumps.frames[-1].bounding_radius, [0.075, 0.05], rtol=0.01)
        from scree.results_shapes import of_function

        ball = [-2, -2, -2, 0, 0, 0, 14, 0, 0, -48]  # 1 - |x - (7, 0, 0)|^2 / 1, as in (F1)
        self.assertAlmostEqual(of_function(ball, [], [], 0.8), 1.0, delta=0.01)
        half = [0, 0, 0, 0, 0, 0, 0, 0, 1, 0]  # above the middle it falls steeply: half a ball, its centre 3/8 lower
        reach = of_function(ball, [half], [-1e4], 0.8)
        self.assertAlmostEqual(reach, math.hypot(1.0, 3 / 8), delta=0.015)

    def test_diagrams_have_units_and_a_line_a_wall(self):
        axes = self.results.plot("kinetic_energy_J")
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("time (s)", "kinetic energy (J)"))
        axes = self.results.plot("momentum_x_kg_m_s", "momentum_z_kg_m_s")
        self.assertEqual(axes.get_ylabel(), "(kg m/s)")
        axes = self.results.plot("force_z_N", table="boundaries")
        self.assertEqual([line.get_label() for line in axes.lines], self.results.boundaries)
        self.assertTrue(all(len(line.get_xdata()) == 300 for line in axes.lines))
        name = self.results.boundaries[-1]
        table = self.results.table("boundaries")
        axes = self.results.plot("force_z_N", table="boundaries", only=name)
        np.testing.assert_array_equal(axes.lines[0].get_ydata(), table[table["boundary"] == name]["force_z_N"])
        with self.assertRaisesRegex(KeyError, "box"):
            self.results.plot("force_z_N", table="boundaries", only="lid")

    def test_drawings_have_units_and_names(self):
        frame = self.results.frames[-1]
        bar = lambda axes: axes.figure.axes[-1]  # noqa: E731
        self.assertEqual(bar(frame.plot()).get_ylabel(), "speed (m/s)")
        self.assertEqual(bar(frame.plot(color="kinetic_energy")).get_ylabel(), "kinetic energy (J)")
        materials = bar(frame.plot(color="material"))
        self.assertEqual([tick.get_text() for tick in materials.get_yticklabels()], ["stone", "wall"])
        self.assertEqual(len(frame.plot(colorbar=False).figure.axes), 1)
        with self.assertRaisesRegex(ValueError, "two of x, y and z"):
            frame.plot(plane="xx")
        with self.assertRaisesRegex(KeyError, "overlap"):
            frame.plot(color="charm")

    def test_options_are_the_programs(self):
        picture = self.results.render(self.folder / "small.png", time=np.float64(0.2), size=(64, 48), samples=1,
                                      range=np.array([0.0, 1.0]), no_labels=True)
        self.assertEqual(struct.unpack(">II", picture.read_bytes()[16:24]), (64, 48))
        self.assertEqual(self.results._arguments({"from_": 0.1, "no_walls": False}), ["--from", "0.1"])

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
        """An ellipsoid extends to sqrt(n S n) along n: compared with the farthest of many points on its surface."""
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
        self.assertAlmostEqual(mass / self.bodies.mass.sum(), 1.0, delta=0.05)  # kernels are cut off at the grid's edge
        self.assertEqual(fields["velocity"].dims[-1], "axis")

    def test_grids_that_move_keep_their_cells(self):
        """A squeezed cell has a different grid at each time, sometimes with fewer cells. If arrays were joined by
        position, cells of one time would be among gaps of the others."""
        try:
            import vtk  # noqa: F401
        except ImportError:
            self.skipTest("VTK's Python is not there")
        results = self.run_scene(
            "squeezed", gravity=[0, 0, 0], boundaries=[], end_time=0.1, output=dict(interval=0.05),
            cell=dict(low=[-0.2, -0.2, -0.2], high=[0.2, 0.2, 0.2], flow=[dict(gradient_y=[0, -2, 0])]),
            bodies=[dict(SCENE["bodies"][0], count=20,
                         region=dict(type="box", low=[-0.2, -0.2, -0.2], high=[0.2, 0.2, 0.2]))])
        fields = results.fields(from_=0.0, width=0.1)
        self.assertEqual(fields["density"].dims, ("time", "k", "j", "i"))
        cells = [int(np.isfinite(fields["density"][k]).sum()) for k in range(3)]
        alone = [results.fields(time=time, width=0.1)["density"].shape[1:] for time in results.times]
        self.assertEqual(fields["density"].shape[1:], tuple(np.max(alone, axis=0)))
        for k, frame in enumerate(results.frames):  # the mean density is mass over volume, at each time
            height = 0.4 * float(np.exp(-2 * frame.time))
            mean = float(fields["density"][k].mean())
            self.assertAlmostEqual(mean * 0.16 * height / frame.mass.sum(), 1.0, delta=0.01)
        self.assertGreater(cells[0], cells[-1])

    def test_folders_that_are_no_runs(self):
        with self.assertRaises(FileNotFoundError):
            scree.open(self.folder / "nothing")
        (self.folder / "empty").mkdir()
        with self.assertRaisesRegex(scree.ReadError, "has no results"):
            scree.open(self.folder / "empty")
        (self.folder / "bad").mkdir()
        (self.folder / "bad/trajectory.h5").write_text("no HDF5")
        with self.assertRaises(scree.ReadError):
            scree.open(self.folder / "bad").times

    def test_a_run_that_goes_on_is_read(self):
        run = scree.Run(scree.Scene(SCENE, name="going"), folder=self.folder / "going")
        run.until(0.2)
        results = run.results
        self.assertEqual(run.render(self.folder / "going.png").read_bytes()[:4], b"\x89PNG")
        self.assertIn("<iframe", run.show()._repr_html_())
        with self.assertRaisesRegex(ValueError, "has no folder"):
            scree.Run(scree.Scene(SCENE)).show()
        self.assertEqual(results.status, "running")
        with self.assertRaisesRegex(scree.ReadError, "has not finished"):
            results.summary
        run.finish()
        self.assertEqual(results.status, "interrupted")
        self.assertGreaterEqual(len(results.frames), 4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
