"""All orders of a class whose costs do not exceed a bound: a search that leaves out the rest."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.relations import Incidence, OrderClass, belongs_to

MOST_STEPS = 300_000  # of the search; beyond, it is given up

FIRST, SECOND, TIED = 1, -1, 0
UNKNOWN = 2


def all_optima(
    costs: NDArray[np.float64], order_class: OrderClass, bound: float, limit: int
) -> tuple[tuple[Incidence, ...], bool]:
    """Return the orders of a class that cost no more than a bound.

    Parameters
    ----------
    costs : ndarray of shape (K, K)
        What it costs to put i before j; a tie costs nothing.
    order_class : {"linear", "weak", "semiorder", "interval", "partial"}
    bound : float
    limit : int
        The search ends when so many are found and there is another one.

    Returns
    -------
    tuple of ndarray of shape (K, K), bool
        At most `limit` of them.
    bool
        Whether these are all.

    Notes
    -----
    The pairs are decided one after the other, those first whose choices differ
    most in cost. A branch is left when what it has cost already and the
    cheapest choices of all other pairs exceed the bound, or when a triple
    breaks the conditions of the class.
    """
    search = _Search(costs, order_class, bound, limit)
    search.run()
    return tuple(search.found), search.is_complete


class _Search:
    def __init__(
        self, costs: NDArray[np.float64], order_class: OrderClass, bound: float, limit: int
    ) -> None:
        self._n = len(costs)
        self._class = order_class
        self._bound = bound
        self._limit = limit
        self._pairs, self._choices = _ordered_choices(costs, order_class)
        cheapest = [choices[0][0] for choices in self._choices]
        self._rest = [*np.cumsum(cheapest[::-1])[::-1].tolist(), 0.0]
        self._state = [[UNKNOWN] * self._n for _ in range(self._n)]
        self._steps = 0
        self.found: list[Incidence] = []
        self.is_complete = True

    def run(self) -> None:
        """Decide pair after pair."""
        self._decide(0, 0.0)

    def _decide(self, depth: int, cost: float) -> bool:
        """Go on from a partial decision; return whether to go on at all."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            self.is_complete = False
            return False
        if depth == len(self._pairs):
            return self._keep()
        i, j = self._pairs[depth]
        for extra, choice in self._choices[depth]:
            if cost + extra + self._rest[depth + 1] > self._bound:
                break  # the others cost more
            self._state[i][j], self._state[j][i] = choice, -choice
            if self._fits(i, j) and not self._decide(depth + 1, cost + extra):
                return False
        self._state[i][j] = self._state[j][i] = UNKNOWN
        return True

    def _keep(self) -> bool:
        relation = np.array(self._state) == FIRST
        np.fill_diagonal(relation, False)
        if not belongs_to(relation, self._class):
            return True
        if len(self.found) == self._limit:
            self.is_complete = False
            return False
        self.found.append(relation)
        return True

    def _fits(self, i: int, j: int) -> bool:
        """Whether no triple that is decided by now breaks transitivity."""
        state = self._state
        ij = state[i][j]
        is_weak = self._class in ("linear", "weak")
        for k in range(self._n):
            if k in (i, j):
                continue
            jk, ik = state[j][k], state[i][k]
            if jk == UNKNOWN or ik == UNKNOWN:
                continue
            if not _is_consistent(ij, jk, ik, is_weak):
                return False
        return True


def _ordered_choices(
    costs: NDArray[np.float64], order_class: OrderClass
) -> tuple[list[tuple[int, int]], list[list[tuple[float, int]]]]:
    """Return the pairs, the clearest first, and the choices of each, the cheapest first."""
    pairs = list(combinations(range(len(costs)), 2))
    choices = []
    for i, j in pairs:
        options = [(float(costs[i, j]), FIRST), (float(costs[j, i]), SECOND)]
        if order_class != "linear":
            options.append((0.0, TIED))
        choices.append(sorted(options))
    clarity = [options[1][0] - options[0][0] for options in choices]
    order = np.argsort(np.negative(clarity), kind="stable")
    return [pairs[a] for a in order], [choices[a] for a in order]


def _is_consistent(ij: int, jk: int, ik: int, is_weak: bool) -> bool:
    """Whether three decided pairs of i, j and k are transitive; in a weak order ties as well."""
    if ij == jk and ij != TIED:
        return ik == ij
    if is_weak and ij == jk == TIED:
        return ik == TIED
    if is_weak and TIED in (ij, jk):
        return ik == ij + jk
    if not is_weak:
        # i better than k and k than j implies i better than j, and so on
        if ik == -jk and ik != TIED:
            return ij == ik
        if ik == -ij and ik != TIED:
            return jk == ik
    return True
