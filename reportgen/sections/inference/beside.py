"""What stands beside the block model's intervals: other roads, other targets, sizes of effects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from reportgen.stats.relevance import Decision
from reportgen.stats.shared_data import Reason, Source
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

Omission = Literal["incomplete", "too-few-replications"]


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


@dataclass(frozen=True, slots=True)
class CorrectedPair:
    """Nadeau and Bengio's corrected t of one pair, first - second.

    Attributes
    ----------
    first, second : str
    n_blocks : int
        Replications with values of both.
    estimate, standard_error : float
    limit_standard_error : float
        What is left of it with any number of replications.
    df : float
    p_value : float
        Of the pair alone.
    p_value_holm : float
        Adjusted for all pairs.
    lower, upper : float
        Interval of the pair alone: also the credible interval of the Bayesian
        correlated t.
    joint_lower, joint_upper : float
        Simultaneous (Bonferroni).
    significant : bool
        Whether `p_value_holm` is at most alpha.
    below, inside, above : float or None
        Posterior probabilities (Corani and Benavoli) that the difference lies
        below, in and above the area of equivalence; None without an area.
    target : str
    """

    first: str
    second: str
    n_blocks: int
    estimate: float
    standard_error: float
    limit_standard_error: float
    df: float
    p_value: float
    p_value_holm: float
    lower: float
    upper: float
    joint_lower: float
    joint_upper: float
    significant: bool
    below: float | None
    inside: float | None
    above: float | None
    target: Target = "generating-process"


@dataclass(frozen=True, slots=True)
class Corrected:
    """Inference for new data sets of the same source, or why there is none.

    Attributes
    ----------
    ratio : float or None
        Test over distinct learning observations, mean of the replications.
    correlation : float or None
        Of two replications: ratio / (1 + ratio).
    source : str or None
        How the ratio is known.
    reason : str or None
        Why it is not.
    pairs : tuple of CorrectedPair
        Those with two or more replications in common.
    target : str
    """

    ratio: float | None
    correlation: float | None
    source: Source | None
    reason: Reason | None
    pairs: tuple[CorrectedPair, ...] = ()
    target: Target = "generating-process"


@dataclass(frozen=True, slots=True)
class Effect:
    """How far two candidates lie apart, first - second; see `stats.effects.PairedEffect`.

    Intervals are of the pair alone, level 1 - alpha, and refer to replications
    of this data set.

    Attributes
    ----------
    first, second : str
    n_blocks : int
    difference : float
    difference_interval : tuple of two floats, or None
    d : float or None
        Cohen's d of paired data.
    d_interval : tuple of two floats, or None
    superiority, superiority_error : float
        Share of replications in which first is better, ties counted half.
    superiority_interval : tuple of two floats
    cliff_delta : float
        2 superiority - 1.
    cliff_interval : tuple of two floats
    unpaired_superiority : float or None
        A12: the same over all pairs of replications; of the main measure only.
    unpaired_interval : tuple of two floats, or None
        By a bootstrap of whole replications.
    target : str
    """

    first: str
    second: str
    n_blocks: int
    difference: float
    difference_interval: tuple[float, float] | None
    d: float | None
    d_interval: tuple[float, float] | None
    superiority: float
    superiority_error: float
    superiority_interval: tuple[float, float]
    cliff_delta: float
    cliff_interval: tuple[float, float]
    unpaired_superiority: float | None
    unpaired_interval: tuple[float, float] | None
    target: Target


@dataclass(frozen=True, slots=True)
class ReferencePair:
    """A candidate against the reference, candidate - reference.

    Attributes
    ----------
    candidate : str
    estimate, lower, upper : float or None
        Simultaneous over all candidates (Dunnett); None without a model.
    p_value : float or None
    decision : str or None
        Of the candidate against the reference.
    significant : bool
    rank_difference : float
        Of the rank sums.
    p_value_ranks : float
        Nemenyi, Wilcoxon, Wilcox and Miller, asymptotic.
    p_value_permutation, permutation_error : float
        The same, labels permuted within replications, and its Monte Carlo error.
    """

    candidate: str
    estimate: float | None
    lower: float | None
    upper: float | None
    p_value: float | None
    decision: Decision | None
    significant: bool
    rank_difference: float
    p_value_ranks: float
    p_value_permutation: float
    permutation_error: float


@dataclass(frozen=True, slots=True)
class AgainstReference:
    """All candidates against one.

    Attributes
    ----------
    reference : str
    n_blocks : int
        Complete replications, which all of it rests on.
    critical_value, df : float or None
        Of Dunnett's intervals.
    law : {"exact", "monte-carlo"}
        Of the permutations.
    n_draws : int or None
    pairs : tuple of ReferencePair
    target : str
    """

    reference: str
    n_blocks: int
    critical_value: float | None
    df: float | None
    law: Literal["exact", "monte-carlo"]
    n_draws: int | None
    pairs: tuple[ReferencePair, ...]
    target: Target


@dataclass(frozen=True, slots=True)
class Spread:
    """Whether candidates scatter alike about the replications' means.

    Attributes
    ----------
    standard_deviations : mapping of str to float or None
        Of each candidate's own errors; None where its variance is estimated
        as negative.
    ratio : float or None
        Largest variance over the smallest; None where that is not positive.
    statistic, df1, df2, p_value : float
        F test that all are equal.
    method : str
    target : str
    """

    standard_deviations: Mapping[str, float | None]
    ratio: float | None
    statistic: float | None
    df1: float
    df2: float
    p_value: float
    method: Literal["brown-forsythe", "robust-pitman-morgan"]
    target: Target


@dataclass(frozen=True, slots=True)
class Normality:
    """A normal quantile plot: how many points leave the band that holds all with 1 - alpha.

    Attributes
    ----------
    n_values, n_outside : int
    p_value : float
        Monte Carlo test of normality.
    target : str
    plot : NormalPlot
    """

    n_values: int
    n_outside: int
    p_value: float
    target: Target
    plot: Any = field(default=None, metadata=HIDDEN)


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """What is left of the block model.

    Attributes
    ----------
    residuals : Normality
    blocks : Normality or None
        Of the block effects; None where their variance is estimated as 0.
    block_effects : tuple of float
        Predictions (BLUP), in the order of the replications that have a value.
    spread : Spread or None
        None without three complete replications, or where nothing varies.
    fitted, residual_values : ndarray of shape (B, K)
        NaN where there is no value.
    """

    residuals: Normality
    blocks: Normality | None
    block_effects: tuple[float, ...]
    spread: Spread | None
    fitted: Any = field(default=None, metadata=HIDDEN)
    residual_values: Any = field(default=None, metadata=HIDDEN)
