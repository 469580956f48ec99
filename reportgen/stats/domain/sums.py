r"""Sums and products of the inverse covariance for REML of a domain with gaps.

On data set m the covariance of the values is :math:`V = D + Z \Omega Z'`, with
Z the values' candidates, :math:`\Omega` the covariance of a data set's effects
on the candidates, and D of blocks :math:`\sigma^2 I + \sigma_3^2 J`. A block of
n values has one eigenvector of its own, its mean, and all matrices that occur
inside blocks have it; so every sum over values is one over block sizes n, and no
matrix is larger than K x K.
"""

from __future__ import annotations

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array, column_means

WITHIN, BETWEEN = (0, 1), (2, 3)  # residual, replications; interaction, data sets
N_COMPONENTS = 4


@dataclass(frozen=True, slots=True)
class DatasetSums:
    """Sums of one data set's values, centred at its candidates' own means."""

    centre: Array  # (K,); mean of each candidate's values; 0 where it has none
    sizes: Array  # (S,); block sizes n that occur
    n_blocks: Array  # (S,)
    counts: Array  # (K,); values of each candidate
    joint: Array  # (S, K, K); by block size, in how many blocks two candidates both have a value
    # (S, K); by block size, sum over the blocks with candidate k of the block's sum
    with_sum: Array
    squared_sums: Array  # (S,); by block size, sum of the blocks' squared sums
    squares: float  # sum of the squared values

    def quadratic(self, mean: Array, rest: float) -> Array:
        """Return Z'fZ for an f with these eigenvalues: on block means by size, and elsewhere."""
        found: Array = np.diag(rest * self.counts)
        joint = self.joint.reshape(len(self.sizes), -1)
        return found + (((mean - rest) / self.sizes) @ joint).reshape(found.shape)

    def linear(self, mean: Array, rest: float) -> Array:
        """Return Z'fy; centred values sum to 0 for every candidate."""
        found: Array = ((mean - rest) / self.sizes) @ self.with_sum
        return found

    def square(self, mean: Array, rest: float) -> float:
        """Return y'fy."""
        return float(rest * self.squares + ((mean - rest) / self.sizes) @ self.squared_sums)

    def trace(self, mean: Array, rest: float) -> float:
        """Return the trace of f."""
        return float(self.n_blocks @ (mean + (self.sizes - 1) * rest))


def dataset_sums(values: Array) -> DatasetSums:
    """Sum up one data set.

    `values`: (B, K); NaN where there is no value.
    """
    there = np.isfinite(values)
    counts = there.sum(axis=0).astype(np.float64)
    centre = np.nan_to_num(column_means(values), nan=0.0)
    centred = np.where(there, values - centre, 0.0)
    size = there.sum(axis=1)
    sizes = np.unique(size[size > 0])
    shown = there.astype(np.float64)
    sums = centred.sum(axis=1)
    of_size = [size == n for n in sizes]
    return DatasetSums(
        centre,
        sizes.astype(np.float64),
        np.array([own.sum() for own in of_size], dtype=np.float64),
        counts,
        np.stack([shown[own].T @ shown[own] for own in of_size]),
        np.stack([shown[own].T @ sums[own] for own in of_size]),
        np.array([sums[own] @ sums[own] for own in of_size]),
        float((centred**2).sum()),
    )


@dataclass(frozen=True, slots=True)
class DatasetAlgebra:
    """Products of one data set's inverse covariance, at given components."""

    sums: DatasetSums
    precision: Array  # (K, K); a = Z'D^-1 Z
    shrink: Array  # (K, K); T = Omega (I + A Omega)^-1: what predicts the effects from Z'D^-1 e
    spread: Array  # (K, K); S = I - T A = (I + Omega A)^-1
    information: Array  # (K, K); w = Z'V^-1 Z = A S
    log_det: float  # log |V|
    # mean, rest: (S,); eigenvalues of D^-1
    mean: Array
    rest: float
    least: float  # the least eigenvalue of I + A Omega: near 0 where V is nearly singular

    def inside(self, component: int) -> tuple[Array, float]:
        """Return the eigenvalues of a component inside blocks: I, or J."""
        if component == 0:
            return np.ones_like(self.mean), 1.0
        return self.sums.sizes, 0.0

    def of_response(self) -> Array:
        """Return Z'V^-1 y, values not centred."""
        at = self.spread.T @ self.sums.linear(self.mean, self.rest)
        found: Array = at + self.information @ self.sums.centre
        return found

    def residual_linear(self, kappa: Array) -> Array:
        """Return Z'D^-1 e of the residuals e = y - Z kappa."""
        found: Array = self.sums.linear(self.mean, self.rest) - self.precision @ (
            kappa - self.sums.centre
        )
        return found

    def residual_square(self, kappa: Array) -> float:
        """Return e'V^-1 e."""
        shift = kappa - self.sums.centre
        within = _shift(self.sums, self.mean, self.rest, shift)
        at = self.residual_linear(kappa)
        return within - float(at @ self.shrink @ at)


def _shift(sums: DatasetSums, mean: Array, rest: float, shift: Array) -> float:
    """Return (y - Z shift)' f (y - Z shift) of centred values y."""
    return float(
        sums.square(mean, rest)
        - 2 * shift @ sums.linear(mean, rest)
        + shift @ sums.quadratic(mean, rest) @ shift
    )


def dataset_algebra(
    sums: DatasetSums, residual: float, replication: float, omega: Array
) -> DatasetAlgebra | None:
    """Return the products of one data set's inverse covariance; None where that is not positive.

    `residual`, `replication`: sigma^2 and sigma_3^2.
    `omega`: (K, K).
    """
    theta = residual + sums.sizes * replication
    if residual <= 0 or theta.min() <= 0:
        return None
    mean, rest = 1.0 / theta, 1.0 / residual
    precision = sums.quadratic(mean, rest)
    k = len(precision)
    values, vectors = np.linalg.eigh(precision)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    stretch = np.linalg.eigvalsh(np.eye(k) + root.T @ omega @ root)
    if stretch[0] <= 0:
        return None
    spread = np.linalg.inv(np.eye(k) + omega @ precision)
    shrink = spread @ omega
    return DatasetAlgebra(
        sums,
        precision,
        (shrink + shrink.T) / 2,
        np.asarray(spread, dtype=np.float64),
        precision @ spread,
        -sums.trace(np.log(mean), float(np.log(rest))) + float(np.log(stretch).sum()),
        mean,
        rest,
        float(stretch[0]),
    )


@dataclass(frozen=True, slots=True)
class DatasetSlopes:
    """Derivatives of one data set's part of the likelihood by the components."""

    first: Array  # (C, K, K); Z'V^-1 V_i V^-1 Z
    second: Array  # (C, C, K, K); Z'V^-1 V_i V^-1 V_j V^-1 Z
    traces: Array  # (C,); tr(V^-1 V_i)
    cross: Array  # (C, C); tr(V^-1 V_i V^-1 V_j)


def dataset_slopes(algebra: DatasetAlgebra) -> DatasetSlopes:
    """Differentiate with respect to residual, replications, interaction and data sets."""
    sums, shrink, spread, w = algebra.sums, algebra.shrink, algebra.spread, algebra.information
    k = len(w)
    between = {2: np.eye(k), 3: np.ones((k, k))}
    inner = {a: _inner(algebra, a) for a in WITHIN}
    first = np.stack(
        [
            spread.T @ inner[c] @ spread if c in WITHIN else w @ between[c] @ w
            for c in range(N_COMPONENTS)
        ]
    )
    second = np.empty((N_COMPONENTS, N_COMPONENTS, k, k))
    cross = np.empty((N_COMPONENTS, N_COMPONENTS))
    for i in range(N_COMPONENTS):
        for j in range(N_COMPONENTS):
            if j < i:
                second[i, j], cross[i, j] = second[j, i].T, cross[j, i]
            elif i in WITHIN and j in WITHIN:
                both = _inner(algebra, i, j)
                second[i, j] = spread.T @ (both - inner[i] @ shrink @ inner[j]) @ spread
                cross[i, j] = (
                    sums.trace(*_product(algebra, i, j))
                    - 2 * float((shrink * both).sum())
                    + float(((shrink @ inner[i]) * (shrink @ inner[j]).T).sum())
                )
            else:
                second[i, j] = first[i] @ between[j] @ w
                cross[i, j] = float((between[j] * first[i]).sum())
    traces = [
        sums.trace(*_once(algebra, c)) - float((shrink * inner[c]).sum())
        if c in WITHIN
        else float((between[c] * w).sum())
        for c in range(N_COMPONENTS)
    ]
    return DatasetSlopes(first, second, np.array(traces), cross)


def _once(algebra: DatasetAlgebra, a: int) -> tuple[Array, float]:
    """Return the eigenvalues of D^-1 V_a."""
    mean, rest = algebra.inside(a)
    return algebra.mean * mean, algebra.rest * rest


def _product(algebra: DatasetAlgebra, a: int, b: int) -> tuple[Array, float]:
    """Return the eigenvalues of D^-1 V_a D^-1 V_b."""
    one, other = _once(algebra, a), _once(algebra, b)
    return one[0] * other[0], one[1] * other[1]


def _inner(algebra: DatasetAlgebra, *components: int) -> Array:
    """Return Z'D^-1 V_a D^-1 ... D^-1 Z."""
    mean, rest = algebra.mean, algebra.rest
    for a in components:
        own = _once(algebra, a)
        mean, rest = mean * own[0], rest * own[1]
    return algebra.sums.quadratic(mean, rest)


def residual_slopes(algebra: DatasetAlgebra, kappa: Array) -> Array:
    """Return e'V^-1 V_i V^-1 e of the residuals e = y - Z kappa.

    `kappa`: (K,).
    """
    at = algebra.residual_linear(kappa)
    shift = kappa - algebra.sums.centre + algebra.shrink @ at
    outer = algebra.spread.T @ at
    found = []
    for a in WITHIN:
        own = _once(algebra, a)
        mean, rest = algebra.mean * own[0], algebra.rest * own[1]
        found.append(_shift(algebra.sums, mean, rest, shift))
    return np.array([*found, float(outer @ outer), float(outer.sum() ** 2)])
