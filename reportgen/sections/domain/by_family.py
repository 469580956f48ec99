"""Families of data sets: what each says, and what is decided without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.domain.result import DatasetFamilies, DatasetFamily, DomainVerdict
from reportgen.stats.arrays import Array
from reportgen.stats.domain.family_means import (
    Families,
    compare_in_families,
    likeness,
)
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS, as_ratios, paired_max_t
from reportgen.stats.shared_means import pair_columns

Rows = NDArray[np.intp]
MOST_LOOKS = 200  # families that are left out in turn


def describe_families(
    verdict: DomainVerdict, names: Sequence[str], weighting: str
) -> DatasetFamilies:
    """Say of every family what its data sets show, and what is decided without it.

    `verdict`: with its values and families.
    `names`: of the family of each data set.
    `weighting`: how data sets are weighted.
    """
    families = verdict.families
    assert families is not None
    members: dict[int, list[int]] = {}
    for m, code in enumerate(families.codes.tolist()):
        members.setdefault(code, []).append(m)
    groups = {names[rows[0]]: np.array(rows) for rows in members.values()}
    n_tested = sum(len(rows) >= FEWEST_UNITS for rows in groups.values())
    has_looks = not verdict.is_vast and len(groups) <= MOST_LOOKS
    shares = dict(zip(groups, families.shares.tolist(), strict=True))
    rows = tuple(
        _family(verdict, families, name, own, shares[name], n_tested, has_looks=has_looks)
        for name, own in groups.items()
    )
    pairs = all_pairs(verdict.values.shape[1])
    a, b = pair_columns(verdict.values, pairs, verdict.shared)
    differences = np.sign(a - b) if verdict.is_wins else a - b
    return DatasetFamilies(
        rows=rows,
        weighting=weighting,
        likeness=likeness(differences, families.codes),
        widening=_widening(differences, families),
    )


def _family(
    verdict: DomainVerdict,
    families: Families,
    name: str,
    rows: Rows,
    share: float,
    n_tested: int,
    *,
    has_looks: bool,
) -> DatasetFamily:
    """Describe one family."""
    others = np.setdiff1d(np.arange(len(verdict.values)), rows)
    found = DatasetFamily(
        name=name,
        datasets=tuple(verdict.datasets[m] for m in rows.tolist()),
        share=share,
        means=_means(verdict, families.of_units(rows), rows),
        better=_decided_inside(verdict, rows, n_tested) if len(rows) >= FEWEST_UNITS else None,
    )
    if not has_looks or not len(others):
        return found
    after = _without(verdict, families, others)
    both = zip(verdict.pairs.decision, after.pairs.decision, strict=True)
    return replace(
        found,
        leaders_without=after.leaders,
        n_changed=sum(a != b for a, b in both),
    )


def _means(verdict: DomainVerdict, families: Families, rows: Rows) -> dict[str, float]:
    """Return the means of the candidates that a family has, the best first."""
    values = verdict.filled[rows]
    means = families.means(values)
    means = np.exp(means) if verdict.is_ratio else means
    known = {
        name: float(x)
        for name, x in zip(verdict.pairs.candidates, means.tolist(), strict=True)
        if np.isfinite(x)
    }
    sign = 1 if verdict.measure.is_smaller_better else -1
    return dict(sorted(known.items(), key=lambda one: sign * one[1]))


def _decided_inside(
    verdict: DomainVerdict, rows: Rows, n_tested: int
) -> tuple[tuple[str, str], ...]:
    """Return who is decided better than whom on data sets like those of a family.

    All such decisions of all families together are wrong with probability alpha at most.
    """
    alpha, rng = verdict.alpha / n_tested, np.random.default_rng(0)
    shared = verdict.shared and verdict.shared.of_units(rows)
    n = max(1, len(verdict.pairs))
    table = paired_max_t(verdict.values[rows], alpha, rng, n_comparisons=n, shared=shared)
    table = as_ratios(table) if verdict.is_ratio else table
    smaller = verdict.measure.is_smaller_better
    named = table.named(verdict.pairs.candidates, verdict.target, smaller)
    named = named.only_with(verdict.reference).decided(None)
    pairs = (p.better_first for p in named if p.significant)
    return tuple((p.first, p.second) for p in pairs)


def _without(verdict: DomainVerdict, families: Families, rows: Rows) -> DomainVerdict:
    """Decide on all pairs from the data sets of the other families."""
    full = verdict.pairs
    table = compare_in_families(
        verdict.values[rows],
        families.of_units(rows),
        full.alpha,
        scale=full.scale,
        n_comparisons=max(1, int((~full.is_open).sum())),
        is_smaller_better=full.is_smaller_better,
        missing_by_design=None
        if verdict.missing_by_design is None
        else verdict.missing_by_design[rows],
        within=verdict.within and verdict.within.of_units(rows),
        shared=verdict.shared and verdict.shared.of_units(rows),
    )
    named = table.named(full.candidates, full.target, full.is_smaller_better)
    pairs = named.only_with(verdict.reference).decided(verdict.relevance)
    return replace(verdict, pairs=pairs)


def _widening(differences: Array, families: Families) -> float | None:
    """Return the median ratio of the pairs' standard errors to those of independent data sets."""
    apart = replace(families, codes=np.arange(len(families.codes)))
    if families.are_equal:  # the same weights, of data sets that are no relatives
        weights = families.weigh(np.ones((len(families.codes), 1), dtype=np.bool_))[:, 0]
        apart = Families(apart.codes, weights)
    own, alone = (x.mean_differences(differences).standard_error for x in (families, apart))
    known = np.isfinite(own) & np.isfinite(alone) & (alone > 0)
    return float(np.median(own[known] / alone[known])) if known.any() else None
