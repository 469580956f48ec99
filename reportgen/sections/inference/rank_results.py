"""What rank tests on one data set find: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.warehouse import Target


@dataclass(frozen=True, slots=True)
class Friedman:
    """Friedman's test on within-block ranks, ties corrected."""

    statistic: float
    df: int
    p_value: float
    log10_p_value: float
    target: Target


@dataclass(frozen=True, slots=True)
class RankPair:
    """Difference of two rank sums, R_first - R_second.

    The p-values are single-step over all pairs
    (Wilcoxon-Nemenyi-McDonald-Thompson): asymptotic, and with the labels
    permuted within replications, that with its Monte Carlo error.
    """

    first: str
    second: str
    difference: float
    p_value: float
    target: Target
    p_value_permutation: float | None = None
    permutation_error: float | None = None


@dataclass(frozen=True, slots=True)
class SkillingsMack:
    """The test of Skillings and Mack: Friedman's on the ranks of what is there.

    Attributes
    ----------
    statistic : float
        Given the ties.
    df : int
    p_value, log10_p_value : float
    n_blocks, n_dropped : int
        Replications used, and those that say nothing: fewer than two values, or
        none but tied ones.
    target : str
    """

    statistic: float
    df: int
    p_value: float
    log10_p_value: float
    n_blocks: int
    n_dropped: int
    target: Target


@dataclass(frozen=True, slots=True)
class WorstRanks:
    """The rank tests with failed fits ranked behind all values of their replication.

    Attributes
    ----------
    friedman, rank_sums, rank_pairs
        As on complete replications; failures of one replication are tied.
    n_blocks, n_dropped : int
        Replications in which every candidate has a value or has failed, and the
        others.
    n_failed : int
        Failures ranked.
    failed : mapping of str to int
        The same by candidate.
    """

    friedman: Friedman
    rank_sums: Mapping[str, float]
    rank_pairs: tuple[RankPair, ...]
    n_blocks: int
    n_dropped: int
    n_failed: int
    failed: Mapping[str, int]
