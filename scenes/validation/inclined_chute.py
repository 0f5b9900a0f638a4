"""Flow down a rough incline: Bagnold's profile, a solid fraction that does not depend on depth, and mu(I)."""

import numpy as np
from scipy.optimize import curve_fit

from scree.study_table import Mean
from scree.validation_case import Check, Form
from scree.validation_fits import mu_of_i, over

TITLE = "Flow down a rough incline"
MEASURES = ("Steady flow of spheres, friction 0.5, down a rough plane. The shear rate goes with the root of the depth "
            "(Bagnold), the solid fraction is the same at all depths and falls with the angle, whose tangent is mu(I).")
SOURCES = ["L. E. Silbert et al. 2001, Phys. Rev. E 64, 051302. doi:10.1103/PhysRevE.64.051302",
           "S. Chialvo, J. Sun, S. Sundaresan 2012, Phys. Rev. E 85, 021305. doi:10.1103/PhysRevE.85.021305 (mu(I))"]
SHORT = Form(grid={"angle": [24, 26]}, seeds=2, seconds=35)
FULL = Form(grid={"angle": [22, 24, 26]}, set={"layer": 24, "settles": 12, "measured": 6}, seconds=3600)
KNOWN_MISSES = {"exponent of the shear rate, steepest": "layers of 14 grains have 0.15 to 0.43, of 24 grains 0.31; "
                "near the least angle they are linear, exponent 0 (Silbert et al. 2003, doi:10.1063/1.1521719)"}
D = 0.01


def profile(run):
    """Of the flow's core: depths below the surface, velocities along the slope, solid fractions."""
    table = run.table("distribution_layer.csv")
    z, u, phi = table["position_m"], table["velocity_x_m_s"], table["solid_fraction"]
    surface = z[np.nonzero(phi > 0.5 * np.median(phi[phi > 0.3]))[0][-1]]
    core = (z > 4 * D) & (z < surface - 2.5 * D)
    return surface - z[core], u[core], phi[core]


def exponent(run):
    depth, u, _ = profile(run)
    return curve_fit(lambda x, top, fall, m: top - fall * x**m, depth / depth[0], u, (u[-1], u[-1], 1.5))[0][2] - 1


def friction(point):
    """The angle's tangent over what sheared spheres have at the inertial number of the core."""
    i, tangent = point.mean("core.inertial_number"), np.tan(np.radians(point["angle"]))
    return over(Mean(tangent, 0.0), Mean(mu_of_i(i.value), mu_of_i(i.value + i.error) - mu_of_i(i.value)))


def analyse(points):
    fall = over(points[-1].mean("core.solid_fraction"), points[0].mean("core.solid_fraction"))
    checks = [Check.of("exponent of the shear rate, steepest", points[-1].mean_by(exponent), 0.4, 0.6),
              Check.of("solid fraction, steepest over least angle", fall, 0.9, 0.995, published="falls, a band")]
    for p in points:
        scatter = p.mean_by(lambda run: float(profile(run)[2].std() / profile(run)[2].mean()))
        checks += [Check.of(f"tangent over mu(I), {p['angle']}°", friction(p), 0.95, 1.05, published="fit, 5 % of it"),
                   Check.of(f"scatter of the solid fraction, {p['angle']}°", scatter, 0.0, 0.02)]
    return checks


def draw(axes, points):
    for point in points:
        depth, u, _ = profile(point.runs[0])
        mark, = axes.plot(u, -depth / D, ".", label=f"{point['angle']}°")
        axes.plot(np.polyval(np.polyfit(depth**1.5, u, 1), depth**1.5), -depth / D, "-", color=mark.get_color())
    axes.set(xlabel="velocity (m/s)", ylabel="height below the surface / d", xlim=(0, None))
    axes.legend(title="lines: Bagnold")
