"""What inference on one data set finds: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from reportgen.sections.inference.beside import (
    HIDDEN,
    ImanDavenport,
    Omission,
    OtherPair,
    PermutationTest,
    Road,
    RoadName,
)
from reportgen.sections.inference.further import (
    AgainstReference,
    Corrected,
    Diagnostics,
    Effect,
    StudyFamily,
)
from reportgen.sections.inference.observations import TestObservations
from reportgen.sections.inference.rank_results import (
    Friedman,
    RankPair,
    SkillingsMack,
    WorstRanks,
)
from reportgen.stats.relevance import OPPOSITE, Decision
from reportgen.warehouse import Measure, Target

APPENDED = {"results": "pairs"}

OF_MEANS = ("tukey", "max-t", "bonferroni")
"""Methods of the mean differences of all pairs, with either variance."""

Unavailable = Literal["one-candidate", "too-few-blocks", "too-few-values", "no-variation"]


@dataclass(frozen=True, slots=True)
class EqualityTest:
    """F test that all candidates have the same mean."""

    statistic: float
    df1: float
    df2: float
    p_value: float
    log10_p_value: float
    target: Target


@dataclass(frozen=True, slots=True)
class MixedModel:
    """The random block model, p_bk = kappa_k + beta_b + eps_bk, by REML.

    Attributes
    ----------
    coefficients, standard_errors : mapping of str to float
        Estimated mean of each candidate.
    n_values : mapping of str to int
        Values of each candidate that went in.
    sigma, sigma_block : float
        Standard deviations of the residuals and of the blocks.
    reml_criterion : float
    is_boundary : bool
        Whether sigma_block was estimated as 0.
    icc : float
        Intraclass correlation: the blocks' share of the variance.
    standard_error_df : mapping of str to float
        Degrees of freedom of the standard errors (Satterthwaite).
    equality_test : EqualityTest or None
        None where Kenward and Roger's approximation breaks down.
    df_method : {"exact", "kenward-roger"}
        How the tests have their degrees of freedom: exactly, without gaps and
        also on the boundary; else approximately.
    sigma_interval, sigma_block_interval, icc_interval : tuple of two floats, or None
        Each at level 1 - alpha by itself; None where blocks have no degree of
        freedom.
    """

    coefficients: Mapping[str, float]
    standard_errors: Mapping[str, float]
    n_values: Mapping[str, int]
    sigma: float
    sigma_block: float
    reml_criterion: float
    is_boundary: bool
    icc: float
    standard_error_df: Mapping[str, float]
    equality_test: EqualityTest | None
    df_method: Literal["exact", "kenward-roger"]
    sigma_interval: tuple[float, float] | None = None
    sigma_block_interval: tuple[float, float] | None = None
    icc_interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """The comparison of two candidates, first - second.

    Attributes
    ----------
    estimate, standard_error, statistic : float
    lower, upper : float
        Simultaneous interval at level 1 - alpha.
    p_value : float
        Single-step adjusted; over a whole study by Holm's method.
    df : float or None
        Of the pair's own variance; None for the normal law (`df: asymptotic`).
    method, variance : str
        With "pooled" variance "tukey", with gaps "max-t"; with "pairwise"
        variance "max-t", with few replications "bonferroni"; over a whole study
        "bonferroni".
    target : str
    significant : bool
        Whether the interval excludes 0, or the p-value is at most alpha: over a
        whole study the latter is a little more.
    decision : str
        Of first against second.
    primary : bool
        Whether the pair's relation rests on this row.
    wins, ties, losses : int
        Replications with values of both in which first is better, equal, worse.
    equivalence_bound : float
        Half the width of the smallest symmetric area in which the interval
        lies: max(|lower|, |upper|).
    tost_interval : tuple of two floats, or None
        Simultaneous interval at level 1 - 2 alpha, of two one-sided tests;
        where there is an area of equivalence. Decisions do not rest on it.
    favoured : str or None
        The better candidate where the pair is significant, whatever the
        decision.
    """

    first: str
    second: str
    estimate: float
    standard_error: float
    statistic: float
    lower: float
    upper: float
    p_value: float
    df: float | None
    method: str
    variance: str
    target: Target
    significant: bool
    decision: Decision
    primary: bool
    wins: int
    ties: int
    losses: int
    equivalence_bound: float
    tost_interval: tuple[float, float] | None = None
    favoured: str | None = field(default=None, metadata=HIDDEN)

    def turned(self) -> Pair:
        """Return the same comparison as second - first."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            estimate=-self.estimate,
            statistic=-self.statistic,
            lower=-self.upper,
            upper=-self.lower,
            decision=OPPOSITE[self.decision],
            wins=self.losses,
            losses=self.wins,
            tost_interval=(
                (-self.tost_interval[1], -self.tost_interval[0]) if self.tost_interval else None
            ),
        )


@dataclass(frozen=True, slots=True)
class MeasureInference:
    """What can be concluded about one measure on one data set.

    Attributes
    ----------
    measure : Measure
    alpha : float
        Error probability of the family: all pairs of this measure and data set,
        or of `family`.
    relevance : tuple of two floats or None
        Area of equivalence.
    target : str
        What the tests speak about.
    unavailable : str or None
        Why there is no model: "one-candidate", "too-few-blocks" (fewer than
        two), "too-few-values" (with the gaps, replications cannot be told from
        residuals), "no-variation" (no residual variance: the differences are
        the same in every replication); None when there is one. Rank results
        are there whenever they can be computed.
    n_blocks, n_dropped : int
        Complete replications, which rank tests use, and the others.
    n_used : int
        Replications with a value, which the model uses.
    n_missing : int
        Cells without a value, absent candidates aside.
    parts : tuple of tuples of str
        The candidates, parted where no replication links them, directly or
        through others; one part when the design is connected.
    absent : tuple of str
        Candidates without any value here; they make no block incomplete.
    friedman, rank_sums, rank_pairs
        Rank tests; rank 1 is best. rank_sums is None without a complete block.
    skillings_mack : SkillingsMack or None
        With gaps, where the design is connected.
    failed_last : WorstRanks or None
        Where cells have no value because of a failure.
    mixed_model, pairs
        The block model and its simultaneous comparisons.
    critical_value : float or None
        Of the simultaneous intervals: estimate -/+ critical_value * standard_error.
    critical_error : float or None
        Its standard error where it is integrated numerically, 0 where it is not.
    critical_df : float or None
        Its degrees of freedom: the smallest of all pairs; None for the normal law.
    tukey_kramer_value : float or None
        With gaps, Tukey and Kramer's critical value in its place.
    sphericity : float or None
        Greenhouse-Geisser epsilon of the complete blocks; 1 means that all
        differences have the same variance.
    order : tuple of str
        Candidates by the means of the model, without one by the means of their
        values, best first.
    leaders : tuple of str
        Candidates that no other is significantly better than, best mean first;
        empty without a model.
    groups : tuple of tuples of str, or None
        The chain of "significantly better" where it is a weak order, best
        first: candidates of one group are not distinguished. None where being
        not distinguished is not transitive, and without a model.
    candidates : tuple of str
        Those that are not absent, in the study's order.
    friedman_permutation, iman_davenport, t_star
        Friedman's test with labels permuted within the complete replications;
        as an F test; and t* of Hothorn et al., permuted, of the main measure.
    roads : tuple of Road
        Every way to compare all pairs, the chosen one first.
    omitted : mapping of str to str
        Roads that cannot be gone, and why: "incomplete" (fewer than two
        complete replications), "too-few-replications" (for sign flips), or what
        `corrected.reason` says.
    other_pairs : tuple of OtherPair
        Pairs by other methods; in results.json they follow `pairs`.
    against : AgainstReference or None
        Where the study names a reference.
    corrected : Corrected or None
        For new data sets of the same source; None for fewer than two candidates.
    effects : tuple of Effect
    diagnostics : Diagnostics or None
        Of the main measure.
    family : StudyFamily or None
        Where pairs are adjusted over all data sets and measures; what the roads
        say is not.
    test_observations : TestObservations or None
        Of the main measure, where all replications have one test sample.
    """

    measure: Measure
    alpha: float
    relevance: tuple[float, float] | None
    target: Target
    unavailable: Unavailable | None
    n_blocks: int
    n_dropped: int
    n_used: int
    n_missing: int
    absent: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]
    friedman: Friedman | None
    rank_sums: Mapping[str, float] | None
    rank_pairs: tuple[RankPair, ...]
    skillings_mack: SkillingsMack | None
    failed_last: WorstRanks | None
    mixed_model: MixedModel | None
    pairs: tuple[Pair, ...]
    critical_value: float | None
    critical_error: float | None
    critical_df: float | None
    tukey_kramer_value: float | None
    sphericity: float | None
    order: tuple[str, ...]
    leaders: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...] | None
    candidates: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    friedman_permutation: PermutationTest | None = None
    iman_davenport: ImanDavenport | None = None
    t_star: PermutationTest | None = None
    roads: tuple[Road, ...] = ()
    omitted: Mapping[RoadName, Omission] = field(default_factory=dict)
    other_pairs: tuple[OtherPair, ...] = field(default=(), metadata=APPENDED)
    against: AgainstReference | None = None
    corrected: Corrected | None = None
    effects: tuple[Effect, ...] = ()
    diagnostics: Diagnostics | None = None
    family: StudyFamily | None = None
    test_observations: TestObservations | None = None

    @property
    def has_gaps(self) -> bool:
        """Whether a replication that has a value lacks another."""
        return self.n_used > self.n_blocks

    @property
    def road(self) -> Mapping[RoadName, Road]:
        """The roads by their names."""
        return {road.name: road for road in self.roads}

    @property
    def otherwise(self) -> tuple[tuple[Pair, OtherPair], ...]:
        """Pairs on which the variance that was not chosen decides otherwise.

        None in a family over the whole study: its adjustment is another.
        """
        if self.family is not None:
            return ()
        chosen = {(pair.first, pair.second): pair for pair in self.pairs}
        rows = ((chosen[q.first, q.second], q) for q in self.other_pairs if q.method in OF_MEANS)
        return tuple(
            (p, q) for p, q in rows if (p.decision, p.significant) != (q.decision, q.significant)
        )

    @property
    def best_first(self) -> tuple[Pair, ...]:
        """The primary comparisons, each with the better mean first, in the order of the means."""
        place = {name: i for i, name in enumerate(self.order)}
        pairs = (
            pair if place[pair.first] < place[pair.second] else pair.turned()
            for pair in self.pairs
            if pair.primary
        )
        return tuple(sorted(pairs, key=lambda p: (place[p.first], place[p.second])))


InferenceResult = dict[str, MeasureInference]
"""By measure, in the study's order; measures without a value are left out."""
