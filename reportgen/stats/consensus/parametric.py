"""The nearest orders as a function of one member's weight.

With the other weights fixed the criterion of an order is a line over the weight of one member: its
distance from the others is the level, its distance from the member the slope. The least criterion
is the lower envelope of these lines. `Listed` and `Sought` find the line that is lowest at a weight
and who comes first there, among all orders where these are few, else by a search with its proof.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.consensus.nearest import Nearest, nearest
from reportgen.stats.consensus.work import Work
from reportgen.stats.relations import Incidence, OrderClass, unbeaten

Whole = NDArray[np.int64]

MOST_OPTIMA = 20
"""Optima that are listed to see who comes first in one; after that each candidate is tried."""


class WorkUsedUpError(Exception):
    """The work that is allowed does not suffice for a proof."""


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

        Raises
        ------
        WorkUsedUpError
            If that cannot be proven with the work that is left.
        """
        ...

    def first(self, weight: Fraction) -> frozenset[int]:
        """Return the candidates that no other is better than in one of the nearest orders.

        Raises
        ------
        WorkUsedUpError
            As for `lowest`.
        """
        ...


class Listed:
    """All orders, one by one.

    Parameters
    ----------
    orders : ndarray of shape (N, K, K), bool
    distances : ndarray of shape (N, M), int
        Of the orders from the members.
    values : ndarray of shape (M,), int
        The weights.
    member : int
        Whose weight changes.
    """

    def __init__(
        self, orders: NDArray[np.bool_], distances: Whole, values: Whole, member: int
    ) -> None:
        self._orders, self._distances, self._member = orders, distances, member
        self._others = np.where(np.arange(len(values)) == member, 0, values)
        levels = distances @ self._others
        self._slopes, place = np.unique(distances[:, member], return_inverse=True)
        # a row for each candidate: orders in which none is better than it; last, all orders
        is_among = np.concatenate(
            [~orders.any(axis=1), np.ones((len(orders), 1), dtype=np.bool_)], axis=1
        ).T
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


class Sought:
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
            met |= {k for k in rest if self._nearest(_first(costs, k), 1).least == found.least}
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


def _first(costs: Whole, candidate: int) -> Whole:
    """Make it too dear that another one is better than a candidate.

    Putting the candidate before all others changes the cost of an order by no
    more than what its pairs cost, so a cheapest order does so if it must.
    """
    dear = costs.copy()
    dear[:, candidate] += (
        int(np.abs(costs[candidate]).sum() + np.abs(costs[:, candidate]).sum()) + 1
    )
    dear[candidate, candidate] = 0
    return dear
