"""The optimal orders of one block of candidates, with the proof that there is nothing cheaper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.consensus.domains import Domains, all_possible
from reportgen.stats.consensus.moves import improved
from reportgen.stats.consensus.program import Relaxation, relax
from reportgen.stats.consensus.search import all_within, cheaper
from reportgen.stats.consensus.work import Work
from reportgen.stats.relations import Incidence, OrderClass, belongs_to

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Block:
    """What was found for one block.

    Attributes
    ----------
    members : ndarray of int
        The candidates of the block.
    relations : tuple of ndarray of shape (n, n), bool
        Orders of the block that cost at most `least` and a slack.
    least : int
        Cost of the cheapest order that was found.
    bound : int
        No order of the block costs less; `least` when that is proven, up to
        the slack.
    is_exhausted : bool
        Whether all optima are among the relations.
    has_more : bool
        Whether more were met than asked for.
    domains : ndarray of shape (n, n), uint8
        What each pair may be in any optimum, listed or not.
    """

    members: NDArray[np.int64]
    relations: tuple[Incidence, ...]
    least: int
    bound: int
    is_exhausted: bool
    has_more: bool
    domains: Domains


def solve_block(
    costs: Whole,
    members: NDArray[np.int64],
    order_class: OrderClass,
    slack: int,
    limit: int,
    work: Work,
) -> Block:
    """Find the cheapest orders of one block.

    Parameters
    ----------
    costs : ndarray of shape (K, K), int
        Of all candidates.
    members : ndarray of shape (n,), int
    order_class : str
    slack : int
        Orders that cost so much more than the cheapest are listed as well.
    limit : int
        How many are listed at most.
    work : Work
        When it is used up, the best order that is known is returned with the
        bound that is proven.
    """
    own = costs[np.ix_(members, members)]
    domains = all_possible(len(members), order_class)
    if len(members) == 1:
        alone = np.zeros((1, 1), dtype=np.bool_)
        return Block(members, (alone,), 0, 0, True, False, domains)
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
