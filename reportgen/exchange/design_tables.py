"""Tables that go with results: settings of a factorial design, and characteristics of data sets."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.errors import ExchangeError
from reportgen.exchange.files import read_table
from reportgen.exchange.table import MOST_WHOLE, Columns, RawTable
from reportgen.study.errors import listed, shown, suggestion
from reportgen.warehouse import CHARACTERISED, Warehouse

log = logging.getLogger(__name__)
DATASET_COLUMNS = ("dataset", "data set", "data_set")
REPLICATION = ("replication", "rep", "samp")
SCHEME = ("scheme", "resampling")
_LEADING = {"dataset": DATASET_COLUMNS, "replication": REPLICATION, "scheme": SCHEME}
DATASET, BASE = "dataset", "base"
Level = str | float


def read_characteristics(
    path: Path, warehouse: Warehouse, columns: Columns | None = None
) -> pd.DataFrame:
    """Read a table of characteristics for results that are there.

    `path`: CSV or Parquet: a column `dataset`, where learning samples differ a column `replication`
    (empty for a data set as a whole), a column a characteristic. Numbers are numbers; all else are
    categories. A column `scheme` names other resampling schemes; empty cells are the results' own.
    `warehouse`: the results; rows of other data sets are left out.
    `columns`: what the results' columns dataset and replication are called: the table's may be too.
    Result: see `Warehouse.characteristics`.
    Raises ExchangeError if a column is missing, a row occurs twice, a replication is no whole
    number, or none of the data sets is in the results.
    """
    table = read_table(path)
    user_columns = columns or {}
    leading = {
        ours: _column(table, (*names, *(n for n in [user_columns.get(ours)] if isinstance(n, str))))
        for ours, names in _LEADING.items()
    }
    if leading["dataset"] is None:
        raise without_datasets(table, user_columns)
    names = [c for c in table.columns if c not in leading.values()]
    if not names:
        raise table.error(
            "no characteristic", "a column for each, in addition to dataset and replication"
        )
    datasets = table.labels(leading["dataset"])
    keys = {
        "dataset": np.array(datasets.names, dtype=object)[datasets.codes],
        "replication": _replications(table, leading["replication"]),
        "scheme": _key_texts(table, leading["scheme"]),
    }
    frame = pd.DataFrame({**keys, **{name: _values(table, name) for name in names}})
    frame["replication"] = frame["replication"].astype("Int64")
    _check_once(table, frame)
    return _of_these(table, frame, warehouse.datasets)


def without_datasets(table: RawTable, user_columns: Columns) -> ExchangeError:
    """Return the error for a table for results that does not name their data sets."""
    question = suggestion("dataset", table.columns)
    own = user_columns.get("dataset")
    also = f" or {own}" if isinstance(own, str) else ""
    found = f"no column dataset among {listed(table.columns)}"
    return table.error(found, f"a column dataset{also}{question}")


def _column(table: RawTable, names: Sequence[str]) -> str | None:
    return next((name for name in names if name in table.columns), None)


def _replications(table: RawTable, column: str | None) -> Any:
    """Read whole numbers; missing ones mean data sets as a whole."""
    if column is None:
        return pd.array([pd.NA] * table.n_rows, dtype="Int64")
    numbers = table.numbers(column)
    is_large = np.abs(numbers) >= MOST_WHOLE
    broken = is_large | (np.isfinite(numbers) & (numbers != np.round(numbers)))
    if broken.any():
        row = int(broken.argmax())
        raise table.error(
            f"{numbers[row]:g}",
            "a whole number, or nothing for the data set as a whole",
            row=row,
            column=column,
        )
    return pd.array([pd.NA if np.isnan(x) else int(x) for x in numbers], dtype="Int64")


def _key_texts(table: RawTable, column: str | None) -> NDArray[np.object_]:
    """Read a column of names; missing ones are empty."""
    if column is None:
        return np.full(table.n_rows, "", dtype=object)
    found = table.columns[column].to_pylist()
    return np.array(["" if x is None else " ".join(str(x).split()) for x in found], dtype=object)


def _values(table: RawTable, name: str) -> Any:
    """Read a characteristic: numbers where all of them are, else categories."""
    if table.is_numeric(name):
        return table.numbers(name)
    found = _key_texts(table, name)
    return np.array([None if text in ("", "NA") else text for text in found], dtype=object)


def _check_once(table: RawTable, frame: pd.DataFrame) -> None:
    twice = frame.duplicated(list(CHARACTERISED)).to_numpy()
    if not twice.any():
        return
    row = int(twice.argmax())
    first = frame.iloc[row]
    replication = "" if pd.isna(first["replication"]) else f", replication {first['replication']}"
    raise table.error(
        f"data set {shown(first['dataset'])}{replication} a second time",
        "one row a data set, or one a data set and replication",
        row=row,
    )


def _of_these(table: RawTable, frame: pd.DataFrame, datasets: Sequence[str]) -> pd.DataFrame:
    """Keep the rows of the results' data sets; warn of rows that are surplus or missing."""
    described = list(dict.fromkeys(frame["dataset"]))
    kept = frame[frame["dataset"].isin(datasets)].reset_index(drop=True)
    keys = kept[list(CHARACTERISED)].assign(dataset=kept["dataset"].map(datasets.index))
    kept = kept.loc[keys.sort_values(list(CHARACTERISED), na_position="last").index]
    kept = kept.reset_index(drop=True)
    if kept.empty:
        question = suggestion(described[0], datasets)
        raise table.error(
            f"no data set of the results, first {shown(described[0])}",
            f"{listed(datasets)}{question}",
        )
    others = [name for name in described if name not in datasets]
    missing = [name for name in datasets if name not in described]
    if others:
        log.info("%s: not in the results: %s", table.path, listed(others))
    if missing:
        log.warning("%s: no characteristics of: %s", table.path, listed(missing))
    return kept


def read_settings(
    path: Path, warehouse: Warehouse, base: str, columns: Columns | None = None
) -> dict[str, dict[str, Any]]:
    """Read which setting of which factors each data set of results is.

    `path`: CSV or Parquet: a row a setting, with a column `dataset`, a column a factor, and a
    column `base` where the settings are of several things. Numbers are numbers; all else are names;
    an empty cell is a factor that does not matter there.
    `warehouse`: the results.
    `base`: what the settings are of, where no column names it.
    `columns`: what the results' column dataset is called: the table's may be too.
    Result: by data set the facts, and its `setting` of `base` and `factors`.
    Raises ExchangeError if there is no column `dataset` or no factor, a data set occurs twice, is
    not in the results, or has no row.
    """
    table = read_table(path)
    own = (columns or {}).get(DATASET)
    key = own if isinstance(own, str) and DATASET not in table.columns else DATASET
    if key not in table.columns:
        raise without_datasets(table, columns or {})
    factors = [c for c in table.columns if c not in (key, BASE)]
    if not factors:
        raise table.error("no factor", "a column for each, in addition to dataset")
    names = _texts(table, key)
    _check(table, names, key, warehouse.datasets)
    bases = _texts(table, BASE) if BASE in table.columns else [base] * len(names)
    levels = {factor: _levels(table, factor) for factor in factors}
    facts: dict[str, dict[str, Any]] = {
        d: dict(warehouse.facts.get(d, {})) for d in warehouse.datasets
    }
    for row, name in sorted(enumerate(names), key=lambda pair: warehouse.datasets.index(pair[1])):
        given = {f: x for f in factors if (x := levels[f][row]) is not None}
        facts[name]["setting"] = {"base": bases[row], "factors": given}
    return {**{d: dict(f) for d, f in warehouse.facts.items()}, **facts}


def _texts(table: RawTable, column: str) -> list[str]:
    return [" ".join(str(x).split()) for x in table.columns[column].to_pylist()]


def _levels(table: RawTable, factor: str) -> list[Level | None]:
    """Read a factor: numbers where all levels are, else names."""
    if table.is_numeric(factor):
        return [None if x != x else x for x in table.numbers(factor).tolist()]
    return [None if x in ("", "NA", "None") else x for x in _texts(table, factor)]


def _check(table: RawTable, names: list[str], key: str, datasets: tuple[str, ...]) -> None:
    """Refuse settings of other data sets, repeated settings, and data sets without one."""
    for row, name in enumerate(names):
        if name not in datasets:
            question = suggestion(name, datasets)
            raise table.error(
                f"no data set {shown(name)}", f"{listed(datasets)}{question}", row=row,
                column=key,
            )  # fmt: skip
        if name in names[:row]:
            raise table.error(
                f"data set {shown(name)} a second time", "one row a data set", row=row,
                column=key,
            )  # fmt: skip
    missing = [name for name in datasets if name not in names]
    if missing:
        raise table.error(f"no setting of {listed(missing)}", "one row a data set of the results")
