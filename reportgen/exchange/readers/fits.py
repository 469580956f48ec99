"""Another program's table with a row for each fit, and the tidy table made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.exchange.table import MOST_WHOLE, Labels, RawTable, plain_name
from reportgen.performance_measure import Measure
from reportgen.stats.arrays import Array
from reportgen.study.errors import listed

Rows = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Part:
    """The values of one measure."""

    name: str  # the measure's name in the file
    fits: Rows  # (m,); the fits that have a value, or should have one
    values: Array  # shape (m,)


@dataclass(frozen=True, slots=True)
class Fits:
    """One program's results, a fit a place."""

    datasets: Labels
    candidates: Labels
    replications: NDArray[np.int64]  # shape (n,)
    rows: Rows  # (n,); the table's row of each fit, from 0
    parts: tuple[Part, ...]  # the measures, the main one first
    # The measures that the program documents, by their names in the file; the user has to give the
    # direction of others.
    known: Mapping[str, Measure] = field(default_factory=dict)
    failures: pd.DataFrame | None = None  # fits that failed, as a warehouse keeps them
    # (n,); the outcome of each fit, where the program gives it.
    statuses: NDArray[np.str_] | None = None
    # Mean losses of observations, as a warehouse keeps them, where there are predictions.
    losses: pd.DataFrame | None = None
    unit: str = ""  # what a replication is, where the program says it
    facts: Mapping[str, object] = field(default_factory=dict)  # what else is known of each data set
    # Of the replications, as a warehouse keeps them.
    characteristics: pd.DataFrame | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of table that a program writes."""

    name: str  # what `--from` and `results: {format: …}` call it
    known_by: str  # the columns that identify a fit, for messages
    program: str  # who writes it, for messages
    matches: Callable[[RawTable], bool]  # whether a table is of this kind
    # Takes the table; raises an ExchangeError where it cannot be understood.
    read: Callable[[RawTable], Fits]


def has(*columns: str) -> Callable[[RawTable], bool]:
    """Return the test whether a table has all of these columns."""
    return lambda table: set(columns) <= set(table.columns)


def all_fits(table: RawTable, names: Mapping[str, str]) -> tuple[Part, ...]:
    """Return one measure a column: the name in the file by the column."""
    rows = np.arange(table.n_rows)
    return tuple(Part(name, rows, table.numbers(column)) for column, name in names.items())


def first_column(table: RawTable, names: Sequence[str]) -> str | None:
    """Return the first of some columns that is there, however it is spelled."""
    plain = {plain_name(column): column for column in reversed(table.columns)}
    return next((plain[name] for name in names if name in plain), None)


def constant(name: str, n_rows: int) -> Labels:
    """Return a column of one name."""
    return Labels((name,), np.zeros(n_rows, np.int32))


def whole_numbers(table: RawTable, column: str) -> NDArray[np.int64]:
    """Read a column of whole numbers.

    Raises ExchangeError if a number is missing or broken.
    """
    numbers = table.numbers(column)
    broken = ~(np.abs(numbers) < MOST_WHOLE) | (numbers != np.round(numbers))
    if broken.any():
        row = int(broken.argmax())
        found = f"{numbers[row]:g}" if np.isfinite(numbers[row]) else "nothing"
        raise table.error(found, "a whole number", row=row, column=column)
    return numbers.astype(np.int64)


def tidy_frame(fits: Fits, measures: Mapping[str, Measure]) -> pd.DataFrame:
    """Put the chosen measures below one another.

    `measures`: by their names in the file.
    Result: columns dataset, replication, candidate, row, measure, value, and status where it is
    known.
    """
    keys = pd.DataFrame(
        {
            "dataset": categorical(fits.datasets),
            "replication": fits.replications,
            "candidate": categorical(fits.candidates),
            "row": fits.rows,
        }
    )
    if fits.statuses is not None:
        keys["status"] = pd.Categorical(fits.statuses)
    names = tuple(dict.fromkeys(m.name for m in measures.values()))
    by_name = {part.name: part for part in fits.parts}
    parts = [
        keys.iloc[by_name[label].fits].assign(
            measure=pd.Categorical.from_codes(
                np.full(len(by_name[label].fits), names.index(measure.name)), pd.Index(names)
            ),
            value=by_name[label].values,
        )
        for label, measure in measures.items()
    ]
    return pd.concat(parts, ignore_index=True)


def categorical(labels: Labels) -> pd.Categorical[Any]:
    """Return a column of names as pandas keeps it."""
    return pd.Categorical.from_codes(labels.codes, pd.Index(labels.names, dtype=object))


def need(table: RawTable, columns: Sequence[str]) -> None:
    """Raise an error where a table lacks columns."""
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise table.error(f"no column {listed(missing)}", f"the columns {listed(columns)}")
