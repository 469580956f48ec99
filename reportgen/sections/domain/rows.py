"""One data set beside the others: its order, its means, its boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.domain.basis import Groups
from reportgen.sections.domain.cube import Cube
from reportgen.sections.domain.rows_result import Box, DatasetRow
from reportgen.sections.preferences.result import Preference

Array = NDArray[np.float64]

REACH = 1.5  # interquartile ranges that a whisker reaches (Tukey 1977)


def dataset_row(dataset: str, cube: Cube, relation: Preference | None) -> DatasetRow:
    """Order the candidates of one data set by its relation.

    Parameters
    ----------
    dataset : str
    cube : Cube
        Of the relation's measure.
    relation : Preference or None
        None where there is none; the order is then that of the means.
    """
    values = cube.values[dataset]
    own = {
        name: column[np.isfinite(column)]
        for name, column in zip(cube.candidates, values.T, strict=True)
        if np.isfinite(column).any()
    }
    means = {name: float(column.mean()) for name, column in own.items()}
    by_mean = _by_mean(means, is_smaller_better=cube.measure.is_smaller_better)
    groups = None if relation is None else relation.order
    order = _ordered(by_mean, groups)
    borders = tuple(relation is not None and relation.is_better(a, b) for a, b in pairwise(order))
    return DatasetRow(
        name=dataset,
        unavailable=relation is None,
        order_class="none" if relation is None else relation.order_class,
        chain=groups,
        order=order,
        is_better_than_next=borders,
        level_groups=_level(order, relation) if relation is not None and groups is None else (),
        best=() if relation is None else relation.best,
        means=means,
        medians={name: float(np.median(column)) for name, column in own.items()},
        n_missing=int((~np.isfinite(values)).sum()),
        is_uneven=_is_uneven(values),
    )


def _is_uneven(values: Array) -> bool:
    """Whether some candidates lack a value in a replication in which another has one."""
    has_value = np.isfinite(values[:, np.isfinite(values).any(axis=0)])
    return bool((has_value.any(axis=1) & ~has_value.all(axis=1)).any())


def _by_mean(means: Mapping[str, float], *, is_smaller_better: bool) -> list[str]:
    sign = 1 if is_smaller_better else -1
    return sorted(means, key=lambda name: sign * means[name])


def _ordered(by_mean: Sequence[str], groups: Groups | None) -> tuple[str, ...]:
    """Return the candidates by the chain, and within a class by mean."""
    if groups is None:
        return tuple(by_mean)
    level = {name: i for i, group in enumerate(groups) for name in group}
    return tuple(sorted(by_mean, key=lambda name: level.get(name, len(groups))))


def _level(order: tuple[str, ...], relation: Preference) -> Groups:
    """Return the longest runs of candidates of which none is better than another."""
    runs: list[tuple[int, int]] = []
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and not any(
            relation.is_better(order[i], order[end]) or relation.is_better(order[end], order[i])
            for i in range(start, end)
        ):
            end += 1
        if end - start > 1 and not any(a <= start and end <= b for a, b in runs):
            runs.append((start, end))
    return tuple(order[a:b] for a, b in runs)


def boxes(cube: Cube) -> dict[str, dict[str, Box]]:
    """Return what a box plot shows of every candidate on every data set.

    Parameters
    ----------
    cube : Cube
    """
    return {
        dataset: {
            name: _box(column[np.isfinite(column)])
            for name, column in zip(cube.candidates, values.T, strict=True)
            if np.isfinite(column).any()
        }
        for dataset, values in cube.values.items()
    }


def _box(values: Array) -> Box:
    lower, middle, upper = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    reach = REACH * (upper - lower)
    inside = values[(values >= lower - reach) & (values <= upper + reach)]
    low, high = min(float(inside.min()), lower), max(float(inside.max()), upper)
    outside = np.unique(values[(values < low) | (values > high)])
    return Box(lower, middle, upper, low, high, tuple(outside.tolist()))
