"""Tuning: a candidate chooses its hyperparameters, inside the learning sample only.

The learning sample is cut into folds. Copies of one observation, which a
bootstrap sample has, fall into the same fold: otherwise a candidate would be
tested on what it has learnt.

The folds of an inner cross-validation, in which copies of an observation stay together.

Tuning by successive halving: many settings on few observations, few settings on all.

Jamieson and Talwalkar (2016), Non-stochastic best arm identification and
hyperparameter optimization, AISTATS, algorithm 1, with observations of the
learning sample as the budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from reportgen.catalogue.candidates.meta_estimator import Wrapped
from reportgen.catalogue.candidates.search import (
    Judged,
    OutOfFold,
    Setting,
    Settings,
    inner_fits,
    inner_measure,
)
from reportgen.catalogue.measures import ComputedMeasure, Task


def deal(
    copies: NDArray[np.int64], classes: NDArray[Any] | None, folds: int, rng: Generator
) -> NDArray[np.int64]:
    """Deal observations into folds of nearly equal numbers of distinct observations.

    Parameters
    ----------
    copies : ndarray of shape (n,)
        Equal numbers for copies of one observation.
    classes : ndarray of shape (n,), optional
        Every class is dealt evenly where given.
    folds : int
    rng : Generator

    Returns
    -------
    ndarray of shape (n,)
        The fold of each row, from 0.

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


Rule = Literal["best", "one-se"]


class Tuned(Wrapped):
    """An estimator with the hyperparameters that do best in an inner cross-validation.

    Parameters
    ----------
    estimator : estimator
    settings : callable
        What is tried; see `reportgen.catalogue.candidates.search.Settings`.
    preparation : transformer, optional
        Turns inputs into a matrix; fitted in every fold anew.
    folds : int
        Number of folds, at most the number of distinct observations.
    rule : {"best", "one-se"}
        The least error, or the first setting whose error is within one
        standard error of the least (Breiman, Friedman, Olshen and Stone 1984).
    measure : str or ComputedMeasure, optional
        What is an error: a measure of the catalogue or a package's, of the
        predictions of all folds together. Misclassification or mean squared error
        where it is left out.
    random_state : int, optional
        Deals the observations into folds, and draws what a random search tries.

    Attributes
    ----------
    chosen_ : dict
        The setting that was chosen.
    errors_ : ndarray
        The measure of each setting, smaller being better (of a measure that is
        better larger, its negative).

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
    ) -> None:
        self.estimator = estimator
        self.settings = settings
        self.preparation = preparation
        self.folds = folds
        self.rule = rule
        self.measure = measure
        self.random_state = random_state

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
        said = self._cross_validated(X, y, tried, measure, rng)
        self.errors_ = np.array([of_setting.error(measure) for of_setting in said])
        if not np.isfinite(self.errors_).any():
            raise ValueError("no setting of the hyperparameters could be fitted in all folds")
        best = int(np.argmin(self.errors_))
        if self.rule == "best":
            return best
        reach = self.errors_[best] + said[best].standard_error(measure)
        return int(np.flatnonzero(self.errors_ <= reach)[0])

    def _cross_validated(
        self,
        X: pd.DataFrame,
        y: NDArray[Any],
        tried: Sequence[Setting],
        measure: ComputedMeasure,
        rng: Generator,
    ) -> list[OutOfFold]:
        """Return what every setting says of the observations that its fits left out."""
        fold_of = deal(copies_of(X), y if is_classifier(self.estimator) else None, self.folds, rng)
        said = [OutOfFold(y, has_probabilities=measure.needs_probabilities) for _ in tried]
        for fold in range(int(fold_of.max()) + 1):
            inner, outer = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            learn, test = self._prepared(rows_of(X, inner), rows_of(X, outer))
            previous, last = None, said[0]
            for i, fitted in inner_fits(self.estimator, tried, learn, y[inner]):
                if fitted is not None and fitted is previous:
                    said[i].copy_from(last, outer)
                else:
                    said[i].take(outer, fitted, test)
                previous, last = fitted, said[i]
        return said

    def _prepared(self, learn: Any, test: Any) -> tuple[Any, Any]:
        """Turn both parts into matrices by what is learnt from the first."""
        if self.preparation is None:
            return learn, test
        preparation = clone(self.preparation).fit(learn)
        return preparation.transform(learn), preparation.transform(test)


FACTOR = 3
"""One in so many settings goes on, and learns from so many times the observations."""


class Round(NamedTuple):
    """A round: how many settings are tried, on how many distinct observations."""

    n_settings: int
    n_observations: int


def rounds_of(n_settings: int, n_observations: int, least: int, factor: int) -> list[Round]:
    """Return the rounds of a search; the last one is on all observations.

    Parameters
    ----------
    n_settings : int
    n_observations : int
        Distinct ones in the learning sample.
    least : int
        Observations of any round, where there are so many.
    factor : int
        From 2.

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

    Parameters
    ----------
    estimator, settings, preparation, folds, rule, measure, random_state
        See `Tuned`.
    factor : int
        One in so many settings survives a round.

    Attributes
    ----------
    errors_ : ndarray
        The measure of each setting in the last round that it came to.
    rounds_ : list of Round

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
        factor: int = FACTOR,
    ) -> None:
        super().__init__(estimator, settings, preparation, folds, rule, measure, random_state)
        self.factor = factor

    def _choose(
        self, X: pd.DataFrame, y: NDArray[Any], tried: Sequence[Setting], rng: Generator
    ) -> int:
        classes = y if is_classifier(self.estimator) else None
        priority = priorities(copies_of(X), classes, rng)
        n_classes = 1 if classes is None else len(np.unique(classes))
        n = int(priority.max()) + 1
        self.rounds_ = rounds_of(len(tried), n, 2 * self.folds * n_classes, self.factor)
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
        """Try settings in a round; only in the last one somebody has to be chosen."""
        if is_last:
            return super()._choose(X, y, tried, rng)
        measure = inner_measure(
            self.measure, "classification" if is_classifier(self.estimator) else "regression"
        )
        said = self._cross_validated(X, y, tried, measure, rng)
        self.errors_ = np.array([of_setting.error(measure) for of_setting in said])
        return 0


def priorities(
    copies: NDArray[np.int64], classes: NDArray[Any] | None, rng: Generator
) -> NDArray[np.int64]:
    """Number distinct observations so that the first ones have their share of every class.

    Parameters
    ----------
    copies : ndarray of shape (n,)
        Equal numbers for copies of one observation.
    classes : ndarray of shape (n,), optional
    rng : Generator

    Returns
    -------
    ndarray of shape (n,)
        From 0; equal for copies.
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
