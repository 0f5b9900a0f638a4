"""Reads the files for ParaView of a made-up run without VTK and compares them with its trajectory.

usage: vtk_files_test.py WRITE_EXAMPLE_RESULTS
"""
import base64
import os
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

try:
    import h5py
    import lz4.block
    import numpy as np
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    sys.exit(77)

NUMBERS = {"Float32": "<f4", "Int32": "<i4", "Int64": "<i8"}


def values(element):
    """The numbers of a DataArray: the sizes of its blocks, base64, then the blocks, base64, each compressed with LZ4."""
    text = element.text.strip()
    blocks = struct.unpack("<Q", base64.b64decode(text[:12])[:8])[0]
    split = -(-8 * (3 + blocks) // 3) * 4
    _, full, last, *sizes = struct.unpack(f"<{3 + blocks}Q", base64.b64decode(text[:split]))
    packed, data = base64.b64decode(text[split:]), b""
    for k, size in enumerate(sizes):
        room = last if last and k == blocks - 1 else full
        data += lz4.block.decompress(packed[:size], uncompressed_size=room)
        packed = packed[size:]
    assert not packed
    rows = np.frombuffer(data, NUMBERS[element.get("type")])
    width = int(element.get("NumberOfComponents", "1"))
    return rows.reshape(-1, width) if width > 1 else rows


def arrays(path):
    """Arrays by name; empty lists of cell kinds are left out."""
    found = {}
    for element in xml.parse(path).iter("DataArray"):
        numbers = values(element)
        if len(numbers) or element.get("Name") not in found:
            found[element.get("Name")] = numbers
    return found


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.argv[1], folder], check=True)
    index = xml.parse(os.path.join(folder, "bodies.pvd")).findall(".//DataSet")
    with h5py.File(os.path.join(folder, "trajectory.h5")) as trajectory:
        frames = trajectory["frames"]
        files = [arrays(os.path.join(folder, entry.get("file"))) for entry in index]
        assert [float(entry.get("timestep")) for entry in index] == frames["time"][:].tolist() and len(files) == 6
        for name, of in (("Points", "position"), ("orientation", "orientation"), ("velocity", "velocity")):
            found = np.concatenate([file[name].ravel() for file in files])
            assert np.array_equal(found, frames[of][:].ravel()), name
    for file in files:
        assert np.array_equal(file["connectivity"], np.arange(len(file["id"])))
        assert file["offsets"].tolist() == [len(file["id"])]
    walls = arrays(os.path.join(folder, "walls.vtp"))
    assert len(walls["Normals"]) == len(walls["Points"]) > walls["connectivity"].max()
    assert np.allclose(np.linalg.norm(walls["Normals"], axis=1), 1.0, atol=1e-6)
    assert len(walls["offsets"]) == len(walls["boundary"]) and walls["offsets"][-1] == len(walls["connectivity"])
