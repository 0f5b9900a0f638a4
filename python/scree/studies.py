"""Studies: one scene over many parameters."""

from __future__ import annotations

import hashlib
import itertools
import json
import multiprocessing
import os
import pickle
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from .run import Run
from .scene import PathLike, Scene, load
from .tables import pandas
from .toml import plain

Make = Callable[..., Scene]
Measure = Callable[[Run], Any]


def sweep(scene: Union[Scene, PathLike, Make], grid: Any, measure: Measure, *, workers: Optional[int] = None,
          folder: Optional[PathLike] = None, until: Optional[float] = None, threads: int = 1,
          progress: bool = False) -> Any:
    """Runs a scene over a grid of parameters; gives a pandas.DataFrame with a row for each point.

    ``scene``: a Scene or a file, of which each point is ``with_overrides(parameters)``; or a function
    ``make(**parameters)`` that gives a Scene. ``grid``: a dict of key path (or name of a parameter) and values, of
    which all combinations are run; or a list of dicts, or a DataFrame, a point each.

    ``measure(run)`` gives a number or a dict of numbers; it is called when the run has come to ``until`` (s; the
    scene's end if it is not given). With ``until=0`` it gets the run before its first step, and steps it.

    Points run in ``workers`` processes (as many as the machine has cores; 1: in this one), each with ``threads``
    threads; the numbers are the same bits for any. One that fails has its error in words in the column ``error``
    and stops no other. With a ``folder`` every point is kept there when it is done, in a file of its own, and a
    sweep that is called again does those that are missing or had failed.

    Columns: the parameters, what was measured, ``seconds`` of the wall, ``error``.
    """
    points = _points(grid)
    if workers is None:
        workers = os.cpu_count() or 1
    work = _Work(scene if callable(scene) or isinstance(scene, Scene) else load(scene), measure, until, threads)
    kept = [Path(folder) / f"{work.name_of(point)}.json" if folder is not None else None for point in points]
    rows: List[Optional[Dict[str, Any]]] = [_kept(path) for path in kept]
    missing = [k for k, row in enumerate(rows) if row is None]
    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
    for number, row in work.done([(k, points[k]) for k in missing], min(workers, len(missing))):
        rows[number] = row
        path = kept[number]
        if path is not None:
            _keep(path, {"parameters": plain(points[number]), **row})
        if progress:
            done = sum(row is not None for row in rows)
            print(f"{done} of {len(points)}: {points[number]} -> {row['error'] or row['measured']}", file=sys.stderr)
    table = [{**point, **row["measured"], "seconds": row["seconds"], "error": row["error"]}
             for point, row in zip(points, rows) if row is not None]
    return pandas().DataFrame(table)


def _points(grid: Any) -> List[Dict[str, Any]]:
    if hasattr(grid, "to_dict") and hasattr(grid, "columns"):
        return [{str(k): v for k, v in row.items()} for row in grid.to_dict("records")]
    if isinstance(grid, Mapping):
        return [dict(zip(grid, values)) for values in itertools.product(*grid.values())]
    return [dict(point) for point in grid]


class _Work:
    """What every point has to do."""

    def __init__(self, scene: Union[Scene, Make], measure: Measure, until: Optional[float], threads: int):
        self._scene, self._measure, self._until, self._threads = scene, measure, until, threads

    def name_of(self, point: Mapping[str, Any]) -> str:
        """Another one for another scene, parameter, measure or end."""
        scene: Any = self._scene._identity() if isinstance(self._scene, Scene) else _name_of(self._scene)
        said = json.dumps([scene, plain(point), _name_of(self._measure), self._until], sort_keys=True)
        return hashlib.sha256(said.encode()).hexdigest()[:20]

    def __call__(self, point: Mapping[str, Any]) -> Dict[str, Any]:
        start = time.perf_counter()
        measured: Dict[str, Any] = {}
        error = ""
        try:
            scene = self._scene.with_overrides(point) if isinstance(self._scene, Scene) else self._scene(**point)
            run = Run(scene, threads=self._threads)
            if self._until != 0.0:
                run.until(self._until)
            value = plain(self._measure(run))
            measured = value if isinstance(value, dict) else {"value": value}
        except Exception as fault:  # whatever it is, the others go on
            error = f"{type(fault).__name__}: {fault}"
        return {"measured": measured, "error": error, "seconds": time.perf_counter() - start}

    def done(self, points: Sequence[Tuple[int, Mapping[str, Any]]],
             workers: int) -> Iterator[Tuple[int, Dict[str, Any]]]:
        """Numbers and outcomes, in the order in which they are done."""
        if workers <= 1:
            for number, point in points:
                yield number, self(point)
            return
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            raise RuntimeError("a worker of sweep() came to sweep() itself while it read the script: put what the "
                               "script does below  if __name__ == '__main__':")
        with multiprocessing.get_context("spawn").Pool(workers, _begin, (_pickled(self),)) as pool:
            yield from pool.imap_unordered(_do, points)


_work: Optional[_Work] = None


def _begin(pickled: bytes) -> None:
    import signal

    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who asked
    _work = pickle.loads(pickled)


def _do(point: Tuple[int, Mapping[str, Any]]) -> Tuple[int, Dict[str, Any]]:
    assert _work is not None
    return point[0], _work(point[1])


def _pickled(work: _Work) -> bytes:
    """By cloudpickle where it is, which knows functions of notebooks too."""
    try:
        import cloudpickle

        return bytes(cloudpickle.dumps(work))
    except ImportError:
        pass
    for function in (work._measure, work._scene):
        module = getattr(function, "__module__", None)
        main = sys.modules.get("__main__")
        if module == "__main__" and getattr(main, "__file__", None) is None and callable(function):
            raise TypeError(f"{_name_of(function)} was made in a notebook or at a prompt, where workers cannot read it: put it "
                            "into a module, install cloudpickle, or sweep with workers=1")
    try:
        return pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise TypeError(f"what is to be done cannot be sent to workers ({error}): use functions of a module, install "
                        "cloudpickle, or sweep with workers=1") from None


def _name_of(function: Any) -> str:
    return f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', repr(function))}"


def _kept(path: Optional[Path]) -> Optional[Dict[str, Any]]:
    """What was kept of a point; None where it is not there, is not whole or had failed."""
    if path is None or not path.exists():
        return None
    try:
        row: Dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None
    return row if not row.get("error") and "measured" in row else None


def _keep(path: Path, row: Dict[str, Any]) -> None:
    """Whole or not at all."""
    passing = path.with_suffix(".passing")
    passing.write_text(json.dumps(row, indent=1), encoding="utf-8")
    os.replace(passing, path)
