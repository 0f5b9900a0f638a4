"""The excavator for learning: it follows Gymnasium's rules, digs, and gives the same bits for the same seed."""

import os
import unittest
from unittest import mock

import numpy as np

import scree
from scree.machines import Box, Dig, Excavator, VectorEnv, excavator_scene

try:
    import gymnasium
except ImportError:
    gymnasium = None


def short():
    return Excavator(grains=120, length=3)


def broken():
    raise ArithmeticError("no machine")


class Counter:
    """An environment that counts: action 5 is refused, 7 ends the process."""

    observation_space = action_space = Box(-np.inf, np.inf, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        self.count = (seed or 0) + (options or {}).get("more", 0)
        return np.array([self.count], np.float32), {}

    def step(self, action):
        if action[0] == 5:
            raise ArithmeticError("five")
        if action[0] == 7:
            os._exit(7)
        self.count += 1
        return np.array([self.count], np.float32), 0.0, False, False, {}


class Machine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.environment = Excavator(threads=1)

    def episode(self, environment, seed, steps=20):
        generator = np.random.default_rng(seed)
        observations = [environment.reset(seed=seed)[0]]
        for _ in range(steps):
            observations.append(environment.step(generator.uniform(-1, 1, 3))[0])
        return np.array(observations)

    def test_it_keeps_the_rules(self):
        e = self.environment
        observation, info = e.reset(seed=1)
        self.assertEqual((observation.shape, observation.dtype), ((14,), np.float32))
        self.assertTrue(e.observation_space.contains(observation))
        for _ in range(5):
            action = e.action_space.sample()
            self.assertTrue(e.action_space.contains(action))
            mass = info["mass"]
            observation, reward, terminated, truncated, info = e.step(action)
            self.assertTrue(e.observation_space.contains(observation))
            self.assertEqual((type(reward), terminated, truncated), (float, False, False))
            self.assertEqual(reward, info["mass"] - mass - e.price * max(info["work"], 0.0))
            self.assertAlmostEqual(info["depth"], e.level - observation[11], places=6)
        for wrong in ([0, 0], [np.nan, 0, 0]):
            with self.assertRaises(ValueError):
                e.step(wrong)
        with self.assertRaisesRegex(ValueError, "period"):
            Excavator(grains=10, period=0.001)

    @unittest.skipIf(gymnasium is None, "gymnasium is not there")
    def test_gymnasium_finds_no_fault(self):
        from gymnasium.utils.env_checker import check_env
        self.assertIsInstance(self.environment, gymnasium.Env)
        check_env(self.environment, skip_render_check=True, skip_close_check=True)

    def test_the_same_seed_is_the_same_bits_on_any_threads(self):
        first = self.episode(self.environment, 5)
        np.testing.assert_array_equal(self.episode(self.environment, 5), first)
        np.testing.assert_array_equal(self.episode(Excavator(threads=2), 5), first)
        self.assertFalse(np.array_equal(self.episode(self.environment, 6), first))

    def test_without_a_seed_the_numbers_of_the_last_one_go_on(self):
        """So a learner gets different starts, and the same ones when it begins again."""
        fresh = Excavator(grains=20)
        first, again = fresh.reset()[0], fresh.reset()[0]  # before any seed: the scene's position
        np.testing.assert_array_equal(first, again)
        self.assertLess(np.abs(first[3:6]).max(), 1e-3)
        starts = [[e.reset(seed=8)[0], e.reset()[0], e.reset()[0]] for e in (fresh, Excavator(grains=20))]
        np.testing.assert_array_equal(*starts)
        self.assertEqual(len({tuple(start[:3]) for start in starts[0]}), 3)

    def test_the_bed_is_at_rest_and_as_dense_as_grains_lie(self):
        """Ellipsoids that are nearly spheres fill 0.55 to 0.68 of a poured bed; near walls less. No grain falls or rolls:
        each is slower than a tenth of what gravity gives in a step."""
        e = self.environment
        e.reset()
        bodies = e.run.bodies
        speed = np.linalg.norm(bodies.velocity, axis=1)
        self.assertLess(speed.max(), 0.1 * 9.81 * e.run.time_step)
        self.assertLess(np.median(speed), 1e-4)
        low, high = bodies.position[:, :2].min(0) - 0.03, bodies.position[:, :2].max(0) + 0.03
        share = bodies.mass.sum() / 2600.0 / (np.prod(high - low) * e.level)
        self.assertTrue(0.5 < share < 0.68, share)

    def test_a_machine_that_breaks_ends_the_episode(self):
        e = self.environment
        e.reset(seed=1)
        with mock.patch.object(e, "_drive", side_effect=scree.StepError("it is jammed")):
            observation, reward, terminated, truncated, info = e.step([1, 0, 0])
        self.assertEqual((reward, terminated, truncated, info["fault"]), (0.0, True, False, "it is jammed"))
        self.assertTrue(np.all(np.isfinite(observation)))
        self.assertEqual(e.run.state_hash, e._settled.hash)  # it can be continued from there

    def test_cylinders_keep_to_their_strokes_and_follow_their_inputs(self):
        e = self.environment
        e.reset()
        for _ in range(4):
            observation, *_ = e.step([0.2, -0.2, 0.2])
        np.testing.assert_allclose(observation[3:6], [0.2, -0.2, 0.2], atol=1e-3)
        for _ in range(60):
            observation, *_ = e.step([1, 1, 1])
        self.assertTrue(np.all(observation[:3] <= 1.0 + 1e-3))
        np.testing.assert_allclose(observation[:3], 1.0, atol=0.05)

    def test_it_digs(self):
        e = self.environment
        observation, _ = e.reset(seed=2)
        policy, reward = Dig(e), 0.0
        for _ in range(100):
            observation, r, *_, info = e.step(policy(observation))
            reward += r
        grain = e.run.bodies.mass[0]
        self.assertGreater(info["mass"], 4 * grain)
        self.assertAlmostEqual(info["mass"] / grain, round(info["mass"] / grain), places=6)
        self.assertGreater(reward, 0.5 * info["mass"])  # the price of work is less than the reward
        self.assertGreater(observation[11], 0.4)  # lifted out of the bed
        # Grains above the ground are in the bucket and rest only on it: their weight, once it hangs at rest.
        aloft = e.run.bodies.position[:, 2] > 0.35
        self.assertAlmostEqual(info["mass"], e.run.bodies.mass[aloft].sum(), delta=1.5 * grain)  # a grain on its rim
        forces = []
        for _ in range(16):
            observation, _, _, _, info = e.step([0, 0, 0])
            forces.append(e._shell.force[2])
        aloft = e.run.bodies.position[:, 2] > 0.35
        weight = 9.81 * e.run.bodies.mass[aloft].sum()
        np.testing.assert_allclose(np.mean(forces[8:]), -weight, rtol=0.01)  # it sways a little
        self.assertLess(abs(info["work"]), 0.05)  # holding needs no work
        picture = e.render()
        self.assertEqual((picture.shape, picture.dtype), ((480, 640, 3), np.uint8))
        # Counted grains are inside the bucket: between its sides, above its floor.
        inside = e.run.bodies.position[e._in_bucket(e.run.bodies.position)]
        self.assertTrue(np.all(np.abs(inside[:, 1]) < 0.13))
        self.assertTrue(np.all(np.linalg.norm(inside - e._shell.position, axis=1) < 0.35))

    def test_several_in_processes(self):
        with VectorEnv(short, 2) as environments:
            self.assertEqual(environments.action_space.shape, (3,))
            observations, infos = environments.reset(seed=3)
            self.assertEqual(observations.shape, (2, 14))
            alone = short()
            expected, _ = alone.reset(seed=4)
            np.testing.assert_array_equal(observations[1], expected)
            for k in range(3):
                observations, rewards, terminated, truncated, infos = environments.step([[0.1, 0, 0]] * 2)
                last, *_ = alone.step([0.1, 0, 0])
                self.assertEqual(list(truncated), [k == 2] * 2)
            np.testing.assert_array_equal(infos[1]["final_observation"], last)
            np.testing.assert_array_equal(observations[1], alone.reset()[0])  # started again
            with self.assertRaisesRegex(RuntimeError, "action"):
                environments.step([[0, 0], [0, 0, 0]])
        with self.assertRaisesRegex(RuntimeError, "no machine"):
            VectorEnv(broken, 1)

    def test_faults_in_a_process_are_reported_and_leave_the_others_in_step(self):
        with VectorEnv(Counter, 2) as environments:
            np.testing.assert_array_equal(environments.reset(seed=[10, 20], options={"more": 1})[0], [[11], [21]])
            with self.assertRaisesRegex(RuntimeError, "(?s)environment 0: ArithmeticError: five.*in step"):  # place
                environments.step([[5], [1]])
            np.testing.assert_array_equal(environments.step([[1], [1]])[0], [[12], [23]])  # no answer from before
            with self.assertRaisesRegex(RuntimeError, "environment 1: .*exit code 7"):
                environments.step([[1], [7]])
            with self.assertRaisesRegex(RuntimeError, "environment 1: .*exit code 7"):
                environments.step([[1], [1]])
            with self.assertRaisesRegex(ValueError, "must have 2 entries"):
                environments.step([[1]])
        with self.assertRaisesRegex(RuntimeError, "closed"):
            environments.reset()
        try:
            import cloudpickle  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(TypeError, "module"):
                VectorEnv(lambda: Counter(), 1)

    def test_spaces_by_themselves(self):
        half = Box(np.array([0.0, -np.inf]), np.array([np.inf, 1.0]), dtype=np.float64)
        for _ in range(20):
            self.assertTrue(half.contains(half.sample()))  # also with one bound
        space = Box(-1.0, 1.0, (3,), np.float32)
        space.seed(1)
        a = space.sample()
        space.seed(1)
        np.testing.assert_array_equal(space.sample(), a)
        self.assertFalse(space.contains(a + 3))
        self.assertFalse(space.contains(np.zeros(2)))

    def test_the_scene_is_in_order(self):
        self.assertEqual(excavator_scene().check(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
