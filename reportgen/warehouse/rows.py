"""The order of rows in tables of performances, and the search in it.

The order is that of data set, measure, replication, candidate. Names are
categorical, so that a cell is four whole numbers, and these are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from struct import Struct
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.stats.arrays import LARGEST_SIZE, LEAST_SIZE, odd_size

SPARSE = 4  # possible cells a row, up to which rows are counted out in place of sorted
MOST = 1 << 62  # cells that one whole number can index
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
DIGITS = re.compile(r"\d+(?:\.\d+)?")
FLOAT, WHOLE = Struct(">d"), Struct(">Q")
SIGN, ALL = 1 << 63, (1 << 64) - 1  # bits of a float


def row_of_odd_size(frame: pd.DataFrame) -> pd.Series[Any] | None:
    """Find a value too large to be squared, or all values of a measure on a data set too small.

    Result: the row with the largest value of the first such measure and data set.
    """
    sizes = np.abs(frame["value"].to_numpy(np.float64))
    with np.errstate(invalid="ignore"):
        doubtful = np.isfinite(sizes) & (
            (sizes > LARGEST_SIZE) | ((sizes < LEAST_SIZE) & (sizes > 0))
        )
    if not doubtful.any():
        return None
    cells = frame.loc[doubtful, ["dataset", "measure"]].drop_duplicates()
    for dataset, measure in cells.itertuples(index=False):
        own = (frame["dataset"] == dataset) & (frame["measure"] == measure) & np.isfinite(sizes)
        most = int(np.argmax(np.where(own, sizes, -1.0)))
        if odd_size(sizes[most : most + 1]) is not None:
            return frame.iloc[most]
    return None


def natural_order(names: Iterable[str]) -> list[str]:
    """Sort names as people do: numbers by their value, letters whatever their case.

    Examples
    --------
    >>> natural_order(["n = 100", "svm", "n = 20", "LDA", "10", "9.5"])
    ['9.5', '10', 'LDA', 'n = 20', 'n = 100', 'svm']
    """
    ordered = sorted(names)  # of equal keys the smaller name comes first
    numbers = _last_numbers(ordered)
    if numbers is None:
        return sorted(ordered, key=_natural)
    return [ordered[i] for i in np.argsort(numbers, kind="stable").tolist()]


def _last_numbers(ordered: Sequence[str]) -> NDArray[np.float64] | None:
    """Return the whole numbers in which sorted names end; None where they differ in more."""
    if not ordered:
        return None
    prefix = ordered[0].rstrip("0123456789.")
    if not ordered[-1].startswith(prefix):  # as all between them do
        return None
    if prefix and NUMBER.fullmatch(ordered[0]):  # a sign, or what is before an exponent
        return None
    ends = [name[len(prefix) :] for name in ordered]
    return np.array(list(map(float, ends))) if all(map(str.isdecimal, ends)) else None


def _natural(name: str) -> str:
    """Return a text by which a name is sorted: one object a name, as there may be a million."""
    if NUMBER.fullmatch(name):
        return f"0{_sortable(name)}"
    return f"1{DIGITS.sub(_part, name.casefold())}"


def _part(number: re.Match[str]) -> str:
    return f"\0{_sortable(number[0])}"


def _sortable(number: str) -> str:
    """Return sixteen digits and letters, in the order of the numbers."""
    (bits,) = WHOLE.unpack(FLOAT.pack(float(number) + 0.0))  # of the two zeros one
    return f"{bits ^ (SIGN if bits < SIGN else ALL):016x}"


def categorical(column: pd.Series[str], first: Iterable[str]) -> pd.Categorical[str]:
    """Return a column of names as a categorical: `first` leads, then its own categories follow.

    What is no categorical has its names in natural order: how the rows are ordered never
    matters. Names that do not appear are left out.
    """
    codes, written = _number_values(column)
    spelled = [str(name) for name in written]
    there = set(pd.unique(codes).tolist())
    present = dict.fromkeys(name for code, name in enumerate(spelled) if code in there)
    if not isinstance(column.dtype, pd.CategoricalDtype):
        present = dict.fromkeys(natural_order(present))
    order = [name for name in dict.fromkeys(first) if name in present]
    led = set(order)
    order += [name for name in present if name not in led]
    place = {name: i for i, name in enumerate(order)}
    numbers = np.array([*(place.get(name, -1) for name in spelled), -1], np.int32)
    return pd.Categorical.from_codes(numbers[codes], pd.Index(order, dtype=object))


def codes_of(column: pd.Series[Any]) -> NDArray[np.integer[Any]]:
    """Return the numbers of a categorical column's names; a view, which `.cat.codes` is not."""
    return np.asarray(cast("pd.Categorical[str]", column.array).codes)


def _number_values(column: pd.Series[str]) -> tuple[NDArray[np.integer[Any]], Sequence[object]]:
    """Return each row's number of a name, -1 for none, and the names."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return codes_of(column), list(column.cat.categories)
    codes, names = pd.factorize(column)
    return codes, list(names)


def cells(frame: pd.DataFrame) -> NDArray[np.int64]:
    """Number the cells of a table by the order of its rows.

    `frame`: with the categorical columns dataset, measure, candidate, and replication.
    Result: (n,); smaller for a cell that comes first; the same for the same cell.
    """
    replications = frame["replication"].to_numpy()
    if len(replications) and replications.dtype.kind in "iu":
        least = int(replications.min())
        blocks, n_blocks = replications - least, int(replications.max()) - least + 1
    else:
        n_blocks = MOST
    sizes = [len(frame[name].cat.categories) + 1 for name in ("dataset", "measure", "candidate")]
    if n_blocks * sizes[0] * sizes[1] * sizes[2] >= MOST:
        found, blocks = np.unique(replications, return_inverse=True)
        n_blocks = len(found)
    number = codes_of(frame["dataset"]).astype(np.int64)
    number *= sizes[1]
    number += codes_of(frame["measure"])
    number *= n_blocks
    number += blocks
    number *= sizes[2]
    number += codes_of(frame["candidate"])
    return number


def distinct(numbers: NDArray[np.int64], n_possible: int) -> NDArray[np.int64]:
    """Return the different ones of whole numbers from 0 on, ascending.

    `n_possible`: below which they are.
    """
    if n_possible > SPARSE * len(numbers):
        return np.unique(numbers)
    is_there = np.zeros(n_possible, np.bool_)
    is_there[numbers] = True
    return np.flatnonzero(is_there)


def in_order(frame: pd.DataFrame) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    """Put the rows in order; also return which of them are repeated."""
    number = cells(frame)
    if (np.diff(number) > 0).all():
        return frame.reset_index(drop=True), np.zeros(len(frame), np.bool_)
    order = _order(number)
    if order is not None:  # of which no two are the same
        del number  # as large as what is copied here
        return frame.take(order).reset_index(drop=True), np.zeros(len(frame), np.bool_)
    order = np.argsort(number, kind="stable")
    twice = np.concatenate([np.zeros(1, np.bool_), np.diff(number[order]) == 0])[: len(frame)]
    return frame.take(order).reset_index(drop=True), twice


def second_rows(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Return of each row whether its cell is in a row before it."""
    number = cells(frame)
    if (np.diff(number) > 0).all():
        return np.zeros(len(frame), np.bool_)
    if _order(number) is not None:
        return np.zeros(len(frame), np.bool_)
    return pd.Series(number).duplicated().to_numpy()


def _order(number: NDArray[np.int64]) -> NDArray[np.integer[Any]] | None:
    """Return the order of the numbers of cells; None where two are the same, or they are sparse."""
    least, n = int(number.min()), len(number)
    n_possible = int(number.max()) - least + 1
    if n_possible > SPARSE * n or n > np.iinfo(np.int32).max:
        return None
    place = np.full(n_possible, -1, np.int32)
    place[number - least if least else number] = np.arange(n, dtype=np.int32)
    order: NDArray[np.int32] = place[place >= 0]
    return order if len(order) == n else None


def rows_of(frame: pd.DataFrame, dataset: str, measure: str | None = None) -> slice:
    """Return where the rows of a data set, and of a measure on it, are in an ordered table."""
    found = _between(frame["dataset"], dataset, slice(0, len(frame)))
    return found if measure is None else _between(frame["measure"], measure, found)


def _between(column: pd.Series[str], name: str, within: slice) -> slice:
    categories = cast("pd.Categorical[str]", column.array).categories
    try:
        place = categories.get_loc(name)
    except KeyError:
        return slice(within.start, within.start)
    codes = codes_of(column)[within]
    code = np.array(place, codes.dtype)  # no cast, no copy
    low, high = (int(np.searchsorted(codes, code, side)) for side in ("left", "right"))
    return slice(within.start + low, within.start + high)
