"""Python values as TOML, with all digits of numbers; also NumPy's numbers and arrays."""

from __future__ import annotations

import math
import re
from typing import Any, Dict, Iterable, List, Mapping, Tuple

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+\Z")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}


def plain(value: Any) -> Any:
    """The same value in Python's own types: arrays as lists, NumPy's numbers as numbers, tuples as lists."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy, series of pandas
        return plain(value.tolist())
    if isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "__fspath__"):
        return str(value)
    raise TypeError(f"a scene cannot have values of type {type(value).__name__}: {value!r}")


def _text(value: str) -> str:
    written = "".join(_ESCAPES.get(c, c if ord(c) >= 0x20 and ord(c) != 0x7F else f"\\u{ord(c):04x}") for c in value)
    return f'"{written}"'


def _key(name: str) -> str:
    return name if _BARE_KEY.match(name) else _text(name)


def to_value(value: Any) -> str:
    """A value on one line; tables become inline tables."""
    value = plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return "nan"
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return "[" + ", ".join(to_value(item) for item in value) + "]"
    return "{ " + ", ".join(f"{_key(key)} = {to_value(item)}" for key, item in value.items()) + " }"


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _table(lines: List[str], path: Tuple[str, ...], table: Dict[str, Any]) -> None:
    """The entries of a table; entries that are no tables come first."""
    tables: List[Tuple[str, Any]] = []
    for key, value in table.items():
        if len(path) < 1 and (isinstance(value, dict) or _is_tables(value)):
            tables.append((key, value))
        else:
            lines.append(f"{_key(key)} = {to_value(value)}")
    for key, value in tables:
        name = ".".join(map(_key, (*path, key)))
        for item, heading in [(value, f"[{name}]")] if isinstance(value, dict) else [(v, f"[[{name}]]") for v in value]:
            lines.extend(["", heading])
            _table(lines, (*path, key), item)


def to_document(table: Mapping[str, Any]) -> str:
    """A whole file: a heading for each table, and for each element of a list of tables at the top level."""
    lines: List[str] = []
    _table(lines, (), plain(table))
    return "\n".join(lines).lstrip("\n") + "\n"


def csv(columns: Iterable[Tuple[str, Iterable[Any]]]) -> str:
    """A table with a heading, with all digits of numbers. Raises ValueError where columns have other lengths."""
    names, values = zip(*((name, [plain(v) for v in column]) for name, column in columns))
    if len({len(column) for column in values}) > 1:
        lengths = ", ".join(f"{name}: {len(column)}" for name, column in zip(names, values))
        raise ValueError(f"columns of a table must have the same length ({lengths})")
    lines = [",".join(map(_csv_field, names))]
    lines.extend(",".join(_csv_field(v) if isinstance(v, str) else repr(v) for v in row) for row in zip(*values))
    return "\n".join(lines) + "\n"


def _csv_field(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',;"\n') else text
