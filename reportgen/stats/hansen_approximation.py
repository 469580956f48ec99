r"""Hansen's approximate p-values of the largest score statistic, those that R prints.

Hansen [1]_ simulated the law of :math:`\max_{\pi \le t \le 1 - \pi} |B(t)|^2 / (t (1 - t))` for
25 trimmed shares :math:`\pi` and up to 40 parameters, and fitted to the upper tail of each the law
of a shifted and stretched chi-squared variable. `supremum_law` has the exact law; this
approximation is for results that shall be those of R's strucchange and partykit.

The table hansen_1997.csv holds the coefficients of his program pv_sup.R, which he distributed with
the paper (users.ssc.wisc.edu/~bhansen/progs/jbes_97.html), number by number; no package's code
was used.

References
----------
.. [1] B. E. Hansen (1997), "Approximate asymptotic p values for structural-change tests", Journal
   of Business & Economic Statistics 15, 60-67.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.supremum_law import sup_p_value
from reportgen.stats.tails import log_chi2_survival

Array = NDArray[np.float64]

TABLE = "hansen_1997.csv"
MOST_PARAMETERS = 40


def log_hansen_p_value(statistic: float, n_parameters: int, span: float) -> float:
    r"""Return the log of the approximate probability that the largest statistic is no smaller.

    Parameters
    ----------
    statistic : float
    n_parameters : int
        Dimension of the process.
    span : float
        :math:`\lambda = ((1 - \pi) / \pi)^2`, at least 1.

    Returns
    -------
    float
        Also where the probability itself would underflow. With more parameters than the table has
        (`MOST_PARAMETERS`) by the exact law, where R takes the tail of Estrella (2003).

    Raises
    ------
    ValueError
        If the statistic is negative or no number, `n_parameters` less than 1 or `span` than 1.

    Notes
    -----
    A row of the table (a, b, d) gives :math:`P(\chi^2_d \ge \max(0, a + b c))` for a statistic c.
    Between two rows the probabilities are interpolated in the trimmed share; between .49 and .5
    with the chi-squared law of a single possible break.

    Examples
    --------
    One parameter, 15 % trimmed at both ends; the exact law gives .0504:

    >>> round(exp(log_hansen_p_value(8.85, 1, (0.85 / 0.15) ** 2)), 4)
    0.0448
    """
    if not (statistic >= 0 and n_parameters >= 1 and span >= 1):
        raise ValueError(
            "need a statistic of 0 or more, one parameter or more and a span of 1 or more, got "
            f"{statistic}, {n_parameters} and {span}"
        )
    if n_parameters > MOST_PARAMETERS:
        exact = sup_p_value(statistic, n_parameters, span)
        return log(exact) if exact > 0 else -np.inf
    trimmed = 1 / (1 + sqrt(span))
    shares, table = _laws(n_parameters)
    above = int(np.searchsorted(shares, trimmed))
    if above == 0:
        return _log_tail(statistic, table[0])
    low, high = _log_tail(statistic, table[above - 1]), _log_tail(statistic, table[above])
    part = (trimmed - shares[above - 1]) / (shares[above] - shares[above - 1])
    larger = max(low, high)
    return larger + log((1 - part) * exp(low - larger) + part * exp(high - larger))


def _log_tail(statistic: float, law: Array) -> float:
    """Return the log tail of a shifted and stretched chi-squared variable."""
    constant, slope, df = law.tolist()
    return log_chi2_survival(max(constant + slope * statistic, 0.0), df)


@cache
def _laws(n_parameters: int) -> tuple[Array, Array]:
    """Return trimmed shares, ascending to .5, and constant, slope and df at each."""
    text = files("reportgen.stats").joinpath(TABLE).read_text(encoding="utf-8")
    rows = np.loadtxt(text.splitlines(), delimiter=",", skiprows=1)
    own = rows[rows[:, 0] == n_parameters][::-1]
    single = [0.0, 1.0, n_parameters]
    return np.append(own[:, 1], 0.5), np.vstack([own[:, 2:], single])
