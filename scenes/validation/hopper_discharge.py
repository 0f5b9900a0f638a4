"""Beverloo's law of the discharge of silos."""

import numpy as np

from scree.study_table import Mean
from scree.validation_case import Check, Form
from scree.validation_fits import dots, line, over

TITLE = "Discharge of a silo (Beverloo's law)"
MEASURES = ("Mass flow W of spheres, friction 0.5, out of a flat-bottomed silo by a round hole of diameter D: "
            "W = C ρ sqrt(g) (D - k d)^(5/2), so that W^(2/5) is linear in D; ρ is the bulk density of the filling. "
            "No dependence on its height (above 1.2 silo widths). The law is for silos wider than 2.5 D and D + 30 d.")
SOURCES = ["W. A. Beverloo, H. A. Leniger, J. van de Velde 1961, Chem. Eng. Sci. 15, 260. "
           "doi:10.1016/0009-2509(61)85030-6 (C = 0.58; k = 1.4, but 2.9 for sand)",
           "R. M. Nedderman, U. Tüzün, S. B. Savage, G. T. Houlsby 1982, Chem. Eng. Sci. 37, 1597. "
           "doi:10.1016/0009-2509(82)80029-8 (C 0.55 to 0.65; k about 1.5 for spheres)",
           "C. Mankoc et al. 2007, Granular Matter 9, 407. doi:10.1007/s10035-007-0062-2 (head)"]
SHORT = Form(points=[*({"opening": D, "height": 14} for D in (5, 5.75, 6.5, 7.25, 8)), {"opening": 6.5, "height": 21}],
             seconds=25, known_misses={"C": "0.46 to 0.54 in single runs of the narrow silo; 0.543 in the full form"})
FULL = Form(points=[*({"opening": D, "height": 30} for D in (5, 6, 7, 8, 9, 10)), {"opening": 7, "height": 45}],
            set={"silo": 24, "end_time": 1.4, "time_step": 0.001}, seeds=2, seconds=2400)


def reduced(point):
    """(W / (ρ sqrt(g)))^(2/5) in diameters."""
    flow, d = point.mean("discharge.mass_flow_kg_s"), point["d"]
    value = (flow.value / (2500 * point.mean("bed.solid_fraction:last").value * np.sqrt(9.81) * d**2.5))**0.4
    return Mean(value, 0.4 * value * flow.error / flow.value)


def split(points):
    """Those of the law with their fit, and the two of unlike height."""
    law = [point for point in points if point["height"] == points[0]["height"]]
    tall = points[-1]
    means = [reduced(point) for point in law]
    fit = line([p["opening"] for p in law], [m.value for m in means], [m.error for m in means])
    return law, fit, next(point for point in law if point["opening"] == tall["opening"]), tall


def analyse(points):
    law, fit, low, tall = split(points)
    c = fit.slope**2.5
    return [Check("C", c, 2.5 * c * fit.slope_error / fit.slope, 0.55, 0.65, published="experiments"),
            Check("k", fit.root, fit.root_error, 1.4, 1.6, published="spheres, a band"),
            Check("largest distance from the line, of W^(2/5)",
                  max(abs(reduced(p).value / fit(p["opening"]) - 1) for p in law), 0.0, 0.0, 0.03, published="linear"),
            Check.of(f"W^(2/5) at height {tall['height']} d over {low['height']} d", over(reduced(tall), reduced(low)),
                     0.98, 1.02, published="no dependence")]


def draw(axes, points):
    law, fit, _, tall = split(points)
    dots(axes, [p["opening"] for p in law], [reduced(p) for p in law], "measured, ± 2 errors")
    dots(axes, [tall["opening"]], [reduced(tall)], f"height {tall['height']} d", "s")
    x = np.array([1, max(p["opening"] for p in law) + 1])
    axes.plot(x, fit(x), "-", label=f"C = {fit.slope**2.5:.3f}, k = {fit.root:.2f}")
    axes.plot(x, 0.58**0.4 * (x - 1.4), "--", label="Beverloo: C = 0.58, k = 1.4")
    axes.set(xlabel="D / d", ylabel="(W / (ρ sqrt(g d⁵)))^(2/5)", ylim=(0, None))
    axes.legend()
