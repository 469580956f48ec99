"""The fits of an inner fold: one for every setting, fewer where several must come out the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.svm import SVC

from reportgen.catalogue.searches import Setting

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
