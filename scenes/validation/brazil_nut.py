"""The Brazil nut effect: a large sphere in a shaken bed rises, if the shaking lifts the bed."""

import numpy as np

from scree.validation_case import Check, Form

TITLE = "Brazil nut effect"
MEASURES = ("Rank by height (0: bottom, 1: top) of a sphere of 3 d at the bottom of a bed in a rough vessel, shaken "
            "vertically at Γ times gravity. Below Γ = 1 the bed stays on the floor and nothing moves; above, the sphere "
            "rises to the top, and grains rise in the middle of the vessel and sink at its wall.")
SOURCES = ["J. B. Knight, H. M. Jaeger, S. R. Nagel 1993, Phys. Rev. Lett. 70, 3728. doi:10.1103/PhysRevLett.70.3728 "
           "(to the top; convection, upwards in the middle of a rough vessel)",
           "A. Rosato, K. J. Strandburg, F. Prinz, R. H. Swendsen 1987, Phys. Rev. Lett. 58, 1038. "
           "doi:10.1103/PhysRevLett.58.1038 (to the top, by filling of voids)"]
SHORT = Form(points=[{"acceleration": a, "cycles": n} for a, n in ((0.9, 15), (3, 40), (6, 40))], seconds=20)
FULL = Form(points=[{"acceleration": a, "ball": ball, "cycles": 150} for ball in (2, 3, 4) for a in (0.9, 2, 3, 4, 6)],
            set={"radius": 8, "height": 12, "largest_time_step": 0.001}, seeds=3, seconds=20000)


def series(run, word):
    table = run.table("measured_ball.csv")
    return table[next(key for key in table if key.startswith(word))]


def top(run):
    """Mean rank of the last six cycles."""
    return float(series(run, "rank")[-6:].mean())


def speed(run):
    """Rise of the rank a cycle, until the sphere is at the top."""
    rank = series(run, "rank")
    end = int(np.argmax(rank > 0.9)) or len(rank) - 1
    return float(rank[end] - rank[0]) / end


def gained(run):
    """Height in diameters. Cycles end at rest."""
    z = series(run, "position_z_m")
    return float(z[-1] - z[0]) / run["d"]


def convection(point):
    """Grains a cycle that rise through the middle, more than its share (0.6²) of all that rise; error from blocks."""
    net = [np.diff(run.table("measured_middle.csv")["bodies"] - 0.36 * run.table("measured_all.csv")["bodies"])
           for run in point.runs]
    blocks = np.concatenate([n[:len(n) // 6 * 6].reshape(6, -1).mean(axis=1) for n in net])
    return float(blocks.mean()), float(blocks.std(ddof=1) / len(blocks)**0.5)


def analyse(points):
    checks = []
    for ball in sorted({p["ball"] for p in points}):
        still, *moving = (p for p in points if p["ball"] == ball)
        words = f", sphere of {ball:g} d"
        flow, error = convection(moving[0])
        ratio = moving[-1].mean_by(speed).value / moving[0].mean_by(speed).value
        checks += [Check.of(f"rise in d, Γ = {still['acceleration']:g}{words}", still.mean_by(gained), -0.1, 0.1,
                            published="stays, a band"),
                   Check.of(f"rank at the end, Γ = {moving[-1]['acceleration']:g}{words}", moving[-1].mean_by(top), 0.9,
                            1.0, published="at the top, a band"),
                   Check(f"speed of the rise, Γ = {moving[-1]['acceleration']:g} over {moving[0]['acceleration']:g}{words}",
                         ratio, 0.0, 1.0, np.inf, published="grows"),
                   Check(f"grains a cycle up the middle, Γ = {moving[0]['acceleration']:g}{words}", flow, error, 0.0, np.inf,
                         published="upwards", largest_error=abs(flow) / 2)]
    return checks


def draw(axes, points):
    for p in points:
        axes.plot(series(p.runs[0], "rank"), label=f"Γ = {p['acceleration']:g}, {p['ball']:g} d")
    axes.set(xlabel="cycles", ylabel="rank by height", ylim=(0, 1))
    axes.legend()
