"""The tuning that the reference candidates were published with (Eugster 2011, A.1.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from math import floor, log, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.catalogue.candidates.search import (
    Grid,
    Judged,
    Rule,
    Setting,
    Settings,
    Values,
)
from reportgen.data_classes import dataclass
from reportgen.measures import Task

N_STARTS = 5
COSTS = tuple(2.0**k for k in range(-5, 13))
GAMMAS = tuple(2.0**k for k in range(-10, 6))


@dataclass(frozen=True, slots=True)
class Tuning:
    """The tuning of a candidate."""

    settings: Settings  # what is tried
    rule: Rule = "best"
    folds: int = 10
    words: str = ""  # for the candidate's description
    # Values by hyperparameter, where a manifest names them.
    tried: Mapping[str, Values] = field(default_factory=dict)
    measure: Judged = None  # what is judged by; None for the usual one
    validation: float | None = None  # part of the learning sample, in place of folds
    is_halving: bool = False  # whether settings are given up on by and by, in successive halving


class Neighbours:
    """1 to sqrt(n) neighbours."""

    def __call__(self, X: Any, y: NDArray[Any], rng: Generator) -> Sequence[Setting]:
        """Return the numbers; an inner fold may not have more observations than that."""
        return [{"n_neighbors": k} for k in range(1, floor(sqrt(len(y))) + 1)]


class HiddenUnits:
    """1 to log(n) hidden units."""

    def __call__(self, X: Any, y: NDArray[Any], rng: Generator) -> Sequence[Setting]:
        """Return the sizes."""
        return [
            {"estimator__hidden_layer_sizes": (size,)}
            for size in range(1, max(1, floor(log(len(y)))) + 1)
        ]


class Prunings:
    """The subtrees of the tree of all observations, the smallest first.

    Each stands for the penalties between its own and the next one's, of which
    the geometric mean is tried (Breiman et al. 1984, section 11.6).
    """

    def __call__(self, X: Any, y: NDArray[Any], rng: Generator) -> Sequence[Setting]:
        """Return the penalties."""
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        from reportgen.catalogue.candidates.preparation import RPART_LIMITS

        kind = DecisionTreeClassifier if y.dtype.kind in "iub" else DecisionTreeRegressor
        tree = kind(random_state=int(rng.integers(2**31)), **RPART_LIMITS)
        path = np.unique(tree.cost_complexity_pruning_path(X, y).ccp_alphas)
        path = path[path >= 0.0]
        between = np.sqrt(path[:-1] * path[1:])
        largest = 2.0 * path[-1] + 1.0  # leaves the root alone
        return [{"ccp_alpha": float(alpha)} for alpha in (largest, *between[::-1])]


def published_tuning(name: str) -> Tuning | None:
    """Return the published tuning of a candidate of the catalogue, or None."""
    return _PUBLISHED.get(name)


def tunable(name: str, estimator: Any, task: Task, random_state: int) -> Any:
    """Return the estimator whose hyperparameters a published tuning chooses."""
    if name == "nnet":
        from reportgen.catalogue.candidates.meta_estimator import MultiStart

        return MultiStart(estimator, N_STARTS, random_state)
    if name == "rpart":
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        from reportgen.catalogue.candidates.preparation import RPART_LIMITS

        kind = DecisionTreeClassifier if task == "classification" else DecisionTreeRegressor
        return kind(random_state=estimator.random_state, **RPART_LIMITS)
    return estimator


_PUBLISHED = {
    "knn": Tuning(Neighbours(), words="1 to √n neighbours by 10-fold cross-validation"),
    "nnet": Tuning(
        HiddenUnits(), words="1 to log n units by 10-fold cross-validation, 5 restarts each"
    ),
    "rpart": Tuning(Prunings(), "one-se", words="pruned by the 1-SE rule, 10-fold"),
    "svm": Tuning(
        Grid({"C": COSTS, "gamma": GAMMAS}),
        words="cost 2⁻⁵ to 2¹² and gamma 2⁻¹⁰ to 2⁵ by 10-fold cross-validation",
    ),
}

CHOSEN: Mapping[str, tuple[str, ...]] = {
    "knn": ("n_neighbors",),
    "nnet": ("hidden_layer_sizes",),
    "rpart": ("cp",),
    "svm": ("C", "gamma"),
}
"""Hyperparameters that the published tunings choose."""

PUBLISHED = tuple(_PUBLISHED)
"""Candidates that have a published tuning."""
