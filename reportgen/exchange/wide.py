"""Wide tables: data sets by candidates of one measure, or a user's own table of numbers."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.exchange.columns import known_entry
from reportgen.exchange.compound_names import NOUNS
from reportgen.exchange.files import read_table
from reportgen.exchange.items import SPELLINGS as ITEM_SPELLINGS
from reportgen.exchange.items import read_items
from reportgen.exchange.levels import describes
from reportgen.exchange.readers.fits import categorical
from reportgen.exchange.replications import count_rows, replications
from reportgen.exchange.roles import (
    DATASETS,
    SECOND_CHOICE,
    SPELLINGS,
    Role,
    Roles,
    is_summary_name,
)
from reportgen.exchange.spreads import has_ranks
from reportgen.exchange.table import Labels, RawTable, cells_of, plain_name, unknown_column
from reportgen.installation import page_url
from reportgen.performance_measure import Measure
from reportgen.study.errors import listed
from reportgen.study.schema import MeasureEntry
from reportgen.warehouse import Warehouse

log = logging.getLogger(__name__)
VALUE = Measure("value")
OF_CANDIDATES = (*SECOND_CHOICE["candidate"], "system", "team", "participant", "submission")
"""Further names of columns of candidates, where none has that of data sets."""
TRUTHS = frozenset(
    "ytrue target targets actual actuals label labels groundtruth truth yactual observed".split()
)
"""Names of columns of what was to be predicted."""


def wide_frame(
    table: RawTable, roles: Roles, entries: Sequence[MeasureEntry]
) -> tuple[pd.DataFrame, Measure, pd.DataFrame | None]:
    """Lay out a table with a row a data set (and replication, or item) and a column a candidate.

    `roles`: what each column is. In a leaderboard a row is a candidate, and a column a data set.
    `entries`: the one measure.
    Result: columns dataset, replication, candidate, measure, value, row; which item each
    replication is, columns `ITEM_COLUMNS`; None where they are no items.
    Raises ExchangeError if there is not one measure, a column is missing, or a row occurs twice.
    """
    if len(entries) != 1:
        found = f"{len(entries)} measures" if entries else "no measure"
        raise table.error(
            f"{found} for a wide table",
            "one measure, which all its numbers are values of "
            f"(docs: {page_url('imports.md#other-tables')})",
        )
    is_board = roles.shape == "leaderboard"
    side: Role = "candidate" if is_board else "dataset"
    across = "dataset" if is_board else "candidate"
    own, of_items = roles.columns("replication"), _of_items(roles)
    columns = roles.columns("performance")
    if not columns:
        keys = [own.column for own in roles.of if own.role != "left out"]
        raise table.error(f"only the columns {listed(keys)}", f"a column a {NOUNS[across]}")
    measure = known_entry(table, entries[0])
    labels = _labels_of_rows(table, roles, side)
    names = table.names(columns)
    items = read_items(table, of_items, own, labels)
    numbers = items.numbers if items else _replications(table, own, labels)
    twice = pd.DataFrame({"d": labels.codes, "b": numbers}).duplicated().to_numpy()
    if twice.any():
        row = int(np.argmax(twice))
        what = "an item, or a run of it," if items else f"replication {numbers[row]:g}"
        texts = [own.column for own in roles.of if own.reason == "text" and side == "dataset"]
        named = table.key("columns", {"candidate": texts[0]}, is_alone=False) if texts else ""
        allowed = f"each once; in a tidy table {named} says what names the candidates" * bool(texts)
        raise table.error(
            f"{what} of one {NOUNS[side]} a second time", allowed or "each once", row=row
        )
    if table.has_ordered_rows and not own and not items:
        _refuse_told_apart(table, roles, labels, side)
    are_ranks = has_ranks(table, columns)
    if are_ranks:
        log.warning("%s: numbers in brackets are ranks, and are left out", table.path)
        table.decided.append(("ranks-in-brackets", measure.name))
    parts = [
        pd.DataFrame(
            {
                side: categorical(labels),
                "replication": numbers,
                across: pd.Categorical.from_codes(
                    np.full(table.n_rows, i), pd.Index(names, dtype=object)
                ),
                "measure": measure.name,
                **_columns(table, column, are_ranks=are_ranks),
                "row": np.arange(table.n_rows),
            }
        )
        for i, column in enumerate(columns)
    ]
    return pd.concat(parts, ignore_index=True), measure, items.items if items else None


def _refuse_told_apart(table: RawTable, roles: Roles, labels: Labels, side: Role) -> None:
    """Refuse rows of a data set that a column which is left out tells apart: they are no runs."""
    keys = pd.DataFrame({"d": labels.codes})
    most = keys["d"].value_counts().max()
    if most < 2 or keys["d"].nunique() < 2:
        return
    left = [c.column for c in roles.of if c.role == "left out" and c.column in table.columns]
    for column in left:
        cells = cells_of(table, column)
        if (
            not 1 < len(set(cells)) <= most
            or keys.assign(c=pd.Series(cells, dtype=object)).duplicated().any()
        ):
            continue
        named = table.key("columns", {side: [*roles.columns(side), column]})
        numbers = table.key("columns", {"replication": column}, is_alone=False)
        raise table.error(
            f"several rows of a {NOUNS[side]}, which {listed([column])} "
            f"({listed(map(str, dict.fromkeys(cells)))}) tells apart",
            f"{named} where it belongs to the {NOUNS[side]}, {numbers} where it names replications",
        )


def _columns(table: RawTable, column: str, *, are_ranks: bool) -> dict[str, NDArray[Any]]:
    """Return the numbers of a column and what stands beside them, but for ranks in brackets."""
    found = table.cells(column).columns()
    return {key: own for key, own in found.items() if not (are_ranks and key == "spread")}


def _of_items(roles: Roles) -> dict[str, str]:
    return {key: c for key, c in roles.named.items() if key in ITEM_SPELLINGS}


def refuse_tidy(table: RawTable) -> None:
    """Refuse a table whose candidates are in a column, where it is declared to be wide."""
    own = {*SPELLINGS["candidate"], *OF_CANDIDATES}
    if any(plain_name(c) in DATASETS for c in table.columns) or "dataset" in table.user_columns:
        own = {*SPELLINGS["candidate"]}
    known = [c for c in table.columns if plain_name(c) in own]
    named = table.user_columns.get("candidate")
    columns = [named] if isinstance(named, str) else known if named is None else []
    column = next((c for c in columns if c in table.columns and not table.is_numeric(c)), None)
    if column is not None:
        raise table.error(
            f"candidates in the column {column}, in a table declared to be wide",
            "a column a candidate; a tidy table is read without --measure (in a manifest: file: in "
            "place of wide:), and --better NAME=smaller or larger sets which side is better; where "
            f"a row is a candidate and a column a data set, columns: {{candidate: {column}, "
            "dataset: columns}",
        )


def refuse_no_results(table: RawTable) -> None:
    """Refuse a wide table of what describes values, or of pairs of candidates, as correlations."""
    whole = replace(table, columns={**table.unnamed, **table.columns})
    texts = {c: cells_of(whole, c) for c in whole.columns if whole.is_text(c)}
    heads = [c for c in table.columns if c not in list(texts)[:1]]
    lists: list[tuple[str, Sequence[Any]]] = [("columns", heads)]
    lists += [("rows", cells) for cells in texts.values()]
    for noun, names in lists:
        found = [str(name) for name in names if name]
        if len(found) > 1 and describes(found):
            raise table.error(
                f"the {noun} {listed(found)}, a description of values", "the values themselves"
            )
    plain = {c for c in table.columns if not is_summary_name(c)}
    for column, cells in texts.items():
        if len(cells) == len(plain) - (column in plain) > 1 and (
            {*map(str, cells)} == plain - {column}
        ):
            raise table.error(
                f"rows and columns with the same names: {listed(map(str, cells))}",
                "results of candidates on data sets: not their correlations, distances or p-values",
            )


def refuse_truth(table: RawTable, roles: Roles) -> None:
    """Refuse a column of true values beside those of candidates: these are predictions."""
    columns = [own for own in roles.of if own.role == "performance" and own.reason != "user"]
    truth = [own.column for own in columns if plain_name(own.column) in TRUTHS]
    if not truth or len(columns) < 2:
        return
    named = table.key("columns", {"candidate": [c.column for c in columns]}, is_alone=False)
    way = (
        f": frame.rename_axis('observation').reset_index().melt(['observation', {truth[0]!r}], "
        f"var_name='candidate', value_name='prediction').rename(columns={{{truth[0]!r}: 'truth'}})"
    )
    raise table.error(
        f"the column {listed(truth[:1])}, which has true values by its name, beside those of "
        "candidates",
        "results; or predictions, a row each, with the columns candidate, observation, truth and "
        f"prediction{way * table.is_argument}; {named} where all are candidates",
    )


def _labels_of_rows(table: RawTable, roles: Roles, side: str) -> Labels:
    """Return of which data set, or in a leaderboard candidate, each row is."""
    # There may be no data sets where the rows are replications, or items, of one, and say so.
    column = roles.named.get(side)
    if column is not None:
        return table.labels(column)
    is_told = roles.columns("replication") or _of_items(roles) or table.counts_rows
    if side == "candidate" or not (is_told or table.has_ordered_rows):
        allowed = f"a column {side}, or {table.key('columns', {side: '…'})}" + (
            ", or a column replication where all rows are of one data set, or "
            f"{table.key('replication', 'rows')} where they are its replications"
        ) * (side == "dataset")
        found = f"no column of {NOUNS[side]}s among {listed(table.columns)}"
        raise table.error(found, allowed)
    return Labels((table.path.stem,), np.zeros(table.n_rows, np.int32))


def _replications(table: RawTable, columns: Sequence[str], labels: Labels) -> NDArray[np.int64]:
    """Read the replications, each of which has one row of a data set."""
    if table.has_ordered_rows and not columns and not table.counts_rows:
        return count_rows(labels)
    rows = Labels(("",), np.zeros(table.n_rows, np.int32))
    return replications(table, columns, labels, rows)


def read_own_table(path: Path, label: str | None = None) -> Warehouse:
    """Keep a table in a warehouse: its rows as replications, its columns as candidates.

    `path`: CSV or Parquet.
    `label`: the column that names the rows; the first one without numbers when omitted.
    Result: with one data set, named after the file, whose `facts` have `is_table` and the `labels`
    of all rows.
    Raises ExchangeError if the file cannot be read, or has fewer than two columns of numbers.
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
    n, name, names = table.n_rows, table.path.stem, table.names(columns)
    values = np.column_stack([table.numbers(c) for c in columns])
    frame = pd.DataFrame(
        {
            "dataset": name,
            "replication": np.repeat(np.arange(1, n + 1), len(columns)),
            "candidate": np.tile(np.array(names, dtype=object), n),
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
    return Warehouse.of(frame, [VALUE], candidates=names, facts={name: facts})


def _labels(table: RawTable, column: str) -> list[str]:
    labels = table.labels(column)
    return [labels.names[code] for code in labels.codes]
