"""The probability of all values of the parameters, given the targets: a sample of it, its shape, and the places where
runs reduce the uncertainty most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Sequence, Tuple

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial import distance

from .surfaces import Fit, Surface, errors_with, likelihood

WIDE = 0.2  #: standard deviation of a direction that is not determined; it is 0.29 where all values are alike
VALLEY = 0.08  #: standard deviation along a valley; a shorter one is an error like others
TRADE = 2.3  #: a deviation beside that with the other parameters held fixed; with two parameters a correlation of 0.9
APART = 0.1  #: between solutions, of the range


@dataclass(frozen=True)
class Posterior:
    """Places of the unit cube with their probabilities. Before the fit all places are equally likely. The errors of the
    targets, the errors of the surfaces and the bounds are taken into account."""

    places: Any  #: (n, k)
    weights: Any  #: of each; their sum is 1
    logs: Any  #: logarithms of the probability densities
    sure: Any  #: the same for a choice among places, where those of which little is known count less
    mean: Any
    deviations: Any  #: about the mean
    about: Any  #: root mean square distance from the best place
    low: Any  #: 16 % lie below,
    high: Any  #: and 16 % above
    lowest: Any  #: 2.5 % lie below,
    highest: Any  #: and 2.5 % above
    covariance: Any
    correlation: Any
    linear: Any  #: deviations by the Jacobian at the best place alone; infinite where it determines nothing
    unknown: Any  #: variance of each surface in those of the targets, the mean over all places that fit

    def draw(self, count: int) -> Any:
        """Numbers of places, as many of each as its weight says."""
        return np.searchsorted(np.cumsum(self.weights)[:-1], (np.arange(count) + 0.5) / count)


def posterior(surfaces: Sequence[Surface], targets: Any, errors: Any, found: Fit, count: int = 1000) -> Posterior:
    """Importance sampling in some stages (Cappé, Guillin, Marin and Robert, J. Comput. Graph. Stat. 13, 2004): places
    all over the cube and about all ends of the search, then places about those that fit."""
    targets, errors = np.asarray(targets, dtype=float), np.asarray(errors, dtype=float)
    chance = np.random.RandomState(1)
    dimensions = len(found.place)
    stages = [_first_stage(surfaces, errors, found)]
    places, logs, sure = np.empty((0, dimensions)), np.empty(0), np.empty(0)
    for stage in range(6):
        mixture = stages[-1]
        new = mixture.draw(chance, count)
        new = new[((new >= 0.0) & (new <= 1.0)).all(axis=1)]
        both = likelihood(surfaces, targets, errors, new)
        places, logs, sure = np.vstack([places, new]), np.append(logs, both[0]), np.append(sure, both[1])
        against = np.logaddexp.reduce([each.density(places) for each in stages], axis=0)
        odds = logs - against
        odds -= odds.max()
        weights = np.exp(odds) / np.exp(odds).sum()
        if stage >= 2 and 1.0 / (weights**2).sum() > 0.4 * count:
            break
        stages.append(_next_stage(places, odds, chance))
    return _summary(surfaces, errors, found, places, weights, logs, sure)


class _Mixture:
    """Normal distributions about centres, with one covariance each, and a part that is uniform."""

    def __init__(self, centres: Any, factors: Sequence[Any], uniform: float):
        self._centres, self._factors, self._uniform = centres, factors, uniform

    def draw(self, chance: Any, count: int) -> Any:
        dimensions = self._centres.shape[1]
        alike = round(self._uniform * count)
        normal = chance.normal(size=(count - alike, dimensions))
        which = np.arange(count - alike) % len(self._centres)
        kinds = which % len(self._factors)
        moved = np.empty_like(normal)
        for kind, factor in enumerate(self._factors):
            moved[kinds == kind] = normal[kinds == kind] @ factor.T
        return np.vstack([chance.uniform(size=(alike, dimensions)), self._centres[which] + moved])

    def density(self, places: Any) -> Any:
        """Its logarithm."""
        dimensions = self._centres.shape[1]
        total = np.full(len(places), self._uniform)
        for kind, factor in enumerate(self._factors):
            centres = self._centres[kind::len(self._factors)]
            if len(centres) == 0:
                continue
            inverse = np.linalg.inv(factor)
            squares = distance.cdist(places @ inverse.T, centres @ inverse.T, "sqeuclidean")
            height = (2.0 * np.pi)**(-0.5 * dimensions) / abs(np.linalg.det(factor))
            total = total + (1.0 - self._uniform) / len(self._centres) * height * np.exp(-0.5 * squares).sum(axis=1)
        return np.log(total)


def _first_stage(surfaces: Sequence[Surface], errors: Any, found: Fit) -> _Mixture:
    centres, factors = [], []
    for place in [found.place, *found.others[:7]]:
        both = errors_with(surfaces, errors, place)
        slopes = np.array([surface.gradient(place) for surface in surfaces]) / both[:, None]
        information = slopes.T @ slopes + 12.0 * np.eye(len(place))
        centres.append(place)
        factors.append(1.5 * np.linalg.cholesky(np.linalg.inv(information)))
    return _Mixture(np.array(centres), factors, 0.6)


def _next_stage(places: Any, odds: Any, chance: Any) -> _Mixture:
    """About places that fit. Where few of them have all the weight, weights are made more alike."""
    dimensions = places.shape[1]
    for power in (1.0, 0.7, 0.5, 0.3, 0.2, 0.1, 0.05):
        weights = np.exp(power * odds)
        weights /= weights.sum()
        if 1.0 / (weights**2).sum() > 30.0 * dimensions:
            break
    centres = places[np.searchsorted(np.cumsum(weights)[:-1], (np.arange(160) + chance.uniform()) / 160.0)]
    off = places - weights @ places
    covariance = (weights[:, None] * off).T @ off + 1e-12 * np.eye(dimensions)
    factor = np.linalg.cholesky(covariance)
    return _Mixture(chance.permutation(centres), [0.6 * factor, 0.25 * factor], 0.1)


def _summary(surfaces: Sequence[Surface], errors: Any, found: Fit, places: Any, weights: Any, logs: Any,
             sure: Any) -> Posterior:
    kept = weights > 1e-9 * weights.max()
    places, weights, logs, sure = places[kept], weights[kept] / weights[kept].sum(), logs[kept], sure[kept]
    mean = weights @ places
    covariance = np.atleast_2d((weights[:, None] * (places - mean)).T @ (places - mean))
    deviations = np.sqrt(np.maximum(np.diag(covariance), 1e-18))
    about = np.sqrt(np.maximum(weights @ (places - found.place)**2, 1e-18))
    ends = np.array([_quantiles(places[:, k], weights, (0.025, 0.16, 0.84, 0.975)) for k in range(places.shape[1])]).T
    information = found.jacobian.T @ found.jacobian
    with np.errstate(divide="ignore", invalid="ignore"):
        try:
            linear = np.sqrt(np.diag(np.linalg.inv(information)))
        except np.linalg.LinAlgError:
            linear = np.full(len(mean), np.inf)
    unknown = np.array([float(weights @ surface(places)[1]**2) / error**2 for surface, error in zip(surfaces, errors)])
    correlation = covariance / np.outer(deviations, deviations)
    return Posterior(places, weights, logs, sure, mean, deviations, about, ends[1], ends[2], ends[0], ends[3],
                     covariance, correlation, linear, unknown)


def _quantiles(values: Any, weights: Any, shares: Sequence[float]) -> Any:
    order = np.argsort(values, kind="stable")
    sums = np.cumsum(weights[order])
    return np.interp(shares, sums - 0.5 * weights[order], values[order])


# Its shape.


@dataclass(frozen=True)
class Mode:
    """A solution that lies apart from others."""

    place: Any  #: the likeliest one
    weight: float


@dataclass(frozen=True)
class Valley:
    """Parameters that make up for each other."""

    members: List[int]
    ends: Tuple[Any, Any]  #: places that both meet the targets
    width: float  #: standard deviation along it


@dataclass(frozen=True)
class Shape:
    modes: List[Mode]  #: the likeliest first
    valley: List[Valley]  #: one, or none
    idle: List[int]  #: parameters that no target responds to
    undetermined: List[int]  #: those, and members of a valley that goes over much of the cube


def shape_of(surfaces: Sequence[Surface], errors: Any, how: Posterior) -> Shape:
    modes = _modes(how)
    alone = _alone(surfaces, errors, how)
    idle = [k for k, (wide, fixed) in enumerate(zip(how.deviations, alone)) if wide > WIDE and fixed > 0.7 * wide]
    trading = [k for k in range(len(alone)) if k not in idle and how.deviations[k] > TRADE * alone[k]]
    valley: List[Valley] = []
    if len(trading) > 1:
        values, vectors = np.linalg.eigh(how.covariance[np.ix_(trading, trading)])
        width, along = float(np.sqrt(values[-1])), vectors[:, -1]
        if width > VALLEY:
            members = [k for k, part in zip(trading, along) if abs(part) > 0.05]
            members = members if len(members) > 1 else trading
            way = (how.places - how.mean)[:, trading] @ along
            first, last = _quantiles(way, how.weights, (0.05, 0.95))
            ends = tuple(how.places[int(np.argmax(np.where(part, how.sure, -np.inf)))]
                         for part in (way <= first, way >= last))
            valley.append(Valley(members, (ends[0], ends[1]), width))
    lost = sorted({*idle, *(k for each in valley if each.width > WIDE for k in each.members)})
    return Shape(modes, valley, idle, lost)


def _alone(surfaces: Sequence[Surface], errors: Any, how: Posterior) -> Any:
    """Deviations of each parameter where the others are held fixed, about the places that fit."""
    each = []
    for place in how.places[how.draw(40)]:
        slopes = np.array([surface.gradient(place) for surface in surfaces])
        slopes /= errors_with(surfaces, errors, place)[:, None]
        each.append(1.0 / np.sqrt((slopes**2).sum(axis=0) + 12.0))
    return np.median(each, axis=0)


def _modes(how: Posterior) -> List[Mode]:
    """Groups of places with nothing between them."""
    numbers = np.unique(how.draw(400))
    places = how.places[numbers]
    best = int(np.argmax(how.sure))
    if len(numbers) < 3:
        return [Mode(how.places[best], 1.0)]
    steps = hierarchy.linkage(places, method="single", metric="chebyshev")
    gap = max(APART, 3.0 * float(np.percentile(steps[:, 2], 95.0)))
    groups = hierarchy.fcluster(steps, gap, criterion="distance")
    found = []
    for group in np.unique(groups):
        near = distance.cdist(how.places, places[groups == group], "chebyshev").min(axis=1)
        others = places[groups != group]
        inside = near <= distance.cdist(how.places, others, "chebyshev").min(axis=1) if len(others) else near >= 0.0
        weight = float(how.weights[inside].sum())
        if weight > 0.05:
            found.append(Mode(how.places[int(np.argmax(np.where(inside, how.sure, -np.inf)))], weight))
    return sorted(found, key=lambda mode: -mode.weight) or [Mode(how.places[best], 1.0)]


# Where to run next.


def where_runs_tell_most(surfaces: Sequence[Surface], errors: Any, runs: int, how: Posterior, count: int,
                         taken: Any) -> List[Any]:
    """Places for the next runs. Each one is chosen so that a run there reduces the variances of the surfaces most. The
    variances are summed over places that fit, and over some that fit less well, as surfaces may be wrong there. So runs
    go all over the region that the targets allow, and not to the best place alone."""
    errors = np.asarray(errors, dtype=float)
    flat = np.exp(0.15 * (how.logs - how.logs.max())) * (how.weights > 0.0)
    against = how.weights / np.exp(how.logs - how.logs.max())  # equal volumes
    flat = flat * against / (flat * against).sum()
    broad = np.searchsorted(np.cumsum(flat)[:-1], (np.arange(60) + 0.5) / 60.0)
    places = np.vstack([how.places[how.draw(140)], how.places[broad]])
    apart = np.abs(places[:, None, :] - np.asarray(taken)[None, :, :]).max(axis=2).min(axis=1)
    free = apart > 0.004
    chosen: List[Any] = []
    sums = [surface.covariance(places) for surface in surfaces]
    scatters = [surface.noise**2 / runs for surface in surfaces]
    for _ in range(count):
        gain = np.zeros(len(places))
        for covariance, scatter, error in zip(sums, scatters, errors):
            known = error**2 + np.maximum(np.diag(covariance), 0.0)
            gain += (covariance**2 / known[:, None]).sum(axis=0) / (np.diag(covariance) + scatter + 1e-12 * error**2)
        number = int(np.argmax(np.where(free, gain, -1.0)))
        chosen.append(places[number])
        free &= np.abs(places - places[number]).max(axis=1) > 0.004
        sums = [c - np.outer(c[:, number], c[number]) / (c[number, number] + s + 1e-12 * e**2)
                for c, s, e in zip(sums, scatters, errors)]
    return chosen
