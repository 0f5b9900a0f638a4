"""Writes bean_mixer.obj: eight paddles at four places along a shaft, which lies along x."""

from math import cos, hypot, pi, sin

TIP, ROOT = 0.0697, 0.012     # m, radii of the ends of a paddle; the vessel has 0.07 m
WIDTH, PITCH = 0.032, pi / 4  # m, and the angle between paddle and shaft
PLACES = [-0.0483, -0.0161, 0.0161, 0.0483]  # m, along the shaft
STRIPS = 8                    # of a paddle, so that its tip follows the vessel

points, faces = [], []
for place, x in enumerate(PLACES):
    for side in (0, 1):
        turn = pi * side + pi / 2 * place
        pitch = PITCH if place % 2 == 0 else -PITCH  # neighbours push in opposite directions
        first = len(points)
        for n in range(STRIPS + 1):
            s = WIDTH * (n / STRIPS - 0.5)
            along, across = s * cos(pitch), s * sin(pitch)
            for radius in (ROOT, (TIP**2 - across**2) ** 0.5):
                y, z = across, radius
                points.append((x + along, y * cos(turn) - z * sin(turn), y * sin(turn) + z * cos(turn)))
        for n in range(STRIPS):
            a = first + 2 * n + 1
            faces += [(a, a + 2, a + 3), (a, a + 3, a + 1)]
assert max(hypot(y, z) for _, y, z in points) < TIP + 1e-9
with open("bean_mixer.obj", "w", encoding="utf-8") as file:
    file.write(f"# {2 * len(PLACES)} paddles of {1000 * WIDTH:g} mm to a radius of {1000 * TIP:g} mm; make_bean_mixer.py made it.\n")
    file.writelines(f"v {x:.6g} {y:.6g} {z:.6g}\n" for x, y, z in points)
    file.writelines("f %d %d %d\n" % face for face in faces)
