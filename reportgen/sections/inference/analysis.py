"""Inference on one data set (Eugster 2011, section 2.3; Hothorn et al. 2005)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isinf, isnan

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.inference.result import (
    EqualityTest,
    Friedman,
    InferenceResult,
    MeasureInference,
    MixedModel,
    Pair,
    RankPair,
    Unavailable,
)
from reportgen.stats.block_model import BlockModel, fit_block_model, has_residual_variance
from reportgen.stats.friedman import compare_rank_sums, friedman
from reportgen.stats.ranks import within_block_ranks
from reportgen.stats.relations import chain, unbeaten
from reportgen.stats.relevance import decide, equivalence_bound, is_significant
from reportgen.stats.simultaneous import Comparisons, all_pairs, tukey
from reportgen.stats.sphericity import greenhouse_geisser
from reportgen.study.manifest import AnalysisOptions
from reportgen.warehouse import Measure, Performances, Target, Warehouse

__all__ = [
    "EqualityTest",
    "Friedman",
    "InferenceResult",
    "MeasureInference",
    "MixedModel",
    "Options",
    "Pair",
    "RankPair",
    "analyse",
    "applies",
]


class Options(AnalysisOptions):
    """What a manifest may say under `inference`."""


@dataclass(frozen=True, slots=True)
class _Blocks:
    """The complete blocks of one measure, absent candidates left out."""

    measure: Measure
    target: Target
    candidates: tuple[str, ...]
    absent: tuple[str, ...]
    values: NDArray[np.float64]
    n_dropped: int
    means: NDArray[np.float64]

    @property
    def by_mean(self) -> list[int]:
        """Columns by their mean, best first."""
        signed = self.means if self.measure.is_smaller_better else -self.means
        return [int(k) for k in np.argsort(signed, kind="stable")]

    @property
    def unavailable(self) -> Unavailable | None:
        """Why the block model cannot be fitted."""
        if len(self.candidates) < 2:
            return "one-candidate"
        if len(self.values) < 2:
            return "too-few-blocks"
        return None if has_residual_variance(self.values) else "no-variation"


def applies(warehouse: Warehouse) -> bool:
    """Whether there are candidates to compare."""
    return len(warehouse.candidates) >= 2


def analyse(warehouse: Warehouse, options: Options, rng: Generator) -> InferenceResult:
    """Compare the candidates on every measure of one data set.

    Parameters
    ----------
    warehouse : Warehouse
        Of one data set.
    options : Options
    rng : Generator
        Not used: nothing here is random.

    Returns
    -------
    dict of str to MeasureInference
        Measures without any value are left out.
    """
    result = {}
    for dataset in warehouse.datasets:
        for measure in warehouse.measures:
            blocks = _blocks(warehouse.performances(dataset, measure.name), warehouse.target)
            if blocks.candidates:
                result[measure.name] = _infer(blocks, options)
    return result


def _blocks(performances: Performances, target: Target) -> _Blocks:
    """Leave out absent candidates, then incomplete blocks."""
    has_value = np.isfinite(performances.values)
    is_present = has_value.any(axis=0)
    values = np.where(has_value, performances.values, np.nan)[:, is_present]
    complete = values[has_value[:, is_present].all(axis=1)]
    names = np.array(performances.candidates, dtype=object)
    return _Blocks(
        performances.measure,
        target,
        tuple(names[is_present]),
        tuple(names[~is_present]),
        complete,
        len(values) - len(complete),
        complete.mean(axis=0) if len(complete) else np.nanmean(values, axis=0),
    )


def _infer(blocks: _Blocks, options: Options) -> MeasureInference:
    """Compute everything that is concluded about one measure."""
    area = options.relevance.get(blocks.measure.name)
    names = blocks.candidates
    ranks = within_block_ranks(blocks.values, blocks.measure.is_smaller_better)
    has_ranks = len(names) >= 2 and len(ranks) > 0
    without_model = MeasureInference(
        measure=blocks.measure,
        alpha=options.alpha,
        relevance=area,
        target=blocks.target,
        unavailable=blocks.unavailable,
        n_blocks=len(blocks.values),
        n_dropped=blocks.n_dropped,
        absent=blocks.absent,
        friedman=_friedman(ranks, blocks.target) if has_ranks else None,
        rank_sums=_by_name(names, ranks.sum(axis=0)) if has_ranks else None,
        rank_pairs=_rank_pairs(ranks, blocks) if has_ranks else (),
        mixed_model=None,
        pairs=(),
        critical_value=None,
        sphericity=_sphericity(blocks.values),
        order=tuple(names[k] for k in blocks.by_mean),
        leaders=(),
        groups=None,
        candidates=names,
    )
    if without_model.unavailable:
        return without_model
    return _with_model(without_model, blocks, options)


def _with_model(found: MeasureInference, blocks: _Blocks, options: Options) -> MeasureInference:
    """Add the block model and what follows from it."""
    model = fit_block_model(blocks.values)
    estimates = model.estimates
    if options.df == "asymptotic":
        estimates = replace(estimates, df=inf)
    compared = tukey(estimates, options.alpha)
    pairs = _pairs(compared, blocks, found.relevance)
    incidence = _significantly_better(pairs, blocks.candidates)
    groups = chain(incidence)
    return replace(
        found,
        mixed_model=_mixed_model(model, blocks),
        pairs=pairs,
        critical_value=compared.critical_value,
        leaders=_named(unbeaten(incidence), blocks),
        groups=None if groups is None else tuple(_named(group, blocks) for group in groups),
    )


def _friedman(ranks: NDArray[np.float64], target: Target) -> Friedman:
    """Test equality of the rank distributions."""
    test = friedman(ranks)
    return Friedman(test.statistic, test.df, test.p_value, test.log10_p_value, target)


def _rank_pairs(ranks: NDArray[np.float64], blocks: _Blocks) -> tuple[RankPair, ...]:
    """Compare all pairs of rank sums."""
    found = compare_rank_sums(ranks)
    names = blocks.candidates
    rows = zip(found.first, found.second, found.differences, found.p_values, strict=True)
    return tuple(
        RankPair(names[i], names[j], float(difference), float(p), blocks.target)
        for i, j, difference, p in rows
    )


def _sphericity(values: NDArray[np.float64]) -> float | None:
    """Return the Greenhouse-Geisser epsilon where it is defined."""
    if min(values.shape) < 2 or not has_residual_variance(values):
        return None
    epsilon = greenhouse_geisser(values)
    return None if isnan(epsilon) else epsilon


def _mixed_model(model: BlockModel, blocks: _Blocks) -> MixedModel:
    """Name the estimates of the block model."""
    names, equality = blocks.candidates, model.equality
    return MixedModel(
        coefficients=_by_name(names, model.means),
        standard_errors=dict.fromkeys(names, model.standard_error),
        sigma=model.variance**0.5,
        sigma_block=model.block_variance**0.5,
        reml_criterion=model.reml_criterion,
        is_boundary=model.is_boundary,
        icc=model.icc,
        standard_error_df=model.standard_error_df,
        equality_test=EqualityTest(
            equality.statistic,
            equality.df1,
            equality.df2,
            equality.p_value,
            equality.log10_p_value,
            blocks.target,
        ),
    )


def _pairs(
    compared: Comparisons, blocks: _Blocks, area: tuple[float, float] | None
) -> tuple[Pair, ...]:
    """Decide on every pair of candidates."""
    indices = all_pairs(len(blocks.candidates)).tolist()
    return tuple(_pair(compared, row, i, j, blocks, area) for row, (i, j) in enumerate(indices))


def _pair(
    compared: Comparisons,
    row: int,
    i: int,
    j: int,
    blocks: _Blocks,
    area: tuple[float, float] | None,
) -> Pair:
    """Put together what is known of candidates i and j."""
    smaller = blocks.measure.is_smaller_better
    estimate, lower, upper = (
        float(bound[row]) for bound in (compared.estimates, compared.lower, compared.upper)
    )
    first, second = blocks.candidates[i], blocks.candidates[j]
    significant = is_significant(lower, upper)
    favoured = first if (estimate < 0) is smaller else second
    wins, ties, losses = _win_tie_loss(blocks.values[:, i], blocks.values[:, j], smaller)
    return Pair(
        first=first,
        second=second,
        estimate=estimate,
        standard_error=float(compared.standard_errors[row]),
        statistic=float(compared.statistics[row]),
        lower=lower,
        upper=upper,
        p_value=float(compared.p_values[row]),
        df=None if isinf(compared.df) else compared.df,
        method="tukey",
        variance="pooled",
        target=blocks.target,
        significant=significant,
        decision=decide(lower, upper, area, smaller),
        primary=True,
        wins=wins,
        ties=ties,
        losses=losses,
        equivalence_bound=equivalence_bound(lower, upper),
        favoured=favoured if significant else None,
    )


def _win_tie_loss(
    first: NDArray[np.float64], second: NDArray[np.float64], is_smaller_better: bool
) -> tuple[int, int, int]:
    """Count the blocks in which first is better, equal and worse."""
    smaller, larger = int((first < second).sum()), int((first > second).sum())
    wins, losses = (smaller, larger) if is_smaller_better else (larger, smaller)
    return wins, len(first) - wins - losses, losses


def _significantly_better(
    pairs: tuple[Pair, ...], candidates: tuple[str, ...]
) -> NDArray[np.bool_]:
    """Return the relation of the significant pairs, shape (K, K)."""
    place = {name: k for k, name in enumerate(candidates)}
    incidence = np.zeros((len(candidates), len(candidates)), dtype=np.bool_)
    for pair in pairs:
        if pair.favoured is not None:
            beaten = pair.second if pair.favoured == pair.first else pair.first
            incidence[place[pair.favoured], place[beaten]] = True
    return incidence


def _named(columns: list[int], blocks: _Blocks) -> tuple[str, ...]:
    """Return the names of some columns, best mean first."""
    return tuple(blocks.candidates[k] for k in blocks.by_mean if k in columns)


def _by_name(names: tuple[str, ...], values: NDArray[np.float64]) -> dict[str, float]:
    """Pair names with numbers."""
    return dict(zip(names, values.tolist(), strict=True))
