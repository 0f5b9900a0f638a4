"""Writes the meshes of bucket_elevator.toml: elevator_bucket.obj, elevator_casing.obj and elevator_belt.obj.

The axis of the lower pulley is y. Lengths are in m. The buckets rise where x > 0.
"""

from math import cos, pi, sin

RADIUS, HEIGHT = 0.09, 0.5    # of the path of the buckets' backs, and between the two pulleys
WIDTH, DEPTH, REACH = 0.1194, 0.05, 0.06  # of a bucket: along y, of its back, and from back to lip
CASING = 0.171                # radius of the casing at boot and head: 20 mm beyond the lips
HALF_WIDTH = 0.0601           # of the casing, whose sides are planes in the scene, and of the belt


def arc(radius, height, first, last, count=12):
    """Points (x, z) on a circle about (0, height), from one angle to another, in degrees."""
    angles = [(first + (last - first) * k / count) * pi / 180 for k in range(count + 1)]
    return [(radius * cos(angle), height + radius * sin(angle)) for angle in angles]


def write(name, what, points, faces):
    with open(name, "w", encoding="utf-8") as file:
        file.write(f"# {what}; make_bucket_elevator.py made it.\n")
        file.writelines(f"v {x:.6g} {y:.6g} {z:.6g}\n" for x, y, z in points)
        file.writelines("f " + " ".join(str(k + 1) for k in face) + "\n" for face in faces)


def sheets(lines, half_width):
    """Lines in the x-z plane, drawn out along y."""
    points, faces = [], []
    for line in lines:
        first = len(points)
        points += [(x, y, z) for x, z in line for y in (-half_width, half_width)]
        faces += [(k, k + 1, k + 3, k + 2) for k in range(first, first + 2 * len(line) - 2, 2)]
    return points, faces


# A bucket on the rising side, its mouth up: back, floor and front, and two sides.
outline = [(0.0, 0.5 * DEPTH), (0.0, -0.3 * DEPTH), (0.2 * REACH, -0.5 * DEPTH), (0.55 * REACH, -0.45 * DEPTH), (REACH, 0.3 * DEPTH)]
points, faces = sheets([[(RADIUS + x, z) for x, z in outline]], 0.5 * WIDTH)
for k in range(1, len(outline) - 1):
    faces += [(0, 2 * k, 2 * k + 2), (1, 2 * k + 3, 2 * k + 1)]
write("elevator_bucket.obj", "A bucket", points, faces)

throat = HEIGHT - 0.18  # the discharge begins below the head
boot = [(0.42, 0.46), (CASING, 0.14)] + arc(CASING, 0.0, 0, -180) + [(-CASING, throat), (-CASING - 0.27, throat - 0.27)]
head = [(CASING, 0.30)] + arc(CASING, HEIGHT, 0, 90, 6) + [(-0.12, HEIGHT + CASING), (-CASING - 0.27, HEIGHT + 0.05)]
write("elevator_casing.obj", "The casing: feed, boot and discharge below; leg and hood above", *sheets([boot, head], HALF_WIDTH))
write("elevator_belt.obj", "The belt between the pulleys, at x = 0", *sheets([[(0, 0), (0, HEIGHT)]], HALF_WIDTH))
