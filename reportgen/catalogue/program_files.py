"""The files by which a program that is a candidate learns, is asked, and answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.catalogue.measures import Task

if TYPE_CHECKING:
    import pandas as pd

RESPONSE = "response"
"""The learning sample's last column; an input of that name gets an underscore."""

PREDICTION = "prediction"
CLASS = re.compile(r"X?(\d{1,9})")  # R puts an X before names that are numbers
ROW_NAMES = ("Unnamed: 0", "__index_level_0__")  # that R and pandas may write without being asked
ALLOWED = (
    f"{PREDICTION}, or a column of probabilities for each class, named by its number (0, 1, …)"
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program says of a test sample.

    Attributes
    ----------
    predicted : ndarray of shape (n,)
        Responses, or numbers of classes.
    probabilities : ndarray of shape (n, G) or None
    classes : ndarray of shape (G,)
        The class of each column of the probabilities.
    """

    predicted: NDArray[np.float64]
    probabilities: NDArray[np.float64] | None
    classes: NDArray[np.int64]


def write_sample(path: Path, inputs: pd.DataFrame, response: NDArray[Any] | None = None) -> None:
    """Write a learning sample, or a test sample, which has no response.

    Parameters
    ----------
    path : Path
        Ends with .csv or .parquet.
    inputs : DataFrame
        Numbers, and categories as text; what is missing stays so (empty in CSV).
    response : ndarray, optional
        Numbers; of classes from 0, in the order of the data set.
    """
    table = inputs.reset_index(drop=True)
    if RESPONSE in table:
        fresh = RESPONSE
        while fresh in table:
            fresh += "_"
        table = table.rename(columns={RESPONSE: fresh})
    if response is not None:
        table = table.assign(**{RESPONSE: response})
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
    else:
        table.to_parquet(path, index=False)


def read_answer(path: Path, n_test: int, task: Task) -> Answer:
    """Read what a program predicts.

    Parameters
    ----------
    path : Path
        With `prediction`, or for classes a column for each, or both.
    n_test : int
        How many rows there have to be.
    task : {"classification", "regression"}

    Raises
    ------
    ValueError
        If there is no such file, or it holds something else.
    """
    if not path.is_file():
        raise ValueError("the program has ended well, but has written no predictions")
    table = _table(path)
    names = [name for name in map(str, table.columns) if name not in ROW_NAMES]
    table = table.set_axis([str(name) for name in table.columns], axis=1)
    classes = {name: int(m[1]) for name in names if (m := CLASS.fullmatch(name))}
    if task == "regression" or not set(names) - {PREDICTION}:
        classes = {}
    wrong = [name for name in names if name != PREDICTION and name not in classes]
    if wrong or not names:
        found = ", ".join(map(repr, wrong[:5])) if wrong else "no column"
        allowed = PREDICTION if task == "regression" else ALLOWED
        raise ValueError(f"found {found} in the program's predictions; allowed {allowed}")
    if len(table) != n_test:
        raise ValueError(f"the program has written {len(table)} predictions, not {n_test}")
    return _answer(table, classes)


def _table(path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        return pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    except Exception as error:
        kind = path.suffix[1:].replace("csv", "CSV").replace("parquet", "Parquet")
        raise ValueError(f"the program's predictions are no {kind}: {error}") from error


def _answer(table: pd.DataFrame, classes: dict[str, int]) -> Answer:
    probabilities = _numbers(table[list(classes)]) if classes else None
    numbers = np.array(list(classes.values()), dtype=np.int64)
    if len(set(classes.values())) < len(classes):
        raise ValueError("the program gives probabilities of a class twice")
    if PREDICTION in table:
        predicted = _numbers(table[[PREDICTION]])[:, 0]
    else:
        if probabilities is None or np.isnan(probabilities).any():
            raise ValueError("some of the program's probabilities are missing")
        predicted = numbers[np.argmax(probabilities, axis=1)].astype(np.float64)
    return Answer(predicted, probabilities, numbers)


def _numbers(table: pd.DataFrame) -> NDArray[np.float64]:
    try:
        return table.to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError):
        raise ValueError(
            f"the program's predictions are not numbers (columns {', '.join(table.columns)}); "
            "classes are numbers from 0, in the order of the data set"
        ) from None
