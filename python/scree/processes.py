"""Data for new processes (spawn), and how such a process ended."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from typing import Any, Sequence


def pickled(thing: Any, functions: Sequence[Any]) -> bytes:
    """Pickled by cloudpickle if it is installed, which also handles functions of notebooks. Raises TypeError with a
    short message if a process could not read the data, or one of its functions."""
    try:
        import cloudpickle as library
    except ImportError:
        library = pickle
    script = getattr(sys.modules["__main__"], "__file__", None)
    for function in functions if library is pickle else ():
        if getattr(function, "__module__", None) == "__main__" and not (script and os.path.exists(script)):
            raise TypeError(f"{function!r} was defined in a notebook or at a prompt")
    try:
        return bytes(library.dumps(thing))
    except Exception as fault:  # of any kind: objects refuse in many ways
        raise TypeError(f"{type(fault).__name__}: {fault}") from None


def how_it_ended(process: Any) -> str:
    """"exit code 1" or "signal SIGKILL", for a process that has ended."""
    code = process.exitcode or 0
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
