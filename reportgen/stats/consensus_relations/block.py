"""The optimal orders of one block of candidates, by branch and bound with a proof.

A local search moves candidates as long as the order gets cheaper, and gives the first upper bound.
Branch and bound goes over the domains of the pairs: dual prices of a linear program exclude answers
that cost too much, path consistency excludes what follows. The program is solved again while it may
raise the bound. All decisions are made in whole numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array, Whole
from reportgen.stats.consensus_relations.orders import (
    FIRST,
    SECOND,
    TIED,
    TURNED,
    Domains,
    Work,
    all_possible,
    answers_of,
    decided,
    listed_orders,
    propagate,
)
from reportgen.stats.consensus_relations.program import (
    LagrangianCosts,
    Relaxation,
    alone,
    least_cost,
    possible_answers,
    price,
    relax,
)
from reportgen.stats.relations.relations import Incidence, OrderClass, belongs_to

MOST_SEARCHED = 75  # candidates of a block: the programs of more take minutes


def improved(costs: Whole, order_class: OrderClass, worths: Array) -> Incidence:
    """Begin with the order of some worths and move single candidates while it helps.

    `costs`: (K, K); what it costs to put i before j; a tie costs nothing.
    `order_class`: with `linear` there are no ties; else the order is a weak order, which belongs to
    all other classes.
    `worths`: (K,); higher is better.
    Result: (K, K); no move of one candidate makes it cheaper.
    """
    ranks = np.empty(len(costs), dtype=np.int64)
    ranks[np.argsort(-worths, kind="stable")] = np.arange(len(costs))
    ahead = costs.astype(np.float64)  # sums of whole numbers stay exact: see `LARGEST_TOTAL`
    np.fill_diagonal(ahead, 0.0)
    behind = np.ascontiguousarray(ahead.T)
    relation = ranks[:, None] < ranks
    while True:
        for candidate, both in enumerate(zip(ahead, behind, strict=True)):
            _move(ranks, candidate, *both, may_tie=order_class != "linear")
        before, relation = relation, ranks[:, None] < ranks
        if costs[relation].sum() >= costs[before].sum():
            return np.asarray(relation)


def _move(ranks: Whole, candidate: int, ahead: Array, behind: Array, *, may_tie: bool) -> None:
    """Put a candidate where it costs least: between two groups, or into one."""
    # `ranks`: of the groups, from 0; they are changed in place.
    # `ahead`, `behind`: what it costs to put the candidate before each, or after it.
    own = ranks[candidate]
    before, after = (np.bincount(ranks, costs) for costs in (ahead, behind))
    if np.count_nonzero(ranks == own) == 1:
        if len(before) == 1:
            return
        before, after = np.delete(before, own), np.delete(after, own)
        ranks -= ranks > own
    # between: all groups above are better than it, all below worse
    between = np.append(0.0, np.cumsum(after))
    between[:-1] += np.cumsum(before[::-1])[::-1]
    place = int(between.argmin())
    if may_tie:
        inside = between[:-1] - before
        if inside.min() <= between[place]:
            ranks[candidate] = inside.argmin()
            return
    ranks += ranks >= place
    ranks[candidate] = place


NEARLY = 1e-7  # of the largest cost: what prices that are rounded may lack of their bound


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search."""

    relations: tuple[Incidence, ...]  # each (K, K); at most as many as were requested
    is_exhausted: bool  # whether all are among them
    has_more: bool  # whether another one was met
    bound: int  # no order that was not found costs less; above the budget when there is no other
    domains: Domains  # (K, K); what each pair may be in any of them, found or not


def all_within(
    costs: Whole,
    order_class: OrderClass,
    budget: int,
    root: Relaxation,
    domains: Domains,
    limit: int,
    work: Work,
) -> SearchResult:
    """Find the orders of a class that cost at most a budget.

    `costs`: (K, K); what it costs to put i before j; a tie costs nothing.
    `root`: the linear program over the domains, solved.
    `domains`: (K, K).
    `limit`: how many are listed at most.
    `work`: when it is used up, the search is given up.
    """
    return _Search(costs, order_class, budget, work, limit).run(domains, root)


def cheaper(
    costs: Whole,
    order_class: OrderClass,
    budget: int,
    root: Relaxation,
    domains: Domains,
    step: int,
    work: Work,
) -> SearchResult:
    """Find an order of a class that costs at most a budget, and then cheaper ones.

    `costs`, `order_class`, `budget`, `root`, `domains`, `work`: as for `all_within`.
    `step`: by how much the next one must be cheaper.
    Result: the last one, if there is any; `bound` is of all others.
    """
    return _Search(costs, order_class, budget, work, 1, step).run(domains, root)


class _Search:
    def __init__(
        self,
        costs: Whole,
        order_class: OrderClass,
        budget: int,
        work: Work,
        limit: int,
        lowers_by: int | None = None,
    ) -> None:
        self._costs = costs
        self._class = order_class
        self._budget = budget
        self._work = work
        self._limit = limit
        self._lowers_by = lowers_by
        self._step = int(np.gcd.reduce(np.abs(costs), axis=None)) or 1
        self._nearly = NEARLY * float(np.abs(costs).max(initial=1))
        self._found: list[Incidence] = []
        self._has_more = False

    def run(self, domains: Domains, root: Relaxation) -> SearchResult:
        """Search below a linear program that is solved."""
        priced = price(self._costs, root)
        narrowed = self.narrow(domains, priced)
        if narrowed is None:
            return SearchResult((), True, False, self._budget + 1, domains)
        bound = self.explore(narrowed, priced, root)
        is_exhausted = not self._has_more and bound > self._budget
        return SearchResult(tuple(self._found), is_exhausted, self._has_more, bound, narrowed[0])

    def narrow(
        self, domains: Domains, priced: LagrangianCosts
    ) -> tuple[Domains, int, Whole] | None:
        """Remove answers that are too dear or impossible, until none is."""
        # Returns the domains, the bound and what each answer adds to it.
        most = self._budget * priced.scale
        while True:
            bound, rises = least_cost(priced, domains)
            if self._round_up(bound, priced) > self._budget:
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
        self, narrowed: tuple[Domains, int, Whole], priced: LagrangianCosts, solved: Relaxation
    ) -> int:
        """Visit what is possible, one answer of one pair after the other; return what is proven."""
        # That is a bound on the cost of all that was not visited: above the
        # budget when nothing is left.
        waiting = [(narrowed, priced, solved)]
        while waiting and not self._work.is_done:
            self._work.add_node(len(self._costs))
            narrowed, priced, solved = waiting.pop()
            if self._round_up(narrowed[1], priced) > self._budget:
                continue
            relation = decided(narrowed[0])
            if relation is not None:
                if not self._keep(relation):
                    break
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
        return min((self._round_up(n[1], p) for n, p, _ in waiting), default=self._budget + 1)

    def _keep(self, relation: Incidence) -> bool:
        """Keep an order; return whether to go on."""
        cost = int(self._costs[relation].sum())
        if not belongs_to(relation, self._class) or cost > self._budget:
            return True
        if self._lowers_by is not None:
            self._found = [relation]
            self._budget = cost - self._lowers_by
            return True
        if len(self._found) == self._limit:
            self._has_more = True
            return False
        self._found.append(relation)
        return True

    def _may_rise(self, bound: int, priced: LagrangianCosts) -> bool:
        """Whether another linear program could show that there is nothing."""
        missing = self._budget - bound / priced.scale
        return missing > max(self._step - 1, self._nearly)

    def _round_up(self, bound: int, priced: LagrangianCosts) -> int:
        """Return a bound as a cost that orders can have."""
        return -(-bound // (self._step * priced.scale)) * self._step

    def _solve_again(
        self, domains: Domains, solved: Relaxation
    ) -> tuple[tuple[Domains, int, Whole], LagrangianCosts, Relaxation] | None:
        relaxation = relax(self._costs, self._class, domains, self._work, solved)
        if relaxation is None:
            return None
        priced = price(self._costs, relaxation)
        narrowed = self.narrow(domains, priced)
        return None if narrowed is None else (narrowed, priced, relaxation)

    def _children(
        self, narrowed: tuple[Domains, int, Whole], priced: LagrangianCosts, solved: Relaxation
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


@dataclass(frozen=True, slots=True)
class Block:
    """The result for one block."""

    members: NDArray[np.int64]  # the candidates of the block
    # each (n, n); orders of the block that cost at most `least` and a slack
    relations: tuple[Incidence, ...]
    least: int  # cost of the cheapest order that was found
    bound: int  # no order of the block costs less; `least` when that is proven, up to the slack
    is_exhausted: bool  # whether all optima are among the relations
    has_more: bool  # whether more were met than asked for
    domains: Domains  # (n, n); what each pair may be in any optimum, listed or not
    # whether the cheapest order was sought; of more candidates than `MOST_SEARCHED` single ones are
    # moved while it helps
    is_searched: bool = True


def solve_block(
    costs: Whole,
    members: NDArray[np.int64],
    order_class: OrderClass,
    slack: int,
    limit: int,
    work: Work,
) -> Block:
    """Find the cheapest orders of one block.

    `costs`: (K, K); of all candidates.
    `members`: (n,).
    `slack`: orders that cost so much more than the cheapest are listed as well.
    `limit`: how many are listed at most.
    `work`: when it is used up, the best order that is known is returned with the bound that is
    proven.
    """
    own = costs[np.ix_(members, members)]
    domains = all_possible(len(members), order_class)
    if len(members) == 1:
        alone = np.zeros((1, 1), dtype=np.bool_)
        return Block(members, (alone,), 0, 0, True, False, domains)
    every = listed_orders(len(members), order_class)
    if every is not None:
        return _cheapest_listed(own, members, every, slack, limit)
    if len(members) > MOST_SEARCHED:
        return _good(own, members, order_class, slack, domains, work)
    root = relax(own, order_class, domains, work)
    if root is None:
        raise RuntimeError("the linear program of a consensus has no solution")
    relation, bound = _cheapest(own, order_class, slack, root, domains, work)
    least = int(own[relation].sum())
    found = all_within(own, order_class, least + slack, root, domains, limit, work)
    relations = found.relations or (relation,)
    least = min(least, *(int(own[r].sum()) for r in relations))
    bound = min(max(bound, found.bound), least)
    return Block(
        members, relations, least, bound, found.is_exhausted, found.has_more, found.domains
    )


def _good(
    own: Whole,
    members: NDArray[np.int64],
    order_class: OrderClass,
    slack: int,
    domains: Domains,
    work: Work,
) -> Block:
    """Return a good order, and what is known without a search: each pair by itself."""
    root = alone(own, domains)
    relation = _first(own, order_class, root)
    least = int(own[relation].sum())
    priced = price(own, root)
    narrowed = _Search(own, order_class, least + slack, work, 1).narrow(domains, priced)
    known = domains if narrowed is None else narrowed[0]
    is_alone = decided(known) is not None
    bound = least if is_alone else min(least, -(-least_cost(priced, domains)[0] // priced.scale))
    is_searched = bound == least
    return Block(members, (relation,), least, bound, is_alone, False, known, is_searched)


def _cheapest_listed(
    own: Whole, members: NDArray[np.int64], every: NDArray[np.bool_], slack: int, limit: int
) -> Block:
    """Find the cheapest of all orders, (R, n, n), by the cost of each."""
    costs = every.reshape(len(every), -1) @ own.ravel()
    least = int(costs.min())
    optimal = every[costs <= least + slack]
    has_more = len(optimal) > limit
    relations = tuple(optimal[:limit])
    return Block(members, relations, least, least, not has_more, has_more, answers_of(optimal))


def _cheapest(
    own: Whole,
    order_class: OrderClass,
    slack: int,
    root: Relaxation,
    domains: Domains,
    work: Work,
) -> tuple[Incidence, int]:
    """Begin with a good order and seek cheaper ones; return the last, and what is proven."""
    step = max(1, int(np.gcd.reduce(own, axis=None)), slack + 1)
    relation = _first(own, order_class, root)
    if order_class not in ("linear", "weak") and root.relation is None:
        relation = _weak_or(relation, own, slack, domains, work)
    budget = int(own[relation].sum()) - step
    found = cheaper(own, order_class, budget, root, domains, step, work)
    if found.relations:
        relation = found.relations[-1]
    least = int(own[relation].sum())
    return relation, least if found.is_exhausted else found.bound


def _first(own: Whole, order_class: OrderClass, root: Relaxation) -> Incidence:
    """Return the order of the linear program if it is one, else a good one near it."""
    if root.relation is not None and belongs_to(root.relation, order_class):
        return root.relation
    worths = (root.x.sum(axis=1) - root.x.sum(axis=0), own.sum(axis=0) - own.sum(axis=1))
    good = [improved(own, order_class, worth.astype(np.float64)) for worth in worths]
    return min(good, key=lambda relation: int(own[relation].sum()))


def _weak_or(
    relation: Incidence, own: Whole, slack: int, domains: Domains, work: Work
) -> Incidence:
    """Return the cheapest weak order where it is cheaper: its program is the easiest to solve."""
    root = relax(own, "weak", domains, work)
    if root is None:
        return relation
    weak, _ = _cheapest(own, "weak", slack, root, domains, work)
    return min(relation, weak, key=lambda r: int(own[r].sum()))
