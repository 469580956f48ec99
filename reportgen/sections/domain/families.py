"""Families of data sets: which may be relatives, what each says, and what is decided without it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.domain.data import DatasetMeans
from reportgen.sections.domain.result import (
    DatasetFamilies,
    DatasetFamily,
    DomainVerdict,
    RelatedDatasets,
    Relationship,
)
from reportgen.stats.arrays import Array
from reportgen.stats.domain.family_means import (
    Families,
    compare_in_families,
    correlated_datasets,
    likeness,
)
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS, as_ratios, paired_max_t
from reportgen.stats.ranking import sort_best_first
from reportgen.stats.shared_means import pair_columns

Rows = NDArray[np.intp]
MOST_LOOKS = 200  # families that are left out in turn

GENERIC = frozenset({"data", "dataset", "data-set", "set", "task", "problem", "sim", "scenario"})
"""Stems that number data sets and say nothing of them."""

NUMBERED = re.compile(r"(?P<stem>.*[^\W\d].*?)[-_. ]?(?P<number>\d+)")
FEWEST_BY_WORD = 3  # names that only share what stands before a dash
SAME = ("n_observations", "n_variables", "n_classes")
FEWEST_OBSERVATIONS = 30  # below which two data sets easily have the same size
FEWEST_SAME = 3  # different means that two data sets hardly have in common by chance
SMALLEST = float(np.finfo(np.float64).tiny)
DIGITS = 9  # of means that are the same but for rounding
ROUND = 50  # sizes that somebody has chosen: several data sets have them without being relatives

SIGNS: Mapping[Relationship, str] = {
    "same": "the same values of every candidate",
    "name": "alike in name",
    "size": "equal in size",
    "values": "values that go together",
}


def describe_families(
    verdict: DomainVerdict, names: Sequence[str], weighting: str
) -> DatasetFamilies:
    """Say of every family what its data sets show, and what is decided without it.

    `verdict`: with its values and families.
    `names`: of the family of each data set.
    `weighting`: how data sets are weighted.
    """
    units = verdict.units
    families = units.families
    assert families is not None
    members: dict[int, list[int]] = {}
    for m, code in enumerate(families.codes.tolist()):
        members.setdefault(code, []).append(m)
    groups = {names[rows[0]]: np.array(rows) for rows in members.values()}
    n_tested = sum(len(rows) >= FEWEST_UNITS for rows in groups.values())
    has_looks = not verdict.is_vast and len(groups) <= MOST_LOOKS
    shares = dict(zip(groups, families.shares.tolist(), strict=True))
    rows = tuple(
        _family(verdict, name, own, shares[name], n_tested, has_looks=has_looks)
        for name, own in groups.items()
    )
    pairs = all_pairs(units.values.shape[1])
    a, b = pair_columns(units.values, pairs, units.shared)
    differences = np.sign(a - b) if verdict.is_wins else a - b
    return DatasetFamilies(
        rows=rows,
        weighting=weighting,
        likeness=likeness(differences, families.codes),
        widening=_widening(differences, families),
    )


def _family(
    verdict: DomainVerdict,
    name: str,
    rows: Rows,
    share: float,
    n_tested: int,
    *,
    has_looks: bool,
) -> DatasetFamily:
    """Describe one family."""
    others = np.setdiff1d(np.arange(len(verdict.units.values)), rows)
    found = DatasetFamily(
        name=name,
        datasets=tuple(verdict.datasets[m] for m in rows.tolist()),
        share=share,
        means=_means(verdict, rows),
        better=_decided_inside(verdict, rows, n_tested) if len(rows) >= FEWEST_UNITS else None,
    )
    if not has_looks or not len(others):
        return found
    after = _without(verdict, others)
    both = zip(verdict.pairs.decision, after.pairs.decision, strict=True)
    return replace(
        found,
        leaders_without=after.leaders,
        n_changed=sum(a != b for a, b in both),
    )


def _means(verdict: DomainVerdict, rows: Rows) -> dict[str, float]:
    """Return the means of the candidates that a family has, the best first."""
    own = verdict.units.of_units(rows)
    assert own.families is not None
    means = own.families.means(own.filled)
    means = np.exp(means) if verdict.is_ratio else means
    known = {
        name: float(x)
        for name, x in zip(verdict.pairs.candidates, means.tolist(), strict=True)
        if np.isfinite(x)
    }
    return sort_best_first(known, is_smaller_better=verdict.measure.is_smaller_better)


def _decided_inside(
    verdict: DomainVerdict, rows: Rows, n_tested: int
) -> tuple[tuple[str, str], ...]:
    """Return who is decided better than whom on data sets like those of a family."""
    # All such decisions of all families together are wrong with probability alpha at most.
    alpha, rng = verdict.alpha / n_tested, np.random.default_rng(0)
    own, n = verdict.units.of_units(rows), max(1, len(verdict.pairs))
    table = paired_max_t(own.values, alpha, rng, n_comparisons=n, shared=own.shared)
    table = as_ratios(table) if verdict.is_ratio else table
    smaller = verdict.measure.is_smaller_better
    named = table.named(verdict.pairs.candidates, verdict.target, smaller)
    named = named.only_with(verdict.reference).decided(None)
    pairs = (p.better_first for p in named if p.significant)
    return tuple((p.first, p.second) for p in pairs)


def _without(verdict: DomainVerdict, rows: Rows) -> DomainVerdict:
    """Decide on all pairs from the data sets of the other families."""
    full, own = verdict.pairs, verdict.units.of_units(rows)
    assert own.families is not None
    table = compare_in_families(
        own.values,
        own.families,
        full.alpha,
        scale=full.scale,
        n_comparisons=max(1, int((~full.is_open).sum())),
        is_smaller_better=full.is_smaller_better,
        **own.gaps,
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


def related_datasets(
    datasets: Sequence[str],
    facts: Mapping[str, Mapping[str, object]],
    means: DatasetMeans | None,
    family: Mapping[str, str] = MappingProxyType({}),
) -> tuple[RelatedDatasets, ...]:
    """Return groups of data sets that may be relatives, each with the first sign of it.

    `facts`: what is known of the data sets.
    `means`: one value a data set and candidate, of the main measure.
    `family`: of each data set of which the study says it; the same data twice is told even so.
    """
    signs: tuple[tuple[Relationship, list[tuple[str, ...]]], ...] = (
        ("same", list(_by_equality(means))),
        ("name", list(_by_name(datasets))),
        ("size", list(_by_size(datasets, facts))),
        ("values", list(_by_values(means))),
    )
    found: list[RelatedDatasets] = []
    for sign, groups in signs:
        for group in groups:
            is_said = sign != "same" and len({family.get(d, d) for d in group}) == 1
            if not is_said and not any(set(group) <= set(other.datasets) for other in found):
                found.append(RelatedDatasets(group, sign))
    return tuple(found)


def _by_name(datasets: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """Yield data sets whose names are one stem with numbers, or one word with others behind it."""
    numbered = {d: NUMBERED.fullmatch(d) for d in datasets}
    stems = {d: match["stem"].lower() for d, match in numbered.items() if match}
    words = {d: re.split(r"[-_. ]", d.lower())[0] for d in datasets if re.search(r"[-_. ]", d)}
    for named, fewest in ((stems, 2), (words, FEWEST_BY_WORD)):
        for stem in dict.fromkeys(named.values()):
            group = tuple(d for d in datasets if named.get(d) == stem)
            is_part = fewest <= len(group) < len(datasets)
            if is_part and stem not in GENERIC and re.search(r"[^\W\d]{3}", stem):
                yield group


def _by_size(
    datasets: Sequence[str], facts: Mapping[str, Mapping[str, object]]
) -> Iterable[tuple[str, ...]]:
    """Yield data sets that have the same numbers of observations, variables and classes."""
    sizes = {d: tuple(facts.get(d, {}).get(key) for key in SAME) for d in datasets}
    known = {d: own for d, own in sizes.items() if isinstance(own[0], int | float)}
    for size in dict.fromkeys(known.values()):
        n = size[0]
        is_chosen = not isinstance(n, int | float) or n < FEWEST_OBSERVATIONS or n % ROUND == 0
        group = tuple(d for d, own in known.items() if own == size)
        if len(group) > 1 and None not in size[:2] and not is_chosen:
            yield group


def _by_values(means: DatasetMeans | None) -> Iterable[tuple[str, ...]]:
    """Yield data sets on which the candidates depart alike from their own levels."""
    if means is None:
        return
    whole = np.flatnonzero(np.isfinite(means.values).all(axis=1)).tolist()
    names = [means.datasets[m] for m in whole]
    pairs = correlated_datasets(means.values[whole])
    groups: list[set[int]] = []
    for i, j in pairs:
        joined = [group for group in groups if group & {i, j}]
        groups = [group for group in groups if group not in joined]
        groups.append({i, j}.union(*joined))
    yield from (tuple(names[k] for k in sorted(group)) for group in groups)


def _by_equality(means: DatasetMeans | None) -> Iterable[tuple[str, ...]]:
    """Yield data sets on which every candidate has the same mean: the same data, perhaps."""
    if means is None or means.values.shape[1] < FEWEST_SAME:
        return
    found: dict[tuple[float, bytes], list[str]] = {}
    for name, row in zip(means.datasets, means.values, strict=True):
        own = row[np.isfinite(row)]
        if len(own) >= FEWEST_SAME and len(np.unique(own)) >= FEWEST_SAME:
            scale = 10.0 ** np.floor(np.log10(max(np.abs(own).max(), SMALLEST)))
            digits = np.round(row / scale, DIGITS) + 0.0
            found.setdefault((float(scale), digits.tobytes()), []).append(name)
    yield from (tuple(group) for group in found.values() if len(group) > 1)


def describe(found: Iterable[RelatedDatasets]) -> str:
    """Return a line for the log."""
    return "; ".join(f"{', '.join(one.datasets)} ({SIGNS[one.sign]})" for one in found)
