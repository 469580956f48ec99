"""Pruning of trees of worths by information criteria, and their stability in subsamples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import repeat
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.subsamples import N_SUBSAMPLES, subsample
from reportgen.stats.worths.tree import Characteristic, Ending, Growth, Node, grow, renumbered

ENOUGH = 20  # permutations that are no smaller, after which a test is not significant


@dataclass(frozen=True, slots=True)
class TreeSupport:
    """The differences of trees of subsamples.

    Attributes
    ----------
    n_trees : int
        Trees that could be grown.
    n_failed : int
        Subsamples in which the candidates were not linked by comparisons.
    root, anywhere : ndarray of shape (T,)
        Share of the trees that divide by the characteristic at the root, or in any node.
    n_leaves : ndarray of shape (n_trees,), int
    root_cuts : tuple of ndarray, T of them
        Cuts at the root by each numeric or ordinal characteristic.
    """

    n_trees: int
    n_failed: int
    root: Array
    anywhere: Array
    n_leaves: NDArray[np.intp]
    root_cuts: tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class _Outline:
    """The counts of a tree: characteristics by number, the first with its cut."""

    root: int | None
    cut: float
    anywhere: tuple[int, ...]
    n_leaves: int


def log_likelihood(root: Node) -> float:
    """Return the log likelihood of a tree, the sum over its leaves."""
    return sum(leaf.model.log_likelihood for leaf in root.leaves())


def n_parameters(root: Node) -> int:
    """Return the parameters of the leaves and one for every division."""
    n_splits = sum(1 for node in root.walk() if node.children)
    return sum(leaf.model.n_parameters for leaf in root.leaves()) + n_splits


def criterion(root: Node, penalty: float) -> float:
    """Return -2 log likelihood + penalty times parameters."""
    return penalty * n_parameters(root) - 2 * log_likelihood(root)


def prune(root: Node, by: str = "bic") -> Node:
    """Take back divisions that an information criterion does not pay for, from the leaves up.

    Parameters
    ----------
    root : Node
    by : {"aic", "bic"}
        BIC counts units: what the tests take for independent.

    Returns
    -------
    Node
        The tree with its nodes numbered anew; leaves that were inner nodes have ending "pruned"
        and keep their tests.

    Raises
    ------
    ValueError
        If the criterion is another.
    """
    if by not in ("aic", "bic"):
        raise ValueError(f"prune by 'aic' or 'bic', got {by!r}")
    return renumbered(_prune(root, 2.0 if by == "aic" else log(len(root.units))))


def stability(
    counts: Array,
    characteristics: Sequence[Characteristic],
    growth: Growth,
    *,
    n_trees: int = N_SUBSAMPLES,
    datasets: NDArray[np.intp] | None = None,
    reference: int = -1,
    prune_by: str = "none",
    mapper: Callable[..., Iterable[Any]] = map,
) -> TreeSupport:
    """Grow trees on subsamples of the data sets and count what they divide by.

    Parameters
    ----------
    counts, characteristics, growth, reference
        As for `bradley_terry_tree.grow`.
    n_trees : int
    datasets : ndarray of shape (n,), int, optional
        Number of each unit's data set, which is drawn with all its units; every unit is a data set
        when omitted.
    prune_by : {"none", "aic", "bic"}
        As the tree of all data sets was pruned.
    mapper : callable, optional
        Grows the trees, like `map`: in turn or side by side.

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
    own = (repeat(x) for x in (counts, tuple(characteristics), of, growth, reference, prune_by))
    found = list(mapper(_regrown, *own, range(n_trees)))
    trees = [outline for outline in found if outline is not None]
    return _tally(trees, n_trees, len(characteristics))


def _prune(node: Node, penalty: float) -> Node:
    """Prune below a node, then at it."""
    if not node.children:
        return node
    node = replace(node, children=tuple(_prune(child, penalty) for child in node.children))
    leaf = replace(node, children=(), split=None, ending=Ending.PRUNED)
    return leaf if criterion(leaf, penalty) <= criterion(node, penalty) else node


def _regrown(
    counts: Array,
    characteristics: Sequence[Characteristic],
    datasets: NDArray[np.intp],
    growth: Growth,
    reference: int,
    prune_by: str,
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
    if prune_by != "none":
        root = prune(root, prune_by)
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
