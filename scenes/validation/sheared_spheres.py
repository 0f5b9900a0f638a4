"""The rheology of dense flows: stress ratio and solid fraction over the inertial number."""

import numpy as np

from scree.validation_case import Check, Form
from scree.validation_fits import line

TITLE = "Dense shear of spheres: mu(I) and phi(I)"
MEASURES = ("Shear stress over pressure, and solid fraction, of spheres sheared under a constant normal stress, over the "
            "inertial number I = γ d sqrt(ρ / p). Limits for I to 0 are fitted: linear in I with friction, in I^0.38 without.")
SOURCES = ["S. Chialvo, J. Sun, S. Sundaresan 2012, Phys. Rev. E 85, 021305. doi:10.1103/PhysRevE.85.021305 (friction 0.5: "
           "η = 0.382 + 0.37 / ((0.32 / I)^1.5 + 1), φ to 0.587)",
           "P.-E. Peyneau, J.-N. Roux 2008, Phys. Rev. E 78, 011307. doi:10.1103/PhysRevE.78.011307 (no friction: tangent of "
           "5.76° ± 0.22°, φ to that of random close packing, 0.639)"]
SHORT = Form(points=[{"friction": mu, "inertial": i, "strain": strain} for mu, i, strain in
                     ((0.5, 0.03, 2), (0.5, 0.1, 6), (0.5, 0.3, 12), (0.0, 0.01, 2), (0.0, 0.03, 4), (0.0, 0.1, 8))],
             seconds=30)
FULL = Form(points=[*({"friction": 0.5, "inertial": i} for i in (0.003, 0.01, 0.03, 0.1, 0.3)),
                    *({"friction": 0.0, "inertial": i} for i in (0.001, 0.003, 0.01, 0.03, 0.1))],
            set={"count": 2000, "strain": 4}, seeds=2, seconds=3600)


def chialvo(i):
    return 0.382 + 0.37 / ((0.32 / i)**1.5 + 1)


def ratio(point):
    """Shear stress over pressure, with its error."""
    shear, pressure = point.mean("flow.stress_xy_Pa"), point.mean("flow.pressure_Pa")
    return -shear.value / pressure.value, shear.error / pressure.value


def limit(points, values, power):
    fit = line([p.mean("flow.inertial_number").value**power for p in points], *zip(*values))
    return fit.intercept, fit.intercept_error


def analyse(points):
    rough = [p for p in points if p["friction"] > 0]
    smooth = [p for p in points if p["friction"] == 0]
    checks = []
    for point in rough:
        value, error = ratio(point)
        law = chialvo(point.mean("flow.inertial_number").value)
        checks.append(Check(f"stress ratio, I = {point['inertial']:g}, friction 0.5", value, error, 0.95 * law, 1.05 * law,
                            published="their fit, 5 % of it"))
    fractions = {key: [(p.mean("flow.solid_fraction").value, p.mean("flow.solid_fraction").error) for p in some]
                 for key, some in (("rough", rough), ("smooth", smooth))}
    return [*checks,
            Check("solid fraction, I to 0, friction 0.5", *limit(rough, fractions["rough"], 1), 0.582, 0.592,
                  published="0.587"),
            Check("stress ratio, I to 0, no friction", *limit(smooth, [ratio(p) for p in smooth], 0.38), 0.096, 0.106,
                  published="0.101 ± 0.004"),
            Check("solid fraction, I to 0, no friction", *limit(smooth, fractions["smooth"], 0.38), 0.635, 0.645,
                  published="0.639; some more for ± 10 % of size")]


def draw(axes, points):
    i = np.geomspace(0.003, 0.5)
    axes.plot(i, chialvo(i), "-", label="Chialvo et al., friction 0.5")
    axes.axhline(0.101, ls="--", label="Peyneau & Roux, no friction, I to 0")
    for friction, mark in ((0.5, "o"), (0.0, "s")):
        some = [p for p in points if p["friction"] == friction]
        axes.errorbar([p.mean("flow.inertial_number").value for p in some], [ratio(p)[0] for p in some],
                      [2 * ratio(p)[1] for p in some], fmt=mark, label=f"measured, friction {friction:g}")
    axes.set(xscale="log", xlabel="inertial number I", ylabel="shear stress / pressure", ylim=(0, None))
    axes.legend(fontsize=8)
