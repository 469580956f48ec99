"""Beside the stages: group sequential tests, and tests that are valid at any time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from reportgen.sections.sequential.asked import Array, Asked
from reportgen.sections.sequential.monitored import Anytime, GroupSequential
from reportgen.stats.sequential.anytime import (
    FIRST_LOOK,
    asymptotic_confidence_sequence,
    bernstein_confidence_sequence,
    replications_needed,
    sign_process,
)
from reportgen.stats.sequential.group import GroupBoundaries, spent_boundaries
from reportgen.stats.sequential.recursive import Decision, obrien_fleming_spending, pocock_spending
from reportgen.stats.sequential.staged import holm_decisions
from reportgen.stats.sequential.tracks import holm_tracks
from reportgen.stats.sequential.verdicts import MOST_HOLM, Verdict

if TYPE_CHECKING:
    from reportgen.sections.sequential.pairs import Course

LARGEST_Z = 37.0
NOISE = 1e-12  # share of the range below which a mean difference is rounding


def group_of(asked: Asked, sides: Sequence[Sequence[Course]]) -> list[GroupSequential]:
    """Test all replications so far at the end of each stage.

    Parameters
    ----------
    asked : Asked
    sides : sequence of two sequences of Course
        The pairs, tested for negative and for positive differences.
    """
    shares = tuple(end / asked.planned[-1] for end in asked.planned)
    is_two_sided = asked.options.alternative == "two-sided"
    spending = "pocock" if asked.options.rule == "pocock" else "obrien-fleming"

    def boundaries(level: float) -> GroupBoundaries:
        return _boundaries(shares, spending, level, is_two_sided)

    z = [_z(asked, less, greater) for less, greater in zip(*sides, strict=True)]
    n, alpha = len(z), asked.own_alpha
    crossings: dict[tuple[int, float], int] = {}

    def crossing(i: int, level: float) -> int:
        if (i, level) not in crossings:
            crossings[i, level] = boundaries(level).first_crossing(z[i]) or len(asked.planned) + 1
        return crossings[i, level]

    def after(stage: int) -> tuple[Decision, ...]:
        def decide(i: int, level: float) -> Decision:
            return "reject" if crossing(i, level) <= stage else "go on"

        if asked.is_part or n > MOST_HOLM:
            return tuple(decide(i, alpha / asked.n_compared) for i in range(n))
        return holm_decisions(n, decide, alpha)

    by_stage = [after(stage) for stage in range(1, len(asked.ends) + 1)]
    own = tuple(boundaries(asked.options.alpha).upper.tolist())
    found = []
    for i in range(n):
        at = next((t for t, row in enumerate(by_stage) if row[i] == "reject"), None)
        verdict: Verdict = "open"
        if at is not None:
            verdict = _direction(asked, float(z[i][min(at, len(z[i]) - 1)]))
        end = None if at is None else asked.ends[at]
        found.append(GroupSequential(own, tuple(z[i].tolist()), verdict, end))
    return found


def _direction(asked: Asked, z: float) -> Verdict:
    if asked.options.alternative != "two-sided":
        return asked.options.alternative
    return "greater" if z > 0 else "less"


def _z(asked: Asked, less: Course, greater: Course) -> Array:
    """Return signed normal quantiles of the test of all replications up to each stage's end.

    One-sided, they are positive in the direction that is asked for.
    """
    looks = np.searchsorted(less.looks, asked.ends, side="right") - 1
    looks = looks[looks >= 0]
    low, high = -ndtri(less.track.p_values[looks]), -ndtri(greater.track.p_values[looks])
    if asked.options.alternative == "two-sided":
        z = np.where(high > low, np.maximum(0.0, high), -np.maximum(0.0, low))
    else:
        z = low if asked.options.alternative == "less" else high
    return np.clip(z, -LARGEST_Z, LARGEST_Z)


@cache
def _boundaries(
    shares: tuple[float, ...], spending: str, level: float, is_two_sided: bool
) -> GroupBoundaries:
    """Return boundaries, which all data sets of a study share."""
    spend = pocock_spending if spending == "pocock" else obrien_fleming_spending
    return spent_boundaries(shares, spend, level, is_two_sided)


def anytime_of(asked: Asked, courses: Sequence[Course]) -> list[Anytime]:
    """Follow the sign e-process and the confidence sequence of each pair."""
    n, n_compared = len(courses), asked.n_compared
    signed = np.zeros((n, len(asked.values)))
    for i, course in enumerate(courses):
        signed[i, course.replications - 1] = course.differences
    process = sign_process(signed, asked.options.alternative)
    adjusted = process.p_values * n_compared if asked.is_part else holm_tracks(process.p_values)
    level = asked.options.alpha / max(n, asked.n_family)
    found = []
    for i, course in enumerate(courses):
        wins, losses = int(process.wins[i, -1]), int(process.losses[i, -1])
        rejects = np.flatnonzero(adjusted[i] <= asked.own_alpha)
        at = int(process.n[rejects[0]]) if len(rejects) else None
        verdict: Verdict = "open"
        if at is not None:
            verdict = _direction(
                asked, float(process.wins[i, at - 1]) - float(process.losses[i, at - 1])
            )
        found.append(
            Anytime(
                wins,
                losses,
                float(process.p_values[i, -1]),
                at,
                verdict,
                level,
                *_sequence(asked, course, level),
                _needed(asked, course, level),
            )
        )
    return found


def _sequence(
    asked: Asked, course: Course, level: float
) -> tuple[
    tuple[int, ...],
    tuple[float, ...],
    tuple[float, ...],
    tuple[float, ...],
    tuple[float, float] | None,
    int | None,
]:
    """Return looks, means, bounds, the last interval and the first without 0."""
    d, span = course.differences, asked.span
    if asked.options.sequence == "bernstein" and span is not None:
        found = bernstein_confidence_sequence(d, -span, span, level)
    elif len(d) < FIRST_LOOK:
        return (), (), (), (), None, None
    else:
        found = asymptotic_confidence_sequence(d, level)
    decided = float(found.decided_at())
    at = int(course.replications[int(decided) - 1]) if np.isfinite(decided) else None
    shown = found.n >= min(asked.burn_in, len(d))
    rows = (found.means[shown], found.lower[shown], found.upper[shown])
    last = asked.measured(float(found.lower[-1])), asked.measured(float(found.upper[-1]))
    looks = tuple(course.replications[found.n[shown] - 1].tolist())
    means, lower, upper = (tuple(map(asked.measured, row.tolist())) for row in rows)
    return looks, means, lower, upper, last, at


def _needed(asked: Asked, course: Course, level: float) -> int | None:
    """Return how many replications the mean difference takes at least, by a bet that is bounded."""
    if asked.options.sequence != "bernstein" or not asked.span:
        return None
    share = float(course.differences.mean()) / asked.span
    return replications_needed(share, level) if abs(share) > NOISE else None
