"""A user's own table of numbers, which is no experiment: rows and columns, whatever they are."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pandas as pd

from reportgen.exchange.opening import read_table
from reportgen.exchange.table import RawTable, unknown_column
from reportgen.study.errors import listed
from reportgen.warehouse import Measure, Warehouse

log = logging.getLogger(__name__)

VALUE = Measure("value")


def read_own_table(path: Path, label: str | None = None) -> Warehouse:
    """Keep a table in a warehouse: its rows as replications, its columns as candidates.

    Parameters
    ----------
    path : Path
        CSV or Parquet.
    label : str, optional
        The column that names the rows; the first one without numbers when omitted.

    Returns
    -------
    Warehouse
        With one data set, named after the file, of which `facts` say `is_table` and the
        `labels` of all rows.

    Raises
    ------
    ExchangeError
        If the file cannot be read, or has fewer than two columns of numbers.
    """
    table = read_table(path)
    if label is not None and label not in table.columns:
        raise unknown_column(table, label, "the labels of the rows")
    columns = [c for c in table.columns if c != label and table.is_numeric(c)]
    worded = [c for c in table.columns if c not in columns and c != label]
    if len(columns) < 2:
        raise table.error(f"{len(columns)} columns of numbers", "at least two")
    named = label or next(iter(worded), None)
    ignored = [c for c in worded if c != named]
    if ignored:
        log.warning("%s: columns without numbers are left out: %s", path, listed(ignored))
    return _warehouse(table, columns, named)


def _warehouse(table: RawTable, columns: list[str], named: str | None) -> Warehouse:
    n, name = table.n_rows, table.path.stem
    values = np.column_stack([table.numbers(c) for c in columns])
    frame = pd.DataFrame(
        {
            "dataset": name,
            "replication": np.repeat(np.arange(1, n + 1), len(columns)),
            "candidate": np.tile(np.array(columns, dtype=object), n),
            "measure": VALUE.name,
            "value": values.ravel(),
        }
    )
    frame["status"] = np.where(frame["value"].isna(), "skipped", "ok")
    facts: dict[str, object] = {
        "is_table": True,
        "n_observations": n,
        "n_variables": len(columns),
        "labels": [] if named is None else _labels(table, named),
    }
    return Warehouse.of(frame, [VALUE], candidates=columns, facts={name: facts})


def _labels(table: RawTable, column: str) -> list[str]:
    labels = table.labels(column)
    return [labels.names[code] for code in labels.codes]
