"""Jamming of elastic spheres: how pressure and contacts rise beyond the point where they jam."""

import numpy as np
from scipy.optimize import curve_fit

from scree.validation_case import Check, Form
from scree.validation_fits import power

TITLE = "Pressure and contacts beyond jamming"
MEASURES = ("Elastic spheres (Hertz) without friction, pressed together slowly: pressure p ∝ (φ - φ_J)^(3/2), excess contacts "
            "Z - 6 ∝ (φ - φ_J)^(1/2).")
SOURCES = ["C. S. O'Hern, L. E. Silbert, A. J. Liu, S. R. Nagel 2003, Phys. Rev. E 68, 011306. "
           "doi:10.1103/PhysRevE.68.011306 (φ_J = 0.639 ± 0.003 of 1000 equal spheres; exponents 1.5 and 0.50 ± 0.03)"]
SHORT = Form(points=[{"rate": 0.02}], seeds=3, seconds=25)
FULL = Form(grid={"rate": [0.02, 0.005], "time_step": [0.001, 0.0005]}, set={"count": 2000}, seeds=3, seconds=3600)


def law(phi, scale, jam, exponent):
    return scale * np.clip(phi - jam, 1e-9, None)**exponent


def jammed(run):
    """Solid fractions, pressures and contacts beyond jamming, and the fit's scale, φ_J and exponent."""
    table = run.table("measured_packing.csv")
    phi, pressure, contacts = (table[k] for k in ("solid_fraction", "pressure_Pa", "contact_number_without_rattlers"))
    keep = pressure > 0.05 * pressure.max()
    root = pressure[keep]**(2 / 3)
    first = np.polyfit(phi[keep], root, 1)
    start = (first[0]**1.5, -first[1] / first[0], 1.5)
    found, _ = curve_fit(law, phi[keep], pressure[keep], p0=start, sigma=pressure[keep])
    return phi[keep], pressure[keep], contacts[keep], found


def contact_exponent(run):
    phi, _, contacts, (_, jam, _) = jammed(run)
    return power(phi - jam, contacts - 6).slope


def analyse(points):
    checks = []
    for point in points:
        words = ", ".join(f"{key} {value:g}" for key, value in point.values.items())
        for name, function, low, high, published in (
                ("solid fraction where they jam", lambda run: jammed(run)[3][1], 0.636, 0.645, "0.639; some more for ± 10 %"),
                ("exponent of the pressure", lambda run: jammed(run)[3][2], 1.45, 1.55, "3/2"),
                ("exponent of the excess contacts", contact_exponent, 0.44, 0.56, "0.50 ± 0.03")):
            found = point.mean_by(function)
            checks.append(Check(f"{name}, {words}", found.value, found.error, low, high, published=published))
    return checks


def draw(axes, points):
    for point in points:
        for run in point.runs:
            phi, pressure, contacts, (scale, jam, exponent) = jammed(run)
            axes.loglog(phi - jam, pressure / scale * 0.01**(exponent - 1.5), ".", color="C0")
            axes.loglog(phi - jam, contacts - 6, ".", color="C1")
    x = np.array([0.01, 0.08])
    axes.loglog(x, x**1.5, "k-", label="slope 3/2: pressure over its scale (blue)")
    axes.loglog(x, 7.9 * x**0.5, "k--", label="7.9 (φ - φ_J)^(1/2): contacts above 6 (orange)")
    axes.set(xlabel="φ - φ_J")
    axes.legend(fontsize=8)
