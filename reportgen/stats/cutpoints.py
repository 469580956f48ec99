"""Where to cut a characteristic so that separate worths on both sides fit best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.instability import Kind
from reportgen.stats.paired_likelihood import log_likelihoods, maximise
from reportgen.stats.ranks import levelled

Array = NDArray[np.float64]

MOST_CATEGORIES = 12  # up to which every division into two is tried: 2,047
TABLES_AT_ONCE = 2048
TOLERANCE = 1e-9  # Newton decrement: twice what is missing to the maximum of the likelihood
SAME = 1e-8  # difference of log likelihoods up to which the first of two cuts is taken


@dataclass(frozen=True, slots=True)
class Split:
    """A division of the units in two.

    Attributes
    ----------
    characteristic : int
        Its place among the characteristics.
    kind : Kind
    cut : float
        Units with this value or a smaller one go to the first child, of a numeric or ordinal
        characteristic; a value that occurs. Not a number for a categorical one.
    first : tuple of float
        Codes of the categories that go to the first child.
    missing_first : bool
        Whether units without a value (and unseen categories) go to the first child: the larger.
    log_likelihood : float
        Sum of both sides, over the units with a value.
    """

    characteristic: int
    kind: Kind
    cut: float
    first: tuple[float, ...]
    missing_first: bool
    log_likelihood: float
    second: tuple[float, ...] = ()

    def goes_first(self, values: Array) -> NDArray[np.bool_]:
        """Say which units go to the first child; shape as `values`."""
        if self.kind is Kind.CATEGORICAL:
            goes = np.isin(values, self.first)
            unknown = ~goes & ~np.isin(values, self.second)
        else:
            goes, unknown = values <= self.cut, np.isnan(values)
        return np.asarray(np.where(unknown, self.missing_first, goes), dtype=np.bool_)


def best_split(
    counts: Array,
    values: Array,
    kind: Kind,
    features: Array,
    start: Array,
    *,
    min_size: int,
    characteristic: int = 0,
) -> Split | None:
    """Find the division with the largest log likelihood.

    Parameters
    ----------
    counts : ndarray of shape (n, P, 3)
        Outcomes of each unit.
    values : ndarray of shape (n,)
        Of the characteristic, or codes of categories; units without one are left out.
    kind : Kind
    features : ndarray of shape (P, 3, q)
        Of `paired_likelihood.statistics`.
    start : ndarray of shape (q,)
        Parameters of all units together.
    min_size : int
        Units in either part.
    characteristic : int
        For the result.

    Returns
    -------
    Split or None
        None when no division leaves `min_size` units in both parts. Every division of a numeric
        or ordinal characteristic is tried. So is every one of up to `MOST_CATEGORIES` categories;
        more are ordered by the share of the first candidates' preference that differs most among
        them, and divided along that order.

    Notes
    -----
    A side whose likelihood has no maximum counts with its supremum.
    """
    known = ~np.isnan(values)
    codes, members = np.unique(values[known], return_inverse=True)
    tables = np.zeros((len(codes), *counts.shape[1:]))
    np.add.at(tables, members, counts[known])
    sizes = np.bincount(members, minlength=len(codes))
    sides = _sides(tables, kind)
    n_first = sides @ sizes
    sides = sides[(n_first >= min_size) & (sizes.sum() - n_first >= min_size)]
    if not len(sides):
        return None
    reached = _two_sided(sides.astype(np.float64), tables, features, start)
    place = int(np.argmax(reached >= reached.max() - SAME))
    side, total = sides[place], float(reached[place])
    more_first = bool(2 * (side @ sizes) >= sizes.sum())
    first = tuple(float(c) for c in codes[side])
    if kind is Kind.CATEGORICAL:
        second = tuple(float(c) for c in codes[~side])
        return Split(characteristic, kind, np.nan, first, more_first, total, second)
    return Split(characteristic, kind, first[-1], (), more_first, total)


def _sides(tables: Array, kind: Kind) -> NDArray[np.bool_]:
    """Return the divisions of C values to try, one per row: who goes to the first child.

    Categories in the order of R's partykit, where the last one always goes to the second child.
    """
    n = len(tables)
    along = np.tri(n - 1, n, dtype=np.bool_)
    if kind is not Kind.CATEGORICAL:
        return along
    if n > MOST_CATEGORIES:
        sides = along[:, np.argsort(np.argsort(_first_axis(tables), kind="stable"))]
        return np.asarray(sides != sides[:, -1:])
    numbers = np.arange(1, 2 ** (n - 1))[:, None]
    return np.asarray((numbers >> np.arange(n)) & 1 == 1)


def _first_axis(tables: Array) -> Array:
    """Return the first principal component of the categories' shares of outcomes.

    Its sign, and its direction where other components are as large, are those of the projection
    of the first category that lies farthest along it: a singular vector alone has neither.
    """
    flat = tables.reshape(len(tables), -1)
    shares = flat / np.maximum(flat.sum(axis=1, keepdims=True), 1.0)
    left, sizes, _ = np.linalg.svd(shares - shares.mean(axis=0), full_matrices=False)
    axes = left[:, sizes >= sizes[0] * (1 - SAME)]
    lengths = np.linalg.norm(axes, axis=1)
    farthest = int((lengths >= lengths.max() - SAME).argmax())
    along = axes @ axes[farthest] * sizes[0]
    return np.asarray(levelled(along[None], np.full((1, len(along)), sizes[0]))[0])


def _two_sided(sides: Array, tables: Array, features: Array, start: Array) -> Array:
    """Return the sum of the log likelihoods of both sides of every division."""
    total, flat = tables.sum(axis=0), tables.reshape(len(tables), -1)
    reached = []
    for begin in range(0, len(sides), TABLES_AT_ONCE):
        block = (sides[begin : begin + TABLES_AT_ONCE] @ flat).reshape(-1, *total.shape)
        both = np.concatenate([block, total - block])
        theta = maximise(both, features, start, tolerance=TOLERANCE)
        values = log_likelihoods(both, features, theta)
        reached.append(values[: len(block)] + values[len(block) :])
    return np.concatenate(reached)
