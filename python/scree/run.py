"""Runs: step a scene, read its state and change it."""

from __future__ import annotations

import math
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
    """Has no attributes but its own: a misspelt attribute raises an error."""

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
    """Quantities of one object after the last step, by the names of docs/observables.md."""

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
            except KeyError:  # unknown for this object
                continue
            yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))

    def describe(self, name: str) -> Tuple[str, str]:
        """The unit of a quantity, and its description."""
        for known, unit, _, description in _scree.observables(self._kind):
            if known == name:
                return unit, description
        raise KeyError(name)


class _Observed(_Strict):
    """An object with observables, which are also its attributes."""

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
    """The prescribed motion of a part."""

    def __init__(self, run: "Run", part: int):
        self._run, self._part = run, part

    @property
    def runs(self) -> bool:
        """Does its clock run?"""
        return self._run._motion_runs(self._part)

    def start(self) -> None:
        """Continues the motion from the current position."""
        self._run._start_motion(self._part)

    def stop(self) -> None:
        """Stops the motion at the current position."""
        self._run._stop_motion(self._part)

    @property
    def speed(self) -> float:
        """Speed of a motion that is defined by a speed alone, m/s or rad/s. If you set it, the motion continues from
        the current position with the new speed."""
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
        """(3,) N, of the bodies on the wall, mean over the last step."""
        return self._vector("force", "N")

    @property
    def torque(self) -> Any:
        """(3,) N m, about the wall's centre, mean over the last step."""
        return self._vector("torque", "N_m")

    @property
    def position(self) -> Any:
        """(3,) m, current position of the reference point of torques (key ``centre``)."""
        return self._run._boundary_pose(self._number)[:3]

    @property
    def orientation(self) -> Any:
        """(4,) w x y z, rotation since the start."""
        return self._run._boundary_pose(self._number)[3:]

    @property
    def part(self) -> Optional["Part"]:
        """The part that carries the wall, or None."""
        number = self._run._boundary_part(self._number)
        return self._run.parts._of_number(number) if number >= 0 else None

    @property
    def motion(self) -> Motion:
        """The motion of the part that carries the wall."""
        number = self._run._boundary_part(self._number)
        if number < 0:
            raise ValueError(f"boundary '{self.name}' has no motion: no part carries it (its keys: part, motion)")
        return Motion(self._run, number)

    @property
    def surface_velocity(self) -> Any:
        """(3,) m/s, of a conveyor belt: the surface moves, the wall does not."""
        return self._run._surface_velocity(self._number)

    @surface_velocity.setter
    def surface_velocity(self, value: Any) -> None:
        self._run._set_surface_velocity(self._number, value)

    def remove(self) -> None:
        """Removes the wall for good."""
        self._run._remove_boundary(self._number)


class Part(_Observed):
    """A piece of the apparatus, which carries boundaries and bodies."""

    _kind = "part"

    @property
    def force(self) -> float:
        """Force on the part along its axis, N, or torque about it, N m (key ``force`` or ``torque``); may be set."""
        return self._run._force(self._number)

    @force.setter
    def force(self, value: float) -> None:
        self._run._set_force(self._number, float(value))

    torque = force

    @property
    def motion(self) -> Motion:
        """The prescribed motion."""
        return Motion(self._run, self._number)

    def release(self) -> None:
        """From now on forces move the part."""
        self._run._release(self._number)

    def lock(self) -> None:
        """From now on forces do not move the part."""
        self._run._lock(self._number)


class Joint(_Observed):
    """A joint of a machine. ``joint.coordinate``, ``joint.rate`` and its other quantities are attributes."""

    _kind = "joint"

    @property
    def motor(self) -> float:
        """Target of the motor: a speed (m/s, rad/s), a position (m, rad) or a force (N, N m), see ``motor_kind``; may
        be set. The values of the scene's functions and tables are added to it."""
        return self._run._motor(self._number)

    @motor.setter
    def motor(self, value: float) -> None:
        self._run._set_motor(self._number, float(value))

    @property
    def motor_kind(self) -> str:
        """"speed", "position", "force" or "none"."""
        return self._run._motor_kind(self._number)


class Opening(_Observed):
    """An inlet, an outlet or the domain; ``opening.bodies`` and ``opening.mass_kg`` count what has passed it so
    far."""

    _kind = "opening"

    def start(self) -> None:
        """Starts an inlet, or continues it after a stop."""
        self._run._start_inlet(self._inlet())

    def stop(self) -> None:
        """Stops an inlet: it makes no more grains."""
        self._run._stop_inlet(self._inlet())

    def _inlet(self) -> int:
        if self._number >= self._run._inlets():
            raise TypeError(f"'{self.name}' is not an inlet")
        return self._number


_T = TypeVar("_T")


class Named(Mapping[str, _T]):
    """Objects by their names, or by their numbers."""

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
    """Values of the last steps. Every quantity of the run is an attribute, by the names of docs/observables.md.

    A report covers the steps of one call: energies and counts that flow are sums over them, residuals and overlaps are
    the largest values, forces are means, all other values are those after the last step (column "Over steps")."""

    _names: Tuple[str, ...] = ()

    def __init__(self, values: Sequence[float], happened: Sequence[str]):
        if not Report._names:
            Report._names = tuple(name for name, *_ in _scree.observables("steps"))
        self._values = values
        self.happened = list(happened)  #: messages of events since the last report

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
    """Contacts of the last step, as arrays with one row per contact; normals point from b to a, impulses act on a."""

    #: (n,) ids of bodies; b is -1 if the partner is a boundary
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
        """pandas.DataFrame, one row per contact; each component of a vector has its own column."""
        from .tables import frame_of

        return frame_of({name: getattr(self, name) for name in self._names})


Forces = Callable[["_scree.Bodies"], Any]


class Run(_scree.SteppedRun):
    """A run of a scene.

    ``threads``: 0 uses all threads of the machine; results are the same bits on any number. With a ``folder`` the run
    is recorded there as by ``scree run`` (``overwrite`` replaces existing files); ``finish()``, or the end of a
    ``with`` block, writes the summary. ``forces`` is a function that is called once per step with ``bodies`` in the
    middle of the step. It returns forces (n, 3) in N, or (forces, torques) with torques (n, 3) in N m about the
    centres, in world axes, in the order of ``bodies.id``; or None for no forces.

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
            if self.folder is not None:  # before tables replace those of the run that is there
                _scree.expect_run_folder(self.folder, overwrite)
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

    # Stepping.

    def step(self, count: int = 1) -> Report:
        """Does the given number of steps, or fewer if an event or Ctrl-C ends the run. Returns a report of these
        steps."""
        count = operator.index(count)
        if count < 0:
            raise ValueError(f"count: must not be negative (value {count})")
        self._advance(count, _NEVER)
        return self.report

    def until(self, time: Optional[float] = None) -> Report:
        """Steps until a simulated time (s), by default the scene's end; the time may be beyond that end. ``stopped``
        states why the run ended. Constant steps end within half a step of the time, adaptive steps at it. Returns a
        report of these steps."""
        end = self.end_time if time is None else float(time)
        if end != end:
            raise ValueError("time: must be a number (value nan)")
        self._advance(_MOST_STEPS, end)
        return self.report

    def steps(self, every: Optional[float] = None, until: Optional[float] = None) -> Iterator[Report]:
        """Yields a report after every step, or after every interval of simulated time ``every`` (s), until the
        scene's end or ``until`` (s)."""
        end = self.end_time if until is None else float(until)
        if every is not None and not every > 0.0:
            raise ValueError(f"every: must be positive (value {every} s)")
        start, count, at_end = self.time, 0, False
        while not at_end:
            before = self.step_number
            count += 1
            if every is not None:  # shorter intervals than half a step have no step of their own
                count = max(count, math.ceil((self.time + 0.5 * self.time_step - start) / every - 1e-9))
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
        """The report of the last call's steps."""
        return Report(self._report(), self._happened())

    def finish(self) -> Any:
        """Ends a recorded run and writes its summary. Returns its results, as scree.open() does; None without a
        folder."""
        folder = self._finish()
        if folder is None:
            return None
        from .results import open as open_results

        return open_results(folder)

    @property
    def results(self) -> Any:
        """The results so far of a run with a folder, as scree.open() returns them."""
        if self.folder is None:
            raise ValueError("the run has no folder: use Run(scene, folder=...) to record results")
        from .results import open as open_results

        return open_results(self.folder)

    def show(self, height: int = 640) -> Any:
        """The page of a recorded run with its three-dimensional view, for a notebook cell."""
        return self.results.show(height)

    def render(self, file: PathLike, **options: Any) -> Any:
        """Draws a picture of a recorded run, see Results.render()."""
        return self.results.render(file, **options)

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *exception: Any) -> None:
        self._finish()

    # Reading.

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
        """Quantities of one body; NaN if it does not exist."""
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

    # Changing.

    def set(self, id: Any, *, position: Any = None, orientation: Any = None, velocity: Any = None,  # noqa: A002
            angular_velocity: Any = None, material: Union[str, int, None] = None) -> None:
        """Changes positions, velocities or materials of bodies: ``run.set(3, velocity=[0, 0, 1])``. ``id`` is a
        number, a list, or a mask over all bodies. Arrays have the shape (3) or (n, 3), orientations w x y z (4) or
        (n, 4). Sleeping bodies wake if they are changed. If any value is wrong, nothing is changed."""
        self._set(id, position, orientation, velocity, angular_velocity, material)

    def insert(self, position: Any, *, orientation: Any = None, velocity: Any = None, angular_velocity: Any = None,
               semi_axes: Any = None, radius: Any = None, shape: Optional[str] = None, size: Any = None,
               material: Union[str, int, None] = None, check: bool = True) -> Any:
        """Adds bodies at positions (n, 3) or (3) and returns their ids. They have ``semi_axes`` (3) or (n, 3), a
        ``radius``, or a ``shape`` of the scene by its name and a ``size``. If a body overlaps another body or a wall
        by more than 5 %, nothing is inserted and ValueError is raised; ``check=False`` skips this test."""
        return self._insert(position, orientation, velocity, angular_velocity, semi_axes, radius, shape, size,
                            material, check)

    def remove(self, id: Any) -> None:  # noqa: A002
        """Removes bodies, by their ids or by a mask over all of them."""
        self._remove(id)

    def set_gravity(self, gravity: Any) -> None:
        """(3,) m/s^2 from now on; all bodies wake."""
        self._set_gravity(gravity)

    def __repr__(self) -> str:
        return f"<scree.Run of {self.scene!r} after step {self.step_number}, t = {self.time:g} s>"
