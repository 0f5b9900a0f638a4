"""How deep a ball goes into a bed onto which it falls."""

import numpy as np

from scree.validation_case import Check, Form
from scree.validation_fits import power

TITLE = "Impact of a ball on a bed"
MEASURES = ("Depth of a ball's bottom (diameter D, density ρ_b) in spheres (friction 0.5, bulk density ρ_g): 0.14 / μ "
            "sqrt(ρ_b / ρ_g) D^(2/3) H^(1/3), H: whole fall, μ: tangent of repose, 0.382 (slow shear) to 0.59 (drum).")
SOURCES = ["J. S. Uehara et al. 2003, Phys. Rev. Lett. 90, 194301 and 91, 149902. doi:10.1103/PhysRevLett.90.194301",
           "M. A. Ambroso et al. 2005, Phys. Rev. E 71, 051305. doi:10.1103/PhysRevE.71.051305 (H: whole fall)"]
SHORT = Form(grid={"fall": [0.1, 0.3, 1.0]}, seeds=2, seconds=30)
FULL = Form(grid={"fall": [0.1, 0.2, 0.5, 1.0, 2.0], "density": [1250, 2500, 7800]},
            set={"radius": 20, "bed": 18, "end_time": 0.4}, seeds=3, seconds=7200)
D, MU = 0.01, (0.382, 0.59)


def depth(run):
    surface = run.table("distribution_surface.csv")
    height = surface["height_m"][:3].mean()
    ball = next(key for key in run.table("measured_ball.csv") if key.startswith("position_z"))
    return height - (run.value(f"ball.{ball}:last") - run["ball"] / 2 * D)


def law(run):
    bulk = 2500 * run.value("bed.solid_fraction:last")
    return 0.14 * np.sqrt(run["density"] / bulk) * (run["ball"] * D)**(2 / 3) * drop(run)**(1 / 3)


def drop(run):
    return run["fall"] + depth(run)


def analyse(points):
    checks = []
    for density in sorted({p["density"] for p in points}):
        some = [p for p in points if p["density"] == density]
        fit = power(*zip(*((drop(run), depth(run)) for point in some for run in point.runs)))
        name = f"exponent over the height, density {density:g}"
        checks.append(Check(name, fit.slope, fit.slope_error, 0.28, 0.38, published="1/3, a band"))
        for point in some:
            checks.append(Check.of(f"μ depth over the law, fall {point['fall']:g} m, density {density:g}",
                                   point.mean_by(lambda run: depth(run) / law(run)), 1 / MU[1], 1 / MU[0],
                                   published="1 / μ, a band"))
    return checks


def draw(axes, points):
    for density in sorted({p["density"] for p in points}):
        runs = [run for p in points if p["density"] == density for run in p.runs]
        axes.plot([law(run) / D for run in runs], [depth(run) / D for run in runs], "o", label=f"density {density:g}")
    laws = np.array([law(run) for p in points for run in p.runs]) / D
    for mu, style in zip(MU, ("-", "--")):
        axes.plot(laws, laws / mu, style, label=f"Uehara et al., μ = {mu}")
    axes.set(xlim=(0, None), ylim=(0, None), xlabel="0.14 sqrt(ρ_b / ρ_g) D^(2/3) H^(1/3) / d", ylabel="depth / d")
    axes.legend()
