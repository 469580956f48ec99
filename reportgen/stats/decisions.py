"""Decisions from a simultaneous interval and an area of equivalence."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from reportgen.stats.arrays import Array

Decision = Literal[
    "better-relevant", "better", "equivalent", "undecided", "worse", "worse-relevant"
]

OPPOSITE: Mapping[Decision, Decision] = MappingProxyType(
    {
        "better-relevant": "worse-relevant",
        "better": "worse",
        "equivalent": "equivalent",
        "undecided": "undecided",
        "worse": "better",
        "worse-relevant": "better-relevant",
    }
)
"""The decision on second against first, by that on first against second."""


def decide(
    lower: float,
    upper: float,
    area: tuple[float, float] | None,
    is_smaller_better: bool = True,
) -> Decision:
    """Decide on a pair from the interval of its difference, first - second.

    `lower`, `upper`: interval of the difference on the measure's own scale. When the intervals of a
    family of pairs hold simultaneously at level 1 - alpha, all decisions of the family together are
    wrong with a probability of at most alpha.
    `area`: area of equivalence (d1, d2) of this ordered pair, d1 < 0 < d2. Without one a difference
    is better, worse or undecided.
    `is_smaller_better`: direction of the measure.
    Result: what holds for the first against the second. An interval inside the area is "equivalent"
    also where it excludes 0.
    Raises ValueError if a bound is not a number, lower > upper, or the area does not contain 0 in
    its interior.

    References
    ----------
    .. [1] D. J. Schuirmann (1987), "A comparison of the two one-sided tests
       procedure and the power approach for assessing the equivalence of
       average bioavailability", Journal of Pharmacokinetics and
       Biopharmaceutics 15.

    Examples
    --------
    >>> decide(-0.018, -0.013, (-0.01, 0.01))
    'better-relevant'
    >>> decide(-0.008, -0.003, (-0.01, 0.01))
    'equivalent'
    >>> decide(-0.012, -0.003, (-0.01, 0.01), is_smaller_better=False)
    'worse'
    >>> decide(-0.02, 0.01, None)
    'undecided'
    """
    import numpy as np

    return decisions(np.array([lower]), np.array([upper]), area, is_smaller_better)[0]


def decisions(
    lower: Array,
    upper: Array,
    area: tuple[float, float] | None,
    is_smaller_better: bool = True,
) -> list[Decision]:
    """Decide on many pairs as `decide` does.

    `lower`, `upper`: (P,).
    `area`, `is_smaller_better`: as of `decide`.

    Examples
    --------
    >>> import numpy as np
    >>> decisions(np.array([-0.02, 0.01]), np.array([-0.01, 0.03]), None)
    ['better', 'worse']
    """
    import numpy as np

    _check(lower, upper, area)
    if not is_smaller_better:
        lower, upper = -upper, -lower
        area = None if area is None else (-area[1], -area[0])
    cases: list[NDArray[np.bool_]] = [upper < 0, lower > 0]
    words: list[Decision] = ["better", "worse", "undecided"]
    if area is not None:
        inside = (area[0] < lower) & (upper < area[1])
        cases = [upper < area[0], lower > area[1], inside, *cases]
        words = ["better-relevant", "worse-relevant", "equivalent", *words]
    places = np.select(cases, range(len(cases)), len(cases)).tolist()
    return [words[place] for place in places]


def decision_words(decision: Decision, way: int = 0, *, is_open: bool = False) -> str:
    """Return a decision in the words of reports.

    `decision`: what holds for the first against the second.
    `way`: who is decided better, by however little: 1 the first, -1 the second, 0 neither.
    `is_open`: whether the pair was not tested.

    Examples
    --------
    >>> [decision_words("equivalent", way) for way in (1, 0, -1)]
    ['better, not relevant', 'equivalent', 'worse, not relevant']
    >>> decision_words("better-relevant", 1), decision_words("undecided")
    ('better, relevant', 'not significant')
    >>> decision_words("undecided", is_open=True)
    'not tested'
    """
    if decision == "equivalent" and way:
        return f"{'better' if way > 0 else 'worse'}, not relevant"
    open_word = "not tested" if is_open else "not significant"
    return open_word if decision == "undecided" else decision.replace("-", ", ")


def equivalence_bound(lower: float, upper: float) -> float:
    """Return the half-width of the smallest symmetric area that holds the interval.

    Examples
    --------
    >>> equivalence_bound(-0.003, 0.002)
    0.003
    """
    return max(abs(lower), abs(upper))


def _check(lower: Array, upper: Array, area: tuple[float, float] | None) -> None:
    """Check intervals and an area."""
    is_none = ~(lower <= upper)
    if is_none.any():
        found = f"[{lower[is_none][0]}, {upper[is_none][0]}]"
        raise ValueError(f"an interval needs lower <= upper, got {found}")
    if area is not None and not area[0] < 0 < area[1]:
        raise ValueError(f"an area of equivalence needs d1 < 0 < d2, got {area}")
