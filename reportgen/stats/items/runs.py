r"""Repeated runs: the verdict on these very items, and the two parts of a variance.

A model that answers an item several times has a score that varies from run to run. For these items,
as they are, only that noise makes a difference of means uncertain: with :math:`s_{ia}^2` the
variance of the :math:`r_{ia}` runs of model a on item i,

.. math:: \operatorname{var}(\bar d) = \frac{1}{n^2} \sum_i
          \left( \frac{s_{ia}^2}{r_{ia}} + \frac{s_{ib}^2}{r_{ib}} \right),

with Satterthwaite's degrees of freedom. Each variance is unbiased, so that their sum is right on
average although the runs of many items all agree: an item that is right nine times in ten shows no
variance in most triples of runs, and in the others more than it has. What cannot be told is whether
models whose runs never differ have no noise or have not shown it yet: with fewer than
`FEWEST_NONZERO` runs that differ there is no interval.

Runs of different models are taken for independent.

References
----------
.. [1] F. E. Satterthwaite (1946), "An approximate distribution of estimates of variance
   components", Biometrics Bulletin 2.
.. [2] E. Miller (2024), "Adding error bars to evals: a statistical approach to language model
   evaluations", arXiv:2411.00640, section 3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.items.clusters import Codes
from reportgen.stats.items.comparison import t_table
from reportgen.stats.items.tasks import task_means
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.effects import check_pairs

ROUNDING = 1e-12  # runs whose scores differ by less, relative to them, agree
SLACK = 1e-9  # of a whole number of runs
FEWEST_NONZERO = 10  # runs that differ, of a pair that is decided on


@dataclass(frozen=True, slots=True)
class RunNoise:
    """Noise of the models in the mean differences of P pairs."""

    estimate: Array  # (P,); mean difference of item means; NaN without a common item
    # (P,); of the mean difference over repeated runs of the same items; NaN where one of the two
    # has repeated runs of fewer than half of the common items
    variance: Array
    df: Array  # (P,); satterthwaite's; NaN without variance
    n: NDArray[np.intp]  # (P,); items that both have answered
    # (P,); runs of the two whose score is not the most frequent one of their model and item
    n_nonzero: NDArray[np.intp]
    n_runs: Array  # (P,); mean number of runs, over both models and the common items

    @property
    def standard_error(self) -> Array:
        """Root of the variance, shape (P,)."""
        return np.asarray(np.sqrt(self.variance))

    @property
    def lean(self) -> Array:
        """Skewness of the mean difference, shape (P,): 0, of sums over many runs."""
        return np.zeros_like(self.estimate)


def item_means(runs: Array) -> Array:
    """Return means over runs; NaN where there is no run.

    `runs`: (n, r, K); NaN where there is no run.
    Result: (n, K).

    Examples
    --------
    >>> item_means(np.array([[[1.0, np.nan], [0.0, np.nan]]]))
    array([[0.5, nan]])
    """
    runs = np.sort(runs, axis=1)  # one result, to the last bit, in whatever order
    known = np.isfinite(runs)
    counts = known.sum(axis=1)
    sums = np.where(known, runs, 0.0).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def run_noise(runs: Array) -> RunNoise:
    """Return the variance of mean differences that comes from the models' runs alone.

    `runs`: (n, r, K); NaN where there is no run.
    Result: in the order of `all_pairs`.

    Notes
    -----
    An item with one run of a model has the pooled variance of the model's repeated items. All is a
    sum of the variances of repeated items, with weights, from which follow the degrees of freedom.
    """
    n_models = runs.shape[2]
    runs = np.sort(runs, axis=1)  # one result, to the last bit, in whatever order
    runs = runs[np.lexsort(runs.reshape(len(runs), -1).T)]
    known = np.isfinite(runs)
    counts = known.sum(axis=1)
    means = item_means(runs)
    errors = np.where(known, runs - means[:, None], 0.0)
    slack = ROUNDING * np.abs(np.where(known, runs, 0.0)).max(axis=1, initial=0.0)
    errors = np.where(np.abs(errors) <= slack[:, None], 0.0, errors)
    size = float(np.abs(errors).max(initial=0.0)) or 1.0
    errors /= size  # squares of variances are numbers of any unit
    freedom = np.maximum(counts - 1, 0)
    variances = (errors**2).sum(axis=1) / np.maximum(freedom, 1)
    has = (counts > 0).astype(np.float64)
    is_single = (counts == 1).astype(np.float64)
    parts = np.where(freedom > 0, variances / np.maximum(counts, 1), 0.0)
    own = np.where(freedom > 0, freedom, 1)
    all_freedom = np.maximum(freedom.sum(axis=0), 1)
    pooled = (freedom * variances).sum(axis=0) / all_freedom

    def common(columns: Array) -> Array:
        """Return sums of each model's column over the items of each other one, (other, model)."""
        return np.asarray(np.einsum("nj,nk->jk", has, columns))

    n, singles = common(has), common(is_single)
    noise = common(parts) + singles * pooled
    squares = (
        common(parts**2 / own)
        + 2 * common(parts * variances) * singles / all_freedom
        + (freedom * variances**2).sum(axis=0) * (singles / all_freedom) ** 2
    )
    sums = common(np.where(counts > 0, means, 0.0))
    odd, number = common(counts - _most_frequent(runs)), common(counts)
    first, second = all_pairs(n_models).T
    there, back = (second, first), (first, second)  # columns of the first, and of the second
    both = n[there]
    n_both = np.maximum(both, 1)
    variance, fourth = (x[there] + x[back] for x in (noise, squares))
    is_known = (both > 0) & (2 * singles[there] <= both) & (2 * singles[back] <= both)
    has_df = is_known & (fourth > 0)
    return RunNoise(
        np.where(both > 0, (sums[there] - sums[back]) / n_both, np.nan),
        np.where(is_known, size**2 * (variance / n_both**2), np.nan),
        np.where(has_df, variance**2 / np.where(has_df, fourth, 1.0), np.nan),
        both.astype(np.intp),
        (odd[there] + odd[back]).astype(np.intp),
        np.where(both > 0, (number[there] + number[back]) / (2 * n_both), np.nan),
    )


def _most_frequent(runs: Array) -> NDArray[np.intp]:
    """Return how many runs have the most frequent score, of each item and model."""
    most = np.zeros((len(runs), runs.shape[2]), dtype=np.intp)
    for r in range(runs.shape[1]):
        most = np.maximum(most, (runs == runs[:, r : r + 1]).sum(axis=1))
    return most


def compare_these_items(
    runs: Array,
    alpha: float,
    *,
    n_comparisons: int | None = None,
    is_smaller_better: bool = False,
) -> PairTable:
    """Compare all pairs of models on these very items, by the noise of their runs.

    `runs`: (n, r, K); the score of each run, of items by models, NaN where there is none; K >= 2.
    `alpha`: error probability of the family, 0 < alpha < 1.
    `n_comparisons`: pairs of a larger family. Left out: the family are the pairs here.
    Result: method "run-noise": Student's t by Bonferroni. A pair with repeated runs of fewer than
    half of the common items, of one of the two, is open and outside the family: it has no interval.
    One with fewer than `FEWEST_NONZERO` runs that differ (see `RunNoise`), also one whose runs all
    agree, is open without an interval, and counts in the family. `extra` has `n`, `n_nonzero`,
    `n_runs`, `is_constant` (whether all runs agree), `wins`, `ties` and `losses`.
    Raises ValueError if `runs` is not such an array, or alpha is not inside (0, 1).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> chances = rng.random((50, 1, 1)) * [1.0, 0.5]
    >>> table = compare_these_items((rng.random((50, 4, 2)) < chances).astype(float), 0.05)
    >>> table.estimate.round(3), table.lower.round(3), table.upper.round(3)
    (array([0.345]), array([0.267]), array([0.423]))
    """
    if runs.ndim != 3:
        raise ValueError(f"runs need the shape (items, runs, models), got {runs.shape}")
    check_pairs(runs[:, 0] if runs.shape[1] else runs.reshape(0, runs.shape[2]), alpha)
    found = run_noise(runs)
    is_family = np.isfinite(found.variance)
    m = n_comparisons or max(1, int(is_family.sum()))
    is_tested = is_family & (found.n_nonzero >= FEWEST_NONZERO) & (found.variance > 0)
    table = t_table(
        all_pairs(runs.shape[2]),
        found,
        "run-noise",
        alpha,
        m,
        varies=is_tested,
        chance=np.full(len(is_tested), np.nan),
        is_open=~is_tested,
        is_smaller_better=is_smaller_better,
        extra={
            "n": found.n,
            "n_nonzero": found.n_nonzero,
            "n_runs": found.n_runs,
            "is_constant": found.variance == 0,
        },
    )
    return table.counted(item_means(runs), is_smaller_better)


@dataclass(frozen=True, slots=True)
class VarianceParts:
    """The variance of mean differences for items like these, in two parts, of P pairs."""

    # (P,); squared standard error of the mean difference over items (over clusters: CR2)
    total: Array
    noise: Array  # (P,); what the models' runs contribute to it; NaN as in `RunNoise`
    items: Array  # (P,); what the choice of items contributes: the difference, at least 0
    n_units: NDArray[np.intp]  # (P,); clusters; items without clusters
    n_runs: Array  # (P,); mean number of runs


def variance_parts(runs: Array, clusters: Codes | None) -> VarianceParts:
    r"""Split the variance of mean differences into model noise and choice of items.

    `runs`: (n, r, K); NaN where there is no run.
    `clusters`: (n,).
    Result: in the order of `all_pairs`.

    Notes
    -----
    :math:`s_d^2 / n` of item means estimates the sum of both without bias, `run_noise` one of
    them: the other is their difference.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> items, noise = rng.normal(size=(500, 1, 2)), rng.normal(size=(500, 2, 2))
    >>> parts = variance_parts(items + noise, None)
    >>> (500 * parts.noise).round(2), (500 * parts.items).round(2)  # 2 / 2, and 2
    (array([0.96]), array([2.28]))
    """
    found, noise = task_means(item_means(runs), clusters), run_noise(runs)
    total = found.standard_error**2
    return VarianceParts(
        total,
        noise.variance,
        np.maximum(total - noise.variance, 0.0),
        found.n_clusters,
        noise.n_runs,
    )


def units_for_half(parts: VarianceParts) -> tuple[Array, Array]:
    """Return how many runs an item, or how many units, halve the width of intervals.

    Result: `runs`, (P,); of each item and model, all in all, with the same items; infinite where no
    number of runs does; NaN where the noise is not known; `units`, (P,); clusters (items without
    clusters), all in all, with the same number of runs.

    Notes
    -----
    The width goes with the root of the variance; that the quantile shrinks, too, is left out.

    Examples
    --------
    >>> columns = ([4.0, 4.0], [3.5, 2.0], [0.5, 2.0], [50, 50], [2, 2])
    >>> parts = VarianceParts(*map(np.array, columns))
    >>> units_for_half(parts)
    (array([14., inf]), array([200., 200.]))
    """
    spare = (parts.noise + parts.items) / 4 - parts.items
    factor = np.where(spare > 0, parts.noise / np.where(spare > 0, spare, 1.0), np.inf)
    factor = np.where(np.isnan(parts.noise), np.nan, factor)
    runs: Array = np.ceil(factor * parts.n_runs - SLACK)
    return runs, 4.0 * parts.n_units.astype(np.float64)
