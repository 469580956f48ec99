"""Missing values: views of a warehouse without incomplete replications."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from reportgen.data_classes import dataclass
from reportgen.errors import AnalysisError
from reportgen.warehouse import Warehouse
from reportgen.warehouse.rows import codes_of, rows_of

MissingRule = Literal["available", "complete-dataset", "complete-domain"]


@dataclass(frozen=True, slots=True)
class RestrictedWarehouse:
    """A warehouse under a rule for missing values."""

    warehouse: Warehouse  # without the replications that the rule removes
    n_removed: dict[str, int]  # how many those are, by data set


def keep(warehouse: Warehouse, rule: MissingRule) -> RestrictedWarehouse:
    """Remove the replications that a rule for missing values does not let pass.

    A replication of a data set is incomplete when a candidate lacks the value
    of a measure, in which that candidate has some value on the data set: what a
    candidate never achieves makes no replication incomplete.

    `warehouse`: of the whole study.
    `rule`: keep every replication; those complete on their data set; or those whose number is
    complete on every data set.
    Raises AnalysisError if nothing is left.

    Examples
    --------
    >>> from reportgen.warehouse import Measure
    >>> rows = [(d, b, k, "error", 0.1) for d in "xy" for b in (1, 2) for k in "pq"]
    >>> frame = pd.DataFrame(
    ...     rows[:-1], columns=["dataset", "replication", "candidate", "measure", "value"]
    ... )
    >>> whole = Warehouse.of(frame, [Measure("error")])
    >>> keep(whole, "complete-dataset").n_removed, keep(whole, "complete-domain").n_removed
    ({'x': 0, 'y': 1}, {'x': 1, 'y': 1})
    """
    numbers = warehouse.frame["replication"].to_numpy()
    present = {
        dataset: set(np.unique(numbers[rows_of(warehouse.frame, dataset)]).tolist())
        for dataset in warehouse.datasets
    }
    if rule == "available":
        return RestrictedWarehouse(warehouse, dict.fromkeys(present, 0))
    kept = {name: complete_replications(warehouse, name) for name in warehouse.datasets}
    if rule == "complete-domain":
        everywhere = set.intersection(*kept.values())
        kept = dict.fromkeys(kept, everywhere)
    if not any(kept.values()):
        where = "on every data set" if rule == "complete-domain" else "on any data set"
        raise AnalysisError(
            f"analysis.missing: found {rule}, which leaves nothing: no replication is complete "
            f"{where}; "
            f"allowed {'complete-dataset or ' if rule == 'complete-domain' else ''}available"
        )
    n_removed = {dataset: len(present[dataset] - kept[dataset]) for dataset in present}
    return RestrictedWarehouse(_only(warehouse, kept), n_removed)


def complete_replications(warehouse: Warehouse, dataset: str) -> set[int]:
    """Return the numbers of the replications that are complete on a data set.

    Result: those in which no candidate lacks a value of a measure in which it has some value on the
    data set; empty where there is no value.
    """
    frame, rows = warehouse.frame, rows_of(warehouse.frame, dataset)
    has_value = np.isfinite(frame["value"].to_numpy(np.float64)[rows])
    numbers, block = np.unique(frame["replication"].to_numpy()[rows], return_inverse=True)
    cells = codes_of(frame["measure"])[rows].astype(np.int64) * len(warehouse.candidates)
    cells += codes_of(frame["candidate"])[rows]
    n_possible = len(np.unique(cells[has_value]))  # pairs of candidate and measure
    n_there = np.bincount(block[has_value], minlength=len(numbers))
    return set(numbers[n_there == n_possible].tolist()) if n_possible else set()


def _only(warehouse: Warehouse, kept: dict[str, set[int]]) -> Warehouse:
    """Return the warehouse with some replications of every data set; names stay as they are."""
    return replace(
        warehouse,
        frame=_rows(warehouse.frame, kept),
        failures=_rows(warehouse.failures, kept),
        remarks=_rows(warehouse.remarks, kept),
    )


def _rows(table: pd.DataFrame, kept: dict[str, set[int]]) -> pd.DataFrame:
    is_kept = np.zeros(len(table), np.bool_)
    numbers = table["replication"].to_numpy()
    for dataset, rows in table.groupby("dataset", observed=True, sort=False).indices.items():
        is_kept[rows] = np.isin(numbers[rows].astype(np.int64), list(kept.get(str(dataset), ())))
    return table[is_kept].reset_index(drop=True)
