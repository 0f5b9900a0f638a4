"""The command `scree validate`: experiments of a library compared with published numbers."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

from . import program, validation_report
from .errors import ProgramError
from .study import Sweep, guarded
from .study_reader import StudyError
from .study_runs import FINISHED, INTERRUPTED, write_whole
from .study_table import by_points, read_measured
from .study_words import tell, time_of
from .validation_case import KNOWN, Case, RunsOfPoint, library, read_cases, worst
from .validation_report import Result

MISSED = 14  # tools/exit_codes.h: exit_different


class Interrupted(Exception):
    """A signal ended the command; finished work is kept."""


def run(case: Case, options: argparse.Namespace) -> Result:
    """Does the missing runs of a case, and analyses all of its runs."""
    study = case.study(options.full, options.folder, options.workers, options.changes)
    result = Result(case, options.full)
    sweep = Sweep(study, options.quiet)
    try:
        if sweep.run(sweep.rows, options.retry) == INTERRUPTED:
            raise Interrupted
    except StudyError as fault:
        result.error, result.status = "; ".join(fault.faults), fault.status
        return result
    read_measured(sweep.rows)
    result.runs = len(sweep.rows)
    result.seconds = sum(row.outcome.seconds or 0.0 for row in sweep.rows)
    result.grade = worst([row.outcome.verdict for row in sweep.rows])
    failed = [row for row in sweep.rows if row.outcome.status != FINISHED]
    if failed:
        result.error = f"{failed[0].job.said}: {failed[0].outcome.status}: {failed[0].outcome.error}"
        result.status = failed[0].outcome.exit if failed[0].outcome.exit > 0 else 1
        return result
    result.points = [RunsOfPoint(rows) for rows in by_points(sweep.rows)]
    try:
        result.checks = case.analyse(result.points)
    except StudyError as fault:
        result.error = "; ".join(fault.faults)
    except Exception as fault:  # any error of an analysis
        result.error = f"{case.file.name}: {type(fault).__name__}: {fault}"
    validation_report.draw(result, options.folder)
    return result


def validate(options: argparse.Namespace) -> int:
    cases = read_cases(library(options.library), options.cases)
    if options.list:
        for case in cases:
            print(f"{case.name:20s} {case.title} (short {time_of(case.short.seconds)}, full "
                  f"{time_of(case.full.seconds)})")
        return 0
    options.folder.mkdir(parents=True, exist_ok=True)
    results: List[Result] = []
    for k, case in enumerate(cases):
        if not options.quiet:
            tell(f"{case.name} ({k + 1} of {len(cases)}): {case.title}; about "
                 f"{time_of(case.form(options.full).seconds)} where two cores are free")
        try:
            results.append(run(case, options))
        except Interrupted:
            return INTERRUPTED
        validation_report.write_json(options.folder / "validation.json", results)
        if options.full or options.page:
            write_whole(options.folder / "validation.md", validation_report.page(results, f"scree {program.version()}"))
    print(validation_report.table(results))
    missed = [result.case.name for result in results if not result.passed()]
    if missed:
        print(f"{len(results) - len(missed)} of {len(results)} cases hold; these do not: {', '.join(missed)}")
        return next((result.status for result in results if result.status), MISSED)
    known = [result.case.name for result in results if any(result.verdict(check) == KNOWN for check in result.checks)]
    held = len(results) - len(known)
    if known:
        print(f"{held} of {len(results)} cases hold; the others miss for known reasons: {', '.join(known)}")
    else:
        print(f"all {held} cases hold" if held > 1 else "the case holds")
    return 0


def _change(text: str) -> Dict[str, Any]:
    """KEY=VALUE: a number, true, false, or a word."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError("must be KEY=VALUE")
    return {key.strip(): _value(value.strip())}


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


def parser() -> argparse.ArgumentParser:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    whole = argparse.ArgumentParser(prog="scree validate", description=(
        "Run experiments whose outcome is published, and hold what they measure against it (docs/validation.md). "
        "Finished runs are kept: the same command goes on after a kill."))
    whole.add_argument("cases", nargs="*", metavar="CASE", help="names of cases; all of the library if none is given")
    whole.add_argument("--full", action="store_true", help="the long form: larger, with more seeds; and a page")
    whole.add_argument("--list", action="store_true", help="list the cases, and run nothing")
    whole.add_argument("--folder", type=Path, default=Path("results/validation"),
                       help="folder of runs, validation.json and pictures; results/validation if not given")
    whole.add_argument("--library", type=Path, metavar="FOLDER", help="folder of the cases")
    whole.add_argument("--workers", type=_count, metavar="N", default=cores, help="runs side by side; all cores")
    whole.add_argument("--set", dest="sets", type=_change, action="append", default=[], metavar="KEY=VALUE",
                       help="a setting of all runs, such as solver.tolerance=0.01: what the outcome owes to it")
    whole.add_argument("--page", action="store_true", help="write validation.md in the short form too")
    whole.add_argument("--retry", action="store_true", help="run those again that failed")
    whole.add_argument("-q", "--quiet", action="store_true", help="print the table, warnings and errors only")
    return whole


def main(words: Optional[Sequence[str]] = None) -> int:
    options = parser().parse_args(words)
    options.changes = {key: value for change in options.sets for key, value in change.items()}
    return guarded(lambda: validate(options))


if __name__ == "__main__":
    sys.exit(main())
