"""scree.sweep(): the same numbers on any number of workers, and completed points are kept."""

import contextlib
import functools
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path

import numpy as np
import pandas

import scree


def ball(friction=0.5, angle=0.3, time_step=0.001, **more):
    """A ball on a slope."""
    return scree.Scene(name="ball", gravity=[9.81 * np.sin(angle), 0, -9.81 * np.cos(angle)],
                       time_step=time_step, end_time=0.2,
                       materials=[dict(name="stone", density=1000.0, friction=friction)],
                       bodies=[dict(radius=0.1, position=[0, 0, 0.1])],
                       boundaries=[dict(name="floor", type="plane", normal=[0, 0, 1], point=[0, 0, 0])], **more)


def speed(run):
    return {"speed": float(run.bodies.velocity[0, 0]), "hash": int(run.state_hash[:8], 16)}


def steps_by_itself(run):
    assert run.time == 0.0
    run.step(10)
    return run.time


def fails_for_ice(run):
    if run.scene.to_dict()["materials"][0]["friction"] == 0.0:
        raise ArithmeticError("ice")
    return 1.0


def ends_its_process(run):
    if run.time_step > 0.0015:
        os._exit(9)
    return 1.0


def times(factor, run):
    return factor * run.time


class Ruler:
    def __init__(self, length):
        self.length = length

    def __call__(self, run):
        return self.length

    def measure(self, run):
        return self.length


def of_length(length):
    def measure(run):
        return length
    return measure


class Sweep(unittest.TestCase):
    GRID = {"materials[0].friction": [0.0, 0.05, 0.5], "time_step": [0.001, 0.002]}

    def test_speeds_are_the_closed_form(self):
        """A ball on a slope rolls with 5/7 of g sin a, or slides with g (sin a - f cos a) if f < 2/7 tan a."""
        table = scree.sweep(ball(), self.GRID, speed, workers=1)
        self.assertEqual(list(table.columns),
                         ["materials[0].friction", "time_step", "speed", "hash", "seconds", "error"])
        self.assertEqual(len(table), 6)
        g, a = 9.81 * 0.2, 0.3
        for friction, expected in ((0.0, g * np.sin(a)), (0.05, g * (np.sin(a) - 0.05 * np.cos(a))),
                                   (0.5, 5 / 7 * g * np.sin(a))):
            rows = table[table["materials[0].friction"] == friction]
            np.testing.assert_allclose(rows["speed"], expected, rtol=2e-3)  # the solver's tolerance

    def test_workers_change_no_bit(self):
        """Nor does a folder: JSON keeps every bit of a double."""
        none, one, two = (scree.sweep(ball(), self.GRID, speed, workers=n) for n in (0, 1, 2))
        pandas.testing.assert_frame_equal(one.drop(columns="seconds"), none.drop(columns="seconds"))
        pandas.testing.assert_frame_equal(one.drop(columns="seconds"), two.drop(columns="seconds"))
        with tempfile.TemporaryDirectory() as folder:
            made = scree.sweep(ball(), self.GRID, speed, workers=1, threads=2, folder=folder)
            self.assertEqual(len(list(Path(folder).iterdir())), 6)  # one file per point, no temporary file is left
            read = scree.sweep(ball(), self.GRID, speed, workers=2, folder=folder)
        pandas.testing.assert_frame_equal(made, read)
        pandas.testing.assert_frame_equal(one.drop(columns="seconds"), read.drop(columns="seconds"))

    def test_forms_of_grids_and_scenes(self):
        points = [{"friction": 0.1, "angle": 0.1}, {"friction": 0.2, "angle": 0.5}]
        made = scree.sweep(ball, points, speed, workers=1)
        again = scree.sweep(ball, pandas.DataFrame(points), speed, workers=1)
        pandas.testing.assert_frame_equal(made.drop(columns="seconds"), again.drop(columns="seconds"))
        with tempfile.TemporaryDirectory() as folder:
            file = ball().save(Path(folder) / "ball.toml")
            table = scree.sweep(file, {"end_time": [0.05]}, speed, workers=1)
            np.testing.assert_allclose(table["speed"], 5 / 7 * 9.81 * np.sin(0.3) * 0.05, rtol=2e-3)
        table = scree.sweep(ball(), {"time_step": [0.001]}, steps_by_itself, until=0, workers=1)
        self.assertEqual(table["value"][0], 0.01)

    def test_one_that_fails_stops_no_other(self):
        table = scree.sweep(ball(), {"materials[0].friction": [0.0, 0.5]}, fails_for_ice, workers=1, until=0.01)
        self.assertEqual(list(table["error"]), ["ArithmeticError: ice", ""])
        self.assertEqual(list(table.columns), ["materials[0].friction", "value", "seconds", "error"])
        self.assertTrue(np.isnan(table["value"][0]))  # the columns are in order although the first point has no value
        table = scree.sweep(ball(), {"time_step": [-1.0, 0.001]}, speed, workers=1, until=0.01)
        self.assertIn("SceneError: time_step", table["error"][0])
        self.assertEqual(table["error"][1], "")

    def test_a_process_that_ends_stops_no_other(self):
        """This happens if memory is short. Another process replaces it: three points, two processes, one ends."""
        table = scree.sweep(ball(), {"time_step": [0.002, 0.001, 0.0005]}, ends_its_process, workers=2, until=0.01)
        self.assertEqual(list(table["error"]), ["the process of this point ended (exit code 9)", "", ""])
        np.testing.assert_array_equal(table["value"], [np.nan, 1.0, 1.0])

    def test_measures_that_make_no_row(self):
        for value, words in ((None, "a number or a dict"), ({"speed": speed}, "a number or a dict"),
                             ({"error": 1.0}, "'error'"), ({"time_step": 1.0}, "'time_step'")):
            table = scree.sweep(ball(), {"time_step": [0.001]}, of_length(value), workers=1, until=0.0)
            self.assertIn(words, table["error"][0])
        for values in ("0.001", 0.001):
            with self.assertRaisesRegex(TypeError, "list of values"):
                scree.sweep(ball(), {"time_step": values}, speed)
        self.assertEqual(list(scree.sweep(ball(), [], speed).columns), ["seconds", "error"])
        self.assertEqual(len(scree.sweep(ball(), {}, speed, workers=1, until=0.01)), 1)  # the scene without changes

    def test_finished_runs_are_recognised_by_all_inputs_of_a_measure(self):
        """Two different measures never get each other's numbers; a lambda, which has no name, is refused."""
        measures = [Ruler(1.0), Ruler(2.0), Ruler(3.0).measure, Ruler(4.0).measure, of_length(5.0), of_length(6.0),
                    functools.partial(times, 700.0), functools.partial(times, 800.0)]
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                tables = [scree.sweep(ball(), [{}], measure, workers=1, until=0.01, folder=folder)
                          for measure in measures]
                values = [table["value"][0] for table in tables]
                np.testing.assert_allclose(values, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], rtol=1e-12)
                self.assertEqual(len(list(Path(folder).iterdir())), len(measures))
            for measure, words in ((lambda run: 1.0, "lambda"), (of_length(object()), "contains")):
                with self.assertRaisesRegex(TypeError, words):
                    scree.sweep(ball(), [{}], measure, workers=1, until=0.01, folder=folder)

    def test_finished_runs_are_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            first, again = (scree.sweep(ball(), {"materials[0].friction": [0.0, 0.5]}, fails_for_ice, workers=1,
                                        folder=folder, until=0.01) for _ in range(2))
            self.assertEqual(first["seconds"][1], again["seconds"][1])  # not run again
            self.assertNotEqual(first["seconds"][0], again["seconds"][0])  # it had failed
            with contextlib.redirect_stderr(io.StringIO()) as said:
                other = scree.sweep(ball(), {"materials[0].friction": [0.5]}, speed, workers=1, folder=folder,
                                    until=0.01, progress=True)
            self.assertIn("1 of 1: {'materials[0].friction': 0.5} ->", said.getvalue())
            self.assertIn("speed", other.columns)  # no result of another measure is used
            for file in Path(folder).glob("*.json"):
                file.write_text(file.read_text()[:20])  # cut off
            third = scree.sweep(ball(), {"materials[0].friction": [0.5]}, speed, workers=1, folder=folder, until=0.01)
            self.assertEqual(third["error"][0], "")

    def test_inputs_that_workers_cannot_read_are_reported_first(self):
        try:
            import cloudpickle  # noqa: F401
        except ImportError:
            for points in (self.GRID, {"time_step": [0.001]}):  # one point or many
                with self.assertRaisesRegex(TypeError, "workers=1"):
                    scree.sweep(ball(), points, lambda run: 1.0, workers=2)
            process, _ = self.script("-c", "import scree, studies_test\ndef f(run): return 1.0\n"
                                           "scree.sweep(studies_test.ball(), [{}, {}], f, workers=2)")
            self.assertIn("TypeError: workers cannot load", process.communicate(timeout=60)[1])
        self.assertEqual(len(scree.sweep(ball(), self.GRID, lambda run: 1.0, workers=1, until=0.01)), 6)

    def test_a_script_without_a_guard_is_reported(self):
        """Its workers run the sweep themselves while they import the script: this must end with a message."""
        process, _ = self.script("script.py", """
            import scree, studies_test
            scree.sweep(studies_test.ball(), [{}, {}], studies_test.speed, workers=2, until=0.01)
            """)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(said.splitlines()[-1], "RuntimeError: .*__main__")

    def test_functions_of_a_script_are_read(self):
        process, _ = self.script("script.py", """
            import scree, studies_test
            def time(run): return run.time
            if __name__ == "__main__":
                def late(run): return run.time
                print(list(scree.sweep(studies_test.ball(), [{}, {}], time, workers=2, until=0.01)["value"]))
                scree.sweep(studies_test.ball(), [{}, {}], late, workers=2, until=0.01)
            """)
        said, fault = process.communicate(timeout=60)
        self.assertEqual(said, "[0.01, 0.01]\n", fault)
        if fault:  # cloudpickle can also read these
            self.assertRegex(fault.splitlines()[-1], "TypeError: workers cannot load .*late")

    def test_ctrl_c_keeps_finished_runs(self):
        process, folder = self.script("script.py", """
            import scree, studies_test
            if __name__ == "__main__":
                scree.sweep(studies_test.ball(), {"time_step": [0.001, 0.0001, 1e-6, 1e-6]}, studies_test.speed,
                            workers=2, until=30.0, folder="kept")
            """)
        for _ in range(3000):
            if len(list(folder.glob("kept/*.json"))) >= 1:
                break
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: all processes get it
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT, said)
        for _ in range(100):
            try:
                os.killpg(process.pid, 0)
            except ProcessLookupError:
                break
            time.sleep(0.02)
        else:
            self.fail("workers were left behind")
        kept = [json.loads(file.read_text()) for file in folder.glob("kept/*")]  # all are complete
        self.assertIn(len(kept), (1, 2))
        done = {row["parameters"]["time_step"]: row["measured"] for row in kept}
        run = scree.Run(ball(time_step=0.001), threads=1)
        run.until(30.0)
        self.assertEqual(done[0.001], speed(run))

    def script(self, name, text):
        """A process with a script, or a command after -c, and its folder; it and its workers end with the test."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "script.py"
        path.write_text(textwrap.dedent(text))
        folders = [p for p in [str(Path(__file__).parent), *sys.path] if p]
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(folders))
        command = [name, text] if name == "-c" else [str(path)]
        process = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=environment, cwd=folder.name, start_new_session=True)

        def end():
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.communicate()

        self.addCleanup(end)
        return process, Path(folder.name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
