"""Consensus relations: the orders of a class that are nearest to an ensemble of relations.

The distance is the weighted sum over the members of the ordered pairs that are
in exactly one of member and consensus. It is linear in the consensus, so the
nearest order solves an integer program. All is computed in whole numbers: what
is called optimal costs exactly the least, and all orders that cost the same are
found, up to a limit.

Candidates are divided into blocks that are solved one after the other. Where every candidate of a
set A is best put strictly before every one of a set B, pair by pair, all optima put A before B:
take any order of the class, keep its pairs inside A and inside B, and put A before B. The
result is an order of the class (each class here is closed under restriction and under putting one
order before another, since 2 + 2, 3 + 1 and a tie next to a tie that is none are connected by
ties), and every pair between A and B now costs the least it can, so the order costs less unless it
was such an order before. For linear orders this is the extended Condorcet criterion (Truchon
1998).

Weights are turned into whole numbers, so that criteria are compared without rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product
from math import lcm
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Better
from reportgen.stats.arguments import (
    Names,
    check_choice,
    check_count,
    is_smaller_better,
    names_of,
    numbers_of,
    refuse,
)
from reportgen.stats.arrays import Whole
from reportgen.stats.consensus_relations.block import Block, solve_block
from reportgen.stats.consensus_relations.orders import FIRST, TIED, Coding, Work, ensemble_costs
from reportgen.stats.frame import Columns, Tabular
from reportgen.stats.relations.hasse import levels
from reportgen.stats.relations.relations import (
    CLASSES,
    Incidence,
    OrderClass,
    as_relation,
    chain,
    closure,
    distance,
    of_statistic,
)


def blocks(costs: Whole, order_class: OrderClass) -> tuple[NDArray[np.int64], ...]:
    """Cut candidates into the smallest blocks whose order is the same in all optima.

    `costs`: (K, K); what it costs to put i before j; a tie costs nothing.
    Result: candidates of each block, the best block first.

    Examples
    --------
    >>> [b.tolist() for b in blocks(np.array([[0, 1, 1], [-1, 0, 0], [-1, 0, 0]]), "weak")]
    [[1, 2], [0]]
    """
    is_first = costs < costs.T
    if order_class != "linear":
        is_first &= costs < 0
    # i may come before j in an optimum unless j is best put first: cycles of this are the blocks
    reach = closure(~is_first.T | np.eye(len(costs), dtype=np.bool_))
    place = reach.sum(axis=1)  # who reaches more comes before
    order = np.unique(-place, return_inverse=True)[1]
    found = [np.flatnonzero(order == block) for block in range(int(order.max()) + 1)]
    return tuple(found)


LARGEST_DENOMINATOR = 10**6
RECOGNISED = 1e-13  # relative: a float this near to a simple fraction is read as it
LARGEST_TOTAL = 2**32  # of the whole weights: their sums over pairs stay far below 2^63
FINE = 2**32  # parts of the total, where weights are no simple fractions
MOST_WORK = 10_000  # of one consensus: about ten seconds
MOST_OPTIMA, FEW_OPTIMA = 1000, 20  # that are listed of few candidates, and of many
LARGE = 12  # candidates that are few


@dataclass(frozen=True, slots=True)
class WholeWeights:
    """Weights as multiples of one unit."""

    values: NDArray[np.int64]  # (M,)
    unit: Fraction  # the weights are `values` times it: exactly, or rounded
    is_exact: bool  # whether nothing was rounded

    def slack(self, n_pairs: int) -> int:
        """Return by how many units equal criteria may seem to differ.

        `n_pairs`: ordered pairs that a member and a relation may differ in.
        """
        return 0 if self.is_exact else len(self.values) * n_pairs


def whole_weights(weights: NDArray[np.float64]) -> WholeWeights:
    """Write weights as multiples of one unit.

    Weights such as 1.5, 0.2 or 1/3 are taken as the fraction with the smallest
    denominator that they stand for, which makes criteria exact: 0.1 + 0.2 is
    then 0.3. Where a weight is no such fraction, all are rounded to 2^-32 of
    their sum, and criteria that differ by less than what this may change count
    as equal.

    `weights`: (M,); not negative, finite, not all zero.

    Examples
    --------
    >>> found = whole_weights(np.array([1.0, 1.5, 0.2]))
    >>> found.values.tolist(), found.unit, found.is_exact
    ([10, 15, 2], Fraction(1, 10), True)
    """
    exact = [_simple_fraction(float(w)) for w in weights]
    if all(f is not None for f in exact):
        fractions = [f for f in exact if f is not None]
        unit = Fraction(1, lcm(*(f.denominator for f in fractions)))
        values = [int(f / unit) for f in fractions]
        common = int(np.gcd.reduce(np.array(values, dtype=object))) or 1
        if sum(values) // common <= LARGEST_TOTAL:
            whole = np.array([v // common for v in values], dtype=np.int64)
            return WholeWeights(whole, unit * common, True)
    unit = sum((Fraction(float(w)) for w in weights), Fraction(0)) / FINE
    rounded = [round(Fraction(float(w)) / unit) for w in weights]
    return WholeWeights(np.array(rounded, dtype=np.int64), unit, False)


def _simple_fraction(weight: float) -> Fraction | None:
    """Return the simple fraction of a float, if any."""
    found = Fraction(weight).limit_denominator(LARGEST_DENOMINATOR)
    return found if abs(float(found) - weight) <= RECOGNISED * weight else None


@dataclass(frozen=True, slots=True, repr=False)
class Consensus(Tabular):
    """The nearest orders of a class.

    Attributes
    ----------
    order_class : str
        The class in which they were sought.
    criterion : float
        Their distance from the ensemble: without the diagonal, unless the
        coding is that of R's package relations.
    lower_bound : float
        No order of the class is nearer; equal to the criterion when it is
        proven that these are optimal.
    relations : tuple of ndarray of shape (K, K), bool
        Strict incidences of the optima, at most as many as were requested.
    n_optimal : int or None
        Number of all optima; None when it is not known.
    has_more : bool
        Whether there are more optima than were requested: "more than N". When
        `n_optimal` is None and this is false, the search for them was given up,
        and `relations` may lack some.
    agreed : ndarray of shape (K, K), bool
        Pairs (i, j) such that i is better than j in all optima, listed or not:
        all of them when `n_optimal` is known, else those that are proven.
    agreed_ties : ndarray of shape (K, K), bool
        The same for pairs of which neither is better.
    candidates : tuple of str
        Empty as long as they have no names.
    unsearched : tuple of int
        Candidates whose order was not sought, as too many have to be ordered at once (more than
        75): single ones are moved while that brings it nearer.
    """

    order_class: OrderClass
    criterion: float
    lower_bound: float
    relations: tuple[Incidence, ...]
    n_optimal: int | None
    has_more: bool
    agreed: Incidence
    agreed_ties: Incidence
    candidates: tuple[str, ...] = ()
    unsearched: tuple[int, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The candidates; their places as long as they have no names."""
        return self.candidates or tuple(map(str, range(len(self.agreed))))

    @property
    def orders(self) -> tuple[tuple[tuple[str, ...], ...] | None, ...]:
        """The optima as classes of candidates that tie, best first; None for no weak order."""
        classes = (chain(relation) for relation in self.relations)
        return tuple(
            None if found is None else tuple(tuple(self.names[k] for k in c) for c in found)
            for found in classes
        )

    def to_columns(self) -> Columns:
        """Return the columns of the optima, a row an optimum and candidate.

        Returns
        -------
        dict
            `order`: number of the optimum, from 1; `candidate`, the best first; `level`: from 1,
            just below the lowest of the candidates that are better.
        """
        rows = [
            (number, self.names[k], level)
            for number, relation in enumerate(self.relations, start=1)
            for level, group in enumerate(levels(relation), start=1)
            for k in group
        ]
        return dict(zip(("order", "candidate", "level"), zip(*rows, strict=True), strict=True))

    def _heading(self) -> str:
        n = "more than " * self.has_more + str(len(self.relations))
        proof = "proven" if self.is_proven else f"not proven, at least {self.lower_bound:g}"
        return f"{self.order_class} order, criterion {self.criterion:g} ({proof}), {n} optimal"

    @property
    def is_proven(self) -> bool:
        """Whether no order of the class is nearer."""
        return self.lower_bound >= self.criterion


def nearest_relations(
    incidences: NDArray[np.bool_],
    weights: NDArray[np.float64] | None = None,
    order_class: OrderClass = "weak",
    *,
    limit: int = 1000,
    coding: Coding = "strict",
    most_work: int = 60_000,
) -> Consensus:
    r"""Find the orders of a class that are nearest to an ensemble of relations.

    Minimises :math:`\sum_m w_m\, d(R_m, R)` over the strict orders R of the
    class, where d counts the ordered pairs (i, j), i != j, that are in exactly
    one of the two: a pair that is reversed costs 2, a tie against a strict
    pair 1.

    `incidences`: (M, K, K); the members; ``incidences[m, i, j]`` is true when i is better than j.
    Members need not be orders. With `coding="relations"` both of a pair, and the diagonal, may be
    true.
    `weights`: (M,); not negative, not all zero; equal when omitted.
    `limit`: how many optima are listed at most; 1 for any one of them.
    `coding`: "relations" reproduces R's package of that name (Hornik and Meyer): the consensus is
    reflexive, a tie of a weak order is 1 both ways, and the criterion counts the diagonal. Strict
    members are nearer to strict orders then, since a tie of theirs is 0 both ways.
    `most_work`: where it is hard to find an optimum or all of them, how much is done for it; 1 is
    about a millisecond, but counted, so that the result is the same everywhere. When it does not
    suffice the best order that was met is returned with the bound that is proven.
    Raises ValueError if shapes, weights, class, coding or limit make no sense.
    Raises RuntimeError if a solver fails.

    Notes
    -----
    Candidates that all optima put one before the other are cut into blocks
    (`blocks`). For each block a linear program, to which broken conditions are
    added, gives prices, and these a bound in whole numbers (`program`). Branch
    and bound with it finds an optimum, and then all (`search`).

    References
    ----------
    .. [1] M. J. A. Eugster (2011), Benchmark experiments, section 2.5.
    .. [2] K. Hornik and D. Meyer (2007), "Deriving consensus rankings from
       benchmarking experiments", in Advances in Data Analysis, Springer.
    .. [3] J. G. Kemeny and J. L. Snell (1962), Mathematical models in the
       social sciences, chapter 2.

    Examples
    --------
    >>> abc = np.triu(np.ones((3, 3), dtype=bool), k=1)
    >>> cab = np.array([[0, 1, 0], [0, 0, 0], [1, 1, 0]], dtype=bool)
    >>> found = nearest_relations(np.stack([abc, abc, cab]), order_class="linear")
    >>> found.criterion, found.n_optimal, found.relations[0].sum(axis=1).tolist()
    (4.0, 1, [2, 1, 0])
    """
    _check_options(order_class, limit, coding)
    weights = checked_weights(incidences, weights, coding)
    whole = whole_weights(weights)
    costs, constant = ensemble_costs(incidences, whole.values, order_class, coding)
    slack = whole.slack(len(costs) * (len(costs) - 1))
    found = nearest(costs, order_class, slack, limit, Work(most_work))
    return Consensus(
        order_class,
        float(whole.unit * (found.least + constant)),
        float(whole.unit * (found.bound + constant)),
        found.relations,
        len(found.relations) if found.is_complete else None,
        found.has_more,
        found.agreed,
        found.agreed_ties,
        unsearched=found.unsearched,
    )


@dataclass(frozen=True, slots=True)
class Nearest:
    """The cheapest orders of a class, in whole numbers."""

    least: int  # what the cheapest that was found costs
    bound: int  # no order costs less; `least` when that is proven, up to the slack
    relations: tuple[Incidence, ...]  # each (K, K)
    is_complete: bool  # whether all of the cheapest are among them
    has_more: bool  # whether more were met than asked for
    # agreed, agreed_ties: (K, K)
    agreed: Incidence
    agreed_ties: Incidence
    unsearched: tuple[int, ...]  # as in `Consensus`


def nearest(costs: Whole, order_class: OrderClass, slack: int, limit: int, work: Work) -> Nearest:
    """Find the orders of a class that cost least.

    `costs`: (K, K); what it costs to put i before j; a tie costs nothing.
    `slack`: orders that cost so much more count as equal.
    `limit`: how many are listed at most.
    """
    parts = [
        solve_block(costs, members, order_class, slack, limit, work)
        for members in blocks(costs, order_class)
    ]
    least = int(costs[_before(parts)].sum()) + sum(part.least for part in parts)
    relations, has_more = _join(parts, costs, least + slack, limit)
    is_complete = all(part.is_exhausted for part in parts) and not has_more
    missing = sum(part.least - part.bound for part in parts)
    bound = least - (missing if missing > slack else 0)
    agreed, agreed_ties = _agree_on(parts, relations, is_complete)
    unsearched = sorted(k for part in parts if not part.is_searched for k in part.members.tolist())
    return Nearest(
        *(least, bound, relations, is_complete, has_more, agreed, agreed_ties, tuple(unsearched))
    )


def criterion(
    incidences: NDArray[np.bool_], relation: Incidence, weights: NDArray[np.float64] | None = None
) -> float:
    """Return the weighted distance of a strict relation from an ensemble.

    Raises ValueError if shapes or weights make no sense.
    """
    whole = whole_weights(checked_weights(incidences, weights, "strict"))
    differing = (incidences != as_relation(relation)).sum(axis=(1, 2))
    return float(whole.unit * int(whole.values @ differing))


def usual_limit(n_candidates: int) -> int:
    """Return how many optima are listed by default: of many candidates there are soon very many.

    Examples
    --------
    >>> usual_limit(12), usual_limit(13)
    (1000, 20)
    """
    return MOST_OPTIMA if n_candidates <= LARGE else FEW_OPTIMA


def most_even_first(
    relations: Iterable[Incidence], members: Sequence[Incidence] | NDArray[np.bool_]
) -> tuple[Incidence, ...]:
    """Put the order first whose largest distance from a member is smallest."""
    return tuple(sorted(relations, key=lambda r: max(distance(m, r) for m in members)))


def checked_weights(
    incidences: NDArray[np.bool_], weights: NDArray[np.float64] | None, coding: Coding = "strict"
) -> NDArray[np.float64]:
    """Return one weight per member.

    Raises ValueError if the ensemble or the weights make no sense.
    """
    shape = incidences.shape
    if len(shape) != 3 or shape[1] != shape[2] or 0 in shape:
        raise ValueError(f"incidences must have shape (M, K, K), got {shape}")
    if coding == "strict":
        if incidences.diagonal(axis1=1, axis2=2).any():
            raise ValueError("incidences must be irreflexive: no candidate beats itself")
        both = np.argwhere(incidences & incidences.transpose(0, 2, 1))
        if len(both):
            m, i, j = both[0].tolist()
            raise ValueError(f"in relation {m} each of {i} and {j} is better than the other")
    if weights is None:
        return np.ones(shape[0])
    weights = np.asarray(weights, dtype=np.float64)
    is_wrong = weights.shape != shape[:1] or not np.isfinite(weights).all()
    if is_wrong or (weights < 0).any() or not weights.any():
        raise ValueError(f"weights must be {shape[0]} non-negative numbers, not all zero")
    return weights


def _check_options(order_class: OrderClass, limit: int, coding: Coding) -> None:
    """Check a class, a limit or a coding."""
    if order_class not in CLASSES:
        raise ValueError(f"the class must be one of {', '.join(CLASSES)}, got {order_class!r}")
    if limit < 1:
        raise ValueError(f"at least one optimum must be requested, got limit {limit}")
    if coding not in ("strict", "relations"):
        raise ValueError(f"the coding must be strict or relations, got {coding!r}")


def _join(
    parts: list[Block], costs: Whole, budget: int, limit: int
) -> tuple[tuple[Incidence, ...], bool]:
    """Combine the orders of the blocks in all ways; also return whether some are left."""
    every = (_one(parts, chosen) for chosen in product(*(part.relations for part in parts)))
    optimal = (relation for relation in every if int(costs[relation].sum()) <= budget)
    found = tuple(islice(optimal, limit + 1))
    is_one_left = len(found) > limit or any(part.has_more for part in parts)
    return found[:limit], is_one_left


def _one(parts: list[Block], chosen: tuple[Incidence, ...]) -> Incidence:
    """Put one order of each block together."""
    relation = _before(parts)
    for part, own in zip(parts, chosen, strict=True):
        relation[np.ix_(part.members, part.members)] = own
    return relation


def _before(parts: list[Block]) -> Incidence:
    """Return which pairs lie in different blocks, the first in the better one."""
    place = np.concatenate([np.full(len(part.members), b) for b, part in enumerate(parts)])
    of_candidate = np.empty(len(place), dtype=np.int64)
    of_candidate[np.concatenate([part.members for part in parts])] = place
    return np.asarray(of_candidate[:, None] < of_candidate[None, :])


def _agree_on(
    parts: list[Block], relations: tuple[Incidence, ...], is_complete: bool
) -> tuple[Incidence, Incidence]:
    """Return what all optima agree on: by comparing them, or by proof where some may lack."""
    if is_complete:
        tied = ~np.logical_or.reduce([r | r.T for r in relations])
        np.fill_diagonal(tied, False)
        return np.logical_and.reduce(relations), np.asarray(tied)
    better, tied = _before(parts), np.zeros_like(relations[0])
    for part in parts:
        inside = np.ix_(part.members, part.members)
        better[inside] = part.domains == FIRST
        tied[inside] = part.domains == TIED
    return better, tied


def consensus(
    relations: ArrayLike,
    names: Names = None,
    *,
    better: Better = "smaller",
    weights: ArrayLike | None = None,
    order_class: OrderClass = "weak",
    coding: Coding = "strict",
    limit: int | None = None,
) -> Consensus:
    r"""Find the orders of a class that are nearest to relations or rankings.

    Parameters
    ----------
    relations : array-like of shape (M, K, K) or (M, K)
        M relations of K candidates, ``relations[m, i, j]`` being 1 where i is
        better than j and 0 otherwise; or M rankings: ranks, or other numbers by
        which candidates are ranked, NaN for a candidate that is not.
    names : sequence of str, optional
        Of the candidates; those of the columns of a data frame, or their places.
    better : {"smaller", "larger"}
        Of rankings: which numbers are better; 1 is the best rank by default.
    weights : array-like of shape (M,), optional
        Of the members, not negative, not all 0; equal when left out.
    order_class : {"linear", "weak", "semiorder", "interval", "partial"}
        The class in which the consensus is sought.
    coding : {"strict", "relations"}
        Of ties: strict, or as R's package relations.
    limit : int, optional
        How many optima are listed at most; left out: 1000, and 20 of more than 12
        candidates.

    Returns
    -------
    Consensus
        All orders with the least sum of distances, the most even first: that whose
        largest distance from a member is smallest.

    Raises
    ------
    ValueError
        If `relations` has another shape, numbers other than 0 and 1 in a relation,
        or a pair that is better both ways; or another argument is not what is
        allowed.

    Notes
    -----
    Minimises :math:`\sum_m w_m d(R_m, R)`, d the number of ordered pairs in exactly
    one of the two relations, exactly: by branch and bound with the prices of a
    linear program.

    References
    ----------
    .. [1] J. G. Kemeny and J. L. Snell (1962), Mathematical models in the social
       sciences, chapter 2.
    .. [2] K. Hornik and D. Meyer (2007), "Deriving consensus rankings from
       benchmarking experiments", in Advances in Data Analysis, Springer.
    .. [3] M. J. A. Eugster (2011), Benchmark experiments, section 2.5.

    Examples
    --------
    >>> from reportgen import stats
    >>> rankings = [[1, 2, 3], [1, 2, 3], [2, 3, 1]]
    >>> found = stats.consensus(rankings, ["lda", "svm", "rf"], order_class="linear")
    >>> found
    Consensus: linear order, criterion 4 (proven), 1 optimal
    order  candidate  level
        1  lda            1
        1  svm            2
        1  rf             3
    >>> found.orders
    ((('lda',), ('svm',), ('rf',)),)
    """
    smaller = is_smaller_better(better)
    check_choice("order_class", order_class, CLASSES)
    check_choice("coding", coding, get_args(Coding))
    if limit is not None:
        check_count("limit", limit)
    given = numbers_of(relations, "relations")
    is_square = given.ndim == 3 and given.shape[1] == given.shape[2]
    if 0 in given.shape or not (given.ndim == 2 or is_square):
        raise refuse("relations", f"shape {given.shape}", "(M, K, K), or (M, K) of ranks")
    candidates = names_of(names, relations, given.shape[1])
    incidences = _incidences(given, smaller)
    weight = None if weights is None else numbers_of(weights, "weights")
    members = checked_weights(incidences, weight, coding) > 0
    found = nearest_relations(
        incidences,
        weight,
        order_class,
        limit=limit or usual_limit(len(candidates)),
        coding=coding,
        most_work=MOST_WORK,
    )
    orders = most_even_first(found.relations, incidences[members])
    return replace(found, relations=orders, candidates=candidates)


def _incidences(given: NDArray[np.float64], is_smaller_better: bool) -> NDArray[np.bool_]:
    """Return relations, of shape (M, K, K), as they are or of rankings."""
    if given.ndim == 2:
        if np.isinf(given).any():
            raise refuse("relations", "an infinite rank", "finite numbers, nan where there is none")
        return np.array([of_statistic(row, is_smaller_better) for row in given])
    if not np.isin(given, (0, 1)).all():
        other = given[~np.isin(given, (0, 1))][0]
        raise refuse("relations", f"{other:g} in a relation", "0 and 1")
    return given.astype(np.bool_)
