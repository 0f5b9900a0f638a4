"""Drawing by matplotlib, and units from column names."""

from __future__ import annotations

from typing import Any

#: Endings of column names, longer ones first, and their units.
UNITS = {"kg_m2_s": "kg m²/s", "kg_m_s": "kg m/s", "kg_s": "kg/s", "kg_m3": "kg/m³", "deg": "°", "m2_s2": "m²/s²",
         "N_m_s": "N m s", "rad_s": "rad/s", "N_s": "N s", "N_m": "N m", "m_s": "m/s", "1_s": "1/s", "m3": "m³", "kg": "kg", "Pa": "Pa", "rad": "rad",
         "N": "N", "J": "J", "W": "W", "m": "m", "s": "s"}


def unit_of(column: str) -> str:
    """The unit from the ending of a column's name; empty if it has none."""
    return next((unit for end, unit in UNITS.items() if column.endswith(f"_{end}")), "")


def title(column: str) -> str:
    """"kinetic energy (J)" for "kinetic_energy_J"."""
    for end, unit in UNITS.items():
        if column.endswith(f"_{end}"):
            return f"{column[:-len(end) - 1].replace('_', ' ')} ({unit})"
    return column.replace("_", " ")


def pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib (Debian: python3-matplotlib; pip: matplotlib)") from error
    return pyplot
