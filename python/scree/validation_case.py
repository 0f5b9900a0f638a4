"""Cases of `scree validate`: the content of the library's files, and the data for their analyses."""

from __future__ import annotations

import contextlib
import itertools
import math
import re
import sys
import types
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from .study_file import Plan, Point, Study
from .study_reader import StudyError, is_number, nearest, read_toml
from .study_table import Mean, Row, mean_of

PASS, MISS, UNSURE, KNOWN = "pass", "miss", "unsure", "known miss"
GRADES = ("green", "amber", "red")


@dataclass(frozen=True)
class Form:
    """The runs of a case: those of ``grid`` (all combinations) or of ``points``, each with every seed."""

    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    points: Sequence[Mapping[str, Any]] = ()
    set: Mapping[str, Any] = field(default_factory=dict)
    seeds: int = 1
    seconds: float = 30.0  #: expected, on two cores
    known_misses: Mapping[str, str] = field(default_factory=dict)  #: causes, by the names of checks, in this form alone

    def all_points(self) -> List[Point]:
        if self.points:
            return [dict(point) for point in self.points]
        return [dict(zip(self.grid, values)) for values in itertools.product(*self.grid.values())]


@dataclass(frozen=True)
class Check:
    """A measured value and the published band: the check passes if value ± 2 errors reaches the band. If the error is
    above ``largest_error`` (default: half of the band, and a tenth of the value), the check could not fail; this is
    not a pass either."""

    name: str
    value: Optional[float]
    error: float
    low: float
    high: float
    unit: str = ""
    published: str = ""  #: source of the band
    largest_error: Optional[float] = None

    @classmethod
    def of(cls, name: str, mean: Mean, low: float, high: float, unit: str = "", published: str = "") -> "Check":
        return cls(name, mean.value, mean.error or 0.0, low, high, unit, published)

    @property
    def resolvable(self) -> float:
        if self.largest_error is not None:
            return self.largest_error
        return max(0.5 * (self.high - self.low), 0.1 * abs(0.5 * (self.high + self.low)))

    def verdict(self) -> str:
        if self.value is None or not math.isfinite(self.value) or not math.isfinite(self.error):
            return MISS
        if self.value + 2.0 * self.error < self.low or self.value - 2.0 * self.error > self.high:
            return MISS
        return PASS if self.error <= self.resolvable else UNSURE


def worst(grades: Sequence[str]) -> str:
    """The worst of the runs' verdicts."""
    known = [grade for grade in grades if grade in GRADES]
    return max(known, key=GRADES.index) if known else ""


def parameter(row: Row, key: str) -> Any:
    """Value of a parameter in the run: from its point, the form, or the scene."""
    if key in row.job.overrides:
        return row.job.overrides[key]
    scene = read_toml(row.job.scene)
    for values in (scene.get("parameters", {}), scene):
        if isinstance(values, dict) and is_number(values.get(key)):
            return values[key]
    raise StudyError([f"{row.job.scene.name} has no number '{key}'; " +
                      nearest(key, [*row.job.overrides, *scene.get("parameters", {}), *scene])])


class Run:
    """A finished run, for an analysis."""

    def __init__(self, row: Row):
        self._row = row
        self.values, self.seed, self.folder = row.values, row.seed, row.outcome.folder
        self.summary = row.outcome.summary

    def __getitem__(self, key: str) -> Any:
        return parameter(self._row, key)

    def value(self, measure: str) -> float:
        """By docs/studies.md's names of measures: "discharge.mass_flow_kg_s", "bed.solid_fraction:last"."""
        return number(self._row, measure)

    def error(self, measure: str) -> float:
        """Standard error over time; 0 if there is none."""
        return (self._row.measured.error(measure) or 0.0) if self._row.measured is not None else 0.0

    def table(self, name: str) -> Dict[str, Any]:
        """Columns of a table of the run, as arrays: "measured_bed.csv", "distribution_bed.csv"."""
        import numpy

        path = self.folder / name
        if not path.is_file():
            there = sorted(file.name for file in self.folder.glob("*.csv"))
            raise StudyError([f"{path} is missing; there are {', '.join(there) or 'no tables'}"])
        rows = numpy.genfromtxt(path, delimiter=",", names=True, deletechars="", dtype=float, ndmin=1,
                                encoding="utf-8")
        return {column: rows[column] for column in rows.dtype.names or ()}


class RunsOfPoint:
    """The runs of one point, with different seeds."""

    def __init__(self, rows: List[Row]):
        self._rows = rows
        self.values = rows[0].values
        self.runs = [Run(row) for row in rows]

    def __getitem__(self, key: str) -> Any:
        return parameter(self._rows[0], key)

    def mean(self, measure: str) -> Mean:
        """Mean over seeds. Its error is the larger of the seeds' error and the error over time, because few seeds may
        agree by chance."""
        for row in self._rows:
            number(row, measure)
        found = mean_of(measure, self._rows)
        over_time = math.sqrt(math.fsum(run.error(measure)**2 for run in self.runs)) / len(self.runs)
        return Mean(found.value, max(found.error or 0.0, over_time), found.count)

    def mean_by(self, measure: Callable[[Run], float], error: float = 0.0) -> Mean:
        """The same for the values of a function of a run; ``error`` is the error of one run."""
        values = [measure(run) for run in self.runs]
        n = len(values)
        mean = math.fsum(values) / n
        spread = math.sqrt(math.fsum((v - mean)**2 for v in values) / (n * (n - 1))) if n > 1 else 0.0
        return Mean(mean, max(spread, error / math.sqrt(n)), n)


def number(row: Row, measure: str) -> float:
    """Raises StudyError, with the nearest name, if a run lacks the measure."""
    if row.measured is None:
        raise StudyError([f"{row.job.said}: the run is not finished"])
    if not row.measured.has(measure):
        raise StudyError([row.measured.refusal(measure)])
    value = row.measured.value(measure)
    if value is None:
        raise StudyError([f"{row.job.said}: '{measure}' has no value: there was nothing to measure"])
    return value


@dataclass(frozen=True)
class Case:
    """An experiment of the library."""

    name: str
    file: Path
    scene: Path
    title: str
    measures: str  #: the measured quantities, in a sentence
    sources: List[str]
    short: Form
    full: Form
    analyse: Callable[[List[RunsOfPoint]], List[Check]]
    draw: Optional[Callable[[Any, List[RunsOfPoint]], None]]
    known_misses: Dict[str, str]  #: causes, by the names of checks, in both forms
    panels: int

    def form(self, full: bool) -> Form:
        return self.full if full else self.short

    def study(self, full: bool, folder: Path, workers: int, changes: Mapping[str, Any]) -> Study:
        """The runs of this case as a sweep."""
        form = self.form(full)
        changes = dict(changes)
        seeds = [changes.pop("seed")] if "seed" in changes else list(range(1, form.seeds + 1))
        points: List[Dict[str, Any]] = []
        for point in form.all_points():
            changed = {key: changes.get(key, value) for key, value in point.items()}
            if changed not in points:  # a change may make two points one
                points.append(changed)
        keys = list(points[0])
        common = Plan(file=self.file, name=self.name, folder=folder / self.name, scenes=[self.scene],
                      seeds=seeds, seed_keys=["seed"], set={**form.set, **changes},
                      workers=workers, threads=1, memory_mb=None, labels={})
        return Study(**vars(common), measures=None, keys=keys, points=points, logarithmic=[])


def read_case(file: Path) -> Case:
    """Runs the file as a module. Raises StudyError with all of its errors."""
    module: Any = types.ModuleType(f"scree_validation_{file.stem}")
    module.__file__ = str(file)
    try:  # not by import, which would write a folder __pycache__
        exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), module.__dict__)
    except ModuleNotFoundError as fault:
        raise StudyError([f"{file}: needs the Python package {fault.name}, which is not installed for {sys.executable}"],
                         7) from None
    except Exception as fault:  # any error of a file
        raise StudyError([f"{file}: {type(fault).__name__}: {fault}"]) from None
    faults = [f"{file}: {name} is missing" for name in ("TITLE", "MEASURES", "SOURCES", "SHORT", "FULL", "analyse")
              if not hasattr(module, name)]
    scene = file.with_suffix(".toml")
    if not scene.is_file():
        faults.append(f"{file}: its scene {scene.name} is not in the same folder")
    for name in ("SHORT", "FULL"):
        if hasattr(module, name) and not isinstance(getattr(module, name), Form):
            faults.append(f"{file}: {name} must be a Form")
    sources = list(getattr(module, "SOURCES", []))
    if hasattr(module, "SOURCES") and not all(re.search(r"\b(1[6-9]|20)\d\d\b", source) for source in sources or [""]):
        faults.append(f"{file}: SOURCES must be a list of texts, each with its year")
    if faults:
        raise StudyError(faults)
    return Case(name=file.stem, file=file, scene=scene, title=module.TITLE, measures=module.MEASURES, sources=sources,
                short=module.SHORT, full=module.FULL, analyse=module.analyse, draw=getattr(module, "draw", None),
                known_misses=dict(getattr(module, "KNOWN_MISSES", {})), panels=int(getattr(module, "PANELS", 1)))


def library(named: Optional[Path]) -> Path:
    """The folder of cases: the named one, that of the sources, or that of an installation."""
    places = [named] if named is not None else _places()
    for place in places:
        if place.is_dir() and any(place.glob("*.py")):
            return place
    raise StudyError(["the library of cases was not found; use --library FOLDER: scenes/validation of the "
                      "sources, share/scree/scenes/validation of an installation", "searched:",
                      *(f"  {place}" for place in dict.fromkeys(places))], 6)


def _places() -> List[Path]:
    """Folders above the package and the program: of the sources, of a build in them, of an installation."""
    from . import program
    from .errors import ProgramError

    begins = [Path(__file__).resolve()]
    with contextlib.suppress(ProgramError):
        begins.append(Path(program.path()).resolve())
    ends = ("scenes/validation", "share/scree/scenes/validation", "share/scree/validation")
    return [parent / end for begin in begins for parent in begin.parents[:6] for end in ends]


def names_of(folder: Path) -> List[str]:
    return sorted(file.stem for file in folder.glob("*.py") if not file.stem.startswith("_"))


def read_cases(folder: Path, names: Sequence[str]) -> List[Case]:
    """The named cases, or all. Raises StudyError if a name does not exist."""
    there = names_of(folder)
    unknown = [name for name in names if name not in there]
    if unknown:
        raise StudyError([f"there is no case '{name}'; " + (nearest(name, there) or "the cases are: " +
                          ", ".join(there)) for name in unknown], 2)
    faults: List[StudyError] = []
    cases: List[Case] = []
    for name in dict.fromkeys(names or there):
        try:
            cases.append(read_case(folder / f"{name}.py"))
        except StudyError as fault:
            faults.append(fault)
    if faults:  # a missing package does not hide errors of other cases
        raise StudyError([line for fault in faults for line in fault.faults], min(fault.status for fault in faults))
    return cases
