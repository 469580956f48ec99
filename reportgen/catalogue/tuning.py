"""Tuning: a candidate chooses its hyperparameters, inside the learning sample only.

The learning sample is cut into folds. Copies of one observation, which a
bootstrap sample has, fall into the same fold: otherwise a candidate would be
tested on what it has learnt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from reportgen.catalogue.inner_fits import inner_fits
from reportgen.catalogue.inner_folds import copies_of, deal, rows_of
from reportgen.catalogue.inner_measures import Judged, OutOfFold, inner_measure
from reportgen.catalogue.measures import ComputedMeasure, Task
from reportgen.catalogue.searches import Setting, Settings
from reportgen.catalogue.wrapped import Wrapped

Rule = Literal["best", "one-se"]


class Tuned(Wrapped):
    """An estimator with the hyperparameters that do best in an inner cross-validation.

    Parameters
    ----------
    estimator : estimator
    settings : callable
        What is tried; see `reportgen.catalogue.searches.Settings`.
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
