"""Parameters fitted to what was measured: runs where the fit is, surfaces through them, the fit again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from . import calibration_report
from .study_file import Calibration, Parameter, between, latin_hypercube
from .study_reader import StudyError
from .study_runs import FAILED, FINISHED, INTERRUPTED, Crew, Identities, Job, Outcome, Shelf, Signals, check
from .study_table import Row, check_measures, mean_of, read_measured, write_table
from .study_words import tell, words_of, workers_of
from .surfaces import Fit, Scatter, Surface, fit, where_least_is_known


@dataclass
class Point:
    """A place at which all scenes are run, with all seeds."""

    place: Any  #: in the unit cube
    values: Dict[str, float]
    rows: List[Row]


@dataclass
class Result:
    """What a calibration came to."""

    plan: Calibration
    points: List[Point]
    rows: List[Row]
    surfaces: List[Surface]
    fit: Fit
    values: Dict[str, float]  #: the best ones
    converged: bool
    rounds: int
    runs: int


class _Interrupted(Exception):
    pass


class Search:
    """The points so far, and those that come next. The same points for any number of workers, and after a kill."""

    def __init__(self, plan: Calibration, retry: bool, quiet: bool):
        self.plan, self._retry, self._quiet = plan, retry, quiet
        self.shelf = Shelf(plan.folder)
        self._identities = Identities()
        self.scenes = [scene for scene in plan.scenes if any(target.scene == scene for target in plan.targets)]
        self.each = len(self.scenes) * len(plan.seeds)  # runs of a point
        self.points: List[Point] = []
        self.rows: List[Row] = []
        self._checked = False
        self._forecast = 0.0

    # Points.

    def values_at(self, place: Any) -> Dict[str, float]:
        return {p.key: between(p.low, p.high, p.log, float(u)) for p, u in zip(self.plan.parameters, place)}

    def _overrides(self, values: Dict[str, float], scene: Path, seed: Optional[int]) -> Dict[str, Any]:
        given: Dict[str, Any] = {}
        for parameter in self.plan.parameters:
            if scene in parameter.scenes:
                given.update({key: values[parameter.key] for key in (parameter.key, *parameter.also)})
        return self.plan.overrides(given, seed)

    def add(self, place: Any) -> Point:
        values = self.values_at(place)
        said = ", ".join(f"{key} = {value:g}" for key, value in values.items())
        rows: List[Row] = []
        for scene in self.scenes:
            for seed in self.plan.seeds:
                overrides = self._overrides(values, scene, seed)
                words = said + (f", {scene.stem}" if len(self.scenes) > 1 else "") + \
                    (f", seed {seed}" if seed is not None else "")
                job = Job(scene, overrides, len(self.rows) + len(rows), self._identities.of(scene, overrides), words)
                rows.append(Row(job, len(self.points), dict(values), seed, self.shelf.outcome(job)))
        self.rows.extend(rows)
        self.points.append(Point(np.asarray(place, dtype=float), values, rows))
        return self.points[-1]

    def first_places(self) -> List[Any]:
        """A Latin hypercube, after the start if there is one."""
        count = len(self.plan.parameters)
        most = self.plan.runs // self.each
        wanted = self.plan.first_points or max(2 * count + 3, min((count + 1) * (count + 2) // 2 + 3, most // 2))
        start = [self._unit(p, p.start) if p.start is not None else 0.5 for p in self.plan.parameters]
        own = [np.array(start)] if any(p.start is not None for p in self.plan.parameters) else []
        wanted = min(wanted, most)
        design = latin_hypercube(wanted - len(own), count, self.plan.design_seed)
        return own + [np.array(place) for place in design]

    @staticmethod
    def _unit(p: Parameter, value: float) -> float:
        return float(np.log(value / p.low) / np.log(p.high / p.low)) if p.log else (value - p.low) / (p.high - p.low)

    # Runs.

    def run(self, points: Sequence[Point]) -> None:
        """All of their runs; raises _Interrupted after a signal."""
        rows = {row.job.identity: row for point in points for row in point.rows}
        left = [row for row in rows.values() if row.outcome.status not in (FINISHED, FAILED) or
                (self._retry and row.outcome.status == FAILED)]
        if left and not self._checked:
            self._check_bounds()
        if left:
            crew = Crew(self.shelf, workers=workers_of(self.plan, tells=not self._checked), threads=self.plan.threads,
                        memory_mb=self.plan.memory_mb, forecast_mb=self._forecast)
            self._checked = True

            def heard(job: Job, outcome: Outcome) -> None:
                rows[job.identity].outcome = outcome
                if not self._quiet or outcome.status == FAILED:
                    done = sum(row.outcome.status in (FINISHED, FAILED) for row in self.rows)
                    tell(f"run {done} of at most {self.plan.runs}: {job.said}: {words_of(outcome)}")
                self._check_measures()

            with Signals() as signals:
                crew.run([row.job for row in left], retry=self._retry, done=heard, signals=signals)
            if signals.count:
                raise _Interrupted
        self._check_measures()

    def _check_bounds(self) -> None:
        """Of the scenes at both ends of all ranges, so that wrong keys are told once."""
        for scene in self.scenes:
            for end in (0.0, 1.0):
                values = self.values_at([end] * len(self.plan.parameters))
                job = Job(scene, self._overrides(values, scene, self.plan.seeds[0]), 0, "", "")
                try:
                    self._forecast = max(self._forecast, check(job))
                except StudyError as fault:
                    ends = "lower" if end == 0.0 else "upper"
                    raise StudyError([f"{self.plan.file}: {scene.name} cannot run at the {ends} bounds of the "
                                      "parameters:", *fault.faults], fault.status) from None

    def _check_measures(self) -> None:
        read_measured(self.rows)
        for number, target in enumerate(self.plan.targets):
            measured = [row.measured for row in self.rows if row.job.scene == target.scene and row.measured is not None]
            check_measures(self.plan.file, [target.measure], measured, f"targets[{number}].measure")

    # Surfaces.

    def surfaces(self) -> List[Surface]:
        found = []
        least = len(self.plan.parameters) + 2
        for number, target in enumerate(self.plan.targets):
            groups = [(point, [row for row in point.rows if row.job.scene == target.scene]) for point in self.points]
            means = [(point, mean_of(target.measure, rows), rows) for point, rows in groups]
            there = [(point, mean, rows) for point, mean, rows in means if mean.value is not None]
            if len(there) < least:
                failed = [row.outcome.error for row in self.rows if row.outcome.status == FAILED]
                words = f"; the first error: {failed[0]}" if failed else ""
                raise StudyError([f"{self.plan.file}: targets[{number}]: only {len(there)} of {len(self.points)} "
                                  f"points gave {target.measure}, {least} are needed{words}"], 5)
            found.append(Surface([point.place for point, _, _ in there], [mean.value for _, mean, _ in there],
                                 [mean.count for _, mean, _ in there], _scatter(target.measure, there)))
        return found

    def fit(self, surfaces: Sequence[Surface], before: Optional[Fit]) -> Fit:
        """From the best points, the place found before, and a few places elsewhere."""
        targets = np.array([target.value for target in self.plan.targets])
        errors = np.array([target.error for target in self.plan.targets])
        places = [point.place for point in self.points]
        values = np.array([surface(places)[0] for surface in surfaces])
        order = np.argsort((((values - targets[:, None]) / errors[:, None])**2).sum(axis=0), kind="stable")
        starts = [places[k] for k in order[:4]] + [np.array(p) for p in latin_hypercube(6, len(places[0]), 7)]
        return fit(surfaces, targets, errors, starts if before is None else [before.place, *starts])

    def next_places(self, surfaces: Sequence[Surface], found: Fit, rounds: int, count: int) -> List[Any]:
        """The best place, and one beside it that tells most."""
        radius = max(0.08, 0.3 * 0.7**rounds)
        errors = [target.error for target in self.plan.targets]
        places = np.array([point.place for point in self.points])
        chosen: List[Any] = []
        if np.abs(places - found.place).max(axis=1).min() > 0.01:
            chosen.append(found.place)
        while len(chosen) < count:
            near = radius if chosen else 0.5 * radius
            cloud = np.array(latin_hypercube(64, len(found.place), 100 * rounds + len(chosen)))
            candidates = np.clip(found.place + near * (2.0 * cloud - 1.0), 0.0, 1.0)
            there = np.array([*places, *chosen])
            chosen.append(where_least_is_known(surfaces, errors, candidates, there))
        return chosen


def _scatter(measure: str, points: Sequence[Any]) -> Optional[Scatter]:
    """Over seeds, of all points together; of one seed by the errors over time."""
    squares, freedom = 0.0, 0
    errors: List[Optional[float]] = []
    for _, mean, rows in points:
        if mean.count > 1:
            squares += mean.error**2 * mean.count * (mean.count - 1)
            freedom += mean.count - 1
        errors.extend(row.measured.error(measure) for row in rows if row.measured is not None)
    if freedom > 0:
        return Scatter(float(np.sqrt(squares / freedom)), freedom)
    known = [error for error in errors if error is not None]
    return Scatter(float(np.median(known)), 0) if known else None


def calibrate(plan: Calibration, *, retry: bool, dry_run: bool, figure: Optional[Path], quiet: bool) -> int:
    """Gives the exit status."""
    search = Search(plan, retry, quiet)
    places = search.first_places()
    most = plan.runs // search.each
    if dry_run:
        for place in places:
            for row in search.add(place).rows:
                print(f"{row.job.number:5d}  {row.outcome.status:9s} {row.job.said}")
        print(f"{len(places)} first points of {search.each} runs; at most {most} points, "
              f"{most * search.each} runs in all")
        return 0
    for warning in calibration_report.warnings_before(plan):
        tell(f"warning: {warning}")
    try:
        result = _search(search, places, most)
    except _Interrupted:
        tell("interrupted. The same command goes on.")
        return INTERRUPTED
    finally:
        if any(row.outcome.status != "to do" for row in search.rows):
            read_measured(search.rows)
            measures = list(dict.fromkeys(target.measure for target in plan.targets))
            keys = [parameter.key for parameter in plan.parameters]
            write_table(plan.folder / "table.csv", plan, keys, measures, search.rows)
    calibration_report.report(result, figure or plan.folder / "calibration.png", tell, quiet)
    return 0


def _search(search: Search, places: List[Any], most: int) -> Result:
    search.run([search.add(place) for place in places])
    before: Optional[Fit] = None
    close, rounds = 0, 0
    while True:
        surfaces = search.surfaces()
        found = search.fit(surfaces, before)
        close = close + 1 if before is not None and _is_close(search.plan, before, found) else 0
        left = most - len(search.points)
        if close >= 2 or left <= 0:
            break
        chosen = search.next_places(surfaces, found, rounds, min(2, left))
        search.run([search.add(place) for place in chosen])
        before, rounds = found, rounds + 1
    return Result(search.plan, search.points, search.rows, surfaces, found, search.values_at(found.place), close >= 2,
                  rounds, len(search.rows))


def _is_close(plan: Calibration, before: Fit, found: Fit) -> bool:
    """Whether the place has moved by less than the tolerance, or by less than a third of its own error, and the runs'
    scatter matters less than the errors of the targets."""
    moved = found.place - before.place
    known = all(deviation < 0.7 * target.error for deviation, target in zip(found.deviations, plan.targets))
    step = found.jacobian @ moved
    return known and bool(np.abs(moved).max() < plan.tolerance or step @ step < 0.1)
