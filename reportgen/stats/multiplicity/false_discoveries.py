r"""The false discovery rate: of the pairs that are decided, the expected share that is wrong.

It is another promise than the family-wise error, which is the probability that any decision is
wrong: of many pairs more are decided, and some decisions are expected to be wrong. Benjamini and
Hochberg's step-up procedure [1]_ holds it for independent p-values and for those with positive
dependence; the two-sided t statistics of all pairs are neither in theory, and hold it in
simulations [2]_.

References
----------
.. [1] Y. Benjamini and Y. Hochberg (1995), "Controlling the false discovery rate: a practical and
   powerful approach to multiple testing", Journal of the Royal Statistical Society B 57.
.. [2] V. S. L. Williams, L. V. Jones and J. W. Tukey (1999), "Controlling error in multiple
   comparisons, with examples from state-to-state differences in educational achievement", Journal
   of Educational and Behavioral Statistics 24.
"""

from __future__ import annotations

import numpy as np

from reportgen.stats.arrays import Array


def benjamini_hochberg(p_values: Array) -> Array:
    r"""Return p-values adjusted for the false discovery rate.

    Parameters
    ----------
    p_values : ndarray of shape (P,)
        Of tests, each for itself; NaN of those that are no part of the family.

    Returns
    -------
    ndarray of shape (P,)
        With the p-values ascending, :math:`\min_{j \ge i} \min(1, m p_{(j)} / j)`, m of them; NaN
        where there is none. Those at most alpha are decided at the rate alpha.

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.04, np.nan, 0.03, 0.5])).round(4)
    array([0.04  , 0.0533,    nan, 0.0533, 0.5   ])
    """
    known = np.flatnonzero(np.isfinite(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    m = len(order)
    scaled = p_values[order] * m / np.arange(1, m + 1)
    found = np.full(len(p_values), np.nan)
    found[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return found
