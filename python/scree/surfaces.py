"""Smooth surfaces through runs that scatter, and the place on them that fits measured values best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np
from scipy import linalg, optimize

LINEAR = 100.0  #: variance of the trend beside that of the values: as good as free
MEMBERS = 6  #: sets of length scales, amplitude and scatter that a surface is the mean of


@dataclass(frozen=True)
class Scatter:
    """How runs of one point differ by chance."""

    deviation: float  #: of one run; 0 where runs are the same
    freedom: int  #: number of differences between runs that it comes from; 0: it is a guess


class _Member:
    """A Gaussian process with one set of length scales, amplitude and scatter."""

    def __init__(self, process: "Surface", logs: Any, weight: float):
        self.hyper, self.weight = np.exp(logs), weight
        factor = linalg.cholesky(process.covariance_of_values(self.hyper), lower=True, check_finite=False)
        self.half = linalg.solve_triangular(factor, np.eye(len(factor)), lower=True, check_finite=False)
        self.weights = self.half.T @ (self.half @ process.values)
        # The squared error of the prediction of each value from the others, over its variance: above 1 the process is
        # too sure of itself. Few values hide that, because trend and lengths are fitted to them.
        left_out = self.weights / np.sqrt((self.half**2).sum(axis=0))
        count, fitted = len(factor), 2 * (len(logs) - 1)
        self.excess = max(1.0, float((left_out**2).mean())) * count / max(count - fitted, 0.25 * count)


class Surface:
    """A Gaussian process over the unit cube: a linear trend, smooth departures from it, scatter of runs. It is the mean
    of several processes whose length scales, amplitudes and scatters could have brought forth the values."""

    def __init__(self, places: Any, values: Any, runs: Any, scatter: Optional[Scatter]):
        """``runs``: the number of runs of which the value of each place is the mean."""
        self._places = np.asarray(places, dtype=float)
        values = np.asarray(values, dtype=float)
        self._offset = float(values.mean())
        self._scale = float(values.std()) or max(abs(self._offset), 1.0) * 1e-6
        self.values = (values - self._offset) / self._scale
        self._runs = np.asarray(runs, dtype=float)
        dimensions = self._places.shape[1]
        self._squares = (self._places[:, None, :] - self._places[None, :, :])**2
        self._trend = LINEAR * (1.0 + 4.0 * (self._places - 0.5) @ (self._places - 0.5).T)
        if scatter is None:
            noise, width = 0.03, 1.5
        else:
            noise = max(scatter.deviation / self._scale, 1e-3)
            width = max(0.1, 1.0 / np.sqrt(2.0 * scatter.freedom)) if scatter.freedom > 0 else 0.7
        self._middle = np.array([0.0, *[-0.2] * dimensions, np.log(noise)])
        self._widths = np.array([1.0, *[0.7] * dimensions, width])
        low = np.log([0.03, *[0.15] * dimensions, 5e-4])
        high = np.log([10.0, *[6.0] * dimensions, 3.0])
        best: Any = None
        for first in (self._middle, self._middle + [0.0, *[-0.8] * dimensions, 0.0]):
            found = optimize.minimize(self._unlikelihood, np.clip(first, low, high), method="L-BFGS-B", jac=True,
                                      bounds=list(zip(low, high)), options={"maxiter": 40})
            if best is None or found.fun < best.fun:
                best = found
        self._members = self._members_about(best.x, float(best.fun), low, high)
        # For tangents: of all members at once.
        weights = np.array([member.weight * member.weights for member in self._members])
        amplitudes = np.array([member.hyper[0] for member in self._members])
        self._inverse = np.array([1.0 / member.hyper[1:-1] for member in self._members])
        self._bumps = weights * amplitudes[:, None]**2
        self._level = LINEAR * float(weights.sum())
        self._slope = 4.0 * LINEAR * (weights.sum(axis=0) @ (self._places - 0.5))
        self.noise = float(self._members[0].hyper[-1]) * self._scale  #: of one run

    def _unlikelihood(self, logs: Any) -> Tuple[float, Any]:
        """Of the values with this set of logarithms, and its derivatives."""
        hyper = np.exp(logs)
        bumps = hyper[0]**2 * np.exp(-0.5 * (self._squares @ hyper[1:-1]**-2))
        scatter = hyper[-1]**2 / self._runs
        try:
            factor = linalg.cholesky(bumps + self._trend + np.diag(scatter + 1e-9), lower=True, check_finite=False)
        except linalg.LinAlgError:
            return 1e12, np.zeros(len(logs))
        half = linalg.solve_triangular(factor, np.eye(len(factor)), lower=True, check_finite=False)
        inverse = half.T @ half
        weights = inverse @ self.values
        change = inverse - np.outer(weights, weights)
        shaped = change * bumps
        slopes = [shaped.sum(), *(0.5 * np.tensordot(shaped, self._squares, 2) * hyper[1:-1]**-2),
                  float(np.diag(change) @ scatter)]
        off = (logs - self._middle) / self._widths
        value = 0.5 * self.values @ weights + np.log(np.diag(factor)).sum() + 0.5 * off @ off
        return float(value), np.array(slopes) + off / self._widths

    def _members_about(self, best: Any, least: float, low: Any, high: Any) -> List[_Member]:
        """The likeliest set first, and others as likely as the values allow: drawn from the normal distribution with
        the likelihood's own curvature, and weighted by the likelihood."""
        step = 0.05
        curvature = np.array([(self._unlikelihood(best + step * unit)[1] - self._unlikelihood(best - step * unit)[1])
                              / (2.0 * step) for unit in np.eye(len(best))])
        eigenvalues, vectors = np.linalg.eigh(0.5 * (curvature + curvature.T))
        widths = 1.0 / np.sqrt(np.clip(eigenvalues, 1.0, None))
        chance = np.random.RandomState(len(self.values))
        draws = chance.normal(size=(MEMBERS - 1, len(best)))
        sets, odds = [best], [0.0]
        for draw in draws:
            logs = np.clip(best + vectors @ (widths * draw), low, high)
            value = self._unlikelihood(logs)[0]
            if value < 1e11:
                sets.append(logs)
                odds.append(least - value + 0.5 * float(draw @ draw))
        weights = np.exp(np.clip(odds, -5.0, 1.0))
        return [_Member(self, logs, float(w)) for logs, w in zip(sets, weights / weights.sum())]

    def covariance_of_values(self, hyper: Any) -> Any:
        return self._kernel(self._places, self._places, hyper) + np.diag(hyper[-1]**2 / self._runs + 1e-9)

    @staticmethod
    def _kernel(a: Any, b: Any, hyper: Any) -> Any:
        a, b = a - 0.5, b - 0.5
        p, q = a / hyper[1:-1], b / hyper[1:-1]
        squares = np.maximum((p**2).sum(axis=1)[:, None] + (q**2).sum(axis=1) - 2.0 * p @ q.T, 0.0)
        return hyper[0]**2 * np.exp(-0.5 * squares) + LINEAR * (1.0 + 4.0 * a @ b.T)

    def __call__(self, places: Any) -> Tuple[Any, Any]:
        """Values at places (n, k), and the standard deviation of what is known of them."""
        places = np.atleast_2d(np.asarray(places, dtype=float))
        means, squares = np.zeros(len(places)), np.zeros(len(places))
        for member in self._members:
            across = self._kernel(places, self._places, member.hyper)
            own = member.hyper[0]**2 + LINEAR * (1.0 + 4.0 * ((places - 0.5)**2).sum(axis=1))
            variance = np.maximum(own - ((across @ member.half.T)**2).sum(axis=1), 0.0)
            values = across @ member.weights
            means += member.weight * values
            squares += member.weight * (member.excess * variance + values**2)
        return self._offset + self._scale * means, self._scale * np.sqrt(np.maximum(squares - means**2, 0.0))

    def tangent(self, place: Any) -> Tuple[float, Any]:
        """The value at a place, and its derivatives by each coordinate."""
        middle = np.asarray(place, dtype=float) - 0.5
        apart = (self._places - 0.5 - middle) * self._inverse[:, None, :]  # (members, places, coordinates)
        bumps = self._bumps * np.exp(-0.5 * (apart**2).sum(axis=2))
        slope = self._slope + np.einsum("mn,mnk,mk->k", bumps, apart, self._inverse)
        return self._offset + self._scale * float(bumps.sum() + self._level + middle @ self._slope), self._scale * slope

    def gradient(self, place: Any) -> Any:
        """By each coordinate."""
        return self.tangent(place)[1]

    def covariance(self, places: Any) -> Any:
        """Of what is not known at places, with the likeliest set."""
        first = self._members[0]
        half = self._kernel(places, self._places, first.hyper) @ first.half.T
        return self._scale**2 * first.excess * (self._kernel(places, places, first.hyper) - half @ half.T)


def likelihood(surfaces: Sequence[Surface], targets: Any, errors: Any, places: Any) -> Tuple[Any, Any]:
    """Logarithms of the probability of places; and the same with the full term of the variance, which prefers places
    where the surfaces are well known. Both are -inf outside of the cube.

    The first one is -chi^2 / 2, with the term of the variance of one target (the mean over all). With the terms of all
    targets, a place where surfaces are well known and meet several targets would count as evidence against all places
    that are less known, because surfaces are fitted one by one. But the targets of one test agree all along a valley:
    with all terms, intervals missed its ends."""
    places = np.atleast_2d(places)
    total, known = np.zeros(len(places)), np.zeros(len(places))
    for surface, target, error in zip(surfaces, targets, errors):
        values, deviations = surface(places)
        variance = error**2 + deviations**2
        total -= 0.5 * (values - target)**2 / variance
        known -= 0.5 * np.log(variance / error**2)
    outside = ((places < 0.0) | (places > 1.0)).any(axis=1)
    return np.where(outside, -np.inf, total + known / len(surfaces)), np.where(outside, -np.inf, total + known)


@dataclass(frozen=True)
class Fit:
    """The place that fits best."""

    place: Any
    values: Any  #: of the surfaces there
    deviations: Any  #: of what is known of those
    residuals: Any  #: (surface - target) / error, both errors in it
    jacobian: Any  #: of the residuals
    chi_squared: float
    others: List[Any]  #: other places where the search by least squares ended


def fit(surfaces: Sequence[Surface], targets: Any, errors: Any, starts: Sequence[Any]) -> Fit:
    """The likeliest place in the unit cube: by least squares from several starts, with the errors of the surfaces where
    the search ended in a second pass."""
    targets, errors = np.asarray(targets, dtype=float), np.asarray(errors, dtype=float)

    def end(start: Any, errors: Any) -> Any:
        def residuals(place: Any) -> Any:
            return np.array([surface.tangent(place)[0] for surface in surfaces] - targets) / errors

        def jacobian(place: Any) -> Any:
            return np.array([surface.tangent(place)[1] for surface in surfaces]) / errors[:, None]

        found = optimize.least_squares(residuals, np.clip(start, 1e-6, 1.0 - 1e-6), jac=jacobian, bounds=(0.0, 1.0),
                                       method="trf", max_nfev=30, xtol=1e-6, ftol=1e-6)
        return _at_bounds(found.x)

    ends = np.array([end(start, errors) for start in starts])
    order = np.argsort(-likelihood(surfaces, targets, errors, ends)[1], kind="stable")
    apart: List[Any] = []
    for place in ends[order]:
        if all(np.abs(place - other).max() > 0.02 for other in apart):
            apart.append(place)
    both = errors_with(surfaces, errors, apart[0])
    choice = np.array([apart[0], end(apart[0], both)])
    place = choice[int(np.argmax(likelihood(surfaces, targets, errors, choice)[1]))]
    values, deviations = (np.array([surface(place)[k][0] for surface in surfaces]) for k in (0, 1))
    both = np.sqrt(errors**2 + deviations**2)
    left = (values - targets) / both
    slopes = np.array([surface.gradient(place) for surface in surfaces]) / both[:, None]
    return Fit(place, values, deviations, left, slopes, float(left @ left), apart[1:])


def errors_with(surfaces: Sequence[Surface], errors: Any, place: Any) -> Any:
    """Errors of the targets with those of the surfaces at a place."""
    return np.sqrt(np.asarray(errors)**2 + np.array([surface(place)[1][0] for surface in surfaces])**2)


def _at_bounds(place: Any) -> Any:
    """An interior method comes close to a bound, not to it."""
    return np.where(place < 1e-3, 0.0, np.where(place > 1.0 - 1e-3, 1.0, place))
