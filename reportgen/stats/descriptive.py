"""Descriptive statistics: location, spread, worst cases, places in blocks, outliers, grids."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array, Interval
from reportgen.stats.ranking import check_blocks


@dataclass(frozen=True, slots=True)
class Description:
    """Location and spread of a sample."""

    n: int
    # mean, sd, median, min, max, lower_quartile, upper_quartile: sd with divisor n - 1, not a
    # number when n = 1; quantiles of type 7
    mean: float
    sd: float
    median: float
    min: float
    max: float
    lower_quartile: float
    upper_quartile: float
    percentile_interval: Interval  # quantiles at alpha / 2 and 1 - alpha / 2
    normal_interval: Interval  # mean -/+ z sd / sqrt(n)


def describe(sample: Array, alpha: float) -> Description:
    """Describe a sample.

    `sample`: (n,); finite values, n >= 1.
    `alpha`: the intervals have level 1 - alpha.
    Raises ValueError if `sample` is empty or holds something that is not finite, or `alpha` does
    not lie inside (0, 1).

    References
    ----------
    .. [1] R. J. Hyndman and Y. Fan (1996), "Sample quantiles in statistical
       packages", American Statistician 50 (type 7).

    Examples
    --------
    >>> found = describe(np.array([1.0, 2.0, 3.0, 4.0, 10.0]), alpha=0.1)
    >>> found.mean, found.median, found.lower_quartile
    (4.0, 3.0, 2.0)
    >>> found.min, found.max, round(found.percentile_interval[1], 10)
    (1.0, 10.0, 8.8)
    """
    (found,) = describe_each([sample], alpha)
    return found


def describe_each(samples: Sequence[Array], alpha: float) -> list[Description]:
    """Describe samples as `describe` does.

    `samples`: each (n,); those of one length are described together.
    """
    table = _table_of(samples)
    for sample in samples if table is None else ():
        _check(sample)
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}")
    z = -float(ndtri(alpha / 2))
    levels = [0.0, alpha / 2, 0.25, 0.5, 0.75, 1 - alpha / 2, 1.0]
    if table is None:
        means = [float(sample.mean()) for sample in samples]
        deviations = [_standard_deviation(sample) for sample in samples]
    else:
        means, deviations = table.mean(axis=1).tolist(), _standard_deviations(table)
    found = zip(samples, means, deviations, quantiles_of(samples, levels), strict=True)
    return [_description(len(x), z, mean, sd, quantiles) for x, mean, sd, quantiles in found]


def worst_each(samples: Sequence[Array], m: int, is_smaller_better: bool) -> list[float]:
    """Return the m-th worst value of each sample, as `worst` does.

    `samples`: each (n,); those of one length are sorted together.
    """
    table = _table_of(samples)
    if table is None or m < 1:
        return [worst(sample, m, is_smaller_better) for sample in samples]
    place = min(m, table.shape[1]) - 1
    found: list[float] = np.sort(table)[:, -1 - place if is_smaller_better else place].tolist()
    return found


def _table_of(samples: Sequence[Array]) -> Array | None:
    """Return samples as rows; None where their lengths differ, or there is something to refuse."""
    if len({sample.shape for sample in samples}) != 1 or samples[0].ndim != 1:
        return None
    table = np.array(samples)
    return table if table.size and np.isfinite(table).all() else None


def _standard_deviations(table: Array) -> list[float]:
    """Return the standard deviation of each row, exactly 0 of a constant one."""
    if table.shape[1] == 1:
        return [float("nan")] * len(table)
    is_constant = (table == table[:, :1]).all(axis=1)
    found: list[float] = np.where(is_constant, 0.0, table.std(axis=1, ddof=1)).tolist()
    return found


def quantiles_of(samples: Sequence[Array], levels: Sequence[float]) -> list[list[float]]:
    """Return the quantiles of type 7 of samples, a list each.

    `samples`: each (n,); those of one length are sorted together, which is quicker.
    """
    if len({len(sample) for sample in samples}) == 1:
        found: list[list[float]] = np.quantile(np.column_stack(samples), levels, axis=0).T.tolist()
        return found
    return [np.quantile(sample, levels).tolist() for sample in samples]


def _description(
    n: int, z: float, mean: float, sd: float, quantiles: Sequence[float]
) -> Description:
    """Describe a sample whose moments and quantiles are known."""
    half = z * sd / sqrt(n)
    least, low, lower_quartile, median, upper_quartile, high, most = quantiles
    return Description(
        n=n,
        mean=mean,
        sd=sd,
        median=median,
        min=least,
        max=most,
        lower_quartile=lower_quartile,
        upper_quartile=upper_quartile,
        percentile_interval=(low, high),
        normal_interval=(mean - half, mean + half),
    )


def worst(sample: Array, m: int = 1, is_smaller_better: bool = True) -> float:
    """Return the m-th worst value, or the best one when there are fewer than m.

    `sample`: (n,); finite values, n >= 1.
    Raises ValueError if `sample` is empty or holds something that is not finite, or m < 1.

    Examples
    --------
    >>> worst(np.array([3.0, 1.0, 2.0]), m=2)
    2.0
    >>> worst(np.array([3.0, 1.0, 2.0]), is_smaller_better=False)
    1.0
    """
    _check(sample)
    if m < 1:
        raise ValueError(f"m must be at least 1, got {m}")
    ascending = np.sort(sample)
    place = min(m, len(sample)) - 1
    return float(ascending[::-1][place] if is_smaller_better else ascending[place])


def worst_quantile(sample: Array, level: float, is_smaller_better: bool = True) -> float:
    """Return the value that a share `level` of the sample is at least as good as.

    `sample`: (n,); finite values, n >= 1.
    `level`: between 0 and 1.
    Result: the type 7 quantile at `level`, or at 1 - `level` where larger is better.
    Raises ValueError if `sample` is empty or holds something that is not finite, or `level` does
    not lie in [0, 1].

    Examples
    --------
    >>> worst_quantile(np.array([0.0, 1.0, 2.0]), 0.75)
    1.5
    """
    _check(sample)
    return float(np.quantile(sample, level if is_smaller_better else 1 - level))


def worst_share(n: int, alpha: float) -> int:
    """Return ceil(alpha n), the m of an m-th worst value, at least 1.

    Examples
    --------
    >>> worst_share(250, 0.05), worst_share(100, 0.07)
    (13, 7)
    """
    return max(1, ceil(alpha * n - 1e-9))


def tied_runs(values: Array, epsilon: float) -> list[list[int]]:
    """Put values in ascending order and join neighbours within epsilon.

    `values`: (K,).
    `epsilon`: not negative. Joining is by neighbours: the ends of a run may lie farther apart.
    Result: positions in `values`, the runs ascending; equal values keep their order.

    Examples
    --------
    >>> tied_runs(np.array([0.3, 0.1, 0.32, 0.1]), 0.05)
    [[1, 3], [0, 2]]
    """
    order = np.argsort(values, kind="stable")
    gaps = np.diff(values[order]) > epsilon
    return [run.tolist() for run in np.split(order, np.flatnonzero(gaps) + 1) if len(run)]


def _standard_deviation(sample: Array) -> float:
    """Return the standard deviation, exactly 0 for a constant sample."""
    if len(sample) == 1:
        return float("nan")
    return 0.0 if (sample == sample[0]).all() else float(sample.std(ddof=1))


def _check(sample: Array) -> None:
    """Check a sample."""
    if sample.ndim != 1 or not len(sample):
        raise ValueError(f"a sample must have shape (n,) with n >= 1, got {sample.shape}")
    if not np.isfinite(sample).all():
        raise ValueError("a sample must hold finite values only")


Places = NDArray[np.int64]


def tie_breakers(replications: NDArray[np.int64], candidates: Sequence[int]) -> NDArray[np.uint32]:
    """Return the numbers by which tied candidates take their places: the least comes first.

    They depend on replication and candidate only, so that plots of the same replications agree,
    whatever else they show.

    `replications`: (B,); their own numbers.
    `candidates`: sequence of K int; the candidates' places in the study's order, from 0.
    Result: (B, K); as if drawn at random: the finaliser of MurmurHash3.
    """
    columns = np.asarray(candidates, dtype=np.uint64) * np.uint64(0x85EBCA6B)
    mixed = np.asarray(replications).astype(np.uint64)[:, None] * np.uint64(0x9E3779B1) + columns
    mixed &= np.uint64(0xFFFFFFFF)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        mixed ^= mixed >> np.uint64(shift)
        mixed = (mixed * np.uint64(factor)) & np.uint64(0xFFFFFFFF)
    return mixed.astype(np.uint32)


def places(values: Array, breakers: NDArray[np.uint32], is_smaller_better: bool = True) -> Places:
    """Give each candidate its place in every block.

    `values`: (B, K); complete blocks.
    `breakers`: (B, K); among equal values the least comes first: `tie_breakers`.
    Result: (B, K); 1 to K in every row, 1 for the best.
    Raises ValueError if `values` is not a complete matrix.

    References
    ----------
    .. [1] M. J. A. Eugster (2011), Benchmark Experiments, dissertation, LMU
       Munich, section 2.2.

    Examples
    --------
    >>> values = np.array([[0.3, 0.1, 0.2], [0.5, 0.5, 0.1]])
    >>> places(values, tie_breakers(np.array([1, 2]), range(3)))[:, 2]
    array([2, 1])
    """
    checked = check_blocks(values)
    signed = checked if is_smaller_better else -checked
    order = np.lexsort((breakers, signed), axis=1)
    block_places = np.empty(signed.shape, dtype=np.int64)
    ascending = np.broadcast_to(np.arange(1, signed.shape[1] + 1), signed.shape)
    np.put_along_axis(block_places, order, ascending, axis=1)
    return block_places


def shared_places(values: Array, is_smaller_better: bool = True) -> Places:
    """Give each candidate its place in every block; equal values share the better place.

    `values`: (B, K); complete blocks.
    Result: (B, K); one more than the number of candidates that are better.

    Examples
    --------
    >>> shared_places(np.array([[0.3, 0.1, 0.2], [0.5, 0.5, 0.7]]))
    array([[3, 1, 2],
           [1, 1, 3]])
    """
    signed = values if is_smaller_better else -values
    ordered = np.sort(signed, axis=1)
    rows = [np.searchsorted(*own) + 1 for own in zip(ordered, signed, strict=True)]
    return np.array(rows, dtype=np.int64).reshape(values.shape)


def place_counts(block_places: Places) -> Places:
    """Count how often each candidate takes each place.

    `block_places`: (B, K).
    Result: (K, K); row p - 1 is place p, a column is a candidate; columns sum to B, rows too
    without ties.

    Examples
    --------
    >>> place_counts(np.array([[1, 2], [1, 2], [2, 1]]))
    array([[2, 1],
           [1, 2]])
    """
    every = np.arange(1, block_places.shape[1] + 1)
    return np.stack([(block_places == place).sum(axis=0) for place in every])


def has_tie(values: Array) -> NDArray[np.bool_]:
    """Whether two candidates of a block have the same value.

    `values`: (B, K).
    Result: (B,).

    Examples
    --------
    >>> has_tie(np.array([[0.3, 0.1, 0.3], [0.5, 0.4, 0.1]]))
    array([ True, False])
    """
    gaps = np.diff(np.sort(values, axis=1), axis=1)
    return np.asarray((gaps == 0).any(axis=1), dtype=np.bool_)


FACTOR = 1000.0  # so many times as large as all values of the other units
MOST = 0.1  # of the units; with more, they are no exception


def gross_outliers(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the units whose largest value dwarfs all values of the others.

    `values`: (n, K); one row a unit, NaN where there is no value.
    Result: few rows whose largest absolute values are more than `FACTOR` times as large as all of
    the others'; empty as a rule. The rule is descriptive. It looks for a gap between the units, so
    that long tails do not meet it, and candidates of different sizes do not.

    Examples
    --------
    >>> values = np.random.default_rng(1).lognormal(sigma=2, size=(20, 3))
    >>> gross_outliers(values).tolist()
    []
    >>> values[7, 1] = -1e20
    >>> gross_outliers(values).tolist()
    [7]
    """
    sizes = np.abs(values)
    sizes = np.where(np.isfinite(sizes), sizes, 0.0).max(axis=1, initial=0.0)
    order = np.argsort(-sizes, kind="stable")
    descending = sizes[order]
    n_most = max(1, int(MOST * (descending > 0).sum()))
    for n in range(n_most, 0, -1):
        if n < len(order) and 0 < descending[n] < descending[n - 1] / FACTOR:
            return np.sort(order[:n])
    return np.empty(0, dtype=np.intp)


MOST_STEPS = 400  # from the least value to the largest, beyond which values count as continuous
PARTS = (1, 2, 3, 4)  # of the least difference that may be the step
ROUGH = 0.15  # of a step: how far a difference may be from a multiple of it, as by rounding


def value_step(values: NDArray[np.float64]) -> float:
    """Return the largest step of which all differences are multiples; 0 where there is none.

    Examples
    --------
    >>> value_step(np.array([0.0, 0.0049, 0.0147, 0.0098]))
    0.0049
    >>> value_step(np.array([0.2, 0.4, 0.7])).__round__(9), value_step(np.array([1.0, 2.0, 2.718]))
    (0.1, 0.0)
    """
    different = np.unique(values)
    whole = float(np.ptp(different)) if len(different) else 0.0
    if whole == 0.0 or not np.isfinite(whole):
        return 0.0
    apart = np.diff(different)
    apart = apart[apart > 1e-9 * whole]
    for part in PARTS:
        step = float(apart.min()) / part
        multiples = np.round(apart / step)
        if whole / step > MOST_STEPS:
            return 0.0
        if np.abs(apart / step - multiples).max() <= ROUGH:
            return whole / float(multiples.sum())
    return 0.0
