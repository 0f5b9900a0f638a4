"""What studies tell people."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, Optional

from .study_file import Plan
from .study_reader import shown
from .study_runs import FINISHED, Outcome


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def said(values: Dict[str, Any], seed: Optional[int]) -> str:
    """"friction = 0.4, seed 2"."""
    words = [f"{key} = {shown(value)}" for key, value in values.items()]
    return ", ".join(words + ([f"seed {seed}"] if seed is not None else [])) or "the scene as it is"


def time_of(seconds: Optional[float]) -> str:
    if seconds is None:
        return "?"
    if seconds < 120.0:
        return f"{seconds:.3g} s"
    return f"{seconds / 60.0:.1f} min" if seconds < 7200.0 else f"{seconds / 3600.0:.1f} h"


def words_of(outcome: Outcome) -> str:
    """What came of a run, for people."""
    if outcome.status == FINISHED:
        return f"finished in {time_of(outcome.seconds)}" + (f", {outcome.verdict}" if outcome.verdict else "")
    return f"{outcome.status}" + (f" ({outcome.error})" if outcome.error else "")


def workers_of(plan: Plan, tells: bool = True) -> int:
    """As many as there are cores for."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    most = max(1, cores // plan.threads)
    if plan.workers > most and tells:
        tell(f"{plan.workers} workers of {plan.threads} threads do not fit {cores} cores: {most} at a time")
    return min(plan.workers, most)
