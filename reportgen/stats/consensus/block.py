"""The optimal orders of one block of candidates, with the proof that there is nothing cheaper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.consensus.domains import Domains, all_possible
from reportgen.stats.consensus.moves import improved
from reportgen.stats.consensus.program import Relaxation, cheapest, least_cost, price, relax
from reportgen.stats.consensus.search import Found, all_within
from reportgen.stats.relations import Incidence, OrderClass

Whole = NDArray[np.int64]

NEARLY = 1e-6  # of the largest cost: the solver's tolerance on its bound


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
        No order of the block costs less; `least` when that is proven.
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
    most_nodes: int | None,
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
    most_nodes : int or None
        Of the integer program; beyond, the best order that is known is
        returned with the bound that is proven.
    """
    own = costs[np.ix_(members, members)]
    domains = all_possible(len(members), order_class)
    if len(members) == 1:
        alone = np.zeros((1, 1), dtype=np.bool_)
        return Block(members, (alone,), 0, 0, True, False, domains)
    root = relax(own, order_class, domains)
    if root is None:
        raise RuntimeError("the linear program of a consensus has no solution")
    relation, lower = cheapest(own, order_class, domains, root, most_nodes)
    step = int(np.gcd.reduce(own, axis=None)) or 1
    bound = max(_proven(own, root, domains, step), _rounded(lower, own, step))
    if relation is None:
        relation = improved(own, order_class, root.x.sum(axis=1) - root.x.sum(axis=0))
        least = int(own[relation].sum())
        if least > bound:
            return Block(members, (relation,), least, bound, False, False, domains)
    least = int(own[relation].sum())
    found = all_within(own, order_class, least + slack, root, domains, limit)
    return _block(own, members, relation, min(bound, least), found)


def _block(
    own: Whole, members: NDArray[np.int64], relation: Incidence, bound: int, found: Found
) -> Block:
    """Put together what the solver and the search found."""
    relations = found.relations or (relation,)
    least = min(int(own[r].sum()) for r in (relation, *relations))
    return Block(
        members,
        relations,
        least,
        least if found.is_exhausted else bound,
        found.is_exhausted,
        found.has_more,
        found.domains,
    )


def _proven(own: Whole, root: Relaxation, domains: Domains, step: int) -> int:
    """Return the bound of the linear program, in whole steps."""
    priced = price(own, root)
    bound, _ = least_cost(priced, domains)
    return -(-bound // (step * priced.scale)) * step


def _rounded(lower: float, own: Whole, step: int) -> int:
    """Return the solver's bound, in whole steps."""
    if not np.isfinite(lower):
        return -int(np.abs(own).sum())
    return int(np.ceil((lower - NEARLY * float(np.abs(own).max())) / step)) * step
