"""Checks of a data set in a file: what looks odd is logged, and kept as it is."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from reportgen.catalogue.datasets.dataset import DataSet

LEAST_ROWS = 20  # fewer rows may well have a name each
MOST_NAMED = 5  # columns or classes in a message
MOST_SIGNS, LEAST_NUMBERS = 2, 10  # of a missing value, among values that are numbers

log = logging.getLogger(__name__)


def warn_of_oddities(data: DataSet) -> None:
    """Log what a user may not have meant: see `oddities`."""
    for oddity in oddities(data):
        log.warning("data set %r: %s", data.name, oddity)


def oddities(data: DataSet) -> Iterator[str]:
    """Warn of implausible values in a data set.

    Result: inputs that never vary; names or numbers of rows taken for an input; signs that make
    numbers categories; classes of a single observation; repeated rows where an input has fractions,
    which hardly come twice by chance.
    """
    inputs = data.inputs
    columns = [str(column) for column in inputs]
    constant = [c for c in columns if inputs[c].nunique() < 2]
    if constant:
        yield f"no variation in {_listed(constant)}"
    named = [c for c in columns if data.n >= LEAST_ROWS and _names_rows(inputs[c])]
    if named:
        dropped = json.dumps(named[:MOST_NAMED], ensure_ascii=False)
        yield (
            f"another value in every row of {_listed(named)}; if it names the rows, leave it out "
            f"by drop: {dropped}"
        )
    for column in columns:
        signs = _signs_among_numbers(inputs[column])
        if signs:
            yield (
                f"{_listed(signs)} among the numbers of {column!r}, which so are categories; where "
                "a value is missing, leave the cell empty"
            )
    if data.task == "classification":
        counts = data.target.value_counts()
        single = [str(name) for name in counts.index[counts.to_numpy() == 1]]
        if single:
            yield f"one observation only of the class {_listed(single)}"
    n_repeated = _n_repeated(data)
    if n_repeated:
        yield (
            f"{n_repeated:,} of {data.n:,} rows repeat earlier ones, so that a test sample may "
            "hold copies of what was learnt from; if they are copies, leave them out, or name the "
            "column that shows which belong together by groups:"
        )


def _names_rows(column: pd.Series) -> bool:
    """Whether an input has a name, or a number, for every row."""
    if column.nunique() != len(column):
        return False
    is_named = isinstance(column.dtype, pd.CategoricalDtype)
    return is_named or bool(column.max() - column.min() == len(column) - 1 and _is_whole(column))


def _is_whole(column: pd.Series) -> bool:
    return bool((column == column.round()).all())


def _signs_among_numbers(column: pd.Series) -> list[str]:
    """Return the few texts of a nominal input whose other values are numbers."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return []
    levels = pd.Series([str(level) for level in column.cat.categories], dtype=object)
    others = levels[pd.to_numeric(levels, errors="coerce").isna()]
    return list(others) if 0 < len(others) <= MOST_SIGNS and len(levels) > LEAST_NUMBERS else []


def _n_repeated(data: DataSet) -> int:
    """Count rows that occurred before, where an input has fractions and no groups are known."""
    numbers = data.inputs.select_dtypes("number").to_numpy(np.float64)
    finite = numbers[np.isfinite(numbers)]
    if data.groups is not None or not (finite != np.round(finite)).any():
        return 0
    return int(data.inputs.assign(**{"": data.target}).duplicated().sum())


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    shown = ", ".join(repr(name) for name in names[:MOST_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown
