"""One adjustment for all data sets and measures of a study (`family: study`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.inference.further import StudyFamily
from reportgen.sections.inference.pairs import significantly_better
from reportgen.sections.inference.rank_results import RankPair
from reportgen.sections.inference.result import InferenceResult, MeasureInference, Pair
from reportgen.stats.many_families import PairFamily, bonferroni_value, holm_over_all
from reportgen.stats.relations import chain, unbeaten
from reportgen.stats.relevance import decide, equivalence_bound
from reportgen.warehouse import Measure

Array = NDArray[np.float64]
_Families = dict[tuple[str, str], MeasureInference]


def adjust_study(results: Mapping[str, InferenceResult]) -> dict[str, InferenceResult]:
    """Adjust all pairs of all data sets and measures together.

    The p-values of pairs are Holm's over all; their intervals, and so all that
    is said of relevance, hold together by Bonferroni's inequality. p-values of
    rank sums, adjusted within their family by their joint law, are multiplied
    by the number of families. Other methods stay adjusted within their family.

    Parameters
    ----------
    results : mapping of str to dict
        By data set, as `analyse` returns them, under one alpha.

    Returns
    -------
    dict of str to dict
        Unchanged where there is one family only: its joint law is sharper.
    """
    all_found = {(d, m): found for d, own in results.items() for m, found in own.items()}
    n_ranked = sum(bool(found.rank_pairs) for found in all_found.values())
    tested = {key: found for key, found in all_found.items() if found.pairs}
    if len(tested) > 1:
        all_found |= _over_all(tested)
    return {
        d: {m: _with_ranks(all_found[d, m], n_ranked) for m in own} for d, own in results.items()
    }


def _over_all(families: Mapping[tuple[str, str], MeasureInference]) -> _Families:
    """Adjust the pairs of all families."""
    told = StudyFamily(
        n_pairs=sum(len(found.pairs) for found in families.values()),
        n_families=len(families),
        n_datasets=len({dataset for dataset, _ in families}),
        n_measures=len({measure for _, measure in families}),
        n_alone=0,
    )
    adjusted = holm_over_all([tested_alone(found.pairs) for found in families.values()])
    return {
        key: _adjusted(found, p_values, told)
        for (key, found), p_values in zip(families.items(), adjusted, strict=True)
    }


@dataclass(frozen=True, slots=True)
class LargerFamily:
    """How pairs are decided on in a family that reaches beyond their data set and measure.

    Attributes
    ----------
    critical_value : float
        Of the absolute t statistic, for the intervals.
    lenient_value : float or None
        The same for intervals of two one-sided tests.
    measure : Measure
    area : tuple of two floats or None
        Area of equivalence.
    alpha : float
    """

    critical_value: float
    lenient_value: float | None
    measure: Measure
    area: tuple[float, float] | None
    alpha: float

    def decided(self, pair: Pair, p_value: float) -> Pair:
        """Decide by the interval, and where it leaves a pair undecided by the p-value."""
        lower, upper = _interval(pair, self.critical_value)
        smaller = self.measure.is_smaller_better
        significant = p_value <= self.alpha
        is_first = (pair.estimate < 0) is smaller
        decision = decide(lower, upper, self.area, smaller)
        if decision == "undecided" and significant:
            decision = "better" if is_first else "worse"
        return replace(
            pair,
            lower=lower,
            upper=upper,
            p_value=p_value,
            method="bonferroni",
            significant=significant,
            decision=decision,
            equivalence_bound=equivalence_bound(lower, upper),
            tost_interval=self._lenient(pair),
            favoured=(pair.first if is_first else pair.second) if significant else None,
        )

    def _lenient(self, pair: Pair) -> tuple[float, float] | None:
        if pair.tost_interval is None or self.lenient_value is None:
            return None
        return _interval(pair, self.lenient_value)


def tested_alone(pairs: Sequence[Pair]) -> PairFamily:
    """Take the pairs' own statistics, which no adjustment has touched."""
    return PairFamily(
        np.array([pair.statistic for pair in pairs]),
        np.array([inf if pair.df is None else pair.df for pair in pairs]),
    )


def _interval(pair: Pair, critical_value: float) -> tuple[float, float]:
    half = critical_value * pair.standard_error
    return pair.estimate - half, pair.estimate + half


def _adjusted(found: MeasureInference, p_values: Array, told: StudyFamily) -> MeasureInference:
    """Read everything that rests on the pairs anew."""
    df = inf if found.critical_df is None else found.critical_df
    larger = LargerFamily(
        bonferroni_value(told.n_pairs, df, found.alpha),
        bonferroni_value(told.n_pairs, df, 2 * found.alpha) if 2 * found.alpha < 1 else None,
        found.measure,
        found.relevance,
        found.alpha,
    )
    both = zip(found.pairs, p_values.tolist(), strict=True)
    pairs = tuple(larger.decided(pair, p) for pair, p in both)
    incidence = significantly_better(pairs, found.candidates)
    groups = chain(incidence)

    def named(columns: Sequence[int]) -> tuple[str, ...]:
        names = {found.candidates[k] for k in columns}
        return tuple(name for name in found.order if name in names)

    return replace(
        found,
        pairs=pairs,
        critical_value=larger.critical_value,
        critical_error=0.0,
        tukey_kramer_value=None,
        leaders=named(unbeaten(incidence)),
        groups=None if groups is None else tuple(named(group) for group in groups),
        family=replace(told, n_alone=sum(pair.significant for pair in found.pairs)),
    )


def _with_ranks(found: MeasureInference, n_families: int) -> MeasureInference:
    """Multiply the p-values of rank sums by the number of families."""
    if n_families < 2 or not found.rank_pairs:
        return found
    return replace(found, rank_pairs=tuple(_multiplied(p, n_families) for p in found.rank_pairs))


def _multiplied(pair: RankPair, n_families: int) -> RankPair:
    permuted, error = pair.p_value_permutation, pair.permutation_error
    return replace(
        pair,
        p_value=min(1.0, n_families * pair.p_value),
        p_value_permutation=None if permuted is None else min(1.0, n_families * permuted),
        permutation_error=None if error is None else n_families * error,
    )
