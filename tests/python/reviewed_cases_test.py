"""Sizes and numbers of generated bodies, inlets that stop, piecewise steps, elastic grains in cells and on many walls:
scenes that gave wrong answers, each with its closed form."""

import math
import tempfile
import unittest

import numpy as np

import scree

GRAIN = dict(name="m", density=1000.0, friction=0.0, restitution=0.0)
FLOOR = dict(name="floor", type="plane")


def scene(**keys):
    keys = {**dict(name="case", gravity=[0, 0, -9.81], time_step=0.001, end_time=0.3, materials=[GRAIN],
                   output=dict(interval=0.05, vtk=False)), **keys}
    return scree.Scene({key: value for key, value in keys.items() if value is not None})


def scales(**group):
    """The scales of a group of balls of radius 0.001."""
    return np.array(scree.Run(scene(bodies=[dict(radius=0.001, **group)])).bodies.semi_axes)[:, 0] / 0.001


def share_within(x, low, high, mean, deviation):
    """Share of a normal distribution below x, within limits."""
    def below(at):
        return 0.5 * math.erfc(-(at - mean) / deviation / math.sqrt(2))
    return (below(x) - below(low)) / (below(high) - below(low))


class Sizes(unittest.TestCase):
    def test_lattices_in_cylinders_keep_the_distribution(self):
        """Uniform scales from 0.5 to 1.5: mean 1 within four standard errors, also of the outermost ring."""
        for radius in (0.006, 0.01):
            region = dict(type="cylinder", start=[0, 0, 0], end=[0, 0, 2], radius=radius)
            x = scales(generate="lattice", count=1500, scale=dict(distribution="uniform", low=0.5, high=1.5), region=region)
            self.assertAlmostEqual(x.mean(), 1, delta=4 * math.sqrt(1 / 12 / 1500))

    def test_the_solid_fraction_is_that_of_the_bodies(self):
        """It is met to half of the largest body's volume, whatever sizes are drawn."""
        for seed in (1, 2, 3):
            x = scales(generate="dense", solid_fraction=0.4, seed=seed, region=dict(type="box", low=[0, 0, 0], high=[0.02] * 3),
                       scale=dict(distribution="lognormal", mean=1, deviation=0.4, low=0.4, high=2.5))
            self.assertAlmostEqual(4 / 3 * math.pi * 1e-9 * (x**3).sum() / 0.02**3, 0.4, delta=2.5**3 * 2.1e-9 / 0.02**3)

    def test_distributions_by_mass_have_few_small_grains(self):
        """A lognormal distribution by mass is lognormal by number, with a mean of the logarithm that is lower by 3 sigma²."""
        mean, deviation, count = 1, 0.5, 20000
        variance = math.log1p(deviation**2)
        for low in (0.01, 0.05, 0.2):
            x = np.sort(np.log(scales(generate="lattice", count=count, seed=3, region=dict(type="box", low=[0, 0, 0], high=[0.4] * 3),
                                      scale=dict(distribution="lognormal", by="mass", mean=mean, deviation=deviation, low=low,
                                                 high=4))))
            law = np.array([share_within(v, math.log(low), math.log(4), -3.5 * variance, math.sqrt(variance)) for v in x])
            distance = np.abs(law - (np.arange(count) + 0.5) / count).max()
            self.assertLess(distance, 1.95 / math.sqrt(count), msg=f"{low}")  # Kolmogorov and Smirnov, 0.1 %

    def test_half_a_body_is_told(self):
        region = dict(type="box", low=[0, 0, 0], high=[0.03] * 3)
        for generate in ("random", "lattice"):
            with self.assertRaisesRegex(scree.SceneError, "less than half of one body"):
                scales(generate=generate, region=region, total_mass=1e-6)


class Entering(unittest.TestCase):
    FEED = dict(name="feed", number_rate=1000, radius=0.005, velocity=[0, 0, -0.5],
                region=dict(type="box", low=[0.005, 0.005, 0.06], high=[0.045, 0.045, 0.09]))

    def test_a_stopped_inlet_is_closed(self):
        """The bin is full when the inlet stops; grains that had to wait do not enter when it empties."""
        bin_ = dict(type="box", name="bin", low=[0, 0, 0], high=[0.05, 0.05, 0.3], open=["+z", "-z"])
        run = scree.Run(scene(end_time=1.2, boundaries=[bin_, dict(FLOOR, name="gate")], inlets=[self.FEED], events=[
            dict(name="full", quantity="time_s", rises_above=0.6, stop_inlet="feed"),
            dict(name="open", quantity="time_s", rises_above=0.8, remove="gate")]))
        run.until(0.601)
        stopped = run.openings["feed"].bodies
        run.until()
        self.assertGreater(stopped, 100)
        self.assertEqual(run.openings["feed"].bodies, stopped)

    def test_a_mass_of_whole_grains_is_all_of_them(self):
        """Limits of mass, as multiples of a grain's mass, miss no grain by rounding."""
        mass = 1000 * 4 / 3 * math.pi * 0.005**3
        for grains in (7, 20, 63):
            inlet = dict(name="feed", mass_rate=100 * mass, mass=grains * mass, radius=0.005,
                         region=dict(type="box", low=[0, 0, 0], high=[0.3] * 3))
            run = scree.Run(scene(gravity=[0, 0, 0], end_time=0.8, inlets=[inlet]))
            run.until()
            self.assertEqual(len(run.bodies), grains)

    def test_carried_bodies_begin_where_their_motion_does(self):
        carried = dict(name="carried", radius=0.05, position=[0, 0, 0],
                       motion=[dict(type="translation", direction=[1, 0, 0], function="0.3*cos(2*t) + 0.1*t")])
        run = scree.Run(scene(bodies=[carried, dict(radius=0.05, position=[0.5, 0, 0])]))
        self.assertAlmostEqual(run.bodies.position[0, 0], 0.3, delta=1e-15)
        self.assertAlmostEqual(run.bodies.velocity[0, 0], 0.1, delta=1e-9)  # of a difference quotient
        run.step()
        self.assertAlmostEqual(run.bodies.position[0, 0], 0.3 * math.cos(0.002) + 1e-4, delta=1e-12)


class Piecewise(unittest.TestCase):
    KEYS = dict(stepping="piecewise", restitution_threshold=1e-6)

    def test_stiff_drag_ends_at_the_final_speed(self):
        """A grain of 0.1 mm in water reaches 2 r² (rho - rho_f) g / (9 mu) in steps of 20 times its relaxation."""
        grain = dict(GRAIN, density=2500.0)
        run = scree.Run(scene(**self.KEYS, time_step=0.02, end_time=0.2, materials=[grain], fluid=dict(drag="stokes"),
                              bodies=[dict(radius=5e-5, position=[0, 0, 0])]))
        run.until()
        contacts = scree.Run(scene(time_step=0.02, end_time=0.2, materials=[grain], fluid=dict(drag="stokes"),
                                   bodies=[dict(radius=5e-5, position=[0, 0, 0])]))
        contacts.until()  # integrates drag exactly
        self.assertAlmostEqual(run.bodies.velocity[0, 2] / contacts.bodies.velocity[0, 2], 1, delta=1e-4)

    def test_changing_gravity_is_not_that_of_the_middle_of_the_step(self):
        """g = -40 t: z falls by 20/3 t³, at any step length."""
        for step in (0.2, 0.05):
            run = scree.Run(scene(**self.KEYS, time_step=step, end_time=0.4, gravity_function=["0", "0", "-40*t"], gravity=None,
                                  bodies=[dict(radius=0.1, position=[0, 0, 5])]))
            run.until()
            self.assertAlmostEqual(run.bodies.position[0, 2], 5 - 20 / 3 * 0.4**3, delta=1e-12)

    def test_impacts_elsewhere_do_not_change_an_impact(self):
        """A rod strikes the floor, alone or at the same time as a ball 0.2 m away which returns with its speed."""
        angle, axes = 0.9, (0.05, 0.015, 0.01)
        height = math.hypot(axes[0] * math.sin(angle), axes[2] * math.cos(angle))
        hard = dict(name="el", density=1000.0, restitution=1.0, friction=0.0)
        rod = dict(position=[0, 0, height + 0.1], semi_axes=list(axes), velocity=[-0.5, 0, -1], material="m",
                   orientation=dict(axis=[0, 1, 0], angle=math.degrees(angle)))
        ball = dict(position=[0, 0.2, 0.11], radius=0.01, velocity=[0, 0, -1], material="el")
        after = []
        for bodies in ([rod], [rod, ball]):
            run = scree.Run(scene(**self.KEYS, gravity=[0, 0, 0], time_step=0.15, end_time=0.15, bodies=bodies,
                                  materials=[dict(GRAIN, restitution=0.9, friction=0.5), hard],
                                  material_pairs=[dict(materials=["el", "m"], restitution=1.0, friction=0.0)],
                                  boundaries=[dict(FLOOR, material="m")], restitution_law="dissipative"))
            run.until()
            after.append(np.array(run.bodies.velocity))
        self.assertLess(np.abs(after[1][0] - after[0][0]).max(), 1e-9)
        self.assertAlmostEqual(after[1][1, 2], 1, delta=1e-9)


class Clumps(unittest.TestCase):
    TWO = [dict(radius=1, position=[-0.5, 0, 0]), dict(radius=1, position=[0.5, 0, 0])]

    def test_fast_clumps_that_pass_each_other_do_not_touch(self):
        """Two dumbbells pass at 15 m/s with 6 mm of air, and keep their spins."""
        for spin in (-10, 10):
            run = scree.Run(scene(gravity=[0, 0, 0], time_step=0.002, end_time=0.004, materials=[dict(GRAIN, restitution=0.5)],
                                  shapes=[dict(name="d", members=self.TWO)], bodies=[
                dict(shape="d", size=0.01, position=[0, -0.015, 0.026], velocity=[0, 15, -0.001], angular_velocity=[spin, 0, 0]),
                dict(shape="d", size=0.0099, position=[0, 0, 0])]))
            run.until()
            self.assertAlmostEqual(run.bodies.angular_velocity[0, 0], spin, delta=1e-9)
            self.assertEqual(np.abs(run.bodies.angular_velocity[1]).max(), 0)

    def test_members_within_others_add_nothing(self):
        """A ball with a ball inside has the same elastic overlap as without it."""
        soft, places = dict(GRAIN, restitution=0.3, youngs_modulus=1e5, poisson_ratio=0.3), []
        for members in ([dict(radius=1)], [dict(radius=1), dict(radius=0.9999)],
                        [dict(radius=1), dict(radius=0.5, position=[0, 0, -0.5])]):
            run = scree.Run(scene(time_step=2e-4, end_time=0.3, materials=[soft], shapes=[dict(name="d", members=members)],
                                  bodies=[dict(shape="d", size=0.01, position=[0, 0, 0.00999])], boundaries=[FLOOR]))
            run.until()
            places.append(run.bodies.position[0, 2])
        self.assertAlmostEqual(places[1], places[0], delta=1e-12)
        self.assertAlmostEqual(places[2], places[0], delta=1e-12)

    def test_volumes_are_those_of_bodies_which_are_not_symmetric(self):
        """A pin that is wholly above a face of the region, head up or down, is in it with all of its volume."""
        pin = [dict(radius=1)] + [dict(radius=0.3, position=[0, 0, 1.2 + 0.5 * k]) for k in range(4)]
        region = dict(type="box", low=[-0.1, -0.1, 0], high=[0.1, 0.1, 0.2])
        for turned in (0, 180):
            with tempfile.TemporaryDirectory() as folder:
                run = scree.Run(scene(gravity=[0, 0, 0], end_time=0.002, shapes=[dict(name="d", members=pin)], bodies=[
                    dict(shape="d", size=0.01, position=[0, 0, 0.012 if turned == 0 else 0.0285],
                         orientation=dict(axis=[1, 0, 0], angle=turned))],
                    measurements=[dict(name="b", measure="bulk", interval=0.001, region=region)]), folder=folder + "/run")
                run.until()
                volume = float(np.array(run.bodies.mass)[0]) / 1000
                with run.finish() as results:
                    found = results.table("measured_b")["solid_fraction"].to_numpy()[-1] * 0.2**2 * 0.2
                self.assertAlmostEqual(found / volume, 1, delta=1e-9)


class ElasticGrains(unittest.TestCase):
    SOFT = dict(GRAIN, restitution=0.1, stiffness=1e4, poisson_ratio=0.3)

    def plate(self, folder, begin):
        """A plate of 0.2 m as a file."""
        path, a, b = f"{folder}/{begin:.3f}.stl", begin, begin + 0.2
        corners = [[(a, -0.5), (b, -0.5), (b, 0.5)], [(a, -0.5), (b, 0.5), (a, 0.5)]]
        with open(path, "w", encoding="ascii") as file:
            file.write("solid plate\n" + "".join(
                "facet normal 0 0 1\nouter loop\n" + "".join(f"vertex {x!r} {y!r} 0\n" for x, y in three) +
                "endloop\nendfacet\n" for three in corners) + "endsolid plate\n")
        return dict(name=f"plate {begin:.3f}", type="mesh", file=path)

    def test_clumps_pass_seams(self):
        """Both balls of a clump pass each seam in the same step: each keeps its own overlap."""
        members = [dict(radius=1.0, position=[0, -0.7, 1.0]), dict(radius=0.6, position=[0, 0.7, 0.6])]
        for members_in_order in (members, members[::-1]):
            with tempfile.TemporaryDirectory() as folder:
                heights = []
                for walls in ([FLOOR], [self.plate(folder, -0.1 + 0.2 * k) for k in range(10)]):
                    run = scree.Run(scene(time_step=2e-4, end_time=0.9, materials=[self.SOFT], boundaries=walls,
                                          shapes=[dict(name="d", members=members_in_order)],
                                          bodies=[dict(shape="d", size=0.05, position=[0.013, 0, 0.06], velocity=[2, 0, 0])]))
                    run.until()
                    heights.append(run.bodies.position[0, 2])
                self.assertAlmostEqual(heights[1], heights[0], delta=2e-5)  # the overlaps are about 4e-4

    def test_substeps_keep_the_speed_of_a_ball_that_rolls(self):
        rough = dict(self.SOFT, friction=0.5)
        for substeps in (1, 2, 5):
            run = scree.Run(scene(substeps=substeps, end_time=0.5, materials=[rough], boundaries=[FLOOR], bodies=[
                dict(radius=0.1, position=[0, 0, 0.1], velocity=[2, 0, 0], angular_velocity=[0, 20, 0])]))
            run.until()
            self.assertAlmostEqual(run.bodies.velocity[0, 0], 2, delta=1e-6)

    def test_a_lattice_rests_in_a_cell_that_holds_a_stress(self):
        """Balls that touch carry p (2 r)² each: the overlap of all contacts is p (2 r)²/k, to second order of the shrinking."""
        r, k, pressure = 0.01, 1e4, 5e3
        balls = [dict(radius=r, position=[r + 2 * r * i, r + 2 * r * j, r + 2 * r * l])
                 for i in range(3) for j in range(3) for l in range(3)]
        cell = dict(low=[0, 0, 0], high=[6 * r] * 3, periodic=["x", "y", "z"], stress_x=pressure, stress_y=pressure, stress_z=pressure)
        run = scree.Run(scene(gravity=[0, 0, 0], end_time=0.3, materials=[dict(self.SOFT, stiffness=k, friction=0.5)], bodies=balls, cell=cell))
        missed = 0
        while run.time < 0.3 - 5e-4:
            report = run.step()
            if run.time > 0.2:
                missed += report.residual_over_goal > 1
        self.assertEqual(missed, 0)
        side = (run.cell["volume_m3"] ** (1 / 3)) / 3
        self.assertAlmostEqual((2 * r - side) * k / (pressure * side**2), 1, delta=1e-4)


if __name__ == "__main__":
    unittest.main()
