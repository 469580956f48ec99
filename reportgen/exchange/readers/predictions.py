"""Tables of predictions: a row for each observation that a candidate was tested on.

A replication's performance is the mean loss of its rows. The mean losses of observations, which
are the evidence for new data, are kept with the performances. A fit without some prediction has
failed: its other predictions say nothing of its performance. Such tables are made of
`Prediction$data` of mlr3 (row_ids, truth, response), `model$pred` of caret (rowIndex, obs, pred)
or a run's own predictions, each with a column of candidates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from math import isnan
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.catalogue.measures import known_measure
from reportgen.exchange.readers.fits import Fits, Format, Part, categorical, constant, first_column
from reportgen.exchange.replications import coordinates, replications
from reportgen.exchange.table import MISSING, MOST_WHOLE, Labels, RawTable
from reportgen.stats.arrays import Array
from reportgen.warehouse import FAILURE_COLUMNS, LOSS_COLUMNS

NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "candidate": ("candidate", "algorithm", "learner", "learnerid", "method", "model"),
        "observation": ("observation", "rowid", "rowids", "rowindex"),
        "truth": ("truth", "obs", "ytrue"),
        "prediction": ("prediction", "response", "pred", "ypred"),
    }
)
"""Names of the columns, without blanks and underscores; a table of predictions has them all."""
DATASETS = ("dataset", "task", "taskid")
CLASSES = "misclassification"
NUMBERS = ("mse", "mae")


def _matches(table: RawTable) -> bool:
    found = {name: first_column(table, own) for name, own in NAMES.items()}
    return None not in found.values()


def _read(table: RawTable) -> Fits:
    """Average the losses of each replication, and those of each observation."""
    columns = {name: first_column(table, own) or "" for name, own in NAMES.items()}
    candidates, observations = (table.labels(columns[n]) for n in ("candidate", "observation"))
    own = first_column(table, DATASETS)
    datasets = constant(table.path.stem, table.n_rows) if own is None else table.labels(own)
    numbers = coordinates(table, columns.values())
    keys = pd.DataFrame({"dataset": datasets.codes, "candidate": candidates.codes})
    keys = keys.assign(**{f"column {c}": table.labels(c).codes for c in numbers})
    place = keys.groupby(list(keys), sort=False).ngroup().to_numpy()
    rows = np.flatnonzero(~keys.duplicated())
    of_fits = [Labels(labels.names, labels.codes[rows]) for labels in (datasets, candidates)]
    fits = replace(
        table,
        columns={name: column.take(rows) for name, column in table.columns.items()},
        n_rows=len(rows),
    )
    replication = replications(fits, numbers, of_fits[0], of_fits[1])
    keys = keys.assign(replication=replication[place], observation=_numbers_of(observations))
    is_second = keys.duplicated().to_numpy()
    if is_second.any():
        raise table.error(
            "a second prediction of an observation by a candidate in one replication",
            "one; replications in a column of their own, such as fold or replication",
            row=int(is_second.argmax()),
        )
    parts, losses = list[Part](), list[pd.DataFrame]()
    true = table.labels(columns["truth"])
    is_lost = _is_lost(table, columns["prediction"], true)
    n_lost, n_rows = np.bincount(place, is_lost), np.bincount(place)
    is_kept = n_lost[place] == 0
    for name, values in _losses(table, columns["truth"], columns["prediction"], is_lost).items():
        means = np.bincount(place, np.where(is_kept, values, np.nan)) / n_rows
        parts.append(Part(name, np.arange(len(rows)), means))
        kept = keys[is_kept].assign(loss=values[is_kept])
        losses.append(_mean_losses(kept, datasets, candidates).assign(measure=name))
    failures = [
        (datasets.of(rows[i]), int(replication[i]), candidates.of(rows[i]), "predict", "failed", m)
        for i in np.flatnonzero(n_lost)
        for m in [f"no prediction of {n_lost[i]:.0f} of {n_rows[i]} observations"]
    ]
    known = {name: measure for name in (CLASSES, *NUMBERS) if (measure := known_measure(name))}
    return Fits(
        of_fits[0],
        of_fits[1],
        replication,
        rows,
        tuple(parts),
        known,
        pd.DataFrame(failures, columns=list(FAILURE_COLUMNS)),
        losses=pd.concat(losses, ignore_index=True)[list(LOSS_COLUMNS)],
    )


def _is_lost(table: RawTable, prediction: str, true: Labels) -> NDArray[np.bool_]:
    """Return which predictions are missing: empty, or NA where no class is called so."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pc.cast(table.columns[prediction], pa.string())
    found = pc.dictionary_encode(texts, "encode").unify_dictionaries().combine_chunks()
    names = [(name or "").strip() for name in found.dictionary.to_pylist()]
    is_none = np.array([n.lower() in MISSING and n not in true.names for n in names], np.bool_)
    return np.asarray(is_none[found.indices.to_numpy(zero_copy_only=False)])


def _losses(
    table: RawTable, truth: str, prediction: str, is_lost: NDArray[np.bool_]
) -> dict[str, Array]:
    """Return the losses of all rows by measure: errors where each prediction is some truth."""
    # Numbers are compared as numbers: whole ones beside a gap are often written 1.0.
    # `is_lost`: rows without a prediction, whose losses mean nothing.
    true, texts = table.labels(truth), table.columns[prediction].to_pylist()
    known = [true.names[0] if lost else str(x) for x, lost in zip(texts, is_lost, strict=True)]
    said = table.as_labels(prediction, known)
    names = {_class_of(name): code for code, name in enumerate(true.names)}
    codes = np.array([names.get(_class_of(name), -1) for name in said.names])
    if (codes >= 0).all() or not (table.is_numeric(truth) and table.is_numeric(prediction)):
        return {CLASSES: (codes[said.codes] != true.codes).astype(np.float64)}
    numbers = table.numbers(truth)
    if np.isnan(numbers).any():
        row = int(np.isnan(numbers).argmax())
        raise table.error("no number", "the true value of each observation", row=row, column=truth)
    apart = table.numbers(prediction) - numbers
    return {NUMBERS[0]: apart**2, NUMBERS[1]: np.abs(apart)}


def _class_of(name: str) -> str | float:
    """Return the number that a class is written as, else its name."""
    try:
        number = float(name)
    except ValueError:
        return name
    return name if isnan(number) else number


def _numbers_of(observations: Labels) -> NDArray[np.int64]:
    """Return numbers of observations that are the same in all files."""
    whole = [int(name) if name.isdecimal() else -1 for name in observations.names]
    if not all(0 <= number < MOST_WHOLE for number in whole):
        digests = (sha256(name.encode()).digest() for name in observations.names)
        whole = [int.from_bytes(digest[:7]) for digest in digests]
    return np.asarray(np.array(whole, np.int64)[observations.codes])


def _mean_losses(tests: pd.DataFrame, datasets: Labels, candidates: Labels) -> pd.DataFrame:
    """Return the mean loss of every observation and candidate, and how often it was tested."""
    by = ["dataset", "candidate", "observation"]
    found = tests.groupby(by)["loss"].agg(["mean", "size"]).reset_index()
    return pd.DataFrame(
        {
            "dataset": categorical(Labels(datasets.names, found["dataset"].to_numpy())),
            "candidate": categorical(Labels(candidates.names, found["candidate"].to_numpy())),
            "observation": found["observation"],
            "loss": found["mean"],
            "n_tested": found["size"].astype(np.int64),
        }
    )


FORMATS = (
    Format(
        "predictions",
        "candidate, observation (row_ids, rowIndex), truth (obs), prediction (response, pred)",
        "mlr3, caret, or by hand",
        _matches,
        _read,
    ),
)
