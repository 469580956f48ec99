"""Results of the inference on one data set: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from math import expm1, isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.methods import MethodName
from reportgen.notation import NumberFormat, number_format
from reportgen.sections.datasets import MOST_COMPACT
from reportgen.stats.blocks.model import EqualityTest
from reportgen.stats.columns import opposite, signed
from reportgen.stats.multiplicity.adjustment import benjamini_hochberg
from reportgen.stats.pair_table import Kind, Pair, PairTable
from reportgen.stats.pairs.new_data import SeedComponents
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS, MANY_PAIRS
from reportgen.stats.pairs.promise import Promise, promise_of
from reportgen.stats.pairs.shared_data import Crossing, Reason, Source
from reportgen.stats.ranks.friedman import FriedmanTest, ImanDavenportTest, SkillingsMackTest
from reportgen.stats.samples.drift import Drift
from reportgen.stats.verdict import Family, Verdict
from reportgen.targets import DecidingTarget, Target

MANY = 10  # candidates from which the false discovery rate stands beside the verdict
ALL_PAIRS = 10  # candidates up to which each pair has a row of a figure; beyond, a cell of a grid
ALL_PAIRS_SMALL = 6  # the same on a third of a page
SPREADS: tuple[Literal["between", "within"], ...] = ("between", "within")
"""Standard deviations that are known of processes."""
OFTEN_TIED = 0.2  # of the units, in the median of the pairs
NEARLY_ALL = 0.9  # of the observations: what is learnt from them is close to what all teach
HARDLY = 0.95  # of the width of an interval, below which more replications matter
OF_MEANS = ("own-variance", "cluster-robust", "welch", "observations")  # t, less the skewness
UNEVEN = 0.9  # Greenhouse-Geisser epsilon below which differences vary unequally


Unavailable = Literal["one-candidate", "too-few-blocks", "too-few-values"]

Law = Literal["exact", "monte-carlo", "asymptotic", "t", "studentized-range", "max-t", "bootstrap"]

DECIDING: tuple[MethodName, ...] = ("own-variance", "score", "cluster-robust", "welch")
"""Methods of the unit that judge a pair by its own variance."""

OF_NEW_DATA: tuple[MethodName, ...] = ("new-data", "observations")
"""Methods that speak of new data of the source, as a test on the replications does not."""

Control = Literal["strong", "strong-if-alike", "global-null", "approximate"]

Omission = Literal["incomplete", "too-few-replications", "many-candidates"] | Reason


def has_leader_pairs(verdict: Verdict) -> bool:
    """Whether the article has the pairs of the best mean alone, and not a row for each pair.

    Where only pairs with a reference are decided on, those are what it has.
    """
    return len(verdict.order) > ALL_PAIRS and verdict.reference is None


@dataclass(frozen=True, slots=True)
class Method:
    """All pairs by one method, and how it decides.

    Attributes
    ----------
    name : str
    controls : {"strong", "strong-if-alike", "global-null", "approximate"}
        Whether the probability of one or more false decisions is held
        whatever candidates are alike; so as far as all differences vary
        alike; only when all candidates are alike; approximately.
    law : str
        How its p-values are found.
    n_draws : int or None
        Random arrangements or flips, where there are any.
    n_units : int
        Replications used.
    pairs : PairTable
    means : mapping of str to float
        By which candidates are ordered, where these are not the means of their values.
    mean_intervals : mapping of str to tuple of two float
        Of these, each for itself.
    """

    name: MethodName
    controls: Control
    law: Law
    n_draws: int | None
    n_units: int
    pairs: PairTable
    means: Mapping[str, float] = field(default_factory=dict, metadata=HIDDEN)
    mean_intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict, metadata=HIDDEN)

    @property
    def target(self) -> str:
        """What its p-values generalise to."""
        return self.pairs.target

    def differing(self, verdict: PairTable) -> PairTable:
        """Return its pairs that favour another candidate than the verdict does, or one of two.

        `verdict`: of the same pairs in the same order.
        """
        return self.pairs.at(np.flatnonzero(self.pairs.direction != verdict.direction))


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

    friedman: FriedmanTest
    rank_sums: Mapping[str, float]
    rank_pairs: PairTable
    n_blocks: int
    n_dropped: int
    n_failed: int
    failed: Mapping[str, int]


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
class NewData:
    """Inference for new data sets of the same source, or why there is none.

    Attributes
    ----------
    ratio : float or None
        Test over distinct learning observations, mean of the replications.
    test_share, learnt_share : float or None
        Shares of the observations that a replication is tested on, and learns from.
    n_observations : float or None
        Of the data set; groups, where these are drawn.
    source : str or None
        How the ratio is known.
    reason : str or None
        Why it is not.
    target : str
    pairs : PairTable or None
        By the rule of `stats.pairs.new_data`, Bonferroni; on the scale of the verdict.
        None where the ratio is not known. Further columns: `n`, `deviation`,
        `limit_standard_error` (what is left of it with any number of
        replications), `n_varying`, `n_deciding` and `reason`.
    has_losses : bool
        Whether the losses of single observations were used.
    n_seeds : int or None
        Seeds of each split, where values are their means; the most that one has.
    seeds_are : {"crossed", "nested", "partial"} or None
        Whether all splits have the same ones.
    components : SeedComponents or None
        Of the two best means, where three seeds or more cross the splits.
    would_hold : bool or None
        Where the scheme is not known: whether the best mean would be decided better
        than all others, if replications were resamples that learn from at least half
        of the observations.
    """

    ratio: float | None
    test_share: float | None
    learnt_share: float | None
    n_observations: float | None
    source: Source | None
    reason: Reason | None
    target: Target = "generating-process"
    pairs: PairTable | None = None
    has_losses: bool = False
    n_seeds: int | None = None
    seeds_are: Crossing | None = None
    components: SeedComponents | None = None
    would_hold: bool | None = None
    # What varies on one split, where that is not the seed alone.
    sources: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    few: tuple[str, ...] = field(default=(), metadata=HIDDEN)  # of these, with one or two levels

    @property
    def n_learnt(self) -> int | None:
        """Observations that a replication learns from, where they are below .9 of all."""
        share, n = self.learnt_share, self.n_observations
        return None if share is None or n is None or share >= NEARLY_ALL else round(share * n)

    @property
    def factor(self) -> float | None:
        """The variance of a mean over that of one replication, by replications alone."""
        if self.pairs is None or self.ratio is None:
            return None
        return max(1 / float(self.pairs.extra["n"].max()) + self.ratio, 2 * (self.test_share or 0))

    @property
    def is_narrowest(self) -> bool:
        """Whether more replications would hardly narrow any interval."""
        if self.pairs is None:
            return False
        shares = self.pairs.extra["limit_standard_error"] / self.pairs.standard_error
        return bool(np.isfinite(shares).any()) and float(np.nanmin(shares)) >= HARDLY


@dataclass(frozen=True, slots=True)
class Processes:
    """The processes in which a candidate was measured, and how much they and their runs differ."""

    # the values of the runs of each process that has a value, as they were measured
    runs: tuple[tuple[float, ...], ...]
    # between, within: standard deviations of processes, beyond what their runs explain, and of runs
    # of one process: of logarithms where candidates are compared by ratio. NaN where there are too
    # few.
    between: float
    within: float


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect sizes of two candidates, first - second; see `stats.pairs.effects.PairedEffect`.

    Intervals are of the pair alone, level 1 - alpha, and refer to replications
    of this data set.
    """

    first: str = field(metadata=signed(partner="second"))  # the one that comes first
    second: str = field(metadata=signed(partner="first"))  # the other one
    n_blocks: int  # replications that have both
    difference: float = field(metadata=signed("negative"))  # of the means
    # its interval
    difference_interval: tuple[float, float] | None = field(metadata=signed("negative"))
    d: float | None = field(metadata=signed("negative"))  # Cohen’s *d* of paired data
    d_interval: tuple[float, float] | None = field(metadata=signed("negative"))  # its interval
    # paired A12: the share of replications in which the first is better, ties counted half
    superiority: float = field(metadata=signed("complement"))
    superiority_error: float  # its standard error
    superiority_interval: tuple[float, float] = field(metadata=signed("complement"))  # its interval
    cliff_delta: float = field(metadata=signed("negative"))  # 2 `superiority` - 1
    cliff_interval: tuple[float, float] = field(metadata=signed("negative"))  # its interval
    # A12 over all pairs of replications; of the main measure only
    unpaired_superiority: float | None = field(metadata=signed("complement"))
    # its interval, by a bootstrap of replications
    unpaired_interval: tuple[float, float] | None = field(metadata=signed("complement"))
    target: Target  # what the intervals speak of

    def reversed(self) -> Effect:
        """Return the same effect as second - first."""
        return opposite(self)


@dataclass(frozen=True, slots=True)
class ManyToOne:
    """Comparisons of all candidates with a reference.

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
    target : str
    pairs : PairTable
        By Dunnett, first the candidate, second the reference; without estimates
        where the differences do not vary. Further columns: `rank_difference` (of
        rank sums), `p_value_ranks` (Nemenyi, Wilcoxon, Wilcox and Miller,
        asymptotic), `p_value_permutation` and `permutation_error`.
    """

    reference: str
    n_blocks: int
    critical_value: float | None
    df: float | None
    law: Literal["exact", "monte-carlo"]
    n_draws: int | None
    target: Target
    pairs: PairTable


@dataclass(frozen=True, slots=True)
class TestObservations:
    """The paired comparison over test observations.

    Attributes
    ----------
    n_observations, n_replications : int
        Of the test sample, and those that losses are averaged over.
    reason : {"not-kept", "too-few"} or None
        Why there are no pairs: predictions were not kept, or nothing is complete.
    pairs : PairTable or None
        Differences of mean losses, each by its own variance over observations.
    given : str
        What the comparison is conditional on: the learning samples.
    """

    __test__ = False  # nothing for pytest

    n_observations: int
    n_replications: int
    reason: Literal["not-kept", "too-few"] | None
    pairs: PairTable | None = None
    given: Literal["learning-samples"] = "learning-samples"


@dataclass(frozen=True, slots=True)
class ScaleTest:
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
    """

    n_values: int
    n_outside: int
    p_value: float
    target: Target


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """The residuals of the block model.

    Attributes
    ----------
    residuals : Normality
    blocks : Normality or None
        Of the block effects; None where their variance is estimated as 0.
    block_effects : tuple of float
        Predictions (BLUP), in the order of the replications that have a value.
    spread : ScaleTest or None
        None without three complete replications, or where nothing varies.
    fitted_of, residuals_of : mapping of str to tuple of float
        Mean plus block effect of each candidate, and its values less that, in the same order; NaN
        where it has no value.
    """

    residuals: Normality
    blocks: Normality | None
    block_effects: tuple[float, ...]
    spread: ScaleTest | None
    fitted_of: Mapping[str, tuple[float, ...]] = field(default_factory=dict, metadata=HIDDEN)
    residuals_of: Mapping[str, tuple[float, ...]] = field(default_factory=dict, metadata=HIDDEN)

    def middle_half(self, candidate: str) -> tuple[float, float]:
        """Return the quartiles of a candidate's residuals."""
        lower, upper = np.nanquantile(self.residuals_of[candidate], (0.25, 0.75))
        return float(lower), float(upper)


@dataclass(frozen=True, slots=True)
class Outlier:
    """A value that dwarfs those of all other replications, and the verdicts without it.

    Attributes
    ----------
    replications : tuple of int
        Those with such values, by their numbers.
    candidates : tuple of str
        Those that have such a value there.
    candidate : str
        Whose value is the largest.
    value : float
        That value.
    ratio : float
        Its size, in that of the largest value of the other replications.
    means : mapping of str to float
        Of each candidate, without these replications.
    pairs : PairTable or None
        What would be decided without these replications; None where too little
        is left. Descriptive: no verdict.
    """

    replications: tuple[int, ...]
    candidates: tuple[str, ...]
    candidate: str
    value: float
    ratio: float
    means: Mapping[str, float]
    pairs: PairTable | None

    def changed(self, verdict: PairTable) -> tuple[tuple[Pair, Pair], ...]:
        """Return the pairs that would be decided otherwise: the verdict, and without."""
        if self.pairs is None:
            return ()
        both = ((p, self.pairs.between(p.first, p.second)) for p in verdict)
        return tuple((p, q) for p, q in both if q is not None and p.decision != q.decision)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far methods that speak of one target agree on the pairs of a measure."""

    n_methods: int  # with that of the tests on the replications
    # least, most: pairs that a method decides, the fewest and the most
    least: int
    most: int
    # pairs on which a method favours another candidate than the verdict, or one of two
    differing: tuple[tuple[str, str], ...]
    n_deciding: int = field(default=0, metadata=HIDDEN)  # methods that decide some pair
    has_verdict: bool = field(default=True, metadata=HIDDEN)  # whether one of them is the verdict


@dataclass(frozen=True, kw_only=True)
class MeasureInference(Verdict):
    """The inference on one measure of one data set.

    Attributes
    ----------
    target : str
        What tests on the replications speak about.
    deciding_target : str
        What the verdict speaks of (`reportgen.study.target.deciding_target`).
    unavailable : str or None
        Why nothing can be compared: "one-candidate", "too-few-blocks" (no more
        than one replication), "too-few-values" (no two candidates share two
        replications); None when pairs are compared. Rank results are there
        whenever they can be computed.
    n_blocks, n_dropped : int
        Complete replications, which rank tests use, and the others.
    n_used : int
        Replications with a value, which the model uses.
    n_missing : int
        Cells without a value, missing candidates aside.
    missing_candidates : tuple of str
        Candidates without any value here; they make no block incomplete.
    parts : tuple of tuples of str
        The candidates, parted where no replication links them, directly or
        through others; one part when the design is connected.
    friedman, rank_sums : FriedmanTest, mapping of str to float, or None
        On the complete replications; None without one.
    rank_pairs : PairTable or None
        Differences of rank sums, single-step (Wilcoxon, Nemenyi, McDonald and
        Thompson), asymptotic; further columns with the labels permuted.
    skillings_mack : SkillingsMackTest or None
        With gaps; None where nothing links the candidates.
    worst_rank : WorstRanks or None
        The rank tests with failures behind all values; None without a failure.
    mixed_model : MixedModel or None
        None where a variance cannot be estimated.
    pairs : PairTable
        The verdict on every pair, from which all sections speak. Further
        columns: `n` (replications that have both), `wins`, `ties`, `losses` (in
        which the first is better, equal, worse), `skewness` and `is_constant`
        of the differences and, with an area of equivalence, `tost_lower` and
        `tost_upper`, the simultaneous interval at level 1 - 2 alpha, on which
        no decision rests.
    sphericity : float or None
        Greenhouse-Geisser epsilon of the complete blocks; 1 means that all
        differences have the same variance.
    candidates : tuple of str
        Those that have values, in the study's order.
    friedman_permutation, iman_davenport, t_star
        Friedman's test with labels permuted within the complete replications;
        as an F test; and t* of Hothorn et al., permuted, of the main measure.
    deciding_method : Method or None
        The verdict's; None where nothing is compared.
    methods : mapping of str to Method
        Other ways to compare all pairs; their decisions are no verdicts.
    omitted : mapping of str to str
        Methods that cannot be used, and why: "incomplete" (fewer than two
        complete replications), "too-few-replications" (for sign flips),
        "many-candidates", or the value of `new_data.reason`.
    many_to_one : ManyToOne or None
        Where the study names a reference.
    new_data : NewData or None
        For new data sets of the same source; None for fewer than two candidates.
    effects : tuple of Effect
    diagnostics : Diagnostics or None
        Of the main measure.
    test_observations : TestObservations or None
        Of the main measure, where all replications have one test sample.
    outlier : Outlier or None
        Where a value dwarfs those of all other replications.
    drifts : mapping of str to Drift
        Trends along time of samples that nobody shares; else empty.
    values : mapping of str to tuple of float
        Of each candidate in the order of the replications, NaN where it has none; empty where
        the replications are not so few that figures show them one by one.
    processes : mapping of str to Processes
        Of each candidate, where a value is the mean of the runs of one process; else empty.
    """

    target: Target
    method: MethodName | Literal[""] = field(default="", metadata=HIDDEN)
    unavailable: Unavailable | None
    n_blocks: int
    n_dropped: int
    n_used: int
    n_missing: int
    missing_candidates: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]
    friedman: FriedmanTest | None
    rank_sums: Mapping[str, float] | None
    rank_pairs: PairTable | None
    skillings_mack: SkillingsMackTest | None
    worst_rank: WorstRanks | None
    mixed_model: MixedModel | None
    sphericity: float | None
    candidates: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    friedman_permutation: PermutationTest | None = None
    iman_davenport: ImanDavenportTest | None = None
    t_star: PermutationTest | None = None
    deciding_method: Method | None = field(default=None, metadata=HIDDEN)
    methods: Mapping[MethodName, Method] = field(default_factory=dict)
    omitted: Mapping[MethodName, Omission] = field(default_factory=dict)
    many_to_one: ManyToOne | None = None
    new_data: NewData | None = None
    effects: tuple[Effect, ...] = ()
    diagnostics: Diagnostics | None = None
    test_observations: TestObservations | None = None
    outlier: Outlier | None = None
    drifts: Mapping[str, Drift] = field(default_factory=dict)
    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict, metadata=HIDDEN)
    processes: Mapping[str, Processes] = field(default_factory=dict, metadata=HIDDEN)
    deciding_target: DecidingTarget = "experiment"

    def decided_by(self, method: Method) -> MeasureInference:
        """Let a method decide."""
        means = method.means or self.means
        return replace(
            self, deciding_method=method, method=method.name, pairs=method.pairs, means=means
        )

    def in_family(self, family: Family) -> MeasureInference:
        """Hold the pairs together with those of other verdicts; stages keep their decisions."""
        if self.deciding_method is None or self.method == "stages":
            return self
        found = super().in_family(family)
        return found.decided_by(replace(self.deciding_method, pairs=found.pairs))

    def against(self, reference: str) -> MeasureInference:
        """Decide on the pairs with one candidate alone."""
        if self.deciding_method is None:
            return self
        found = super().against(reference)
        return found.decided_by(replace(self.deciding_method, pairs=found.pairs))

    def with_false_discoveries(self) -> MeasureInference:
        """Put the false discovery rate of its pairs beside the verdict, where they are many."""
        if self.deciding_method is None or self.method == "stages" or len(self.means) < MANY:
            return self
        p_values = np.where(self.pairs.is_open, np.nan, self.pairs.p_value)
        pairs = self.pairs.with_columns(fdr_p_value=benjamini_hochberg(p_values))
        return self.decided_by(replace(self.deciding_method, pairs=pairs))

    @property
    def n_discovered(self) -> int | None:
        """How many pairs the false discovery rate decides; None where it is not computed."""
        found = self.pairs.extra.get("fdr_p_value")
        return (
            None if found is None else int((found[~self.pairs.undone_by_gaps] <= self.alpha).sum())
        )

    @property
    def conditional(self) -> Method | None:
        """The verdict of tests on the replications: the deciding one, or what stands beside it."""
        every = (self.deciding_method, *self.methods.values())
        return next((m for m in every if m is not None and m.name not in OF_NEW_DATA), None)

    @property
    def conditional_pairs(self) -> PairTable:
        """The pairs by tests on the replications, from which relations are read."""
        return self.pairs if self.conditional is None else self.conditional.pairs

    @property
    def has_few_replications(self) -> bool:
        """Whether there are fewer replications than a test takes."""
        return self.n_used < FEWEST_UNITS

    @property
    def is_untested_here(self) -> bool:
        """Whether new data decide, and the replications are too few for tests of their own."""
        return self.is_of_new_data and bool(self.conditional_pairs.is_open.all())

    def pairs_for(self, target: DecidingTarget) -> PairTable | None:
        """Return the pairs whose decisions speak of a target; None where the verdict has none."""
        if target == "experiment":
            return self.conditional_pairs
        return self.pairs if target == self.deciding_target else None

    @property
    def is_of_new_data(self) -> bool:
        """Whether the verdict speaks of new data of the source."""
        return self.method in OF_NEW_DATA

    @property
    def is_conditional_tested(self) -> bool:
        """Whether the replications are enough to test some pair."""
        own = self.conditional
        return own is not None and not bool(own.pairs.is_open.all())

    @property
    def conditional_groups(self) -> tuple[tuple[str, ...], ...] | None:
        """The chain of what tests on the replications decide, where it is a weak order."""
        return replace(self, pairs=self.conditional_pairs).groups

    def differences(self, first: str, second: str) -> tuple[float, ...]:
        """Return the difference of two candidates, or their ratio, in each of few replications."""
        if not self.values:
            return ()
        both = zip(self.values[first], self.values[second], strict=True)
        return tuple(x / y if self.is_ratio else x - y for x, y in both)

    @property
    def has_gaps(self) -> bool:
        """Whether a replication that has a value lacks another."""
        return self.n_used > self.n_blocks

    @property
    def gaps(self) -> Mapping[str, int]:
        """How many replications lack a candidate, of those that do lack some."""
        short = {name: self.n_used - n for name, n in self.n_values.items()}
        return {name: n for name, n in short.items() if n}

    @property
    def is_held_against_gaps(self) -> bool:
        """Whether decisions are held against the gaps of the candidate that is ahead."""
        return "adverse_first" in self.pairs.extra

    @property
    def typical(self) -> tuple[float, ...]:
        """The candidates' means, less the replications of a value that dwarfs all others."""
        return tuple((self.outlier.means if self.outlier else self.means).values())

    @property
    def number_format(self) -> NumberFormat:
        """How differences, or ratios, are written."""
        found = self.value_format.of_ratios() if self.is_ratio else self.value_format
        return found.beside(self.relevance)

    @property
    def value_format(self) -> NumberFormat:
        """How values are written, and differences so that each interval shows its width."""
        return number_format(self.measure, self.typical, intervals=self.pairs.difference_intervals)

    @property
    def is_by_stages(self) -> bool:
        """Whether the execution went by stages, whose boundaries decide of the experiment."""
        return self.conditional is not None and self.conditional.name == "stages"

    @property
    def common_units(self) -> int | None:
        """The replications of every method; None where they differ."""
        units = {m.n_units for m in (self.deciding_method, *self.methods.values()) if m}
        return units.pop() if len(units) == 1 else None

    @property
    def most_draws(self) -> int:
        """Random permutations of a method; 0 where none draws."""
        return max((method.n_draws or 0 for method in self.methods.values()), default=0)

    @property
    def is_pooled(self) -> bool:
        """Whether tests on the replications rest on one variance of all candidates."""
        return self.conditional is not None and self.conditional.name == "block-model"

    @property
    def smallest_rank_p(self) -> float:
        """The smallest p-value that a two-sided test of ranks can have for a pair.

        All replications agree on the first and the last of K candidates: one
        arrangement in K (K - 1) of each replication, for K (K - 1) ordered pairs.
        """
        n = len(self.candidates) * (len(self.candidates) - 1)
        return float(n) ** (1 - self.n_blocks) if n > 1 and self.n_blocks else 1.0

    @property
    def ranks_can_decide(self) -> bool:
        """Whether a two-sided test of ranks can reach alpha at all."""
        return self.smallest_rank_p <= self.alpha

    @property
    def n_constant(self) -> int:
        """Pairs whose difference is the same in all replications."""
        return int(self.pairs.extra.get("is_constant", np.zeros(0)).sum())

    @property
    def unvaried(self) -> tuple[Pair, ...]:
        """Open pairs of a verdict on new data that have no variation to judge by."""
        reasons = self.pairs.extra.get("reason") if self.is_of_new_data else None
        if reasons is None:
            return ()
        return tuple(p.better_first for p in self.best_first if p.reason == "no-variation")

    def is_comparable(self, other: Method) -> bool:
        """Whether a method compares what the verdict does, and in the same family."""
        return self.family is None and other.pairs.scale == self.pairs.scale

    @property
    def n_variance_changes(self) -> int:
        """How many pairs the variance that was not chosen decides otherwise."""
        return len(self._variance_changes)

    @property
    def _variance_changes(self) -> NDArray[np.intp]:
        """The rows of these pairs."""
        other = self.other_variance
        if other is None:
            return np.array([], dtype=np.intp)
        own = self.conditional_pairs
        turns = own.direction != other.pairs.direction
        if self.is_by_stages:  # which say nothing of relevance
            return np.flatnonzero(turns)
        kinds = zip(own.kinds, other.pairs.kinds, turns.tolist(), strict=True)
        return np.array(
            [i for i, (a, b, turn) in enumerate(kinds) if a != b or turn], dtype=np.intp
        )

    @property
    def variance_changes(self) -> tuple[tuple[Pair, Pair], ...]:
        """Pairs on which the variance that was not chosen decides otherwise: chosen and other.

        The one that is decided better by the other, or else by the verdict, stands first in both.
        None in a family over the whole study: its adjustment is another.
        """
        other = self.other_variance
        if other is None:
            return ()
        places = self._variance_changes
        both = self.conditional_pairs.at(places), other.pairs.at(places)
        changed = zip(*both, strict=True)
        return tuple(
            (p.reversed(), q.reversed()) if (q.favoured or p.favoured) == p.second else (p, q)
            for p, q in changed
        )

    @property
    def sensitivity_analysis(self) -> Method | None:
        """The method that figures show beside the verdict's, if one can be held against it.

        Beside a verdict for new data that of the replications; else that for new data where it
        is known, else with the other variance: of all pairs together, or where the verdict rests
        on that, of each pair.
        """
        own = self.conditional
        if self.is_of_new_data and own is not None:
            return own if self.is_comparable(own) and np.isfinite(own.pairs.lower).any() else None
        new = self.methods.get("new-data")
        return new if new is not None and self.is_comparable(new) else self.other_variance

    def of_kind(self, *kinds: Kind) -> tuple[Pair, ...]:
        """Return the verdicts of some kinds, the better candidate of a decided pair first."""
        own = self.arranged
        places = [i for i, kind in enumerate(own.kinds) if kind in kinds]
        return tuple(p.better_first for p in own.at(np.array(places, dtype=np.intp)).rows)

    @property
    def constant(self) -> tuple[Pair, ...]:
        """Pairs that differ by the same amount, or not at all, in two or more replications."""
        if not self.n_constant:
            return ()
        return tuple(p.better_first for p in self.best_first if p.is_constant and p.n > 1)

    @property
    def largest_bound(self) -> float | None:
        """The size that no difference, or ratio, exceeds by its interval; None where one may."""
        bounds = [p.equivalence_bound for p in self.pairs]
        known = [x for x in bounds if x is not None]
        return max(known) if known and len(known) == len(bounds) else None

    @property
    def is_of_counts(self) -> bool:
        """Whether pairs are often tied, as right and wrong answers are: won and lost say most."""
        extra = self.pairs.extra if self.pairs else {}
        if not {"wins", "ties", "losses"} <= extra.keys():
            return False
        n = np.maximum(extra["wins"] + extra["ties"] + extra["losses"], 1)
        return bool(np.median(extra["ties"] / n) >= OFTEN_TIED)

    @property
    def has_pair_rows(self) -> bool:
        """Whether a figure has a row for each pair, with its intervals."""
        return len(self.order) <= ALL_PAIRS

    @property
    def has_small_pair_rows(self) -> bool:
        """Whether the figure of one of several data sets has a row for each pair, too."""
        return len(self.order) <= ALL_PAIRS_SMALL

    @property
    def is_drawn_small(self) -> bool:
        """Whether the pairs of one of many data sets have a figure, which shows the first alone."""
        return len(self.order) <= MOST_COMPACT

    @property
    def promise(self) -> Promise | None:
        """What is known of the probability of a wrong decision; None where no *t* decides."""
        return promise_of([self.pairs]) if self.method in OF_MEANS else None

    @property
    def varies_unequally(self) -> bool:
        """Whether the differences of pairs do not seem to vary alike."""
        return self.sphericity is not None and self.sphericity < UNEVEN

    @property
    def other_variance(self) -> Method | None:
        """The tests by the variance that was not chosen, where they can be held against these.

        A single pair has one variance.
        """
        if len(self.pairs) < 2:
            return None
        other = self.methods.get("own-variance" if self.is_pooled else "block-model")
        return other if other is not None and self.is_comparable(other) else None

    @property
    def has_intervals(self) -> bool:
        """Whether the verdict gives intervals; stages of an execution give none."""
        return bool(np.isfinite(self.pairs.lower).any())

    def compared_with(self, name: str) -> dict[str, tuple[str, ...]]:
        """Return the other candidates by how they compare to one, those of no kind left out.

        `name`: one of `order`.
        Result: "better", "worse", "slight" (different, by too little to matter), "equivalent" and
        "undecided".
        """
        found: dict[str, tuple[str, ...]] = dict.fromkeys(AGAINST, ())
        for other in self.order:
            pair = self.pairs.between(other, name)
            if pair is not None:
                kind: str = pair.kind
                if kind in ("relevant", "better"):
                    kind = "better" if pair.favoured == other else "worse"
                found[kind] = (*found[kind], other)
        return {kind: names for kind, names in found.items() if names}

    @property
    def new_data_pairs(self) -> PairTable | None:
        """The pairs for new data of the source, where that is known and does not decide."""
        if self.new_data is None or self.target == self.new_data.target or not self.pairs:
            return None
        return None if self.is_of_new_data else self.new_data.pairs

    @property
    def next_for_new_data(self) -> Pair | None:
        """The two best means, the best one first, for new data of the source."""
        if self.new_data is None or self.new_data.pairs is None:
            return None
        return self.new_data.pairs.between(*self.order[:2])

    @property
    def n_deciding(self) -> int | None:
        """Observations that would decide the two best means for new data, to two digits."""
        pair = self.next_for_new_data
        if pair is None or pair.significant or pair.n_deciding is None:
            return None
        return int(float(f"{pair.n_deciding:.1e}"))

    @property
    def spreads(self) -> dict[str, tuple[float, float] | None]:
        """The least and the largest standard deviation of a candidate, of processes and of runs.

        Of ratios they are shares: .03 where values go up and down by a factor of 1.03. None where
        they are not known.
        """
        found: dict[str, tuple[float, float] | None] = {}
        for part in SPREADS:
            known = [x for n in self.processes if isfinite(x := self.spread_of(n, part))]
            found[part] = (min(known), max(known)) if known else None
        return found

    def spread_of(self, name: str, part: Literal["between", "within"]) -> float:
        """Return a standard deviation of a candidate's processes or runs; of ratios a share."""
        own: float = getattr(self.processes[name], part)
        return expm1(own) if self.is_ratio else own

    @property
    def n_processes(self) -> tuple[int, int]:
        """The least and the largest number of processes of a candidate."""
        counts = [len(own.runs) for own in self.processes.values()]
        return min(counts, default=0), max(counts, default=0)

    @property
    def n_runs_of_process(self) -> tuple[int, int]:
        """The least and the largest number of runs of a process."""
        counts = [len(runs) for own in self.processes.values() for runs in own.runs]
        return min(counts, default=0), max(counts, default=0)

    @property
    def has_word_on_new_data(self) -> bool:
        """Whether there is more to say of new data than that the scheme is not known."""
        if self.new_data is None:
            return self.target == "generating-process"
        return self.new_data.reason not in ("scheme-unknown", "processes")

    @property
    def remaining(self) -> tuple[Pair, ...]:
        """The decided pairs that are decided likewise for new data of the source."""
        new = self.new_data_pairs
        if new is None:
            return ()
        return tuple(
            p
            for p in self.decided
            if (q := new.between(p.first, p.second)) is not None and q.favoured == p.first
        )

    @property
    def agreement(self) -> Agreement | None:
        """How the tests on the replications agree; None without another one."""
        own = self.conditional
        if own is None:
            return None
        others = [m for m in self.methods.values() if m is not own and m.target == self.target]
        if not others:
            return None
        counts = [m.pairs.n_significant for m in (own, *others)]
        parting = {frozenset(both) for m in others for both in m.differing(own.pairs).both}
        pairs = tuple(both for both in self.arranged.both if frozenset(both) in parting)
        n_deciding, has_verdict = sum(n > 0 for n in counts), own is self.deciding_method
        return Agreement(
            len(counts), min(counts), max(counts), pairs, n_deciding, has_verdict=has_verdict
        )

    @property
    def is_pair_disputed(self) -> bool:
        """Whether there is one pair, and methods differ on it."""
        return (
            len(self.pairs) == 1 and self.agreement is not None and bool(self.agreement.differing)
        )

    @property
    def drifting(self) -> tuple[str, ...]:
        """The candidates whose values have a trend along time, best mean first."""
        return tuple(n for n in self.order if n in self.drifts and self.drifts[n].is_significant)

    @property
    def changed_by_failures(self) -> tuple[Pair, ...] | None:
        """Pairs that ranks with failures last decide otherwise than ranks do; None for no change.

        No pair where only Friedman's test comes to another end.
        """
        last = self.worst_rank
        if last is None or not self.has_gaps or self.friedman is None or self.rank_pairs is None:
            return None
        both = zip(last.rank_pairs, self.rank_pairs, strict=True)
        pairs = tuple(q for q, p in both if q.favoured != p.favoured)
        is_turned = (last.friedman.p_value < self.alpha) != (self.friedman.p_value < self.alpha)
        return pairs if pairs or is_turned else None

    def tested_in(self, contents: Iterable[Any], measure: str) -> MeasureInference | None:
        """Return the first of some data sets' results on a measure that has pairs."""
        every = (content.result.get(measure) for content in contents)
        return next((r for r in every if r is not None and r.pairs), None)

    def used_in(self, contents: Iterable[Any]) -> Used:
        """Return what was done on any of some data sets, of which the methods speak."""
        return Used.of(r for content in contents for r in content.result.values())


AGAINST = ("better", "worse", "slight", "equivalent", "undecided")


@dataclass(frozen=True, slots=True)
class Used:
    """What was done in a report, of which its methods speak."""

    methods: tuple[str, ...]  # ways to compare all pairs, the verdict's among them
    verdicts: tuple[str, ...]  # methods that decide, and those of the replications beside them
    laws: tuple[str, ...]  # of verdicts by own variances: "max-t", "t"
    has_many_pairs: bool  # whether any has too many pairs for the joint law
    # has_ranks, has_permutations, has_model, has_gaps, has_failures: Friedman's test; with labels
    # permuted; the block model; replications without some value; ranks with failures last
    has_ranks: bool
    has_permutations: bool
    has_model: bool
    has_gaps: bool
    counts_gaps: bool  # whether gaps that are not by design count against who has them
    has_failures: bool
    has_ratios: bool
    has_area: bool
    has_reference: bool
    has_diagnostics: bool
    is_pooled: bool  # whether a verdict rests on one variance
    is_open: bool  # whether no pair is tested by any of them
    # has_new_data, has_others: verdicts for new data of the source, and others; has_losses: of the
    # former some with the losses of single observations
    has_new_data: bool
    has_others: bool
    has_losses: bool
    promise: Promise | None  # of those others the one of which least can be promised

    @staticmethod
    def of(results: Iterable[MeasureInference]) -> Used:
        """Put together what was done on any measure of any data set."""
        every = tuple(results)
        return Used(
            methods=tuple(
                dict.fromkeys(
                    n for r in every for n in (*r.methods, *((r.method,) if r.method else ()))
                )
            ),
            verdicts=tuple(
                dict.fromkeys(
                    m.name for r in every for m in (r.deciding_method, r.conditional) if m
                )
            ),
            laws=tuple(
                dict.fromkeys(
                    m.law for r in every if (m := r.conditional) and m.name == "own-variance"
                )
            ),
            has_many_pairs=any(
                r.has_many_pairs or r.conditional_pairs.method == MANY_PAIRS for r in every
            ),
            has_ranks=any(r.friedman for r in every),
            has_permutations=any(r.friedman_permutation for r in every),
            has_model=any(r.mixed_model for r in every),
            has_gaps=any(r.has_gaps for r in every),
            counts_gaps=any(
                "adverse_first" in pairs.extra
                for r in every
                for pairs in (r.pairs, r.conditional_pairs)
            ),
            has_failures=any(r.worst_rank for r in every),
            has_ratios=any(r.is_ratio and r.pairs for r in every),
            has_area=any(r.relevance for r in every),
            has_reference=any(r.many_to_one for r in every),
            has_diagnostics=any(r.diagnostics for r in every),
            is_pooled=any(r.is_pooled for r in every),
            is_open=all(r.is_open for r in every if r.pairs),
            has_new_data=any(r.is_of_new_data for r in every),
            has_others=any(r.pairs and not r.is_of_new_data for r in every),
            has_losses=any(
                r.is_of_new_data and r.new_data is not None and r.new_data.has_losses for r in every
            ),
            promise=promise_of(
                r.pairs for r in every if r.promise is not None and not r.is_of_new_data
            ),
        )


InferenceResult = dict[str, MeasureInference]
"""By measure, in the study's order; measures without a value are left out."""
