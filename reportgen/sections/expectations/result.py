"""The outcomes of claims: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from math import exp, isfinite
from typing import Literal, get_args

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.performance_measure import Measure, PairScale
from reportgen.stats.columns import signed
from reportgen.stats.pairs.promise import Promise, promise_for
from reportgen.study.claims import Relation
from reportgen.study.schema.options import Undecided
from reportgen.targets import TARGETS, DecidingTarget

Outcome = Literal["holds", "fails", "undecided"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
Reason = Literal[
    "no-values",
    "few-units",
    "few-clusters",
    "few-families",
    "few-replications",
    "few-sources",
    "few-wins",
    "no-variation",
    "target",
    "gaps",
    "no-spread",
    "wide",
    "no-consensus",
    "no-search",
    "tied",
    "no-tree",
    "unconfirmed",
]
Counted = Literal["replication", "dataset", "observation"]


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference, ratio or mean that a claim is about, with its own interval.

    It holds no `Pair`: a mean has none, and that of a ratio is one of logarithms, which turns into
    exp(-x), not into 1 / x to the last digit.

    Attributes
    ----------
    first : str
    second : str or None
        None of a mean.
    scale : {"difference", "ratio"}
        Of a mean: arithmetic or geometric.
    estimate, lower, upper : float or None
        Of first against second, or of the mean; the interval holds together with those of all
        other contrasts, of one that is open for this one alone. None where there is none.
    deviation : float or None
        Standard deviation of the differences, of ratios and geometric means of the logarithms.
    n : int
        Units that have a value: replications, data sets, or test observations.
    is_open : bool
        Whether they are too few to decide.
    is_constant : bool
        Whether the difference is the same in all.
    skewness : float or None
        Of the differences; None where none is corrected for.
    bounds : tuple of two (float or None)
        Between which the claim puts it; None where it has no bound.
    outcome : {"holds", "fails", "undecided"}
    verdict : {"holds", "fails", "undecided"} or None
        Of the report on the same pair, by the interval of all its pairs; None where it has none.
    target : str
        What it speaks of.
    is_beyond : bool
        Whether it is undecided as nothing is known beyond this experiment.
    gaps : mapping of str to (int, int)
        Units that have a value, and all of them, of candidates that lack some; a mean counts
        these gaps as the worst value there.
    gaps_within : mapping of str to (int, int)
        The same over data sets: replications of the data sets that a candidate has.
    is_undone_by_gaps : bool
        Whether the interval would decide, and does not with the gaps counted otherwise.
    reason : str or None
        Why it is undecided.
    """

    first: str
    second: str | None
    scale: PairScale
    estimate: float | None = field(metadata=signed("limit"))
    lower: float | None = field(metadata=signed("limit", "upper"))
    upper: float | None = field(metadata=signed("limit", "lower"))
    deviation: float | None
    n: int
    is_open: bool
    is_constant: bool
    skewness: float | None = field(metadata=signed("negative"))
    bounds: tuple[float | None, float | None] = field(metadata=signed("limit"))
    outcome: Outcome
    verdict: Outcome | None
    target: DecidingTarget
    is_beyond: bool = False
    gaps: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    gaps_within: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    is_undone_by_gaps: bool = False
    reason: Reason | None = None

    @property
    def n_sources(self) -> int:
        """The data sets with values of the measure, where it speaks of these alone; else 0."""
        if self.target != "these-sources":
            return 0
        return max(self.n, *(whole for _, whole in self.gaps.values()), 0)


@dataclass(frozen=True, slots=True)
class Family:
    """The contrasts that hold together: those of the claims that are asked together."""

    alpha: float  # error probability of all
    n_contrasts: int  # distinct ones
    n_stages: int = 1  # times at which an execution could have ended

    @property
    def n_comparisons(self) -> int:
        """By how many the error probability is divided (Bonferroni)."""
        return max(1, self.n_contrasts) * self.n_stages


@dataclass(frozen=True, slots=True)
class ClaimTest:
    """A claim and its outcome.

    Attributes
    ----------
    claim : str
    relation : str
        See `reportgen.study.claims.Claim`.
    kind : {"gate", "check"}
        Whether an interval decides, which errs with a known probability; a check is of a fact or
        a description, and has no error rate.
    outcome : {"holds", "fails", "undecided"}
    reason : str or None
        Why it is undecided.
    on_undecided : {"warn", "fail"}
    measure, dataset : str or None
        None of facts; no data set over all of them.
    unit : {"replication", "dataset", "observation"} or None
        What was counted.
    contrasts : tuple of Contrast
        One; of "among the best" one for each other candidate.
    n_pairs : int or None
        Pairs of the family of the report's verdict.
    verdict_alpha : float or None
        Error probability of that family.
    found : tuple of str
        Of a check: what is there instead, such as the candidates that the consensus starts with.
    n_failed : int
        Of "no failures": fits that failed.
    """

    claim: str
    relation: Relation
    kind: Literal["gate", "check"]
    outcome: Outcome
    reason: Reason | None
    on_undecided: Undecided
    measure: str | None = None
    dataset: str | None = None
    unit: Counted | None = None
    contrasts: tuple[Contrast, ...] = ()
    n_pairs: int | None = None
    found: tuple[str, ...] = ()
    n_failed: int = 0
    verdict_alpha: float | None = field(default=None, metadata=HIDDEN)

    def __bool__(self) -> bool:
        """Whether the claim holds."""
        return self.outcome == "holds"

    @property
    def stops(self) -> bool:
        """Whether it ends a run with exit code 1."""
        is_undecided = self.outcome == "undecided" and self.on_undecided == "fail"
        return self.outcome == "fails" or is_undecided

    @property
    def deciding(self) -> Contrast | None:
        """The contrast that the outcome rests on: of several the least clear one."""
        order = ("fails", "undecided", "holds")
        return min(self.contrasts, key=lambda c: order.index(c.outcome), default=None)

    @property
    def first(self) -> str | None:
        """The first candidate of the deciding contrast."""
        return None if self.deciding is None else self.deciding.first

    @property
    def second(self) -> str | None:
        """The second candidate of the deciding contrast."""
        return None if self.deciding is None else self.deciding.second

    @property
    def scale(self) -> PairScale | None:
        """The scale of the deciding contrast."""
        return None if self.deciding is None else self.deciding.scale

    @property
    def estimate(self) -> float | None:
        """The estimate of the deciding contrast."""
        return None if self.deciding is None else self.deciding.estimate

    @property
    def lower(self) -> float | None:
        """The lower end of the deciding contrast's interval."""
        return None if self.deciding is None else self.deciding.lower

    @property
    def upper(self) -> float | None:
        """The upper end of the deciding contrast's interval."""
        return None if self.deciding is None else self.deciding.upper

    @property
    def target(self) -> DecidingTarget | None:
        """What the deciding contrast speaks of."""
        return None if self.deciding is None else self.deciding.target

    @property
    def verdict(self) -> Outcome | None:
        """What the report's verdicts say of the same claim; None where they say nothing."""
        found = [c.verdict for c in self.contrasts if c.verdict is not None]
        return together(found) if found and len(found) == len(self.contrasts) else None

    @property
    def differs(self) -> bool:
        """Whether the report's verdicts say otherwise."""
        return self.verdict is not None and self.verdict != self.outcome


@dataclass(frozen=True, slots=True)
class ExpectationsResult:
    """All claims of a study, and the family that they are decided in.

    Attributes
    ----------
    gates : tuple of ClaimTest
    alpha : float
        Probability, at most or nominally, with which any claim holds or fails wrongly.
    n_contrasts : int
        Distinct contrasts of all gates, each of which has the share alpha / (m s) of it.
    n_stages : int
        Times s at which an execution in stages could have ended; 1 without stages.
    on_undecided : {"warn", "fail"}
    targets : tuple of str
        What the intervals speak of.
    """

    gates: tuple[ClaimTest, ...]
    alpha: float
    n_contrasts: int
    n_stages: int
    on_undecided: Undecided
    targets: tuple[DecidingTarget, ...]
    measures: Mapping[str, Measure] = field(default_factory=dict, metadata=HIDDEN)

    def confirmed_by(self, again: ExpectationsResult) -> ExpectationsResult:
        """Return the outcomes with every failure that did not return in another run undecided.

        `again`: the same claims, held against a run that was made anew.
        """
        gates = tuple(
            replace(gate, outcome="undecided", reason="unconfirmed")
            if gate.outcome == "fails" and other.outcome != "fails"
            else gate
            for gate, other in zip(self.gates, again.gates, strict=True)
        )
        return replace(self, gates=gates)

    @property
    def family(self) -> Family:
        """The contrasts that hold together."""
        return Family(self.alpha, self.n_contrasts, self.n_stages)

    @property
    def scopes(self) -> tuple[tuple[DecidingTarget, int], ...]:
        """What the intervals speak of, each with its number of sources."""
        every = (c for gate in self.gates for c in gate.contrasts)
        return tuple(dict.fromkeys((c.target, c.n_sources) for c in every))

    @property
    def is_promised(self) -> bool:
        """Whether the error probability was simulated to hold for all that the claims speak of."""
        return all(TARGETS[name].is_promised for name in self.targets)

    @property
    def promise(self) -> Promise | None:
        """What is known of the probability of a wrong outcome; None where no *t* decides."""
        known = [c for g in self.tested for c in g.contrasts if c.skewness is not None]
        decided = [c for c in known if not c.is_open]
        if not decided:
            return None
        skewness = max(abs(c.skewness or 0.0) for c in decided)
        return promise_for(min(c.n for c in decided), skewness, self.family.n_comparisons)

    @property
    def is_failed(self) -> bool:
        """Whether a run ends with exit code 1."""
        return bool(self.stopping)

    @property
    def stopping(self) -> tuple[ClaimTest, ...]:
        """The claims that end a run with exit code 1."""
        return tuple(gate for gate in self.gates if gate.stops)

    def of_outcome(self, outcome: Outcome) -> tuple[ClaimTest, ...]:
        """Return the claims with an outcome."""
        return tuple(gate for gate in self.gates if gate.outcome == outcome)

    @property
    def tested(self) -> tuple[ClaimTest, ...]:
        """The claims that an interval decides on."""
        return tuple(gate for gate in self.gates if gate.kind == "gate")

    @property
    def sign_words(self) -> str:
        """What estimates of two candidates are, in words; empty where there are none."""
        if not any(contrast.second for gate in self.tested for contrast in gate.contrasts):
            return ""
        return (
            "Of two candidates: the advantage of the first; positive, of ratios above 1, is better."
        )

    @property
    def checks(self) -> tuple[ClaimTest, ...]:
        """Facts and descriptions."""
        return tuple(gate for gate in self.gates if gate.kind == "check")

    @property
    def differing(self) -> tuple[ClaimTest, ...]:
        """The claims of which the report's verdicts say otherwise."""
        return tuple(gate for gate in self.gates if gate.differs)


def together(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the outcome of a claim about several contrasts: it holds where all do.

    Examples
    --------
    >>> together(["holds", "undecided"]), together(["holds", "fails", "undecided"])
    ('undecided', 'fails')
    """
    if "fails" in outcomes:
        return "fails"
    return "holds" if outcomes and set(outcomes) == {"holds"} else "undecided"


def natural(x: float, scale: PairScale, origin: float = 0.0) -> float | None:
    """Return a number of the scale of comparison on the measure's own; None where it is none.

    Examples
    --------
    >>> natural(0.0, "ratio"), natural(0.5, "difference", 2.0), natural(float("inf"), "ratio")
    (1.0, 2.5, None)
    """
    if not isfinite(x):
        return None
    try:
        return exp(x + origin) if scale == "ratio" else x + origin
    except OverflowError:
        return None
