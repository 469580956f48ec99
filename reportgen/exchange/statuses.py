"""Outcomes of runs, in the words of trackers, schedulers and searches."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd

from reportgen.exchange.cells import mark_of
from reportgen.exchange.keys import quoted
from reportgen.exchange.table import (
    LONGEST,
    MISSING,
    NUMBER,
    Labels,
    RawTable,
    cells_of,
    numbers_of,
    plain_name,
)
from reportgen.study.errors import listed, shown, suggestion
from reportgen.warehouse import FAILURE_COLUMNS, STATUSES, Status

WORDS: Mapping[str, Status] = MappingProxyType(
    {
        **dict.fromkeys(
            """
            ok finished complete completed success successful succeeded done pass passed terminated
            solved converged optimal
            """.split(),
            "ok",
        ),
        **dict.fromkeys(
            """
            failed fail failure crashed crash error errored exception out_of_memory oom node_fail
            boot_fail diverged invalid infeasible unfinished incomplete unsolved unconverged memout
            """.split(),
            "failed",
        ),
        **dict.fromkeys("timed-out timed_out timeout timedout deadline".split(), "timed-out"),
        **dict.fromkeys(
            """
            skipped killed cancelled canceled pruned stopped aborted interrupted preempted revoked
            suspended running pending waiting scheduled queued paused resuming preempting completing
            excluded discarded ignored dropped
            """.split(),
            "skipped",
        ),
    }
)
"""Of Weights & Biases, MLflow, Optuna, Ray and SLURM, in lower case: whatever has not ended by
itself has no result."""
NAMES = re.compile("(run|job|trial|task|fit|experiment|execution)?(status|state)")  # of outcomes
CODES = re.compile("exitcode|exitstatus|returncode|retcode")  # likewise, of numbers
MESSAGES = frozenset(
    "error errors errormessage errormsg exception traceback failurereason".split()
)  # names of columns that are empty where a run has ended well
ASKED = ("outcome", "result", "termination", "reason", "status", "state")
"""Ends of names of what may be one."""
NOTES = frozenset("note notes comment comments remark remarks info message".split())
"""Names of columns whose cells may begin with a word for an outcome."""
NOTED = re.compile(r"(?P<word>\w+)\s*([-\u2013\u2014:;,(.!].*)?")
ENDED = re.compile(
    r"time[\s_-]?(limit|d?[\s_-]?out)([\s_-]?reached)?|(mem|memory)[\s_-]?(limit|out)|out[\s_-]?of[\s_-]?memory"
    r"|segfault|segmentation fault",
    re.IGNORECASE,
)
"""Words by which a run has not ended well, whatever its column is called."""
MOST_ENDINGS = 12  # different words in such a column
OTHERWISE = {"no", "not", "non", "early"}  # words of names that turn what others say
CODE = re.compile(r"-?[0-9]+(\.0*)?(:[0-9]+)?")  # SLURM also writes the signal
FLAGS: Mapping[str, bool] = MappingProxyType(
    {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
)
MOST_NAMED = 5  # words, in what is told of runs without a result
MOST_WORDS = 1000  # different cells of a column of outcomes


def status_of(word: str) -> Status | None:
    """Return the outcome that a word means; None for another word.

    Examples
    --------
    >>> status_of("FINISHED"), status_of("CANCELLED by 1207"), status_of("Ohio")
    ('ok', 'skipped', None)
    """
    first, *rest = word.strip().lower().split()[:2] or [""]
    return WORDS.get(first) if not rest or rest == ["by"] else None


def outcome_of(cell: str, column: str) -> Status | None:
    """Return the outcome that a cell of a column means; None where it means none.

    The name of the column says what numbers, yes and no, and messages mean.

    Examples
    --------
    >>> outcome_of("FINISHED", "State"), outcome_of("0:0", "ExitCode"), outcome_of("9", "exit_code")
    ('ok', 'ok', 'failed')
    >>> outcome_of("True", "success"), outcome_of("True", "has_failed"), outcome_of("0", "failed")
    ('ok', 'failed', 'ok')
    >>> outcome_of("no CUDA", "error"), outcome_of("True", "is_odd")
    ('failed', None)
    """
    name = plain_name(column)
    note = NOTED.fullmatch(cell) if name in NOTES else None
    word = "timed-out" if ENDED.fullmatch(cell) else status_of(note["word"] if note else cell)
    if word is not None:
        return word
    if CODES.fullmatch(name) and CODE.fullmatch(cell):
        return "failed" if re.search("[1-9]", cell) else "ok"
    flag, meant = FLAGS.get(cell.lower()), outcome_in(column)
    if flag is not None and meant is not None:
        return meant if flag else "failed" if meant == "ok" else "ok"
    return "failed" if name in MESSAGES else None


def outcome_in(column: str) -> Status | None:
    """Return the outcome that the name of a column is of."""
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", column)]
    found = {WORDS[word] for word in ("_".join(words), *words) if word in WORDS}
    return found.pop() if len(found) == 1 and not OTHERWISE & {*words} else None


def names_outcomes(table: RawTable, columns: Sequence[str]) -> list[str]:
    """Return the columns that have the outcomes of runs, by their names and all their cells.

    Numbers of an exit are some only where there are no words.
    """
    for names in (NAMES, CODES):
        named = [c for c in columns if names.fullmatch(plain_name(c))]
        found = []
        for column in named:
            cells = _filled(table, column)
            if cells and all(outcome_of(cell, column) for cell in cells):
                found.append(column)
        if found:
            return found
    return []


def check_outcomes(
    table: RawTable, columns: Sequence[str], values: Sequence[str], *, is_of_items: bool
) -> None:
    """Ask for the meaning of a column by which runs with a result have not ended well.

    `columns`: those that are no results.
    `values`: those of the results.
    `is_of_items`: whether words may be the scores of items.
    Raises ExchangeError where there is such a column.
    """
    for column in columns if values else ():
        words = _filled(table, column)
        if not words or not _may_have_outcomes(column, words, is_of_items=is_of_items):
            continue
        lost = [word for word in words if outcome_of(word, column) not in (None, "ok")]
        if not lost:
            continue
        is_lost = pd.Series(cells_of(table, column), dtype=object).str.strip().isin(lost)
        has_value = [np.isfinite(numbers_of(table, name)) for name in values]
        rows = is_lost.to_numpy(bool) & np.logical_or.reduce(has_value)
        if rows.any():
            n, more = int(rows.sum()), ", …" * (len(lost) > 3)
            option = f"--column status={quoted(column)}"
            is_flag = all(word.lower() in FLAGS for word in words)
            raise table.error(
                f"the column {listed([column])}, by which {n} {'run' if n == 1 else 'runs'} with "
                f"a result may not have ended well ({listed(map(shown, lost[:3]))}{more})",
                f"{table.key('columns', {'status': column}, option=option)} where such runs have "
                f"no result, {table.key('columns', {'ignore': column}, is_alone=False)} where they "
                f"have{', or `measures` with it where it is a result itself' * is_flag}",
            )


def _may_have_outcomes(column: str, words: Sequence[str], *, is_of_items: bool) -> bool:
    """Whether a column that nobody has named may have the outcomes of runs."""
    name = plain_name(column)
    if name in MESSAGES:
        return not any(NUMBER.fullmatch(word) for word in words)
    if is_of_items and all(mark_of(word) is not None for word in words):
        return False  # their scores
    if all(word.lower() in FLAGS for word in words):
        return outcome_in(column) is not None
    if name in NOTES:
        return any(outcome_of(word, column) not in (None, "ok") for word in words)
    if len(words) <= MOST_ENDINGS and any(ENDED.fullmatch(word) for word in words):
        return True
    known = [status_of(word) for word in words]
    return all(known) or (name.endswith(ASKED) and any(known))


def _filled(table: RawTable, column: str) -> list[str]:
    """Return the different cells of a column that are not empty; none of very many."""
    cells = table.columns[column].unique()
    if len(cells) > MOST_WORDS:
        return []
    own = cells_of(replace(table, columns={column: cells}, n_rows=len(cells)), column)
    stripped = dict.fromkeys((cell or "").strip() for cell in own)
    return [cell for cell in stripped if cell.lower() not in MISSING]


def read_statuses(table: RawTable, column: str) -> Labels:
    """Return the outcome of every row: ok where no word is, as a value tells.

    Raises ExchangeError if a word is none of an outcome.
    """
    labels = _words(table, column)
    found = [outcome_of(name, column) for name in labels.names]
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
    cells = [" ".join((cell or "").split())[:LONGEST] for cell in cells_of(table, column)]
    return table.as_labels(column, ["ok" if c.lower() in MISSING else c for c in cells])


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
    lost = frame.loc[frame["status"] != "ok", "row"].unique()
    if len(lost):
        labels = _words(table, column)
        counts = Counter(labels.of(int(row)) for row in lost).most_common()
        words = [f"{shown(word)} {n}" for word, n in counts[:MOST_NAMED]]
        more = ", …" * (len(counts) > MOST_NAMED)
        table.decided.append(("lost-runs", f"{listed([column])}: {', '.join(words)}{more}"))
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
