"""A data set in canonical form: inputs, target, digest of the content, and setting."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.errors import SetupError
from reportgen.measures import Task

if TYPE_CHECKING:
    from reportgen.catalogue.datasets.generators import Source

Level = str | float | int


@dataclass(frozen=True, slots=True)
class Setting:
    """The data set of which this one is a variant, and the levels of its factors."""

    base: str  # what the manifest calls the data set
    factors: Mapping[str, Level]  # in the manifest's order

    @property
    def name(self) -> str:
        """Name of the data set in this setting.

        Examples
        --------
        >>> Setting("line", {"b2": 0.04, "resampling": "bootstrap"}).name
        'line (b2 = 0.04, bootstrap)'
        """
        return f"{self.base} ({', '.join(map(_shown, self.factors.items()))})"

    def at(self, factor: str, level: Level) -> Setting:
        """Return it with a further factor."""
        return replace(self, factors={**self.factors, factor: level})

    def described(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {"base": self.base, "factors": dict(self.factors)}


def _shown(item: tuple[str, Level]) -> str:
    factor, level = item
    if isinstance(level, str):
        return level
    short = f"{level:g}"
    return f"{factor} = {short if float(short) == level else repr(level).removesuffix('.0')}"


@dataclass(frozen=True, slots=True, eq=False)
class DataSet:
    """Observations, and the response to predict."""

    name: str
    inputs: pd.DataFrame  # numbers as float64, all else as unordered categories
    target: pd.Series  # categories for classification, float64 for regression; nothing missing.
    task: Task
    origin: str  # where the data come from, in words a report may print
    digest: str  # SHA-256 of the content; the name has no part in it
    infinite: str = ""  # which of the inputs are infinite, and where; empty if none is
    n_test: int = 0  # number of observations at the end that are a test sample of their own.
    # (n,); numbers from 0 of the groups of observations that stay together.
    groups: NDArray[np.int64] | None = None
    # (n,); numbers from 0 of the different times, in their order.
    times: NDArray[np.int64] | None = None
    source: Source | None = None  # the generator that draws more of the kind
    setting: Setting | None = None  # which variant of a data set it is, where a study varies it
    unit: str = ""  # of the response, in a regression; "" where unknown
    # Of artificial data without a `source`: how an observation arises, in words a report may print.
    formula: str = ""
    is_all_numbers: bool = field(init=False)  # whether no input is a category
    places: pd.Index = field(init=False)  # (n,); rows from 0, of which a sample's are taken
    classes: tuple[str, ...] = field(init=False)  # the G in order; empty for regression
    # (n,); the classes' numbers from 0, or the values themselves.
    response: NDArray[np.int64] | NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        numbers = all(kind == np.float64 for kind in self.inputs.dtypes)
        object.__setattr__(self, "is_all_numbers", numbers)
        object.__setattr__(self, "places", pd.Index(np.arange(len(self.inputs))))
        is_classified = self.task == "classification"
        classes = tuple(self.target.cat.categories) if is_classified else ()
        object.__setattr__(self, "classes", classes)
        response = (
            np.array(self.target.cat.codes, np.int64)
            if is_classified
            else np.array(self.target, np.float64)
        )
        response.flags.writeable = False
        object.__setattr__(self, "response", response)

    @classmethod
    def of(
        cls, name: str, inputs: pd.DataFrame, target: pd.Series, task: Task, origin: str
    ) -> DataSet:
        """Bring a table into canonical form and compute its digest.

        Raises SetupError if there are no rows or no inputs, if the target is constant or has gaps,
        or if the target does not suit the task.
        """
        _check_shape(name, inputs, target)
        inputs = inputs.reset_index(drop=True)
        inputs = pd.DataFrame({str(c): _canonical_input(inputs[c]) for c in inputs})
        target = _canonical_target(name, target.reset_index(drop=True), task)
        digest = _digest(inputs, target, task)
        return cls(name, inputs, target, task, origin, digest, _infinite(name, inputs))

    @property
    def n(self) -> int:
        """Number of observations."""
        return len(self.response)

    @property
    def n_units(self) -> int:
        """Number of observations, or of groups of them, that can be learnt from."""
        n = self.n - self.n_test
        return n if self.groups is None else len(np.unique(self.groups[:n]))

    @property
    def can_be_estimated(self) -> bool:
        """Whether parameters of its generator can be estimated from observations."""
        return self.source is not None and self.source.definition.estimate is not None

    @property
    def key(self) -> list[object]:
        """A digest that identifies its content and its parts."""
        parts: list[object] = [self.name, self.digest]
        if self.n_test:
            parts.append(self.n_test)
        if self.groups is not None:
            parts.append(sha256(self.groups.astype("<i8").tobytes()).hexdigest())
        return parts

    def rows(self, numbers: NDArray[np.int64]) -> pd.DataFrame:
        """Return the inputs of some observations, as `inputs.take` does, sooner if all are numbers.

        `numbers`: rows from 0, with repetitions.
        """
        if not self.is_all_numbers:
            return self.inputs.take(numbers)
        values = self.inputs.to_numpy().T.take(numbers, axis=1).T
        index = self.places[numbers]
        return pd.DataFrame(values, index=index, columns=self.inputs.columns, copy=False)

    def at(self, factor: str, level: Level) -> DataSet:
        """Return the data set under the name of one of its variants."""
        setting = (self.setting or Setting(self.name, {})).at(factor, level)
        return replace(self, name=setting.name, setting=setting)

    def drawn(self, n: int, rng: Generator, kept: NDArray[np.int64] | None = None) -> DataSet:
        """Draw observations of the same kind.

        `kept`: rows of this data set that follow those that are drawn.
        """
        if self.source is None:
            raise ValueError(f"the data set {self.name!r} has no generator")
        inputs, target = self.source.draw(n, rng)
        if self.task == "classification":
            target = pd.Series(pd.Categorical(target.astype(str), self.target.cat.categories))
        if kept is not None:
            inputs = pd.concat([inputs, self.inputs.iloc[kept]], ignore_index=True)
            target = pd.concat([target, self.target.iloc[kept]], ignore_index=True)
        return replace(self, inputs=inputs, target=target, n_test=0, groups=None, times=None)

    def estimated(self) -> DataSet:
        """Return the data set with the parameters that its learning data suggest."""
        if self.source is None:
            raise ValueError(f"the data set {self.name!r} has no generator")
        n = self.n - self.n_test
        source = self.source.estimated(self.inputs.iloc[:n], self.target.iloc[:n])
        return replace(self, source=source)


def is_numeric(column: pd.Series) -> bool:
    """Whether a column holds numbers, and not truth values."""
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _check_shape(name: str, inputs: pd.DataFrame, target: pd.Series) -> None:
    if not len(inputs):
        raise SetupError(f"data set {name!r}: found no rows; allowed two or more")
    if not inputs.shape[1]:
        raise SetupError(
            f"data set {name!r}: found no inputs, only the target {target.name!r}; allowed one "
            "input "
            "at least"
        )
    gaps = np.flatnonzero(target.isna())
    if len(gaps):
        raise SetupError(
            f"data set {name!r}, row {gaps[0] + 1}: found no value of the target {target.name!r}, "
            f"as in {len(gaps)} of {len(target)} rows; allowed a value in each"
        )
    if target.nunique() < 2:
        raise SetupError(
            f"data set {name!r}: found the constant target {target.name!r}, always "
            f"{target.iloc[0]!r}; allowed a target of two values or more"
        )


def _canonical_input(column: pd.Series) -> pd.Series:
    if is_numeric(column):
        return pd.Series(column.to_numpy(np.float64, na_value=np.nan))
    return pd.Series(_canonical_categories(column))


def _canonical_target(name: str, target: pd.Series, task: Task) -> pd.Series:
    if task == "regression":
        if not is_numeric(target):
            raise SetupError(
                f"data set {name!r}: found the target {target.name!r}, which is not numeric, with "
                "task: regression; allowed numbers, or task: classification"
            )
        values = target.to_numpy(np.float64)
        _check_finite(name, values, target.name)
        return pd.Series(values, name=str(target.name))
    classes = _canonical_categories(target)
    if len(classes.categories) == len(classes):
        raise SetupError(
            f"data set {name!r}: found every value of the target {target.name!r} once; allowed "
            "classes, or task: regression"
        )
    return pd.Series(classes, name=str(target.name))


def _check_finite(name: str, values: NDArray[np.float64], column: object) -> None:
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        found = _where("target", column, infinite, len(values))
        raise SetupError(f"data set {name!r}: found {found}; allowed finite numbers")


def _infinite(name: str, inputs: pd.DataFrame) -> str:
    """Describe the infinite inputs: the first of them, and the number of others."""
    columns = {c: np.flatnonzero(np.isinf(v)) for c, v in inputs.items() if is_numeric(v)}
    found = [(column, rows) for column, rows in columns.items() if len(rows)]
    if not found:
        return ""
    others = {1: "", 2: ", and another input"}
    more = others.get(len(found), f", and {len(found) - 1} other inputs")
    return f"data set {name!r}: found {_where('input', *found[0], len(inputs))}{more}"


def _where(role: str, column: object, rows: NDArray[np.intp], n: int) -> str:
    return f"the {role} {column!r} infinite in {len(rows)} of {n} rows, first in row {rows[0] + 1}"


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
