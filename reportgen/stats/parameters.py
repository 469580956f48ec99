"""The neck between models and simultaneous inference."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ParameterEstimates:
    """All that simultaneous inference knows of a fitted model.

    Attributes
    ----------
    coef : ndarray of shape (K,)
        Estimated parameters.
    covariance : ndarray of shape (K, K)
        Estimate of their covariance.
    df : float
        Degrees of freedom of the covariance; infinite for the normal law.
    """

    coef: NDArray[np.float64]
    covariance: NDArray[np.float64]
    df: float = inf
