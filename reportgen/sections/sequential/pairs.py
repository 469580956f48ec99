"""The pairs of one measure on accumulating replications."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.inference.result import Method
from reportgen.sections.inference.verdict import compare
from reportgen.sections.sequential.asked import Array, Asked
from reportgen.sections.sequential.beside import anytime_of, group_of
from reportgen.sections.sequential.monitored import (
    Alternative,
    FixedVerdict,
    Monitored,
    RandomOrders,
    StageResult,
)
from reportgen.stats.pair_table import PairTable
from reportgen.stats.sequential.orders import order_free, order_looks
from reportgen.stats.sequential.recursive import RecursiveTest
from reportgen.stats.sequential.staged import PairStages, Quantity
from reportgen.stats.sequential.tracks import (
    Track,
    point_of_consecutive_significance,
    pseudo_median,
    skewness_of,
)
from reportgen.stats.sequential.verdicts import Answers, settled
from reportgen.study.comparison import area_on

LOOKS_OF_ORDERS = 20  # at which random orders are tested, about
ESTIMATES: Mapping[Quantity, Callable[[Array], Any]] = {
    "mean": np.mean,
    "pseudo-median": pseudo_median,
    "median": np.median,
}


@dataclass(frozen=True, slots=True)
class Course:
    """A pair that has enough values, and its track.

    Attributes
    ----------
    place : int
        Among the pairs that are asked for.
    differences : ndarray of shape (n,)
        Of the replications with both.
    replications : ndarray of shape (n,), int
        How many replications there were by then.
    track : Track
    """

    place: int
    differences: Array
    replications: NDArray[np.intp]
    track: Track

    @property
    def looks(self) -> NDArray[np.intp]:
        """Replications at each look of the track."""
        return self.replications[self.track.n - 1]


def courses_of(asked: Asked, alternative: Alternative) -> tuple[Course, ...]:
    """Follow the pairs with enough values; those without gaps at once."""
    found, whole = [], []
    for place, d in enumerate(asked.differences):
        there = np.flatnonzero(np.isfinite(d))
        if len(there) < asked.burn_in:
            continue
        if len(there) == len(d):
            whole.append(place)
            continue
        track = asked.plan.follow(d[there], asked.burn_in, alternative)
        found.append(Course(place, d[there], there + 1, track))
    if whole:
        stacked = np.stack([asked.differences[place] for place in whole])
        tracks = asked.plan.follow(stacked, asked.burn_in, alternative)
        every = np.arange(1, stacked.shape[1] + 1, dtype=np.intp)
        found += [
            Course(place, stacked[i], every, _row(tracks, i)) for i, place in enumerate(whole)
        ]
    return tuple(sorted(found, key=lambda course: course.place))


def _row(track: Track, i: int) -> Track:
    return Track(track.n, track.statistics[i], track.p_values[i], track.effects[i])


def monitored_pairs(
    asked: Asked,
    stages: Sequence[PairStages],
    answers: Sequence[Sequence[Answers]],
    verdicts: Method | None,
    rng: Generator,
) -> tuple[Monitored, ...]:
    """Say everything of the pairs that have enough values.

    Parameters
    ----------
    asked : Asked
    stages : sequence of PairStages
        Of the pairs that are asked for.
    answers : sequence of sequences of Answers
        By stage and pair, in their family.
    verdicts : Method or None
        What decides on all pairs with all replications.
    rng : Generator
    """
    courses = courses_of(asked, asked.plan.alternative)
    if not courses:
        return ()
    groups = group_of(asked, [courses_of(asked, side) for side in ("less", "greater")])
    anytime = anytime_of(asked, courses)
    at = _fixed(asked, courses, verdicts, rng)
    found, stop = [], asked.options.stop
    for i, course in enumerate(courses):
        own, decided_at = settled(asked.ends, [row[course.place] for row in answers], stop)
        entry = _entry(asked, course, stages[course.place])
        found.append(
            replace(
                entry,
                verdict=own.verdict,
                decided_at=decided_at,
                at=at[i],
                random_orders=_random_orders(asked, course, rng),
                group_sequential=groups[i],
                anytime=anytime[i],
            )
        )
    return tuple(found)


def _entry(asked: Asked, course: Course, stages: PairStages) -> Monitored:
    """Put together the track of a pair and its test in stages, alone."""
    first, second = asked.names(asked.pairs[course.place])
    options, track = asked.options, course.track
    point = float(point_of_consecutive_significance(track, options.alpha))
    sides = stages.sides(asked.plan, options.alpha)
    outcome = stages.difference(asked.plan, options.alpha)
    smallest = min(sides, key=lambda s: sides[s].p_value, default=None)
    side = outcome.direction or smallest
    test = sides[side] if side else None
    p = None if test is None else min(1.0, test.p_value * len(sides))
    return Monitored(
        first,
        second,
        options.test,
        options.alternative,
        asked.burn_in,
        asked.target,
        tuple(course.looks.tolist()),
        tuple(track.p_values.tolist()),
        tuple(track.statistics.tolist()),
        _effects(asked, track),
        asked.measured(float(ESTIMATES[asked.plan.quantity](course.differences))),
        len(course.differences),
        int(course.replications[int(point) - 1]) if np.isfinite(point) else None,
        options.alpha,
        stage_results(test, asked.ends) if test else (),
        side,
        p,
        "undecided" if outcome.decision == "go on" else outcome.decision,
        asked.plan.quantity,
        skewness_of(course.differences),
        asked.scale,
    )


def _effects(asked: Asked, track: Track) -> tuple[float, ...]:
    """Return the effects of a track, those of logarithms as ratios where they are means."""
    effects: list[float] = track.effects.tolist()
    return tuple(map(asked.measured, effects) if asked.plan.quantity == "mean" else effects)


def stage_results(test: RecursiveTest, ends: Sequence[int]) -> tuple[StageResult, ...]:
    """Return the stages of a test with their replications."""
    return tuple(
        StageResult(
            end,
            stage.p_value,
            stage.alpha_star,
            stage.alpha_1,
            stage.alpha_0,
            stage.c,
            "go-on" if stage.decision == "go on" else stage.decision,
        )
        for stage, end in zip(test.stages, ends, strict=False)
    )


def _fixed(
    asked: Asked, courses: Sequence[Course], verdicts: Method | None, rng: Generator
) -> list[tuple[FixedVerdict, ...]]:
    """Return the verdicts of fixed designs; none where the stages themselves decide.

    The last of them is the verdict of the report. The others are by the same rule, where it is
    that of all pairs' own variances.
    """
    n_all = len(asked.values)
    wanted = sorted({n for n in asked.options.at if 2 <= n < n_all})
    seed = int(rng.integers(2**32))  # one for all numbers of replications: only these differ
    tables: dict[int, PairTable] = {}
    if not asked.run and (verdicts is None or verdicts.name == "own-variance"):
        tables = {n: _verdicts(asked, n, seed) for n in wanted}
    if not asked.run:
        tables[n_all] = _verdicts(asked, n_all, seed) if verdicts is None else verdicts.pairs
    found: list[list[FixedVerdict]] = [[] for _ in courses]
    for n, table in tables.items():
        for i, course in enumerate(courses):
            first, second = asked.names(asked.pairs[course.place])
            is_there = {first, second} <= set(table.candidates)
            pair = table.between(first, second) if is_there else None
            if pair is not None and pair.estimate is not None:
                found[i].append(FixedVerdict(n, pair.p_value, pair.adjusted_p_value, pair.decision))
    return [tuple(row) for row in found]


def _verdicts(asked: Asked, n: int, seed: int) -> PairTable:
    """Return the verdicts of a design of n replications."""
    cube = asked.performances
    there = np.flatnonzero(np.isfinite(asked.values).any(axis=0))
    values = np.where(np.isfinite(cube.values), cube.values, np.nan)[:n, there]
    table = compare(values, asked.scale, asked.options.alpha, np.random.default_rng(seed))
    names = [cube.candidates[k] for k in there]
    return table.named(names, asked.target, cube.measure.is_smaller_better).decided(
        area_on(asked.scale, asked.named_area)
    )


def _random_orders(asked: Asked, course: Course, rng: Generator) -> RandomOrders | None:
    """Test random orders of the replications at some looks."""
    n, options = len(course.differences), asked.options
    if not options.orders or n <= asked.burn_in:
        return None
    looks = order_looks(n, asked.burn_in, LOOKS_OF_ORDERS)
    found = order_free(course.differences, looks, asked.plan, rng, options.orders)
    places = tuple(course.replications[looks - 1].tolist())
    stable = found.stable_from(options.alpha)
    lower, median, upper = (tuple(row) for row in found.band().tolist())
    return RandomOrders(
        options.orders,
        places,
        lower,
        median,
        upper,
        tuple(found.share_significant(options.alpha).tolist()),
        None if stable is None else int(course.replications[stable - 1]),
    )
