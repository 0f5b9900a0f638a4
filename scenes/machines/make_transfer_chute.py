"""Writes the meshes of transfer_chute.toml: of the belt, the hood, the spoon and the skirts. Lengths in m.

The belt is a trough along x, with its middle at z = 0. The hood turns a stream from x to down, the spoon from down to y.
"""

from math import cos, pi, sin

LENGTH = 1.4  # of a belt
HOOD = {"start": (0.20, 1.32), "radius": 0.60, "from": 28, "to": 84, "half_width": 0.125}  # x, z; degrees below horizontal
SPOON = {"start": (-0.16, 0.72), "radius": 0.46, "from": 88, "to": 22, "half_width": 0.14}  # y, z
MIDDLE = 0.49  # x of the spoon and of the lower belt


def write(name, what, points, faces):
    with open(name, "w", encoding="utf-8") as file:
        file.write(f"# {what}; make_transfer_chute.py made it.\n")
        file.writelines(f"v {x:.6g} {y:.6g} {z:.6g}\n" for x, y, z in points)
        file.writelines("f " + " ".join(str(k + 1) for k in face) + "\n" for face in faces)


def curve(plate, count=12):
    """Points (distance, height) of a circular arc, whose slope goes `from` one angle below the horizontal `to` another."""
    (x, z), radius = plate["start"], plate["radius"]
    first, last = plate["from"] * pi / 180, plate["to"] * pi / 180
    bend = 1 if last > first else -1
    angles = [first + (last - first) * k / count for k in range(count + 1)]
    return [(x + bend * radius * (sin(p) - sin(first)), z + bend * radius * (cos(p) - cos(first))) for p in angles]


def channel(plate, depth):
    """A curved plate between two side plates, which reach `depth` inwards: rows of four points (distance, height, across)."""
    line, rows = curve(plate), []
    first, last = plate["from"] * pi / 180, plate["to"] * pi / 180
    bend = 1 if last > first else -1
    for k, (x, z) in enumerate(line):
        p = first + (last - first) * k / (len(line) - 1)
        inner = (x - bend * depth * sin(p), z - bend * depth * cos(p))
        w = plate["half_width"]
        rows.append([(*inner, -w), (x, z, -w), (x, z, w), (*inner, w)])
    faces = [(4 * k + m, 4 * k + m + 1, 4 * k + m + 5, 4 * k + m + 4) for k in range(len(rows) - 1) for m in range(3)]
    return [point for row in rows for point in row], faces


points, faces = channel(HOOD, 0.2)
write("transfer_hood.obj", "The hood, along x", [(x, w, z) for x, z, w in points], faces)
points, faces = channel(SPOON, 0.2)
write("transfer_spoon.obj", "The spoon, along y", [(MIDDLE - w, y, z) for y, z, w in points], faces)
skirt = [(0.14, 0.6), (0.14, -0.19), (-0.14, -0.19), (-0.14, 0.6)]  # x from the middle, y: beside and behind the landing
points = [(MIDDLE + x, y, z) for x, y in skirt for z in (0.175, 0.4)]
write("transfer_skirts.obj", "The skirts of the lower belt", points, [(k, k + 2, k + 3, k + 1) for k in (0, 2, 4)])
section = [(-0.16, 0.06), (-0.09, 0.0), (0.09, 0.0), (0.16, 0.06)]
points = [(x, y, z) for x in (0.0, LENGTH) for y, z in section]
write("transfer_belt.obj", "A troughed belt", points, [(k, k + 4, k + 5, k + 1) for k in range(3)])
