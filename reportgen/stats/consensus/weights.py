"""Weights as whole numbers, so that criteria are compared without rounding."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

LARGEST_DENOMINATOR = 10**6
RECOGNISED = 1e-13  # relative: a float this near to a simple fraction stands for it
LARGEST_TOTAL = 2**32  # of the whole weights: their sums over pairs stay far below 2^63
FINE = 2**32  # parts of the total, where weights are no simple fractions


@dataclass(frozen=True, slots=True)
class WholeWeights:
    """Weights as multiples of one unit.

    Attributes
    ----------
    values : ndarray of shape (M,), int
    unit : Fraction
        The weights are `values` times it: exactly, or rounded.
    is_exact : bool
        Whether nothing was rounded.
    """

    values: NDArray[np.int64]
    unit: Fraction
    is_exact: bool

    def slack(self, n_pairs: int) -> int:
        """Return by how many units equal criteria may seem to differ.

        Parameters
        ----------
        n_pairs : int
            Ordered pairs that a member and a relation may differ in.
        """
        return 0 if self.is_exact else len(self.values) * n_pairs


def whole_weights(weights: NDArray[np.float64]) -> WholeWeights:
    """Write weights as multiples of one unit.

    Weights such as 1.5, 0.2 or 1/3 are taken as the fraction with the smallest
    denominator that they stand for, which makes criteria exact: 0.1 + 0.2 is
    then 0.3. Where a weight is no such fraction, all are rounded to 2^-32 of
    their sum, and criteria that differ by less than what this may change count
    as equal.

    Parameters
    ----------
    weights : ndarray of shape (M,)
        Not negative, finite, not all zero.

    Examples
    --------
    >>> found = whole_weights(np.array([1.0, 1.5, 0.2]))
    >>> found.values.tolist(), found.unit, found.is_exact
    ([10, 15, 2], Fraction(1, 10), True)
    """
    exact = [_simple_fraction(float(w)) for w in weights]
    if all(f is not None for f in exact):
        fractions = [f for f in exact if f is not None]
        unit = Fraction(1, lcm(*(f.denominator for f in fractions)))
        values = [int(f / unit) for f in fractions]
        common = int(np.gcd.reduce(np.array(values, dtype=object))) or 1
        if sum(values) // common <= LARGEST_TOTAL:
            whole = np.array([v // common for v in values], dtype=np.int64)
            return WholeWeights(whole, unit * common, True)
    unit = sum((Fraction(float(w)) for w in weights), Fraction(0)) / FINE
    rounded = [round(Fraction(float(w)) / unit) for w in weights]
    return WholeWeights(np.array(rounded, dtype=np.int64), unit, False)


def _simple_fraction(weight: float) -> Fraction | None:
    """Return the fraction that a float stands for, if any."""
    found = Fraction(weight).limit_denominator(LARGEST_DENOMINATOR)
    return found if abs(float(found) - weight) <= RECOGNISED * weight else None
