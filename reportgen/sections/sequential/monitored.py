"""A pair on accumulating replications, and what each method says of it: no words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from reportgen.stats.decisions import Decision as FixedDecision
from reportgen.stats.pair_table import Scale
from reportgen.stats.sequential.staged import Quantity
from reportgen.stats.sequential.verdicts import Verdict
from reportgen.warehouse import Target

HIDDEN = {"results": False}
LARGE_SKEWNESS = 0.5
"""From here on signed ranks of five stages of 50 say in 8% of cases and more at a level of 5% that
means differ which do not; see docs/sequential-size.md."""

Alternative = Literal["two-sided", "less", "greater"]
Decision = Literal["reject", "accept", "go-on", "undecided"]


@dataclass(frozen=True, slots=True)
class StageResult:
    """One stage of a recursive combination test.

    Attributes
    ----------
    replication : int
        Replications at its end.
    p_value, alpha_star, alpha_1, alpha_0, c, decision
        See `reportgen.stats.sequential.recursive.Stage`.
    """

    replication: int
    p_value: float
    alpha_star: float
    alpha_1: float
    alpha_0: float
    c: float | None
    decision: Decision


@dataclass(frozen=True, slots=True)
class FixedVerdict:
    """The verdict of a design of so many replications, by the rule of all fixed designs.

    Attributes
    ----------
    replications : int
    p_value, adjusted_p_value : float or None
        Of the pair alone, and adjusted over all pairs of the measure.
    decision : str
        Of first against second: see `reportgen.stats.decisions.decide`.
    """

    replications: int
    p_value: float | None
    adjusted_p_value: float | None
    decision: FixedDecision


@dataclass(frozen=True, slots=True)
class RandomOrders:
    """The track when the same replications come in random orders.

    Attributes
    ----------
    n_orders : int
    replication : tuple of int
        Looks.
    lower, median, upper : tuple of float
        Of the p-values: nine of ten orders lie between the outer two.
    share_significant : tuple of float
    stable_from : int or None
        Look from which on nine of ten orders are significant for good.
    """

    n_orders: int
    replication: tuple[int, ...]
    lower: tuple[float, ...]
    median: tuple[float, ...]
    upper: tuple[float, ...]
    share_significant: tuple[float, ...]
    stable_from: int | None


@dataclass(frozen=True, slots=True)
class GroupSequential:
    """A group sequential test with the same looks, adjusted over the family by Holm's method.

    Attributes
    ----------
    boundaries : tuple of float
        Of |z| at the looks, for the pair alone.
    z : tuple of float
        Of all replications so far.
    verdict : {"less", "greater", "open"}
    replication : int or None
        At which it rejects.
    """

    boundaries: tuple[float, ...]
    z: tuple[float, ...]
    verdict: Verdict
    replication: int | None


@dataclass(frozen=True, slots=True)
class Anytime:
    """Tests that may be looked at after every replication.

    Attributes
    ----------
    wins, losses : int
        Replications with a positive and a negative difference.
    p_value : float
        Of the sign e-process, for the pair alone.
    sign_decided_at : int or None
        Replication at which it rejects, adjusted over the family by Holm's method.
    sign_verdict : {"less", "greater", "open"}
    sequence_level : float
        Error probability of the confidence sequence: alpha over the number of pairs.
    replication : tuple of int
        Looks of the confidence sequence.
    means, lower, upper : tuple of float
        Intervals for the mean difference, or ratio, together valid at all looks.
    sequence_decided_at : int or None
        Look from which on equality has been outside once.
    replications_needed : int or None
        Fewer cannot show the mean difference by a sequence that only knows the measure's range.
    """

    wins: int
    losses: int
    p_value: float
    sign_decided_at: int | None
    sign_verdict: Verdict
    sequence_level: float
    replication: tuple[int, ...]
    means: tuple[float, ...] = field(metadata=HIDDEN)
    lower: tuple[float, ...] = field(metadata=HIDDEN)
    upper: tuple[float, ...] = field(metadata=HIDDEN)
    sequence_interval: tuple[float, float] | None
    sequence_decided_at: int | None
    replications_needed: int | None = None


@dataclass(frozen=True, slots=True)
class Monitored:
    """A pair, or all candidates together, on accumulating replications.

    Attributes
    ----------
    first, second : str or None
        None for the test that all candidates are alike.
    test, alternative : str
    burn_in : int
    target : str
    replication : tuple of int
        Replications at each look; those without a value of both are no look.
    p_values, statistics, effects : tuple of float
    quantity : {"mean", "pseudo-median", "median"} or None
        Of the differences, of which the test speaks.
    estimate : float or None
        That of first - second, of all replications with both; of first over second where
        candidates are compared by ratio, as are the effects and the confidence sequence.
    n : int
        Number of these.
    point_of_consecutive_significance : int or None
        From where on the track stays at or below alpha, the pair taken alone.
    alpha : float
    stages : tuple of StageResult
        Of the pair alone at level alpha; two-sided, of the side that decided or
        has the smaller p-value, at half of it.
    side : {"less", "greater"} or None
        That side.
    global_p_value : float or None
        Of all stages together, two-sided where the test is.
    decision : {"reject", "accept", "undecided"}
        Of the pair alone.
    skewness : float or None
        Of the differences, by ratio of those of the logarithms.
    scale : {"difference", "ratio"}
        How the candidates are compared: ratios as differences of logarithms.
    verdict : str or None
        By stages, of the pair in its family when it was settled, or of what is known so far:
        less or greater, with -equivalent where the difference is shown to lie inside the area
        as well; equivalent; not-distinguished; open.
    decided_at : int or None
        Replications at the end of the stage that settled it; None where more would be needed.
    at : tuple of FixedVerdict
    random_orders : RandomOrders or None
    group_sequential : GroupSequential or None
    anytime : Anytime or None
    """

    first: str | None
    second: str | None
    test: str
    alternative: Alternative
    burn_in: int
    target: Target
    replication: tuple[int, ...]
    p_values: tuple[float, ...]
    statistics: tuple[float, ...]
    effects: tuple[float, ...]
    estimate: float | None
    n: int
    point_of_consecutive_significance: int | None
    alpha: float
    stages: tuple[StageResult, ...]
    side: Literal["less", "greater"] | None
    global_p_value: float | None
    decision: Literal["reject", "accept", "undecided"]
    quantity: Quantity | None = None
    skewness: float | None = None
    scale: Scale = "difference"
    verdict: Verdict | None = None
    decided_at: int | None = None
    at: tuple[FixedVerdict, ...] = ()
    random_orders: RandomOrders | None = None
    group_sequential: GroupSequential | None = None
    anytime: Anytime | None = None

    @property
    def is_skewed(self) -> bool:
        """Whether the skewness is large for a test that presumes symmetry."""
        return self.skewness is not None and abs(self.skewness) >= LARGE_SKEWNESS
