"""Other roads to all pairs, and tests of all at once: numbers and names, no words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reportgen.stats.relevance import Decision
from reportgen.stats.shared_data import Reason
from reportgen.warehouse import Target

HIDDEN = {"results": False}

Law = Literal["exact", "monte-carlo", "asymptotic", "t", "studentized-range", "max-t"]

RoadName = Literal[
    "block-model",
    "pairwise-variance",
    "sign-flip",
    "permutation-t",
    "closed-means",
    "joint-ranks",
    "closed-ranks",
    "aligned-ranks",
    "signed-rank-holm",
    "signed-rank-shaffer",
    "corrected-t",
]

Control = Literal["strong", "strong-if-alike", "global-null", "approximate"]

Omission = Literal["incomplete", "too-few-replications", "many-candidates"] | Reason


@dataclass(frozen=True, slots=True)
class OtherPair:
    """A pair by a method beside the chosen one, first - second.

    Attributes
    ----------
    first, second : str
    estimate : float
        Mean difference.
    statistic : float or None
        What the method standardises; None where it is infinite.
    lower, upper : float or None
        Simultaneous interval; None for methods without one.
    p_value : float
        Adjusted; where intervals are Bonferroni's, by Holm.
    df : float or None
        None where the method has none.
    method, variance : str
        As of `Pair`.
    target : str
    significant : bool
        Whether the adjusted p-value is at most alpha.
    decision : str
        By the interval; where that says nothing, or there is none, by the
        adjusted p-value.
    primary : bool
        False.
    """

    first: str
    second: str
    estimate: float
    statistic: float | None
    lower: float | None
    upper: float | None
    p_value: float
    df: float | None
    method: str
    variance: Literal["pooled", "pairwise"]
    target: Target
    significant: bool
    decision: Decision
    primary: bool = False


@dataclass(frozen=True, slots=True)
class Road:
    """One way to compare all pairs, and what it comes to.

    Attributes
    ----------
    name : str
    target : str
        What its p-values speak about.
    controls : {"strong", "strong-if-alike", "global-null", "approximate"}
        Whether the probability of one or more false decisions is held
        whatever candidates are alike; so as far as all differences vary
        alike; only when all candidates are alike; approximately.
    law : str
        How its p-values are found.
    n_draws : int or None
        Random arrangements or flips, where there are any.
    n_blocks : int
        Replications used.
    n_distinguished : int
        Pairs whose adjusted p-value is at most alpha.
    smallest_p : float
    p_values : tuple of float or None
        Adjusted, in the order of the primary pairs.
    differing : tuple of tuples of two str
        Pairs that are distinguished here and not by the chosen method, or the
        other way round, or in the other direction.
    favoured : tuple of str or None
        Of each differing pair the candidate that is better here, None where the
        two are not told apart.
    """

    name: RoadName
    target: Target
    controls: Control
    law: Law
    n_draws: int | None
    n_blocks: int
    n_distinguished: int
    smallest_p: float
    p_values: tuple[float | None, ...]
    differing: tuple[tuple[str, str], ...]
    favoured: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """A test that all candidates are alike, labels permuted within replications.

    Attributes
    ----------
    statistic : float or None
        None where it is infinite.
    p_value, standard_error : float
        The latter by Monte Carlo, else 0.
    law : {"exact", "monte-carlo"}
    n_draws : int or None
    target : str
    """

    statistic: float | None
    p_value: float
    standard_error: float
    law: Literal["exact", "monte-carlo"]
    n_draws: int | None
    target: Target


@dataclass(frozen=True, slots=True)
class ImanDavenport:
    """Iman and Davenport's F of the ranks.

    Attributes
    ----------
    statistic : float or None
        None where all replications agree.
    df1, df2 : int
    p_value, log10_p_value : float
    is_perfect_agreement : bool
    target : str
    """

    statistic: float | None
    df1: int
    df2: int
    p_value: float
    log10_p_value: float
    is_perfect_agreement: bool
    target: Target
