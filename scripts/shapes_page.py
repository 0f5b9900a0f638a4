"""Makes docs/shapes.md and the pictures on it from scenes/shapes: all figures are what `scree shape` says.

    python3 scripts/shapes_page.py SCREE [--check]

With --check nothing is written: fails where the page's text is not that of the files, or a figure is off by more than one
in its last digit, which is as much as compilers may differ.
"""

import json
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PICTURES = SOURCE / "docs" / "pictures" / "shapes"
PAGE = SOURCE / "docs" / "shapes.md"

HEAD = """# Shapes

<!-- made by scripts/shapes_page.py: edit that, or the files in scenes/shapes -->

Grains that are no ellipsoids are given by functions ([the model](model.md)), in a scene or in a file of their own
([reference](scene_reference.md)). The files on this page are in `scenes/shapes`; a scene uses one by

```toml
[[shapes]]
name = "kidney"
file = "../shapes/kidney.toml"

[[bodies]]
shape = "kidney"
size = 0.01  # m: what one unit of length of the shape is
```

## What `scree shape` tells

    scree shape scenes/shapes/pebble.toml
    scree shape scenes/shapes/pebble.toml --size 0.02 --picture pebble.png --mesh pebble.stl
    scree shape scenes/shapes/pebble.toml --json

checks a file as a scene does, with all that is wrong or may be, and tells volume, centre of mass and principal moments with
the error of their quadrature, the form, how many patches cover the surface, and what a contact costs against one of two
ellipsoids of the same moments, timed then and there on some random touching pairs. `--picture` draws the body from the front,
the right and above. `--mesh` writes its surface as triangles (binary STL, or OBJ) in the body's axes: its centre of mass and
principal axes.

Lengths L, I, S (longest, intermediate, shortest) are widths between calipers: S the least one, I the least one across that,
L the one across both. Then

| index | is | source |
|---|---|---|
| elongation | I / L | Zingg 1935 |
| flatness | S / I | Zingg 1935 |
| sphericity | surface of the ball of equal volume over the body's | Wadell 1932 |
| roundness | mean radius of the corners over the radius of the largest ball within | after Wadell 1932 |
| convexity | volume over that of the convex hull | |

An ellipsoid's smallest semi-axis may be a millionth of its largest, as a shape and as a body beside shapes given by functions; sizes in units of their own may be from 1e-30 to
1e30, and no perturbation sharper or stronger than 10¹² times the body. What is beyond is told.

All are 1 for a ball and taken from a mesh of some 11,000 triangles, for smooth bodies with errors below 0.002, roundness 0.01 (tests
`FormIndices`).
Wadell measured roundness on outlines. Here corners are all places of the surface whose sharper principal curvature is above
that of the largest ball within, a corner's radius is the reciprocal of that curvature, and the mean goes by area.

## A shape file from a mesh

    scree shape --fit pebble.stl -k 6 -o pebble.toml --picture both.png

fits an ellipsoid with `-k` bumps and dents (6 unless said otherwise; 0: the ellipsoid alone) to a closed triangle mesh (STL, OBJ, PLY) by
least squares of the surface's distance from 1500 points of the mesh. It begins with the ellipsoid of the mesh's moments, adds each
bump or dent where and as wide as it lowers the squares most, and lets all numbers go after each. It tells mean and largest distance
and the difference of volume, and draws the function above the mesh. Lengths in the file are those of the mesh: `size` of a
body is what one of its units is, 0.001 for millimetres; the extent of the mesh is told, and a grain longer than 0.5 is guessed to be in millimetres.
What is kept is the best of all that came on the way, the first ellipsoid among them, by the root of the mean square distance. Where that is above 5 % of the radius
of the ball of equal volume, or the volume more than 10 % off, it says that the form does not suit, and what may: more bumps, or a clump; a torus, say, is none of these functions. Where the function has a sliver or falls into pieces, it says so and takes one
perturbation less. Ellipsoids are bad at sharp edges: a cube of twelve triangles comes out 5 % off on the mean,
of the radius of the ball of its volume. The meshes of this page's shapes of a few bumps are found again to the error of their chords (tests
`ShapeFit`); the lump of crushed rock, which planes cut, to 0.8 % on the mean with 8. The [cookbook](cookbook.md#a-scanned-pebble-a-thousand-times) goes
from an STL to a run.

## What hollows do

Experiments that ellipsoids cannot do; the first two are tests (`ImplicitExperiments`):

- **A ball in a dent.** A ball of 40 mm at the bottom of a dent in a ball of 200 mm, rolling without slip: its period is 2π √(7 (R − r) / 5 g) with R from the second
  derivatives of the function at the bottom. Measured over five periods, with steps of 0.5 ms: 1.0002 of it; the sixth swing is as far as the first within 2·10⁻⁴.
- **Dumbbells in a pipe.** Side by side, the end of one at the waist of the other, in a pipe too narrow for two ends beside each other: without friction the lower one hangs
  from the upper, which is held; at a hundred times its weight it has gone 2 mm, which is the room it had, overlaps are 0.1 %, and all its weight is on the upper. Ellipsoids as thick as their mean fall past each other.
- **Heaps.** A pipe is lifted off 900 dumbbells, and off 900 ellipsoids of their volume and aspect (`scenes/beans/heap.toml`): slopes 0.52 and 0.38, of the cone with the same mean height and mean square radius. Of kidney
  beans and theirs 0.48 and 0.49: a dent has to be deep to count. One heap each, friction 0.5.

## Clumps

A shape may also be a clump, a rigid body that is the union of up to 64 ellipsoids (`[[shapes.members]]`):

```toml
[[shapes]]
name = "dumbbell"
members = [
  { radius = 1, position = [-0.8, 0, 0] },
  { radius = 1, position = [0.8, 0, 0] },
]
```

What several members share counts once in mass and moments of inertia, to about 1e-9 (tests `Clump.*`); a body's position is its centre of
mass, its axes are the principal ones. Members have to overlap, so that the clump is one piece. `scree shape scenes/clumps/shapes/jack.toml` tells of a
clump what it tells of any shape but for the indices of form. Contacts are those of the members, found as ellipsoids are
(tests `ClumpBodies.*`): a clump has no rounded edges where its members cross, and needs no samples. Clumps and ellipsoids go together with all kinds of
walls; clumps and functions cannot be in one scene yet.

## The files

Lengths are in units of each shape. Where no source is named, proportions are our choice and no grain's.

"""


def numbers(told):
    """The figures of the page, with how many digits behind the point."""
    return [(told["volume_m3"], 3), *((w, 3) for w in told["widths_m"]), (told["elongation"], 2), (told["flatness"], 2),
            (told["sphericity"], 2), (told["roundness"], 2), (told["convexity"], 2)]


def told_of(scree, file, *options):
    done = subprocess.run([scree, "shape", file, "--json", *options], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def comment_of(file):
    """The title and the sentences about proportions that the file begins with."""
    lines = [line[2:] for line in file.read_text(encoding="utf-8").split("\n") if line.startswith("# ")]
    title, source = lines
    assert source.startswith("Source: "), file
    return title, source


def section(file, told):
    title, source = comment_of(file)
    figures = [f"{x:.{digits}f}" for x, digits in numbers(told)]
    return (f"### {file.stem}\n\n![{file.stem}](pictures/shapes/{file.stem}.png)\n\n{title} {source}\n\n"
            "| volume | L | I | S | elongation | flatness | sphericity | roundness | convexity | patches |\n"
            "|---|---|---|---|---|---|---|---|---|---|\n"
            f"| {' | '.join(figures)} | {told['patches']} |\n")


def page(scree, draw):
    sections = []
    for file in sorted((SOURCE / "scenes" / "shapes").glob("*.toml")):
        options = ["--picture", PICTURES / (file.stem + ".png")] if draw else []
        sections.append(section(file, told_of(scree, file, *options)))
    return HEAD + "\n".join(sections)


def difference(old, new):
    """What is not the same in two pages, or None."""
    figure = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.])")
    if figure.sub("#", old) != figure.sub("#", new):
        return next((f"{a!r} instead of {b!r}" for a, b in zip(old.split("\n"), new.split("\n"))
                     if figure.sub("#", a) != figure.sub("#", b)), "the page has another length")
    for a, b in zip(figure.findall(old), figure.findall(new)):
        digits = len(b.split(".")[1])
        if abs(float(a) - float(b)) > 1.01 * 10**-digits:
            return f"{a} is {b}"
    return None


def main():
    scree, check = sys.argv[1], "--check" in sys.argv
    if check:
        missing = [f.stem for f in (SOURCE / "scenes" / "shapes").glob("*.toml") if not (PICTURES / (f.stem + ".png")).exists()]
        wrong = difference(PAGE.read_text(encoding="utf-8"), page(scree, False)) or (missing and f"no pictures of {missing}")
        if wrong:
            sys.exit(f"docs/shapes.md: {wrong}; run scripts/shapes_page.py")
        return
    PICTURES.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(scree, True), encoding="utf-8")


if __name__ == "__main__":
    main()
