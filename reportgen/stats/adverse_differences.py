"""Differences of pairs whose gaps count against the candidate that has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.shared_means import SharedMeans, pair_columns


@dataclass(frozen=True, slots=True)
class AdverseDifferences:
    """Differences first - second of P pairs, each gap as bad as the largest difference seen.

    Attributes
    ----------
    mean, error : ndarray of shape (2, P) or (2, M, P)
        Mean and standard error, in row 0 with the gaps of the first, in row 1 with those of the
        second; of all units, or of each of M (`adverse_within`).
    is_smaller_better : bool
    hidden : ndarray of shape (2, M, P), bool, or None
        Units in which the first, the second, lacks values and has none in common with the other.
    """

    mean: Array
    error: Array
    is_smaller_better: bool
    hidden: NDArray[np.bool_] | None = None

    def limits(self, critical: Array) -> dict[str, Array]:
        """Return how far the first, and the second, may be behind, with its own gaps.

        `critical`: (P,); the pairs' own critical values.
        Result: `adverse_first` and `adverse_second`, limits of first - second, without a correction
        for the skewness that the filling makes.
        """
        upper, lower = self.mean + critical * self.error, self.mean - critical * self.error
        first, second = (upper, lower) if self.is_smaller_better else (lower, upper)
        return {"adverse_first": first[0], "adverse_second": second[1]}

    def or_else(self, differences: Array) -> Array:
        """Return the means, and differences where there are none.

        `differences`: (M, P); of M units, where the means are `adverse_within` them.
        Result: (2, M, P).
        """
        return np.where(np.isfinite(self.mean), self.mean, differences)

    def of_units(self, rows: NDArray[np.intp]) -> AdverseDifferences:
        """Return those of some of M units."""
        hidden = None if self.hidden is None else self.hidden[:, rows]
        return replace(self, mean=self.mean[:, rows], error=self.error[:, rows], hidden=hidden)

    def of_pairs(self, places: NDArray[np.intp]) -> AdverseDifferences:
        """Return those of some of the pairs."""
        hidden = None if self.hidden is None else self.hidden[..., places]
        mean, error = self.mean[..., places], self.error[..., places]
        return replace(self, mean=mean, error=error, hidden=hidden)


def adverse_differences(
    values: Array,
    pairs: NDArray[np.intp],
    is_smaller_better: bool,
    missing_by_design: NDArray[np.bool_] | None = None,
    *,
    within: AdverseDifferences | None = None,
    shared: SharedMeans | None = None,
    standard_error: Array | None = None,
    weigh: Callable[[NDArray[np.bool_]], Array] | None = None,
    has_signs: bool = False,
) -> AdverseDifferences | None:
    r"""Set each difference that a candidate's gap hides to the largest one seen, against it.

    A candidate that lacks a value where the other has one may lack it because it fails there. Of a
    pair with differences :math:`d_u` on the units that both have, a unit that only one has counts
    as :math:`\max_u |d_u|` against the other.

    `values`: (n, K); NaN where there is no value.
    `pairs`: (P, 2).
    `missing_by_design`: (n, K); cells without a value by design, which count against nobody.
    `within`: where values are means: of each unit's own values (`adverse_within`).
    `shared`: where values are means: of what both of a pair have in a unit, which is compared.
    `standard_error`: (P,); of the pairs' mean differences, where units are not independent: it
    grows as the standard deviation of the differences does. Left out: that of independent units.
    `weigh`: returns the weights of the units of each pair that are known, shape (n, P). Left out:
    all count alike.
    `has_signs`: whether only the signs of differences count.
    Result: None where no gap counts.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0], [2.0, 5.0], [np.nan, 4.0]])
    >>> found = adverse_differences(values, np.array([[0, 1]]), True)
    >>> found.mean[:, 0].round(3)
    array([-0.333, -2.   ])
    """
    there = np.isfinite(values)
    is_gap = ~there if missing_by_design is None else ~there & ~missing_by_design
    if within is None and not is_gap.any():
        return None
    first, second = pairs.T
    a, b = pair_columns(values, pairs, shared)
    has_both = np.isfinite(a) & np.isfinite(b)
    with np.errstate(invalid="ignore"):
        differences = np.where(has_both, a - b, 0.0)
    differences = np.sign(differences) if has_signs else differences
    largest = np.abs(differences).max(axis=0, initial=0.0)
    worse = largest if is_smaller_better else -largest
    hidden = (is_gap[:, first] & there[:, second], is_gap[:, second] & there[:, first])
    if within is None and not any(one.any() for one in hidden):
        return None
    seen = [differences] * 2 if within is None else list(within.or_else(differences))
    if has_signs:
        seen, worse = [np.sign(own) for own in seen], np.sign(worse)
    if within is not None and within.hidden is not None:
        hidden = tuple(gaps | own for gaps, own in zip(hidden, within.hidden, strict=True))
    rows = [
        _describe(np.where(gaps, side * worse, own), has_both | gaps, weigh)
        for own, gaps, side in zip(seen, hidden, (1.0, -1.0), strict=True)
    ]
    mean, deviation, n = (np.array(column) for column in zip(*rows, strict=True))
    if standard_error is None:
        return AdverseDifferences(mean, deviation / np.sqrt(np.maximum(n, 1)), is_smaller_better)
    _, usual, _ = _describe(differences, has_both)
    growth = deviation / np.where(usual > 0, usual, np.nan)
    return AdverseDifferences(mean, standard_error * growth, is_smaller_better)


def adverse_within(
    samples: Sequence[Array],
    pairs: NDArray[np.intp],
    is_smaller_better: bool,
    missing_by_design: Sequence[NDArray[np.bool_] | None] | None = None,
    *,
    standard_error: Array | None = None,
) -> AdverseDifferences | None:
    """Count the gaps inside units of which the means are compared, such as data sets.

    A candidate that fails on the hard replications of every data set has a good mean on each.

    `samples`: sequence of M ndarrays of shape (n_m, K); the values of each unit; NaN where there is
    none.
    `pairs`: (P, 2).
    `missing_by_design`: sequence of M ndarrays of shape (n_m, K), bool; cells that count against
    nobody; None for a unit without any.
    `standard_error`: (M, P); of the pairs' differences in each unit. Left out: that of independent
    values.
    Result: `mean` and `error` of shape (2, M, P); NaN where a pair has no gap that counts, or no
    values in common. None where no unit has any.

    Examples
    --------
    >>> samples = [np.array([[1.0, 2.0], [2.0, 5.0], [np.nan, 4.0]]), np.array([[1.0, 2.0]])]
    >>> adverse_within(samples, np.array([[0, 1]]), True).mean[:, :, 0].round(3)
    array([[-0.333,    nan],
           [-2.   ,    nan]])
    """
    found = []
    empty = np.full((2, 2, len(pairs)), np.nan)
    hidden = np.zeros((2, len(samples), len(pairs)), dtype=np.bool_)
    for m, values in enumerate(samples):
        usual = None if standard_error is None else standard_error[m]
        by_design = None if missing_by_design is None else missing_by_design[m]
        own = adverse_differences(values, pairs, is_smaller_better, by_design, standard_error=usual)
        if own is None:
            found.append(empty)
            continue
        there = np.isfinite(values)
        is_known = there if by_design is None else there | by_design
        first, second = pairs.T
        lacks: NDArray[np.bool_] = np.array(
            [
                (~is_known[:, one] & there[:, other]).any(axis=0)
                for one, other in ((first, second), (second, first))
            ]
        )
        is_shared = (there[:, first] & there[:, second]).any(axis=0)
        present: NDArray[np.bool_] = np.asarray(there.any(axis=0))
        found.append(np.where(lacks.any(axis=0) & is_shared, [own.mean, own.error], np.nan))
        hidden[:, m] = lacks & ~is_shared & present[first] & present[second]
    if not hidden.any() and not any(np.isfinite(own[0]).any() for own in found):
        return None
    mean, error = np.stack(found, axis=2)
    return AdverseDifferences(mean, error, is_smaller_better, hidden)


def _describe(
    differences: Array,
    known: NDArray[np.bool_],
    weigh: Callable[[NDArray[np.bool_]], Array] | None = None,
) -> tuple[Array, Array, NDArray[np.int_]]:
    """Return mean, standard deviation and number of the columns' differences."""
    n = known.sum(axis=0)
    present = np.where(known, differences, 0.0)
    mean = present.sum(axis=0) / np.maximum(n, 1)
    apart = np.where(known, present - mean, 0.0)
    deviation = np.sqrt((apart**2).sum(axis=0) / np.maximum(n - 1, 1))
    if weigh is not None:
        weights = weigh(known)
        total = weights.sum(axis=0)
        mean = (weights * present).sum(axis=0) / np.where(total > 0, total, 1.0)
    return mean, np.where(n >= 2, deviation, np.nan), n
