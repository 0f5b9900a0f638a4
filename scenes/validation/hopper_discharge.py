"""Beverloo's law of the discharge of silos."""

import numpy as np

from scree.validation_case import Check, Form
from scree.validation_fits import line

TITLE = "Discharge of a silo (Beverloo's law)"
MEASURES = ("Mass flow W of spheres, friction 0.5, out of a flat-bottomed silo by a round hole of diameter D: W = C ρ sqrt(g) "
            "(D - k d)^(5/2), so that W^(2/5) is linear in D; ρ is the bulk density of the filling. No dependence on the "
            "height of the filling.")
SOURCES = ["W. A. Beverloo, H. A. Leniger, J. van de Velde 1961, Chem. Eng. Sci. 15, 260. "
           "doi:10.1016/0009-2509(61)85030-6 (C = 0.58)",
           "R. M. Nedderman, U. Tüzün, S. B. Savage, G. T. Houlsby 1982, Chem. Eng. Sci. 37, 1597. "
           "doi:10.1016/0009-2509(82)80029-8 (C 0.55 to 0.65, k 1.4 to 2.9)",
           "C. Mankoc et al. 2007, Granular Matter 9, 407. doi:10.1007/s10035-007-0062-2 (head)"]
SHORT = Form(points=[*({"opening": D, "height": 14} for D in (5, 5.75, 6.5, 7.25, 8)), {"opening": 6.5, "height": 21}],
             seconds=30)
FULL = Form(points=[*({"opening": D, "height": 30, "silo": 24} for D in (5, 6, 7, 8, 9, 10)),
                    {"opening": 7, "height": 45, "silo": 24}], set={"end_time": 1.4, "time_step": 0.0005}, seeds=2,
            seconds=1800)
D0, G = 0.01, 9.81


def reduced(point):
    """(W / (ρ sqrt(g)))^(2/5) in diameters, with its error."""
    flow = point.mean("discharge.mass_flow_kg_s")
    scale = 2500 * point.mean("bed.solid_fraction:last").value * np.sqrt(G) * D0**2.5
    value = (flow.value / scale)**0.4
    return value, 0.4 * value * flow.error / flow.value


def split(points):
    """Those of the law, and the two of unlike height."""
    low = min(point["height"] for point in points)
    tall = next(point for point in points if point["height"] > low)
    law = [point for point in points if point["height"] == low]
    return law, next(point for point in law if point["opening"] == tall["opening"]), tall


def fitted(law):
    values = [reduced(point) for point in law]
    return line([point["opening"] for point in law], [v for v, _ in values], [e for _, e in values])


def analyse(points):
    law, short, tall = split(points)
    fit = fitted(law)
    c = fit.slope**2.5
    (a, a_error), (b, b_error) = reduced(short), reduced(tall)
    ratio = (b / a)**2.5
    return [Check("C", c, 2.5 * c * fit.slope_error / fit.slope, 0.55, 0.65, published="experiments"),
            Check("k", fit.root, fit.root_error, 1.4, 2.9, published="experiments; 1.5 for spheres"),
            Check("largest distance from the line, of W^(2/5)",
                  max(abs(reduced(p)[0] / fit(p["opening"]) - 1) for p in law), 0.0, 0.0, 0.03, published="linear"),
            Check(f"flow at height {tall['height']} d over {short['height']} d", ratio,
                  2.5 * ratio * np.hypot(a_error / a, b_error / b), 0.95, 1.05, published="no dependence")]


def draw(axes, points):
    law, _, tall = split(points)
    fit = fitted(law)
    values = [reduced(point) for point in law]
    axes.errorbar([p["opening"] for p in law], [v for v, _ in values], [2 * e for _, e in values], fmt="o",
                  label="measured, ± 2 errors")
    axes.plot(tall["opening"], reduced(tall)[0], "s", mfc="none", label=f"height {tall['height']} d")
    x = np.array([1, max(p["opening"] for p in law) + 1])
    axes.plot(x, fit(x), "-", label=f"C = {fit.slope**2.5:.3f}, k = {fit.root:.2f}")
    axes.plot(x, 0.58**0.4 * (x - 1.4), "--", label="Beverloo: C = 0.58, k = 1.4")
    axes.set(xlabel="D / d", ylabel="(W / (ρ sqrt(g d⁵)))^(2/5)", ylim=(0, None))
    axes.legend()
