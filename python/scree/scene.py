"""Scenes: input of a run, read from a file or defined in Python."""

from __future__ import annotations

import copy
import dataclasses
import filecmp
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Union

from . import _scree, toml
from .errors import Fault, SceneError

PathLike = Union[str, "os.PathLike[str]"]
Columns = List[Tuple[str, Any]]
_Put = Callable[[Columns, str], str]  # columns of a table and a name for it; the text that replaces them

#: Arrays of bodies, and their columns in a table.
_BODY_COLUMNS: Dict[str, Tuple[str, ...]] = {
    "position": ("x", "y", "z"),
    "orientation": ("qw", "qx", "qy", "qz"),
    "semi_axes": ("a", "b", "c"),
    "radius": ("radius",),
    "velocity": ("vx", "vy", "vz"),
    "angular_velocity": ("wx", "wy", "wz"),
    "material": ("material",),
}


def _is_array(value: Any) -> bool:
    return hasattr(value, "shape") and hasattr(value, "tolist")


def _is_frame(value: Any) -> bool:
    return hasattr(value, "columns") and hasattr(value, "to_dict")


def _columns_of(value: Any) -> Columns:
    """The columns of a DataFrame, of a mapping of columns, or of an array with one row each. Files have the time first."""
    if _is_frame(value) or isinstance(value, Mapping):
        named = [(str(name), list(value[name])) for name in (value.columns if _is_frame(value) else value)]
        return sorted(named, key=lambda column: column[0] not in ("time", "time_s"))
    rows = value.tolist()
    return [(f"c{k}", [row[k] for row in rows]) for k in range(len(rows[0]) if rows else 0)]


class Scene:
    """A scene, by the keys of scene files: ``Scene(gravity=[0, 0, -9.81], materials=[{...}], bodies=[{...}])``.

    Single headings of a file, such as ``[solver]``, are dicts. Headings that may be repeated, such as ``[[bodies]]``,
    are lists of dicts. NumPy arrays may replace lists. A key which names a table (``table`` of bodies, motors and
    motions) also accepts a DataFrame, a dict of columns or an array with two columns. A heading of bodies with a
    ``position`` of shape (n, 3) makes n bodies. It may also have ``orientation`` (n, 4), ``semi_axes`` (n, 3),
    ``radius`` (n), ``velocity``, ``angular_velocity`` (n, 3) and ``material`` (n).

    ``folder`` is the folder of the files that the scene names; default: the working directory.

    A scene does not change: methods return new scenes.
    """

    def __init__(self, keys: Optional[Mapping[str, Any]] = None, /, *, folder: Optional[PathLike] = None, **more: Any):
        if keys is not None and not isinstance(keys, Mapping):
            raise TypeError(f"Scene() needs keys, not a file name; use scree.load({keys!r}) to read a file")
        table: Dict[str, Any] = {**(keys or {}), **more}
        self._file = str(Path(folder or ".").absolute() / "scene.toml")
        self._overrides: List[Tuple[str, str]] = []
        self._text: Optional[str] = None
        self._table = _copied(table)
        self._read: Optional[_scree.ReadScene] = None
        self._own_folder: Optional[tempfile.TemporaryDirectory[str]] = None

    @classmethod
    def _of_text(cls, text: str, file: str, overrides: List[Tuple[str, str]]) -> "Scene":
        scene = cls()
        scene._text, scene._file, scene._overrides = text, file, overrides
        return scene

    # Content.

    def to_dict(self) -> Dict[str, Any]:
        """Its keys, as in a file, with overrides. Changes of the returned dict do not change the scene."""
        if self._text is None:
            return _copied(self._table)
        try:
            import tomllib
        except ImportError:  # before Python 3.11
            import tomli as tomllib  # type: ignore[no-redef]
        table = tomllib.loads(self._text)
        for key, value in self._overrides:
            _apply(table, key, _value_of(tomllib, value))
        return table

    def with_overrides(self, overrides: Mapping[str, Any]) -> "Scene":
        """Another scene with other values of keys: ``scene.with_overrides({"solver.tolerance": 1e-6})``.

        A key is the name of a parameter, or a path such as ``bodies[0].count``, as for ``scree run --set``.
        """
        if self._text is not None:
            more = [(str(key), toml.to_value(value)) for key, value in overrides.items()]
            return Scene._of_text(self._text, self._file, [*self._overrides, *more])
        table = _copied(self._table)
        for key, value in overrides.items():
            _apply(table, str(key), value)
        return Scene(table, folder=Path(self._file).parent)

    def to_toml(self) -> str:
        """The text of a scene file with the same bodies.

        Arrays of bodies become one heading per body. Raises ValueError if another table is an array, because a
        file cannot hold it: use save(), which writes it next to the scene.
        """
        if self._text is not None:
            return self._text if not self._overrides else toml.to_document(self.to_dict())
        return toml.to_document(_with_tables(_with_bodies(self._table, _one_by_one), _refuse_table))

    def save(self, file: PathLike) -> Path:
        """Writes the scene to a file, and its tables next to it. In another folder it copies the files that the scene
        names there too. Raises ValueError if one of them is not in the folder of the scene, FileExistsError if another
        file has its name there."""
        path = Path(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._copy_inputs(path.parent.resolve())
        text = self.to_toml() if self._text is not None else self._text_with_tables(
            lambda columns, name: _write_table(path.parent / f"{path.stem}_{name}.csv", columns).name)
        path.write_text(text, encoding="utf-8")
        return path

    # Checks.

    def check(self) -> List[Fault]:
        """Checks the whole scene, as a run does; raises SceneError with all errors. Returns warnings: values that are
        possible but probably not intended."""
        faults: List[Fault] = self._scene().warnings
        return faults

    @property
    def name(self) -> str:
        return str(self._scene().name)

    @property
    def description(self) -> str:
        return str(self._scene().description)

    @property
    def end_time(self) -> float:
        """s"""
        return float(self._scene().end_time)

    def __repr__(self) -> str:
        name = Path(self._file).name if self._text is not None else repr(self._table.get("name", "without a name"))
        return f"<scree.Scene {name}{' with overrides' if self._overrides else ''}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scene) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _said(self) -> str:
        """All of its content, arrays included, without the places of files that it names."""
        text = self._text
        if text is None:
            text = toml.to_document(_with_tables(self._table, lambda columns, name: repr(columns)))
        return text + repr(self._overrides)

    def _identity(self) -> Tuple[str, str]:
        return self._said(), self._file

    def __getstate__(self) -> Dict[str, Any]:
        return {"text": self._text, "file": self._file, "overrides": self._overrides, "table": self._table}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self._text, self._file = state["text"], state["file"]
        self._overrides, self._table = state["overrides"], state["table"]
        self._read = self._own_folder = None

    # Implementation.

    def _scene(self, tables: Optional[Path] = None) -> "_scree.ReadScene":
        """The scene after reading. `tables`: the folder where tables from arrays remain, for runs that are
        resumed."""
        if self._read is not None and tables is None:
            return self._read
        text = self._text
        if text is None:
            text = self._text_with_tables(
                lambda columns, name: str(_write_table((tables or self._folder_of_tables()) / f"scene_{name}.csv", columns)))
        try:
            read = _scree.read_scene(text, self._file, self._overrides)
        except SceneError as error:
            if self._text is not None:
                raise
            raise SceneError([_without_place(fault) for fault in error.faults]) from None
        if self._read is None:
            self._read = read
        return read

    def _copy_inputs(self, to: Path) -> None:
        """The files that the scene names relative to its own folder."""
        home = Path(self._file).parent.resolve()
        if to == home:
            return
        try:
            inputs = [Path(name) for name in self._scene().inputs]
        except SceneError:  # of a scene with errors nobody knows all files
            return
        said = self._said()
        copies = []
        for source in inputs:
            if source.parent == self._folder_of_tables() or str(source) in said:
                continue
            name = os.path.relpath(source.resolve(), home)
            if name.startswith(os.pardir):
                raise ValueError(f"{source} is outside of the scene's folder: save the scene to {home}")
            copy_of = to / name
            if copy_of.exists() and not filecmp.cmp(source, copy_of, shallow=False):
                raise FileExistsError(f"{copy_of} exists and differs from {source}")
            copies.append((source, copy_of))
        for source, copy_of in copies:
            copy_of.parent.mkdir(parents=True, exist_ok=True)
            if not copy_of.exists():
                shutil.copyfile(source, copy_of)

    def _folder_of_tables(self) -> Path:
        """A temporary folder with the lifetime of the scene."""
        if self._own_folder is None:
            self._own_folder = tempfile.TemporaryDirectory(prefix="scree_scene_")
        return Path(self._own_folder.name)

    def _text_with_tables(self, put: _Put) -> str:
        return toml.to_document(_with_tables(_with_bodies(self._table, lambda heading: [_gathered(heading)]), put))


def load(path: PathLike, overrides: Optional[Mapping[str, Any]] = None) -> Scene:
    """Reads a scene file; ``overrides`` are other values of keys or parameters, as for ``scree run --set``."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SceneError([_fault(str(file), f"is not text in UTF-8: {error}")]) from None
    scene = Scene._of_text(text, str(file), [])
    return scene.with_overrides(overrides) if overrides else scene


def _without_place(fault: Fault) -> Fault:
    """For a scene defined in Python: the user has not seen the lines of its text."""
    prefix = f"{fault.file}:{fault.line}:{fault.column}: "
    text = fault.text[len(prefix):] if fault.text.startswith(prefix) else fault.text
    return dataclasses.replace(fault, file="", line=0, column=0, text=text)


def _copied(table: Mapping[str, Any]) -> Dict[str, Any]:
    """A deep copy: a scene shares no data with its maker or reader."""
    return {str(key): copy.deepcopy(value) for key, value in table.items()}


def _value_of(tomllib: Any, text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _apply(table: Dict[str, Any], key: str, value: Any) -> None:
    """Applies one override: a parameter of this name, else a path."""
    if key in table.get("parameters", {}):
        table["parameters"][key] = value
        return
    steps: List[Union[str, int]] = []
    for name in key.split("."):
        match = re.fullmatch(r"([^\[\]]+)((?:\[\d+\])*)", name)
        if match is None:
            raise SceneError([_fault(key, "is not the path of a key", "write, for example, bodies[0].count")])
        steps.append(match[1])
        steps.extend(int(k) for k in re.findall(r"\d+", match[2]))
    at: Any = table
    for step, after in zip(steps, [*steps[1:], None]):
        is_list = isinstance(at, list)
        if isinstance(step, int):
            there = is_list and step < len(at)
        else:
            there = isinstance(at, dict)
        if not there:
            hint = f"there are {len(at)} elements" if is_list else f"'{steps[0]}' has no such elements"
            raise SceneError([_fault(key, "does not exist", hint)])
        if after is None:
            at[step] = value
        else:
            inner = at[step] if is_list else at.setdefault(step, {})
            if _is_array(inner) or isinstance(inner, tuple):  # a list can be changed in its place
                inner = at[step] = inner.tolist() if _is_array(inner) else list(inner)
            at = inner


def _fault(path: str, problem: str, suggestion: str = "", value: str = "") -> Fault:
    text = f"{path}: {problem}" + (f" (value {value})" if value else "") + (f"; {suggestion}" if suggestion else "")
    return Fault(path, problem, value, "", "", suggestion, "", 0, 0, text)


def _gathered(heading: Mapping[str, Any]) -> Dict[str, Any]:
    """Arrays of bodies as one table. Raises SceneError if they do not match."""
    position = heading.get("position")
    lists = isinstance(position, (list, tuple)) and bool(position) and isinstance(position[0], (list, tuple))
    if not lists and getattr(position, "ndim", 1) != 2:
        return dict(heading)
    rest: Dict[str, Any] = {}
    columns: Columns = []
    n = len(position)  # type: ignore[arg-type]
    for key, value in heading.items():
        rows = value.tolist() if _is_array(value) else value
        several = isinstance(rows, (list, tuple)) and key in _BODY_COLUMNS and (
            len(_BODY_COLUMNS[key]) == 1 or any(isinstance(row, (list, tuple)) for row in rows))
        if not several:
            rest[key] = value
            continue
        names = _BODY_COLUMNS[key]
        width = len(names)
        if len(rows) != n or (width > 1 and any(not isinstance(row, (list, tuple)) or len(row) != width for row in rows)):
            shape = f"({n}, {width})" if width > 1 else f"({n})"
            given = getattr(value, "shape", f"({len(rows)}, ...)")
            raise SceneError([_fault(f"bodies.{key}", f"must have the shape {shape}, for {n} positions", "",
                                     f"of shape {given}")])
        if width == 1:
            columns.append((names[0], rows))
        else:
            columns.extend((name, [row[k] for row in rows]) for k, name in enumerate(names))
    return {**rest, "table": dict(columns)}


def _one_by_one(heading: Mapping[str, Any]) -> List[Dict[str, Any]]:
    """The bodies of an array or a table, one heading each."""
    gathered = _gathered(heading)
    if "table" not in gathered or isinstance(gathered["table"], str):
        return [gathered]
    columns = dict(_columns_of(gathered.pop("table")))
    bodies = []
    for k in range(len(next(iter(columns.values()), []))):
        body = dict(gathered)
        for key, names in _BODY_COLUMNS.items():
            if names[0] in columns:
                values = [columns[name][k] for name in names]
                body[key] = values if len(values) > 1 else values[0]
        if "radius" in body:
            body.pop("semi_axes", None)
        bodies.append(body)
    return bodies


def _is_table(value: Any) -> bool:
    return _is_frame(value) or isinstance(value, Mapping) or (_is_array(value) and value.ndim == 2)


def _with_bodies(table: Mapping[str, Any], convert: Callable[[Mapping[str, Any]], List[Dict[str, Any]]]) -> Dict[str, Any]:
    """The same scene with other headings in place of each heading of bodies."""
    if "bodies" not in table:
        return dict(table)
    headings = table["bodies"]
    if not isinstance(headings, list) or not all(isinstance(heading, Mapping) for heading in headings):
        return dict(table)  # the check reports it
    return {**table, "bodies": [body for heading in headings for body in convert(heading)]}


def _with_tables(table: Mapping[str, Any], put: _Put, name: str = "") -> Dict[str, Any]:
    """The same scene; ``put(columns, name)`` replaces every table that is not a file's name."""
    result: Dict[str, Any] = {}
    for key, value in table.items():
        path = f"{name}_{key}" if name else key
        if key == "table" and _is_table(value):
            try:
                result[key] = put(_columns_of(value), name or "table")
            except ValueError as error:
                raise SceneError([_fault(f"{name}.{key}" if name else key, str(error))]) from None
        elif isinstance(value, Mapping):
            result[key] = _with_tables(value, put, path)
        elif isinstance(value, list):
            result[key] = [_with_tables(item, put, f"{path}_{k}") if isinstance(item, Mapping) else item
                           for k, item in enumerate(value)]
        else:
            result[key] = value
    return result


def _write_table(path: Path, columns: Columns) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(toml.csv(columns), encoding="utf-8")
    return path.absolute()


def _refuse_table(columns: Columns, name: str) -> str:
    raise ValueError(f"{name}: a scene file cannot contain this table; Scene.save() writes it to another file")
