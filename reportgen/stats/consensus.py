r"""Consensus relations: the orders of a class that are nearest to an ensemble of relations.

The distance is the weighted sum over the members of the ordered pairs that are
in exactly one of member and consensus. It is linear in the consensus, so the
nearest order solves an integer program; all orders that are as near are found by
a search that leaves out what cannot be as near.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from reportgen.stats.optima import all_optima
from reportgen.stats.relations import (
    CLASSES,
    Incidence,
    OrderClass,
    as_relation,
    belongs_to,
    intransitivity,
    negative_intransitivity,
    three_plus_one,
    two_plus_two,
)

Coding = Literal["strict", "relations"]
Costs = NDArray[np.float64]

TOLERANCE = 1e-9  # of the sum of all weights: criteria that differ by less are equal
MOST_CUTS = 2_000  # constraints that are added to a program at once
MOST_ROUNDS = 1_000


@dataclass(frozen=True, slots=True)
class Consensus:
    """The nearest orders of a class.

    Attributes
    ----------
    order_class : str
        The class in which they were sought.
    criterion : float
        Their distance from the ensemble, without the diagonal.
    lower_bound : float
        No order of the class is nearer: the bound that the solver has proven.
    relations : tuple of ndarray of shape (K, K), bool
        Strict incidences of the optima, at most as many as were asked for.
    n_optimal : int or None
        Number of all optima; None when there are more than were asked for, or
        the search for them was given up.
    agreed : ndarray of shape (K, K), bool
        Pairs that are better in all the optima that are listed.
    """

    order_class: OrderClass
    criterion: float
    lower_bound: float
    relations: tuple[Incidence, ...]
    n_optimal: int | None
    agreed: Incidence


def consensus(
    incidences: NDArray[np.bool_],
    weights: NDArray[np.float64] | None = None,
    order_class: OrderClass = "weak",
    *,
    limit: int = 1000,
    coding: Coding = "strict",
) -> Consensus:
    r"""Find the orders of a class that are nearest to an ensemble of relations.

    Minimises :math:`\sum_m w_m\, d(R_m, R)` over the strict orders R of the
    class, where d counts the ordered pairs (i, j), i != j, that are in exactly
    one of the two.

    Parameters
    ----------
    incidences : ndarray of shape (M, K, K), bool
        The members; ``incidences[m, i, j]`` is true when i is better than j.
        Members need not be orders. With `coding="relations"` both of a pair
        may be true.
    weights : ndarray of shape (M,), optional
        Not negative, not all zero; equal when omitted.
    order_class : {"linear", "weak", "semiorder", "interval", "partial"}
    limit : int
        How many optima are listed at most; 1 for any one of them.
    coding : {"strict", "relations"}
        How a tie in a weak order is compared with the members: as neither
        better, or as both not worse, which is what R's package relations does.

    Returns
    -------
    Consensus

    Raises
    ------
    ValueError
        If shapes, weights, class or limit make no sense.
    RuntimeError
        If the solver ends without a proven optimum.

    References
    ----------
    .. [1] M. J. A. Eugster (2011), Benchmark experiments, section 2.5.
    .. [2] K. Hornik and D. Meyer (2007), "Deriving consensus rankings from
       benchmarking experiments", in Advances in Data Analysis, Springer.

    Examples
    --------
    >>> abc = np.triu(np.ones((3, 3), dtype=bool), k=1)
    >>> cab = np.array([[0, 1, 0], [0, 0, 0], [1, 1, 0]], dtype=bool)
    >>> found = consensus(np.stack([abc, abc, cab]), order_class="linear")
    >>> found.criterion, found.n_optimal, found.relations[0].sum(axis=1).tolist()
    (4.0, 1, [2, 1, 0])
    """
    if order_class not in CLASSES:
        raise ValueError(f"the class must be one of {', '.join(CLASSES)}, got {order_class!r}")
    if limit < 1:
        raise ValueError(f"at least one optimum must be asked for, got limit {limit}")
    weights = _checked(incidences, weights, coding)
    costs, constant = _costs(incidences, weights, order_class, coding)
    best, value, bound = _nearest(costs, order_class)
    tolerance = TOLERANCE * float(weights.sum())
    optima: tuple[Incidence, ...] = (best,)
    is_complete = False
    if limit > 1:
        optima, is_complete = all_optima(costs, order_class, value + tolerance, limit)
        optima = optima or (best,)
    return Consensus(
        order_class,
        value + constant,
        min(bound, value) + constant,
        optima,
        len(optima) if is_complete else None,
        np.logical_and.reduce(optima),
    )


def criterion(
    incidences: NDArray[np.bool_], relation: Incidence, weights: NDArray[np.float64] | None = None
) -> float:
    """Return the weighted distance of a relation from an ensemble.

    Raises
    ------
    ValueError
        If shapes or weights make no sense.
    """
    weights = _checked(incidences, weights, "strict")
    return float(weights @ (incidences != as_relation(relation)).sum(axis=(1, 2)))


def _checked(
    incidences: NDArray[np.bool_], weights: NDArray[np.float64] | None, coding: Coding
) -> NDArray[np.float64]:
    """Return one weight per member, or say what is wrong."""
    shape = incidences.shape
    if len(shape) != 3 or shape[1] != shape[2] or 0 in shape:
        raise ValueError(f"incidences must have shape (M, K, K), got {shape}")
    if coding == "strict" and incidences.diagonal(axis1=1, axis2=2).any():
        raise ValueError("incidences must be irreflexive: no candidate beats itself")
    if weights is None:
        return np.ones(shape[0])
    if weights.shape != shape[:1] or (weights < 0).any() or not weights.any():
        raise ValueError(f"weights must be {shape[0]} non-negative numbers, not all zero")
    return weights


def _costs(
    incidences: NDArray[np.bool_],
    weights: NDArray[np.float64],
    order_class: OrderClass,
    coding: Coding,
) -> tuple[Costs, float]:
    """Return what putting i before j adds to the criterion, and the criterion of no pair at all."""
    share = np.tensordot(weights, incidences.astype(np.float64), axes=1)
    np.fill_diagonal(share, 0.0)
    costs = weights.sum() - 2.0 * share
    np.fill_diagonal(costs, 0.0)
    constant = float(share.sum())
    if coding == "relations" and order_class == "weak":
        # i is not worse than j unless j is better: the pair (i, j) is taken away by j before i
        return -costs.T, constant + float(costs.sum())
    return costs, constant


def _nearest(costs: Costs, order_class: OrderClass) -> tuple[Incidence, float, float]:
    """Solve the program: first without the conditions of the class, then with those it breaks."""
    program = _Program(len(costs), order_class)
    for _ in range(MOST_ROUNDS):
        relation, bound = program.solve(costs)
        if belongs_to(relation, order_class) or len(costs) == 1:
            return relation, float(costs[relation].sum()), bound
        program.forbid(relation)
    raise RuntimeError(f"no optimal {order_class} order found in {MOST_ROUNDS} rounds")


class _Program:
    """One binary variable for each ordered pair, and the conditions met so far."""

    def __init__(self, n: int, order_class: OrderClass) -> None:
        self._n = n
        self._class = order_class
        self._column = np.full((n, n), -1, dtype=np.int64)
        self._pairs = np.array(list(permutations(range(n), 2)), dtype=np.int64).reshape(-1, 2)
        self._column[self._pairs[:, 0], self._pairs[:, 1]] = np.arange(len(self._pairs))
        self._rows: list[tuple[tuple[int, ...], tuple[float, ...], float, float]] = []
        least = 1.0 if order_class == "linear" else 0.0
        for i, j in combinations(range(n), 2):
            self._add(((i, j), (j, i)), (1.0, 1.0), least, 1.0)

    def solve(self, costs: Costs) -> tuple[Incidence, float]:
        """Return the cheapest relation that meets the conditions, and the bound that proves it."""
        relation = np.zeros((self._n, self._n), dtype=np.bool_)
        if self._n == 1:
            return relation, 0.0
        first, second = self._pairs.T
        found = milp(
            costs[first, second],
            constraints=self._constraint(),
            integrality=np.ones(len(self._pairs), dtype=np.int64),
            bounds=Bounds(0, 1),
            options={"mip_rel_gap": 0.0},
        )
        if not found.success:
            raise RuntimeError(f"no optimal {self._class} order found: {found.message}")
        relation[first, second] = np.round(found.x) == 1
        return relation, float(found.mip_dual_bound)

    def forbid(self, relation: Incidence) -> None:
        """Add the conditions that a relation breaks."""
        n_before = len(self._rows)
        for i, j, k in intransitivity(relation, MOST_CUTS).first:
            if i != k:
                self._add(((i, j), (j, k), (i, k)), (1.0, 1.0, -1.0), -np.inf, 1.0)
            else:
                self._add(((i, j), (j, i)), (1.0, 1.0), -np.inf, 1.0)
        if self._class in ("linear", "weak"):
            for i, j, k in negative_intransitivity(relation, MOST_CUTS).first:
                self._add(((i, k), (i, j), (j, k)), (1.0, -1.0, -1.0), -np.inf, 0.0)
        if self._class in ("interval", "semiorder"):
            for i, j, k, m in two_plus_two(relation, MOST_CUTS).first:
                if i != m and k != j:
                    pairs = ((i, j), (k, m), (i, m), (k, j))
                    self._add(pairs, (1.0, 1.0, -1.0, -1.0), -np.inf, 1.0)
        if self._class == "semiorder":
            for i, j, k, m in three_plus_one(relation, MOST_CUTS).first:
                pairs = ((i, j), (j, k), (i, m), (m, k))
                self._add(pairs, (1.0, 1.0, -1.0, -1.0), -np.inf, 1.0)
        if len(self._rows) == n_before:
            raise RuntimeError(f"a relation is no {self._class} order, but breaks no condition")

    def _add(
        self,
        pairs: tuple[tuple[int, int], ...],
        factors: tuple[float, ...],
        lower: float,
        upper: float,
    ) -> None:
        columns = tuple(int(self._column[i, j]) for i, j in pairs)
        self._rows.append((columns, factors, lower, upper))

    def _constraint(self) -> LinearConstraint:
        lengths = [len(columns) for columns, *_ in self._rows]
        rows = np.repeat(np.arange(len(self._rows)), lengths)
        columns = np.concatenate([columns for columns, *_ in self._rows])
        factors = np.concatenate([factors for _, factors, *_ in self._rows])
        shape = (len(self._rows), len(self._pairs))
        matrix = csr_array((factors, (rows, columns)), shape=shape)
        lower, upper = (np.array([row[side] for row in self._rows]) for side in (2, 3))
        return LinearConstraint(matrix, lower, upper)
