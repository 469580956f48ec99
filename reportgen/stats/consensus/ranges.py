"""Over which weights of one member a consensus stays, and over which the same candidates lead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import floor, inf

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.consensus.coding import Coding, member_costs
from reportgen.stats.consensus.listing import listed_orders
from reportgen.stats.consensus.nearest import checked_weights
from reportgen.stats.consensus.parametric import Line, Listed, Orders, Sought, WorkUsedUpError
from reportgen.stats.consensus.weights import whole_weights
from reportgen.stats.consensus.work import Work
from reportgen.stats.relations import Incidence, OrderClass

Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class WeightRange:
    """The weights of one member for which a consensus stays, the other weights unchanged.

    Attributes
    ----------
    lower, upper : float
        On this closed interval the relation stays optimal; `upper` is infinite
        where no weight is too large.
    first : tuple of (float, float)
        Closed intervals on which the same candidates come first: those that no
        other is better than in an optimum. One of them holds the weight as it
        is.
    is_whole : bool
        Whether these are all such intervals in their full length; else the
        same candidates come first at least there.
    """

    lower: float
    upper: float
    first: tuple[tuple[float, float], ...]
    is_whole: bool


@dataclass(frozen=True, slots=True)
class WeightRanges:
    """How far the weights of an ensemble may move one by one.

    Attributes
    ----------
    first : frozenset of int, or None
        The candidates that no other is better than in at least one optimum;
        None where this takes more work than is allowed.
    members : tuple of WeightRange or None
        None where it takes more work than is allowed.
    """

    first: frozenset[int] | None
    members: tuple[WeightRange | None, ...]


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
    piece the optima do not change, so one look at each tells who comes first.

    Parameters
    ----------
    incidences : ndarray of shape (M, K, K), bool
    weights : ndarray of shape (M,)
    relation : ndarray of shape (K, K), bool
        One of the optima for these weights.
    order_class, coding : str
        As for `consensus`.
    most_work : int
        How much may be done for all members together, as for `consensus`.

    Raises
    ------
    ValueError
        If shapes or weights make no sense, or the relation is not optimal.

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
    beyond = sum(now) * n * n + 1  # there the member alone decides between any two orders
    walks = (_Walk(own, at, beyond) for own, at in zip(orders, now, strict=True))
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
        return [Sought(costs, constants, values, m, order_class, work) for m in range(len(values))]
    flat = listed.reshape(len(listed), -1).astype(np.float64)
    distances = flat @ costs.reshape(len(costs), -1).T.astype(np.float64)
    whole = np.round(distances).astype(np.int64) + constants
    return [Listed(listed, whole, values, m) for m in range(len(values))]


@dataclass(frozen=True, slots=True)
class _Walk:
    """Along the envelope, from the weight of a member as it is."""

    orders: Orders
    at: Fraction
    beyond: Fraction

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
            upper, above = self.end(line, self.beyond)
        except WorkUsedUpError:
            return None
        stays, is_whole = self.stays((lower, upper), (below, above), first)
        intervals = tuple(
            (float(unit * low), self._float(unit, high)) for low, high in _joined(stays)
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
        beside: tuple[Line | None, Line | None],
        first: frozenset[int] | None,
    ) -> tuple[list[Interval], bool]:
        """Return where the same candidates come first, and whether this is all."""
        found = [] if first is None else [(self.at, self.at)]
        try:
            for start, end in self._pieces(own, beside) if first is not None else ():
                is_inside = start < self.at < end  # the optima are those that there are now
                if is_inside or self.orders.first(simplest_between(start, end)) == first:
                    found.append((start, end))
        except WorkUsedUpError:
            return found, False
        return found, first is not None

    def _pieces(self, own: Interval, beside: tuple[Line | None, Line | None]) -> Iterator[Interval]:
        """Yield the pieces of the envelope that have a length, those nearby first."""
        lower, upper = own
        if lower < upper:
            yield own
        below, above = beside
        while above is not None:
            start, (upper, above) = upper, self.end(above, self.beyond)
            yield start, upper
        while below is not None:
            end, (lower, below) = lower, self.end(below, Fraction(0))
            yield lower, end

    def _float(self, unit: Fraction, weight: Fraction) -> float:
        return inf if weight == self.beyond else float(unit * weight)


def _joined(intervals: list[Interval]) -> list[Interval]:
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

    Parameters
    ----------
    lower, upper : Fraction
        Not negative, the lower one smaller.

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
