"""Two to five data sets: differences with an error of each, for new data of these sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.domain.data import DatasetMeans, DomainValues
from reportgen.sections.domain.result import SourceDecisions
from reportgen.sections.inference.generalisation import Evidence, compare_by_evidence
from reportgen.stats.adverse_differences import adverse_within
from reportgen.stats.arrays import Array, column_means
from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.domain.sources import MOST_SOURCES, SourceErrors, own_statistics
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS, paired_max_t
from reportgen.stats.samples.comparison import welch_of
from reportgen.stats.samples.moments import SampleMoments
from reportgen.stats.shared_means import pair_columns, shared_means
from reportgen.study.comparison import ComparedValues
from reportgen.study.schema.options import AnalysisOptions
from reportgen.targets import Target

FEWEST_REPLICATIONS = 3  # of a data set that has an error
LEVEL = 0.05  # of intervals that nothing uses


def is_of_few(all_values: DomainValues, units: DatasetMeans) -> bool:
    """Whether so few data sets are taken as they are, each with its error, not as a sample."""
    return all_values.unit.has_errors_of_datasets and len(units.datasets) <= MOST_SOURCES


def target_of_few(
    all_values: DomainValues, units: DatasetMeans, options: AnalysisOptions
) -> Target:
    """Return what tests on few data sets speak of: new data where the error for them is known.

    Measurements that no two candidates share are those of a session.
    """
    if units.samples:
        return "this-session" if all_values.target == "domain" else "conditional"
    evidence = [own.on(units.scale) for own in _evidence(all_values, units)]
    known = [own.shared.ratio is not None or own.is_of_observations for own in evidence]
    is_known = len(known) == len(units.datasets) and all(known)
    is_new = is_known and all_values.target == "domain" and options.target == "auto"
    return "these-sources" if is_new else "conditional"


def fixed_sources(all_values: DomainValues, units: DatasetMeans) -> tuple[str, ...]:
    """Return the data sets whose error is over the observations of a fixed test sample."""
    own = {d: all_values.evidence.get(d) for d in units.datasets}
    return tuple(d for d, e in own.items() if e and e.on(units.scale).is_of_observations)


def _evidence(all_values: DomainValues, units: DatasetMeans) -> list[Evidence]:
    """Return what is known of new data of the data sets of which something is known."""
    return [all_values.evidence[d] for d in units.datasets if d in all_values.evidence]


def evidence_of_sources(
    all_values: DomainValues, units: DatasetMeans, target: Target
) -> list[Evidence | None]:
    """Return what is known of new data of every data set, on the scale of its means.

    `units`: of the same values.
    `target`: what tests on these few data sets speak of (`target_of_few`).
    Result: None of all where the tests do not speak of new data. Without the values of seeds where
    some replications are left out.
    """
    if target != "these-sources":
        return [None] * len(units.datasets)
    found: list[Evidence | None] = []
    for dataset, rows in zip(units.datasets, units.rows, strict=True):
        own = all_values.evidence[dataset].of(units.candidates).on(units.scale)
        is_whole = own.cells is None or len(own.cells) == len(rows)
        found.append(own if is_whole else replace(own, cells=None))
    return found


def errors_of_sources(
    units: DatasetMeans, evidence: Sequence[Evidence | None], *, is_smaller_better: bool
) -> SourceErrors:
    """Return the differences of all pairs on every data set, with their errors.

    `evidence`: what is known of new data of each.
    Result: for new data where its error is known on all data sets, else for these replications; of
    measurements that no two candidates share by the variances of both.
    """
    if units.samples:
        return errors_of_samples(units.samples)
    return errors_between(
        units.rows, evidence, units.by_design_in_rows, is_smaller_better=is_smaller_better
    )


def errors_of_contrast(
    values: ComparedValues,
    evidence: Sequence[Evidence | None],
    first: str,
    second: str | None,
    limit: float,
    *,
    is_smaller_better: bool,
) -> SourceErrors:
    """Return the same of two candidates; where `second` is None of a mean and its limit."""
    if values.samples:
        return errors_of_samples(
            values.samples_of(first, second), limit if second is None else None
        )
    return errors_between(
        values.rows_between(first, second, limit),
        [own and own.between(first, second, limit) for own in evidence],
        values.by_design_between(first, second),
        is_smaller_better=is_smaller_better,
    )


def errors_between(
    rows: Sequence[Array],
    evidence: Sequence[Evidence | None],
    missing_by_design: Sequence[NDArray[np.bool_] | None] | None = None,
    *,
    is_smaller_better: bool,
) -> SourceErrors:
    """Return the differences of all pairs of columns on every data set, with their errors.

    `rows`: (B_m, K); the replications of M data sets, NaN where there is no value.
    `evidence`: what is known of new data of each, on the same scale; None for these replications.
    `missing_by_design`: gaps of the replications of each that count against nobody.
    Result: differences of what both have; without an error where a data set has fewer than
    `FEWEST_REPLICATIONS` of a pair, or fewer than `FEWEST_UNITS` observations of a fixed sample.
    """
    means = np.array([column_means(values) for values in rows])
    pairs = all_pairs(means.shape[1])
    difference = np.subtract(*pair_columns(means, pairs, shared_means(rows, means, pairs)))
    variance, df = np.full_like(difference, np.nan), np.full_like(difference, np.nan)
    for m, (values, own) in enumerate(zip(rows, evidence, strict=True)):
        is_fixed = own is not None and own.is_of_observations
        if is_fixed or len(values) >= FEWEST_REPLICATIONS:
            table = _compare(values, own)
            n_enough = FEWEST_UNITS if is_fixed else FEWEST_REPLICATIONS
            has_enough = table.extra["n"] >= n_enough
            difference[m] = np.where(has_enough, table.estimate, difference[m])
            variance[m] = np.where(has_enough, table.standard_error**2, np.nan)
            df[m] = np.where(has_enough, table.df, np.nan)
    within = adverse_within(
        rows, pairs, is_smaller_better, missing_by_design, standard_error=np.sqrt(variance)
    )
    return SourceErrors(difference, variance, df, within)


def errors_of_samples(samples: Sequence[Array], limit: float | None = None) -> SourceErrors:
    """Return the differences of all pairs of samples on every data set, with Welch's errors.

    `samples`: (B_m, K); columns of M data sets, padded with NaN.
    `limit`: where K is 1, what the mean is held against.
    Result: without an error where a sample has fewer than `FEWEST_UNITS` values.
    """
    moments = [SampleMoments.of(values) for values in samples]
    tables = [welch_of(m if limit is None else m.beside(limit), LEVEL, 1) for m in moments]
    has_enough = np.array([~table.is_open for table in tables])
    difference = np.array([table.estimate for table in tables])
    error, df = (
        np.where(has_enough, [getattr(table, name) for table in tables], np.nan)
        for name in ("standard_error", "df")
    )
    return SourceErrors(difference, error**2, df)


def _compare(values: Array, evidence: Evidence | None) -> PairTable:
    """Compare all pairs on one data set: for new data, or for its replications."""
    if evidence is None:
        return paired_max_t(values, LEVEL, np.random.default_rng(0), n_comparisons=1)
    return compare_by_evidence(values, evidence, LEVEL, is_smaller_better=True)


def decided_on_each(
    errors: SourceErrors, table: PairTable, datasets: tuple[str, ...]
) -> tuple[SourceDecisions, ...]:
    r"""Return who is decided better on each data set for itself.

    `table`: of all data sets, which says on what level.

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
