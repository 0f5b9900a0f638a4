"""The commands `scree sweep` and `scree calibrate`: ``python3 -m scree.study sweep study.toml``."""

from __future__ import annotations

import argparse
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence

from . import program
from .errors import ProgramError
from .study_file import Plan, Study, read_calibration, read_study
from .study_reader import StudyError, read_toml
from .study_runs import (CUT_OFF, FAILED, FINISHED, INTERRUPTED, RUNNING, TO_DO, Crew, Identities, Job, Outcome, Shelf,
                         Signals, check, write_whole)
from .study_table import Row, check_measures, measures_of, read_measured, write_means, write_table
from .study_words import said, tell, words_of, workers_of

CANNOT_WRITE = 4  # tools/exit_codes.h
MISSING_PROGRAM = 7


class Sweep:
    """A study, its runs and its tables."""

    def __init__(self, study: Study, quiet: bool = False):
        self.study, self._quiet = study, quiet
        self.shelf = Shelf(study.folder)
        identities = Identities()
        self.rows: List[Row] = []
        for number, point in enumerate(study.points):
            for seed in study.seeds:
                overrides = study.overrides(point, seed)
                job = Job(study.scenes[0], overrides, len(self.rows), identities.of(study.scenes[0], overrides),
                          said(point, seed))
                self.rows.append(Row(job, number, point, seed, self.shelf.outcome(job)))
        self._by_job: Dict[str, List[Row]] = {}  # points may differ in names alone
        for row in self.rows:
            self._by_job.setdefault(row.job.identity, []).append(row)

    def run(self, rows: Sequence[Row], retry: bool) -> int:
        """Does those that are to do; gives the exit status."""
        left = [row for row in rows if row.outcome.status not in (FINISHED, FAILED) or
                (retry and row.outcome.status == FAILED)]
        done = len(rows) - len(left)
        forecast = 0.0
        for row in ([left[0], left[-1]] if len(left) > 1 else left):
            try:
                forecast = max(forecast, check(row.job))
            except StudyError as fault:
                raise StudyError([f"{self.study.file}: the run with {row.job.said} cannot begin:", *fault.faults],
                                 fault.status) from None
        read_measured(rows)
        if self.study.measures:
            self._check_measures(self.study.measures)
        if done and not self._quiet:
            tell(f"{done} of {len(rows)} runs are there already{self._from_others(rows)}")
        crew = Crew(self.shelf, workers=workers_of(self.study), threads=self.study.threads,
                    memory_mb=self.study.memory_mb, forecast_mb=forecast)

        def heard(job: Job, outcome: Outcome) -> None:
            nonlocal done
            same = self._by_job[job.identity]
            for row in same:
                row.outcome = outcome
            if outcome.status in (FINISHED, FAILED):
                done += len(same)
            if not self._quiet or outcome.status == FAILED:
                tell(f"{done} of {len(rows)}: {job.said}: {words_of(outcome)}")
            if outcome.status == FINISHED and self.study.measures:
                read_measured(self.rows)
                self._check_measures(self.study.measures)

        with Signals() as signals:
            crew.run([row.job for row in rows], retry=retry, done=heard, signals=signals)
        if signals.count:
            tell(f"interrupted: {done} of {len(rows)} runs are done. The same command goes on with the others.")
            return INTERRUPTED
        return self.status(rows)

    @staticmethod
    def _from_others(rows: Sequence[Row]) -> str:
        """How many of the stored runs another version of the program made."""
        versions = [str(row.outcome.summary.get("scree_version", "")) for row in rows if row.outcome.status == FINISHED]
        others = sorted(set(versions) - {""})
        if others:
            others = [v for v in others if v != program.version()]
        if not others:
            return ""
        count = sum(v in others for v in versions)
        return (f"; {count} of them by another version ({', '.join(others)}), which may give other results: "
                "remove their folders to run them again")

    def _check_measures(self, measures: List[str]) -> None:
        check_measures(self.study.file, measures, [row.measured for row in self.rows if row.measured is not None])

    def status(self, rows: Sequence[Row]) -> int:
        """0 where all has been run; else that of the first run that failed."""
        failed = [row for row in rows if row.outcome.status != FINISHED]
        if failed and any(row.outcome.status == FAILED for row in failed):
            tell(f"{len(failed)} of {len(rows)} runs failed or are cut off; the column `error` says why. --retry runs "
                 "those that failed again.")
        return next((row.outcome.exit if row.outcome.exit > 0 else 1 for row in failed), 0)

    def gather(self, figures: Optional[Path]) -> int:
        """The tables and the picture of what is there."""
        for row in self.rows:
            row.outcome = self.shelf.outcome(row.job)
        read_measured(self.rows)
        study, folder = self.study, self.study.folder
        if study.measures:
            self._check_measures(study.measures)
        measures = measures_of(study.measures, self.rows)
        write_table(folder / "table.csv", study, study.keys, measures, self.rows)
        write_means(folder / "means.csv", study.keys, measures, self.rows)
        finished = [row for row in self.rows if row.measured is not None]
        if not measures and finished:
            names = ", ".join(finished[0].measured.summary) if finished[0].measured is not None else ""
            tell(f"the runs have no measurements; measure = [...] in {study.file} can name numbers of summary.json: "
                 f"{names}")
        self._tell_equal_seeds()
        written = [folder / "table.csv", folder / "means.csv"]
        if finished and measures:
            from . import study_figures

            try:
                note = study_figures.draw(study, measures, self.rows, figures or folder / "figures.png")
                written.append(figures or folder / "figures.png")
                if note:
                    tell(note)
            except ImportError as fault:
                tell(f"no picture: {fault}")
                if figures is not None:
                    return MISSING_PROGRAM
        if not self._quiet:
            tell(f"{len(finished)} of {len(self.rows)} runs are in " + ", ".join(map(str, written)))
        return 0

    def _tell_equal_seeds(self) -> None:
        if len(self.study.seeds) < 2:
            return
        first = [row for row in self.rows if row.point == 0 and row.measured is not None]
        hashes = {str(row.outcome.summary.get("state_hash", row.job.identity)) for row in first}
        if len(first) > 1 and len(hashes) == 1:
            tell(f"warning: all seeds of {said(first[0].values, None)} end in the same state: the scene has nothing "
                 f"random, or headings with seeds of their own; seed_key names the keys that seeds set "
                 f"({', '.join(self.study.seed_keys)} now)")

    def dry_run(self) -> None:
        counts: Dict[str, int] = {}
        for row in self.rows:
            counts[row.outcome.status] = counts.get(row.outcome.status, 0) + 1
            print(f"{row.job.number:5d}  {row.outcome.status:9s} {row.job.said}")
        print(f"{len(self.rows)} runs: " + ", ".join(f"{counts[s]} {s}" for s in
                                                     (FINISHED, FAILED, CUT_OFF, RUNNING, TO_DO) if s in counts))


def slurm_script(study: Study, runs: int) -> str:
    """An array with a task for each run."""
    words = " ".join(shlex.quote(str(word)) for word in (program.path(), "sweep", study.file.absolute(),
                                                         "--folder", study.folder.absolute(),
                                                         "--threads", study.threads))
    # A percent sign in the name of the log would be a pattern of sbatch.
    log = str(study.folder.absolute() / "slurm").replace("%", "%%")
    memory = f"#SBATCH --mem={study.memory_mb:.0f}M\n" if study.memory_mb else ""
    return f"""#!/bin/bash
# The study {study.name}: {runs} runs, a task each. Send it off by sbatch. The same script again goes on with what was
# cut off. The last task that ends makes the tables; --gather instead of --task makes them at any time.
#SBATCH --job-name={shlex.quote(study.name)}
#SBATCH --array=0-{runs - 1}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={study.threads}
#SBATCH --time=24:00:00
{memory}#SBATCH --signal=B:TERM@120
#SBATCH --output={shlex.quote(log + "_%a.log")}
#SBATCH --open-mode=append
exec {words} --task "$SLURM_ARRAY_TASK_ID"
"""


def sweep(options: argparse.Namespace) -> int:
    study = _with_options(read_study(options.study), options)
    if options.tasks:
        print(len(study.points) * len(study.seeds))
        return 0
    if options.print_slurm:
        (study.folder).mkdir(parents=True, exist_ok=True)  # sbatch writes its logs there
        print(slurm_script(study, len(study.points) * len(study.seeds)), end="")
        return 0
    whole = Sweep(study, options.quiet)
    if options.dry_run:
        whole.dry_run()
        return 0
    if options.gather:
        return whole.gather(options.output)
    _tell_fixed_seeds(study)
    _keep_study(study)
    if options.task is None:
        status = whole.run(whole.rows, options.retry)
        return whole.gather(options.output) or status
    if not 0 <= options.task < len(whole.rows):
        raise StudyError([f"--task {options.task}: there is no such run (allowed 0 to {len(whole.rows) - 1})"], 2)
    status = whole.run([whole.rows[options.task]], options.retry)
    outcomes = [whole.shelf.outcome(row.job).status for row in whole.rows]
    if all(outcome in (FINISHED, FAILED) for outcome in outcomes):
        return whole.gather(options.output) or status
    return status


def _tell_fixed_seeds(study: Study) -> None:
    """Headings whose random numbers stay the same whatever the scene's seed is."""
    if study.seeds == [None] or study.seed_keys != ["seed"]:
        return
    try:
        scene = read_toml(study.scenes[0])
    except StudyError:
        return
    fixed = [f"{name}[{k}].seed" for name, headings in scene.items() if isinstance(headings, list)
             for k, heading in enumerate(headings) if isinstance(heading, dict) and "seed" in heading]
    if fixed:
        tell(f"warning: {study.scenes[0]} sets {', '.join(fixed)}: `seed` does not change these random numbers; "
             f'seed_key = ["seed", "{fixed[0]}"] would')


def _keep_study(plan: Plan) -> None:
    """What was asked for, beside what came."""
    write_whole(plan.folder / "study.toml", plan.file.read_text(encoding="utf-8"))


def _with_options(plan: Any, options: argparse.Namespace) -> Any:
    changed = {name: getattr(options, name) for name in ("workers", "threads", "folder")
               if getattr(options, name, None) is not None}
    return replace(plan, **changed)


def calibrate(options: argparse.Namespace) -> int:
    try:
        import numpy  # noqa: F401
        import scipy  # noqa: F401
    except ImportError as fault:
        raise StudyError([f"`scree calibrate` needs NumPy and SciPy (Debian: python3-scipy; pip: scipy): {fault}"],
                         MISSING_PROGRAM) from None
    from . import calibration

    plan = _with_options(read_calibration(options.study), options)
    if not options.dry_run:
        _keep_study(plan)
    return calibration.calibrate(plan, retry=options.retry, dry_run=options.dry_run, figure=options.output,
                                 quiet=options.quiet)


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


def parser() -> argparse.ArgumentParser:
    whole = argparse.ArgumentParser(prog="scree", description="Studies: many runs of a scene, side by side.")
    commands = whole.add_subparsers(dest="command", required=True, metavar="sweep|calibrate")
    sweeps = commands.add_parser("sweep", help="run a scene over many parameters", description=(
        "Run a scene over many parameters, as a study file says, and make one table of what was measured. What is "
        "done is kept: the same command goes on after a kill."))
    calibrations = commands.add_parser("calibrate", help="fit parameters to what was measured", description=(
        "Fit parameters of scenes to values that were measured, as a study file says, with their uncertainty. What is "
        "done is kept: the same command goes on after a kill."))
    for command, do in ((sweeps, sweep), (calibrations, calibrate)):
        command.set_defaults(do=do)
        command.add_argument("study", type=Path, metavar="STUDY.toml", help="the study file (docs/studies.md)")
        command.add_argument("--folder", type=Path, help="folder for runs and tables; the study's if not given")
        command.add_argument("-o", "--output", type=Path, metavar="FILE",
                             help="the picture; figures.png or calibration.png in the folder if not given")
        command.add_argument("--workers", type=_count, metavar="N", help="runs side by side; the study's if not given")
        command.add_argument("--threads", type=_count, metavar="N", help="threads of each; the study's if not given")
        command.add_argument("--retry", action="store_true", help="run those again that failed")
        command.add_argument("--dry-run", action="store_true", help="list the runs, and run nothing")
        command.add_argument("-q", "--quiet", action="store_true", help="print nothing but warnings and errors")
    which = sweeps.add_mutually_exclusive_group()
    which.add_argument("--task", type=int, metavar="N", help="one run only, from 0: a task of a Slurm array")
    which.add_argument("--tasks", action="store_true", help="print how many runs there are")
    which.add_argument("--gather", action="store_true", help="make the tables and the picture of what is there")
    which.add_argument("--print-slurm", action="store_true", help="print a script for sbatch, a task for each run")
    return whole


def guarded(do: Callable[[], int]) -> int:
    """The exit status of a command; what goes wrong is told in words."""
    try:
        return do()
    except StudyError as fault:
        for line in fault.faults:
            tell(f"error: {line}")
        return fault.status
    except ProgramError as fault:
        tell(f"error: {fault}")
        return MISSING_PROGRAM
    except ImportError as fault:
        tell(f"error: a package of Python is missing: {fault}")
        return MISSING_PROGRAM
    except OSError as fault:
        tell("error: " + (f"{fault.filename}: " if fault.filename else "") + str(fault.strerror or fault))
        return CANNOT_WRITE
    except KeyboardInterrupt:
        return INTERRUPTED


def main(words: Optional[Sequence[str]] = None) -> int:
    options = parser().parse_args(words)
    return guarded(lambda: int(options.do(options)))


if __name__ == "__main__":
    sys.exit(main())
