"""The pairs of one measure on accumulating replications.

Follows them in stages, by group sequential tests and by tests that are valid at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.inference.result import Method
from reportgen.sections.sequential.request import Array, Request
from reportgen.sections.sequential.result import (
    Anytime,
    FixedVerdict,
    GroupSequential,
    Monitored,
    RandomOrders,
    StageResult,
)
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.own_variances import compare_by_scale
from reportgen.stats.sequential.anytime import (
    FIRST_LOOK,
    asymptotic_confidence_sequence,
    bernstein_confidence_sequence,
    replications_needed,
    sign_process,
)
from reportgen.stats.sequential.group import (
    boundaries_of,
    first_rejections,
    normal_quantiles,
)
from reportgen.stats.sequential.orders import order_free_pairs, order_looks
from reportgen.stats.sequential.recursive import RecursiveTest
from reportgen.stats.sequential.staged import SPENDINGS, PairStages, Quantity
from reportgen.stats.sequential.tracks import (
    Track,
    holm_tracks,
    point_of_consecutive_significance,
    pseudo_median,
    skewness_of,
)
from reportgen.stats.sequential.verdicts import Answers, Verdict, settled
from reportgen.study.comparison import area_on

Key = TypeVar("Key", bound=Hashable)

NOISE = 1e-12  # share of the range below which a mean difference is rounding
LOOKS_OF_ORDERS = 20  # at which random orders are tested, about
ESTIMATES: Mapping[Quantity, Callable[[Array], Any]] = {
    "mean": np.mean,
    "pseudo-median": pseudo_median,
    "median": np.median,
}


@dataclass(frozen=True, slots=True)
class PairSeries:
    """A pair that has enough values, and its track.

    Attributes
    ----------
    place : int
        Among the pairs that are requested.
    differences : ndarray of shape (n,)
        Of the replications with both.
    replications : ndarray of shape (n,), int
        How many replications there were by then.
    track : Track
    skewness : float
        Of the differences.
    """

    place: int
    differences: Array
    replications: NDArray[np.intp]
    track: Track
    skewness: float

    @property
    def looks(self) -> NDArray[np.intp]:
        """Replications at each look of the track."""
        return self.replications[self.track.n - 1]


def pair_series(request: Request) -> tuple[PairSeries, ...]:
    """Follow the pairs with enough values; those with as many at once."""
    there = [np.flatnonzero(np.isfinite(d)) for d in request.differences]
    found = []
    for n, places in _alike(map(len, there)):
        if n < request.burn_in:
            continue
        stacked = np.stack([request.differences[place][there[place]] for place in places])
        tracks = request.plan.follow(stacked, request.burn_in, request.plan.alternative)
        skewness = skewness_of(stacked).tolist()
        found += [
            PairSeries(place, stacked[i], there[place] + 1, _row(tracks, i), skewness[i])
            for i, place in enumerate(places)
        ]
    return tuple(sorted(found, key=lambda series: series.place))


def _row(track: Track, i: int) -> Track:
    return Track(track.n, track.statistics[i], track.p_values[i], track.effects[i])


def monitor_pairs(
    request: Request,
    stages: Sequence[PairStages],
    answers: Sequence[Sequence[Answers]],
    verdicts: Method | None,
    rng: Generator,
) -> tuple[Monitored, ...]:
    """Monitor the pairs that have enough values.

    Parameters
    ----------
    request : Request
    stages : sequence of PairStages
        Of the pairs that are requested.
    answers : sequence of sequences of Answers
        By stage and pair, in their family.
    verdicts : Method or None
        What decides on all pairs with all replications.
    rng : Generator
    """
    all_series = pair_series(request)
    if not all_series:
        return ()
    groups = group_of(request, all_series)
    anytime = anytime_of(request, all_series)
    at = _compare_fixed(request, all_series, verdicts, rng)
    random_orders = _random_orders(request, all_series, rng)
    found, stop = [], request.options.stop
    for i, series in enumerate(all_series):
        own, decided_at = settled(request.ends, [row[series.place] for row in answers], stop)
        entry = _entry(request, series, stages[series.place])
        found.append(
            replace(
                entry,
                verdict=own.verdict,
                decided_at=decided_at,
                at=at[i],
                random_orders=random_orders[i],
                group_sequential=groups[i],
                anytime=anytime[i],
            )
        )
    return tuple(found)


def _entry(request: Request, series: PairSeries, stages: PairStages) -> Monitored:
    """Put together the track of a pair and its test in stages, alone."""
    first, second = request.names(request.pairs[series.place])
    options, track = request.options, series.track
    point = float(point_of_consecutive_significance(track, options.alpha))
    sides = stages.sides(request.plan, options.alpha)
    outcome = stages.difference(request.plan, options.alpha)
    smallest = min(sides, key=lambda s: sides[s].p_value, default=None)
    side = outcome.direction or smallest
    test = sides[side] if side else None
    p = None if test is None else min(1.0, test.p_value * len(sides))
    return Monitored(
        first,
        second,
        options.test,
        options.alternative,
        request.burn_in,
        request.target,
        tuple(series.looks.tolist()),
        tuple(track.p_values.tolist()),
        tuple(track.statistics.tolist()),
        _effects(request, track),
        float(request.measured(ESTIMATES[request.plan.quantity](series.differences))),
        len(series.differences),
        int(series.replications[int(point) - 1]) if np.isfinite(point) else None,
        options.alpha,
        stage_results(test, request.ends) if test else (),
        side,
        p,
        "undecided" if outcome.decision == "go on" else outcome.decision,
        request.plan.quantity,
        series.skewness,
        request.scale,
    )


def _effects(request: Request, track: Track) -> tuple[float, ...]:
    """Return the effects of a track, those of logarithms as ratios where they are means."""
    is_mean = request.plan.quantity == "mean"
    return tuple((request.measured(track.effects) if is_mean else track.effects).tolist())


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


def _compare_fixed(
    request: Request, all_series: Sequence[PairSeries], verdicts: Method | None, rng: Generator
) -> list[tuple[FixedVerdict, ...]]:
    """Return the verdicts of fixed designs; none where the stages themselves decide.

    The last of them is the verdict of the report. The others are by the same rule, where it is
    that of all pairs' own variances.
    """
    n_all = len(request.values)
    wanted = sorted({n for n in request.options.at if 2 <= n < n_all})
    seed = int(rng.integers(2**32))  # one for all numbers of replications: only these differ
    tables: dict[int, PairTable] = {}
    if not request.run and (verdicts is None or verdicts.name == "own-variance"):
        tables = {n: _verdicts(request, n, seed) for n in wanted}
    if not request.run:
        tables[n_all] = _verdicts(request, n_all, seed) if verdicts is None else verdicts.pairs
    found: list[list[FixedVerdict]] = [[] for _ in all_series]
    for n, table in tables.items():
        for i, series in enumerate(all_series):
            first, second = request.names(request.pairs[series.place])
            is_there = {first, second} <= set(table.candidates)
            pair = table.between(first, second) if is_there else None
            if pair is not None and pair.estimate is not None:
                p_values = pair.p_value, pair.adjusted_p_value
                found[i].append(FixedVerdict(n, *p_values, pair.decision, pair.way))
    return [tuple(row) for row in found]


def _verdicts(request: Request, n: int, seed: int) -> PairTable:
    """Return the verdicts of a design of n replications."""
    performances = request.performances
    there = np.flatnonzero(np.isfinite(request.values).any(axis=0))
    values = np.where(np.isfinite(performances.values), performances.values, np.nan)[:n, there]
    rng = np.random.default_rng(seed)
    table = compare_by_scale(values, request.scale, request.options.alpha, rng)
    names = [performances.candidates[k] for k in there]
    return table.named(names, request.target, performances.measure.is_smaller_better).decided(
        area_on(request.scale, request.named_area)
    )


def _random_orders(
    request: Request, all_series: Sequence[PairSeries], rng: Generator
) -> list[RandomOrders | None]:
    """Test random orders of the replications at some looks; pairs with as many at once."""
    n_orders, alpha = request.options.orders, request.options.alpha
    found: list[RandomOrders | None] = [None] * len(all_series)
    for n, places in _alike(len(series.differences) for series in all_series):
        if not n_orders or n <= request.burn_in:
            continue
        looks = order_looks(n, request.burn_in, LOOKS_OF_ORDERS)
        stacked = np.stack([all_series[i].differences for i in places])
        tested = order_free_pairs(stacked, looks, request.plan, rng, n_orders)
        for i, orders in zip(places, tested, strict=True):
            replications = all_series[i].replications
            stable = orders.stable_from(alpha)
            lower, median, upper = (tuple(row) for row in orders.band().tolist())
            found[i] = RandomOrders(
                n_orders,
                tuple(replications[looks - 1].tolist()),
                lower,
                median,
                upper,
                tuple(orders.share_significant(alpha).tolist()),
                None if stable is None else int(replications[stable - 1]),
            )
    return found


def _alike(keys: Iterable[Key]) -> Iterable[tuple[Key, list[int]]]:
    """Return the places that have the same key, in the order of the first ones."""
    places: dict[Key, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    return places.items()


# --- group sequential tests, and tests valid at any time


def group_of(request: Request, all_series: Sequence[PairSeries]) -> list[GroupSequential]:
    """Test all replications so far at the end of each stage, of each pair."""
    shares = tuple(end / request.planned[-1] for end in request.planned)
    is_two_sided = request.options.alternative == "two-sided"
    spending = SPENDINGS["pocock" if request.options.rule == "pocock" else "obrien-fleming"]
    z = list(_z(request, all_series))
    decided = first_rejections(
        z,
        shares,
        spending,
        request.own_alpha,
        is_two_sided=is_two_sided,
        n_compared=request.n_compared if request.is_part else None,
    )
    boundaries = boundaries_of(shares, spending, request.options.alpha, is_two_sided)
    own = tuple(boundaries.upper.tolist())
    found = []
    for row, look in zip(z, decided, strict=True):
        at = look if look is not None and look <= len(request.ends) else None
        verdict: Verdict = "open"
        if at is not None:
            verdict = _direction(request, float(row[at - 1]))
        end = None if at is None else request.ends[at - 1]
        found.append(GroupSequential(own, tuple(row.tolist()), verdict, end))
    return found


def _direction(request: Request, z: float) -> Verdict:
    if request.options.alternative != "two-sided":
        return request.options.alternative
    return "greater" if z > 0 else "less"


def _z(request: Request, all_series: Sequence[PairSeries]) -> Array:
    """Return the statistics of all replications up to each stage's end; 0 before the burn-in.

    Returns
    -------
    ndarray of shape (P, T)
    """
    counts = [np.searchsorted(s.replications, request.ends, side="right") for s in all_series]
    z = np.zeros((len(all_series), len(request.ends)))
    sizes = (len(series.differences) for series in all_series)
    for (_, own), places in _alike(zip(sizes, map(tuple, counts), strict=True)):
        has_look = np.array(own) >= request.burn_in
        if has_look.any():
            stacked = np.stack([all_series[i].differences for i in places])
            tails = request.plan.tails(stacked, np.array(own)[has_look])
            z[np.ix_(np.array(places), has_look)] = normal_quantiles(
                *tails, request.options.alternative
            )
    return z


def anytime_of(request: Request, all_series: Sequence[PairSeries]) -> list[Anytime]:
    """Follow the sign e-process and the confidence sequence of each pair."""
    n, n_compared = len(all_series), request.n_compared
    signed = np.zeros((n, len(request.values)))
    for i, series in enumerate(all_series):
        signed[i, series.replications - 1] = series.differences
    process = sign_process(signed, request.options.alternative)
    adjusted = process.p_values * n_compared if request.is_part else holm_tracks(process.p_values)
    level = request.options.alpha / max(n, request.n_family)
    found = []
    for i, series in enumerate(all_series):
        wins, losses = int(process.wins[i, -1]), int(process.losses[i, -1])
        rejects = np.flatnonzero(adjusted[i] <= request.own_alpha)
        at = int(process.n[rejects[0]]) if len(rejects) else None
        verdict: Verdict = "open"
        if at is not None:
            verdict = _direction(
                request, float(process.wins[i, at - 1]) - float(process.losses[i, at - 1])
            )
        found.append(
            Anytime(
                wins,
                losses,
                float(process.p_values[i, -1]),
                at,
                verdict,
                level,
                *_sequence(request, series, level),
                _needed(request, series, level),
            )
        )
    return found


def _sequence(
    request: Request, series: PairSeries, level: float
) -> tuple[
    tuple[int, ...],
    tuple[float, ...],
    tuple[float, ...],
    tuple[float, ...],
    tuple[float, float] | None,
    int | None,
]:
    """Return looks, means, bounds, the last interval and the first without 0."""
    d, span = series.differences, request.span
    if request.options.sequence == "bernstein" and span is not None:
        found = bernstein_confidence_sequence(d, -span, span, level)
    elif len(d) < FIRST_LOOK:
        return (), (), (), (), None, None
    else:
        found = asymptotic_confidence_sequence(d, level)
    decided = float(found.decided_at())
    at = int(series.replications[int(decided) - 1]) if np.isfinite(decided) else None
    shown = found.n >= min(request.burn_in, len(d))
    rows = (found.means[shown], found.lower[shown], found.upper[shown])
    low, high = request.measured([found.lower[-1], found.upper[-1]]).tolist()
    looks = tuple(series.replications[found.n[shown] - 1].tolist())
    means, lower, upper = (tuple(request.measured(row).tolist()) for row in rows)
    return looks, means, lower, upper, (low, high), at


def _needed(request: Request, series: PairSeries, level: float) -> int | None:
    """Return how many replications the mean difference takes at least, by a bet that is bounded."""
    if request.options.sequence != "bernstein" or not request.span:
        return None
    share = float(series.differences.mean()) / request.span
    return replications_needed(share, level) if abs(share) > NOISE else None
