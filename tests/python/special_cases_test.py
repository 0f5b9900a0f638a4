"""Scenes in which a matrix is singular, a bound is exact, or two parts of the method meet: each with its closed form."""

import math
import tempfile
import unittest

import numpy as np

import scree

STEEL = dict(name="m", density=1000.0, friction=0.0, restitution=0.0)
FLOOR = dict(name="floor", type="plane")


def scene(**keys):
    return scree.Scene({**dict(name="case", gravity=[0, 0, -9.81], time_step=0.001, end_time=0.3, materials=[STEEL],
                               output=dict(interval=0.05, vtk=False)), **keys})


class Recorded:
    """A run to its end, with its tables."""

    def __init__(self, of):
        self._folder = tempfile.TemporaryDirectory()
        run = scree.Run(of, folder=self._folder.name + "/run", threads=1)
        run.until()
        self.results = run.finish()

    def __enter__(self):
        return self.results

    def __exit__(self, *what):
        self.results.close()
        self._folder.cleanup()


class Friction(unittest.TestCase):
    def test_contacts_without_friction_do_not_pull(self):
        """A ball leaves the floor after its bounce and flies freely: v = e sqrt(2 g h) - g t."""
        ball = dict(radius=0.1, position=[0, 0, 0.2])
        for kind in ("gauss_seidel", "admm"):
            run = scree.Run(scene(materials=[dict(STEEL, restitution=0.8)], bodies=[ball], boundaries=[FLOOR],
                                  solver=dict(kind=kind)))
            run.until(0.145)  # it strikes at sqrt(2 * 0.1 / 9.81) = 0.1428 s
            fast = run.bodies.velocity[0, 2]
            self.assertAlmostEqual(fast, 0.8 * math.sqrt(2 * 9.81 * 0.1), delta=0.05)  # a step and a half of gravity
            run.until(0.3)
            self.assertAlmostEqual(run.bodies.velocity[0, 2], fast - 9.81 * 0.155, delta=1e-6)

    def test_a_column_that_opens_does_not_hold_together(self):
        """A heavy ball on a light one, with a third that flies off: the lower two rest, the upper one is in free flight."""
        light, heavy = dict(STEEL), dict(STEEL, name="heavy", density=1e5)
        run = scree.Run(scene(end_time=0.1, materials=[light, heavy], boundaries=[dict(FLOOR, material="m")], bodies=[
            dict(radius=0.1, position=[0, 0, 0.1], material="m"), dict(radius=0.1, position=[0, 0, 0.3], material="heavy"),
            dict(radius=0.1, position=[0, 0, 0.5], velocity=[0, 0, 1], material="m")]))
        run.until()
        speed = run.bodies.velocity[:, 2]
        self.assertLess(np.abs(speed[:2]).max(), 0.01)
        self.assertAlmostEqual(speed[2], 1 - 9.81 * 0.1, delta=1e-9)

    def test_direction_and_place_act_on_their_own_coefficients(self):
        """A ball rolls: v = v0 - 5/7 g t (rolling friction / r). Factors of sliding friction do not change it."""
        ball = dict(radius=0.1, position=[0, 0, 0.1], velocity=[1, 0, 0], angular_velocity=[0, 10, 0])
        for factors in ([1, 1, 1], [0.25, 0.25, 0.25], [1, 0.01, 1], [0.2, 1, 1]):
            for kind in ("gauss_seidel", "nsgs"):
                stone = dict(STEEL, friction=0.5, rolling_friction=0.002)
                floor = dict(stone, name="floor", friction_factors=factors)
                run = scree.Run(scene(end_time=0.5, materials=[stone, floor], bodies=[dict(ball, material="m")],
                                      boundaries=[dict(FLOOR, material="floor")], solver=dict(kind=kind)))
                run.until()
                self.assertAlmostEqual(run.bodies.velocity[0, 0], 1 - 5 / 7 * 9.81 * 0.5 * 0.002 / 0.1, delta=1e-3,
                                       msg=f"{factors} {kind}")


class ElasticContacts(unittest.TestCase):
    def strip(self, folder, begin, end, cells, height=lambda x: 0.0):
        """An STL file of a strip of this many cells, each of two triangles."""
        path, facets = f"{folder}/{begin:.3f}_{cells}.stl", []
        x = np.linspace(begin, end, cells + 1)
        for a, b in zip(x[:-1], x[1:]):
            left, right = [(a, -0.3, height(a)), (a, 0.3, height(a))], [(b, -0.3, height(b)), (b, 0.3, height(b))]
            facets += [(left[0], right[0], right[1]), (left[0], right[1], left[1])]
        with open(path, "w", encoding="ascii") as file:
            file.write("solid strip\n")
            for corners in facets:
                rows = "".join(f"vertex {p[0]!r} {p[1]!r} {p[2]!r}\n" for p in np.array(corners, float).tolist())
                file.write(f"facet normal 0 0 1\nouter loop\n{rows}endloop\nendfacet\n")
            file.write("endsolid strip\n")
        return dict(name=f"floor {begin:.3f}", type="mesh", file=path)

    SOFT = dict(STEEL, friction=0.5, restitution=0.5, stiffness=1e4, poisson_ratio=0.3)
    BALL = dict(radius=0.1, position=[0.013, 0.02, 0.1], velocity=[2, 0, 0], angular_velocity=[0, 20, 0])
    MASS = 4 / 3 * math.pi * 0.1**3 * 1000

    def test_balls_pass_seams_of_walls(self):
        """A ball rolls over twenty facets, or ten plates side by side, with the overlap m g/k of a plane."""
        with tempfile.TemporaryDirectory() as folder:
            facets = [self.strip(folder, -0.1, 1.9, 20)]
            plates = [self.strip(folder, -0.1 + 0.2 * k, 0.1 + 0.2 * k, 1) for k in range(10)]
            for walls in ([FLOOR], facets, plates):
                for step in (1e-4, 1e-2):  # a 1300th and a 13th of an oscillation
                    run = scree.Run(scene(time_step=step, end_time=0.6, materials=[self.SOFT], bodies=[self.BALL],
                                          boundaries=walls))
                    run.until()
                    where = run.bodies.position[0]
                    self.assertAlmostEqual(where[0], 1.213, delta=1e-9)
                    self.assertAlmostEqual((0.1 - where[2]) * 1e4 / (self.MASS * 9.81), 1, delta=3e-3, msg=f"{len(walls)} {step}")

    def test_balls_pass_folds_of_walls(self):
        """A ball rolls along a polygon of edges of 0.1 m, hollow or arched with radius 10 m: its mean overlap is m (g ± v²/R)/k."""
        for sign in (1, -1):
            with tempfile.TemporaryDirectory() as folder:
                def height(x, sign=sign):
                    return sign * (10 - math.sqrt(100 - x * x))
                run = scree.Run(scene(time_step=2e-4, end_time=0.8, materials=[self.SOFT], bodies=[self.BALL],
                                      boundaries=[self.strip(folder, -0.1, 2.9, 30, height)]))
                overlaps = []
                while run.time < 0.8 - 1e-4:
                    run.step()
                    if run.time > 0.4:  # it has come down
                        x, _, z = run.bodies.position[0]
                        # the polygon is between its corners and the middles of its edges, 0.13 mm apart
                        overlaps.append(0.1 - sign * (10 - math.hypot(x, z - sign * 10)))
                speed = float(np.linalg.norm(run.bodies.velocity[0]))
                expected = self.MASS * (9.81 + sign * speed**2 / (10 - sign * 0.1)) / 1e4
                self.assertAlmostEqual(float(np.mean(overlaps)) / expected, 1, delta=0.06)

    def test_ellipsoids_that_turn_keep_their_energy(self):
        """The curvature under an ellipsoid that turns on a smooth floor changes tenfold. The integration is of second order."""
        soft = dict(STEEL, restitution=1.0, youngs_modulus=1e6, poisson_ratio=0.3)
        height = math.hypot(0.1 * math.sin(math.radians(20)), 0.03 * math.cos(math.radians(20)))
        for step, within in ((1e-4, 1e-5), (2e-5, 4e-7)):
            run = scree.Run(scene(time_step=step, end_time=0.2, materials=[soft], boundaries=[FLOOR], bodies=[
                dict(semi_axes=[0.1, 0.05, 0.03], position=[0, 0, height], angular_velocity=[0, 20, 0],
                     orientation=dict(axis=[0, 1, 0], angle=20.0))]))
            energy = []
            while run.time < 0.2 - 0.5 * step:
                report = run.step()
                energy.append(report.kinetic_energy_J + report.potential_energy_J + report.elastic_energy_J)
            self.assertLess(max(energy) / energy[0] - 1, within)
            self.assertGreater(min(energy) / energy[0] - 1, -within)


class Parts(unittest.TestCase):
    """Parts with one freedom on bodies that nothing moves: the contact's matrix has rank 1."""

    def press(self, **more):
        keys = dict(materials=[dict(STEEL, friction=0.3)], bodies=[
            dict(name="obstacle", radius=0.1, position=[0, 0, 0.1], fixed=True), dict(radius=0.01, position=[1, 0, 0.01])],
            boundaries=[FLOOR, dict(name="lid", type="plane", part="press", point=[0, 0, 0.25], normal=[0, 0, -1])],
            parts=[dict(name="press", freedom="along", direction=[0, 0, 1], mass=10.0, weight=True)])
        with Recorded(scene(**{**keys, **more})) as results:
            return results.table("parts").set_index("part").loc["press"], results.verdict.grade

    def test_a_lid_rests_on_a_fixed_ball(self):
        for solver in (dict(), dict(tolerance=1e-5), dict(kind="nsgs"), dict(kind="gauss_seidel", friction_cone="sampled")):
            parts, grade = self.press(solver=solver)
            self.assertAlmostEqual(parts.travel.iloc[-1], -0.05, delta=1e-4, msg=str(solver))
            self.assertLess(abs(parts.rate.iloc[-1]), 1e-6, msg=str(solver))
            self.assertNotEqual(grade, "red", msg=str(solver))

    def test_a_heavy_lid_rests_on_many(self):
        balls = [dict(name=f"ball{i}{j}", radius=0.1, position=[0.25 * i, 0.25 * j, 0.1], fixed=True)
                 for i in range(5) for j in range(5)]
        parts, _ = self.press(bodies=[*balls, dict(radius=0.01, position=[3, 0, 0.01])],
                              parts=[dict(name="press", freedom="along", direction=[0, 0, 1], mass=1000.0, weight=True)])
        self.assertAlmostEqual(parts.travel.iloc[-1], -0.05, delta=1e-4)

    def test_a_lid_bounces_as_restitution_says(self):
        parts, _ = self.press(materials=[dict(STEEL, friction=0.3, restitution=0.8)],
                              restitution_law="energetic", end_time=0.15)
        self.assertAlmostEqual(parts.rate.max(), 0.8 * math.sqrt(2 * 9.81 * 0.05), delta=0.02)  # a step of gravity before it and after

    def test_a_turning_part_comes_to_rest_on_a_fixed_ball(self):
        """Also with rolling friction, whose matrix is singular too."""
        for rolling in (0.0, 0.01):
            with Recorded(scene(
                    materials=[dict(STEEL, friction=0.3, rolling_friction=rolling)], bodies=[
                        dict(name="obstacle", radius=0.1, position=[1, 0, 0.1], fixed=True),
                        dict(radius=0.01, position=[3, 0, 0.01])],
                    boundaries=[FLOOR, dict(name="head", type="sphere", part="arm", centre=[1, 0.05, 0.32], radius=0.1)],
                    parts=[dict(name="arm", freedom="about", axis=[0, 1, 0], point=[0, 0, 0.3], inertia=1.0, torque=3.0)])) \
                    as results:
                parts = results.table("parts").set_index("part").loc["arm"]
                self.assertEqual(results.status, "finished")
                self.assertLess(abs(parts.rate.iloc[-1]), 1e-5)

    def test_a_locked_part_feels_its_load(self):
        """A ball of 0.0335 kg on a locked table: the event at 0.1 N happens and releases it."""
        weight = 1000 * 4 / 3 * math.pi * 0.02**3 * 9.81
        keys = dict(bodies=[dict(radius=0.02, position=[0, 0, 0.02])],
                    boundaries=[dict(name="plate", type="plane", part="table")],
                    parts=[dict(name="table", freedom="along", direction=[0, 0, -1], mass=0.1, starts_locked=True)])
        with Recorded(scene(**keys)) as results:
            self.assertAlmostEqual(results.table("parts").contact_force.iloc[-1], weight, delta=1e-4 * weight)
        with Recorded(scene(**keys, events=[dict(name="latch", part="table", quantity="contact_force", rises_above=0.1,
                                                 release_part="table")])) as results:
            self.assertEqual(len(results.events), 1)
            self.assertGreater(results.table("parts").travel.iloc[-1], 0.01)

    def test_separating_overlaps_does_not_load_a_stop(self):
        """A plate at its stop with a ball that overlaps it by a tenth: nothing moves fast, and no energy comes."""
        with Recorded(scene(end_time=0.1, checks=dict(max_initial_overlap=0.2), bodies=[dict(radius=0.02, position=[0, 0, 0.018])],
                            boundaries=[dict(name="plate", type="plane", part="plate")],
                            parts=[dict(name="plate", freedom="along", direction=[0, 0, 1], mass=0.01, low=0.0)])) as results:
            parts = results.table("parts")
            self.assertGreater(parts.travel.min(), -1e-9)
            self.assertLess(parts.kinetic_energy_J.max() + results.steps.kinetic_energy_J.max(), 1e-9)

    def test_a_motion_that_is_no_number_ends_the_run(self):
        with self.assertRaises(scree.StepError) as caught:
            scree.Run(scene(end_time=0.2, bodies=[dict(radius=0.01, position=[0, 0, 0.0101])], boundaries=[dict(FLOOR, motion=[
                dict(type="translation", direction=[0, 0, 1],
                     function="0.001*(sqrt((t-0.1)*(t-0.3))-sqrt(0.03))")])])).until()
        self.assertIn("'floor'", str(caught.exception))


class Joints(unittest.TestCase):
    ROTOR = dict(name="rotor", freedom="all", mass=1.0, centre=[0, 0, 0], moments=[1e-3, 1e-3, 1e-3])
    AXLE = dict(name="axle", type="revolute", b="rotor", point=[0, 0, 0], axis=[0, 0, 1])

    def of(self, **keys):
        return Recorded(scene(gravity=[0, 0, 0], bodies=[dict(radius=0.01, position=[5, 0, 0])], **keys))

    def test_work_counts_both_sides(self):
        """A clutch between a driver of 10 rad/s and a rotor in oil (0.05 N m s): it slips with 0.1 N m at 2 rad/s."""
        driver = dict(name="driver", motion=[dict(type="rotation", axis=[0, 0, 1], angular_speed=10.0)])
        with self.of(end_time=1.0, parts=[driver, self.ROTOR], joints=[
                dict(self.AXLE, damping=0.05), dict(name="clutch", type="revolute", a="driver", b="rotor", point=[0, 0, 0],
                                                    axis=[0, 0, 1], friction=0.1)]) as results:
            clutch = results.table("joints").set_index("joint").loc["clutch"].iloc[-1]
            self.assertAlmostEqual(clutch.rate, -8.0, delta=0.01)
            self.assertAlmostEqual(clutch.friction_work_J, -0.1 * 8.0 * 0.001, delta=1e-6)

    def test_a_given_force_needs_no_gravity(self):
        """One newton metre on 1 kg m^2: the angle is t^2 / 2, in one sweep a step."""
        part = dict(self.ROTOR, moments=[1.0, 1.0, 1.0])
        with self.of(parts=[part], joints=[dict(self.AXLE, motor=dict(type="force", value=1.0))]) as results:
            self.assertAlmostEqual(results.table("joints").coordinate.iloc[-1], 0.5 * 0.3**2, delta=1e-6)
            self.assertEqual(results.verdict.grade, "green")
            self.assertLess(results.steps.sweeps.max(), 50)

    def test_constraints_that_contradict_each_other_are_told(self):
        """A motor without a limit against a stop; a body that two joints hold in two places."""
        with self.of(end_time=1.0, parts=[self.ROTOR],
                     joints=[dict(self.AXLE, high=0.5, motor=dict(type="speed", value=1.0))]) as results:
            self.assertEqual(results.verdict.grade, "red")
            self.assertIn("axle", str(results.verdict))
        with self.of(end_time=1.0, parts=[self.ROTOR],
                     joints=[dict(self.AXLE, high=0.5, motor=dict(type="speed", value=1.0, most=5.0))]) as results:
            self.assertAlmostEqual(results.table("joints").coordinate.iloc[-1], 0.5, delta=1e-6)
            self.assertEqual(results.verdict.grade, "green")

    def test_motors_do_not_inject_energy(self):
        """A motor lifts a ball: its work is a source that the ledger knows."""
        with Recorded(scene(bodies=[dict(name="ball", radius=0.05, position=[0, 0, 0])], joints=[
                dict(name="lift", type="prismatic", b="ball", axis=[0, 0, 1], motor=dict(type="speed", value=1.0))])) as results:
            self.assertGreater(results.steps.joint_work_J.sum(), 1.0)
            self.assertLess(results.steps.energy_injected_J.sum(), 1e-9)


class LineContacts(unittest.TestCase):
    """Bodies given by functions that touch along a ring or a line, exactly, nearly and not quite aligned: none falls
    through the other, and all stand at the same height, within what their tilt takes."""
    TILTS = (0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3)
    ROUGH = dict(STEEL, friction=0.3)
    BOWL = dict(name="bowl", semi_axes=[1, 1, 1], perturbations=[
        dict(type="ellipsoid", semi_axes=[0.6, 0.6, 0.6], centre=[0, 0, 0.95], weight=-0.7)])
    TABLET = dict(name="tablet", semi_axes=[0.9, 0.9, 0], perturbations=[
        dict(type="ellipsoid", semi_axes=[0, 0, 0.2], outside=True, weight=-0.25)])
    ROD = dict(name="rod", semi_axes=[0, 0.345, 0.345], perturbations=[
        dict(type="ellipsoid", semi_axes=[0.6, 0, 0], outside=True, weight=-0.4)])

    def stand(self, body, bodies, **keys):
        heights = []
        for tilt in self.TILTS:
            run = scree.Run(scene(materials=[self.ROUGH], bodies=bodies(tilt), **keys), threads=1)
            run.until()
            self.assertLess(np.linalg.norm(run.bodies.velocity[body]), 1e-4, msg=f"{tilt}")
            heights.append(run.bodies.position[body, 2])
        self.assertLess(max(heights) - min(heights), 2e-5, msg=f"{heights}")
        return heights[0]

    @staticmethod
    def turned(x, y, angle):
        return [math.cos(angle / 2), x * math.sin(angle / 2), y * math.sin(angle / 2), 0]

    def test_a_bowl_stands_on_its_rim(self):
        with tempfile.TemporaryDirectory() as folder:
            square = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
            with open(folder + "/floor.obj", "w", encoding="ascii") as file:
                file.write("".join(f"v {x} {y} 0\n" for x, y in square) + "f 1 2 3\nf 1 3 4\n")
            floors = (FLOOR, dict(name="floor", type="mesh", file=folder + "/floor.obj"))
            heights = [self.stand(0, lambda tilt: [dict(shape="bowl", size=0.1, position=[0.01, 0.02, 0.12],
                                                        orientation=self.turned(1, 0, math.pi + tilt))],
                                  shapes=[self.BOWL], boundaries=[floor]) for floor in floors]
        self.assertAlmostEqual(heights[0], heights[1], delta=1e-5)

    def test_a_tablet_lies_in_a_bowl(self):
        self.stand(1, lambda aside: [dict(shape="bowl", size=0.1, position=[0, 0, 0], fixed=True),
                                     dict(shape="tablet", size=0.04, position=[0.1 * aside, 0, 0.12])],
                   shapes=[self.BOWL, self.TABLET])

    def test_rods_lie_on_each_other(self):
        walls = [dict(name=name, type="plane", normal=[0, side, 0], point=[0, -0.03451 * side, 0])
                 for name, side in (("left", 1), ("right", -1))]
        self.stand(1, lambda tilt: [dict(shape="rod", size=0.1, position=[0, 0, 0.04]),
                                    dict(shape="rod", size=0.1, position=[0, 0, 0.12], orientation=self.turned(0, 1, tilt))],
                   shapes=[self.ROD], boundaries=[FLOOR, *walls])


class Steps(unittest.TestCase):
    def test_substeps_are_steps(self):
        """A ball meets the floor within a step of two substeps: it does not overlap it, as with steps of that length."""
        with Recorded(scene(gravity=[0, 0, -0.001], time_step=0.002, end_time=0.0399, substeps=2,
                            bodies=[dict(radius=0.01, position=[0, 0, 0.0287], velocity=[0, 0, -1])],
                            boundaries=[FLOOR])) as results:
            self.assertLess(results.steps.penetration_max.max(), 1e-6)
            self.assertLess(results.steps.position_correction_J.abs().max(), 1e-12)

    def test_a_crossing_before_its_event_is_watched_does_not_count(self):
        """A ball crosses z = 0 at 0.5 s; the event is watched from 1 s on."""
        events = [dict(name="late", quantity="time_s", rises_above=1.0, record=True),
                  dict(name="hit", after="late", body=0, quantity="position_z_m", crosses=0.0, record=True)]
        for first in (0, 1):
            with Recorded(scene(gravity=[0, 0, 0], end_time=2.0, bodies=[dict(radius=0.1, position=[0, 0, 1], velocity=[0, 0, -2])],
                                events=events[first:] + events[:first])) as results:
                self.assertEqual(list(results.events.event), ["late"])

    def test_adaptive_steps_know_newcomers_and_kicks(self):
        """Grains of 5 m/s that enter an empty scene, or are kicked: they do not turn round before they meet the floor."""
        keys = dict(gravity=[0, 0, 0], time_step="adaptive", end_time=0.2, materials=[dict(STEEL, restitution=0.9)],
                    boundaries=[FLOOR], output=dict(interval=0.01, vtk=False))
        inlet = dict(name="feed", number_rate=40.0, radius=0.002, velocity=[0, 0, -5],
                     region=dict(type="box", low=[-0.05, -0.05, 0.05], high=[0.05, 0.05, 0.06]))
        kick = dict(name="kick", body=0, expression="(t-0.0999)*1e3 + 0*z", rises_above=0.0, set_velocity=["0", "0", "-5"])
        for more in (dict(inlets=[inlet]), dict(bodies=[dict(radius=0.002, position=[0, 0, 0.06])], events=[kick])):
            last = {}
            for run in self.steps(scene(**keys, **more)):
                bodies = run.bodies
                for body, x, v in zip(bodies.id, bodies.position[:, 2], bodies.velocity[:, 2]):
                    if v > 1.0 and last.get(body, 1.0) < -1.0:
                        self.assertLess(x, 0.01, more)  # in a step it moves by half of its radius
                    last[body] = v
            self.assertGreater(max(last.values()), 4.0)

    @staticmethod
    def steps(of):
        run = scree.Run(of)
        for _ in run.steps():
            yield run


class Cells(unittest.TestCase):
    """Periodic cells: all images of a place are the same place."""

    CELL = dict(low=[0, 0, 0], high=[0.2, 0.2, 0.4], periodic=["x"])

    def test_patches_have_images(self):
        """A ball slides over a patch without friction: on the floor, and on the ball itself."""
        def work(x, of_floor):
            materials = [dict(STEEL, name="a", friction=0.5), dict(STEEL, name="b", friction=0.5)]
            patch = dict(material="b", centre=[0.05, 0.1, 0], radius=0.03, factor=0.0) if of_floor else \
                dict(material="a", centre=[0, 0, -0.01], radius=0.005, factor=0.0)
            with Recorded(scene(time_step=1e-4, end_time=0.01, cell=self.CELL, materials=materials, friction_patches=[patch],
                                bodies=[dict(radius=0.01, material="a", position=[x, 0.1, 0.01], velocity=[0, 1, 0])],
                                boundaries=[dict(FLOOR, material="b")])) as results:
                return results.steps.dissipated_by_friction_J.sum()
        for x in (0.05, 0.25, -0.15):
            self.assertLess(abs(work(x, True)), 1e-12)
        for x in (0.15, -0.05):
            self.assertGreater(work(x, True), 1e-4)
        self.assertLess(work(0.1999, False), 0.5 * work(0.15, True))  # it turns off its patch slowly

    def test_stress_of_grains_on_an_elastic_floor(self):
        """Two balls rest on each other: stress_zz V = sum of m g z, the height above the floor."""
        mass = 1000 * 4 / 3 * math.pi * 0.01**3
        with Recorded(scene(time_step=2e-4, end_time=1.0, cell=dict(low=[0, 0, 0], high=[0.1, 0.1, 0.1], periodic=["x", "y"]),
                            materials=[dict(STEEL, restitution=0.1, youngs_modulus=2e5, poisson_ratio=0.3)],
                            bodies=[dict(radius=0.01, position=[0.05, 0.05, z]) for z in (0.0097, 0.0293)],
                            boundaries=[FLOOR])) as results:
            heights = results.frames[-1].position[:, 2]
            stress = results.table("cell").stress_zz_Pa.iloc[-1]
            self.assertAlmostEqual(stress, mass * 9.81 * heights.sum() / 0.1**3, delta=2e-3 * stress)


class Measured(unittest.TestCase):
    def test_bridges_that_pull_are_no_impacts(self):
        """A ball bounces eight times; a bridge too weak to change that does not add impacts. One that turns back before
        it touches has none."""
        def floor(**more):
            stone = dict(STEEL, restitution=0.7, **more)
            with Recorded(scene(time_step=2e-5, end_time=0.25, restitution_threshold=0.02, materials=[stone],
                                bodies=[dict(radius=0.01, position=[0, 0, 0.015])], boundaries=[FLOOR])) as results:
                table = results.table("boundaries")
                return table.impacts.sum(), table.impact_energy_J.sum()
        dry = floor()
        for volume in (1e-12, 1e-8):
            wet = floor(surface_tension=1e-5, bridge_volume=volume)
            self.assertLess(abs(wet[0] - dry[0]), 2)
            self.assertAlmostEqual(wet[1] / dry[1], 1.0, delta=0.01)

    def test_screens_and_stays_count_what_passes(self):
        """A grain falls through, one goes over the end, two rise from below, which were never on the screen."""
        ball = lambda x, y, z, v: dict(radius=0.004, position=[x, y, z], velocity=v)  # noqa: E731
        bodies = [ball(0, 0, 0.05, [0, 0, -0.2]), ball(0.05, 0, -0.05, [0, 0, 0.2]), ball(0.1, 0, -0.05, [0, 0, 0.2]),
                  ball(0.1, 0.05, 0.05, [0.2, 0, 0])]
        mass = 1000 * 4 / 3 * math.pi * 0.004**3
        with Recorded(scene(gravity=[0, 0, 0], end_time=1.0, bodies=bodies, measurements=[
                dict(name="sieve", measure="screening", plane=dict(point=[0, 0, 0], normal=[0, 0, -1]),
                     over=dict(point=[0.15, 0, 0], normal=[1, 0, 0]), aperture=0.01),
                dict(name="stays", measure="residence", region=dict(type="box", low=[-1, -1, 0], high=[1, 1, 0.055]))])) as results:
            sieve = results.measured("sieve").iloc[-1]
            self.assertAlmostEqual(sieve.undersize_through_kg, mass, delta=1e-9 * mass)
            self.assertAlmostEqual(sieve.efficiency, 0.5, delta=1e-9)
            stays = results.measured("stays").iloc[-1]
            self.assertEqual((stays.inside, stays.entered, stays.left), (1.0, 2.0, 3.0))  # two were inside at the start


if __name__ == "__main__":
    unittest.main()
