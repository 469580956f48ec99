"""All pairs over a domain under sign flips of whole data sets: numbers, no words."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from reportgen.sections.domain.result import DomainVerdict
from reportgen.sections.domain.verdict import DatasetMeans
from reportgen.stats.domain.missing_candidates import shared_datasets
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.own_variances import as_ratios, joint_units
from reportgen.stats.permutation.paired import FEWEST_UNITS, sign_flip_max_t


def flipped_pairs(units: DatasetMeans, verdict: DomainVerdict, rng: Generator) -> PairTable | None:
    """Compare all pairs by the largest |t| when the signs of whole data sets are flipped.

    Parameters
    ----------
    units : DatasetMeans
    verdict : DomainVerdict
        Of the same measure.
    rng : Generator
        Draws the flips where there are more than 14 data sets.

    Returns
    -------
    PairTable or None
        Without intervals. None where two candidates share too few data sets for
        any p-value to be small, or all share enough for the joint law of the t
        statistics.
    """
    means = units.values
    fewest = int(shared_datasets(np.isfinite(means)).min())
    if fewest < FEWEST_UNITS or len(means) >= joint_units(means.shape[1]):
        return None
    found = sign_flip_max_t(means, rng)
    table = PairTable.of(
        all_pairs(means.shape[1]),
        np.nanmean(means[:, found.first] - means[:, found.second], axis=0),
        "sign-flip",
        verdict.alpha,
        statistic=found.statistics,
        adjusted_p_value=found.step_down,
    )
    table = as_ratios(table) if units.scale == "ratio" else table
    smaller = verdict.measure.is_smaller_better
    return table.named(units.candidates, verdict.target, smaller).decided()
