"""Smooth surfaces through runs that scatter, and the place on them that fits measured values best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np
from scipy import linalg, optimize

LINEAR = 100.0  #: variance of the trend beside that of the values: as good as free


@dataclass(frozen=True)
class Scatter:
    """What is known of how runs of one point differ by chance."""

    deviation: float  #: of one run; 0 where runs are the same
    freedom: int  #: how many differences say so; 0: it is a guess


class Surface:
    """A Gaussian process over the unit cube: a linear trend, smooth departures from it, scatter of runs. Its length
    scales and its scatter are those that make the values most likely (with wide priors)."""

    def __init__(self, places: Any, values: Any, runs: Any, scatter: Optional[Scatter]):
        """``runs``: of how many the value of each place is the mean."""
        self._places = np.asarray(places, dtype=float)
        values = np.asarray(values, dtype=float)
        self._offset = float(values.mean())
        self._scale = float(values.std()) or max(abs(self._offset), 1.0) * 1e-6
        self._values = (values - self._offset) / self._scale
        self._runs = np.asarray(runs, dtype=float)
        dimensions = self._places.shape[1]
        if scatter is None:
            noise, width = 0.03, 1.5
        else:
            noise = max(scatter.deviation / self._scale, 1e-3)
            width = max(0.1, 1.0 / np.sqrt(2.0 * scatter.freedom)) if scatter.freedom > 0 else 0.7
        middle = np.array([0.0, *[0.0] * dimensions, np.log(noise)])
        widths = np.array([1.0, *[0.7] * dimensions, width])
        low = np.log([0.03, *[0.15] * dimensions, 5e-4])
        high = np.log([10.0, *[6.0] * dimensions, 3.0])

        def unlikelihood(logs: Any) -> float:
            try:
                factor = linalg.cholesky(self._covariance(np.exp(logs)), lower=True, check_finite=False)
            except linalg.LinAlgError:
                return 1e12
            half = linalg.solve_triangular(factor, self._values, lower=True, check_finite=False)
            prior = 0.5 * float((((logs - middle) / widths)**2).sum())
            return float(0.5 * half @ half + np.log(np.diag(factor)).sum() + prior)

        best: Any = None
        for first in (middle, middle + [0.0, *[-0.9] * dimensions, 0.0]):
            found = optimize.minimize(unlikelihood, np.clip(first, low, high), method="L-BFGS-B",
                                      bounds=list(zip(low, high)), options={"maxiter": 60})
            if best is None or found.fun < best.fun:
                best = found
        self._hyper = np.exp(best.x)
        self.noise = float(self._hyper[-1]) * self._scale  #: of one run
        self._factor = linalg.cho_factor(self._covariance(self._hyper), lower=True)
        self._weights = linalg.cho_solve(self._factor, self._values)

    def _kernel(self, a: Any, b: Any, hyper: Any) -> Any:
        lengths = hyper[1:-1]
        squares = (((a[:, None, :] - b[None, :, :]) / lengths)**2).sum(axis=2)
        return hyper[0]**2 * np.exp(-0.5 * squares) + LINEAR * (1.0 + 4.0 * (a - 0.5) @ (b - 0.5).T)

    def _covariance(self, hyper: Any) -> Any:
        return self._kernel(self._places, self._places, hyper) + np.diag(hyper[-1]**2 / self._runs + 1e-9)

    def __call__(self, places: Any) -> Tuple[Any, Any]:
        """Values at places (n, k), and the standard deviation of what is known of them."""
        places = np.atleast_2d(np.asarray(places, dtype=float))
        across = self._kernel(places, self._places, self._hyper)
        own = self._hyper[0]**2 + LINEAR * (1.0 + 4.0 * ((places - 0.5)**2).sum(axis=1))
        variance = own - (across * linalg.cho_solve(self._factor, across.T).T).sum(axis=1)
        return self._offset + self._scale * (across @ self._weights), self._scale * np.sqrt(np.maximum(variance, 0.0))

    def gradient(self, place: Any) -> Any:
        """By each coordinate."""
        place = np.asarray(place, dtype=float)
        lengths = self._hyper[1:-1]
        apart = (self._places - place) / lengths
        bumps = self._hyper[0]**2 * np.exp(-0.5 * (apart**2).sum(axis=1))
        slopes = bumps[:, None] * apart / lengths + LINEAR * 4.0 * (self._places - 0.5)
        return self._scale * (self._weights @ slopes)


@dataclass(frozen=True)
class Fit:
    """The place that fits best."""

    place: Any
    values: Any  #: of the surfaces there
    deviations: Any  #: of what is known of those
    residuals: Any  #: (surface - target) / error, both errors in it
    jacobian: Any  #: of the residuals
    chi_squared: float
    others: List[Any]  #: places that fit as well


def fit(surfaces: Sequence[Surface], targets: Any, errors: Any, starts: Sequence[Any]) -> Fit:
    """By least squares within the unit cube, from several starts."""
    targets, errors = np.asarray(targets, dtype=float), np.asarray(errors, dtype=float)

    def residuals(place: Any) -> Any:
        return np.array([surface(place)[0][0] for surface in surfaces] - targets) / errors

    def jacobian(place: Any) -> Any:
        return np.array([surface.gradient(place) for surface in surfaces]) / errors[:, None]

    found = [optimize.least_squares(residuals, np.clip(start, 1e-6, 1.0 - 1e-6), jac=jacobian, bounds=(0.0, 1.0),
                                    method="trf", max_nfev=200) for start in starts]
    found.sort(key=lambda each: float(each.cost))
    place = _at_bounds(found[0].x)
    values, deviations = (np.array([surface(place)[k][0] for surface in surfaces]) for k in (0, 1))
    both = np.sqrt(errors**2 + deviations**2)
    left = (values - targets) / both
    others: List[Any] = []
    for each in found[1:]:
        if each.cost < found[0].cost + 1.0 and all(np.abs(each.x - other).max() > 0.15 for other in [place, *others]):
            others.append(_at_bounds(each.x))
    slopes = np.array([surface.gradient(place) for surface in surfaces]) / both[:, None]
    return Fit(place, values, deviations, left, slopes, float(left @ left), others)


def _at_bounds(place: Any) -> Any:
    """An interior method comes close to a bound, not to it."""
    return np.where(place < 1e-3, 0.0, np.where(place > 1.0 - 1e-3, 1.0, place))


@dataclass(frozen=True)
class Uncertainty:
    """In the unit cube."""

    deviations: Any  #: about the best place
    low: Any  #: a sixth of the places that fit lies below,
    high: Any  #: and a sixth above
    correlation: Any
    linear: Any  #: deviations by the Jacobian alone; infinite where it determines nothing
    directions: List[Any]  #: those along which places that fit go over much of the cube


WIDE = 0.2  #: standard deviation of a direction that is not determined; it is 0.29 where all values are alike


def uncertainty(surfaces: Sequence[Surface], targets: Any, errors: Any, found: Fit) -> Uncertainty:
    """Of all places of the cube, by how well they fit: errors of targets, scatter of runs and bounds are in it, and
    valleys may be curved."""
    sample = _sample(surfaces, np.asarray(targets, dtype=float), np.asarray(errors, dtype=float), found)
    covariance = np.atleast_2d(np.cov(sample.T))
    deviations = np.sqrt(np.maximum(np.diag(covariance), 1e-18))
    eigenvalues, vectors = np.linalg.eigh(covariance)
    directions = [vectors[:, k] for k in range(len(eigenvalues)) if eigenvalues[k] > WIDE**2]
    low, high = np.percentile(sample, [16.0, 84.0], axis=0)
    information = found.jacobian.T @ found.jacobian
    with np.errstate(divide="ignore", invalid="ignore"):
        try:
            linear = np.sqrt(np.diag(np.linalg.inv(information)))
        except np.linalg.LinAlgError:
            linear = np.full(len(deviations), np.inf)
    about = np.sqrt(((sample - found.place)**2).mean(axis=0))
    return Uncertainty(about, low, high, covariance / np.outer(deviations, deviations), linear, directions[::-1])


def _sample(surfaces: Sequence[Surface], targets: Any, errors: Any, found: Fit) -> Any:
    """Places with the probability that they have brought forth the targets, all being as likely before: walkers that
    take steps along lines through each other (Goodman and Weare, Comm. App. Math. Comp. Sci. 5, 2010)."""
    chance = np.random.RandomState(1)
    dimensions = len(found.place)

    def likelihood(places: Any) -> Any:
        """Its logarithm."""
        total = np.zeros(len(places))
        for surface, target, error in zip(surfaces, targets, errors):
            values, deviations = surface(places)
            variance = error**2 + deviations**2
            total -= 0.5 * ((values - target)**2 / variance + np.log(variance))
        return np.where(((places < 0.0) | (places > 1.0)).any(axis=1), -np.inf, total)

    information = found.jacobian.T @ found.jacobian + np.eye(dimensions)
    near = found.place + chance.multivariate_normal(np.zeros(dimensions), np.linalg.inv(information), 2000)
    first = np.vstack([chance.uniform(size=(3000, dimensions)), near, [np.clip(found.place, 1e-4, 1.0 - 1e-4)]])
    logs = likelihood(first)
    odds = np.exp(logs - logs.max())
    walkers = first[chance.choice(len(first), 80, p=odds / odds.sum())] + 1e-3 * chance.normal(size=(80, dimensions))
    walkers = np.clip(walkers, 1e-6, 1.0 - 1e-6)
    logs = likelihood(walkers)
    kept = []
    for step in range(400):
        for half in (slice(0, 40), slice(40, 80)):
            others = walkers[40:] if half.start == 0 else walkers[:40]
            stretch = (1.0 + chance.uniform(size=40))**2 / 2.0
            through = others[chance.randint(40, size=40)]
            moved = through + stretch[:, None] * (walkers[half] - through)
            new = likelihood(moved)
            taken = np.log(chance.uniform(size=40)) < (dimensions - 1) * np.log(stretch) + new - logs[half]
            walkers[half] = np.where(taken[:, None], moved, walkers[half])
            logs[half] = np.where(taken, new, logs[half])
        if step >= 150 and step % 5 == 0:
            kept.append(walkers.copy())
    return np.vstack(kept)


def where_least_is_known(surfaces: Sequence[Surface], errors: Any, candidates: Any, places: Any) -> Any:
    """Of candidates the one at which a run tells most; away from places that have been run."""
    told = sum((surface(candidates)[1] / error)**2 for surface, error in zip(surfaces, errors))
    apart = np.min(np.abs(candidates[:, None, :] - places[None, :, :]).max(axis=2), axis=1)
    return candidates[int(np.argmax(np.where(apart > 0.004, told, told * 1e-6)))]
