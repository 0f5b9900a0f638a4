"""A bed behind a gate on a ledge: the gate goes, grains run off, a slope remains. One experiment for two numbers."""

import numpy as np

import scree

RADIUS, LENGTH, DEPTH = 0.004, 0.14, 0.04  # m


def bed(friction, rolling_friction, seed=1):
    """500 spheres of 8 mm between smooth panes; `rolling_friction` is a length, m."""
    return scree.Scene(
        name="repose", gravity=[0, 0, -9.81], time_step=0.001, end_time=1.8, solver=dict(tolerance=1e-2),
        materials=[dict(name="grain", density=2500, friction=friction, rolling_friction=rolling_friction),
                   dict(name="glass", density=2500, friction=0.0)],
        bodies=[dict(generate="dense", count=500, radius=RADIUS, scale=dict(distribution="uniform", low=0.85, high=1.15), seed=seed,
                     material="grain", region=dict(type="box", low=[0.002, 0.001, 0.002], high=[LENGTH - 0.002, DEPTH - 0.001, 0.2]))],
        boundaries=[
            dict(name="floor", type="plane", normal=[0, 0, 1], point=[0, 0, 0], material="grain"),
            dict(name="back", type="plane", normal=[1, 0, 0], point=[0, 0, 0], material="glass"),
            dict(name="pane", type="plane", normal=[0, 1, 0], point=[0, 0, 0], material="glass"),
            dict(name="other_pane", type="plane", normal=[0, -1, 0], point=[0, DEPTH, 0], material="glass"),
            dict(name="gate", type="plane", normal=[-1, 0, 0], point=[LENGTH, 0, 0], material="glass")],
        outlets=[dict(name="ledge", type="box", low=[LENGTH + 0.002, -1, -1], high=[1, 1, 1])])


def measure(run):
    """Angle of repose (deg) and time in which half of what leaves has left (s)."""
    run.until(0.3)  # at rest behind the gate
    whole = run.bodies.mass.sum()
    run.boundaries["gate"].remove()
    start, times, left = run.time, [], []
    for report in run.steps(every=0.02):
        times.append(report.time - start)
        left.append(whole - run.bodies.mass.sum())
    left = np.array(left)
    half = np.interp(0.5 * left[-1], left, times)
    return {"angle": slope(run.bodies.position), "half_time": half, "left": left[-1] / whole}


def slope(position):
    """Of the free surface, deg: a line through the tops of strips a grain wide, between a fifth and four fifths of the
    height of the bed."""
    x, z = position[:, 0], position[:, 2]
    edges = np.arange(0.0, LENGTH, 2 * RADIUS)
    strips = [(a, z[(x >= a) & (x < a + 2 * RADIUS)]) for a in edges]
    tops = np.array([[a + RADIUS, np.sort(inside)[-3:].mean()] for a, inside in strips if len(inside) >= 3])
    high = tops[:, 1].max()
    on_slope = tops[(tops[:, 1] > 0.2 * high) & (tops[:, 1] < 0.8 * high)]
    return float(np.degrees(np.arctan(-np.polyfit(on_slope[:, 0], on_slope[:, 1], 1)[0])))
