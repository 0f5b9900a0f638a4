"""Every file for ParaView of every scene, read by VTK's own readers, against trajectory.h5.

usage: vtk_of_scenes_test.py SCREE SCENES

Each scene runs for some frames, with wall cells if possible. It uses the system's Python, which has VTK and h5py;
without them it is skipped (77).
"""
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

try:
    import h5py
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    sys.exit(77)

import vtkhdf_reader

PROGRAM, SCENES = sys.argv[1:]
FRAMES = 3
LONG = {"settling_box_8000", "twelve_shapes", "round_robin_silo"}  # differ from other scenes only in size or number of shapes


def poly_data(path):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    assert reader.GetErrorCode() == 0 and data is not None, path
    return data


def arrays(data):
    return {data.GetArrayName(k): vtk_to_numpy(data.GetArray(k)) for k in range(data.GetNumberOfArrays())}


def points(data):
    found = data.GetPoints()
    return vtk_to_numpy(found.GetData()) if found is not None and found.GetNumberOfPoints() else np.zeros((0, 3), np.float32)


def series(folder, name):
    path = os.path.join(folder, name + ".pvd")
    if not os.path.exists(path):
        return []
    return [(float(entry.get("timestep")), os.path.join(folder, entry.get("file"))) for entry in xml.parse(path).iter("DataSet")]


def rows(group, name, k):
    return slice(*group[name][k:k + 2])


def look_at_bodies(folder, run, fields):
    frames, bodies = run["frames"], run["bodies"]
    listed = series(folder, "bodies")
    assert [time for time, _ in listed] == frames["time"][:].tolist()
    for k, (_, path) in enumerate(listed):
        data, of = poly_data(path), rows(frames, "offset", k)
        found = arrays(data.GetPointData())
        assert np.array_equal(points(data), frames["position"][of])
        for name in ("orientation", "velocity", "angular_velocity", *fields):
            assert np.array_equal(found[name].reshape(-1), frames[name][of].reshape(-1), equal_nan=True), (path, name)
        assert np.array_equal(found["id"], bodies["id"][:][frames["body"][of]])
        assert np.array_equal(found["material"], bodies["material"][:][frames["body"][of]])
        assert np.allclose(found["speed"], np.linalg.norm(frames["velocity"][of], axis=1), rtol=1e-6, atol=0)
        assert data.GetNumberOfVerts() == (1 if len(found["id"]) else 0)


def look_at_contacts(folder, run):
    if "contacts" not in run:
        return
    contacts, listed = run["contacts"], series(folder, "contacts")
    with_contacts = np.flatnonzero(contacts["recorded"][:])
    assert len(listed) == len(with_contacts)
    for k, (_, path) in zip(with_contacts, listed):
        data, of = poly_data(path), rows(contacts, "offset", k)
        found = arrays(data.GetPointData())
        assert np.array_equal(points(data), contacts["point"][of])
        for name in ("normal", "impulse", "gap", "boundary", "bond"):
            assert np.array_equal(found[name].reshape(-1), contacts[name][of].reshape(-1)), (path, name)
        ids = np.append(run["bodies/id"][:], -1)
        for name in ("body_a", "body_b"):
            assert np.array_equal(found[name], ids[contacts[name][of]]), (path, name)


def look_at_walls(folder, run):
    if "wall_cells" in run:
        cells, listed = run["wall_cells"], series(folder, "wall_cells")
        assert [time for time, _ in listed] == cells["time"][:].tolist()
        for k, (_, path) in enumerate(listed):
            data = poly_data(path)
            found = arrays(data.GetCellData())
            assert data.GetNumberOfPolys() == len(cells["boundary"])
            assert np.array_equal(found["boundary"], cells["boundary"][:])
            for name in set(cells) - {"boundary", "area", "point", "triangle", "time"}:
                assert np.array_equal(found[name], cells[name][k].astype(np.float32)), (path, name)
            if "boundary_position" not in run["frames"]:
                assert np.array_equal(points(data), cells["point"][:].astype(np.float32))
    for path in [os.path.join(folder, "walls.vtp")] + [file for _, file in series(folder, "walls")]:
        if not os.path.exists(path):
            continue
        data = poly_data(path)
        normals = arrays(data.GetPointData())["Normals"]
        assert len(normals) == data.GetNumberOfPoints() and np.allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-5), path
        assert len(arrays(data.GetCellData())["boundary"]) == data.GetNumberOfPolys()
    for name in sorted(os.listdir(os.path.join(folder, "vtk"))):
        if name.startswith("shape_"):
            assert poly_data(os.path.join(folder, "vtk", name)).GetNumberOfPolys() > 0
    outlines = os.path.join(folder, "outlines.vtp")
    if os.path.exists(outlines):
        assert poly_data(outlines).GetNumberOfLines() > 0


def look_at_linked(folder, name):
    """The links into trajectory.h5 show what the .vtp files have, but for what these compute from it."""
    path, listed = os.path.join(folder, name + ".vtkhdf"), series(folder, name)
    if not listed:
        assert not os.path.exists(path)
        return
    found = vtkhdf_reader.moments(path)
    assert [time for time, _, _ in found] == [time for time, _ in listed]
    for (_, place, linked), (_, file) in zip(found, listed):
        data = poly_data(file)
        copied = arrays(data.GetPointData())
        assert set(copied) - set(linked) <= {"speed", "contacts", "impulse_magnitude"} and set(linked) <= set(copied), file
        assert np.array_equal(place, points(data)), file
        for array, values in linked.items():
            assert np.array_equal(values.reshape(-1), copied[array].reshape(-1), equal_nan=True), (file, array)
            assert values.shape[1:] == copied[array].shape[1:], (file, array)


def run_scene(scene, folder):
    """Runs some frames, with cells of walls if there are walls. Scenes for a larger machine are left out."""
    import tomllib  # of Python 3.11
    with open(scene, "rb") as file:
        given = tomllib.load(file)
    interval = given.get("output", {}).get("interval", 0.02)
    if isinstance(interval, str):
        interval = 0.02
    experiment = os.path.basename(os.path.dirname(scene)) == "validation"
    if experiment:
        interval = 0.01  # up to 100,000 grains, and frames that are seconds apart
    command = [PROGRAM, "run", scene, "-q", "-o", folder, "--until", repr((FRAMES - 0.5) * interval), "--set", "output.hdf5=true",
               "--set", "output.vtk=true"]
    if experiment:
        command += ["--set", f"output.interval={interval}"]
    if given.get("boundaries"):
        command += ["--set", "output.wall_cells=0.25"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (scene, done.stderr)
    done = subprocess.run([PROGRAM, "export", folder, "--to", "vtkhdf", "-q"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (scene, done.stderr)


looked_at = 0
for folder, _, files in sorted(os.walk(SCENES)):
    if os.path.basename(folder) == "shapes" or "studies" in os.path.relpath(folder, SCENES).split(os.sep):
        continue
    for name in sorted(files):
        if not name.endswith(".toml") or name.removesuffix(".toml") in LONG:
            continue
        with tempfile.TemporaryDirectory() as results:
            scene, out = os.path.join(folder, name), os.path.join(results, "run")
            run_scene(scene, out)
            with h5py.File(os.path.join(out, "trajectory.h5")) as run:
                standing = {"time", "step", "offset", "body", "position", "orientation", "velocity", "angular_velocity", "boundary_position",
                            "boundary_orientation", "boundary_removed", "lattice", "velocity_gradient", "image_shift"}
                look_at_bodies(out, run, set(run["frames"]) - standing)
                look_at_contacts(out, run)
                look_at_walls(out, run)
            look_at_linked(out, "bodies")
            look_at_linked(out, "contacts")
        looked_at += 1
assert looked_at > 30, looked_at
print(looked_at, "scenes")
