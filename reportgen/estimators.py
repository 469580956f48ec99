"""scikit-learn faces of kernels that are useful on their own."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from reportgen.stats.archetypal_analysis.descent import Limits
from reportgen.stats.archetypal_analysis.fit import (
    METHODS,
    WEIGHTINGS,
    Archetypes,
    Options,
    allows_gaps,
    fit_archetypes,
)
from reportgen.stats.archetypal_analysis.initialisation import BEGINNINGS, SCALINGS

# What the parameters of `ArchetypalAnalysis` may be.
_COUNTS = ("n_archetypes", "n_init", "max_iter")
_NAMES: dict[str, tuple[str | None, ...]] = {
    "method": METHODS,
    "weighting": WEIGHTINGS,
    "scaling": (None, *SCALINGS),
    "init": BEGINNINGS,
}


class ArchetypalAnalysis(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Archetypes of a table, and what each row is made of.

    `mixtures_`: (n_samples, n_archetypes); what each row of the table is made of; rows on the
    simplex.
    `shares_`: (n_archetypes, n_samples); what each archetype is made of; rows on the simplex.
    `weights_`: (n_samples,); weights given or found.

    `method`: `weighted` takes the weights given to `fit`; `robust` gives rows far from all mixtures
    no weight.
    `weighting`: for the weighted method: weights on squared residuals, or rows shrunk towards the
    centre.
    `scaling`: of the columns; robust for the robust method and standard else, when none.
    `n_init`: number of starts.
    `max_iter`: the most sweeps of a start; for the robust method of each descent with a fixed bound
    on a fixed hull, of which a start may have several.
    `tol`: the relative decrease of the objective that counts as none; not negative.

    Notes
    -----
    Cells that are nan count as not observed: rows count by their other cells, and archetypes are
    mixtures of the rows without gaps. The robust method and weights that shrink rows refuse them.

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

    # (n_archetypes, n_features); in the units of the table, sorted by the first column.
    archetypes_: NDArray[np.float64]
    result_: Archetypes  # all that the kernel returns

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

        `X`: shape (n_samples, n_features).
        `row_weights`: (n_samples,); for the weighted method.
        Raises ValueError if a parameter, the table or the weights are not what is allowed.
        """
        options = self._options()
        rows = validate_data(self, X, dtype=np.float64, ensure_all_finite=self._finite)
        weights = self._checked_weights(row_weights, len(rows))
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        self.result_ = fit_archetypes(
            rows,
            int(self.n_archetypes),
            np.random.default_rng(seed),
            weights=weights,
            options=options,
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
        rows = validate_data(self, X, dtype=np.float64, ensure_all_finite=self._finite, reset=False)
        return self.result_.mixtures_of(rows)

    def inverse_transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the rows, of shape (n_samples, n_features), that mixtures stand for."""
        check_is_fitted(self)
        return np.asarray(np.asarray(X, dtype=float) @ self.archetypes_)

    @property
    def _n_features_out(self) -> int:
        """Number of columns of `transform`."""
        return len(self.archetypes_)

    @property
    def _finite(self) -> str | bool:
        """The cells that scikit-learn has to refuse."""
        return "allow-nan" if allows_gaps(self.method, self.weighting) else True

    def _options(self) -> Options:
        """Return the parameters as the kernel has them."""
        self._check_parameters()
        return Options(
            method=self.method,  # type: ignore[arg-type]
            weighting=self.weighting,  # type: ignore[arg-type]
            scaling=self.scaling,  # type: ignore[arg-type]
            beginning=self.init,  # type: ignore[arg-type]
            n_starts=int(self.n_init),
            limits=Limits(decrease=float(self.tol), sweeps=int(self.max_iter)),
        )

    def _checked_weights(
        self, row_weights: ArrayLike | None, n_rows: int
    ) -> NDArray[np.float64] | None:
        """Return the weights of the rows; raise an error where they are invalid."""
        if row_weights is None:
            return None
        if self.method != "weighted":
            raise ValueError(
                f"row_weights belong to the weighted method, not to method={self.method!r}"
            )
        weights = np.asarray(row_weights, dtype=float)
        is_allowed = weights.shape == (n_rows,) and bool((weights >= 0).all())
        if not is_allowed or not 0 < weights.sum() < np.inf:
            raise ValueError(
                f"row_weights must be {n_rows} finite numbers of at least 0, not all zero, "
                f"got shape {weights.shape}, from {weights.min(initial=np.inf)} to "
                f"{weights.max(initial=-np.inf)}"
            )
        return weights

    def _check_parameters(self) -> None:
        """Refuse parameters that are not what is allowed, by their names."""
        for name in _COUNTS:
            found: Any = getattr(self, name)
            if isinstance(found, bool) or not isinstance(found, Integral) or found < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, got {found!r}")
        tol: Any = self.tol
        if isinstance(tol, bool) or not isinstance(tol, Real) or not 0 <= float(tol) < np.inf:
            raise ValueError(f"tol must be a finite number of at least 0, got {tol!r}")
        for name, allowed in _NAMES.items():
            found = getattr(self, name)
            if not isinstance(found, str | None) or found not in allowed:
                raise ValueError(f"{name} must be one of {allowed}, got {found!r}")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = allows_gaps(self.method, self.weighting)
        return tags
