"""The results.csv of the AutoML benchmark: a row a task, framework and fold."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.catalogue.measures import known_measure
from reportgen.exchange.readers.fits import Fits, Format, Part, has, whole_numbers
from reportgen.exchange.table import Labels, RawTable
from reportgen.performance_measure import Better, Measure
from reportgen.study.errors import listed, shown
from reportgen.warehouse import FAILURE_COLUMNS
from reportgen.warehouse.rows import natural_order

NEEDS = ("task", "framework", "fold", "result")
MEASURE_COLUMN = "metric"  # which older versions do not write
NEGATED = "neg_"  # results of losses, so that the larger is better: turned back
SAME: Mapping[str, str] = MappingProxyType(
    {
        "acc": "accuracy",
        "balacc": "balanced-accuracy",
        "auc": "auc",
        "logloss": "log-loss",
        "mae": "mae",
        "mse": "mse",
        "rmse": "rmse",
        "r2": "r2",
    }
)
LARGER = ("auc_ovo", "auc_ovr", "f05", "f1", "f2", "pr_auc")
SMALLER = (
    "max_pce mean_pce msle rmsle mase smape mape nrmse wape ncrps mql wql sql naive_1_error".split()
)
"""As the benchmark marks its measures; f1 is weighted by class there, which ours is not."""
TIMES: Mapping[str, str] = MappingProxyType(
    {"training_duration": "fit-time", "predict_duration": "predict-time", "duration": "time"}
)
TIMED_OUT = ("timeout", "timed out", "interrupting thread")


def _read(table: RawTable) -> Fits:
    """Read each task's own measure, and the durations; losses get their sign back."""
    # A row without a result has failed, for the reason in the column info. Folds
    # are numbered from 0 there, replications from 1 here.
    datasets = table.labels("task")
    candidates = _candidates(table)
    replications = whole_numbers(table, "fold") + 1
    results = table.numbers("result")
    is_lost = np.isnan(results)
    messages = _texts(table, "info")
    statuses = np.where(is_lost, [_status(text) for text in messages], "ok")
    parts = (*_results(table, datasets, results), *_times(table, is_lost))
    lost = np.flatnonzero(is_lost)
    failures = pd.DataFrame(
        [
            (datasets.of(i), int(replications[i]), candidates.of(i), "fit", statuses[i], text)
            for i in map(int, lost)
            if (text := messages[i].strip() or "no result")
        ],
        columns=list(FAILURE_COLUMNS),
    )
    rows = np.arange(table.n_rows)
    return Fits(
        datasets, candidates, replications, rows, parts, _measures(), failures, statuses.astype(str)
    )


def _results(table: RawTable, datasets: Labels, results: NDArray[np.float64]) -> list[Part]:
    """Return a measure for each that a task was optimised for; a lost fit belongs to its task's."""
    written = (
        _texts(table, MEASURE_COLUMN)
        if MEASURE_COLUMN in table.columns
        else _equal_columns(table, datasets)
    )
    names = np.array([text.strip().removeprefix(NEGATED) for text in written])
    signs = np.array([-1.0 if text.strip().startswith(NEGATED) else 1.0 for text in written])
    of_task = {code: name for code, name in zip(datasets.codes, names, strict=True) if name}
    names = np.array(
        [name or of_task.get(c, "") for name, c in zip(names, datasets.codes, strict=True)]
    )
    if not (names != "").all():
        row = int(np.argmax(names == ""))
        raise table.error("nothing", "the name of a measure", row=row, column=MEASURE_COLUMN)
    return [
        Part(name, fits, (signs * results)[fits])
        for name in natural_order(set(names.tolist()))
        if len(fits := np.flatnonzero(names == name))
    ]


def _equal_columns(table: RawTable, datasets: Labels) -> list[str]:
    """Return the measure of each row's task, where no column names it: the one that it equals."""
    # A task without results has the measure of the others.
    # Raises ExchangeError if the results of a task equal those of no column, or of several; or if
    # one has none where the others have several measures.
    results = table.numbers("result")
    named = [c for c in table.columns if c in {*SAME, *LARGER, *SMALLER} and table.is_numeric(c)]
    values = {column: table.numbers(column) for column in named}
    found: dict[int, str] = {}
    for code, task in enumerate(datasets.names):
        own = (datasets.codes == code) & np.isfinite(results)
        if not own.any():
            continue
        same = [c for c, x in values.items() if np.array_equal(results[own], x[own])]
        if len(same) != 1:
            equal = f"which equal {listed(same)}" if same else "which equal no column"
            raise table.error(
                f"no column {MEASURE_COLUMN}, and results of the task {shown(task)} {equal}",
                f"a column {MEASURE_COLUMN} with the measure of each result, such as auc; or "
                f"{table.key('columns', {'candidate': 'framework', 'value': 'result'})}, and the "
                "one measure",
            )
        found[code] = same[0]
    table.decided.append(("measure-by-values", listed(dict.fromkeys(found.values()))))
    several = len(set(found.values())) != 1
    lost = next((d for code, d in enumerate(datasets.names) if code not in found), None)
    if several and lost is not None:
        raise table.error(
            f"no column {MEASURE_COLUMN}, and no results of the task {shown(lost)}",
            f"a column {MEASURE_COLUMN} with the measure of each task, such as auc",
        )
    other = next(iter(found.values()), "")
    return [found.get(code, other) for code in datasets.codes.tolist()]


def _times(table: RawTable, is_lost: NDArray[np.bool_]) -> list[Part]:
    """Return the durations of the fits that have a result."""
    kept = np.flatnonzero(~is_lost)
    found = {c: table.numbers(c) for c in TIMES if c in table.columns and table.is_numeric(c)}
    if len(found) == len(TIMES):
        del found["duration"]  # the sum of the others, and of reading the data
    return [Part(c, kept, values[kept]) for c, values in found.items() if len(kept)]


def _candidates(table: RawTable) -> Labels:
    """Return the frameworks, with their constraint where there are several."""
    frameworks = table.labels("framework")
    constraints = _texts(table, "constraint")
    if len(set(constraints)) <= 1:
        return frameworks
    names = [f"{frameworks.of(i)} ({text})" for i, text in enumerate(constraints)]
    return table.as_labels("constraint", names)


def _status(message: str) -> str:
    return "timed-out" if any(text in message.lower() for text in TIMED_OUT) else "failed"


def _texts(table: RawTable, column: str) -> list[str]:
    if column not in table.columns:
        return [""] * table.n_rows
    return ["" if cell is None else str(cell) for cell in table.columns[column].to_pylist()]


def _measures() -> dict[str, Measure]:
    same = {**SAME, **TIMES}
    ours = {name: measure for name, own in same.items() if (measure := known_measure(own))}
    sides: tuple[tuple[tuple[str, ...], Better], ...] = (
        (LARGER, "larger"),
        (tuple(SMALLER), "smaller"),
    )
    own = {n: Measure(f"weighted-{n}" if n == "f1" else n, side) for ns, side in sides for n in ns}
    return {**ours, **own}


FORMATS = (Format("automl", ", ".join(NEEDS), "the AutoML benchmark", has(*NEEDS), _read),)
