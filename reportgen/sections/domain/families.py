"""Data sets that may be relatives: by their names, their characteristics, or the values on them.

Relatives are no independent sample of a domain. What is found here decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from reportgen.sections.domain.data import DatasetMeans
from reportgen.sections.domain.result import RelatedDatasets, Relationship
from reportgen.stats.domain.families import correlated_datasets

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


SIGNS: Mapping[Relationship, str] = {
    "same": "the same values of every candidate",
    "name": "alike in name",
    "size": "equal in size",
    "values": "values that go together",
}
