r"""Tests of parameter instability along a characteristic (M-fluctuation tests).

Scores of the units, the gradients of their log likelihoods, sum to zero. Ordered by a
characteristic that has nothing to do with the parameters they wander like a Brownian bridge; where
the parameters change with it they drift away and come back.

References
----------
.. [1] A. Zeileis and K. Hornik (2007), "Generalized M-fluctuation tests for parameter
   instability", Statistica Neerlandica 61.
.. [2] A. Zeileis, T. Hothorn, K. Hornik (2008), "Model-based recursive partitioning", Journal of
   Computational and Graphical Statistics 17.
.. [3] E. C. Merkle, J. Fan, A. Zeileis (2014), "Testing for measurement invariance with respect
   to an ordinal variable", Psychometrika 79.
.. [4] J. Besag and P. Clifford (1991), "Sequential Monte Carlo p-values", Biometrika 78.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from enum import StrEnum
from math import ceil, inf, log

import numpy as np
from numpy.random import Generator

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.distributions.supremum import grid_p_value, log_hansen_p_value
from reportgen.stats.distributions.tails import log_chi2_survival, probability
from reportgen.stats.roots import brentq

Profile = Callable[[Array], Array]

TRIMMED = 0.1  # share of the units at either end without a possible break
FEW = 10  # distinct numbers up to which they are ordered classes, which are not trimmed
SINGULAR = 1e-10  # eigenvalue of the scores' covariance, relative to the largest, that counts as 0
ALIKE = 1e-12  # mean squared score up to which units are the same but for rounding
LARGEST_BLOCK = 2_000_000  # numbers of permuted scores in memory at once
SAME = 1e-9  # relative difference at which two statistics are the same but for rounding
HIGHEST = 1e4  # a statistic that has no p-value to speak of
BLOCK = 100  # permutations after which it is looked whether they suffice


class Kind(StrEnum):
    """The kind of the values of a characteristic."""

    NUMERIC = "numeric"
    ORDINAL = "ordinal"
    CATEGORICAL = "categorical"


@dataclass(frozen=True, slots=True)
class InstabilityTest:
    """Whether the parameters change along a characteristic.

    Attributes
    ----------
    statistic : float
        Largest squared length of the scaled process over the possible breaks (numeric and
        ordinal), or the sum over categories.
    p_value : float
        By permutation where that was requested, else asymptotic.
    n_permutations : int
        Done; 0 for an asymptotic p-value.
    n_units : int
        Units with a value.
    df : int
        Parameters; for a categorical characteristic times categories less one.
    places : ndarray of shape (C,)
        Values up to which the units were added, ascending, one for each possible break (codes of
        the categories for a categorical characteristic).
    path : ndarray of shape (C,)
        The statistic at each place; its maximum, or sum, is `statistic`.
    draws : ndarray of shape (n_permutations,)
        Statistics of the permutations, ascending.
    law : callable
        The log of the asymptotic p-value of a statistic.
    """

    statistic: float
    p_value: float
    n_permutations: int
    n_units: int
    df: int
    places: Array
    path: Array
    draws: Array
    law: Callable[[float], float] = field(compare=False, repr=False)

    def critical_value(self, alpha: float) -> float:
        """Return the value that the statistic exceeds when its p-value is at most alpha.

        Infinite where so few permutations cannot give a p-value as small.
        """
        if not self.n_permutations:
            return brentq(lambda x: probability(self.law(x)) - alpha, 0.0, HIGHEST)
        allowed = int(alpha * (self.n_permutations + 1) + SAME) - 1
        return float(self.draws[-1 - allowed]) if allowed >= 0 else np.inf


@dataclass(frozen=True, slots=True)
class _Design:
    """The statistic of one characteristic and its law."""

    profile: Profile
    combine: Callable[..., Array]
    law: Callable[[float], float]
    df: int
    places: Array


def whitened(scores: Array) -> Array | None:
    r"""Scale scores to the identity as covariance, :math:`J^{-1/2} \psi_i / \sqrt n`.

    `scores`: (n, q).
    Result: (n, r); with J the mean outer product, of rank r: where scores lie in fewer than q
    dimensions, as when units know two orders of the candidates only, coordinates in these. None
    where n is not more than q + 1 or all scores are 0, so that there is no test.
    """
    n, q = scores.shape
    if n <= q + 1:
        return None
    values, vectors = np.linalg.eigh(scores.T @ scores)
    if values[-1] <= ALIKE * n:
        return None
    used = values > SINGULAR * values[-1]
    white = (scores @ vectors[:, used]) / np.sqrt(values[used])
    return np.asarray(white @ vectors.T if used.all() else white)


def instability_test(
    scores: Array,
    values: Array,
    kind: Kind = Kind.NUMERIC,
    *,
    min_size: int = 2,
    order_free: bool = True,
    n_permutations: int = 0,
    most_reached: int | None = None,
    rng: Generator | None = None,
) -> InstabilityTest | None:
    r"""Test whether parameters are the same along a characteristic.

    `scores`: (n, q); of each unit, at the maximum of the likelihood of all units.
    `values`: (n,); of the characteristic; codes for categories. Units that have none (not a number)
    take no part, and the scores of the others are centred.
    `min_size`: units on either side of a break, also where that is more than 10 % of them.
    `order_free`: whether breaks lie between different values only, so that the order of units with
    the same value does not matter, and p-values follow the exact law. Without, as in R: ties of a
    numeric characteristic stay in the order of the units and its p-value is Hansen's approximation;
    `min_size` does not bound the breaks of an ordinal one.
    `n_permutations`: permutations of the scores over the units for the p-value; 0 for an asymptotic
    one.
    `most_reached`: permutations end when so many are no smaller: the p-value is then known to be
    large, but not as exactly [4]_.
    `rng`: needed to permute.
    Result: None where no test is possible: one value only, no place for a break, no more units than
    parameters plus one, or no score that differs from 0.
    Raises ValueError if shapes differ, or there are permutations and no generator.

    Notes
    -----
    Numeric and ordinal: the maximum of :math:`|W(t)|^2 / (t (1 - t))`, W the cumulated whitened
    scores (supLM, maxLM); ordinal characteristics, and numbers of which there are few, are not
    trimmed where order does not matter. Categorical:
    :math:`\sum_c |\sum_{i \in c} J^{-1/2} \psi_i|^2 / n_c` with q (C - 1) degrees of freedom.
    """
    if values.shape != scores.shape[:1]:
        raise ValueError(f"{len(scores)} units have scores, but values have shape {values.shape}")
    if n_permutations and rng is None:
        raise ValueError("permutations need a generator")
    known = ~np.isnan(values)
    if not known.any():
        return None
    kept = scores[known] - (0.0 if known.all() else scores[known].mean(axis=0))
    white = whitened(kept)
    if white is None:
        return None
    design = _design(kind, values[known], white.shape[1], min_size, order_free)
    if design is None:
        return None
    return _test(design, white, n_permutations, most_reached, rng)


def _design(
    kind: Kind, values: Array, n_parameters: int, min_size: int, order_free: bool
) -> _Design | None:
    """Choose the statistic and its law; None where there is nothing to compare."""
    n_distinct = len(np.unique(values))
    if n_distinct < 2:
        return None
    if order_free and kind is Kind.NUMERIC and n_distinct <= FEW:
        kind = Kind.ORDINAL
    if kind is Kind.CATEGORICAL:
        return _by_categories(values, n_parameters)
    n = len(values)
    r_like = not order_free and kind is Kind.NUMERIC
    least = max(min_size, ceil(TRIMMED * n - 1e-9))
    if kind is Kind.ORDINAL:
        least = min_size if order_free else 1
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    ends = np.arange(least, n - least + 1)
    if not r_like:
        ends = ends[ascending[ends - 1] < ascending[np.minimum(ends, n - 1)]]
    if not len(ends):
        return None
    fractions = ends / n
    span = ((n - least) / least) ** 2

    def law(statistic: float) -> float:
        if r_like:
            return log_hansen_p_value(statistic, n_parameters, span)
        exact = grid_p_value(statistic, n_parameters, fractions)
        return log(exact) if exact > 0 else -inf

    def profile(white: Array) -> Array:
        process = np.cumsum(white[..., order, :], axis=-2)[..., ends - 1, :]
        return np.asarray((process**2).sum(axis=-1) / (fractions * (1 - fractions)))

    return _Design(profile, np.max, law, n_parameters, ascending[ends - 1])


def _by_categories(values: Array, n_parameters: int) -> _Design:
    """Compare the mean scores of categories."""
    codes, members, sizes = np.unique(values, return_inverse=True, return_counts=True)
    belongs = (members[None] == np.arange(len(codes))[:, None]).astype(np.float64)
    df = n_parameters * (len(codes) - 1)

    def profile(white: Array) -> Array:
        return np.asarray(((belongs @ white) ** 2).sum(axis=-1) * len(values) / sizes)

    return _Design(profile, np.sum, lambda x: log_chi2_survival(x, df), df, codes)


def _test(
    design: _Design,
    white: Array,
    n_permutations: int,
    most_reached: int | None,
    rng: Generator | None,
) -> InstabilityTest:
    """Compute the statistic and its p-value."""
    path = design.profile(white)
    statistic = float(design.combine(path))
    draws = np.array([])
    if rng is not None and n_permutations:
        draws = _permute(design, white, statistic, n_permutations, most_reached, rng)
        p_value = (1 + _n_reached(draws, statistic)) / (1 + len(draws))
    else:
        p_value = probability(design.law(statistic))
    return InstabilityTest(
        statistic,
        p_value,
        len(draws),
        len(white),
        design.df,
        design.places,
        path,
        np.sort(draws),
        design.law,
    )


def _permute(
    design: _Design,
    white: Array,
    statistic: float,
    n_permutations: int,
    most_reached: int | None,
    rng: Generator,
) -> Array:
    """Return the statistics of permutations, until enough of them are no smaller."""
    block = max(1, LARGEST_BLOCK // white.size)
    if most_reached is not None:
        block = min(block, BLOCK)
    found: list[Array] = []
    reached = 0
    for start in range(0, n_permutations, block):
        size = min(block, n_permutations - start)
        orders = rng.permuted(np.tile(np.arange(len(white)), (size, 1)), axis=1)
        found.append(design.combine(design.profile(white[orders]), axis=-1))
        reached += _n_reached(found[-1], statistic)
        if most_reached is not None and reached >= most_reached:
            break
    return np.concatenate(found)


def _n_reached(draws: Array, statistic: float) -> int:
    return int((draws >= statistic * (1 - SAME)).sum())
