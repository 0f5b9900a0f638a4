"""What goes wrong, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Sequence


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a scene."""

    path: str  #: of the key: ``bodies[2].semi_axes[0]``
    problem: str  #: ``must be positive``
    value: str  #: as it was written; empty if there is none
    unit: str  #: ``m``; empty if it has none
    allowed: str  #: ``> 0``; empty if it goes without saying
    suggestion: str  #: ``did you mean 'friction'?``; empty if there is none
    file: str  #: where it stands
    line: int  #: from 1; 0 if it is not known
    column: int
    text: str  #: all of it in a line

    def __str__(self) -> str:
        return self.text


class SceneError(ValueError):
    """A scene that is not in order; ``faults`` holds all that is wrong with it, in the order of its lines."""

    def __init__(self, faults: Sequence[Fault]):
        self.faults: List[Fault] = list(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return (SceneError, (self.faults,))


class StepError(RuntimeError):
    """A step that could not be done, or after which no other can follow."""


class ReadError(OSError):
    """A file that is missing, damaged or of another kind."""


class WriteError(OSError):
    """Results that cannot be written: the folder is taken, not writable or full."""


class ProgramError(RuntimeError):
    """The program `scree` is not there, or says that something is wrong."""
