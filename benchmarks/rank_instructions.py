#!/usr/bin/env python3
"""Counts the instructions of a step by several processes (ranks) with callgrind: weak and strong scaling on a machine
with few processors, where seconds say nothing.

    benchmarks/rank_instructions.py [--program build/release/tools/scree] [--ranks 1,2,4,8] [--strong 16000]
                                    [--weak 4000] [--from 0.9] [--steps 10] [--launcher "mpirun --oversubscribe -n"]

A bed of settling_box_n is prepared by one process. Each number of ranks continues it twice, by STEPS and by twice as
many steps; the difference of the counts belongs to steps alone. Instructions of the MPI library and of the system are
left out: ranks that wait for others poll there. Needs valgrind and a program with -DSCREE_MPI=ON.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Two processes of a container may not be allowed to read each other's memory; root has to insist on being root.
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
NOT_OURS = re.compile(r"lib(mpi|open-|pmix|event|hwloc|pthread)|mca_|ld-linux|vdso")


def instructions(path):
    """Of a callgrind file, in objects that are not MPI's."""
    names, ours, count, is_call = {}, True, 0, False
    with open(path) as file:
        for line in file:
            if line.startswith(("ob=", "cob=")):
                number, _, name = line.split("=", 1)[1].strip().partition(" ")
                if name:  # given once, and by number from then on
                    names[number] = name
                if line.startswith("ob="):
                    ours = not NOT_OURS.search(names[number])
            elif line.startswith("calls="):
                is_call = True  # the next line has the costs of what was called
            elif line[:1].isdigit() or line[:1] in "+-*":
                count += 0 if is_call or not ours else int(line.split()[1])
                is_call = False
    return count


def run(program, *arguments, before=()):
    done = subprocess.run([*before, program, "run", "-q", *arguments], env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)


def summary(folder):
    with open(folder / "summary.json") as file:
        return json.load(file)


def counts(options, prepared, ranks, steps, work):
    """Instructions of each rank, from its start to the end of these steps; and the number of sweeps."""
    folder = work / f"{ranks}x{steps}"
    shutil.copytree(prepared, folder)
    until = options.start + steps * options.time_step
    pattern = work / f"{folder.name}.%p"
    launcher = [*shlex.split(options.launcher), str(ranks)]
    run(options.program, "--resume", folder, "--until", f"{until:g}", "--threads", "1",
        before=[*launcher, "valgrind", "--tool=callgrind", f"--callgrind-out-file={pattern}", "-q"])
    files = sorted(work.glob(f"{folder.name}.*"))
    assert len(files) == ranks, files
    return [instructions(path) for path in files], summary(folder)


def measure(options, bodies, all_ranks, work):
    """One row for each number of ranks: (ranks, sweeps a step, instructions a step of each rank in ascending order)."""
    prepared = work / f"bed{bodies}"
    if not prepared.exists():
        run(options.program, ROOT / "scenes/settling_box_n/settling_box_n.toml", "--set", f"count={bodies}", "--set",
            f"time_step={options.time_step}", "--set", "output.interval=1", "--until", f"{options.start}", "-o", prepared)
    for ranks in all_ranks:
        (once, first), (twice, last) = (counts(options, prepared, ranks, steps, work)
                                        for steps in (options.steps, 2 * options.steps))
        more = sorted((b - a) / options.steps for a, b in zip(sorted(once), sorted(twice)))
        sweeps = (last["sweeps"] - first["sweeps"]) / options.steps
        yield ranks, sweeps, more, last["state_hash"]
        for folder in (f"{ranks}x{options.steps}", f"{ranks}x{2 * options.steps}"):
            shutil.rmtree(work / folder)
            for path in work.glob(f"{folder}.*"):
                path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/tools/scree")
    parser.add_argument("--ranks", default="1,2,4,8")
    parser.add_argument("--strong", type=int, default=16000, help="bodies of all ranks together")
    parser.add_argument("--weak", type=int, default=4000, help="bodies for each rank")
    parser.add_argument("--from", dest="start", type=float, default=0.9, help="simulated time to begin at, s")
    parser.add_argument("--time-step", type=float, default=0.002)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--launcher", default="mpirun --oversubscribe --bind-to none -n")
    options = parser.parse_args()
    all_ranks = [int(r) for r in options.ranks.split(",")]
    print("| | bodies | ranks | sweeps | millions of instructions per step: busiest rank | mean | all | efficiency |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        hashes = collections.defaultdict(set)

        def row(kind, bodies, result, whole):
            ranks, sweeps, of_ranks, state = result
            hashes[bodies].add(state)
            print(f"| {kind} | {bodies:,} | {ranks} | {sweeps:.1f} | {of_ranks[-1] / 1e6:.1f} "
                  f"| {sum(of_ranks) / ranks / 1e6:.1f} | {sum(of_ranks) / 1e6:.1f} "
                  f"| {whole / of_ranks[-1]:.2f} |", flush=True)

        alone = None
        for result in measure(options, options.strong, all_ranks, work):
            alone = alone or sum(result[2]) * 1.0
            row("strong", options.strong, result, alone / result[0])
        base = None
        for ranks in all_ranks:
            for result in measure(options, options.weak * ranks, [ranks], work):
                # The work of a body and a sweep, against that with the first number of ranks.
                per_sweep = result[2][-1] / max(1.0, result[1])
                base = base or per_sweep
                row("weak", options.weak * ranks, result, base / per_sweep * result[2][-1])
        if any(len(of) > 1 for of in hashes.values()):
            raise SystemExit("numbers of ranks gave different states")


if __name__ == "__main__":
    main()
