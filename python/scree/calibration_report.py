"""The report of a calibration: the parameters with their uncertainty, warnings, files and a picture."""

from __future__ import annotations

import json
import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional

import numpy as np

from . import plots, toml
from .calibration_posterior import Mode, Posterior, Shape, Valley, shape_of
from .study_figures import headless, title_of
from .study_file import Calibration, Parameter
from .study_runs import FAILED, write_whole
from .study_table import mean_of

if TYPE_CHECKING:
    from .calibration import Result

UNREACHED = 3.0  #: of a residual, in standard errors
CORRELATED = 0.9  #: of a correlation


def warnings_before(plan: Calibration) -> List[str]:
    """Those that are known before anything runs."""
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
    return f"{value:.{_digits(error)}f} ± {error:.{_digits(error)}f}"


def _digits(error: float) -> int:
    """Those behind the point."""
    return max(0, min(12, 1 - math.floor(math.log10(error)))) if error > 0.0 else 6


def warnings_of(result: "Result", how: Posterior, shape: Shape) -> List[str]:
    """Those that the numbers alone do not show."""
    plan, found = result.plan, []
    parameters = plan.parameters
    errors = errors_of(result, how)
    for k in shape.idle:
        found.append(f"no target responds enough to {parameters[k].key}: it is not determined within its range")
    for valley in shape.valley:
        keys = _listed([parameters[k].key for k in valley.members])
        one, other = (_said(parameters, place) for place in valley.ends)
        found.append(f"the targets do not tell {keys} apart: {one} meet all of them, {other} meet "
                     "them too, and so do values on a curve between the two. Fix one of the parameters, or add a "
                     "target from a test in which only one of them matters")
    if len(shape.modes) > 1:
        places = "; ".join(f"{_said(parameters, mode.place)} ({100.0 * mode.weight:.0f} %)" for mode in shape.modes)
        found.append(f"{len(shape.modes)} solutions that lie apart fit the targets: {places}. Add a target that tells "
                     "them apart")
    blind = {k for valley in shape.valley for k in valley.members}
    for a in range(len(parameters)):
        for b in range(a):
            if abs(how.correlation[a, b]) > CORRELATED and not (a in blind and b in blind):
                trade = "is larger too" if how.correlation[a, b] > 0 else "is smaller"
                found.append(f"{parameters[b].key} and {parameters[a].key} are correlated ("
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
    failed = [row for row in result.rows if row.outcome.status == FAILED]
    if failed:
        found.append(f"{len(failed)} of {len(result.rows)} runs failed and are left out (the first: "
                     f"{failed[0].job.said}: {failed[0].outcome.error})")
    if not result.converged:
        found.append(f"the runs are used up before the errors ({', '.join(f'{e:.2g}' for e in errors)}) stopped "
                     f"shrinking: more than runs = {plan.runs} may shrink them")
    return found


def _listed(words: List[str]) -> str:
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1]


def _said(parameters: List[Parameter], place: Any) -> str:
    return _listed([f"{p.key} = {v:.3g}" for p, v in zip(parameters, _values(parameters, place))])


def _values(parameters: List[Parameter], place: Any) -> List[float]:
    return [p.low * (p.high / p.low)**float(u) if p.log else p.low + (p.high - p.low) * float(u)
            for p, u in zip(parameters, place)]


def errors_of(result: "Result", how: Posterior) -> List[float]:
    return [float(deviation) * width(p, result.values[p.key])
            for p, deviation in zip(result.plan.parameters, how.about)]


def _about(result: "Result", how: Posterior, shape: Shape, k: int, error: float) -> Dict[str, Any]:
    """Of one parameter."""
    p = result.plan.parameters[k]
    values = np.array(_values([p] * len(how.places), how.places[:, k]))
    mean = float(how.weights @ values)
    low, high, lowest, highest = (_values([p], [end[k]])[0] for end in (how.low, how.high, how.lowest, how.highest))
    return {"value": rounded(result.values[p.key], error), "error": error, "interval": [low, high],
            "interval_95": [lowest, highest], "mean": mean,
            "deviation": math.sqrt(float(how.weights @ (values - mean)**2)),
            "linear_error": _finite(float(how.linear[k]) * width(p, result.values[p.key])),
            "low": p.low, "high": p.high, "at_bound": bool(result.fit.place[k] in (0.0, 1.0)),
            "determined": k not in shape.undetermined}


def _modes(parameters: List[Parameter], modes: List[Mode]) -> List[Dict[str, Any]]:
    return [{"weight": mode.weight, "values": _named(parameters, mode.place)} for mode in modes]


def _valley(parameters: List[Parameter], valleys: List[Valley]) -> Optional[Dict[str, Any]]:
    return {"parameters": [parameters[k].key for k in valleys[0].members],
            "ends": [_named(parameters, place) for place in valleys[0].ends]} if valleys else None


def _named(parameters: List[Parameter], place: Any) -> Dict[str, float]:
    return {p.key: value for p, value in zip(parameters, _values(parameters, place))}


def _finite(value: float) -> Optional[float]:
    return value if math.isfinite(value) else None


def report(result: "Result", figure: Path, tell: Callable[[str], None], quiet: bool) -> None:
    """Writes calibration.json, calibrated.toml and the picture, and prints values and warnings."""
    plan = result.plan
    how = result.posterior
    shape = shape_of(result.surfaces, [target.error for target in plan.targets], how)
    errors = errors_of(result, how)
    abouts = {p.key: _about(result, how, shape, k, error) for k, (p, error) in enumerate(zip(plan.parameters, errors))}
    values = {key: about["value"] for key, about in abouts.items()}
    warnings = warnings_of(result, how, shape)
    # Every key that takes the value, by the scenes that have it.
    sets = {scene: {key: values[p.key] for p in plan.parameters if scene in p.scenes for key in (p.key, *p.also)}
            for scene in plan.scenes}
    about: Dict[str, Any] = {
        "format": "scree calibration", "format_version": 1, "study": plan.name,
        "scenes": [str(scene) for scene in plan.scenes], "converged": result.converged, "rounds": result.rounds,
        "points": len(result.points), "runs": result.runs,
        "stopped": "errors no longer shrink" if result.converged else "runs used up",
        "parameters": abouts, "modes": _modes(plan.parameters, shape.modes),
        "valley": _valley(plan.parameters, shape.valley),
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
        for p, error in zip(plan.parameters, errors):
            about_it = abouts[p.key]
            ends = " to ".join(f"{end:.{_digits(error)}f}" for end in about_it["interval_95"])
            tell(f"  {p.key:30s} {short(values[p.key], error)}, 95 % within {ends}" +
                 ("" if about_it["determined"] else ", not determined"))
        for target, value, deviation in zip(plan.targets, result.fit.values, result.fit.deviations):
            tell(f"  {target.name(plan.several):30s} {short(float(value), float(deviation))}, measured "
                 f"{target.value:g} ± {target.error:g}")
        state = "converged: the errors no longer shrink" if result.converged else "stopped: the runs are used up"
        tell(f"{state}, after {result.runs} runs at {len(result.points)} points; results in {plan.folder}: "
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


def _draw(result: "Result", how: Posterior, path: Path, tell: Callable[[str], None]) -> bool:
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
