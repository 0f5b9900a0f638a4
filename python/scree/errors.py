"""The package's exceptions, and the errors of a scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Sequence


@dataclass(frozen=True)
class Fault:
    """One error of a scene."""

    path: str  #: of the key: ``bodies[2].semi_axes[0]``
    problem: str  #: ``must be positive``
    value: str  #: as it was written; empty if there is none
    unit: str  #: ``m``; empty if it has none
    allowed: str  #: ``> 0``; empty if it is obvious
    suggestion: str  #: ``did you mean 'friction'?``; empty if there is none
    file: str  #: the scene file
    line: int  #: from 1; 0 if unknown
    column: int
    text: str  #: the whole message, on one line

    def __str__(self) -> str:
        return self.text


class SceneError(ValueError):
    """A scene with errors; ``faults`` holds all of them, in the order of their lines."""

    def __init__(self, faults: Sequence[Fault]):
        self.faults: List[Fault] = list(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return (SceneError, (self.faults,))


class StepError(RuntimeError):
    """A step that could not be completed, or after which no further step is possible."""


class ReadError(OSError):
    """A file that is missing, damaged or of another kind."""


class WriteError(OSError):
    """Results that cannot be written: the folder exists, is not writable, or the disk is full."""


class ProgramError(RuntimeError):
    """The program `scree` is missing, or it reports an error."""
