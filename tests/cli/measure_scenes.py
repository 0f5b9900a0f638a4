"""Scenes for tests of `scree measure`, their runs, and tables of the measurements: used by measure_*_test.py."""
import atexit
import csv
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

PROGRAM = os.path.abspath(sys.argv[1])  # sys.argv[2] is the source folder, as for other tests; it is not used
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

# Ellipsoids without walls, pressed from all sides until they are at rest.
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

# Points without contacts, at random positions and with random velocities.
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

# Grains of two sizes come in above and are removed below.
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

# A collapsed pile on a plane.
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
    """Tables of `scree measure` for each measurement, with distributions; and measurements.json."""
    write("with.toml", text)
    out = tempfile.mkdtemp(dir=ROOT)
    scree("measure", run, "--with", "with.toml", "-o", out, "-q", "--overwrite", *arguments)
    names = [name[:-4] for name in os.listdir(out) if name.endswith(".csv")]
    tables = {name.removeprefix("measured_"): table(out, name + ".csv") for name in names}
    with open(os.path.join(out, "measurements.json"), encoding="utf-8") as file:
        return tables, json.load(file)


def one(run, text, *arguments):
    """The table of a single measurement, and its distribution."""
    tables, _ = measured(run, '[[measurements]]\nname = "it"\n' + text, *arguments)
    return tables["it"], tables.get("distribution_it")


def box(low, high):
    """The line of a region."""
    return f'region = {{ type = "box", low = {list(map(float, low))}, high = {list(map(float, high))} }}\n'
