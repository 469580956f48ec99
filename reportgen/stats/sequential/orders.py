r"""Paths of many pairs when the replications come in random orders, at some of the looks.

The differences are put in the order of their size once. The ranks of a subset are then
running counts of its members, so that a look at an order takes a time that is linear in
the replications.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.methods import TestName
from reportgen.stats.arrays import Array
from reportgen.stats.sequential.paired_paths import normal_tails
from reportgen.stats.sequential.paths import one_or_two_sided
from reportgen.stats.sequential.stages import PATHS

TOGETHER = 500_000  # differences that are put into orders at once


@dataclass(frozen=True, slots=True)
class OrderFree:
    """A two-sided path at looks `n` in random orders of the same replications, a row an order."""

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

    >>> order_looks(80, 10, 7)
    array([10, 14, 20, 28, 40, 57, 80])
    """
    looks = np.geomspace(burn_in, n_replications, max(2, n_looks))
    return np.asarray(np.unique(np.rint(looks)), dtype=np.intp)


def order_free(
    differences: Array,
    looks: NDArray[np.intp],
    test: TestName,
    rng: Generator,
    n_orders: int = 100,
) -> Iterator[OrderFree]:
    """Yield for each pair (a row of finite differences) its test in random orders of its own.

    At each look a random subset is tested as random orders would have brought it; signed ranks by
    the corrected normal law.
    """
    n_pairs, n = differences.shape
    step = max(1, TOGETHER // (n * n_orders))
    for part in (differences[begin : begin + step] for begin in range(0, n_pairs, step)):
        orders = rng.permuted(np.tile(np.arange(n), (len(part) * n_orders, 1)), axis=1)
        orders = orders.reshape(len(part), n_orders, n)
        if test == "wilcoxon":
            rows = zip(part, orders, strict=True)
            p_values = np.array([_signed_rank_orders(d, own, looks) for d, own in rows])
        else:
            arranged = np.take_along_axis(part[:, None], orders, axis=2)
            p_values = PATHS[test](arranged, int(looks[0]), at=looks).p_values
        yield from (OrderFree(looks, own) for own in p_values)


def _signed_rank_orders(d: Array, orders: NDArray[np.intp], looks: NDArray[np.intp]) -> Array:
    """Test the first differences of each order at each look, shape (R, N)."""
    by_size = np.argsort(np.abs(d), kind="stable")
    ordered = d[by_size]
    sizes = np.abs(ordered)
    starts = np.flatnonzero(np.append(True, sizes[1:] != sizes[:-1])) if len(d) else by_size
    arrival = orders.argsort(axis=1)[:, by_size]
    tails = [_signed_rank_tails(ordered, starts, arrival < look) for look in looks.tolist()]
    less, greater = (np.stack(side, axis=1) for side in zip(*tails, strict=True))
    return one_or_two_sided(less, greater, "two-sided")


def _signed_rank_tails(
    d: Array, starts: NDArray[np.intp], subsets: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """Test subsets (rows) of differences in the order of their size, groups of one size."""
    members = np.add.reduceat(subsets & (d != 0), starts, axis=1, dtype=np.float64)
    positive = np.add.reduceat(subsets & (d > 0), starts, axis=1, dtype=np.float64)
    below = members.cumsum(axis=1) - members
    n = members.sum(axis=1)
    zeros = subsets.sum(axis=1, dtype=np.float64) - n
    ranks = below + (members + 1) / 2 + zeros[:, None]
    statistic = (positive * ranks).sum(axis=1)
    plain = n * (n + 1) / 2
    tied = (members**3 - members).sum(axis=1)
    squares = n * (n + 1) * (2 * n + 1) / 6 - tied / 12
    variance = (squares + 2 * zeros * plain + zeros**2 * n) / 4
    distance = statistic - (plain + zeros * n) / 2
    return normal_tails(distance, variance)
