"""Extent of bodies that are not ellipsoids."""

from __future__ import annotations

from typing import Any, Callable

_POINTS = 48  # along each axis: the radius has an error of about 1 %, a line's width in a drawing


def of_function(base: Any, perturbations: Any, weights: Any, guess: float) -> float:
    """Largest distance of the surface from the centre of mass, in units of the body's ``size``. ``base`` (10,) and
    ``perturbations`` (p, 10) hold quadrics as in /functions of trajectory.h5. ``guess``: an estimate of the
    distance."""
    import numpy

    def quadric(q: Any, x: Any) -> Any:
        xx, yy, zz, xy, xz, yz, *linear, constant = q
        half = numpy.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) / 2
        return numpy.einsum("ni,ij,nj->n", x, half, x) + x @ numpy.array(linear) + constant

    def inside(x: Any) -> Any:
        value = quadric(base, x)
        for weight, q in zip(weights, perturbations):
            value = value + weight * numpy.maximum(quadric(q, x), 0.0) ** 2
        return value >= 0.0

    xx, yy, zz, xy, xz, yz, *linear, _ = base
    matrix = numpy.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    centre = numpy.linalg.lstsq(matrix, -numpy.array(linear), rcond=None)[0]
    return _reach(inside, centre, guess)


def of_clump(semi_axes: Any, position: Any, orientation: Any, guess: float) -> float:
    """The same for a union of ellipsoids: (m, 3), (m, 3) and (m, 4) w x y z."""
    import numpy

    turns = rotations(orientation)

    def inside(x: Any) -> Any:
        found = numpy.zeros(len(x), dtype=bool)
        for a, p, turn in zip(semi_axes, position, turns):
            found |= ((((x - p) @ turn) / a) ** 2).sum(axis=1) <= 1.0
        return found

    return _reach(inside, numpy.mean(position, axis=0), guess)


def rotations(orientation: Any) -> Any:
    """(n, 3, 3) matrices of unit quaternions (n, 4), w x y z."""
    import numpy

    w, x, y, z = numpy.asarray(orientation, dtype=float).T
    return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]).transpose(2, 0, 1)


def _reach(inside: Callable[[Any], Any], centre: Any, guess: float) -> float:
    """By points of a lattice: first in a box that is large enough, then in a box around the points found."""
    import numpy

    low, high = centre - 2 * guess, centre + 2 * guess
    for _ in range(8):
        points, width = _lattice(low, high)
        found = points[inside(points)]
        margin = 1.5 * width
        if len(found) and (found.min(axis=0) > low + margin).all() and (found.max(axis=0) < high - margin).all():
            break
        low, high = low - (high - low) / 2, high + (high - low) / 2
    else:
        return guess
    points, width = _lattice(found.min(axis=0) - width, found.max(axis=0) + width)
    found = points[inside(points)]
    middle = found.mean(axis=0)
    distance = numpy.linalg.norm(found - middle, axis=1)
    far = numpy.argsort(distance)[-200:]  # the surface is a little farther out in these directions
    direction = (found[far] - middle) / numpy.maximum(distance[far], 1e-300)[:, None]
    low, high = distance[far], distance[far] + 2 * numpy.max(width)
    for _ in range(12):
        half = (low + high) / 2
        within = inside(middle + direction * half[:, None])
        low, high = numpy.where(within, half, low), numpy.where(within, high, half)
    return float(low.max())


def _lattice(low: Any, high: Any) -> Any:
    import numpy

    width = (high - low) / _POINTS
    along = [low[k] + width[k] * (numpy.arange(_POINTS) + 0.5) for k in range(3)]
    return numpy.stack(numpy.meshgrid(*along, indexing="ij"), axis=-1).reshape(-1, 3), width
