"""Two to five data sets: differences with an error of each, for new data of these sources."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.domain.data import DatasetMeans, DomainValues, used_rows
from reportgen.sections.domain.result import SourceDecisions
from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.domain.sources import SourceErrors, own_statistics
from reportgen.stats.domain.sums import column_means
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.new_data import new_data_pairs
from reportgen.stats.pairs.own_variances import compare_own_variances
from reportgen.stats.pairs.shared_data import SharedData
from reportgen.study.manifest import AnalysisOptions
from reportgen.warehouse import Target

Array = NDArray[np.float64]

FEWEST_REPLICATIONS = 3  # of a data set that has an error
LEVEL = 0.05  # of intervals that nothing uses


def target_of_few(
    all_values: DomainValues, units: DatasetMeans, options: AnalysisOptions
) -> Target:
    """Return what tests on few data sets speak of: new data where the error for them is known."""
    shared = [all_values.shared.get(d) for d in units.datasets]
    known = all(own is not None and own.ratio is not None for own in shared)
    is_new = known and all_values.target == "domain" and options.target == "auto"
    return "these-sources" if is_new else "conditional"


def errors_of_sources(
    all_values: DomainValues, units: DatasetMeans, options: AnalysisOptions
) -> SourceErrors:
    """Return the differences of all pairs on every data set, with their errors.

    Parameters
    ----------
    all_values : DomainValues
    units : DatasetMeans
        Of the same values.
    options : AnalysisOptions

    Returns
    -------
    SourceErrors
        For new data where the ratio of test to learning observations is known on all data sets,
        else for these replications.
    """
    is_new = target_of_few(all_values, units, options) == "these-sources"
    shared = [all_values.shared.get(d) if is_new else None for d in units.datasets]
    return errors_between(used_rows(all_values, units, options), shared)


def errors_between(rows: Sequence[Array], shared: Sequence[SharedData | None]) -> SourceErrors:
    """Return the differences of all pairs of columns on every data set, with their errors.

    Parameters
    ----------
    rows : sequence of ndarray of shape (B_m, K)
        The replications of M data sets, NaN where there is no value.
    shared : sequence of (SharedData or None)
        What the replications of each share, for new data; None for these replications.

    Returns
    -------
    SourceErrors
        Without an error where a data set has fewer than `FEWEST_REPLICATIONS` of a pair.
    """
    means = np.array([column_means(values) for values in rows])
    first, second = all_pairs(means.shape[1]).T
    difference = means[:, first] - means[:, second]
    variance, df = np.full_like(difference, np.nan), np.full_like(difference, np.nan)
    for m, (values, own) in enumerate(zip(rows, shared, strict=True)):
        if len(values) >= FEWEST_REPLICATIONS:
            table = _compare(values, own)
            has_enough = table.extra["n"] >= FEWEST_REPLICATIONS
            variance[m] = np.where(has_enough, table.standard_error**2, np.nan)
            df[m] = np.where(has_enough, table.df, np.nan)
    return SourceErrors(difference, variance, df)


def _compare(values: Array, shared: SharedData | None) -> PairTable:
    """Compare all pairs on one data set: for new data, or for its replications."""
    if shared is None or shared.ratio is None:
        return compare_own_variances(values, LEVEL, np.random.default_rng(0), n_comparisons=1)
    return new_data_pairs(
        values,
        shared.ratio,
        test_share=shared.test_share,
        n_observations=shared.n_observations,
    )


def decided_on_each(
    errors: SourceErrors, table: PairTable, datasets: tuple[str, ...]
) -> tuple[SourceDecisions, ...]:
    r"""Return who is decided better on each data set for itself.

    Parameters
    ----------
    errors : SourceErrors
    table : PairTable
        Of all data sets, which says on what level.
    datasets : tuple of str

    Notes
    -----
    By the interval of the data set at :math:`\alpha / 2 m M` on either side, so that all such
    decisions of all data sets hold together.
    """
    m = max(1, int((~table.is_open).sum()))
    n = np.maximum(errors.known.sum(axis=0), 1)
    tail = table.alpha / (2 * m * n)
    critical = t_quantile(tail, np.where(errors.known, errors.df, np.nan))
    statistics = np.nan_to_num(own_statistics(errors))
    side = np.where(
        np.abs(statistics) > np.nan_to_num(critical, nan=np.inf), np.sign(statistics), 0
    )
    way = -side if table.is_smaller_better else side
    names = table.candidates
    return tuple(
        SourceDecisions(
            dataset,
            tuple(
                (names[i], names[j]) if found > 0 else (names[j], names[i])
                for i, j, found in zip(table.first, table.second, row.tolist(), strict=True)
                if found
            ),
        )
        for dataset, row in zip(datasets, way, strict=True)
    )
