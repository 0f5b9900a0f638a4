"""A steel ball strikes a bed: case 3 of the round robin of 2024."""

import numpy as np

from scree.validation_case import Check, Form

TITLE = "Round robin of 2024: impact"
MEASURES = ("A steel ball of 20 mm strikes spheres of 2 mm (M1) in a box of 100 mm by 60 mm at 5 m/s: how far it falls, when it "
            "has fallen nine tenths of that, and where it is after 0.1 s. In shallow beds the floor stops it. The band is that "
            "of two codes, ± 5 %; for the rebound from 25,000 grains, that of eight codes. 12,500 grains: half of the box.")
SOURCES = ["M. Dosta et al. 2024, Comput. Phys. Commun. 296, 109066. doi:10.1016/j.cpc.2023.109066",
           "peclet-examples 2026, github.com/computational-chemical-engineering/peclet-examples, dem-bulk-dosta2024 "
           "(its runs of the published inputs with LIGGGHTS and MUSEN; quotes the rebound of the eight codes: -13 to -70 mm)"]
SHORT = Form(points=[{"count": 12500}], set={"length": 0.05, "settle": 0.09, "after": 0.035}, seconds=20)
FULL = Form(points=[{"count": 25000, "settle": 0.12, "time_step": 0.0002},
                    {"count": 50000, "settle": 0.16, "time_step": 0.0002},
                    {"count": 100000, "settle": 0.2, "time_step": 0.0001}], seconds=1800)
KNOWN_MISSES = {"after 0.1 s, 25000 grains": "rigid grains under the ball throw it back with 0.7 m/s; elastic ones with 2.1, as in "
                                             "two codes (1.9 to 2.1): docs/validation.md"}
FALL = {12500: (138.0, 138.9), 25000: (138.0, 138.9), 50000: (138.6, 138.9), 100000: (90.5, 90.9)}  # mm: LIGGGHTS, MUSEN
TIME = {12500: (25.1, 25.3), 25000: (25.1, 25.3), 50000: (32.1, 32.1), 100000: (30.2, 30.3)}  # ms, at nine tenths of it


def path(run):
    """Time in ms since the ball was at its place, and its height above this place in mm."""
    table = run.table("measured_ball.csv")
    height = next(table[key] for key in table if key.startswith("position_z"))
    return 1000 * (table["time_s"] - run["settle"]), 1000 * (height - 0.06)


def fall(run):
    """Deepest fall in mm, and the time in ms at nine tenths of it."""
    time, height = path(run)
    i = int(np.argmax(height < 0.9 * height.min()))
    return -height.min(), np.interp(-0.9 * height.min(), -height[i - 1:i + 1], time[i - 1:i + 1])


def analyse(points):
    checks = []
    for p in points:
        grains = f"{p['count']} grains"
        for i, text, (low, high), unit in ((0, "deepest fall", FALL[p["count"]], "mm"),
                                           (1, "time at nine tenths of it", TIME[p["count"]], "ms")):
            checks.append(Check.of(f"{text}, {grains}", p.mean_by(lambda run: fall(run)[i]), 0.95 * low, 1.05 * high, unit,
                                   published="two codes, ± 5 %"))
        if p["count"] == 25000 and p["after"] >= 0.1:
            checks.append(Check.of(f"after 0.1 s, {grains}", p.mean_by(lambda run: path(run)[1][-1]), -70, -12.5, "mm",
                                   published="eight codes"))
    return checks


def draw(axes, points):
    for p in points:
        axes.plot(*path(p.runs[0]), label=f"{p['count']} grains")
        axes.plot(np.mean(TIME[p["count"]]), -0.9 * np.mean(FALL[p["count"]]), "k+")
    axes.set(xlabel="time (ms)", ylabel="height of the ball (mm)")
    axes.legend()
