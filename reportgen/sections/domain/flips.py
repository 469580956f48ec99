"""All pairs over a domain under sign flips of whole data sets: numbers, no words."""

from __future__ import annotations

from math import isfinite

import numpy as np
from numpy.random import Generator

from reportgen.sections.domain.basis import DomainBasis
from reportgen.sections.domain.taken import Taken
from reportgen.sections.inference.beside import OtherPair
from reportgen.stats.domain_lacking import shared_datasets
from reportgen.stats.pairwise_variance import is_joint_law_known
from reportgen.stats.relevance import Decision
from reportgen.stats.sign_flip_max import FEWEST_UNITS, SignFlipTests, sign_flip_max_t


def flipped_pairs(taken: Taken, rng: Generator) -> tuple[OtherPair, ...]:
    """Compare all pairs by the largest |t| when the signs of whole data sets are flipped.

    Parameters
    ----------
    taken : Taken
    rng : Generator
        Not used up; draws the flips where there are more than 14 data sets.

    Returns
    -------
    tuple of OtherPair
        Without intervals. Empty where two candidates share too few data sets for
        any p-value to be small, or there are enough for the joint law of the t
        statistics.
    """
    means = taken.means
    fewest = int(shared_datasets(np.isfinite(means)).min())
    if fewest < FEWEST_UNITS or is_joint_law_known(*means.shape):
        return ()
    found = sign_flip_max_t(means, rng.spawn(1)[0])
    differences = np.nanmean(means[:, found.first] - means[:, found.second], axis=0)
    return tuple(
        _row(found, i, float(difference), taken.basis) for i, difference in enumerate(differences)
    )


def _row(found: SignFlipTests, i: int, difference: float, basis: DomainBasis) -> OtherPair:
    p_value, statistic = float(found.step_down[i]), float(found.statistics[i])
    significant = p_value <= basis.alpha and difference != 0
    is_better = (difference < 0) is basis.measure.is_smaller_better
    decision: Decision = "undecided"
    if significant:
        decision = "better" if is_better else "worse"
    return OtherPair(
        first=basis.candidates[int(found.first[i])],
        second=basis.candidates[int(found.second[i])],
        estimate=difference,
        statistic=statistic if isfinite(statistic) else None,
        lower=None,
        upper=None,
        p_value=p_value,
        df=None,
        method="sign-flip",
        variance="pairwise",
        target=basis.target,
        significant=significant,
        decision=decision,
    )
