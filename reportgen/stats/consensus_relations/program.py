"""Linear programs of the orders of a class, and bounds in whole numbers.

The conditions of a class are many; only those that a solution breaks are added. The prices that a
linear program puts on its conditions give a bound that needs no trust in the solver: whatever
prices are not negative, what an order costs is at least what each pair alone costs at best once
the prices are in its costs. This is summed in whole numbers.

With x_ij = 1 when i is better than j, for different i, j, k, m:

* transitivity: x_ij + x_jk - x_ik <= 1; in a linear order the same as x_ij + x_jk + x_ki <= 2;
* ties are transitive (weak orders): x_ik - x_ij - x_jk <= 0;
* no 2 + 2 (interval orders): x_ij + x_km - x_im - x_kj <= 1 (Fishburn 1970);
* no 3 + 1 (semiorders): x_ij + x_jk - x_im - x_mk <= 1 (Scott and Suppes 1958).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array, Whole
from reportgen.stats.consensus_relations.orders import (
    ANY,
    FIRST,
    SECOND,
    TIED,
    Domains,
    Work,
    WorkUsedUpError,
)
from reportgen.stats.relations.relations import Incidence, OrderClass

if TYPE_CHECKING:
    from scipy.sparse import csr_array


BROKEN = 1e-6  # of a condition whose numbers are 0 and 1: the solver's own tolerance


@dataclass(frozen=True, slots=True)
class Cuts:
    """Conditions ``sum(signs * x[pairs], axis=1) <= limits``."""

    # (R, 4); positions i K + j of the variables; 0, the pair of candidate 0 with itself, where a
    # condition has only three
    pairs: Whole
    signs: Whole  # (R, 4); 1 or -1; 0 where there is no variable
    limits: Whole  # (R,)

    def __len__(self) -> int:
        return len(self.limits)

    def __add__(self, other: Cuts) -> Cuts:
        return Cuts(
            np.concatenate([self.pairs, other.pairs]),
            np.concatenate([self.signs, other.signs]),
            np.concatenate([self.limits, other.limits]),
        )

    def values(self, x: Array) -> Array:
        """Return the left sides of the conditions at a point."""
        sides: Array = (self.signs * x.ravel()[self.pairs]).sum(axis=1)
        return sides

    def chosen(self, which: NDArray[np.bool_]) -> Cuts:
        """Return some of the conditions."""
        return Cuts(self.pairs[which], self.signs[which], self.limits[which])


def no_cuts() -> Cuts:
    """Return no condition."""
    none = np.zeros((0, 4), dtype=np.int64)
    return Cuts(none, none, np.zeros(0, dtype=np.int64))


def broken_cuts(x: Array, order_class: OrderClass) -> Cuts:
    """Return conditions of a class that a point breaks, of each kind the worst for each pair.

    `x`: (K, K); between 0 and 1; the diagonal is 0.
    Result: None when x breaks no condition.
    """
    found = _intransitive(x, is_linear=order_class == "linear")
    if order_class == "weak":
        found = found + _tie_breaking(x)
    if order_class in ("interval", "semiorder"):
        found = found + _two_plus_two(x)
    if order_class == "semiorder":
        found = found + _three_plus_one(x)
    return found


def _intransitive(x: Array, is_linear: bool) -> Cuts:
    """Find x_ij + x_jk - x_ik > 1: for each (i, k) the j that breaks it most."""
    through = x[:, :, None] + x[None, :, :]
    _leave_out_ends(through, -np.inf)
    i, k = np.nonzero(through.max(axis=1) - x > 1 + BROKEN)
    distinct = i != k
    i, k = i[distinct], k[distinct]
    j = through[i, :, k].argmax(axis=1) if len(i) else i
    if not is_linear:
        return _cuts(len(x), ((i, j), (j, k), (i, k)), (1, 1, -1), 1)
    cycles = np.stack([i, j, k], axis=1).reshape(-1, 3)
    start = cycles.argmin(axis=1)
    turned = np.take_along_axis(cycles, (start[:, None] + np.arange(3)) % 3, axis=1)
    i, j, k = np.unique(turned, axis=0).T
    return _cuts(len(x), ((i, j), (j, k), (k, i)), (1, 1, 1), 2)


def _tie_breaking(x: Array) -> Cuts:
    """Find x_ik - x_ij - x_jk > 0."""
    through = x[:, :, None] + x[None, :, :]
    _leave_out_ends(through, np.inf)
    i, k = np.nonzero(x - through.min(axis=1) > BROKEN)
    j = through[i, :, k].argmin(axis=1) if len(i) else i
    return _cuts(len(x), ((i, k), (i, j), (j, k)), (1, -1, -1), 0)


def _two_plus_two(x: Array) -> Cuts:
    """Find x_ij + x_km - x_im - x_kj > 1: j and m are sought apart for each (i, k)."""
    less = x[:, None, :] - x[None, :, :]  # [i, k, j] = x_ij - x_kj
    n = np.arange(len(x))
    less[n, :, n] = less[:, n, n] = -np.inf  # j is neither i nor k
    most = less.max(axis=2)
    i, k = np.nonzero(np.triu(most + most.T > 1 + BROKEN, k=1))
    j, m = (less[a, b].argmax(axis=1) if len(i) else i for a, b in ((i, k), (k, i)))
    return _cuts(len(x), ((i, j), (k, m), (i, m), (k, j)), (1, 1, -1, -1), 1)


def _three_plus_one(x: Array) -> Cuts:
    """Find x_ij + x_jk - x_im - x_mk > 1: j and m are sought apart for each (i, k)."""
    through = x[:, :, None] + x[None, :, :]
    _leave_out_ends(through, -np.inf)
    most = through.max(axis=1)
    least = np.where(np.isinf(through), np.inf, through).min(axis=1)
    off = ~np.eye(len(x), dtype=np.bool_)
    with np.errstate(invalid="ignore"):
        i, k = np.nonzero((most - least > 1 + BROKEN) & off)
    j = through[i, :, k].argmax(axis=1) if len(i) else i
    lowest = np.where(np.isinf(through), np.inf, through)
    m = lowest[i, :, k].argmin(axis=1) if len(i) else i
    return _cuts(len(x), ((i, j), (j, k), (i, m), (m, k)), (1, 1, -1, -1), 1)


def _leave_out_ends(through: Array, value: float) -> None:
    """Keep j apart from i and k in an array over (i, j, k)."""
    n = np.arange(len(through))
    through[n, n, :] = value
    through[:, n, n] = value


def _cuts(
    n: int,
    pairs: tuple[tuple[Whole, Whole], ...],
    signs: tuple[int, ...],
    limit: int,
) -> Cuts:
    """Write conditions of one kind down."""
    size = len(pairs[0][0])
    columns = np.zeros((size, 4), dtype=np.int64)
    for place, (first, second) in enumerate(pairs):
        columns[:, place] = first * n + second
    row = np.array([*signs, *[0] * (4 - len(signs))], dtype=np.int64)
    return Cuts(columns, np.tile(row, (size, 1)), np.full(size, limit, dtype=np.int64))


MOST_ROUNDS = 200
MOST_STEPS = 20_000  # of one program: else seconds would limit it, and the result with them
ROWS = 5_000  # of a program: of twice as many a step takes twice as long
INTEGRAL = 1e-6  # HiGHS's own tolerance
TIGHT = 1e-6  # of a condition that holds with equality
LARGEST = 60  # bits of what is summed in whole numbers
NEVER = np.int64(2) ** 62  # cost of an answer that is not possible


@dataclass(frozen=True, slots=True)
class Relaxation:
    """A linear program solved."""

    x: Array  # (K, K); where it is cheapest
    cuts: Cuts  # the conditions it knows
    prices: Array  # (R,); what each of them costs, not negative

    @property
    def relation(self) -> Incidence | None:
        """The order it found, when all its numbers are 0 or 1."""
        is_whole = (np.abs(self.x - np.round(self.x)) < INTEGRAL).all()
        return np.asarray(self.x > 0.5) if is_whole else None


@dataclass(frozen=True, slots=True)
class LagrangianCosts:
    """Costs with the prices of conditions in them, in whole numbers."""

    scale: int  # everything here is so many times the costs
    costs: Whole  # (K, K); of putting i before j
    constant: int
    cuts: Cuts  # conditions with a price
    prices: Whole  # (R,)


def relax(
    costs: Whole,
    order_class: OrderClass,
    domains: Domains,
    work: Work,
    start: Relaxation | None = None,
) -> Relaxation | None:
    """Solve the linear program over what is possible, adding the conditions that are broken.

    `costs`: (K, K); what it costs to put i before j; a tie costs nothing.
    `domains`: (K, K).
    `work`: when it is used up, conditions may stay broken; the bound holds all the same.
    `start`: whose conditions are known to begin with.
    Result: None when nothing is possible.
    Raises RuntimeError if the solver fails.
    """
    solved, known = start, no_cuts() if start is None else start.cuts
    frame = None
    for _ in range(MOST_ROUNDS):
        if len(known):
            frame = frame or _Frame(costs, domains)
            try:
                found = frame.solve(known, work)
            except WorkUsedUpError:
                return solved
        else:
            found = _by_pair(costs, domains)
        if found is None:
            return None
        x, prices = found
        tight = known.limits - known.values(x) < TIGHT
        solved = Relaxation(x, known.chosen(tight), prices[tight])
        broken = broken_cuts(x, order_class)
        if not len(broken) or work.is_done:
            return solved
        known = known + broken
    raise RuntimeError(f"the conditions of {order_class} orders kept being broken")


def alone(costs: Whole, domains: Domains) -> Relaxation:
    """Return the cheapest point of each pair by itself, as of a program without conditions."""
    found = _by_pair(costs, domains)
    if found is None:
        raise ValueError("a pair has no answer")
    return Relaxation(found[0], no_cuts(), found[1])


def _by_pair(costs: Whole, domains: Domains) -> tuple[Array, Array] | None:
    """Return the cheapest point without conditions, each pair by itself, and no prices."""
    answers = (FIRST, SECOND, TIED)
    each = np.stack([costs, costs.T, np.zeros_like(costs)])
    is_possible = np.stack([(domains & answer) != 0 for answer in answers])
    off = ~np.eye(len(costs), dtype=np.bool_)
    if not np.logical_or.reduce(is_possible)[off].all():
        return None
    cheapest = np.where(is_possible, each, NEVER).argmin(axis=0)
    first = np.triu(cheapest == answers.index(FIRST), k=1)
    second = np.triu(cheapest == answers.index(SECOND), k=1)
    return (first | second.T).astype(np.float64), np.empty(0)


def price(costs: Whole, relaxation: Relaxation) -> LagrangianCosts:
    """Put the prices of a linear program into the costs, rounded to whole numbers.

    Any prices that are not negative give a true bound; rounding only makes it
    a little lower.
    """
    n = len(costs)
    size = int(np.abs(costs).max(initial=1)) * n * n * 8
    scale = 1 << max(0, min(30, LARGEST - size.bit_length()))
    prices = np.round(np.maximum(relaxation.prices, 0.0) * scale).astype(np.int64)
    paid = prices > 0
    cuts, prices = relaxation.cuts.chosen(paid), prices[paid]
    flat = (costs * scale).ravel()
    np.add.at(flat, cuts.pairs.ravel(), (cuts.signs * prices[:, None]).ravel())
    priced = flat.reshape(n, n)
    np.fill_diagonal(priced, 0)
    return LagrangianCosts(scale, priced, -int(prices @ cuts.limits), cuts, prices)


def least_cost(priced: LagrangianCosts, domains: Domains) -> tuple[int, Whole]:
    """Return a bound on the cost of all orders within domains, and what each answer adds to it.

    Result: `priced.scale` times a cost that no order within the domains falls below; (3, K, K); by
    how much the bound rises when a pair gets the answer first, second, tied; at least `NEVER` / 2
    where the answer is not possible.
    """
    answers = np.stack([priced.costs, priced.costs.T, np.zeros_like(priced.costs)])
    for place, answer in enumerate((FIRST, SECOND, TIED)):
        answers[place][(domains & answer) == 0] = NEVER
    least = answers.min(axis=0)
    np.fill_diagonal(least, 0)
    bound = priced.constant + int(least.sum()) // 2 + _unmet(priced, domains)
    return bound, answers - least


def _unmet(priced: LagrangianCosts, domains: Domains) -> int:
    """Return the prices of conditions that can no longer hold with equality, times by how much."""
    if not len(priced.cuts):
        return 0
    flat = domains.ravel()[priced.cuts.pairs]
    may_be_one, must_be_one = (flat & FIRST) != 0, flat == FIRST
    most = np.where(priced.cuts.signs > 0, may_be_one, 0)
    most = most - np.where(priced.cuts.signs < 0, must_be_one, 0)
    slack = priced.cuts.limits - most.sum(axis=1)
    return int(priced.prices @ np.maximum(slack, 0))


class _Frame:
    """Variables for the ordered pairs, and the domains as bounds."""

    def __init__(self, costs: Whole, domains: Domains) -> None:
        n = self._n = len(costs)
        off = ~np.eye(n, dtype=np.bool_)
        self._variables = np.flatnonzero(off.ravel())
        self._column = np.zeros(n * n, dtype=np.int64)
        self._column[self._variables] = np.arange(len(self._variables))
        self._unit = float(max(1, np.abs(costs).max()))
        self._costs = costs.ravel()[self._variables] / self._unit
        flat = domains.ravel()[self._variables]
        self._lower = (flat == FIRST).astype(np.float64)
        self._upper = ((flat & FIRST) != 0).astype(np.float64)
        first, second = np.triu_indices(n, k=1)
        self._is_strict = (domains[first, second] & TIED) == 0
        self._first = self._column[first * n + second]
        self._second = self._column[second * n + first]
        from scipy.sparse import csr_array

        pairs = self._pairs()
        self._loose = csr_array(pairs[np.flatnonzero(~self._is_strict)])
        self._strict = csr_array(pairs[np.flatnonzero(self._is_strict)])

    def solve(self, cuts: Cuts, work: Work) -> tuple[Array, Array] | None:
        """Return the cheapest point and the prices of the conditions."""
        # Raises WorkUsedUpError where that takes more than `MOST_STEPS`.
        from scipy.optimize import linprog

        # scipy's types know no sparse programs
        above: Any = _stack(self._rows(cuts), self._loose)
        equal: Any = self._strict
        size = max(1, above.shape[0] // ROWS)
        bounds: Any = np.stack([self._lower, self._upper], axis=1)
        found = linprog(
            self._costs,
            A_ub=above,
            b_ub=np.concatenate([cuts.limits, np.ones(self._loose.shape[0])]),
            A_eq=equal,
            b_eq=np.ones(self._strict.shape[0]),
            bounds=bounds,
            method="highs",
            options={"maxiter": MOST_STEPS // size},
        )
        work.add_program(int(found.nit) * size)
        if found.status == 1:
            work.use_up()
            raise WorkUsedUpError
        if found.status == 2:
            return None
        if not found.success or found.x is None:
            raise RuntimeError(f"the linear program was not solved: {found.message}")
        prices = -found.ineqlin.marginals[: len(cuts)] * self._unit
        return self._square(found.x), prices

    def _rows(self, cuts: Cuts) -> csr_array:
        """Write conditions as rows over the variables."""
        from scipy.sparse import csr_array

        row, place = np.nonzero(cuts.signs)
        columns = self._column[cuts.pairs[row, place]]
        shape = (len(cuts), len(self._variables))
        return csr_array((cuts.signs[row, place].astype(np.float64), (row, columns)), shape=shape)

    def _pairs(self) -> csr_array:
        """Return a row x_ij + x_ji for each pair."""
        from scipy.sparse import csr_array

        n_pairs = len(self._first)
        row = np.tile(np.arange(n_pairs), 2)
        columns = np.concatenate([self._first, self._second])
        shape = (n_pairs, len(self._variables))
        return csr_array((np.ones(2 * n_pairs), (row, columns)), shape=shape)

    def _square(self, x: Array) -> Array:
        square = np.zeros(self._n * self._n)
        square[self._variables] = x
        return square.reshape(self._n, self._n)


def _stack(above: csr_array, below: csr_array) -> csr_array:
    """Put rows under rows."""
    from scipy.sparse import csr_array, vstack

    return csr_array(vstack([above, below]))


def possible_answers(rises: Whole, budget: int) -> Domains:
    """Return the answers that raise a bound by no more than a budget."""
    domains = np.zeros(rises.shape[1:], dtype=np.uint8)
    for place, answer in enumerate((FIRST, SECOND, TIED)):
        domains |= np.where(rises[place] <= budget, answer, 0).astype(np.uint8)
    np.fill_diagonal(domains, ANY)
    return domains
