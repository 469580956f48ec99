"""Probability that any value of one candidate is better than any value of another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

N_DRAWS = 2000
AT_ONCE = 200_000  # weights of a batch of draws: what stays near the processor


@dataclass(frozen=True, slots=True)
class UnpairedSuperiority:
    """Superiority over all pairs of replications, first against second.

    Attributes
    ----------
    first, second : ndarray of shape (P,), int
        Columns of the pairs in lexical order, first < second.
    probabilities : ndarray of shape (P,)
        A12: share of the pairs (value of the first, value of the second) in
        which the first is better, ties counted half. NaN where one has no value.
    errors : ndarray of shape (P,)
        Standard deviations over the bootstrap draws.
    lower, upper : ndarray of shape (P,)
        Percentile intervals, level 1 - alpha for each pair by itself. Points
        where the values do not overlap.
    """

    first: Indices
    second: Indices
    probabilities: Array
    errors: Array
    lower: Array
    upper: Array

    @property
    def deltas(self) -> Array:
        """Cliff's delta, 2 A12 - 1."""
        return 2 * self.probabilities - 1


def unpaired_superiority(
    values: Array,
    alpha: float,
    rng: Generator,
    is_smaller_better: bool = True,
    n_draws: int = N_DRAWS,
) -> UnpairedSuperiority:
    """Compare the distributions of all pairs of candidates, not their replications.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        One row a replication, NaN where there is no value; each candidate
        brings all values that it has.
    alpha : float
        Error probability of each interval, 0 < alpha < 1.
    rng : Generator
        For the bootstrap: whole replications are drawn, so that the
        dependence of candidates within them is kept.
    is_smaller_better : bool, default True
        Direction of the measure.
    n_draws : int, default 2000

    Returns
    -------
    UnpairedSuperiority

    Raises
    ------
    ValueError
        If `values` is no matrix of at least two columns, alpha is not inside
        (0, 1), or there is no draw.

    Notes
    -----
    A pair takes O(B log B) for its value and O(B) for every draw.

    References
    ----------
    .. [1] A. Vargha and H. D. Delaney (2000), "A critique and improvement of
       the CL common language effect size statistics of McGraw and Wong",
       Journal of Educational and Behavioral Statistics 25.
    .. [2] N. Cliff (1993), "Dominance statistics: ordinal analyses to answer
       ordinal questions", Psychological Bulletin 114.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]])
    >>> found = unpaired_superiority(values, 0.05, np.random.default_rng(1))
    >>> found.probabilities.round(4), found.deltas.round(4)
    (array([0.7778]), array([0.5556]))
    """
    _check(values, alpha, n_draws)
    signed = values if is_smaller_better else -values
    first, second = np.array(list(combinations(range(values.shape[1]), 2)), dtype=np.intp).T
    draws = [_probabilities(signed, weights) for weights in _weights(len(values), n_draws, rng)]
    once = _probabilities(signed, np.ones((len(values), 1)))[:, 0]
    return UnpairedSuperiority(first, second, once, *_intervals(np.hstack(draws), once, alpha))


def _weights(n_blocks: int, n_draws: int, rng: Generator) -> Iterator[Array]:
    """Yield batches of how often each replication is drawn, shape (B, draws)."""
    batch = max(1, AT_ONCE // n_blocks)
    for start in range(0, n_draws, batch):
        size = min(batch, n_draws - start)
        counts = rng.multinomial(n_blocks, np.full(n_blocks, 1 / n_blocks), size=size)
        yield np.ascontiguousarray(counts.T, dtype=np.float64)


def _probabilities(signed: Array, weights: Array) -> Array:
    """Return A12 of all pairs under every column of weights, shape (P, draws)."""
    n_candidates = signed.shape[1]
    rows = []
    for i in range(n_candidates - 1):
        own, cumulated = _cumulated(signed[:, i], weights)
        for j in range(i + 1, n_candidates):
            is_there = np.isfinite(signed[:, j])
            before = np.searchsorted(own, signed[is_there, j], "left")
            upto = np.searchsorted(own, signed[is_there, j], "right")
            theirs = weights if is_there.all() else weights[is_there]
            better = np.einsum("br,br->r", cumulated[before], theirs)
            if (before != upto).any():
                better = (better + np.einsum("br,br->r", cumulated[upto], theirs)) / 2
            rows.append(_share(better, cumulated[-1] * theirs.sum(axis=0)))
    return np.array(rows)


def _cumulated(values: Array, weights: Array) -> tuple[Array, Array]:
    """Return the values in ascending order, and the weight before each place."""
    order = np.argsort(values, kind="stable")[: int(np.isfinite(values).sum())]
    cumulated = np.zeros((len(order) + 1, weights.shape[1]))
    np.cumsum(weights[order], axis=0, out=cumulated[1:])
    return values[order], cumulated


def _share(better: Array, n_pairs: Array) -> Array:
    """Return the share of pairs in which the first is better; NaN without a pair."""
    shares = np.full(len(better), np.nan)
    np.divide(better, n_pairs, out=shares, where=n_pairs > 0)
    return shares


def _intervals(draws: Array, once: Array, alpha: float) -> tuple[Array, Array, Array]:
    """Return standard deviation and percentiles over draws, of pairs that have a value."""
    found = np.full((3, len(once)), np.nan)
    has_value = np.isfinite(once)
    drawn = draws[has_value]
    found[0, has_value] = np.nanstd(drawn, axis=1)
    found[1:, has_value] = np.nanquantile(drawn, [alpha / 2, 1 - alpha / 2], axis=1)
    return found[0], found[1], found[2]


def _check(values: Array, alpha: float, n_draws: int) -> None:
    """Say what is wrong with the arguments."""
    if values.ndim != 2 or values.shape[1] < 2 or not len(values):
        raise ValueError(f"pairs need replications of two candidates, got shape {values.shape}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be inside (0, 1), got {alpha}")
    if n_draws < 1:
        raise ValueError(f"a bootstrap needs a draw, got {n_draws}")
