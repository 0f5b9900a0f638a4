"""Writes where fuzzing begins, corpus/<reader>/seed_*: small real files, and changes of sound HDF5 files.

    python3 tests/fuzz/make_corpus.py

What fuzzing found lies beside the seeds under other names and is left alone.
"""

import pathlib
import random
import struct

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CORPUS = HERE / "corpus"
SCENES = ["bounce", "collapse", "conveyor", "gate", "hopper", "inclined_tube", "lump", "mixture", "pouring", "slope",
          "vibrated_table"]
TETRAHEDRON = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]


def put(reader, name, data):
    folder = CORPUS / reader
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"seed_{name}").write_bytes(data if isinstance(data, bytes) else data.encode())


def stl_binary():
    data = b"tetrahedron".ljust(80) + struct.pack("<I", len(FACES))
    for face in FACES:
        data += struct.pack("<3f", 0, 0, 1)
        for corner in face:
            data += struct.pack("<3f", *TETRAHEDRON[corner])
        data += b"\0\0"
    return data


def stl_text():
    text = "solid t\n"
    for face in FACES:
        text += "facet normal 0 0 1\nouter loop\n"
        text += "".join("vertex %g %g %g\n" % TETRAHEDRON[corner] for corner in face)
        text += "endloop\nendfacet\n"
    return text + "endsolid t\n"


def obj():
    text = "".join("v %g %g %g\n" % point for point in TETRAHEDRON)
    return text + "f 1 3 2\nf 1/1 2/2 4/3\nf -3 -2 -1\nf 1//1 4 3\n"


def ply(form):
    text = f"ply\nformat {form} 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    text += "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
    if form == "ascii":
        text += "".join("%g %g %g\n" % point for point in TETRAHEDRON)
        return (text + "".join("3 %d %d %d\n" % face for face in FACES)).encode()
    order = "<" if "little" in form else ">"
    data = b"".join(struct.pack(order + "3f", *point) for point in TETRAHEDRON)
    return text.encode() + data + b"".join(struct.pack(order + "B3i", 3, *face) for face in FACES)


def main():
    for name in SCENES:
        put("scene", name, next(ROOT.glob(f"scenes/**/{name}.toml")).read_bytes())
    for number, text in enumerate(
        ["time_step=2e-3", "bodies[0].radius=0.2", "size=0.3", "solver.max_sweeps=30", "gravity=[0, 0, -1]",
         "materials[0].name=stone", "bodies[0]={radius = 1.0}", "name=a.b.c"]):
        put("override", number, text)
    for number, text in enumerate(
        ["2 * radius + 0.1", "sqrt(t^2 + x^2)", "-(1 - min(t, x, 3)) / 2e-3", "sin(90 * degree) ^ -2 ^ 2",
         "max(abs(-1), floor(2.5), ceil(pi), round(t))", "((((1))))", "1e308 * 10"]):
        put("expression", number, text)
    put("csv", "plain", "x,y,z,radius\n0,0,0,0.1\n1,2,3,0.2\n")
    put("csv", "all", "x;y;z;qw;qx;qy;qz;a;b;c;vx;vy;vz;wx;wy;wz;material\n"
        "0,5;0;0;1;0;0;0;0,1;0,2;0,3;0;0;1;0;0;0;glass\n")
    put("csv", "blanks", "# made by\n x y z \n 1 2 3\n\n 4 5 6\r\n")
    put("csv", "moments", "time_s,id,x,y,z\n0,1,1,1,1\n0,2,2,2,2\n0.5,1,1,1,1\n")
    put("text_problem", "sparse", (ROOT / "tests/data/friction_contact/Rover4396.dat").read_bytes())
    put("text_problem", "dense", "3\n1\n0\n3\n3\n2 0 0 0 2 0 0 0 2\n-1 0.5 0\n0.25\n")
    for number, data in enumerate([stl_binary(), stl_text().encode(), obj().encode(), ply("ascii"),
                                   ply("binary_little_endian"), ply("binary_big_endian")]):
        put("mesh", number, bytes([[0, 0, 1, 2, 2, 2][number]]) + data)
    source = random.Random(1)
    for reader in ["trajectory", "hdf5_table", "bodies_problem", "delassus_problem", "fclib_problem", "hostile_file"]:
        for number in range(6):
            put(reader, number, bytes(source.randrange(256) for _ in range(4 + 24 * number)))


main()
