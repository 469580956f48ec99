"""New data sets, sizes of effects, a reference and diagnostics: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from reportgen.sections.inference.beside import HIDDEN
from reportgen.stats.relevance import Decision
from reportgen.stats.shared_data import Reason, Source
from reportgen.warehouse import Target


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


@dataclass(frozen=True, slots=True)
class StudyFamily:
    """What one adjustment covers where it reaches beyond a data set and measure.

    Attributes
    ----------
    n_pairs, n_families, n_datasets, n_measures : int
        Of the whole family: pairs, and pairs of a data set and a measure, that
        were tested.
    n_alone : int
        Pairs of this data set and measure that were distinguished when
        adjusted for one another only.
    """

    n_pairs: int
    n_families: int
    n_datasets: int
    n_measures: int
    n_alone: int
