"""Results as a table of data sets by candidates: one measure, a column a candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.exchange.layout import SPELLINGS, known_entry, plain_name
from reportgen.exchange.table import RawTable, unknown_column
from reportgen.study.faults import listed, shown
from reportgen.study.schema import MeasureEntry
from reportgen.warehouse import Measure


def wide_frame(
    table: RawTable, columns: Mapping[str, str], entries: Sequence[MeasureEntry]
) -> tuple[pd.DataFrame, Measure]:
    """Lay out a table with a row a data set (and replication) and a column a candidate.

    Parameters
    ----------
    table : RawTable
    columns : mapping of str to str
        The file's column by our name for it, where the manifest says so:
        dataset, replication.
    entries : sequence of MeasureEntry
        The one measure.

    Returns
    -------
    frame : DataFrame
        Columns dataset, replication, candidate, measure, value, row.
    measure : Measure

    Raises
    ------
    ExchangeError
        If there is not one measure, a column is missing, or a row occurs twice.
    """
    if len(entries) != 1:
        found = f"{len(entries)} measures" if entries else "no measure"
        raise table.error(
            f"{found} for a wide table", "one measure, which all its numbers are values of"
        )
    _refuse_tidy(table)
    measure = known_entry(table, entries[0])
    keys = _keys(table, columns)
    candidates = [c for c in table.columns if c not in keys.values()]
    if len(candidates) < 1:
        raise table.error(f"only the columns {listed(keys.values())}", "a column a candidate")
    datasets = table.labels(keys["dataset"])
    names = np.array(datasets.names, dtype=object)[datasets.codes]
    replications = _replications(table, keys, datasets.codes)
    parts = [
        pd.DataFrame(
            {
                "dataset": names,
                "replication": replications,
                "candidate": candidate,
                "measure": measure.name,
                "value": table.numbers(candidate),
                "row": np.arange(table.n_rows),
            }
        )
        for candidate in candidates
    ]
    return pd.concat(parts, ignore_index=True), measure


def _refuse_tidy(table: RawTable) -> None:
    """Refuse a table whose candidates stand in a column."""
    known = [c for c in table.columns if plain_name(c) in SPELLINGS["candidate"]]
    told = [table.told["candidate"]] if "candidate" in table.told else known
    column = next((c for c in told if c in table.columns and not table.is_numeric(c)), None)
    if column is not None:
        raise table.error(
            f"candidates in the column {column}, in what is said to be a wide table",
            "a column a candidate; a tidy table is read without --measure (in a manifest: file: in "
            "place of wide:), and --better NAME=smaller or larger says which side is better",
        )


def _keys(table: RawTable, columns: Mapping[str, str]) -> dict[str, str]:
    """Find the columns of data sets and replications; the first one without numbers will do."""
    keys = {}
    for key in ("dataset", "replication"):
        if key in columns:
            if columns[key] not in table.columns:
                raise unknown_column(table, columns[key], key)
            keys[key] = columns[key]
            continue
        fitting = [c for c in table.columns if plain_name(c) in SPELLINGS[key]]
        if fitting:
            keys[key] = fitting[0]
    if "dataset" not in keys:
        worded = [c for c in table.columns if not table.is_numeric(c)]
        if not worded:
            raise table.error(
                f"no column of data sets among {listed(table.columns)}",
                "a column dataset, or `columns: {dataset: …}` below `results` in the manifest; "
                "a column without a name is left out: give it one",
            )
        keys["dataset"] = worded[0]
    return keys


def _replications(
    table: RawTable, keys: Mapping[str, str], datasets: NDArray[Any]
) -> NDArray[np.int64]:
    """Read the replications, or count the rows of each data set."""
    if "replication" not in keys:
        return np.asarray(pd.Series(datasets).groupby(datasets).cumcount(), np.int64) + 1
    column = keys["replication"]
    numbers = table.numbers(column)
    broken = ~np.isfinite(numbers) | (numbers != np.round(numbers))
    if broken.any():
        row = int(broken.argmax())
        raise table.error(shown(float(numbers[row])), "a whole number", row=row, column=column)
    twice = pd.DataFrame({"d": datasets, "b": numbers}).duplicated()
    if twice.any():
        row = int(np.argmax(twice.to_numpy()))
        raise table.error(
            f"replication {numbers[row]:g} of one data set a second time", "each once", row=row
        )
    return numbers.astype(np.int64)
