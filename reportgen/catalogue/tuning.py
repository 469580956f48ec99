"""Tuning: a candidate chooses its hyperparameters, inside the learning sample only.

The learning sample is cut into folds. Copies of one observation, which a
bootstrap sample has, fall into the same fold: otherwise a candidate would be
tested on what it has learnt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, Protocol, Self

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils.metaestimators import available_if

Setting = Mapping[str, Any]
"""Hyperparameters by name."""

Rule = Literal["best", "one-se"]


class Settings(Protocol):
    """What is to be tried, given a learning sample."""

    def __call__(self, X: Any, y: NDArray[Any], rng: Generator) -> Sequence[Setting]:
        """Return the settings, the simplest first."""


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
    """Combinations drawn at random from a grid, without replacement.

    Attributes
    ----------
    grid : Grid
    n : int
        How many.
    """

    grid: Grid
    n: int

    def __call__(self, X: Any, y: NDArray[Any], rng: Generator) -> Sequence[Setting]:
        """Draw the combinations."""
        sizes = [len(values) for values in self.grid.values.values()]
        n_all = int(np.prod(sizes, dtype=object))
        drawn = rng.choice(n_all, size=min(self.n, n_all), replace=False)
        places = np.unravel_index(np.sort(drawn), sizes)
        return [
            {
                name: values[i]
                for (name, values), i in zip(self.grid.values.items(), at, strict=True)
            }
            for at in zip(*places, strict=True)
        ]


def _gives_probabilities(outer: Any) -> bool:
    return hasattr(getattr(outer, "fitted_", outer.estimator), "predict_proba")


class Tuned(BaseEstimator):  # type: ignore[misc]
    """An estimator with the hyperparameters that do best in an inner cross-validation.

    Parameters
    ----------
    estimator : estimator
    settings : callable
        What is tried; see `Settings`.
    preparation : transformer, optional
        Turns inputs into a matrix; fitted in every fold anew.
    folds : int
        Number of folds, at most the number of distinct observations.
    rule : {"best", "one-se"}
        The least error, or the first setting whose error is within one
        standard error of the least (Breiman, Friedman, Olshen and Stone 1984).
    random_state : int, optional
        Deals the observations into folds.

    Attributes
    ----------
    chosen_ : dict
        The setting that was chosen.
    errors_ : ndarray
        Misclassification or mean squared error of each setting, pooled over
        the folds.

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
        random_state: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.settings = settings
        self.preparation = preparation
        self.folds = folds
        self.rule = rule
        self.random_state = random_state

    def fit(self, X: pd.DataFrame, y: NDArray[Any]) -> Self:
        """Choose, and fit the choice to the whole learning sample."""
        rng = np.random.default_rng(self.random_state)
        matrix = self._prepared(X)
        tried = list(self.settings(matrix, y, rng))
        if len(tried) > 1:
            losses = self._losses(X, y, tried, rng)
            self.errors_ = losses.mean(axis=1)
            chosen = _choose(losses, self.rule)
        else:
            self.errors_, chosen = np.array([np.nan]), 0
        self.chosen_ = dict(tried[chosen])
        self.fitted_ = clone(self.estimator).set_params(**self.chosen_).fit(matrix, y)
        if hasattr(self.fitted_, "classes_"):
            self.classes_ = self.fitted_.classes_
        return self

    def predict(self, X: pd.DataFrame) -> Any:
        """Predict with the choice."""
        return self.fitted_.predict(self._matrix(X))

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: pd.DataFrame) -> Any:
        """Return the choice's class probabilities."""
        return self.fitted_.predict_proba(self._matrix(X))

    def _prepared(self, X: pd.DataFrame) -> Any:
        self.preparation_ = None if self.preparation is None else clone(self.preparation).fit(X)
        return self._matrix(X)

    def _matrix(self, X: pd.DataFrame) -> Any:
        return X if self.preparation_ is None else self.preparation_.transform(X)

    def _losses(
        self, X: pd.DataFrame, y: NDArray[Any], tried: Sequence[Setting], rng: Generator
    ) -> NDArray[np.float64]:
        """Return the loss of every setting at every observation, shape (S, n)."""
        fold_of = deal(_copies(X), y if is_classifier(self.estimator) else None, self.folds, rng)
        losses = np.full((len(tried), len(y)), np.inf)
        for fold in range(int(fold_of.max()) + 1):
            inner, outer = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            learn, test = _rows(X, inner), _rows(X, outer)
            if self.preparation is not None:
                preparation = clone(self.preparation).fit(learn)
                learn, test = preparation.transform(learn), preparation.transform(test)
            for i, setting in enumerate(tried):
                losses[i, outer] = self._loss(setting, learn, y[inner], test, y[outer])
        return losses

    def _loss(self, setting: Setting, learn: Any, y: Any, test: Any, truth: Any) -> Any:
        """Return the losses of one setting in one fold; infinite where it cannot be fitted."""
        try:
            fitted = clone(self.estimator).set_params(**setting).fit(learn, y)
            predicted = fitted.predict(test)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError):
            return np.inf
        return predicted != truth if is_classifier(self.estimator) else (predicted - truth) ** 2

    def __sklearn_tags__(self) -> Any:
        """Be a classifier or a regressor as the estimator is."""
        tags = super().__sklearn_tags__()
        inner = self.estimator.__sklearn_tags__()
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = inner.classifier_tags
        tags.regressor_tags = inner.regressor_tags
        return tags


class Restarted(BaseEstimator):  # type: ignore[misc]
    """An estimator with a random start, begun several times; the least training loss is kept.

    Parameters
    ----------
    estimator : estimator
        Has `random_state`, and `loss_` once it is fitted.
    n : int
        Number of starts.
    random_state : int, optional
    """

    def __init__(self, estimator: Any, n: int = 5, random_state: int | None = None) -> None:
        self.estimator = estimator
        self.n = n
        self.random_state = random_state

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        """Fit from every start."""
        states = np.random.default_rng(self.random_state).integers(2**32, size=self.n)
        fits = (clone(self.estimator).set_params(random_state=int(s)).fit(X, y) for s in states)
        self.fitted_ = min(fits, key=lambda fitted: float(fitted.loss_))
        if hasattr(self.fitted_, "classes_"):
            self.classes_ = self.fitted_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Predict with the best fit."""
        return self.fitted_.predict(X)

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Return the best fit's class probabilities."""
        return self.fitted_.predict_proba(X)

    def __sklearn_tags__(self) -> Any:
        """Be a classifier or a regressor as the estimator is."""
        tags = super().__sklearn_tags__()
        inner = self.estimator.__sklearn_tags__()
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = inner.classifier_tags
        tags.regressor_tags = inner.regressor_tags
        return tags


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


def _choose(losses: NDArray[np.float64], rule: Rule) -> int:
    """Return the setting that a rule chooses."""
    errors = losses.mean(axis=1)
    if not np.isfinite(errors).any():
        raise ValueError("no setting of the hyperparameters could be fitted in all folds")
    best = int(np.argmin(errors))
    if rule == "best":
        return best
    standard_error = losses[best].std() / np.sqrt(losses.shape[1])
    return int(np.flatnonzero(errors <= errors[best] + standard_error)[0])


def _copies(X: Any) -> NDArray[np.int64]:
    """Number the observations: rows of a data frame keep the label of theirs."""
    if isinstance(X, pd.DataFrame):
        return np.asarray(pd.factorize(X.index)[0], dtype=np.int64)
    return np.arange(len(X))


def _rows(X: Any, rows: NDArray[np.int64]) -> Any:
    return X.iloc[rows] if isinstance(X, pd.DataFrame) else X[rows]
