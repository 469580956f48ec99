"""Naive Bayes for numbers and categories at once."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

Array = NDArray[np.float64]

LEAST_SHARE = 1e-9  # of an input's variance, within a class


class NaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Independent inputs given the class: normal numbers, categories by their shares.

    Shares are smoothed by Laplace's rule. A missing value, or a level that the
    learning sample does not have, says nothing.

    Parameters
    ----------
    smoothing : float
        Added to the count of every level.
    """

    def __init__(self, smoothing: float = 1.0) -> None:
        self.smoothing = smoothing

    def fit(self, X: pd.DataFrame, y: NDArray[np.int64]) -> Self:
        """Estimate shares of the classes, means, variances and shares of the levels."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        members = codes[:, None] == np.arange(len(self.classes_))
        self.log_prior_ = np.log(members.mean(axis=0))
        is_categorical = [isinstance(kind, pd.CategoricalDtype) for kind in X.dtypes]
        self.numbers_: dict[Any, tuple[Array, Array]] = {}
        self.levels_: dict[Any, tuple[pd.Index[Any], Array]] = {}
        for column, flag in zip(X.columns, is_categorical, strict=True):
            if flag:
                self.levels_[column] = self._shares(X[column], members)
            else:
                self.numbers_[column] = _moments(X[column].to_numpy(np.float64), members)
        return self

    def predict(self, X: pd.DataFrame) -> Any:
        """Return the most probable class."""
        return self.classes_[np.argmax(self._joint(X), axis=1)]

    def predict_proba(self, X: pd.DataFrame) -> Array:
        """Return the classes' probabilities, shape (n, G)."""
        joint = self._joint(X)
        odds = np.exp(joint - joint.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def _shares(self, column: pd.Series[Any], members: Any) -> tuple[pd.Index[Any], Array]:
        levels = column.cat.remove_unused_categories().cat.categories
        codes = np.asarray(column.cat.set_categories(levels).cat.codes)
        counts = (codes[:, None] == np.arange(len(levels))).T.astype(np.float64) @ members
        counts += self.smoothing
        return levels, np.log(counts / counts.sum(axis=0))

    def _joint(self, X: pd.DataFrame) -> Array:
        """Return log prior plus log likelihood, shape (n, G)."""
        joint = np.tile(self.log_prior_, (len(X), 1))
        for column, (means, variances) in self.numbers_.items():
            values = X[column].to_numpy(np.float64)[:, None]
            terms = -0.5 * (np.log(variances) + (values - means) ** 2 / variances)
            joint += np.nan_to_num(terms, nan=0.0)
        for column, (levels, shares) in self.levels_.items():
            codes = np.asarray(X[column].cat.set_categories(levels).cat.codes)
            joint += np.where(codes[:, None] >= 0, shares[codes], 0.0)
        return joint


def _moments(values: Array, members: Any) -> tuple[Array, Array]:
    """Return mean and variance in each class; where a class has no value, those of all."""
    known = np.isfinite(values)
    overall = float(np.var(values[known])) if known.any() else 1.0
    least = LEAST_SHARE * overall or 1.0
    means, variances = [], []
    for member in members.T:
        own = values[member & known] if (member & known).any() else values[known]
        means.append(own.mean() if len(own) else 0.0)
        variances.append(max(float(own.var()) if len(own) else 1.0, least))
    return np.array(means), np.array(variances)
