"""Writes the seeds for fuzzing, corpus/<reader>/seed_*: small real files, and changes of sound HDF5 files.

    python3 tests/fuzz/make_corpus.py

Findings of the fuzzer are in the same folders under other names and are not changed.
"""

import pathlib
import random
import struct

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CORPUS = HERE / "corpus"
SCENES = ["bounce", "collapse", "conveyor", "gate", "hopper", "inclined_tube", "lump", "mixture", "pouring", "slope",
          "vibrated_table"]
SCENE = """time_step = 1e-3
end_time = 1.0
[[materials]]
name = "glass"
density = 2500.0
friction = 0.3
[[boundaries]]
name = "floor"
type = "plane"
[[boundaries]]
name = "ram"
type = "plane"
point = [0, 0, 2]
normal = [0, 0, -1]
part = "plate"
[[parts]]
name = "plate"
freedom = "all"
mass = 2.0
moments = [0.1, 0.1, 0.1]
centre = [0, 0, 2]
orientation = [1, 0, 0, 0]
velocity = [0, 0, 0.1]
angular_velocity = [0, 0, 0.1]
[[parts]]
name = "wheel"
freedom = "all"
mass = 1.0
moments = [0.1, 0.1, 0.2]
centre = [1, 0, 2]
starts_locked = true
[[bodies]]
name = "chain"
generate = "lattice"
count = 3
spacing = 0.2
orientation = [1, 0, 0, 0]
semi_axes = [0.1, 0.05, 0.05]
region = { type = "box", low = [-0.4, -0.1, 0.1], high = [0.2, 0.1, 0.3] }
[[bodies]]
name = "stone"
radius = 0.1
position = [0, 2, 0.1]
"""
JOINTS = {
    "fixed": 'a = "plate"\nbody_b = 0',
    "revolute": 'b = "wheel"\npoint = [1, 0, 2]\naxis = [0, 1, 0]\nlow = -1\nhigh = 1\nfriction = 0.1\n'
                'friction_coefficient = 0.2\nfriction_radius = 0.01\n'
                'motor = { type = "speed", function = "16 * min(t, 1)", most = 10 }',
    "prismatic": 'a = "plate"\nb = "stone"\naxis = [0, 0, 1]\nstiffness = 100\nrest = 0.1\ndamping = 1\n'
                 'motor = { type = "position", value = 0.1, stiffness = 1, damping = 1 }',
    "cylindrical": 'a = "wheel"\nb = "plate"\npoint = [0.5, 0, 2]\naxis = [1, 0, 0]',
    "screw": 'a = "wheel"\nb = "plate"\npoint = [0.5, 0, 2]\naxis = [1, 0, 0]\nlead = 0.01\nmotor = { type = "force", value = 3 }',
    "spherical": 'chain = "chain"\npoint_a = [0.1, 0, 0]\npoint_b = [-0.1, 0, 0]',
    "universal": 'a = "floor"\nb = "plate"\npoint = [0, 0, 2]\naxis = [1, 0, 0]\naxis_b = [0, 1, 0]',
    "planar": 'a = "wheel"\nbody_b = 3\npoint = [0, 0, 2]\naxis = [0, 0, 1]',
    "rod": 'a = "wheel"\nb = "plate"\npoint_a = [1, 0, 2]\npoint_b = [0, 0, 2]',
    "cylinder": 'b = "plate"\npoint_a = [0, 0, 1]\npoint_b = [0, 0, 2]\n'
                'motor = { type = "position", table = "drive.csv" }',
    "point_on_plane": 'b = "wheel"\npoint = [1, 0, 2]\naxis = [0, 0, 1]',
    "point_on_line": 'a = "plate"\nb = "wheel"\npoint = [1, 0, 2]\naxis = [0, 1, 0]',
    "point_on_curve": 'b = "wheel"\npoint = [1, 0, 2]\ncurve = ["cos(t)", "sin(t)", "2"]\nfrom = 0\nto = 6.28',
    "gear": 'first = "one"\nsecond = "two"\nratio = 2.5',
    "rack": 'first = "one"\nsecond = "way"\nratio = 0.1',
}
CARRIED = """[[joints]]
name = "one"
type = "revolute"
b = "wheel"
point = [1, 0, 2]
axis = [0, 1, 0]
[[joints]]
name = "two"
type = "revolute"
b = "plate"
point = [0, 0, 2]
axis = [0, 1, 0]
[[joints]]
name = "way"
type = "prismatic"
b = "stone"
axis = [1, 0, 0]
"""
MODELS = {
    "branches": "model m\n  Real x(start = 1, fixed = true);\n  Real y;\nequation\n  if x > 0.5 then\n    der(x) = -y;\n"
                "  elseif x < 0 then\n    if time > 1 then der(x) = 1; else der(x) = 2; end if;\n  else\n    der(x) = y;\n"
                "  end if;\n  y = abs(x) + max(x, 2) - min(x, 1)*sign(x);\nend m;\n",
    "jump": "model m\n  parameter Real e = 0.5 \"how much\";\n  Real h(start = 1, fixed = true), v(stateSelect = "
            "StateSelect.always);\nequation\n  der(h) = v;\n  der(v) = -9.81;\n  when h < 0 and not v > 0 or h < -1 then\n"
            "    reinit(v, -e*pre(v));\n  end when;\nend m;\n",
    "connected": "connector Pin\n  Real v;\n  flow Real i;\nend Pin;\nmodel R\n  Pin p, n;\n  parameter Real r = 1;\nequation\n"
                 "  p.v - n.v = r*p.i;\n  p.i + n.i = 0;\nend R;\nmodel Ground\n  Pin p;\nequation\n  p.v = 0;\nend Ground;\nmodel m\n  R a(r = 2), b(p(v(start = 3)));\n  Ground g;\n"
                 "equation\n  connect(a.p, b.n);\n  connect(a.n, b.p);\n  connect(a.n, g.p);\nend m;\n",
    "implicit": "model m\n  Real x(nominal = 1e-3), y(start = 0.8) annotation(__Scree_tearing = true);\ninitial equation\n  x = 0.5;\nequation\n"
                "  x^2 + y^2 = 1; // a circle\n  der(x) + sqrt(y)*exp(-x)/log(2 + x^2) = atan2(y, x) + tanh(x);\nend m;\n",
}
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
    for name, keys in JOINTS.items():
        put("scene", f"joint_{name}", f'{SCENE}{CARRIED}[[joints]]\nname = "j"\ntype = "{name}"\n{keys}\n')
    for file in ROOT.glob("scenes/models/*.mo"):
        put("model", file.stem, file.read_bytes())
    for name, text in MODELS.items():
        put("model", name, text)
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
    source = random.Random(2)
    for number in range(12):
        put("numbers", number, source.randbytes(160))
    source = random.Random(1)
    for reader in ["trajectory", "hdf5_table", "bodies_problem", "delassus_problem", "fclib_problem", "hostile_file"]:
        for number in range(6):
            put(reader, number, bytes(source.randrange(256) for _ in range(4 + 24 * number)))


main()
