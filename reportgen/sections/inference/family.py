"""One adjustment for all data sets and measures of a study (`family: study`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from reportgen.sections.inference.result import (
    InferenceResult,
    MeasureInference,
    Method,
    StudyFamily,
)
from reportgen.sections.inference.verdict import with_verdict
from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.items.proportions import mid_p_level, score_interval
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.new_data import POWER
from reportgen.stats.pairs.paired_max_t import bonferroni_adjust

Bounds = tuple[float | None, float | None]


def adjust_study(results: Mapping[str, InferenceResult]) -> dict[str, InferenceResult]:
    """Adjust all pairs of all data sets and measures together.

    Intervals and p-values of pairs hold over all by Bonferroni's inequality; the
    p-values of rank sums, adjusted within their family by their joint law, are
    multiplied by the number of families. Other methods stay adjusted within
    their family.

    `results`: by data set, as `analyse` returns them, under one alpha.
    Result: unchanged where there is one family only: its joint law is sharper.
    """
    all_found = {(d, m): found for d, own in results.items() for m, found in own.items()}
    n_ranked = sum(bool(found.rank_pairs) for found in all_found.values())
    tested = {key: found for key, found in all_found.items() if found.pairs}
    if len(tested) > 1:
        family = StudyFamily(
            n_pairs=sum(len(found.pairs) - found.n_open for found in tested.values()),
            n_families=len(tested),
            n_datasets=len({dataset for dataset, _ in tested}),
            n_measures=len({measure for _, measure in tested}),
            n_alone=0,
        )
        all_found |= {key: _adjust(found, family) for key, found in tested.items()}
    return {
        d: {m: _with_ranks(all_found[d, m], n_ranked) for m in own} for d, own in results.items()
    }


def _adjust(found: MeasureInference, family: StudyFamily) -> MeasureInference:
    """Hold the verdicts of one data set and measure together with all others."""
    if found.method is None or found.method.name == "stages":
        return found
    pairs = _bonferroni_adjust(found.pairs, found.method, family, found.measure.bounds)
    if "tost_lower" in pairs.extra:
        lenient = replace(found.pairs, alpha=2 * found.alpha)
        wide = _bonferroni_adjust(lenient, found.method, family, found.measure.bounds)
        pairs = pairs.with_columns(tost_lower=wide.lower, tost_upper=wide.upper)
    pairs = pairs.inside(found.measure.bounds).decided(found.relevance)
    method = replace(found.method, pairs=pairs)
    n_alone = found.pairs.n_significant
    return replace(with_verdict(found, method), family=replace(family, n_alone=n_alone))


def _bonferroni_adjust(
    pairs: PairTable, method: Method, family: StudyFamily, bounds: Bounds
) -> PairTable:
    """Hold pairs together with all others by Bonferroni's inequality, each by its own method."""
    m = max(1, family.n_pairs)
    is_ratio = pairs.scale == "ratio"
    level = np.where(pairs.is_open, pairs.alpha, pairs.alpha / m)
    if method.name == "score":
        b, c = pairs.extra["wins"], pairs.extra["losses"]
        b, c = (c, b) if pairs.is_smaller_better else (b, c)
        lower, upper = score_interval(b, c, pairs.extra["n"], mid_p_level(b, c, level))
        critical = -ndtri(level / 2)
    elif method.name == "new-data":
        critical = t_quantile(level / 2, pairs.df)
        wide = critical * pairs.standard_error
        middle = np.log(pairs.estimate) if is_ratio else pairs.estimate
        low, high = (np.exp(x) if is_ratio else x for x in (middle - wide, middle + wide))
        least, most = bounds
        span = np.inf if is_ratio or least is None or most is None else most - least
        lower, upper = np.maximum(low, -span), np.minimum(high, span)
    else:
        return bonferroni_adjust(pairs, m)
    known = np.isfinite(pairs.lower)
    adverse = {} if pairs.adverse is None else pairs.adverse.limits(critical)
    more = {name: np.exp(x) if is_ratio else x for name, x in adverse.items()}
    if "n_deciding" in pairs.extra:
        growth = (critical + ndtri(POWER)) / (pairs.critical_value + ndtri(POWER))
        more["n_deciding"] = pairs.extra["n_deciding"] * growth**2
    return replace(
        pairs,
        lower=np.where(known, lower, np.nan),
        upper=np.where(known, upper, np.nan),
        adjusted_p_value=np.where(
            np.isnan(pairs.adjusted_p_value), np.nan, np.minimum(1.0, m * pairs.p_value)
        ),
        critical_value=critical,
        decision=(),
    ).with_columns(**more)


def _with_ranks(found: MeasureInference, n_families: int) -> MeasureInference:
    """Multiply the p-values of rank sums by the number of families."""
    if n_families < 2 or not found.rank_pairs:
        return found
    return replace(found, rank_pairs=multiply_p_values(found.rank_pairs, n_families))


def multiply_p_values(pairs: PairTable, n_families: int) -> PairTable:
    """Multiply adjusted p-values by the number of families, by Bonferroni's inequality."""
    extra = dict(pairs.extra)
    if "p_value_permutation" in extra:
        permuted = np.minimum(1.0, n_families * extra["p_value_permutation"])
        extra["p_value_permutation"] = permuted
        extra["permutation_error"] = n_families * extra["permutation_error"]
    adjusted = np.minimum(1.0, n_families * pairs.adjusted_p_value)
    return replace(pairs, adjusted_p_value=adjusted, extra=extra).decided()
