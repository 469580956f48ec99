"""Whether two studies of the same candidates agree: scores on items, say, and battles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.data_classes import dataclass
from reportgen.notation import number
from reportgen.sections.agreement.analysis import Agreement as Comparison
from reportgen.stats.verdict import Verdict

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("first", "second", "own", "other", "together")


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement(Comparison):
    """Two studies of the same candidates beside one another.

    Its other attributes are those of `reportgen.sections.agreement.analysis.Agreement`.

    Attributes
    ----------
    names : tuple of two str
        Of the studies.
    """

    names: tuple[str, str]

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
    """
    return Agreement.between(own, other, alpha, names=names)


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
