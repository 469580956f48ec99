"""The table whose archetypes are sought: from the domain, or as a user brought it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.archetypes.options import Options, Rows
from reportgen.sections.domain.data import DomainView, means_view, replications_view
from reportgen.stats.arrays import Array
from reportgen.warehouse import Measure, Warehouse

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
    """Take replications where enough of them have a value in every column.

    Items of two tasks share no more than a number: they are no row.
    """
    if not warehouse.is_replicated or warehouse.unit.is_nested:
        return "candidates"
    whole = _domain(warehouse, measures, "replications")
    is_enough = whole.is_complete.sum() > len(warehouse.candidates)
    return "replications" if is_enough else "candidates"


def _domain(warehouse: Warehouse, measures: Sequence[Measure], rows: Rows) -> View:
    make = replications_view if rows == "replications" else means_view
    views = [make(warehouse, measure) for measure in measures]
    if rows == "datasets":
        return _transpose(views)
    keys = _keys(views)
    candidates = warehouse.candidates
    numbers = tuple(b for _, b in keys) if rows == "replications" else None
    return View(
        rows,
        np.hstack([_align(view, keys) for view in views]),
        tuple(candidates[k] for k, _ in keys),
        numbers,
        _names(views[0].datasets, measures),
        tuple((dataset, m.name) for m in measures for dataset in views[0].datasets),
        tuple(measures),
    )


def _keys(views: Sequence[DomainView]) -> list[tuple[int, int]]:
    """Return place of the candidate and number of the replication of every row, sorted."""
    return sorted({key for view in views for key in _own_keys(view)})


def _own_keys(view: DomainView) -> list[tuple[int, int]]:
    place = {name: i for i, name in enumerate(dict.fromkeys(view.candidates))}
    numbers = [0] * len(view.candidates) if view.replications is None else view.replications
    return [(place[c], int(b)) for c, b in zip(view.candidates, numbers, strict=True)]


def _align(view: DomainView, keys: Sequence[tuple[int, int]]) -> Array:
    """Return the rows of one measure where all measures have them."""
    at = {key: i for i, key in enumerate(keys)}
    values = np.full((len(keys), view.values.shape[1]), np.nan)
    values[[at[key] for key in _own_keys(view)]] = view.values
    return values


def _transpose(views: Sequence[DomainView]) -> View:
    """Let data sets be the rows, and candidates the columns."""
    measures = [view.measure for view in views]
    return View(
        "datasets",
        np.hstack([view.values.T for view in views]),
        views[0].datasets,
        None,
        _names(views[0].candidates, measures),
        tuple((name, m.name) for m in measures for name in views[0].candidates),
        tuple(measures),
    )


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
