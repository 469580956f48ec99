"""Numbers in objects of Python: in arrays, lists and columns of any type, with what is missing."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from reportgen.errors import ExchangeError
from reportgen.study.errors import listed, shown


def numbers_in(values: Any, where: str, allowed: str) -> np.ndarray[Any, Any]:
    """Return an array of numbers, NaN for what is masked."""
    try:
        array = np.ma.asarray(values) if _has_mask(values) else np.asarray(values)
    except ValueError as error:
        raise ExchangeError(f"{where}found no array ({error}); allowed {allowed}") from None
    if array.dtype.kind == "O" and array.ndim:
        cells = pd.Series(np.ma.filled(array, None).ravel())
        place = first_text(cells)
        if place is not None:
            at = ", ".join(str(i) for i in np.unravel_index(place, array.shape))
            raise ExchangeError(f"{where}found {shown(cells[place])} at [{at}]; allowed {allowed}")
        return floats(cells).reshape(array.shape)
    if array.dtype.kind not in "iufb":
        found = f"an array of shape {array.shape} and type {array.dtype}"
        raise ExchangeError(f"{where}found {found}; allowed {allowed}")
    with np.errstate(over="ignore"):  # what is beyond all bounds is infinite, and refused as such
        return np.ma.filled(array.astype(np.float64), np.nan)


def _has_mask(values: Any) -> bool:
    """Whether an array has masked cells, or one of the rows of a list."""
    rows = values if isinstance(values, list | tuple) else (values,)
    return any(isinstance(row, np.ma.MaskedArray) for row in rows)


def _is_number(column: pd.Series[Any]) -> bool:
    """Whether a column holds real numbers, and no truth values."""
    kinds = pd.api.types
    is_other = kinds.is_bool_dtype(column) or kinds.is_complex_dtype(column)
    return kinds.is_numeric_dtype(column) and not is_other


def floats(column: pd.Series[Any]) -> np.ndarray[Any, Any]:
    """Return a column of which every cell is a number, or missing."""
    if _is_number(column):
        return column.to_numpy(np.float64, na_value=np.nan)
    gaps = column.isna().to_numpy()
    return np.array([np.nan if gap else float(x) for x, gap in zip(column, gaps, strict=True)])


def has_numbers(column: pd.Series[Any]) -> bool:
    """Whether a column of objects has cells that read as numbers, or its numbers are complex."""
    if pd.api.types.is_complex_dtype(column):
        return True
    is_open = column.dtype == object and any(_reads_as_number(cell) for cell in column)
    return is_open and not all(isinstance(cell, str) for cell in column.dropna())


def as_floats(column: pd.Series[Any], name: str) -> np.ndarray[Any, Any]:
    """Return the numbers of a column of objects.

    Raises ExchangeError if a cell is none.
    """
    place = first_text(column)
    if place is not None:
        where = f"{name}: row {label_of(column.index[place])}, column {listed([str(column.name)])}"
        found = shown(column.iloc[place])
        raise ExchangeError(f"{where}: found {found}; allowed a number, or NA for a missing one")
    return floats(column)


def _reads_as_number(cell: Any) -> bool:
    """Whether a cell is a real number, or the text of one."""
    if isinstance(cell, bool) or not isinstance(cell, Real | Decimal | str):
        return False
    try:
        float(cell)
    except (ValueError, OverflowError):
        return False
    return True


def first_text(column: pd.Series[Any]) -> int | None:
    """Return the place of the first cell that is no number, if there is one."""
    if _is_number(column):
        return None
    places = column.notna().to_numpy()
    if pd.api.types.is_object_dtype(column) or pd.api.types.is_string_dtype(column):
        places = places & ~np.array([_reads_as_number(cell) for cell in column], bool)
    return int(places.argmax()) if places.any() else None


def label_of(label: Any) -> str:
    """Write the label of a row; of several levels, one after the other."""
    return listed(map(str, label)) if isinstance(label, tuple) else shown(label)
