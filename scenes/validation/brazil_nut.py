"""The Brazil nut effect: a large sphere in a shaken bed rises, if the shaking lifts the bed."""

from scree.validation_case import Check, Form

TITLE = "Brazil nut effect"
MEASURES = ("Rank by height (0: bottom, 1: top) of a large sphere at the bottom of a bed, in a vessel that is "
            "shaken vertically with Γ times the acceleration of gravity. Below Γ = 1 the bed stays on the floor and "
            "the sphere in its place; above, it rises to the surface, the faster the larger Γ is.")
SOURCES = ["J. B. Knight, H. M. Jaeger, S. R. Nagel 1993, Phys. Rev. Lett. 70, 3728. doi:10.1103/PhysRevLett.70.3728 "
           "(to the surface, by convection)",
           "A. Rosato, K. J. Strandburg, F. Prinz, R. H. Swendsen 1987, Phys. Rev. Lett. 58, 1038. "
           "doi:10.1103/PhysRevLett.58.1038 (to the surface, by filling of voids)"]
SHORT = Form(points=[{"acceleration": a, "cycles": n} for a, n in ((0.9, 15), (3, 30), (6, 40))], seconds=20)
FULL = Form(points=[{"acceleration": a, "ball": ball, "cycles": 150} for ball in (2, 3, 4) for a in (0.9, 2, 3, 4, 6)],
            set={"radius": 8, "height": 12, "largest_time_step": 0.001}, seeds=3, seconds=54000)


def series(run, word):
    table = run.table("measured_ball.csv")
    return table[next(key for key in table if key.startswith(word))]


def top(run):
    """Mean of the last six cycles."""
    return float(series(run, "rank")[-6:].mean())


def speed(run):
    """Rise of the rank a cycle, until it is 0.75."""
    rank = series(run, "rank")
    end = next((k for k, value in enumerate(rank) if value > 0.75), len(rank) - 1)
    return float(rank[end] - rank[0]) / end


def gained(run):
    """Height in diameters; the vessel is in the same place."""
    z = series(run, "position_z_m")
    return float(z[-1] - z[0]) / run["d"]


def analyse(points):
    checks = []
    for ball in sorted({p["ball"] for p in points}):
        still, low, *_, high = (p for p in points if p["ball"] == ball)
        surface = 1 - 0.5 * ball / still["height"]  # the top of the sphere is as high as that of the bed
        slow, fast = (p.mean_by(speed).value for p in (low, high))
        at = [f"Γ = {p['acceleration']:g}, sphere of {ball:g} d" for p in (still, high)]
        checks += [Check.of(f"rise in d, {at[0]}", still.mean_by(gained), -0.1, 0.1, published="none, a band"),
                   Check.of(f"rank at the end, {at[1]}", high.mean_by(top), surface, 1.0, published="at the surface"),
                   Check(f"speed of the rise over that at Γ = {low['acceleration']:g}, {at[1]}", fast / slow, 0.0, 1.0,
                         1 / slow, published="grows")]
    return checks


def draw(axes, points):
    for p in points:
        axes.plot(series(p.runs[0], "rank"), label=f"Γ = {p['acceleration']:g}, {p['ball']:g} d")
    axes.set(xlabel="cycles", ylabel="rank by height", ylim=(0, 1))
    axes.legend()
