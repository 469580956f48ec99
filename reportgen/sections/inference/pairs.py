"""Decisions on all pairs of candidates, whatever model compared them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.inference.result import Pair
from reportgen.stats.relevance import decide, equivalence_bound, is_significant
from reportgen.stats.simultaneous import Comparisons, all_pairs
from reportgen.warehouse import Measure, Target

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Family:
    """Pairs that are decided on together.

    Attributes
    ----------
    measure : Measure
    candidates : tuple of str
        In the order of the comparisons' parameters.
    relevance : tuple of two floats or None
        Area of equivalence.
    target : str
        What the comparisons speak about.
    variance : str
        "pooled" or "pairwise".
    primary : bool
        Whether these pairs make the relation.
    """

    measure: Measure
    candidates: tuple[str, ...]
    relevance: tuple[float, float] | None
    target: Target
    variance: str = "pooled"
    primary: bool = True


def decide_pairs(
    compared: Comparisons, pair_df: tuple[float | None, ...], values: Array, family: Family
) -> tuple[Pair, ...]:
    """Decide on every pair of candidates.

    Parameters
    ----------
    compared : Comparisons
    pair_df : tuple of float or None
        Degrees of freedom of each pair; None for the normal law.
    values : ndarray of shape (n, K)
        What is counted as better, equal or worse: one row a replication, or a
        data set.
    family : Family
    """
    indices = all_pairs(len(family.candidates)).tolist()
    return tuple(
        _pair(compared, pair_df[row], row, values[:, pair], family, pair)
        for row, pair in enumerate(indices)
    )


def _pair(
    compared: Comparisons,
    df: float | None,
    row: int,
    values: Array,
    family: Family,
    pair: list[int],
) -> Pair:
    """Put together what is known of two candidates."""
    smaller = family.measure.is_smaller_better
    estimate, lower, upper = (
        float(bound[row]) for bound in (compared.estimates, compared.lower, compared.upper)
    )
    first, second = (family.candidates[k] for k in pair)
    significant = is_significant(lower, upper)
    favoured = first if (estimate < 0) is smaller else second
    wins, ties, losses = _win_tie_loss(values[:, 0], values[:, 1], smaller)
    return Pair(
        first=first,
        second=second,
        estimate=estimate,
        standard_error=float(compared.standard_errors[row]),
        statistic=float(compared.statistics[row]),
        lower=lower,
        upper=upper,
        p_value=float(compared.p_values[row]),
        df=df,
        method=compared.method,
        variance=family.variance,
        target=family.target,
        significant=significant,
        decision=decide(lower, upper, family.relevance, smaller),
        primary=family.primary,
        wins=wins,
        ties=ties,
        losses=losses,
        equivalence_bound=equivalence_bound(lower, upper),
        favoured=favoured if significant else None,
    )


def _win_tie_loss(first: Array, second: Array, is_smaller_better: bool) -> tuple[int, int, int]:
    """Count the rows with both values in which first is better, equal and worse."""
    smaller, larger = int((first < second).sum()), int((first > second).sum())
    wins, losses = (smaller, larger) if is_smaller_better else (larger, smaller)
    return wins, int((first == second).sum()), losses


def significantly_better(pairs: tuple[Pair, ...], candidates: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return the relation of the significant pairs, shape (K, K).

    Parameters
    ----------
    pairs : tuple of Pair
    candidates : tuple of str
        Rows and columns.
    """
    place = {name: k for k, name in enumerate(candidates)}
    incidence = np.zeros((len(candidates), len(candidates)), dtype=np.bool_)
    for pair in pairs:
        if pair.favoured is not None:
            beaten = pair.second if pair.favoured == pair.first else pair.first
            incidence[place[pair.favoured], place[beaten]] = True
    return incidence
