"""The corrected resampled t of Nadeau and Bengio, and the Bayesian test of Corani and Benavoli.

Both generalise from one data set to new ones of the same source. `shared_data` returns the ratio
of test to learning observations, by which both enlarge the variance of a mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor, sqrt
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.distributions.tails import t_quantile, two_sided_t
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.effects import check_pairs, paired_differences

Array = NDArray[np.float64]


def corrected_pairs(values: Array, ratio: float, alpha: float = 0.05) -> PairTable:
    r"""Compare all pairs of candidates for new data sets of the same source.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        One row a replication, NaN where there is no value; a pair uses the
        replications in which both have one.
    ratio : float
        See `reportgen.stats.pairs.corrected_t`; 0 for independent replications.
    alpha : float, default 0.05
        Error probability, 0 < alpha < 1.

    Returns
    -------
    PairTable
        Method "corrected-t", adjusted by Bonferroni, also the intervals. A pair
        with fewer than two replications in common is open. Without variation
        (beyond rounding) the statistic is infinite, or 0 where the mean
        difference is 0 as well. `extra` has

        n : replications that have both
        deviation : standard deviation s of the differences over replications
        limit_standard_error : :math:`\sqrt r\, s`, what is left of the standard
            error however many replications there are

    Raises
    ------
    ValueError
        If `values` is no matrix of at least two columns, the ratio is negative
        or not finite, or alpha is not inside (0, 1).

    Notes
    -----
    .. math:: t = \frac{\bar d}{\sqrt{(1/B + r)\, s_d^2}}

    on B - 1 degrees of freedom [1]_. The target is the difference expected over
    data sets from the same generating process, not the resampling expectation
    on this one; the test is an approximation, not exact. With the number of
    distinct learning observations in r it keeps its size under the bootstrap.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003), "Inference for the generalization
       error", Machine Learning 52, section 4.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0], [1.0, 4.0], [1.0, 3.0], [1.0, 3.0]])
    >>> pairs = corrected_pairs(values, ratio=0.5)
    >>> pairs.estimate, pairs.standard_error.round(4), round(pairs[0].limit_standard_error, 4)
    (array([-2.]), array([0.7071]), 0.5774)
    >>> pairs.p_value.round(4), pairs.lower.round(3), pairs.upper.round(3)
    (array([0.0663]), array([-4.25]), array([0.25]))
    """
    check_pairs(values, alpha)
    if not 0 <= ratio < np.inf:
        raise ValueError(f"the ratio must be a number that is not negative, got {ratio}")
    pairs = all_pairs(values.shape[1])
    differences = [paired_differences(values[:, i], values[:, j]) for i, j in pairs]
    n = np.array([pair.n_blocks for pair in differences], dtype=np.intp)
    means = np.array([pair.mean for pair in differences])
    deviations = np.array([pair.deviation for pair in differences])
    is_tested = n >= 2
    m = max(1, int(is_tested.sum()))
    df = np.where(is_tested, n - 1.0, np.nan)
    errors = np.sqrt(1 / np.maximum(n, 1) + ratio) * deviations
    statistics = _statistics(means, errors)
    p_values = two_sided_t(statistics, df)
    critical = t_quantile(alpha / (2 * m), df)
    return PairTable.of(
        pairs,
        means,
        "corrected-t",
        alpha,
        standard_error=errors,
        lower=means - critical * errors,
        upper=means + critical * errors,
        statistic=statistics,
        df=df,
        p_value=p_values,
        adjusted_p_value=np.minimum(1.0, m * p_values),
        critical_value=critical,
        is_open=~is_tested,
        extra={
            "n": n,
            "deviation": deviations,
            "limit_standard_error": sqrt(ratio) * deviations,
        },
    )


def _statistics(means: Array, errors: Array) -> Array:
    """Standardise; a mean without error is infinitely far from 0, unless it is 0."""
    unclear = np.where(means == 0, 0.0, np.copysign(np.inf, means))
    return np.divide(means, errors, out=unclear, where=~(errors == 0))


@dataclass(frozen=True, slots=True)
class DifferencePosterior:
    """Posterior of the mean differences, first - second, one pair an entry.

    Attributes
    ----------
    rho : float
        Correlation of two replications that was assumed.
    area : tuple of two floats
        The region of practical equivalence (ROPE).
    location, scale, df : ndarray of shape (P,)
        The posterior is a Student t with them.
    left, rope, right : ndarray of shape (P,)
        Posterior probabilities that the difference lies below the area, in it
        and above it; their sum is 1.
    lower, upper : ndarray of shape (P,)
        Central credible interval, level 1 - alpha.
    """

    rho: float
    area: tuple[float, float]
    location: Array
    scale: Array
    df: Array
    left: Array
    rope: Array
    right: Array
    lower: Array
    upper: Array


def correlated_t(
    pairs: PairTable, ratio: float, area: tuple[float, float] = (0.0, 0.0)
) -> DifferencePosterior:
    r"""Return the posterior of every pair's mean difference.

    Parameters
    ----------
    pairs : PairTable
        What `corrected_pairs` returned.
    ratio : float
        The ratio r that it had.
    area : tuple of two floats, default (0, 0)
        Differences that mean nothing in practice, d1 <= 0 <= d2.

    Returns
    -------
    DifferencePosterior
        NaN where the pair has fewer than two replications. Without variation
        the posterior is a point.

    Raises
    ------
    ValueError
        If the area does not contain 0.

    Notes
    -----
    The B differences are taken as jointly normal with one mean, one variance
    and one correlation :math:`\rho = r / (1 + r)`, which is given. Under the
    prior :math:`1/\sigma^2` the posterior of the mean is a Student t on B - 1
    degrees of freedom with location :math:`\bar d` and squared scale
    :math:`(1/B + \rho/(1-\rho))\, s_d^2 = (1/B + r)\, s_d^2` [1]_: the credible
    interval is the confidence interval of the corrected t.

    References
    ----------
    .. [1] G. Corani and A. Benavoli (2015), "A Bayesian approach for comparing
       cross-validated algorithms on multiple data sets", Machine Learning 100,
       section 3.

    Examples
    --------
    >>> from reportgen.stats.pairs.corrected_t import corrected_pairs
    >>> values = np.array([[1.0, 2.0], [1.0, 4.0], [1.0, 3.0], [1.0, 3.0]])
    >>> posterior = correlated_t(corrected_pairs(values, 0.5), 0.5, area=(-1.0, 1.0))
    >>> posterior.left.round(4), posterior.rope.round(4), posterior.right.round(4)
    (array([0.8739]), array([0.1141]), array([0.012]))
    """
    if not (area[0] <= 0 <= area[1]):
        raise ValueError(f"the area must contain 0, got {area}")
    reach = t_quantile(pairs.alpha / 2, pairs.df) * pairs.standard_error
    below, above = _cdf(pairs, area[0]), _cdf(pairs, area[1], is_upper=True)
    return DifferencePosterior(
        rho=ratio / (1 + ratio),
        area=area,
        location=pairs.estimate,
        scale=pairs.standard_error,
        df=pairs.df,
        left=below,
        rope=np.maximum(0.0, 1 - below - above),
        right=above,
        lower=pairs.estimate - reach,
        upper=pairs.estimate + reach,
    )


def _cdf(pairs: PairTable, bound: float, is_upper: bool = False) -> Array:
    """Return the posterior probability below a bound, or above it.

    A posterior that is a point on the bound lies inside the area.
    """
    from scipy.special import stdtr

    sign = -1.0 if is_upper else 1.0
    distance = sign * (bound - pairs.estimate)
    infinite = np.where(distance > 0, np.inf, -np.inf)
    infinite[np.isnan(pairs.standard_error)] = np.nan
    has_scale = ~(pairs.standard_error == 0)
    standardised = np.divide(distance, pairs.standard_error, out=infinite, where=has_scale)
    return np.asarray(stdtr(pairs.df, standardised))


Problem = Literal["simulation", "competition", "real-world"]
Scheme = Literal["bootstrap", "subsampling", "k-fold", "repeated-k-fold", "hold-out"]
Assessment = Literal["out-of-bag", "cross-validation", "merged", "fresh", "fixed"]
Source = Literal["sizes", "expected-sizes", "folds", "independent"]
Reason = Literal[
    "fixed-test-sample",
    "cross-validated-bootstrap",
    "merged-samples",
    "hold-out",
    "scheme-unknown",
    "folds-unknown",
    "sizes-unknown",
]

FOLDS: tuple[Scheme, ...] = ("k-fold", "repeated-k-fold")
NO_RATIO: Mapping[Assessment, Reason] = MappingProxyType(
    {
        "fixed": "fixed-test-sample",
        "cross-validation": "cross-validated-bootstrap",
        "merged": "merged-samples",
    }
)
SLACK = 1e-9  # of fraction times n, whose rounding must not lose an observation


@dataclass(frozen=True, slots=True)
class SharedData:
    """The ratio by which Nadeau and Bengio enlarge the variance of a mean, or why there is none.

    Attributes
    ----------
    ratio : float or None
        Mean over the replications of the number of test observations over the
        number of distinct learning observations; 0 where replications are
        independent.
    source : str or None
        "sizes": counted in every replication; "expected-sizes": from the number
        of observations and the scheme; "folds": 1 / (k - 1); "independent":
        every replication has fresh samples.
    reason : str or None
        Why the correction does not apply or is not known: "fixed-test-sample"
        (competition), "cross-validated-bootstrap", "merged-samples" (out-of-bag
        on learning and test sample together), "hold-out" (one split),
        "scheme-unknown", "folds-unknown", "sizes-unknown".
    """

    ratio: float | None
    source: Source | None = None
    reason: Reason | None = None

    @property
    def correlation(self) -> float | None:
        """Correlation of two replications by the ratio, r / (1 + r)."""
        return None if self.ratio is None else self.ratio / (1 + self.ratio)


def shared_data(
    problem: Problem | None,
    scheme: Scheme | None,
    *,
    assessment: Assessment | None = None,
    n_distinct: Array | None = None,
    n_test: Array | None = None,
    n_observations: int | None = None,
    fraction: float | None = None,
    n_folds: int | None = None,
) -> SharedData:
    r"""Return what Nadeau and Bengio's correction needs to know of a resampling scheme.

    Parameters
    ----------
    problem : {"simulation", "competition", "real-world"} or None
        None when it is unknown.
    scheme : {"bootstrap", "subsampling", "k-fold", "repeated-k-fold", "hold-out"} or None
        How learning samples are drawn; of no importance for simulations.
    assessment : {"out-of-bag", "cross-validation", "merged", "fresh", "fixed"}, optional
        What replications are tested on. When left out: a fresh sample in
        simulations, the fixed test sample in competitions, else what was not
        drawn. "cross-validation": folds inside a bootstrap sample; "merged":
        out-of-bag on learning and test sample merged into one.
    n_distinct, n_test : ndarray of shape (B,), optional
        Distinct learning observations and test observations of each
        replication, or groups where groups are resampled; NaN where unknown.
    n_observations : int, optional
        Size N of the data set, for expected sizes where the others are unknown.
    fraction : float, optional
        Of subsampling; 2/3 when left out.
    n_folds : int, optional
        Number k of folds; every value is that of one fold.

    Returns
    -------
    SharedData

    Raises
    ------
    ValueError
        If a replication has no learning observation, N < 2, the fraction does
        not lie inside (0, 1) or k < 2.

    Notes
    -----
    A bootstrap sample teaches by its distinct observations,
    :math:`N (1 - (1 - 1/N)^N)` on average: the ratio is about .368 / .632 =
    .582, not .368. Subsampling of a fraction f: (1 - f) / f.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003), "Inference for the generalization
       error", Machine Learning 52.
    .. [2] R. R. Bouckaert and E. Frank (2004), "Evaluating the replicability of
       significance tests for comparing learning algorithms", PAKDD.

    Examples
    --------
    >>> shared_data("real-world", "bootstrap", n_observations=2).ratio  # .5 / 1.5
    0.333...
    >>> shared_data("real-world", "repeated-k-fold", n_folds=10)
    SharedData(ratio=0.111..., source='folds', reason=None)
    >>> shared_data("competition", "bootstrap").reason
    'fixed-test-sample'
    """
    tested_on = assessment or _usual_assessment(problem)
    if tested_on in NO_RATIO:
        return SharedData(None, reason=NO_RATIO[tested_on])
    if tested_on == "fresh":
        return SharedData(0.0, "independent")
    if scheme == "hold-out":
        return SharedData(None, reason="hold-out")
    if scheme in FOLDS and n_folds is not None:
        return SharedData(1 / (_at_least_two("folds", n_folds) - 1), "folds")
    if scheme is None and problem is None:
        return SharedData(None, reason="scheme-unknown")
    counted = _count(n_distinct, n_test)
    if counted is not None:
        return SharedData(counted, "sizes")
    return _expected_overlap(scheme, n_observations, fraction)


def _usual_assessment(problem: Problem | None) -> Assessment:
    """Return what a problem tests on by default."""
    if problem == "simulation":
        return "fresh"
    return "fixed" if problem == "competition" else "out-of-bag"


def _count(n_distinct: Array | None, n_test: Array | None) -> float | None:
    """Return the mean ratio of the replications whose sizes are known."""
    if n_distinct is None or n_test is None:
        return None
    is_known = np.isfinite(n_distinct) & np.isfinite(n_test)
    if not is_known.any():
        return None
    if (n_distinct[is_known] <= 0).any():
        raise ValueError("a replication has no learning observation")
    return float((n_test[is_known] / n_distinct[is_known]).mean())


def _expected_overlap(scheme: Scheme | None, n: int | None, fraction: float | None) -> SharedData:
    """Return the ratio of the sizes that a scheme gives on average."""
    if scheme is None:
        return SharedData(None, reason="scheme-unknown")
    if scheme in FOLDS:
        return SharedData(None, reason="folds-unknown")
    if n is None:
        return SharedData(None, reason="sizes-unknown")
    distinct = _expected_distinct(scheme, _at_least_two("observations", n), fraction)
    return SharedData((n - distinct) / distinct, "expected-sizes")


def _expected_distinct(scheme: Scheme, n: int, fraction: float | None) -> float:
    """Return the expected number of distinct learning observations."""
    if scheme == "bootstrap":
        return n * (1 - (1 - 1 / n) ** n)
    share = 2 / 3 if fraction is None else fraction
    if not 0 < share < 1 or floor(share * n + SLACK) < 1:
        raise ValueError(f"a fraction inside (0, 1) that draws an observation, got {share} of {n}")
    return float(floor(share * n + SLACK))


def _at_least_two(what: str, number: int) -> int:
    """Return the number; raise an error where it is too small."""
    if number < 2:
        raise ValueError(f"at least two {what}, got {number}")
    return number
