r"""REML of the domain model with any covariance of the candidates over data sets.

The M vectors of means are independent, :math:`\bar y_m \sim N(\kappa, \Sigma + W / B)`
with :math:`W = \sigma^2 I + \sigma_3^2 J` from inside the data sets. Where their
covariance S is no less than W / B, the REML estimate of :math:`\Sigma` is the
difference; else W itself is estimated anew, with :math:`\Sigma` profiled out.
"""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.domain.strata import DomainStrata

EIGEN = 1e-10  # relative: eigenvalues below it count as 0
GRADIENT = 1e-11  # of the criterion by degree of freedom
STEP = 1e-5  # of a logarithm, for differences
MOST_STEPS, MOST_HALVINGS = 200, 50


@dataclass(frozen=True, slots=True)
class Unstructured:
    """REML estimates with a free covariance of the candidates."""

    sigma: Array  # (K, K)
    rank: int  # of sigma
    # residual, replication: variances of epsilon and beta_mb
    residual: float
    replication: float
    sample_covariance: Array  # (K, K); s, of the M vectors of means
    # (K, K); sigma (Sigma + W / B)^-1: what predicts a data set's effects from its means
    shrinkage: Array
    criterion_part: float  # of the REML criterion, but for what depends on the sizes alone


@dataclass(frozen=True, slots=True)
class _Profile:
    """Sigma for given variances inside the data sets, and the criterion there."""

    # With W^-1/2 (B S) W^-1/2 = Q diag(l) Q', Omega = Sigma + W / B is W^1/2 Q diag(max(l, 1)) Q'
    # W^1/2 / B.

    eigenvalues: Array
    root: Array
    criterion: float
    gradient: Array

    def matrices(self, n_replications: int) -> tuple[Array, Array]:
        """Return Sigma and Sigma Omega^-1."""
        raised = np.maximum(self.eigenvalues, 1.0)
        sigma = (self.root * (raised - 1.0)) @ self.root.T / n_replications
        inverse = np.linalg.inv(self.root)
        return sigma, (self.root * (1.0 - 1.0 / raised)) @ inverse

    @property
    def rank(self) -> int:
        """The number of eigenvalues above those of W / B."""
        return int((self.eigenvalues > 1.0 + EIGEN).sum())


def fit_unstructured(strata: DomainStrata) -> Unstructured:
    """Return the REML estimates under a positive semidefinite Sigma.

    Notes
    -----
    On the boundary the criterion is profiled over Sigma, and minimised over the
    two variances inside the data sets [1]_, [2]_. M <= K is no hindrance: Sigma
    has a rank of at most M - 1 then.

    References
    ----------
    .. [1] Y. Amemiya (1985), "What should be done when an estimated
       between-group covariance matrix is not nonnegative definite?", The
       American Statistician 39.
    .. [2] B. M. Anderson, T. W. Anderson and I. Olkin (1986), "Maximum
       likelihood estimators and likelihood ratio criteria in multivariate
       components of variance", Annals of Statistics 14.
    """
    start = _inside(strata)
    profile = _profile(strata, start)
    if profile.eigenvalues.min() < 1.0:
        start = _minimise(strata, start)
        profile = _profile(strata, start)
    residual, per_block = np.exp(start)
    sigma, shrinkage = profile.matrices(strata.shape[1])
    return Unstructured(
        sigma,
        profile.rank,
        float(residual),
        float(per_block - residual) / strata.shape[2] if start[1] > start[0] else 0.0,
        _covariance(strata),
        shrinkage,
        profile.criterion,
    )


def _inside(strata: DomainStrata) -> Array:
    """Return the logarithms of s^2 and s^2 + K s3^2 by the ANOVA inside data sets."""
    *_, block, rest = strata.mean_squares
    if block < rest:
        block = rest = strata.squares[2:].sum() / strata.df[2:].sum()
    return np.log([rest, block])


def _covariance(strata: DomainStrata) -> Array:
    return np.atleast_2d(np.cov(strata.dataset_means, rowvar=False))


def _eigen(strata: DomainStrata, root: Array) -> tuple[Array, Array]:
    """Return eigenvalues and eigenvectors of R'SR of a root R, ascending."""
    # By singular values of the means, which lose half the digits that squares lose.
    centred = (strata.dataset_means - strata.means) @ root / sqrt(strata.shape[0] - 1)
    triangle = np.linalg.qr(centred, mode="r")
    lengths, axes = np.linalg.svd(triangle)[1:]
    values = np.zeros(strata.shape[2])
    values[: len(lengths)] = lengths**2
    return values[::-1], axes[::-1].T


def _profile(strata: DomainStrata, x: Array) -> _Profile:
    """Profile Sigma out at the logarithms of s^2 and s^2 + K s3^2."""
    n_datasets, n_replications, n_candidates = strata.shape
    rest, block = exp(x[0]), exp(x[1])
    mean = np.full((n_candidates, n_candidates), 1.0 / n_candidates)
    across = np.eye(n_candidates) - mean
    root = rest**0.5 * across + block**0.5 * mean
    inverse = rest**-0.5 * across + block**-0.5 * mean
    values, vectors = _eigen(strata, n_replications**0.5 * inverse)
    raised = np.maximum(values, 1.0)
    log_det = (n_candidates - 1) * x[0] + x[1]
    squares, df = strata.squares, strata.df
    inside = df[2] * x[1] + df[3] * x[0] + squares[2] / block + squares[3] / rest
    criterion = (n_datasets - 1) * (log_det + float((np.log(raised) + values / raised).sum()))
    pull = values / raised  # what the criterion loses with the variance along each eigenvector
    along = (vectors * (mean @ vectors)).sum(axis=0)
    outside = np.array([n_candidates - 1 - pull @ (1 - along), 1 - pull @ along])
    own = np.array([df[3] - squares[3] / rest, df[2] - squares[2] / block])
    return _Profile(values, root @ vectors, criterion + inside, (n_datasets - 1) * outside + own)


def _minimise(strata: DomainStrata, start: Array) -> Array:
    """Minimise the profiled criterion under s3^2 >= 0: damped Newton steps in two logarithms."""
    # These are log s^2 and log (s^2 + K s3^2) - log s^2, which is not negative.
    x = np.array([start[0], start[1] - start[0]])
    value, slope = _objective(strata, x)
    for _ in range(MOST_STEPS):
        is_free = np.array([True, x[1] > 0 or slope[1] < 0])
        if np.abs(slope[is_free]).max() <= GRADIENT:
            break
        moved = _move(strata, x, value, slope, is_free)
        if moved is None:
            break
        x, value, slope = moved
    return np.array([x[0], x[0] + x[1]])


def _objective(strata: DomainStrata, x: Array) -> tuple[float, Array]:
    """Return criterion and gradient by degree of freedom."""
    found = _profile(strata, np.array([x[0], x[0] + x[1]]))
    n = float(strata.df.sum())
    return found.criterion / n, np.array([found.gradient.sum(), found.gradient[1]]) / n


def _move(
    strata: DomainStrata, x: Array, value: float, slope: Array, is_free: NDArray[np.bool_]
) -> tuple[Array, float, Array] | None:
    """Go as far along Newton's step as the criterion falls; None where it falls no more."""
    step = np.zeros(2)
    step[is_free] = _newton_step(_curvature(strata, x)[np.ix_(is_free, is_free)], slope[is_free])
    for halvings in range(MOST_HALVINGS):
        trial = x + step * 0.5**halvings
        trial[1] = max(trial[1], 0.0)
        found, at = _objective(strata, trial)
        if found < value:
            return trial, found, at
    return None


def _curvature(strata: DomainStrata, x: Array) -> Array:
    """Return the Hessian by differences of the gradient."""
    columns = [
        (_objective(strata, x + h)[1] - _objective(strata, x - h)[1]) / (2 * STEP)
        for h in STEP * np.eye(2)
    ]
    hessian = np.array(columns)
    return np.asarray((hessian + hessian.T) / 2)


def _newton_step(hessian: Array, slope: Array) -> Array:
    """Return Newton's step, or one downhill where the curvature is not positive."""
    if np.linalg.eigvalsh(hessian)[0] <= 0:
        return -slope / max(1e-12, float(np.abs(slope).max()))
    step: Array = -np.asarray(np.linalg.solve(hessian, slope), dtype=np.float64)
    return step
