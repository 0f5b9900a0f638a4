"""The rheology of dense flows: stress ratio and solid fraction over the inertial number."""

import numpy as np

from scree.study_table import Mean
from scree.validation_case import Check, Form
from scree.validation_fits import dots, line, mu_of_i, over

TITLE = "Dense shear of spheres: mu(I) and phi(I)"
MEASURES = ("Shear stress over pressure, and solid fraction, of spheres sheared under a constant normal stress, over "
            "the inertial number I = γ d sqrt(ρ / p). Limits for I to 0: linear in I; without friction in I^0.38.")
SOURCES = ["S. Chialvo, J. Sun, S. Sundaresan 2012, Phys. Rev. E 85, 021305. "
           "doi:10.1103/PhysRevE.85.021305 (friction 0.5: mu = 0.382 + 0.37 / ((0.32 / I)^1.5 + 1), φ to 0.587)",
           "P.-E. Peyneau, J.-N. Roux 2008, Phys. Rev. E 78, 011307. doi:10.1103/PhysRevE.78.011307 "
           "(no friction: tangent of 5.76° ± 0.22°, φ to that of random close packing, 0.639)"]
SHORT = Form(points=[{"friction": mu, "inertial": i, "strain": strain} for mu, i, strain in
                     ((0.5, 0.03, 2), (0.5, 0.1, 6), (0.5, 0.3, 12), (0.0, 0.01, 3), (0.0, 0.03, 6), (0.0, 0.1, 8))],
             seconds=35)
FULL = Form(points=[{"friction": mu, "inertial": i, "strain": 20 if i == 0.3 else 4} for mu, numbers in
                    ((0.5, (0.003, 0.01, 0.03, 0.1, 0.3)), (0.0, (0.001, 0.003, 0.01, 0.03, 0.1))) for i in numbers],
            set={"count": 2000}, seeds=2, seconds=10800)


def ratio(point):
    """Shear stress over pressure."""
    shear, pressure = point.mean("flow.stress_xy_Pa"), point.mean("flow.pressure_Pa")
    return over(Mean(-shear.value, shear.error, shear.count), pressure)


def inertial(point):
    return point.mean("flow.inertial_number").value


def limit(points, means, power):
    fit = line([inertial(p)**power for p in points], [m.value for m in means], [m.error for m in means])
    return fit.intercept, fit.intercept_error


def analyse(points):
    rough, smooth = ([p for p in points if (p["friction"] > 0) == which] for which in (True, False))
    φ = [[p.mean("flow.solid_fraction") for p in some] for some in (rough, smooth)]
    return [*(Check.of(f"stress ratio, I = {p['inertial']:g}, friction 0.5", ratio(p), 0.95 * mu_of_i(inertial(p)),
                       1.05 * mu_of_i(inertial(p)), published="their fit, 5 % of it") for p in rough),
            Check("solid fraction, extrapolated to I = 0, friction 0.5", *limit(rough, φ[0], 1), 0.582, 0.592),
            Check("stress ratio, extrapolated to I = 0, no friction", *limit(smooth, [ratio(p) for p in smooth], 0.38),
                  0.097, 0.105, published="0.101 ± 0.004"),
            Check("solid fraction, extrapolated to I = 0, no friction", *limit(smooth, φ[1], 0.38), 0.635, 0.645,
                  published="0.639; some more for ± 10 % of size")]


def draw(axes, points):
    i = np.geomspace(0.003, 0.5)
    axes.plot(i, mu_of_i(i), "-", label="Chialvo et al., friction 0.5")
    axes.axhline(0.101, ls="--", label="Peyneau & Roux, no friction, I to 0")
    for friction, mark in ((0.5, "o"), (0.0, "s")):
        some = [p for p in points if p["friction"] == friction]
        dots(axes, [inertial(p) for p in some], [ratio(p) for p in some], f"measured, friction {friction:g}", mark)
    axes.set(xscale="log", xlabel="inertial number I", ylabel="shear stress / pressure", ylim=(0, 0.8))
    axes.legend(fontsize=8, loc="upper left")
