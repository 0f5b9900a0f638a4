"""The program `scree`, in the package or on the path."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, List, Union

from .errors import ProgramError


def path() -> str:
    """Path of the program: SCREE_PROGRAM, in the package, in the build of the package, or on PATH."""
    here = Path(__file__).resolve().parent
    named = os.environ.get("SCREE_PROGRAM")
    for candidate in ([Path(named)] if named else []) + [here / "bin" / "scree", here.parents[1] / "tools" / "scree"]:
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    found = shutil.which("scree")
    if found is None:
        raise ProgramError("the program `scree` was not found: add it to PATH, or set SCREE_PROGRAM to its path")
    return found


def arguments(options: Any) -> List[str]:
    """Options as flags: ``time=1.0`` becomes ``--time 1.0``; True becomes a flag alone, lists give several values."""
    words: List[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-"))
        if value is True:
            continue
        words.extend(str(v) for v in value) if isinstance(value, (list, tuple)) else words.append(str(value))
    return words


def call(*words: Union[str, "os.PathLike[str]"]) -> str:
    """Runs the program and returns its output; raises ProgramError with its message if it fails."""
    command: List[str] = [path(), *(str(word) for word in words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ProgramError(done.stderr.strip() or done.stdout.strip() or f"`scree` ended with status {done.returncode}")
    return done.stdout


def version() -> str:
    """ "0.1.0+g1a2b3c4": version and commit of the program."""
    words = call("--version").split()
    return words[1] if len(words) > 1 else "unknown"


def main() -> None:
    """The command `scree` of an installed package."""
    os.environ.setdefault("SCREE_PYTHON", sys.executable)  # its studies run in this Python
    os.execv(path(), ["scree", *sys.argv[1:]])
