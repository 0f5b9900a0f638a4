#!/usr/bin/env python3
"""Accuracy of runs over their cost: four scenes with several time steps, tolerances and limits of sweeps.

    benchmarks/accuracy.py [--program build/release/tools/scree] [--csv FILE] [--read FILE] [--plot FILE.png]
                           [--scenes NAME ...] [--beds SEEDS] [--quick] [--markdown]

Runs every scene for a part of its time on one thread. Each run changes one value of the scene. The reference is a run
with small steps and a fine tolerance. Writes one line per run:
- cost: seconds of the steps' stages, which depend on the machine and its load; and sweeps times contacts, which do not;
- error: the deepest overlap over the smallest semi-axis; the residual over its scale, mean over the steps; and the bulk
  quantity of the scene (`bulk`), to be compared with the reference. This is the mean height of the bodies, or the share
  that left the hopper, mean over the last fifth of the run. Runs of colliding bodies diverge after a while for any
  change, so `bulk` has a scatter of its own: the scatter of runs which differ only in the last digit of the step
  (`scatter`).
--markdown prints the figures as a table. --beds settles small beds from the given number of seeds and compares their
numbers of contacts: all contacts with an impulse, and those that carry more than a hundredth of a body's weight. --read
draws the file of an earlier run. Needs h5py, and gnuplot for the plot (Debian: python3-h5py, gnuplot-nox).
"""

import argparse
import csv
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

import h5py
import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAGES = ["preparation_time_s", "detection_time_s", "resolution_time_s", "finish_time_s"]


def height(positions):
    return float(numpy.mean(positions[:, 2]))


def discharged(positions):
    """Share of the bodies below the outlet of scenes/rounded_hopper."""
    return float(numpy.mean(positions[:, 2] < 0.55))


# Scene: seconds, its own step in s, bulk quantity, name of the quantity.
SCENES = {
    "settling_box": (1.2, 2e-3, height, "mean height, m"),
    "inclined_tube": (1.5, 1e-3, height, "mean height, m"),
    "glass_rice_steel": (0.5, 1e-3, height, "mean height, m"),
    "rounded_hopper": (1.0, 1e-3, discharged, "share that left"),
}
COLUMNS = ["scene", "curve", "setting", "steps", "seconds", "sweeps_contacts", "overlap", "overlap_99", "residual",
           "steps_missed", "bulk", "contacts_per_body", "bearing_per_body", "energy_created", "energy_unexplained"]


def variants(step, quick):
    """(curve, setting, changed values)"""
    if not quick:
        yield "reference", "", {"time_step": 0.25 * step, "solver.tolerance": 3e-4}
    steps = [2 * step, step, 0.5 * step] if quick else [4 * step, 2 * step, step, 0.5 * step]
    yield from (("step", f"{1e3 * h:g} ms", {"time_step": h}) for h in steps)
    overlaps = [1e-3] if quick else [4e-3, 1e-3, 2.5e-4]
    yield from (("adaptive", f"{x:g}", {"time_step": "adaptive", "time_step_overlap": x}) for x in overlaps)
    yield from (("level", name, {"time_step": "adaptive", "accuracy": name})
                for name in (["draft"] if quick else ["draft", "standard", "reference"]))
    tolerances = [1e-2] if quick else [1e-1, 1e-2, 1e-4]
    yield from (("tolerance", f"{t:g}", {"solver.tolerance": t}) for t in tolerances)
    yield from (("max_sweeps", f"{n}", {"solver.max_sweeps": n}) for n in ([10] if quick else [5, 10, 20]))
    yield from (("scatter", f"{k}", {"time_step": step * (1.0 + 1e-9 * k)}) for k in ([1] if quick else [1, 2, 3]))


def bearing_contacts(file, times, from_s):
    """Contacts per body, counted twice, that carry more than a hundredth of the mean weight; mean of late frames."""
    contacts, bodies = file["contacts"], file["frames/offset"][:]
    weight = float(numpy.mean(file["bodies/mass"][:])) * numpy.linalg.norm(file["scene"].attrs["gravity_m_s2"])
    least = 0.01 * weight * contacts.attrs["impulse_time_s"]
    force, offset = numpy.linalg.norm(contacts["impulse"][:], axis=1), contacts["offset"][:]
    late = [k for k in range(len(times)) if times[k] >= from_s - 1e-6]
    return statistics.mean(2.0 * float(numpy.sum(force[offset[k]:offset[k + 1]] > least)) / float(bodies[k + 1] - bodies[k])
                           for k in late)


def run(program, scene, until_s, settings, bulk):
    """One run; those figures of COLUMNS that follow from this run alone."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", scene, "-o", folder, "--overwrite", "-q", "--threads", "1", "--until", str(until_s),
                   "--set", "output.vtk=false", "--set", "output.interval=0.02"]
        for key, value in settings.items():
            command += ["--set", f"{key}={value!r}" if isinstance(value, float) else f"{key}={value}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
        with open(pathlib.Path(folder) / "steps.csv") as file:
            rows = list(csv.DictReader(file))
        summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
        with h5py.File(pathlib.Path(folder) / "trajectory.h5") as file:
            times, offset = file["frames/time"][:], file["frames/offset"][:]
            position, carrying = file["frames/position"][:], bearing_contacts(file, times, 0.9 * until_s)
    column = {name: [float(row[name]) for row in rows]
              for name in rows[0] if name not in ("solver_status", "state_hash")}
    late = [k for k in range(len(times)) if times[k] >= 0.8 * until_s - 1e-6]
    last = [k for k in range(len(rows)) if column["time_s"][k] >= 0.9 * until_s]
    scale = zip(column["residual_rms_m_s"], column["velocity_scale_m_s"])
    return {
        "steps": len(rows),
        "seconds": sum(sum(column[name]) for name in STAGES),
        "sweeps_contacts": sum(a * b for a, b in zip(column["sweeps"], column["contacts"])),
        "overlap": max(column["penetration_max"]),
        "overlap_99": sorted(column["penetration_max"])[int(0.99 * (len(rows) - 1))],
        "residual": statistics.mean(r / s if s > 0.0 else 0.0 for r, s in scale),
        "steps_missed": summary["steps_not_converged"],
        "bulk": statistics.mean(bulk(position[offset[k]:offset[k + 1]]) for k in late),
        "bearing_per_body": carrying,
        "contacts_per_body": statistics.mean(2.0 * column["active_contacts"][k] / column["bodies"][k] for k in last),
        "energy_created": summary["energy_created_relative"],
        "energy_unexplained": summary["energy_unexplained_relative"],
    }


def measure(arguments):
    rows = []
    for name in arguments.scenes:
        until_s, step, bulk, _ = SCENES[name]
        scene = ROOT / "scenes" / name / f"{name}.toml"
        cases = list(variants(step, arguments.quick))
        of_scene = []
        for curve, setting, settings in cases:
            row = {"scene": name, "curve": curve, "setting": setting}
            row |= run(arguments.program, scene, until_s, settings, bulk)
            of_scene.append(row)
            print(f"{name:18} {curve:10} {setting:8} {row['steps']:6} steps {row['seconds']:7.2f} s "
                  f"{row['sweeps_contacts'] / 1e6:8.1f} M  overlap {100 * row['overlap']:.3f} %  "
                  f"residual {row['residual']:.2e}  bulk {row['bulk']:.4f}", flush=True)
        rows += of_scene
    with open(arguments.csv, "w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        table.writerows(rows)
    return rows


def settle_beds(program, seeds):
    """For each of some settings: contacts per body of beds of 500 bodies at rest, and their mean height."""
    scene = ROOT / "scenes" / "bench" / "collapse.toml"
    settings = {"default": {}, "tight": {"solver.tolerance": 1e-4, "solver.max_sweeps": 2000},
                "tolerance 0.01": {"solver.tolerance": 1e-2}, "tolerance 0.1": {"solver.tolerance": 1e-1},
                "10 sweeps": {"solver.max_sweeps": 10}, "adaptive": {"time_step": "adaptive"}}
    found = {name: [] for name in settings}
    for seed in range(1, seeds + 1):
        for name, changed in settings.items():
            found[name].append(run(program, scene, 4.0, changed | {"count": 500, "seed": seed}, height))

    def text(runs, measure):
        values = [row[measure] for row in runs]
        return f"{statistics.mean(values):.4f} +- {statistics.stdev(values) / math.sqrt(seeds) if seeds > 1 else 0.0:.4f}"

    for name, runs in found.items():
        print(f"{name:14} contacts a body with an impulse {text(runs, 'contacts_per_body')}, bearing "
              f"{text(runs, 'bearing_per_body')}, height {text(runs, 'bulk')} m, deepest overlap "
              f"{100 * max(row['overlap'] for row in runs):.2f} %, "
              f"{statistics.mean(row['sweeps_contacts'] for row in runs) / 1e6:.1f} M sweeps x contacts", flush=True)


PANELS = [("overlap", "deepest overlap, % of the smallest semi-axis", 100.0),
          ("residual", "residual, of its scale, mean", 1.0),
          ("bulk", "{bulk}", 1.0)]
CURVES = {"step": ("time step, ms", 7, "#1f77b4"), "adaptive": ("adaptive, overlap aimed at", 5, "#d62728"),
          "tolerance": ("tolerance", 9, "#2ca02c"), "max_sweeps": ("most sweeps", 13, "#9467bd")}


def panel(rows, measure, label, factor):
    """The commands that draw one measure of one scene against sweeps times contacts."""
    data, plots = [], []
    for curve, (title, point, colour) in CURVES.items():
        of_curve = sorted((r for r in rows if r["curve"] == curve), key=lambda r: r["sweeps_contacts"])
        if not of_curve:
            continue
        block = f"${curve}_{rows[0]['scene']}_{measure}"
        lines = [f"{r['sweeps_contacts'] / 1e6} {factor * r[measure]} \"{r['setting'].replace(' ms', '')}\""
                 for r in of_curve]
        data.append(f"{block} << EOD\n" + "\n".join(lines) + "\nEOD")
        plots.append(f"{block} using 1:2 with linespoints lc rgb '{colour}' pt {point} title '{title}'")
        plots.append(f"{block} using 1:2:3 with labels offset 0.6,0.6 left font ',8' tc rgb '{colour}' notitle")
    if measure == "bulk":
        alike = [r["bulk"] for r in rows if r["curve"] in ("scatter", "own")]
        plots = [f"{value} with lines dt 3 lc rgb '#888888' {title}" for value, title in
                 [(min(alike), "title 'alike but for rounding: least and largest'"), (max(alike), "notitle")]] + plots
        plots += [f"{r['bulk']} with lines lw 2 lc rgb 'black' title 'small steps, fine tolerance'"
                  for r in rows if r["curve"] == "reference"]
    scale = "unset logscale y" if measure == "bulk" else "set logscale y"
    return "\n".join([*data, scale, f"set title '{rows[0]['scene']}' noenhanced", f"set ylabel '{label}'",
                      "plot " + ", \\\n  ".join(plots)])


def draw(rows, path):
    scenes = list(dict.fromkeys(row["scene"] for row in rows))
    script = [f"set terminal pngcairo size {560 * len(PANELS)},{400 * len(scenes)} font 'sans,10'", f"set output '{path}'",
              f"set multiplot layout {len(scenes)},{len(PANELS)}", "set logscale xy", "set grid",
              "set offsets graph 0.05, graph 0.15, graph 0.1, graph 0.05",
              "set xlabel 'sweeps x contacts, millions'", "set format y '%g'", "set key below height 0.7 font ',8'"]
    for name in scenes:
        of_scene = [row for row in rows if row["scene"] == name]
        own = f"{1e3 * SCENES[name][1]:g} ms"
        of_scene += [row | {"curve": "own"} for row in of_scene if row["curve"] == "step" and row["setting"] == own]
        for measure, label, factor in PANELS:
            script.append(panel(of_scene, measure, label.format(bulk=SCENES[name][3]), factor))
    subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)


def markdown(rows):
    """One line per run, except for runs that show only the scatter."""
    lines = ["| scene | | | steps | sweeps x contacts, M | s | deepest overlap, % | residual of scale | bulk |",
             "|---|---|---|---|---|---|---|---|---|"]
    for row in (r for r in rows if r["curve"] != "scatter"):
        lines.append(f"| {row['scene']} | {row['curve']} | {row['setting']} | {row['steps']:.0f} | "
                     f"{row['sweeps_contacts'] / 1e6:.1f} | {row['seconds']:.1f} | {100 * row['overlap']:.2f} | "
                     f"{row['residual']:.1e} | {row['bulk']:.4f} |")
    return "\n".join(lines)


def read(path):
    with open(path) as file:
        return [{k: v if k in ("scene", "curve", "setting") else float(v) for k, v in row.items()}
                for row in csv.DictReader(file)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=ROOT / "build" / "release" / "tools" / "scree")
    parser.add_argument("--csv", default="accuracy.csv", help="where the figures go")
    parser.add_argument("--read", help="figures of an earlier run, in place of new ones")
    parser.add_argument("--plot", help="where the diagram goes, a PNG")
    parser.add_argument("--markdown", action="store_true", help="print the figures as a table too")
    parser.add_argument("--scenes", nargs="+", default=list(SCENES), choices=list(SCENES))
    parser.add_argument("--beds", type=int, default=0, help="settle beds of so many seeds instead")
    parser.add_argument("--quick", action="store_true", help="few runs, and none that is fine")
    arguments = parser.parse_args()
    if arguments.beds:
        settle_beds(arguments.program, arguments.beds)
        return
    rows = read(arguments.read) if arguments.read else measure(arguments)
    if arguments.markdown:
        print(markdown(rows))
    if arguments.plot:
        draw(rows, arguments.plot)


if __name__ == "__main__":
    main()
