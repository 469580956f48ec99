"""A tree of worths over data sets: which characteristics decide who does best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Better
from reportgen.stats.arguments import (
    SEED,
    Names,
    check_count,
    check_level,
    check_not_negative,
    domain_of,
    generator_of,
    is_smaller_better,
    reference_place,
    refuse,
)
from reportgen.stats.frame import Columns, Tabular, count
from reportgen.stats.worths.bradley_terry import outcome_counts
from reportgen.stats.worths.instability import Kind
from reportgen.stats.worths.tree import Characteristic, Growth, Node, grow

LARGEST_SEED = 2**31


@dataclass(frozen=True, slots=True, repr=False)
class WorthTree(Tabular):
    """A tree that divides data sets by characteristics, with worths in each node.

    Attributes
    ----------
    root : Node
    candidates : tuple of str
    characteristics : tuple of Characteristic
        Those that were tested: that differ between data sets.
    levels : mapping of str to tuple of str
        Of categorical characteristics; their values are places in it.
    """

    root: Node
    candidates: tuple[str, ...]
    characteristics: tuple[Characteristic, ...]
    levels: Mapping[str, tuple[str, ...]]

    @property
    def leaves(self) -> tuple[Node, ...]:
        """The nodes without children, from the first to the last."""
        return tuple(self.root.leaves())

    @property
    def n_units(self) -> int:
        """Number of data sets."""
        return len(self.root.units)

    def to_columns(self) -> Columns:
        """Return the columns of the nodes, a row a node and candidate.

        Returns
        -------
        dict
            `node` (number, 1 for the root), `parent` (0 for the root), `condition` by which data
            sets go from the parent to the node, `n_units` (data sets), `is_leaf`,
            `characteristic` along which the worths are most unstable ("" where none was tested)
            and its adjusted `p_value`, `candidate`, `worth`, `log_worth`.
        """
        rows = [
            (*row, name, worth, log_worth)
            for node, row in self._nodes()
            for name, worth, log_worth in zip(
                self.candidates,
                node.model.worths.tolist(),
                node.model.log_worths.tolist(),
                strict=True,
            )
        ]
        return dict(
            zip((*NODE, "candidate", "worth", "log_worth"), zip(*rows, strict=True), strict=True)
        )

    def _heading(self) -> str:
        return f"{count(self.n_units, 'data set')}, leaves: {len(self.leaves)}"

    def _outline(self) -> Columns:
        """Return a row a node."""
        rows = [row for _, row in self._nodes()]
        return dict(zip(NODE, zip(*rows, strict=True), strict=True))

    def _nodes(self) -> Iterator[tuple[Node, tuple[Any, ...]]]:
        """Yield the nodes, and what tables say of them."""
        above = {child.number: node for node in self.root.walk() for child in node.children}
        for node in self.root.walk():
            parent = above.get(node.number)
            number = 0 if parent is None else parent.number
            condition = "" if parent is None else self._condition(parent, node)
            is_leaf = not node.children
            yield (
                node,
                (node.number, number, condition, len(node.units), is_leaf, *self._test(node)),
            )

    def _condition(self, parent: Node, node: Node) -> str:
        """Write by which values data sets go to a node."""
        split, is_first = parent.split, node is parent.children[0]
        if split is None:
            return ""
        name = self.characteristics[split.characteristic].name
        if split.kind is not Kind.CATEGORICAL:
            return f"{name} {'<=' if is_first else '>'} {split.cut:g}"
        codes = split.first if is_first else split.second
        return f"{name} in {', '.join(self.levels[name][int(code)] for code in codes)}"

    def _test(self, node: Node) -> tuple[str, float]:
        """Return the most unstable characteristic and its p-value."""
        if not len(node.adjusted) or np.isnan(node.adjusted).all():
            return "", np.nan
        place = int(np.nanargmin(node.adjusted))
        if node.split is not None:
            place = node.split.characteristic
        return self.characteristics[place].name, float(node.adjusted[place])


NODE = ("node", "parent", "condition", "n_units", "is_leaf", "characteristic", "p_value")


def worth_tree(
    values: ArrayLike | Sequence[ArrayLike],
    characteristics: Mapping[str, ArrayLike],
    names: Names = None,
    *,
    better: Better = "smaller",
    alpha: float = 0.05,
    epsilon: float = 0.0,
    reference: str | None = None,
    min_size: int = 2,
    max_depth: int | None = None,
    permutations: int = 999,
    rng: Generator | int = SEED,
) -> WorthTree:
    """Grow a tree of worths: which characteristics of data sets decide who does best.

    Parameters
    ----------
    values : array-like of shape (M, B, K) or (M, K), or sequence of M matrices (B_m, K)
        Performances of M data sets, a column a candidate, as of `bradley_terry`.
    characteristics : mapping of str to array-like of shape (M,), or data frame
        By name, of the data sets: numbers (NaN for none) or words, which are
        categories (None for none). Those that are the same everywhere are not tested.
    names, better, epsilon, reference
        As of `bradley_terry`.
    alpha : float, default 0.05
        Largest p-value, adjusted for the number of characteristics, that divides a
        node.
    min_size : int, default 2
        Data sets in a node, at least.
    max_depth : int, optional
        Divisions on the way to a leaf, at most.
    permutations : int, default 999
        Of the data sets, for the p-values; 0 for asymptotic ones.
    rng : Generator or int
        Random numbers, or the seed of theirs, for the permutations.

    Returns
    -------
    WorthTree

    Raises
    ------
    ValueError
        If `values` has another shape, infinite values, or a data set or candidate
        without a value, a characteristic has no value a data set, the comparisons
        do not link all candidates, or another argument is not what is allowed.

    References
    ----------
    .. [1] A. Zeileis, T. Hothorn and K. Hornik (2008), "Model-based recursive
       partitioning", Journal of Computational and Graphical Statistics 17.
    .. [2] C. Strobl, F. Wickelmaier and A. Zeileis (2011), "Accounting for
       individual differences in Bradley-Terry models by means of recursive
       partitioning", Journal of Educational and Behavioral Statistics 36.

    Examples
    --------
    >>> from reportgen import stats
    >>> rng = np.random.default_rng(1)
    >>> size = np.repeat([100, 1000], 6)
    >>> shift = np.where(size == 100, 1.0, -1.0)[:, None, None] * [1, 0]
    >>> values = rng.normal(size=(12, 10, 2)) + shift
    >>> stats.worth_tree(values, {"size": size}, ["lda", "svm"])
    WorthTree: 12 data sets, leaves: 2
    node  parent  condition    n_units  is_leaf  characteristic  p_value
       1       0                    12    False  size              0.002
       2       1  size <= 100        6     True                      nan
       3       1  size > 100         6     True                      nan
    """
    smaller = is_smaller_better(better)
    check_level(alpha)
    check_not_negative("epsilon", epsilon)
    check_count("min_size", min_size)
    check_count("permutations", permutations, 0)
    if max_depth is not None:
        check_count("max_depth", max_depth, 0)
    parts, candidates = domain_of(values, names)
    place = -1 if reference is None else reference_place(reference, candidates)
    given, levels = _characteristics(characteristics, len(parts))
    growth = Growth(
        alpha,
        min_size,
        max_depth,
        n_permutations=permutations,
        seed=int(generator_of(rng).integers(LARGEST_SEED)),
    )
    root = grow(outcome_counts(parts, smaller, float(epsilon)), given, growth, reference=place)
    return WorthTree(root, candidates, given, levels)


def _characteristics(
    characteristics: Mapping[str, ArrayLike], n_datasets: int
) -> tuple[tuple[Characteristic, ...], dict[str, tuple[str, ...]]]:
    """Return the characteristics that vary, and the levels of those that are categories."""
    found, levels = [], {}
    for key, column in characteristics.items():
        name, values = str(key), np.asarray(column)
        if values.shape != (n_datasets,):
            raise refuse(
                "characteristics",
                f"{name!r} of shape {values.shape}",
                f"({n_datasets},), one a data set",
            )
        kind = Kind.NUMERIC
        if values.dtype.kind not in "biuf":
            is_missing = np.array([x is None or x != x for x in values.tolist()])
            if all(isinstance(x, int | float) for x in values[~is_missing].tolist()):
                values = np.where(is_missing, np.nan, values)
            else:
                kind = Kind.CATEGORICAL
                words = values.astype(str)
                levels[name] = tuple(sorted({*words[~is_missing].tolist()}))
                codes = np.searchsorted(levels[name], words).astype(np.float64)
                values = np.where(is_missing, np.nan, codes)
        found.append(Characteristic(name, values.astype(np.float64), kind))
    return tuple(c for c in found if c.varies), levels
