"""scree.sweep(): the same numbers on any number of workers, and what is done is kept."""

import os
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


def ball(friction=0.5, angle=0.3, **more):
    """A ball on a slope."""
    return scree.Scene(name="ball", gravity=[9.81 * np.sin(angle), 0, -9.81 * np.cos(angle)], time_step=0.001, end_time=0.2,
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


class Sweep(unittest.TestCase):
    GRID = {"materials[0].friction": [0.0, 0.05, 0.5], "time_step": [0.001, 0.002]}

    def test_speeds_are_the_closed_form(self):
        """A ball on a slope rolls with 5/7 of g sin a, or slides with g (sin a - f cos a) where f < 2/7 tan a."""
        table = scree.sweep(ball(), self.GRID, speed, workers=1)
        self.assertEqual(list(table.columns), ["materials[0].friction", "time_step", "speed", "hash", "seconds", "error"])
        self.assertEqual(len(table), 6)
        g, a = 9.81 * 0.2, 0.3
        for friction, expected in ((0.0, g * np.sin(a)), (0.05, g * (np.sin(a) - 0.05 * np.cos(a))), (0.5, 5 / 7 * g * np.sin(a))):
            rows = table[table["materials[0].friction"] == friction]
            np.testing.assert_allclose(rows["speed"], expected, rtol=2e-3)  # the goal of the solver

    def test_workers_change_no_bit(self):
        one, two = (scree.sweep(ball(), self.GRID, speed, workers=n) for n in (1, 2))
        pandas.testing.assert_frame_equal(one.drop(columns="seconds"), two.drop(columns="seconds"))

    def test_forms_of_grids_and_scenes(self):
        points = [{"friction": 0.1, "angle": 0.1}, {"friction": 0.2, "angle": 0.5}]
        made = scree.sweep(ball, points, speed, workers=1)
        again = scree.sweep(ball, pandas.DataFrame(points), speed, workers=1)
        pandas.testing.assert_frame_equal(made.drop(columns="seconds"), again.drop(columns="seconds"))
        with tempfile.TemporaryDirectory() as folder:
            file = ball().save(Path(folder) / "ball.toml")
            table = scree.sweep(file, {"end_time": [0.05]}, speed, workers=1)
            np.testing.assert_allclose(table["speed"], 5 / 7 * 9.81 * np.sin(0.3) * 0.05, rtol=2e-3)
        self.assertEqual(scree.sweep(ball(), {"time_step": [0.001]}, steps_by_itself, until=0, workers=1)["value"][0], 0.01)

    def test_one_that_fails_stops_no_other(self):
        table = scree.sweep(ball(), {"materials[0].friction": [0.0, 0.5]}, fails_for_ice, workers=1, until=0.01)
        self.assertEqual(list(table["error"]), ["ArithmeticError: ice", ""])
        table = scree.sweep(ball(), {"time_step": [-1.0, 0.001]}, speed, workers=1, until=0.01)
        self.assertIn("SceneError: time_step", table["error"][0])
        self.assertEqual(table["error"][1], "")

    def test_what_is_done_is_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            first = scree.sweep(ball(), {"materials[0].friction": [0.0, 0.5]}, fails_for_ice, workers=1, folder=folder, until=0.01)
            again = scree.sweep(ball(), {"materials[0].friction": [0.0, 0.5]}, fails_for_ice, workers=1, folder=folder, until=0.01)
            self.assertEqual(first["seconds"][1], again["seconds"][1])  # not run again
            self.assertNotEqual(first["seconds"][0], again["seconds"][0])  # had failed
            other = scree.sweep(ball(), {"materials[0].friction": [0.5]}, speed, workers=1, folder=folder, until=0.01)
            self.assertIn("speed", other.columns)  # of another measure nothing is kept
            for file in Path(folder).glob("*.json"):
                file.write_text(file.read_text()[:20])  # cut off
            third = scree.sweep(ball(), {"materials[0].friction": [0.5]}, speed, workers=1, folder=folder, until=0.01)
            self.assertEqual(third["error"][0], "")

    def test_what_workers_cannot_read_is_told_before(self):
        try:
            import cloudpickle  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(TypeError, "workers=1"):
                scree.sweep(ball(), self.GRID, lambda run: 1.0, workers=2)
        self.assertEqual(len(scree.sweep(ball(), self.GRID, lambda run: 1.0, workers=1, until=0.01)), 6)

    def script(self, text, **options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "script.py"
        path.write_text(textwrap.dedent(text))
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in [str(Path(__file__).parent), *sys.path] if p))
        return subprocess.Popen([sys.executable, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=environment, **options), Path(folder.name)

    def test_ctrl_c_leaves_what_is_done(self):
        process, folder = self.script("""
            import scree, studies_test
            if __name__ == "__main__":
                scree.sweep(studies_test.ball(), {"time_step": [0.001, 0.00002, 0.00001]}, studies_test.speed, workers=2, until=3.0,
                            folder="kept")
            """, cwd=tempfile.gettempdir(), start_new_session=True)
        kept = Path(tempfile.gettempdir()) / "kept"
        self.addCleanup(lambda: subprocess.run(["rm", "-rf", str(kept)], check=False))
        for _ in range(600):
            if kept.exists() and any(kept.glob("*.json")):
                break
            time.sleep(0.05)
        os.killpg(process.pid, 2)
        process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertGreaterEqual(len(list(kept.glob("*.json"))), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
