"""A drum mixes small grains and larger ones: case 2 of the round robin of 2024."""
import numpy as np

from scree.validation_case import Check, Form

TITLE = "Round robin of 2024: drum"
MEASURES = ("Shares of the small grains (M1, 2 mm) and of the larger ones (M2, 4 mm) in the lower left quarter of a drum of "
            "0.2 m that turns with 2 rad/s. Small grains lie on top at first. The bed goes round once in about 1.9 s. The "
            "bands are those of two codes, and 10 % about times, 0.05 about shares.")
SOURCES = ["M. Dosta et al. 2024, Comput. Phys. Commun. 296, 109066. doi:10.1016/j.cpc.2023.109066",
           "github.com/computational-chemical-engineering/peclet-examples 2026, dem-bulk-dosta2024 (LIGGGHTS, MUSEN)"]
SHORT = Form(points=[{"width": 0.009}], set={"small": 4500, "large": 1200, "turns": 0.8, "time_step": 0.001}, seconds=25,
             known_misses={f"{word} of the first maximum, M1": "9 mm wide: 0.57 s, 0.59; 60 mm: 0.62 s, 0.714"
                           for word in ("time", "share")})
FULL = Form(points=[{"width": 0.06}], seconds=3600, known_misses={"share of the first maximum, M1": "0.714, unexplained"})
MASS = {"M1": 2500 * np.pi / 6 * 0.002**3, "M2": 2000 * np.pi / 6 * 0.004**3}
# Kind, maximum, between which times (s); its time and its share (LIGGGHTS, MUSEN).
MAXIMA = [("M1", "first maximum", 0.2, 0.8, (0.634, 0.637), (0.775, 0.780)),
           ("M2", "first maximum", 1.2, 2.1, (1.731, 1.751), (0.404, 0.407)),
           ("M1", "second maximum", 2.0, 3.0, (2.467, 2.480), (0.568, 0.573)),
           ("M2", "second maximum", 2.9, 3.9, (3.333, 3.361), (0.379, 0.383)),
           ("M1", "third maximum", 3.8, 4.9, (4.375, 4.394), (0.417, 0.420))]


def shares(run):
    """Time and the shares of both kinds in zone 2, from the number of bodies there and their mass."""
    table = run.table("measured_zone2.csv")
    bodies, mass = table["bodies_in_region"], table["mass_in_region_kg"]
    small = (MASS["M2"] * bodies - mass) / (MASS["M2"] - MASS["M1"])
    return table["time_s"] - run["settle"], {"M1": small / run["small"], "M2": (bodies - small) / run["large"]}


def maximum(run, kind, start, end):
    """Its time and value: a parabola through the largest value and its neighbours."""
    time, share = shares(run)[0], shares(run)[1][kind]
    inside = np.flatnonzero((time >= start) & (time <= end))
    i = min(inside[np.argmax(share[inside])], len(share) - 2)
    a, b, c = np.polyfit(time[i - 1:i + 2] - time[i], share[i - 1:i + 2], 2)
    shift = np.clip(-b / (2 * a), -0.1, 0.1) if a < 0 else 0
    return time[i] + shift, a * shift**2 + b * shift + c


def analyse(points):
    checks, p = [], points[0]
    for kind, text, start, end, times, values in (m for m in MAXIMA if m[3] <= p["turns"]):
        for i, word, low, high, unit, band in ((0, "time", 0.9 * times[0], 1.1 * times[1], "s", "two codes, ± 10 %"),
                                               (1, "share", values[0] - 0.05, values[1] + 0.05, "", "two codes, ± 0.05")):
            checks.append(Check.of(f"{word} of the {text}, {kind}", p.mean_by(lambda run: maximum(run, kind, start, end)[i]),
                                   low, high, unit, published=band))
    return checks


def draw(axes, points):
    time, share = shares(points[0].runs[0])
    for kind in share:
        axes.plot(time, share[kind], label=f"{kind} in the lower left quarter")
    axes.plot([np.mean(m[4]) for m in MAXIMA], [np.mean(m[5]) for m in MAXIMA], "k+")
    axes.set(xlabel="time (s)", ylabel="share", ylim=(0, 1))
    axes.legend()
