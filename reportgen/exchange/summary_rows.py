"""Rows of a table that sum up its other rows: means, ranks and wins below a published table."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.exchange.replications import NUMBERED
from reportgen.exchange.roles import Roles, is_summary_name, rounding_of, share_off
from reportgen.exchange.table import MISSING, RawTable, cells_of, numbers_of, plain_name
from reportgen.study.errors import listed, shown

log = logging.getLogger(__name__)
SOFT = ("all",)  # names that a data set has as well, such as that of a leukaemia
OPEN = ("p",)  # names that say so little that their rows are never left out by these alone
OF_SOLVERS = ("vbs", "sbs", "oracle", "virtualbest", "virtualbestsolver", "singlebest")
"""Names of what the best of all candidates would be, for each data set or over all."""
MOST_ROWS = 20_000  # of a tidy table that is searched for nameless means
MOST_SEARCHED = 300  # data sets, of which one may be the mean of others without a name
FEWEST_ROWS = 3  # beside a row that is their mean
FEWEST_COLUMNS = 2
MOST_ROUNDING = 0.51  # of a number: half a unit of whole numbers
MOST_COARSE = 0.25  # of the spread of data sets: where numbers are too coarse to tell a sum
MOST_CHANCE = 0.05  # likewise, that a data set lies there in all columns by chance
SPANNED = 2.5  # standard deviations over which data sets lie about evenly
MOST_ROUNDED = 0.05  # of the standard deviation of a column: a mean that is rounded more may be one


@dataclass(frozen=True, slots=True)
class _Block:
    """The means of one measure, data sets by candidates, and how they were written."""

    means: pd.DataFrame
    counts: pd.DataFrame  # rows of each mean
    rounding: pd.Series[float]  # of the numbers of each data set


@np.errstate(over="ignore", invalid="ignore")  # of numbers that are refused later
def without_summaries(table: RawTable, roles: Roles) -> RawTable:
    """Return a table without the rows that sum up others, and note which these are.

    They have such a name in the column of data sets, and values that are the mean, the rank or such
    of the others; or one row a candidate where all others have several. In a wide table with one
    row a data set they may also be off the others, or no numbers, and what is the mean of all
    others needs no name.
    Raises ExchangeError if a row of such a wide table has the name and neither of this.
    """
    _refuse_summing_replications(table, roles)
    column = roles.column("dataset")
    is_long = roles.shape != "wide" and table.n_rows > MOST_ROWS
    if is_long and column is not None and not _names_of_sums(table, column):
        return table
    named = _names_of_rows(table, roles)
    if named is None:
        return table
    cells, names = named
    if not names and roles.shape != "wide":
        return _without_nameless_means(table, roles, cells)
    is_named = np.isin(cells, names)
    if is_named.all():
        if roles.shape == "wide" and len(names) > 1:
            raise table.error(
                f"rows that sum up others alone: {listed(names)}", "the values that they sum up"
            )
        return table
    blocks = _blocks(table, roles, cells, _candidates(table, roles)) if names else []
    kept = np.flatnonzero(~is_named)
    is_list = roles.shape == "wide" and len(set(cells[kept])) == len(kept)
    found = names  # where rows are replications, of which none has such a name
    if roles.column("dataset") is not None:
        found = [name for name in names if _is_summary(table, blocks, name, names, cells, is_list)]
    is_summary = np.isin(cells, found)
    columns = roles.columns("performance")
    if is_list and columns:
        values = np.column_stack([numbers_of(table, c) for c in columns])
        is_summary[kept[means_of_others(values[kept])]] = True
    if not is_summary.any() or is_summary.all():
        return table
    return _without(table, is_summary, [listed([cells[i]]) for i in np.flatnonzero(is_summary)])


def _without(
    table: RawTable, rows: NDArray[np.bool_], names: Sequence[str], noun: str = "rows"
) -> RawTable:
    """Return a table without some rows, and note their names."""
    left = dict.fromkeys(names)
    log.warning("%s: the %s %s are left out: they sum up others", table.path, noun, listed(left))
    table.decided.extend(("left-out-row", name) for name in left)
    return table.take(np.flatnonzero(~rows))


@np.errstate(over="ignore", invalid="ignore")  # of numbers that are refused later
def without_summing_candidates(table: RawTable, roles: Roles) -> RawTable:
    """Return a tidy table without the candidates that sum up the others, and note which these are.

    They have such a name, and values that are the mean, the best or such of the others' values on
    all data sets and replications.
    """
    column = roles.column("candidate")
    if column is None or roles.shape == "wide" or not table.is_text(column):
        return table
    names = _names_of_sums(table, column, OF_SOLVERS)
    if not names:
        return table
    cells, _ = _cells(table, column)
    places = _places(table, [*roles.columns("dataset"), *roles.columns("replication")])
    blocks = _blocks(table, roles, cells, places.tolist())
    found = []
    for name in names:
        own = [b for b in blocks if name in b.means.index and b.means.loc[name].notna().any()]
        enough = [(~b.means.index.isin(names)).sum() > 1 for b in own]
        if own and all(enough) and all(_sums_up(block, name, names) for block in own):
            found.append(name)
        else:
            words = "%s: %s is read as a candidate, not as a sum of others"
            log.warning(words, table.path, shown(name))
    return _without(table, np.isin(cells, found), found, "candidates") if found else table


def _places(table: RawTable, columns: Sequence[str]) -> NDArray[np.int64]:
    """Number the combinations of the cells of some columns."""
    if not columns:
        return np.zeros(table.n_rows, np.int64)
    cells = [pd.Series(cells_of(table, c), dtype=object) for c in columns]
    numbers = pd.concat(cells, axis=1).groupby(list(range(len(columns))), dropna=False).ngroup()
    return np.asarray(numbers, np.int64)


def _refuse_summing_replications(table: RawTable, roles: Roles) -> None:
    """Refuse a column such as fold_0, fold_1, overall, of which the last is no fold."""
    for own in roles.of:
        if own.role != "replication" or own.reason == "user" or not table.is_text(own.column):
            continue
        names = table.labels(own.column).names
        sums = [name for name in names if is_summary_name(name)]
        others = [name for name in names if name not in sums]
        if roles.shape == "tidy" and sums and others and all(map(NUMBERED.fullmatch, others)):
            raise table.error(
                f"{listed(map(shown, sums))} beside {listed(others)}, which may be the rows of a "
                "mean",
                "the rows of single replications; where it is one, "
                + table.key("columns", {"replication": own.column}, is_alone=False)
                + " says so",
                column=own.column,
            )


def _without_nameless_means(table: RawTable, roles: Roles, cells: NDArray[np.object_]) -> RawTable:
    """Return a tidy table without the data set whose values are the means of all others'."""
    # `cells`: the data set of each row.
    found = len(set(cells.tolist())) if table.n_rows <= MOST_ROWS else 0
    if not FEWEST_ROWS < found <= MOST_SEARCHED or roles.column("candidate") is None:
        return table
    blocks = _blocks(table, roles, cells, _candidates(table, roles))
    blocks = [block for block in blocks if block.means.notna().any(axis=None)]
    sums = [set(b.means.index[means_of_others(b.means.to_numpy())].tolist()) for b in blocks]
    names = set.intersection(*sums) if sums else set()
    if not names or any((block.counts > 1).any(axis=None) for block in blocks):
        return table
    return _without(table, np.isin(cells, sorted(names)), sorted(names))


def _names_of_rows(table: RawTable, roles: Roles) -> tuple[NDArray[np.object_], list[str]] | None:
    """Return the name of each row, and those that may be of sums; None where rows have no names."""
    # They are data sets or, where a wide table has none, replications, or what has no name itself.
    column = roles.column("dataset")
    if column is not None:
        return _cells(table, column)
    if roles.shape != "wide":
        return None
    whole = replace(table, columns={**table.columns, **table.unnamed})
    found = [_cells(whole, c) for c in (*roles.columns("replication"), *table.unnamed)]
    return next((own for own in found if own[1]), None)


def _cells(table: RawTable, column: str) -> tuple[NDArray[np.object_], list[str]]:
    """Return the cells of a column, and those that have the names of sums."""
    cells = np.array([(cell or "").strip() for cell in cells_of(table, column)], object)
    names = list(dict.fromkeys(cells.tolist()))
    return cells, [name for name in names if is_summary_name(name)]


def _names_of_sums(table: RawTable, column: str, further: Collection[str] = ()) -> list[str]:
    """Return the names in a column that sums have, and those among further ones."""
    import pyarrow as pa

    own = pa.chunked_array([table.columns[column].unique()])
    cells, names = _cells(replace(table, columns={column: own}, n_rows=len(own)), column)
    return names + [name for name in cells if plain_name(name) in further]


def _candidates(table: RawTable, roles: Roles) -> Sequence[object]:
    """Return the candidate of each row of a tidy table."""
    column = roles.column("candidate")
    return [""] * table.n_rows if column is None else cells_of(table, column)


def _blocks(
    table: RawTable, roles: Roles, cells: NDArray[np.object_], others: Sequence[object]
) -> list[_Block]:
    """Return the means of each measure."""
    # `cells`: which of those that may be sums each row is of.
    # `others`: what it is of besides, in a tidy table; in others the columns are that.
    columns = roles.columns("value") or roles.columns("performance")
    if roles.shape != "tidy":
        parts = [pd.DataFrame({"candidate": c, "value": numbers_of(table, c)}) for c in columns]
        frames = [pd.concat([part.assign(dataset=cells) for part in parts])] if parts else []
    else:
        measure = roles.column("measure")
        keys = pd.DataFrame({"dataset": cells, "candidate": others})
        keys["measure"] = "" if measure is None else cells_of(table, measure)
        parts = [keys.assign(value=numbers_of(table, c)) for c in columns]
        frames = [own for part in parts for _, own in part.groupby("measure")]
    return [_block(frame) for frame in frames]


def _block(frame: pd.DataFrame) -> _Block:
    """Return the means of data set and candidate."""
    cell = frame.groupby(["dataset", "candidate"])["value"]
    by_dataset = frame.groupby("dataset")["value"]
    rounding = by_dataset.agg(lambda own: rounding_of(own.to_numpy(np.float64)))
    return _Block(cell.mean().unstack(), cell.size().unstack(), rounding)


def _is_summary(
    table: RawTable,
    blocks: Sequence[_Block],
    name: str,
    names: Sequence[str],
    cells: NDArray[np.object_],
    is_list: bool,
) -> bool:
    """Whether rows of a name sum up those of other names."""
    # `names`: all that are those of summaries.
    # `cells`: the data set of each row.
    # `is_list`: whether each data set has one row of a wide table.
    given = [block for block in blocks if name in block.means.index]
    filled = [block for block in given if block.means.loc[name].notna().any()]
    if not filled:
        return is_list or _has_words(table, cells == name)
    if all(_has_one_row(block, name, names) for block in given):
        return True
    if all(_sums_up(block, name, names) for block in filled):
        return True
    others = [block.means.drop(index=names, errors="ignore").to_numpy() for block in filled]
    if not is_list:
        if name.lower() not in OPEN:
            words = "%s: %s is read as a data set, not as a sum of others"
            log.warning(words, table.path, shown(name))
        return False
    if name.lower() in SOFT:
        return False
    rows = [block.means.loc[name].to_numpy() for block in filled]
    if name.lower() not in OPEN and any(
        share_off(row, rest) > 0 for row, rest in zip(rows, others, strict=True)
    ):
        return True
    raise table.error(
        f"{shown(name)}, the name of a sum of other rows, with values that may be those of a data "
        "set",
        "a table without that row, or another name where it is a data set",
        row=int(np.argmax(cells == name)),
    )


def _has_words(table: RawTable, rows: NDArray[np.bool_]) -> bool:
    """Whether some cell of a row is such as 3/0/1 in a column of numbers."""
    columns = [c for c in table.columns if table.is_numeric(c) and table.is_text(c)]
    at = np.flatnonzero(rows)
    found = [np.array(cells_of(table, c), object)[at] for c in columns]
    return any(str(cell or "").strip().lower() not in MISSING for own in found for cell in own)


def _has_one_row(block: _Block, name: str, names: Sequence[str]) -> bool:
    """Whether each candidate has one row of a name, and several of each data set."""
    others = block.counts.drop(index=names, errors="ignore")
    return bool((block.counts.loc[name].dropna() == 1).all() and (others.min() > 1).all())


def _sums_up(block: _Block, name: str, names: Sequence[str]) -> bool:
    """Whether the values of a name are the mean, the sum, the rank or such of the others."""
    row, others = block.means.loc[name], block.means.drop(index=names, errors="ignore")
    own = float(block.rounding[name])
    tolerance = own + float(block.rounding[others.index].max())
    spreads = others.std(axis="index" if len(others) > 1 else "columns")
    shares = (2 * tolerance / (SPANNED * spreads)).to_numpy(np.float64)
    chance = float(np.fmin(shares, 1.0).prod())
    if tolerance > MOST_COARSE * spreads.mean() and not chance < MOST_CHANCE:
        return False
    ranks = [others.rank(axis=1, ascending=is_up) for is_up in (True, False)]
    best = [others.eq(others.max(axis=1), axis=0), others.eq(others.min(axis=1), axis=0)]
    logs = np.log(others.where(others > 0))
    summaries = [
        (others.mean(), tolerance),
        (others.median(), tolerance),
        (np.exp(logs.mean()), tolerance),
        (others.min(), tolerance),
        (others.max(), tolerance),
        (others.std(ddof=0), 2 * tolerance),
        (others.std(ddof=1), 2 * tolerance),
        (others.sum(), len(others) * tolerance),
        *((rank.mean(), own) for rank in ranks),
        *((wins.sum(), 0.0) for wins in best),
    ]
    has = row.notna()
    return any(
        bool(((row - summary)[has].abs() <= most * (1 + 1e-6) + 1e-12).all())
        for summary, most in summaries
    )


def means_of_others(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the rows that are the mean of all others, to the digits that they are written with.

    Or each of several is the mean of the rows since the one before: the means of groups.

    `values`: shape (rows, columns).
    """
    n = len(values)
    if n <= FEWEST_ROWS or values.shape[1] < FEWEST_COLUMNS or not np.isfinite(values).all():
        return np.zeros(0, np.intp)
    means = (values.sum(axis=0) - values) / (n - 1)  # of the others of each row
    near = np.abs(values - means).max(axis=1) <= MOST_ROUNDING
    found = [
        i
        for i in np.flatnonzero(near).tolist()
        if _is_mean_of(values[i], np.delete(values, i, axis=0))
    ]
    if not found and n <= MOST_SEARCHED:
        found = _means_of_groups(values)
    return np.array(found, np.intp)


def _is_mean_of(row: NDArray[np.float64], others: NDArray[np.float64]) -> bool:
    """Whether a row is the mean of others, to its digits, which are finer than they vary."""
    tolerance = rounding_of(row)
    is_fine = (others.std(axis=0) * MOST_ROUNDED > tolerance).all()
    distance = np.abs(row - others.mean(axis=0))
    return bool(is_fine and (distance <= tolerance * (1 + 1e-6) + 1e-12).all())


def _means_of_groups(values: NDArray[np.float64]) -> list[int]:
    """Return the rows each of which is the mean of those since the one before; the last is one."""
    found: list[int] = []
    start = 0
    for i, row in enumerate(values):
        if i - start >= 2 and _is_mean_of(row, values[start:i]):
            found.append(i)
            start = i + 1
    return found if len(found) > 1 and start == len(values) else []
