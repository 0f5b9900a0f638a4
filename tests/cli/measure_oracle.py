"""Formulas of docs/measuring.md, computed independently from trajectory.h5, for comparison in measure_*_test.py.

Tolerances. Frames are in single precision: numbers have a relative error of 6e-8. Two results from the same frame by
the same formula agree to rounding in double precision, because both begin with the same rounded numbers (1e-9 where
sums cancel). Values that the run measures in double precision differ from those of its frames by 1e-6 of the largest
number in the sum. Counts are equal. Quantities from the run's tables are equal to the last digit.
"""
import math
import os
import sys
import unittest

try:
    import h5py
    import numpy as np
    from scipy import stats
    from scipy.spatial.transform import Rotation
except ImportError as missing:
    print(f"{missing.name} is not installed (Debian: python3-h5py, python3-numpy, python3-scipy)")
    sys.exit(1 if os.environ.get("CI") == "true" else 77)


class Frame:
    """Bodies and contacts of a frame in double precision, from the data of the file."""

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
        """The extent of each body from its centre along a direction."""
        d = np.asarray(direction, float) / np.linalg.norm(direction)
        return np.linalg.norm(np.einsum("nij,i->nj", self.turn, d) * self.axes, axis=1)

    def nearest(self, d):
        """The shortest vector between images, if the cell is large enough."""
        if self.lattice is None:
            return d
        return d - np.round(d @ np.linalg.inv(self.lattice)) @ self.lattice


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
    """The part of each ellipsoid between two planes."""
    at, reach = frame.x @ np.asarray(direction, float), frame.reach(direction)
    return part_below((high - at) / reach) - part_below((low - at) / reach)


def cut_by_edge(centre, turn, axes, low, high):
    """Whether an edge of a box cuts an ellipsoid: nearest point of each edge in the space where it is a ball."""
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
    """As in docs/measuring.md: exact without edges, the product with an edge; and which bodies edges cut."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    parts = np.array([part_between(frame, axis, low[k], high[k]) for k, axis in enumerate(np.eye(3))])
    share, edges = parts.prod(axis=0), np.zeros(len(frame.x), dtype=bool)
    reach = np.array([frame.reach(axis) for axis in np.eye(3)]).T
    border = np.any((frame.x - reach < low) & (frame.x + reach > low) |
                    (frame.x - reach < high) & (frame.x + reach > high), axis=1) & (share > 0)
    for i in np.flatnonzero(border):
        edges[i] = cut_by_edge(frame.x[i], frame.turn[i], frame.axes[i], low, high)
        if not edges[i]:  # caps do not meet: the rest without each of them
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
    """The part of an ellipsoid inside a box, by points."""
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
    """Mean velocity, gradient and the rest of velocities, fitted by mass. The rest is enlarged by what the fit takes of
    random velocities: one of n squares for each parameter."""
    m, v = frame.mass[chosen], frame.v[chosen]
    x = frame.x[chosen] if x is None else x
    c = m @ x / m.sum()
    if len(m) < 8:
        return m @ v / m.sum(), np.zeros((3, 3)), (v - m @ v / m.sum()) / math.sqrt(1 - 1 / len(m) if len(m) > 1 else 1)
    a = np.hstack([np.ones((len(m), 1)), x - c])
    root = np.sqrt(m)[:, None]
    fit = np.linalg.lstsq(a * root, v * root, rcond=None)[0]
    return m @ v / m.sum(), fit[1:].T, (v - a @ fit) / math.sqrt(1 - 4 / len(m))


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
    out["temperature_m2_s2"] = (m * (rest**2).sum(axis=1)).sum() / (3 * m.sum()) if len(m) > 1 else math.nan
    rate = (gradient + gradient.T) / 2
    rate -= np.trace(rate) / 3 * np.eye(3)
    out["shear_rate_1_s"] = math.sqrt(2 * (rate * rate).sum()) if len(m) >= 8 else math.nan
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
    """[kind of crossing] +1 and -1 for bodies that are in both frames, on straight lines; and rows of /bodies."""
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
    """Each value is the previous one times `memory`, plus a random number of deviation 1."""
    x = random.normal(size=(rows, length + 1000))
    for k in range(1, x.shape[1]):
        x[:, k] += memory * x[:, k - 1]
    return x[:, 1000:]


class Checks(unittest.TestCase):
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
