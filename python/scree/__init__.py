"""Scree: granular contact dynamics of smooth bodies.

>>> import scree
>>> run = scree.Run(scree.load("scene.toml"))
>>> run.until(1.0)
>>> run.bodies.position
"""

from __future__ import annotations

import atexit as _atexit
from typing import TYPE_CHECKING, Any

try:
    from . import _scree
except ImportError as error:
    raise ImportError(f"the compiled part of scree does not load ({error}): use the installed package, or the launcher "
                      "`./scree python` of the sources, which builds it (docs/python.md)") from error
from .errors import Fault, ProgramError, ReadError, SceneError, StepError, WriteError
from .run import Report, Run, State
from .scene import Scene, load

if TYPE_CHECKING:
    from .results import Results, open
    from .studies import sweep

__version__: str = _scree.version
__all__ = ["Fault", "ProgramError", "ReadError", "Report", "Results", "Run", "Scene", "SceneError", "State", "StepError", "WriteError",
           "load", "open", "sweep"]

_atexit.register(_scree.close_all)

_LATER = {"open": "results", "Results": "results", "sweep": "studies", "machines": "machines"}


def __getattr__(name: str) -> Any:
    """Parts that need NumPy, h5py or pandas are imported on first use."""
    if name in _LATER:
        import importlib

        module = importlib.import_module(f".{_LATER[name]}", __name__)
        return module if name == _LATER[name] else getattr(module, name)
    raise AttributeError(f"module 'scree' has no attribute '{name}'")


def __dir__() -> "list[str]":
    return sorted([*globals(), *_LATER])
