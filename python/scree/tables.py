"""Arrays as tables."""

from __future__ import annotations

from typing import Any, Dict, Mapping


def pandas() -> Any:
    """The library; raises ImportError with advice if it is missing."""
    try:
        import pandas as library
    except ImportError as error:
        raise ImportError("tables need pandas (Debian: python3-pandas; pip: pandas)") from error
    return library


def frame_of(arrays: Mapping[str, Any]) -> Any:
    """pandas.DataFrame of arrays, one row each; arrays of shape (n, 3) become NAME_x, NAME_y, NAME_z, and arrays of
    shape (n, 4) NAME_w, NAME_x, ..."""
    columns: Dict[str, Any] = {}
    for name, values in arrays.items():
        if values.ndim == 1:
            columns[name] = values
        else:
            axes = "xyz" if values.shape[1] == 3 else "wxyz"
            columns.update({f"{name}_{axis}": values[:, k] for k, axis in enumerate(axes)})
    return pandas().DataFrame(columns)
