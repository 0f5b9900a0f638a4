"""Writes screen.obj: the bars of a slotted screen, along x, with gaps of 6 mm between them."""

LENGTH, WIDTH, BAR, GAP, HEIGHT = 0.3, 0.15, 0.003, 0.006, 0.004  # m
SECTIONS = 4  # of a bar: shorter triangles

points, faces = [], []
count = int((WIDTH + GAP) / (BAR + GAP))
first = -(count * (BAR + GAP) - GAP) / 2
for k in range(count):
    y, at = first + k * (BAR + GAP), len(points)
    for n in range(SECTIONS + 1):
        x = LENGTH * n / SECTIONS
        points += [(x, y, -HEIGHT), (x, y + BAR, -HEIGHT), (x, y + BAR, 0.0), (x, y, 0.0)]
    quads = [(at + 4, at + 3, at + 2, at + 1)]
    for n in range(SECTIONS):
        a, b, c, d, e, f, g, h = range(at + 4 * n + 1, at + 4 * n + 9)
        quads += [(a, b, f, e), (b, c, g, f), (c, d, h, g), (d, a, e, h)]
    quads.append(tuple(at + 4 * SECTIONS + m for m in (1, 2, 3, 4)))
    for q in quads:
        faces += [(q[0], q[1], q[2]), (q[0], q[2], q[3])]
with open("screen.obj", "w", encoding="utf-8") as file:
    file.write(f"# {count} bars of {1000 * BAR:g} mm by {1000 * HEIGHT:g} mm, {1000 * GAP:g} mm apart; make_screen.py made it.\n")
    file.writelines(f"v {x:.6g} {y:.6g} {z:.6g}\n" for x, y, z in points)
    file.writelines("f %d %d %d\n" % face for face in faces)
