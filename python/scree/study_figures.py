"""Pictures of a sweep: every measure over every parameter."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import plots
from .study_file import Study, is_number
from .study_reader import shown
from .study_table import Mean, Row, by_points, mean_of

MOST_MEASURES = 12
MOST_LINES = 8


def headless() -> None:
    """Pictures go to files: no screen is needed."""
    if not os.environ.get("DISPLAY") and not os.environ.get("MPLBACKEND"):
        os.environ["MPLBACKEND"] = "Agg"


def unit_of(measure: str, rows: Sequence[Row]) -> str:
    name = measure.partition(":")[0]
    for row in rows:
        if row.measured is not None and name in row.measured.units:
            return row.measured.units[name]
    return plots.unit_of(name)


def title_of(measure: str, rows: Sequence[Row], labels: Dict[str, str]) -> str:
    """"discharge: mass flow (kg/s)"."""
    if measure in labels:
        return labels[measure]
    name, _, statistic = measure.partition(":")
    unit = unit_of(measure, rows)
    begin, rest = name.split(".", 1) if "." in name else ("", name)
    end = "_" + re.sub(r"[^A-Za-z0-9]+", "_", unit)
    parts = [part[:-len(end)] if unit and part.endswith(end) else plots.title(part).partition(" (")[0]
             for part in rest.split(".")]  # "mass_flow_kg_s.glass": of a kind
    if statistic:
        parts.append(statistic)
    words = ((f"{begin}: " if begin else "") + ", ".join(parts)).replace("_", " ")
    return words + (f" ({unit})" if unit else "")


def draw(study: Study, measures: Sequence[str], rows: Sequence[Row], path: Path) -> str:
    """Draws what is there; gives words of what was left out. Raises ImportError where matplotlib is missing."""
    headless()
    pyplot = plots.pyplot()
    groups = [group for group in by_points(rows) if any(row.measured is not None for row in group)]
    drawn = list(measures[:MOST_MEASURES])
    keys: List[Optional[str]] = list(study.keys) or [None]
    if not drawn or not groups:
        return "there is nothing to draw"
    figure, axes = pyplot.subplots(len(drawn), len(keys), squeeze=False, sharey="row", layout="constrained",
                                   figsize=(1.2 + 4.0 * len(keys), 0.7 + 2.9 * len(drawn)))
    for down, measure in enumerate(drawn):
        means = [mean_of(measure, group) for group in groups]
        for across, key in enumerate(keys):
            axis = axes[down][across]
            _panel(axis, study, key, measure, groups, means)
            axis.set_xlabel(study.labels.get(key, key) if key is not None else "run")
            if across == 0:
                axis.set_ylabel(title_of(measure, rows, study.labels), wrap=True)
    seeds = max(len(group) for group in groups)
    over_time = any(row.measured is not None and row.measured.error(measure) is not None
                    for row in rows for measure in drawn)
    words = f"means of up to {seeds} seeds, standard errors; dots: runs" if seeds > 1 else "one run a point" + (
        "; bars: standard error over time" if over_time else "")
    figure.suptitle(f"{study.name}\n{words}", fontsize="medium")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    pyplot.close(figure)
    left = len(measures) - len(drawn)
    return f"{left} measures are in the tables only: a picture has {MOST_MEASURES}" if left > 0 else ""


def _panel(axis: Any, study: Study, key: Optional[str], measure: str, groups: Sequence[Sequence[Row]],
           means: Sequence[Mean]) -> None:
    places, names = _places(key, groups)
    for label, members in _lines(study, key, groups):
        shown_ones = [k for k in members if means[k].value is not None]
        shown_ones.sort(key=lambda k: places[k])
        x, y = [places[k] for k in shown_ones], [means[k].value for k in shown_ones]
        error = [means[k].error or 0.0 for k in shown_ones]
        joined = label is not None and len({places[k] for k in shown_ones}) == len(shown_ones) and names is None
        style = "o-" if joined else "o"
        bars = axis.errorbar(x, y, yerr=error, fmt=style, markersize=4, linewidth=1.0, capsize=2.5, label=label or None)
        for k in shown_ones:
            if len(groups[k]) > 1:
                each = [row.measured.value(measure) for row in groups[k] if row.measured is not None]
                each = [value for value in each if value is not None]
                axis.plot([places[k]] * len(each), each, ".", color=bars[0].get_color(), alpha=0.35, markersize=3,
                          zorder=1)
    if names is not None:
        axis.set_xticks(range(len(names)), names, rotation=20 if sum(map(len, names)) > 30 else 0)
    if key in study.logarithmic:
        axis.set_xscale("log")
    axis.grid(True, alpha=0.3)
    if any(label for label, _ in _lines(study, key, groups)):
        axis.legend(fontsize="x-small", title=_other(study, key), title_fontsize="x-small")


def _places(key: Optional[str], groups: Sequence[Sequence[Row]]) -> Tuple[List[float], Optional[List[str]]]:
    """Where points stand on the axis, and names of the places where they are no numbers."""
    values = [group[0].values.get(key) if key is not None else group[0].point for group in groups]
    if all(is_number(value) for value in values):
        return [float(value) for value in values if value is not None], None
    names = list(dict.fromkeys(value if isinstance(value, str) else shown(value) for value in values))
    return [float(names.index(v if isinstance(v, str) else shown(v))) for v in values], names


def _other(study: Study, key: Optional[str]) -> Optional[str]:
    others = [other for other in study.keys if other != key]
    return study.labels.get(others[0], others[0]) if len(others) == 1 else None


def _lines(study: Study, key: Optional[str], groups: Sequence[Sequence[Row]]) -> List[Tuple[Optional[str], List[int]]]:
    """Points that belong to one line, with its label: of two parameters a line for each value of the other one.
    None: no line joins them."""
    others = [other for other in study.keys if other != key]
    everyone = list(range(len(groups)))
    if not others:
        return [("", everyone)]
    by_others: Dict[str, List[int]] = {}
    for k, group in enumerate(groups):
        by_others.setdefault(", ".join(_short(group[0].values[other]) for other in others), []).append(k)
    if len(by_others) > MOST_LINES or max(map(len, by_others.values())) < 2:
        return [(None, everyone)]
    return list(by_others.items())


def _short(value: Any) -> str:
    if is_number(value):
        return f"{value:g}"
    return value if isinstance(value, str) else shown(value)
