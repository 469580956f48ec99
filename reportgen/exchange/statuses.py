"""Outcomes of runs, in the words of trackers, schedulers and searches."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd

from reportgen.exchange.table import Labels, RawTable
from reportgen.study.errors import listed, shown, suggestion
from reportgen.warehouse import FAILURE_COLUMNS, STATUSES, Status

WORDS: Mapping[str, Status] = MappingProxyType(
    {
        **dict.fromkeys(
            "ok finished complete completed success successful succeeded done terminated".split(),
            "ok",
        ),
        **dict.fromkeys(
            """
            failed fail failure crashed crash error errored out_of_memory oom node_fail boot_fail
            """.split(),
            "failed",
        ),
        **dict.fromkeys("timed-out timed_out timeout timedout deadline".split(), "timed-out"),
        **dict.fromkeys(
            """
            skipped killed cancelled canceled pruned stopped aborted interrupted preempted revoked
            suspended running pending waiting scheduled queued paused resuming preempting completing
            """.split(),
            "skipped",
        ),
    }
)
"""Of Weights & Biases, MLflow, Optuna, Ray and SLURM, in lower case: whatever has not ended by
itself has no result."""


def status_of(word: str) -> Status | None:
    """Return the outcome that a word means; None for another word.

    Examples
    --------
    >>> status_of("FINISHED"), status_of("CANCELLED by 1207"), status_of("Ohio")
    ('ok', 'skipped', None)
    """
    first, *rest = word.strip().lower().split()[:2] or [""]
    return WORDS.get(first) if not rest or rest == ["by"] else None


def read_statuses(table: RawTable, column: str) -> Labels:
    """Return the outcome of every row: ok where no word is, as a value tells.

    Raises ExchangeError if a word is none of an outcome.
    """
    labels = _words(table, column)
    found = [status_of(name) for name in labels.names]
    if None in found:
        name = labels.names[found.index(None)]
        row = int(np.argmax(labels.codes == found.index(None)))
        question = suggestion(name, STATUSES)
        allowed = f"{listed(STATUSES)}, or a word of a tracker such as FINISHED, crashed{question}"
        raise table.error(shown(name), allowed, row=row, column=column)
    codes = np.array([STATUSES.index(status) for status in found if status], np.int64)
    return Labels(tuple(STATUSES), codes[labels.codes])


def _words(table: RawTable, column: str) -> Labels:
    """Read the words of a column; ok where there is none."""
    if not table.is_text(column):
        return table.labels(column)
    cells = table.columns[column].cast("string").to_pylist()
    return table.as_labels(column, [(cell or "").strip() or "ok" for cell in cells])


def with_outcomes(
    table: RawTable, column: str | None, frame: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Return performances without the values of runs that have not ended well, and failures.

    `column`: that of the outcomes, if any.
    `frame`: columns dataset, replication, candidate, row, value, and status if there is a column.
    """
    failures = table.failures
    if failures is None and (column is not None or table.reasons):
        failures = failures_of(table, column, frame)
    if column is None:
        return frame, failures
    values = frame["value"].where(frame["status"] == "ok")
    has_result = (frame["status"] != "ok") | values.notna()
    status = frame["status"].where(has_result, "failed")
    return frame.assign(value=values, status=status), failures


def failures_of(table: RawTable, column: str | None, frame: pd.DataFrame) -> pd.DataFrame:
    """Return which runs have no result, and the word for it, as a warehouse keeps failures.

    `column`: that of the words, if any; the table may have further reasons.
    `frame`: columns dataset, replication, candidate, row, and status where there is such a column.
    """
    reasons = {row: ("failed", reason) for row, reason in table.reasons.items()}
    if column is not None:
        labels = _words(table, column)
        lost = frame.loc[frame["status"] != "ok", ["row", "status"]].itertuples(index=False)
        reasons |= {row: (str(s), f"{column}: {labels.of(row)}") for row, s in lost}
    key = ["dataset", "replication", "candidate"]
    runs = frame.loc[frame["row"].isin(list(reasons)), [*key, "row"]].drop_duplicates(key)
    rows = [
        (str(d), int(b), str(c), "run", *reasons[row])
        for d, b, c, row in runs.itertuples(index=False)
    ]
    return pd.DataFrame(rows, columns=list(FAILURE_COLUMNS))


def without_retried(frame: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """Leave out runs without a result beside one with a result; else all of them but the last."""
    if "status" not in frame:
        return frame
    has_ended = (frame["status"] == "ok").to_numpy()
    if has_ended.all():
        return frame
    cell = frame.groupby(key, observed=True, sort=False).ngroup()
    has_other = pd.Series(has_ended).groupby(cell.to_numpy()).transform("any").to_numpy()
    is_last = ~cell.duplicated(keep="last").to_numpy()
    kept: pd.DataFrame = frame[has_ended | (~has_other & is_last)]
    return kept
