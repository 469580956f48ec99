"""Moments of independent samples, and of the runs of processes."""

from __future__ import annotations

from typing import NamedTuple

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


class ProcessSpread(NamedTuple):
    """Standard deviations of a candidate's timings.

    `between`: of processes, beyond what their runs explain; NaN of fewer than two processes.
    `within`: of runs of one process; NaN where none has two.
    """

    between: float
    within: float


def process_spread(runs: Array) -> ProcessSpread:
    r"""Estimate how much processes differ, and how much runs of one process do.

    The moments of the one-way layout: :math:`s^2_w` is the pooled variance of runs, and the
    variance of the means of processes exceeds :math:`s^2_w` times the mean of
    :math:`1/n_p` by that between processes, or by less than 0, which is taken for 0.

    `runs`: shape (P, R), NaN where there is no run.

    Examples
    --------
    >>> process_spread(np.array([[1.0, 3.0], [5.0, 7.0], [3.0, 5.0]]))
    ProcessSpread(between=1.7320508075688772, within=1.4142135623730951)
    """
    there = np.isfinite(runs)
    runs, there = runs[there.any(axis=1)], there[there.any(axis=1)]
    counts = there.sum(axis=1)
    means = np.where(there, runs, 0.0).sum(axis=1) / np.maximum(counts, 1)
    squares = np.where(there, runs - means[:, None], 0.0) ** 2
    df = int((counts - 1).sum())
    within = float(squares.sum() / df) if df else np.nan
    if len(means) < 2:
        return ProcessSpread(np.nan, float(np.sqrt(within)))
    excess = float(np.var(means, ddof=1)) - (within * float((1 / counts).mean()) if df else 0.0)
    return ProcessSpread(float(np.sqrt(max(0.0, excess))), float(np.sqrt(within)))
