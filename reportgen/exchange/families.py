"""Families and weights of data sets that columns of results, or of characteristics, give."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from reportgen.errors import ExchangeError
from reportgen.exchange.design_tables import DATASET_COLUMNS
from reportgen.exchange.files import read_table
from reportgen.exchange.table import IGNORED, Columns, RawTable
from reportgen.study.errors import listed, shown, suggestion
from reportgen.study.families import BY_FAMILY, EQUAL, GIVEN, family_facts, family_of_each
from reportgen.study.schema.datasets import ResultsEntry
from reportgen.warehouse import Warehouse

log = logging.getLogger(__name__)


def asks_for_families(entry: ResultsEntry) -> bool:
    """Whether a study says anything of families or weights."""
    return entry.families is not None or entry.weights != EQUAL


def named_columns(entry: ResultsEntry) -> tuple[str, ...]:
    """Return the columns that a study names for families and weights."""
    names = (entry.families, entry.weights)
    return tuple(n for n in names if isinstance(n, str) and n not in (EQUAL, BY_FAMILY))


def without_families(entry: ResultsEntry, columns: Columns, table: RawTable) -> Columns:
    """Return the columns of results with those of families and weights left out of them."""
    own = [name for name in named_columns(entry) if name in table.columns]
    given = columns.get(IGNORED, ())
    others = (given,) if isinstance(given, str) else tuple(given)
    return {**columns, IGNORED: (*others, *own)} if own else columns


def with_families(
    warehouse: Warehouse, entry: ResultsEntry, columns: Columns, folder: Path, table: RawTable
) -> Warehouse:
    """Return the results with the families and weights of their data sets among the facts.

    `columns`: the results' columns by our name, where they are others.
    `folder`: of the manifest.
    `table`: the results as they were written.
    Raises ExchangeError if a column is not there, a data set has two families or weights, a
    mapping names another data set, or a weight is no positive number.
    """
    tables = [table]
    if entry.characteristics is not None:
        tables.insert(0, read_table(folder / entry.characteristics))

    def refuse(key: str, found: str, allowed: str) -> ExchangeError:
        path = table.path
        name = table.key(key, "\u2026") if table.is_argument else f"results.{key}"
        return ExchangeError(f"{path}: {name}: found {found}; allowed {allowed}")

    def column(key: str, name: str) -> tuple[RawTable, str]:
        """Find the table that has a column, and its column of data sets."""
        there = [own for own in tables if name in own.columns]
        if not there:
            for own in tables:
                own.refuse_nested([name])
            known = [c for own in tables for c in own.columns]
            allowed = f"{listed(known)}{suggestion(name, known)}"
            raise refuse(key, f"no column {shown(name)}", allowed)
        own = there[0]
        return own, _of_datasets(own, warehouse.datasets, columns, lambda *x: refuse(key, *x))

    family: Mapping[str, str] = {}
    if isinstance(entry.families, str):
        own, key = column("families", entry.families)
        texts = _texts(own, entry.families)
        family = {d: x for d, x in _one_each(own, key, entry.families, texts).items() if x}
    elif entry.families is not None:
        family = family_of_each(entry.families, warehouse.datasets, refuse)
    weights: Any = entry.weights
    if isinstance(weights, str) and weights not in (EQUAL, BY_FAMILY):
        own, key = column("weights", weights)
        numbers = own.numbers(weights)
        if not (np.isfinite(numbers) & (numbers > 0)).all():
            row = int((~(np.isfinite(numbers) & (numbers > 0))).argmax())
            raise own.error(f"{numbers[row]:g}", "a weight above 0", row=row, column=weights)
        found = _one_each(own, key, weights, numbers.tolist())
        weights = {d: found[d] for d in warehouse.datasets if d in found}
    if warehouse.unit.is_nested or warehouse.unit.is_contest:
        log.warning(
            "%s: families and weights are not used: the %ss of a %s decide",
            table.path,
            warehouse.unit.noun,
            warehouse.unit.dataset,
        )
    source = str(entry.weights) if isinstance(entry.weights, str) else GIVEN
    more = family_facts(warehouse.datasets, family, weights, refuse, weighting=source)
    facts = {d: {**warehouse.facts.get(d, {}), **more[d]} for d in warehouse.datasets}
    others = {d: own for d, own in warehouse.facts.items() if d not in facts}
    return replace(warehouse, facts={**others, **facts})


def _of_datasets(
    table: RawTable,
    datasets: tuple[str, ...],
    columns: Columns,
    refuse: Callable[[str, str], ExchangeError],
) -> str:
    """Return the column that names the data sets of the results."""
    given = columns.get("dataset")
    first = (given,) if isinstance(given, str) else ()
    for name in (*first, *DATASET_COLUMNS, *table.columns):
        if name in table.columns and {*datasets} <= {*_texts(table, name)}:
            return str(name)
    found = f"no column with the data sets {listed(datasets)} beside it"
    raise refuse(found, "such a column, or a mapping with the data sets")


def _texts(table: RawTable, column: str) -> list[str]:
    cells = table.columns[column].to_pylist()
    return ["" if x is None else " ".join(str(x).split()) for x in cells]


def _one_each(table: RawTable, key: str, column: str, cells: list[Any]) -> dict[str, Any]:
    """Return the cell of each data set; raise an error where it has two."""
    found: dict[str, Any] = {}
    for row, (name, cell) in enumerate(zip(_texts(table, key), cells, strict=True)):
        if found.setdefault(name, cell) != cell:
            raise table.error(
                f"{shown(str(cell))} of the data set {shown(name)}",
                f"{shown(str(found[name]))}, as in a row before: one a data set",
                row=row,
                column=column,
            )
    return found
