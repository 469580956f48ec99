"""Cross products of blocks with missing cells, for least squares."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array

SILENT = 1e-10  # eigenvalues below it, relative, are 0 but for rounding; others are above 1 / K
SPARSE = 0.1  # share of the cells that have a value, below which only these are looked at


@dataclass(frozen=True, slots=True)
class BlockSizes:
    r"""Cross products of incomplete blocks, by the number of values in a block.

    In a block of n values the projection F on the block's mean and E = I - F
    split every cross product in two. The covariances of all blocks of one size
    have E and F as their eigenspaces, so that sums over the blocks of a size
    are all that a covariance model needs: neither the number of blocks nor
    that of patterns of missing cells counts afterwards.

    Attributes
    ----------
    sizes, counts : ndarray of shape (S,)
        The different block sizes n > 0, and how many blocks have them.
    within_xx : ndarray of shape (K, K)
        Sum over all blocks of X'EX, X the indicators of the candidates.
    within_xy : ndarray of shape (K,)
    within_yy : float
    between_xx : ndarray of shape (S, K, K)
        Sums over the blocks of a size of X'FX.
    between_xy : ndarray of shape (S, K)
    between_yy : ndarray of shape (S,)
    """

    sizes: Array
    counts: Array
    within_xx: Array
    within_xy: Array
    within_yy: float
    between_xx: Array
    between_xy: Array
    between_yy: Array

    @property
    def n_values(self) -> int:
        """Number of observed values."""
        return int(self.sizes @ self.counts)

    @property
    def n_blocks(self) -> int:
        """Number of blocks with a value."""
        return int(self.counts.sum())


def reduce_blocks(values: Array) -> BlockSizes:
    """Sum the cross products of all blocks of one size.

    `values`: (B, K); one row a block, NaN where there is no value; best centred, as sums of squares
    of large numbers lose digits.

    Examples
    --------
    >>> reduced = reduce_blocks(np.array([[1.0, 2.0], [3.0, np.nan], [2.0, 5.0]]))
    >>> reduced.sizes, reduced.counts
    (array([1., 2.]), array([1., 2.]))
    >>> reduced.within_yy, reduced.between_yy
    (5.0, array([ 9., 29.]))
    """
    observed = np.isfinite(values).astype(np.float64)
    n_observed = observed.sum(axis=1)
    is_used = n_observed > 0
    observed, n_observed = observed[is_used], n_observed[is_used]
    y = np.where(observed > 0, values[is_used], 0.0)
    means = y.sum(axis=1) / n_observed
    deviations = np.where(observed > 0, y - means[:, None], 0.0)
    sizes, group = np.unique(n_observed, return_inverse=True)
    parts = [_sums_between(observed[group == s], means[group == s], n) for s, n in enumerate(sizes)]
    scaled = observed / n_observed[:, None]
    return BlockSizes(
        sizes=sizes,
        counts=np.bincount(group, minlength=len(sizes)).astype(np.float64),
        within_xx=np.diag(observed.sum(axis=0)) - observed.T @ scaled,
        within_xy=deviations.sum(axis=0),
        within_yy=float((deviations**2).sum()),
        between_xx=np.array([xx for xx, _, _ in parts]),
        between_xy=np.array([xy for _, xy, _ in parts]),
        between_yy=np.array([yy for _, _, yy in parts]),
    )


def rotated(reduced: BlockSizes) -> tuple[BlockSizes, Array]:
    """Replace the candidates by axes along which blocks inform or do not.

    Along some axes, such as the mean of all candidates, comparisons within
    blocks carry no information. Their entries of the within cross products are exactly
    0 here, so that they keep their digits when blocks vary much more than
    residuals.

    `reduced`: of K candidates.
    Result: of K axes; (K, K); the axes as columns, orthonormal.
    """
    values, axes = np.linalg.eigh(reduced.within_xx)
    informs = values > SILENT * max(float(values[-1]), 1.0)
    turned = replace(
        reduced,
        within_xx=np.diag(np.where(informs, values, 0.0)),
        within_xy=np.where(informs, axes.T @ reduced.within_xy, 0.0),
        between_xx=axes.T @ reduced.between_xx @ axes,
        between_xy=reduced.between_xy @ axes,
    )
    return turned, axes


def connected_candidates(observed: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Find which candidates are linked by blocks that hold two of them.

    `observed`: (B, K); which cells have a value.
    Result: (K,); candidates with the same number are linked, directly or through others; a design
    is connected when all are 0.

    References
    ----------
    .. [1] R. C. Bose (1949), "Least squares aspects of analysis of variance",
       Institute of Statistics Mimeo Series 9, University of North Carolina.

    Examples
    --------
    >>> connected_candidates(np.array([[True, True, False], [False, False, True]]))
    array([0, 0, 1])
    """
    if observed.all(axis=1).any():  # a block links all
        return np.zeros(observed.shape[1], dtype=np.intp)
    from scipy.sparse import coo_array, csr_array
    from scipy.sparse.csgraph import connected_components

    if observed.mean() < SPARSE:  # such as battles, of which each has two
        rows = csr_array(observed, dtype=np.int64)
        together = rows.T @ rows
    else:
        together = observed.T.astype(np.float64) @ observed
    _, labels = connected_components(coo_array(together), directed=False)
    return labels.astype(np.intp)


def _sums_between(observed: Array, means: Array, size: float) -> tuple[Array, Array, float]:
    """Sum X'FX, X'Fy and y'Fy over blocks of one size."""
    return observed.T @ observed / size, means @ observed, size * float(means @ means)
