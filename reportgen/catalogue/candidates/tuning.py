"""Tuning: hyperparameters are chosen inside the learning sample.

By a cross-validation, or by a validation sample. Copies of one observation, which a
bootstrap sample has, fall into the same part: otherwise a candidate would be tested on
what it has learnt. `Tuned` tries every setting on all folds; `Halved` is successive
halving: many settings on few observations, few settings on all.

References
----------
Jamieson and Talwalkar (2016), Non-stochastic best arm identification and
hyperparameter optimization, AISTATS, algorithm 1, with observations of the
learning sample as the budget.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.svm import SVC

from reportgen.catalogue.candidates.meta_estimator import MetaEstimator
from reportgen.catalogue.candidates.search import (
    Judged,
    Rule,
    Setting,
    Settings,
    inner_measure,
)
from reportgen.catalogue.measures.prediction import ComputedMeasure, Prediction
from reportgen.measures import Task

UNFIT = (ValueError, ArithmeticError, np.linalg.LinAlgError)
"""Errors of settings that do not suit a fold."""
BELOW = 1.0 - 1e-9  # of the bound: a multiplier beneath it is free
FACTOR = 3
"""One in so many settings goes on, and learns from so many times the observations."""


def deal(
    copies: NDArray[np.int64], classes: NDArray[Any] | None, folds: int, rng: Generator
) -> NDArray[np.int64]:
    """Deal observations into folds of nearly equal numbers of distinct observations.

    `copies`: (n,); equal numbers for copies of one observation.
    `classes`: (n,); every class is dealt evenly where given.
    Result: (n,); the fold of each row, from 0.

    Examples
    --------
    >>> int(deal(np.array([0, 1, 0, 2]), None, 3, np.random.default_rng(1)).max())
    2
    """
    distinct, first, back = np.unique(copies, return_index=True, return_inverse=True)
    shuffled = rng.permutation(len(distinct))
    if classes is not None:
        shuffled = shuffled[np.argsort(classes[first][shuffled], kind="stable")]
    fold_of = np.empty(len(distinct), dtype=np.int64)
    fold_of[shuffled] = np.arange(len(distinct)) % max(2, min(folds, len(distinct)))
    return fold_of[back]


def copies_of(X: Any) -> NDArray[np.int64]:
    """Number the observations of a learning sample; copies have the same number.

    The rows of a data frame keep the label of the observation that they are a
    copy of; in a matrix equal rows count as copies.

    Examples
    --------
    >>> copies_of(np.array([[1.0], [2.0], [1.0]])).tolist()
    [0, 1, 0]
    """
    if isinstance(X, pd.DataFrame):
        return np.asarray(pd.factorize(X.index)[0], dtype=np.int64)
    _, first, back = np.unique(np.asarray(X), axis=0, return_index=True, return_inverse=True)
    return np.asarray(pd.factorize(first[np.ravel(back)])[0], dtype=np.int64)


def rows_of(X: Any, rows: NDArray[np.int64]) -> Any:
    """Return some rows of a data frame or a matrix."""
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]


def inner_fits(
    estimator: Any, tried: Sequence[Setting], X: Any, y: NDArray[Any]
) -> Iterator[tuple[int, Any]]:
    """Fit an estimator with every setting to one learning sample.

    `X`, `y`: the learning sample of a fold.
    Result: the setting's place in `tried`; places may come in any order; the fitted estimator, or
    None where it could not be fitted. Settings that lead to the same fit share one.
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
    """Fit from the least cost on, until a greater one changes nothing."""
    # Copies are one observation with their number as weight, which multiplies the
    # cost: the optimum is the same.
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
        """Return whether every greater cost has the same solution."""
        # That is so when no multiplier is at its bound: the conditions of Karush,
        # Kuhn and Tucker do not mention the cost otherwise. One may be there where
        # the same inputs have at least as much weight in the other class: both then
        # grow by the same amount, and the function stays.
        of_vector = fitted.support_
        own = self._code[of_vector]
        rows = np.arange(len(fitted.classes_) - 1)[:, None]
        others = np.where(rows < own, rows, rows + 1)
        against = self._by_class[self._place[of_vector], others]
        weights = self.weights[of_vector]
        is_free = np.abs(fitted.dual_coef_) < BELOW * fitted.C * weights
        return bool(np.all(is_free | (against >= weights)))


class OutOfFold:
    """The predictions by one setting of every observation, each from the fold that left it out.

    `y`: (n,); the responses of the observations that are predicted.
    `n_classes`: of which probabilities are kept, if any.
    """

    def __init__(self, y: NDArray[Any], n_classes: int = 0) -> None:
        self.truth = y
        self.predicted = np.full(len(y), np.nan)
        self.probabilities = np.zeros((len(y), n_classes)) if n_classes else None
        self.is_lost = False

    def take(self, rows: NDArray[np.int64], fitted: Any, X: Any) -> None:
        """Keep the predictions of a fitted estimator for the observations that were left out."""
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
        """Keep the predictions by another setting with the same fit."""
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


class Tuned(MetaEstimator):
    """An estimator with the hyperparameters that do best in an inner cross-validation.

    Or on a validation sample, a part of the learning sample.

    `settings`: what is tried; see `reportgen.catalogue.candidates.search.Settings`.
    `preparation`: turns inputs into a matrix; fitted in every fold anew.
    `folds`: number of folds, at most the number of distinct observations.
    `rule`: the least error, or the first setting whose error is within one standard error of the
    least (Breiman, Friedman, Olshen and Stone 1984).
    `measure`: what is an error: a measure of the catalogue or a package's, of the predictions of
    all folds together. Misclassification or mean squared error where it is left out.
    `random_state`: deals the observations into folds, and draws what a random search tries.
    `validation`: the part of the distinct observations that is the validation sample, in place of
    folds.
    `chosen_`: the setting that was chosen.
    `errors_`: the measure of each setting, smaller being better (of a measure that is better
    larger, its negative).

    Notes
    -----
    Equal errors are decided for the setting that comes first. A setting whose
    fit fails in a fold is out.
    """

    def __init__(
        self,
        estimator: Any,
        settings: Settings,
        preparation: Any = None,
        folds: int = 10,
        rule: Rule = "best",
        measure: Judged = None,
        random_state: int | None = None,
        validation: float | None = None,
    ) -> None:
        self.estimator = estimator
        self.settings = settings
        self.preparation = preparation
        self.folds = folds
        self.rule = rule
        self.measure = measure
        self.random_state = random_state
        self.validation = validation

    def fit(self, X: pd.DataFrame, y: NDArray[Any]) -> Self:
        """Choose, and fit the choice to the whole learning sample."""
        rng = np.random.default_rng(self.random_state)
        self.preparation_ = None if self.preparation is None else clone(self.preparation).fit(X)
        matrix = self._inputs(X)
        tried = list(self.settings(matrix, y, rng))
        if len(tried) > 1:
            chosen = self._choose(X, y, tried, rng)
        else:
            self.errors_, chosen = np.array([np.nan]), 0
        self.chosen_ = dict(tried[chosen])
        self._keep(clone(self.estimator).set_params(**self.chosen_).fit(matrix, y))
        return self

    def _inputs(self, X: pd.DataFrame) -> Any:
        return X if self.preparation_ is None else self.preparation_.transform(X)

    def _choose(
        self, X: pd.DataFrame, y: NDArray[Any], tried: Sequence[Setting], rng: Generator
    ) -> int:
        """Return the place of the setting that the rule chooses."""
        task: Task = "classification" if is_classifier(self.estimator) else "regression"
        measure = inner_measure(self.measure, task)
        predictions = self._cross_validated(X, y, tried, measure, rng)
        self.errors_ = np.array([of_setting.error(measure) for of_setting in predictions])
        if not np.isfinite(self.errors_).any():
            raise ValueError("no setting of the hyperparameters could be fitted in all folds")
        best = int(np.argmin(self.errors_))
        if self.rule == "best":
            return best
        reach = self.errors_[best] + predictions[best].standard_error(measure)
        return int(np.flatnonzero(self.errors_ <= reach)[0])

    def _cross_validated(
        self,
        X: pd.DataFrame,
        y: NDArray[Any],
        tried: Sequence[Setting],
        measure: ComputedMeasure,
        rng: Generator,
    ) -> list[OutOfFold]:
        """Return the predictions by every setting for the observations that its fits left out."""
        splits = self._splits(X, y, rng)
        tested = np.sort(np.concatenate([outer for _, outer in splits]))
        n_classes = int(y.max()) + 1 if measure.needs_probabilities else 0
        predictions = [OutOfFold(y[tested], n_classes) for _ in tried]
        for inner, outer in splits:
            learn, test = self._prepared(rows_of(X, inner), rows_of(X, outer))
            places = np.searchsorted(tested, outer)
            previous, last = None, predictions[0]
            for i, fitted in inner_fits(self.estimator, tried, learn, y[inner]):
                if fitted is not None and fitted is previous:
                    predictions[i].copy_from(last, places)
                else:
                    predictions[i].take(places, fitted, test)
                previous, last = fitted, predictions[i]
        return predictions

    def _splits(
        self, X: pd.DataFrame, y: NDArray[Any], rng: Generator
    ) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Return the rows that are learnt from, and those that are predicted, of every fold."""
        copies, classes = copies_of(X), y if is_classifier(self.estimator) else None
        if self.validation is None:
            fold_of = deal(copies, classes, self.folds, rng)
            is_outer = [fold_of == fold for fold in range(int(fold_of.max()) + 1)]
        else:
            priority = priorities(copies, classes, rng)
            n = int(priority.max()) + 1
            is_outer = [priority < max(1, min(round(self.validation * n), n - 1))]
        return [(np.flatnonzero(~outer), np.flatnonzero(outer)) for outer in is_outer]

    def _prepared(self, learn: Any, test: Any) -> tuple[Any, Any]:
        """Turn both parts into matrices by what is learnt from the first."""
        if self.preparation is None:
            return learn, test
        preparation = clone(self.preparation).fit(learn)
        return preparation.transform(learn), preparation.transform(test)


class Round(NamedTuple):
    """A round: how many settings are tried, on how many distinct observations."""

    n_settings: int
    n_observations: int


def rounds_of(n_settings: int, n_observations: int, least: int, factor: int) -> list[Round]:
    """Return the rounds of a search; the last one is on all observations.

    `n_observations`: distinct ones in the learning sample.
    `least`: observations of any round, where there are so many.
    `factor`: from 2.

    Examples
    --------
    >>> for round in rounds_of(27, 900, 20, 3):
    ...     print(*round)
    27 100
    9 300
    3 900
    """
    counts = [n_settings]
    while counts[-1] > factor:
        counts.append(ceil(counts[-1] / factor))
    sizes = [ceil(n_observations / factor**i) for i in reversed(range(len(counts)))]
    least = min(least, n_observations)
    return [Round(k, max(size, least)) for k, size in zip(counts, sizes, strict=True)]


class Halved(Tuned):
    """An estimator whose hyperparameters are chosen by successive halving.

    `estimator`, `settings`, `preparation`, `folds`, `rule`, `measure`, `random_state`,
    `validation`: see `Tuned`.
    `factor`: one in so many settings survives a round.
    `errors_`: the measure of each setting in the last round that it came to.

    Notes
    -----
    The observations of a round are among those of the next one; each class has
    its share of them, and copies of one observation come together. Settings of
    equal errors survive in their order. Of the last round, the rule chooses.
    """

    def __init__(
        self,
        estimator: Any,
        settings: Settings,
        preparation: Any = None,
        folds: int = 10,
        rule: Rule = "best",
        measure: Judged = None,
        random_state: int | None = None,
        validation: float | None = None,
        factor: int = FACTOR,
    ) -> None:
        super().__init__(
            estimator, settings, preparation, folds, rule, measure, random_state, validation
        )
        self.factor = factor

    def _choose(
        self, X: pd.DataFrame, y: NDArray[Any], tried: Sequence[Setting], rng: Generator
    ) -> int:
        classes = y if is_classifier(self.estimator) else None
        priority = priorities(copies_of(X), classes, rng)
        n_classes = 1 if classes is None else len(np.unique(classes))
        n = int(priority.max()) + 1
        n_parts = self.folds if self.validation is None else 2
        self.rounds_ = rounds_of(len(tried), n, 2 * n_parts * n_classes, self.factor)
        errors = np.full(len(tried), np.inf)
        left = np.arange(len(tried))
        chosen = 0
        for k, (n_settings, n_observations) in enumerate(self.rounds_):
            if k and np.isfinite(errors[left]).any():
                left = np.sort(left[np.argsort(errors[left], kind="stable")[:n_settings]])
            rows = np.flatnonzero(priority < n_observations)
            part = [tried[i] for i in left.tolist()]
            chosen = self._best(rows_of(X, rows), y[rows], part, rng, is_last=self._ends(k))
            errors[left] = self.errors_
        self.errors_ = errors
        return int(left[chosen])

    def _ends(self, k: int) -> bool:
        return k == len(self.rounds_) - 1

    def _best(
        self,
        X: pd.DataFrame,
        y: NDArray[Any],
        tried: Sequence[Setting],
        rng: Generator,
        *,
        is_last: bool,
    ) -> int:
        """Try settings in a round; one is chosen in the last round only."""
        if is_last:
            return super()._choose(X, y, tried, rng)
        measure = inner_measure(
            self.measure, "classification" if is_classifier(self.estimator) else "regression"
        )
        predictions = self._cross_validated(X, y, tried, measure, rng)
        self.errors_ = np.array([of_setting.error(measure) for of_setting in predictions])
        return 0


def priorities(
    copies: NDArray[np.int64], classes: NDArray[Any] | None, rng: Generator
) -> NDArray[np.int64]:
    """Number distinct observations so that the first ones have their share of every class.

    `copies`: (n,); equal numbers for copies of one observation.
    `classes`: shape (n,).
    Result: (n,); from 0; equal for copies.
    """
    distinct, first, back = np.unique(copies, return_index=True, return_inverse=True)
    place = np.empty(len(distinct))
    of = np.zeros(len(distinct)) if classes is None else classes[first]
    for g in np.unique(of):
        members = np.flatnonzero(of == g)
        place[rng.permutation(members)] = (np.arange(len(members)) + 0.5) / len(members)
    number = np.empty(len(distinct), dtype=np.int64)
    number[np.argsort(place, kind="stable")] = np.arange(len(distinct))
    return number[back]
