"""Tables that other programs write: which they are, and what they mean.

A format says which columns it is known by, and turns the table into a tidy
one with the columns dataset, replication, candidate, measure, value. What a
measure's direction is stands here only where the program documents it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd

from reportgen.errors import ExchangeError
from reportgen.study.schema import MeasureEntry
from reportgen.warehouse import Better

Found = tuple[pd.DataFrame, tuple[MeasureEntry, ...]]

KEYS = ("dataset", "replication", "candidate")


class NotNumericError(Exception):
    """A cell of a column of performances holds something else.

    Attributes
    ----------
    found : object
    row : int
        From 0.
    column : str
    """

    def __init__(self, found: object, row: int, column: str) -> None:
        super().__init__(f"row {row}, column {column}: {found!r} is no number")
        self.found = found
        self.row = row
        self.column = column


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of table.

    Attributes
    ----------
    name : str
        What `--from` calls it.
    needs : tuple of str
        Columns that it is known by.
    source : str
        The program, for messages.
    read : callable
        Takes the table and a name for what has none; returns a tidy table and
        the measures whose direction is known.
    """

    name: str
    needs: tuple[str, ...]
    source: str
    read: Callable[[pd.DataFrame, str], Found]

    def fits(self, columns: Sequence[str]) -> bool:
        """Whether a table with these columns is of this kind."""
        return set(self.needs) <= set(columns)


def find_format(columns: Sequence[str]) -> Format | None:
    """Return the first format that fits, or None."""
    return next((kind for kind in FORMATS.values() if kind.fits(columns)), None)


def _cross_validate(table: pd.DataFrame, stem: str) -> Found:
    """Read the table of scikit-learn's cross_validate: a row a split.

    Columns named dataset, replication or candidate (also model, estimator) say
    what they say; without them the rows are the replications of one candidate.
    """
    keys = pd.DataFrame(index=table.index)
    keys["dataset"] = _first(table, ("dataset", "data", "task"), "data")
    keys["candidate"] = _first(
        table, ("candidate", "model", "estimator", "algorithm", "method"), stem
    )
    counted = keys.groupby(["dataset", "candidate"]).cumcount() + 1
    keys["replication"] = _first(table, ("replication", "split", "fold"), counted)
    values = {
        str(column).removeprefix("test_"): table[column]
        for column in table
        if str(column).startswith("test_")
    }
    times = {"fit_time": "fit-time", "score_time": "predict-time"}
    values |= {name: table[column] for column, name in times.items() if column in table}
    entries = tuple(
        MeasureEntry(name=name, better=None if name in times.values() else "larger")
        for name in values
    )
    return _melted(keys, values), entries


MLR3: Mapping[str, tuple[str, Better]] = MappingProxyType(
    {
        "classif.ce": ("misclassification", "smaller"),
        "classif.acc": ("accuracy", "larger"),
        "classif.bacc": ("balanced-accuracy", "larger"),
        "classif.bbrier": ("brier", "smaller"),
        "classif.logloss": ("log-loss", "smaller"),
        "classif.auc": ("auc", "larger"),
        "regr.mse": ("mse", "smaller"),
        "regr.rmse": ("rmse", "smaller"),
        "regr.mae": ("mae", "smaller"),
        "regr.medae": ("median-absolute-error", "smaller"),
        "regr.rsq": ("r2", "larger"),
        "time_train": ("fit-time", "smaller"),
        "time_predict": ("predict-time", "smaller"),
        "time_both": ("time", "smaller"),
    }
)


def _mlr3(table: pd.DataFrame, stem: str) -> Found:
    """Read the table of mlr3's bmr$score(): a row a resampling iteration."""
    keys = pd.DataFrame(
        {
            "dataset": table["task_id"].astype(str),
            "candidate": table["learner_id"].astype(str),
            "replication": table["iteration"],
        }
    )
    values, entries = {}, []
    for column in table:
        known = MLR3.get(str(column))
        if known or re.match(r"(classif|regr)\.", str(column)):
            name = known[0] if known else str(column)
            values[name] = table[column]
            entries.append(MeasureEntry(name=name, better=known[1] if known else None))
    return _melted(keys, values), tuple(entries)


def _benchopt(table: pd.DataFrame, stem: str) -> Found:
    """Read benchopt's results: the last row of each solver, data set and repetition."""
    repetition = table["idx_rep"] if "idx_rep" in table else pd.Series(0, table.index)
    keys = pd.DataFrame(
        {
            "dataset": _first(table, ("dataset_name", "data_name"), "data"),
            "candidate": table["solver_name"].astype(str),
            "replication": repetition.astype(int) + 1,
        }
    )
    order = table["stop_val"] if "stop_val" in table else pd.Series(np.arange(len(table)))
    last = (
        keys.assign(order=order.to_numpy())
        .sort_values("order", kind="stable")
        .drop_duplicates(list(KEYS), keep="last")
        .index.sort_values()
    )
    columns = [c for c in table if str(c).startswith("objective_") and c != "objective_name"]
    rows = table.loc[last]
    values = {str(c): rows[c] for c in columns if _is_number(table[c])}
    if "time" in table:
        values["time"] = rows["time"]
    entries = tuple(
        MeasureEntry(name=name, better="smaller" if name == "objective_value" else None)
        for name in values
    )
    return _melted(keys.loc[last], values), entries


def _first(table: pd.DataFrame, names: Sequence[str], otherwise: object) -> pd.Series:
    """Return the first of some columns that is there."""
    plain = {re.sub(r"[\s_-]", "", str(c).lower()): c for c in table}
    for name in names:
        if (column := plain.get(re.sub(r"[\s_-]", "", name))) is not None:
            return table[column]
    return otherwise if isinstance(otherwise, pd.Series) else pd.Series(otherwise, table.index)


def _is_number(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column)


def _melted(keys: pd.DataFrame, values: dict[str, pd.Series]) -> pd.DataFrame:
    """Put the measures below one another.

    Raises
    ------
    NotNumericError
        If a cell is neither a number nor missing.
    """
    if not values:
        raise ExchangeError("found no column of performances")
    parts = [
        keys[list(KEYS)].assign(measure=name, value=_numbers(column))
        for name, column in values.items()
    ]
    return pd.concat(parts, ignore_index=True)


def _numbers(column: pd.Series) -> pd.Series:
    """Return a column of the file as numbers; its index counts the file's rows."""
    numbers = pd.to_numeric(column, errors="coerce")
    lost = column.index[numbers.isna() & column.notna()]
    if len(lost):
        raise NotNumericError(column[lost[0]], int(lost[0]), str(column.name))
    return numbers


FORMATS = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            Format(
                "cross-validate",
                ("fit_time", "score_time"),
                "scikit-learn's cross_validate",
                _cross_validate,
            ),
            Format("mlr3", ("task_id", "learner_id", "iteration"), "mlr3", _mlr3),
            Format("benchopt", ("solver_name", "objective_name"), "benchopt", _benchopt),
        )
    }
)
"""By name; tidy and wide tables are no formats of their own."""
