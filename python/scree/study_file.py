"""What study files say: which scenes are run, with which values, and what is measured."""

from __future__ import annotations

import itertools
import math
import os
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .study_reader import Faults, StudyError, Table, is_number, nearest, read_toml

Point = Dict[str, Any]  # values by paths of keys

STATISTICS = ("mean", "error", "deviation", "median", "least", "p01", "p99", "largest", "last", "independent")
MOST_POINTS = 100_000
LARGEST_SEED = 2**53 - 1

_OF_SWEEPS = ("grid", "points", "latin_hypercube", "measure")
_OF_CALIBRATIONS = ("parameters", "targets", "calibrate")


@dataclass(frozen=True)
class Plan:
    """What sweeps and calibrations have in common."""

    file: Path
    name: str
    folder: Path
    scenes: List[Path]
    seeds: List[Optional[int]]  #: [None] where the scene's own is taken
    seed_keys: List[str]
    set: Point  #: values of all runs
    workers: int
    threads: int
    memory_mb: Optional[float]  #: of all runs together
    labels: Dict[str, str]

    def overrides(self, point: Mapping[str, Any], seed: Optional[int]) -> Point:
        """What one run is told by ``--set``."""
        seeds = {} if seed is None else {key: seed for key in self.seed_keys}
        return {**self.set, **point, **seeds}


@dataclass(frozen=True)
class Study(Plan):
    """A sweep."""

    measures: Optional[List[str]]  #: None: all measurements
    keys: List[str]  #: what differs between points
    points: List[Point]
    logarithmic: List[str]  #: those keys whose values go by powers


@dataclass(frozen=True)
class Parameter:
    """What a calibration looks for."""

    key: str
    low: float
    high: float
    start: Optional[float]
    log: bool
    also: List[str]  #: other keys that take the same value
    scenes: List[Path]  #: those that have the key


@dataclass(frozen=True)
class Target:
    """What was measured."""

    scene: Path
    measure: str
    value: float
    error: float

    def name(self, several: bool) -> str:
        return f"{self.scene.stem}: {self.measure}" if several else self.measure


@dataclass(frozen=True)
class Calibration(Plan):
    parameters: List[Parameter]
    targets: List[Target]
    runs: int  #: of the program, at most
    tolerance: float  #: of a parameter's range
    design_seed: int
    first_points: int  #: 0: by the number of parameters
    several: bool = field(default=False)  #: scenes


def read_study(file: Path) -> Study:
    """Raises StudyError with all that is wrong."""
    values = read_toml(file)
    faults = Faults(file)
    top = Table(faults, "", values)
    common = _common(top, file, several=False)
    measures = top.texts("measure", []) if top.has("measure") else None
    _check_measures(top, "measure", measures or [])
    named = [key for key in _OF_SWEEPS[:3] if top.has(key)]
    if len(named) > 1:
        faults.add(named[1], f"cannot stand beside '{named[0]}'", allowed="one of grid, points, latin_hypercube",
                   hint="points = [...] can hold any list of points")
    points: List[Point] = [{}]
    logarithmic: List[str] = []
    if "grid" in named:
        points = _grid(faults, top.table("grid"))
    elif "points" in named:
        points = _points(faults, top.tables("points"))
    elif "latin_hypercube" in named:
        points, logarithmic = _latin_hypercube(faults, top.table("latin_hypercube"))
    keys = list(points[0]) if points else []
    _check_keys(faults, common, keys, named[0] if named else "grid")
    top.done({key: f"`scree calibrate {file}` takes it" for key in _OF_CALIBRATIONS})
    faults.tell()
    return Study(**common, measures=measures, keys=keys, points=points, logarithmic=logarithmic)


def read_calibration(file: Path) -> Calibration:
    """Raises StudyError with all that is wrong."""
    values = read_toml(file)
    faults = Faults(file)
    top = Table(faults, "", values)
    common = _common(top, file, several=True)
    options = top.table("calibrate")
    if options.has("seeds"):
        if top.has("seeds"):
            options.fault("seeds", "is said at the top of the file too")
        common["seeds"] = _seeds(options)
    scenes: List[Path] = common["scenes"]
    parameters = [p for p in (_parameter(faults, key, value, scenes)
                              for key, value in _parameter_tables(top).items()) if p is not None]
    if not top.values.get("parameters"):
        faults.add("parameters", "is missing",
                   hint='[parameters] with "materials[0].friction" = { low = 0.1, high = 0.9 }')
    targets = [t for t in (_target(faults, table, scenes) for table in top.tables("targets")) if t is not None]
    if not top.values.get("targets"):
        faults.add("targets", "is missing", hint="[[targets]] with scene, measure, value and error")
    runs = options.whole("runs", 40, 1, MOST_POINTS)
    tolerance = options.number("tolerance", 0.005, above=0.0) or 0.005
    design_seed = options.whole("seed", 1, 0, LARGEST_SEED)
    first = options.whole("first_points", 0, 0, MOST_POINTS)
    options.done()
    every = [key for p in parameters for key in (p.key, *p.also)]
    for key in sorted({key for key in every if every.count(key) > 1}):
        faults.add(f"parameters.{key}", "is set twice")
    _check_keys(faults, common, every, "parameters")
    least = 2 * len(parameters) + 3
    each = len(common["seeds"]) * len(scenes)
    if parameters and targets and runs < least * each:
        options.fault("runs", f"is too few: {len(parameters)} parameters need {least} points, and a point takes {each} "
                      "runs", allowed=f">= {least * each}", hint="fewer seeds make fewer runs a point")
    top.done({key: f"`scree sweep {file}` takes it" for key in _OF_SWEEPS})
    faults.tell()
    return Calibration(**common, parameters=parameters, targets=targets, runs=runs, tolerance=tolerance,
                       design_seed=design_seed, first_points=first, several=len(scenes) > 1)


# What both have.


def _common(top: Table, file: Path, several: bool) -> Dict[str, Any]:
    name = top.text("name", file.stem)
    if "/" in name or name in (".", ".."):
        top.fault("name", "must be a name without '/'", hint="the folder is said by 'folder'")
        name = file.stem
    run = top.table("run")
    threads = run.whole("threads", 1, 1, 4096)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    workers = run.whole("workers", max(1, cores // threads), 1, 4096)
    memory = run.number("memory_mb", None, above=0.0) if run.has("memory_mb") else None
    run.done()
    labels = {key: value for key, value in top.table("labels").leaves().items()}
    for key, value in labels.items():
        if not isinstance(value, str):
            top.fault("labels", f"'{key}' must be a text")
    values = top.table("set").leaves()
    return {"file": file, "name": name, "folder": Path(top.text("folder", f"results/{name}")),
            "scenes": _scenes(top, file, several), "seeds": _seeds(top) if top.has("seeds") else [None],
            "seed_keys": top.texts("seed_key", ["seed"]), "set": values, "workers": workers, "threads": threads,
            "memory_mb": memory, "labels": labels}


def _scenes(top: Table, file: Path, several: bool) -> List[Path]:
    if not top.has("scene"):
        top.fault("scene", "is missing", hint='scene = "name_of_a_file.toml", beside the study')
        return []
    if not several and not isinstance(top.values["scene"], str):
        top.fault("scene", "must be a text, the file of one scene")
        return []
    found = []
    for name in top.texts("scene", []):
        path = file.parent / name
        plain = Path(os.path.normpath(path))  # without `..`, unless a link would lead elsewhere
        if plain.exists() and path.exists() and plain.samefile(path):
            path = plain
        if not path.is_file():
            there = path.parent.glob("*.toml") if path.parent.is_dir() else []
            near = sorted(p.name for p in there if p.name != file.name)
            hint = nearest(path.name, near) or ("there are " + ", ".join(near[:8]) if near else
                                                f"there is no .toml file beside it in {path.parent}")
            top.fault("scene", f"there is no file {path}", hint=hint)
        found.append(path)
    for scene in sorted({scene.name for scene in found if [each.name for each in found].count(scene.name) > 1}):
        top.fault("scene", f"has two files of the name {scene}", hint="targets could not tell them apart")
    return found


def _seeds(table: Table) -> List[Optional[int]]:
    """A list of them, or how many."""
    value = table.values["seeds"]
    if isinstance(value, int) and not isinstance(value, bool):
        if 1 <= value <= 100_000:
            return list(range(1, value + 1))
        table.fault("seeds", "is out of range", allowed="1 to 100000, or a list of seeds")
    elif not isinstance(value, list) or not value or not all(isinstance(s, int) and not isinstance(s, bool) and
                                                             0 <= s <= LARGEST_SEED for s in value):
        table.fault("seeds", "must be a whole number or a list of whole numbers", allowed=f"0 to {LARGEST_SEED} each")
    elif len(set(value)) < len(value):
        table.fault("seeds", "has a seed twice")
    else:
        return list(value)
    return [None]


def _check_keys(faults: Faults, common: Mapping[str, Any], keys: List[str], heading: str) -> None:
    for key in keys:
        if key in common["set"]:
            faults.add(f"set.{key}", f"is in [{heading}] too", hint="take one of them out")
    if common["seeds"] != [None]:
        for key in common["seed_keys"]:
            if key in common["set"] or key in keys:
                where = "set" if key in common["set"] else heading
                faults.add(f"{where}.{key}", "is set by 'seeds' too", hint="take one of them out")


def _check_measures(table: Table, key: str, measures: List[str]) -> None:
    for measure in measures:
        name, colon, statistic = measure.partition(":")
        if not name:
            table.fault(key, f"'{measure}' has no name")
        elif colon and statistic not in STATISTICS:
            table.fault(key, f"'{measure}' asks for an unknown statistic", allowed=", ".join(STATISTICS),
                        hint=nearest(statistic, STATISTICS))


# Points of sweeps.


def _grid(faults: Faults, table: Table) -> List[Point]:
    axes = table.leaves()
    count = 1
    for key, values in axes.items():
        if not isinstance(values, list) or not values:
            faults.add(f"grid.{key}", "must be a list of values", value=values,
                       hint="a value of all runs stands in [set]")
            axes[key] = [None]
        elif any(value in values[:k] for k, value in enumerate(values)):
            faults.add(f"grid.{key}", "has a value twice", value=values)
        count *= len(axes[key])
    if not axes:
        faults.add("grid", "is empty", hint='"materials[0].friction" = [0.2, 0.4] below it')
    if count > MOST_POINTS:
        faults.add("grid", f"has {count} combinations", allowed=f"at most {MOST_POINTS}",
                   hint="[latin_hypercube] takes fewer")
        return []
    return [dict(zip(axes, values)) for values in itertools.product(*axes.values())]


def _points(faults: Faults, tables: List[Table]) -> List[Point]:
    if not tables:
        faults.add("points", "is empty", hint="[[points]] once for each point")
    if len(tables) > MOST_POINTS:
        faults.add("points", f"has {len(tables)} points", allowed=f"at most {MOST_POINTS}")
    points = [table.leaves() for table in tables]
    for k, point in enumerate(points[1:], 1):
        for key in sorted(set(points[0]) ^ set(point)):
            lacks = k if key not in point else 0
            faults.add(f"points[{lacks}]", f"has no value of '{key}', which points[{k if lacks == 0 else 0}] has",
                       hint=nearest(key, points[lacks]) or "all points have the same keys")
        if point in points[:k]:
            faults.add(f"points[{k}]", "is there already", hint="seeds = 2 runs every point twice")
    return points


def _latin_hypercube(faults: Faults, table: Table) -> Tuple[List[Point], List[str]]:
    count = table.whole("count", 10, 1, MOST_POINTS)
    seed = table.whole("seed", 1, 0, LARGEST_SEED)
    ranges: Dict[str, Tuple[float, float, bool, bool]] = {}
    common_scale = table.text("scale", "linear", ["linear", "log"])
    for key, value in _range_tables(table.table("ranges").values).items():
        path = f"latin_hypercube.ranges.{key}"
        if isinstance(value, list):
            if len(value) != 2:
                faults.add(path, "must be [low, high] or { low = ..., high = ..., scale = \"log\" }", value=value)
                continue
            value = {"low": value[0], "high": value[1]}
        if not isinstance(value, dict):
            faults.add(path, "must be [low, high] or { low = ..., high = ..., scale = \"log\" }", value=value)
            continue
        entry = Table(faults, path, value)
        bounds = _bounds(faults, entry, common_scale)
        whole = entry.truth("whole", False)
        entry.done()
        if bounds is not None:
            ranges[key] = (*bounds, whole)
    if not table.values.get("ranges"):
        faults.add("latin_hypercube.ranges", "is missing", hint='ranges = { "materials[0].friction" = [0.1, 0.9] }')
    table.done()
    points: List[Point] = [{} for _ in range(count)]
    for key, column in zip(ranges, zip(*latin_hypercube(count, len(ranges), seed))):
        low, high, log, whole = ranges[key]
        for point, u in zip(points, column):
            value = between(low, high, log, u)
            point[key] = min(max(round(value), math.ceil(low)), math.floor(high)) if whole else value
    different = [point for k, point in enumerate(points) if point not in points[:k]]  # whole numbers may repeat
    return different, [key for key, (_, _, log, _) in ranges.items() if log]


def between(low: float, high: float, log: bool, u: float) -> float:
    """A part ``u`` of the way, to six digits: names of runs do not hang on the last bits."""
    value = low * (high / low)**u if log else low + (high - low) * u
    return min(max(float(f"{value:.6g}"), low), high)


def latin_hypercube(count: int, dimensions: int, seed: int) -> List[List[float]]:
    """Points in the unit cube: each of ``count`` slices of every axis has one. Of several such designs the one whose
    closest points are farthest apart. The same on every machine and in every version of Python."""
    chance = random.Random(seed)

    def design() -> List[List[float]]:
        columns = []
        for _ in range(dimensions):
            order = list(range(count))
            for k in range(count - 1, 0, -1):
                other = int(chance.random() * (k + 1))
                order[k], order[other] = order[other], order[k]
            columns.append([(slot + chance.random()) / count for slot in order])
        return [list(point) for point in zip(*columns)] if columns else [[] for _ in range(count)]

    def spread(points: List[List[float]]) -> float:
        return min((sum((a - b)**2 for a, b in zip(p, q)) for p, q in itertools.combinations(points, 2)), default=0.0)

    tries = max(1, min(40, 400_000 // (count * count * max(dimensions, 1))))
    return max((design() for _ in range(tries)), key=spread) if tries > 1 else design()


def _range_tables(values: Mapping[str, Any], path: str = "") -> Dict[str, Any]:
    """By paths of keys, as for leaves(); a table with a bound is a leaf."""
    found: Dict[str, Any] = {}
    for key, value in values.items():
        here = f"{path}.{key}" if path else key
        if isinstance(value, dict) and not {"low", "high", "start"} & set(value) and \
                any(isinstance(item, (dict, list)) for item in value.values()):
            found.update(_range_tables(value, here))
        else:
            found[here] = value
    return found


def _bounds(faults: Faults, entry: Table, scale: str) -> Optional[Tuple[float, float, bool]]:
    low, high = entry.number("low", None), entry.number("high", None)
    log = entry.text("scale", scale, ["linear", "log"]) == "log"
    if low is None or high is None:
        return None
    if low >= high:
        hint = "swap them" if low > high else "a value of all runs stands in [set]"
        faults.add(entry.path, f"low is not below high ({low:g}, {high:g})", hint=hint)
    elif log and low <= 0.0:
        entry.fault("low", 'must be above zero for scale = "log"', allowed="> 0")
    else:
        return low, high, log
    return None


# Calibrations.


def _parameter_tables(top: Table) -> Dict[str, Any]:
    return _range_tables(top.table("parameters").values)


def _parameter(faults: Faults, key: str, value: Any, scenes: List[Path]) -> Optional[Parameter]:
    path = f"parameters.{key}"
    if isinstance(value, list) and len(value) == 2:
        value = {"low": value[0], "high": value[1]}
    if not isinstance(value, dict):
        faults.add(path, "must be { low = ..., high = ..., start = ... }", value=value)
        return None
    entry = Table(faults, path, value)
    bounds = _bounds(faults, entry, "linear")
    start = entry.number("start", None) if entry.has("start") else None
    also = entry.texts("also", [])
    named = [_scene_of(entry, "scenes", name, scenes) for name in entry.texts("scenes", [])]
    entry.done()
    if bounds is None:
        return None
    if start is not None and not bounds[0] <= start <= bounds[1]:
        entry.fault("start", "is out of range", allowed=f"{bounds[0]:g} to {bounds[1]:g}")
    return Parameter(key, *bounds[:2], start, bounds[2], also, [s for s in named if s is not None] or scenes)


def _target(faults: Faults, table: Table, scenes: List[Path]) -> Optional[Target]:
    scene: Optional[Path] = scenes[0] if scenes else None
    if table.has("scene"):
        scene = _scene_of(table, "scene", table.text("scene", ""), scenes)
    elif len(scenes) > 1:
        faults.add(table.at("scene"), "is missing", allowed=", ".join(s.name for s in scenes))
    if not table.has("measure"):
        faults.add(table.at("measure"), "is missing", hint='measure = "heap.angle_deg"')
    measure = table.text("measure", "")
    _check_measures(table, "measure", [measure] if measure else [])
    value = table.number("value", None)
    error = table.number("error", None, above=0.0)
    table.done()
    if scene is None or not measure or value is None or error is None:
        return None
    return Target(scene, measure, value, error)


def _scene_of(table: Table, key: str, name: str, scenes: List[Path]) -> Optional[Path]:
    """The one that is named so, with or without its folder."""
    for scene in scenes:
        if name in (scene.name, scene.stem) or (scene.name == Path(name).name and str(scene).endswith(name)):
            return scene
    if name and scenes:
        table.fault(key, "is none of the scenes", allowed=", ".join(s.name for s in scenes),
                    hint=nearest(name, [s.name for s in scenes]))
    return None


__all__ = ["Calibration", "Parameter", "Plan", "Point", "STATISTICS", "Study", "StudyError", "Target", "between",
           "is_number", "latin_hypercube", "read_calibration", "read_study"]
