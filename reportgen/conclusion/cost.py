"""What the best candidates cost in time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from reportgen.conclusion.result import Comparison
from reportgen.conclusion.settings import HIDDEN
from reportgen.sections.frontier.result import Frontier, Ratio
from reportgen.stats.pair_table import PairTable
from reportgen.warehouse import Measure


@dataclass(frozen=True, slots=True)
class Cost:
    """The times of those that the comparison is about.

    Attributes
    ----------
    measure : Measure
        A time.
    candidate : str
        The head of the comparison.
    value : float
        Its geometric mean time.
    next : Ratio or None
        The time of the next one over its own; None where the verdict does not decide
        which of the two is faster.
    faster : tuple of str, or None
        Candidates that are decided to be faster than it; None where nothing is tested.
    leaders : Ratio or None
        The time of the slower over that of the faster, of two undecided leaders whose
        interval excludes 1.
    fastest : str or None
        The undecided leader whose advantage in time over every other one is beyond
        the area of equivalence.
    is_on_frontier : bool
        Whether no candidate has a better mean on one of the two measures without a
        worse one on the other than the head has.
    faster_than : mapping of str to tuple of str
        Candidates that are decided to be faster than each.
    """

    measure: Measure
    candidate: str
    value: float
    next: Ratio | None
    faster: tuple[str, ...] | None
    leaders: Ratio | None
    fastest: str | None
    is_on_frontier: bool
    faster_than: Mapping[str, tuple[str, ...]] = field(default_factory=dict, metadata=HIDDEN)


def cost_of(found: Frontier, comparison: Comparison, pairs: PairTable | None) -> Cost | None:
    """Read the times from the frontier, and who is decided faster from the verdict on them.

    Parameters
    ----------
    found : Frontier
    comparison : Comparison
        Of the main measure.
    pairs : PairTable or None
        The verdict on the other measure, where there is one.

    Returns
    -------
    Cost or None
        None where the other measure is no time that is compared by ratio, or a
        candidate has none.
    """
    placed = {place.candidate for place in found.places}
    if not found.is_time or found.scale != "ratio" or not {*comparison.candidates} <= placed:
        return None
    head = comparison.head
    place = found.place(head)
    leaders = comparison.undecided_leaders
    return Cost(
        measure=found.measure,
        candidate=head,
        value=place.other.mean,
        next=_next(found, comparison, pairs),
        faster=_faster(pairs, head),
        leaders=_of_two(found, pairs, leaders),
        fastest=_fastest(found, pairs, leaders),
        is_on_frontier=not place.surpassed_by,
        faster_than={name: _faster(pairs, name) or () for name in comparison.candidates},
    )


def _next(found: Frontier, comparison: Comparison, pairs: PairTable | None) -> Ratio | None:
    """Return how many times as long the next one takes, where that is decided."""
    names = comparison.next.second, comparison.head
    if pairs is None or not {*names} <= {*pairs.candidates}:
        return None
    decided = pairs.between(*names)
    if decided is None or decided.favoured is None:
        return None
    return _ratio(found, pairs, *names)


def _ratio(found: Frontier, pairs: PairTable | None, first: str, second: str) -> Ratio | None:
    """Return the ratio of two times by the verdict, else by the two alone."""
    if pairs is not None and pairs.scale == "ratio" and {first, second} <= {*pairs.candidates}:
        p = pairs.between(first, second)
        if p is not None and p.has_interval:
            return Ratio(first, second, p.estimate, p.lower, p.upper)
    return found.ratio(first, second)


def _faster(pairs: PairTable | None, head: str) -> tuple[str, ...] | None:
    """Return those that the verdict says are faster."""
    if pairs is None or head not in pairs.candidates:
        return None
    rows = (p for p in pairs if head in (p.first, p.second))
    return tuple(p.favoured for p in rows if p.favoured not in (None, head))


def _of_two(found: Frontier, pairs: PairTable | None, leaders: tuple[str, ...]) -> Ratio | None:
    """Return how many times as long the slower of two takes, where its interval excludes 1."""
    ratio = _ratio(found, pairs, *leaders) if len(leaders) == 2 else None
    if ratio is None or ratio.ratio is None or ratio.lower is None or ratio.upper is None:
        return None
    ratio = ratio if ratio.ratio > 1 else ratio.reversed()
    return ratio if ratio.lower is not None and ratio.lower > 1 else None


def _fastest(found: Frontier, pairs: PairTable | None, leaders: tuple[str, ...]) -> str | None:
    """Return the one that all others take longer than, by more than the area of equivalence."""
    least = found.area[1] if found.area is not None else 1.0
    for name in leaders:
        ratios = [_ratio(found, pairs, other, name) for other in leaders if other != name]
        lower = [ratio.lower if ratio is not None else None for ratio in ratios]
        if lower and all(x is not None and x > least for x in lower):
            return name
    return None
