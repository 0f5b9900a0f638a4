"""Averaged fields, as `scree fields` writes them for VTK."""

from __future__ import annotations

import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any, Dict, List, Tuple

_COMPONENTS = {3: ("axis",), 9: ("row", "column")}


def read_fields(folder: Path) -> Any:
    """xarray.Dataset of all files of the folder's fields.pvd: dimensions time and z, y, x of cells (k, j, i in a
    cell that is sheared, with their places x, y, z as coordinates)."""
    try:
        import vtk
        import xarray
        from vtk.util.numpy_support import vtk_to_numpy
    except ImportError as error:
        raise ImportError("fields are read by VTK into xarray (Debian: python3-vtk9, python3-xarray; pip: vtk, xarray)") from error
    moments = [(float(entry.attrib["timestep"]), entry.attrib["file"])
               for entry in xml.parse(folder / "fields.pvd").iter("DataSet")]
    datasets: List[Any] = []
    for time, name in moments:
        image = name.endswith(".vti")
        reader = vtk.vtkXMLImageDataReader() if image else vtk.vtkXMLStructuredGridReader()
        reader.SetFileName(str(folder / name))
        reader.Update()
        grid = reader.GetOutput()
        cells = tuple(max(n - 1, 1) for n in reversed(grid.GetDimensions()))
        dimensions, coordinates = _places(grid, cells, image, vtk, vtk_to_numpy)
        arrays: Dict[str, Any] = {}
        data = grid.GetCellData()
        for k in range(data.GetNumberOfArrays()):
            values = vtk_to_numpy(data.GetArray(k)).copy()
            columns = values.shape[1] if values.ndim > 1 else 1
            if columns == 9:
                values = values.reshape(-1, 3, 3)
            names = _COMPONENTS.get(columns, ())
            arrays[data.GetArrayName(k)] = ((*dimensions, *names), values.reshape(cells + values.shape[1:]))
        datasets.append(xarray.Dataset(arrays, coords={"time": time, **coordinates}))
    return xarray.concat(datasets, dim="time")


def _places(grid: Any, cells: Tuple[int, ...], image: bool, vtk: Any, to_numpy: Any) -> Tuple[Tuple[str, ...], Dict[str, Any]]:
    """Names of the dimensions, and the centres of cells, m."""
    import numpy

    if image:
        start, width = numpy.array(grid.GetOrigin()), numpy.array(grid.GetSpacing())
        along = {axis: (axis, start[k] + width[k] * (numpy.arange(cells[2 - k]) + 0.5), {"units": "m"})
                 for k, axis in enumerate("xyz")}
        return ("z", "y", "x"), along
    centres = vtk.vtkCellCenters()
    centres.SetInputData(grid)
    centres.Update()
    points = to_numpy(centres.GetOutput().GetPoints().GetData()).reshape(*cells, 3)
    return ("k", "j", "i"), {axis: (("k", "j", "i"), points[..., n], {"units": "m"}) for n, axis in enumerate("xyz")}
