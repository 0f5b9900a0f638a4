"""The slope of grains in a slowly turning drum, over their friction."""

import numpy as np

from scree.validation_case import Check, Form

TITLE = "Slope in a rotating drum"
MEASURES = ("Angle of the middle half of the surface of spheres in a drum with smooth ends at a Froude number of 0.004, in the "
            "rolling regime (0.0001 to 0.01). Its tangent is the mu(I) of sheared spheres of the same friction, at the "
            "inertial numbers of the flowing layer, 0 to 0.2.")
SOURCES = ["S. Chialvo, J. Sun, S. Sundaresan 2012, Phys. Rev. E 85, 021305. doi:10.1103/PhysRevE.85.021305 (mu(I) over "
           "friction: 0.268, 0.357, 0.382 at I = 0 of friction 0.1, 0.3, 0.5)",
           "J. Mellmann 2001, Powder Technol. 118, 251. doi:10.1016/S0032-5910(00)00402-2 (regimes)"]
SHORT = Form(grid={"friction": [0.1, 0.3, 0.5]}, seconds=30)
FULL = Form(grid={"friction": [0.1, 0.3, 0.5], "radius": [10, 20]}, set={"length": 8, "time_step": 0.001}, seeds=3, seconds=7200)
QUASISTATIC = {0.1: 0.268, 0.3: 0.357, 0.5: 0.382}


def ends(friction):
    """Of the angle, degrees: at I = 0 and 0.2."""
    low = QUASISTATIC[friction]
    return np.degrees(np.arctan([low, low + 0.37 / ((0.32 / 0.2)**1.5 + 1)]))


def analyse(points):
    checks = []
    for point in points:
        angle = point.mean("bed.angle_deg")
        low, high = ends(point["friction"])
        checks.append(Check(f"angle, friction {point['friction']:g}, radius {point['radius']:g} d", angle.value, angle.error,
                            float(low), float(high), "°", published="mu(I), a band"))
    return checks


def draw(axes, points):
    friction = sorted(QUASISTATIC)
    axes.fill_between(friction, *np.transpose([ends(f) for f in friction]), alpha=0.2, label="mu(I), I from 0 to 0.2")
    for radius in sorted({p["radius"] for p in points}):
        some = [p for p in points if p["radius"] == radius]
        angles = [p.mean("bed.angle_deg") for p in some]
        axes.errorbar([p["friction"] for p in some], [a.value for a in angles], [2 * a.error for a in angles], fmt="o",
                      label=f"measured, radius {radius:g} d")
    axes.set(xlabel="friction", ylabel="angle (°)", ylim=(0, 40))
    axes.legend()
