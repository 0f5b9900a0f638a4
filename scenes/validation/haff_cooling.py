"""Haff's law: a gas of inelastic spheres cools as 1 / (1 + t / tau)^2."""

import numpy as np

from scree.validation_case import Check, Form
from scree.validation_fits import line

TITLE = "Cooling of a granular gas (Haff's law)"
MEASURES = ("Granular temperature T of smooth inelastic spheres in a periodic cell, solid fraction 0.05. 1 / sqrt(T) "
            "rises with the rate (1 - e²) ω / 6, ω = 24 φ χ sqrt(T / π) / d, T = 1.")
SOURCES = ["P. K. Haff 1983, J. Fluid Mech. 134, 401. doi:10.1017/S0022112083003419",
           "T. P. C. van Noije, M. H. Ernst 1998, Granular Matter 1, 57. doi:10.1007/s100350050009 (a2)",
           "N. F. Carnahan, K. E. Starling 1969, J. Chem. Phys. 51, 635. doi:10.1063/1.1672048 (χ)"]
SHORT = Form(grid={"restitution": [0.9, 0.8]}, seeds=2, seconds=5)
FULL = Form(grid={"restitution": [0.95, 0.9, 0.8], "count": [8000], "time_step": [0.01, 0.0025]}, seeds=2, seconds=120)
PHI, D = 0.05, 0.01


def rate(e):
    """Of 1 / sqrt(T), by kinetic theory."""
    chi = (1 - PHI / 2) / (1 - PHI)**3
    a2 = 16 * (1 - e) * (1 - 2 * e * e) / (81 - 17 * e + 30 * e * e * (1 - e))
    return (1 - e * e) / 6 * 24 * PHI * chi / (np.sqrt(np.pi) * D) * (1 + 3 / 16 * a2)


def cooling(run):
    """Times since the gas has forgotten its lattice, three impacts a body, and temperatures."""
    table = run.table("measured_gas.csv")
    keep = (table["time_s"] > 0.05) & (table["time_s"] < 12 / rate(run["restitution"]))
    return table["time_s"][keep], table["temperature_m2_s2"][keep]


def slope(run):
    time, temperature = cooling(run)
    return line(time, temperature**-0.5).slope / rate(run["restitution"])


def exponent(run):
    time, temperature = cooling(run)
    return line(np.log(time - time[0] + temperature[0]**-0.5 / rate(run["restitution"])), np.log(temperature)).slope


def analyse(points):
    checks = []
    for point in points:
        words = ", ".join(f"{key} {value:g}" for key, value in point.values.items() if key != "count")
        checks += [Check.of(f"rate over theory, {words}", point.mean_by(slope), 0.98, 1.02, published="closed form"),
                   Check.of(f"exponent, {words}", point.mean_by(exponent), -2.04, -1.96, published="closed form: -2")]
    return checks


def draw(axes, points):
    for point in points:
        time, temperature = cooling(point.runs[0])
        e = point["restitution"]
        dots, = axes.plot(time, temperature**-0.5, ".", label=f"e = {e}")
        axes.plot(time, temperature[0]**-0.5 + rate(e) * (time - time[0]), "-", color=dots.get_color())
    axes.set(xlabel="time (s)", ylabel="1 / sqrt(T) (s/m)")
    axes.legend(title="dots: measured\nlines: kinetic theory")
