"""Differences of pairs whose gaps count against the candidate that has them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.arrays import Array
from reportgen.stats.scaling import scaled


@dataclass(frozen=True, slots=True)
class AdverseDifferences:
    """Differences first - second of P pairs, each gap as bad as the largest difference seen.

    Attributes
    ----------
    mean, error : ndarray of shape (2, P)
        Mean and standard error, in row 0 with the gaps of the first, in row 1 with those of the
        second.
    is_smaller_better : bool
    """

    mean: Array
    error: Array
    is_smaller_better: bool

    def limits(self, critical: Array) -> dict[str, Array]:
        """Return how far the first, and the second, may be behind, with its own gaps.

        Parameters
        ----------
        critical : ndarray of shape (P,)
            The pairs' own critical values.

        Returns
        -------
        dict
            `adverse_first` and `adverse_second`, limits of first - second, without a correction for
            the skewness that the filling makes.
        """
        upper, lower = self.mean + critical * self.error, self.mean - critical * self.error
        first, second = (upper, lower) if self.is_smaller_better else (lower, upper)
        return {"adverse_first": first[0], "adverse_second": second[1]}

    def rescaled(self, exponent: int) -> AdverseDifferences:
        """Return the differences of values that are 2 to this power as large."""
        mean, error = scaled(self.mean, exponent), scaled(self.error, exponent)
        return replace(self, mean=mean, error=error)


def adverse_differences(
    values: Array,
    pairs: NDArray[np.intp],
    is_smaller_better: bool,
    absent: NDArray[np.bool_] | None = None,
    *,
    standard_error: Array | None = None,
) -> AdverseDifferences | None:
    r"""Set each difference that a candidate's gap hides to the largest one seen, against it.

    A candidate that lacks a value where the other has one may lack it because it fails there. Of a
    pair with differences :math:`d_u` on the units that both have, a unit that only one has counts
    as :math:`\max_u |d_u|` against the other.

    Parameters
    ----------
    values : ndarray of shape (n, K)
        NaN where there is no value.
    pairs : ndarray of shape (P, 2), int
    is_smaller_better : bool
    absent : ndarray of shape (n, K), bool, optional
        Cells without a value by design, which count against nobody.
    standard_error : ndarray of shape (P,), optional
        Of the pairs' mean differences, where units are not independent: it grows as the standard
        deviation of the differences does. Left out: that of independent units.

    Returns
    -------
    AdverseDifferences or None
        None where no gap counts.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0], [2.0, 5.0], [np.nan, 4.0]])
    >>> found = adverse_differences(values, np.array([[0, 1]]), True)
    >>> found.mean[:, 0].round(3)
    array([-0.333, -2.   ])
    """
    there = np.isfinite(values)
    is_gap = ~there if absent is None else ~there & ~absent
    first, second = pairs.T
    shared = there[:, first] & there[:, second]
    with np.errstate(invalid="ignore"):
        differences = np.where(shared, values[:, first] - values[:, second], 0.0)
    largest = np.abs(differences).max(axis=0, initial=0.0)
    worse = largest if is_smaller_better else -largest
    hidden = (is_gap[:, first] & there[:, second], is_gap[:, second] & there[:, first])
    if not any(one.any() for one in hidden):
        return None
    rows = [
        _describe(np.where(gaps, side * worse, differences), shared | gaps)
        for gaps, side in zip(hidden, (1.0, -1.0), strict=True)
    ]
    mean, deviation, n = (np.array(column) for column in zip(*rows, strict=True))
    if standard_error is None:
        return AdverseDifferences(mean, deviation / np.sqrt(np.maximum(n, 1)), is_smaller_better)
    _, usual, _ = _describe(differences, shared)
    growth = deviation / np.where(usual > 0, usual, np.nan)
    return AdverseDifferences(mean, standard_error * growth, is_smaller_better)


def _describe(
    differences: Array, known: NDArray[np.bool_]
) -> tuple[Array, Array, NDArray[np.int_]]:
    """Return mean, standard deviation and number of the columns' differences."""
    n = known.sum(axis=0)
    exponent = np.frexp(np.abs(differences).max(axis=0, initial=0.0))[1]
    usual = np.ldexp(np.where(known, differences, 0.0), -exponent)  # no square overflows
    mean = usual.sum(axis=0) / np.maximum(n, 1)
    apart = np.where(known, usual - mean, 0.0)
    deviation = np.sqrt((apart**2).sum(axis=0) / np.maximum(n - 1, 1))
    return np.ldexp(mean, exponent), np.ldexp(np.where(n >= 2, deviation, np.nan), exponent), n
