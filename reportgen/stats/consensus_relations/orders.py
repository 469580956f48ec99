"""Domains of the pairs of an order, lists of all orders of few candidates, and costs of orders.

A domain is a set of answers for a pair (i, j): i is better, j is better, or neither. What three
candidates may look like in a class carries over from the pairs (i, k) and (k, j) to (i, j): path
consistency (Mackworth 1977). It removes only what no order of the class can have.

The cost of an order follows from the coded members of the ensemble. Work is counted, not timed,
so that every machine ends at the same point.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations, product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.arrays import Whole
from reportgen.stats.relations.relations import Incidence, OrderClass, belongs_to

Domains = NDArray[np.uint8]

FIRST, SECOND, TIED = 1, 2, 4
ANY = FIRST | SECOND | TIED

TURNED = np.array([0, 2, 1, 3, 4, 6, 5, 7], dtype=np.uint8)
"""The domain of (j, i) by that of (i, j)."""


def all_possible(n: int, order_class: OrderClass) -> Domains:
    """Return the domains of all pairs of n candidates before anything is known.

    Result: (K, K); sums of `FIRST` (i is better), `SECOND` (j is better) and `TIED`. The diagonal
    is without meaning and allows all.
    """
    domains = np.full((n, n), FIRST | SECOND if order_class == "linear" else ANY, dtype=np.uint8)
    np.fill_diagonal(domains, ANY)
    return domains


ANSWERS = np.array([FIRST, SECOND, TIED], dtype=np.uint8)


def propagate(domains: Domains, order_class: OrderClass) -> Domains | None:
    """Remove what no order of a class can have, given the domains of all pairs.

    `domains`: (K, K); ``domains[j, i]`` is ``TURNED[domains[i, j]]``.
    Result: (K, K); smaller domains, or None when there is no such order.
    """
    lacks = _ruled_out("weak" if order_class in ("linear", "weak") else "partial")
    n = len(domains)
    while True:
        # of every i and j how many k rule an answer out, by one product over k and (i, k)
        of_first = np.eye(8, dtype=np.float32)[domains].reshape(n, 8 * n)
        of_second = lacks[:, domains].transpose(1, 0, 2, 3).reshape(8 * n, 3 * n)
        is_out = (of_first @ of_second).reshape(n, n, 3) > 0
        smaller = domains & ~(is_out @ ANSWERS)
        np.fill_diagonal(smaller, ANY)
        if not smaller.all():
            return None
        if np.array_equal(smaller, domains):
            break
        domains = smaller
    return None if _breaks_four(domains, order_class) else domains


def decided(domains: Domains) -> Incidence | None:
    """Return the relation when each pair has one answer left."""
    off = ~np.eye(len(domains), dtype=np.bool_)
    if ((domains & (domains - 1)) != 0)[off].any():
        return None
    return np.asarray((domains == FIRST) & off)


def answers_of(relations: NDArray[np.bool_]) -> Domains:
    """Return what each pair is in any of several orders of shape (R, K, K)."""
    before = relations.any(axis=0)
    tied = (~(relations | relations.transpose(0, 2, 1))).any(axis=0)
    found = np.asarray(FIRST * before + SECOND * before.T + TIED * tied, dtype=np.uint8)
    np.fill_diagonal(found, ANY)
    return found


def _breaks_four(domains: Domains, order_class: OrderClass) -> bool:
    """Whether pairs that are decided hold 2 + 2 or, for a semiorder, 3 + 1."""
    if order_class not in ("interval", "semiorder"):
        return False
    off = ~np.eye(len(domains), dtype=np.bool_)
    better = ((domains == FIRST) & off).astype(np.float64)
    not_better = (((domains & FIRST) == 0) & off).astype(np.float64)
    crossing = better @ not_better.T > 0
    if (crossing & crossing.T & off).any():
        return True
    if order_class == "interval":
        return False
    return bool(((better @ better > 0) & (not_better @ not_better > 0) & off).any())


@cache
def _ruled_out(order_class: OrderClass) -> NDArray[np.float32]:
    """Return which answers (i, k) and (k, j) rule out for (i, j), shape (8, 8, 3)."""
    return np.asarray((_compositions(order_class)[..., None] & ANSWERS) == 0, dtype=np.float32)


@cache
def _compositions(order_class: OrderClass) -> NDArray[np.uint8]:
    """Return what (i, k) and (k, j) leave for (i, j), by trying all orders of three."""
    table = np.zeros((8, 8), dtype=np.uint8)
    answers = (FIRST, SECOND, TIED)
    for ik, kj, ij in product(answers, repeat=3):
        relation = np.zeros((3, 3), dtype=np.bool_)
        for (a, b), answer in (((0, 1), ik), ((1, 2), kj), ((0, 2), ij)):
            relation[a, b], relation[b, a] = answer == FIRST, answer == SECOND
        if belongs_to(relation, order_class):
            for first, second in product(range(8), repeat=2):
                if first & ik and second & kj:
                    table[first, second] |= ij
    table.flags.writeable = False
    return table


MOST_CANDIDATES = {"linear": 7, "weak": 6}
"""Up to which 5,040 linear and 4,683 weak orders are listed; other classes are too many."""


@cache
def listed_orders(n: int, order_class: OrderClass) -> NDArray[np.bool_] | None:
    """Return all orders of a class.

    Result: (N, n, n); None for more candidates than `MOST_CANDIDATES`.

    Examples
    --------
    >>> len(listed_orders(3, "linear")), len(listed_orders(3, "weak"))
    (6, 13)
    """
    if n > MOST_CANDIDATES.get(order_class, 0):
        return None
    places = _distinct(n) if order_class == "linear" else _dense(n)
    found = np.asarray(places[:, :, None] < places[:, None, :])
    found.flags.writeable = False
    return found


@cache
def _distinct(n: int) -> NDArray[np.int8]:
    """Return the places of n candidates in all linear orders."""
    return np.array(list(permutations(range(n))), dtype=np.int8)


@cache
def _dense(n: int) -> NDArray[np.int8]:
    """Return the places of n candidates in all weak orders: none between two is empty."""
    every = np.indices((n,) * n, dtype=np.int8).reshape(n, -1).T
    taken = np.stack([(every == place).any(axis=1) for place in range(n)], axis=1)
    has_gap = (taken[:, 1:] & ~taken[:, :-1]).any(axis=1)
    return np.ascontiguousarray(every[taken[:, 0] & ~has_gap])


Coding = Literal["strict", "relations"]


def member_costs(
    incidences: NDArray[np.bool_], order_class: OrderClass, coding: Coding
) -> tuple[Whole, Whole]:
    """Return how the distance of every member from an order comes about.

    The distance of member m from an order R is ``constants[m]`` and the sum of
    ``costs[m]`` over the pairs of R.

    `incidences`: (M, K, K).
    `order_class`: of R.
    `coding`: as for `consensus`.
    Result: `costs`, (M, K, K); what putting i before j adds; a tie adds nothing; `constants`, (M,);
    the distance from the order of no pair at all.
    """
    votes = incidences.astype(np.int64)
    n = votes.shape[1]
    on_diagonal = votes.trace(axis1=1, axis2=2)
    off = ~np.eye(n, dtype=np.bool_)
    costs = np.where(off, 1 - 2 * votes, 0)
    constants = votes.sum(axis=(1, 2)) - on_diagonal
    if coding == "strict":
        return costs, constants
    constants = constants + n - on_diagonal  # a consensus of R is reflexive
    if order_class == "weak":
        # i is not worse than j unless j is better: the pair (i, j) is removed by j before i
        return -costs.transpose(0, 2, 1), constants + costs.sum(axis=(1, 2))
    return costs, constants


def ensemble_costs(
    incidences: NDArray[np.bool_], values: Whole, order_class: OrderClass, coding: Coding
) -> tuple[Whole, int]:
    """Return the same for a whole ensemble, every member times its whole weight.

    Result: `costs`, (K, K).
    """
    # The same as the sum over `member_costs`, which of many candidates take much memory.
    votes = np.zeros(incidences.shape[1:], dtype=np.int64)
    for value, incidence in zip(values.tolist(), incidences, strict=True):
        votes += value * incidence
    total, on_diagonal, n = int(values.sum()), int(votes.trace()), len(votes)
    costs = np.where(~np.eye(n, dtype=np.bool_), total - 2 * votes, 0)
    constant = int(votes.sum()) - on_diagonal
    if coding == "strict":
        return costs, constant
    constant += total * n - on_diagonal
    return (-costs.T, constant + int(costs.sum())) if order_class == "weak" else (costs, constant)


PROGRAM = 5  # what a linear program costs before its first step
STEPS = 8  # steps of the simplex method that cost 1
PAIRS = 20_000  # triples of candidates looked at that cost 1


class WorkUsedUpError(Exception):
    """The work that is allowed does not suffice for a proof."""


class Work:
    """A count of work; 1 is about a millisecond on a machine of 2025.

    Parameters
    ----------
    most : int
        When so much is done, searches are given up.

    Examples
    --------
    >>> work = Work(most=10)
    >>> work.add_program(n_steps=80)
    >>> work.done, work.is_done
    (15, True)
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.done = 0

    @property
    def is_done(self) -> bool:
        """Whether as much was done as may be."""
        return self.done >= self.most

    def add_program(self, n_steps: int) -> None:
        """Count a linear program."""
        self.done += PROGRAM + n_steps // STEPS

    def use_up(self) -> None:
        """Count all that is left: what was begun takes more."""
        self.done = max(self.done, self.most)

    def add_node(self, n: int) -> None:
        """Count a look at n candidates."""
        self.done += 1 + n**3 // PAIRS
