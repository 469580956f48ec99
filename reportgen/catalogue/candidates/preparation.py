"""Preparation of inputs, pruned trees, and weights of observations, as scikit-learn's parts."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

Weights = NDArray[np.float64] | None

RPART_LIMITS = {"min_samples_split": 20, "min_samples_leaf": 7, "max_depth": 30}


class InputMatrix(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns a data frame into a matrix: numbers standardised, categories one-hot.

    Means, standard deviations and levels are those of the learning sample. A
    missing number counts as the mean; a missing category, or a level that the
    learning sample does not have, as no level. An infinite number, which cannot
    be standardised, is an error.
    """

    def fit(self, X: pd.DataFrame, y: object = None) -> Self:
        """Learn location, scale and levels."""
        is_categorical = [isinstance(kind, pd.CategoricalDtype) for kind in X.dtypes]
        self.categorical_ = [c for c, flag in zip(X, is_categorical, strict=True) if flag]
        self.numeric_ = [c for c, flag in zip(X, is_categorical, strict=True) if not flag]
        self.levels_ = {
            c: X[c].cat.remove_unused_categories().cat.categories for c in X[self.categorical_]
        }
        numbers = np.ma.masked_invalid(self._finite(X))
        self.mean_ = np.ma.filled(numbers.mean(axis=0), 0.0)
        deviation = np.ma.filled(numbers.std(axis=0), 0.0)
        self.scale_ = np.where(deviation > 0.0, deviation, 1.0)
        return self

    def transform(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Return one row an observation: the numbers first, then the levels."""
        numbers = (self._finite(X) - self.mean_) / self.scale_
        blocks = [np.where(np.isnan(numbers), 0.0, numbers)]
        for column, levels in self.levels_.items():
            codes = np.asarray(X[column].cat.set_categories(levels).cat.codes)
            blocks.append((codes[:, None] == np.arange(len(levels))).astype(np.float64))
        return np.hstack(blocks)

    def _finite(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Return the numbers, of which none is infinite."""
        numbers = X[self.numeric_].to_numpy(np.float64)
        infinite = np.isinf(numbers).any(axis=0)
        if infinite.any():
            name = self.numeric_[int(np.argmax(infinite))]
            raise ValueError(f"the input {name!r} is infinite, which cannot be standardised")
        return numbers


class PrunedTreeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classification tree within rpart's limits, pruned relative to its root.

    Grown by the Gini index to at least 20 observations in a node that is split,
    7 in a leaf and a depth of 30; then a subtree goes unless each of its
    splits lowers the Gini index by `cp` times that of the root (rpart does so
    with the misclassification error).

    `cp`: the complexity parameter.
    `random_state`: decides between splits that are equally good.
    """

    def __init__(self, cp: float = 0.01, random_state: int | None = None) -> None:
        self.cp = cp
        self.random_state = random_state

    def fit(
        self, X: NDArray[np.float64], y: NDArray[np.int64], sample_weight: Weights = None
    ) -> Self:
        """Grow and prune the tree."""
        codes = np.unique(y, return_inverse=True)[1]
        counts = np.bincount(codes, sample_weight)
        shares = counts / counts.sum()
        threshold = self.cp * float(1.0 - np.sum(shares**2))
        tree = DecisionTreeClassifier(
            ccp_alpha=threshold, random_state=self.random_state, **RPART_LIMITS
        )
        self.tree_ = tree.fit(X, y, sample_weight)
        self.classes_ = tree.classes_
        return self

    def predict(self, X: NDArray[np.float64]) -> Any:
        """Return the most frequent class of each observation's leaf."""
        return self.tree_.predict(X)

    def predict_proba(self, X: NDArray[np.float64]) -> Any:
        """Return the shares of the classes in each observation's leaf."""
        return self.tree_.predict_proba(X)


class PrunedTreeRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regression tree within rpart's limits, pruned by rpart's rule.

    `cp`: A subtree goes unless each of its splits lowers the sum of squares by this share of the
    root's.
    `random_state`: decides between splits that are equally good.
    """

    def __init__(self, cp: float = 0.01, random_state: int | None = None) -> None:
        self.cp = cp
        self.random_state = random_state

    def fit(
        self, X: NDArray[np.float64], y: NDArray[np.float64], sample_weight: Weights = None
    ) -> Self:
        """Grow and prune the tree."""
        spread = np.var(y)
        if sample_weight is not None:
            centre = np.average(y, weights=sample_weight)
            spread = np.average((y - centre) ** 2, weights=sample_weight)
        threshold = self.cp * float(spread)
        tree = DecisionTreeRegressor(
            ccp_alpha=threshold, random_state=self.random_state, **RPART_LIMITS
        )
        self.tree_ = tree.fit(X, y, sample_weight)
        return self

    def predict(self, X: NDArray[np.float64]) -> Any:
        """Return the mean of each observation's leaf."""
        return self.tree_.predict(X)
