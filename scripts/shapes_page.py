"""Makes docs/shapes.md and its pictures from scenes/shapes. All figures come from `scree shape`.

    python3 scripts/shapes_page.py SCREE [--check]

--check writes nothing. It fails if the page's text does not match the files, or if a figure differs by more than one in
its last digit, which is the difference that compilers may cause.
"""

import json
import pathlib
import re
import subprocess
import sys
import textwrap

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PICTURES = SOURCE / "docs" / "pictures" / "shapes"
PAGE = SOURCE / "docs" / "shapes.md"

HEAD = """# Shapes

<!-- made by scripts/shapes_page.py: edit that, or the files in scenes/shapes -->

Grains of other shapes than ellipsoids are defined by functions ([the model](model.md#functionally-defined-bodies)) or
are [clumps](#clumps). The definition is in a scene or in a file of its own ([reference](scene_reference.md)). The
files on this page are in `scenes/shapes`. A scene uses one like this:

```toml
[[shapes]]
name = "kidney"
file = "../shapes/kidney.toml"

[[bodies]]
shape = "kidney"
size = 0.01  # m: what one unit of length of the shape is
```

## What `scree shape` prints

    scree shape scenes/shapes/pebble.toml
    scree shape scenes/shapes/pebble.toml --size 0.02 --picture pebble.png --mesh pebble.stl
    scree shape scenes/shapes/pebble.toml --json

The command checks a file as a scene does and reports all errors and doubtful values. It prints

- volume, centre of mass and principal moments, with the error of their quadrature;
- the form indices;
- the number of patches that cover the surface;
- the cost of a contact, relative to two ellipsoids of the same moments. It is measured during the command, on some
  random touching pairs.

`--picture` draws the body from the front, the right and above. `--mesh` writes its surface as triangles (binary STL,
or OBJ) in the body's axes: its centre of mass and principal axes.

### Form indices

The lengths L, I, S (longest, intermediate, shortest) are caliper widths. S is the smallest width, I the smallest
width perpendicular to that of S, and L the width perpendicular to both.

| index | definition | source |
|---|---|---|
| elongation | I / L | Zingg 1935 |
| flatness | S / I | Zingg 1935 |
| sphericity | surface of the ball of equal volume over that of the body | Wadell 1932 |
| roundness | mean radius of the corners over the radius of the largest ball within | after Wadell 1932 |
| convexity | volume over that of the convex hull | |

All indices are 1 for a ball. They come from a mesh of some 11,000 triangles. For smooth bodies their errors are below
0.002, that of roundness is below 0.01 (tests `FormIndices`).

Wadell measured roundness on outlines. Here corners are all places of the surface whose larger principal curvature is
above that of the largest ball within. The radius of a corner is the reciprocal of that curvature, and the mean is
weighted by area.

### Limits of shapes

- The smallest semi-axis of an ellipsoid may be a millionth of its largest one. This holds for a shape and for a body
  beside functionally defined bodies.
- Sizes in the units of a shape may be from 1e-30 to 1e30.
- No perturbation may be sharper or stronger than 10¹² times the body.

Scree reports values beyond these limits.

## A shape file from a mesh

    scree shape --fit pebble.stl -k 6 -o pebble.toml --picture both.png

This command fits an ellipsoid with `-k` bumps and dents to a closed triangle mesh (STL, OBJ, PLY). The default is 6;
0 is the ellipsoid alone. The fit is by least squares of the distance of the surface from 1500 points of the mesh.

It starts with the ellipsoid of the mesh's moments. It adds each bump or dent at the place and with the width that
reduces the squares most, and then optimises all numbers. It keeps the best of all intermediate results, including the
first ellipsoid, by the root of the mean square distance.

The command prints mean and largest distance and the difference of volume, and draws the function above the mesh.

*Units.* Lengths in the file are those of the mesh. The `size` of a body is the length of one of these units: 0.001
for millimetres. The command prints the extent of the mesh, and assumes millimetres for a grain longer than 0.5.

*Unsuitable forms.* The command reports that the form does not suit in two cases: the root mean square distance is
above 5 % of the radius of the ball of equal volume, or the volume is more than 10 % off. It then suggests more bumps
or a clump. A torus, for example, is none of these functions. If the function has a sliver or falls into pieces, the
command reports this and uses one perturbation less.

*Accuracy.*

- Ellipsoids fit sharp edges badly. A cube of twelve triangles is 5 % off on the mean, relative to the radius of the
  ball of its volume.
- For the shapes of this page with a few bumps, the fit recovers their meshes to the error of the chords (tests
  `ShapeFit`).
- For the lump of crushed rock, which planes cut, the fit with 8 is 0.8 % off on the mean.

The [cookbook](cookbook.md#a-scanned-pebble-a-thousand-times) goes from an STL file to a run.

## Effects of hollows

These experiments are not possible with ellipsoids. The first two are tests (`ImplicitExperiments`).

### A ball in a dent

A ball of 40 mm rolls without slip at the bottom of a dent in a ball of 200 mm. Its period is 2π √(7 (R − r) / 5 g),
with R from the second derivatives of the function at the bottom. Over five periods, with steps of 0.5 ms, the
measured period is 1.0002 of it. The sixth oscillation is as large as the first within 2·10⁻⁴.

### Dumbbells in a pipe

Two dumbbells are side by side, the end of one at the waist of the other. The pipe is too narrow for two ends beside
each other. The upper dumbbell is held, and the lower one hangs from it without friction. At a hundred times its
weight it has moved 2 mm, which is the clearance it had. Overlaps are 0.1 %, and all its weight is on the upper one.
Ellipsoids as thick as the mean thickness of the dumbbells fall past each other.

### Heaps

A pipe is lifted off 900 dumbbells, and off 900 ellipsoids of the same volume and aspect ratio
(`scenes/beans/heap.toml`). The slopes are 0.52 and 0.38, for the cone with the same mean height and mean square
radius. For kidney beans and their ellipsoids they are 0.48 and 0.49: only a deep dent has an effect. Each is one
heap, with friction 0.5.

## Clumps

A shape may also be a clump: a rigid body that is the union of up to 64 ellipsoids (`[[shapes.members]]`).

```toml
[[shapes]]
name = "dumbbell"
members = [
  { radius = 1, position = [-0.8, 0, 0] },
  { radius = 1, position = [0.8, 0, 0] },
]
```

- Volume that several members share counts once in mass and moments of inertia, to about 1e-9 (tests `Clump.*`).
- The position of a body is its centre of mass, and its axes are the principal ones.
- Members have to overlap, so that the clump is one piece.
- `scree shape scenes/clumps/shapes/jack.toml` prints the same values as for any shape, except for the form indices.
- Contacts are those of the members and are found as for ellipsoids (tests `ClumpBodies.*`). A clump has no rounded
  edges where its members cross, and needs no samples.
- Clumps and ellipsoids work together with all kinds of walls. Clumps and functions cannot be in one scene yet.

## The files

Lengths are in units of each shape. Where no source is named, the proportions are chosen freely and belong to no real
grain.

"""


def numbers(told):
    """The figures of the page, with the number of digits after the decimal point."""
    return [(told["volume_m3"], 3), *((w, 3) for w in told["widths_m"]), (told["elongation"], 2), (told["flatness"], 2),
            (told["sphericity"], 2), (told["roundness"], 2), (told["convexity"], 2)]


def told_of(scree, file, *options):
    done = subprocess.run([scree, "shape", file, "--json", *options], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def comment_of(file):
    """The title, and the sentences about proportions at the start of the file."""
    lines = [line[2:] for line in file.read_text(encoding="utf-8").split("\n") if line.startswith("# ")]
    title, source = lines
    assert source.startswith("Source: "), file
    return title, source


def section(file, told):
    title, source = comment_of(file)
    text = textwrap.fill(f"{title} {source}", 118, break_long_words=False, break_on_hyphens=False)
    figures = [f"{x:.{digits}f}" for x, digits in numbers(told)]
    return (f"### {file.stem}\n\n![{file.stem}](pictures/shapes/{file.stem}.png)\n\n{text}\n\n"
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
    """The first difference between two pages, or None."""
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
