"""A bed over a slot: it opens, grains run out, and two slopes remain. One experiment for two numbers."""

import numpy as np

import scree

RADIUS, LENGTH, DEPTH, SLOT = 0.004, 0.2, 0.035, 0.03  # m


def bed(friction, rolling_friction, seed=1):
    """700 spheres of 8 mm between smooth panes; `rolling_friction` is a length, m."""
    return scree.Scene(
        name="repose", gravity=[0, 0, -9.81], time_step=0.001, end_time=10, solver=dict(tolerance=1e-2),
        materials=[dict(name="grain", density=2500, friction=friction, rolling_friction=rolling_friction),
                   dict(name="glass", density=2500, friction=0.0)],
        bodies=[dict(generate="dense", count=700, radius=RADIUS, scale=dict(distribution="uniform", low=0.85, high=1.15), seed=seed,
                     material="grain", region=dict(type="box", low=[0.002, 0.001, 0.002], high=[LENGTH - 0.002, DEPTH - 0.001, 0.2]))],
        boundaries=[
            dict(name="floor", type="plane", normal=[0, 0, 1], point=[0, 0, 0], material="grain"),
            dict(name="left", type="plane", normal=[1, 0, 0], point=[0, 0, 0], material="glass"),
            dict(name="right", type="plane", normal=[-1, 0, 0], point=[LENGTH, 0, 0], material="glass"),
            dict(name="pane", type="plane", normal=[0, 1, 0], point=[0, 0, 0], material="glass"),
            dict(name="other_pane", type="plane", normal=[0, -1, 0], point=[0, DEPTH, 0], material="glass")])


def measure(run):
    """Discharge (kg/s) while the middle half of what leaves does so, and angle of repose (deg) of what stays."""
    run.until(0.3)  # at rest
    times, masses = [], []
    while run.time < 4.0 and (not times or run.time < times[-1] + 0.25):
        bodies = run.bodies
        gone = (np.abs(bodies.position[:, 0] - LENGTH / 2) < SLOT / 2) & (bodies.position[:, 2] < 1.2 * RADIUS)
        if gone.any():
            times.append(run.time)
            masses.append(bodies.mass[gone].sum())
            run.remove(bodies.id[gone])
        run.step(4)
    mass = np.cumsum(masses)
    middle = (mass > 0.25 * mass[-1]) & (mass < 0.75 * mass[-1])
    discharge = np.polyfit(np.array(times)[middle], mass[middle], 1)[0]
    x, z = run.bodies.position[:, 0], run.bodies.position[:, 2]
    return {"discharge": discharge, "angle": 0.5 * (slope(LENGTH / 2 - x, z) + slope(x - LENGTH / 2, z))}


def slope(x, z):
    """Of the free surface that rises with x > 0, deg: a line through the tops of strips a grain wide."""
    edges = np.arange(SLOT / 2 + RADIUS, LENGTH / 2 - 2 * RADIUS, 2 * RADIUS)
    strips = [(a, np.sort(z[(x >= a) & (x < a + 2 * RADIUS)])) for a in edges]
    tops = np.array([[a + RADIUS, inside[-3:].mean()] for a, inside in strips if len(inside) >= 3])
    on_slope = tops[tops[:, 1] < 0.9 * tops[:, 1].max()] if len(tops) > 4 else tops
    return float(np.degrees(np.arctan(np.polyfit(on_slope[:, 0], on_slope[:, 1], 1)[0])))
