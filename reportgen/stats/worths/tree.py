"""Trees of worths: model-based recursive partitioning of paired comparisons.

At every node the worths are estimated and their stability is tested along every characteristic.
The most unstable one divides the units, at the cut with the largest likelihood of separate worths.

References
----------
.. [1] A. Zeileis, T. Hothorn, K. Hornik (2008), "Model-based recursive partitioning", Journal of
   Computational and Graphical Statistics 17.
.. [2] C. Strobl, F. Wickelmaier, A. Zeileis (2011), "Accounting for individual differences in
   Bradley-Terry models by means of recursive partitioning", Journal of Educational and Behavioral
   Statistics 36.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.multiplicity.adjustment import sidak
from reportgen.stats.ranking import levelled
from reportgen.stats.worths.bradley_terry import (
    BradleyTerry,
    Statistics,
    fit_finite,
    log_likelihoods,
    maximise,
    scores,
    statistics,
)
from reportgen.stats.worths.comparisons import connected_groups
from reportgen.stats.worths.instability import InstabilityTest, Kind, instability_test

MOST_CATEGORIES = 12  # up to which every division into two is tried: 2,047
TABLES_AT_ONCE = 2048
TOLERANCE = 1e-9  # Newton decrement: twice what is missing to the maximum of the likelihood
NOISE = 1e-9  # of its size: a characteristic that differs by less is the same everywhere
SAME = 1e-8  # difference of log likelihoods up to which the first of two cuts is taken


@dataclass(frozen=True, slots=True)
class Split:
    """A division of the units in two.

    Attributes
    ----------
    characteristic : int
        Its place among the characteristics.
    kind : Kind
    cut : float
        Units with this value or a smaller one go to the first child, of a numeric or ordinal
        characteristic; a value that occurs. Not a number for a categorical one.
    first : tuple of float
        Codes of the categories that go to the first child.
    missing_first : bool
        Whether units without a value (and unseen categories) go to the first child: the larger.
    log_likelihood : float
        Sum of both sides, over the units with a value.
    """

    characteristic: int
    kind: Kind
    cut: float
    first: tuple[float, ...]
    missing_first: bool
    log_likelihood: float
    second: tuple[float, ...] = ()

    def goes_first(self, values: Array) -> NDArray[np.bool_]:
        """Return which units go to the first child; shape as `values`."""
        if self.kind is Kind.CATEGORICAL:
            goes = np.isin(values, self.first)
            unknown = ~goes & ~np.isin(values, self.second)
        else:
            goes, unknown = values <= self.cut, np.isnan(values)
        return np.asarray(np.where(unknown, self.missing_first, goes), dtype=np.bool_)


def best_split(
    counts: Array,
    values: Array,
    kind: Kind,
    features: Statistics,
    start: Array,
    *,
    min_size: int,
    characteristic: int = 0,
    sizes: Array | None = None,
    most_categories: int = MOST_CATEGORIES,
) -> Split | None:
    """Find the division with the largest log likelihood.

    `counts`: (n, P, 3); outcomes of each unit.
    `values`: (n,); of the characteristic, or codes of categories; units without one are left out.
    `start`: (q,); parameters of all units together.
    `min_size`: units in either part.
    `characteristic`: for the result.
    `sizes`: (n,); how many each unit counts as; 1 when left out.
    `most_categories`: up to which every division into two is tried.
    Result: None when no division leaves `min_size` units in both parts. Every division of a numeric
    or ordinal characteristic is tried. So is every one of up to `most_categories` categories; more
    are ordered by the share of the first candidates' preference that differs most among them, and
    divided along that order.

    Notes
    -----
    A side whose likelihood has no maximum counts with its supremum.
    """
    known = ~np.isnan(values)
    codes, members = np.unique(values[known], return_inverse=True)
    tables = np.zeros((len(codes), *counts.shape[1:]))
    np.add.at(tables, members, counts[known])
    weights = np.ones(len(members)) if sizes is None else sizes[known]
    sums = np.bincount(members, weights, minlength=len(codes))
    sides = _sides(tables, kind, most_categories)
    n_first = sides @ sums
    sides = sides[(n_first >= min_size) & (sums.sum() - n_first >= min_size)]
    if not len(sides):
        return None
    reached = _two_sided(sides.astype(np.float64), tables, features, start)
    place = int(np.argmax(reached >= reached.max() - SAME))
    side, total = sides[place], float(reached[place])
    more_first = bool(2 * (side @ sums) >= sums.sum())
    first = tuple(float(c) for c in codes[side])
    if kind is Kind.CATEGORICAL:
        second = tuple(float(c) for c in codes[~side])
        return Split(characteristic, kind, np.nan, first, more_first, total, second)
    return Split(characteristic, kind, first[-1], (), more_first, total)


def _sides(tables: Array, kind: Kind, most_categories: int) -> NDArray[np.bool_]:
    """Return the divisions of C values to try, one per row: who goes to the first child."""
    # Categories in the order of R's partykit, where the last one always goes to the second child.
    n = len(tables)
    along = np.tri(n - 1, n, dtype=np.bool_)
    if kind is not Kind.CATEGORICAL:
        return along
    if n > most_categories:
        sides = along[:, np.argsort(np.argsort(_first_axis(tables), kind="stable"))]
        return np.asarray(sides != sides[:, -1:])
    numbers = np.arange(1, 2 ** (n - 1))[:, None]
    return np.asarray((numbers >> np.arange(n)) & 1 == 1)


def _first_axis(tables: Array) -> Array:
    """Return the first principal component of the categories' shares of outcomes."""
    # Its sign, and its direction where other components are as large, are those of the projection
    # of the first category that lies farthest along it: a singular vector alone has neither.
    flat = tables.reshape(len(tables), -1)
    shares = flat / np.maximum(flat.sum(axis=1, keepdims=True), 1.0)
    left, sizes, _ = np.linalg.svd(shares - shares.mean(axis=0), full_matrices=False)
    axes = left[:, sizes >= sizes[0] * (1 - SAME)]
    lengths = np.linalg.norm(axes, axis=1)
    farthest = int((lengths >= lengths.max() - SAME).argmax())
    along = axes @ axes[farthest] * sizes[0]
    return np.asarray(levelled(along[None], np.full((1, len(along)), sizes[0]), NOISE)[0])


def _two_sided(sides: Array, tables: Array, features: Statistics, start: Array) -> Array:
    """Return the sum of the log likelihoods of both sides of every division."""
    total, flat = tables.sum(axis=0), tables.reshape(len(tables), -1)
    reached = []
    for begin in range(0, len(sides), TABLES_AT_ONCE):
        block = (sides[begin : begin + TABLES_AT_ONCE] @ flat).reshape(-1, *total.shape)
        both = np.concatenate([block, total - block])
        theta = maximise(both, features, start, tolerance=TOLERANCE)
        values = log_likelihoods(both, features, theta)
        reached.append(values[: len(block)] + values[len(block) :])
    return np.concatenate(reached)


Path = tuple[int, ...]  # from the root: 0 for the first child, 1 for the second


class Ending(StrEnum):
    """Why a node has no children."""

    STABLE = "stable"  # no characteristic is significant
    SMALL = "small"  # fewer than two times min_size units
    DEEP = "deep"  # max_depth is reached
    SEPARATED = "separated"  # worths have no finite estimate, so that there are no scores to test
    UNTESTABLE = "untestable"  # too few units for any test
    UNIFORM = "uniform"  # no characteristic, or no score, differs enough within it for any test
    NO_CUT = "no cut"  # a significant characteristic has no cut that leaves enough on both sides


@dataclass(frozen=True, slots=True)
class Characteristic:
    """One characteristic of every unit.

    Attributes
    ----------
    name : str
    values : ndarray of shape (n,)
        Codes for ordinal (ascending) and categorical ones; not a number where missing.
    kind : Kind
    """

    name: str
    values: Array
    kind: Kind = Kind.NUMERIC

    @property
    def varies(self) -> bool:
        """Whether units differ by more than floating noise."""
        known = self.values[~np.isnan(self.values)]
        return bool(len(known) and known.max() - known.min() > NOISE * np.abs(known).max())


@dataclass(frozen=True, slots=True)
class Growth:
    """The options by which a tree grows."""

    alpha: float = 0.05  # largest adjusted p-value that divides
    min_size: int = 2  # units in a node, at least
    max_depth: int | None = None  # divisions on the way to a leaf, at most
    order_free: bool = True  # see `instability.instability_test`; False reproduces R
    n_permutations: int = 999  # for p-values by permutation of the units; 0 for asymptotic ones
    # see `instability.instability_test`; for trees of which only the divisions count
    most_reached: int | None = None
    seed: int = 0  # of the permutations


@dataclass(frozen=True, slots=True)
class Node:
    """A node and what is below it.

    Attributes
    ----------
    number : int
        1 for the root, then the first child and all below it before the second.
    units : ndarray of int
        Of the tree's units.
    model : BradleyTerry
        Of these units; penalised when it is separated.
    tests : tuple of InstabilityTest or None
        One per characteristic; empty when none was tested.
    adjusted : ndarray
        P-values adjusted for the number of characteristics tested; not a number for the others.
    split : Split or None
    children : tuple of Node
        None or two.
    ending : Ending or None
        None for an inner node.
    """

    number: int
    units: NDArray[np.intp]
    model: BradleyTerry
    tests: tuple[InstabilityTest | None, ...]
    adjusted: Array
    split: Split | None = None
    children: tuple[Node, ...] = ()
    ending: Ending | None = None

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it, in the order of their numbers."""
        yield self
        for child in self.children:
            yield from child.walk()

    def leaves(self) -> Iterator[Node]:
        """Yield the nodes without children."""
        return (node for node in self.walk() if not node.children)


@dataclass(frozen=True, slots=True)
class _Plan:
    """The common data of all nodes of one tree."""

    counts: Array
    characteristics: tuple[Characteristic, ...]
    growth: Growth
    reference: int


def per_dataset(
    counts: Array, characteristics: Sequence[Characteristic], datasets: NDArray[np.intp]
) -> tuple[Array, list[Characteristic]]:
    """Add up the learning samples of each data set, so that data sets become the units.

    `counts`: (N, P, 3); of each learning sample.
    `characteristics`: N values each.
    `datasets`: (N,); number of each learning sample's data set, 0 to M - 1.
    Result: (M, P, 3), list of Characteristic; numeric characteristics enter as the mean over the
    learning samples that have one, others as their most frequent code (the smallest of several).
    """
    n_datasets = int(datasets.max()) + 1
    summed = np.zeros((n_datasets, *counts.shape[1:]))
    np.add.at(summed, datasets, counts)
    return summed, [
        replace(c, values=np.array([_typical(c, datasets == m) for m in range(n_datasets)]))
        for c in characteristics
    ]


def grow(
    counts: Array,
    characteristics: Sequence[Characteristic],
    growth: Growth | None = None,
    *,
    reference: int = -1,
) -> Node:
    """Grow a tree of worths.

    `counts`: (n, P, 3); outcomes of each unit: of a learning sample
    (`paired_comparisons.indicators`) or summed over a data set (`per_dataset`).
    `characteristics`: n values each.
    `reference`: candidate with log worth 0.
    Result: the root.
    Raises ValueError if numbers of units differ, or the candidates are not linked by comparisons.

    Notes
    -----
    Without `Growth.order_free` and permutations the tree is that of R's psychotree: same tests,
    p-values, divisions and worths (categories tested as unordered, and no unit without a value of
    a characteristic, as R leaves such units out of the whole tree). Two kinds of nodes differ.
    One without a tie: nu is no parameter here, while psychotree goes on estimating it (log nu is
    then about -25, its variance 1e7). And one whose worths have no finite estimate: it ends, while
    R tests scores whose covariance is nearly singular, which may divide it anywhere.
    """
    n_units = len(counts)
    for c in characteristics:
        if c.values.shape != (n_units,):
            raise ValueError(
                f"there are {n_units} units, but characteristic {c.name!r} has values of shape "
                f"{c.values.shape}"
            )
    plan = _Plan(counts, tuple(characteristics), growth or Growth(), reference)
    return renumbered(_grown(plan, np.arange(n_units), ()))


def renumbered(root: Node, first: int = 1) -> Node:
    """Return the tree with its nodes numbered from the root, the first child before the second."""
    children, following = [], first + 1
    for child in root.children:
        children.append(renumbered(child, following))
        following += sum(1 for _ in child.walk())
    return replace(root, number=first, children=tuple(children))


def _typical(characteristic: Characteristic, chosen: NDArray[np.bool_]) -> float:
    """Return the value of a data set; not a number when there is none."""
    values = characteristic.values[chosen]
    values = values[~np.isnan(values)]
    if not len(values):
        return np.nan
    if characteristic.kind is Kind.NUMERIC:
        same = bool((values == values[0]).all())
        return float(values[0] if same else values.mean())
    codes, often = np.unique(values, return_counts=True)
    return float(codes[often.argmax()])


def _grown(plan: _Plan, units: NDArray[np.intp], path: Path) -> Node:
    """Grow what is below a node, and the node."""
    growth = plan.growth
    model = fit_finite(plan.counts[units].sum(axis=0), plan.reference)
    node = Node(0, units, model, (), np.full(len(plan.characteristics), np.nan))
    if model.separation is not None:
        return replace(node, ending=Ending.SEPARATED)
    if growth.max_depth is not None and len(path) >= growth.max_depth:
        return replace(node, ending=Ending.DEEP)
    if len(units) < 2 * growth.min_size:
        return replace(node, ending=Ending.SMALL)
    tests, adjusted = _test(plan, node, path)
    node = replace(node, tests=tests, adjusted=adjusted)
    if all(test is None for test in tests):
        is_few = len(units) <= model.n_parameters + 1
        return replace(node, ending=Ending.UNTESTABLE if is_few else Ending.UNIFORM)
    if np.nanmin(adjusted) > growth.alpha:
        return replace(node, ending=Ending.STABLE)
    split = _split(plan, node)
    if split is None:
        return replace(node, ending=Ending.NO_CUT)
    goes = split.goes_first(plan.characteristics[split.characteristic].values[units])
    children = tuple(
        _grown(plan, units[side], (*path, which)) for which, side in enumerate((goes, ~goes))
    )
    return replace(node, split=split, children=children)


def _test(plan: _Plan, node: Node, path: Path) -> tuple[tuple[InstabilityTest | None, ...], Array]:
    """Test the stability of the worths along every characteristic."""
    # Permutations belong to the node and the characteristic, not to the order of work.
    psi, growth = scores(plan.counts[node.units], node.model), plan.growth
    tests = tuple(
        instability_test(
            psi,
            c.values[node.units],
            c.kind,
            min_size=growth.min_size,
            order_free=growth.order_free,
            n_permutations=growth.n_permutations,
            most_reached=growth.most_reached,
            rng=np.random.default_rng([growth.seed, number, len(path), *path]),
        )
        for number, c in enumerate(plan.characteristics)
    )
    p_values = np.array([np.nan if test is None else test.p_value for test in tests])
    return tests, sidak(p_values)


def _split(plan: _Plan, node: Node) -> Split | None:
    """Divide along the most unstable characteristic that can be divided."""
    # Equal p-values, as permutations and underflow give them, are distinguished by the logs of the
    # asymptotic ones. Both parts must link all candidates by comparisons. R looks at the most
    # unstable only.
    features = statistics(
        len(node.model.log_worths), node.model.reference, ties=node.model.has_ties
    )
    unstable = _most_unstable(node, plan.growth.alpha)
    for number in unstable if plan.growth.order_free else unstable[:1]:
        c, counts = plan.characteristics[number], plan.counts[node.units]
        split = best_split(
            counts,
            c.values[node.units],
            c.kind,
            features,
            node.model.parameters,
            min_size=plan.growth.min_size,
            characteristic=int(number),
        )
        if split is not None and _is_linked(counts, split.goes_first(c.values[node.units])):
            return split
    return None


def _most_unstable(node: Node, alpha: float) -> NDArray[np.intp]:
    """Return the characteristics along which the worths are unstable, the most unstable first."""
    found = np.flatnonzero(node.adjusted <= alpha)
    if len(found) < 2:
        return np.asarray(found, dtype=np.intp)
    tests = [test for i in found if (test := node.tests[i]) is not None]
    logs = np.array([test.law(test.statistic) for test in tests])
    largest = np.array([-test.statistic for test in tests])
    order = np.lexsort(
        tuple(levelled(np.stack([largest, logs, node.adjusted[found]]), noise=NOISE))
    )
    return np.asarray(found[order], dtype=np.intp)


def _is_linked(counts: Array, goes: NDArray[np.bool_]) -> bool:
    """Return whether the candidates are linked in both parts."""
    return not any(connected_groups(counts[side].sum(axis=0)).any() for side in (goes, ~goes))
