#!/usr/bin/env python3
"""Counts the instructions of every stage of a step by callgrind. The counts are the same in every run, without noise.

    benchmarks/callgrind.py [--program build/release/benchmarks/callgrind_steps] [--scene settled_bed] [--count 200]
                            [--from 1.5] [--steps 5] [--csv FILE] [--markdown FILE]

Counts on one thread, in steps from a prepared state, and divides by steps, bodies, candidate pairs and contacts; the
sweeps are also divided by contacts times sweeps. A stage includes what it calls. Needs valgrind (Debian: valgrind).
"""

import argparse
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Stages, and the functions that belong to them, from the outside in: callgrind's name without arguments.
STAGES = [
    ("step", "scree::step"),
    ("detection", "scree::find_contacts"),
    ("detection: candidate pairs", "scree::update_candidate_pairs"),
    ("detection: gaps of ellipsoids", "scree::climb"),
    ("detection: narrow phase", "scree::find_gaps"),
    ("assembly", "scree::assemble"),
    ("solution", "scree::solve"),
    ("solution: batches", "scree::make_batches"),
    ("solution: batches, sweeps, residual", "scree::solve_wide"),
    ("solution: sweeps", "scree::visit_batches"),
    ("solution: residual", "scree::residual_of_batches"),
    ("position correction", "scree::correct_positions"),
    ("impulses into contacts", "scree::take_impulses"),
    ("balances of contacts", "scree::balance"),
    ("balances of bodies", "scree::body_sums"),
    ("drift", "scree::drift"),
]
OTHERS_FROM = 0.01  # share of a step from which a function outside the rows above gets a row of its own
COLUMNS = ["stage", "instructions", "share", "per_step", "gauss_seidel", "per_pair", "nsgs", "per_swept_contact"]
# callgrind_annotate: "12,345 (67.8%)  file:function(arguments)'recursion [object]"
LINE = re.compile(r"^\s*([\d,]+) \([^)]*\)\s+[^:]*:(.*?)(?: \[[^\]]*\])?$")


def argument_parser(description):
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--program", type=pathlib.Path, default=root / "build/release/benchmarks/callgrind_steps")
    parser.add_argument("--scene", default="settled_bed", help="a name of `scree bench --list`, or a file with `count`")
    parser.add_argument("--count", type=int, default=200, help="bodies")
    parser.add_argument("--from", dest="start", type=float, default=1.5, help="simulated time to begin at, s")
    parser.add_argument("--steps", type=int, default=5, help="steps that are counted")
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("--markdown", type=pathlib.Path)
    return parser


def check_programs(script, program, tools):
    for tool in tools:
        if not shutil.which(tool):
            sys.exit(f"{script}: {tool} is not installed (Debian: {'binutils' if tool == 'objdump' else 'valgrind'})")
    if not program.exists():
        sys.exit(f"{script}: {program} is not built: cmake --build --preset release --target {program.name}")


def count(arguments, folder, *options):
    """(work of the steps, callgrind's file)"""
    out = folder / "callgrind.out"
    command = ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={out}", "--collect-atstart=no",
               "--toggle-collect=counted_steps", *options, str(arguments.program), arguments.scene,
               str(arguments.count), str(arguments.start), str(arguments.steps)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"callgrind.py: {' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout), out


def bare_name(function):
    """'scree::gap(scree::PlacedEllipsoid const&, ...)' -> 'scree::gap'; clones and recursion levels share one name."""
    name = re.split(r"[(\[]", function.replace("(anonymous namespace)::", ""), maxsplit=1)[0]
    return re.sub(r"[.'].*$", "", name).strip()


def is_own_lambda(function):
    """Whether this is a lambda of a function. The function calls it, so its count already includes the lambda."""
    return "<" not in bare_name(function) and ")::{lambda(" in function


def inclusive_counts(out):
    """{function: instructions, with all functions that it calls}. Overloads, which never call each other, are added."""
    text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", str(out)],
                          capture_output=True, text=True, check=True).stdout
    return add_up([(match[2], int(match[1].replace(",", ""))) for match in map(LINE.match, text.splitlines()) if match])


def add_up(lines):
    """{bare name: count} of [(function, count)]. A lambda counts only if its function is inlined and has no count."""
    counts, lambdas = {}, {}
    for function, n in lines:
        name, into = bare_name(function), lambdas if is_own_lambda(function) else counts
        into[name] = into.get(name, 0) + n
    return {**lambdas, **counts}


def row(stage, function, counts, work):
    n, steps = counts[function], work["steps"]
    swept = function == "scree::visit_batches" and work["swept_contacts"]
    return [stage, n, n / counts["scree::step"], n / steps, n / (work["bodies"] * steps),
            n / work["pairs"] if work["pairs"] else "", n / work["contacts"] if work["contacts"] else "",
            n / work["swept_contacts"] if swept else ""]


def table(counts, work):
    """One row per stage, then one for every other important function of the engine, by its name."""
    total = counts.get("scree::step")
    if not total:
        sys.exit("callgrind.py: callgrind saw no scree::step")
    rows = [row(stage, function, counts, work) for stage, function in STAGES if function in counts]
    known = {function for _, function in STAGES}
    others = [f for f in counts  # no templates: their work is counted for the functions that they call
              if f.startswith("scree::") and "<" not in f and f not in known and counts[f] >= OTHERS_FROM * total]
    return rows + [row(f, f, counts, work) for f in sorted(others, key=counts.get, reverse=True)]


def text_of(value):
    if isinstance(value, float):
        return f"{value:.1f}"
    return str(value)


def markdown(rows, work, arguments):
    lines = [f"Instructions of `{arguments.scene}`, {work['bodies']} bodies, {work['steps']} steps from t = "
             f"{arguments.start:g} s: {work['pairs'] / work['steps']:.0f} candidate pairs, "
             f"{work['contacts'] / work['steps']:.0f} contacts, {work['sweeps'] / work['steps']:.1f} sweeps a step; "
             f"state hash {work['state_hash']}.", "",
             "| stage | share | a step | a body | a pair | a contact | a contact and sweep |",
             "|---|---|---|---|---|---|---|"]
    for stage, _, share, *rest in rows:
        cells = [f"{value:.0f}" if isinstance(value, float) else "" for value in rest]
        lines.append(f"| {stage} | {100 * share:.1f} % | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    arguments = argument_parser(__doc__.splitlines()[0]).parse_args()
    check_programs("callgrind.py", arguments.program, ("valgrind", "callgrind_annotate"))
    with tempfile.TemporaryDirectory() as folder:
        work, out = count(arguments, pathlib.Path(folder))
        rows = table(inclusive_counts(out), work)
    if arguments.csv:
        with open(arguments.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows([text_of(row[0]), row[1], f"{row[2]:.4f}", *map(text_of, row[3:])] for row in rows)
    text = markdown(rows, work, arguments)
    if arguments.markdown:
        arguments.markdown.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
