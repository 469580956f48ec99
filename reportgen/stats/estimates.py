"""The neck between models and simultaneous inference."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass


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
    contrast_covariance : ndarray of shape (K, K), optional
        A matrix that gives contrasts the same covariances, without the variance
        that all parameters share: where blocks vary 1e8 times as much as
        differences, `covariance` has no digits left for these.
    """

    coef: NDArray[np.float64]
    covariance: NDArray[np.float64]
    df: float = inf
    contrast_covariance: NDArray[np.float64] | None = None

    @property
    def of_contrasts(self) -> NDArray[np.float64]:
        """The matrix to compute covariances of contrasts from."""
        return self.covariance if self.contrast_covariance is None else self.contrast_covariance
