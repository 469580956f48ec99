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
    """Return the outcome of every row.

    Raises ExchangeError if a word is none of an outcome.
    """
    labels = table.labels(column)
    found = [status_of(name) for name in labels.names]
    if None in found:
        name = labels.names[found.index(None)]
        row = int(np.argmax(labels.codes == found.index(None)))
        question = suggestion(name, STATUSES)
        allowed = f"{listed(STATUSES)}, or a word of a tracker such as FINISHED, crashed{question}"
        raise table.error(shown(name), allowed, row=row, column=column)
    codes = np.array([STATUSES.index(status) for status in found if status], np.int64)
    return Labels(tuple(STATUSES), codes[labels.codes])


def failures_of(table: RawTable, column: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return which runs have no result, and the word for it, as a warehouse keeps failures.

    `frame`: columns dataset, replication, candidate, status and row.
    """
    labels = table.labels(column)
    lost = frame[frame["status"] != "ok"].drop_duplicates(["dataset", "replication", "candidate"])
    rows = [
        (str(d), int(b), str(c), "run", str(s), f"{column}: {labels.of(int(row))}")
        for d, b, c, s, row in lost[
            ["dataset", "replication", "candidate", "status", "row"]
        ].itertuples(index=False)
    ]
    return pd.DataFrame(rows, columns=list(FAILURE_COLUMNS))


def without_retried(frame: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """Leave out the runs without a result of which another one has a result."""
    if "status" not in frame:
        return frame
    has_ended = (frame["status"] == "ok").to_numpy()
    if has_ended.all():
        return frame
    cell = frame.groupby(key, observed=True, sort=False).ngroup()
    has_other = pd.Series(has_ended).groupby(cell.to_numpy()).transform("any").to_numpy()
    kept: pd.DataFrame = frame[has_ended | ~has_other]
    return kept
