"""The excavator to learn with: it keeps Gymnasium's rules, digs, and is the same bits for the same seed."""

import unittest

import numpy as np

from scree.machines import Box, Dig, Excavator, VectorEnv, excavator_scene


def short():
    return Excavator(grains=120, length=3)


def broken():
    raise ArithmeticError("no machine")


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
            observation, reward, terminated, truncated, info = e.step(action)
            self.assertTrue(e.observation_space.contains(observation))
            self.assertEqual((type(reward), terminated, truncated), (float, False, False))
        for wrong in ([0, 0], [np.nan, 0, 0]):
            with self.assertRaises(ValueError):
                e.step(wrong)

    def test_the_same_seed_is_the_same_bits_on_any_threads(self):
        first = self.episode(self.environment, 5)
        np.testing.assert_array_equal(self.episode(self.environment, 5), first)
        np.testing.assert_array_equal(self.episode(Excavator(threads=2), 5), first)
        self.assertFalse(np.array_equal(self.episode(self.environment, 6), first))

    def test_cylinders_keep_to_their_strokes_and_do_as_they_are_told(self):
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
        self.assertGreater(reward, 0.5 * info["mass"])  # it costs less than it brings
        self.assertGreater(observation[11], 0.4)  # lifted out of the bed
        picture = e.render()
        self.assertEqual((picture.shape, picture.dtype), ((480, 640, 3), np.uint8))
        # What is counted is in the bucket: between its sides, above its floor.
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
            np.testing.assert_array_equal(observations[1], alone.reset()[0])  # begun anew
            with self.assertRaisesRegex(RuntimeError, "action"):
                environments.step([[0, 0], [0, 0, 0]])
        with self.assertRaisesRegex(RuntimeError, "no machine"):
            VectorEnv(broken, 1)

    def test_spaces_by_themselves(self):
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
