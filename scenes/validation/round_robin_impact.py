"""A steel ball strikes a bed: case 3 of the round robin of 2024."""

import numpy as np

from scree.validation_case import Check, Form

TITLE = "Round robin of 2024: impact"
MEASURES = ("Path of a steel ball of 20 mm that strikes spheres of 2 mm (M1) in a box of 100 mm by 60 mm at 5 m/s: how far "
            "it falls, when it is lowest, and where it is after 0.1 s. In shallow beds the floor stops it. The band is that of "
            "two codes, and 5 % about it; for the rebound from 25,000 grains, that of eight codes.")
SOURCES = ["M. Dosta et al. 2024, Comput. Phys. Commun. 296, 109066. doi:10.1016/j.cpc.2023.109066",
           "peclet-examples 2026, github.com/computational-chemical-engineering/peclet-examples, dem-bulk-dosta2024 "
           "(its runs of the published inputs with LIGGGHTS and MUSEN; quotes the rebound of the eight codes: -13 to -70 mm)"]
SHORT = Form(points=[{"count": 25000}], set={"after": 0.04}, seconds=40)
FULL = Form(points=[{"count": 25000, "settle": 0.12}, {"count": 50000, "settle": 0.16}, {"count": 100000, "settle": 0.2}],
            seconds=1800)
FALL = {25000: (138.0, 138.7), 50000: (138.3, 138.9), 100000: (90.5, 90.6)}  # mm: LIGGGHTS and MUSEN
TIME = {25000: (30.0, 30.3), 50000: (43.8, 46.0), 100000: (50.9, 52.0)}      # ms


def path(run):
    """Time in ms since the ball was at its place, and its height above this place in mm."""
    table = run.table("measured_ball.csv")
    height = next(table[key] for key in table if key.startswith("position_z"))
    return 1000 * (table["time_s"] - run["settle"]), 1000 * (height - 0.06)


def lowest(run):
    """A parabola through the lowest value and its neighbours."""
    time, height = path(run)
    i = min(max(int(np.argmin(height)), 1), len(height) - 2)
    a, b, c = np.polyfit(time[i - 1:i + 2] - time[i], height[i - 1:i + 2], 2)
    shift = np.clip(-b / (2 * a), -1, 1) if a > 0 else 0
    return time[i] + shift, a * shift**2 + b * shift + c


def analyse(points):
    checks = []
    for p in points:
        grains = f"{p['count']} grains"
        for text, i, sign, (low, high), unit in (("deepest fall", 1, -1, FALL[p["count"]], "mm"),
                                                 ("time of the deepest fall", 0, 1, TIME[p["count"]], "ms")):
            value = p.mean_by(lambda run: sign * lowest(run)[i])
            checks.append(Check.of(f"{text}, {grains}", value, 0.95 * low, 1.05 * high, unit, published="two codes, ± 5 %"))
        if p["count"] == 25000 and p["after"] >= 0.1:
            checks.append(Check.of(f"after 0.1 s, {grains}", p.mean_by(lambda run: path(run)[1][-1]), -70, -12.5, "mm",
                                   published="eight codes"))
    return checks


def draw(axes, points):
    for p in points:
        axes.plot(*path(p.runs[0]), label=f"{p['count']} grains")
        for time, fall in zip(TIME[p["count"]], FALL[p["count"]]):
            axes.plot(time, -fall, "k+")
    axes.set(xlabel="time (ms)", ylabel="height of the ball (mm)")
    axes.legend()
