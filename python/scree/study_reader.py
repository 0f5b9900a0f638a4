"""TOML tables read key by key; all that is wrong is gathered, and told at once."""

from __future__ import annotations

import difflib
import math
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Set, Union

from . import toml

Number = Union[int, float]


class StudyError(ValueError):
    """A study that is not in order; ``faults`` holds all that is wrong with it, a line each."""

    def __init__(self, faults: Iterable[str], status: int = 3):
        self.faults: List[str] = list(faults)
        self.status = status  #: with which the program ends
        super().__init__("\n".join(self.faults))


def nearest(name: str, names: Iterable[str]) -> str:
    """"did you mean 'friction'?"; empty if nothing is close."""
    close = difflib.get_close_matches(name, list(names), 1, 0.55)
    return f"did you mean '{close[0]}'?" if close else ""


def shown(value: Any) -> str:
    """A value as a file has it, in a few words."""
    try:
        text = toml.to_value(value)
    except TypeError:  # dates and times
        text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


class Faults:
    """What is wrong with a file."""

    def __init__(self, file: Path):
        self._file = file
        self.lines: List[str] = []

    def add(self, path: str, problem: str, *, value: Any = None, allowed: str = "", hint: str = "") -> None:
        notes = ([f"value {shown(value)}"] if value is not None else []) + ([f"allowed {allowed}"] if allowed else [])
        text = f"{self._file}: " + (f"{path}: " if path else "") + problem
        self.lines.append(text + (f" ({', '.join(notes)})" if notes else "") + (f"; {hint}" if hint else ""))

    def tell(self) -> None:
        """Raises StudyError where there are any."""
        if self.lines:
            raise StudyError(self.lines)


def read_toml(file: Path) -> Dict[str, Any]:
    """All of a file; raises StudyError where it cannot be read."""
    try:
        import tomllib
    except ImportError:  # before Python 3.11
        try:
            import tomli as tomllib  # type: ignore[no-redef]
        except ImportError:
            raise StudyError(["study files are read by Python 3.11 or later, or with tomli (Debian: python3-tomli; "
                              "pip: tomli)"], 7) from None
    try:
        return dict(tomllib.loads(file.read_text(encoding="utf-8")))
    except OSError as fault:
        near = sorted(path.name for path in file.parent.glob("*.toml")) if file.parent.is_dir() else []
        hint = f"; {nearest(file.name, near) or 'there are ' + ', '.join(near[:8])}" if near else ""
        raise StudyError([f"{file}: cannot be opened: {fault.strerror}{hint}"]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        hint = "; a key with brackets stands in quotes: \"materials[0].friction\" = ..." if "]" in str(fault) else ""
        raise StudyError([f"{file}: is not TOML: {fault}{hint}"]) from None


class Table:
    """One table of a file. Whoever asks for a key gets a value of the right type, or the default and a fault."""

    def __init__(self, faults: Faults, path: str, values: Mapping[str, Any]):
        self._faults, self.path, self.values = faults, path, values
        self._known: Set[str] = set()

    def at(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def fault(self, key: str, problem: str, *, allowed: str = "", hint: str = "") -> None:
        self._faults.add(self.at(key), problem, value=self.values.get(key), allowed=allowed, hint=hint)

    def has(self, key: str) -> bool:
        self._known.add(key)
        return key in self.values

    def known(self, *keys: str) -> None:
        """Keys that are read elsewhere."""
        self._known.update(keys)

    def text(self, key: str, default: str, allowed: Optional[List[str]] = None) -> str:
        if not self.has(key):
            return default
        value = self.values[key]
        if not isinstance(value, str) or not value:
            self.fault(key, "must be a text")
        elif allowed is not None and value not in allowed:
            self.fault(key, "is not known", allowed=", ".join(allowed), hint=nearest(value, allowed))
        else:
            return value
        return default

    def texts(self, key: str, default: List[str]) -> List[str]:
        """A text or a list of texts."""
        if not self.has(key):
            return default
        value = self.values[key]
        several = [value] if isinstance(value, str) else value
        if not isinstance(several, list) or not several or not all(isinstance(v, str) and v for v in several):
            self.fault(key, "must be a text or a list of texts")
            return default
        for text in sorted({text for text in several if several.count(text) > 1}):
            self.fault(key, f"names '{text}' twice")
        return several

    def truth(self, key: str, default: bool) -> bool:
        if not self.has(key):
            return default
        value = self.values[key]
        if not isinstance(value, bool):
            self.fault(key, "must be true or false")
            return default
        return value

    def whole(self, key: str, default: int, low: int, high: int) -> int:
        if not self.has(key):
            return default
        value = self.values[key]
        if not isinstance(value, int) or isinstance(value, bool):
            self.fault(key, "must be a whole number", allowed=f"{low} to {high}")
        elif not low <= value <= high:
            self.fault(key, "is out of range", allowed=f"{low} to {high}")
        else:
            return value
        return default

    def number(self, key: str, default: Optional[float], *, above: Optional[float] = None) -> Optional[float]:
        """Without one and without a default: a fault."""
        if not self.has(key):
            if default is None:
                self._faults.add(self.at(key), "is missing")
            return default
        value = self.values[key]
        if not is_number(value):
            self.fault(key, "must be a number")
        elif above is not None and value <= above:
            self.fault(key, "is out of range", allowed=f"> {above:g}")
        else:
            return float(value)
        return default

    def table(self, key: str) -> "Table":
        value = self.values.get(key, {}) if self.has(key) else {}
        if not isinstance(value, dict):
            self.fault(key, "must be a table", hint=f"[{self.at(key)}] with keys below it")
            value = {}
        return Table(self._faults, self.at(key), value)

    def tables(self, key: str) -> List["Table"]:
        value = self.values.get(key, []) if self.has(key) else []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.fault(key, "must be a list of tables", hint=f"a heading [[{self.at(key)}]] each")
            value = []
        return [Table(self._faults, f"{self.at(key)}[{k}]", item) for k, item in enumerate(value)]

    def leaves(self) -> Dict[str, Any]:
        """All of it by paths of keys of a scene: tables within are paths with dots."""
        found: Dict[str, Any] = {}

        def walk(values: Mapping[str, Any], path: str) -> None:
            for key, value in values.items():
                here = f"{path}.{key}" if path else key
                if isinstance(value, dict):
                    walk(value, here)
                else:
                    found[here] = value

        walk(self.values, "")
        return found

    def done(self, moved: Optional[Mapping[str, str]] = None) -> None:
        """Tells the keys that nobody asked for. ``moved``: what to say of some that belong elsewhere."""
        for key in self.values:
            if key not in self._known:
                hint = (moved or {}).get(key) or nearest(key, self._known)
                self._faults.add(self.at(key), "unknown key", allowed=", ".join(sorted(self._known)), hint=hint)
