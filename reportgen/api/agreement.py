"""Whether two studies of the same candidates agree: scores on items, say, and battles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan
from typing import TYPE_CHECKING, Literal

from scipy.stats import kendalltau

from reportgen.errors import StudyError
from reportgen.notation import number
from reportgen.stats.verdict import Verdict
from reportgen.study.errors import shown

if TYPE_CHECKING:
    import pandas as pd

Together = Literal["same", "opposite", "one", "none"]
FEWEST = 2  # candidates in common
FEWEST_OF_ORDER = 4  # orders of fewer have no p-value below .05
COLUMNS = ("first", "second", "own", "other", "together")


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """What two studies say of a pair.

    Attributes
    ----------
    first, second : str
        The better mean of the first study first.
    own, other : {1, 0, -1}
        Who is decided better in the first study and in the second: 1 `first`, -1 `second`.
    """

    first: str
    second: str
    own: int
    other: int

    @property
    def together(self) -> Together:
        """Whether both decide the same or the opposite, one of them decides, or none does."""
        if self.own and self.other:
            return "same" if self.own == self.other else "opposite"
        return "one" if self.own or self.other else "none"


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two studies of the same candidates beside one another.

    Attributes
    ----------
    names, measures : tuple of two str
        Of the studies.
    alpha : float
        With which probability, at most, any pair is taken wrongly for one of opposite decisions:
        each study decides with half of it, or its own level where that is less.
    order, other_order : tuple of str
        Candidates that both have, best first in the first study and in the second.
    only, other_only : tuple of str
        Candidates that one of them has alone.
    pairs : tuple of PairAgreement
    tau, p_value : float or None
        Kendall's coefficient of the two orders, and its p-value where candidates are taken for a
        sample; None of fewer than four candidates.
    """

    names: tuple[str, str]
    measures: tuple[str, str]
    alpha: float
    order: tuple[str, ...]
    other_order: tuple[str, ...]
    only: tuple[str, ...]
    other_only: tuple[str, ...]
    pairs: tuple[PairAgreement, ...]
    tau: float | None
    p_value: float | None

    def of(self, together: Together) -> tuple[PairAgreement, ...]:
        """Return the pairs of which both say the same, the opposite, and so on."""
        return tuple(pair for pair in self.pairs if pair.together == together)

    @property
    def is_contradicted(self) -> bool:
        """Whether the studies are shown to order some pair differently."""
        return bool(self.of("opposite"))

    @property
    def has_same_first(self) -> bool:
        """Whether the same candidate comes first in both."""
        return self.order[0] == self.other_order[0]

    def __str__(self) -> str:
        """Write whether they agree, and by what."""
        return "\n".join(_lines(self))

    def to_frame(self) -> pd.DataFrame:
        """Return a row a pair: first, second, own, other (who is better: 1, 0, -1), together."""
        from reportgen.api.frames import records

        return records([[getattr(p, name) for name in COLUMNS] for p in self.pairs], COLUMNS)


def agreement_of(
    own: Verdict, other: Verdict, names: tuple[str, str], alpha: float | None = None
) -> Agreement:
    """Hold the verdicts of two studies against one another.

    `alpha`: of pairs with opposite decisions; the larger one of both studies when left out.
    Raises StudyError if they share fewer than two candidates.

    Notes
    -----
    A pair has opposite decisions only where one of them is wrong, or both are right and the two
    measures order it differently: with each family at alpha / 2, all such pairs are shown with an
    error probability of alpha.
    """
    common = [name for name in own.order if name in other.order]
    if len(common) < FEWEST:
        listed = " and ".join(shown(", ".join(verdict.order)) for verdict in (own, other))
        raise StudyError(f"agreement: found the candidates {listed}; allowed two in common")
    level = max(own.alpha, other.alpha) if alpha is None else alpha
    pairs = tuple(
        PairAgreement(a, b, _way(own, a, b, level / 2), _way(other, a, b, level / 2))
        for a, b in combinations(common, 2)
    )
    tau, p_value = _kendall(own, other, common)
    return Agreement(
        names,
        (own.measure.name, other.measure.name),
        level,
        tuple(common),
        tuple(name for name in other.order if name in common),
        tuple(name for name in own.order if name not in common),
        tuple(name for name in other.order if name not in common),
        pairs,
        tau,
        p_value,
    )


def _way(verdict: Verdict, first: str, second: str, alpha: float) -> int:
    """Return who is decided better at a level: 1 the first, -1 the second, 0 neither."""
    pair = verdict.pairs.between(first, second) if verdict.pairs else None
    if pair is None or not pair.significant or pair.adjusted_p_value is None:
        return 0
    if not pair.adjusted_p_value < alpha:
        return 0
    return (pair.favoured == first) - (pair.favoured == second)


def _kendall(
    own: Verdict, other: Verdict, names: Sequence[str]
) -> tuple[float | None, float | None]:
    """Return Kendall's coefficient of the orders by means, and its p-value."""
    if len(names) < FEWEST_OF_ORDER:
        return None, None
    ranks = []
    for verdict in (own, other):
        means = verdict.mean_ranks or verdict.means
        side = 1 if verdict.mean_ranks or verdict.measure.is_smaller_better else -1
        ranks.append([side * means[name] for name in names])
    found = kendalltau(*ranks)
    tau, p = float(found.statistic), float(found.pvalue)
    return (None, None) if isnan(tau) else (tau, p)  # all are equal in one of them


# ---------------------------------------------------------------------------------- words


def _lines(found: Agreement) -> list[str]:
    own, other = (f"{a} ({b})" for a, b in zip(found.names, found.measures, strict=True))
    n, same, opposite = len(found.pairs), found.of("same"), found.of("opposite")
    of_pairs = f"of {n:,} pairs" if n > 1 else "of one pair"
    if opposite:
        told = [(p.first, p.second) if p.own > 0 else (p.second, p.first) for p in opposite]
        by, its = found.names if found.names[0] != found.names[1] else found.measures
        which = "; ".join(f"{a} better than {b} by {by}, worse by {its}" for a, b in told)
        head = f"{own} and {other} disagree: {which}"
    elif same and not found.of("one"):
        head = f"{own} and {other} agree on all that they decide"
    elif same:
        head = f"{own} and {other} are not shown to disagree"
    else:
        head = f"{own} and {other} decide no pair in common: nothing is known of their agreement"
    counts = (
        f"{of_pairs} both decide {len(same):,} alike and {len(opposite):,} oppositely, one of them "
        f"decides {len(found.of('one')):,}, none {len(found.of('none')):,}; a pair is taken "
        f"wrongly for one of opposite decisions with a probability of at most {found.alpha:.0%}"
    )
    lines = [head, counts]
    first = f"first in both: {found.order[0]}"
    if not found.has_same_first:
        first = f"first in {own}: {found.order[0]}, in {other}: {found.other_order[0]}"
    if found.tau is not None:
        first += f"; Kendall's tau of the {len(found.order)} candidates {number(found.tau)}"
    lines.append(first)
    for names, of in ((found.only, own), (found.other_only, other)):
        if names:
            lines.append(f"only in {of}: {', '.join(names)}")
    return lines
