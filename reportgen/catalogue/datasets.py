"""Data sets: those with a name, and those in files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.catalogue import generators
from reportgen.catalogue.generators import GeneratedData
from reportgen.catalogue.measures import Task
from reportgen.catalogue.names import unknown_name
from reportgen.errors import SetupError

FIXED_SEED = 1991  # of the learning parts of MONK's problems: never the study's


@dataclass(frozen=True, slots=True, eq=False)
class DataSet:
    """Observations, and the response to predict.

    Attributes
    ----------
    name : str
    inputs : DataFrame
        Numbers as float64, all else as unordered categories.
    target : Series
        Categories for classification, float64 for regression; nothing missing.
    task : {"classification", "regression"}
    origin : str
        Where the data come from, in words a report may print.
    digest : str
        SHA-256 of the content; the name has no part in it.
    """

    name: str
    inputs: pd.DataFrame
    target: pd.Series
    task: Task
    origin: str
    digest: str

    @classmethod
    def of(
        cls, name: str, inputs: pd.DataFrame, target: pd.Series, task: Task, origin: str
    ) -> DataSet:
        """Bring a table into canonical form and compute its digest.

        Raises
        ------
        SetupError
            If there are no rows or no inputs, if the target is constant or has
            gaps, or if a column is neither numbers nor categories.
        """
        _check_shape(name, inputs, target)
        inputs = inputs.reset_index(drop=True)
        inputs = pd.DataFrame({str(c): _canonical_input(name, inputs[c]) for c in inputs})
        target = _canonical_target(name, target.reset_index(drop=True), task)
        return cls(name, inputs, target, task, origin, _digest(inputs, target, task))

    @property
    def n(self) -> int:
        """Number of observations."""
        return len(self.target)

    @property
    def classes(self) -> tuple[str, ...]:
        """The G classes in order; empty for regression."""
        is_classified = self.task == "classification"
        return tuple(self.target.cat.categories) if is_classified else ()

    @property
    def response(self) -> NDArray[np.int64] | NDArray[np.float64]:
        """Shape (n,): the classes' numbers from 0, or the values themselves."""
        if self.task == "classification":
            return np.asarray(self.target.cat.codes, dtype=np.int64)
        return np.asarray(self.target, dtype=np.float64)


def find_dataset(
    name: str,
    n: int | None = None,
    options: Mapping[str, float] | None = None,
    rng: Generator | None = None,
) -> DataSet:
    """Return the data set that a name of the catalogue stands for.

    Parameters
    ----------
    name : str
        One of `DATASETS`.
    n : int, optional
        Number of observations; only for generated data.
    options : mapping, optional
        Options of the generator.
    rng : Generator, optional
        Draws generated data; a fixed one when omitted.

    Raises
    ------
    SetupError
        If the name or an option is unknown, or n is given for fixed data.

    Examples
    --------
    >>> monks3 = find_dataset("monks3")
    >>> monks3.n, monks3.classes, monks3.inputs.shape[1]
    (554, ('0', '1'), 6)
    """
    if name in _GENERATED:
        return _generate(name, _GENERATED[name], n, options or {}, rng)
    if name not in _FIXED:
        raise unknown_name("data set", name, DATASETS)
    if n is not None or options:
        raise SetupError(f"the data set {name!r} is fixed: it takes neither n nor options")
    make, origin = _FIXED[name]
    return DataSet.of(name, *make(), "classification", origin)


def load_file(name: str, path: Path, target: str, task: str | None = None) -> DataSet:
    """Read a data set from a CSV or Parquet file.

    Parameters
    ----------
    name : str
    path : Path
        Ends in .csv, .csv.gz or .parquet.
    target : str
        The column to predict; all others are inputs.
    task : {"classification", "regression"}, optional
        May be left out where the target's kind shows it: text is classified,
        numbers with a fraction are regressed.

    Raises
    ------
    SetupError
        If the file cannot be read, the target is not in it, or the data do not
        suit the task.
    """
    if task is not None and task not in get_args(Task):
        raise unknown_name(f"task of the data set {name!r}:", task, get_args(Task))
    frame = _read(name, path)
    if target not in frame.columns:
        raise unknown_name(f"target of the data set {name!r}:", target, map(str, frame.columns))
    response = frame[target]
    known = task if task is not None else _guess_task(name, response)
    return DataSet.of(
        name,
        frame.drop(columns=target),
        response,
        "regression" if known == "regression" else "classification",
        f"file {path.name}",
    )


def _read(name: str, path: Path) -> pd.DataFrame:
    if not path.is_file():
        raise SetupError(f"data set {name!r}: there is no file {str(path)!r}")
    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        if path.name.endswith((".csv", ".csv.gz")):
            return pd.read_csv(path, encoding="utf-8-sig", low_memory=False)
    except (ValueError, OSError) as error:
        raise SetupError(f"data set {name!r}: {path.name} cannot be read: {error}") from error
    raise SetupError(
        f"data set {name!r}: {path.name} is of no known kind; allowed are .csv, .csv.gz, .parquet"
    )


def _guess_task(name: str, response: pd.Series) -> Task:
    if not _is_numeric(response):
        return "classification"
    values = response.dropna().to_numpy(np.float64)
    if (values != np.round(values)).any():
        return "regression"
    raise SetupError(
        f"data set {name!r}: the target {response.name!r} holds whole numbers, which may be "
        "classes or quantities; add task: classification or task: regression"
    )


def _check_shape(name: str, inputs: pd.DataFrame, target: pd.Series) -> None:
    if not len(inputs):
        raise SetupError(f"data set {name!r} has no rows")
    if not inputs.shape[1]:
        raise SetupError(f"data set {name!r} has no inputs, only the target {target.name!r}")
    gaps = np.flatnonzero(target.isna())
    if len(gaps):
        raise SetupError(
            f"data set {name!r}: the target {target.name!r} is missing in {len(gaps)} of "
            f"{len(target)} rows, first in row {gaps[0] + 1}"
        )
    if target.nunique() < 2:
        raise SetupError(
            f"data set {name!r}: the target {target.name!r} is constant, "
            f"always {target.iloc[0]!r}: nothing can be learnt"
        )


def _is_numeric(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _canonical_input(name: str, column: pd.Series) -> pd.Series:
    if _is_numeric(column):
        return pd.Series(column.to_numpy(np.float64, na_value=np.nan))
    kind = column.dtype
    if pd.api.types.is_datetime64_any_dtype(kind) or pd.api.types.is_timedelta64_dtype(kind):
        raise SetupError(
            f"data set {name!r}: the column {column.name!r} holds dates or times ({kind}); "
            "allowed are numbers, text and truth values"
        )
    return pd.Series(_canonical_categories(column))


def _canonical_target(name: str, target: pd.Series, task: Task) -> pd.Series:
    if task == "regression":
        if not _is_numeric(target):
            raise SetupError(
                f"data set {name!r}: the target {target.name!r} is not numeric, "
                "so that task: regression is not possible"
            )
        return pd.Series(target.to_numpy(np.float64), name=str(target.name))
    classes = _canonical_categories(target)
    if len(classes.categories) == len(classes):
        raise SetupError(
            f"data set {name!r}: every value of the target {target.name!r} occurs once: "
            "these are no classes"
        )
    return pd.Series(classes, name=str(target.name))


def _canonical_categories(column: pd.Series) -> pd.Categorical[Any]:
    """Return the column as text in sorted categories, whatever the file's order."""
    values = column.dropna().unique()
    try:
        levels = sorted(values)
    except TypeError:
        levels = sorted(values, key=str)
    labels = {level: _label(level) for level in levels}
    return pd.Categorical(column.map(labels), pd.Index(list(dict.fromkeys(labels.values()))))


def _label(level: object) -> str:
    if isinstance(level, float) and level.is_integer():
        return str(int(level))
    return str(level)


def _digest(inputs: pd.DataFrame, target: pd.Series, task: Task) -> str:
    content = sha256(task.encode())
    for name, column in [*inputs.items(), (None, target)]:
        is_categorical = isinstance(column.dtype, pd.CategoricalDtype)
        levels = list(column.cat.categories) if is_categorical else None
        content.update(json.dumps([name, levels, len(column)]).encode())
        values = column.cat.codes.to_numpy("<i4") if is_categorical else _canonical_floats(column)
        content.update(values.tobytes())
    return content.hexdigest()


def _canonical_floats(column: pd.Series) -> NDArray[np.float64]:
    """Return the numbers with one kind of zero and one kind of gap."""
    values = column.to_numpy("<f8") + 0.0
    values[np.isnan(values)] = np.nan
    return values


def _generate(
    name: str,
    source: GeneratedData,
    n: int | None,
    options: Mapping[str, float],
    rng: Generator | None,
) -> DataSet:
    for option in options:
        if option not in source.options:
            raise unknown_name(f"option of the data set {name!r}:", option, source.options)
    size = source.n if n is None else n
    if size < 2:
        raise SetupError(f"data set {name!r}: n is {size}, at least 2 are needed")
    rng = np.random.default_rng(FIXED_SEED) if rng is None else rng
    table = source.draw(size, rng, **{**source.options, **options})
    return DataSet.of(name, *table, "classification", source.origin)


def _bundled(loader: str) -> tuple[pd.DataFrame, pd.Series]:
    from sklearn import datasets

    bunch = getattr(datasets, loader)(as_frame=True)
    classes = pd.Categorical.from_codes(
        np.asarray(bunch.target), pd.Index([str(c) for c in bunch.target_names])
    )
    return bunch.data, pd.Series(classes, name="class")


def _monks(rule: generators.Rule, n_learning: int, noise: float) -> generators.Table:
    return generators.monks(rule, n_learning, noise, np.random.default_rng(FIXED_SEED))


_SCIKIT_LEARN = "scikit-learn"
_MONKS = "MONK's problems (Thrun et al. 1991), by definition"

_FIXED: Mapping[str, tuple[Callable[[], tuple[pd.DataFrame, pd.Series]], str]] = MappingProxyType(
    {
        "iris": (partial(_bundled, "load_iris"), _SCIKIT_LEARN),
        "wine": (partial(_bundled, "load_wine"), _SCIKIT_LEARN),
        "breast-cancer": (partial(_bundled, "load_breast_cancer"), _SCIKIT_LEARN),
        "digits": (partial(_bundled, "load_digits"), _SCIKIT_LEARN),
        "monks1": (partial(_monks, generators.monk1, 124, 0.0), _MONKS),
        "monks2": (partial(_monks, generators.monk2, 169, 0.0), _MONKS),
        "monks3": (partial(_monks, generators.monk3, 122, generators.MONK_NOISE), _MONKS),
    }
)

_GENERATED: Mapping[str, GeneratedData] = MappingProxyType(
    {
        "spirals": GeneratedData(
            generators.spirals, "generated as in mlbench", {"cycles": 1.0, "sd": 0.0}
        ),
        "twonorm": GeneratedData(generators.twonorm, "generated (Breiman 1998)", {"d": 20.0}),
    }
)

DATASETS: tuple[str, ...] = (*_FIXED, *_GENERATED)
"""Names of the catalogue's data sets."""
