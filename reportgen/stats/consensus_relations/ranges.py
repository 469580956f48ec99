"""Sensitivity of a consensus to the weight of one member.

With the other weights fixed the criterion of an order is a line over the weight of one member: its
distance from the others is the level, its distance from the member the slope. The least criterion
is the lower envelope of these lines. `OrderList` and `OrderSearch` find the line that is lowest at
a weight and who comes first there, among all orders where these are few, else by a search with
proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import floor, inf
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Whole
from reportgen.stats.consensus_relations.nearest import (
    Nearest,
    checked_weights,
    nearest,
    whole_weights,
)
from reportgen.stats.consensus_relations.orders import (
    Coding,
    Work,
    WorkUsedUpError,
    listed_orders,
    member_costs,
)
from reportgen.stats.relations.relations import Incidence, OrderClass, unbeaten

MOST_OPTIMA = 20
"""Optima that are listed to see who comes first in one; after that each candidate is tried."""


class Line(NamedTuple):
    """The criterion of an order over the weight of one member: ``level + slope * weight``."""

    level: int
    slope: int

    def at(self, weight: Fraction) -> Fraction:
        """Return the criterion."""
        return self.level + self.slope * weight

    def crossing(self, other: Line) -> Fraction:
        """Return the weight at which two lines meet."""
        return Fraction(other.level - self.level, self.slope - other.slope)


class Orders(Protocol):
    """The orders of a class, over the weight of one member."""

    def line(self, relation: Incidence) -> Line:
        """Return the criterion of one order."""
        ...

    def lowest(self, weight: Fraction) -> Line:
        """Return the criterion of an order that is nearest at a weight.

        Raises WorkUsedUpError if that cannot be proven with the work that is left.
        """
        ...

    def first(self, weight: Fraction) -> frozenset[int]:
        """Return the candidates that no other is better than in one of the nearest orders.

        Raises WorkUsedUpError as for `lowest`.
        """
        ...


class OrderList:
    """All orders, one by one.

    Parameters
    ----------
    orders : ndarray of shape (N, K, K), bool
    is_among : ndarray of shape (K + 1, N), bool
        A row for each candidate: the orders in which none is better than it; last, all orders.
    distances : ndarray of shape (N, M), int
        Of the orders from the members.
    levels : ndarray of shape (N,), int
        Their sums, weighted by the values.
    values : ndarray of shape (M,), int
        The weights.
    member : int
        Whose weight changes.
    """

    def __init__(
        self,
        orders: NDArray[np.bool_],
        is_among: NDArray[np.bool_],
        distances: Whole,
        levels: Whole,
        values: Whole,
        member: int,
    ) -> None:
        self._orders, self._distances, self._member = orders, distances, member
        self._others = np.where(np.arange(len(values)) == member, 0, values)
        levels = levels - distances[:, member] * values[member]
        self._slopes = np.flatnonzero(np.bincount(distances[:, member]))
        place = np.searchsorted(self._slopes, distances[:, member])
        self._none = int(levels.max()) + 1
        self._levels = np.full((len(is_among), len(self._slopes)), self._none)
        for lowest, among in zip(self._levels, is_among, strict=True):
            np.minimum.at(lowest, place[among], levels[among])

    def line(self, relation: Incidence) -> Line:
        """Return the criterion of one order."""
        own = self._distances[int((self._orders == relation).all(axis=(1, 2)).argmax())]
        return Line(int(own @ self._others), int(own[self._member]))

    def lowest(self, weight: Fraction) -> Line:
        """Return the criterion of an order that is nearest at a weight."""
        found = int(self._at(weight)[-1].argmin())
        return Line(int(self._levels[-1, found]), int(self._slopes[found]))

    def first(self, weight: Fraction) -> frozenset[int]:
        """Return the candidates that no other is better than in one of the nearest orders."""
        least = self._at(weight).min(axis=1)
        return frozenset(np.flatnonzero(least[:-1] == least[-1]).tolist())

    def _at(self, weight: Fraction) -> Whole:
        """Return the criteria at a weight, in so many parts as it has."""
        criteria = self._levels * weight.denominator + self._slopes * weight.numerator
        never = np.iinfo(np.int64).max
        return np.asarray(np.where(self._levels == self._none, never, criteria))


class OrderSearch:
    """The orders that a search finds.

    Parameters
    ----------
    costs : ndarray of shape (M, K, K), int
    constants : ndarray of shape (M,), int
        What a distance is made of, as `member_costs` returns them.
    values : ndarray of shape (M,), int
        The weights.
    member : int
        Whose weight changes.
    order_class : str
    work : Work
        What all searches together may take.
    """

    def __init__(
        self,
        costs: Whole,
        constants: Whole,
        values: Whole,
        member: int,
        order_class: OrderClass,
        work: Work,
    ) -> None:
        others = np.where(np.arange(len(values)) == member, 0, values)
        self._others, self._level = np.tensordot(others, costs, axes=1), int(others @ constants)
        self._own, self._slope = costs[member], int(constants[member])
        self._class: OrderClass = order_class
        self._work = work

    def line(self, relation: Incidence) -> Line:
        """Return the criterion of one order."""
        level = self._level + int(self._others[relation].sum())
        return Line(level, self._slope + int(self._own[relation].sum()))

    def lowest(self, weight: Fraction) -> Line:
        """Return the criterion of an order that is nearest at a weight."""
        return self.line(self._nearest(self._costs(weight), 1).relations[0])

    def first(self, weight: Fraction) -> frozenset[int]:
        """Return the candidates that no other is better than in one of the nearest orders."""
        costs = self._costs(weight)
        found = self._nearest(costs, MOST_OPTIMA)
        met = {k for relation in found.relations for k in unbeaten(relation)}
        if not found.is_complete:
            rest = (k for k in range(len(costs)) if k not in met)
            met |= {
                k for k in rest if self._nearest(_costs_of_first(costs, k), 1).least == found.least
            }
        return frozenset(met)

    def _costs(self, weight: Fraction) -> Whole:
        costs = weight.denominator * self._others + weight.numerator * self._own
        return np.asarray(costs // max(1, int(np.gcd.reduce(costs, axis=None))))

    def _nearest(self, costs: Whole, limit: int) -> Nearest:
        if self._work.is_done:
            raise WorkUsedUpError
        found = nearest(costs, self._class, 0, limit, self._work)
        if found.bound < found.least:
            raise WorkUsedUpError
        return found


def _costs_of_first(costs: Whole, candidate: int) -> Whole:
    """Make it too dear that another one is better than a candidate."""
    # Putting the candidate before all others changes the cost of an order by no
    # more than what its pairs cost, so a cheapest order does so if it must.
    dear = costs.copy()
    dear[:, candidate] += (
        int(np.abs(costs[candidate]).sum() + np.abs(costs[:, candidate]).sum()) + 1
    )
    dear[candidate, candidate] = 0
    return dear


Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class WeightRange:
    """The weights of one member for which a consensus stays, the other weights unchanged."""

    # lower, upper: on this closed interval the relation stays optimal; `upper` is infinite where no
    # weight is too large
    lower: float
    upper: float
    # closed intervals on which the same candidates come first: those that no other is better than
    # in an optimum. One of them holds the weight as it is.
    first: tuple[tuple[float, float], ...]
    # whether these are all such intervals in their full length; else the same candidates come first
    # at least there
    is_whole: bool


@dataclass(frozen=True, slots=True)
class WeightRanges:
    """Ranges of the weights of an ensemble, one by one."""

    # frozenset of int, or None; the candidates that no other is better than in at least one
    # optimum; None where this takes more work than is allowed
    first: frozenset[int] | None
    members: tuple[WeightRange | None, ...]  # None where it takes more work than is allowed


def weight_ranges(
    incidences: NDArray[np.bool_],
    weights: NDArray[np.float64],
    relation: Incidence,
    order_class: OrderClass,
    *,
    coding: Coding = "strict",
    most_work: int = 60_000,
) -> WeightRanges:
    """Find how far each weight may move while a consensus, and who leads in it, stay.

    The criterion of an order is a line over one weight, and the least criterion
    the lower envelope of these lines: concave, with corners at fractions. From
    the weight as it is the envelope is followed down to zero and up without
    end, corner by corner. Every corner is found as in Newton's method for
    fractional programs: beginning far away, go to where the line that is lowest
    there meets the line in question, until that one is lowest itself. Inside a
    piece the optima do not change, so one look at each shows who comes first.

    `incidences`: (M, K, K).
    `weights`: (M,).
    `relation`: (K, K); one of the optima for these weights.
    `order_class`, `coding`: as for `consensus`.
    `most_work`: how much may be done for all members together, as for `consensus`.
    Raises ValueError if shapes or weights make no sense, or the relation is not optimal.

    References
    ----------
    .. [1] W. Dinkelbach (1967), "On nonlinear fractional programming",
       Management Science 13.
    """
    whole = whole_weights(checked_weights(incidences, weights, coding))
    costs, constants = member_costs(incidences, order_class, coding)
    orders = _orders(costs, constants, whole.values, order_class, Work(most_work))
    now = [Fraction(value) for value in whole.values.tolist()]
    n = incidences.shape[1]
    try:
        least = orders[0].lowest(now[0]).at(now[0])
    except WorkUsedUpError:
        return WeightRanges(None, (None,) * len(now))
    if orders[0].line(relation).at(now[0]) > least + whole.slack(n * n):
        raise ValueError("the relation is not optimal for these weights")
    first = _first(orders[0], now[0])
    highest = sum(now) * n * n + 1  # there the member alone decides between any two orders
    walks = (_Walk(own, at, highest) for own, at in zip(orders, now, strict=True))
    found = tuple(walk.run(relation, least, first, whole.unit) for walk in walks)
    return WeightRanges(first, found)


def _first(orders: Orders, at: Fraction) -> frozenset[int] | None:
    """Return who comes first in an optimum, where the work suffices."""
    try:
        return orders.first(at)
    except WorkUsedUpError:
        return None


def _orders(
    costs: NDArray[np.int64],
    constants: NDArray[np.int64],
    values: NDArray[np.int64],
    order_class: OrderClass,
    work: Work,
) -> list[Orders]:
    """Return for each member the orders over its weight."""
    listed = listed_orders(costs.shape[1], order_class)
    if listed is None:
        return [
            OrderSearch(costs, constants, values, m, order_class, work) for m in range(len(values))
        ]
    flat = listed.reshape(len(listed), -1).astype(np.float64)
    distances = flat @ costs.reshape(len(costs), -1).T.astype(np.float64)
    whole = np.round(distances).astype(np.int64) + constants
    is_among = np.vstack([~listed.any(axis=1).T, np.ones(len(listed), dtype=np.bool_)])
    levels = whole @ values
    return [OrderList(listed, is_among, whole, levels, values, m) for m in range(len(values))]


@dataclass(frozen=True, slots=True)
class _Walk:
    """Along the envelope, from the weight of a member as it is."""

    orders: Orders
    at: Fraction
    highest: Fraction

    def run(
        self,
        relation: Incidence,
        least: Fraction,
        first: frozenset[int] | None,
        unit: Fraction,
    ) -> WeightRange | None:
        """Find where a relation, and those that come first, stay."""
        try:
            line = self.orders.line(relation)
            if line.at(self.at) > least:  # rounded weights: it is as near but for rounding
                line = self.orders.lowest(self.at)
            lower, below = self.end(line, Fraction(0))
            upper, above = self.end(line, self.highest)
        except WorkUsedUpError:
            return None
        stays, is_whole = self.stays((lower, upper), (below, above), first)
        intervals = tuple(
            (float(unit * low), self._float(unit, high)) for low, high in _join(stays)
        )
        return WeightRange(float(unit * lower), self._float(unit, upper), intervals, is_whole)

    def end(self, line: Line, goal: Fraction) -> tuple[Fraction, Line | None]:
        """Return where a line stops being lowest on the way to a goal, and which one is then."""
        trial, following = goal, None
        while (found := self.orders.lowest(trial)).at(trial) < line.at(trial):
            trial, following = line.crossing(found), found
        return trial, following

    def stays(
        self,
        own: Interval,
        neighbours: tuple[Line | None, Line | None],
        first: frozenset[int] | None,
    ) -> tuple[list[Interval], bool]:
        """Return where the same candidates come first, and whether this is all."""
        found = [] if first is None else [(self.at, self.at)]
        try:
            for start, end in self._pieces(own, neighbours) if first is not None else ():
                is_inside = start < self.at < end  # the optima are those that there are now
                if is_inside or self.orders.first(simplest_between(start, end)) == first:
                    found.append((start, end))
        except WorkUsedUpError:
            return found, False
        return found, first is not None

    def _pieces(
        self, own: Interval, neighbours: tuple[Line | None, Line | None]
    ) -> Iterator[Interval]:
        """Yield the pieces of the envelope that have a length, those nearby first."""
        lower, upper = own
        if lower < upper:
            yield own
        below, above = neighbours
        while above is not None:
            start, (upper, above) = upper, self.end(above, self.highest)
            yield start, upper
        while below is not None:
            end, (lower, below) = lower, self.end(below, Fraction(0))
            yield lower, end

    def _float(self, unit: Fraction, weight: Fraction) -> float:
        return inf if weight == self.highest else float(unit * weight)


def _join(intervals: list[Interval]) -> list[Interval]:
    """Join closed intervals that touch."""
    found: list[Interval] = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def simplest_between(lower: Fraction, upper: Fraction) -> Fraction:
    """Return the fraction with the smallest denominator inside an interval.

    `lower`, `upper`: not negative, the lower one smaller.

    Examples
    --------
    >>> simplest_between(Fraction(1, 3), Fraction(1, 2)), simplest_between(Fraction(0), Fraction(9))
    (Fraction(2, 5), Fraction(1, 1))
    """
    whole = floor(lower)
    if whole + 1 < upper:
        return Fraction(whole + 1)
    if lower == whole:
        return whole + Fraction(1, floor(1 / (upper - whole)) + 1)
    return whole + 1 / simplest_between(1 / (upper - whole), 1 / (lower - whole))
