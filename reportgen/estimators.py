"""scikit-learn faces of kernels that are useful on their own."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from reportgen.stats.archetypes import Archetypes, Limits, Options, archetypes


class ArchetypalAnalysis(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Archetypes of a table, and what each row is made of.

    Parameters
    ----------
    n_archetypes : int
    method : {"original", "weighted", "robust"}
        `weighted` takes the weights given to `fit`; `robust` gives rows far from all mixtures no
        weight.
    weighting : {"residual", "shrink"}
        For the weighted method: weights on squared residuals, or rows shrunk towards the centre.
    scaling : {"standard", "robust", "none"} or None
        Of the columns; robust for the robust method and standard else, when none.
    init : {"mixed", "furthest_sum", "plus_plus", "random"}
    n_init : int
        Number of starts.
    max_iter : int
        The most sweeps of a start.
    tol : float
        The relative decrease of the objective that counts as none.
    random_state : int, RandomState or None

    Attributes
    ----------
    archetypes_ : ndarray of shape (n_archetypes, n_features)
        In the units of the table, sorted by the first column.
    mixtures_ : ndarray of shape (n_samples, n_archetypes)
        What each row of the table is made of; rows on the simplex.
    shares_ : ndarray of shape (n_archetypes, n_samples)
        What each archetype is made of; rows on the simplex.
    weights_ : ndarray of shape (n_samples,)
        Weights given or found.
    objective_ : float
    n_iter_ : int
    result_ : Archetypes
        All that the kernel returns.

    Notes
    -----
    Cells that are nan count as not observed: rows count by their other cells, and archetypes are
    mixtures of the rows without gaps.

    Examples
    --------
    >>> table = [[0, 0], [4, 0], [0, 4], [1, 1], [2, 2], [1, 2]]
    >>> model = ArchetypalAnalysis(3, random_state=0).fit(table)
    >>> model.archetypes_.round(6) + 0.0
    array([[0., 0.],
           [0., 4.],
           [4., 0.]])
    >>> model.transform([[2, 1]]).round(6)
    array([[0.25, 0.25, 0.5 ]])
    """

    archetypes_: NDArray[np.float64]
    result_: Archetypes

    def __init__(
        self,
        n_archetypes: int = 3,
        *,
        method: str = "original",
        weighting: str = "residual",
        scaling: str | None = None,
        init: str = "mixed",
        n_init: int = 8,
        max_iter: int = 2000,
        tol: float = 1e-8,
        random_state: Any = None,
    ) -> None:
        self.n_archetypes = n_archetypes
        self.method = method
        self.weighting = weighting
        self.scaling = scaling
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: Any = None, row_weights: ArrayLike | None = None) -> Self:
        """Find the archetypes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        row_weights : array-like of shape (n_samples,), optional
            For the weighted method.
        """
        rows = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan")
        weights = None if row_weights is None else np.asarray(row_weights, dtype=float)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        self.result_ = archetypes(
            rows,
            self.n_archetypes,
            np.random.default_rng(seed),
            weights=weights,
            options=self._options(),
        )
        self.archetypes_ = self.result_.archetypes
        self.mixtures_ = self.result_.mixtures
        self.shares_ = self.result_.shares
        self.weights_ = self.result_.weights
        self.objective_ = self.result_.objective
        self.n_iter_ = max(len(self.result_.trace) - 1, 1)
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return what rows are made of, of shape (n_samples, n_archetypes)."""
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        return self.result_.mixtures_of(rows)

    def inverse_transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the rows, of shape (n_samples, n_features), that mixtures stand for."""
        check_is_fitted(self)
        return np.asarray(np.asarray(X, dtype=float) @ self.archetypes_)

    @property
    def _n_features_out(self) -> int:
        """Number of columns of `transform`."""
        return len(self.archetypes_)

    def _options(self) -> Options:
        return Options(
            method=self.method,  # type: ignore[arg-type]
            weighting=self.weighting,  # type: ignore[arg-type]
            scaling=self.scaling,  # type: ignore[arg-type]
            beginning=self.init,  # type: ignore[arg-type]
            n_starts=self.n_init,
            limits=Limits(decrease=self.tol, sweeps=self.max_iter),
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
