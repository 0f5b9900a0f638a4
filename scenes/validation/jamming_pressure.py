"""Jamming of elastic spheres: how pressure and contacts rise beyond the point where they jam."""

import numpy as np

from scree.validation_case import Check, Form
from scree.validation_fits import line, power

TITLE = "Pressure and contacts beyond jamming"
MEASURES = ("Elastic spheres (Hertz) without friction, pressed together slowly: pressure p ∝ (φ - φ_J)^(3/2), contacts "
            "a body without rattlers Z = 6 + Z_0 (φ - φ_J)^(1/2). φ_J is where p^(2/3), taken as linear, is zero.")
SOURCES = ["C. S. O'Hern, L. E. Silbert, A. J. Liu, S. R. Nagel 2003, Phys. Rev. E 68, 011306. "
           "doi:10.1103/PhysRevE.68.011306 (φ_J = 0.639 - 0.12 N^(-0.47) ± 0.16 N^(-0.55); Z_0 = 7.7 ± 0.5; 3/2; 1/2)"]
SHORT = Form(points=[{"rate": 0.02}], seeds=3, seconds=15, known_misses={
    "exponent of the contacts, rate 0.02": "by the rate: 0.574 with 2,000 spheres, and 0.546 four times slower"})
FULL = Form(grid={"rate": [0.02, 0.005], "time_step": [0.001, 0.0005]}, set={"count": 2000}, seeds=3,
            seconds=3600, known_misses={
    "exponent of the contacts, rate 0.02, time_step 0.001": "0.574, and 0.546 four times slower",
    **{f"φ_J, rate {rate}, time_step {step}": "denser than a quench: 0.639 at a rate of 0.02 /s, 0.642 four times slower"
       for rate in (0.02, 0.005) for step in (0.001, 0.0005)}})


def jammed(run):
    """Solid fractions above φ_J, pressures and contacts where the pressure is above a tenth of the largest, and φ_J."""
    table = run.table("measured_packing.csv")
    phi, pressure, contacts = (table[k] for k in ("solid_fraction", "pressure_Pa", "contact_number_without_rattlers"))
    keep = pressure > 0.1 * pressure.max()
    jam = line(phi[keep], pressure[keep]**(2 / 3)).root
    return phi[keep] - jam, pressure[keep], contacts[keep], jam


def exponents(run):
    """Of pressure and contacts, and Z_0."""
    above, pressure, contacts, _ = jammed(run)
    return power(above, pressure).slope, power(above, contacts - 6).slope, float(np.mean((contacts - 6) / above**0.5))


def analyse(points):
    checks = []
    for point in points:
        words = ", ".join(f"{key} {value:g}" for key, value in point.values.items())
        jam, width = 0.639 - 0.12 * point["count"]**-0.47, 0.16 * point["count"]**-0.55
        for name, function, low, high, published in (
                ("φ_J", lambda run: jammed(run)[3], jam - width, jam + width, "of so many bodies"),
                ("exponent of the pressure", lambda run: exponents(run)[0], 1.45, 1.55, "3/2"),
                ("Z_0", lambda run: exponents(run)[2], 7.2, 8.2, "7.7 ± 0.5"),
                ("exponent of the contacts", lambda run: exponents(run)[1], 0.44, 0.56, "0.50 ± 0.03")):
            checks.append(Check.of(f"{name}, {words}", point.mean_by(function), low, high, published=published))
    return checks


def draw(axes, points):
    for above, pressure, contacts, _ in (jammed(run) for point in points for run in point.runs):
        axes.loglog(above, pressure / pressure[-1] * above[-1]**1.5, ".", color="C0")
        axes.loglog(above, contacts - 6, ".", color="C1")
    x = np.array([0.01, 0.08])
    axes.loglog(x, x**1.5, "k-", label="slope 3/2 (blue: pressure, scaled)")
    axes.loglog(x, 7.7 * x**0.5, "k--", label="7.7 (φ - φ_J)^(1/2) (orange: contacts above 6)")
    axes.set(xlabel="φ - φ_J")
    axes.legend(fontsize=8)
