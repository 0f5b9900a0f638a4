"""The slope of grains in a slowly turning drum, over their friction."""

import numpy as np

from scree.validation_case import Check, Form
from scree.validation_fits import dots, mu_of_i

TITLE = "Slope in a rotating drum"
MEASURES = ("Angle of the middle half of the surface of spheres in a drum with smooth ends, at a Froude number of "
            "0.004, the rolling regime (0.0001 to 0.01). Its tangent is the mu(I) of sheared spheres of that friction, "
            "at the inertial numbers of the flowing layer, 0 to 0.2.")
SOURCES = ["S. Chialvo, J. Sun, S. Sundaresan 2012, Phys. Rev. E 85, 021305. doi:10.1103/PhysRevE.85.021305 "
           "(mu(I) over friction: 0.268, 0.357, 0.382 at I = 0 of friction 0.1, 0.3, 0.5)",
           "J. Mellmann 2001, Powder Technol. 118, 251. doi:10.1016/S0032-5910(00)00402-2 (regimes)"]
SHORT = Form(grid={"friction": [0.1, 0.3, 0.5]}, seconds=15)
FULL = Form(grid={"friction": [0.1, 0.3, 0.5], "radius": [10, 20, 30]}, set={"end_time": 5}, seeds=2, seconds=3600)
KNOWN_MISSES = {f"angle, friction {mu}, radius 10 d": "the drum is 20 grains wide: 28.1° and 30.5°; at twice the width "
                "25.8° and 28.2°" for mu in (0.3, 0.5)}
KNOWN_MISSES["angle, friction 0.5, radius 20 d"] = "it falls as the drum grows: 30.2°, 28.1°, 26.7° at 10, 20, 30 d"
QUASISTATIC = {0.1: 0.268, 0.3: 0.357, 0.5: 0.382}


def ends(friction):
    """Of the angle, degrees: at I = 0 and 0.2."""
    return [float(np.degrees(np.arctan(mu_of_i(i, QUASISTATIC[friction])))) for i in (0.0, 0.2)]


def analyse(points):
    checks = []
    for point in points:
        checks.append(Check.of(f"angle, friction {point['friction']:g}, radius {point['radius']:g} d",
                               point.mean("bed.angle_deg"), *ends(point["friction"]), "°", published="mu(I), a band"))
    return checks


def draw(axes, points):
    friction = sorted(QUASISTATIC)
    axes.fill_between(friction, *np.transpose([ends(f) for f in friction]), alpha=0.2, label="mu(I), I from 0 to 0.2")
    for radius in sorted({p["radius"] for p in points}):
        some = [p for p in points if p["radius"] == radius]
        dots(axes, [p["friction"] for p in some], [p.mean("bed.angle_deg") for p in some], f"radius {radius:g} d")
    axes.set(xlabel="friction", ylabel="angle (°)", ylim=(0, 40))
    axes.legend()
