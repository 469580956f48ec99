"""How an estimator takes the weights of observations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def weighting(estimator: Any, weights: NDArray[np.float64] | None) -> dict[str, Any]:
    """Return the argument that gives an estimator its weights; none where there are none.

    Raises
    ------
    ValueError
        If it takes none.
    """
    if weights is None:
        return {}
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import has_fit_parameter

    name, last = "", estimator
    if isinstance(estimator, Pipeline):
        step, last = estimator.steps[-1]
        name = f"{step}__"
    if not has_fit_parameter(last, "sample_weight"):
        raise ValueError("it takes no weights of observations, which the scheme gives")
    return {f"{name}sample_weight": weights}
