"""The REML criterion of a domain with gaps and its slopes, of all data sets in one go.

The formulas are those of `reportgen.stats.domain.sums`; a search asks for them hundreds of times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, pi
from typing import NamedTuple

import numpy as np

from reportgen.stats.arrays import Array
from reportgen.stats.domain.sums import DatasetSums


class CriterionSlopes(NamedTuple):
    """The criterion, and its derivatives by Omega, sigma^2 and sigma_3^2."""

    criterion: float
    of_omega: Array
    of_inside: Array


@dataclass(frozen=True, slots=True)
class StackedSums:
    """Sums of M data sets; one with fewer block sizes than others has sizes of no block.

    Attributes
    ----------
    centre, counts : ndarray of shape (M, K)
    sizes, n_blocks, squared_sums : ndarray of shape (M, S)
    joint : ndarray of shape (M, S, K * K)
    with_sum : ndarray of shape (M, S, K)
    squares : ndarray of shape (M,)
    """

    centre: Array
    counts: Array
    sizes: Array
    n_blocks: Array
    squared_sums: Array
    joint: Array
    with_sum: Array
    squares: Array

    @classmethod
    def of(cls, sums: Sequence[DatasetSums]) -> StackedSums:
        """Put the sums of data sets on one another."""
        n, k = len(sums), len(sums[0].counts)
        most = max(len(own.sizes) for own in sums)
        sizes, n_blocks, squared = np.ones((n, most)), *np.zeros((2, n, most))
        joint, with_sum = np.zeros((n, most, k * k)), np.zeros((n, most, k))
        for m, own in enumerate(sums):
            s = len(own.sizes)
            sizes[m, :s] = own.sizes
            n_blocks[m, :s], squared[m, :s] = own.n_blocks, own.squared_sums
            joint[m, :s] = own.joint.reshape(s, -1)
            with_sum[m, :s] = own.with_sum
        centre, counts = (np.array([getattr(own, n) for own in sums]) for n in ("centre", "counts"))
        squares = np.array([own.squares for own in sums])
        return cls(centre, counts, sizes, n_blocks, squared, joint, with_sum, squares)

    def criterion_slopes(
        self, residual: float, replication: float, omega: Array
    ) -> CriterionSlopes | None:
        """Return criterion and slopes at given components; None where these are no covariance.

        Parameters
        ----------
        residual, replication : float
            sigma^2 and sigma_3^2.
        omega : ndarray of shape (K, K)
        """
        n_datasets, k = self.counts.shape
        theta = residual + self.sizes * replication
        if residual <= 0 or theta.min() <= 0:
            return None
        mean, rest = 1 / theta, 1 / residual
        # eigenvalues of D^-1, and of D^-1 V D^-1 for both variances
        means = np.stack([mean, mean**2, mean**2 * self.sizes], axis=1)
        rests = np.array([rest, rest**2, 0.0])
        weights = (means - rests[:, None]) / self.sizes[:, None]
        products = (weights @ self.joint).reshape(n_datasets, 3, k, k)
        np.einsum("mckk->mck", products)[:] += rests[:, None] * self.counts[:, None]
        linear, precision = weights @ self.with_sum, products[:, 0]
        squares = rests * self.squares[:, None] + np.einsum(
            "mcs,ms->mc", weights, self.squared_sums
        )

        values, vectors = np.linalg.eigh(precision)
        root = vectors * np.sqrt(np.maximum(values, 0.0))[:, None]
        stretch = np.linalg.eigvalsh(np.eye(k) + root.swapaxes(1, 2) @ omega @ root)
        if stretch.min() <= 0:
            return None
        spread = np.linalg.inv(np.eye(k) + omega @ precision)
        shrink = spread @ omega
        shrink = (shrink + shrink.swapaxes(1, 2)) / 2
        each = precision @ spread
        information = each.sum(axis=0)
        information = (information + information.T) / 2
        sign, log_det = np.linalg.slogdet(information)
        if sign <= 0:
            return None
        response = _times(spread.swapaxes(1, 2), linear[:, 0]) + _times(each, self.centre)
        kappa = np.linalg.solve(information, response.sum(axis=0))
        phi = np.linalg.inv(information)

        shift = kappa - self.centre
        at = linear[:, 0] - _times(precision, shift)
        predicted = _times(shrink, at)
        within = squares[:, 0] - 2 * (shift * linear[:, 0]).sum(axis=1)
        within += (shift * _times(precision, shift)).sum(axis=1)
        blocks = self.n_blocks * (np.log(mean) + (self.sizes - 1) * log(rest))
        log_dets = np.log(stretch).sum() - blocks.sum()
        criterion = (float(self.counts.sum()) - k) * log(2 * pi) + float(log_det)
        criterion += float(log_dets + within.sum() - (at * predicted).sum())

        outer = _times(spread.swapaxes(1, 2), at)
        of_omega = (each - each @ phi @ each).sum(axis=0) - outer.T @ outer
        inner, shift = products[:, 1:], (shift + predicted)[:, None]
        left = squares[:, 1:] - 2 * (shift * linear[:, 1:]).sum(axis=2)
        left += ((inner @ shift[..., None])[..., 0] * shift).sum(axis=2)
        traces = np.stack([mean + (self.sizes - 1) * rest, mean * self.sizes], axis=1)
        taken = shrink + spread @ phi @ spread.swapaxes(1, 2)
        of_inside = (
            np.einsum("mcs,ms->c", traces, self.n_blocks)
            - np.einsum("mckl,mkl->c", inner, taken)
            - left.sum(axis=0)
        )
        return CriterionSlopes(criterion, (of_omega + of_omega.T) / 2, of_inside)


def _times(matrices: Array, vectors: Array) -> Array:
    """Multiply matrices (M, K, K) by vectors (M, K)."""
    found: Array = np.matmul(matrices, vectors[:, :, None])[:, :, 0]
    return found
