"""Comparisons over data sets by one value per data set and candidate (Demšar 2006).

Compares the orders by all methods, with the reasons for their differences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.random import Generator

from reportgen.sections.consensus.result import ConsensusResult
from reportgen.sections.domain.basis import STRUCTURES, Groups
from reportgen.sections.domain.data import DomainValues
from reportgen.sections.domain.options import Options
from reportgen.sections.domain.result import (
    AcrossRanks,
    Agreement,
    ComparisonMethod,
    Disagreement,
    DomainFit,
    DomainVerdict,
    MethodOrder,
    Reason,
)
from reportgen.stats.arrays import Array
from reportgen.stats.domain.across import AcrossDatasets, compare_over_datasets
from reportgen.stats.domain.sums import column_means
from reportgen.stats.pair_table import Pair, PairTable
from reportgen.stats.ranks.bayesian_signed_rank import signed_rank_posterior
from reportgen.stats.ranks.ranks import levelled, within_block_ranks
from reportgen.stats.relations.relations import chain, unbeaten
from reportgen.study.comparison import area_on

LARGEST_FULL = 12  # candidates up to which all pairs have a posterior


@dataclass(frozen=True, slots=True)
class _Means:
    """Means by data set: rows with all candidates, and rows with gaps."""

    names: tuple[str, ...]
    datasets: tuple[str, ...]
    left_out: tuple[str, ...]
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
        left_out=means.left_out,
        mean_ranks=dict(zip(means.names, ranks.tolist(), strict=True)),
        statistic=found.friedman.statistic,
        df=found.friedman.df,
        p_value=found.friedman.p_value,
        iman_davenport=replace(found.iman_davenport, target=all_values.target),
        alpha=options.alpha,
        order=_name(found.order, means.names),
        critical_difference=found.nemenyi.critical_difference,
        rank_groups=_groups(found.nemenyi.cliques, means.names),
        groups=_groups(found.cliques, means.names),
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
    datasets = list(all_values.values)
    return _Means(
        names=tuple(n for n, there in zip(all_values.candidates, is_present, strict=True) if there),
        datasets=tuple(d for d, whole in zip(datasets, is_whole, strict=True) if whole),
        left_out=tuple(d for d, whole in zip(datasets, is_whole, strict=True) if not whole),
        rows=rows[is_whole],
        incomplete=rows[~is_whole],
    )


def _by_mean(means: _Means, is_smaller_better: bool) -> dict[str, float]:
    """Return the means over the data sets, best first; equal where only rounding parts them."""
    (levels,) = levelled(means.rows.mean(axis=0, keepdims=True)).tolist()
    values = dict(zip(means.names, levels, strict=True))
    sign = 1 if is_smaller_better else -1
    return dict(sorted(values.items(), key=lambda item: sign * item[1]))


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
        mean_difference=column_means(means.every[:, first] - means.every[:, second]),
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


Better = frozenset[tuple[str, str]]

SURE = 0.95  # posterior probability from which a candidate is put before another


def compare_methods(
    across: AcrossRanks,
    consensus: ConsensusResult | None,
    fits: Mapping[str, DomainFit],
    verdict: DomainVerdict | None,
) -> Agreement | None:
    """Compare the orders of all methods on one measure.

    `fits`: by structure.
    Result: None where there is only one method.
    """
    names = verdict.order if verdict else across.order
    found: dict[ComparisonMethod, Better] = {}
    if across.means:
        found["means"] = _by_means(across.means)
    if across.mean_ranks:
        found["mean-ranks"] = _by_ranks(across.mean_ranks)
    if consensus is not None and consensus.relations:
        found["consensus"] = frozenset(consensus.agreed)
    if verdict is not None and verdict.method in ("own-variance", "sources", "wins"):
        found[verdict.method] = _by_pairs(verdict.pairs)
    for structure in STRUCTURES:
        if structure in fits:
            found[structure] = _by_pairs(fits[structure].pairs)
    if across.pairs is not None:
        found["signed-ranks"] = _by_pairs(across.pairs)
        if across.has_all_posteriors and len(across.pairs) == _n_pairs(names):
            found["bayesian"] = _by_posteriors(across.pairs)
    if len(found) < 2:
        return None
    deciding: ComparisonMethod = verdict.method if verdict else "own-variance"
    counted = {frozenset((p.first, p.second)): p for p in across.pairs or ()}
    differ = _disagreements(found, names, counted, deciding)
    orders = tuple(_method_order(method, better, names) for method, better in found.items())
    return Agreement(orders, _n_pairs(names), differ, deciding)


def _n_pairs(names: Sequence[str]) -> int:
    return len(names) * (len(names) - 1) // 2


def _by_means(means: Mapping[str, float]) -> Better:
    """Put each candidate before those with another mean that come after it, best first."""
    names = list(means)
    return frozenset((a, b) for a, b in combinations(names, 2) if means[a] != means[b])


def _by_ranks(ranks: Mapping[str, float]) -> Better:
    return frozenset((a, b) for a in ranks for b in ranks if ranks[a] < ranks[b])


def _by_pairs(pairs: PairTable) -> Better:
    better = pairs.direction
    names = pairs.candidates
    both = zip(pairs.first.tolist(), pairs.second.tolist(), better.tolist(), strict=True)
    return frozenset(
        (names[i], names[j]) if way > 0 else (names[j], names[i]) for i, j, way in both if way
    )


def _by_posteriors(pairs: PairTable) -> Better:
    better, worse = pairs.extra["posterior_better"], pairs.extra["posterior_worse"]
    names = pairs.candidates
    rows = zip(pairs.first, pairs.second, better, worse, strict=True)
    return frozenset(
        (names[i], names[j]) if yes >= SURE else (names[j], names[i])
        for i, j, yes, no in rows
        if max(yes, no) >= SURE
    )


def _method_order(method: ComparisonMethod, better: Better, names: tuple[str, ...]) -> MethodOrder:
    place = {name: k for k, name in enumerate(names)}
    incidence = np.zeros((len(names), len(names)), dtype=np.bool_)
    for a, b in better:
        if a in place and b in place:
            incidence[place[a], place[b]] = True
    classes = chain(incidence)
    groups: Groups | None = None
    if classes is not None:
        groups = tuple(tuple(names[k] for k in sorted(group)) for group in classes)
    return MethodOrder(
        method=method,
        order=groups,
        best=tuple(names[k] for k in sorted(unbeaten(incidence))),
        ahead=tuple(sorted(better, key=lambda p: tuple(place.get(n, len(names)) for n in p))),
    )


def _disagreements(
    found: Mapping[ComparisonMethod, Better],
    names: tuple[str, ...],
    pairs: Mapping[frozenset[str], Pair],
    deciding: ComparisonMethod,
) -> tuple[Disagreement, ...]:
    """Return the pairs on which methods differ, with the first reason that holds."""
    differ = []
    for a, b in combinations(names, 2):
        before = tuple(method for method, better in found.items() if (a, b) in better)
        after = tuple(method for method, better in found.items() if (b, a) in better)
        level = tuple(method for method in found if method not in (*before, *after))
        if sum(map(bool, (before, after, level))) > 1:
            wins, losses = _counts(pairs.get(frozenset((a, b))), a)
            reason = _reason(found, (a, b), deciding, is_outvoted=losses > wins)
            differ.append(Disagreement(a, b, wins, losses, before, after, level, reason))
    return tuple(differ)


def _counts(pair: Pair | None, first: str) -> tuple[int, int]:
    """Return on how many data sets a candidate is better, and worse, than the other."""
    if pair is None:
        return 0, 0
    return (pair.wins, pair.losses) if pair.first == first else (pair.losses, pair.wins)


def _reason(
    found: Mapping[ComparisonMethod, Better],
    pair: tuple[str, str],
    deciding: ComparisonMethod,
    *,
    is_outvoted: bool,
) -> Reason:
    if is_outvoted:
        return "size-against-count"
    variances: tuple[ComparisonMethod, ...] = ("own-variance", "sources", *STRUCTURES)
    preferences = {_preference(found[method], pair) for method in variances if method in found}
    if len(preferences) > 1:
        return "own-variance"
    both = [
        _preference(found[method], pair) for method in (deciding, "signed-ranks") if method in found
    ]
    if len(set(both)) > 1:
        return "ranks-against-means"
    return "not-tested"


def _preference(better: Better, pair: tuple[str, str]) -> frozenset[tuple[str, str]]:
    """Return which of the two a method puts before the other."""
    return better & {pair, pair[::-1]}
