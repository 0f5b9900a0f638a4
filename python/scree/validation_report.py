"""The output of `scree validate`: the table, validation.json, pictures, and a page."""

from __future__ import annotations

import json
import os
import platform
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional

from . import plots
from .study_figures import headless
from .study_runs import read_json, write_whole
from .study_words import tell, time_of
from .validation_case import KNOWN, PASS, UNSURE, Case, Check, RunsOfPoint


@dataclass
class Result:
    """The outcome of a case."""

    case: Case
    full: bool
    checks: List[Check] = field(default_factory=list)
    points: List[RunsOfPoint] = field(default_factory=list)
    runs: int = 0
    seconds: float = 0.0  #: of all runs together
    grade: str = ""  #: the worst verdict of the runs
    error: str = ""  #: why there are no checks
    status: int = 0  #: of the run that failed
    figure: Optional[Path] = None

    def cause(self, check: Check) -> str:
        """Of a known miss; otherwise empty."""
        return {**self.case.known_misses, **self.case.form(self.full).known_misses}.get(check.name, "")

    def verdict(self, check: Check) -> str:
        found = check.verdict()
        return KNOWN if found != PASS and self.cause(check) else found

    def passed(self) -> bool:
        """A miss whose cause is stated does not count."""
        return not self.error and all(self.verdict(check) in (PASS, KNOWN) for check in self.checks)


def shown(value: Optional[float], error: float) -> str:
    """"1.234 ± 0.012": two digits of the error."""
    if value is None:
        return "none"
    if error <= 0.0 or error != error:
        return f"{value:.4g}"
    digits = max(0, 1 - _power(error))
    return f"{value:.{digits}f} ± {error:.{digits}f}"


def _power(value: float) -> int:
    return int(f"{value:e}".partition("e")[2])


def band(check: Check) -> str:
    ends = f"{check.low:.4g}" if check.low == check.high else f"{check.low:.4g} to {check.high:.4g}"
    return ends + (f" {check.unit}" if check.unit else "")


HEAD = ("case", "quantity", "measured", "published", "verdict", "s", "runs")


def lines_of(result: Result) -> List[List[str]]:
    """Rows of the table."""
    about = [time_of(result.seconds).replace(" s", ""), f"{result.runs} {result.grade}".strip()]
    if result.error:
        return [[result.case.name, "", "", "", "no result", *about]]
    found = []
    for k, check in enumerate(result.checks):
        first = k == 0
        measured = shown(check.value, check.error) + (f" {check.unit}" if check.unit else "")
        found.append([result.case.name if first else "", check.name, measured, band(check), result.verdict(check),
                      *(about if first else ["", ""])])
    return found


def table(results: List[Result]) -> str:
    rows = [list(HEAD), *(line for result in results for line in lines_of(result))]
    widths = [max(len(row[k]) for row in rows) for k in range(len(HEAD))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    for result in results:
        if result.error:
            text.append(f"no result: {result.case.name}: {result.error}")
        for check in result.checks:
            if result.verdict(check) == KNOWN:
                text.append(f"known miss: {result.case.name}, {check.name}: {result.cause(check)}")
            elif result.verdict(check) == UNSURE:
                text.append(f"unsure: {result.case.name}, {check.name}: its error is above {check.resolvable:.3g}, so "
                            "the check could not fail")
            elif result.verdict(check) == PASS and result.cause(check):
                text.append(f"{result.case.name}, {check.name}: is listed as a known miss, but passes")
    return "\n".join(text)


def as_json(results: List[Result]) -> Dict[str, Any]:
    return {"machine": machine(), "date": time.strftime("%Y-%m-%d"), "cases": {
        result.case.name: {
            "title": result.case.title, "form": "full" if result.full else "short", "measures": result.case.measures,
            "sources": result.case.sources, "runs": result.runs, "seconds": round(result.seconds, 2),
            "verdict_of_runs": result.grade, "error": result.error, "passed": result.passed(),
            "figure": result.figure.name if result.figure else None,
            "checks": [{"name": c.name, "value": c.value, "error": c.error, "unit": c.unit, "low": c.low,
                        "high": c.high, "published": c.published, "verdict": result.verdict(c),
                        "cause": result.cause(c)} for c in result.checks]}
        for result in results}}


def write_json(path: Path, results: List[Result]) -> None:
    """Keeps the cases that an earlier call has written."""
    text = as_json(results)
    there = read_json(path).get("cases")
    if isinstance(there, dict):
        text["cases"] = {**there, **text["cases"]}
    write_whole(path, json.dumps(text, indent=1) + "\n")


def machine() -> str:
    """The processor, and the number of processors."""
    name = platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return f"{name}, {os.cpu_count()} processors, {platform.system()}"


def draw(result: Result, folder: Path) -> None:
    """The case's picture; without matplotlib there is none, and a message says so."""
    if result.case.draw is None or result.error:
        return
    headless()
    try:
        pyplot = plots.pyplot()
    except ImportError as fault:
        tell(f"no picture: {fault}")
        return
    figure, axes = pyplot.subplots(1, result.case.panels, figsize=(5.2 * result.case.panels, 4.0),
                                   constrained_layout=True)
    try:
        result.case.draw(axes, result.points)
        figure.suptitle(result.case.title, fontsize=11)
        path = folder / f"{result.case.name}.png"
        passing = path.with_name(f".{path.name}.passing.png")
        figure.savefig(passing, dpi=110)
        os.replace(passing, path)
        result.figure = path
    except Exception as fault:  # a missing picture must not cost the result
        tell(f"{result.case.name}: no picture: {type(fault).__name__}: {fault}")
    finally:
        pyplot.close(figure)


def page(results: List[Result], version: str) -> str:
    """Markdown, with all figures, the hardware and times."""
    form = "full" if any(result.full for result in results) else "short"
    text = ["# Validation", "", f"`scree validate`, {form} form, {version}, {time.strftime('%Y-%m-%d')}. Machine: "
            f"{machine()}. Seconds are wall time, summed over all runs of a case.", ""]
    text += ["| Case | Quantity | Measured | Published | Verdict | s | Runs |", "|---|---|---|---|---|---|---|"]
    text += ["| " + " | ".join(line) + " |" for result in results for line in lines_of(result)]
    for result in results:
        case = result.case
        text += ["", f"## {case.title}", "", case.measures, ""]
        if result.error:
            text += [f"No result: {result.error}", ""]
        for check in result.checks:
            verdict = result.verdict(check)
            text.append(f"- {check.name}: {shown(check.value, check.error)} {check.unit}".rstrip() +
                        f"; published {band(check)}" + (f" ({check.published})" if check.published else "") +
                        f": **{verdict}**." + (f" {result.cause(check)}" if verdict == KNOWN else ""))
        if result.figure:
            text += ["", f"![{case.title}]({result.figure.name})"]
        text += ["", *(f"Source: {source}  " for source in case.sources)]
    return "\n".join(text) + "\n"
