"""What runs measured, and the tables of a study."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from . import toml
from .study_file import Plan, Point, is_number
from .study_reader import StudyError, nearest
from .study_runs import FINISHED, Job, Outcome, read_json, write_whole

Numbers = Dict[str, Optional[float]]  # by statistics


@dataclass
class Row:
    """A run of the table."""

    job: Job
    point: int
    values: Point
    seed: Optional[int]
    outcome: Outcome
    measured: "Optional[Measured]" = None


class Measured:
    """All that a finished run has, by names: of measurements.json, and numbers of summary.json."""

    def __init__(self, folder: Path, summary: Mapping[str, Any]):
        self.quantities: Dict[str, Numbers] = {}
        self.units: Dict[str, str] = {}
        measurements = read_json(folder / "measurements.json").get("measurements")
        for name, about in (measurements.items() if isinstance(measurements, dict) else ()):
            quantities = about.get("quantities") if isinstance(about, dict) else None
            for quantity, numbers in (quantities.items() if isinstance(quantities, dict) else ()):
                if isinstance(numbers, dict):
                    whole = f"{name}.{quantity}"
                    self.quantities[whole] = {key: float(value) if is_number(value) else None
                                              for key, value in numbers.items() if key != "unit"}
                    self.units[whole] = str(numbers.get("unit") or "")
        self.summary = dict(_numbers(summary))

    def names(self) -> List[str]:
        return [*self.quantities, *(name for name in self.summary if name not in self.quantities)]

    def has(self, measure: str) -> bool:
        name, _, statistic = measure.partition(":")
        return name in self.quantities or (not statistic and name in self.summary)

    def value(self, measure: str) -> Optional[float]:
        """None where the run has no such number."""
        name, _, statistic = measure.partition(":")
        if name in self.quantities:
            return self.quantities[name].get(statistic or "mean")
        return self.summary.get(name) if not statistic else None

    def error(self, measure: str) -> Optional[float]:
        """Standard error of a mean over time."""
        name, _, statistic = measure.partition(":")
        return self.quantities.get(name, {}).get("error") if statistic in ("", "mean") else None

    def refusal(self, measure: str) -> str:
        """Why it has no such measure."""
        name, _, statistic = measure.partition(":")
        if statistic and name in self.summary:
            return (f"'{measure}': '{name}' is a number of summary.json, which has no statistics; leave "
                    f"':{statistic}' out")
        names = self.names()
        close = nearest(name, names) or nearest(name.split(".")[-1], [n.split(".")[-1] for n in names])
        there = "its measurements: " + ", ".join(self.quantities) if self.quantities else "it has no measurements.json"
        numbers = ", ".join(self.summary) or "no numbers"
        return f"'{measure}' is not measured" + (f"; {close}" if close else "") + \
            f"\n  {there}\n  of summary.json: {numbers}"


def _numbers(values: Any, path: str = "") -> Iterable[Tuple[str, float]]:
    """Numbers by paths with dots; of lists those of up to four numbers, by their places."""
    if is_number(values):
        yield path, float(values)
    elif isinstance(values, dict):
        for key, value in values.items():
            yield from _numbers(value, f"{path}.{key}" if path else str(key))
    elif isinstance(values, list) and len(values) <= 4 and all(is_number(value) for value in values):
        for k, value in enumerate(values):
            yield f"{path}.{k}", float(value)


def check_measures(file: Path, measures: Sequence[str], measured: Sequence[Measured], key: str = "measure") -> None:
    """Raises StudyError where a measure is in none of the runs; all of them are told."""
    faults = [f"{file}: {key}: {measured[0].refusal(name)}" for name in measures
              if measured and not any(run.has(name) for run in measured)]
    if faults:
        raise StudyError(faults)


def read_measured(rows: Iterable[Row]) -> None:
    for row in rows:
        if row.outcome.status == FINISHED and row.measured is None:
            row.measured = Measured(row.outcome.folder, row.outcome.summary)


def measures_of(measures: Optional[List[str]], rows: Iterable[Row]) -> List[str]:
    """Those that were asked for, or all measurements."""
    if measures is not None:
        return measures
    return list(dict.fromkeys(name for row in rows if row.measured is not None for name in row.measured.quantities))


def _with_error(measure: str, rows: Iterable[Row]) -> bool:
    return any(row.measured is not None and measure in row.measured.quantities for row in rows)


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, str):
        return value
    return toml.to_value(value)


def _csv(head: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_cell(value) for value in line] for line in lines)
    return text.getvalue()


def write_table(path: Path, plan: Plan, keys: Sequence[str], measures: Sequence[str], rows: Sequence[Row]) -> None:
    """A row for each run."""
    seeds = plan.seeds != [None]
    scenes = len({row.job.scene for row in rows}) > 1
    head = ["run", "point", *(["scene"] if scenes else []), *keys, *(["seed"] if seeds else [])]
    errors = {measure: _with_error(measure, rows) and ":" not in measure for measure in measures}
    for measure in measures:
        head += [measure, f"{measure}:error"] if errors[measure] else [measure]
    head += ["status", "verdict", "wall_s", "error"]
    lines = []
    for row in rows:
        line: List[Any] = [row.outcome.folder.name, row.point, *([row.job.scene.name] if scenes else []),
                           *(row.values.get(key) for key in keys), *([row.seed] if seeds else [])]
        error = row.outcome.error
        for measure in measures:
            line.append(row.measured.value(measure) if row.measured is not None else None)
            if errors[measure]:
                line.append(row.measured.error(measure) if row.measured is not None else None)
        line += [row.outcome.status, row.outcome.verdict, row.outcome.seconds, error]
        lines.append(line)
    write_whole(path, _csv(head, lines))


@dataclass
class Mean:
    """Over the seeds of a point."""

    value: Optional[float] = None
    error: Optional[float] = None  #: of the mean: over seeds; of one seed that over time, where there is one
    count: int = 0


def mean_of(measure: str, rows: Sequence[Row]) -> Mean:
    found = [(row.measured.value(measure), row.measured.error(measure)) for row in rows if row.measured is not None]
    values = [value for value, _ in found if value is not None]
    n = len(values)
    if n == 0:
        return Mean()
    mean = math.fsum(values) / n
    if n == 1:
        return Mean(mean, next(error for value, error in found if value is not None), 1)
    return Mean(mean, math.sqrt(math.fsum((value - mean)**2 for value in values) / (n * (n - 1))), n)


def by_points(rows: Sequence[Row]) -> List[List[Row]]:
    points: Dict[int, List[Row]] = {}
    for row in rows:
        points.setdefault(row.point, []).append(row)
    return list(points.values())


def write_means(path: Path, keys: Sequence[str], measures: Sequence[str], rows: Sequence[Row]) -> None:
    """A row for each point; ``seeds``: of how many runs the means are."""
    head = ["point", *keys, "seeds"]
    for measure in measures:
        head += [measure, f"{measure}:error"]
    lines = []
    for group in by_points(rows):
        line: List[Any] = [group[0].point, *(group[0].values.get(key) for key in keys),
                           sum(row.measured is not None for row in group)]
        for measure in measures:
            mean = mean_of(measure, group)
            line += [mean.value, mean.error]
        lines.append(line)
    write_whole(path, _csv(head, lines))
