"""Writes mill.stl: a closed drum about the y axis with six lifters, millimetres."""
import math
import struct

SEGMENTS, RADIUS, LENGTH, LIFTERS, LIFTER_HEIGHT = 48, 250.0, 200.0, 6, 35.0


def at(k, radius, y):
    angle = 2.0 * math.pi * k / SEGMENTS
    return (radius * math.cos(angle), y, radius * math.sin(angle))


def normal(a, b, c):
    u, v = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, c)]
    n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    length = math.sqrt(sum(x * x for x in n))
    return [x / length for x in n]


triangles = []
low, high = -LENGTH / 2, LENGTH / 2
for k in range(SEGMENTS):
    a, b, c, d = at(k, RADIUS, low), at(k + 1, RADIUS, low), at(k + 1, RADIUS, high), at(k, RADIUS, high)
    triangles += [(a, c, b), (a, d, c), ((0, low, 0), a, b), ((0, high, 0), c, d)]
    if k % (SEGMENTS // LIFTERS) == 0:
        inner = RADIUS - LIFTER_HEIGHT
        e, f = at(k, inner, low), at(k, inner, high)
        triangles += [(a, e, f), (a, f, d)]

with open("mill.stl", "wb") as file:
    file.write(b"mill of scree".ljust(80) + struct.pack("<I", len(triangles)))
    for triangle in triangles:
        numbers = [*normal(*triangle), *(x for point in triangle for x in point)]
        file.write(struct.pack("<12fH", *numbers, 0))
