"""What a run left behind: tables, frames, contacts, verdict, pictures."""

from __future__ import annotations

import html
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union, overload

from . import program
from .errors import ReadError
from .scene import PathLike, Scene
from .tables import frame_of, pandas

_SHAPES = ("ellipsoid", "function", "clump")


def open(folder: PathLike) -> "Results":  # noqa: A001
    """The results in a folder, as a run left them or has left them so far."""
    return Results(folder)


class Results:
    """A run that was recorded. Files are opened when something of them is asked for, and closed again."""

    def __init__(self, folder: PathLike):
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise FileNotFoundError(f"there is no folder {self.folder}")
        if not ((self.folder / "trajectory.h5").exists() or (self.folder / "steps.csv").exists()):
            raise ReadError(f"{self.folder} holds no results of a run: neither trajectory.h5 nor steps.csv is there")
        self._constants: Optional[Dict[str, Any]] = None
        self._of_modification: Any = None

    # What it was, and how good.

    @property
    def summary(self) -> Dict[str, Any]:
        """summary.json, as docs/file_formats.md has it. Raises ReadError while the run goes on."""
        path = self.folder / "summary.json"
        if not path.exists():
            raise ReadError(f"{path} is not there: the run goes on, or was cut off")
        summary: Dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return summary

    @property
    def status(self) -> str:
        """"finished", "interrupted", "failed", or "running" where nothing was summed up."""
        return str(self.summary["status"]) if (self.folder / "summary.json").exists() else "running"

    @property
    def verdict(self) -> "Verdict":
        """Whether the run can be trusted."""
        return Verdict(self.summary["verdict"])

    @property
    def scene(self) -> Scene:
        """The scene that it was made of, with its overrides."""
        with self._trajectory() as file:
            text = file["scene/text"][()].decode()
            overrides = [o.decode().partition("=")[::2] for o in file["scene/overrides"][()]] \
                if "scene/overrides" in file else []
        return Scene._of_text(text, str(self.folder / "scene.toml"), [(key, value) for key, value in overrides])

    def verify(self) -> str:
        """What `scree verify` says of the files; raises ProgramError where any is damaged."""
        return program.call("verify", self.folder)

    # Tables.

    @property
    def tables(self) -> List[str]:
        """Names of the tables that are there."""
        return sorted(path.stem for path in self.folder.glob("*.csv"))

    def table(self, name: str) -> Any:
        """A table as pandas.DataFrame: "boundaries", "joints", ..."""
        path = self.folder / f"{name}.csv"
        if not path.exists():
            raise KeyError(f"there is no table '{name}'; there is {', '.join(self.tables)}")
        return pandas().read_csv(path, float_precision="round_trip")

    @property
    def steps(self) -> Any:
        """steps.csv as pandas.DataFrame: a row a step, by its number."""
        return self.table("steps").set_index("step")

    @property
    def events(self) -> Any:
        """events.csv as pandas.DataFrame; empty where nothing happened."""
        return self.table("events") if "events" in self.tables else pandas().DataFrame()

    # Frames.

    @property
    def frames(self) -> "Frames":
        """The frames, as a list of Frame."""
        return Frames(self)

    @property
    def times(self) -> Any:
        """(F,) simulated times of the frames, s."""
        with self._trajectory() as file:
            return file["frames/time"][()]

    def frame_at(self, time: float) -> "Frame":
        """The frame nearest to a time, s."""
        import numpy

        times = self.times
        if len(times) == 0:
            raise IndexError("the run has no frames")
        return self.frames[int(numpy.argmin(numpy.abs(times - time)))]

    @property
    def materials(self) -> List[str]:
        """Names of materials, by their numbers."""
        return list(self._read_constants()["materials"])

    @property
    def boundaries(self) -> List[str]:
        """Names of boundaries, by their numbers."""
        return list(self._read_constants()["boundaries"])

    @property
    def shapes(self) -> List[str]:
        """Names of the functions and clumps that bodies are made of, functions first."""
        constants = self._read_constants()
        return [*constants["functions"], *constants["clumps"]]

    def to_xarray(self, fields: Optional[Sequence[str]] = None) -> Any:
        """xarray.Dataset of all frames, with dimensions time, body (by id), xyz and wxyz. Where a body is not
        there its numbers are NaN. ``fields``: names of arrays; position, orientation and velocities if they are
        not given."""
        import numpy

        try:
            import xarray
        except ImportError as error:
            raise ImportError("to_xarray() needs xarray (Debian: python3-xarray; pip: xarray)") from error
        constants = self._read_constants()
        ids = constants["id"]
        by_id = numpy.argsort(ids, kind="stable")
        place = numpy.empty_like(by_id)
        place[by_id] = numpy.arange(len(ids))
        with self._trajectory() as file:
            frames = file["frames"]
            offset, rows = frames["offset"][()], frames["body"][()]
            times = frames["time"][()]
            frame_of_row = numpy.repeat(numpy.arange(len(times)), numpy.diff(offset))
            arrays: Dict[str, Any] = {}
            for name in fields or ("position", "orientation", "velocity", "angular_velocity"):
                if name not in frames:
                    raise KeyError(f"frames have no '{name}'; they have {', '.join(_fields_of(frames))}")
                values = frames[name][()]
                array = numpy.full((len(times), len(ids), *values.shape[1:]), numpy.nan, dtype=values.dtype)
                array[frame_of_row, place[rows]] = values
                if name == "position":
                    array += constants["origin"].astype(array.dtype)
                columns = {1: (), 3: ("xyz",), 4: ("wxyz",)}[values.shape[1] if values.ndim > 1 else 1]
                arrays[name] = (("time", "body", *columns), array, {"units": _unit(frames[name])})
        return xarray.Dataset(
            arrays,
            coords={"time": ("time", times, {"units": "s"}), "body": ids[by_id], "xyz": list("xyz"), "wxyz": list("wxyz"),
                    "mass": ("body", constants["mass"][by_id], {"units": "kg"}),
                    "material": ("body", constants["material"][by_id])},
            attrs={"scene": constants["scene"]})

    @property
    def wall_cells(self) -> Optional[Dict[str, Any]]:
        """What walls felt and how they wore, cell by cell, as /wall_cells of trajectory.h5 has it: a dict of
        arrays; None where no cells were asked for (output.wall_cells)."""
        with self._trajectory() as file:
            if "wall_cells" not in file:
                return None
            found: Dict[str, Any] = {}
            file["wall_cells"].visititems(lambda name, item: found.update({name: item[()]}) if hasattr(item, "dtype") else None)
            return found

    def fields(self, **options: Any) -> Any:
        """Density, velocity, temperature and stress on a grid, averaged by coarse graining (`scree fields`):
        xarray.Dataset with dimensions time, x, y, z. Options are those of the program: ``width=0.02``,
        ``time=[1.0, 2.0]``, ``low=[...]``, ``high=[...]``."""
        from .results_fields import read_fields

        with tempfile.TemporaryDirectory() as folder:
            program.call("fields", self.folder, "-q", "-o", folder, *program.arguments(options))
            return read_fields(Path(folder))

    # Pictures.

    def plot(self, *columns: str, ax: Any = None, table: str = "steps", **options: Any) -> Any:
        """Columns of a table over time, by matplotlib; gives the axes."""
        axes = ax if ax is not None else _pyplot().subplots()[1]
        data = self.table(table)
        for column in columns:
            if column not in data:
                raise KeyError(f"{table}.csv has no column '{column}'; it has {', '.join(data.columns)}")
            axes.plot(data["time_s"], data[column], label=column, **options)
        axes.set_xlabel("time (s)")
        axes.set_ylabel(columns[0]) if len(columns) == 1 else axes.legend()
        return axes

    def render(self, file: PathLike, **options: Any) -> Path:
        """A picture of the run, as `scree render` makes it; options are the program's: ``time=1.0``,
        ``color="speed"``. Raises ProgramError where it fails."""
        program.call("render", self.folder, "-o", os.fspath(file), *program.arguments(options))
        return Path(file)

    def show(self, height: int = 640) -> "Page":
        """The run's page with its three-dimensional view, for a cell of a notebook."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.html"
            program.call("report", self.folder, "-o", path)
            return Page(path.read_text(encoding="utf-8"), height)

    def __repr__(self) -> str:
        return f"<scree.Results {self.folder}: {self.status}, {len(self.frames)} frames>"

    # How it is read.

    def _trajectory(self) -> Any:
        try:
            import h5py
        except ImportError as error:
            raise ImportError("results are read by h5py (Debian: python3-h5py; pip: h5py)") from error
        path = self.folder / "trajectory.h5"
        if not path.exists():
            raise ReadError(f"{path} is not there: the scene has output.hdf5 = false")
        try:
            return h5py.File(path, "r")
        except OSError as error:
            raise ReadError(f"cannot read {path}: {error}") from error

    def _read_constants(self) -> Dict[str, Any]:
        """What stays the same of bodies; more of them may come while the run goes on."""
        import numpy

        now = (self.folder / "trajectory.h5").stat().st_mtime_ns if (self.folder / "trajectory.h5").exists() else None
        if self._constants is not None and now == self._of_modification:
            return self._constants
        with self._trajectory() as file:
            def names(path: str) -> List[str]:
                return [name.decode() for name in file[path][()]] if path in file else []

            bodies = file["bodies"]
            constants = {name: bodies[name][()] for name in ("id", "shape", "semi_axes", "mass", "inertia", "material")}
            n = len(constants["id"])
            for name in ("function", "size"):
                constants[name] = bodies[name][()].reshape(-1) if name in bodies else numpy.zeros(n)
            constants.update(materials=names("materials/name"), boundaries=names("boundaries/name"),
                             functions=names("functions/name"), clumps=names("clumps/name"),
                             origin=numpy.array(file["scene"].attrs.get("origin_m", numpy.zeros(3))),
                             scene=str(file.attrs.get("scene", "")))
        self._constants, self._of_modification = constants, now
        return constants


class Frames(Sequence["Frame"]):
    """The frames of a run."""

    def __init__(self, results: Results):
        self._results = results

    def __len__(self) -> int:
        with self._results._trajectory() as file:
            return len(file["frames/time"])

    @overload
    def __getitem__(self, index: int) -> "Frame": ...
    @overload
    def __getitem__(self, index: slice) -> "List[Frame]": ...
    def __getitem__(self, index: Union[int, slice]) -> Any:
        n = len(self)
        if isinstance(index, slice):
            return [Frame(self._results, k) for k in range(n)[index]]
        if not -n <= index < n:
            raise IndexError(f"frame {index} of {n}")
        return Frame(self._results, index % n)

    def __iter__(self) -> Iterator["Frame"]:
        return (Frame(self._results, k) for k in range(len(self)))


class Frame:
    """A moment of a run. Arrays are of the bodies that are there, in the order of their ids; in a periodic cell
    positions are those of the images in it."""

    def __init__(self, results: Results, number: int):
        self._results, self.number = results, number
        constants = results._read_constants()
        with results._trajectory() as file:
            frames = file["frames"]
            self.time = float(frames["time"][number])  #: s, simulated
            self.step = int(frames["step"][number])
            rows = slice(*frames["offset"][number:number + 2])
            body = frames["body"][rows]
            self._fields = {name: frames[name][rows] for name in _fields_of(frames)}
        self._body = body
        self._fields["position"] = self._fields["position"] + constants["origin"]
        self.id = constants["id"][body]  #: (n,) numbers of bodies, rising
        self.mass = constants["mass"][body]  #: (n,) kg
        self.inertia = constants["inertia"][body]  #: (n, 3) kg m^2, principal moments
        self.material = constants["material"][body]  #: (n,) numbers, as in Results.materials
        self.position = self._fields["position"]  #: (n, 3) m, centres of mass
        self.orientation = self._fields["orientation"]  #: (n, 4) w x y z, from the body's axes to the world's
        self.velocity = self._fields["velocity"]  #: (n, 3) m/s
        self.angular_velocity = self._fields["angular_velocity"]  #: (n, 3) rad/s, world axes

    def __len__(self) -> int:
        return len(self.id)

    @property
    def fields(self) -> List[str]:
        """Names of the arrays of bodies, those of output.fields among them."""
        return list(self._fields)

    def __getitem__(self, name: str) -> Any:
        if name not in self._fields:
            raise KeyError(f"frames have no '{name}'; they have {', '.join(self._fields)}")
        return self._fields[name]

    @property
    def kind(self) -> Any:
        """(n,) "ellipsoid", "function" or "clump"."""
        import numpy

        return numpy.array(_SHAPES)[self._results._read_constants()["shape"][self._body]]

    @property
    def semi_axes(self) -> Any:
        """(n, 3) m, of ellipsoids; 0 of other shapes."""
        return self._results._read_constants()["semi_axes"][self._body]

    @property
    def shape(self) -> List[str]:
        """Name of each body's function or clump; "ellipsoid" of the others."""
        constants = self._results._read_constants()
        names = {1: constants["functions"], 2: constants["clumps"]}
        return [names[s][int(constants["function"][b])] if s in names else "ellipsoid"
                for s, b in zip(constants["shape"][self._body], self._body)]

    @property
    def size(self) -> Any:
        """(n,) m, what one unit of length of the function or clump is; 0 of ellipsoids."""
        return self._results._read_constants()["size"][self._body]

    @property
    def speed(self) -> Any:
        """(n,) m/s"""
        import numpy

        return numpy.linalg.norm(self.velocity, axis=1)

    @property
    def contacts(self) -> "FrameContacts":
        """Contacts of the step before the frame; raises KeyError where the frame was written without."""
        return FrameContacts(self._results, self.number)

    def to_dataframe(self) -> Any:
        """pandas.DataFrame, a row a body, by its id."""
        return frame_of({"id": self.id, "mass": self.mass, "material": self.material, "semi_axes": self.semi_axes,
                         **self._fields}).set_index("id")

    def plot(self, ax: Any = None, color: str = "speed", plane: str = "xz", **options: Any) -> Any:
        """The bodies as ellipses, seen along the third axis, by matplotlib: of ellipsoids their outline, of others
        a circle with their volume. ``color``: "speed", a name of ``fields``, "id" or "material"; gives the axes."""
        import numpy
        from matplotlib.collections import EllipseCollection

        first, second = ("xyz".index(axis) for axis in plane)
        axes = ax if ax is not None else _pyplot().subplots()[1]
        matrices = self._outlines()[:, [[first], [second]], [[first, second]]]
        values, vectors = numpy.linalg.eigh(matrices)
        angle = numpy.degrees(numpy.arctan2(vectors[:, 1, 1], vectors[:, 0, 1]))
        numbers: Any = getattr(self, color) if color in ("speed", "id", "material") else self[color]
        if numbers.ndim > 1:
            numbers = numpy.linalg.norm(numbers, axis=1)
        third = ({0, 1, 2} - {first, second}).pop()
        order = numpy.argsort(self.position[:, third] * (1 if plane in ("xy", "yz", "zx") else -1))
        place = self.position[:, [first, second]]
        ellipses = EllipseCollection(2 * numpy.sqrt(values[order, 1]), 2 * numpy.sqrt(values[order, 0]), angle[order],
                                     units="xy", offsets=place[order], transOffset=axes.transData,
                                     **{"edgecolors": "0.3", "linewidths": 0.3, **options})
        ellipses.set_array(numbers[order])
        axes.add_collection(ellipses)
        reach = numpy.sqrt(matrices[:, [0, 1], [0, 1]])
        if len(place):
            axes.set_xlim((place - reach)[:, 0].min(), (place + reach)[:, 0].max())
            axes.set_ylim((place - reach)[:, 1].min(), (place + reach)[:, 1].max())
        axes.set_aspect("equal")
        axes.set_xlabel(f"{plane[0]} (m)")
        axes.set_ylabel(f"{plane[1]} (m)")
        axes.set_title(f"t = {self.time:g} s")
        units = {"speed": " (m/s)", "kinetic_energy": " (J)"}
        axes.figure.colorbar(ellipses, ax=axes, label=color + units.get(color, ""))
        return axes

    def _outlines(self) -> Any:
        """(n, 3, 3) m^2, R diag(a^2) R^T: the square of how far a body reaches along a unit n is n S n."""
        import numpy

        axes = self.semi_axes.copy()
        others = axes[:, 0] == 0.0
        if others.any():  # of a sphere with the largest moment, from mass and inertia: 2/5 m r^2
            radius = numpy.sqrt(2.5 * self.inertia[others].max(axis=1) / self.mass[others])
            axes[others] = radius[:, None]
        w, x, y, z = self.orientation.astype(float).T
        turn = numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]).transpose(2, 0, 1)
        return numpy.einsum("nij,nj,nkj->nik", turn, axes**2, turn)

    def __repr__(self) -> str:
        return f"<scree.Frame {self.number}, t = {self.time:g} s: {len(self)} bodies>"


class FrameContacts:
    """Contacts of a frame, as arrays with a row each; normals point from b to a, impulses act on a."""

    def __init__(self, results: Results, number: int):
        import numpy

        constants = results._read_constants()
        with results._trajectory() as file:
            if "contacts" not in file or not file["contacts/recorded"][number]:
                raise KeyError(f"frame {number} was written without contacts (output.contacts, contacts_interval)")
            group = file["contacts"]
            rows = slice(*group["offset"][number:number + 2])
            ids = numpy.append(constants["id"], -1)
            self.a = ids[group["body_a"][rows]]  #: (n,) ids of bodies
            self.b = ids[group["body_b"][rows]]  #: (n,) ids of bodies; -1 where a boundary is the partner
            self.boundary = group["boundary"][rows]  #: (n,) numbers of boundaries, or -1
            self.bond = group["bond"][rows] if "bond" in group else numpy.full(len(self.a), -1)  #: (n,) kind, or -1
            self.point = group["point"][rows] + constants["origin"]  #: (n, 3) m
            self.normal = group["normal"][rows]  #: (n, 3) unit
            self.gap = group["gap"][rows]  #: (n,) m, negative where surfaces overlap
            self.impulse = group["impulse"][rows]  #: (n, 3) N s, of the last substep
            duration = float(group.attrs["impulse_time_s"])
        self.force = self.impulse / duration if duration > 0.0 else 0.0 * self.impulse  #: (n, 3) N
        self.boundary_names = list(constants["boundaries"])

    def __len__(self) -> int:
        return len(self.a)

    def to_dataframe(self) -> Any:
        """pandas.DataFrame, a row a contact."""
        names = ("a", "b", "boundary", "bond", "point", "normal", "gap", "impulse", "force")
        return frame_of({name: getattr(self, name) for name in names})


class Verdict:
    """Whether a run can be trusted, by its own numbers."""

    def __init__(self, verdict: Dict[str, Any]):
        self.grade: str = verdict["grade"]  #: "green", "amber" or "red"
        self.meaning: str = verdict["meaning"]
        self.findings: List[Dict[str, Any]] = verdict["findings"]  #: one a check, the worst first

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
    """A page that stands by itself; in a notebook it shows in the cell's output."""

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
    """Names of the arrays that have a row a body."""
    n = frames["body"].shape[0]
    others = ("time", "step", "offset", "body")
    per_frame = ("boundary_", "lattice", "velocity_gradient")
    return [name for name in frames if name not in others and not name.startswith(per_frame)
            and frames[name].shape[0] == n]


def _unit(dataset: Any) -> str:
    unit = dataset.attrs.get("unit", "")
    return unit.decode() if isinstance(unit, bytes) else str(unit)


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots are drawn by matplotlib (Debian: python3-matplotlib; pip: matplotlib)") from error
    return pyplot
