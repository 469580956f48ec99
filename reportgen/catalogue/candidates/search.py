"""What a tuning tries: grids, and combinations drawn at random.

The fits of an inner fold: one for every setting, fewer where several must come out the same.

What an inner cross-validation judges by: a measure of the predictions of all its folds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, log
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.svm import SVC

from reportgen.catalogue.measures import (
    ComputedMeasure,
    Prediction,
    Task,
    find_measure,
    known_measure,
)
from reportgen.catalogue.plugins import MEASURES, offered
from reportgen.errors import SetupError

Setting = Mapping[str, Any]
"""Hyperparameters by name."""


class Settings(Protocol):
    """What is to be tried, given a learning sample."""

    def __call__(self, X: Any, y: NDArray[Any], rng: Generator) -> Sequence[Setting]:
        """Return the settings, the simplest first."""


@dataclass(frozen=True, slots=True)
class Span:
    """All numbers between two.

    Attributes
    ----------
    lower, upper : float
    is_log : bool
        Whether numbers are drawn evenly on the logarithmic scale.
    """

    lower: float
    upper: float
    is_log: bool = False

    def at(self, share: float) -> float:
        """Return the number at a share of the way.

        Examples
        --------
        >>> Span(1.0, 3.0).at(0.5), round(Span(0.1, 10.0, True).at(0.5), 9)
        (2.0, 1.0)
        """
        if self.is_log:
            number = exp(log(self.lower) + share * (log(self.upper) - log(self.lower)))
        else:
            number = self.lower + share * (self.upper - self.lower)
        return min(max(number, self.lower), self.upper)


Values = tuple[Any, ...] | Span
"""The values of a hyperparameter, one by one or all between two."""


@dataclass(frozen=True, slots=True)
class Grid:
    """All combinations of some values.

    Attributes
    ----------
    values : mapping of str to tuple
        By hyperparameter.
    """

    values: Mapping[str, tuple[Any, ...]]

    def __call__(self, X: Any, y: NDArray[Any], rng: Generator) -> Sequence[Setting]:
        """Return every combination, the last hyperparameter changing fastest."""
        return [
            dict(zip(self.values, chosen, strict=True)) for chosen in product(*self.values.values())
        ]


@dataclass(frozen=True, slots=True)
class RandomSearch:
    """Combinations drawn at random.

    Attributes
    ----------
    values : mapping of str to tuple or Span
        By hyperparameter.
    n : int
        How many. From lists alone none is drawn twice.
    """

    values: Mapping[str, Values]
    n: int

    def __call__(self, X: Any, y: NDArray[Any], rng: Generator) -> Sequence[Setting]:
        """Draw the combinations."""
        if any(isinstance(values, Span) for values in self.values.values()):
            return [self._draw(rng) for _ in range(self.n)]
        lists = {name: values for name, values in self.values.items() if isinstance(values, tuple)}
        sizes = [len(values) for values in lists.values()]
        n_all = int(np.prod(sizes, dtype=object))
        drawn = rng.choice(n_all, size=min(self.n, n_all), replace=False)
        places = zip(*np.unravel_index(np.sort(drawn), sizes), strict=True)
        return [
            {name: values[i] for (name, values), i in zip(lists.items(), at, strict=True)}
            for at in places
        ]

    def _draw(self, rng: Generator) -> Setting:
        return {
            name: values.at(float(rng.random()))
            if isinstance(values, Span)
            else values[int(rng.integers(len(values)))]
            for name, values in self.values.items()
        }


UNFIT = (ValueError, ArithmeticError, np.linalg.LinAlgError)
"""Errors by which a setting tells that it does not suit a fold."""

BELOW = 1.0 - 1e-9  # of the bound: a multiplier beneath it is free


def inner_fits(
    estimator: Any, tried: Sequence[Setting], X: Any, y: NDArray[Any]
) -> Iterator[tuple[int, Any]]:
    """Fit an estimator with every setting to one learning sample.

    Parameters
    ----------
    estimator : estimator
    tried : sequence of mapping
    X, y : array_like
        The learning sample of a fold.

    Yields
    ------
    int
        The setting's place in `tried`; places may come in any order.
    object
        The fitted estimator, or None where it could not be fitted. Settings that
        lead to the same fit share one.
    """
    if _can_go_along_costs(estimator, tried, X):
        yield from _along_costs(estimator, tried, X, y)
        return
    for i, setting in enumerate(tried):
        yield i, _fitted(estimator, setting, X, y)


def _fitted(estimator: Any, setting: Mapping[str, Any], X: Any, y: Any, **more: Any) -> Any:
    try:
        return clone(estimator).set_params(**setting).fit(X, y, **more)
    except UNFIT:
        return None


def _can_go_along_costs(estimator: Any, tried: Sequence[Setting], X: Any) -> bool:
    """Whether a support vector machine is tried with several costs and nothing unusual."""
    if type(estimator) is not SVC or not isinstance(X, np.ndarray):
        return False
    kernels = {setting.get("kernel", estimator.kernel) for setting in tried}
    usual = {"class_weight": None, "max_iter": -1}
    as_usual = all(
        setting.get(name, getattr(estimator, name)) == value
        for setting in tried
        for name, value in usual.items()
    )
    is_plain = getattr(estimator, "probability", False) in (False, "deprecated")
    is_plain = is_plain and not any("probability" in setting for setting in tried)
    return as_usual and is_plain and "precomputed" not in kernels and all("C" in s for s in tried)


def _along_costs(
    estimator: SVC, tried: Sequence[Setting], X: NDArray[np.float64], y: NDArray[Any]
) -> Iterator[tuple[int, Any]]:
    """Fit from the least cost on, until a greater one changes nothing.

    Copies are one observation with their number as weight, which multiplies the
    cost: the optimum is the same.
    """
    points = _Points(X, y)
    groups: dict[tuple[tuple[str, Any], ...], list[int]] = {}
    for i, setting in enumerate(tried):
        groups.setdefault(tuple((k, v) for k, v in setting.items() if k != "C"), []).append(i)
    for places in groups.values():
        fitted, is_settled = None, False
        for i in sorted(places, key=lambda i: float(tried[i]["C"])):
            if not is_settled:
                setting = points.with_gamma(estimator, tried[i])
                fitted = _fitted(
                    estimator, setting, points.X, points.y, sample_weight=points.weights
                )
                is_settled = fitted is not None and points.is_settled(fitted)
            yield i, fitted


class _Points:
    """The distinct pairs of inputs and class in a learning sample."""

    def __init__(self, X: NDArray[np.float64], y: NDArray[Any]) -> None:
        classes, codes = np.unique(y, return_inverse=True)
        _, place = np.unique(X, axis=0, return_inverse=True)
        pair = np.ravel(place) * len(classes) + codes
        distinct, first, counts = np.unique(pair, return_index=True, return_counts=True)
        self.X, self.y, self.weights = X[first], y[first], counts.astype(np.float64)
        self._place, self._code = distinct // len(classes), distinct % len(classes)
        self._by_class = np.zeros((int(self._place.max()) + 1, len(classes)))
        self._by_class[self._place, self._code] = self.weights
        variance = float(X.var())
        self._scale = 1.0 / (X.shape[1] * variance) if variance else 1.0

    def with_gamma(self, estimator: SVC, setting: Setting) -> Setting:
        """Spell out a gamma that depends on how often each row occurs."""
        gamma = setting.get("gamma", estimator.gamma)
        return {**setting, "gamma": self._scale} if gamma == "scale" else setting

    def is_settled(self, fitted: SVC) -> bool:
        """Return whether every greater cost has the same solution.

        That is so when no multiplier is at its bound: the conditions of Karush,
        Kuhn and Tucker do not mention the cost otherwise. One may be there where
        the same inputs have at least as much weight in the other class: both then
        grow by the same amount, and the function stays.
        """
        of_vector = fitted.support_
        own = self._code[of_vector]
        rows = np.arange(len(fitted.classes_) - 1)[:, None]
        others = np.where(rows < own, rows, rows + 1)
        against = self._by_class[self._place[of_vector], others]
        weights = self.weights[of_vector]
        is_free = np.abs(fitted.dual_coef_) < BELOW * fitted.C * weights
        return bool(np.all(is_free | (against >= weights)))


Array = NDArray[np.float64]

USUAL: dict[Task, str] = {"classification": "misclassification", "regression": "mse"}
MEANS = ("misclassification", "accuracy", "brier", "deviance", "log-loss", "mse", "mae")
"""Measures that are means over observations, and so have a standard error."""


class OutOfFold:
    """What one setting says of every observation, each from the fold that left it out.

    Parameters
    ----------
    y : ndarray of shape (n,)
        The responses of the learning sample.
    has_probabilities : bool
        Whether class probabilities are kept.
    """

    def __init__(self, y: NDArray[Any], *, has_probabilities: bool) -> None:
        n_classes = int(y.max()) + 1 if has_probabilities else 0
        self.truth = y
        self.predicted = np.full(len(y), np.nan)
        self.probabilities = np.zeros((len(y), n_classes)) if has_probabilities else None
        self.is_lost = False

    def take(self, rows: NDArray[np.int64], fitted: Any, X: Any) -> None:
        """Keep what a fitted estimator says of the observations that were left out."""
        if fitted is None:
            self.is_lost = True
            return
        try:
            self.predicted[rows] = fitted.predict(X)
            if self.probabilities is not None:
                learnt = np.asarray(fitted.classes_, dtype=np.int64)
                self.probabilities[np.ix_(rows, learnt)] = fitted.predict_proba(X)
        except UNFIT:
            self.is_lost = True

    def copy_from(self, other: OutOfFold, rows: NDArray[np.int64]) -> None:
        """Keep what another setting with the same fit has said."""
        self.is_lost = self.is_lost or other.is_lost
        self.predicted[rows] = other.predicted[rows]
        if self.probabilities is not None and other.probabilities is not None:
            self.probabilities[rows] = other.probabilities[rows]

    def error(self, measure: ComputedMeasure) -> float:
        """Return the measure, smaller being better; infinite where it has no value."""
        if self.is_lost:
            return np.inf
        everything = np.arange(len(self.truth))
        try:
            value = self._value(measure, everything)
        except UNFIT:
            return np.inf
        return value if np.isfinite(value) else np.inf

    def standard_error(self, measure: ComputedMeasure) -> float:
        """Return the standard error of a measure that is a mean over observations."""
        each = [self._value(measure, np.array([i])) for i in range(len(self.truth))]
        return float(np.std(each) / np.sqrt(len(each)))

    def _value(self, measure: ComputedMeasure, rows: NDArray[np.int64]) -> float:
        probabilities = None if self.probabilities is None else self.probabilities[rows]
        seen = Prediction(self.truth[rows], self.predicted[rows], probabilities, 0.0, 0.0)
        sign = 1.0 if measure.measure.better == "smaller" else -1.0
        return sign * measure.compute(seen)


Judged = str | ComputedMeasure | None
"""What tuning judges by: a name of the catalogue, a package's measure, or the usual one."""


def inner_measure(measure: Judged, task: Task) -> ComputedMeasure:
    """Return what an inner cross-validation judges by; the usual measure where none is named."""
    if isinstance(measure, ComputedMeasure):
        return measure
    return find_measure(measure or USUAL[task])


def check_inner_measure(name: str, rule: str, packages: Sequence[str] = ()) -> Judged:
    """Return a measure that tuning can judge by.

    Parameters
    ----------
    name : str
    rule : str
        By which a setting is chosen.
    packages : sequence of str
        Packages whose measures may be loaded.

    Returns
    -------
    str or ComputedMeasure
        The name of one of the catalogue; one that a package brings.

    Raises
    ------
    SetupError
        If there is none of that name, or it is not one of predictions, or has no
        standard error where the rule needs one.
    """
    measure = find_measure(name, packages)
    is_own = known_measure(name) is not None
    is_of_predictions = measure.task is not None if is_own else name in offered(MEASURES)
    if not is_of_predictions:
        raise SetupError(
            f"found the inner measure {name!r}; allowed a measure of the catalogue that "
            "judges predictions, such as misclassification, brier or mae, or of a package"
        )
    if rule == "one-se" and measure.name not in MEANS:
        raise SetupError(
            f"found rule: one-se with the inner measure {name!r}; allowed means over "
            f"observations: {', '.join(MEANS)}"
        )
    return name if is_own else measure


def check_judged(measure: ComputedMeasure, estimator: Any, task: Task) -> None:
    """Raise a SetupError unless an estimator can be judged by a measure in a task."""
    if measure.task not in (None, task):
        raise SetupError(
            f"found the inner measure {measure.name!r} of {measure.task} with an estimator for "
            f"{task}; allowed a measure of {task}"
        )
    if measure.needs_probabilities and not hasattr(estimator, "predict_proba"):
        raise SetupError(
            f"found the inner measure {measure.name!r}, which needs probabilities, with an "
            "estimator that has none; allowed a measure of predicted classes"
        )
