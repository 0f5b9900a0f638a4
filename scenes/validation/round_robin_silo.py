"""A silo empties: case 1 of the round robin of 2024."""

import numpy as np

from scree.validation_case import Check, Form

TITLE = "Round robin of 2024: silo"
MEASURES = ("Spheres of 4 mm which leave a silo per second, 0.5 to 2 s after its opening. The outlet is a cone of 45°. "
            "Eight codes with Hertz contacts: 23,200 /s through 6 cm, ± 5 %; through 4 cm less by 3.10 ± 0.06 "
            "(material M1: friction 0.3). For M2 (friction 0.4, density 2000) no published number was found.")
SOURCES = ["M. Dosta et al. 2024, Comput. Phys. Commun. 296, 109066. doi:10.1016/j.cpc.2023.109066",
           "peclet-examples 2026, github.com/computational-chemical-engineering/peclet-examples, dem-bulk-dosta2024 "
           "(quotes the two numbers; its own runs of the published inputs: LIGGGHTS 24,500 /s, MUSEN 24,200 and 7,700 /s)"]
M1 = {"density": 2500, "friction": 0.3, "restitution": 0.5}
M2 = {"density": 2000, "friction": 0.4, "restitution": 0.4}
SHORT = Form(points=[{"opening": 0.02, **M1}],
             set={"silo": 0.05, "count": 8000, "opens": 0.2, "steady": 0.2, "end_time": 0.8}, seconds=25)
FULL = Form(points=[{"opening": opening, **kind} for opening in (0.03, 0.02) for kind in (M1, M2)], seconds=7200)
CODES = {0.03: (0.95 * 23200, 1.05 * 23200), 0.02: (0.95 * 23200 / 3.1, 1.05 * 23200 / 3.1)}


def flow(point):
    return point.mean("discharge.number_flow_1_s")


def name(point):
    return f"opening {200 * point['opening']:g} cm, {'M1' if point['density'] == 2500 else 'M2'}"


def analyse(points):
    checks = [Check.of(f"grains per second, {name(p)}", flow(p), *CODES[p["opening"]], "1/s",
                       published="eight codes, ± 5 %") for p in points if p["density"] == 2500]
    wide, narrow = ([flow(p) for p in points if p["density"] == 2500 and p["opening"] == d] for d in (0.03, 0.02))
    if wide and narrow:
        a, b = wide[0], narrow[0]
        ratio = a.value / b.value
        error = ratio * np.hypot(a.error / a.value, b.error / b.value)
        checks.append(Check("ratio of the openings, M1", ratio, error, 3.04, 3.16, published="3.10 ± 0.06"))
    return checks


def draw(axes, points):
    for p in points:
        table = p.runs[0].table("measured_discharge.csv")
        axes.plot(table["time_s"] - p["opens"], table["number_flow_1_s"] / 1000, label=name(p))
    for low, high in (CODES[d] for d in sorted({p["opening"] for p in points})):
        axes.axhspan(low / 1000, high / 1000, alpha=0.2)
    axes.set(xlabel="time (s)", ylabel="thousand grains per second", ylim=(0, None))
    axes.legend()
