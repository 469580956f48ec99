"""The results of benchopt: a row for each stop of each solver, data set and repetition."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reportgen.exchange.readers.fits import (
    Fits,
    Format,
    Part,
    all_fits,
    constant,
    first_column,
    has,
    whole_numbers,
)
from reportgen.exchange.table import Labels, RawTable
from reportgen.performance_measure import Measure

VALUE = "objective_value"
OBJECTIVE = "objective_"
NO_MEASURES = ("objective_name",)
TOLERANCE = "tolerance"  # the sampling strategy whose last stop is the smallest


def _read(table: RawTable) -> Fits:
    """Take the last row of every solver, data set and repetition: where it ended."""
    datasets = _datasets(table)
    candidates = table.labels("solver_name")
    repetitions = (
        whole_numbers(table, "idx_rep") + 1
        if "idx_rep" in table.columns
        else np.ones(table.n_rows, np.int64)
    )
    last = _last(table, datasets, candidates, repetitions)
    names = [c for c in table.columns if c.startswith(OBJECTIVE) and c not in NO_MEASURES]
    names += ["time"] if "time" in table.columns else []
    measures = {name: name for name in names if table.is_numeric(name)}
    if not measures:
        raise table.error("no column of numbers objective_…", "columns such as objective_value")
    parts = all_fits(table, measures)
    n = len(last)
    return Fits(
        Labels(datasets.names, datasets.codes[last]),
        Labels(candidates.names, candidates.codes[last]),
        repetitions[last],
        last,
        tuple(Part(part.name, np.arange(n), part.values[last]) for part in parts),
        {VALUE: Measure(VALUE, "smaller")},
    )


def _datasets(table: RawTable) -> Labels:
    """Return the data sets; of several objectives, each with its data set is a problem."""
    column = first_column(table, ("datasetname", "dataname"))
    datasets = table.labels(column) if column else constant("data", table.n_rows)
    objectives = table.labels("objective_name")
    if len(objectives.names) == 1:
        return datasets
    names = [f"{datasets.of(row)}, {objectives.of(row)}" for row in range(table.n_rows)]
    return table.as_labels("objective_name", names)


def _last(table: RawTable, datasets: Labels, candidates: Labels, repetitions: object) -> np.ndarray:
    """Return the row in which each of them stopped last."""
    keys = pd.DataFrame({"d": datasets.codes, "k": candidates.codes, "b": repetitions})
    if "stop_val" not in table.columns and keys.duplicated().any():
        raise table.error(
            "several rows of one solver, data set and repetition, and no column stop_val",
            "a column stop_val, which identifies the last of them",
        )
    order = table.numbers("stop_val") if "stop_val" in table.columns else np.zeros(table.n_rows)
    if "sampling_strategy" in table.columns:
        strategies = table.labels("sampling_strategy")
        falls = np.array([name.lower() == TOLERANCE for name in strategies.names])
        order = np.where(falls[strategies.codes], -order, order)
    frame = keys.assign(order=order).sort_values("order", kind="stable")
    kept = frame.drop_duplicates(["d", "k", "b"], keep="last")
    return np.sort(kept.index.to_numpy())


FORMATS = (
    Format(
        "benchopt",
        "solver_name, objective_name",
        "benchopt",
        has("solver_name", "objective_name"),
        _read,
    ),
)
