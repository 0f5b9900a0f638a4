"""Reads a .vtkhdf file of points with times, by VTK's published description of the format (VTKHDF 2.0, "PolyData" and
"Temporal Data"): a reader that shares nothing with the writer.
"""
import h5py
import numpy as np

TOPOLOGIES = ("Vertices", "Lines", "Polygons", "Strips")  # in the order of CellOffsets


def moments(path):
    """[(time, points [n, 3], {array: values [n, ...]})], with every rule of the format that a reader relies on."""
    with h5py.File(path) as file:
        root = file["VTKHDF"]
        assert root.attrs["Type"] == b"PolyData" and list(root.attrs["Version"]) == [2, 0], dict(root.attrs)
        kind = h5py.h5a.open(root.id, b"Type").get_type()
        assert not kind.is_variable_str() and kind.get_cset() == h5py.h5t.CSET_ASCII
        steps = root["Steps"]
        number = int(steps.attrs["NSteps"])
        assert all(len(steps[name]) == number for name in ("Values", "PartOffsets", "NumberOfParts", "PointOffsets",
                                                           "CellOffsets", "ConnectivityIdOffsets"))
        return [moment(root, k) for k in range(number)]


def moment(root, k):
    steps = root["Steps"]
    assert steps["NumberOfParts"][k] == 1
    part, first = int(steps["PartOffsets"][k]), int(steps["PointOffsets"][k])
    count = int(root["NumberOfPoints"][part])
    for t, topology in enumerate(TOPOLOGIES):
        group = root[topology]
        cells, ids = int(group["NumberOfCells"][part]), int(group["NumberOfConnectivityIds"][part])
        # Each part before has one more offset than cells.
        begin = int(steps["CellOffsets"][k, t]) + part
        offsets = group["Offsets"][begin:begin + cells + 1]
        at = int(steps["ConnectivityIdOffsets"][k, t])
        connectivity = group["Connectivity"][at:at + ids]
        if t == 0 and count > 0:
            assert cells == 1 and list(offsets) == [0, count] and np.array_equal(connectivity, np.arange(count))
        else:
            assert cells == 0 and ids == 0 and list(offsets) == [0]
    own = steps.get("PointDataOffsets", {})
    arrays = {}
    for name, values in root["PointData"].items():
        begin = int(own[name][k]) if name in own else first
        arrays[name] = values[begin:begin + count]
        assert len(arrays[name]) == count, (name, k)
    return float(steps["Values"][k]), root["Points"][first:first + count], arrays
