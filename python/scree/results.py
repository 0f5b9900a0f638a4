"""What a run left behind: tables, frames, contacts, verdict, pictures."""

from __future__ import annotations

import html
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, TypeVar, Union, overload

from . import program, results_file
from .errors import ReadError
from .scene import PathLike, Scene
from .tables import frame_of, pandas

_T = TypeVar("_T")
_SHAPES = ("ellipsoid", "function", "clump")
_PARTS = ("boundary", "part", "joint", "opening")  # columns that say whose a row is, where a step has several
_PLACES = ("low", "high", "eye", "target", "cut")  # options of the program that are points
#: Ends of columns' names, longer ones first, and the units that they say.
_UNITS = {"kg_m2_s": "kg m²/s", "kg_m_s": "kg m/s", "m2_s2": "m²/s²", "N_m_s": "N m s", "rad_s": "rad/s",
          "N_s": "N s", "N_m": "N m", "m_s": "m/s", "1_s": "1/s", "m3": "m³", "kg": "kg", "Pa": "Pa", "rad": "rad",
          "N": "N", "J": "J", "W": "W", "m": "m", "s": "s"}


def open(folder: PathLike) -> "Results":  # noqa: A001
    """The results in a folder, as a run left them or has left them so far."""
    return Results(folder)


class Results:
    """A run that was recorded. Files are opened when something of them is asked for, and closed again, so that a
    run which goes on can be read, and nothing stays open: ``with scree.open(folder) as results:`` does as well.

    All places are in the scene's coordinates: its ``origin`` is added to what trajectory.h5 holds."""

    def __init__(self, folder: PathLike):
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise FileNotFoundError(f"there is no folder {self.folder}")
        if not ((self.folder / "trajectory.h5").exists() or (self.folder / "steps.csv").exists()):
            raise ReadError(f"{self.folder} holds no results of a run: neither trajectory.h5 nor steps.csv is there")
        self._constants: Optional[Dict[str, Any]] = None
        self._of_modification: Any = None

    def close(self) -> None:
        """Forgets what was read. Results can be used afterwards; files are read anew."""
        self._constants = None

    def __enter__(self) -> "Results":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

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
        """"finished", "interrupted", "failed", or "running" where nothing was summed up: it goes on or was killed."""
        return str(self.summary["status"]) if (self.folder / "summary.json").exists() else "running"

    @property
    def verdict(self) -> "Verdict":
        """Whether the run can be trusted."""
        return Verdict(self.summary["verdict"])

    @property
    def scene(self) -> Scene:
        """The scene that it was made of, with its overrides."""
        def reading(file: Any) -> Tuple[str, List[str]]:
            overrides = file["scene/overrides"][()] if "scene/overrides" in file else []
            return file["scene/text"][()].decode(), [override.decode() for override in overrides]

        text, given = self._read(reading)
        overrides = [override.partition("=")[::2] for override in given]
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
        return pandas().read_csv(path, float_precision="round_trip", dtype={"state_hash": str})

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
        ids, times, offset = constants["id"], constants["time"], constants["offset"]
        chosen = list(fields) if fields is not None else ["position", "orientation", "velocity", "angular_velocity"]
        for name in chosen:
            if name not in constants["fields"]:
                raise KeyError(f"frames have no '{name}'; they have {', '.join(constants['fields'])}")
        by_id = numpy.argsort(ids, kind="stable")
        place = numpy.empty_like(by_id)
        place[by_id] = numpy.arange(len(ids))
        rows = slice(0, int(offset[-1]))

        def column(name: str) -> Any:
            def reading(file: Any) -> Any:
                return file["frames"][name][rows]

            return self._read(reading)

        body = column("body")
        frame_of_row = numpy.repeat(numpy.arange(len(times)), numpy.diff(offset))
        arrays: Dict[str, Any] = {}
        for name in chosen:
            values = column(name)  # one by one: each may be large
            if name == "position" and constants["origin"].any():
                values = values + constants["origin"]  # in double precision: single has no room for both
            array = numpy.full((len(times), len(ids), *values.shape[1:]), numpy.nan, dtype=values.dtype)
            array[frame_of_row, place[body]] = values
            columns = {1: (), 3: ("xyz",), 4: ("wxyz",)}[values.shape[1] if values.ndim > 1 else 1]
            arrays[name] = (("time", "body", *columns), array, {"units": constants["fields"][name]})
        return xarray.Dataset(
            arrays,
            coords={"time": ("time", times, {"units": "s"}), "step": ("time", constants["step"]), "body": ids[by_id],
                    "xyz": list("xyz"), "wxyz": list("wxyz"),
                    "mass": ("body", constants["mass"][by_id], {"units": "kg"}),
                    "material": ("body", constants["material"][by_id])},
            attrs={"scene": constants["scene"]})

    @property
    def wall_cells(self) -> Optional[Dict[str, Any]]:
        """What walls felt and how they wore, cell by cell, as /wall_cells of trajectory.h5 has it: a dict of
        arrays; None where no cells were asked for (output.wall_cells)."""
        def reading(file: Any) -> Optional[Dict[str, Any]]:
            return {name: item[()] for name, item in file["wall_cells"].items()} if "wall_cells" in file else None

        cells = self._read(reading)
        if cells is not None:
            cells["point"] = cells["point"] + self._read_constants()["origin"]
        return cells

    def fields(self, **options: Any) -> Any:
        """Density, velocity, temperature and stress on a grid, averaged by coarse graining (`scree fields`):
        xarray.Dataset with dimensions time, z, y, x, or time, k, j, i where a periodic cell's grid is sheared or
        moves, with NaN beyond the cells of moments that have fewer. Options are those of the program:
        ``width=0.02``, ``time=[1.0, 2.0]``, ``low=[...]``, ``high=[...]``, and ``from_=1.0``, as Python keeps
        ``from`` for itself."""
        from .results_fields import read_fields

        with tempfile.TemporaryDirectory() as folder:
            program.call("fields", self.folder, "-q", "-o", folder, *self._arguments(options))
            return read_fields(Path(folder), tuple(self._read_constants()["origin"]))

    # Pictures.

    def plot(self, *columns: str, ax: Any = None, table: str = "steps", only: Union[str, Sequence[str], None] = None,
             **options: Any) -> Any:
        """Columns of a table over time, by matplotlib; gives the axes. Where a step has several rows, as in
        "boundaries", each boundary has a line of its own; ``only``: names of those to show."""
        axes = ax if ax is not None else _pyplot().subplots()[1]
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
        units = {_unit_of(column) for column in columns}
        if len(columns) == 1:
            axes.set_ylabel(_title(columns[0]))
        elif len(units) == 1 and "" not in units:
            axes.set_ylabel(f"({units.pop()})")
        if len(axes.lines) > 1:
            axes.legend()
        return axes

    def render(self, file: PathLike, **options: Any) -> Path:
        """A picture of the run, as `scree render` makes it; options are the program's: ``time=1.0``,
        ``color="speed"``, ``no_walls=True``, ``size=(640, 360)``. Raises ProgramError where it fails."""
        program.call("render", self.folder, "-o", os.fspath(file), *self._arguments(options))
        return Path(file)

    def show(self, height: int = 640) -> "Page":
        """The run's page with its three-dimensional view, for a cell of a notebook."""
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

    # How it is read.

    def _read(self, reading: Callable[[Any], _T]) -> _T:
        """What a function reads of trajectory.h5, with its journal, also while a run writes to it."""
        return results_file.read(self.folder / "trajectory.h5", reading)

    def _arguments(self, options: Dict[str, Any]) -> List[str]:
        """Options as the program has them, which counts places from the scene's origin."""
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
        """What stays the same of bodies, and where frames lie; more of both may come while the run goes on."""
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
        """How far the surface of a function or clump is from its centre of mass, at most, in units of its size."""
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


class Frames(Sequence["Frame"]):
    """The frames of a run."""

    def __init__(self, results: Results):
        self._results = results

    def __len__(self) -> int:
        return len(self._results._read_constants()["time"])

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
        rows = slice(*(int(row) for row in constants["offset"][number:number + 2]))
        self.time = float(constants["time"][number])  #: s, simulated
        self.step = int(constants["step"][number])

        def reading(file: Any) -> Dict[str, Any]:
            return {name: file["frames"][name][rows] for name in ("body", *constants["fields"])}

        self._fields = results._read(reading)
        body = self._fields.pop("body")
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
    def bounding_radius(self) -> Any:
        """(n,) m, of the smallest sphere about the centre of mass that holds the body; of functions and clumps to
        some 1 %."""
        import numpy

        constants = self._results._read_constants()
        radius = self.semi_axes.max(axis=1, initial=0.0)
        shape, function, size = constants["shape"][self._body], constants["function"][self._body], self.size
        for kind, number in {(int(k), int(f)) for k, f in zip(shape, function) if k != 0}:
            of = (shape == kind) & (function == number)
            some = int(numpy.argmax(of))  # the ball with its largest moment, 2/5 m r^2, is about as large
            guess = float(numpy.sqrt(2.5 * self.inertia[some].max() / self.mass[some]) / size[some])
            radius[of] = self._results._reach(kind, number, guess) * size[of]
        return radius

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

    def plot(self, ax: Any = None, color: str = "speed", plane: str = "xz", colorbar: bool = True,
             **options: Any) -> Any:
        """The bodies as ellipses, seen along the third axis, by matplotlib: of ellipsoids their outline, of others
        a circle with their bounding radius. ``color``: "speed", a name of ``fields``, "id" or "material"; gives the
        axes."""
        import numpy
        from matplotlib.collections import EllipseCollection

        if len(plane) != 2 or len(set(plane)) != 2 or not set(plane) <= set("xyz"):
            raise ValueError(f"a plane is two of x, y and z, such as 'xz', not '{plane}'")
        first, second = ("xyz".index(axis) for axis in plane)
        numbers: Any = getattr(self, color) if color in ("speed", "id", "material") else self[color]
        if numbers.ndim > 1:
            numbers = numpy.linalg.norm(numbers, axis=1)
        axes = ax if ax is not None else _pyplot().subplots()[1]
        matrices = self._outlines()[:, [[first], [second]], [[first, second]]]
        values, vectors = numpy.linalg.eigh(matrices)
        angle = numpy.degrees(numpy.arctan2(vectors[:, 1, 1], vectors[:, 0, 1]))
        third = ({0, 1, 2} - {first, second}).pop()
        order = numpy.argsort(self.position[:, third] * (1 if plane in ("xy", "yz", "zx") else -1))
        place = self.position[:, [first, second]]
        ellipses = EllipseCollection(2 * numpy.sqrt(values[order, 1]), 2 * numpy.sqrt(values[order, 0]), angle[order],
                                     units="xy", offsets=place[order],
                                     **{"edgecolors": "0.3", "linewidths": 0.3, **options})
        ellipses.set_offset_transform(axes.transData)
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
        names = self._results.materials if color == "material" else []
        if "cmap" not in options and 0 < len(names) <= 10:
            from matplotlib.colors import ListedColormap

            ellipses.set_cmap(ListedColormap(_pyplot().get_cmap("tab10").colors[:len(names)]))
            ellipses.set_clim(-0.5, len(names) - 0.5)
        if colorbar:
            unit = "m/s" if color == "speed" else self._results._read_constants()["fields"].get(color, "1")
            label = color.replace("_", " ") + (f" ({unit})" if unit not in ("1", "") else "")
            bar = axes.figure.colorbar(ellipses, ax=axes, label=label)
            if 0 < len(names) <= 10:
                bar.set_ticks(range(len(names)))
                bar.set_ticklabels(names)
        return axes

    def _outlines(self) -> Any:
        """(n, 3, 3) m^2, R diag(a^2) R^T: the square of how far a body reaches along a unit n is n S n."""
        import numpy

        from .results_shapes import rotations

        axes = self.semi_axes.copy()
        others = axes[:, 0] == 0.0
        if others.any():
            axes[others] = self.bounding_radius[others, None]
        turn = rotations(self.orientation)
        return numpy.einsum("nij,nj,nkj->nik", turn, axes**2, turn)

    def __repr__(self) -> str:
        return f"<scree.Frame {self.number}, t = {self.time:g} s: {len(self)} bodies>"


class FrameContacts:
    """Contacts of a frame, as arrays with a row each; normals point from b to a, impulses act on a."""

    def __init__(self, results: Results, number: int):
        import numpy

        constants = results._read_constants()

        def reading(file: Any) -> Optional[Tuple[Dict[str, Any], float]]:
            if "contacts" not in file or not file["contacts/recorded"][number]:
                return None
            group = file["contacts"]
            rows = slice(*(int(row) for row in group["offset"][number:number + 2]))
            others = ("offset", "recorded")
            arrays = {name: group[name][rows] for name in group if name not in others}
            return arrays, float(group.attrs["impulse_time_s"])

        found = results._read(reading)
        if found is None:
            raise KeyError(f"frame {number} was written without contacts (output.contacts, contacts_interval)")
        arrays, duration = found
        ids = numpy.append(constants["id"], -1)
        self.a = ids[arrays["body_a"]]  #: (n,) ids of bodies
        self.b = ids[arrays["body_b"]]  #: (n,) ids of bodies; -1 where a boundary is the partner
        self.boundary = arrays["boundary"]  #: (n,) numbers of boundaries, or -1
        self.bond = arrays.get("bond", numpy.full(len(self.a), -1))  #: (n,) kind, or -1
        self.point = arrays["point"] + constants["origin"]  #: (n, 3) m
        self.normal = arrays["normal"]  #: (n, 3) unit
        self.gap = arrays["gap"]  #: (n,) m, negative where surfaces overlap
        self.impulse = arrays["impulse"]  #: (n, 3) N s, of the last substep
        self.force = self.impulse / duration if duration > 0.0 else 0.0 * self.impulse  #: (n, 3) N
        self.boundary_names = list(constants["boundaries"])

    def __len__(self) -> int:
        return len(self.a)

    def __repr__(self) -> str:
        return f"<scree.FrameContacts: {len(self)}>"

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


def _unit_of(column: str) -> str:
    """What the end of a column's name says; empty if it has no unit."""
    return next((unit for end, unit in _UNITS.items() if column.endswith(f"_{end}")), "")


def _title(column: str) -> str:
    """"kinetic energy (J)" of "kinetic_energy_J"."""
    for end, unit in _UNITS.items():
        if column.endswith(f"_{end}"):
            return f"{column[:-len(end) - 1].replace('_', ' ')} ({unit})"
    return column.replace("_", " ")


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots are drawn by matplotlib (Debian: python3-matplotlib; pip: matplotlib)") from error
    return pyplot
