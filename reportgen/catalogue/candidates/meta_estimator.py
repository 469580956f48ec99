"""Estimators around another one, which answer as it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if


def _can(method: str) -> Callable[[Any], bool]:
    """Return a test whether the estimator inside, fitted or not, has a method."""

    def check(outer: Any) -> bool:
        return hasattr(getattr(outer, "fitted_", outer.estimator), method)

    return check


class Wrapped(BaseEstimator):  # type: ignore[misc]
    """Has an `estimator`, and once fitted its fitted copy as `fitted_`."""

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
