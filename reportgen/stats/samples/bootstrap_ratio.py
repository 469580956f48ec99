r"""Ratios of means or medians of all pairs of independent samples, by the bootstrap.

Execution times are reported as ratios of means: Kalibera and Jones ask for an interval of that
ratio, by Fieller's method or by the bootstrap. Here each sample is drawn anew from itself, and the
ratios are held together by the law of the largest deviation of all pairs: with logarithms
:math:`\theta_{ij} = \log(\hat\mu_i / \hat\mu_j)` and draws :math:`\theta^*`,

.. math:: \max_{i<j} |\theta^*_{ij} - \theta_{ij}| / se^*_{ij}.

For means the standard error is computed of each draw, :math:`se_i = s_i / (\bar x_i \sqrt{n_i})`
(bootstrap t, symmetric, whose coverage errs by order :math:`n^{-2}` [2]_).
Medians have no such formula: theirs is the deviation of all draws.

Unlike `compare_samples` on the ratio scale these are ratios of arithmetic means, which is what
total time is proportional to, or of medians, which outliers do not move.

References
----------
.. [1] T. Kalibera and R. Jones (2013), "Rigorous benchmarking in reasonable time", ISMM, section 7.
.. [2] P. Hall (1988), "On symmetric bootstrap confidence intervals", Journal of the Royal
   Statistical Society B 50.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator

from reportgen.performance_measure import Better
from reportgen.stats.arguments import (
    SEED,
    Names,
    area_of,
    check_choice,
    check_level,
    check_positive,
    generator_of,
    is_smaller_better,
)
from reportgen.stats.arrays import Area, Array
from reportgen.stats.multiplicity.adjustment import bonferroni
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.effects import check_pairs
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS, ROUNDING
from reportgen.stats.samples.comparison import (
    Samples,
    sample_columns,
    separation_chance,
)
from reportgen.stats.samples.moments import SampleMoments

Center = Literal["mean", "median"]

N_DRAWS = 9_999
FEWEST_DRAWS = 999
MOST_NUMBERS = 100_000_000  # drawn in all: of large samples and many pairs there are fewer
PER_PAIR = 20  # numbers that a pair takes as much memory as
CHUNK = 2_000_000  # numbers in memory at a time


def bootstrap_ratios(
    values: Array, alpha: float, rng: Generator, *, center: Center = "mean", n_draws: int = N_DRAWS
) -> PairTable:
    """Compare all pairs of independent samples by the ratio of their means or medians.

    `values`: (n, K); one column a sample, all values positive, NaN below those of the shorter ones;
    K >= 2.
    `alpha`: error probability of the family, 0 < alpha < 1.
    `rng`: draws the samples anew.
    `n_draws`: int, default 9,999; with large samples there are fewer.
    Result: method "bootstrap-ratio", scale "ratio", with simultaneous intervals. A pair one of
    whose samples has fewer than `FEWEST_UNITS` values is open and outside the family. Two samples
    without spread are treated as by `compare_samples`; two medians that no draw has moved have no
    interval. `extra` has `n`, `n_first`, `n_second` and `is_constant`.
    Raises ValueError if `values` is not such a matrix, a value is not positive, or alpha is not
    inside (0, 1).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> seconds = rng.lognormal(sigma=0.1, size=(30, 2)) * [1.0, 2.0]
    >>> found = bootstrap_ratios(seconds, 0.05, rng)
    >>> found.estimate.round(3), found.lower.round(3), found.upper.round(3)
    (array([0.508]), array([0.486]), array([0.532]))
    """
    check_pairs(values, alpha)
    if not (values[np.isfinite(values)] > 0).all():
        raise ValueError("ratios need values above 0")
    pairs = all_pairs(values.shape[1])
    samples = [np.sort(column[~np.isnan(column)]) for column in values.T]
    sizes = np.array([len(sample) for sample in samples])
    n_first, n_second = sizes[pairs].T
    n = np.minimum(n_first, n_second)
    is_family = n >= FEWEST_UNITS
    n_numbers = max(int(sizes.sum()), PER_PAIR * len(pairs))
    n_draws = min(n_draws, max(FEWEST_DRAWS, MOST_NUMBERS // n_numbers))
    centers = [_draw(sample, center, n_draws, rng) for sample in samples]
    logs, errors = (np.column_stack(parts) for parts in zip(*centers, strict=True))
    estimate = logs[0, pairs[:, 0]] - logs[0, pairs[:, 1]]
    drawn = logs[1:, pairs[:, 0]] - logs[1:, pairs[:, 1]] - estimate
    drawn_error = np.hypot(errors[:, pairs[:, 0]], errors[:, pairs[:, 1]])
    error = drawn_error[0]
    is_constant = SampleMoments.of(values).is_constant[pairs].all(axis=1)
    varies = (n >= 2) & ~is_constant & (error > 0)
    estimate = np.where(is_constant & (np.abs(estimate) <= ROUNDING), 0.0, estimate)

    m = max(1, int(is_family.sum()))
    used = varies & is_family
    deviations = _deviations(drawn[:, varies], drawn_error[1:, varies])
    own = np.sort(deviations, axis=0)
    largest = np.sort(deviations[:, used[varies]].max(axis=1, initial=0.0))
    t = np.where(varies, estimate / np.where(varies, error, 1.0), np.nan)
    chance = np.where(is_constant & (estimate != 0), separation_chance(n_first, n_second), np.nan)
    p_value, adjusted = chance.copy(), bonferroni(chance, m)
    p_value[varies] = [_share(column, s) for column, s in zip(own.T, t[varies], strict=True)]
    adjusted[used] = [_share(largest, s) for s in t[used]]
    rank = int(np.floor(alpha * (n_draws + 1) + ROUNDING))  # so many may exceed
    critical = np.full(len(pairs), largest[n_draws - rank] if rank else np.inf)
    is_point = is_family & (m * np.nan_to_num(chance, nan=np.inf) <= alpha)
    width = np.where(varies, critical * error, np.where(is_point, 0.0, np.nan))
    with np.errstate(over="ignore"):  # a ratio beyond floating point is infinite
        ratio, lower, upper = (np.exp(x) for x in (estimate, estimate - width, estimate + width))
    return PairTable.of(
        pairs,
        ratio,
        "bootstrap-ratio",
        alpha,
        standard_error=np.where(n >= 2, error, np.nan),
        lower=lower,
        upper=upper,
        statistic=t,
        p_value=p_value,
        adjusted_p_value=np.where(is_family, adjusted, np.nan),
        critical_value=np.where(varies, critical, np.nan),
        is_open=~is_family,
        scale="ratio",
        extra={"n": n, "n_first": n_first, "n_second": n_second, "is_constant": is_constant},
    )


def _draw(sample: Array, center: Center, n_draws: int, rng: Generator) -> tuple[Array, Array]:
    """Return the logarithm of the center and its standard error: of the sample, then of draws."""
    n = len(sample)
    logs, errors = np.full(n_draws + 1, np.nan), np.full(n_draws + 1, np.nan)
    if n == 0:
        return logs, errors
    logs[0], errors[0] = (float(x[0]) for x in _center(sample[None], center))
    step = max(1, CHUNK // n)
    for begin in range(1, n_draws + 1, step):
        places = rng.integers(n, size=(min(step, n_draws + 1 - begin), n))
        rows = slice(begin, begin + len(places))
        logs[rows], errors[rows] = _center(sample[places], center)
    if center == "median":
        errors[:] = logs[1:].std() if np.ptp(logs[1:]) > ROUNDING else 0.0
    return logs, errors


def _center(rows: Array, center: Center) -> tuple[Array, Array]:
    """Return logarithms of the rows' centers and, of means, their standard errors."""
    if center == "median":
        return np.log(np.median(rows, axis=1)), np.full(len(rows), np.nan)
    n, means = rows.shape[1], rows.mean(axis=1)
    deviation = np.sqrt(((rows - means[:, None]) ** 2).sum(axis=1) / max(n - 1, 1))
    return np.log(means), deviation / (means * np.sqrt(n))


def _deviations(drawn: Array, errors: Array) -> Array:
    """Return sizes of deviations in standard errors; infinite where a draw has none."""
    unclear = np.where(drawn == 0, 0.0, np.inf)
    return np.abs(np.divide(drawn, errors, out=unclear, where=errors > 0))


def _share(ascending: Array, statistic: float) -> float:
    """Return the share of draws, the sample itself among them, that are at least as far."""
    beyond = len(ascending) - int(np.searchsorted(ascending, abs(statistic), side="left"))
    return (beyond + 1) / (len(ascending) + 1)


def bootstrap_ratio(
    samples: Samples,
    names: Names = None,
    *,
    better: Better = "smaller",
    alpha: float = 0.05,
    relevance: Area | float | None = None,
    center: Center = "mean",
    rng: Generator | int = SEED,
) -> PairTable:
    """Compare all pairs of independent samples by the ratio of their means or medians.

    Parameters
    ----------
    samples, names, better
        As of `compare_samples`; all values above 0.
    alpha : float, default 0.05
        Family-wise error probability; the intervals hold simultaneously with
        probability 1 - alpha.
    relevance : tuple of two floats, or float, optional
        (1/r, r), or r.
    center : {"mean", "median"}
        Of which the ratio is taken.
    rng : Generator or int
        Random numbers, or the seed of theirs, for 9,999 draws.

    Returns
    -------
    PairTable
        Of scale "ratio". A pair with fewer than 6 values of one of the two is undecided. `extra`
        has `n`, `n_first`, `n_second`, `is_constant`, and with `relevance` the limits `tost_lower`
        and `tost_upper`.

    Raises
    ------
    ValueError
        As of `compare_samples`.

    References
    ----------
    .. [1] T. Kalibera and R. Jones (2013), "Rigorous benchmarking in reasonable time", ISMM,
       section 7.
    .. [2] P. Hall (1988), "On symmetric bootstrap confidence intervals", Journal of the Royal
       Statistical Society B 50.

    Examples
    --------
    >>> from reportgen import stats
    >>> rng = np.random.default_rng(1)
    >>> old, new = rng.lognormal(0.0, 0.1, size=30), rng.lognormal(-0.2, 0.1, size=20)
    >>> seconds = {"old": old, "new": new}
    >>> stats.bootstrap_ratio(seconds, relevance=1.1)
    PairTable: bootstrap-ratio, 1 pair, alpha = 0.05
    first  second  estimate  lower  upper  p_value  adjusted_p_value  decision
    old    new        1.211  1.145   1.28   0.0001            0.0001  worse-relevant
    """
    smaller = is_smaller_better(better)
    check_level(alpha)
    check_choice("center", center, get_args(Center))
    area = area_of(relevance, "ratio")
    matrix, candidates = sample_columns(samples, names)
    check_positive(matrix, "ratio", "samples")
    draws = generator_of(rng)
    again = deepcopy(draws)
    table = bootstrap_ratios(matrix, alpha, draws, center=center)
    if area is not None and 2 * alpha < 1:
        lenient = bootstrap_ratios(matrix, 2 * alpha, again, center=center)
        table = table.with_columns(tost_lower=lenient.lower, tost_upper=lenient.upper)
    return table.named(candidates, "", smaller).decided(area)
