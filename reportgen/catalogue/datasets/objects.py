"""Data sets that are objects: arrays, data frames and bunches of a program in Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from reportgen.catalogue.datasets.dataset import DataSet, is_numeric
from reportgen.catalogue.datasets.files import data_of, task_of
from reportgen.catalogue.datasets.generators import name_columns
from reportgen.catalogue.names import unknown_name
from reportgen.errors import SetupError
from reportgen.measures import Task

ORIGIN = "an object of Python"
TARGET = "y"  # of a target that has no name


def object_dataset(
    name: str,
    inputs: Any,
    target: Any = None,
    groups: Any = None,
    *,
    task: Task | None = None,
    usual: Task | None = None,
    time: str | None = None,
) -> DataSet:
    """Return the data set that objects hold.

    `inputs`: (n, p); columns of numbers are numbers, all others categories.
    `target`: (n,); the response, or its column in the data frame; that of a bunch when left out.
    `groups`: (n,); observations with equal values stay together; a column of the data frame is no
    input then.
    `task`: may be left out where the target's kind shows it: text is classified, numbers with a
    fraction are regressed.
    `usual`: of whole numbers, which may be both.
    `time`: the column by which the observations are in order; it is no input.
    Raises SetupError if these are no data, their lengths differ, or they do not suit the task.

    Examples
    --------
    >>> data = object_dataset("d", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ["a", "b", "a"])
    >>> data.task, data.classes, list(data.inputs)
    ('classification', ('a', 'b'), ['x1', 'x2'])
    """
    if isinstance(inputs, Mapping) and {"data", "target"} <= set(inputs):
        inputs, target = _of_bunch(inputs, target)
    frame = _frame(name, inputs)
    if target is None:
        raise SetupError(
            f"data set {name!r}: found no target; allowed y: one value an observation, or the "
            "name of a column of X"
        )
    response = _column(name, "target", frame, target)
    grouping = None if groups is None else _column(name, "groups", frame, groups)
    timing = None if time is None else _column(name, "time", frame, time)
    used = [column for column in (target, groups, time) if isinstance(column, str)]
    if task is None and is_numeric(response) and _is_whole(response):
        task = usual
    task = task_of(name, response, task)
    inputs = frame.drop(columns=list(dict.fromkeys(used)))
    return data_of(name, inputs, response, task, ORIGIN, groups=grouping, time=timing)


def _is_whole(column: pd.Series) -> bool:
    values = column.dropna().to_numpy(np.float64)
    return bool((values == np.round(values)).all())


def _of_bunch(bunch: Mapping[str, Any], target: Any) -> tuple[Any, Any]:
    """Return inputs with their names, and the target with the names of its classes."""
    inputs, names = bunch["data"], bunch.get("feature_names")
    if isinstance(inputs, np.ndarray) and inputs.ndim == 2 and names is not None:
        inputs = pd.DataFrame(inputs, columns=list(map(str, names)))
    if target is not None:
        return inputs, target
    target, classes = bunch["target"], bunch.get("target_names")
    codes = np.asarray(target)
    if codes.dtype.kind in "iu" and codes.ndim == 1 and classes is not None:
        found = np.unique(codes)
        if np.array_equal(found, np.arange(len(classes))):
            name = getattr(target, "name", None) or "class"
            target = pd.Series(np.asarray(classes, dtype=str)[codes], name=name)
    return inputs, target


def _frame(name: str, inputs: Any) -> pd.DataFrame:
    """Return the inputs as a data frame whose columns have names."""
    if hasattr(inputs, "to_pandas"):
        inputs = inputs.to_pandas()
    if hasattr(inputs, "toarray"):
        raise SetupError(f"data set {name!r}: found a sparse matrix; allowed X.toarray()")
    if not isinstance(inputs, pd.DataFrame):
        values = _array(name, "X", inputs)
        if values.ndim != 2:
            found = f"shape {values.shape}" if values.ndim else f"type {type(inputs).__name__}"
            raise SetupError(
                f"data set {name!r}: found X of the {found}; allowed an array of the shape (n, p), "
                "a row an observation, a column an input; a data frame, or a bunch"
            )
        return name_columns(values).infer_objects()
    labels = inputs.columns.map(str)
    if not labels.is_unique:
        twice = labels[labels.duplicated()][0]
        raise SetupError(f"data set {name!r}: found the column {twice!r} twice; allowed once")
    return inputs.set_axis(labels, axis=1).reset_index(drop=True)


def _column(name: str, role: str, frame: pd.DataFrame, given: Any) -> pd.Series:
    """Return a column of the frame, or one value for each of its rows."""
    if isinstance(given, str):
        if given not in frame:
            raise unknown_name(f"{role} of the data set {name!r}:", given, frame.columns)
        return frame[given]
    if hasattr(given, "to_pandas"):
        given = given.to_pandas()
    label = TARGET if role == "target" else role
    if isinstance(given, pd.DataFrame) and given.shape[1] == 1:
        given = given.iloc[:, 0]
    if isinstance(given, pd.Series):
        label = label if given.name is None else str(given.name)
        column = given.reset_index(drop=True).rename(label)
    else:
        values = _array(name, label, given)
        if values.ndim != 1:
            raise SetupError(
                f"data set {name!r}: found {label} of the shape {values.shape}; allowed "
                f"({len(frame)},): one value an observation"
            )
        column = pd.Series(values, name=label).infer_objects()
    if len(column) != len(frame):
        raise SetupError(
            f"data set {name!r}: found {len(frame)} observations in X and {len(column)} in "
            f"{label}; allowed as many in both"
        )
    return column


def _array(name: str, label: str, given: Any) -> np.ndarray[Any, Any]:
    """Return an array, of text and numbers as objects."""
    if isinstance(given, np.ndarray):
        return given
    try:
        values = np.asarray(given)
        if values.dtype.kind in "US":
            values = np.asarray(given, dtype=object)
    except ValueError as error:
        raise SetupError(
            f"data set {name!r}: {label}: found no array ({error}); allowed an array or a data "
            "frame"
        ) from None
    return values
