"""`scree measure` against formulas of docs/measuring.md, worked out here anew from trajectory.h5 and the tables:
measure_test.py <scree> [Measure.test_name ...]

Tolerances. Frames are single precision: numbers of one magnitude are off by 6e-8 of it. What is made of the same
frame by the same formula agrees to rounding of double precision, as both begin with the same rounded numbers (1e-9
where sums cancel). What the run measures in double precision differs from what its frames give by 1e-6 of the largest
number in the sum. Counts are equal. Quantities that come from the run's tables are equal to the last digit.
"""
import atexit
import csv
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import h5py
    import numpy as np
    from scipy import stats
    from scipy.spatial.transform import Rotation
except ImportError as missing:
    print(f"{missing.name} is not installed (Debian: python3-h5py, python3-numpy, python3-scipy)")
    sys.exit(1 if os.environ.get("CI") == "true" else 77)

PROGRAM = os.path.abspath(sys.argv[1])
ROOT = tempfile.mkdtemp()
atexit.register(shutil.rmtree, ROOT, True)

HEAD = """
time_step = {step}
end_time = {end}
seed = 3
gravity = {gravity}
[output]
interval = {interval}
vtk = false
[[materials]]
name = "glass"
density = 2500
friction = 0.4
[[materials]]
name = "steel"
density = 7800
friction = 0.3
"""

BED_MEASURES = """
[[measurements]]
name = "box"
measure = "quantity"
boundary = "box"
quantities = ["force_x_N", "force_z_N", "force_N", "torque_y_N_m", "normal_force_N", "work_J", "impacts"]
[[measurements]]
name = "table"
measure = "quantity"
boundary = "table"
quantities = ["force_z_N", "power_W", "torque_x_N_m", "torque_N_m", "impact_energy_J"]
[[measurements]]
name = "run"
measure = "quantity"
quantities = ["kinetic_energy_J", "dissipated_by_friction_J", "penetration_max", "penetration_mean"]
[[measurements]]
name = "part"
measure = "quantity"
region = { type = "box", low = [-0.15, -0.2, 0.0], high = [0.2, 0.15, 0.12] }
quantities = ["mass_in_region_kg", "share_at_rest", "bodies_in_region", "largest_speed_m_s"]
[[measurements]]
name = "packing"
measure = "bulk"
region = { type = "box", low = [-0.15, -0.17, 0.0], high = [0.16, 0.14, 0.1] }
[[measurements]]
name = "through"
measure = "flow"
plane = { point = [0, 0, 0.12], normal = [0, 0, -2], radius = 0.15 }
by = "material"
[[measurements]]
name = "top"
measure = "surface"
cell = 0.05
[[measurements]]
name = "mixed"
measure = "mixing"
by = "material"
cell = 0.1
[[measurements]]
name = "stays"
measure = "residence"
region = { type = "box", low = [-0.2, -0.2, 0.1], high = [0.2, 0.2, 0.3] }
[[measurements]]
name = "layers"
measure = "profile"
along = [0, 0, 1]
cell = 0.03
region = { type = "box", low = [-0.2, -0.2, 0.0], high = [0.2, 0.2, 0.15] }
[[measurements]]
name = "pairs"
measure = "pair_correlation"
radius = 0.1
cell = 0.01
region = { type = "box", low = [-0.2, -0.2, 0.0], high = [0.2, 0.2, 0.25] }
[[measurements]]
name = "two"
measure = "bodies"
bodies = [3, 50]
[[measurements]]
name = "screen"
measure = "screening"
plane = { point = [0, 0, 0.12], normal = [0, 0, -1], radius = 0.12 }
over = { point = [0.05, 0, 0], normal = [1, 0, 0] }
aperture = 0.05
"""

# Balls and ellipsoids of two materials fall into a box with a floor that shakes.
BED = HEAD.format(step=0.001, end=0.4, gravity=[0, 0, -9.81], interval=0.02) + """
[[bodies]]
generate = "random"
count = 40
radius = 0.03
scale = { distribution = "uniform", low = 0.6, high = 1.2 }
material = "glass"
region = { type = "box", low = [-0.2, -0.2, 0.05], high = [0.2, 0.2, 0.4] }
[[bodies]]
generate = "random"
count = 40
semi_axes = [0.03, 0.025, 0.018]
material = "steel"
region = { type = "box", low = [-0.2, -0.2, 0.05], high = [0.2, 0.2, 0.4] }
[[boundaries]]
name = "box"
type = "box"
low = [-0.2, -0.2, -1.0]
high = [0.2, 0.2, 1.0]
open = ["+z", "-z"]
material = "glass"
[[boundaries]]
name = "table"
type = "plane"
material = "steel"
[[boundaries.motion]]
type = "translation"
direction = [0, 0, 1]
amplitude = 0.002
frequency = 20
""" + BED_MEASURES

# Ellipsoids without walls that are pressed from all sides until nothing moves.
CELL = """
gravity = [0, 0, 0]
time_step = 0.0005
end_time = 0.4
[cell]
low = [0, 0, 0]
high = [0.12, 0.11, 0.10]
stress_x = 10e3
stress_y = 12e3
stress_z = 8e3
[output]
interval = 0.02
vtk = false
[[materials]]
name = "grain"
density = 2500
friction = 0.4
[[bodies]]
generate = "dense"
solid_fraction = 0.55
semi_axes = [0.012, 0.010, 0.008]
region = { type = "box", low = [0, 0, 0], high = [0.12, 0.11, 0.10] }
[[measurements]]
name = "all"
measure = "bulk"
up = [0, 1, 0]
"""

# Points that touch nobody, at random and on their way.
GAS = HEAD.format(step=0.001, end=0.05, gravity=[0, 0, 0], interval=0.01) + """
[cell]
low = [0, 0, 0]
high = [1.0, 0.9, 0.8]
[[bodies]]
generate = "random"
count = 1500
radius = 0.004
material = "glass"
velocity = [3, -1, 0.5]
velocity_spread = 2.0
region = { type = "box", low = [0, 0, 0], high = [1.0, 0.9, 0.8] }
"""

# Grains that come in two sizes and are taken away below.
CHUTE = HEAD.format(step=0.001, end=0.6, gravity=[0, 0, -9.81], interval=0.01) + """
[[inlets]]
name = "small"
radius = 0.01
material = "glass"
region = { type = "box", low = [-0.1, -0.1, 0.4], high = [0.1, 0.1, 0.5] }
number_rate = 150
[[inlets]]
name = "large"
radius = 0.02
material = "steel"
region = { type = "box", low = [-0.1, -0.1, 0.5], high = [0.1, 0.1, 0.6] }
number_rate = 60
velocity = [0.2, 0, -1]
[[outlets]]
name = "drain"
type = "half_space"
point = [0, 0, 0]
normal = [0, 0, -1]
[[measurements]]
name = "drained"
measure = "flow"
opening = "drain"
[[measurements]]
name = "fed"
measure = "flow"
opening = "small"
[[measurements]]
name = "passed"
measure = "flow"
plane = { point = [0, 0, 0.2], normal = [0, 0, -1] }
by = "size"
sizes = [0.03]
[[measurements]]
name = "stay"
measure = "residence"
region = { type = "cylinder", start = [0, 0, 0.1], end = [0, 0, 0.3], radius = 0.12 }
"""

# A pile that has slumped on a plane.
PILE = HEAD.format(step=0.001, end=0.35, gravity=[0, 0, -9.81], interval=0.05) + """
[[bodies]]
generate = "random"
count = 150
semi_axes = [0.013, 0.010, 0.008]
material = "glass"
region = { type = "cylinder", start = [0.013, -0.021, 0], end = [0.013, -0.021, 0.35], radius = 0.06 }
[[bodies]]
radius = 0.01
material = "glass"
position = [0.4, 0, 0.05]
velocity = [0, 0, 5]
[[bodies]]
radius = 0.01
material = "glass"
position = [-0.4, 0, 0.01]
[[boundaries]]
name = "floor"
type = "plane"
material = "glass"
"""

RUNS = {}


def scree(*arguments, status=0, folder=ROOT):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, cwd=folder, timeout=110, text=True, check=False)
    if done.returncode != status:
        raise AssertionError((arguments, done.returncode, done.stdout[-3000:], done.stderr[-3000:]))
    return done.stdout + done.stderr


def write(name, text):
    with open(os.path.join(ROOT, name), "w", encoding="utf-8") as file:
        file.write(text)


def made(name, scene, *arguments):
    """The folder of a run, which is made once."""
    if name not in RUNS:
        write(name + ".toml", scene)
        scree("run", name + ".toml", "-o", name, "-q", "--threads", "1", *arguments)
        RUNS[name] = os.path.join(ROOT, name)
    return RUNS[name]


def table(*path):
    """{column: numbers} of a table."""
    with open(os.path.join(*path), encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return {name: np.array([float(row[k]) if number(row[k]) else math.nan for row in rows[1:]])
            for k, name in enumerate(rows[0])}


def number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def measured(run, text, *arguments):
    """Of each measurement the table that `scree measure` writes, with those of distributions; and measurements.json."""
    write("with.toml", text)
    out = tempfile.mkdtemp(dir=ROOT)
    scree("measure", run, "--with", "with.toml", "-o", out, "-q", "--overwrite", *arguments)
    names = [name[:-4] for name in os.listdir(out) if name.endswith(".csv")]
    tables = {name.removeprefix("measured_"): table(out, name + ".csv") for name in names}
    with open(os.path.join(out, "measurements.json"), encoding="utf-8") as file:
        return tables, json.load(file)


def one(run, text, *arguments):
    """The table of a single measurement, and that of its distribution."""
    tables, _ = measured(run, '[[measurements]]\nname = "it"\n' + text, *arguments)
    return tables["it"], tables.get("distribution_it")


class Frame:
    """Bodies and contacts of a frame in double precision, made of what the file holds."""

    def __init__(self, file, k):
        frames, bodies = file["frames"], file["bodies"]
        rows = slice(*frames["offset"][k:k + 2])
        self.time = frames["time"][k]
        self.row = frames["body"][rows]
        self.id = bodies["id"][:][self.row]
        self.x, self.v, self.w = (frames[name][rows].astype(float)
                                  for name in ("position", "velocity", "angular_velocity"))
        q = frames["orientation"][rows].astype(float)
        self.turn = Rotation.from_quat(q[:, [1, 2, 3, 0]]).as_matrix() if len(q) else np.zeros((0, 3, 3))
        self.axes, self.mass = bodies["semi_axes"][:][self.row], bodies["mass"][:][self.row]
        self.inertia, self.material = bodies["inertia"][:][self.row], bodies["material"][:][self.row]
        self.volume = 4 / 3 * math.pi * self.axes.prod(axis=1)
        self.diameter = 2 * np.cbrt(self.axes.prod(axis=1))
        self.lattice = frames["lattice"][k] if "lattice" in frames else None
        self.shift = frames["image_shift"][rows].astype(float) if "image_shift" in frames else np.zeros_like(self.x)
        place = {row: i for i, row in enumerate(self.row)}
        rows = slice(*file["contacts/offset"][k:k + 2])
        contacts = file["contacts"]
        self.point = contacts["point"][rows].astype(float)
        self.impulse = contacts["impulse"][rows].astype(float)
        self.force = self.impulse / contacts.attrs["impulse_time_s"]
        self.a = np.array([place[b] for b in contacts["body_a"][rows]], dtype=int)
        self.b = np.array([place.get(b, -1) for b in contacts["body_b"][rows]], dtype=int)

    def reach(self, direction):
        """How far each body goes from its centre along a direction."""
        d = np.asarray(direction, float) / np.linalg.norm(direction)
        return np.linalg.norm(np.einsum("nij,i->nj", self.turn, d) * self.axes, axis=1)

    def nearest(self, d):
        """A vector between images as short as it comes, as far as cells are large."""
        if self.lattice is None:
            return d
        return d - np.round(d @ np.linalg.inv(self.lattice)) @ self.lattice


def box(low, high):
    """The line of a region."""
    return f'region = {{ type = "box", low = {list(map(float, low))}, high = {list(map(float, high))} }}\n'


def frames_of(run):
    with h5py.File(os.path.join(run, "trajectory.h5")) as file:
        return [Frame(file, k) for k in range(len(file["frames/time"]))]


def inside(x, low, high):
    return np.all((x >= low) & (x <= high), axis=-1)


def part_below(s):
    """Part of a ball of radius 1 below a plane at s."""
    s = np.clip(s, -1.0, 1.0)
    return (1 + s)**2 * (2 - s) / 4


def part_between(frame, direction, low, high):
    """Part of each ellipsoid between two planes."""
    at, reach = frame.x @ np.asarray(direction, float), frame.reach(direction)
    return part_below((high - at) / reach) - part_below((low - at) / reach)


def cut_by_edge(centre, turn, axes, low, high):
    """Whether an edge of a box goes through an ellipsoid: nearest point of each edge in space where it is a ball."""
    for axis in range(3):
        others = [i for i in range(3) if i != axis]
        for corner in ((p, q) for p in (0, 1) for q in (0, 1)):
            ends = np.zeros((2, 3))
            ends[0, axis], ends[1, axis] = low[axis], high[axis]
            for i, side in zip(others, corner):
                ends[:, i] = (low, high)[side][i]
            p, q = (ends - centre) @ turn / axes
            t = np.clip(-(p @ (q - p)) / ((q - p) @ (q - p)), 0, 1)
            if np.linalg.norm(p + t * (q - p)) < 1:
                return True
    return False


def volumes_in_box(frame, low, high):
    """As docs/measuring.md has it: without edges exact, with an edge the product; and which are cut by edges."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    parts = np.array([part_between(frame, axis, low[k], high[k]) for k, axis in enumerate(np.eye(3))])
    share, edges = parts.prod(axis=0), np.zeros(len(frame.x), dtype=bool)
    reach = np.array([frame.reach(axis) for axis in np.eye(3)]).T
    border = np.any((frame.x - reach < low) & (frame.x + reach > low) |
                    (frame.x - reach < high) & (frame.x + reach > high), axis=1) & (share > 0)
    for i in np.flatnonzero(border):
        edges[i] = cut_by_edge(frame.x[i], frame.turn[i], frame.axes[i], low, high)
        if not edges[i]:  # caps do not meet: what is left when each has been taken away
            share[i] = 1 - (1 - parts[:, i]).sum() if inside(frame.x[i], low, high) else sampled(frame, i, low, high)
    return share * frame.volume, edges


BALL = None


def ball():
    """Points that fill a ball of radius 1 evenly."""
    global BALL
    if BALL is None:
        u = stats.qmc.Sobol(3, seed=1).random_base2(15)
        r, c, phi = np.cbrt(u[:, 0]), 2 * u[:, 1] - 1, 2 * math.pi * u[:, 2]
        s = np.sqrt(1 - c**2)
        BALL = r[:, None] * np.array([s * np.cos(phi), s * np.sin(phi), c]).T
    return BALL


def sampled(frame, i, low, high):
    """Part of an ellipsoid that is in a box, by points."""
    return inside(frame.x[i] + ball() * frame.axes[i] @ frame.turn[i].T, low, high).mean()


def piece(p, q, low, high):
    """The part of q - p in a box, for lines [n, 3]."""
    d = q - p
    with np.errstate(divide="ignore", invalid="ignore"):
        one, two = (low - p) / d, (high - p) / d
    still = d == 0
    within = (p >= low) & (p <= high)
    enter = np.where(still, np.where(within, -np.inf, np.inf), np.minimum(one, two)).max(axis=1)
    leave = np.where(still, np.inf, np.maximum(one, two)).min(axis=1)
    return d * np.maximum(np.minimum(leave, 1) - np.maximum(enter, 0), 0)[:, None]


def flow_fit(frame, chosen, x=None):
    """Mean velocity, gradient and what is left of velocities, fitted by mass."""
    m, v = frame.mass[chosen], frame.v[chosen]
    x = frame.x[chosen] if x is None else x
    c = m @ x / m.sum()
    if len(m) < 8:
        return m @ v / m.sum(), np.zeros((3, 3)), v - m @ v / m.sum()
    a = np.hstack([np.ones((len(m), 1)), x - c])
    root = np.sqrt(m)[:, None]
    fit = np.linalg.lstsq(a * root, v * root, rcond=None)[0]
    return m @ v / m.sum(), fit[1:].T, v - a @ fit


def expected_bulk(frame, low, high, rattlers_below=4, along=(1, 0, 0), up=(0, 0, 1)):
    """All columns of a box by the formulas of the page."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    chosen = inside(frame.x, low, high)
    segment = np.where((frame.b >= 0)[:, None], piece(frame.x[frame.b], frame.point, low, high), 0.0)
    branch = segment + piece(frame.point, frame.x[frame.a], low, high)
    return bulk_columns(frame, chosen, branch, np.prod(high - low), volumes_in_box(frame, low, high)[0].sum(),
                        rattlers_below, along, up)


def bulk_columns(frame, chosen, branch, volume, solid, rattlers_below=4, along=(1, 0, 0), up=(0, 0, 1)):
    m, x = frame.mass[chosen], frame.x[chosen]
    mean, gradient, rest = flow_fit(frame, chosen)
    out = {"bodies": chosen.sum(), "mass_kg": m.sum(), "solid_fraction": solid / volume}
    centre = m @ x / m.sum()
    for k, axis in enumerate("xyz"):
        out[f"centre_{axis}_m"], out[f"velocity_{axis}_m_s"] = centre[k], mean[k]
    out["temperature_m2_s2"] = (m * (rest**2).sum(axis=1)).sum() / (3 * m.sum())
    rate = (gradient + gradient.T) / 2
    rate -= np.trace(rate) / 3 * np.eye(3)
    out["shear_rate_1_s"] = math.sqrt(2 * (rate * rate).sum())
    carry = np.any(frame.impulse != 0, axis=1)
    count = np.bincount(frame.a[carry], minlength=len(frame.x))
    count += np.bincount(frame.b[carry & (frame.b >= 0)], minlength=len(frame.x))
    mine = count[chosen]
    out["contact_number"] = mine.mean()
    firm = mine >= rattlers_below
    out["contact_number_without_rattlers"] = mine[firm].mean() if firm.any() else math.nan
    out["share_of_rattlers"] = 1 - firm.mean()
    stress = (np.einsum("ci,cj->ij", frame.force, branch) + np.einsum("n,ni,nj->ij", m, rest, rest)) / volume
    for i, first in enumerate("xyz"):
        for j, second in enumerate("xyz"):
            out[f"stress_{first}{second}_Pa"] = stress[i, j]
    p = np.trace(stress) / 3
    s = (stress + stress.T) / 2 - p * np.eye(3)
    out["pressure_Pa"], out["shear_stress_Pa"] = p, math.sqrt((s * s).sum() / 2)
    out["mu"] = out["shear_stress_Pa"] / p
    density = m.sum() / frame.volume[chosen].sum()
    out["inertial_number"] = out["shear_rate_1_s"] * frame.diameter[chosen].mean() * math.sqrt(density / p)
    f = np.asarray(along, float) / np.linalg.norm(along)
    g = np.asarray(up, float) - (np.asarray(up, float) @ f) * f
    g /= np.linalg.norm(g)
    v = np.cross(f, g)
    ff, gg, vv = (d @ stress @ d for d in (f, g, v))
    out["normal_stress_difference_1"], out["normal_stress_difference_2"] = (ff - gg) / p, (gg - vv) / p
    return out


def order(frame, chosen):
    """Order and director of bodies that are not round."""
    total = np.zeros((3, 3))
    for i in np.flatnonzero(chosen):
        moment = frame.inertia[i]
        odd = np.argmax([abs(moment[k] - (moment.sum() - moment[k]) / 2) for k in range(3)])
        u = frame.turn[i][:, odd]
        total += (3 * np.outer(u, u) - np.eye(3)) / 2
    values, vectors = np.linalg.eigh(total / chosen.sum())
    k = np.argmax(np.abs(values))
    return values[k], vectors[:, k]


def crossings(before, after, point, normal, radius=None):
    """[kind of crossing] +1 and -1 of bodies that are in both frames, on straight lines; and rows of /bodies."""
    both, i, j = np.intersect1d(before.row, after.row, return_indices=True)
    n = np.asarray(normal, float) / np.linalg.norm(normal)
    p, q = before.x[i] - point, after.x[j] - point
    h, k = p @ n, q @ n
    sign = ((h < 0) & (k >= 0)).astype(int) - ((h >= 0) & (k < 0))
    if radius is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            at = p + (h / (h - k))[:, None] * (q - p)
        at -= np.outer(at @ n, n)
        sign = np.where(np.linalg.norm(at, axis=1) <= radius, sign, 0)
    return sign, both, after.mass[j], after.material[j], after.diameter[j]


def series(memory, rows, length, random):
    """Each value is the one before times `memory`, and a random number of deviation 1."""
    x = random.normal(size=(rows, length + 1000))
    for k in range(1, x.shape[1]):
        x[:, k] += memory * x[:, k - 1]
    return x[:, 1000:]


class Measure(unittest.TestCase):
    def near(self, got, expected, relative=1e-9, absolute=0.0, name=""):
        np.testing.assert_allclose(got, expected, rtol=relative, atol=absolute, err_msg=str(name))

    def columns(self, got, row, expected, relative=1e-9, scale=None):
        """All columns of a row; those whose sums cancel against the largest of their kind."""
        for name, value in expected.items():
            size = abs(value)
            for start in scale or ():
                if name.startswith(start):
                    size = max(abs(expected[other]) for other in expected if other.startswith(start))
            self.near(got[name][row], value, relative, relative * size, name)

    # Quantities of steps and of parts.

    def expected_quantity(self, name, intervals, column, over, boundary=None, run=None):
        """Over the steps of each row of a table of the run."""
        rows = table(run, name)
        with open(os.path.join(run, name), encoding="utf-8") as file:
            names = [row.get("boundary", "") for row in csv.DictReader(file)]
        steps = table(run, "steps.csv")
        length = dict(zip(steps["step"], steps["time_step_s"]))
        out = []
        for begin, end in intervals:
            values, lengths = {}, {}
            for step, now, which, value in zip(rows["step"], rows["time_s"], names, rows[column]):
                if begin + 1e-9 < now <= end + 1e-9 and (boundary is None or which.split(".")[0] == boundary):
                    values[step] = values.get(step, 0.0) + value
                    lengths[step] = length[step]
            v, t = np.array(list(values.values())), np.array(list(lengths.values()))
            out.append({"sum": v.sum(), "largest": v.max(), "last": v[-1], "mean": v @ t / t.sum()}[over])
        return out

    def test_quantities_of_a_run(self):
        """Sums, means by time, largest and last values of the tables; of a box the sum over its walls."""
        run = made("bed", BED)
        expected = {"box": {"force_x_N": "mean", "force_z_N": "mean", "torque_y_N_m": "mean", "normal_force_N": "mean",
                            "work_J": "sum", "impacts": "sum"},
                    "table": {"force_z_N": "mean", "power_W": "mean", "torque_x_N_m": "mean", "torque_N_m": "mean",
                              "impact_energy_J": "sum"},
                    "run": {"kinetic_energy_J": "last", "dissipated_by_friction_J": "sum", "penetration_max": "largest",
                            "penetration_mean": "last"}}
        for name, columns in expected.items():
            got = table(run, f"measured_{name}.csv")
            self.near(got["time_s"], 0.02 * np.arange(1, 21))
            ends = list(zip(got["time_s"] - 0.02, got["time_s"]))
            for column, over in columns.items():
                file, part = ("steps.csv", None) if name == "run" else ("boundaries.csv", name)
                wanted = self.expected_quantity(file, ends, column, over, part, run)
                self.near(got[column], wanted, 1e-12, 1e-12, (name, column))
        rows = table(run, "boundaries.csv")  # five walls a step: the floor is the last
        walls = [rows[f"force_{axis}_N"].reshape(-1, 5)[:, :4].sum(axis=1) for axis in "xyz"]
        size = np.sqrt(np.sum(np.square(walls), axis=0)).reshape(-1, 20).mean(axis=1)
        # A size is that of what the walls bear together.
        self.near(table(run, "measured_box.csv")["force_N"], size, 1e-12, 1e-12)
        power = table(run, "measured_table.csv")["power_W"]
        self.assertGreater(np.abs(power).max(), 1.0)

    def test_quantities_of_tables_are_those_of_the_run(self):
        """Both come from the same numbers; with an interval that no frame has, too."""
        run = made("bed", BED)
        out = tempfile.mkdtemp(dir=ROOT)
        scree("measure", run, "-o", out, "-q", "--overwrite")
        for name in ("box", "table", "run"):
            got, during = table(out, f"measured_{name}.csv"), table(run, f"measured_{name}.csv")
            for column in during:
                self.near(got[column], during[column], 1e-12, 1e-13 * np.abs(during[column]).max(), (name, column))
        for interval, begin, end in ((0.001, 0.0, 0.4), (0.007, 0.05, 0.331)):
            with self.subTest(interval):
                got, _ = one(run, f'measure = "quantity"\nquantities = ["dissipated_by_friction_J"]\n'
                                  f"interval = {interval}\nfrom = {begin}\nuntil = {end}\n")
                steps = table(run, "steps.csv")
                number = int((end - begin) / interval + 1e-6)
                times = begin + interval * np.arange(1, number + 1)
                self.near(got["time_s"], times, 1e-9)
                now, value = steps["time_s"], steps["dissipated_by_friction_J"]
                sums = [value[(now > t - interval + 1e-9) & (now < t + 1e-9)].sum() for t in times]
                self.near(got["dissipated_by_friction_J"], sums, 1e-12, 1e-15)

    def test_quantities_of_a_region(self):
        """Mass, bodies, share at rest and largest speed of bodies whose centre is inside, from frames."""
        run = made("bed", BED)
        region = '[[measurements]]\nname = "it"\nmeasure = "quantity"\nquantities = ["mass_in_region_kg", ' \
                 '"share_at_rest", "bodies_in_region", "largest_speed_m_s"]\n' \
                 'region = { type = "box", low = [-0.15, -0.2, 0.0], high = [0.2, 0.15, 0.12] }\n'
        got = measured(run, region)[0]["it"]
        during = table(run, "measured_part.csv")
        for k, frame in enumerate(frames_of(run)[1:]):
            chosen = inside(frame.x, [-0.15, -0.2, 0], [0.2, 0.15, 0.12])
            self.assertEqual(got["bodies_in_region"][k], chosen.sum())
            self.near(got["mass_in_region_kg"][k], frame.mass[chosen].sum())
            speed = np.linalg.norm(frame.v, axis=1) + frame.axes.max(axis=1) * np.linalg.norm(frame.w, axis=1)
            self.near(got["largest_speed_m_s"][k], speed[chosen].max(), 1e-6)
            self.near(got["share_at_rest"][k], (speed[chosen] <= 0.1 * 9.81 * 0.001).mean(), 1e-9, 1e-12)
        for column in ("bodies_in_region", "mass_in_region_kg", "share_at_rest", "largest_speed_m_s"):
            self.near(got[column], during[column], 1e-6, 1e-12, column)

    def test_share_at_rest(self):
        """Three balls lie still and one rolls, in a scene that says how slow rest is."""
        scene = "rest_speed = 0.01\n" + HEAD.format(step=0.001, end=0.1, gravity=[0, 0, -9.81], interval=0.02) + """
[[boundaries]]
name = "floor"
type = "plane"
material = "glass"
""" + "".join(f'[[bodies]]\nradius = 0.01\nmaterial = "glass"\nposition = [{x}, 0, 0.01]\nvelocity = [0, {v}, 0]\n'
              for x, v in ((0, 0), (0.1, 0), (0.2, 0.3), (0.3, 0), (5, 0.3)))
        run = made("rest", scene)
        got, _ = one(run, 'measure = "quantity"\nquantities = ["share_at_rest"]\n'
                          'region = { type = "box", low = [-1, -1, -1], high = [1, 1, 1] }')
        self.near(got["share_at_rest"], [0.75] * 5)

    # Flows.

    def test_flow_through_a_disc_by_material_and_size(self):
        """Bodies whose straight way between frames goes through a disc, or a tilted plane."""
        run = made("bed", BED)
        frames = frames_of(run)
        sizes = ("below_0.045", "0.045_to_0.055", "above_0.055")
        for point, normal, radius, kinds in (([0, 0, 0.12], [0, 0, -2], 0.15, "material"),
                                             ([0.03, -0.02, 0.1], [1, 2, -2], None, "size")):
            disc = f", radius = {radius}" if radius else ""
            by = 'by = "size"\nsizes = [0.045, 0.055]\n' if kinds == "size" else 'by = "material"\n'
            got, _ = one(run, f'measure = "flow"\nplane = {{ point = {point}, normal = {normal}{disc} }}\n{by}')
            total = {}
            for k, (before, after) in enumerate(zip(frames, frames[1:])):
                sign, _, mass, material, diameter = crossings(before, after, point, normal, radius)
                if kinds == "material":
                    kind = np.array(["glass", "steel"])[material]
                else:
                    kind = np.array(sizes)[np.digitize(diameter, [0.045, 0.055])]
                for name in ("glass", "steel") if kinds == "material" else sizes:
                    bodies, weight = sign[kind == name].sum(), (sign * mass)[kind == name].sum()
                    sums = total.setdefault(name, [0, 0.0])
                    sums[0] += bodies
                    sums[1] += weight
                    self.assertEqual(got[f"bodies.{name}"][k], sums[0], (name, k))
                    self.near(got[f"mass_kg.{name}"][k], sums[1], 1e-9, 1e-12)
                    self.near(got[f"number_flow_1_s.{name}"][k], bodies / 0.02, 1e-9)
                    self.near(got[f"mass_flow_kg_s.{name}"][k], weight / 0.02, 1e-9, 1e-9)
            self.assertGreater(sum(abs(s[0]) for s in total.values()), 15)

    def test_flow_of_dense_frames_is_that_of_the_steps(self):
        """A frame every step: as many bodies and the same mass, in the run and from its frames."""
        run = made("dense", BED, "--set", "output.interval=0.001", "--until", "0.3")
        out = tempfile.mkdtemp(dir=ROOT)
        scree("measure", run, "-o", out, "-q", "--overwrite")
        got, during = table(out, "measured_through.csv"), table(run, "measured_through.csv")
        self.assertEqual(len(got["time_s"]), 300)
        for column in during:
            self.near(got[column], during[column], 1e-9, 1e-9, column)
        self.assertGreater(got["bodies.steel"][-1], 5)

    def test_what_comes_back_is_taken_off(self):
        """A ball is thrown up through a plane and falls back through it; beside it one goes by outside the disc."""
        scene = HEAD.format(step=0.001, end=0.5, gravity=[0, 0, -9.81], interval=0.02) + "".join(
            f'[[bodies]]\nradius = 0.01\nmaterial = "{m}"\nposition = [{x}, 0, 0]\nvelocity = [0, 0, 2]\n'
            for x, m in ((0, "glass"), (0.5, "steel"))) + """
[[measurements]]
name = "up"
measure = "flow"
plane = { point = [0, 0, 0.1001], normal = [0, 0, 1], radius = 0.2 }
"""
        run = made("thrown", scene)
        measure = 'measure = "flow"\nplane = { point = [0, 0, 0.1001], normal = [0, 0, 1], radius = 0.2 }'
        up, down = ((2 + sign * math.sqrt(4 - 2 * 9.81 * 0.1001)) / 9.81 for sign in (-1, 1))
        mass = 2500 * 4 / 3 * math.pi * 0.01**3
        for got in (table(run, "measured_up.csv"), one(run, measure)[0]):
            t = got["time_s"]
            self.assertEqual(list(got["bodies"]), list(((t > up) & (t < down)).astype(int)))
            self.near(got["mass_kg"], mass * ((t > up) & (t < down)), 1e-9, 1e-15)
            self.near(got["mass_flow_kg_s"].sum(), 0, 0, 1e-12)
            self.near(got["mass_flow_kg_s"].max(), mass / 0.02)

    def test_flow_through_openings(self):
        """What inlets and outlets let through is in openings.csv; through a plane a body goes that both sides see."""
        run = made("chute", CHUTE)
        rows = table(run, "openings.csv")
        with open(os.path.join(run, "openings.csv"), encoding="utf-8") as file:
            names = np.array([row["opening"] for row in csv.DictReader(file)])
        out = tempfile.mkdtemp(dir=ROOT)
        scree("measure", run, "-o", out, "-q", "--overwrite")
        for name, opening in (("drained", "drain"), ("fed", "small")):
            for folder in (run, out):
                with self.subTest(name=name, folder="run" if folder == run else "frames"):
                    got = table(folder, f"measured_{name}.csv")
                    t, bodies, mass = (rows[c][names == opening] for c in ("time_s", "bodies", "mass_kg"))
                    k = [np.flatnonzero(t < now + 1e-9)[-1] for now in got["time_s"]]
                    self.near(got["time_s"], 0.01 * np.arange(1, 61))
                    self.near(got["bodies"], bodies[k])
                    self.near(got["mass_kg"], mass[k], 1e-9, 1e-12)
                    self.near(got["number_flow_1_s"], np.diff(np.append(0, bodies[k])) / 0.01, 1e-9)
                    self.near(got["mass_flow_kg_s"], np.diff(np.append(0, mass[k])) / 0.01, 1e-9, 1e-9)
                    self.assertGreater(got["bodies"][-1], 20)
        frames = frames_of(run)
        got, during = table(out, "measured_passed.csv"), table(run, "measured_passed.csv")
        total = {"below_0.03": 0, "above_0.03": 0}
        for k, (before, after) in enumerate(zip(frames, frames[1:])):
            sign, _, _, _, diameter = crossings(before, after, [0, 0, 0.2], [0, 0, -1])
            for name, mine in (("below_0.03", diameter < 0.03), ("above_0.03", diameter > 0.03)):
                total[name] += sign[mine].sum()
                self.assertEqual(got[f"bodies.{name}"][k], total[name])
        for column in got:  # all are seen before and after: steps see the same
            self.near(got[column], during[column], 1e-9, 1e-9, column)

    def test_flow_in_a_periodic_cell(self):
        """Images go through the plane as bodies do; a cell of a gas that drifts."""
        measure = 'measure = "flow"\nplane = { point = [0.3, 0.4, 0.4], normal = [1, 0, 0] }\n'
        run = made("gas", GAS + '\n[[measurements]]\nname = "along"\n' + measure)
        frames = frames_of(run)
        got, during = one(run, measure)[0], table(run, "measured_along.csv")
        total = 0
        for k, (before, after) in enumerate(zip(frames, frames[1:])):
            p, q = ((frame.x - frame.shift)[:, 0] - 0.3 for frame in (before, after))
            total += (np.floor(q) - np.floor(p)).sum()  # the cell is 1 m long
            self.assertEqual(got["bodies"][k], total)
        self.assertGreater(total, 150)
        self.near(got["mass_kg"], total_mass := got["bodies"] * frames[0].mass[0], 1e-9)
        self.near(during["mass_kg"], total_mass, 1e-9)

    # Packing and stress.

    def test_bulk_of_a_box(self):
        """Every column of every frame, balls and ellipsoids in motion, by formulas of the page."""
        run = made("bed", BED)
        low, high = [-0.15, -0.17, 0.0], [0.16, 0.14, 0.1]
        got, _ = one(run, f'measure = "bulk"\nrattlers_below = 2\nalong = [1, 1, 0]\nup = [0, 1, 2]\n'
                          f'region = {{ type = "box", low = {low}, high = {high} }}')
        during = table(run, "measured_packing.csv")
        names = ("stress_", "normal_", "velocity_", "centre_")
        for k, frame in enumerate(frames_of(run)[1:]):
            expected = expected_bulk(frame, low, high, 2, (1, 1, 0), (0, 1, 2))
            solid = expected.pop("solid_fraction")
            if expected["pressure_Pa"] < 1e-9:  # of bodies that fall side by side: all is rounding
                some = ("bodies", "mass_kg", "contact_number", "share_of_rattlers")
                expected = {name: expected[name] for name in some}
            self.columns(got, k, expected, 1e-7, names)
            self.near(got["solid_fraction"][k], solid, 1e-3)  # of points where two caps of one body meet
            usual = expected_bulk(frame, low, high)
            del usual["solid_fraction"]
            if usual["pressure_Pa"] > 1e-9:  # single precision of places and velocities, in sums that cancel
                self.columns(during, k, usual, 1e-5, names + ("temperature",))
        got, _ = one(run, 'measure = "bulk"\n' + box(low, high))
        for column in ("bodies", "mass_kg", "solid_fraction", "share_of_rattlers", "contact_number"):
            self.near(during[column], got[column], 1e-6, 0, column)

    def test_solid_fraction_of_balls_is_exact(self):
        """A whole ball, one with its middle in the box and one without, one between two faces, and one at an edge."""
        places = {(0, 0, 0): 0.05, (0.19, 0, 0): 0.04, (0.215, 0.1, 0): 0.03, (0, 0.185, 0.17): 0.04, (0.3, 0, 0): 0.05}
        scene = HEAD.format(step=0.001, end=0.001, gravity=[0, 0, 0], interval=0.001) + "".join(
            f'[[bodies]]\nradius = {r}\nmaterial = "steel"\nposition = {list(p)}\n' for p, r in places.items())
        run = made("balls", scene)

        def cap(r, h):
            return math.pi * h**2 * (3 * r - h) / 3

        ball = {r: 4 / 3 * math.pi * r**3 for r in places.values()}
        whole = ball[0.05] + ball[0.04] - cap(0.04, 0.03) + cap(0.03, 0.015)
        # Faces at 0.015 and 0.03 from the middle of the fourth ball: their edge is in it, so the product stands for it.
        self.assertLess(math.hypot(0.015, 0.03), 0.04)
        whole += ball[0.04] * (1 - cap(0.04, 0.025) / ball[0.04]) * (1 - cap(0.04, 0.01) / ball[0.04])
        got, _ = one(run, 'measure = "bulk"\nup = [0, 0, 1]\n' + box([-0.2] * 3, [0.2] * 3))
        self.near(got["solid_fraction"], whole / 0.4**3, 1e-6)
        self.near(got["bodies"], 3)
        thin, _ = one(run, 'measure = "bulk"\nup = [0, 0, 1]\n'
                           'region = { type = "box", low = [-0.15, -0.15, -0.02], high = [0.15, 0.15, 0.03] }')
        slice_of_ball = ball[0.05] - cap(0.05, 0.03) - cap(0.05, 0.02)
        self.near(thin["solid_fraction"], slice_of_ball / (0.3 * 0.3 * 0.05), 1e-6)

    def test_two_faces_that_cut_a_ball_beside_their_edge(self):
        """No edge goes through the ball: its volume in the box is exact, less two caps that do not meet."""
        scene = HEAD.format(step=0.001, end=0.001, gravity=[0, 0, 0], interval=0.001)
        run = made("edge", scene + '[[bodies]]\nradius = 0.1\nmaterial = "steel"\nposition = [0, 0, 0]\n')
        cap = math.pi * 0.028**2 * (0.3 - 0.028) / 3
        got, _ = one(run, 'measure = "bulk"\nup = [0, 0, 1]\n'
                          'region = { type = "box", low = [-0.2, -0.2, -0.2], high = [0.072, 0.072, 0.2] }')
        self.near(got["solid_fraction"], (4 / 3 * math.pi * 0.1**3 - 2 * cap) / (0.272**2 * 0.4), 1e-6)
        outside, _ = one(run, 'measure = "bulk"\nup = [0, 0, 1]\n'
                              'region = { type = "box", low = [0.072, 0.072, -0.2], high = [0.2, 0.2, 0.2] }')
        self.near(outside["solid_fraction"], 0, 0, 1e-9)

    def test_solid_fraction_of_a_packing(self):
        """The formula of the page, and near what points in each body say: to 1 % where edges cut some."""
        run = made("bed", BED)
        frame = frames_of(run)[-1]
        for low, high in (([-0.15, -0.17, 0.0], [0.16, 0.14, 0.1]), ([-0.2, -0.2, -0.1], [0.2, 0.2, 0.06]),
                          ([-0.05, -0.05, 0.02], [0.05, 0.05, 0.07])):
            low, high = np.array(low), np.array(high)
            got, _ = one(run, 'measure = "bulk"\n' + box(low, high), "--from", "0.37")
            volume, edges = volumes_in_box(frame, low, high)
            self.near(got["solid_fraction"][-1], volume.sum() / np.prod(high - low), 1e-3, 0, (low, high, edges.sum()))
            points = sum(sampled(frame, i, low, high) * frame.volume[i] for i in range(len(volume)))
            self.near(got["solid_fraction"][-1], points / np.prod(high - low), 0.01, 0, (low, high))

    def test_bulk_of_a_cylinder(self):
        """Bodies on its border by points: to 1 %; the stress of lines that are cut by small pieces."""
        run = made("bed", BED)
        frame = frames_of(run)[-1]
        start, end, radius = np.array([0.01, -0.02, 0.0]), np.array([0.03, 0.02, 0.09]), 0.15
        axis = (end - start) / np.linalg.norm(end - start)
        length = np.linalg.norm(end - start)
        got, _ = one(run, f'measure = "bulk"\nregion = {{ type = "cylinder", start = {list(start)}, end = {list(end)}, '
                          f"radius = {radius} }}", "--from", "0.37")

        def within(x):
            along = (x - start) @ axis
            across = np.linalg.norm(x - start - along[..., None] * axis, axis=-1)
            return (along >= 0) & (along <= length) & (across <= radius)

        chosen, volume = within(frame.x), math.pi * radius**2 * length
        solid = sum(within(frame.x[i] + ball() * frame.axes[i] @ frame.turn[i].T).mean() * frame.volume[i]
                    for i in range(len(frame.x)))
        steps = (np.arange(1000) + 0.5) / 1000

        def part(p, q):
            return (q - p) * within(p[:, None] + steps[:, None] * (q - p)[:, None]).mean(axis=1)[:, None]

        branch = np.where((frame.b >= 0)[:, None], part(frame.x[frame.b], frame.point), 0.0)
        branch += part(frame.point, frame.x[frame.a])
        expected = bulk_columns(frame, chosen, branch, volume, solid)
        self.near(got["solid_fraction"][-1], expected.pop("solid_fraction"), 0.01)
        for name in ("bodies", "mass_kg", "contact_number", "share_of_rattlers", "temperature_m2_s2", "shear_rate_1_s"):
            self.near(got[name][-1], expected[name], 1e-7, 0, name)
        self.near(got["pressure_Pa"][-1], expected["pressure_Pa"], 0.01)
        for name in expected:
            if name.startswith("stress_"):
                self.near(got[name][-1], expected[name], 0, 0.01 * expected["pressure_Pa"], name)

    def test_bulk_of_a_mesh(self):
        """A box as triangles: what the box itself has; volumes on its border and lines that it cuts to 1 % and 2 %."""
        run = made("bed", BED)
        low, high = [-0.15, -0.17, 0.01], [0.16, 0.14, 0.1]
        corners = [[(low, high)[i >> k & 1][k] for k in range(3)] for i in range(8)]
        quads = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
        write("block.obj", "".join("v {} {} {}\n".format(*c) for c in corners) +
              "".join(f"f {a + 1} {b + 1} {c + 1}\nf {a + 1} {c + 1} {d + 1}\n" for a, b, c, d in quads))
        block = one(run, 'measure = "bulk"\n' + box(low, high))[0]
        mesh = one(run, 'measure = "bulk"\nregion = { type = "mesh", file = "block.obj" }')[0]
        for column in ("bodies", "mass_kg", "contact_number", "temperature_m2_s2", "share_of_rattlers"):
            self.near(mesh[column], block[column], 1e-9, 1e-12, column)
        self.near(mesh["solid_fraction"][-8:], block["solid_fraction"][-8:], 0.01)
        for column in block:
            if column.startswith("stress_"):
                self.near(mesh[column][-8:], block[column][-8:], 0, 0.02 * block["pressure_Pa"][-8:].max(), column)

    def test_orientation_order(self):
        """Of rods that are nearly parallel, of discs, and of bodies with three different axes."""
        scene = HEAD.format(step=0.001, end=0.001, gravity=[0, 0, 0], interval=0.001)
        group = """
[[bodies]]
generate = "lattice"
count = 27
semi_axes = {axes}
material = "steel"
orientation = {q}
orientation_spread = {spread}
region = {{ type = "box", low = [{x}, 0, 0], high = [{far}, 0.6, 0.6] }}
"""
        turned = [0.8, 0.1, 0.5, math.sqrt(1 - 0.64 - 0.01 - 0.25)]
        scene += group.format(axes=[0.02, 0.022, 0.06], q=turned, spread=15, x=0, far=0.6)
        scene += group.format(axes=[0.03, 0.031, 0.008], q=[1, 0, 0, 0], spread=25, x=1, far=1.6)
        last = group.format(axes=[0.03, 0.02, 0.012], q='"random"', spread=0, x=2, far=2.6)
        scene += last.replace("orientation_spread = 0\n", "")
        run = made("rods", scene)
        frame = frames_of(run)[-1]
        for x in (0, 1, 2):
            low, high = [x, 0, 0], [x + 0.6, 0.6, 0.6]
            chosen = inside(frame.x, low, high)
            self.assertEqual(chosen.sum(), 27)
            value, director = order(frame, chosen)
            got, _ = one(run, 'measure = "bulk"\nup = [0, 0, 1]\n' + box(low, high))
            self.near(got["orientation_order"][-1], value, 1e-7, 1e-7)
            found = np.array([got[f"director_{axis}"][-1] for axis in "xyz"])
            self.near(np.abs(found @ director), 1.0, 1e-7)

    def test_bulk_of_a_periodic_cell(self):
        """Without a region it is the cell; its stress is that of cell.csv, as hardly anything moves."""
        run = made("cell", CELL)
        measure = 'measure = "bulk"\nup = [0, 1, 0]\n'
        got, during = one(run, measure)[0], table(run, "measured_all.csv")
        cell = table(run, "cell.csv")
        frames = frames_of(run)
        for k, frame in enumerate(frames[1:]):
            row = np.flatnonzero(np.abs(cell["time_s"] - frame.time) < 1e-9)[0]
            chosen = np.ones(len(frame.x), dtype=bool)
            first = frame.nearest(frame.point - np.where((frame.b >= 0)[:, None], frame.x[frame.b], frame.point))
            branch = first + frame.nearest(frame.x[frame.a] - frame.point)
            volume = np.linalg.det(frame.lattice)
            self.near(cell["volume_m3"][row], volume, 1e-6)
            expected = bulk_columns(frame, chosen, branch, volume, frame.volume.sum(), up=(0, 1, 0))
            for name in list(expected):
                if name.startswith("centre_"):
                    del expected[name]
            self.columns(got, k, expected, 1e-6, ("stress_", "normal_", "velocity_"))
            for other in (got, during):
                for name, mine in (("solid_fraction", 1e-6), ("contact_number", 1e-9)):
                    self.near(other[name][k], cell[name][row], mine, 0, name)
                # Bodies have gone on for half a step since their contacts acted, so lines are longer by as much.
                apart = frame.v[frame.a] - np.where((frame.b >= 0)[:, None], frame.v[frame.b], 0.0)
                moved = 0.0005 * (np.linalg.norm(frame.force, axis=1) * np.linalg.norm(apart, axis=1)).sum() / volume
                for i in "xyz":
                    for j in "xyz":
                        value = cell[f"stress_{i}{j}_Pa"][row] + cell[f"kinetic_stress_{i}{j}_Pa"][row]
                        absolute = 2e-6 * cell["pressure_Pa"][row] + moved
                        self.near(other[f"stress_{i}{j}_Pa"][k], value, 0, absolute, (k, i, j))
        self.assertGreater(got["pressure_Pa"][-1], 10)
        self.assertLess(moved, 1e-5 * cell["pressure_Pa"][row])

    def test_stress_of_a_region_of_a_periodic_cell(self):
        """A box that goes through the seam: bodies count whose image is in it, and lines between images."""
        run = made("cell", CELL)
        frame = frames_of(run)[-1]
        low, high = np.array([0.05, 0.03, 0.06]), np.array([0.13, 0.09, 0.12])
        got, _ = one(run, 'measure = "bulk"\nup = [0, 1, 0]\n' + box(low, high))
        shifts = np.array([[i, j, k] for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]) @ frame.lattice
        count = sum(inside(frame.x + shift, low, high) for shift in shifts)
        self.assertEqual(count.max(), 1)
        self.near(got["bodies"][-1], count.sum())
        self.near(got["mass_kg"][-1], count @ frame.mass, 1e-9)
        first = frame.nearest(frame.point - frame.x[frame.b])
        second = frame.nearest(frame.x[frame.a] - frame.point)
        stress = np.zeros((3, 3))
        for shift in shifts:
            p = frame.point + shift
            branch = piece(p - first, p, low, high) + piece(p, p + second, low, high)
            stress += np.einsum("ci,cj->ij", frame.force, branch)
        stress /= np.prod(high - low)
        pressure = np.trace(stress) / 3
        for i, one_axis in enumerate("xyz"):
            for j, other in enumerate("xyz"):
                self.near(got[f"stress_{one_axis}{other}_Pa"][-1], stress[i, j], 0, 1e-5 * abs(pressure), (i, j))
        solid = 0.0
        for shift in shifts:
            image = frames_of(run)[-1]
            image.x = image.x + shift
            solid += volumes_in_box(image, low, high)[0].sum()
        self.near(got["solid_fraction"][-1], solid / np.prod(high - low), 1e-3)

    # Surfaces.

    def surface(self, frame, place, reach, cell, fit=(0.1, 0.9), radial=False):
        """Columns of a surface of bodies at `place` along it, which reach as far to both sides."""
        carry = np.any(frame.impulse != 0, axis=1)
        touching = np.zeros(len(frame.x), dtype=bool)
        touching[frame.a[carry]] = True
        touching[frame.b[carry & (frame.b >= 0)]] = True
        top = frame.x[:, 2] + frame.reach([0, 0, 1])
        column = np.floor(place / cell).astype(int)
        heights, number = {}, {}
        for i in np.flatnonzero(touching):
            heights[column[i]] = max(heights.get(column[i], -math.inf), top[i])
            number[column[i]] = number.get(column[i], 0) + 1
        most = max(sorted(number), key=number.get)
        low = high = most
        while low - 1 in heights:
            low -= 1
        while high + 1 in heights:
            high += 1
        bins = np.arange(low, high + 1)
        h = np.array([heights[b] for b in bins])
        middle = (bins + 0.5) * cell
        begin, length = low * cell, len(bins) * cell
        taken = (middle >= begin + fit[0] * length - 1e-9) & (middle <= begin + fit[1] * length + 1e-9)
        slope = np.polyfit(middle[taken], h[taken], 1)[0]
        first, last = touching & (column == low), touching & (column == high)  # outermost: those of the outermost bins
        angle = math.degrees(math.atan(-slope if radial else slope))
        out = {"angle_deg": angle, "height_max_m": h.max(), "height_mean_m": h.mean()}
        if radial:
            out["run_out_m"] = (place + reach)[last].max()
        else:
            out["front_low_m"], out["front_high_m"] = (place - reach)[first].min(), (place + reach)[last].max()
        return out, dict(zip(middle, h))

    def check_surface(self, run, measure, columns):
        got, heights = one(run, 'measure = "surface"\n' + measure)
        total, seen = {}, {}
        for k, frame in enumerate(frames_of(run)[1:]):
            if len(frame.a) < 20:
                continue
            expected, profile = columns(frame)
            for name, value in expected.items():
                self.near(got[name][k], value, 1e-7, 1e-9, (k, name))
            for place, height in profile.items():
                key = round(place, 9)
                total[key], seen[key] = total.get(key, 0) + height, seen.get(key, 0) + 1
        place = heights["radius_m" if "centre" in measure else "position_m"]
        return place, heights, total, seen

    def test_surface_along_a_direction(self):
        """A pile: heights of bins, line, fronts; neither the ball that flies above it nor the one that lies apart."""
        run = made("pile", PILE)
        cell, along = 0.02, np.array([1, 2, 0]) / math.sqrt(5)
        place, heights, total, seen = self.check_surface(
            run, f"cell = {cell}\nalong = [1, 2, 0]\nfit_from = 0.2\nfit_to = 0.8\n",
            lambda frame: self.surface(frame, frame.x @ along, frame.reach(along), cell, (0.2, 0.8)))
        if min(seen.values()) and len(heights["moments"]) == len(seen):
            for at, height, moments in zip(place, heights["height_m"], heights["moments"]):
                self.assertEqual(moments, seen[round(at, 9)], at)
                self.near(height, total[round(at, 9)] / seen[round(at, 9)], 1e-7)

    def test_surface_about_an_axis(self):
        """Heights by the distance from an axis, falling outwards, and the run-out."""
        run = made("pile", PILE)

        def columns(frame):
            centre = np.array([0.013, -0.021, 0])
            out = frame.x - centre
            out[:, 2] = 0
            r = np.linalg.norm(out, axis=1)
            reach = np.linalg.norm(np.einsum("nij,ni->nj", frame.turn, out / r[:, None]) * frame.axes, axis=1)
            return self.surface(frame, r, reach, 0.015, radial=True)

        self.check_surface(run, "cell = 0.015\ncentre = [0.013, -0.021, 0]\n", columns)
        last = frames_of(run)[-1]
        self.assertGreater(columns(last)[0]["angle_deg"], 5)

    # Mixing.

    def mixing(self, frame, kinds, cell, origin):
        """Lacey's index of the share of kind 0 in cubes, and how far the kinds are apart in height."""
        first = kinds == 0
        n = len(first)
        p = first.mean()
        cube = np.floor((frame.x - origin) / cell).astype(int)
        _, where = np.unique(cube, axis=0, return_inverse=True)
        where = where.ravel()
        count = np.bincount(where)
        share = np.bincount(where, first) / count
        apart, random = p * (1 - p), p * (1 - p) * len(count) / n
        now = (count * (share - p)**2).sum() / n
        z = frame.x[:, 2]
        out = {"lacey_index": (apart - now) / (apart - random), "cells": len(count),
               "bodies": (first.sum(), n - first.sum()),
               "segregation_index": (z[first].mean() - z[~first].mean()) / (math.sqrt(3) * z.std())}
        out["centre"] = [frame.x[c].mean(axis=0) for c in (first, ~first)]
        return out

    def test_mixing_by_material_size_and_place(self):
        """Of all bodies in motion, in cubes whose corners are at multiples of their edge."""
        run = made("bed", BED)
        frames = frames_of(run)
        along = np.array([1.0, -1.0, 0.0])
        first = frames[0].x @ along
        halves = dict(zip(frames[0].row, (first >= np.median(first)).astype(int)))  # as many in each
        cases = (('by = "material"\n', ("glass", "steel"), lambda f: f.material),
                 ('by = "size"\nsizes = [0.05]\n', ("below_0.05", "above_0.05"),
                  lambda f: (f.diameter >= 0.05).astype(int)),
                 ('by = "place"\nalong = [1, -1, 0]\n', ("low", "high"),
                  lambda f: np.array([halves[b] for b in f.row])))
        for by, names, kind in cases:
            with self.subTest(by):
                got, _ = one(run, f'measure = "mixing"\ncell = 0.1\n{by}')
                for k, frame in enumerate(frames[1:]):
                    expected = self.mixing(frame, kind(frame), 0.1, 0.0)
                    for i, name in enumerate(names):
                        self.assertEqual(got[f"bodies.{name}"][k], expected["bodies"][i], (k, name))
                        for j, axis in enumerate("xyz"):
                            self.near(got[f"centre_{axis}_m.{name}"][k], expected["centre"][i][j], 1e-9, 1e-9, name)
                    self.near(got["segregation_index"][k], expected["segregation_index"], 1e-7, 1e-7)
                    self.assertEqual(got["cells"][k], expected["cells"])
                    self.near(got["lacey_index"][k], expected["lacey_index"], 1e-7, 1e-7)

    def test_mixing_of_layers_and_of_a_chessboard(self):
        """Kinds that are apart: 0 and -1; one of each in every cube: more than mixed at random, 1 + 1/(n - 1)."""
        scene = HEAD.format(step=0.001, end=0.001, gravity=[0, 0, -9.81], interval=0.001)
        ball = '[[bodies]]\nradius = 0.004\nmaterial = "{}"\nposition = [{}, {}, {}]\n'
        layers, board = scene, scene
        for i in range(4):
            for j in range(4):
                for k in range(20):
                    x, y, z = (0.005 + 0.01 * n for n in (i, j, k))
                    layers += ball.format("glass" if k < 10 else "steel", x, y, z)
                    board += ball.format("glass" if (i + j + k) % 2 else "steel", x, y, z)
        measure = 'measure = "mixing"\nby = "material"\ncell = 0.02\nup = [0, 0, 1]\n' \
                  'region = { type = "box", low = [0, 0, -0.02], high = [0.04, 0.04, 0.2] }\n'
        got, _ = one(made("layers", layers), measure)
        self.near(got["lacey_index"], 0.0, 0, 1e-9)
        self.near(got["segregation_index"], -10 / math.sqrt(3 * 399 / 12), 1e-4)
        got, _ = one(made("board", board), measure)
        self.near(got["lacey_index"], 8 / 7, 1e-9)
        self.near(got["segregation_index"], 0.0, 0, 1e-3)

    # Stays.

    def test_residence(self):
        """Who came after the beginning and left, seen from frame to frame; a ball that comes again stays twice."""
        chute, bed = made("chute", CHUTE), made("bed", BED)

        def tube(frame):
            return (frame.x[:, 2] >= 0.1) & (frame.x[:, 2] <= 0.3) & (np.hypot(frame.x[:, 0], frame.x[:, 1]) <= 0.12)

        def part(frame):
            return inside(frame.x, [-0.2, -0.2, 0.1], [0.2, 0.2, 0.3])

        def whole(frame):
            return inside(frame.x, [-0.3, -0.3, -0.05], [0.3, 0.3, 0.7])

        cylinder = 'region = { type = "cylinder", start = [0, 0, 0.1], end = [0, 0, 0.3], radius = 0.12 }\n'
        for run, region, within in ((chute, box([-0.3, -0.3, -0.05], [0.3, 0.3, 0.7]), whole), (chute, cylinder, tube),
                                    (bed, box([-0.2, -0.2, 0.1], [0.2, 0.2, 0.3]), part)):
            got, stays = one(run, 'measure = "residence"\n' + region)
            frames = frames_of(run)
            since = {row: None for row in frames[0].row[within(frames[0])]}
            entered, left, expected = 0, 0, []
            for k, frame in enumerate(frames[1:]):
                now = set(frame.row[within(frame)])
                for row in sorted(set(since) - now):
                    begin = since.pop(row)
                    if begin is not None:
                        left += 1
                        expected.append((frame.time - begin, row, begin, frame.time))
                for row in now - set(since):
                    since[row] = frame.time
                    entered += 1
                counts = tuple(got[name][k] for name in ("inside", "entered", "left"))
                self.assertEqual(counts, (len(since), entered, left), (run, k))
                if expected:
                    times = np.array([stay[0] for stay in expected])
                    self.near(got["mean_s"][k], times.mean(), 1e-9)
                    for name, q in (("p10_s", 10), ("median_s", 50), ("p90_s", 90)):  # from one value to the next
                        low, high = (np.percentile(times, q, method=m) for m in ("lower", "higher"))
                        self.assertTrue(low - 1e-9 <= got[name][k] <= high + 1e-9, (name, k, low, got[name][k], high))
            self.assertGreaterEqual(left, 20)
            with h5py.File(os.path.join(run, "trajectory.h5")) as file:
                ids = file["bodies/id"][:]
            self.assertEqual(sorted(zip(stays["body"], np.round(stays["entered_s"], 9), np.round(stays["left_s"], 9))),
                             sorted((ids[row], round(begin, 9), round(end, 9)) for _, row, begin, end in expected))

    def test_a_body_that_comes_again(self):
        """A ball is thrown up through a layer and falls through it: two stays, both shorter than a third in frames."""
        scene = HEAD.format(step=0.001, end=0.5, gravity=[0, 0, -9.81], interval=0.001) + """
[[bodies]]
radius = 0.01
material = "glass"
position = [0, 0, 0]
velocity = [0, 0, 2]
[[measurements]]
name = "layer"
measure = "residence"
region = { type = "box", low = [-1, -1, 0.05], high = [1, 1, 0.1] }
"""
        run = made("twice", scene)
        low, high = ([(2 + sign * math.sqrt(4 - 2 * 9.81 * z)) / 9.81 for sign in (-1, 1)] for z in (0.05, 0.1))
        for stays in (one(run, 'measure = "residence"\n' + box([-1, -1, 0.05], [1, 1, 0.1]))[1],
                      table(run, "distribution_layer.csv")):
            self.near(stays["entered_s"], [low[0], high[1]], 0, 0.0021)  # to a step, and what steps make of gravity
            self.near(stays["left_s"], [high[0], low[1]], 0, 0.0021)

    # Pairs.

    def test_pair_correlation_of_a_gas(self):
        """Counts of all pairs of images by brute force; 1 within noise, as these points know nothing of each other."""
        run = made("gas", GAS)
        got, g = one(run, 'measure = "pair_correlation"\nradius = 0.2\ncell = 0.02\n')
        frames = frames_of(run)[1:]
        pairs = []
        edges = 0.02 * np.arange(11)
        for k, frame in enumerate(frames):
            d = frame.x[:, None] - frame.x[None]
            for i, side in enumerate(np.diag(frame.lattice)):
                d[..., i] -= side * np.round(d[..., i] / side)
            r = np.sqrt((d**2).sum(axis=2))[np.triu_indices(len(frame.x), 1)]
            pairs.append(2 * np.histogram(r, edges)[0])
            self.near(got["pairs"][k], pairs[-1].sum(), 1e-3)
            self.near(got["bodies"][k], len(frame.x))
        n, volume = len(frames[0].x), 0.72
        shell = 4 / 3 * math.pi * np.diff(edges**3)
        self.near(g["distance_m"], (edges[1:] + edges[:-1]) / 2, 1e-9)
        total = np.sum(pairs, axis=0)
        self.near(g["pairs"], total, 0, 2 + 1e-4 * total.max())  # one at an edge may be on its other side
        self.near(g["pair_correlation"], total / (len(frames) * n * n / volume * shell), 2 / n, 0)
        scatter = np.sqrt(2 / total)
        self.assertLess(np.abs((g["pair_correlation"][1:] - 1) / scatter[1:]).max(), 6)

    def test_pair_correlation_in_a_box(self):
        """First bodies are as far as the radius from all sides; the density is that of the region."""
        run = made("bed", BED)
        low, high, radius = np.array([-0.2, -0.2, 0.0]), np.array([0.2, 0.2, 0.25]), 0.1
        got, g = one(run, f'measure = "pair_correlation"\nradius = {radius}\ncell = 0.01\n'
                          f'region = {{ type = "box", low = {list(low)}, high = {list(high)} }}')
        edges = 0.01 * np.arange(11)
        shell = 4 / 3 * math.pi * np.diff(edges**3)
        total, wanted = np.zeros(10), np.zeros(10)
        for k, frame in enumerate(frames_of(run)[1:]):
            second = frame.x[inside(frame.x, low, high)]
            first = inside(second, low + radius, high - radius)
            r = np.linalg.norm(second[first][:, None] - second[None], axis=2)
            counts = np.histogram(r[r > 0], edges)[0]
            expected = first.sum() * len(second) / np.prod(high - low) * shell
            total, wanted = total + counts, wanted + expected
            self.near(got["bodies"][k], first.sum())
            self.near(got["pairs"][k], counts.sum())
            if counts.any():
                value = counts / expected
                self.near(got["first_peak"][k], value.max(), 1e-9)
                self.near(got["first_peak_m"][k], (edges[1:] + edges[:-1])[value.argmax()] / 2, 1e-9)
        self.assertGreater(total.sum(), 50)
        self.near(g["pairs"], total)
        self.near(g["pair_correlation"], total / wanted, 1e-9)

    # Profiles, single bodies, screens.

    def test_profile_of_a_box(self):
        """Volumes in each layer, but for what edges cut; masses, velocities and temperatures."""
        run = made("bed", BED)
        low, high = np.array([-0.2, -0.2, 0.0]), np.array([0.2, 0.2, 0.15])
        got, layers = one(run, f'measure = "profile"\nalong = [0, 0, 1]\ncell = 0.03\n'
                               f'region = {{ type = "box", low = {list(low)}, high = {list(high)} }}')
        frames = frames_of(run)[1:]
        self.near(layers["position_m"], 0.015 + 0.03 * np.arange(5))
        room = 0.4 * 0.4 * 0.03
        for k, z in enumerate(0.03 * np.arange(5)):
            solid, mass, bodies, momentum, heat = 0.0, 0.0, 0, np.zeros(3), []
            for frame in frames:
                here = inside(frame.x, low, high)
                solid += volumes_in_box(frame, [*low[:2], z], [*high[:2], z + 0.03])[0].sum()
                mine = here & (frame.x[:, 2] >= z) & (frame.x[:, 2] < z + 0.03)
                m, v = frame.mass[mine], frame.v[mine]
                mass, bodies, momentum = mass + m.sum(), bodies + mine.sum(), momentum + m @ v
                heat.append((m, v))
            self.near(layers["solid_fraction"][k], solid / len(frames) / room, 1e-3)
            self.near(layers["density_kg_m3"][k], mass / len(frames) / room, 1e-9)
            self.near(layers["bodies"][k], bodies / len(frames), 1e-9)
            mean = momentum / mass
            for i, axis in enumerate("xyz"):
                self.near(layers[f"velocity_{axis}_m_s"][k], mean[i], 1e-9, 1e-9)
            together = sum((m * ((v - mean)**2).sum(axis=1)).sum() for m, v in heat) / (3 * mass)
            each = sum((m * ((v - m @ v / m.sum())**2).sum(axis=1)).sum() for m, v in heat if len(m)) / (3 * mass)
            self.assertTrue(min(abs(layers["temperature_m2_s2"][k] / t - 1) for t in (together, each)) < 1e-7,
                            (layers["temperature_m2_s2"][k], together, each))
        for k, frame in enumerate(frames):
            self.assertEqual(got["bodies"][k], inside(frame.x, low, high).sum())

    def test_profile_of_a_cylinder(self):
        """Layers across a tilted axis: volumes by points in each body, masses by centres."""
        run = made("bed", BED)
        start, end = np.array([-0.1, 0.02, 0.03]), np.array([0.1, 0.05, 0.07])
        length = np.linalg.norm(end - start)
        axis = (end - start) / length
        _, layers = one(run, f'measure = "profile"\ncell = {length / 4}\nregion = {{ type = "cylinder", '
                             f"start = {list(start)}, end = {list(end)}, radius = 0.1 }}", "--from", "0.37")
        frame = frames_of(run)[-1]
        along = (frame.x - start) @ axis
        across = np.linalg.norm(frame.x - start - np.outer(along, axis), axis=1)
        tube = (along >= 0) & (along <= length) & (across <= 0.1)
        room = math.pi * 0.1**2 * length / 4
        self.near(layers["moments"], 1)
        solid = np.zeros(4)
        for i in range(len(frame.x)):
            points = frame.x[i] - start + ball() * frame.axes[i] @ frame.turn[i].T
            at = points @ axis
            held = (np.linalg.norm(points - np.outer(at, axis), axis=1) <= 0.1) & (at >= 0) & (at <= length)
            solid += frame.volume[i] * np.histogram(at[held], np.linspace(0, length, 5))[0] / len(points)
        for k in range(4):
            low, high = k * length / 4, (k + 1) * length / 4
            mine = tube & (along >= low) & (along < high)
            self.near(layers["solid_fraction"][k], solid[k] / room, 0.015)
            self.near(layers["bodies"][k], mine.sum())
            self.near(layers["density_kg_m3"][k], frame.mass[mine].sum() / room, 1e-9)

    def test_bodies(self):
        """Places and velocities of two bodies, and the part of the others that is lower."""
        run = made("bed", BED)
        got, _ = one(run, 'measure = "bodies"\nbodies = [50, 3]\n')
        for k, frame in enumerate(frames_of(run)[1:]):
            for body in (3, 50):
                i = np.flatnonzero(frame.id == body)[0]
                for j, axis in enumerate("xyz"):
                    self.assertEqual(got[f"position_{axis}_m.{body}"][k], frame.x[i, j])
                    self.assertEqual(got[f"velocity_{axis}_m_s.{body}"][k], frame.v[i, j])
                self.near(got[f"rank.{body}"][k], (frame.x[:, 2] < frame.x[i, 2]).sum() / (len(frame.x) - 1))
        got, _ = one(run, 'measure = "bodies"\nbodies = [7]\nup = [1, 0, 2]\n')
        last = frames_of(run)[-1]
        height = last.x @ [1, 0, 2]
        self.near(got["rank.7"][-1], (height < height[last.id == 7]).mean() * len(height) / (len(height) - 1))

    def test_screening(self):
        """Undersize that went through the screen over undersize that went through it or over its end; purity."""
        run = made("bed", BED)
        got, _ = one(run, 'measure = "screening"\n'
                          "plane = { point = [0, 0, 0.12], normal = [0, 0, -1], radius = 0.12 }\n"
                          "over = { point = [0.05, 0, 0], normal = [1, 0, 0] }\naperture = 0.05\n")
        frames = frames_of(run)
        sums = np.zeros(4)  # undersize and oversize through, then over
        for k, (before, after) in enumerate(zip(frames, frames[1:])):
            old = sums.copy()
            for at, plane in enumerate((([0, 0, 0.12], [0, 0, -1], 0.12), ([0.05, 0, 0], [1, 0, 0], None))):
                sign, _, mass, _, diameter = crossings(before, after, *plane)
                sums[2 * at] += (sign * mass)[diameter < 0.05].sum()
                sums[2 * at + 1] += (sign * mass)[diameter >= 0.05].sum()
            names = [f"{size}_{way}_kg" for way in ("through", "over") for size in ("undersize", "oversize")]
            for name, value in zip(names, sums):
                self.near(got[name][k], value, 1e-9, 1e-12, (k, name))
            self.near(got["through_kg_s"][k], (sums - old)[:2].sum() / 0.02, 1e-9, 1e-9)
            self.near(got["over_kg_s"][k], (sums - old)[2:].sum() / 0.02, 1e-9, 1e-9)
            if sums[0] + sums[1] > 1e-9:
                self.near(got["purity"][k], sums[0] / (sums[0] + sums[1]), 1e-9)
            if sums[0] + sums[2] > 1e-9:
                self.near(got["efficiency"][k], sums[0] / (sums[0] + sums[2]), 1e-9)
        self.assertTrue(np.all(sums[:3] != 0))

    # What is written.

    def test_statistics(self):
        """measurements.json has mean, deviation, median, least, largest and last of each column of the tables."""
        run = made("bed", BED)
        out = tempfile.mkdtemp(dir=ROOT)
        printed = scree("measure", run, "-o", out, "-q", "--json", "--overwrite")
        for folder, source in ((run, "run"), (out, "frames")):
            with open(os.path.join(folder, "measurements.json"), encoding="utf-8") as file:
                text = file.read()
            said = json.loads(text)
            self.assertEqual(said["source"], source)
            if folder == out:
                self.assertEqual(json.loads(printed), said)
            self.assertEqual(len(said["measurements"]), BED_MEASURES.count("[[measurements]]"))
            for name, measurement in said["measurements"].items():
                got = table(folder, f"measured_{name}.csv")
                self.assertEqual(list(measurement["quantities"]), list(got)[1:], name)
                self.assertEqual(measurement["samples"], len(got["time_s"]))
                self.near(measurement["to_s"], got["time_s"][-1])
                for column, value in measurement["quantities"].items():
                    x = got[column][np.isfinite(got[column])]
                    if not len(x):
                        self.assertIsNone(value["mean"])
                        continue
                    size = np.abs(x).max()
                    expected = {"mean": x.mean(), "median": np.median(x), "least": x.min(), "largest": x.max()}
                    if len(x) > 1:
                        expected["deviation"] = x.std(ddof=1)
                    for key, wanted in expected.items():
                        self.near(value[key], wanted, 1e-9, 1e-9 * size, (name, column, key))
                    if math.isfinite(got[column][-1]):
                        self.assertEqual(value["last"], got[column][-1], (name, column))
                    if value["independent"] and value["error"]:  # so many values with that deviation
                        wanted = value["deviation"] / math.sqrt(value["independent"])
                        self.near(value["error"], wanted, 1e-9, 0, (name, column))

    def test_what_is_printed(self):
        """A run prints the first means of each at its end, `scree measure` all."""
        made("bed", BED)
        said = scree("run", "bed.toml", "-o", "printed", "--until", "0.1", "--threads", "1")
        for words in (r"packing\s+bodies \S+ ± ", r"through\s+mass_flow_kg_s\.glass \S+ ± ",
                      r"box\s+force_x_N \S+ ± "):
            self.assertRegex(said, words)
        said = scree("measure", "bed")
        for words in (r"packing", r"solid_fraction\s+\S+ ± \S+", r"position_z_m\.50\s+\S+ ± \S+"):
            self.assertRegex(said, words)

    def test_times_of_rows(self):
        """The first row ends an interval after the beginning, rows at the first frame or step at or after each."""
        run = made("bed", BED)
        measure = 'measure = "bodies"\nbodies = [3]\nfrom = {}\nuntil = {}\ninterval = {}\n'
        for begin, end, interval in ((0.1, 0.31, 0.03), (0.0, 0.4, 0.05), (0.06, 0.4, 0.04)):
            got, _ = one(run, measure.format(begin, end, interval))
            frames = 0.02 * np.arange(21)
            number = int((end - begin) / interval + 1e-6)
            wanted = [frames[frames > begin + interval * (k + 1) - 1e-9][0] for k in range(number)]
            self.near(got["time_s"], [t for t in wanted if t < end + 1e-9], 1e-9)

    def test_rows_of_a_run_end_with_the_nearest_step(self):
        """Intervals that are no multiple of the step: within half a step of their end, one row for each."""
        measure = 'measure = "bodies"\nbodies = [3]\nfrom = {}\nuntil = {}\ninterval = {}\n'
        scene = BED.split("[[measurements]]", maxsplit=1)[0] + '[[measurements]]\nname = "it"\n'
        done = made("rows", scene + measure.format(0.1, 0.2, 0.0105))
        ends = 0.1 + 0.0105 * np.arange(1, 10)
        self.near(table(done, "measured_it.csv")["time_s"], ends, 0, 0.0005 + 1e-9)

    def test_frames_give_what_the_run_gave(self):
        """Every table of the run but that of steps, from frames at the end of its rows: to single precision."""
        run = made("bed", BED)
        out = tempfile.mkdtemp(dir=ROOT)
        scree("measure", run, "-o", out, "-q", "--overwrite")
        files = [name for name in os.listdir(run) if name.startswith(("measure", "distribution"))]
        self.assertEqual(sorted(os.listdir(out)), sorted(files))
        for name in ("top", "mixed", "two", "pairs", "layers"):
            got, during = table(out, f"measured_{name}.csv"), table(run, f"measured_{name}.csv")
            self.assertEqual(list(got), list(during))
            for column in got:
                size = np.nanmax(np.abs(during[column]), initial=0)
                self.near(got[column], during[column], 2e-6, 2e-6 * size, (name, column))
        for name in ("top", "pairs", "layers"):
            got, during = table(out, f"distribution_{name}.csv"), table(run, f"distribution_{name}.csv")
            for column in got:
                size = np.nanmax(np.abs(during[column]), initial=0)
                self.near(got[column], during[column], 2e-6, 2e-6 * size, (name, column))

    def near_tables(self, got, during, relative, name, left_out=()):
        self.assertEqual(list(got), list(during))
        for column in got:
            if not column.startswith(left_out or ("-",)):
                kind = [other for other in during if other[:7] == column[:7]]
                size = max(np.nanmax(np.abs(during[other]), initial=0) for other in kind)
                self.near(got[column], during[column], relative, relative * size, (name, column))

    def test_scenes_far_from_the_origin_and_sleepers(self):
        """Frames that are counted from elsewhere; contacts of bodies that sleep: as the run measured."""
        for name, more in (("far", ["--set", "origin=[1.0,-2.0,0.5]"]),
                           ("asleep", ["--set", "sleep.speed=0.2", "--set", "sleep.duration=0.03", "--until", "1.5",
                                       "--set", "boundaries[1].motion[0].amplitude=1e-12"])):
            run = made(name, BED, *more)
            out = tempfile.mkdtemp(dir=ROOT)
            scree("measure", run, "-o", out, "-q", "--overwrite")
            for table_name in ("packing", "top", "mixed", "two", "layers", "pairs"):
                with self.subTest(name=name, table=table_name):
                    got, during = (table(folder, f"measured_{table_name}.csv") for folder in (out, run))
                    self.near_tables(got, during, 1e-4, name, ("mu", "inertial_number", "normal_stress", "shear_rate"))
            for table_name in ("stays", "part"):  # the share at rest has a test of its own
                got, during = table(out, f"measured_{table_name}.csv"), table(run, f"measured_{table_name}.csv")
                for column in ("inside", "entered", "bodies_in_region", "mass_in_region_kg"):
                    if column in got and (table_name == "part" or column == "inside"):
                        self.near(got[column], during[column], 1e-9, 0, (name, column))
        self.assertGreater(table(made("asleep", BED), "steps.csv")["asleep"][-1], 10)

    def test_means_by_time_of_steps_that_adapt(self):
        """Steps of unequal length: forces and power by their time."""
        run = made("adaptive", BED, "--set", 'time_step="adaptive"', "--set", "largest_time_step=0.004",
                   "--until", "0.2")
        steps = table(run, "steps.csv")
        self.assertGreater(steps["time_step_s"].max(), 1.5 * steps["time_step_s"].min())
        for name, columns in (("box", {"force_x_N": "mean", "force_z_N": "mean", "work_J": "sum"}),
                              ("table", {"force_z_N": "mean", "power_W": "mean", "torque_N_m": "mean"})):
            got = table(run, f"measured_{name}.csv")
            ends = list(zip(np.append(0, got["time_s"][:-1]), got["time_s"]))
            self.near(got["time_s"], 0.02 * np.arange(1, 11), 1e-9)
            for column, over in columns.items():
                wanted = self.expected_quantity("boundaries.csv", ends, column, over, name, run)
                self.near(got[column], wanted, 1e-9, 1e-12, (name, column))

    def test_frames_without_contacts(self):
        """Columns of contacts are empty where none were written, and others as ever."""
        run = made("sparse", BED, "--set", "output.contacts_interval=0.1")
        low, high = [-0.15, -0.17, 0.0], [0.16, 0.14, 0.1]
        measure = f'measure = "bulk"\nregion = {{ type = "box", low = {low}, high = {high} }}'
        got, whole = one(run, measure)[0], one(made("bed", BED), measure)[0]
        with h5py.File(os.path.join(run, "trajectory.h5")) as file:
            recorded = file["contacts/recorded"][1:].astype(bool)
        self.assertTrue(0 < recorded.sum() < len(recorded))
        for column in ("bodies", "mass_kg", "solid_fraction", "temperature_m2_s2", "shear_rate_1_s", "velocity_x_m_s"):
            self.near(got[column], whole[column], 1e-12, 0, column)
        for column in ("contact_number", "stress_xx_Pa", "pressure_Pa", "mu"):
            self.near(got[column][recorded], whole[column][recorded], 1e-12, 0, column)
            self.assertTrue(np.all(np.isnan(got[column][~recorded])), (column, got[column]))

    def test_chosen_frames(self):
        """--from, --until, --every and --time take frames; each that is taken is a row."""
        run = made("bed", BED)
        text = 'measure = "bodies"\nbodies = [3]\n'
        every = one(run, text)[0]
        for options, wanted in ((("--from", "0.1", "--until", "0.2"), lambda t: (t > 0.099) & (t < 0.201)),
                                (("--time", "0.1", "0.2", "0.4"), lambda t: np.isin(np.round(t, 6), [0.1, 0.2, 0.4]))):
            got = one(run, text, *options)[0]
            for column in got:
                a, b = got[column], every[column][wanted(every["time_s"])]
                # What a row is over, if the first frame only begins it, the page does not say.
                self.near(a[len(a) - len(b) + 1:] if len(a) >= len(b) else a, b[1:], 1e-12, 0, (options, column))

    def test_a_run_that_is_gone_on_with(self):
        """Cut between two rows, or killed: tables, distributions and means are the same to the last byte."""
        run = made("bed", BED)
        files = [name for name in sorted(os.listdir(run)) if name.startswith(("measure", "distribution"))]
        self.assertGreater(len(files), 14)
        parted = os.path.join(ROOT, "parted")
        scree("run", "bed.toml", "-o", parted, "-q", "--threads", "1", "--until", "0.113")
        scree("run", "--resume", parted, "-q", "--threads", "1", "--until", "0.4")
        killed = os.path.join(ROOT, "killed")
        command = [PROGRAM, "run", "bed.toml", "-o", killed, "-q", "--threads", "1", "--set", "checkpoints.steps=20"]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        folder = os.path.join(killed, "checkpoints")
        until = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < until:
            if os.path.isdir(folder) and "step_000000059" < max(os.listdir(folder), default=""):
                break
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        scree("run", "--resume", killed, "-q", "--threads", "1")
        for folder in (parted, killed):
            for name in files:
                with self.subTest(folder=os.path.basename(folder), name=name):
                    texts = []
                    for place in (run, folder):
                        with open(os.path.join(place, name), "rb") as file:
                            texts.append(file.read())
                    self.assertEqual(*texts)

    def test_verify_and_compare(self):
        """A digit that has changed in a measured table is told, and where two runs differ."""
        run = made("bed", BED)
        copy = os.path.join(ROOT, "copy")
        shutil.copytree(run, copy, dirs_exist_ok=True)
        said = scree("verify", copy)
        for name in ("packing", "through", "two"):
            self.assertRegex(said, rf"measured_{name}\.csv\s+whole")
        scree("compare", run, copy)
        for name in ("measured_two.csv", "measured_stays.csv"):
            with self.subTest(name):
                path = os.path.join(copy, name)
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                at = text.rindex(".") + 1
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1:])
                self.assertIn(name, scree("verify", copy, status=6))
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                scree("verify", copy)
        path = os.path.join(copy, "measured_two.csv")
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines(True)
        fields = lines[11].split(",")
        fields[3] = "0.125"
        lines[11] = ",".join(fields)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)
        done = subprocess.run([PROGRAM, "compare", run, copy], capture_output=True, text=True, timeout=60, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"measured_two\.csv.*position_z_m\.3.*0\.125")

    def test_nothing_is_written_over(self):
        """Without -o nothing is; into a folder with tables only with --overwrite."""
        run = made("bed", BED)
        before = {name: os.path.getmtime(os.path.join(run, name)) for name in os.listdir(run)}
        scree("measure", run, "-q")
        self.assertEqual(before, {name: os.path.getmtime(os.path.join(run, name)) for name in os.listdir(run)})
        scree("measure", run, "-q", "-o", "tables")
        self.assertIn("--overwrite", scree("measure", run, "-q", "-o", "tables", status=4))
        scree("measure", run, "-q", "-o", "tables", "--overwrite")

    # Errors.

    def error_series(self, columns):
        """What the program says of series: a run of one ball, whose table of steps is written anew around them."""
        number = len(next(iter(columns.values())))
        scene = HEAD.format(step=0.001, end=number / 1000, gravity=[0, 0, 0], interval=0.001) + """
[[bodies]]
radius = 0.01
material = "glass"
position = [0, 0, 0]
"""
        run = made(f"series{number}", scene)
        with open(os.path.join(run, "steps.csv"), encoding="utf-8") as file:
            rows = list(csv.reader(file))
        for column, values in columns.items():
            at = rows[0].index(column)
            for row, value in zip(rows[1:], values):
                row[at] = repr(float(value))
        text = "".join(",".join(row) + "\n" for row in rows)
        copy = tempfile.mkdtemp(dir=ROOT)
        shutil.copytree(run, copy, dirs_exist_ok=True)
        with open(os.path.join(copy, "steps.csv"), "w", encoding="utf-8") as file:
            file.write(text)
        tables, said = measured(copy, '[[measurements]]\nname = "it"\nmeasure = "quantity"\ninterval = 0.001\n'
                                      f"quantities = {json.dumps(list(columns))}\n")
        self.assertEqual(len(tables["it"]["time_s"]), number)
        return said["measurements"]["it"]["quantities"]

    def test_errors_of_series_with_memory(self):
        """Series whose values remember: the error of their means is known, and is found within its own scatter."""
        names = ["kinetic_energy_J", "potential_energy_J", "elastic_energy_J", "momentum_x_kg_m_s", "momentum_y_kg_m_s",
                 "momentum_z_kg_m_s", "angular_momentum_x_kg_m2_s", "angular_momentum_y_kg_m2_s"]
        random = np.random.default_rng(5)
        for memory in (0.0, 0.8, 0.95):
            x = series(memory, len(names), 4000, random)
            got = self.error_series(dict(zip(names, x)))
            true = math.sqrt(1 / (1 - memory)**2 / x.shape[1])
            found = np.array([got[name]["error"] for name in names])
            self.near(found.mean(), true, 0.15, 0, (memory, found / true))
            self.near(found, np.full(len(names), true), 0.1 if memory == 0 else 0.4, 0, (memory, found / true))
            for name, row in zip(names, x):
                self.near(got[name]["independent"], (got[name]["deviation"] / got[name]["error"])**2, 1e-9)
                self.near(got[name]["mean"], row.mean(), 1e-9, 1e-12)

    def test_errors_of_slow_changes_under_noise(self):
        """Noise above a process that remembers 33 rows, in 4000; and a mean that only rises is not known better."""
        random = np.random.default_rng(5)
        names = ["momentum_x_kg_m_s", "momentum_y_kg_m_s", "momentum_z_kg_m_s", "angular_momentum_x_kg_m2_s",
                 "angular_momentum_y_kg_m2_s", "angular_momentum_z_kg_m2_s"]
        x = series(0.97, len(names), 4000, random) + 15 * random.normal(size=(len(names), 4000))
        got = self.error_series(dict(zip(names, x)))
        true = math.sqrt((1 / 0.03**2 + 15**2) / 4000)
        ratio = np.array([got[name]["error"] for name in names]) / true
        with self.subTest("noise"):
            self.near(ratio.mean(), 0.8, 0.25, 0, ratio)  # as the page says: too small by a fifth
        with self.subTest("rise"):
            got = self.error_series({"kinetic_energy_J": np.linspace(0, 1, 200)})["kinetic_energy_J"]
            self.near(got["drift"], 0.5, 0.01)
            self.assertGreater(got["drift"], 6 * got["error"])

    # Mistakes.

    def refused(self, text, *words, run=None):
        """Status 3, with the file and the line."""
        run = run or made("bed", BED)
        write("wrong.toml", text)
        said = scree("measure", run, "--with", "wrong.toml", status=3)
        self.assertRegex(said, r"wrong\.toml:\d+:", said)
        for word in words:
            self.assertRegex(said, word)
        line = int(re.search(r"wrong\.toml:(\d+):", said).group(1))
        self.assertTrue(1 <= line <= text.count("\n") + 1, said)
        return line

    def test_mistakes(self):
        """What is wrong is told by file and line, and what may have been meant."""
        head = '[[measurements]]\nname = "it"\n'
        plane = "{ point = [0, 0, 0], normal = [0, 0, 1] }"
        region = 'region = { type = "box", low = [0, 0, 0], high = [1, 1, 1] }\n'
        head += 'measure = "quantity"\n'
        self.assertEqual(self.refused(head + 'quantities = ["kinetic_energy"]\n', "kinetic_energy_J"), 4)
        self.assertEqual(self.refused(head + 'boundary = "box"\nquantities = ["force_zN"]\n', "force_z_N"), 5)
        head = '[[measurements]]\nname = "it"\n'
        cases = [
            ('measure = "quantity"\nboundary = "bx"\nquantities = ["force_z_N"]\n', "bx"),
            ('measure = "quantity"\nboundary = "box"\nquantities = ["mass_in_region_kg"]\n', "mass_in_region_kg"),
            ('measure = "quantity"\nquantities = ["mass_kg"]\nopening = "drain"\n', "drain"),
            ('measure = "flow"\nopening = "drain"\n', "drain"),
            ('measure = "quantity"\nquantities = []\n', "quantities"),
            ('measure = "quantity"\nquantities = ["kinetic_energy_J", "mass_in_region_kg"]\n' + region, "one kind"),
            ('measure = "residence"\n', "region"),
            ('measure = "profile"\n', "region"),
            ('measure = "flow"\n', "plane|opening"),
            (f'measure = "flow"\nplane = {plane}\nopening = "drain"\n', "opening|plane"),
            (f'measure = "flow"\nplane = {plane}\nplane = {plane}\n', "plane"),
            (f'measure = "flow"\nplane = {plane}\nover = {plane}\n', "over"),
            (f'measure = "flow"\nplane = {plane}\nby = "size"\n', "sizes"),
            (f'measure = "flow"\nplane = {plane}\nby = "place"\n', "place|by"),
            (f'measure = "flow"\nplane = {plane}\nby = "material"\nsizes = [0.1]\n', "sizes"),
            (f'measure = "flow"\nplane = {plane}\nby = "size"\nsizes = [0.2, 0.1]\n', "sizes"),
            ('measure = "flow"\nplane = { point = [0, 0, 0], normal = [0, 0, 0] }\n', "normal"),
            ('measure = "flow"\nplane = { point = [0, 0, 0] }\n', "normal"),
            ('measure = "mixing"\n', "by"),
            ('measure = "mixing"\nby = "size"\n', "sizes"),
            ('measure = "bulk"\n' + region + "along = [0, 0, 0]\n", "along"),
            ('measure = "bulk"\n' + region + "along = [0, 0, 1]\n", "along|up"),
            ('measure = "bulk"\n' + region + "rattlers_below = 0\n", "rattlers_below"),
            ('measure = "bulk"\nregion = { type = "box", low = [0, 0, 0], high = [1, -1, 1] }\n', "low|high"),
            ('measure = "bodies"\n', "bodies"),
            ('measure = "screening"\n' + f"plane = {plane}\naperture = 0.01\n", "over"),
            ('measure = "screening"\n' + f"plane = {plane}\nover = {plane}\n", "aperture"),
            ('measure = "surface"\nfit_from = 0.9\nfit_to = 0.1\n', "fit"),
            ('measure = "bulk"\nfrom = 0.3\nuntil = 0.2\n' + region, "from|until"),
            ('measure = "bulk"\ninterval = 0\n' + region, "interval"),
            ('measure = "bulc"\n' + region, "bulk"),
            ('measure = "bulk"\nregoin = 1\n', "region"),
        ]
        for text, words in cases:
            with self.subTest(text):
                self.refused(head + text, words)
        with self.subTest("by at an opening"):
            text = head + 'measure = "flow"\nopening = "drain"\nby = "material"\n'
            self.refused(text, "by", run=made("chute", CHUTE))
        with self.subTest("an opening that is not there"):
            self.refused(head + 'measure = "flow"\nopening = "drian"\n', "drain", run=made("chute", CHUTE))
        with self.subTest("names"):
            self.refused('[[measurements]]\nname = "a/b"\nmeasure = "bulk"\n' + region, "name")
            self.refused(2 * (head + 'measure = "bulk"\n' + region), "it")

    def test_mistakes_of_a_scene(self):
        """The same in a scene: `scree check` and `scree run` tell them before anything is made."""
        wrong = BED.replace('"power_W", ', '"powerW", ')
        write("mistake.toml", wrong)
        line = 1 + wrong[:wrong.index('"powerW"')].count("\n")
        for command in (("check", "mistake.toml"), ("run", "mistake.toml", "-o", "never")):
            said = scree(*command, status=3)
            self.assertIn(f"mistake.toml:{line}:", said)
            self.assertIn("power_W", said)
        self.assertFalse(os.path.exists(os.path.join(ROOT, "never")))

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
