"""Janssen's law: walls bear the load of a silo, and that of its floor saturates; or it grows, if they press down."""

import numpy as np
from scipy.optimize import curve_fit

from scree.validation_case import Check, Form

TITLE = "Load on the floor of a silo (Janssen's law), and its reverse"
MEASURES = ("Floor load M_a of spheres of mass M in a tube, friction of its wall 0.3, that is drawn upwards slowly, so "
            "that friction acts everywhere: M_a = M_s (1 - exp(-M / M_s)). In a tube that is pushed down friction has "
            "the other sign, and so has M_s: M_a = M_r (exp(M / M_r) - 1). K from M_s, M_r = ρ π R³ / (2 μ K).")
SOURCES = ["H. A. Janssen 1895, Z. Ver. Dtsch. Ing. 39, 1045; in English: M. Sperl 2006, doi:10.1007/s10035-005-0224-z",
           "Y. Bertho et al. 2003, Phys. Rev. Lett. 90, 144301. doi:10.1103/PhysRevLett.90.144301 (moving walls)",
           "R. M. Nedderman 1992, Statics and Kinematics of Granular Materials. doi:10.1017/CBO9780511600043 (K)"]
SHORT = Form(points=[{"height": h, "speed": v} for h in (4, 8, 16, 32) for v in (0.02, -0.02)][:-1], seconds=35)
FULL = Form(points=[{"height": h, "speed": v} for h in (5, 10, 20, 40, 60) for v in (0.02, -0.02)][:-1],
            set={"radius": 8, "time_step": 0.0005}, seeds=3, seconds=6000)
D, G, WALL, INNER = 0.01, 9.81, 0.3, 21.0  # INNER: angle of friction of spheres, degrees (tan 21° = 0.382)


def bounds():
    """Of K, where grains are about to slip in the bulk and at the wall at once."""
    sine, delta = np.sin(np.radians(INNER)), np.arctan(WALL)
    active, passive = (sine * np.cos(np.arcsin(np.sin(delta) / sine) + d) for d in (-delta, delta))
    return (1 - active) / (1 + active), (1 + passive) / (1 - passive)


def law(mass, m_s):
    return m_s * -np.expm1(-mass / m_s)


def fit(points, sign):
    """Tubes that move this way: masses, loads, errors, M_s > 0 or -M_r < 0 by a fit of logarithms, and its error."""
    tubes = [p for p in points if p["speed"] * sign > 0]
    mass = np.array([p.mean("all.mass_kg").value for p in tubes])
    load, error = np.array([[abs(f.value) / G, f.error / G] for f in (p.mean("floor.force_z_N") for p in tubes)]).T
    best, variance = curve_fit(lambda m, s: np.log(law(m, sign * s)), mass, np.log(load), p0=[mass.max() / 3])
    return mass, load, error, sign * best[0], variance[0, 0]**0.5


def analyse(points):
    checks = []
    for sign, way in ((1, "rises"), (-1, "sinks")):
        mass, load, error, saturated, deviation = fit(points, sign)
        filled = 2500 * points[-1].mean("bed.solid_fraction").value * np.pi * (D * points[-1]["radius"])**3
        k, off = filled / (2 * WALL * abs(saturated)), max(abs(load / law(mass, saturated) - 1))
        checks += [Check(f"K, wall {way}", k, k * deviation / abs(saturated), *bounds(), published="active to passive"),
                   Check(f"distance from the law, wall {way}", off, max(error / load), 0, 0.1, published="the law")]
    return checks


def draw(axes, points):
    for sign, way in ((1, "rises"), (-1, "sinks")):
        mass, load, error, saturated, _ = fit(points, sign)
        axes.errorbar(mass, load, 2 * error, fmt="o", label=f"wall {way}, measured, ± 2 errors")
        x = np.linspace(mass[0] / 4, mass[-1])
        axes.plot(x, law(x, saturated), label=f"law with {abs(saturated):.3f} kg")
    axes.set(xlabel="mass M (kg)", ylabel="floor load / g (kg)", yscale="log")
    axes.legend()
