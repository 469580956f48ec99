"""Logs of training: of the epochs of a run one is its result, and none is a replication."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import erfc
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.exchange.replications import OWN_NAME
from reportgen.exchange.roles import Role, Roles, Shape, is_cost, tells_rows
from reportgen.exchange.table import (
    MISSING,
    RawTable,
    cells_of,
    numbers_of,
    plain_name,
    unknown_column,
)
from reportgen.installation import page_url
from reportgen.stats.ranking import within_block_ranks
from reportgen.study.errors import listed, shown

EPOCHS = (
    *("epoch", "epochs", "round", "rounds", "checkpoint", "ckpt", "trainingiteration", "niter"),
    *("iterations", "update", "updates", "globalstep", "step", "steps", "timestepstotal"),
    *("timesteps", "tokensseen", "samplesseen", "batch"),
)
"""Names of columns that number the epochs of a training, the coarsest first; also with _ before."""
MAYBE = ("iteration", "iter", "run", "trial")
"""Names that replications have, too: epochs by how the values go on."""
CHOICE = re.compile(r"last|best of (?P<column>.+?) \((?P<side>smaller|larger)\)")
ALLOWED = "last, or best of COLUMN (smaller), or best of COLUMN (larger)"
TREND = 0.9  # Spearman's correlation with the number, in every run, by which values go on
FEWEST_EPOCHS, FEWEST_RUNS = 5, 3
CHANCE = 1e-4  # of going with the number by accident, of few runs and on a plateau
LEAST_TREND = 0.2  # of each run, by which its ranks go with the number at all


@dataclass(frozen=True, slots=True)
class Choice:
    """Which epoch of a run is its result: the last one, or the best one of a column."""

    column: str = ""  # "" for the last one
    is_smaller_better: bool = False


def parse_choice(text: str) -> Choice | None:
    """Return the choice that `results.epoch` describes; None for another text.

    Examples
    --------
    >>> parse_choice("best of val_loss (smaller)")
    Choice(column='val_loss', is_smaller_better=True)
    >>> parse_choice("first") is None
    True
    """
    match = CHOICE.fullmatch(text.strip())
    if match is None:
        return None
    return Choice(match["column"] or "", match["side"] == "smaller")


def one_epoch(table: RawTable, roles: Roles, choice: str | None) -> RawTable:
    """Return a tidy table with one row a run, where it is a log of training.

    `roles`: what each column is.
    `choice`: the key `epoch` of results, None where it is not there.
    Raises ExchangeError if a run has many epochs and nothing chooses one of them.
    """
    counts_rows = table.counts_rows and choice is None  # the user says what the rows are
    found = None if counts_rows else _epochs(table, roles, is_chosen=choice is not None)
    if found is None:
        if choice is not None and not any(_may_number(table, c) for c in table.columns):
            raise _without_epochs(table, choice)
        return table
    column, runs = found
    numbers = numbers_of(table, column)
    if choice is None:
        raise _which_epoch(table, roles, column, runs)
    wanted = parse_choice(choice)
    if wanted is None:
        raise table.error(f"epoch: {shown(choice)}", ALLOWED)
    own: tuple[Role, ...] = ("dataset", "candidate", "replication", "status", "measure")
    keys = {c for role in own for c in roles.columns(role)}
    order = np.lexsort((np.arange(len(runs)), _finer(table, column), numbers, runs))
    _check_once(table, roles, column, runs[order], numbers[order], order)
    chosen = None if not wanted.column else _best(table, wanted, runs, numbers)
    is_named = _epoch_name(column) in EPOCHS or roles.column("epoch") == column
    kept = [c for c in table.columns if c != column or is_named]
    rows = {c: _rows(table, c, runs, numbers, order, chosen) for c in kept if c not in keys}
    last = _rows(table, column, runs, numbers, order, chosen)
    table.decided.append(("chosen-epochs", f"{choice} ({listed([column])})"))
    places = table.where
    columns = {c: table.columns[c].take(rows.get(c, last)) for c in kept}
    reasons: dict[int, str] = {}
    for name in roles.columns("value") or roles.columns("performance"):
        columns[name], lost = _finite(table, name, rows.get(name, last), column)
        reasons = {**lost, **reasons}
    return replace(
        table,
        columns=columns,
        n_rows=len(last),
        place=lambda row: places(int(last[row])),
        reasons=reasons,
    )


def refuse_curves(table: RawTable, shape: Shape) -> None:
    """Refuse a table with a column a run and a row an epoch, such as the values of a chart.

    Raises ExchangeError where a column numbers epochs and no other one tells the rows of a wide
    table apart, or Weights & Biases has written the values of a chart: RUN - acc, RUN - acc__MIN.
    """
    if OWN_NAME in table.user_columns or (shape == "tidy" and not _is_chart(table)):
        return
    named = [c for c in table.columns if _epoch_name(c) in EPOCHS and table.is_numeric(c)]
    named = [c for c in named if (np.diff(numbers_of(table, c)) > 0).all() and table.n_rows > 1]
    if shape == "leaderboard" or not named or (tells_rows(table) and not _is_chart(table)):
        return
    runs = [c for c in table.columns if c != named[0] and not c.endswith(("__MIN", "__MAX"))]
    raise table.error(
        f"rows that {listed(named[:1])} numbers as epochs, and a column a run ({listed(runs[:2])}"
        f"{', …' * (len(runs) > 2)}): curves of trainings, whose epochs are no replications",
        "one result a run, with columns of the candidate, the data set and the seed; where the "
        f"rows are replications, {table.key('columns', {OWN_NAME: named[0]}, is_alone=False)} says "
        f"so (docs: {page_url('imports.md#logs-of-training')})",
    )


def _is_chart(table: RawTable) -> bool:
    """Whether columns have the least and greatest values beside others, as below a chart."""
    return any(f"{c}__MIN" in table.columns and f"{c}__MAX" in table.columns for c in table.columns)


def _finite(
    table: RawTable, name: str, rows: NDArray[np.int64], column: str
) -> tuple[Any, dict[int, str]]:
    """Return rows of a column without what is not finite, and why these have no result."""
    import pyarrow as pa
    import pyarrow.compute as pc

    cells, epochs = cells_of(table, name), cells_of(table, column)
    odd = {i: cell for i, row in enumerate(rows) if (cell := cells[row]) and _is_odd(cell)}
    taken = table.columns[name].take(rows)
    mask = pa.array([i in odd for i in range(len(rows))])
    reasons = {i: f"{name}: {c.strip()} in {column} {epochs[rows[i]]}" for i, c in odd.items()}
    return pc.if_else(mask, pa.scalar(None, taken.type), taken) if odd else taken, reasons


def _is_odd(cell: str) -> bool:
    """Whether a cell is written as not a number, or as infinite.

    Examples
    --------
    >>> [_is_odd(cell) for cell in ("nan", "-Inf", "NA", "0.5")]
    [True, True, False, False]
    """
    return re.fullmatch(r"[+-]?(nan|inf|infinity)", cell.strip(), re.IGNORECASE) is not None


def _check_once(
    table: RawTable,
    roles: Roles,
    column: str,
    runs: NDArray[np.int64],
    numbers: NDArray[np.float64],
    order: NDArray[np.intp],
) -> None:
    """Refuse two values of one epoch, of which only the order of rows says which is the later."""
    steps = _finer(table, column)[order]
    for name in roles.columns("value") or roles.columns("performance"):
        has = _has_value(table, name)[order]
        frame = pd.DataFrame({"run": runs, "number": numbers, "step": steps})[has]
        twice = frame.duplicated().to_numpy()
        if twice.any():
            row = int(order[has][twice.argmax()])
            found = f"two values of one run with the same {listed([column])}"
            raise table.error(found, "one of each epoch", row=row, column=name)


def _has_value(table: RawTable, name: str) -> NDArray[np.bool_]:
    """Whether cells are not empty: what is written as nan is the result of that epoch."""
    cells = cells_of(table, name)
    is_filled = [c is not None and (c.strip().lower() not in MISSING or _is_odd(c)) for c in cells]
    return np.array(is_filled, bool)


def _rows(
    table: RawTable,
    name: str,
    runs: NDArray[np.int64],
    numbers: NDArray[np.float64],
    order: NDArray[np.intp],
    chosen: NDArray[np.float64] | None,
) -> NDArray[np.int64]:
    """Return the row of each run that has the value of a column."""
    # That is the last one with a value, of the epoch that was chosen, if any; a value that a run
    # has only once is that of the run. Where there is none, the row is one without a value.
    has, n_runs = _has_value(table, name), int(runs.max()) + 1
    is_once = (np.bincount(runs[has], minlength=n_runs) == 1)[runs]
    is_of_epoch = np.isfinite(numbers) if chosen is None else numbers == chosen[runs]
    rows = np.zeros(n_runs, np.int64)
    for fitting in (np.ones(len(runs), bool), is_of_epoch, has & (is_of_epoch | is_once)):
        found = order[fitting[order]]
        rows[runs[found]] = found  # of several the last one
    return rows


def _best(
    table: RawTable, wanted: Choice, runs: NDArray[np.int64], numbers: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the best epoch of each run; the first of equally good ones."""
    if wanted.column not in table.columns:
        raise unknown_column(table, wanted.column, "the best epoch")
    cells = cells_of(table, wanted.column)
    odd = np.array([cell is not None and _is_odd(cell) for cell in cells], bool)
    values = np.full(table.n_rows, np.nan)  # of what has diverged, too
    values[~odd] = table.take(np.flatnonzero(~odd)).numbers(wanted.column)
    frame = pd.DataFrame(
        {
            "run": runs,
            "number": numbers,
            "value": values if wanted.is_smaller_better else -values,
        }
    )
    frame = frame.dropna().sort_values(["run", "value", "number"])
    best = frame.drop_duplicates("run").set_index("run")["number"]
    missing = sorted(set(runs.tolist()) - set(best.index))
    if missing:
        row = int(np.argmax(runs == missing[0]))
        found = f"a run without any value of {wanted.column}"
        raise table.error(found, "one to choose the best epoch by", row=row)
    return best.sort_index().to_numpy(np.float64)


def _epochs(
    table: RawTable, roles: Roles, *, is_chosen: bool
) -> tuple[str, NDArray[np.int64]] | None:
    """Return the column that numbers the epochs, and the run of every row; None for no log."""
    # `is_chosen`: whether the user says which epoch counts, and so that there are some.
    if roles.column("item") or roles.column("candidate") is None:
        return None
    by_user = OWN_NAME in table.user_columns
    own = roles.columns("replication")
    others = [c for c in table.columns if c not in own]
    by_name = [c for key in EPOCHS for c in others if _epoch_name(c) == key]
    named = [c for c in roles.columns("epoch") or by_name if table.is_numeric(c)]
    for column in named[:1]:
        runs = _runs(table, roles, own)
        if len(np.unique(runs)) < table.n_rows and _varies(table, column, runs):
            return column, runs
    maybe = [] if by_user else [c for c in own if plain_name(c) in MAYBE and table.is_numeric(c)]
    for column in maybe:
        runs = _runs(table, roles, [c for c in own if c != column])
        if _varies(table, column, runs) and (is_chosen or _goes_on(table, roles, column, runs)):
            return column, runs
    return None


def _may_number(table: RawTable, column: str) -> bool:
    """Whether a column may number epochs, by its name or the user's."""
    is_given = table.user_columns.get("epoch") == column
    return is_given or _epoch_name(column) in EPOCHS or plain_name(column) in MAYBE


def _without_epochs(table: RawTable, choice: str) -> Exception:
    """Return the error for a choice among epochs that no column numbers."""
    named = table.key("columns", {"epoch": "…"}, is_alone=False)
    return table.error(
        f"{table.key('epoch', choice)}, and no column of epochs among {listed(table.columns)}",
        f"{named} with the column that numbers them, or a file with one row a run without `epoch`",
    )


def _epoch_name(column: str) -> str:
    return plain_name(column.rpartition("/")[2])


def _finer(table: RawTable, column: str) -> NDArray[np.float64]:
    """Return the steps within epochs, where another column numbers them."""
    found = [c for c in table.columns if c != column and _epoch_name(c) in EPOCHS]
    steps = [c for c in found if table.is_numeric(c)]
    return np.nan_to_num(numbers_of(table, steps[0])) if steps else np.zeros(table.n_rows)


def _runs(table: RawTable, roles: Roles, replications: Sequence[str]) -> NDArray[np.int64]:
    """Number the runs: the combinations of data set, candidate, replication and measure."""
    named = [roles.column(role) for role in ("dataset", "candidate", "measure")]
    columns = [*(c for c in named if c is not None), *replications]
    frame = pd.DataFrame({c: pd.factorize(pd.Series(cells_of(table, c)))[0] for c in columns})
    return np.asarray(frame.groupby(columns, sort=True).ngroup(), np.int64)


def _varies(table: RawTable, column: str, runs: NDArray[np.int64]) -> bool:
    """Whether a run has rows with different numbers."""
    frame = pd.DataFrame({"run": runs, "number": numbers_of(table, column)})
    return bool((frame.groupby("run")["number"].nunique() > 1).any())


def _goes_on(table: RawTable, roles: Roles, column: str, runs: NDArray[np.int64]) -> bool:
    """Whether some result goes up, or down, with the number in every run, as of a training."""
    numbers = numbers_of(table, column)
    names = roles.columns("value") or roles.columns("performance")
    others = [own.column for own in roles.of if own.reason == "other-sample"]
    for name in (*names, *others):
        if is_cost(name):  # times get longer, or shorter, while a machine warms up
            continue
        frame = pd.DataFrame({"run": runs, "x": numbers, "y": numbers_of(table, name)}).dropna()
        parts = [part.sort_values("x") for _, part in frame.groupby("run")]
        parts = [part for part in parts if len(part) >= FEWEST_EPOCHS]
        found = [_correlation(part["x"].to_numpy(), part["y"].to_numpy()) for part in parts]
        if len(parts) >= FEWEST_RUNS and (min(found) > TREND or max(found) < -TREND):
            return True
        if any(_chance(parts, found, side) < CHANCE for side in (1, -1)):
            return True
    return False


def _chance(parts: Sequence[pd.DataFrame], found: Sequence[float], side: int) -> float:
    """Return how probable it is that all runs go up (side 1) or down if order has no meaning."""
    # They do where the first value of each is its least, or ranks go with the number.
    # `found`: Spearman's correlation of each run, whose variance is 1 / (n - 1) without a meaning.
    values = [side * part["y"].to_numpy(np.float64) for part in parts]
    is_first = bool(values) and all(own[0] < own[1:].min() for own in values)
    first = float(np.prod([1 / len(own) for own in values])) if is_first else 1.0
    if not parts or min(side * own for own in found) <= LEAST_TREND:
        return first
    z = sum(side * own * (len(p) - 1) ** 0.5 for own, p in zip(found, parts, strict=True))
    return min(first, erfc(z / (2 * len(parts)) ** 0.5) / 2)


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return Spearman's correlation; 0 where one is constant."""
    ranks = [within_block_ranks(values[None], is_smaller_better=True)[0] for values in (x, y)]
    centred = [own - own.mean() for own in ranks]
    size = float(np.sqrt((centred[0] ** 2).sum() * (centred[1] ** 2).sum()))
    return float((centred[0] * centred[1]).sum()) / size if size else 0.0


def _which_epoch(table: RawTable, roles: Roles, column: str, runs: NDArray[np.int64]) -> Exception:
    """Return the error for a log of which nobody says which epoch counts."""
    most = int(np.bincount(runs).max())
    own = [c for c in roles.columns("replication") if c != column]
    meant = [*own, column] if own else column
    return table.error(
        f"up to {most} rows of one run, which {listed([column])} numbers as a training does its "
        "epochs",
        f"one result a run: {table.key('epoch', 'last', option='--epoch last')}, or such as "
        f"{table.key('epoch', 'best of val_loss (smaller)', is_alone=False)}, says which; epochs "
        "are no replications. Where they are, "
        f"{table.key('columns', {'replication': meant}, is_alone=False)} says so; where each row "
        f"is a run that took so many, {table.key('columns', {'ignore': column}, is_alone=False)} "
        f"(docs: {page_url('imports.md#logs-of-training')})",
    )
