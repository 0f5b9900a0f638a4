"""Averaged fields, as `scree fields` writes them for VTK."""

from __future__ import annotations

import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any, Dict, List, Tuple

_COMPONENTS = {3: ("axis",), 9: ("row", "column")}
_UNITS = {"density": "kg/m^3", "solid_fraction": "1", "velocity": "m/s", "granular_temperature": "m^2/s^2",
          "kinetic_stress": "Pa", "contact_stress": "Pa", "pressure": "Pa"}


def read_fields(folder: Path, origin: Tuple[float, ...] = (0.0, 0.0, 0.0)) -> Any:
    """xarray.Dataset of all files of the folder's fields.pvd: dimensions time and z, y, x of cells, with their
    centres as coordinates, m. If the grid is sheared or moves, as a periodic cell does, the dimensions are time and
    k, j, i, and the centres x, y, z are arrays of these. Values are NaN beyond the cells of times with fewer cells.
    ``origin`` is added to all positions."""
    try:
        import xarray
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLStructuredGridReader
    except ImportError as error:
        raise ImportError("fields need VTK and xarray (Debian: python3-vtk9, python3-xarray; pip: vtk, xarray)"
                          ) from error
    import numpy

    moments = [(float(entry.attrib["timestep"]), entry.attrib["file"])
               for entry in xml.parse(folder / "fields.pvd").iter("DataSet")]
    fields: List[Dict[str, Any]] = []
    places: List[Any] = []  # [time] of (3, nz, ny, nx)
    upright = True
    for _, name in moments:
        upright = upright and name.endswith(".vti")
        reader = vtkXMLImageDataReader() if name.endswith(".vti") else vtkXMLStructuredGridReader()
        reader.SetFileName(str(folder / name))
        reader.Update()
        grid = reader.GetOutput()
        cells = tuple(n - 1 for n in reversed(grid.GetDimensions()))
        if name.endswith(".vti"):
            start, width = numpy.array(grid.GetOrigin()), numpy.array(grid.GetSpacing())
            along = [start[k] + width[k] * (numpy.arange(cells[2 - k]) + 0.5) for k in range(3)]
            z, y, x = numpy.meshgrid(along[2], along[1], along[0], indexing="ij")
            centres = numpy.array([x, y, z])
        else:
            corners = vtk_to_numpy(grid.GetPoints().GetData()).astype(float).reshape(*(n + 1 for n in cells), 3)
            centres = sum(corners[k:k + cells[0], j:j + cells[1], i:i + cells[2]]
                          for k in (0, 1) for j in (0, 1) for i in (0, 1)).transpose(3, 0, 1, 2) / 8
        places.append(centres + numpy.array(origin).reshape(3, 1, 1, 1))
        data = grid.GetCellData()
        fields.append({})
        for number in range(data.GetNumberOfArrays()):
            values = vtk_to_numpy(data.GetArray(number)).copy()
            shape = {1: (), 3: (3,), 9: (3, 3)}[values.shape[1] if values.ndim > 1 else 1]
            fields[-1][data.GetArrayName(number)] = values.reshape(cells + shape)
    still = upright and all(numpy.array_equal(centres, places[0]) for centres in places)
    most = tuple(max(centres.shape[axis] for centres in places) for axis in (1, 2, 3))
    places = [_padded(centres, most, 1) for centres in places]
    names = ("z", "y", "x") if still else ("k", "j", "i")
    coordinates: Dict[str, Any] = {"time": ("time", [time for time, _ in moments], {"units": "s"})}
    for n, axis in enumerate("xyz"):
        if still:
            line = numpy.moveaxis(places[0][n], 2 - n, 0)[:, 0, 0]
            coordinates[axis] = (axis, line, {"units": "m"})
        else:
            coordinates[axis] = (("time", *names), numpy.array([centres[n] for centres in places]), {"units": "m"})
    arrays: Dict[str, Any] = {}
    for name in fields[0]:
        values = numpy.array([_padded(moment[name], most, 0) for moment in fields])
        more = _COMPONENTS.get(int(numpy.prod(values.shape[4:])), ())
        arrays[name] = (("time", *names, *more), values, {"units": _UNITS.get(name, "")})
    return xarray.Dataset(arrays, coords=coordinates)


def _padded(values: Any, cells: Tuple[int, ...], first: int) -> Any:
    """Filled with NaN up to the given number of cells, along the three axes from the first on."""
    import numpy

    missing = [(0, n - m) for n, m in zip(cells, values.shape[first:])]
    around = [(0, 0)] * first + missing + [(0, 0)] * (values.ndim - first - 3)
    return numpy.pad(values, around, constant_values=numpy.nan) if any(after for _, after in missing) else values
