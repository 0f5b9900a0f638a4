"""Grains in a drum from slow turning, by cascades and cataracts, to a layer that sticks to the shell."""

from scree.validation_case import Check, Form
from scree.validation_fits import dots

TITLE = "Drum below and above its critical speed"
MEASURES = ("Torque of a drum with smooth ends, mixing of the two halves of its load, and contacts a grain. "
            "The mean torque is the weight of the load times the lever of its centre of mass, at any speed. Faster "
            "turning throws grains (cataracting). At c times the critical speed sqrt(g / R) the innermost "
            "grains, at sqrt(1 - f) R for a filling f, stick if c² sqrt(1 - f) > 1. Then the load turns as one body, "
            "about its centre of mass, without power and without mixing.")
SOURCES = ["J. Mellmann 2001, Powder Technol. 118, 251. doi:10.1016/S0032-5910(00)00402-2 (rolling, cascading, "
           "cataracting, centrifuging)",
           "P. M. C. Lacey 1954, J. Appl. Chem. 4, 257 (the mixing index)"]
STUCK = {"critical": 2.0, "turns": 12, "first": 9}  # c² sqrt(1 - f) = 3.1
SHORT = Form(points=[*({"critical": c, "turns": 5, "first": 2} for c in (0.3, 0.6, 0.9)), STUCK], seconds=35)
FULL = Form(points=[*({"critical": c, "turns": 10, "first": 2} for c in (0.15, 0.3, 0.45, 0.6, 0.75, 0.9)), STUCK],
            set={"radius": 20, "length": 10}, seeds=2, seconds=7200)


def lever(run):
    """Torque over that of the weight at the centre of mass."""
    return run.value("drum.torque_y_N_m") / (-9.81 * run.value("load.mass_kg") * -run.value("load.centre_x_m"))


def off_axis(run):
    """Distance of the centre of mass from the axis, d."""
    return float((run.value("load.centre_x_m")**2 + run.value("load.centre_z_m")**2)**0.5 / run["d"])


def mixed(run, before=0):
    """Mixing index, mean of a turn (ten values): the last one, or one before it."""
    index = run.table("measured_halves.csv")["lacey_index"]
    return float(index[-10 * (before + 1):][:10].mean())


def analyse(points):
    *turning, stuck = points
    slow, fast = turning[0], turning[-1]
    checks = [Check.of(f"torque over weight times lever, {p['critical']:g} c", p.mean_by(lever), 0.98, 1.02,
                       published="statics") for p in turning]
    thrown = fast.mean("load.contact_number").value / slow.mean("load.contact_number").value
    power = stuck.mean("drum.power_W").value / fast.mean("drum.power_W").value
    at = [f"{p['critical']:g} c" for p in (slow, fast, stuck)]
    return checks + [
        Check(f"contacts a grain, {at[1]} over {at[0]}", thrown, 0.0, 0.0, 0.9, published="thrown, a band"),
        Check.of(f"mixing index in the last turn, {at[0]}", slow.mean_by(mixed), 0.5, 1.05, published="mixes, a band"),
        Check(f"power, {at[2]} over {at[1]}", power, 0.0, -0.05, 0.05, published="none, a band"),
        Check.of(f"centre of mass off the axis in d, {at[2]}", stuck.mean_by(off_axis), 0.0, 0.1,
                 published="on it, a band"),
        Check.of(f"mixing during three turns, {at[2]}", stuck.mean_by(lambda run: mixed(run) - mixed(run, 3)),
                 -0.05, 0.05, published="none, a band")]


def draw(axes, points):
    dots(axes, [p["critical"] for p in points], [p.mean("drum.power_W") for p in points], "power of the drum")
    axes.set(xlabel="speed over the critical one", ylabel="power (W)", ylim=(0, None))
    axes.legend()
