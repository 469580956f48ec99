"""Stability of trees of worths in subsamples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.subsamples import N_SUBSAMPLES, subsample
from reportgen.stats.worths.tree import Characteristic, Growth, grow

ENOUGH = 20  # permutations that are no smaller, after which a test is not significant


@dataclass(frozen=True, slots=True)
class TreeSupport:
    """The differences of trees of subsamples."""

    n_trees: int  # trees that could be grown
    n_failed: int  # subsamples in which the candidates were not linked by comparisons
    # root, anywhere: (T,); share of the trees that divide by the characteristic at the root, or in
    # any node
    root: Array
    anywhere: Array
    n_leaves: NDArray[np.intp]  # (n_trees,)
    # tuple of ndarray, T of them; cuts at the root by each numeric or ordinal characteristic
    root_cuts: tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class _Outline:
    """The counts of a tree: characteristics by number, the first with its cut."""

    root: int | None
    cut: float
    anywhere: tuple[int, ...]
    n_leaves: int


def tree_support(
    counts: Array,
    characteristics: Sequence[Characteristic],
    growth: Growth,
    *,
    n_trees: int = N_SUBSAMPLES,
    datasets: NDArray[np.intp] | None = None,
    reference: int = -1,
    mapper: Callable[..., Iterable[Any]] = map,
) -> TreeSupport:
    """Grow trees on subsamples of the data sets and count what they divide by.

    `counts`, `characteristics`, `growth`, `reference`: as for `bradley_terry_tree.grow`.
    `datasets`: (n,); number of each unit's data set, which is drawn with all its units; every unit
    is a data set when omitted.
    `mapper`: grows the trees, like `map`: in turn or side by side.

    Notes
    -----
    Each subsample has random numbers of its own, so that none changes with their number. Tests do
    as many permutations as those of the tree, as their p-values are adjusted for all
    characteristics and fewer could never be small enough; they end when it is clear that one is
    not significant.

    References
    ----------
    .. [1] M. Philipp, A. Zeileis, C. Strobl (2016), "A toolkit for stability assessment of
       tree-based learners", Proceedings of COMPSTAT 2016.
    """
    growth = replace(growth, most_reached=growth.most_reached or ENOUGH)
    of = np.arange(len(counts)) if datasets is None else datasets
    own = (repeat(x) for x in (counts, tuple(characteristics), of, growth, reference))
    found = list(mapper(_regrown, *own, range(n_trees)))
    trees = [outline for outline in found if outline is not None]
    return _tally(trees, n_trees, len(characteristics))


def _regrown(
    counts: Array,
    characteristics: Sequence[Characteristic],
    datasets: NDArray[np.intp],
    growth: Growth,
    reference: int,
    number: int,
) -> _Outline | None:
    """Grow the tree of a subsample; None where its candidates are not linked."""
    chosen = subsample(int(datasets.max()) + 1, np.random.default_rng([growth.seed, 1, number]))
    is_drawn = np.isin(datasets, chosen)
    part = [replace(c, values=c.values[is_drawn]) for c in characteristics]
    try:
        root = grow(counts[is_drawn], part, growth, reference=reference)
    except ValueError:  # candidates not linked in this subsample
        return None
    splits = {node.split.characteristic for node in root.walk() if node.split is not None}
    return _Outline(
        None if root.split is None else root.split.characteristic,
        np.nan if root.split is None else root.split.cut,
        tuple(sorted(splits)),
        sum(1 for _ in root.leaves()),
    )


def _tally(trees: Sequence[_Outline], n_drawn: int, n_characteristics: int) -> TreeSupport:
    """Count characteristics over trees."""
    root, anywhere = np.zeros(n_characteristics), np.zeros(n_characteristics)
    cuts: list[list[float]] = [[] for _ in range(n_characteristics)]
    for tree in trees:
        if tree.root is not None:
            root[tree.root] += 1
            cuts[tree.root].append(tree.cut)
        anywhere[list(tree.anywhere)] += 1
    return TreeSupport(
        len(trees),
        n_drawn - len(trees),
        root / max(len(trees), 1),
        anywhere / max(len(trees), 1),
        np.array([tree.n_leaves for tree in trees], dtype=np.intp),
        tuple(np.array(c)[~np.isnan(c)] for c in cuts),
    )
