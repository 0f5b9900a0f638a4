"""Collapse of a round column: how far it runs out."""

import numpy as np

from scree.validation_case import Check, Form

TITLE = "Collapse of a round column"
MEASURES = ("Run-out (r - r0) / r0 of a column of spheres, friction 0.5, of radius r0; its aspect a is height / r0. "
            "Sand, salt, couscous, rice, sugar, radius 1.7 to 9.7 cm: 1.24 a below a = 1.7, 1.6 sqrt(a) above.")
SOURCES = ["G. Lube, H. E. Huppert, R. S. J. Sparks, M. A. Hallworth 2004, J. Fluid Mech. 508, 175. "
           "doi:10.1017/S0022112004009036",
           "E. Lajeunesse, A. Mangeney-Castelnau, J. P. Vilotte 2004, Phys. Fluids 16, 2371. doi:10.1063/1.1736611"]
SHORT = Form(grid={"aspect": [0.5, 1.0, 2.0]}, seconds=30)
FULL = Form(grid={"aspect": [0.5, 1.0, 2.0, 3.0], "radius": [8, 12, 16]}, set={"time_step": 0.001, "end_time": 1.6},
            seeds=2, seconds=5400)
KNOWN_MISSES = {f"run-out over the law, a = {a}": "the column is 16 grains wide: 0.75 at a = 1, and 0.84 at twice the "
                "width" for a in (0.5, 1, 2)}


def lube(a):
    return np.where(a < 1.7, 1.24 * a, 1.6 * np.sqrt(a))


def run_out(run):
    begin = run.value("column.run_out_m:last")
    return run.value("heap.run_out_m:last") / begin - 1


def aspect(run):
    """As it stands when the tube goes."""
    return run.value("column.height_mean_m:last") / run.value("column.run_out_m:last")


def measured(point):
    found = point.mean_by(run_out, 0.5 / point["radius"])  # half a bin: half a diameter
    return point.mean_by(aspect).value, found.value, found.error


def analyse(points):
    checks = []
    for point in points:
        a, value, error = measured(point)
        radius = f", r0 = {point['radius']:g} d" if "radius" in point.values else ""
        checks.append(Check(f"run-out over the law, a = {point['aspect']:g}{radius}", value / lube(a), error / lube(a),
                            0.9, 1.1, published="their laws, 10 %", largest_error=0.15))
    return checks


def draw(axes, points):
    a = np.linspace(0.2, 4, 200)
    axes.plot(a, lube(a), "-", label="Lube et al.")
    for radius in sorted({point["radius"] for point in points}):
        some = [measured(point) for point in points if point["radius"] == radius]
        axes.errorbar(*np.transpose([m[:2] for m in some]), [2 * m[2] for m in some], fmt="o", label=f"r0 = {radius} d")
    axes.set(xlabel="aspect a", ylabel="run-out (r - r0) / r0")
    axes.legend()
