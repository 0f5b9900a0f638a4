"""Shared by analyses of `scree validate`: fits, ratios, a published law, points with error bars."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Optional, Sequence

from .study_table import Mean


@dataclass(frozen=True)
class Line:
    """y = slope x + intercept, with standard errors."""

    slope: float
    intercept: float
    slope_error: float
    intercept_error: float
    covariance: float
    scatter: float  #: root mean square distance of the points from it

    def __call__(self, x: Any) -> Any:
        return self.slope * x + self.intercept

    @property
    def root(self) -> float:
        """The zero of the line."""
        return -self.intercept / self.slope

    @property
    def root_error(self) -> float:
        variance = (self.intercept_error**2 + self.root**2 * self.slope_error**2 + 2.0 * self.root * self.covariance)
        return math.sqrt(max(variance, 0.0)) / abs(self.slope)


def line(x: Sequence[float], y: Sequence[float], errors: Optional[Sequence[float]] = None) -> Line:
    """Weighted least squares. Errors are increased if the scatter of the points exceeds them. Without errors they
    follow from the scatter."""
    import numpy

    xs, ys = numpy.asarray(x, float), numpy.asarray(y, float)
    n = len(xs)
    if n < 2:
        raise ValueError(f"a line needs two points or more, but there are {n}")
    given = numpy.asarray(errors, float) if errors is not None else numpy.zeros(n)
    known = errors is not None and bool((given > 0.0).all())
    weights = 1.0 / given**2 if known else numpy.ones(n)
    matrix = numpy.array([[(weights * xs * xs).sum(), (weights * xs).sum()], [(weights * xs).sum(), weights.sum()]])
    slope, intercept = numpy.linalg.solve(matrix, [(weights * xs * ys).sum(), (weights * ys).sum()])
    off = ys - (slope * xs + intercept)
    chance = float((weights * off * off).sum()) / (n - 2) if n > 2 else 0.0
    covariance = numpy.linalg.inv(matrix) * (max(1.0, chance) if known else chance)
    return Line(float(slope), float(intercept), math.sqrt(covariance[0, 0]), math.sqrt(covariance[1, 1]),
                float(covariance[0, 1]), float(numpy.sqrt(numpy.mean(off * off))))


def power(x: Sequence[float], y: Sequence[float], errors: Optional[Sequence[float]] = None) -> Line:
    """The line of logarithms: y = exp(intercept) x^slope."""
    relative = [e / v for e, v in zip(errors, y)] if errors is not None else None
    return line([math.log(v) for v in x], [math.log(v) for v in y], relative)


def over(a: Mean, b: Mean) -> Mean:
    """Ratio; the errors are assumed to be independent."""
    if a.value is None or not b.value:
        return Mean()
    ratio = a.value / b.value
    return Mean(ratio, math.hypot(a.error or 0.0, ratio * (b.error or 0.0)) / abs(b.value), min(a.count, b.count))


def mu_of_i(i: Any, quasistatic: float = 0.382) -> Any:
    """Shear stress over pressure of sheared spheres at the inertial number i. Chialvo, Sun, Sundaresan 2012,
    Phys. Rev. E 85, 021305: 0.105, 0.268, 0.357, 0.382, 0.405 at i = 0 for friction 0, 0.1, 0.3, 0.5, 1."""
    import numpy

    return quasistatic + 0.37 / ((0.32 / numpy.maximum(i, 1e-12))**1.5 + 1.0)


def dots(axes: Any, x: Sequence[float], means: Sequence[Mean], label: str, mark: str = "o") -> None:
    """Measured values with bars of two errors."""
    bars = [2.0 * (mean.error or 0.0) for mean in means]
    axes.errorbar(x, [mean.value for mean in means], bars, fmt=mark, label=label)
