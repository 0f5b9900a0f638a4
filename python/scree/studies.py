"""Studies: one scene over many parameters."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import json
import multiprocessing
import os
import pickle
import signal
import sys
import time
import types
from collections import deque
from multiprocessing import connection
from pathlib import Path
from typing import Any, Callable, Dict, Generator, List, Mapping, Optional, Sequence, Tuple, Union

from . import processes
from .run import Run
from .scene import PathLike, Scene, load
from .tables import pandas
from .toml import plain

Make = Callable[..., Scene]
Measure = Callable[[Run], Any]
Point = Dict[str, Any]
Outcome = Dict[str, Any]  # "measured": a dict, "error": text, "seconds": wall time
Outcomes = Generator[Tuple[int, Outcome], None, None]  # numbers of points, and their outcomes

UNGUARDED = ("put the code of the script below  if __name__ == '__main__':  because every worker reads the script "
             "again before it starts")


def sweep(scene: Union[Scene, PathLike, Make], grid: Any, measure: Measure, *, workers: Optional[int] = None,
          folder: Optional[PathLike] = None, until: Optional[float] = None, threads: int = 1,
          progress: bool = False) -> Any:
    """Runs a scene over a grid of parameters; returns a pandas.DataFrame with one row per point.

    ``scene``: a Scene or a file; each point then runs ``with_overrides(parameters)``. Or a function
    ``make(**parameters)`` that returns a Scene. ``grid``: a dict of key paths (or names of parameters) and values, of
    which all combinations are run; or a list of dicts, or a DataFrame, with one point each.

    ``measure(run)`` returns a number or a dict of numbers. It is called when the run has reached ``until`` (s; default:
    the scene's end). With ``until=0`` it gets the run before its first step, and does the steps itself.

    Points run in ``workers`` processes (default: one per core; 0 or 1: in this process, in order), each with
    ``threads`` threads; the numbers are the same bits for any choice. If a point fails, its error is in the column
    ``error``, and the other points go on, even if its process ends. Processes need functions that they can import: from
    a module, or from a script that starts its work below ``if __name__ == "__main__":``. Functions of notebooks need
    cloudpickle.

    With a ``folder`` every finished point is kept there in its own file, and a repeated sweep runs only those points
    that are missing or have failed. Kept points are identified by the scene's text, the parameters, ``until`` and the
    name of ``measure``. If you change a function's body, or a file that the scene names, use another folder.

    Columns: the parameters, the measured numbers (a single number: ``value``), ``seconds`` of wall time, ``error``.
    """
    points = _points(grid)
    if workers is None:
        workers = os.cpu_count() or 1
    work = _Work(scene if callable(scene) or isinstance(scene, Scene) else load(scene), measure, until, threads)
    kept = [Path(folder) / f"{work.name_of(point)}.json" if folder is not None else None for point in points]
    rows: List[Optional[Outcome]] = [_kept(path) for path in kept]
    missing = [(k, points[k]) for k, row in enumerate(rows) if row is None]
    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
    outcomes: Outcomes = (_in_processes(work, missing, workers) if workers > 1 else
                          ((k, work(point)) for k, point in missing))
    with contextlib.closing(outcomes):
        for number, row in outcomes:
            rows[number] = row
            path = kept[number]
            if path is not None:
                _keep(path, {"parameters": plain(points[number]), **row})
            if progress:
                done = f"{sum(row is not None for row in rows)} of {len(points)}"
                print(f"{done}: {points[number]} -> {row['error'] or row['measured']}", file=sys.stderr)
    return _table(points, [row for row in rows if row is not None])


def _points(grid: Any) -> List[Point]:
    if hasattr(grid, "to_dict") and hasattr(grid, "columns"):
        return [{str(k): v for k, v in row.items()} for row in grid.to_dict("records")]
    if isinstance(grid, Mapping):
        for name, values in grid.items():
            if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
                raise TypeError(f"grid: '{name}' must have a list of values (value {values!r})")
        return [dict(zip(grid, values)) for values in itertools.product(*grid.values())]
    return [dict(point) for point in grid]


def _table(points: Sequence[Point], rows: Sequence[Outcome]) -> Any:
    """One row per point; the parameters' columns come first, even if the first point has failed."""
    names = itertools.chain(*points, *(row["measured"] for row in rows))
    table = [{**point, **row["measured"], "seconds": row["seconds"], "error": row["error"]}
             for point, row in zip(points, rows)]
    return pandas().DataFrame(table, columns=[*dict.fromkeys(names), "seconds", "error"])


class _Work:
    """The work for every point."""

    def __init__(self, scene: Union[Scene, Make], measure: Measure, until: Optional[float], threads: int):
        self.scene, self.measure, self._until, self._threads = scene, measure, until, threads

    def name_of(self, point: Mapping[str, Any]) -> str:
        """A name that differs for another scene, parameter, measure or end."""
        scene: Any = self.scene._identity() if isinstance(self.scene, Scene) else _name_of(self.scene)
        said = json.dumps([scene, plain(point), _name_of(self.measure), self._until], sort_keys=True)
        return hashlib.sha256(said.encode()).hexdigest()[:20]

    def __call__(self, point: Mapping[str, Any]) -> Outcome:
        start = time.perf_counter()
        measured: Dict[str, Any] = {}
        error = ""
        try:
            scene = self.scene.with_overrides(point) if isinstance(self.scene, Scene) else self.scene(**point)
            run = Run(scene, threads=self._threads)
            if self._until != 0.0:
                run.until(self._until)
            measured = _measured(self.measure(run), point)
        except Exception as fault:  # after any error the other points go on
            error = f"{type(fault).__name__}: {fault}"
        return {"measured": measured, "error": error, "seconds": time.perf_counter() - start}


def _measured(value: Any, point: Mapping[str, Any]) -> Dict[str, Any]:
    """Numbers by their names; raises TypeError for other values, ValueError if a name is already in use."""
    try:
        numbers = plain(value)
        json.dumps(numbers)
    except TypeError:
        raise TypeError(f"measure must return a number or a dict of numbers (value {value!r})") from None
    named: Dict[str, Any] = numbers if isinstance(numbers, dict) else {"value": numbers}
    for name in named:
        if name in point or name in ("seconds", "error"):
            raise ValueError(f"measure must not use the name '{name}', which is already a column of the table")
    return named


# Work in processes.


def _in_processes(work: _Work, points: Sequence[Tuple[int, Point]], workers: int) -> Outcomes:
    """Numbers and outcomes, in the order of completion. If a process ends early, only its point fails."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise RuntimeError(f"a worker of sweep() called sweep() again: {UNGUARDED}")
    if not points:
        return
    try:
        pickled = processes.pickled((work, dict(points)), (work.measure, work.scene))
    except TypeError as why:
        raise TypeError(_unreadable(str(why))) from None
    waiting = deque(number for number, _ in points)
    crew: Dict[Any, _Worker] = {}
    try:
        while waiting or any(worker.point is not None for worker in crew.values()):
            busy = sum(worker.point is not None for worker in crew.values())
            while len(crew) < min(workers, busy + len(waiting)):
                worker = _Worker()
                crew[worker.pipe] = worker
            for heard in connection.wait(list(crew)):
                worker = crew[heard]
                pipe = worker.pipe
                try:
                    said, value = pipe.recv()
                    if said == "here":
                        pipe.send_bytes(pickled)
                        continue
                    if said == "unreadable":
                        raise TypeError(_unreadable(value))
                    if said == "done":
                        assert worker.point is not None
                        yield worker.point, value
                    worker.point = waiting.popleft() if waiting else None
                    worker.ready = True
                    if worker.point is not None:
                        pipe.send(worker.point)
                except (EOFError, ConnectionError):
                    del crew[heard]
                    how = worker.end()
                    if not worker.ready:
                        raise RuntimeError(f"a worker of sweep() ended before it started ({how}): if it says above "
                                           f"that it called sweep() again, {UNGUARDED}") from None
                    if worker.point is not None:
                        seconds = time.perf_counter() - worker.since
                        error = f"the process of this point ended ({how})"
                        yield worker.point, {"measured": {}, "error": error, "seconds": seconds}
    finally:
        for worker in crew.values():
            worker.process.terminate()
        for worker in crew.values():
            worker.end()


class _Worker:
    """A process, and its current point."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe: Any
        self.pipe, there = context.Pipe()
        self.process = context.Process(target=_serve, args=(there,), daemon=True)
        self.process.start()
        there.close()
        self.ready = False
        self.since = 0.0
        self._point: Optional[int] = None

    @property
    def point(self) -> Optional[int]:
        """Number of its current point; None if it is idle."""
        return self._point

    @point.setter
    def point(self, point: Optional[int]) -> None:
        self._point, self.since = point, time.perf_counter()

    def end(self) -> str:
        """How the process ended."""
        self.process.join(5.0)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.pipe.close()
        return processes.how_it_ended(self.process)


def _serve(pipe: Any) -> None:
    """A worker: reads its task once, then runs one point after the other."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    try:
        pipe.send(("here", None))
        try:
            work, points = pickle.loads(pipe.recv_bytes())
        except Exception as fault:
            pipe.send(("unreadable", f"{type(fault).__name__}: {fault}"))
            return
        pipe.send(("ready", None))
        while True:
            pipe.send(("done", work(points[pipe.recv()])))
    except (EOFError, ConnectionError):  # the parent process has ended
        return


def _unreadable(why: str) -> str:
    return (f"workers cannot load the functions of this sweep ({why}): put them into a module, install cloudpickle, or "
            "use workers=1")


# Kept points.


def _name_of(function: Any) -> str:
    """A name for a function that identifies its kept results. It includes values that the function holds."""
    if isinstance(function, functools.partial):
        return _name_of(function.func) + _said(function, [function.args, function.keywords])
    name = getattr(function, "__qualname__", None)
    module = getattr(function, "__module__", "")
    if name is None:
        return f"{module}.{type(function).__qualname__}" + _said(function, vars(function))
    if name.endswith("<lambda>"):
        raise TypeError("a lambda has no name, so stored results cannot be found again: use def")
    if module == "__main__":  # the name of every script
        module = Path(getattr(sys.modules["__main__"], "__file__", None) or "__main__").stem
    held = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
    owner = getattr(function, "__self__", None)
    if hasattr(owner, "__dict__") and not isinstance(owner, (type, types.ModuleType)):
        held.append(vars(owner))
    held = [item.__qualname__ if isinstance(item, type) else item for item in held]
    return f"{module}.{name}" + (_said(function, held) if held else "")


def _said(function: Any, held: Any) -> str:
    try:
        return json.dumps(plain(held), sort_keys=True)
    except TypeError:
        raise TypeError(f"{function!r} contains {held!r}, which cannot be part of a name, so stored results could not "
                        "be found again: use a function of a module") from None


def _kept(path: Optional[Path]) -> Optional[Outcome]:
    """The kept outcome of a point; None if it is missing, incomplete or failed."""
    if path is None or not path.exists():
        return None
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None
    whole = isinstance(row, dict) and isinstance(row.get("measured"), dict) and "seconds" in row
    return row if whole and not row.get("error") else None


def _keep(path: Path, row: Outcome) -> None:
    """Writes the whole file or nothing."""
    passing = path.with_suffix(f".{os.getpid()}.passing")
    passing.write_text(json.dumps(row, indent=1), encoding="utf-8")
    os.replace(passing, path)
