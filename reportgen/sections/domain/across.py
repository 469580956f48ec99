"""One value per data set and candidate: comparisons over data sets by ranks (Demšar 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isinf

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.domain.across_result import AcrossRanks, ImanDavenportTest
from reportgen.sections.domain.basis import Groups
from reportgen.sections.domain.cube import Cube
from reportgen.sections.domain.options import Options
from reportgen.stats.domain.across import AcrossDatasets, compare_over_datasets
from reportgen.stats.pair_table import PairTable
from reportgen.stats.ranks.bayesian_signed_rank import bayesian_signed_rank
from reportgen.stats.ranks.ranks import levelled, within_block_ranks
from reportgen.study.comparison import area_on

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
    area = area_on("difference", options.relevance.get(cube.measure.name)) or (0.0, 0.0)
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
        pairs=_pairs(found, means, cube, area, rng),
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
        pairs=None,
        means=_by_mean(means, cube.measure.is_smaller_better) if len(means.rows) else {},
        target=cube.target,
    )


def _pairs(
    found: AcrossDatasets, means: _Means, cube: Cube, area: tuple[float, float], rng: Generator
) -> PairTable:
    """Put together what is known of every pair, those with the better rank first."""
    tests, ranks = found.signed_ranks, found.nemenyi.average_ranks
    smaller = cube.measure.is_smaller_better
    order = found.order
    pairs = np.array([(order[i], order[j]) for i, j in combinations(range(len(order)), 2)])
    first, second = pairs.T
    known = {
        (int(a), int(b)): i for i, (a, b) in enumerate(zip(tests.first, tests.second, strict=True))
    }
    row = np.array([known[min(i, j), max(i, j)] for i, j in pairs.tolist()])
    posterior = _posteriors(order, means, area, rng, is_smaller_better=smaller)
    table = PairTable.of(
        pairs,
        np.full(len(pairs), np.nan),
        "signed-rank-holm",
        found.alpha,
        statistic=np.where(first < second, 1, -1) * tests.statistics[row],
        p_value=tests.p_values[row],
        adjusted_p_value=tests.adjusted[row],
    ).with_columns(
        mean_difference=(means.rows[:, first] - means.rows[:, second]).mean(axis=0),
        rank_difference=ranks[first] - ranks[second],
        nemenyi_p_value=found.nemenyi.p_values[row],
        is_exact=tests.is_exact[row],
        **{f"posterior_{name}": column for name, column in posterior.items()},
    )
    return table.counted(means.rows, smaller).named(means.names, cube.target, smaller).decided()


def _posteriors(
    order: Sequence[int],
    means: _Means,
    area: tuple[float, float],
    rng: Generator,
    *,
    is_smaller_better: bool,
) -> dict[str, Array]:
    """Return posteriors of all pairs; of many candidates only of those with the best rank."""
    columns = means.rows[:, list(order)]
    n = len(order)
    names = ("left", "rope", "right", "errors")
    found = {name: np.full(n * (n - 1) // 2, np.nan) for name in names}
    if n <= LARGEST_FULL:
        all_pairs = bayesian_signed_rank(columns, rng, area)
        found = {name: np.asarray(getattr(all_pairs, name)) for name in names}
    else:
        for j in range(1, n):
            one = bayesian_signed_rank(columns[:, [0, j]], rng, area)
            for name in names:
                found[name][j - 1] = getattr(one, name)[0]
    better, worse = ("left", "right") if is_smaller_better else ("right", "left")
    return {
        "better": found[better],
        "equivalent": found["rope"],
        "worse": found[worse],
        "error": found["errors"],
    }


def _named(members: Sequence[int], names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(names[k] for k in members)


def _groups(cliques: Sequence[Sequence[int]], names: tuple[str, ...]) -> Groups:
    return tuple(_named(clique, names) for clique in cliques)
