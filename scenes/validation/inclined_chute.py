"""Flow down a rough incline: Bagnold's profile, and a solid fraction that does not depend on depth."""

import numpy as np

from scree.validation_case import Check, Form
from scree.validation_fits import power

TITLE = "Flow down a rough incline"
MEASURES = ("Steady flow of spheres, friction 0.5, down a rough plane. Bagnold: the velocity is u(z) ∝ H^(3/2) - (H - z)^(3/2), "
            "so that the shear rate goes with the root of the depth below the surface; the solid fraction is the same at all "
            "depths, and falls with the angle. Shear stress over pressure is the tangent of the angle, and that of mu(I).")
SOURCES = ["L. E. Silbert, D. Ertaş, G. S. Grest, T. C. Halsey, D. Levine, S. J. Plimpton 2001, Phys. Rev. E 64, 051302. "
           "doi:10.1103/PhysRevE.64.051302",
           "S. Chialvo, J. Sun, S. Sundaresan 2012, Phys. Rev. E 85, 021305. doi:10.1103/PhysRevE.85.021305 (mu(I))",
           "GDR MiDi 2004, Eur. Phys. J. E 14, 341. doi:10.1140/epje/i2003-10153-0"]
SHORT = Form(grid={"angle": [24, 26]}, seconds=30)
FULL = Form(grid={"angle": [21, 22, 23, 24, 25]}, set={"layer": 20, "length": 12, "settles": 12, "measured": 6}, seconds=7200)
D = 0.01


def profile(point):
    """Heights, velocities along the slope and solid fractions of layers, and the height of the surface."""
    tables = [run.table("distribution_layer.csv") for run in point.runs]
    z, u, phi = (np.mean([t[key] for t in tables], axis=0) for key in ("position_m", "velocity_x_m_s", "solid_fraction"))
    surface = z[np.nonzero(phi > 0.5 * np.median(phi[phi > 0.3]))[0][-1]]
    return z, u, phi, surface


def shear(point):
    """Depths below the surface of the flow's core, and shear rates there."""
    z, u, _, surface = profile(point)
    core = (z > 4 * D) & (z < surface - 2 * D)
    return surface - z[core], np.gradient(u, z)[core]


def friction(point):
    """Tangent of the angle over what sheared spheres have at the inertial number of the core, with its error."""
    i = point.mean("core.inertial_number")
    law = [0.382 + 0.37 / ((0.32 / max(x, 1e-9))**1.5 + 1) for x in (i.value, i.value + i.error)]
    tangent = np.tan(np.radians(point["angle"]))
    return tangent / law[0], tangent / law[0] - tangent / law[1]


def analyse(points):
    checks = []
    for point in points:
        fit = power(*shear(point))
        z, _, phi, surface = profile(point)
        core = (z > 4 * D) & (z < surface - 3 * D)
        checks += [Check(f"exponent of the shear rate over depth, {point['angle']}°", fit.slope, fit.slope_error, 0.4, 0.6,
                         published="1/2, Bagnold"),
                   Check(f"tangent of the angle over mu(I), {point['angle']}°", *friction(point), 0.95, 1.05,
                         published="their fit, 5 % of it"),
                   Check(f"solid fraction across the core, least to largest, {point['angle']}°",
                         float(np.ptp(phi[core]) / phi[core].mean()), 0.0, 0.0, 0.05, published="the same at all depths")]
    low, high = points[0].mean("core.solid_fraction"), points[-1].mean("core.solid_fraction")
    return [*checks, Check("solid fraction, less at the steepest than at the least angle", low.value - high.value,
                           float(np.hypot(low.error, high.error)), 0.005, 0.05, published="falls with the angle")]


def draw(axes, points):
    for point in points:
        z, u, _, surface = profile(point)
        dots, = axes.plot(u, z / D, ".", label=f"{point['angle']}°")
        fitted = surface**1.5 - np.clip(surface - z, 0, None)**1.5
        core = (z > 4 * D) & (z < surface - 2 * D)
        slope, offset = np.polyfit(fitted[core], u[core], 1)
        axes.plot(slope * fitted + offset, z / D, "-", color=dots.get_color())
    axes.set(xlabel="velocity (m/s)", ylabel="height / d", xlim=(0, None))
    axes.legend(title="lines: Bagnold")
