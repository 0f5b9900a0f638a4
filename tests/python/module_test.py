"""The package scree: scenes, runs, and their errors."""

import gc
import math
import multiprocessing
import os
import pickle
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import weakref
from pathlib import Path

import numpy as np

import scree

SOURCE = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("SCREE_PROGRAM", str(SOURCE / "build/release/tools/scree"))


def box(count=40, **more):
    """Ellipsoids that fall into a box."""
    keys = dict(
        name="box", gravity=[0, 0, -9.81], time_step=0.001, end_time=0.4,
        materials=[dict(name="stone", density=2500.0, friction=0.4)],
        bodies=[dict(generate="lattice", count=count, semi_axes=[0.05, 0.04, 0.03], jitter=0.005,
                     region=dict(type="box", low=[-0.2, -0.2, 0.1], high=[0.2, 0.2, 2.0]))],
        boundaries=[dict(name="box", type="box", low=[-0.2, -0.2, 0.0], high=[0.2, 0.2, 2.0], open=["+z"])],
        output=dict(interval=0.02))
    keys.update(more)
    return scree.Scene(keys)


def one_ball(**more):
    keys = dict(name="ball", gravity=[0, 0, 0], time_step=0.001, end_time=10.0,
                materials=[dict(name="stone", density=1000.0)],
                bodies=[dict(semi_axes=[0.1, 0.1, 0.1], position=[1, 0, 0], velocity=[0, 0, 0])])
    keys.update(more)
    return scree.Scene(keys)


DRUM = dict(
    name="drum", gravity=[0, 0, -9.81], time_step=0.001, end_time=1.0,
    materials=[dict(name="stone", density=2500.0)],
    parts=[dict(name="drum", freedom="about", axis=[0, 1, 0], point=[0, 0, 0], inertia=0.5)],
    bodies=[dict(radius=0.02, position=[0, 0, -0.1])],
    boundaries=[dict(name="shell", type="tube", part="drum", start=[0, -0.2, 0], end=[0, 0.2, 0], inner_radius=0.2, thickness=0.02),
                dict(name="low", type="plane", normal=[0, 1, 0], point=[0, -0.2, 0]),
                dict(name="high", type="plane", normal=[0, -1, 0], point=[0, 0.2, 0])])


def python(code, **options):
    """Runs code in a separate interpreter."""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, env=environment,
                          timeout=100, cwd=Path(__file__).parent, **options)


class Scenes(unittest.TestCase):
    def test_a_file_is_read_as_the_program_reads_it(self):
        scene = scree.load(SOURCE / "scenes/inclined_tube/inclined_tube.toml")
        self.assertEqual(scene.name, "inclined_tube")
        self.assertEqual(scene.check(), [])
        shorter = scree.load(SOURCE / "scenes/inclined_tube/inclined_tube.toml", {"end_time": 0.5})
        self.assertEqual(shorter.end_time, 0.5)
        self.assertEqual(scree.Run(shorter).state_hash, scree.Run(scene).state_hash)

    def test_all_faults_are_reported_at_once(self):
        bad = box(time_step=-1.0, materials=[dict(name="stone", density=2500.0, fricton=0.4)])
        with self.assertRaises(scree.SceneError) as caught:
            bad.check()
        faults = {fault.path: fault for fault in caught.exception.faults}
        self.assertEqual(set(faults), {"time_step", "materials[0].fricton"})
        self.assertIn("> 0", faults["time_step"].allowed)
        self.assertEqual(faults["time_step"].unit, "s")
        self.assertIn("friction", faults["materials[0].fricton"].suggestion)
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual(str(again), str(caught.exception))
        with self.assertRaises(FileNotFoundError):
            scree.load("no/such/scene.toml")

    def test_arrays_are_tables_and_the_file_of_it_is_the_same_scene(self):
        random = np.random.default_rng(7)
        x = np.stack(np.meshgrid(*3 * [np.arange(3) * 0.25]), -1).reshape(-1, 3) + [0, 0, 0.2]
        x += random.uniform(-0.01, 0.01, x.shape)
        scene = box(bodies=[dict(position=x, semi_axes=random.uniform(0.03, 0.05, x.shape),
                                 velocity=random.normal(0, 0.1, x.shape))],
                    boundaries=[dict(name="floor", type="plane", normal=[0, 0, 1], point=[0, 0, 0])])
        run = scree.Run(scene)
        np.testing.assert_array_equal(run.bodies.position, x)  # to the last bit
        with tempfile.TemporaryDirectory() as folder:
            one_by_one = Path(folder) / "text.toml"
            one_by_one.write_text(scene.to_toml())
            saved = scene.save(Path(folder) / "saved.toml")
            self.assertTrue((Path(folder) / "saved_bodies_0.csv").exists())
            for file in (one_by_one, saved):
                self.assertEqual(scree.Run(file).state_hash, run.state_hash, file)

    def test_a_data_frame_is_a_table(self):
        import pandas
        table = pandas.DataFrame(dict(x=[0.0, 0.5], y=[0.0, 0.0], z=[0.3, 0.3], radius=[0.1, 0.2]))
        run = scree.Run(box(bodies=[dict(table=table)], boundaries=[]))
        np.testing.assert_array_equal(run.bodies.semi_axes[:, 0], [0.1, 0.2])

    def test_text_comes_back_as_it_was(self):
        scene = box()
        again = scree.Scene(scene.to_dict())
        self.assertEqual(scene.to_toml(), again.to_toml())
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.toml"
            path.write_text(scene.to_toml())
            read = scree.load(path, {"bodies[0].count": 12, "solver.tolerance": 1e-6})
            self.assertEqual(read.to_dict()["bodies"][0]["count"], 12)
            path.write_text(read.to_toml())
            self.assertEqual(scree.Run(path).state_hash, scree.Run(read).state_hash)
            self.assertEqual(len(scree.Run(path)), 12)

    def test_values_that_no_file_can_have_are_refused(self):
        with self.assertRaisesRegex(TypeError, "complex"):
            box(end_time=1j).check()
        self.assertIn("\\\"", scree.Scene(name='a "b"').to_toml())

    def test_arrays_and_paths_that_do_not_fit_are_reported_as_other_faults(self):
        floor = box(bodies=[dict(radius=0.01, position=[0, 0, 0.2])])
        for wrong, words in ((lambda: box(bodies=[dict(position=np.zeros((2, 2)), radius=0.1)]), r"bodies.position: must have the shape \(2, 3\)"),
                             (lambda: box(bodies=[dict(position=np.zeros((2, 3)), radius=[1, 1, 1])]), r"bodies.radius: .*\(2\)"),
                             (lambda: floor.with_overrides({"materials[3].friction": 1}), "there are 1 elements"),
                             (lambda: floor.with_overrides({"materials[0.friction": 1}), "is not the path"),
                             (lambda: floor.with_overrides({"material[0].friction": 1}), "material"),
                             (lambda: box(materials=[]), "materials: is missing")):
            with self.assertRaisesRegex(scree.SceneError, words):
                wrong().check()
        with self.assertRaisesRegex(TypeError, "scree.load"):
            scree.Scene("a.toml")

    def test_overrides_reach_into_arrays_and_tuples(self):
        for gravity in (np.array([0.0, 0.0, -9.81]), (0.0, 0.0, -9.81), [0.0, 0.0, -9.81]):
            scene = one_ball(gravity=gravity)
            moon = scene.with_overrides({"gravity[2]": -1.62, "bodies[0].position[0]": 3.0})
            self.assertEqual(list(moon.to_dict()["gravity"]), [0.0, 0.0, -1.62])
            self.assertEqual(moon.to_dict()["bodies"][0]["position"][0], 3.0)
            self.assertEqual(list(scene.to_dict()["gravity"]), [0.0, 0.0, -9.81])

    def test_tables_have_whole_columns(self):
        """Columns of other lengths are a fault; texts may contain commas; the time comes first, whatever its place."""
        with self.assertRaises(scree.SceneError) as caught:
            one_ball(bodies=[dict(radius=0.1, table=dict(x=[0, 1, 2, 3], y=[0] * 4, z=[0, 0]))]).check()
        self.assertIn("z: 2", str(caught.exception))
        wet = one_ball(materials=[dict(name="wet, sand", density=1000.0), dict(name="dry", density=1000.0)], bodies=[dict(
            position=[[0, 0, 0], [1, 0, 0]], radius=[0.1, 0.2], material=["wet, sand", "dry"])])
        self.assertEqual(wet.check(), [])
        moves = [dict(type="translation", direction=[0, 0, 1], table=table) for table in (
            dict(time=[0.0, 1.0], distance=[0.0, 2.0]), dict(distance=[0.0, 2.0], time=[0.0, 1.0]))]
        places = []
        for move in moves:
            run = scree.Run(one_ball(boundaries=[dict(type="plane", name="floor", point=[0, 0, -5], motion=[move])]))
            run.until(0.5)
            places.append(run.state_hash)
        self.assertEqual(places[0], places[1])

    def test_a_saved_scene_takes_its_files_along(self):
        with tempfile.TemporaryDirectory() as folder:
            scree.load(SOURCE / "scenes/settling_box/settling_box.toml").save(Path(folder) / "new/box.toml")
            again = scree.load(Path(folder) / "new/box.toml")
            again.check()
            self.assertTrue((Path(folder) / "new/n1000.csv").exists())
            (Path(folder) / "other").mkdir()
            (Path(folder) / "other/n1000.csv").write_text("x,y,z\n")
            with self.assertRaises(FileExistsError):
                again.save(Path(folder) / "other/box.toml")

    def test_files_of_other_editors(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "s.toml"
            file.write_text('name = "marked"\nend_time = 1\n', encoding="utf-8-sig")
            self.assertEqual(scree.load(file).to_dict()["name"], "marked")
            file.write_bytes('name = "Körner"\n'.encode("latin-1"))
            with self.assertRaises(scree.SceneError):
                scree.load(file)
        for wrong in ({"bodies": 5}, {"bodies": [5]}):
            with self.assertRaises(scree.SceneError):
                one_ball().with_overrides(wrong).check()

    def test_a_scene_is_a_value(self):
        scene = box()
        self.assertEqual(scene, box())
        self.assertNotEqual(scene, box(count=41))
        self.assertEqual(pickle.loads(pickle.dumps(scene)), scene)
        keys = scene.to_dict()
        keys["bodies"][0]["count"] = 1
        self.assertEqual(len(scree.Run(scene)), 40)
        self.assertEqual(len(scree.Run(scene.with_overrides({"bodies[0].count": 5}))), 5)


class SameBits(unittest.TestCase):
    def program_hash(self, file, folder):
        subprocess.run([PROGRAM, "run", str(file), "-q", "-o", str(folder)], check=True, capture_output=True, timeout=100)
        return scree.open(folder).summary["state_hash"]

    def test_steps_have_the_bits_of_the_program_on_any_threads(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, scene in (("fixed", box()), ("adaptive", box(time_step="adaptive"))):
                file = scene.save(Path(folder) / f"{name}.toml")
                expected = self.program_hash(file, Path(folder) / name)
                for threads in (1, 2, 4):
                    run = scree.Run(file, threads=threads)
                    run.until()
                    self.assertEqual(run.state_hash, expected, (name, threads))
            run = scree.Run(Path(folder) / "fixed.toml")
            for _ in range(400):
                run.step()
            self.assertEqual(run.state_hash, self.program_hash(Path(folder) / "fixed.toml", Path(folder) / "again"))

    def test_a_recorded_run_writes_the_same_files_as_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            file = box().save(Path(folder) / "a.toml")
            expected = self.program_hash(file, Path(folder) / "program")
            with scree.Run(file, folder=Path(folder) / "python") as run:
                run.until()
            results = scree.open(Path(folder) / "python")
            self.assertEqual(results.summary["state_hash"], expected)
            self.assertEqual(results.status, "finished")
            for name in ("trajectory.h5", "steps.csv", "boundaries.csv"):
                self.assertTrue((Path(folder) / "python" / name).exists(), name)
            a, b = (scree.open(Path(folder) / name).frames[-1].position for name in ("python", "program"))
            np.testing.assert_array_equal(a, b)
            with self.assertRaises(scree.WriteError):
                scree.Run(file, folder=Path(folder) / "python")
            with self.assertRaisesRegex(RuntimeError, "finished"):
                run.step()
            done = subprocess.run([PROGRAM, "verify", str(Path(folder) / "python")], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_recorded_run_of_arrays_goes_on_with_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            x = np.array([[0, 0, 0.1 + 0.1 * k] for k in range(5)])
            scene = box(bodies=[dict(position=x, radius=np.full(5, 0.04))])
            with scree.Run(scene, folder=Path(folder) / "r") as run:
                run.until(0.1)
            self.assertEqual(scree.open(Path(folder) / "r").status, "interrupted")
            del run, scene
            gc.collect()
            subprocess.run([PROGRAM, "run", "--resume", str(Path(folder) / "r"), "-q"], check=True, capture_output=True)
            whole = scree.Run(box(bodies=[dict(position=x, radius=np.full(5, 0.04))]))
            whole.until()
            self.assertEqual(scree.open(Path(folder) / "r").summary["state_hash"], whole.state_hash)

    def test_a_refused_run_leaves_the_inputs_of_the_other(self):
        """And the folder of a run may move: its inputs are in it."""
        def balls(count):
            return one_ball(end_time=0.2, bodies=[dict(position=[[0.3 * i, 0, 0] for i in range(count)], radius=[0.1] * count)])

        with tempfile.TemporaryDirectory() as folder:
            run = scree.Run(balls(3), folder=Path(folder) / "a")
            run.until(0.1)
            with self.assertRaises(scree.WriteError):  # it is being written
                scree.Run(balls(5), folder=Path(folder) / "a", overwrite=True)
            run.finish()
            with self.assertRaises(scree.WriteError):
                scree.Run(balls(5), folder=Path(folder) / "a")
            os.rename(Path(folder) / "a", Path(folder) / "b")
            done = subprocess.run([PROGRAM, "run", "--resume", str(Path(folder) / "b"), "-q"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(scree.open(Path(folder) / "b").summary["bodies"], 3)

    def test_values_that_no_checkpoint_has_are_reported_when_a_run_continues(self):
        with tempfile.TemporaryDirectory() as folder:
            file = box().save(Path(folder) / "a.toml")
            for name, act in (("set", lambda run: run.set(0, velocity=[0, 0, 1])), ("forces", lambda run: setattr(run, "forces", lambda b: None)),
                              ("belt", lambda run: setattr(run.boundaries["box.-z"], "surface_velocity", [1, 0, 0]))):
                with scree.Run(file, folder=Path(folder) / name) as run:
                    run.step(20)
                    act(run)
                    run.step(20)
                done = subprocess.run([PROGRAM, "run", "--resume", str(Path(folder) / name), "-q"], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual("the run continues without them and will differ" in done.stderr, name != "set", done.stderr)
            with self.assertRaisesRegex(scree.WriteError, "overwrite=True"):
                scree.Run(file, folder=Path(folder) / "belt")
            scree.Run(file, folder=Path(folder) / "belt", overwrite=True).finish()
            self.assertFalse((Path(folder) / "belt/acted_on.txt").exists())

    def test_states_go_on_with_the_same_bits(self):
        for more in ({}, dict(time_step="adaptive"), dict(sleep=dict(enabled=True))):
            try:
                run = scree.Run(box(**more), threads=2)
            except scree.SceneError:
                run = scree.Run(box(), threads=2)
            run.until(0.2)
            kept = run.state()
            force = run.boundaries[4].force
            run.until(0.4)
            expected = run.state_hash
            for state in (kept, pickle.loads(pickle.dumps(kept))):
                run.restore(state)
                self.assertEqual(run.state_hash, kept.hash)
                run.until(0.4)
                self.assertEqual(run.state_hash, expected)
                other = scree.Run(run.scene, threads=1)
                other.restore(state)
                other.until(0.4)
                self.assertEqual(other.state_hash, expected)
            run.restore(kept)
            np.testing.assert_array_equal(run.boundaries[4].force, force)
        with self.assertRaisesRegex(ValueError, "another scene"):
            scree.Run(box(count=3)).restore(kept)
        arrays = box(bodies=[dict(position=[[0, 0, 0.1], [0, 0, 0.3]], radius=[0.05, 0.04])])
        first = scree.Run(arrays)
        first.step(5)
        there = scree.Run(pickle.loads(pickle.dumps(arrays)))  # its tables are elsewhere
        there.restore(pickle.loads(pickle.dumps(first.state())))
        self.assertEqual(there.state_hash, first.state_hash)
        with tempfile.TemporaryDirectory() as folder:
            kept.save(Path(folder) / "state.h5")
            self.assertEqual(scree.State.load(f"{folder}/state.h5").hash, kept.hash)
            with open(f"{folder}/state.h5", "r+b") as file:
                file.seek(5000)
                file.write(b"damage")
            with self.assertRaises(scree.ReadError):
                scree.State.load(f"{folder}/state.h5")

    def test_setting_present_values_changes_no_bit(self):
        run, same = scree.Run(box()), scree.Run(box())
        for r in (run, same):
            r.until(0.2)
        b = run.bodies
        run.set(b.id, position=b.position, velocity=b.velocity, angular_velocity=b.angular_velocity)
        run.until(0.3)
        same.until(0.3)
        self.assertEqual(run.state_hash, same.state_hash)


class Looking(unittest.TestCase):
    def test_reports_by_the_clock_and_by_steps(self):
        run = scree.Run(box())
        times = [report.time for report in run.steps(every=0.1)]
        np.testing.assert_allclose(times, [0.1, 0.2, 0.3, 0.4], atol=0.6e-3)
        self.assertEqual(run.stopped, "end_time")
        run = scree.Run(box())
        numbers = [report.step for report in run.steps(until=0.01)]
        self.assertEqual(numbers, list(range(1, 11)))
        for every in (1e-9, 1e-4, 0.9e-3):  # shorter than a step: a report each step
            self.assertEqual([report.step for report in scree.Run(box()).steps(every=every, until=0.01)], list(range(1, 11)))
        report = run.report
        self.assertEqual(report.bodies, 40)
        self.assertEqual(report.to_dict()["time_s"], run.time)
        with self.assertRaises(AttributeError):
            report.no_such_quantity
        self.assertIn("step 10", repr(report))

    def test_a_report_is_over_all_of_its_steps(self):
        """Work of friction: the sum over single steps equals that of many at once, of until() and of steps(every)."""
        one, many, timed = (scree.Run(box(), threads=1) for _ in range(3))
        single = [one.step() for _ in range(300)]
        report = many.step(300)
        for name in ("dissipated_by_friction_J", "boundary_work_J", "sweeps", "force_work_J"):
            self.assertAlmostEqual(getattr(report, name), sum(getattr(r, name) for r in single), places=12)
        self.assertEqual(report.penetration_max, max(r.penetration_max for r in single))
        self.assertEqual((report.step, report.kinetic_energy_J), (300, single[-1].kinetic_energy_J))
        parts = list(timed.steps(every=0.1, until=0.3))
        self.assertAlmostEqual(sum(r.dissipated_by_friction_J for r in parts), report.dissipated_by_friction_J, places=12)
        self.assertEqual(timed.observables["dissipated_by_friction_J"], single[-1].dissipated_by_friction_J)  # the last

    def test_spelling_mistakes_are_reported(self):
        run = scree.Run(scree.Scene(DRUM))
        drum = run.parts["drum"]
        for thing, name, words in ((drum, "rate", "cannot be set"), (drum, "trque", "torque"), (run, "gravity", "set_gravity"),
                                   (run, "force", "forces"), (run.boundaries["shell"], "friction", "surface_velocity"),
                                   (drum.motion, "sped", "speed")):
            with self.assertRaisesRegex(AttributeError, words):
                setattr(thing, name, 1.0)
        with self.assertRaisesRegex(KeyError, "kinetic_energy_J"):
            run.observables["kinetic_energy"]
        with self.assertRaisesRegex(IndexError, "boundary 9 of 3"):
            run.boundaries[9]
        with self.assertRaisesRegex(ValueError, "no part carries it"):
            run.boundaries["low"].motion
        with self.assertRaisesRegex(ValueError, "has no motion"):
            drum.motion.start()
        for wrong in (lambda: setattr(drum, "torque", "much"), lambda: run.step(1.5)):
            with self.assertRaises((TypeError, ValueError)) as caught:
                wrong()
            self.assertNotIn("incompatible", str(caught.exception))

    def test_energy_of_free_fall_is_the_closed_form(self):
        run = scree.Run(one_ball(gravity=[0, 0, -9.81]))
        run.step(100)
        mass = run.bodies.mass[0]
        self.assertAlmostEqual(mass, 1000 * 4 / 3 * math.pi * 1e-3, places=12)
        self.assertAlmostEqual(run.observables["kinetic_energy_J"] / (0.5 * mass * 0.981**2), 1.0, places=12)
        self.assertEqual(run.observables.describe("kinetic_energy_J")[0], "J")
        self.assertAlmostEqual(run.body(0)["velocity_z_m_s"], -0.981, places=12)
        self.assertTrue(math.isnan(run.body(99)["velocity_z_m_s"]))
        self.assertAlmostEqual(run.region["largest_speed_m_s"], 0.981, places=12)
        self.assertIn("kinetic_energy_J", run.observables)
        self.assertNotIn("force_x_N", run.observables)

    def test_a_wall_bears_the_weight(self):
        run = scree.Run(box(end_time=2.0))
        run.until()
        weight = 9.81 * run.bodies.mass.sum()
        floor = run.boundaries["box.-z"]
        all_walls = sum(wall.force for wall in run.boundaries.values())
        np.testing.assert_allclose(all_walls, [0, 0, -weight], atol=0.02 * weight)  # they rock a little still
        self.assertAlmostEqual(floor.force_z_N, floor.force[2])
        with self.assertRaisesRegex(KeyError, "box.-z"):
            run.boundaries["box.z"]
        with self.assertRaisesRegex(AttributeError, "force_z_N"):
            floor.force_z
        c = run.contacts
        on_floor = c.boundary == list(run.boundaries).index("box.-z")
        np.testing.assert_allclose(c.force[on_floor].sum(0), -floor.force, atol=1e-5 * weight)  # single precision
        self.assertTrue(np.all(c.b[on_floor] == -1))
        np.testing.assert_allclose(np.linalg.norm(c.normal, axis=1), 1.0, rtol=1e-12)
        self.assertEqual(len(c.to_dataframe()), len(c))

    def test_bodies_are_copies_in_the_order_of_ids(self):
        run = scree.Run(box())
        bodies = run.bodies
        before = bodies.position.copy()
        run.until(0.1)
        np.testing.assert_array_equal(bodies.position, before)
        self.assertTrue(np.all(np.diff(run.bodies.id) == 1))
        with self.assertRaises(ValueError):
            bodies.position[0, 0] = 1.0
        np.testing.assert_allclose(np.linalg.norm(run.bodies.orientation, axis=1), 1.0, rtol=1e-12)
        self.assertEqual(run.materials, ["stone"])
        self.assertEqual(run.shapes[0]["semi_axes"], (0.05, 0.04, 0.03))
        self.assertEqual(run.shapes[0]["kind"], "ellipsoid")


class Views(unittest.TestCase):
    def setUp(self):
        self.run_ = scree.Run(box(), threads=1)
        self.run_.until(0.05)

    def test_a_view_copies_nothing(self):
        run = self.run_
        with run.view() as v:
            first = v.position.__array_interface__["data"][0]
            self.assertEqual(v.position.__array_interface__["data"][0], first)
            self.assertFalse(v.position.flags.owndata)
            order = np.argsort(v.id)
            np.testing.assert_array_equal(v.position[order], run.bodies.position)
            np.testing.assert_array_equal(v.orientation_xyzw[order][:, [3, 0, 1, 2]], run.bodies.orientation)
            np.testing.assert_array_equal(v.mass[order], run.bodies.mass)
            with self.assertRaises(ValueError):
                v.position[0] = 0.0

    def test_nothing_changes_while_a_view_is_open(self):
        run = self.run_
        with run.view() as v:
            for change in (run.step, run.until, lambda: run.remove(0), lambda: run.insert([0, 0, 3], radius=0.01),
                           lambda: run.set(0, velocity=[0, 0, 0]), lambda: run.set_gravity([0, 0, 0]),
                           lambda: run.restore(run.state()), lambda: setattr(run, "forces", None)):
                with self.assertRaises(BufferError):
                    change()
            self.assertEqual(len(v), 40)
        run.step()

    def test_arrays_outlive_no_view(self):
        run = self.run_
        with self.assertRaises(BufferError):
            with run.view() as v:
                kept = v.position
                row = kept[3]
                del kept
        with self.assertRaises(BufferError):
            run.step()
        value = row.copy()
        np.testing.assert_array_equal(row, value)  # the memory still exists
        del row
        run.step()
        with self.assertRaisesRegex(ValueError, "not open"):
            v.position
        with self.assertRaisesRegex(RuntimeError, "first"):  # the first fault is not hidden
            with run.view() as v:
                kept = v.position
                raise RuntimeError("first")
        del kept
        gc.collect()
        run.step()

    def test_an_array_keeps_its_run(self):
        view = self.run_.view()
        v = view.__enter__()
        array = v.position
        expected = array.copy()
        del self.run_, view, v
        gc.collect()
        np.testing.assert_array_equal(array, expected)


class Acting(unittest.TestCase):
    def test_set(self):
        run = scree.Run(one_ball())
        run.set(0, velocity=[1, 2, 3], angular_velocity=[0, 0, 2], orientation=[0, 0, 0, 1], position=[5, 0, 0])
        run.step(1000)
        np.testing.assert_allclose(run.bodies.position[0], [6, 2, 3], atol=1e-12)
        for wrong, kind in ((dict(velocity=[1, 2]), ValueError), (dict(velocity=[math.nan, 0, 0]), ValueError),
                            (dict(orientation=[0, 0, 0, 0]), ValueError), (dict(velocity="fast"), TypeError),
                            (dict(material="wood"), ValueError)):
            with self.assertRaises(kind, msg=wrong):
                run.set(0, **wrong)
        with self.assertRaises(IndexError):
            run.set(7, velocity=[0, 0, 0])
        with self.assertRaises(ValueError):
            run.set([0, 0], velocity=[0, 0, 0])
        before = run.state_hash
        with self.assertRaises(IndexError):
            run.set([0, 7], velocity=[9, 9, 9])  # all or none
        self.assertEqual(run.state_hash, before)

    def test_bodies_by_masks(self):
        run = scree.Run(box())
        high = run.bodies.position[:, 2] > 0.3
        run.set(high, velocity=[0, 0, 1])
        np.testing.assert_array_equal(run.bodies.velocity[:, 2] == 1, high)
        run.remove(high)
        self.assertEqual(len(run), (~high).sum())
        for wrong, kind in (([True], ValueError), ([0.5], TypeError), ("all", TypeError)):
            with self.assertRaises(kind):
                run.remove(wrong)

    def test_a_state_with_bodies_that_no_step_has_seen_can_be_kept(self):
        def run():
            return scree.Run(one_ball(gravity=[0, 0, -9.81], bodies=[dict(radius=0.1, position=[0, 0, 1])]))
        first, second = run(), run()
        first.step(3)
        first.insert([[0, 0, 2], [0, 0.5, 2]], radius=0.1)
        second.restore(pickle.loads(pickle.dumps(first.state())))
        first.step(20)
        second.step(20)
        self.assertEqual(first.state_hash, second.state_hash)

    def test_inserted_bodies_are_those_of_a_scene(self):
        falls = one_ball(gravity=[0, 0, -9.81], bodies=[dict(radius=0.1, position=[0, 0, 1])],
                         boundaries=[dict(name="floor", type="plane", normal=[0, 0, 1], point=[0, 0, 0])])
        both = scree.Scene({**falls.to_dict(), "bodies": [dict(radius=0.1, position=[0, 0, 1]),
                                                          dict(semi_axes=[0.1, 0.2, 0.05], position=[0.02, 0, 2])]})
        run, whole = scree.Run(falls), scree.Run(both)
        ids = run.insert([[0.02, 0, 2]], semi_axes=[0.1, 0.2, 0.05])
        np.testing.assert_array_equal(ids, [1])
        for r in (run, whole):
            r.until(1.0)
        self.assertEqual(run.state_hash, whole.state_hash)

    def test_insert_refuses_overlapping_bodies(self):
        run = scree.Run(one_ball(boundaries=[dict(name="floor", type="plane", normal=[0, 0, 1], point=[0, 0, -1])]))
        with self.assertRaisesRegex(ValueError, "overlaps body 0"):
            run.insert([[3, 0, 0], [1.1, 0, 0]], radius=0.1)
        with self.assertRaisesRegex(ValueError, "floor"):
            run.insert([2, 0, -0.98], radius=0.1)
        self.assertEqual(len(run), 1)
        self.assertEqual(run.insert([3, 0, 0], radius=0.1)[0], 1)  # ids continue
        run.insert([1.1, 0, 0], radius=0.1, check=False)
        self.assertEqual(len(run), 3)
        for wrong in (dict(), dict(radius=-1.0), dict(radius=0.1, semi_axes=[1, 1, 1]), dict(shape="none"),
                      dict(radius=0.1, material="wood")):
            with self.assertRaises(ValueError, msg=wrong):
                run.insert([9, 0, 0], **wrong)
        run.remove([1, 2])
        self.assertEqual(list(run.bodies.id), [0])
        with self.assertRaises(IndexError):
            run.remove(1)
        run.remove(0)
        run.step(3)
        self.assertEqual(len(run.bodies.position), 0)

    def test_bodies_come_and_go_while_a_heap_settles(self):
        run = scree.Run(box())
        run.until(0.2)
        run.remove(np.arange(0, 40, 2))
        new = run.insert([[0.1 * i - 0.1, 0.1 * j - 0.1, 1.9] for i in range(3) for j in range(3)], radius=0.02)
        run.until(0.4)
        self.assertEqual(len(run), 29)
        self.assertEqual(list(new), list(range(40, 49)))
        self.assertLess(run.observables["penetration_max"], 0.02)
        self.assertLess(abs(run.observables["energy_remainder_J"]), 1e-12)

    def test_a_torque_turns_a_drum_as_it_must(self):
        run = scree.Run(scree.Scene(DRUM, bodies=[dict(radius=0.02, position=[0, 5, 0])],
                                    gravity=[0, 0, 0]).with_overrides({"boundaries": DRUM["boundaries"][:1]}))
        run.parts["drum"].torque = 2.0
        run.step(500)
        self.assertAlmostEqual(run.parts["drum"].rate, 2.0 / 0.5 * 0.5, places=9)  # torque / inertia * time
        state = run.state()
        run.parts["drum"].torque = -2.0
        run.step(500)
        self.assertAlmostEqual(run.parts["drum"].rate, 0.0, places=9)
        run.restore(state)
        self.assertEqual(run.parts["drum"].torque, 2.0)
        with self.assertRaises(ValueError):
            run.parts["drum"].torque = math.inf
        run.parts["drum"].lock()
        run.step()
        self.assertEqual(run.parts["drum"].rate, 0.0)
        self.assertEqual(run.boundaries["shell"].part.name, "drum")

    def test_motions_are_set_without_a_jump(self):
        scene = one_ball(boundaries=[dict(name="lid", type="plane", normal=[0, 0, -1], point=[0, 0, 2],
                                          motion=[dict(type="translation", direction=[0, 0, -1], speed=0.5)])])
        run = scree.Run(scene)
        lid = run.boundaries["lid"]
        run.step(200)
        self.assertAlmostEqual(lid.position[2], -0.100, places=9)
        self.assertEqual(lid.motion.speed, 0.5)
        lid.motion.speed = 0.25
        run.step(200)
        self.assertAlmostEqual(lid.position[2], -0.150, places=9)
        state = run.state()
        lid.motion.speed = 0.0
        run.step(200)
        self.assertAlmostEqual(lid.position[2], -0.150, places=9)
        run.restore(pickle.loads(pickle.dumps(state)))
        run.step(200)
        self.assertAlmostEqual(lid.position[2], -0.200, places=9)
        lid.motion.stop()
        run.step(100)
        self.assertAlmostEqual(lid.position[2], -0.200, places=9)
        lid.motion.start()
        run.step(100)
        self.assertAlmostEqual(lid.position[2], -0.225, places=9)
        self.assertTrue(lid.motion.runs)
        lid.remove()
        with self.assertRaises(ValueError):
            scree.Run(box()).boundaries[0].motion

    def test_gravity_and_belts(self):
        run = scree.Run(one_ball())
        run.set_gravity([1, 0, 0])
        run.step(10)
        self.assertAlmostEqual(run.bodies.velocity[0, 0], 0.01, places=12)
        run = scree.Run(box(end_time=1.0))
        run.boundaries["box.-z"].surface_velocity = [0.1, 0, 0]
        np.testing.assert_array_equal(run.boundaries["box.-z"].surface_velocity, [0.1, 0, 0])
        run.until()
        self.assertGreater(run.boundaries["box.-z"].force[0] * -1, 0.0)

    def test_a_belt_on_a_part_that_forces_move(self):
        """One boundary on an axis may have a belt: its reaction moves the part. Scenes refuse other ones, and so does
        a run."""
        def cart(freedom, *belts):
            part = dict(name="cart", freedom=freedom, mass=0.1)
            part.update(dict(direction=[1, 0, 0], weight=False) if freedom == "along" else
                        dict(centre=[0, 0, 0], moments=[1e-3, 1e-3, 1e-3]))
            discs = [dict(type="disc", name=name, centre=[0, 0, z], normal=[0, 0, 1], radius=50, rounding=0.005,
                          part="cart") for name, z in belts]
            return scree.Run(scree.Scene(
                name="x", materials=[dict(name="m", density=2500, friction=0.5)], time_step=0.001, end_time=0.03,
                bodies=[dict(radius=0.01, position=[0, 0, 0.01])], parts=[part], boundaries=discs))
        run = cart("along", ("below", -0.005))
        run.boundaries["below"].surface_velocity = [1, 0, 0]
        run.until()
        ball, push = run.bodies.velocity[0, 0], 0.5 * 9.81 * 0.03
        self.assertAlmostEqual(ball, push, delta=1e-3 * push)
        self.assertAlmostEqual(run.parts["cart"].rate, -ball * run.bodies.mass[0] / 0.1, delta=1e-9)
        for other in (cart("along", ("above", 3), ("below", -0.005)), cart("all", ("below", -0.005))):
            with self.assertRaisesRegex(ValueError, "'below' is on a part which forces move"):
                other.boundaries["below"].surface_velocity = [1, 0, 0]
            other.step(2)
            self.assertEqual(other.bodies.velocity[0, 0], 0.0)


class OwnForces(unittest.TestCase):
    def test_a_spring_swings_as_the_closed_form_and_makes_no_energy(self):
        k = 400.0
        run = scree.Run(one_ball(), forces=lambda bodies: -k * bodies.position)
        mass = run.bodies.mass[0]
        omega = math.sqrt(k / mass)
        period = 2 * math.pi / omega
        h = 0.001
        # The step is the leapfrog of this force: its frequency is known, and its energy oscillates, with no drift.
        exact = 2 / h * math.asin(omega * h / 2)
        energy = []
        for _ in range(20):
            run.step(round(period / h))
            x, v = run.bodies.position[0, 0], run.bodies.velocity[0, 0]
            energy.append(0.5 * mass * v * v + 0.5 * k * x * x)
            self.assertAlmostEqual(x, math.cos(exact * run.time), places=9)
        self.assertLess(max(energy) / min(energy) - 1, 2 * (omega * h) ** 2)
        self.assertLess(abs(run.observables["energy_remainder_J"]), 1e-13)

    def test_a_torque_spins_up_and_its_work_is_booked(self):
        run = scree.Run(one_ball(bodies=[dict(semi_axes=[0.1, 0.1, 0.2], position=[0, 0, 0])]),
                        forces=lambda bodies: (None, np.tile([0, 0, 0.5], (len(bodies), 1))))
        run.step(1000)
        inertia = run.bodies.inertia[0, 2]
        self.assertAlmostEqual(run.bodies.angular_velocity[0, 2], 0.5 / inertia, places=9)
        work = run.observables["force_work_J"]
        omega = 0.5 / inertia
        self.assertAlmostEqual(work, 0.5 * inertia * (omega**2 - (omega - 0.5e-3 / inertia) ** 2), places=12)
        self.assertLess(abs(run.observables["energy_remainder_J"]), 1e-13)

    def test_a_constant_force_is_gravity(self):
        """The same heap by gravity and by a force of m g on each body: the same to rounding for a while."""
        falls, pushed = scree.Run(box()), scree.Run(box(gravity=[0, 0, 0]))
        pushed.forces = lambda bodies: bodies.mass[:, None] * np.array([0, 0, -9.81])
        for r in (falls, pushed):
            r.until(0.15)
        np.testing.assert_allclose(pushed.bodies.position, falls.bodies.position, atol=1e-4)
        self.assertGreater(pushed.observables["active_contacts"], 0)

    def test_forces_are_asked_once_a_step_with_arrays_that_stay(self):
        seen = []
        run = scree.Run(box(), threads=2, forces=lambda bodies: seen.append((bodies, bodies.position, bodies.time)))
        plain = scree.Run(box(), threads=1)
        run.step(5)
        plain.step(5)
        self.assertEqual(len(seen), 5)
        self.assertEqual(run.state_hash, plain.state_hash)  # None means no force
        np.testing.assert_allclose([time for *_, time in seen], [0.0005 + 0.001 * k for k in range(5)], atol=1e-12)
        self.assertEqual(seen[0][1].shape, (40, 3))
        with self.assertRaisesRegex(ValueError, "has begun"):
            seen[0][0].velocity
        run.forces = None
        run.step()
        self.assertEqual(len(seen), 5)

    def test_an_error_leaves_a_run_that_goes_on(self):
        def fails(bodies):
            raise ZeroDivisionError("mine")

        run, plain = scree.Run(box()), scree.Run(box())
        run.until(0.1)
        plain.until(0.1)
        for function, kind in ((fails, ZeroDivisionError), (lambda b: np.zeros((3, 3)), ValueError),
                               (lambda b: np.full((40, 3), np.nan), ValueError), (lambda b: "up", TypeError),
                               (lambda b: run.step(), RuntimeError), (lambda b: run.bodies, RuntimeError)):
            run.forces = function
            with self.assertRaises(kind):
                run.step()
        run.forces = None
        run.until(0.2)
        plain.until(0.2)
        self.assertEqual(run.state_hash, plain.state_hash)
        with self.assertRaises(TypeError):
            run.forces = 3

    def test_piecewise_steps_refuse_them(self):
        scene = one_ball(stepping="piecewise")
        with self.assertRaisesRegex(ValueError, "piecewise"):
            scree.Run(scene, forces=lambda bodies: None)

    def test_a_run_and_its_function_go_together(self):
        run = scree.Run(one_ball())
        run.forces = lambda bodies, run=run: None
        alive = weakref.ref(run)
        del run
        gc.collect()
        self.assertIsNone(alive())


def _step_in_a_fork(run, pipe):
    try:
        run.step(5)
        pipe.send(run.state_hash)
    except RuntimeError as error:
        pipe.send(str(error))


def _hash_of(scene):
    run = scree.Run(scene, threads=2)
    run.step(50)
    return run.state_hash


class Lives(unittest.TestCase):
    def test_threads_of_python_run_side_by_side(self):
        alone = _hash_of(box())
        found = []
        threads = [threading.Thread(target=lambda n=n: found.append((n, self.stepped(n)))) for n in (1, 2, 2, 3)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual([h for _, h in found], [alone] * 4)

    @staticmethod
    def stepped(threads):
        run = scree.Run(box(), threads=threads)
        run.step(50)
        return run.state_hash

    def test_one_run_in_two_threads_is_refused_not_broken(self):
        run = scree.Run(box(count=150), threads=1)
        started = threading.Thread(target=lambda: run.step(600))
        refused = 0
        started.start()
        while started.is_alive():
            try:
                run.step()
                run.bodies
            except RuntimeError:
                refused += 1
        started.join()
        self.assertGreater(refused, 0)
        run.step()

    def test_python_goes_on_while_a_run_steps(self):
        run = scree.Run(box(count=150), threads=1)
        stepping = threading.Thread(target=lambda: run.step(600))
        stepping.start()
        counted = 0
        while stepping.is_alive():
            counted += 1
        self.assertGreater(counted, 100)

    def test_fork(self):
        context = multiprocessing.get_context("fork")
        for threads in (2, 1):
            run = scree.Run(box(), threads=threads)
            run.step(5)
            here, there = context.Pipe()
            child = context.Process(target=_step_in_a_fork, args=(run, there))
            child.start()
            self.assertTrue(here.poll(60))
            answer = here.recv()
            child.join(60)
            self.assertEqual(child.exitcode, 0)
            if threads == 2:
                self.assertIn("forked", answer)
            else:
                run.step(5)
                self.assertEqual(answer, run.state_hash)

    def test_spawn(self):
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            self.assertEqual(pool.map(_hash_of, [box(), box()]), [_hash_of(box())] * 2)

    def test_ctrl_c_ends_after_a_step_and_leaves_a_run(self):
        done = python("""
            import module_test, os, signal, threading, time, scree
            run = scree.Run(module_test.box(count=150))
            def press():
                time.sleep(0.5)
                os.kill(os.getpid(), signal.SIGINT)
            threading.Thread(target=press).start()
            try:
                run.until(100.0)
            except KeyboardInterrupt:
                print("pressed")
            steps = run.step_number
            again = scree.Run(module_test.box(count=150), threads=1)
            again.step(steps)
            print(0 < steps, again.state_hash == run.state_hash)
            run.step()
            print(run.step_number == steps + 1)
            """)
        self.assertEqual((done.stdout, done.returncode), ("pressed\nTrue True\nTrue\n", 0), done.stderr)

    def test_the_interpreter_ends_while_a_run_steps(self):
        done = python("""
            import module_test, threading, time, scree
            run = scree.Run(module_test.box(count=150))
            def on():
                while True:
                    run.until(100.0)
            threading.Thread(target=on, daemon=True).start()
            time.sleep(0.3)
            print("end")
            """)
        self.assertEqual((done.stdout, done.returncode), ("end\n", 0), done.stderr)

    def test_a_recorded_run_that_is_left_is_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            done = python(f"""
                import module_test, scree
                run = scree.Run(module_test.box(), folder={folder + "/r"!r})
                run.until(0.1)
                """)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(scree.open(folder + "/r").status, "interrupted")

    def test_a_run_that_cannot_go_on_says_so(self):
        run = scree.Run(box())
        run.step()
        kept = run.state()
        run.set(0, velocity=[1e300, 0, 0])
        with self.assertRaises(scree.StepError):
            run.step(5)
        self.assertEqual(run.stopped, "failed")
        run.restore(kept)
        run.step(5)

    def test_import_needs_none_of_the_large_libraries(self):
        """This makes the import quick; benchmarks/python_costs.py measures it."""
        done = python("import scree, sys; print([m for m in ('numpy', 'h5py', 'pandas', 'matplotlib', 'multiprocessing') if m in sys.modules])")
        self.assertEqual(done.stdout, "[]\n", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
