"""All orders of a class that cost no more than a bound.

Branch and bound over the domains of the pairs: prices of a linear program say which answers are too
dear, path consistency says what follows. While a linear program may still raise the bound it is
solved again; where the bound meets the budget what is left is a search among answers that cost the
same. All decisions are made in whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.consensus.domains import (
    FIRST,
    SECOND,
    TIED,
    TURNED,
    Domains,
    decided,
    propagate,
)
from reportgen.stats.consensus.program import (
    Priced,
    Relaxation,
    least_cost,
    possible_answers,
    price,
    relax,
)
from reportgen.stats.relations import Incidence, OrderClass, belongs_to

Whole = NDArray[np.int64]

MOST_PROGRAMS = 400  # linear programs that one search solves
MOST_NODES = 50_000  # of one search; beyond, it is given up
NEARLY = 1e-7  # of the largest cost: what prices that are rounded may lack of their bound


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came upon.

    Attributes
    ----------
    relations : tuple of ndarray of shape (K, K), bool
        At most as many as were asked for.
    is_exhausted : bool
        Whether all are among them.
    has_more : bool
        Whether another one was met.
    domains : ndarray of shape (K, K), uint8
        What each pair may be in any of them, found or not.
    """

    relations: tuple[Incidence, ...]
    is_exhausted: bool
    has_more: bool
    domains: Domains


def all_within(
    costs: Whole,
    order_class: OrderClass,
    budget: int,
    root: Relaxation,
    domains: Domains,
    limit: int,
) -> Found:
    """Find the orders of a class that cost at most a budget.

    Parameters
    ----------
    costs : ndarray of shape (K, K), int
        What it costs to put i before j; a tie costs nothing.
    order_class : {"linear", "weak", "semiorder", "interval", "partial"}
    budget : int
    root : Relaxation
        The linear program over the domains, solved.
    domains : ndarray of shape (K, K), uint8
    limit : int
        How many are listed at most.

    Returns
    -------
    Found
    """
    search = _Search(costs, order_class, budget, limit)
    priced = price(costs, root)
    narrowed = search.narrow(domains, priced)
    if narrowed is None:
        return Found((), True, False, domains)
    search.explore(narrowed, priced, root)
    return Found(
        tuple(search.found),
        not search.has_more and not search.is_given_up,
        search.has_more,
        narrowed[0],
    )


class _Search:
    def __init__(self, costs: Whole, order_class: OrderClass, budget: int, limit: int) -> None:
        self._costs = costs
        self._class = order_class
        self._budget = budget
        self._limit = limit
        self._step = int(np.gcd.reduce(np.abs(costs), axis=None)) or 1
        self._nearly = NEARLY * float(np.abs(costs).max(initial=1))
        self._n_programs = 0
        self._n_nodes = 0
        self.found: list[Incidence] = []
        self.has_more = False
        self.is_given_up = False

    def narrow(self, domains: Domains, priced: Priced) -> tuple[Domains, int, Whole] | None:
        """Remove answers that are too dear or impossible, until none is.

        Returns the domains, the bound and what each answer adds to it.
        """
        most = self._budget * priced.scale
        step = self._step * priced.scale
        while True:
            bound, rises = least_cost(priced, domains)
            if -(-bound // step) * step > most:
                return None
            possible = domains & possible_answers(rises, most - bound)
            if not possible.all():
                return None
            following = propagate(possible, self._class)
            if following is None:
                return None
            if np.array_equal(following, domains):
                return domains, bound, rises
            domains = following

    def explore(
        self, narrowed: tuple[Domains, int, Whole], priced: Priced, solved: Relaxation
    ) -> None:
        """Visit what is possible, one answer of one pair after the other."""
        waiting = [(narrowed, priced, solved)]
        while waiting:
            self._n_nodes += 1
            if self._n_nodes > MOST_NODES:
                self.is_given_up = True
                return
            narrowed, priced, solved = waiting.pop()
            relation = decided(narrowed[0])
            if relation is not None:
                if not self._keep(relation):
                    return
                continue
            if self._may_rise(narrowed[1], priced):
                better = self._solve_again(narrowed[0], solved)
                if better is None:
                    continue
                narrowed, priced, solved = better
                if decided(narrowed[0]) is not None:
                    waiting.append(better)
                    continue
            waiting.extend(
                (child, priced, solved) for child in self._children(narrowed, priced, solved)
            )

    def _keep(self, relation: Incidence) -> bool:
        """Keep an order; return whether to go on."""
        is_one = belongs_to(relation, self._class)
        if not is_one or int(self._costs[relation].sum()) > self._budget:
            return True
        if len(self.found) == self._limit:
            self.has_more = True
            return False
        self.found.append(relation)
        return True

    def _may_rise(self, bound: int, priced: Priced) -> bool:
        """Whether another linear program could show that there is nothing."""
        lacking = self._budget - bound / priced.scale
        return lacking > max(self._step - 1, self._nearly) and self._n_programs < MOST_PROGRAMS

    def _solve_again(
        self, domains: Domains, solved: Relaxation
    ) -> tuple[tuple[Domains, int, Whole], Priced, Relaxation] | None:
        self._n_programs += 1
        relaxation = relax(self._costs, self._class, domains, solved.cuts)
        if relaxation is None:
            return None
        priced = price(self._costs, relaxation)
        narrowed = self.narrow(domains, priced)
        return None if narrowed is None else (narrowed, priced, relaxation)

    def _children(
        self, narrowed: tuple[Domains, int, Whole], priced: Priced, solved: Relaxation
    ) -> list[tuple[Domains, int, Whole]]:
        """Return what is left for each answer of one pair, the dearest first."""
        domains, _, rises = narrowed
        i, j = _next_pair(domains, rises, solved.x)
        answers = [
            (int(rises[place, i, j]), answer)
            for place, answer in enumerate((FIRST, SECOND, TIED))
            if domains[i, j] & answer
        ]
        children = []
        for _, answer in sorted(answers, reverse=True):
            child = domains.copy()
            child[i, j], child[j, i] = answer, TURNED[answer]
            following = propagate(child, self._class)
            if following is not None:
                found = self.narrow(following, priced)
                if found is not None:
                    children.append(found)
        return children


def _next_pair(domains: Domains, rises: Whole, x: NDArray[np.float64]) -> tuple[int, int]:
    """Return an open pair: the one whose second answer costs most, then the least certain one."""
    is_open = np.triu((domains & (domains - 1)) != 0, k=1)
    i, j = np.nonzero(is_open)
    second = np.sort(rises[:, i, j], axis=0)[1]
    unsure = np.minimum(x[i, j], 1 - x[i, j]) + np.minimum(x[j, i], 1 - x[j, i])
    chosen = np.lexsort((-unsure, -second))[0]
    return int(i[chosen]), int(j[chosen])
