"""What is done with a tree of worths: prune it, predict by it, ask how stable it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.bradley_terry_tree import (
    Characteristic,
    Ending,
    Growth,
    Node,
    grow,
    renumbered,
)

Array = NDArray[np.float64]

ENOUGH = 20  # permutations that are no smaller, after which a test is not significant


@dataclass(frozen=True, slots=True)
class Stability:
    """How trees of resampled units differ from one another.

    Attributes
    ----------
    n_trees : int
        Trees that could be grown.
    n_failed : int
        Samples in which the candidates were not linked by comparisons.
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
    return renumbered(_pruned(root, 2.0 if by == "aic" else log(len(root.units))))


def leaf_of(root: Node, values: Mapping[int, float]) -> Node:
    """Send a new data set down the tree.

    Parameters
    ----------
    root : Node
    values : mapping of int to float
        Values (codes) by place of the characteristic; a missing one goes with the larger child.

    Returns
    -------
    Node
        The leaf; its model has the worths to expect.
    """
    while root.split is not None:
        value = np.array([values.get(root.split.characteristic, np.nan)])
        root = root.children[0 if root.split.goes_first(value)[0] else 1]
    return root


def stability(
    counts: Array,
    characteristics: Sequence[Characteristic],
    growth: Growth,
    *,
    n_trees: int = 100,
    fraction: float | None = 0.632,
    reference: int = -1,
) -> Stability:
    """Grow trees on resampled units and count what they divide by.

    Parameters
    ----------
    counts, characteristics, growth, reference
        As for `bradley_terry_tree.grow`; the units should be data sets.
    n_trees : int
    fraction : float or None
        Share of the units drawn without replacement; None draws as many with replacement.

    Returns
    -------
    Stability

    Raises
    ------
    ValueError
        If the fraction is not in (0, 1].

    References
    ----------
    .. [1] M. Philipp, A. Zeileis, C. Strobl (2016), "A toolkit for stability assessment of
       tree-based learners", Proceedings of COMPSTAT 2016.
    """
    if fraction is not None and not 0 < fraction <= 1:
        raise ValueError(f"the fraction must lie in (0, 1], got {fraction}")
    growth = replace(growth, most_reached=growth.most_reached or ENOUGH)
    trees = []
    for number in range(n_trees):
        chosen = _drawn(len(counts), fraction, np.random.default_rng([growth.seed, 1, number]))
        part = [replace(c, values=c.values[chosen]) for c in characteristics]
        try:
            trees.append(grow(counts[chosen], part, growth, reference=reference))
        except ValueError:  # candidates not linked in this sample
            continue
    return _tallied(trees, n_trees, len(characteristics))


def _pruned(node: Node, penalty: float) -> Node:
    """Prune below a node, then at it."""
    if not node.children:
        return node
    node = replace(node, children=tuple(_pruned(child, penalty) for child in node.children))
    leaf = replace(node, children=(), split=None, ending=Ending.PRUNED)
    return leaf if criterion(leaf, penalty) <= criterion(node, penalty) else node


def _drawn(n: int, fraction: float | None, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw units, in their order."""
    size = n if fraction is None else max(1, round(fraction * n))
    return np.sort(rng.choice(n, size=size, replace=fraction is None))


def _tallied(trees: Sequence[Node], n_drawn: int, n_characteristics: int) -> Stability:
    """Count characteristics over trees."""
    root, anywhere = np.zeros(n_characteristics), np.zeros(n_characteristics)
    cuts: list[list[float]] = [[] for _ in range(n_characteristics)]
    for tree in trees:
        if tree.split is not None:
            root[tree.split.characteristic] += 1
            cuts[tree.split.characteristic].append(tree.split.cut)
        anywhere[list({n.split.characteristic for n in tree.walk() if n.split is not None})] += 1
    return Stability(
        len(trees),
        n_drawn - len(trees),
        root / max(len(trees), 1),
        anywhere / max(len(trees), 1),
        np.array([sum(1 for _ in tree.leaves()) for tree in trees], dtype=np.intp),
        tuple(np.array(c)[~np.isnan(c)] for c in cuts),
    )
