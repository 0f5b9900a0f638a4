"""Frames of a run: bodies and contacts as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union, overload

from . import plots
from .tables import frame_of

if TYPE_CHECKING:
    from .results import Results

_SHAPES = ("ellipsoid", "function", "clump")


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
    """One frame of a run. Arrays contain the bodies that exist at this time, in the order of their ids. In a periodic
    cell, positions are those of the images inside the cell."""

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
        self.id = constants["id"][body]  #: (n,) ids of bodies, rising
        self.mass = constants["mass"][body]  #: (n,) kg
        self.inertia = constants["inertia"][body]  #: (n, 3) kg m^2, principal moments
        self.material = constants["material"][body]  #: (n,) numbers, as in Results.materials
        self.position = self._fields["position"]  #: (n, 3) m, centres of mass
        self.orientation = self._fields["orientation"]  #: (n, 4) w x y z, from body axes to world axes
        self.velocity = self._fields["velocity"]  #: (n, 3) m/s
        self.angular_velocity = self._fields["angular_velocity"]  #: (n, 3) rad/s, world axes

    def __len__(self) -> int:
        return len(self.id)

    @property
    def fields(self) -> List[str]:
        """Names of the arrays of bodies, including those of output.fields."""
        return list(self._fields)

    def __getitem__(self, name: str) -> Any:
        others = ("id", "mass", "inertia", "material", "speed", "semi_axes", "size", "bounding_radius", "kind")
        if name in self._fields:
            return self._fields[name]
        if name not in others:
            raise KeyError(f"frames have no '{name}'; they have {', '.join([*self._fields, *others])}")
        return getattr(self, name)

    @property
    def kind(self) -> Any:
        """(n,) "ellipsoid", "function" or "clump"."""
        import numpy

        return numpy.array(_SHAPES)[self._results._read_constants()["shape"][self._body]]

    @property
    def semi_axes(self) -> Any:
        """(n, 3) m, of ellipsoids; 0 for other shapes."""
        return self._results._read_constants()["semi_axes"][self._body]

    @property
    def shape(self) -> List[str]:
        """Name of each body's function or clump; "ellipsoid" for the others."""
        constants = self._results._read_constants()
        names = {1: constants["functions"], 2: constants["clumps"]}
        return [names[s][int(constants["function"][b])] if s in names else "ellipsoid"
                for s, b in zip(constants["shape"][self._body], self._body)]

    @property
    def size(self) -> Any:
        """(n,) m, length of one unit of the function or clump; 0 for ellipsoids."""
        return self._results._read_constants()["size"][self._body]

    @property
    def bounding_radius(self) -> Any:
        """(n,) m, of the smallest sphere about the centre of mass that contains the body; accurate to about 1 % for
        functions and clumps."""
        import numpy

        constants = self._results._read_constants()
        radius = self.semi_axes.max(axis=1, initial=0.0)
        shape, function, size = constants["shape"][self._body], constants["function"][self._body], self.size
        for kind, number in {(int(k), int(f)) for k, f in zip(shape, function) if k != 0}:
            of = (shape == kind) & (function == number)
            some = int(numpy.argmax(of))  # a ball with the body's largest moment, 2/5 m r^2, is about as large
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
        """Contacts of the step before the frame; raises KeyError if the frame has none stored."""
        return FrameContacts(self._results, self.number)

    def to_dataframe(self) -> Any:
        """pandas.DataFrame, one row per body, indexed by its id."""
        return frame_of({"id": self.id, "mass": self.mass, "material": self.material, "semi_axes": self.semi_axes,
                         **self._fields}).set_index("id")

    def plot(self, ax: Any = None, color: str = "speed", plane: str = "xz", colorbar: bool = True,
             **options: Any) -> Any:
        """The bodies as ellipses, seen along the third axis, by matplotlib. Ellipsoids show their outline, other
        bodies a circle with their bounding radius. ``color``: "speed", a name of ``fields``, "id" or "material".
        Returns the axes."""
        import numpy
        from matplotlib.collections import EllipseCollection

        if len(plane) != 2 or len(set(plane)) != 2 or not set(plane) <= set("xyz"):
            raise ValueError(f"plane: must be two of x, y and z, such as 'xz' (value '{plane}')")
        first, second = ("xyz".index(axis) for axis in plane)
        numbers: Any = getattr(self, color) if color in ("speed", "id", "material") else self[color]
        if numbers.ndim > 1:
            numbers = numpy.linalg.norm(numbers, axis=1)
        axes = ax if ax is not None else plots.pyplot().subplots()[1]
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

            ellipses.set_cmap(ListedColormap(plots.pyplot().get_cmap("tab10").colors[:len(names)]))
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
        """(n, 3, 3) m^2, S = R diag(a^2) R^T: n S n is the squared extent of a body along a unit vector n."""
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
    """Contacts of a frame, as arrays with one row per contact; normals point from b to a, impulses act on a."""

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
        self.b = ids[arrays["body_b"]]  #: (n,) ids of bodies; -1 if the partner is a boundary
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
        """pandas.DataFrame, one row per contact."""
        names = ("a", "b", "boundary", "bond", "point", "normal", "gap", "impulse", "force")
        return frame_of({name: getattr(self, name) for name in names})
