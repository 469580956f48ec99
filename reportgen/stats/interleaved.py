r"""Two variants timed in alternation, block by block, until their ratio is decided.

A block is four runs in the order ABBA or BAAB, in turn. Its value is the mean logarithm of B's two
times less that of A's, from which a drift that is linear over the block falls out: a machine that
grows warm, or other work that comes and goes more slowly than a block, favours neither. Blocks are
the units: they have the interval of a mean (`paired_max_t.mean_intervals`), and the study is looked
at after some numbers of blocks, each look at an equal share of alpha (Bonferroni), so that looking
early costs no more than alpha altogether.

That B is slower is an alarm only where as many fresh blocks show it again, at level alpha: what
passes while the first blocks ran, such as another job on the machine, seldom comes back.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, log
from typing import Literal

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS, difference_intervals

Outcome = Literal["slower", "faster", "alike", "not-confirmed", "open"]
"""Of B against A: an alarm; shown faster; inside the area; an alarm that did not return; none."""

ORDERS = ("ABBA", "BAAB")
GROWTH = 2  # of the number of blocks from look to look


@dataclass(frozen=True, slots=True)
class Look:
    """What some blocks show."""

    n: int  # blocks
    # ratio, lower, upper: b's time over A's, of geometric means, and its interval at the level of
    # the look
    ratio: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Interleaved:
    """How a comparison of two variants ended."""

    outcome: Outcome
    look: Look  # the last one of the first blocks
    confirmation: Look | None  # of the fresh blocks, where B was slower in the first
    seconds: Array  # (n, 4); the times of every block, in the order in which they ran
    is_in_time: bool  # whether it ended before the budget did


def order_of(block: int) -> str:
    """Return who runs in a block, one after the other.

    Examples
    --------
    >>> order_of(0), order_of(1), order_of(2)
    ('ABBA', 'BAAB', 'ABBA')
    """
    return ORDERS[block % 2]


def block_effects(seconds: Array) -> Array:
    """Return the log ratio of B to A in each block.

    `seconds`: (n, 4); times above 0, in the order in which they ran.

    Examples
    --------
    >>> drifting = 2.0 ** np.arange(8).reshape(2, 4)  # each run takes twice as long as the last
    >>> block_effects(drifting).round(6) + 0.0
    array([0., 0.])
    """
    logs = np.log(seconds)
    outer, inner = logs[:, [0, 3]].mean(axis=1), logs[:, [1, 2]].mean(axis=1)
    side = np.where(np.arange(len(seconds)) % 2 == 0, 1.0, -1.0)
    return np.asarray(side * (inner - outer))


def looks_of(most: int) -> tuple[int, ...]:
    """Return after how many blocks the comparison is looked at.

    Examples
    --------
    >>> looks_of(24), looks_of(40)
    ((6, 12, 24), (6, 12, 24, 40))
    """
    found, n = [], FEWEST_UNITS
    while n < most:
        found.append(n)
        n *= GROWTH
    return (*found, most)


def look_at(seconds: Array, alpha: float) -> Look:
    """Return the ratio of two variants with its interval of level 1 - alpha."""
    effects = block_effects(seconds)
    if len(effects) < 2:
        return Look(len(effects), exp(float(effects.mean())), 0.0, inf)
    lower, upper = difference_intervals(effects[:, None], alpha)
    low, high = float(lower[0]), float(upper[0])
    middle = exp(float(effects.mean()))
    if not np.isfinite([low, high]).all():
        return Look(len(effects), middle, 0.0, inf)
    return Look(len(effects), middle, exp(low), exp(high))


def check_options(most: int, alpha: float, area: float) -> None:
    """Raise ValueError if an option of `compare_interleaved` is not what is allowed."""
    if most < FEWEST_UNITS or not 0 < alpha < 1 or not area >= 1:
        raise ValueError(
            f"found most={most}, alpha={alpha}, area={area}; allowed {FEWEST_UNITS} blocks or "
            "more, a level inside (0, 1) and a ratio of at least 1"
        )


def compare_interleaved(
    run: Callable[[Literal["A", "B"]], float],
    *,
    most: int = 24,
    alpha: float = 0.05,
    area: float = 1.0,
    has_time: Callable[[], bool] = lambda: True,
    confirms: bool = True,
) -> Interleaved:
    """Time two variants in alternation until their ratio is decided.

    `run`: runs "A" or "B" once and returns how long it took, in seconds above 0.
    `most`: blocks of four runs, 6 at least; without those that confirm.
    `alpha`: probability of a decision where both are alike, if blocks are independent.
    `area`: ratio up to which a difference does not matter, 1.05 for 5%: B is slower where its ratio
    is shown to be above this, faster where it is below the inverse, alike where it lies between. 1:
    any difference matters, and nothing is alike.
    `has_time`: whether another block may begin.
    `confirms`: whether "slower" has to return in as many fresh blocks.
    Raises ValueError if `most`, `alpha` or `area` is not what is allowed, or a time is not above 0.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = compare_interleaved(lambda who: rng.gamma(400) * (1 + 0.2 * (who == "B")))
    >>> found.outcome, found.look.n, round(found.look.ratio, 2)
    ('slower', 6, 1.22)
    """
    check_options(most, alpha, area)
    looks = looks_of(most)
    blocks: list[list[float]] = []

    def go_on(n: int) -> bool:
        """Run blocks until there are so many; whether there was time."""
        while len(blocks) < n:
            if not has_time():
                return False
            block = [float(run("A" if who == "A" else "B")) for who in order_of(len(blocks))]
            if not min(block) > 0:
                raise ValueError(f"found a time of {min(block)} s; allowed times above 0")
            blocks.append(block)
        return True

    look = Look(0, 1.0, 0.0, inf)
    outcome: Outcome = "open"
    is_in_time = True
    for n in looks:
        is_in_time = go_on(n)
        if not is_in_time:
            break
        look = look_at(np.array(blocks), alpha / len(looks))
        outcome = _outcome(look, area)
        if outcome != "open":
            break
    confirmation = None
    if outcome == "slower" and confirms:
        first = look.n + look.n % 2  # fresh blocks begin with ABBA, too
        is_in_time = go_on(first + look.n)
        outcome = "not-confirmed"
        if is_in_time:
            confirmation = look_at(np.array(blocks[first:]), alpha)
            outcome = "slower" if _outcome(confirmation, area) == "slower" else outcome
    return Interleaved(
        outcome, look, confirmation, np.array(blocks).reshape(len(blocks), 4), is_in_time
    )


def _outcome(look: Look, area: float) -> Outcome:
    """Return on which side of the area an interval lies."""
    bound = log(area)
    low, high = (log(x) if 0 < x < inf else (-inf if x <= 0 else inf)
                 for x in (look.lower, look.upper))  # fmt: skip
    if low > bound:
        return "slower"
    if high < -bound:
        return "faster"
    return "alike" if area > 1 and -bound < low and high < bound else "open"
