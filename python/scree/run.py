"""Runs: a scene that is stepped, looked at and acted on."""

from __future__ import annotations

import operator
import os
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from . import _scree
from .errors import WriteError
from .scene import PathLike, Scene, load

_NEVER = float("inf")
_MOST_STEPS = 2**62
State = _scree.State


def _near(name: str, names: Any) -> str:
    """"; did you mean a or b?", or nothing."""
    import difflib

    near = difflib.get_close_matches(name, list(names), 3)
    return f"; did you mean {' or '.join(near)}?" if near else ""


class _Strict:
    """Has no attributes but its own: a slip of the pen is told and not kept."""

    def __setattr__(self, name: str, value: Any) -> None:
        own = getattr(type(self), name, None)
        if name.startswith("_") or (isinstance(own, property) and own.fset):
            object.__setattr__(self, name, value)
            return
        settable = [n for n in dir(type(self)) if isinstance(p := getattr(type(self), n, None), property) and p.fset]
        seen = isinstance(own, property) or name in getattr(self, "observables", ())
        why = "can be read, but cannot be set" if seen else "is not an attribute"
        there = f"; these can be set: {', '.join(settable)}" if settable else ""
        raise AttributeError(f"{type(self).__name__}: {name} {why}{_near(name, settable) or there}")


class Observables(Mapping[str, float]):
    """Quantities of one thing after the last step, by the names of docs/observables.md."""

    def __init__(self, run: "Run", kind: str, part: int = 0):
        self._run, self._kind, self._part = run, kind, part

    def __getitem__(self, name: str) -> float:
        try:
            return self._run._observe(self._kind, name, self._part)
        except KeyError:
            known = [known for known, *_ in _scree.observables(self._kind)]
            raise KeyError(f"there is no quantity {name}{_near(name, known)}") from None

    def __iter__(self) -> Iterator[str]:
        for name, *_ in _scree.observables(self._kind):
            try:
                self._run._observe(self._kind, name, self._part)
            except KeyError:  # not known of this one
                continue
            yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))

    def describe(self, name: str) -> Tuple[str, str]:
        """The unit of a quantity, and what it is."""
        for known, unit, _, description in _scree.observables(self._kind):
            if known == name:
                return unit, description
        raise KeyError(name)


class _Observed(_Strict):
    """What has observables, which are its attributes too."""

    _kind = ""

    def __init__(self, run: "Run", number: int, name: str):
        self._run, self._number, self._name = run, number, name

    @property
    def name(self) -> str:
        return self._name

    @property
    def observables(self) -> Observables:
        """Its quantities after the last step, by name."""
        return Observables(self._run, self._kind, self._number)

    def __getattr__(self, name: str) -> float:
        if name.startswith("_") or name == "observables":
            raise AttributeError(name)
        try:
            return self.observables[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no {name}{_near(name, self.observables)}") from None

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self.observables]

    def _vector(self, name: str, unit: str) -> Any:
        import numpy

        return numpy.array([self.observables[f"{name}_{axis}_{unit}"] for axis in "xyz"])

    def __repr__(self) -> str:
        return f"<scree {type(self).__name__} '{self.name}'>"


class Motion(_Strict):
    """The motion that is prescribed to a part."""

    def __init__(self, run: "Run", part: int):
        self._run, self._part = run, part

    @property
    def runs(self) -> bool:
        """Does its clock run?"""
        return self._run._motion_runs(self._part)

    def start(self) -> None:
        """It goes on where it stands."""
        self._run._start_motion(self._part)

    def stop(self) -> None:
        """It stays where it is."""
        self._run._stop_motion(self._part)

    @property
    def speed(self) -> float:
        """m/s, or of a rotation rad/s, of a motion that has nothing but a speed. Where it is set, the motion goes
        on so fast from where it is."""
        return self._run._speed(self._part)

    @speed.setter
    def speed(self, value: float) -> None:
        self._run._set_speed(self._part, float(value))

    angular_speed = speed


class Boundary(_Observed):
    """A wall. Its quantities are its attributes: ``boundary.normal_force_N``."""

    _kind = "boundary"

    @property
    def force(self) -> Any:
        """(3,) N, of the bodies on it, mean over the last step."""
        return self._vector("force", "N")

    @property
    def torque(self) -> Any:
        """(3,) N m, about its centre, likewise."""
        return self._vector("torque", "N_m")

    @property
    def position(self) -> Any:
        """(3,) m, now, of the point that its torques are about (key ``centre``)."""
        return self._run._boundary_pose(self._number)[:3]

    @property
    def orientation(self) -> Any:
        """(4,) w x y z, against where it was at the start."""
        return self._run._boundary_pose(self._number)[3:]

    @property
    def part(self) -> Optional["Part"]:
        """The part that carries it, or None."""
        number = self._run._boundary_part(self._number)
        return self._run.parts._of_number(number) if number >= 0 else None

    @property
    def motion(self) -> Motion:
        """Of the part that carries it."""
        number = self._run._boundary_part(self._number)
        if number < 0:
            raise ValueError(f"boundary '{self.name}' has no motion: no part carries it (its keys: part, motion)")
        return Motion(self._run, number)

    @property
    def surface_velocity(self) -> Any:
        """(3,) m/s, of a belt: its surface goes, it does not."""
        return self._run._surface_velocity(self._number)

    @surface_velocity.setter
    def surface_velocity(self, value: Any) -> None:
        self._run._set_surface_velocity(self._number, value)

    def remove(self) -> None:
        """It is not there any more, for good."""
        self._run._remove_boundary(self._number)


class Part(_Observed):
    """A piece of the apparatus, which carries boundaries and bodies."""

    _kind = "part"

    @property
    def force(self) -> float:
        """N along its axis, or torque N m about it, that acts on it (key ``force`` or ``torque``); may be set."""
        return self._run._force(self._number)

    @force.setter
    def force(self, value: float) -> None:
        self._run._set_force(self._number, float(value))

    torque = force

    @property
    def motion(self) -> Motion:
        """What is prescribed to it."""
        return Motion(self._run, self._number)

    def release(self) -> None:
        """Forces move it from now on."""
        self._run._release(self._number)

    def lock(self) -> None:
        """Forces do not move it from now on."""
        self._run._lock(self._number)


class Joint(_Observed):
    """A joint of a machine. ``joint.coordinate``, ``joint.rate`` and its other quantities are attributes."""

    _kind = "joint"

    @property
    def motor(self) -> float:
        """What is wanted of its motor: a speed (m/s, rad/s), a place (m, rad) or a force (N, N m), see
        ``motor_kind``; may be set. What the scene's functions and tables say is added to it."""
        return self._run._motor(self._number)

    @motor.setter
    def motor(self, value: float) -> None:
        self._run._set_motor(self._number, float(value))

    @property
    def motor_kind(self) -> str:
        """"speed", "position", "force" or "none"."""
        return self._run._motor_kind(self._number)


class Opening(_Observed):
    """An inlet, an outlet or the domain: ``opening.bodies`` and ``opening.mass_kg`` have passed it so far."""

    _kind = "opening"

    def start(self) -> None:
        """An inlet begins, or goes on where it was stopped."""
        self._run._start_inlet(self._inlet())

    def stop(self) -> None:
        """An inlet makes no more grains."""
        self._run._stop_inlet(self._inlet())

    def _inlet(self) -> int:
        if self._number >= self._run._inlets():
            raise TypeError(f"'{self.name}' is not an inlet")
        return self._number


_T = TypeVar("_T")


class Named(Mapping[str, _T]):
    """Things by their names, or by their numbers."""

    def __init__(self, run: "Run", kind: str, make: Callable[["Run", int, str], _T]):
        self._run, self._kind, self._make = run, kind, make
        self._names: List[str] = run._part_names(kind)

    def __getitem__(self, key: Union[str, int]) -> _T:
        if isinstance(key, int):
            if not -len(self._names) <= key < len(self._names):
                raise IndexError(f"{self._kind} {key} of {len(self._names)}")
            return self._of_number(key % len(self._names))
        if key not in self._names:
            there = f"; there are {', '.join(self._names[:12])}" if self._names else ""
            raise KeyError(f"there is no {self._kind} '{key}'{there}")
        return self._of_number(self._names.index(key))

    def _of_number(self, number: int) -> _T:
        return self._make(self._run, number, self._names[number])

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<scree {self._kind}: {', '.join(self._names) or 'none'}>"


class Report:
    """What steps tell: every quantity of the run is an attribute, by the names of docs/observables.md.

    It is over the steps that were asked for at once: energies and counts that flow are sums over them, residuals and
    overlaps the largest, forces means, all else as after the last (column "Over steps" of that page)."""

    _names: Tuple[str, ...] = ()

    def __init__(self, values: Sequence[float], happened: Sequence[str]):
        if not Report._names:
            Report._names = tuple(name for name, *_ in _scree.observables("steps"))
        self._values = values
        self.happened = list(happened)  #: what events did since the last report, in words

    def __getattr__(self, name: str) -> float:
        try:
            return self._values[Report._names.index(name)]
        except ValueError:
            raise AttributeError(f"a report has no {name}") from None

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *Report._names]

    def to_dict(self) -> Dict[str, float]:
        return dict(zip(Report._names, self._values))

    @property
    def time(self) -> float:
        """s, simulated."""
        return self.time_s

    def __repr__(self) -> str:
        return (f"<scree.Report step {self.step:.0f}, t = {self.time_s:g} s: {self.bodies:.0f} bodies, "
                f"{self.contacts:.0f} contacts, residual {self.residual_over_goal:.2g} of its goal>")


class Contacts:
    """Contacts of the last step, as arrays with a row each; normals point from b to a, impulses act on a."""

    #: (n,) ids of bodies; b is -1 where a boundary is the partner
    a: Any
    b: Any
    boundary: Any  #: (n,) number of the boundary, or -1
    point: Any  #: (n, 3) m
    normal: Any  #: (n, 3) unit
    gap: Any  #: (n,) m, negative where surfaces overlap
    impulse: Any  #: (n, 3) N s, over the last substep
    force: Any  #: (n, 3) N
    torque_impulse: Any  #: (n, 3) N m s, of torsional and rolling friction

    def __init__(self, arrays: Dict[str, Any]):
        self.__dict__.update(arrays)
        self._names = list(arrays)

    def __len__(self) -> int:
        return len(self.a)

    def to_dataframe(self) -> Any:
        """pandas.DataFrame with a row each; vectors in columns of their own."""
        from .tables import frame_of

        return frame_of({name: getattr(self, name) for name in self._names})


Forces = Callable[["_scree.Bodies"], Any]


class Run(_scree.SteppedRun):
    """A run of a scene.

    ``threads``: 0 takes all of the machine's; results are the same bits on any number. With a ``folder`` the run
    is recorded there as ``scree run`` does (``overwrite`` replaces what it holds); ``finish()``, or the end of a
    ``with`` block, sums it up. ``forces`` is a function that is called once a step with ``bodies`` as they will
    be in its middle; it returns forces (n, 3) in N, or (forces, torques) with torques (n, 3) in N m about the
    centres, in world axes, in the order of ``bodies.id``; or None for none.

    >>> run = scree.Run(scree.load("scene.toml"))
    >>> for report in run.steps(every=0.1):
    ...     print(report.time_s, report.kinetic_energy_J)
    """

    def __init__(self, scene: Union[Scene, PathLike], *, threads: int = 0, folder: Optional[PathLike] = None,
                 overwrite: bool = False, forces: Optional[Forces] = None):
        if not isinstance(scene, Scene):
            scene = load(scene)
        self.scene: Scene = scene
        self.folder: Optional[str] = os.fspath(folder) if folder is not None else None
        tables = None
        if self.folder is not None:
            from pathlib import Path

            tables = Path(self.folder) / "inputs"
        try:
            super().__init__(scene._scene(tables), scene._said(), threads, self.folder or "", overwrite)
        except WriteError as error:
            words = str(error).replace("choose another folder (-o) or replace them (--overwrite)",
                                       "choose another folder, or replace them with overwrite=True")
            raise WriteError(words) from None
        if forces is not None:
            self.forces = forces

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("scene", "folder", "forces") or name.startswith("_"):
            super().__setattr__(name, value)
            return
        instead = {"gravity": "set_gravity()", "velocity": "set()", "position": "set()"}.get(name)
        raise AttributeError(f"Run: {name} cannot be set; use {instead}" if instead else
                             f"Run: {name} cannot be set{_near(name, ['forces'])}")

    # Going on.

    def step(self, count: int = 1) -> Report:
        """Does so many steps, less where an event ends the run or Ctrl-C is pressed; a report of them."""
        count = operator.index(count)
        if count < 0:
            raise ValueError(f"count: must not be negative (value {count})")
        self._advance(count, _NEVER)
        return self.report

    def until(self, time: Optional[float] = None) -> Report:
        """Steps as far as a simulated time (s), the scene's end if it is not given, and beyond that end if it is
        asked to; ``stopped`` says why it ended. Steps of one length end within half a step of it, adaptive ones at
        it. Gives a report of all of these steps."""
        end = self.end_time if time is None else float(time)
        if end != end:
            raise ValueError("time: must be a number (value nan)")
        self._advance(_MOST_STEPS, end)
        return self.report

    def steps(self, every: Optional[float] = None, until: Optional[float] = None) -> Iterator[Report]:
        """Yields a report after every step, or after every so many simulated seconds, to the scene's end or
        ``until`` (s)."""
        end = self.end_time if until is None else float(until)
        if every is not None and not every > 0.0:
            raise ValueError(f"every: must be positive (value {every} s)")
        start, count, at_end = self.time, 0, False
        while not at_end:
            before = self.step_number
            count += 1
            if every is None:
                self._advance(1, end)
                at_end = self.stopped == "end_time"
            else:
                self._advance(_MOST_STEPS, min(start + count * every, end))
                at_end = start + count * every >= end
            if self.step_number > before:
                yield self.report
            if self.stopped in ("event", "interrupted"):
                return

    @property
    def stopped(self) -> str:
        """Why the last steps ended early: "end_time", "event", "failed", "interrupted"; empty if they did not."""
        return self._stopped()

    @property
    def report(self) -> Report:
        """What the last step tells, or those that were asked for with it."""
        return Report(self._report(), self._happened())

    def finish(self) -> Any:
        """Sums up a recorded run, which ends with it: its results, as scree.open() gives them; None without a
        folder."""
        folder = self._finish()
        if folder is None:
            return None
        from .results import open as open_results

        return open_results(folder)

    @property
    def results(self) -> Any:
        """What a run with a folder has recorded so far, as scree.open() gives it."""
        if self.folder is None:
            raise ValueError("the run has no folder: use Run(scene, folder=...) to record results")
        from .results import open as open_results

        return open_results(self.folder)

    def show(self, height: int = 640) -> Any:
        """The page of a recorded run with its three-dimensional view, for a cell of a notebook."""
        return self.results.show(height)

    def render(self, file: PathLike, **options: Any) -> Any:
        """A picture of a recorded run, as Results.render()."""
        return self.results.render(file, **options)

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *exception: Any) -> None:
        self._finish()

    # Looking.

    @property
    def observables(self) -> Observables:
        """Quantities of the run after the last step, by name."""
        return Observables(self, "steps")

    @property
    def region(self) -> Observables:
        """Quantities of all bodies together: largest_speed_m_s, share_at_rest, ..."""
        return Observables(self, "region")

    @property
    def cell(self) -> Observables:
        """Quantities of a periodic cell: stress, strain, ..."""
        return Observables(self, "cell")

    @property
    def machine(self) -> Observables:
        """Quantities of all joints and free parts together."""
        return Observables(self, "machine")

    def body(self, id: int) -> Observables:  # noqa: A002
        """Quantities of one body; NaN where it is not there."""
        return Observables(self, "body", id)

    @property
    def contacts(self) -> Contacts:
        """A copy of the contacts of the last step."""
        return Contacts(self._contacts())

    @property
    def boundaries(self) -> Named[Boundary]:
        return Named(self, "boundary", Boundary)

    @property
    def parts(self) -> Named[Part]:
        return Named(self, "part", Part)

    @property
    def joints(self) -> Named[Joint]:
        return Named(self, "joint", Joint)

    @property
    def openings(self) -> Named[Opening]:
        """Inlets, then outlets and the domain."""
        return Named(self, "opening", Opening)

    # Acting.

    def set(self, id: Any, *, position: Any = None, orientation: Any = None, velocity: Any = None,  # noqa: A002
            angular_velocity: Any = None, material: Union[str, int, None] = None) -> None:
        """Puts bodies elsewhere, or gives them other velocities: ``run.set(3, velocity=[0, 0, 1])``. ``id`` is a
        number, a list, or a mask over all bodies; arrays are of shape (3) or (n, 3), orientations w x y z of (4) or
        (n, 4). Sleepers that are touched wake. Nothing is changed where anything is wrong."""
        self._set(id, position, orientation, velocity, angular_velocity, material)

    def insert(self, position: Any, *, orientation: Any = None, velocity: Any = None, angular_velocity: Any = None,
               semi_axes: Any = None, radius: Any = None, shape: Optional[str] = None, size: Any = None,
               material: Union[str, int, None] = None, check: bool = True) -> Any:
        """New bodies at positions (n, 3) or (3); returns their ids. They have ``semi_axes`` (3) or (n, 3), a
        ``radius``, or a ``shape`` of the scene by its name and a ``size``. Where one overlaps another body or a
        wall by more than 5 % nothing is inserted and ValueError says so; ``check=False`` does not look."""
        return self._insert(position, orientation, velocity, angular_velocity, semi_axes, radius, shape, size,
                            material, check)

    def remove(self, id: Any) -> None:  # noqa: A002
        """Takes bodies out, by their ids or by a mask over all of them."""
        self._remove(id)

    def set_gravity(self, gravity: Any) -> None:
        """(3,) m/s^2 from now on; everybody wakes."""
        self._set_gravity(gravity)

    def __repr__(self) -> str:
        return f"<scree.Run of {self.scene!r} after step {self.step_number}, t = {self.time:g} s>"
