"""Processes as the units of timings: the mean of its runs is the value of a process.

Runs of one process share what its start has decided, such as the places of its code and data in
memory, and are no independent samples. Which process a run is of stands in a column, or the
measurements of a candidate are, in their order, those of so many processes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.exchange.table import Labels, RawTable, plain_name, unknown_column
from reportgen.notation import count_processes
from reportgen.performance_measure import Measure
from reportgen.units import unit_named
from reportgen.warehouse.items import RUN_COLUMNS
from reportgen.warehouse.processes import have_geometric_mean

PROCESS = "process"  # our name for the column
NAMES = ("process", "processid", "processno", "pid", "fork", "forkid", "invocation")
"""Names of such columns, in lower case and without blanks, dashes and underscores."""
WITH_SAMPLES = "`unit: sample`, of which alone processes are known"
UNIT = ["dataset", "candidate"]


def process_column(table: RawTable) -> str | None:
    """Return the column that says of which process a run is; None where there is none.

    Raises ExchangeError if the user names one that is not there, or measurements are shared.
    """
    given = table.user_columns.get(PROCESS)
    if isinstance(given, str):
        if given not in table.columns:
            raise unknown_column(table, given, PROCESS)
        if not _has_runs(table):
            raise table.error(f"processes with the unit {table.unit}", WITH_SAMPLES, column=given)
        return given
    return next(iter(columns_of_processes(table)), None) if table.n_processes is None else None


def columns_of_processes(table: RawTable) -> tuple[str, ...]:
    """Return the columns whose names say that they number processes; none of other units."""
    if not _has_runs(table):
        return ()
    return tuple(c for c in table.columns if plain_name(c) in NAMES)


def refuse_second_runs(table: RawTable, keys: Sequence[Labels]) -> None:
    """Refuse a run that is there twice.

    `keys`: data set, candidate, perhaps measure, process, and what numbers its runs.
    Raises ExchangeError if two rows have the same.
    """
    twice = pd.DataFrame(dict(enumerate(own.codes for own in keys))).duplicated().to_numpy()
    if twice.any():
        row = int(twice.argmax())
        names = ", ".join(own.of(row) for own in keys)
        raise table.error(f"{names} a second time", "each run of a process once", row=row)


def by_process(
    table: RawTable,
    frame: pd.DataFrame,
    failures: pd.DataFrame | None,
    measures: Mapping[str, Measure],
) -> tuple[pd.DataFrame, pd.DataFrame | None, pd.DataFrame | None]:
    """Return a value a process, its failures, and what its runs gave.

    Of measures that are compared by ratio the mean is the geometric one, where all are above 0. A
    process of which a run has failed has failed.

    `frame`: the performances, tidy, with the row of each in the table.
    Raises ExchangeError if there is no whole number of runs in each of the declared processes.
    """
    column, n = process_column(table), table.n_processes
    if column is None and n is None:
        return frame, failures, None
    if n is not None and not _has_runs(table):
        raise table.error(f"processes: {n} with the unit {table.unit}", WITH_SAMPLES)
    first = frame.drop_duplicates("row")
    process = _declared(table, first, n) if n is not None else _named(table, first, str(column))
    runs = first.assign(process=process)
    sizes = runs.groupby([*UNIT, PROCESS], observed=True, sort=False).size()
    number = runs.groupby("dataset", observed=True, sort=False).cumcount()
    keys = runs.assign(number=number).groupby([*UNIT, PROCESS], observed=True, sort=False)
    runs["own"] = keys["number"].transform("min")
    order = runs.groupby("dataset", observed=True)["own"].rank(method="dense").astype(np.int64)
    by_row = pd.Series(order.to_numpy(), index=runs["row"].to_numpy())
    table.decided.append(("processes", count_processes(sizes.tolist())))
    numbered = frame.assign(replication=by_row.loc[frame["row"].to_numpy()].to_numpy())
    parts = [
        _means(own, measure)
        for measure in measures.values()
        if len(own := numbered[numbered["measure"] == measure.name])
    ]
    lost = _of_processes(failures, frame, numbered)
    return pd.concat(parts, ignore_index=True), lost, _runs(numbered)


def _runs(numbered: pd.DataFrame) -> pd.DataFrame:
    """Return the values of all runs, those of a process in their order."""
    key = ["dataset", "replication", "candidate", "measure"]
    epoch = numbered.groupby(key, observed=True, sort=False).cumcount() + 1
    return numbered.assign(epoch=epoch)[list(RUN_COLUMNS)].reset_index(drop=True)


def _has_runs(table: RawTable) -> bool:
    unit = unit_named(table.unit)
    return not unit.shares_rows and not unit.is_contest


def _declared(table: RawTable, runs: pd.DataFrame, n: int) -> NDArray[np.int64]:
    """Return the process of each run, where a candidate's are those of n processes, in order."""
    groups = runs.groupby(UNIT, observed=True, sort=False)
    sizes = groups["row"].transform("size").to_numpy(np.int64)
    odd = sizes % n != 0
    if odd.any():
        at = runs.iloc[int(odd.argmax())]
        raise table.error(
            f"{int(sizes[odd.argmax()])} runs of {at['candidate']} on {at['dataset']}, in {n} "
            "processes",
            "as many runs in each process, or a column that says which process a run is of: "
            + table.key("columns", {PROCESS: "…"}, is_alone=False),
        )
    return np.asarray(groups.cumcount().to_numpy(np.int64) * n // sizes)


def _named(table: RawTable, runs: pd.DataFrame, column: str) -> NDArray[np.int64]:
    """Return the process of each run by its column."""
    labels = table.labels(column)
    return np.asarray(labels.codes[runs["row"].to_numpy()], np.int64)


def _means(runs: pd.DataFrame, measure: Measure) -> pd.DataFrame:
    """Return a row a process: the mean of its runs, missing where one of them is."""
    values = runs["value"].to_numpy(np.float64)
    is_geometric = measure.is_compared_by_ratio and have_geometric_mean(values)
    scaled = runs.assign(value=np.log(values) if is_geometric else values)
    key = ["dataset", "replication"]
    groups = scaled.groupby(key, observed=True, sort=False)["value"]
    kept = scaled.drop_duplicates(key).set_index(key)
    means = (groups.sum() / groups.size()).where(groups.count() == groups.size())
    kept["value"] = np.exp(means) if is_geometric else means
    if "status" in kept:
        is_lost = scaled["status"].astype(str) != "ok"
        lost = scaled[is_lost].drop_duplicates(key).set_index(key)["status"]
        kept["status"] = lost.astype(str).reindex(kept.index).fillna("ok").astype("category")
    return kept.reset_index()[runs.columns]


def _of_processes(
    failures: pd.DataFrame | None, before: pd.DataFrame, after: pd.DataFrame
) -> pd.DataFrame | None:
    """Return failures by the number of their process, one a process."""
    if failures is None or not len(failures):
        return failures
    key = ["dataset", "replication", "candidate"]
    runs = before.assign(process=after["replication"])[[*key, PROCESS]].drop_duplicates()
    runs = runs.astype({"dataset": str, "candidate": str})
    found = failures.merge(runs, on=key, how="inner").drop(columns="replication")
    found = found.rename(columns={PROCESS: "replication"})[list(failures.columns)]
    return found.drop_duplicates(key).reset_index(drop=True)
