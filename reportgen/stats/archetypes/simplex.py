"""Least squares on the simplex, many rows over few atoms.

First all wrong atoms of a row are exchanged at once. Rows that this does not solve go by a primal
active-set method: each step solves the equality-constrained problem on the current support
exactly, steps back to the boundary where that leaves the simplex, and takes in the atom with the
steepest descent where it does not. It ends after finitely many steps at the exact solution.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.archetypes.supports import on_supports

# Rounding errors of a gradient, relative to the largest product in it.
_ROUNDING = 1e-13

# Rounds of exchanging all wrong atoms at once, before the rest goes the safe way.
_ROUNDS = 8

# Slopes on a support that differ by more than this, in units of rounding, are those of dependent
# atoms.
_EXACT = 1e3

# Rows that lie in order are multiplied problem by problem where a problem has so many on average.
_IN_BLOCKS = 50

# A lockstep that needs more steps than this many an atom stays where it is, which is feasible.
_STEPS_PER_ATOM = 20


def mixtures(
    grams: NDArray[np.float64],
    cross: NDArray[np.float64],
    of: NDArray[np.int64] | None = None,
    start: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    r"""Minimise :math:`|x_i - Z' a_i|^2` over the simplex, for all rows at once.

    Parameters
    ----------
    grams : ndarray of shape (p, k, k)
        Products of the atoms, :math:`Z Z'`, of one or several problems: of starts, or of patterns
        of observed columns.
    cross : ndarray of shape (k, n)
        Products of atoms and rows, :math:`z_j' x_i`.
    of : ndarray of shape (n,), int, optional
        Which of the p problems a row belongs to; the first when omitted.
    start : ndarray of shape (k, n), optional
        Points of the simplex to begin from; the better the fewer steps.

    Returns
    -------
    ndarray of shape (k, n)
        Columns that are not negative and sum to one.

    Notes
    -----
    An active-set method in the manner of Lawson and Hanson (1974, chapter 23), all rows in
    lockstep. The method ends because the objective of a row falls with every support that it
    leaves.

    Examples
    --------
    The point (1, 1) is nearest to the middle of the edge from (1, 0) to (0, 1):

    >>> atoms, row = np.array([[0.0, 0], [1, 0], [0, 1]]), np.array([[1.0, 1]])
    >>> mixtures((atoms @ atoms.T)[None], atoms @ row.T).round(12)
    array([[0. ],
           [0.5],
           [0.5]])
    """
    kinds = np.zeros(cross.shape[1], dtype=np.int64) if of is None else of
    found = _vertices(grams, cross, kinds) if start is None else start.copy()
    largest = np.abs(grams).max(axis=(1, 2))
    rounding = _ROUNDING * (np.abs(cross).max(axis=0, initial=0) + largest[kinds])
    rest = _pivoted(grams, cross, kinds, found, rounding)
    if len(rest):
        found[:, rest] = _stepped(
            grams, cross[:, rest].T, kinds[rest], found[:, rest].T, rounding[rest]
        )
    return np.asarray(found / found.sum(axis=0))


def _pivoted(
    grams: NDArray[np.float64],
    cross: NDArray[np.float64],
    of: NDArray[np.int64],
    found: NDArray[np.float64],
    rounding: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Exchange all atoms that are wrong at once, and return the rows that this did not solve.

    Block principal pivoting (Kim and Park 2011, SIAM Journal on Scientific Computing 33): mostly
    two or three rounds, but not bound to end, so that rows which are left, or whose atoms are
    dependent, go the safe way from where they were.
    """
    rows, support, products = np.arange(cross.shape[1]), found > 0, cross
    is_left = np.ones(len(rows), dtype=np.bool_)
    for _ in range(_ROUNDS):
        own, limit = of[rows], rounding[rows]
        target = on_supports(grams, products, support, own)
        slack = _products(grams, own, target) - products
        slack -= np.einsum("kn,kn->n", target, slack)
        is_wrong = np.where(support, target < 0, slack < -limit)
        is_lost = (support & ~(np.abs(slack) < _EXACT * limit)).any(axis=0)
        is_open = is_wrong.any(axis=0)
        is_solved = ~(is_open | is_lost)
        solved = rows[is_solved]
        found[:, solved] = target[:, is_solved]
        is_left[solved] = False
        going = np.flatnonzero(is_open & ~is_lost)
        if not len(going):
            break
        rows, products = rows[going], products[:, going]
        support = support[:, going] ^ is_wrong[:, going]
    return np.flatnonzero(is_left)


def _products(
    grams: NDArray[np.float64], of: NDArray[np.int64], target: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Multiply mixtures (k, n) by their Gram matrices."""
    if len(grams) == 1:
        return np.asarray(grams[0] @ target)
    if len(of) > _IN_BLOCKS * len(grams) and (of[:-1] <= of[1:]).all():
        ends = np.searchsorted(of, np.arange(1, len(grams)))
        blocks = np.split(target, ends, axis=1)
        return np.hstack([gram @ block for gram, block in zip(grams, blocks, strict=True)])
    return np.asarray(np.einsum("nij,jn->in", grams[of], target))


def _vertices(
    grams: NDArray[np.float64], cross: NDArray[np.float64], of: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Put each row on its nearest atom."""
    squares = np.diagonal(grams, axis1=1, axis2=2)[of].T
    found = np.zeros(cross.shape)
    found[(squares / 2 - cross).argmin(axis=0), np.arange(cross.shape[1])] = 1
    return found


def _stepped(
    grams: NDArray[np.float64],
    cross: NDArray[np.float64],
    of: NDArray[np.int64],
    found: NDArray[np.float64],
    rounding: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Take rows (n, k) to their solutions the safe way; return them as (k, n)."""
    lockstep = _Lockstep(grams, cross, of, found.copy(), np.arange(len(cross)), rounding)
    for _ in range(_STEPS_PER_ATOM * cross.shape[1] + 20):
        if not lockstep.step():
            break
    return np.asarray(lockstep.found.T)


class _Lockstep:
    """The rows that are not yet done, their supports, and one step of all of them."""

    def __init__(
        self,
        grams: NDArray[np.float64],
        cross: NDArray[np.float64],
        of: NDArray[np.int64],
        found: NDArray[np.float64],
        todo: NDArray[np.int64],
        rounding: NDArray[np.float64],
    ) -> None:
        self.grams, self.cross, self.of, self.found = grams, cross, of, found
        self.support = found > 0
        self.newest = np.full(len(cross), -1)
        self.todo, self.rounding = todo, rounding

    def step(self) -> bool:
        """Take one step of every row that is not done; say whether any is left."""
        if not len(self.todo):
            return False
        rows = self.todo
        support = self.support[rows]
        target = on_supports(self.grams, self.cross[rows].T, support.T, self.of[rows]).T
        is_single = support.sum(axis=1) == 1
        target[is_single] = support[is_single]
        outside = support & (target <= 0)
        leaves = outside.any(axis=1)
        stays = ~leaves
        is_done = np.zeros(len(rows), dtype=bool)
        is_done[stays] = self._grow(rows[stays], target[stays])
        if leaves.any():
            is_done[leaves] = self._shrink(rows[leaves], target[leaves], outside[leaves])
        self.todo = rows[~is_done]
        return bool(len(self.todo))

    def _grow(self, rows: NDArray[np.int64], target: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Accept solutions on their supports and take in the steepest atom; tell who is done."""
        self.found[rows] = target
        gradient = _products(self.grams, self.of[rows], target.T).T - self.cross[rows]
        level = (target * gradient).sum(axis=1)
        slack = np.where(self.support[rows], np.inf, gradient - level[:, None])
        steepest = slack.argmin(axis=1)
        is_done = slack[np.arange(len(rows)), steepest] >= -self.rounding[rows]
        going, atoms = rows[~is_done], steepest[~is_done]
        self.support[going, atoms] = True
        self.newest[going] = atoms
        return np.asarray(is_done)

    def _shrink(
        self,
        rows: NDArray[np.int64],
        target: NDArray[np.float64],
        outside: NDArray[np.bool_],
    ) -> NDArray[np.bool_]:
        """Step to the boundary of the simplex and drop the atom met there; tell who is stuck."""
        here, each = self.found[rows], np.arange(len(rows))
        # An atom that came in by rounding alone would leave again at once, for ever.
        newest = self.newest[rows]
        is_stuck = (newest >= 0) & (here[each, newest] == 0) & (target[each, newest] <= 0)
        fall = np.where(outside, here - target, 1.0)
        room = np.where(outside, here / np.where(fall > 0, fall, 1.0), np.inf)
        first = room.argmin(axis=1)
        moved = here + room[each, first][:, None] * (target - here)
        moved[each, first] = 0
        moved = np.where(is_stuck[:, None], here, np.maximum(moved, 0))
        self.found[rows], self.support[rows] = moved, moved > 0
        return np.asarray(is_stuck)
