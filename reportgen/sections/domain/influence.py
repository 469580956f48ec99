"""Influence of single data sets on the verdict over all of them and on the candidates' means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.consensus.analysis import ConsensusResult
from reportgen.sections.domain.result import Divergence, DomainVerdict, Influence, VerdictChange
from reportgen.stats.adverse_differences import adverse_differences
from reportgen.stats.arrays import column_means
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.leave_one_out import statistics_without_each
from reportgen.stats.pairs.paired_max_t import (
    as_ratios,
    paired_max_t,
)
from reportgen.stats.ranking import best_first
from reportgen.stats.skewness import reach
from reportgen.stats.verdict import Groups

MOST_NAMED = 3  # data sets, whether they change the verdict or explain a mean
FEWEST_LEFT = 3  # data sets that have to be left for a look without one
EQUAL = 1e-6  # relative: changes that are nearer may be in another order
LEAST_DISTANCE = 2  # places from which rank by mean and place in the consensus diverge


# -------------------------------------------------------------------------------- verdict


def influential_datasets(verdict: DomainVerdict) -> tuple[Influence, ...]:
    """Return the data sets without which the verdict is another one.

    `verdict`: by own variances, with its `units`.
    Result: A data set is named where its removal, the critical values of all data sets kept,
    changes a pair that is decided, or the set of candidates that no other is decided to be better
    than. Of several the one with the largest change of an absolute statistic is removed, and the
    others are looked at again.
    """
    left = np.arange(len(verdict.units.values))
    before = decide_again(verdict, left)
    found: list[Influence] = []
    while len(found) < MOST_NAMED and len(left) > FEWEST_LEFT:
        removal = _most_influential(verdict, left, before)
        if removal is None:
            break
        size, m, after = removal
        left = left[left != m]
        found.append(_influence(verdict.datasets[m], size, before, after, left))
        before = after
    return tuple(found)


def _most_influential(
    verdict: DomainVerdict, left: NDArray[np.intp], before: DomainVerdict
) -> tuple[float, int, DomainVerdict] | None:
    """Return the removal that changes the verdict, and a statistic most; None where none does."""
    # Verdicts are found in the order of the changes, which are known at once but for rounding.
    own, statistic = verdict.units.of_units(left), before.pairs.statistic
    sizes, begin = np.zeros(len(left)), 0
    for reduced in statistics_without_each(own.values, own.shared, verdict.pairs.places):
        full = statistic[begin : begin + reduced.shape[1]]
        changes = np.abs(np.abs(reduced) - np.abs(full))
        unclear = np.isnan(changes) & np.isfinite(full)
        largest = np.where(unclear, np.inf, np.nan_to_num(changes)).max(axis=1)
        sizes, begin = np.maximum(sizes, largest), begin + len(full)
    found: list[tuple[float, int, DomainVerdict]] = []
    for place in np.argsort(-sizes, kind="stable"):
        if found and sizes[place] < (1 - EQUAL) * max(largest for largest, _, _ in found):
            break
        after = decide_again(verdict, np.delete(left, place))
        if changes_verdict(before, after):
            size = _largest_change(before.pairs, after.pairs)
            found.append((size, int(left[place]), after))
    return max(found, key=lambda removal: (removal[0], -removal[1]), default=None)


def decide_again(verdict: DomainVerdict, rows: NDArray[np.intp]) -> DomainVerdict:
    """Decide on all pairs from some of the data sets, with the critical values of all of them.

    `rows`: (m,); places of the data sets.
    """
    full, own = verdict.pairs, verdict.units.of_units(rows)
    n_family = int((~full.is_open).sum())
    rng, m = np.random.default_rng(0), max(1, n_family)
    found = paired_max_t(own.values, full.alpha, rng, n_comparisons=m, shared=own.shared)
    found = found.at(verdict.pairs.places)
    widest = verdict.critical_value or np.nan
    critical = np.where(np.isfinite(full.critical_value), full.critical_value, widest)
    below, above = reach(
        critical, found.extra["skewness"] / np.sqrt(np.maximum(found.extra["n"], 1))
    )
    varies = np.isfinite(found.statistic) & np.isfinite(critical)
    error = found.standard_error
    kept = replace(
        found,
        lower=np.where(varies, found.estimate - below * error, found.lower),
        upper=np.where(varies, found.estimate + above * error, found.upper),
        critical_value=critical,
        is_open=full.is_open,
    )
    smaller, pairs = full.is_smaller_better, all_pairs(own.values.shape[1])
    adverse = adverse_differences(own.values, pairs, smaller, **own.gaps)
    kept = kept.held_against(adverse and adverse.of_pairs(verdict.pairs.places))
    kept = as_ratios(kept) if verdict.is_ratio else kept
    named = kept.named(full.candidates, full.target, smaller)
    return replace(verdict, pairs=named.decided(verdict.relevance))


def changes_verdict(before: DomainVerdict, after: DomainVerdict) -> bool:
    """Whether a decided pair, or the set of those that none is better than, is another one."""
    both = zip(before.pairs.decision, after.pairs.decision, strict=True)
    if any(a not in ("undecided", b) for a, b in both):
        return True
    return before.leaders != after.leaders


def _largest_change(before: PairTable, after: PairTable) -> float:
    """Return the largest change of an absolute statistic, of pairs that vary."""
    change = np.abs(np.abs(after.statistic) - np.abs(before.statistic))
    return float(np.nan_to_num(change, nan=0.0, posinf=0.0).max(initial=0.0))


def _influence(
    dataset: str, size: float, before: DomainVerdict, after: DomainVerdict, rows: NDArray[np.intp]
) -> Influence:
    means = _means(after, rows)
    ranks = ranks_of(means, is_smaller_better=after.measure.is_smaller_better)
    decisions = zip(before.pairs.decision, after.pairs.decision, strict=True)
    places = np.flatnonzero([a != b for a, b in decisions])
    both = zip(before.pairs.at(places), after.pairs.at(places), strict=True)
    return Influence(
        dataset=dataset,
        statistic_change=size,
        changes=tuple(
            VerdictChange(p.first, p.second, p.decision, q.decision, p.statistic, q.statistic)
            for p, q in both
        ),
        leaders_without=after.leaders,
        means_without=means,
        ranks_without=ranks,
    )


def _means(verdict: DomainVerdict, rows: NDArray[np.intp]) -> dict[str, float]:
    """Return the means over some data sets of the candidates that these have."""
    own = verdict.units.of_units(rows)
    there = np.isfinite(own.values).any(axis=0)
    values = own.filled[:, there]
    means = column_means(values) if own.families is None else own.families.means(values)
    means = np.exp(means) if verdict.is_ratio else means
    names = np.array(verdict.pairs.candidates, dtype=object)[there]
    return dict(zip(names, means.tolist(), strict=True))


def ranks_of(means: Mapping[str, float], *, is_smaller_better: bool) -> dict[str, int]:
    """Return ranks of means, 1 the best; equal ones share the better rank."""
    sign = 1 if is_smaller_better else -1
    return {
        name: 1 + sum(sign * other < sign * mean for other in means.values())
        for name, mean in means.items()
    }


# --------------------------------------------------------------- rank by mean and consensus


def find_divergence(verdict: DomainVerdict, consensus: ConsensusResult | None) -> Divergence | None:
    """Return the candidate whose rank by mean lies farthest from its place in the consensus.

    `verdict`: with its `units`.
    `consensus`: of the same measure.
    Result: None where the consensus is not the only one or has no chain, or the two are less than
    `LEAST_DISTANCE` places apart.
    """
    chain = _chain(consensus)
    if not len(verdict.units.values) or chain is None:
        return None
    smaller = verdict.measure.is_smaller_better
    ranks = ranks_of(verdict.means, is_smaller_better=smaller)
    places = {name: place for name, place in _places(chain).items() if name in ranks}
    apart = {name: _distance(ranks[name], place) for name, place in places.items()}
    if not apart or max(apart.values()) < LEAST_DISTANCE:
        return None
    name = max(apart, key=lambda n: apart[n])
    place = places[name]
    removed = _remove_candidates(verdict, name, is_worse=ranks[name] > place[1])
    looks = [_without(verdict, removed[:n], name) for n in range(len(removed) + 1)]
    distances = [_distance(rank, place) for _, rank in looks]
    n = distances.index(min(distances))
    n = n if 2 * distances[n] <= distances[0] else 0
    return Divergence(
        candidate=name,
        rank=ranks[name],
        first_place=place[0],
        last_place=place[1],
        n_candidates=len(ranks),
        datasets=tuple(verdict.datasets[m] for m in removed[:n]),
        mean=verdict.means[name],
        mean_without=looks[n][0],
        rank_without=looks[n][1],
    )


def _chain(consensus: ConsensusResult | None) -> Groups | None:
    """Return the order of the only consensus."""
    if consensus is None or consensus.n_optimal != 1 or not consensus.is_proven:
        return None
    return consensus.relations[0].chain


def _places(chain: Groups) -> dict[str, tuple[int, int]]:
    """Return the first and the last place that each group takes."""
    found: dict[str, tuple[int, int]] = {}
    for group in chain:
        begin = len(found) + 1
        found |= dict.fromkeys(group, (begin, begin + len(group) - 1))
    return found


def _distance(rank: int, place: tuple[int, int]) -> int:
    return max(place[0] - rank, rank - place[1], 0)


def _remove_candidates(verdict: DomainVerdict, name: str, *, is_worse: bool) -> list[int]:
    """Return the data sets on which a candidate departs most from the others' mean."""
    k = verdict.pairs.candidates.index(name)
    values = verdict.units.values
    others = np.delete(values, k, axis=1)
    known = np.isfinite(values[:, k]) & np.isfinite(others).any(axis=1)
    mean = np.array([row[np.isfinite(row)].mean() if ok else 0.0
                     for row, ok in zip(others, known, strict=True)])  # fmt: skip
    gap = np.where(known, values[:, k] - mean, np.nan)
    is_high = verdict.measure.is_smaller_better == is_worse
    order = best_first(gap, is_smaller_better=not is_high)
    most = min(MOST_NAMED, len(values) - FEWEST_LEFT)
    return [m for m in order[: max(0, most)] if known[m]]


def _without(verdict: DomainVerdict, removed: list[int], name: str) -> tuple[float, int]:
    """Return mean and rank of a candidate without some data sets."""
    means = _means(verdict, np.delete(np.arange(len(verdict.units.values)), removed))
    smaller = verdict.measure.is_smaller_better
    if name not in means:
        return verdict.means[name], ranks_of(verdict.means, is_smaller_better=smaller)[name]
    return means[name], ranks_of(means, is_smaller_better=smaller)[name]
