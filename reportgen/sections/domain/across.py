"""Comparisons over data sets by one value per data set and candidate (Demšar 2006).

Compares the orders by all methods, with the reasons for their differences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.methods import ComparisonMethod
from reportgen.sections.consensus.analysis import ConsensusResult
from reportgen.sections.domain import Options
from reportgen.sections.domain.basis import STRUCTURES
from reportgen.sections.domain.data import DomainValues
from reportgen.sections.domain.result import (
    AcrossRanks,
    Agreement,
    Disagreements,
    DomainFit,
    DomainVerdict,
    FixedEffectsFit,
    MethodOrder,
    Reason,
    Sides,
)
from reportgen.stats.arrays import Array, column_means
from reportgen.stats.domain.across import AcrossDatasets, compare_over_datasets
from reportgen.stats.pair_table import PairTable
from reportgen.stats.ranking import levelled, sort_best_first, within_block_ranks
from reportgen.stats.ranks.bayesian_signed_rank import signed_rank_posterior
from reportgen.stats.relations.named_pairs import NamedPairs
from reportgen.stats.relations.relations import chain, unbeaten
from reportgen.stats.shared_means import pair_blocks, pair_columns
from reportgen.stats.verdict import Groups
from reportgen.study.comparison import area_on

LARGEST_FULL = 12  # candidates up to which all pairs have a posterior


@dataclass(frozen=True, slots=True)
class _Means:
    """Means by data set: rows with all candidates, and rows with gaps."""

    names: tuple[str, ...]
    datasets: tuple[str, ...]
    missing_datasets: tuple[str, ...]
    rows: Array
    incomplete: Array

    @property
    def every(self) -> Array:
        """Shape (M, K): all data sets, the complete ones first."""
        return np.vstack([self.rows, self.incomplete])


def compare_across(all_values: DomainValues, options: Options, rng: Generator) -> AcrossRanks:
    """Compare the candidates by one value per data set.

    `rng`: for draws from posteriors.
    """
    means = _means(all_values)
    area = area_on("difference", options.relevance.get(all_values.measure.name)) or (0.0, 0.0)
    if len(means.names) < 2 or len(means.rows) < 2:
        return _bare(means, all_values, options, area)
    smaller = all_values.measure.is_smaller_better
    found = compare_over_datasets(means.rows, options.alpha, smaller, incomplete=means.incomplete)
    ranks = found.nemenyi.average_ranks
    return AcrossRanks(
        n_datasets=len(means.rows),
        missing_datasets=means.missing_datasets,
        mean_ranks=dict(zip(means.names, ranks.tolist(), strict=True)),
        statistic=found.friedman.statistic,
        df=found.friedman.df,
        p_value=found.friedman.p_value,
        iman_davenport=replace(found.iman_davenport, target=all_values.target),
        alpha=options.alpha,
        order=_name(found.order, means.names),
        critical_difference=found.nemenyi.critical_difference,
        rank_groups=_groups(found.nemenyi.cliques, means.names),
        groups=None if found.cliques is None else _groups(found.cliques, means.names),
        least_p_value=found.least_p_value,
        area=area,
        pairs=_pairs(found, means, all_values, area, rng),
        means=_by_mean(means, smaller),
        target=all_values.target,
    )


def _means(all_values: DomainValues) -> _Means:
    """Keep the candidates that have values, and the data sets on which all of them do."""
    means = np.array(list(all_values.means().values()))
    is_present = np.isfinite(means).any(axis=0)
    rows = means[:, is_present]
    is_whole = np.isfinite(rows).all(axis=1)
    datasets = all_values.datasets
    return _Means(
        names=tuple(n for n, there in zip(all_values.candidates, is_present, strict=True) if there),
        datasets=tuple(d for d, whole in zip(datasets, is_whole, strict=True) if whole),
        missing_datasets=tuple(d for d, whole in zip(datasets, is_whole, strict=True) if not whole),
        rows=rows[is_whole],
        incomplete=rows[~is_whole],
    )


def _by_mean(means: _Means, is_smaller_better: bool) -> dict[str, float]:
    """Return the means over the data sets, best first; equal where only rounding parts them."""
    (levels,) = levelled(means.rows.mean(axis=0, keepdims=True)).tolist()
    values = dict(zip(means.names, levels, strict=True))
    return sort_best_first(values, is_smaller_better=is_smaller_better)


def _bare(
    means: _Means, all_values: DomainValues, options: Options, area: tuple[float, float]
) -> AcrossRanks:
    """Return what a single data set, or candidate, has: ranks and no tests."""
    ranks: dict[str, float] = {}
    if len(means.rows) and len(means.names) > 1:
        found = within_block_ranks(means.rows, all_values.measure.is_smaller_better)
        ranks = dict(zip(means.names, found.mean(axis=0).tolist(), strict=True))
    return AcrossRanks(
        n_datasets=len(means.rows),
        missing_datasets=means.missing_datasets,
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
        means=_by_mean(means, all_values.measure.is_smaller_better) if len(means.rows) else {},
        target=all_values.target,
    )


def _pairs(
    found: AcrossDatasets,
    means: _Means,
    all_values: DomainValues,
    area: tuple[float, float],
    rng: Generator,
) -> PairTable:
    """Put together what is known of every pair, those with the better rank first."""
    tests, ranks = found.signed_ranks, found.nemenyi.average_ranks
    smaller = all_values.measure.is_smaller_better
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
        mean_difference=_mean_differences(means.every, pairs),
        rank_difference=ranks[first] - ranks[second],
        nemenyi_p_value=found.nemenyi.p_values[row],
        is_exact=tests.is_exact[row],
        **{f"posterior_{name}": column for name, column in posterior.items()},
    )
    if len(means.incomplete):
        table = table.with_columns(n=tests.n[row])
    return (
        table.counted(means.every, smaller).named(means.names, all_values.target, smaller).decided()
    )


def _mean_differences(values: Array, pairs: NDArray[np.intp]) -> Array:
    found = [
        column_means(np.subtract(*pair_columns(values, pairs[some])))
        for some in pair_blocks(len(values), len(pairs))
    ]
    return np.concatenate(found)


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
        all_pairs = signed_rank_posterior(columns, rng, area)
        found = {name: np.asarray(getattr(all_pairs, name)) for name in names}
    else:
        rivals = np.array([(0, j) for j in range(1, n)])
        of_best = signed_rank_posterior(columns, rng, area, pairs=rivals)
        for name in names:
            found[name][: n - 1] = getattr(of_best, name)
    better, worse = ("left", "right") if is_smaller_better else ("right", "left")
    return {
        "better": found[better],
        "equivalent": found["rope"],
        "worse": found[worse],
        "error": found["errors"],
    }


def _name(members: Sequence[int], names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(names[k] for k in members)


def _groups(cliques: Sequence[Sequence[int]], names: tuple[str, ...]) -> Groups:
    return tuple(_name(clique, names) for clique in cliques)


Order = NDArray[np.bool_]  # [i, j] is true where i is put before j
Places = NDArray[np.intp]
Methods = tuple[ComparisonMethod, ...]

OF_PAIRS: Methods = ("own-variance", "families", "sources", "wins")
SURE = 0.95  # posterior probability from which a candidate is put before another


def compare_methods(
    across: AcrossRanks,
    consensus: ConsensusResult | None,
    fits: Mapping[str, DomainFit],
    verdict: DomainVerdict | None,
    fixed: FixedEffectsFit | None = None,
) -> Agreement | None:
    """Compare the orders of all methods on one measure.

    `fits`: by structure.
    `fixed`: the model with data sets as fixed effects, where the study asks for it.
    Result: None where there is only one method.
    """
    names = verdict.order if verdict else across.order
    others = consensus.candidates if consensus is not None else ()
    known = dict.fromkeys((*names, *across.means, *across.mean_ranks, *others))
    place = {name: k for k, name in enumerate(known)}
    found: dict[ComparisonMethod, Order] = {}
    if across.means:
        found["means"] = _by_means(across.means, place)
    if across.mean_ranks:
        ranks = _column(across.mean_ranks, place)
        found["mean-ranks"] = ranks[:, None] < ranks
    if consensus is not None and consensus.relations and not consensus.orders_nobody:
        found["consensus"] = _by_names(consensus.agreed, place)
    if verdict is not None and verdict.method in OF_PAIRS:
        found[verdict.method] = _by_pairs(verdict.pairs, place)
    for structure in STRUCTURES:
        if structure in fits:
            found[structure] = _by_pairs(fits[structure].pairs, place)
    if fixed is not None:
        found["fixed-datasets"] = _by_pairs(fixed.pairs, place)
    if across.pairs is not None:
        found["signed-ranks"] = _by_pairs(across.pairs, place)
        if across.has_all_posteriors and len(across.pairs) == _n_pairs(names):
            found["bayesian"] = _by_posteriors(across.pairs, place)
    if len(found) < 2:
        return None
    deciding: ComparisonMethod = verdict.method if verdict else "own-variance"
    wins = np.zeros((len(place), len(place)), dtype=np.intp)
    if across.pairs is not None:
        first, second = _places(across.pairs, place)
        wins[first, second] = across.pairs.extra["wins"]
        wins[second, first] = across.pairs.extra["losses"]
    differ = _disagreements(found, names, wins, deciding)
    every = tuple(place)
    orders = tuple(_method_order(method, order, names, every) for method, order in found.items())
    return Agreement(orders, _n_pairs(names), differ, deciding)


def _n_pairs(names: Sequence[str]) -> int:
    return len(names) * (len(names) - 1) // 2


def _column(values: Mapping[str, float], place: Mapping[str, int]) -> Array:
    """Return the values of the candidates, NaN of those that have none."""
    return np.array([values.get(name, np.nan) for name in place])


def _by_means(means: Mapping[str, float], place: Mapping[str, int]) -> Order:
    """Put each candidate before those with another mean that come after it, best first."""
    values = _column(means, place)
    rank = _column({name: float(k) for k, name in enumerate(means)}, place)
    return np.asarray((rank[:, None] < rank) & (values[:, None] != values))


def _by_names(pairs: Sequence[tuple[str, str]], place: Mapping[str, int]) -> Order:
    order = np.zeros((len(place), len(place)), dtype=np.bool_)
    for a, b in pairs:
        order[place[a], place[b]] = True
    return order


def _places(pairs: PairTable, place: Mapping[str, int]) -> tuple[Places, Places]:
    own = np.array([place.get(name, -1) for name in pairs.candidates], dtype=np.intp)
    return own[pairs.first], own[pairs.second]


def _by_pairs(pairs: PairTable, place: Mapping[str, int]) -> Order:
    first, second = _places(pairs, place)
    return _put(first, second, pairs.direction > 0, pairs.direction < 0, place)


def _by_posteriors(pairs: PairTable, place: Mapping[str, int]) -> Order:
    better, worse = pairs.extra["posterior_better"], pairs.extra["posterior_worse"]
    first, second = _places(pairs, place)
    return _put(first, second, better >= SURE, worse >= SURE, place)


def _put(
    first: Places,
    second: Places,
    is_before: NDArray[np.bool_],
    is_after: NDArray[np.bool_],
    place: Mapping[str, int],
) -> Order:
    order = np.zeros((len(place), len(place)), dtype=np.bool_)
    order[first[is_before], second[is_before]] = True
    order[second[is_after], first[is_after]] = True
    return order


def _method_order(
    method: ComparisonMethod, better: Order, names: tuple[str, ...], every: tuple[str, ...]
) -> MethodOrder:
    """`every`: the names, and those of candidates that only some methods know."""
    incidence = better[: len(names), : len(names)]
    classes = chain(incidence)
    groups: Groups | None = None
    if classes is not None:
        groups = tuple(tuple(names[k] for k in sorted(group)) for group in classes)
    return MethodOrder(
        method=method,
        order=groups,
        best=tuple(names[k] for k in sorted(unbeaten(incidence))),
        ahead=NamedPairs(every, better),
    )


def _disagreements(
    found: Mapping[ComparisonMethod, Order],
    names: tuple[str, ...],
    wins: NDArray[np.intp],
    deciding: ComparisonMethod,
) -> Disagreements:
    """Return the pairs on which methods differ, with the first reason that holds."""
    i, j = np.triu_indices(len(names), 1)
    ways = {  # 1 where a method puts the first before the second, -1 the reverse
        method: order[i, j].astype(np.int8) - order[j, i] for method, order in found.items()
    }
    all_ways = np.array([*ways.values()])
    variances: Methods = ("own-variance", "families", "sources", *STRUCTURES)
    every: tuple[Reason, ...] = get_args(Reason)
    reasons = np.select(
        [
            wins[j, i] > wins[i, j],
            _differ([ways[m] for m in variances if m in ways], len(i)),
            _differ([ways[m] for m in (deciding, "signed-ranks") if m in ways], len(i)),
        ],
        range(len(every) - 1),
        len(every) - 1,
    )
    places = np.flatnonzero(_differ(all_ways, len(i)))
    codes, side = np.unique(
        3 ** np.arange(len(ways)) @ (all_ways[:, places] + 1), return_inverse=True
    )
    first, second = i[places].astype(np.int32), j[places].astype(np.int32)
    return Disagreements(
        names,
        first=first,
        second=second,
        wins=wins[first, second].astype(np.int32),
        losses=wins[second, first].astype(np.int32),
        sides=tuple(_sides([*ways], code) for code in codes.tolist()),
        side=side.astype(np.int32),
        reasons=every,
        reason=reasons[places].astype(np.int32),
    )


def _sides(methods: Sequence[ComparisonMethod], code: int) -> Sides:
    """Return the methods that put the first before the second, the reverse, and neither."""
    # `code`: 1 more than the way of each method, in the places of a number to the base 3.
    ways = [code // 3**k % 3 - 1 for k in range(len(methods))]
    return tuple(
        tuple(m for m, way in zip(methods, ways, strict=True) if way == side) for side in (1, -1, 0)
    )


def _differ(ways: Sequence[NDArray[np.int8]] | NDArray[np.int8], n: int) -> NDArray[np.bool_]:
    """Return on which of n pairs methods differ."""
    return np.ptp(np.array(ways), axis=0) > 0 if len(ways) else np.zeros(n, dtype=np.bool_)
