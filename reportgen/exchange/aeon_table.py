"""The results tables of aeon and tsml: one algorithm and measure, data sets by resamples."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from reportgen.catalogue.measures import known_measure
from reportgen.exchange.fits import Fits, Format, Part, constant
from reportgen.exchange.table import Labels, RawTable
from reportgen.study.errors import shown
from reportgen.warehouse import Measure

CORNERS = ("resamples", "resamples:", "folds", "folds:")
STEM = re.compile(r"(?P<candidate>.+)_(?P<measure>[A-Za-z0-9]+)")
SAME: Mapping[str, str] = MappingProxyType(
    {
        "accuracy": "accuracy",
        "acc": "accuracy",
        "balacc": "balanced-accuracy",
        "balancedaccuracy": "balanced-accuracy",
        "auroc": "auc",
        "f1": "f1",
        "nll": "log-loss",
        "logloss": "log-loss",
        "mse": "mse",
        "rmse": "rmse",
        "mae": "mae",
        "r2": "r2",
        "fittime": "fit-time",
    }
)
LARGER = ("ami", "ari", "mi", "nmi", "ri", "clacc")  # of clusterings: mutual information, Rand
TESTED = ("testfolds", "testresamples")  # older names, after which the folder names the measure


def _read(table: RawTable) -> Fits:
    """Read the data sets down and the resamples across; resample 0 is replication 1."""
    corner, *numbers = table.columns
    candidate, name = _named(table)
    datasets = table.labels(corner)
    n = table.n_rows
    resamples = np.array([int(column) for column in numbers], np.int64)
    values = np.concatenate([table.numbers(column) for column in numbers])
    return Fits(
        Labels(datasets.names, np.tile(datasets.codes, len(numbers))),
        constant(candidate, values.size),
        np.repeat(resamples + 1, n),
        np.tile(np.arange(n), len(numbers)),
        (Part(name, np.arange(values.size), values),),
        _known(),
    )


def _named(table: RawTable) -> tuple[str, str]:
    """Take algorithm and measure from the file's name, such as HC2_accuracy.csv."""
    match = STEM.fullmatch(table.path.stem)
    if match is None:
        raise table.error(
            f"the file name {shown(table.path.name)}",
            "the algorithm and its measure in the name, such as ROCKET_accuracy.csv",
        )
    name = match["measure"]
    if name.lower() in TESTED:
        name = table.path.resolve().parent.name
    return match["candidate"], name.lower()


def _known() -> dict[str, Measure]:
    ours = {name: measure for name, own in SAME.items() if (measure := known_measure(own))}
    return {**ours, **{name: Measure(name, "larger") for name in LARGER}}


def _matches(table: RawTable) -> bool:
    corner, *numbers = table.columns
    return corner.lower() in CORNERS and bool(numbers) and all(c.isdecimal() for c in numbers)


FORMATS = (Format("aeon", "Resamples:, 0, 1, …", "aeon", _matches, _read),)
