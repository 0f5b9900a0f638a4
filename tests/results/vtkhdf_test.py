"""scree export --to vtkhdf: what the files show, their links, and when they are refused or removed. Without h5py it skips.

usage: vtkhdf_test.py SCREE
"""
import os
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np

    import vtkhdf_reader
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    sys.exit(77)

PROGRAM = sys.argv[1]

SCENE = """
name = "coming_and_going"
time_step = 0.002
end_time = 0.3
[output]
interval = 0.05
fields = ["kinetic_energy"]
vtk = false
[[materials]]
name = "stone"
density = 2500
[[shapes]]
name = "dumbbell"
semi_axes = [1.0, 0.5, 0.5]
perturbations = [{ type = "ellipsoid", semi_axes = [0.55, 0, 0], weight = -0.65 }]
[[inlets]]
name = "feed"
number_rate = 100
radius = 0.02
region = { type = "box", low = [-0.2, -0.2, 0.7], high = [0.2, 0.2, 0.8] }
[[bodies]]
generate = "random"
count = 10
shape = "dumbbell"
size = 0.04
orientation = "random"
region = { type = "box", low = [-0.2, -0.2, 0.04], high = [0.2, 0.2, 0.5] }
[[boundaries]]
name = "floor"
type = "plane"
"""


def scree(*arguments, status=0):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done


with tempfile.TemporaryDirectory() as folder:
    scene, run = os.path.join(folder, "scene.toml"), os.path.join(folder, "run")
    with open(scene, "w", encoding="utf-8") as file:
        file.write(SCENE)
    scree("run", scene, "-q", "-o", run)
    files = [os.path.join(run, name) for name in ("bodies.vtkhdf", "contacts.vtkhdf")]
    assert scree("export", run, "--to", "vtkhdf").stdout.endswith(files[0] + "\n")

    # Every frame against the trajectory; constants by the body's row.
    with h5py.File(os.path.join(run, "trajectory.h5")) as recorded:
        frames, bodies, contacts = recorded["frames"], recorded["bodies"], recorded["contacts"]
        found = vtkhdf_reader.moments(files[0])
        assert [time for time, _, _ in found] == list(frames["time"])
        assert len({len(place) for _, place, _ in found}) > 3, "bodies come"
        for k, (_, place, arrays) in enumerate(found):
            rows = slice(*frames["offset"][k:k + 2])
            body = frames["body"][rows]
            assert np.array_equal(place, frames["position"][rows])
            for name in ("orientation", "velocity", "angular_velocity", "kinetic_energy"):
                assert np.array_equal(arrays[name], frames[name][rows]), name
            assert np.array_equal(arrays["id"], bodies["id"][:][body]) and np.array_equal(arrays["material"], bodies["material"][:][body])
            is_sphere = arrays["id"] >= 10
            np.testing.assert_allclose(arrays["radii"][is_sphere], 0.02, rtol=1e-6)
            assert set(arrays["shape"][is_sphere]) <= {0} and set(arrays["shape"][~is_sphere]) == {1}
        with_contacts = np.flatnonzero(contacts["recorded"][:])
        found = vtkhdf_reader.moments(files[1])
        assert [time for time, _, _ in found] == list(frames["time"][:][with_contacts])
        assert sum(len(place) for _, place, _ in found) > 20, "there are contacts"
        for k, (_, place, arrays) in zip(with_contacts, found):
            rows = slice(*contacts["offset"][k:k + 2])
            assert np.array_equal(place, contacts["point"][rows])
            assert np.array_equal(arrays["impulse"], contacts["impulse"][rows])
            ids = np.append(bodies["id"][:], -1)
            assert np.array_equal(arrays["body_a"], ids[contacts["body_a"][rows]])
            assert np.array_equal(arrays["body_b"], ids[contacts["body_b"][rows]])
    assert sum(map(os.path.getsize, files)) < os.path.getsize(os.path.join(run, "trajectory.h5"))

    assert "already exists" in scree("export", run, "--to", "vtkhdf", status=4).stderr
    # In another folder, the links are relative to that folder: both can be moved together.
    deep = os.path.join(folder, "linked", "deep")
    scree("export", run, "--to", "vtkhdf", "-o", deep, "--time", "0", "0.2", "-q")
    found = vtkhdf_reader.moments(os.path.join(deep, "bodies.vtkhdf"))
    np.testing.assert_allclose([time for time, _, _ in found], [0.0, 0.2], atol=1e-12)
    with h5py.File(os.path.join(deep, "bodies.vtkhdf")) as linked:
        link = linked["VTKHDF"].get("Points", getlink=True)
        assert (link.filename, link.path) == ("../../run/trajectory.h5", "/frames/position"), link.filename
    scree("export", run, "--to", "vtkhdf", "-o", "/proc/none", status=4)

    # A new run in the folder removes them: they would show numbers of another run.
    scree("run", scene, "-q", "-o", run, "--overwrite", "--until", "0.01")
    assert not any(map(os.path.exists, files))
