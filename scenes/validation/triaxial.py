"""Triaxial compression of dense and loose spheres: peak, dilation, and the critical state that both reach."""

import numpy as np

from scree.study_table import Mean
from scree.validation_case import Check, Form
from scree.validation_fits import line, over

TITLE = "Triaxial compression"
MEASURES = ("Sine of the friction angle (σ1 - σ3) / (σ1 + σ3), and solid fraction, of spheres, friction 0.5, shortened "
            "slowly along z while x and y hold a pressure. Dense: a peak with dilation, related by Rowe's law "
            "σ1 / σ3 = (σ1 / σ3 at the critical state) (1 + volume strain / axial strain). At large strain dense and "
            "loose samples are in the same critical state.")
SOURCES = ["C. Thornton 2000, Géotechnique 50, 43. doi:10.1680/geot.2000.50.1.43 (critical state: not of the first density)",
           "S. Chialvo, J. Sun, S. Sundaresan 2012, Phys. Rev. E 85, 021305. doi:10.1103/PhysRevE.85.021305 "
           "(friction 0.5, shear at I = 0: φ 0.587, stress ratio 0.382. That is sine 0.322 here by the criterion of "
           "P. V. Lade, J. M. Duncan 1975, doi:10.1061/AJGEB6.0000204, and 0.382 by Mohr and Coulomb's)",
           "P. W. Rowe 1962, Proc. R. Soc. Lond. A 269, 500. doi:10.1098/rspa.1962.0193 (dilation)"]
SAMPLES = [{"packing": 0.0, "target": 0.64}, {"packing": 0.5, "target": 0.57}]
SHORT = Form(points=SAMPLES, seconds=20)
FULL = Form(points=SAMPLES, set={"count": 2000, "strain": 0.6, "rate": 0.01}, seeds=3, seconds=7200)


def ratio(point, where):
    """σ1 / σ3."""
    z, x, y = (point.mean(f"{where}.stress_{ij}_Pa") for ij in ("zz", "xx", "yy"))
    return over(z, Mean(0.5 * (x.value + y.value), 0.5 * float(np.hypot(x.error, y.error))))


def sine(r):
    return Mean((r.value - 1) / (r.value + 1), 2 * r.error / (r.value + 1)**2)


def dilation(run):
    """Volume strain over axial strain, around the peak."""
    table = run.table("measured_sample.csv")
    strain = run["rate"] * (table["time_s"] - run["packed"])
    keep = (strain > 0.02) & (strain < 0.08)
    return -line(strain[keep], np.log(table["solid_fraction"][keep])).slope


def analyse(points):
    dense, loose = points
    peak, end, other = ratio(dense, "peak"), ratio(dense, "critical"), ratio(loose, "critical")
    phi = [p.mean("critical.solid_fraction") for p in points]
    rowe = end.value * (1 + dense.mean_by(dilation).value)
    return [Check.of("sine of the friction angle, critical, dense", sine(end), 0.322, 0.382, published="from shear"),
            Check.of("sine, critical, loose over dense", over(sine(other), sine(end)), 0.9, 1.1, published="same, a band"),
            Check.of("sine, peak over critical, dense", over(sine(peak), sine(end)), 1.0, np.inf, published="a peak"),
            Check.of("dilation at the peak, dense", dense.mean_by(dilation), 0.0, np.inf, published="dilates"),
            Check("σ1 / σ3 at the peak over Rowe's law, dense", peak.value / rowe, peak.error / rowe, 0.9, 1.1,
                  published="his law, 10 %"),
            Check.of("solid fraction, critical, dense", phi[0], 0.582, 0.592, published="0.587"),
            Check.of("solid fraction, critical, loose over dense", over(phi[1], phi[0]), 0.99, 1.01, published="same, a band"),
            Check.of("inertial number", dense.mean("sample.inertial_number"), 0.0, 0.001, published="slow")]


def draw(axes, points):
    for point, name in zip(points, ("dense", "loose")):
        table = point.runs[0].table("measured_sample.csv")
        z, x = table["stress_zz_Pa"], 0.5 * (table["stress_xx_Pa"] + table["stress_yy_Pa"])
        axes.plot(point["rate"] * (table["time_s"] - point["packed"]), (z - x) / (z + x), label=name)
    axes.axhspan(0.322, 0.382, alpha=0.2, label="critical state, from shear (Chialvo et al.)")
    axes.set(xlabel="axial strain", ylabel="sine of the friction angle", ylim=(0, 0.6))
    axes.legend()
