"""Settings of a design with factors, which results of another program come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reportgen.exchange.characteristics import without_datasets
from reportgen.exchange.opening import read_table
from reportgen.exchange.table import Columns, RawTable
from reportgen.study.errors import listed, nearest, shown
from reportgen.warehouse import Warehouse

DATASET, BASE = "dataset", "base"

Level = str | float


def read_settings(
    path: Path, warehouse: Warehouse, base: str, columns: Columns | None = None
) -> dict[str, dict[str, Any]]:
    """Read which setting of which factors each data set of results is.

    Parameters
    ----------
    path : Path
        CSV or Parquet: a row a setting, with a column `dataset`, a column a factor, and a column
        `base` where the settings are of several things. Numbers are numbers; all else are names;
        an empty cell is a factor that does not matter there.
    warehouse : Warehouse
        The results.
    base : str
        What the settings are of, where no column says it.
    columns : mapping of str to str, optional
        What the results' column dataset is called: the table's may be too.

    Returns
    -------
    dict of str to dict
        By data set the facts, with its `setting` of `base` and `factors` beside what was known.

    Raises
    ------
    ExchangeError
        If there is no column `dataset` or no factor, a data set occurs twice, is not in the
        results, or has no row.
    """
    table = read_table(path)
    own = (columns or {}).get(DATASET)
    key = own if isinstance(own, str) and DATASET not in table.columns else DATASET
    if key not in table.columns:
        raise without_datasets(table, columns or {})
    factors = [c for c in table.columns if c not in (key, BASE)]
    if not factors:
        raise table.error("no factor", "a column for each, beside dataset")
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
    """Refuse settings of other data sets, settings said twice, and data sets without one."""
    for row, name in enumerate(names):
        if name not in datasets:
            near = nearest(name, datasets)
            question = f"; did you mean {near}?" if near else ""
            raise table.error(
                f"no data set {shown(name)}", f"{listed(datasets)}{question}", row=row,
                column=key,
            )  # fmt: skip
        if name in names[:row]:
            raise table.error(
                f"data set {shown(name)} a second time", "one row a data set", row=row,
                column=key,
            )  # fmt: skip
    without = [name for name in datasets if name not in names]
    if without:
        raise table.error(f"no setting of {listed(without)}", "one row a data set of the results")
