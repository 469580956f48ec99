"""Moments of independent samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.pairs.paired_max_t import ROUNDING
from reportgen.stats.skewness import skewness


@dataclass(frozen=True, slots=True)
class SampleMoments:
    """What K independent samples have for a comparison of their means."""

    n: NDArray[np.intp]  # (K,); values of each
    center: Array  # (K,); a value in the middle of each; NaN without values
    # (K,); its mean less that value: small, so that a difference of two means keeps its digits
    offset: Array
    # (K,); of the mean; 0 for a sample without spread, NaN with fewer than two values
    standard_error: Array
    skewness: Array  # (K,)
    # (K,); whether the values, two or more, differ by rounding alone
    is_constant: NDArray[np.bool_]

    @staticmethod
    def of_summaries(means: Array, deviations: Array, n: NDArray[np.intp]) -> SampleMoments:
        """Return the moments of samples of which mean and standard deviation are known.

        `means`, `deviations`: (K,); NaN where there is none. A deviation of 0 is taken for one that
        was rounded away.
        `n`: (K,); values of each; of less than two, or without a deviation, there is no standard
        error.
        Result: as if no sample had any skewness.

        Examples
        --------
        >>> found = SampleMoments.of_summaries(
        ...     np.array([2.0, 7.0]), np.array([1.0, 0.0]), np.array([3, 2])
        ... )
        >>> found.n, found.standard_error.round(4)
        (array([3, 1]), array([0.5774,    nan]))
        """
        is_known = np.isfinite(means) & (deviations > 0) & (n >= 2)
        n = np.where(is_known, n, np.isfinite(means).astype(n.dtype))
        error = np.where(is_known, deviations / np.sqrt(np.maximum(n, 1)), np.nan)
        return SampleMoments(
            n,
            np.where(np.isfinite(means), means, np.nan),
            np.zeros(len(means)),
            error,
            np.zeros(len(means)),
            np.zeros(len(means), np.bool_),
        )

    def beside(self, limit: float) -> SampleMoments:
        """Return the moments of one sample and of a constant, whose comparison is a t test.

        Examples
        --------
        >>> own = SampleMoments.of_summaries(np.array([2.0]), np.array([1.0]), np.array([4]))
        >>> own.beside(1.0).center, own.beside(1.0).standard_error
        (array([2., 1.]), array([0.5, 0. ]))
        """
        return SampleMoments(
            np.repeat(self.n, 2),
            np.append(self.center, limit),
            np.append(self.offset, 0.0),
            np.append(self.standard_error, 0.0),
            np.append(self.skewness, 0.0),
            np.append(self.is_constant, True),
        )

    @staticmethod
    def of(values: Array) -> SampleMoments:
        """Compute the moments of the columns.

        `values`: (n, K); NaN where there is no value; the order of a column's values has no
        influence.

        Examples
        --------
        >>> found = SampleMoments.of(np.array([[1.0, 7.0], [3.0, 7.0], [2.0, np.nan]]))
        >>> found.n, found.center + found.offset, found.standard_error.round(4), found.is_constant
        (array([3, 2]), array([2., 7.]), array([0.5774, 0.    ]), array([False,  True]))
        """
        # NaN last; one result, to the last bit, in any order, padded or not
        values = np.sort(np.ascontiguousarray(values), axis=0)
        is_there = ~np.isnan(values)
        n = is_there.sum(axis=0)
        known = np.where(is_there, values, 0.0)
        center = np.take_along_axis(known, np.maximum(n - 1, 0)[None] // 2, axis=0)[0]
        from_center = np.where(is_there, known - center, 0.0)
        is_constant = (np.abs(from_center) <= ROUNDING * np.abs(center)).all(axis=0) & (n >= 2)
        from_center = np.where(is_constant, 0.0, from_center)
        offset = from_center.sum(axis=0) / np.maximum(n, 1)
        errors = np.where(is_there, from_center - offset, 0.0)
        deviation = np.sqrt((errors**2).sum(axis=0) / np.maximum(n - 1, 1))
        error = deviation / np.sqrt(np.maximum(n, 1))
        return SampleMoments(
            n,
            np.where(n > 0, center, np.nan),
            offset,
            np.where(n >= 2, error, np.nan),
            skewness(errors, n),
            is_constant,
        )
