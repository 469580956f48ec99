r"""The null law of the largest score statistic over all possible breaks of the parameters.

With B a Brownian bridge in q dimensions, :math:`|B(t)|^2 / (t (1 - t))` is the squared length of a
stationary Ornstein-Uhlenbeck process at time :math:`\log(t / (1 - t)) / 2`. That it stays below c
is known exactly: for all times by an expansion in eigenfunctions [1]_, for chosen times by
integration from one to the next. Nothing is simulated here.

R's strucchange and partykit print Hansen's approximate p-values, which results that shall be those
of R have. Hansen [2]_ simulated the law of :math:`\max_{\pi \le t \le 1 - \pi} |B(t)|^2 / (t (1 -
t))` for 25 trimmed shares :math:`\pi` and up to 40 parameters, and fitted to the upper tail of
each the law of a shifted and stretched chi-squared variable. The table hansen_1997.csv holds the
coefficients of his program pv_sup.R, which he distributed with the paper
(users.ssc.wisc.edu/~bhansen/progs/jbes_97.html), number by number; no package's code was used.

References
----------
.. [1] D. M. DeLong (1981), "Crossing probabilities for a square root boundary by a Bessel
   process", Communications in Statistics: Theory and Methods 10.
.. [2] B. E. Hansen (1997), "Approximate asymptotic p values for structural-change tests", Journal
   of Business & Economic Statistics 15, 60-67.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from math import exp, log, sqrt

import numpy as np
from scipy.linalg import eigh
from scipy.special import chdtrc, eval_jacobi, gammaln, ive, roots_jacobi

from reportgen.stats.arrays import Array
from reportgen.stats.distributions.tails import log_chi2_survival

FAR = 1e-11  # chi-squared tail beyond which the expansion in 1/c is used
N_POLYNOMIALS = 60  # the eigenfunctions are entire; 60 give 12 digits up to c = 100
NODES_PER_WIDTH = 2.5  # nodes per standard deviation of a step, from one fraction to the next
MOST_NODES = 600
MOST_STEPS = 24  # fractions from which on the correction replaces integration
OVERSHOOT = 0.5826  # -zeta(1/2) / sqrt(2 pi)


def sup_p_value(statistic: float, n_parameters: int, span: float) -> float:
    r"""Return the probability that the largest statistic over an interval is no smaller.

    `statistic`: c, of :math:`\max_{\pi \le t \le 1 - \pi} |B(t)|^2 / (t (1 - t))`.
    `n_parameters`: q, the dimension of B.
    `span`: :math:`\lambda = ((1 - \pi) / \pi)^2`, at least 1.
    Result: exact to about 1e-10 relative to 1, and to a percent in the far tail.
    Raises ValueError if the statistic is negative or no number, `n_parameters` less than 1 or
    `span` than 1.

    Notes
    -----
    With y = c / 2, b = q / 2 and (a, g) the solutions of :math:`y g'' + (b - y) g' = -a g`,
    g(c / 2) = 0, the probability of staying below is :math:`\sum_k w_k \lambda^{-a_k}` with
    :math:`w_k` the squared mean of g over its mean square, under the gamma law with shape b.
    The complement is summed term by term, so that nothing cancels. In the far tail the expansion
    of [1]_ is used. R prints the approximation of [2]_ (`log_hansen_p_value`), fitted to
    simulated values: at its 5 % points the probability was found to be .0453 to .0492.

    References
    ----------
    .. [1] A. Estrella (2003), "Critical values and p values of Bessel process distributions:
       computation and application to structural break tests", Econometric Theory 19.
    .. [2] B. E. Hansen (1997), "Approximate asymptotic p values for structural-change tests",
       Journal of Business & Economic Statistics 15.

    Examples
    --------
    One parameter, 15 % trimmed at both ends:

    >>> round(sup_p_value(8.85, 1, (0.85 / 0.15) ** 2), 4)
    0.0504
    """
    _check(statistic, n_parameters)
    if not span >= 1:
        raise ValueError(f"the span must be at least 1, got {span}")
    if statistic == 0.0:
        return 1.0
    pointwise = float(chdtrc(n_parameters, statistic))
    if pointwise < FAR:
        return _far_tail(statistic, n_parameters, span)
    rates, weights = _expansion(statistic, n_parameters)
    crossed = -np.expm1(-rates * log(span))
    return min(pointwise + float(weights @ crossed), 1.0)


def max_p_value(statistic: float, n_parameters: int, fractions: Array) -> float:
    r"""Return the probability that the largest statistic at chosen fractions is no smaller.

    `statistic`: c, of :math:`\max_k |B(t_k)|^2 / (t_k (1 - t_k))`.
    `fractions`: (C,); :math:`t_k`, ascending, strictly between 0 and 1.
    Result: exact to about 1e-8 as long as neighbouring fractions differ by 1e-3 or more.
    Raises ValueError if the statistic is negative or no number, or the fractions are invalid.

    Notes
    -----
    The length of the process at one time given the last has a non-central chi distribution, over
    which it is integrated up to sqrt(c).

    Examples
    --------
    A single fraction leaves the chi-squared law:

    >>> round(max_p_value(5.991464547, 2, np.array([0.5])), 6)
    0.05
    """
    _check(statistic, n_parameters)
    inside = (fractions > 0).all() and (fractions < 1).all()
    if not len(fractions) or not inside or (np.diff(fractions) <= 0).any():
        raise ValueError("fractions must ascend strictly between 0 and 1")
    pointwise = float(chdtrc(n_parameters, statistic))
    most = min(1.0, len(fractions) * pointwise)
    if len(fractions) == 1 or most < FAR or statistic == 0.0:
        return most
    times = 0.5 * np.log(fractions / (1 - fractions))
    staying = _staying(sqrt(statistic), n_parameters, np.diff(times))
    return float(np.clip(1.0 - staying, pointwise, most))


def grid_p_value(statistic: float, n_parameters: int, fractions: Array) -> float:
    r"""Return the probability of the largest statistic at chosen fractions, few or many.

    `statistic`, `n_parameters`, `fractions`: as for `max_p_value`.
    Result: integrated up to `MOST_STEPS` fractions. Beyond, that of the interval between the first
    and the last with the boundary moved by Siegmund's correction [1]_ for looking at some times
    only: sqrt(c) + .5826 sqrt(2 gap), with the mean gap in the time of the process. The two differ
    by .001 at 61 equidistant fractions.

    References
    ----------
    .. [1] D. Siegmund (1985), "Sequential Analysis: Tests and Confidence Intervals", Springer,
       chapter X.
    """
    if len(fractions) <= MOST_STEPS:
        return max_p_value(statistic, n_parameters, fractions)
    first, last = float(fractions[0]), float(fractions[-1])
    duration = 0.5 * log(last * (1 - first) / (first * (1 - last)))
    moved = _move(statistic, duration / (len(fractions) - 1))
    return sup_p_value(moved, n_parameters, exp(2 * duration))


def _move(statistic: float, gap: float) -> float:
    """Move the boundary outwards by what the process passes it between two looks."""
    return (sqrt(statistic) + OVERSHOOT * sqrt(2 * gap)) ** 2


def _check(statistic: float, n_parameters: int) -> None:
    """Refuse what is no statistic."""
    if not statistic >= 0 or n_parameters < 1:
        raise ValueError(
            f"need a statistic of 0 or more and one parameter or more, got {statistic} "
            f"and {n_parameters}"
        )


def _far_tail(statistic: float, n_parameters: int, span: float) -> float:
    """Return the tail of Estrella (2003), first order in 1 / c."""
    half = n_parameters / 2
    density = half * log(statistic / 2) - statistic / 2 - float(gammaln(half))
    factor = (1 - n_parameters / statistic) * log(span) + 2 / statistic
    return min(1.0, exp(max(density, -745.0)) * factor)


def _expansion(statistic: float, n_parameters: int) -> tuple[Array, Array]:
    r"""Return the rates a and the weights w of the eigenfunctions, slowest first."""
    # With g = exp(y / 2) h the rates minimise :math:`\int y^b h'^2 + (y / 4 - b / 2) y^{b-1} h^2`
    # over :math:`\int y^{b-1} h^2`. Means come from the flux through the boundary, as does the
    # slowest rate, which may lie far below rounding.
    half, end = n_parameters / 2, statistic / 2
    x, rule, values, slopes, at_end = _basis(n_parameters)
    y = end * (1 + x) / 2
    form = (rule * (1 + x) * slopes) @ slopes.T * (2 / end)
    form += (rule * (y / 4 - half / 2) * values) @ values.T
    rates, vectors = eigh(form)
    flux = 2 ** (half + 1) / end * exp(-end / 2) * (at_end @ vectors)
    mean = np.append((rule * np.exp(-y / 2)) @ (vectors[:, 0] @ values), flux[1:] / rates[1:])
    rates[0] = flux[0] / mean[0]
    return rates, mean**2 * exp(half * log(end / 2) - float(gammaln(half)))


@cache
def _basis(n_parameters: int) -> tuple[Array, Array, Array, Array, Array]:
    """Return polynomials that vanish at 1, orthonormal under (1 + x)^(b - 1) on (-1, 1)."""
    # Nodes and weights of the rule, values and slopes of the N polynomials at the nodes, of shape
    # (N, nodes), and minus their slopes at 1.
    beta = n_parameters / 2 - 1
    x, rule = roots_jacobi(N_POLYNOMIALS + 4, 0.0, beta)
    degrees = np.arange(N_POLYNOMIALS)[:, None]
    jacobi = eval_jacobi(degrees, 2.0, beta, x)
    slope = (degrees + beta + 3) / 2 * eval_jacobi(np.maximum(degrees - 1, 0), 3.0, beta + 1, x)
    slope[0] = 0.0
    values, slopes = (1 - x) * jacobi, (1 - x) * slope - jacobi
    size = np.sqrt((rule * values**2).sum(axis=1, keepdims=True))
    at_end = eval_jacobi(degrees[:, 0], 2.0, beta, 1.0) / size[:, 0]
    return x, rule, values / size, slopes / size, at_end


def _staying(radius: float, n_parameters: int, gaps: Array) -> float:
    """Integrate the probability that the length stays below the radius at all times."""
    narrowest = sqrt(-np.expm1(-2 * gaps.min()))
    n_nodes = int(np.clip(NODES_PER_WIDTH * radius / narrowest, 48, MOST_NODES))
    nodes, rule = np.polynomial.legendre.leggauss(n_nodes)
    r, weight = radius * (nodes + 1) / 2, radius * rule / 2
    half = n_parameters / 2
    log_start = (n_parameters - 1) * np.log(r) - r**2 / 2 - (half - 1) * log(2) - gammaln(half)
    mass = weight * np.exp(log_start)
    for gap in gaps:
        mass = weight * (mass @ _transition(r, half - 1, float(gap)))
    return float(mass.sum())


def _transition(r: Array, order: float, gap: float) -> Array:
    """Return the density of the length after a gap of time (columns) given it now (rows)."""
    kept, variance = exp(-gap), -np.expm1(-2 * gap)
    now, then = kept * r[:, None], r[None]
    bell = np.exp(-((then - now) ** 2) / (2 * variance)) / variance
    return np.asarray(then * (then / now) ** order * bell * ive(order, now * then / variance))


TABLE = "hansen_1997.csv"
MOST_PARAMETERS = 40


def log_hansen_p_value(statistic: float, n_parameters: int, span: float) -> float:
    r"""Return the log of the approximate probability that the largest statistic is no smaller.

    `n_parameters`: dimension of the process.
    `span`: :math:`\lambda = ((1 - \pi) / \pi)^2`, at least 1.
    Result: also where the probability itself would underflow. With more parameters than the table
    has (`MOST_PARAMETERS`) by the exact law, where R takes the tail of Estrella (2003).
    Raises ValueError if the statistic is negative or no number, `n_parameters` less than 1 or
    `span` than 1.

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
    text = files("reportgen.stats.distributions").joinpath(TABLE).read_text(encoding="utf-8")
    rows = np.loadtxt(text.splitlines(), delimiter=",", skiprows=1)
    own = rows[rows[:, 0] == n_parameters][::-1]
    single = [0.0, 1.0, n_parameters]
    return np.append(own[:, 1], 0.5), np.vstack([own[:, 2:], single])
