#!/usr/bin/env python3
"""The same bed of ellipsoids settles in Scree and in other engines: times of the whole run, and quality of the bed.

    benchmarks/peers/compare.py [--count 1000] [--engines scree,box3d,jolt,mujoco,bullet,liggghts,jolt_wasm] [--time 3]
                                [--repeats 1] [--program-folder build/release/benchmarks/peers] [--scree PROGRAM]
                                [--jolt-wasm FOLDER] [--skip TEXT] [--json FILE] [--markdown FILE]

README.md in this folder describes the scene, the measurements and the settings of each engine. The rows run one after
the other, on one thread; the whole list runs --repeats times. Engines that are not installed are left out, with a line
that states what to install.
"""

import argparse
import csv
import dataclasses
import itertools
import json
import math
import os
import pathlib
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = [(ROOT / "scenes/settling_box/n1000.csv", 1.0), (ROOT / "scenes/settling_box_8000/n8000.csv", 2.83)]
SCENE = {"semi_axes": "0.1,0.075,0.05", "density": 2500, "friction": 0.5, "gravity": 9.81, "time_step": 0.002}
SETTLED = 1 / 6  # last part of the run; its median step counts as the step of the settled bed
BUSY = 0.95  # a program of one thread with less processor time than this part of its wall time was disturbed
STILL = 0.01  # of the energy that lifts a body by its smallest semi-axis: a bed with more per body is not at rest
COLUMNS = ["engine", "settings", "whole run, s", "settled, ms/step", "worst, ms/step", "program, s", "overlap, mean",
           "overlap, max", "solid fraction", "energy, J/body", "lost", "remarks"]


class Missing(Exception):
    """An engine that is not available; the text states what to install."""


@dataclasses.dataclass
class Row:
    """One engine with one choice of settings."""
    engine: str
    settings: str
    command: list
    poses: object = None  # folder -> file with the final poses, if not end.csv
    step_times: object = None  # folder -> times of the steps, s, if not times.txt


def scene_arguments(arguments):
    values = {**SCENE, "half_side": arguments.half_side, "steps": arguments.steps}
    return [f"{key}={value}" for key, value in values.items()]


def in_and_out(arguments):
    return [f"start={arguments.start}", "end=end.csv", "times=times.txt", *scene_arguments(arguments)]


def icosahedron():
    """The 42 vertices of an icosahedron, edges halved once, on the unit sphere."""
    golden = (1 + math.sqrt(5)) / 2
    unit = []
    for a, b, k in itertools.product((-1, 1), (-golden, golden), range(3)):
        point = [0.0, 0.0, 0.0]
        point[(k + 1) % 3], point[(k + 2) % 3] = a, b
        unit.append(point)
    unit += [[s + t for s, t in zip(p, q)] for p, q in itertools.combinations(unit, 2) if math.dist(p, q) < 2.4]
    return [[x / math.hypot(*point) for x in point] for point in unit]


def spiral(count):
    """Points on the unit sphere, one per rotation by the golden angle, evenly spaced from pole to pole."""
    heights = [1 - (2 * k + 1) / count for k in range(count)]
    angles = [k * math.pi * (3 - math.sqrt(5)) for k in range(count)]
    return [[math.sqrt(1 - z * z) * math.cos(a), math.sqrt(1 - z * z) * math.sin(a), z] for z, a in zip(heights, angles)]


def hull_volume(points):
    """Volume of the convex hull of points around the origin, m^3. No four points may share one of its faces."""
    volume = 0.0
    for p, q, r in itertools.combinations(points, 3):
        u, v = [b - a for a, b in zip(p, q)], [b - a for a, b in zip(p, r)]
        normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        height = sum(n * a for n, a in zip(normal, p))
        sign = math.copysign(1, height)
        if all(sign * (sum(n * a for n, a in zip(normal, point)) - height) < 1e-9 for point in points):
            volume += abs(height) / 6
    return volume


def hull_points(unit, inset=0.0, factor=1.0):
    """Points of the unit sphere, mapped to the ellipsoid with semi-axes shorter by `inset` (m), times a factor."""
    axes = [factor * (float(axis) - inset) for axis in SCENE["semi_axes"].split(",")]
    return "points=" + ";".join(",".join(f"{axis * x:.9g}" for axis, x in zip(axes, point)) for point in unit)


def hull_of_equal_volume(unit):
    """The hull of these points of the unit sphere, stretched, with the volume of the ellipsoid."""
    return hull_points(unit, factor=(4 / 3 * math.pi / hull_volume(unit)) ** (1 / 3))


def program(arguments, name, what):
    path = arguments.program_folder / name
    if not path.exists():
        raise Missing(f"no {path}: {what} and build the target scree_peers")
    return path.resolve()


# Scree -----------------------------------------------------------------------------------------------------------------

def scree_scene(arguments):
    half, step = arguments.half_side, SCENE["time_step"]
    return f"""name = "peers"
gravity = [0, 0, {-SCENE["gravity"]}]
time_step = {step}
end_time = {arguments.steps * step}

[solver]
kind = "gauss_seidel"

[output]
interval = {arguments.steps * step}

[[materials]]
name = "stone"
density = {SCENE["density"]}
friction = {SCENE["friction"]}
restitution = 0.0

[[bodies]]
material = "stone"
table = {json.dumps(str(arguments.start))}
semi_axes = [{SCENE["semi_axes"]}]

[[boundaries]]
name = "box"
type = "box"
material = "stone"
low = [{-half}, {-half}, 0.0]
high = [{half}, {half}, 4.0]
open = ["+z"]
"""


def scree_times(folder):
    with open(folder / "run/steps.csv", newline="", encoding="utf-8") as file:
        stages = ("preparation_time_s", "detection_time_s", "resolution_time_s", "finish_time_s")
        return [sum(float(row[stage]) for stage in stages) for row in csv.DictReader(file)]


def scree_poses(arguments):
    def export(folder):
        end = arguments.steps * SCENE["time_step"]
        done = subprocess.run([arguments.scree, "export", "run", "--to", "csv", "--time", str(end), "-o", "all.csv",
                               "--quiet"], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        names = ["x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"]
        with open(folder / "all.csv", newline="", encoding="utf-8") as file, \
                open(folder / "end.csv", "w", newline="", encoding="utf-8") as out:
            writer = csv.DictWriter(out, names, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(csv.DictReader(line for line in file if not line.startswith("#")))
        return folder / "end.csv"
    return export


def scree_rows(arguments):
    if not arguments.scree:
        raise Missing("no program scree: build it, or say where it is with --scree")
    try:
        version = subprocess.run([arguments.scree, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise Missing(f"{arguments.scree} does not run: {error}") from None
    if not version.startswith("scree "):
        raise Missing(f"{arguments.scree} is another program")
    scene = arguments.folder / "scene.toml"
    scene.write_text(scree_scene(arguments), encoding="utf-8")
    command = [arguments.scree, "run", scene, "-o", "run", "--threads", "1", "--set", "output.vtk=false", "--quiet"]
    return [Row(version.strip().replace("scree", "Scree"), text, [*command, *more], scree_poses(arguments), scree_times)
            for text, more in (("defaults (tolerance 1e-3)", []),
                               ("tolerance 1e-4", ["--set", "solver.tolerance=1e-4"]))]


# Box3D, Jolt -----------------------------------------------------------------------------------------------------------

def box3d_rows(arguments):
    path = program(arguments, "peers_box3d", "install Box3D, configure with -Dbox3d_ROOT=FOLDER")
    return [Row("Box3D", "4 substeps, hulls of 42 points",
                [path, "substeps=4", hull_of_equal_volume(icosahedron()), *in_and_out(arguments)])]


def jolt_rows(arguments):
    path = program(arguments, "peers_jolt", "install Jolt, configure with -DJolt_ROOT=FOLDER")
    command = [path, "velocity_iterations=10", "position_iterations=2", hull_of_equal_volume(spiral(60)),
               *in_and_out(arguments)]
    return [Row("Jolt", f"10 + 2 iterations, hulls of 60 points, slop {text}", [*command, f"slop={slop}"])
            for text, slop in (("2 cm (default)", "default"), ("0.1 mm", "0.0001"))]


# MuJoCo, Bullet --------------------------------------------------------------------------------------------------------

def mujoco_rows(arguments):
    path = program(arguments, "peers_mujoco", "install libmujoco-dev")
    return [Row("MuJoCo", f"CG, {n} iterations", [path, f"iterations={n}", *in_and_out(arguments)]) for n in (30, 200)]


def bullet_rows(arguments):
    path = program(arguments, "peers_bullet", "install libbullet-dev")
    default_split, thin = -0.04, ["margin=0.001", hull_points(icosahedron())]  # m; Bullet's default
    rounded = ["margin=0.02", hull_points(icosahedron(), inset=0.02)]
    return [Row("Bullet", f"10 iterations{text}", [path, "iterations=10", f"substeps={n}", f"split={split}", *hull,
                                                   *in_and_out(arguments)])
            for text, n, split, hull in (("", 1, default_split, thin), (", rounded hulls", 1, default_split, rounded),
                                         (", 4 substeps", 4, default_split, thin),
                                         (", 4 substeps, split impulse", 4, 0, thin))]


# LIGGGHTS --------------------------------------------------------------------------------------------------------------

def liggghts_rows(arguments):
    path = shutil.which(arguments.liggghts)
    if not path:
        raise Missing("no program liggghts: it must be built from its source, with superquadrics")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([path, "-log", "none"], cwd=folder, input="atom_style superquadric\n",
                              capture_output=True, text=True, errors="replace")
    text = done.stdout + done.stderr
    if errors := [line.strip() for line in text.splitlines() if "ERROR" in line]:
        version = re.search(r"LIGGGHTS-PUBLIC ([\d.]+)", text)
        raise Missing(f"{path}{f', version {version[1]},' if version else ''} was built without superquadrics: to "
                      f"'atom_style superquadric' it says '{errors[0]}'")
    raise Missing("this LIGGGHTS takes superquadrics, but no scene has been written for it here yet")


# Jolt as WebAssembly ---------------------------------------------------------------------------------------------------

def jolt_wasm_rows(arguments):
    if not shutil.which("node"):
        raise Missing("no program node: install Node.js")
    folders = [arguments.jolt_wasm] if arguments.jolt_wasm else [pathlib.Path.cwd(), pathlib.Path(__file__).resolve().parent]
    packages = [folder / "node_modules/jolt-physics" for folder in folders]
    package = next((folder.resolve() for folder in packages if folder.is_dir()), None)
    if package is None:
        raise Missing(f"no {packages[0]}: npm install jolt-physics, and --jolt-wasm says in which folder")
    command = ["node", pathlib.Path(__file__).resolve().parent / "jolt.mjs", f"package={package}", "convex_radius=0",
               hull_points(icosahedron()), *in_and_out(arguments)]
    return [Row("Jolt, WASM", text, [*command, f"slop={slop}"])
            for text, slop in (("10 + 2 iterations, slop 2 cm (default)", "default"),
                               ("10 + 2 iterations, slop 0.1 mm", "0.0001"))]


ENGINES = {"scree": scree_rows, "box3d": box3d_rows, "jolt": jolt_rows, "mujoco": mujoco_rows, "bullet": bullet_rows,
           "liggghts": liggghts_rows, "jolt_wasm": jolt_wasm_rows}


# Measuring -------------------------------------------------------------------------------------------------------------

def processor_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(row, folder, arguments):
    """(output of the row's program, times of its steps, processor time, processor over wall time), or RuntimeError."""
    start, processor = time.perf_counter(), processor_time()
    try:
        done = subprocess.run([str(word) for word in row.command], cwd=folder, capture_output=True, text=True,
                              errors="replace", timeout=arguments.patience)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"not done after {arguments.patience:g} s") from None
    except OSError as error:
        raise RuntimeError(str(error)) from None
    processor = processor_time() - processor
    share = processor / (time.perf_counter() - start)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip() or f"ended with status {done.returncode}").splitlines()[-1])
    text = done.stdout.strip().splitlines()
    said = json.loads(text[-1]) if text and text[-1].startswith("{") else {}
    if row.step_times:
        return said, row.step_times(folder), processor, share
    times = [float(line) for line in (folder / "times.txt").read_text(encoding="utf-8").split()]
    return said, times, processor, share


def measure(row, folder, arguments):
    """The row of the table as a dictionary, for --json."""
    result = {"engine": row.engine, "settings": row.settings}
    try:
        said, times, processor, share = run(row, folder, arguments)
        poses = row.poses(folder) if row.poses else folder / "end.csv"
        done = subprocess.run([arguments.overlaps, f"states={poses}", *scene_arguments(arguments)],
                              capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
    except (RuntimeError, OSError) as error:
        return {**result, "failed": str(error)}
    result["engine"] = said.pop("version", row.engine)
    settled = times[-max(1, round(len(times) * SETTLED)):]
    return {**result, "whole_run_s": sum(times), "step_time_settled_s": statistics.median(settled),
            "step_time_mean_s": statistics.fmean(times), "step_time_worst_s": max(times), "steps": len(times),
            "program_time_s": processor, "processor_share": share, "engine_says": said, **json.loads(done.stdout)}


def middle(repeats):
    """The repeat with the median time of the whole run (the faster middle one if the number is even), and all times."""
    done = sorted((result for result in repeats if "failed" not in result), key=lambda result: result["whole_run_s"])
    if not done:
        return repeats[0]
    return {**done[(len(done) - 1) // 2], "whole_run_samples_s": [result["whole_run_s"] for result in repeats
                                                                  if "failed" not in result]}


def whole_run(result):
    """"7.2", or "7.2 (7.1 to 9.3)" for several repeats."""
    samples = result["whole_run_samples_s"]
    text = f"{result['whole_run_s']:.3g}"
    return text if len(samples) < 2 else f"{text} ({min(samples):.3g} to {max(samples):.3g})"


def lifting_energy():
    """Energy that lifts a body by its smallest semi-axis, J."""
    axes = [float(axis) for axis in SCENE["semi_axes"].split(",")]
    return SCENE["density"] * 4 / 3 * math.pi * math.prod(axes) * SCENE["gravity"] * min(axes)


def remarks(result):
    parts = []
    if result["lost"]:
        parts.append(f"{result['lost']} of {result['bodies']} left the box")
    if result["kinetic_energy_J"] > STILL * lifting_energy():
        parts.append("not at rest")
    if result["processor_share"] < BUSY:
        parts.append(f"disturbed: it had a processor for {100 * result['processor_share']:.0f} % of its time")
    said = result["engine_says"]
    if "iterations" in said:
        parts.append(f"{said['iterations']:g} iterations a step")
    return "; ".join(parts + ([said["remarks"]] if said.get("remarks") else []))


def cells(result):
    if "failed" in result:
        return [result["engine"], result["settings"], *[""] * (len(COLUMNS) - 3), f"failed: {result['failed']}"]
    return [result["engine"], result["settings"], whole_run(result), f"{1e3 * result['step_time_settled_s']:.3g}",
            f"{1e3 * result['step_time_worst_s']:.3g}", f"{result['program_time_s']:.3g}",
            f"{100 * result['overlap_mean']:.3g} %", f"{100 * result['overlap_max']:.3g} %", f"{result['solid_fraction']:.3f}",
            f"{result['kinetic_energy_J']:.2g}", str(result["lost"]), remarks(result)]


def markdown(report):
    lines = [f"{report['bodies']} ellipsoids, {report['time_s']:g} s in steps of {1e3 * SCENE['time_step']:g} ms, one "
             f"thread; {report['machine']}; load before the first row {report['load']:.1f}.", "",
             "| " + " | ".join(COLUMNS) + " |", "|---|---|" + "---:|" * (len(COLUMNS) - 3) + "---|"]
    lines += ["| " + " | ".join(cells(result)) + " |" for result in report["rows"]]
    lines += ["", "Overlaps over the smallest semi-axis, of the true ellipsoids and with walls."]
    if report["repeats"] > 1:
        lines += [f"Of {report['repeats']} runs the one with the median time, and the least and greatest."]
    lines += [f"Left out: {name}: {why}." for name, why in report["left_out"].items()]
    return "\n".join(lines) + "\n"


def processor_name():
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def prepare(arguments):
    """Writes the first rows of the smallest table with enough rows, and sets start, half_side and steps."""
    for table, half_side in TABLES:
        lines = table.read_text(encoding="utf-8").splitlines()
        if arguments.count < len(lines):
            break
    else:
        sys.exit(f"compare.py: --count is at most {len(lines) - 1}")
    arguments.start = arguments.folder / "start.csv"
    arguments.start.write_text("\n".join(lines[:arguments.count + 1]) + "\n", encoding="utf-8")
    arguments.half_side, arguments.steps = half_side, max(1, round(arguments.time / SCENE["time_step"]))
    arguments.overlaps = arguments.program_folder / "peers_overlaps"
    if not arguments.overlaps.exists():
        sys.exit(f"compare.py: no {arguments.overlaps}: build the target scree_peers, or say where it is built with "
                 "--program-folder")


def compare(arguments):
    report = {"bodies": arguments.count, "time_s": arguments.steps * SCENE["time_step"], "scene": SCENE,
              "machine": f"{processor_name()}, {os.cpu_count()} processors, {platform.system()} {platform.machine()}",
              "load": os.getloadavg()[0], "repeats": arguments.repeats, "left_out": {}, "rows": []}
    rows = []
    for name in arguments.engines:
        try:
            rows += ENGINES[name](arguments)
        except Missing as why:
            report["left_out"][name] = str(why)
            print(f"compare.py: {name} is left out: {why}", file=sys.stderr)
    rows = [row for row in rows if not (arguments.skip and arguments.skip in row.settings)]
    results = [[] for _ in rows]
    for repeat, (number, row) in itertools.product(range(arguments.repeats), enumerate(rows)):
        print(f"{repeat * len(rows) + number + 1}/{arguments.repeats * len(rows)} {row.engine}: {row.settings}", file=sys.stderr)
        folder = arguments.folder / f"{number}-{repeat}"
        folder.mkdir()
        results[number].append(measure(row, folder, arguments))
    report["rows"] = [middle(repeats) for repeats in results]
    return report


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000, help="bodies, at most 8000")
    parser.add_argument("--engines", default=",".join(ENGINES), help="in the order in which they run")
    parser.add_argument("--time", type=float, default=3.0, help="simulated time, s")
    parser.add_argument("--repeats", type=int, default=1, help="runs of every row, in turn; the table has the median")
    parser.add_argument("--patience", type=float, default=3600.0, help="wall time after which a row is given up, s")
    parser.add_argument("--program-folder", type=pathlib.Path, default=ROOT / "build/release/benchmarks/peers")
    parser.add_argument("--scree", help="the program; that of build/release or the PATH if not given")
    parser.add_argument("--liggghts", default="liggghts", help="the program")
    parser.add_argument("--jolt-wasm", type=pathlib.Path, help="folder with node_modules/jolt-physics")
    parser.add_argument("--skip", help="leave rows out whose settings hold this text")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.engines = [name for name in arguments.engines.split(",") if name]
    if unknown := [name for name in arguments.engines if name not in ENGINES]:
        parser.error(f"unknown engine {unknown[0]}; there are {', '.join(ENGINES)}")
    if arguments.count < 1 or arguments.repeats < 1 or not 0 < arguments.time < math.inf:
        parser.error("--count, --repeats and --time must be positive")
    built = ROOT / "build/release/tools/scree"
    arguments.scree = arguments.scree or (str(built) if built.exists() else shutil.which("scree"))
    if arguments.scree and os.sep in arguments.scree:
        arguments.scree = str(pathlib.Path(arguments.scree).resolve())
    return arguments


def main():
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        arguments.folder = pathlib.Path(folder)
        prepare(arguments)
        report = compare(arguments)
    if not report["rows"]:
        sys.exit("compare.py: no engine is left")
    text = markdown(report)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if arguments.markdown:
        arguments.markdown.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
