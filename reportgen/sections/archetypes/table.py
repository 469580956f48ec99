"""The table whose archetypes are sought: from the domain, or as a user brought it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Measure
from reportgen.sections.archetypes import Options, Rows
from reportgen.sections.domain.data import DomainValues, domain_values
from reportgen.stats.arrays import Array
from reportgen.warehouse import Warehouse

RowKind = Literal["replications", "candidates", "datasets", "table"]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class View:
    """Rows to be mixed, and what they are."""

    # The unit of a row: a candidate in a replication, a candidate's means, a data set, or a row of
    # a user's own table.
    kind: RowKind
    values: Array  # (n, m); NaN where there is no value
    # Of the rows, n of them: the candidate, the data set, or a table's own.
    labels: tuple[str, ...]
    numbers: tuple[int, ...] | None  # the rows' replications
    # The m columns' names; a data set, with several measures together with its measure.
    columns: tuple[str, ...]
    sources: tuple[tuple[str, str], ...]  # data set or candidate, and measure, of every column
    measures: tuple[Measure, ...]

    @property
    def is_complete(self) -> NDArray[np.bool_]:
        """Whether a row has a value in every column, of shape (n,)."""
        return np.asarray(np.isfinite(self.values).all(axis=1))

    def taking(self, rows: NDArray[np.bool_], columns: NDArray[np.bool_]) -> View:
        """Return some rows and columns."""
        return View(
            self.kind,
            self.values[np.ix_(rows, columns)],
            _some(self.labels, rows),
            None if self.numbers is None else _some(self.numbers, rows),
            _some(self.columns, columns),
            _some(self.sources, columns),
            self.measures,
        )


def _some(items: Sequence[Item], chosen: NDArray[np.bool_]) -> tuple[Item, ...]:
    return tuple(item for item, is_in in zip(items, chosen, strict=True) if is_in)


def view_of(warehouse: Warehouse, options: Options) -> View:
    """Return the rows that the options ask for.

    Result: without columns and rows that have no value at all.
    """
    if warehouse.is_table:
        found = _table(warehouse)
    else:
        names = options.measures or [warehouse.measures[0].name]
        measures = [warehouse.measure(name) for name in names]
        found = _domain(warehouse, measures, options.rows or _usual(warehouse, measures))
    has_value = np.isfinite(found.values)
    return found.taking(np.asarray(has_value.any(axis=1)), np.asarray(has_value.any(axis=0)))


def _usual(warehouse: Warehouse, measures: Sequence[Measure]) -> Rows:
    """Take replications where enough of them have a value in every column."""
    # Items of two tasks share no more than a number: they are no row.
    if not warehouse.is_replicated or warehouse.unit.is_nested:
        return "candidates"
    whole = _domain(warehouse, measures, "replications")
    is_enough = whole.is_complete.sum() > len(warehouse.candidates)
    return "replications" if is_enough else "candidates"


def _domain(warehouse: Warehouse, measures: Sequence[Measure], rows: Rows) -> View:
    every = [domain_values(warehouse, measure) for measure in measures]
    datasets, candidates = every[0].datasets, warehouse.candidates
    if rows == "datasets":
        return View(
            "datasets",
            np.hstack([_means(own).T for own in every]),
            datasets,
            None,
            _names(candidates, measures),
            tuple((name, m.name) for m in measures for name in candidates),
            tuple(measures),
        )
    numbers = None
    labels = candidates
    if rows == "replications":
        known = np.unique(
            np.concatenate([x.replications for own in every for x in own.performances.values()])
        )
        numbers = tuple(known.tolist()) * len(candidates)
        labels = tuple(name for name in candidates for _ in known)
        tables = [_replications(own, known) for own in every]
    else:
        tables = [_means(own) for own in every]
    return View(
        rows,
        np.hstack(tables),
        labels,
        numbers,
        _names(datasets, measures),
        tuple((dataset, m.name) for m in measures for dataset in datasets),
        tuple(measures),
    )


def _means(own: DomainValues) -> Array:
    """Return the means of a measure, a row a candidate and a column a data set."""
    return np.column_stack(list(own.means().values()))


def _replications(own: DomainValues, numbers: NDArray[np.int64]) -> Array:
    """Return the values of a measure: the K B rows of Eugster (2011, 4.4)."""
    # Rows stand by candidate in the study's order, then by replication. Equal numbers of
    # replications on different data sets share a row; they are not the same sample, so a row has a
    # meaning only together with the others of its candidate.
    # Result: NaN on data sets that do not have a replication, and where a fit has failed.
    stacked = np.full((len(own.candidates), len(numbers), len(own.values)), np.nan)
    for m, found in enumerate(own.performances.values()):
        stacked[:, np.searchsorted(numbers, found.replications), m] = found.values.T
    return stacked.reshape(-1, len(own.values))


def _names(names: Sequence[str], measures: Sequence[Measure]) -> tuple[str, ...]:
    if len(measures) == 1:
        return tuple(names)
    return tuple(f"{name}, {measure.name}" for measure in measures for name in names)


def _table(warehouse: Warehouse) -> View:
    """Return a table as it was brought: its rows were kept as replications."""
    (dataset,) = warehouse.datasets
    found = warehouse.performances(dataset, warehouse.measures[0].name)
    numbers = tuple(found.replications.tolist())
    labels = warehouse.facts[dataset].get("labels")
    named = tuple(map(str, labels)) if isinstance(labels, list | tuple) else ()
    return View(
        "table",
        found.values,
        tuple(named[i - 1] if named else str(i) for i in numbers),
        numbers,
        found.candidates,
        tuple((name, "") for name in found.candidates),
        (),
    )
