"""What a calibration tells: the parameters with their uncertainty, warnings, files and a picture."""

from __future__ import annotations

import json
import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from . import plots, toml
from .study_figures import headless, title_of
from .study_file import Calibration, Parameter
from .study_runs import FAILED, write_whole
from .study_table import mean_of
from .surfaces import Uncertainty, uncertainty

if TYPE_CHECKING:
    from .calibration import Result

UNREACHED = 3.0  #: of a residual, in standard errors
TRADE = 0.9  #: of a correlation


def warnings_before(plan: Calibration) -> List[str]:
    """What is known before anything runs."""
    found = []
    if len(plan.targets) < len(plan.parameters):
        found.append(f"{len(plan.parameters)} parameters and {len(plan.targets)} targets: the targets cannot determine "
                     "them all")
    idle = [scene.name for scene in plan.scenes if all(target.scene != scene for target in plan.targets)]
    if idle:
        found.append(f"no target is of {', '.join(idle)}: not run")
    if len(plan.seeds) < 2:
        found.append("one seed: how runs scatter is judged by the surfaces alone; seeds = 2 tells more")
    return found


def width(parameter: Parameter, value: float) -> float:
    """How much the parameter changes there when its coordinate in the unit cube goes from 0 to 1."""
    return value * math.log(parameter.high / parameter.low) if parameter.log else parameter.high - parameter.low


def rounded(value: float, error: float) -> float:
    """To a hundredth of its error."""
    if not error > 0.0 or not math.isfinite(value):
        return value
    return round(value, max(0, min(15, 2 - math.floor(math.log10(error)))))


def short(value: float, error: float) -> str:
    """"0.412 ± 0.012"."""
    digits = max(0, min(12, 1 - math.floor(math.log10(error)))) if error > 0.0 else 6
    return f"{value:.{digits}f} ± {error:.{digits}f}"


def undetermined(result: "Result", how: Uncertainty) -> List[Tuple[Any, List[int]]]:
    """Directions that no target determines, and the numbers of the parameters that have a part in each. Where places
    that fit lie on a curve, the direction is that at the best place."""
    least = np.linalg.eigh(result.fit.jacobian.T @ result.fit.jacobian)[1][:, 0]
    alone = np.linalg.norm(result.fit.jacobian, axis=0)  # of each parameter, where the others stay
    found = []
    for direction in how.directions:
        parts = np.abs(direction)
        leader = int(parts.argmax())
        members = [k for k in range(len(parts)) if parts[k] > 0.1]
        if alone[leader] < 2.0 and all(parts[k] < 0.5 for k in members if k != leader):
            members = [leader]
        elif len(members) == 1 and len(parts) > 1:  # a small change of another one makes up for it
            members = sorted(np.argsort(-parts)[:2].tolist())
        along = least if len(how.directions) == 1 else direction
        found.append((along * (1.0 if along[members[0]] > 0 else -1.0), members))
    return found


def warnings_of(result: "Result", how: Uncertainty) -> List[str]:
    """What the numbers do not say by themselves."""
    plan, found = result.plan, []
    parameters = plan.parameters
    errors = errors_of(result, how)
    blind = set()
    for direction, members in undetermined(result, how):
        blind.update(members)
        if len(members) == 1:
            found.append(f"no target responds enough to {parameters[members[0]].key}: it is not determined within its "
                         "range")
            continue
        step = 0.1 / max(abs(direction[members]))
        steps = {k: step * direction[k] * width(parameters[k], result.values[parameters[k].key]) for k in members}
        moves = [f"{parameters[k].key} {'+' if steps[k] > 0 else '-'} {abs(steps[k]):.2g}" for k in members]
        keys = " and ".join(parameters[k].key for k in members)
        found.append(f"the targets do not tell {keys} apart: with {', '.join(moves)} at once they stay within their "
                     "errors. Only a combination is determined; fix one of them, or add a target that depends on them "
                     "in another way")
    for a in range(len(parameters)):
        for b in range(a):
            if abs(how.correlation[a, b]) > TRADE and not (a in blind and b in blind):
                trade = "is larger too" if how.correlation[a, b] > 0 else "is smaller"
                found.append(f"{parameters[b].key} and {parameters[a].key} trade (correlation "
                             f"{how.correlation[a, b]:.2f}): where one is larger than found, the other {trade}; the "
                             "error of each is large for that reason")
    for parameter, u in zip(parameters, result.fit.place):
        if u in (0.0, 1.0):
            end, bound = ("low", parameter.low) if u == 0.0 else ("high", parameter.high)
            found.append(f"{parameter.key} ends at its bound {end} = {bound:g}: the best value may lie beyond it")
    for target, value, left in zip(plan.targets, result.fit.values, result.fit.residuals):
        if abs(left) > UNREACHED:
            found.append(f"{target.name(plan.several)} cannot be reached: {value:.4g} at the best place, "
                         f"{target.value:g} ± {target.error:g} measured, {abs(left):.1f} standard errors apart")
    for other in [] if how.directions else result.fit.others:
        words = ", ".join(f"{p.key} = {v:.3g}" for p, v in zip(parameters, _values(parameters, other)))
        found.append(f"another place fits as well: {words}; a target is needed that tells them apart")
    failed = [row for row in result.rows if row.outcome.status == FAILED]
    if failed:
        found.append(f"{len(failed)} of {len(result.rows)} runs failed and are left out (the first: "
                     f"{failed[0].job.said}: {failed[0].outcome.error})")
    if not result.converged:
        found.append(f"the runs are used up before the search converged: more than runs = {plan.runs} may move the "
                     f"values within their errors ({', '.join(f'{e:.2g}' for e in errors)})")
    return found


def _values(parameters: List[Parameter], place: Any) -> List[float]:
    return [p.low * (p.high / p.low)**float(u) if p.log else p.low + (p.high - p.low) * float(u)
            for p, u in zip(parameters, place)]


def errors_of(result: "Result", how: Uncertainty) -> List[float]:
    return [float(deviation) * width(p, result.values[p.key])
            for p, deviation in zip(result.plan.parameters, how.deviations)]


def _interval(parameter: Parameter, how: Uncertainty, k: int) -> List[float]:
    return [_values([parameter], [end[k]])[0] for end in (how.low, how.high)]


def _finite(value: float) -> Optional[float]:
    return value if math.isfinite(value) else None


def report(result: "Result", figure: Path, tell: Callable[[str], None], quiet: bool) -> None:
    """Writes calibration.json, calibrated.toml and the picture, and tells what came."""
    plan = result.plan
    how = uncertainty(result.surfaces, [target.value for target in plan.targets],
                      [target.error for target in plan.targets], result.fit)
    errors = errors_of(result, how)
    values = {p.key: rounded(result.values[p.key], error) for p, error in zip(plan.parameters, errors)}
    warnings = warnings_of(result, how)
    blind = {k for _, members in undetermined(result, how) for k in members}
    # Every key that takes the value, by the scenes that have it.
    sets = {scene: {key: values[p.key] for p in plan.parameters if scene in p.scenes for key in (p.key, *p.also)}
            for scene in plan.scenes}
    about: Dict[str, Any] = {
        "format": "scree calibration", "format_version": 1, "study": plan.name,
        "scenes": [str(scene) for scene in plan.scenes], "converged": result.converged, "rounds": result.rounds,
        "points": len(result.points), "runs": result.runs,
        "parameters": {p.key: {"value": values[p.key], "error": error, "interval": _interval(p, how, k),
                               "linear_error": _finite(float(how.linear[k]) * width(p, result.values[p.key])),
                               "low": p.low, "high": p.high, "at_bound": bool(u in (0.0, 1.0)),
                               "determined": k not in blind}
                       for k, (p, error, u) in enumerate(zip(plan.parameters, errors, result.fit.place))},
        "correlation": {"parameters": [p.key for p in plan.parameters], "matrix": how.correlation.tolist()},
        "targets": [{"scene": target.scene.name, "measure": target.measure, "value": target.value,
                     "error": target.error, "simulated": float(value), "simulated_error": float(deviation),
                     "run_deviation": surface.noise, "residual": float(left)}
                    for target, value, deviation, left, surface in zip(plan.targets, result.fit.values,
                                                                      result.fit.deviations, result.fit.residuals,
                                                                      result.surfaces)],
        "chi_squared": result.fit.chi_squared, "degrees_of_freedom": len(plan.targets) - len(plan.parameters),
        "warnings": warnings,
        "set": {scene.name: _words(plan, sets[scene]) for scene in plan.scenes},
    }
    write_whole(plan.folder / "calibration.json", json.dumps(about, indent=1) + "\n")
    write_whole(plan.folder / "calibrated.toml", _calibrated(plan, sets))
    picture = _draw(result, how, figure, tell)
    if not quiet:
        for k, (p, error) in enumerate(zip(plan.parameters, errors)):
            tell(f"  {p.key:30s} {short(values[p.key], error)}" + (", not determined" if k in blind else ""))
        for target, value, deviation in zip(plan.targets, result.fit.values, result.fit.deviations):
            tell(f"  {target.name(plan.several):30s} {short(float(value), float(deviation))}, measured "
                 f"{target.value:g} ± {target.error:g}")
        state = "converged" if result.converged else "stopped"
        tell(f"{state} after {result.runs} runs at {len(result.points)} points; results in {plan.folder}: "
             "calibration.json, calibrated.toml, table.csv" + (f"; picture: {figure}" if picture else ""))
    for warning in warnings:
        tell(f"warning: {warning}")


def _words(plan: Calibration, values: Dict[str, Any]) -> List[str]:
    return [word for key, value in {**plan.set, **values}.items()
            for word in ("--set", f"{key}={toml.to_value(value)}")]


def _calibrated(plan: Calibration, sets: Dict[Path, Dict[str, Any]]) -> str:
    """A table [set] for studies, with the commands as comments."""
    lines = [f"# Found by `scree calibrate` for {plan.name}. As commands:"]
    for scene, values in sets.items():
        lines.append(f"#   scree run {shlex.quote(str(scene))} {' '.join(map(shlex.quote, _words(plan, values)))}")
    every = {key: value for values in sets.values() for key, value in values.items()}
    return "\n".join(lines) + "\n" + toml.to_document({"set": {**plan.set, **every}})


def _draw(result: "Result", how: Uncertainty, path: Path, tell: Callable[[str], None]) -> bool:
    """Residuals, and each target over each parameter through the best place."""
    headless()
    try:
        pyplot = plots.pyplot()
    except ImportError as fault:
        tell(f"no picture: {fault}")
        return False
    plan, found = result.plan, result.fit
    across, down = len(plan.parameters), len(plan.targets)
    figure = pyplot.figure(figsize=(1.2 + 4.2 * max(across, 2), 1.0 + 0.5 * down + 3.0 * down), layout="constrained")
    grid = figure.add_gridspec(1 + down, across, height_ratios=[0.6 + 0.4 * down, *[3.0] * down])
    axis = figure.add_subplot(grid[0, :])
    places = list(range(down))
    spread = [float(d) / t.error for d, t in zip(found.deviations, plan.targets)]
    axis.axvspan(-1.0, 1.0, color="0.9")
    axis.axvline(0.0, color="0.5", linewidth=1.0)
    off = [(float(v) - t.value) / t.error for v, t in zip(found.values, plan.targets)]
    axis.errorbar(off, places, xerr=spread, fmt="o", capsize=3)
    axis.set_yticks(places, [f"{t.name(plan.several)}\n{v:.4g}, measured {t.value:g} ± {t.error:g}"
                             for t, v in zip(plan.targets, found.values)], fontsize="small")
    axis.set_ylim(-0.6, down - 0.4)
    axis.invert_yaxis()
    reach = max(1.5, max(abs(o) + s for o, s in zip(off, spread)) * 1.1)
    axis.set_xlim(-reach, reach)
    axis.set_xlabel("(simulated - measured) / error of what was measured")
    line = np.linspace(0.0, 1.0, 101)
    for row, target in enumerate(plan.targets):
        for column, parameter in enumerate(plan.parameters):
            axis = figure.add_subplot(grid[1 + row, column])
            slice_ = np.tile(found.place, (len(line), 1))
            slice_[:, column] = line
            values, deviations = result.surfaces[row](slice_)
            x = np.array([_values([parameter], [u])[0] for u in line])
            axis.axhspan(target.value - target.error, target.value + target.error, color="C2", alpha=0.2)
            axis.axhline(target.value, color="C2", linewidth=1.0, label="measured")
            axis.fill_between(x, values - deviations, values + deviations, color="C0", alpha=0.25)
            axis.plot(x, values, color="C0", label="surface through the best place")
            _points(axis, result, row, column)
            best, error = result.values[parameter.key], errors_of(result, how)[column]
            axis.axvline(best, color="C3", linewidth=1.0, label="best value and its error")
            axis.axvspan(max(best - error, parameter.low), min(best + error, parameter.high), color="C3", alpha=0.12)
            if parameter.log:
                axis.set_xscale("log")
            axis.set_xlabel(plan.labels.get(parameter.key, parameter.key))
            if column == 0:
                rows = [each for each in result.rows if each.job.scene == target.scene]
                axis.set_ylabel(title_of(target.measure, rows, plan.labels))
            axis.grid(True, alpha=0.3)
            if row == 0 and column == 0:
                axis.legend(fontsize="x-small")
    figure.suptitle(f"{plan.name}: {result.runs} runs at {len(result.points)} points",
                    fontsize="medium")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
    pyplot.close(figure)
    return True


def _points(axis: Any, result: "Result", row: int, column: int) -> None:
    """Means of the runs' points, moved along the surface to the line that is drawn: they show how far off it is."""
    plan, target, surface = result.plan, result.plan.targets[row], result.surfaces[row]
    x, y, errors = [], [], []
    for point in result.points:
        mean = mean_of(target.measure, [each for each in point.rows if each.job.scene == target.scene])
        if mean.value is not None:
            moved = result.fit.place.copy()
            moved[column] = point.place[column]
            values = surface([moved, point.place])[0]
            x.append(point.values[plan.parameters[column].key])
            y.append(mean.value + values[0] - values[1])
            errors.append(mean.error or 0.0)
    axis.errorbar(x, y, yerr=errors, fmt=".", color="k", alpha=0.6, linewidth=0.8,
                  label="runs, moved along the surface")
