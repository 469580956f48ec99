"""Linear conditions that the orders of a class fulfil, and which of them a point breaks.

With x_ij = 1 when i is better than j, for different i, j, k, m:

* transitivity: x_ij + x_jk - x_ik <= 1; in a linear order the same as x_ij + x_jk + x_ki <= 2;
* ties are transitive (weak orders): x_ik - x_ij - x_jk <= 0;
* no 2 + 2 (interval orders): x_ij + x_km - x_im - x_kj <= 1 (Fishburn 1970);
* no 3 + 1 (semiorders): x_ij + x_jk - x_im - x_mk <= 1 (Scott and Suppes 1958).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.relations import OrderClass

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

BROKEN = 1e-6  # of a condition whose numbers are 0 and 1: the solver's own tolerance


@dataclass(frozen=True, slots=True)
class Cuts:
    """Conditions ``sum(signs * x[pairs], axis=1) <= limits``.

    Attributes
    ----------
    pairs : ndarray of shape (R, 4), int
        Positions i K + j of the variables; 0, the pair of candidate 0 with
        itself, where a condition has only three.
    signs : ndarray of shape (R, 4), int
        1 or -1; 0 where there is no variable.
    limits : ndarray of shape (R,), int
    """

    pairs: Indices
    signs: Indices
    limits: Indices

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

    Parameters
    ----------
    x : ndarray of shape (K, K)
        Between 0 and 1; the diagonal is 0.
    order_class : {"linear", "weak", "semiorder", "interval", "partial"}

    Returns
    -------
    Cuts
        None when x breaks no condition.
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
    pairs: tuple[tuple[Indices, Indices], ...],
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
