r"""Tracks of many pairs when the replications come in random orders, at some of the looks.

The sum of the ranks of the positive differences of a subset is a quadratic form in
its indicator: the number of pairs i <= j of it with d_i + d_j > 0. So all orders and
looks of a pair are one product of matrices, and any subset counts as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import ndtr

from reportgen.stats.sequential.staged import StagePlan
from reportgen.stats.sequential.tracks import one_or_two_sided

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class OrderFree:
    """What a track would have been in random orders of the same replications.

    Attributes
    ----------
    n : ndarray of shape (N,), int
        Replications at each look.
    p_values : ndarray of shape (R, N)
        One row an order.
    """

    n: NDArray[np.intp]
    p_values: Array

    def band(self, coverage: float = 0.9) -> Array:
        """Return lower, median and upper p-value at each look, shape (3, N)."""
        tail = (1 - coverage) / 2
        return np.asarray(np.quantile(self.p_values, [tail, 0.5, 1 - tail], axis=0))

    def share_significant(self, alpha: float) -> Array:
        """Return the share of the orders with p <= alpha at each look."""
        return np.asarray((self.p_values <= alpha).mean(axis=0))

    def stable_from(self, alpha: float, share: float = 0.9) -> int | None:
        """Return the look from which on so many orders are significant and stay so.

        Examples
        --------
        >>> found = OrderFree(np.array([10, 20]), np.array([[0.2, 0.01], [0.01, 0.02]]))
        >>> found.stable_from(0.05), found.stable_from(0.05, share=0.5)
        (20, 10)
        """
        fails = ~(self.p_values <= alpha)
        stays = ~np.logical_or.accumulate(fails[:, ::-1], axis=1)[:, ::-1]
        enough = np.flatnonzero(stays.mean(axis=0) >= share)
        return int(self.n[enough[0]]) if len(enough) else None


def order_looks(n_replications: int, burn_in: int, n_looks: int) -> NDArray[np.intp]:
    """Return about so many looks, each the same share later than the one before.

    Examples
    --------
    >>> order_looks(80, 10, 7)
    array([10, 14, 20, 28, 40, 57, 80])
    """
    looks = np.geomspace(burn_in, n_replications, max(2, n_looks))
    return np.asarray(np.unique(np.rint(looks)), dtype=np.intp)


def order_free(
    differences: Array,
    looks: NDArray[np.intp],
    plan: StagePlan,
    rng: Generator,
    n_orders: int = 100,
) -> OrderFree:
    """Test random subsets as random orders would have brought them.

    Parameters
    ----------
    differences : ndarray of shape (B,)
        Finite.
    looks : ndarray of shape (N,), int
    plan : StagePlan
        Its test and alternative; signed ranks by the corrected normal law.
    rng : Generator
        Draws the orders.
    n_orders : int, default 100

    Returns
    -------
    OrderFree
    """
    d = np.asarray(differences, dtype=np.float64)
    orders = rng.permuted(np.tile(np.arange(len(d)), (n_orders, 1)), axis=1)
    if plan.test != "wilcoxon":
        first = int(looks[0])
        track = plan.follow(d[orders], first, plan.alternative)
        return OrderFree(looks, track.p_values[:, looks - first])
    places = orders.argsort(axis=1)
    subsets = (places[:, None, :] < looks[:, None]).reshape(-1, len(d)).astype(np.float32)
    less, greater = _signed_rank_tails(d, subsets, plan)
    p_values = one_or_two_sided(less, greater, plan.alternative)
    return OrderFree(looks, p_values.reshape(n_orders, len(looks)))


def _signed_rank_tails(
    d: Array, subsets: NDArray[np.float32], plan: StagePlan
) -> tuple[Array, Array]:
    """Test the subsets of differences that rows of 0 and 1 mark."""
    there = (d != 0).astype(np.float32)
    sums = np.add.outer(d, d)
    halves = ((sums > 0) + 0.5 * (sums == 0)) * np.outer(there, there)
    members = subsets * there
    positive = (subsets @ (d > 0).astype(np.float32)).astype(np.float64)
    # pairs i < j count twice in the form, and i = j once
    form = np.einsum("ij,ij->i", members @ halves.astype(np.float32), members).astype(np.float64)
    statistic = (form + positive) / 2
    n = members.sum(axis=1, dtype=np.float64)
    zeros = subsets.sum(axis=1, dtype=np.float64) - n if plan.zeros == "pratt" else 0.0
    total, plain = n * (n + 1) / 2 + zeros * n, n * (n + 1) / 2
    squares = n * (n + 1) * (2 * n + 1) / 6 - _tied(d, members) / 12
    variance = (squares + 2 * zeros * plain + zeros**2 * n) / 4
    distance = statistic + zeros * positive - total / 2
    half = 0.0 if plan.law == "normal" else 0.5
    scale = np.sqrt(np.where(variance > 0, variance, 1.0))
    less, greater = ndtr((distance + half) / scale), ndtr((half - distance) / scale)
    return np.where(variance > 0, less, 1.0), np.where(variance > 0, greater, 1.0)


def _tied(d: Array, members: NDArray[np.float32]) -> Array | float:
    """Return the sum of t^3 - t over the groups of one size in each subset."""
    sizes, group = np.unique(np.abs(d), return_inverse=True)
    if len(sizes) == len(d):
        return 0.0
    counts = members @ (group[:, None] == np.arange(len(sizes))).astype(np.float32)
    counts = counts[:, np.bincount(group) > 1].astype(np.float64)
    return np.asarray((counts**3 - counts).sum(axis=1))
