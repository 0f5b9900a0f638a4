"""Janssen's law: walls bear the load of a silo, and that of its floor saturates."""

import numpy as np
from scipy.optimize import curve_fit

from scree.validation_case import Check, Form

TITLE = "Load on the floor of a silo (Janssen's law)"
MEASURES = ("Floor load M_a of spheres of mass M in a tube, friction of its wall 0.3, that is drawn upwards slowly, so "
            "that friction acts everywhere: M_a = M_s (1 - exp(-M / M_s)). K of M_s = ρ π R³ / (2 μ K).")
SOURCES = ["H. A. Janssen 1895, Z. Ver. Dtsch. Ing. 39, 1045; M. Sperl 2006, Granular Matter 8, 59. "
           "doi:10.1007/s10035-005-0224-z",
           "Y. Bertho, F. Giorgiutti-Dauphiné, J.-P. Hulin 2003, Phys. Rev. Lett. 90, 144301. "
           "doi:10.1103/PhysRevLett.90.144301 (moving walls: Janssen's law)",
           "R. M. Nedderman 1992, Statics and Kinematics of Granular Materials. doi:10.1017/CBO9780511600043 (K)"]
SHORT = Form(grid={"height": [4, 8, 16, 32]}, seconds=25)
FULL = Form(grid={"height": [5, 10, 20, 40, 60]}, set={"radius": 8, "time_step": 0.0005}, seeds=3, seconds=3000)
D, G, WALL, INNER = 0.01, 9.81, 0.3, 21.0  # INNER: angle of friction of spheres, degrees (tan 21° = 0.382)


def bounds():
    """Of K, where grains are about to slip in the bulk and at the wall at once."""
    phi, delta = np.radians(INNER), np.arctan(WALL)
    omega = np.arcsin(np.sin(delta) / np.sin(phi))
    active, passive = np.sin(phi) * np.cos(omega - delta), np.sin(phi) * np.cos(omega + delta)
    return (1 - active) / (1 + active), (1 + passive) / (1 - passive)


def law(mass, saturated):
    return saturated * (1 - np.exp(-mass / saturated))


def loads(points):
    mass = np.array([p.mean("all.mass_kg").value for p in points])
    floor = [p.mean("floor.force_z_N") for p in points]
    return mass, np.array([abs(f.value) / G for f in floor]), np.array([f.error / G for f in floor])


def analyse(points):
    mass, load, error = loads(points)
    (saturated,), variance = curve_fit(law, mass, load, p0=[load[-1]])
    density, radius = 2500 * points[-1].mean("bed.solid_fraction").value, D * points[0]["radius"]
    k = density * np.pi * radius**3 / (2 * WALL * saturated)
    return [Check("K", k, k * variance[0, 0]**0.5 / saturated, *bounds(), published="active to passive, closed form"),
            Check("largest distance from the law, of M_s", max(abs(load - law(mass, saturated))) / saturated,
                  max(error) / saturated, 0, 0.1, published="the law"),
            Check("load of the highest column over M_s", load[-1] / saturated, error[-1] / saturated, 0.9, 1.1,
                  published="saturation")]


def draw(axes, points):
    mass, load, error = loads(points)
    (saturated,), _ = curve_fit(law, mass, load, p0=[load[-1]])
    x = np.linspace(0, mass[-1] * 1.05)
    axes.errorbar(mass, load, 2 * error, fmt="o", label="measured, ± 2 errors")
    axes.plot(x, law(x, saturated), "-", label=f"Janssen's law, M_s = {saturated:.3f} kg")
    axes.plot([0, mass.max() / 3], [0, mass.max() / 3], ":", label="without friction")
    axes.set(xlabel="mass M (kg)", ylabel="floor load / g (kg)")
    axes.legend()
