"""Triaxial compression of dense and loose spheres: peak, dilation, critical state."""

import numpy as np

from scree.study_table import Mean
from scree.validation_case import Check, Form
from scree.validation_fits import line, over

TITLE = "Triaxial compression"
MEASURES = ("Sine of the friction angle, (σ1 - σ3) / (σ1 + σ3), and solid fraction of spheres, friction 0.5, "
            "shortened slowly along z while x and y hold a pressure. A dense sample has a peak and dilates: its angle "
            "exceeds the critical one by 10° times volume strain over axial strain. Both end in one critical state.")
SOURCES = ["C. Thornton 2000, Géotechnique 50, 43. doi:10.1680/geot.2000.50.1.43 (critical state)",
           "S. Chialvo, J. Sun, S. Sundaresan 2012, Phys. Rev. E 85, 021305. doi:10.1103/PhysRevE.85.021305 (shear "
           "at I = 0, friction 0.5: φ 0.587, stress ratio 0.382; by Mohr and Coulomb's criterion the sine is 0.382)",
           "P. V. Lade, J. M. Duncan 1975, J. Geotech. Eng. Div. 101, 1037 (by their criterion it is 0.322 here)",
           "M. D. Bolton 1986, Géotechnique 36, 65. doi:10.1680/geot.1986.36.1.65 (10° = 3° / 0.3, within 2°)"]
SAMPLES = [{"packing": 0.0, "target": 0.64}, {"packing": 0.5, "target": 0.57}]
SHORT = Form(points=SAMPLES, seeds=2, seconds=30)
FULL = Form(points=SAMPLES, set={"count": 2000, "strain": 0.6, "rate": 0.01}, seeds=3, seconds=7200)


def sine(point, where):
    z, x, y = (point.mean(f"{where}.stress_{ij}_Pa") for ij in ("zz", "xx", "yy"))
    r = over(z, Mean(0.5 * (x.value + y.value), 0.5 * float(np.hypot(x.error, y.error))))
    return Mean((r.value - 1) / (r.value + 1), 2 * r.error / (r.value + 1)**2)


def dilation(run):
    """Volume strain over axial strain, around the peak."""
    table = run.table("measured_sample.csv")
    strain = run["rate"] * (table["time_s"] - run["packed"])
    keep = (strain > 0.02) & (strain < 0.08)
    return -line(strain[keep], np.log(table["solid_fraction"][keep])).slope


def analyse(points):
    peak, end, other = (sine(points[k], where) for k, where in ((0, "peak"), (0, "critical"), (1, "critical")))
    phi, dilates = [p.mean("critical.solid_fraction") for p in points], points[0].mean_by(dilation)
    above = np.degrees(np.arcsin(peak.value) - np.arcsin(end.value)) - 10 * dilates.value
    error = np.degrees(np.hypot(peak.error, end.error))
    return [Check.of("sine, critical, dense", end, 0.322, 0.382, published="from shear"),
            Check.of("sine, critical, loose over dense", over(other, end), 0.9, 1.1, published="1, a band"),
            Check.of("sine, peak over critical, dense", over(peak, end), 1.0, 1 / end.value, published="a peak"),
            Check.of("dilation at the peak, dense", dilates, 0.0, 1.0, published="dilates"),
            Check("angle at the peak minus the law, dense", above, error, -2, 2, "°", published="0 ± 2°"),
            Check.of("solid fraction, critical, dense", phi[0], 0.582, 0.592, published="0.587"),
            Check.of("solid fraction, critical, loose over dense", over(*phi[::-1]), 0.99, 1.01, published="1, a band"),
            Check.of("inertial number", points[0].mean("sample.inertial_number"), 0.0, 0.001, published="slow")]


def draw(axes, points):
    for point, name in zip(points, ("dense", "loose")):
        table = point.runs[0].table("measured_sample.csv")
        r = 2 * table["stress_zz_Pa"] / (table["stress_xx_Pa"] + table["stress_yy_Pa"])
        axes.plot(point["rate"] * (table["time_s"] - point["packed"]), (r - 1) / (r + 1), label=name)
    axes.set(xlabel="axial strain", ylabel="sine of the friction angle", ylim=(0, 0.6))
    axes.legend()
