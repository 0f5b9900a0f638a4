"""Every kind of file of a run in ParaView's own pvbatch, by the code of view.py. Without ParaView it skips.

usage: paraview_kinds_test.py SCREE             makes the run
       paraview_kinds_test.py --run FOLDER      uses a run of SCENE from another machine
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SCENE = """
name = "kinds"
time_step = 0.001
end_time = 0.8
[output]
interval = 0.05
wall_cells = 0.08
[[materials]]
name = "stone"
density = 2500
wear_coefficient = 1e-4
hardness = 1e9
[[bodies]]
generate = "random"
count = 60
semi_axes = [0.05, 0.04, 0.03]
orientation = "random"
region = { type = "box", low = [-0.3, -0.3, 0.1], high = [0.3, 0.3, 0.8] }
[[inlets]]
name = "spout"
semi_axes = [0.03, 0.03, 0.03]
mass_rate = 2.0
region = { type = "box", low = [-0.2, -0.2, 1.2], high = [0.2, 0.2, 1.4] }
[[boundaries]]
name = "floor"
type = "plane"
[[boundaries]]
name = "pipe"
type = "tube"
start = [0, 0, 0.05]
end = [0, 0, 0.6]
inner_radius = 0.5
thickness = 0.04
[[boundaries.motion]]
type = "rotation"
axis = [0, 0, 1]
angular_speed = 2.0
"""

# For pvbatch: the content of a picture.
LOOK = """
import json, sys
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOImage import vtkPNGReader
reader = vtkPNGReader()
reader.SetFileName(sys.argv[1])
reader.Update()
pixel = vtk_to_numpy(reader.GetOutput().GetPointData().GetScalars())[:, :3].astype(int)
coloured = (pixel.max(axis=1) - pixel.min(axis=1)) > 40
print("SEEN " + json.dumps({"coloured": float(coloured.mean()), "drawn": float((pixel.min(axis=1) < 250).mean()),
                            "sum": int(pixel.sum())}))
"""

pvbatch = shutil.which("pvbatch")
if not pvbatch:
    print("SKIPPED: pvbatch is not installed (Debian: paraview)")
    sys.exit(77)
screen = [] if os.environ.get("DISPLAY") else ["xvfb-run", "-a", "-s", "-screen 0 1600x1200x24 -noreset"]
if screen and not shutil.which(screen[0]):
    print("SKIPPED: there is no display and no xvfb-run (Debian: xvfb, xauth)")
    sys.exit(77)


def drawn(run, folder, *words):
    picture, look = os.path.join(folder, "_".join(("p", *words)) + ".png"), os.path.join(folder, "look.py")
    with open(look, "w", encoding="utf-8") as file:
        file.write(LOOK)
    done = subprocess.run([*screen, pvbatch, os.path.join(run, "view.py"), picture, *words], capture_output=True, text=True, cwd=run,
                          timeout=280, check=False)
    assert done.returncode == 0 and os.path.exists(picture), (words, done.stdout, done.stderr)
    assert "ERR|" not in done.stderr and "rror:" not in done.stdout, (words, done.stdout, done.stderr)
    seen = subprocess.run([*screen, pvbatch, look, picture], capture_output=True, text=True, timeout=280, check=False)
    return json.loads(seen.stdout.split("SEEN ")[1].splitlines()[0])


with tempfile.TemporaryDirectory() as folder:
    if sys.argv[1] == "--run":
        run = sys.argv[2]
    else:
        scene, run = os.path.join(folder, "kinds.toml"), os.path.join(folder, "run")
        with open(scene, "w", encoding="utf-8") as file:
            file.write(SCENE)
        subprocess.run([sys.argv[1], "run", scene, "-q", "-o", run], check=True)
    for name in ("bodies.pvd", "contacts.pvd", "walls.pvd", "wall_cells.pvd", "outlines.vtp"):
        assert os.path.exists(os.path.join(run, name)), name
    seen = {words: drawn(run, folder, *words) for words in ((), ("0.4",), ("chains",), ("wear",), ("largest_pressure",))}
print(seen)
assert all(0.05 < s["drawn"] < 1.0 for s in seen.values()), seen
assert len({s["sum"] for s in seen.values()}) == 5, seen  # each picture differs
assert seen[()]["coloured"] > 0.01 and seen[("chains",)]["coloured"] > 0.001, seen
assert seen[("wear",)]["coloured"] > 2 * seen[()]["coloured"], seen
