"""One value per data set and candidate: comparisons over data sets by ranks (Demšar 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.domain.across_result import (
    AcrossPair,
    AcrossRanks,
    Groups,
    ImanDavenportTest,
    Posterior,
)
from reportgen.sections.domain.cube import Cube
from reportgen.sections.domain.options import Options
from reportgen.stats.across import AcrossDatasets, compare_over_datasets
from reportgen.stats.bayesian_signed_rank import bayesian_signed_rank
from reportgen.stats.ranks import levelled, within_block_ranks
from reportgen.warehouse import Target

Array = NDArray[np.float64]

LARGEST_FULL = 12  # candidates up to which all pairs have a posterior


@dataclass(frozen=True, slots=True)
class _Means:
    """Complete rows of means."""

    names: tuple[str, ...]
    datasets: tuple[str, ...]
    left_out: tuple[str, ...]
    rows: Array


def compare_across(cube: Cube, options: Options, rng: Generator) -> AcrossRanks:
    """Compare the candidates by one value per data set.

    Parameters
    ----------
    cube : Cube
    options : Options
    rng : Generator
        For draws from posteriors.
    """
    means = _means(cube)
    area = options.relevance.get(cube.measure.name) or (0.0, 0.0)
    if len(means.names) < 2 or len(means.rows) < 2:
        return _bare(means, cube, options, area)
    smaller = cube.measure.is_smaller_better
    found = compare_over_datasets(means.rows, options.alpha, smaller)
    ranks = found.nemenyi.average_ranks
    f = found.iman_davenport
    return AcrossRanks(
        n_datasets=len(means.rows),
        left_out=means.left_out,
        mean_ranks=dict(zip(means.names, ranks.tolist(), strict=True)),
        statistic=found.friedman.statistic,
        df=found.friedman.df,
        p_value=found.friedman.p_value,
        iman_davenport=ImanDavenportTest(
            None if isinf(f.statistic) else f.statistic, f.df1, f.df2, f.p_value, cube.target
        ),
        alpha=options.alpha,
        order=_named(found.order, means.names),
        critical_difference=found.nemenyi.critical_difference,
        rank_groups=_groups(found.nemenyi.cliques, means.names),
        groups=_groups(found.cliques, means.names),
        least_p_value=found.least_p_value,
        area=area,
        pairs=_pairs(found, means, _Judge(smaller, options.alpha, area, rng, cube.target)),
        means=_by_mean(means, smaller),
        target=cube.target,
    )


def _means(cube: Cube) -> _Means:
    """Keep the candidates that have values, and the data sets on which all of them do."""
    means = np.array(list(cube.means().values()))
    is_present = np.isfinite(means).any(axis=0)
    rows = means[:, is_present]
    is_whole = np.isfinite(rows).all(axis=1)
    datasets = list(cube.values)
    return _Means(
        names=tuple(n for n, there in zip(cube.candidates, is_present, strict=True) if there),
        datasets=tuple(d for d, whole in zip(datasets, is_whole, strict=True) if whole),
        left_out=tuple(d for d, whole in zip(datasets, is_whole, strict=True) if not whole),
        rows=rows[is_whole],
    )


def _by_mean(means: _Means, is_smaller_better: bool) -> dict[str, float]:
    """Return the means over the data sets, best first; equal where only rounding parts them."""
    (levels,) = levelled(means.rows.mean(axis=0, keepdims=True)).tolist()
    values = dict(zip(means.names, levels, strict=True))
    sign = 1 if is_smaller_better else -1
    return dict(sorted(values.items(), key=lambda item: sign * item[1]))


def _bare(means: _Means, cube: Cube, options: Options, area: tuple[float, float]) -> AcrossRanks:
    """Return what a single data set, or candidate, has: ranks and no tests."""
    ranks: dict[str, float] = {}
    if len(means.rows) and len(means.names) > 1:
        found = within_block_ranks(means.rows, cube.measure.is_smaller_better)
        ranks = dict(zip(means.names, found.mean(axis=0).tolist(), strict=True))
    return AcrossRanks(
        n_datasets=len(means.rows),
        left_out=means.left_out,
        mean_ranks=ranks,
        statistic=None,
        df=None,
        p_value=None,
        iman_davenport=None,
        alpha=options.alpha,
        order=tuple(sorted(ranks, key=ranks.__getitem__)),
        critical_difference=None,
        rank_groups=(),
        groups=(),
        least_p_value=None,
        area=area,
        pairs=(),
        means=_by_mean(means, cube.measure.is_smaller_better) if len(means.rows) else {},
        target=cube.target,
    )


@dataclass(frozen=True, slots=True)
class _Judge:
    """What turns numbers of a pair into who is better."""

    is_smaller_better: bool
    alpha: float
    area: tuple[float, float]
    rng: Generator
    target: Target


def _pairs(found: AcrossDatasets, means: _Means, judge: _Judge) -> tuple[AcrossPair, ...]:
    """Put together what is known of every pair, those with the better rank first."""
    tests = found.signed_ranks
    rows = {
        (int(a), int(b)): i for i, (a, b) in enumerate(zip(tests.first, tests.second, strict=True))
    }
    posteriors = _posteriors(found.order, means, judge)
    return tuple(
        _pair(found, means, judge, (i, j), rows[min(i, j), max(i, j)], posteriors.get((i, j)))
        for at, i in enumerate(found.order)
        for j in found.order[at + 1 :]
    )


def _pair(
    found: AcrossDatasets,
    means: _Means,
    judge: _Judge,
    pair: tuple[int, int],
    row: int,
    posterior: Posterior | None,
) -> AcrossPair:
    """Put together what is known of two candidates."""
    tests, ranks = found.signed_ranks, found.nemenyi.average_ranks
    (i, j), values = pair, means.rows[:, pair]
    wins, ties, losses = _counts(values[:, 0], values[:, 1], judge)
    z = float(tests.statistics[row]) * (1 if i < j else -1)
    lead = -z if judge.is_smaller_better else z
    is_told = tests.adjusted[row] <= judge.alpha and lead != 0
    return AcrossPair(
        first=means.names[i],
        second=means.names[j],
        estimate=float((values[:, 0] - values[:, 1]).mean()),
        wins=wins,
        ties=ties,
        losses=losses,
        rank_difference=float(ranks[i] - ranks[j]),
        nemenyi_p_value=float(found.nemenyi.p_values[row]),
        signed_rank_p_value=float(tests.p_values[row]),
        p_value=float(tests.adjusted[row]),
        is_exact=bool(tests.is_exact[row]),
        favoured=means.names[i if lead > 0 else j] if is_told else None,
        posterior=posterior,
        target=judge.target,
    )


def _counts(first: Array, second: Array, judge: _Judge) -> tuple[int, int, int]:
    """Count the data sets on which the first is better, equal, worse."""
    smaller, larger = int((first < second).sum()), int((first > second).sum())
    wins, losses = (smaller, larger) if judge.is_smaller_better else (larger, smaller)
    return wins, len(first) - wins - losses, losses


def _posteriors(
    order: Sequence[int], means: _Means, judge: _Judge
) -> dict[tuple[int, int], Posterior]:
    """Return posteriors of all pairs; of many candidates only of those with the best rank."""
    place = {k: i for i, k in enumerate(order)}
    columns = means.rows[:, list(order)]
    if len(order) <= LARGEST_FULL:
        found = bayesian_signed_rank(columns, judge.rng, judge.area)
        sides = zip(found.left, found.rope, found.right, found.errors, strict=True)
        pairs = zip(found.first.tolist(), found.second.tolist(), strict=True)
        return {
            (order[i], order[j]): _posterior([float(x) for x in side], judge)
            for (i, j), side in zip(pairs, sides, strict=True)
        }
    posteriors = {}
    for j in order[1:]:
        found = bayesian_signed_rank(columns[:, [0, place[j]]], judge.rng, judge.area)
        side = [float(x[0]) for x in (found.left, found.rope, found.right, found.errors)]
        posteriors[order[0], j] = _posterior(side, judge)
    return posteriors


def _posterior(side: Sequence[float], judge: _Judge) -> Posterior:
    """Turn shares below, in and above the area into better and worse."""
    left, rope, right, error = side
    better, worse = (left, right) if judge.is_smaller_better else (right, left)
    return Posterior(better, rope, worse, error)


def _named(members: Sequence[int], names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(names[k] for k in members)


def _groups(cliques: Sequence[Sequence[int]], names: tuple[str, ...]) -> Groups:
    return tuple(_named(clique, names) for clique in cliques)
