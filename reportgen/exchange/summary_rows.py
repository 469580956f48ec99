"""Rows of a table that sum up its other rows: means, ranks and wins below a published table."""

from __future__ import annotations

import logging
import re

import numpy as np
from numpy.typing import NDArray

from reportgen.exchange.roles import Roles, cells_of, numbers_of, rounding_of
from reportgen.exchange.table import RawTable
from reportgen.study.errors import listed

log = logging.getLogger(__name__)
NAMES = re.compile(
    r"(macro|micro|grand|overall)?(avg|average|mean|median|geomean|geometricmean|total|sum|overall)s?"
    r"|(avg|average|mean|overall|friedman)?(accuracy|error|score)?rank(ing)?s?(mean|avg|average)?"
    r"|(no|nr|numberof|num)?(of)?(wins?|losses|ties|best)(best|ties|losses|draws)*"
    r"|wtl|wdl|windrawloss|wintieloss|std|stdev|stddev|sd|standarddeviation|stderr|pvalues?"
)
"""Of rows that are no data set, in lower case, of letters alone."""
FEWEST_ROWS = 3  # beside a row that is their mean
FEWEST_COLUMNS = 2
MOST_ROUNDED = 0.05  # of the standard deviation of a column: a mean that is rounded more may be one


def without_summaries(table: RawTable, roles: Roles) -> RawTable:
    """Return a table without the rows that sum up others, and note which these are.

    They are known by the name in the column of data sets or, where each data set has one row, as
    the mean of all others.
    """
    column = roles.column("dataset")
    if column is None:
        return table
    cells = [(cell or "").strip() for cell in cells_of(table, column)]
    is_summary = np.array([is_summary_name(cell) for cell in cells], bool)
    if is_summary.all():
        return table
    kept = np.flatnonzero(~is_summary)
    columns = roles.columns("performance")
    if roles.shape == "wide" and columns and len({cells[i] for i in kept}) == len(kept):
        values = np.column_stack([numbers_of(table, c) for c in columns])
        is_summary[kept[means_of_others(values[kept])]] = True
    if not is_summary.any() or is_summary.all():
        return table
    names = dict.fromkeys(listed([cells[i]]) for i in np.flatnonzero(is_summary))
    log.warning("%s: the rows %s are left out: they sum up others", table.path, listed(names))
    table.decided.extend(("left-out-row", name) for name in names)
    return table.take(np.flatnonzero(~is_summary))


def is_summary_name(name: str) -> bool:
    """Whether a name is that of a row that sums up others.

    Examples
    --------
    >>> [is_summary_name(n) for n in ("Average", "Avg. rank", "Wins/best", "W/T/L", "iris")]
    [True, True, True, True, False]
    """
    return NAMES.fullmatch(re.sub(r"[\W\d_]", "", name.lower())) is not None


def means_of_others(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the rows that are the mean of all others, to the digits that they are written with.

    `values`: shape (rows, columns).
    """
    n = len(values)
    if n <= FEWEST_ROWS or values.shape[1] < FEWEST_COLUMNS or not np.isfinite(values).all():
        return np.zeros(0, np.intp)
    found = []
    for i, row in enumerate(values):
        others = np.delete(values, i, axis=0)
        tolerance = rounding_of(row)
        is_fine = (others.std(axis=0) * MOST_ROUNDED > tolerance).all()
        distance = np.abs(row - others.mean(axis=0))
        if is_fine and (distance <= tolerance * (1 + 1e-6) + 1e-12).all():
            found.append(i)
    return np.array(found, np.intp)
