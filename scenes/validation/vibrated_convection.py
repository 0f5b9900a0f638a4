"""Convection in a shaken bed: grains rise in the middle and sink along the walls, if the walls are rough."""

from scree.validation_case import Check, Form

TITLE = "Convection in a shaken bed"
MEASURES = ("Grains that rise through the middle of a vessel (half of its radius) in a cycle of its vertical shaking, "
            "as a displacement in diameters d. The flow is upward in the middle and downward along the walls, friction "
            "of the walls drives it, and it becomes slower with the depth.")
SOURCES = ["J. B. Knight, H. M. Jaeger, S. R. Nagel 1993, Phys. Rev. Lett. 70, 3728. doi:10.1103/PhysRevLett.70.3728 "
           "(upward in the middle, driven by the friction of the walls)",
           "E. E. Ehrichs et al. 1995, Science 267, 1632. doi:10.1126/science.267.5204.1632 (slower with the depth; "
           "also on the authors' page, jfi.uchicago.edu/granular/convection.html)"]
SHORT = Form(points=[{"side_friction": friction} for friction in (1, 0)], seconds=35)
FULL = Form(grid={"acceleration": [3, 4, 6], "side_friction": [1, 0]}, set={"radius": 8, "height": 12, "cycles": 60},
            seeds=2, seconds=1800, known_misses={
                "rise, smooth over rough walls, Γ = 6": "0.56: a wave of 9 d sways at a quarter of the frequency",
                "rise, lower over upper plane, Γ = 6": "-0.38: below, grains sink in the middle; not explained"})
FRACTION = 0.57


def rise(point, plane):
    """Mean displacement a cycle, d: the grains, each of volume pi d^3 / 6, over the area."""
    mean = point.mean(f"{plane}.number_flow_1_s")
    scale = 1 / (point["frequency"] * 6 * FRACTION * (0.5 * point["radius"])**2)
    return mean.value * scale, mean.error * scale


def analyse(points):
    checks = []
    for gamma in sorted({p["acceleration"] for p in points}):
        rough, smooth = ([p for p in points if p["acceleration"] == gamma and p["side_friction"] == friction]
                         for friction in (1, 0))
        if not rough or not smooth:
            continue
        (up, error), (low, low_error) = (rise(rough[0], plane) for plane in ("upper", "lower"))
        still, still_error = rise(smooth[0], "upper")
        at = f"Γ = {gamma:g}"
        checks += [Check(f"rise in d, rough walls, {at}", up, error, 0.02, 1.0, largest_error=up / 4,
                         published="upward, a band"),
                   Check(f"rise, smooth over rough walls, {at}", still / up, still_error / up, -0.25, 0.25,
                         published="by friction, a band"),
                   Check(f"rise, lower over upper plane, {at}", low / up, low_error / up, 0.0, 0.75,
                         published="slower below, a band")]
    return checks


def draw(axes, points):
    for p in points:
        table = p.runs[0].table("measured_upper.csv")
        axes.plot((table["time_s"] - p["begins"]) * p["frequency"], table["bodies"],
                  label=f"Γ = {p['acceleration']:g}, {'rough' if p['side_friction'] else 'smooth'} walls")
    axes.set(xlabel="cycles", ylabel="grains risen through the middle")
    axes.legend()
