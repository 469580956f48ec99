"""Sequential procedures for all pairs: rows are replications in the order of their measurement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.performance_measure import Better
from reportgen.stats.arguments import (
    Area,
    Names,
    area_of,
    check_choice,
    check_count,
    check_level,
    check_size,
    is_smaller_better,
    matrix_of,
    refuse,
    two_numbers,
)
from reportgen.stats.decisions import Decision
from reportgen.stats.frame import Columns, Tabular, count
from reportgen.stats.permutation.block_sums import Alternative
from reportgen.stats.sequential.anytime import (
    FIRST_LOOK,
    ConfidenceSequence,
    asymptotic_confidence_sequence,
    bernstein_confidence_sequence,
    sign_process,
)
from reportgen.stats.sequential.group import (
    boundaries_of,
    first_rejections,
    normal_quantiles,
)
from reportgen.stats.sequential.recursive import Final
from reportgen.stats.sequential.staged import (
    OF_MEANS,
    SPENDINGS,
    CombinationName,
    Multiplicity,
    RuleName,
    StagePlan,
    TestName,
    stage_ends,
    stages_of_pairs,
)
from reportgen.stats.sequential.tracks import holm_tracks
from reportgen.stats.sequential.verdicts import Stop, answers_of, settled

Array = NDArray[np.float64]
SequenceName = Literal["asymptotic", "bernstein"]
SpendingName = Literal["obrien-fleming", "pocock"]

FEWEST = 2  # replications of a test


@dataclass(frozen=True, slots=True, repr=False)
class SequentialTest(Tabular):
    """Decisions of a sequential procedure on all pairs.

    Attributes
    ----------
    method : str
    alpha : float
        Family-wise error probability at all looks together.
    candidates : tuple of str
    first, second : ndarray of shape (P,), int
        Places of the two in `candidates`.
    n : ndarray of shape (P,), int
        Replications that have both.
    estimate : ndarray of shape (P,)
        Mean of first - second over these.
    decision : tuple of str
        "better" or "worse" (the first than the second), "equivalent" or "undecided".
    decided_at : ndarray of shape (P,)
        Replications after which the pair was settled; NaN where it is not.
    extra : mapping of str to ndarray of shape (P,)
        Further columns of the procedure.
    details : mapping of str to object
        What else it has, such as boundaries.
    """

    method: str
    alpha: float
    candidates: tuple[str, ...]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    n: NDArray[np.intp]
    estimate: Array
    decision: tuple[Decision, ...]
    decided_at: Array
    extra: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_columns(self) -> Columns:
        """Return the columns of the pairs.

        Returns
        -------
        dict
            `first`, `second` (names), `n`, `estimate`, `decision`, `decided_at`, and those of
            `extra`.
        """
        names = np.array(self.candidates, dtype=object)
        return {
            "first": names[self.first],
            "second": names[self.second],
            "n": self.n,
            "estimate": self.estimate,
            "decision": self.decision,
            "decided_at": self.decided_at,
            **self.extra,
        }

    def _heading(self) -> str:
        return f"{self.method}, {count(len(self.first), 'pair')}, alpha = {self.alpha:g}"


@dataclass(frozen=True, slots=True)
class _Pairs:
    """All pairs of checked values."""

    values: Array
    candidates: tuple[str, ...]
    is_smaller_better: bool

    @property
    def places(self) -> tuple[tuple[int, int], ...]:
        return tuple(combinations(range(len(self.candidates)), 2))

    @property
    def differences(self) -> tuple[Array, ...]:
        """First - second of each pair, NaN where one has no value."""
        return tuple(self.values[:, i] - self.values[:, j] for i, j in self.places)

    def decision(self, sign: float) -> Decision:
        """Return who is better by the sign of first - second."""
        return "better" if (sign < 0) == self.is_smaller_better else "worse"

    def result(
        self,
        method: str,
        alpha: float,
        found: Iterable[tuple[Decision, float | None]],
        extra: Mapping[str, NDArray[Any]] | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> SequentialTest:
        """Put a result together from the decision on each pair and when it was made."""
        first, second = np.array(self.places, dtype=np.intp).T
        decisions, ends = zip(*found, strict=True)
        there = [d[np.isfinite(d)] for d in self.differences]
        return SequentialTest(
            method,
            alpha,
            self.candidates,
            first,
            second,
            np.array([len(d) for d in there], dtype=np.intp),
            np.array([d.mean() if len(d) else np.nan for d in there]),
            decisions,
            np.array([np.nan if end is None else end for end in ends], dtype=np.float64),
            extra or {},
            details or {},
        )


def _pairs_of(values: ArrayLike, names: Names, better: Better) -> _Pairs:
    """Check what all procedures have in common."""
    smaller = is_smaller_better(better)
    matrix, candidates = matrix_of(values, names, has_gaps=True, fewest=FEWEST)
    return _Pairs(matrix, candidates, smaller)


def _stages_of(
    n_replications: int, stage: int, most: int | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the replications at the ends of the stages there are, and of those planned."""
    check_count("stage", stage, FEWEST)
    if most is not None:
        check_count("most", most, n_replications)
    planned = stage_ends(most or n_replications, stage)
    ends = tuple(end for end in planned if end <= n_replications)
    if not ends:
        raise refuse("values", f"{n_replications} rows", f"at least {planned[0]}, a stage")
    return ends, planned


def sequential_combination_test(
    values: ArrayLike,
    names: Names = None,
    *,
    better: Better = "smaller",
    alpha: float = 0.05,
    relevance: Area | float | None = None,
    stage: int = 50,
    most: int | None = None,
    test: TestName = "t",
    alternative: Alternative = "two-sided",
    rule: RuleName = "obrien-fleming",
    combination: CombinationName = "fisher",
    multiplicity: Multiplicity = "holm",
    final: Final = "exhaust",
    stop: Stop = "decided",
) -> SequentialTest:
    """Compare all pairs in stages, by recursive combination tests.

    Parameters
    ----------
    values : array-like of shape (B, K)
        Performances, a row a replication in the order of measurement, a column a
        candidate; NaN where there is no value.
    names : sequence of str, optional
        Of the candidates; those of the columns of a data frame, or their places.
    better : {"smaller", "larger"}
        Which values are better.
    alpha : float, default 0.05
        Family-wise error probability over all pairs and stages; of differences and,
        apart from these, of equivalences.
    relevance : tuple of two floats, or float, optional
        Area of equivalence (-d, d), or d, in the unit of the values; of tests of means
        only.
    stage : int, default 50
        Replications of a stage, at least 2.
    most : int, optional
        Replications that were planned at most; as many as there are when left out.
    test : {"t", "permutation", "wilcoxon", "sign"}
        Of the differences of a stage: t corrected for skewness, its permutation law,
        Wilcoxon's signed ranks, or signs.
    alternative : {"two-sided", "less", "greater"}
        Of first - second.
    rule : {"obrien-fleming", "pocock", "constant", "narrowing"}
        Boundaries of the stages.
    combination : {"fisher", "inverse-normal"}
        Of the p-values of stages.
    multiplicity : {"holm", "bonferroni", "hierarchical", "closed"}
        Over the pairs.
    final : {"exhaust", "open"}
        Whether the last stage decides in any case.
    stop : {"decided", "both"}
        When a pair is settled: when a difference or equivalence is shown, or when
        both questions are answered.

    Returns
    -------
    SequentialTest
        `extra` has `verdict`: "less", "greater", "less-equivalent",
        "greater-equivalent", "equivalent", "not-distinguished" or "open", of
        first - second; `details` has `ends`, the replications after each stage.

    Raises
    ------
    ValueError
        If `values` is no matrix of at least two rows and columns of numbers, a value
        is infinite, or another argument is not what is allowed.

    References
    ----------
    .. [1] W. Brannath, M. Posch and P. Bauer (2002), "Recursive combination tests",
       Journal of the American Statistical Association 97.
    .. [2] M. J. A. Eugster (2011), Benchmark experiments, chapter 6.

    Examples
    --------
    >>> from reportgen import stats
    >>> rng = np.random.default_rng(1)
    >>> values = rng.normal(size=(60, 3)) + [0, 0, 2]
    >>> stats.sequential_combination_test(values, ["lda", "svm", "nnet"], stage=20)
    SequentialTest: recursive-combination-test, 3 pairs, alpha = 0.05
    first  second   n  estimate  decision   decided_at  verdict
    lda    svm     60  -0.02275  undecided          60  not-distinguished
    lda    nnet    60    -1.765  better             20  less
    svm    nnet    60    -1.743  better             20  less
    """
    pairs = _pairs_of(values, names, better)
    check_level(alpha)
    area = area_of(relevance)
    check_choice("test", test, get_args(TestName))
    check_choice("alternative", alternative, get_args(Alternative))
    check_choice("rule", rule, get_args(RuleName))
    check_choice("combination", combination, get_args(CombinationName))
    check_choice("multiplicity", multiplicity, get_args(Multiplicity))
    check_choice("final", final, get_args(Final))
    check_choice("stop", stop, get_args(Stop))
    if area is not None and test not in OF_MEANS:
        raise refuse("relevance", f"an area with test {test!r}", " or ".join(OF_MEANS))
    ends, planned = _stages_of(len(pairs.values), stage, most)
    plan = StagePlan(len(planned), alpha, test, alternative, rule, combination, final, multiplicity)
    stages = stages_of_pairs(pairs.differences, ends, plan, None if area is None else area[1])
    answers = answers_of(pairs.values, pairs.places, stages, ends, plan)
    last = [settled(ends, own, stop) for own in zip(*answers, strict=True)]
    found = [(own.decision(pairs.is_smaller_better), end) for own, end in last]
    verdicts = np.array([own.verdict for own, _ in last], dtype=object)
    return pairs.result(
        "recursive-combination-test", alpha, found, {"verdict": verdicts}, {"ends": ends}
    )


def sequential_group_test(
    values: ArrayLike,
    names: Names = None,
    *,
    better: Better = "smaller",
    alpha: float = 0.05,
    stage: int = 50,
    most: int | None = None,
    burn_in: int = 10,
    test: TestName = "t",
    alternative: Alternative = "two-sided",
    rule: SpendingName = "obrien-fleming",
) -> SequentialTest:
    """Compare all pairs by group sequential tests of all replications so far.

    Parameters
    ----------
    values, names, better, stage, most, test, alternative
        As of `sequential_combination_test`.
    alpha : float, default 0.05
        Family-wise error probability over all pairs and looks, by Holm's method.
    burn_in : int, default 10
        Replications of a pair before its first look, at least 2.
    rule : {"obrien-fleming", "pocock"}
        The function by which the level is spent.

    Returns
    -------
    SequentialTest
        `details` has `ends`, the replications at each look, `boundaries` of the
        standardised statistic at the level alpha for each planned look, and `z`,
        the statistics of each pair, 0 before its burn-in.

    Raises
    ------
    ValueError
        If `values` is no matrix of at least two rows and columns of numbers, a value
        is infinite, or another argument is not what is allowed.

    References
    ----------
    .. [1] K. K. G. Lan and D. L. DeMets (1983), "Discrete sequential boundaries for
       clinical trials", Biometrika 70.
    .. [2] C. Jennison and B. W. Turnbull (2000), Group Sequential Methods with
       Applications to Clinical Trials, chapter 7.

    Examples
    --------
    >>> from reportgen import stats
    >>> rng = np.random.default_rng(1)
    >>> values = rng.normal(size=(60, 3)) + [0, 0, 2]
    >>> found = stats.sequential_group_test(values, ["lda", "svm", "nnet"], stage=20)
    >>> found
    SequentialTest: group-sequential-test, 3 pairs, alpha = 0.05
    first  second   n  estimate  decision   decided_at
    lda    svm     60  -0.02275  undecided         nan
    lda    nnet    60    -1.765  better             20
    svm    nnet    60    -1.743  better             20
    >>> found.details["boundaries"].round(3)
    array([3.71 , 2.511, 1.993])
    """
    pairs = _pairs_of(values, names, better)
    check_level(alpha)
    check_count("burn_in", burn_in, FEWEST)
    check_choice("test", test, get_args(TestName))
    check_choice("alternative", alternative, get_args(Alternative))
    check_choice("rule", rule, get_args(SpendingName))
    ends, planned = _stages_of(len(pairs.values), stage, most)
    plan = StagePlan(len(planned), alpha, test, alternative, rule)
    z = [_statistics(d, ends, plan, burn_in) for d in pairs.differences]
    shares = tuple(end / planned[-1] for end in planned)
    spending, is_two_sided = SPENDINGS[rule], alternative == "two-sided"
    looks = first_rejections(z, shares, spending, alpha, is_two_sided=is_two_sided)
    found: list[tuple[Decision, float | None]] = []
    for own, look in zip(z, looks, strict=True):
        if look is None or look > len(ends):
            found.append(("undecided", None))
            continue
        sign = float(own[look - 1])
        sign = -sign if alternative == "less" else sign
        found.append((pairs.decision(sign), ends[look - 1]))
    boundaries = boundaries_of(shares, spending, alpha, is_two_sided).upper
    details = {"ends": ends, "boundaries": boundaries, "z": tuple(z)}
    return pairs.result("group-sequential-test", alpha, found, details=details)


def _statistics(differences: Array, ends: tuple[int, ...], plan: StagePlan, burn_in: int) -> Array:
    """Return the standardised statistic of a pair at each look; 0 before the burn-in."""
    is_there, z = np.isfinite(differences), np.zeros(len(ends))
    counts = is_there.cumsum()[np.array(ends) - 1]
    has_look = counts >= burn_in
    if has_look.any():
        tails = plan.tails(differences[is_there], counts[has_look])
        z[has_look] = normal_quantiles(*tails, plan.alternative)
    return z


def sequential_e_process(
    values: ArrayLike,
    names: Names = None,
    *,
    better: Better = "smaller",
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> SequentialTest:
    """Compare all pairs after every replication, by the e-process of the sign test.

    Parameters
    ----------
    values, names, better, alternative
        As of `sequential_combination_test`.
    alpha : float, default 0.05
        Family-wise error probability over all pairs and all replications, however
        many there will be, by Holm's method.

    Returns
    -------
    SequentialTest
        `extra` has `wins` and `losses` (replications in which the first is better,
        and worse), `p_value` and `adjusted_p_value` after all replications.

    Raises
    ------
    ValueError
        If `values` is no matrix of at least two rows and columns of numbers, a value
        is infinite, or another argument is not what is allowed.

    Notes
    -----
    The hypothesis is that wins and losses are equally probable; under it the
    e-value is at least 1 / alpha at any time with a probability of at most alpha
    (Ville's inequality), exactly.

    References
    ----------
    .. [1] A. Ramdas, P. Grünwald, V. Vovk and G. Shafer (2023), "Game-theoretic
       statistics and safe anytime-valid inference", Statistical Science 38.

    Examples
    --------
    >>> from reportgen import stats
    >>> values = [[0.1, 0.2]] * 8
    >>> stats.sequential_e_process(values, ["lda", "svm"])
    SequentialTest: sign-e-process, 1 pair, alpha = 0.05
    first  second  n  estimate  decision  decided_at  wins  losses  p_value  adjusted_p_value
    lda    svm     8      -0.1  better             7     8       0  0.01989           0.01989
    """
    pairs = _pairs_of(values, names, better)
    check_level(alpha)
    check_choice("alternative", alternative, get_args(Alternative))
    process = sign_process(np.nan_to_num(np.stack(pairs.differences), nan=0.0), alternative)
    adjusted = holm_tracks(process.p_values)
    found: list[tuple[Decision, float | None]] = []
    for wins, losses, own in zip(process.wins, process.losses, adjusted, strict=True):
        rejects = np.flatnonzero(own <= alpha)
        if not len(rejects):
            found.append(("undecided", None))
            continue
        at = int(rejects[0])
        found.append((pairs.decision(float(wins[at]) - float(losses[at])), int(process.n[at])))
    ahead, behind = process.wins, process.losses
    if pairs.is_smaller_better:
        ahead, behind = behind, ahead
    extra = {
        "wins": ahead[:, -1],
        "losses": behind[:, -1],
        "p_value": process.p_values[:, -1],
        "adjusted_p_value": adjusted[:, -1],
    }
    return pairs.result("sign-e-process", alpha, found, extra)


@dataclass(frozen=True, slots=True, repr=False)
class ConfidenceSequences(Tabular):
    """Confidence sequences for the mean differences of all pairs.

    Attributes
    ----------
    test : SequentialTest
        A pair is decided when 0 is first outside its interval.
    replications : tuple of ndarray of int
        By pair, the replications at its looks; empty where it has too few.
    sequences : tuple of ConfidenceSequence or None
        By pair.
    """

    test: SequentialTest
    replications: tuple[NDArray[np.intp], ...]
    sequences: tuple[ConfidenceSequence | None, ...]

    def to_columns(self) -> Columns:
        """Return the columns of the intervals, a row a pair and look.

        Returns
        -------
        dict
            `first`, `second` (names), `n` (replications), `mean` of first - second, `lower`,
            `upper`.
        """
        sizes = [len(own) for own in self.replications]
        names = np.array(self.test.candidates, dtype=object)
        there = [own for own in self.sequences if own is not None]
        none = np.zeros(0)
        return {
            "first": np.repeat(names[self.test.first], sizes),
            "second": np.repeat(names[self.test.second], sizes),
            "n": np.concatenate([np.zeros(0, dtype=np.intp), *self.replications]),
            "mean": np.concatenate([none, *(own.means for own in there)]),
            "lower": np.concatenate([none, *(own.lower for own in there)]),
            "upper": np.concatenate([none, *(own.upper for own in there)]),
        }

    def _heading(self) -> str:
        return self.test._heading()

    def _outline(self) -> Columns:
        """Return the last interval of each pair, and the decision."""
        return self.test.to_columns()


def sequential_confidence_sequence(
    values: ArrayLike,
    names: Names = None,
    *,
    better: Better = "smaller",
    alpha: float = 0.05,
    sequence: SequenceName = "asymptotic",
    bounds: tuple[float, float] | None = None,
) -> ConfidenceSequences:
    """Follow intervals for all mean differences, which hold after every replication.

    Parameters
    ----------
    values, names, better
        As of `sequential_combination_test`.
    alpha : float, default 0.05
        Error probability of all intervals of all pairs together, by Bonferroni.
    sequence : {"asymptotic", "bernstein"}
        In large samples, from 30 replications on; or exact for values between
        known bounds, which takes many more replications.
    bounds : tuple of two floats, optional
        The least and the largest possible value, for "bernstein".

    Returns
    -------
    ConfidenceSequences
        `test` has the decisions, and in `extra` the last `lower` and `upper` limits.

    Raises
    ------
    ValueError
        If `values` is no matrix of at least two rows and columns of numbers, a value
        is infinite or outside the bounds, bounds lack or have no use, or another
        argument is not what is allowed.

    References
    ----------
    .. [1] I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas (2024),
       "Time-uniform central limit theory and asymptotic confidence sequences",
       Annals of Statistics 52.
    .. [2] I. Waudby-Smith and A. Ramdas (2024), "Estimating means of bounded random
       variables by betting", JRSS B 86, theorem 2.

    Examples
    --------
    >>> from reportgen import stats
    >>> values = [[0.1, 0.3], [0.2, 0.3]] * 40
    >>> stats.sequential_confidence_sequence(values, ["lda", "svm"])
    ConfidenceSequences: asymptotic-confidence-sequence, 1 pair, alpha = 0.05
    first  second   n  estimate  decision  decided_at    lower    upper
    lda    svm     80     -0.15  better            30  -0.1671  -0.1329
    """
    pairs = _pairs_of(values, names, better)
    check_level(alpha)
    check_choice("sequence", sequence, get_args(SequenceName))
    check_size(pairs.values)
    span = _span(pairs.values, sequence, bounds)
    level = alpha / len(pairs.places)
    found: list[tuple[Decision, float | None]] = []
    replications, sequences = [], []
    for d in pairs.differences:
        there = np.flatnonzero(np.isfinite(d))
        own = _sequence(d[there], span, level)
        sequences.append(own)
        replications.append(there[:0] if own is None else there[own.n - 1] + 1)
        at = np.inf if own is None else float(own.decided_at())
        if own is None or np.isinf(at):
            found.append(("undecided", None))
            continue
        look = int(np.flatnonzero(own.n == at)[0])
        sign = 1.0 if own.lower[look] > 0 else -1.0
        found.append((pairs.decision(sign), float(replications[-1][look])))
    extra = {
        name: np.array([np.nan if own is None else getattr(own, name)[-1] for own in sequences])
        for name in ("lower", "upper")
    }
    test = pairs.result(f"{sequence}-confidence-sequence", alpha, found, extra)
    return ConfidenceSequences(test, tuple(replications), tuple(sequences))


def _span(values: Array, sequence: str, bounds: object) -> float | None:
    """Return the largest possible difference; None for a sequence that needs no bounds."""
    if sequence != "bernstein":
        if bounds is not None:
            raise refuse("bounds", repr(bounds), "none with sequence 'asymptotic'")
        return None
    low, high = two_numbers("bounds", bounds)
    if not -np.inf < low < high < np.inf:
        raise refuse("bounds", repr(bounds), "finite numbers, low < high")
    least, largest = float(np.nanmin(values)), float(np.nanmax(values))
    if least < low or largest > high:
        raise refuse("values", f"{least:g} to {largest:g}", f"{low:g} to {high:g}, the bounds")
    return high - low


def _sequence(differences: Array, span: float | None, level: float) -> ConfidenceSequence | None:
    """Return the intervals of a pair; None where it has too few replications for any."""
    if span is not None and len(differences):
        return bernstein_confidence_sequence(differences, -span, span, level)
    if len(differences) < FIRST_LOOK:
        return None
    return asymptotic_confidence_sequence(differences, level)
