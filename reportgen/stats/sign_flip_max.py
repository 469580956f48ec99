r"""All pairs by the largest |t| under sign flips of whole units.

A unit (a data set, or a block) has one difference for every pair of candidates.
Where those of candidates that are alike are, together, symmetric about 0, they
are as likely with all signs of a unit turned. The law of the largest |t| over
any set of such pairs follows, whatever variances and correlations there are, and
whatever holds for other pairs. So the step-down version controls the family-wise
error strongly too (subset pivotality).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.stats.block_scores import column_pairs
from reportgen.stats.paired_permutation import student_t
from reportgen.stats.ranks import check_blocks
from reportgen.stats.sign_flips import all_sums, drawn_sums
from reportgen.stats.sum_law import N_DRAWS

Array = NDArray[np.float64]

FEWEST_UNITS = 6  # fewer: the smallest possible p-value, 2^(1 - M), is above 5%
ALL_UP_TO = 14  # units: 2^13 flips, as a flip and its opposite have the same |t|
SLACK = 1e-12  # of t^2 / (t^2 + M - 1): smaller differences are rounding


@dataclass(frozen=True, slots=True)
class SignFlipTests:
    """Tests of all pairs by the law of the largest |t|.

    Attributes
    ----------
    first, second : ndarray of shape (P,), int
        Columns, first < second, in lexical order.
    statistics : ndarray of shape (P,)
        Student's paired t of first - second on M - 1 degrees of freedom;
        infinite when all differences are the same and not 0.
    single_step, step_down : ndarray of shape (P,)
        Adjusted p-values; 1 for a pair without any difference.
    standard_errors : ndarray of shape (P,)
        Of the single-step p-values, by Monte Carlo; 0 when all flips were done.
    n_draws : int or None
        Number of random flips beside the identity; None when all were done.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    statistics: Array
    single_step: Array
    step_down: Array
    standard_errors: Array
    n_draws: int | None


def sign_flip_max_t(values: Array, rng: Generator, n_draws: int = N_DRAWS) -> SignFlipTests:
    """Compare all pairs of candidates by sign flips of whole units.

    Parameters
    ----------
    values : ndarray of shape (M, K)
        One row a unit, K >= 2, NaN where there is no value; 6 units or more
        have both candidates of every pair.
    rng : Generator
        Draws the flips where there are too many, M > 14; else not used.
    n_draws : int, default 9999

    Returns
    -------
    SignFlipTests

    Raises
    ------
    ValueError
        If `values` is not such a matrix.

    Notes
    -----
    The sum of squares of a pair's differences does not change with the signs,
    so that |t| grows with the squared sum over it, by which flips are compared.

    References
    ----------
    .. [1] P. H. Westfall and S. S. Young (1993), Resampling-Based Multiple
       Testing, sections 2.3 and 2.8.
    .. [2] J. P. Romano and M. Wolf (2005), "Exact and approximate stepdown
       methods for multiple hypothesis testing", JASA 100.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> tests = sign_flip_max_t(rng.normal(size=(12, 3)) + [0, 0, 3], rng)
    >>> tests.single_step.round(4).tolist()
    [0.8755, 0.0005, 0.0005]
    >>> tests.step_down.round(4).tolist()
    [0.6367, 0.0005, 0.0005]
    """
    n_units, n_candidates = check_blocks(np.where(np.isnan(values), 0.0, values)).shape
    if n_units < FEWEST_UNITS or n_candidates < 2:
        raise ValueError(
            f"sign flips need {FEWEST_UNITS} units and two candidates, got {values.shape}"
        )
    first, second = column_pairs(n_candidates)
    raw = values[:, first] - values[:, second]
    n_both = np.isfinite(raw).sum(axis=0)
    if n_both.min() < FEWEST_UNITS:
        raise ValueError(f"sign flips need {FEWEST_UNITS} units that have both of a pair")
    differences = np.where(np.isfinite(raw), raw, 0.0)
    observed = _shares(differences.sum(axis=0)[None], differences, n_both)[0]
    flipped, used = _flipped(differences, n_both, rng, n_draws)
    single = _tail(flipped.max(axis=1), observed, used)
    return SignFlipTests(
        first=first,
        second=second,
        statistics=np.array([student_t(d[np.isfinite(d)]) for d in raw.T]),
        single_step=single,
        step_down=_step_down(flipped, observed, used),
        standard_errors=np.sqrt(single * (1 - single) / used) if used else np.zeros(len(single)),
        n_draws=used,
    )


def _flipped(
    differences: Array, n_both: NDArray[np.intp], rng: Generator, n_draws: int
) -> tuple[Array, int | None]:
    """Return the squared sums, in shares, under flips, and how many of them are random."""
    if len(differences) <= ALL_UP_TO:
        sums = all_sums(differences[1:]) + differences[0]
        return _shares(sums, differences, n_both), None
    return _shares(drawn_sums(differences, rng, n_draws), differences, n_both), n_draws


def _shares(sums: Array, differences: Array, n_both: NDArray[np.intp]) -> Array:
    """Return t^2 / (t^2 + n - 1), which lies between 0 and 1; 0 without differences."""
    most = n_both * (differences**2).sum(axis=0)
    shares: Array = np.divide(sums**2, most, out=np.zeros(sums.shape), where=most > 0)
    return shares


def _tail(largest: Array, observed: Array, n_draws: int | None) -> Array:
    """Return how often the largest is at least as large as observed."""
    place = np.searchsorted(np.sort(largest), observed - SLACK)
    reached = len(largest) - place
    p = reached / len(largest) if n_draws is None else (1 + reached) / (1 + n_draws)
    return np.asarray(p, dtype=np.float64)


def _step_down(flipped: Array, observed: Array, n_draws: int | None) -> Array:
    """Compare the pairs, largest first, with the largest among those not yet compared."""
    order = np.argsort(-observed, kind="stable")
    remaining = np.maximum.accumulate(flipped[:, order[::-1]], axis=1)[:, ::-1]
    steps = range(len(order))
    p = [_tail(remaining[:, i], observed[order[[i]]], n_draws)[0] for i in steps]
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(p)
    return adjusted
