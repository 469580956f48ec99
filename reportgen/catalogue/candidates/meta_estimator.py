"""Meta-estimators: an estimator around another one, which predicts as its fitted copy does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.metaestimators import available_if


def _can(method: str) -> Callable[[Any], bool]:
    """Return a test whether the estimator inside, fitted or not, has a method."""

    def check(outer: Any) -> bool:
        return hasattr(getattr(outer, "fitted_", outer.estimator), method)

    return check


class MetaEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator that holds another one as `estimator`, and its fitted copy as `fitted_`."""

    estimator: Any
    fitted_: Any

    def predict(self, X: Any) -> Any:
        """Predict with the fitted copy."""
        return self.fitted_.predict(self._inputs(X))

    @available_if(_can("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Return the class probabilities of the fitted copy."""
        return self.fitted_.predict_proba(self._inputs(X))

    @available_if(_can("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """Return the decision values of the fitted copy."""
        return self.fitted_.decision_function(self._inputs(X))

    def _inputs(self, X: Any) -> Any:
        """Return what the estimator takes for these inputs."""
        return X

    def _keep(self, fitted: Any) -> None:
        self.fitted_ = fitted
        if hasattr(fitted, "classes_"):
            self.classes_ = fitted.classes_

    def __sklearn_tags__(self) -> Any:
        """Be a classifier or a regressor as the estimator is."""
        tags = super().__sklearn_tags__()
        inner = self.estimator.__sklearn_tags__()
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = inner.classifier_tags
        tags.regressor_tags = inner.regressor_tags
        return tags


class MultiStart(MetaEstimator):
    """An estimator that starts at random, fitted from several starts; keeps the least loss.

    `estimator`: has `random_state`, and `loss_` once it is fitted.
    `n`: number of starts.
    """

    def __init__(self, estimator: Any, n: int = 5, random_state: int | None = None) -> None:
        self.estimator = estimator
        self.n = n
        self.random_state = random_state

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        """Fit from every start."""
        states = np.random.default_rng(self.random_state).integers(2**32, size=self.n)
        fits = (clone(self.estimator).set_params(random_state=int(s)).fit(X, y) for s in states)
        self._keep(min(fits, key=lambda fitted: float(fitted.loss_)))
        return self
