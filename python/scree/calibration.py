"""Parameters fitted to what was measured: runs where the targets allow them, surfaces through them, the fit again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from . import calibration_report
from .calibration_posterior import Posterior, posterior, where_runs_tell_most
from .study_file import LARGEST_SEED, Calibration, Parameter, between, latin_hypercube
from .study_reader import StudyError
from .study_runs import FAILED, FINISHED, INTERRUPTED, Crew, Identities, Job, Outcome, Shelf, Signals, check
from .study_table import Row, check_measures, mean_of, read_measured, write_table
from .study_words import tell, words_of, workers_of
from .surfaces import Fit, Scatter, Surface, fit, likelihood


@dataclass
class Point:
    """A place at which all scenes are run, with all seeds."""

    place: Any  #: in the unit cube
    values: Dict[str, float]
    rows: List[Row]


@dataclass
class Result:
    """The end of a calibration."""

    plan: Calibration
    points: List[Point]
    rows: List[Row]
    surfaces: List[Surface]
    fit: Fit
    posterior: Posterior
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
        self.targets = np.array([target.value for target in plan.targets])
        self.errors = np.array([target.error for target in plan.targets])
        self._all_over = latin_hypercube(60, len(plan.parameters), 7)
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
            for seed in seeds_of(self.plan.seeds, len(self.points)):
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
        rows: Dict[str, List[Row]] = {}  # a scene without parameters has the same run at all points
        for point in points:
            for row in point.rows:
                rows.setdefault(row.job.identity, []).append(row)
        left = [row for row, *_ in rows.values() if row.outcome.status not in (FINISHED, FAILED) or
                (self._retry and row.outcome.status == FAILED)]
        if left and not self._checked:
            self._check_bounds()
        if left:
            crew = Crew(self.shelf, workers=workers_of(self.plan, tells=not self._checked), threads=self.plan.threads,
                        memory_mb=self.plan.memory_mb, forecast_mb=self._forecast)
            self._checked = True

            def heard(job: Job, outcome: Outcome) -> None:
                for row in rows[job.identity]:
                    row.outcome = outcome
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
        """From the place found before, and the likeliest others, apart from each other, of the points and of places all
        over the ranges."""
        places = np.vstack([[point.place for point in self.points], self._all_over])
        starts = [] if before is None else [before.place]
        for number in np.argsort(-likelihood(surfaces, self.targets, self.errors, places)[1], kind="stable"):
            if len(starts) < 5 and all(np.abs(places[number] - start).max() > 0.15 for start in starts):
                starts.append(places[number])
        return fit(surfaces, self.targets, self.errors, starts)

    def next_places(self, surfaces: Sequence[Surface], how: Posterior, count: int) -> List[Any]:
        """Those at which runs tell most of the region that the targets allow."""
        taken = [point.place for point in self.points]
        return where_runs_tell_most(surfaces, self.errors, len(self.plan.seeds), how, count, taken)


def seeds_of(seeds: Sequence[Optional[int]], point: int) -> List[Optional[int]]:
    """Each point has seeds of its own: with the same ones everywhere, their chance would be in all values alike."""
    whole = [seed for seed in seeds if seed is not None]
    step = max(whole) - min(whole) + 1 if whole else 0
    return [None if seed is None else (seed + point * step) % (LARGEST_SEED + 1) for seed in seeds]


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
    found: Optional[Fit] = None
    how: Optional[Posterior] = None
    close, rounds = 0, 0
    while True:
        surfaces = search.surfaces()
        found, before = search.fit(surfaces, found), how
        how = posterior(surfaces, search.targets, search.errors, found)
        close = close + 1 if before is not None and _is_settled(search.plan, before, how) else 0
        left = most - len(search.points)
        if close >= 2 or left <= 0:
            break
        search.run([search.add(place) for place in search.next_places(surfaces, how, min(2, left))])
        rounds += 1
    return Result(search.plan, search.points, search.rows, surfaces, found, how, search.values_at(found.place),
                  close >= 2, rounds, len(search.rows))


def _is_settled(plan: Calibration, before: Posterior, now: Posterior) -> bool:
    """Whether errors shrink no more, values stay within them, and the surfaces add little to the errors of the targets:
    less than half in the squares."""
    moved = np.abs(now.mean - before.mean) < np.maximum(plan.tolerance, 0.3 * now.deviations)
    shrunk = np.abs(now.deviations - before.deviations) < np.maximum(plan.tolerance, 0.1 * before.deviations)
    return bool(moved.all() and shrunk.all() and (now.unknown < 0.5).all())
