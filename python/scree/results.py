"""Results of a run: tables, frames, contacts, verdict, pictures."""

from __future__ import annotations

import html
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypeVar, Union

from . import plots, program, results_file
from .errors import ReadError
from .results_frames import Frame, Frames
from .scene import PathLike, Scene
from .tables import pandas

_T = TypeVar("_T")
_PARTS = ("boundary", "part", "joint", "opening")  # columns that name the owner of a row, where a step has several
_PLACES = ("low", "high", "eye", "target", "cut")  # options of the program that are points


def open(folder: PathLike) -> "Results":  # noqa: A001
    """The results in a folder, of a finished run or of a run that goes on."""
    return Results(folder)


class Results:
    """A recorded run. Files are opened only while data are read from them, so you can read a run that goes on, and no
    file stays open. ``with scree.open(folder) as results:`` also works. All positions are in the scene's coordinates:
    the scene's ``origin`` is added to the values of trajectory.h5."""

    def __init__(self, folder: PathLike):
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise FileNotFoundError(f"there is no folder {self.folder}")
        if not ((self.folder / "trajectory.h5").exists() or (self.folder / "steps.csv").exists()):
            raise ReadError(f"{self.folder} has no results of a run: trajectory.h5 and steps.csv are missing")
        self._constants: Optional[Dict[str, Any]] = None
        self._of_modification: Any = None

    def close(self) -> None:
        """Clears the cache. Results can be used afterwards; files are then read again."""
        self._constants = None

    def __enter__(self) -> "Results":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    # Status and quality.

    @property
    def summary(self) -> Dict[str, Any]:
        """summary.json, as described in docs/file_formats.md. Raises ReadError while the run goes on."""
        path = self.folder / "summary.json"
        if not path.exists():
            raise ReadError(f"{path} is missing: the run has not finished, or was interrupted")
        summary: Dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return summary

    @property
    def status(self) -> str:
        """"finished", "interrupted", "failed", or "running" if there is no summary: the run goes on, or it was
        killed."""
        return str(self.summary["status"]) if (self.folder / "summary.json").exists() else "running"

    @property
    def verdict(self) -> "Verdict":
        """Whether the run can be trusted."""
        return Verdict(self.summary["verdict"])

    @property
    def scene(self) -> Scene:
        """The scene of the run, with its overrides."""
        def reading(file: Any) -> Tuple[str, List[str]]:
            overrides = file["scene/overrides"][()] if "scene/overrides" in file else []
            return file["scene/text"][()].decode(), [override.decode() for override in overrides]

        text, given = self._read(reading)
        overrides = [override.partition("=")[::2] for override in given]
        return Scene._of_text(text, str(self.folder / "scene.toml"), [(key, value) for key, value in overrides])

    def verify(self) -> str:
        """The output of `scree verify` about the files; raises ProgramError if any is damaged."""
        return program.call("verify", self.folder)

    # Tables.

    @property
    def tables(self) -> List[str]:
        """Names of the existing tables."""
        return sorted(path.stem for path in self.folder.glob("*.csv"))

    def table(self, name: str) -> Any:
        """A table as pandas.DataFrame: "boundaries", "joints", ..."""
        path = self.folder / f"{name}.csv"
        if not path.exists():
            raise KeyError(f"there is no table '{name}'; there are {', '.join(self.tables)}")
        return pandas().read_csv(path, float_precision="round_trip", dtype={"state_hash": str}, keep_default_na=False,
                                 na_values=["", "nan"])

    @property
    def steps(self) -> Any:
        """steps.csv as pandas.DataFrame: one row per step, indexed by its number."""
        return self.table("steps").set_index("step")

    @property
    def events(self) -> Any:
        """events.csv as pandas.DataFrame; empty if there were no events."""
        return self.table("events") if "events" in self.tables else pandas().DataFrame()

    # Measurements.

    @property
    def measurements(self) -> Dict[str, Any]:
        """Results of the scene's [[measurements]], by name, as in measurements.json. Empty if there are none; raises
        ReadError while the run goes on."""
        path = self.folder / "measurements.json"
        if not path.exists():
            if any(self.folder.glob("measured_*.csv")):
                raise ReadError(f"{path} is missing: the run has not finished, or was interrupted")
            return {}
        measurements: Dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["measurements"]
        return measurements

    def measured(self, name: str) -> Any:
        """The rows of a measurement as pandas.DataFrame."""
        return self.table(f"measured_{name}")

    def distribution(self, name: str) -> Any:
        """The final distribution of a measurement as pandas.DataFrame, such as a profile."""
        return self.table(f"distribution_{name}")

    # Frames.

    @property
    def frames(self) -> "Frames":
        """The frames, as a list of Frame."""
        return Frames(self)

    @property
    def times(self) -> Any:
        """(F,) simulated times of the frames, s."""
        return self._read_constants()["time"].copy()

    def frame_at(self, time: float) -> "Frame":
        """The frame nearest to a time, s."""
        import numpy

        times = self.times
        if len(times) == 0:
            raise IndexError("the run has no frames")
        return self.frames[int(numpy.argmin(numpy.abs(times - time)))]

    @property
    def materials(self) -> List[str]:
        """Names of materials, by number."""
        return list(self._read_constants()["materials"])

    @property
    def boundaries(self) -> List[str]:
        """Names of boundaries, by number."""
        return list(self._read_constants()["boundaries"])

    @property
    def shapes(self) -> List[str]:
        """Names of the functions and clumps which define bodies, functions first."""
        constants = self._read_constants()
        return [*constants["functions"], *constants["clumps"]]

    def to_xarray(self, fields: Optional[Sequence[str]] = None) -> Any:
        """xarray.Dataset of all frames, with dimensions time, body (by id), xyz and wxyz. Values are NaN where a body
        does not exist; its ``material`` is the first one. ``fields``: names of arrays; default: position, orientation
        and velocities."""
        import numpy

        try:
            import xarray
        except ImportError as error:
            raise ImportError("to_xarray() needs xarray (Debian: python3-xarray; pip: xarray)") from error
        constants = self._read_constants()
        ids, times, offset = constants["id"], constants["time"], constants["offset"]
        chosen = list(fields) if fields is not None else ["position", "orientation", "velocity", "angular_velocity"]
        for name in chosen:
            if name not in constants["fields"]:
                raise KeyError(f"frames have no '{name}'; they have {', '.join(constants['fields'])}")
        # A body to which an event gave another material has a row for each; here it is one.
        unique, first, place = numpy.unique(ids, return_index=True, return_inverse=True)
        rows = slice(0, int(offset[-1]))

        def column(name: str) -> Any:
            def reading(file: Any) -> Any:
                return file["frames"][name][rows]

            return self._read(reading)

        body = column("body")
        frame_of_row = numpy.repeat(numpy.arange(len(times)), numpy.diff(offset))
        arrays: Dict[str, Any] = {}
        for name in chosen:
            values = column(name)  # one after the other: each may be large
            if name == "position" and constants["origin"].any():
                values = values + constants["origin"]  # in double precision: single precision cannot hold both
            array = numpy.full((len(times), len(unique), *values.shape[1:]), numpy.nan, dtype=values.dtype)
            array[frame_of_row, place[body]] = values
            columns = {1: (), 3: ("xyz",), 4: ("wxyz",)}[values.shape[1] if values.ndim > 1 else 1]
            arrays[name] = (("time", "body", *columns), array, {"units": constants["fields"][name]})
        return xarray.Dataset(
            arrays,
            coords={"time": ("time", times, {"units": "s"}), "step": ("time", constants["step"]), "body": unique,
                    "xyz": list("xyz"), "wxyz": list("wxyz"),
                    "mass": ("body", constants["mass"][first], {"units": "kg"}),
                    "material": ("body", constants["material"][first])},
            attrs={"scene": constants["scene"]})

    @property
    def wall_cells(self) -> Optional[Dict[str, Any]]:
        """Loads and wear of walls, cell by cell, as in /wall_cells of trajectory.h5: a dict of arrays. None if the
        scene does not request cells (output.wall_cells)."""
        def reading(file: Any) -> Optional[Dict[str, Any]]:
            return {name: item[()] for name, item in file["wall_cells"].items()} if "wall_cells" in file else None

        cells = self._read(reading)
        if cells is not None:
            cells["point"] = cells["point"] + self._read_constants()["origin"]
        return cells

    def fields(self, **options: Any) -> Any:
        """Density, velocity, temperature and stress on a grid, averaged by coarse graining (`scree fields`). Returns
        an xarray.Dataset with dimensions time, z, y, x. If a periodic cell's grid is sheared or moves, the dimensions
        are time, k, j, i; values are NaN beyond the cells of times with fewer cells. Options are those of the
        program: ``width=0.02``, ``time=[1.0, 2.0]``, ``low=[...]``, ``high=[...]``, and ``from_=1.0``, because
        ``from`` is a Python keyword."""
        from .results_fields import read_fields

        with tempfile.TemporaryDirectory() as folder:
            program.call("fields", self.folder, "-q", "-o", folder, *self._arguments(options))
            return read_fields(Path(folder), tuple(self._read_constants()["origin"]))

    # Pictures.

    def plot(self, *columns: str, ax: Any = None, table: str = "steps", only: Union[str, Sequence[str], None] = None,
             **options: Any) -> Any:
        """Columns of a table over time, by matplotlib; returns the axes. Where a step has several rows, as in
        "boundaries", each boundary has its own line. ``only``: names of the boundaries to show."""
        axes = ax if ax is not None else plots.pyplot().subplots()[1]
        data = self.table(table)
        for column in ("time_s", *columns):
            if column not in data:
                raise KeyError(f"{table}.csv has no column '{column}'; it has {', '.join(data.columns)}")
        part = next((name for name in _PARTS if name in data), None)
        names = list(dict.fromkeys(data[part])) if part else []
        if only is not None:
            wanted = [only] if isinstance(only, str) else list(only)
            for name in wanted:
                if name not in names:
                    there = ", ".join(names) or "one row a step"
                    raise KeyError(f"{table}.csv has no rows of '{name}'; it has {there}")
            names = wanted
        for name in names if part else [None]:
            rows = data if part is None else data[data[part] == name]
            for column in columns:
                label = " ".join(word for word in (name, column if len(columns) > 1 or name is None else None) if word)
                axes.plot(rows["time_s"], rows[column], **{"label": label, **options})
        axes.set_xlabel("time (s)")
        units = {plots.unit_of(column) for column in columns}
        if len(columns) == 1:
            axes.set_ylabel(plots.title(columns[0]))
        elif len(units) == 1 and "" not in units:
            axes.set_ylabel(f"({units.pop()})")
        if len(axes.lines) > 1:
            axes.legend()
        return axes

    def render(self, file: PathLike, **options: Any) -> Path:
        """Draws a picture of the run with `scree render`. Options are those of the program: ``time=1.0``,
        ``color="speed"``, ``no_walls=True``, ``size=(640, 360)``. Raises ProgramError if it fails."""
        program.call("render", self.folder, "-o", os.fspath(file), *self._arguments(options))
        return Path(file)

    def show(self, height: int = 640) -> "Page":
        """The run's page with its three-dimensional view, for a notebook cell."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.html"
            program.call("report", self.folder, "-o", path)
            return Page(path.read_text(encoding="utf-8"), height)

    def __repr__(self) -> str:
        try:
            frames = f"{len(self.frames)} frames"
        except (ReadError, ImportError):
            frames = "no frames to be read"
        return f"<scree.Results {self.folder}: {self.status}, {frames}>"

    # Implementation.

    def _read(self, reading: Callable[[Any], _T]) -> _T:
        """The result of a function that reads trajectory.h5 with its journal, also while a run writes to it."""
        return results_file.read(self.folder / "trajectory.h5", reading)

    def _arguments(self, options: Dict[str, Any]) -> List[str]:
        """Options for the program, which counts positions from the scene's origin."""
        given: Dict[str, Any] = {}
        for name, value in options.items():
            name = name.rstrip("_")
            value = value.tolist() if hasattr(value, "tolist") else value
            if name in _PLACES and isinstance(value, (list, tuple)) and len(value) >= 3:
                origin = self._read_constants()["origin"]
                value = [*(float(x - o) for x, o in zip(value, origin)), *value[3:]]
            if name == "size" and isinstance(value, (list, tuple)):
                value = "x".join(map(str, value))
            given[name] = value
        return program.arguments(given)

    def _read_constants(self) -> Dict[str, Any]:
        """Constant data of bodies, and the positions of frames in the file; both may grow while the run goes on."""
        import numpy

        now = results_file.stamp(self.folder / "trajectory.h5")
        if self._constants is not None and now == self._of_modification:
            return self._constants

        def reading(file: Any) -> Dict[str, Any]:
            def names(path: str) -> List[str]:
                return [name.decode() for name in file[path][()]] if path in file else []

            def group(path: str) -> Dict[str, Any]:
                return {name: item[()] for name, item in file[path].items()} if path in file else {}

            bodies, frames = file["bodies"], file["frames"]
            constants: Dict[str, Any] = {
                name: bodies[name][()] for name in ("id", "shape", "semi_axes", "mass", "inertia", "material")}
            n = len(constants["id"])
            for name in ("function", "size"):
                constants[name] = bodies[name][()].reshape(-1) if name in bodies else numpy.zeros(n)
            fields = _fields_of(frames)
            rows = min(len(frames[name]) for name in ("body", *fields))
            time, step = frames["time"][()], frames["step"][()]
            offset = results_file.whole_frames(frames["offset"][()], min(len(time), len(step)), rows)
            whole = len(offset) - 1
            constants.update(time=time[:whole], step=step[:whole], offset=offset,
                             fields={name: _unit(frames[name]) for name in fields},
                             of_functions=group("functions"), of_clumps=group("clumps"), reach={},
                             materials=names("materials/name"), boundaries=names("boundaries/name"),
                             functions=names("functions/name"), clumps=names("clumps/name"),
                             origin=numpy.array(file["scene"].attrs.get("origin_m", numpy.zeros(3)), dtype=float),
                             scene=str(file.attrs.get("scene", "")))
            return constants

        self._constants, self._of_modification = self._read(reading), now
        return self._constants

    def _reach(self, kind: int, number: int, guess: float) -> float:
        """Largest distance of a function's or clump's surface from its centre of mass, in units of its size."""
        from . import results_shapes

        constants = self._read_constants()
        known: Dict[Tuple[int, int], float] = constants["reach"]
        if (kind, number) not in known:
            of = constants["of_functions" if kind == 1 else "of_clumps"]
            rows = slice(*of["row"][number:number + 2])
            if kind == 1:
                perturbations, weights = of["perturbation"][rows], of["weight"][rows]
                reach = results_shapes.of_function(of["base"][number], perturbations, weights, guess)
            else:
                semi_axes, position, orientation = (of[name][rows] for name in ("semi_axes", "position", "orientation"))
                reach = results_shapes.of_clump(semi_axes, position, orientation, guess)
            known[kind, number] = reach
        return known[kind, number]


class Verdict:
    """Whether a run can be trusted, by its own numbers."""

    def __init__(self, verdict: Dict[str, Any]):
        self.grade: str = verdict["grade"]  #: "green", "amber" or "red"
        self.meaning: str = verdict["meaning"]
        self.findings: List[Dict[str, Any]] = verdict["findings"]  #: one per check, the worst first

    def __bool__(self) -> bool:
        return self.grade == "green"

    def __str__(self) -> str:
        lines = [f"{self.grade}: {self.meaning}"]
        for finding in self.findings:
            if finding["grade"] != "green":
                advice = f"; {finding['advice']}" if finding["advice"] else ""
                lines.append(f"  {finding['grade']}: {finding['text']}{advice}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<scree.Verdict {self}>"


class Page:
    """A self-contained page; a notebook shows it in the cell's output."""

    def __init__(self, text: str, height: int):
        self.html, self._height = text, height

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="{self._height}" '
                'style="border:0" sandbox="allow-scripts"></iframe>')

    def save(self, file: PathLike) -> Path:
        path = Path(file)
        path.write_text(self.html, encoding="utf-8")
        return path


def _fields_of(frames: Any) -> List[str]:
    """Names of the arrays with one row per body."""
    n = frames["body"].shape[0]
    others = ("time", "step", "offset", "body")
    per_frame = ("boundary_", "lattice", "velocity_gradient")
    return [name for name in frames if name not in others and not name.startswith(per_frame)
            and frames[name].shape[0] == n]


def _unit(dataset: Any) -> str:
    unit = dataset.attrs.get("unit", "")
    return unit.decode() if isinstance(unit, bytes) else str(unit)
