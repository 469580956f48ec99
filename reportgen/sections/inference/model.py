"""The random block model of one measure: its blocks, its comparisons and its diagnostics.

Blocks may have gaps.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite, sqrt

import numpy as np
from numpy.random import Generator

from reportgen.data_classes import dataclass
from reportgen.sections.inference.result import (
    Diagnostics,
    MixedModel,
    Normality,
    ScaleTest,
    Unavailable,
)
from reportgen.stats.arrays import Array
from reportgen.stats.blocks.cross_products import connected_candidates
from reportgen.stats.blocks.diagnostics import NormalPlot, diagnose
from reportgen.stats.blocks.incomplete import (
    IncompleteBlockModel,
    fit_incomplete_blocks,
    has_residual_variance,
    residual_df,
)
from reportgen.stats.blocks.model import BlockModel, EqualityTest, fit_block_model
from reportgen.stats.blocks.variances import candidate_variances, variance_intervals
from reportgen.stats.multiplicity.simultaneous import max_abs_t_pairs, tukey
from reportgen.stats.pair_table import PairTable
from reportgen.study.schema.options import AnalysisOptions
from reportgen.targets import Target
from reportgen.warehouse import Performances


def parts_of(blocks: Performances) -> tuple[tuple[str, ...], ...]:
    """Return the candidates, parted where no replication links them, directly or through others."""
    labels = connected_candidates(blocks.observed)
    return tuple(blocks.named(np.flatnonzero(labels == part)) for part in np.unique(labels))


def unavailable(blocks: Performances, n_parts: int | None = None) -> Unavailable | None:
    """Return why no pair can be compared; `n_parts`: of `parts_of`, where they are known."""
    if len(blocks.candidates) < 2:
        return "one-candidate"
    if blocks.unit.is_summary:
        return None if (blocks.deviations > 0).sum() >= 2 else "too-few-blocks"
    if blocks.n_used < 2:
        return "too-few-blocks"
    if blocks.unit.is_contest:
        n_parts = len(parts_of(blocks)) if n_parts is None else n_parts
        return None if n_parts == 1 else "too-few-values"
    if not blocks.unit.is_paired:
        return None
    observed = blocks.observed.astype(np.int_)
    shared = observed.T @ observed
    return None if np.triu(shared, 1).max() >= 2 else "too-few-values"


def has_model(blocks: Performances) -> bool:
    """Whether the block model has a residual variance that can be estimated."""
    is_fitted = len(blocks.used) >= 2 and residual_df(blocks.observed) >= 1
    return is_fitted and has_residual_variance(blocks.used)


@dataclass(frozen=True, slots=True)
class BlockModelFit:
    """A block model with the comparisons by its pooled variance."""

    model: MixedModel
    means: Array  # shape (K,)
    pairs: PairTable


def model_blocks(
    blocks: Performances, options: AnalysisOptions, rng: Generator, *, has_intervals: bool
) -> BlockModelFit | None:
    """Fit the block model to all values and compare all pairs.

    `rng`: for the critical values of designs with gaps.
    `has_intervals`: whether variances and the intraclass correlation get intervals, which no
    verdict needs.
    Result: None where no variance is left to estimate, or the gaps leave a pair with less than one
    degree of freedom.
    """
    if not has_model(blocks):
        return None
    found = _with_gaps(blocks, options, rng) if blocks.has_gaps else _complete(blocks, options)
    if found is None or not has_intervals:
        return found
    return replace(found, model=_with_intervals(found.model, blocks, options.alpha))


def _complete(blocks: Performances, options: AnalysisOptions) -> BlockModelFit:
    """Use the closed forms of complete blocks."""
    found = fit_block_model(blocks.complete)
    asymptotic = options.df == "asymptotic"
    estimates = replace(found.estimates, df=inf) if asymptotic else found.estimates
    n_candidates = len(blocks.candidates)
    errors = np.full(n_candidates, found.standard_error)
    dfs = np.full(n_candidates, found.standard_error_df)
    model = _mixed_model(found, blocks, errors, dfs)
    return BlockModelFit(model, found.means, tukey(estimates, options.alpha))


def _with_gaps(
    blocks: Performances, options: AnalysisOptions, rng: Generator
) -> BlockModelFit | None:
    """Use all available values."""
    found = fit_incomplete_blocks(blocks.used)
    if not found.estimates.df >= 1:
        return None
    asymptotic = options.df == "asymptotic"
    estimates = found.asymptotic if asymptotic else found.estimates
    dfs = np.full(len(found.pair_df), np.nan) if asymptotic else found.pair_df
    model = _mixed_model(found, blocks, found.standard_errors, found.standard_error_df)
    return BlockModelFit(
        model, found.means, replace(max_abs_t_pairs(estimates, options.alpha, rng), df=dfs)
    )


def _mixed_model(
    found: BlockModel | IncompleteBlockModel,
    blocks: Performances,
    errors: Array,
    dfs: Array,
) -> MixedModel:
    """Name the estimates of a block model."""
    return MixedModel(
        coefficients=by_name(blocks, found.means),
        standard_errors=by_name(blocks, errors),
        n_values=dict(zip(blocks.candidates, blocks.observed.sum(axis=0).tolist(), strict=True)),
        sigma=found.variance**0.5,
        sigma_block=found.block_variance**0.5,
        reml_criterion=found.reml_criterion,
        is_boundary=found.is_boundary,
        icc=found.icc,
        standard_error_df=by_name(blocks, dfs),
        equality_test=_equality(found.equality, blocks),
        df_method="kenward-roger" if blocks.has_gaps else "exact",
    )


def _with_intervals(model: MixedModel, blocks: Performances, alpha: float) -> MixedModel:
    """Add intervals of both standard deviations and of the intraclass correlation."""
    try:
        found = variance_intervals(blocks.used, alpha)
    except ValueError:  # a variance without degrees of freedom, or an alpha near 0
        return model
    (low, high), (least, most) = found.variance, found.block_variance
    return replace(
        model,
        sigma_interval=(sqrt(low), sqrt(high)),
        sigma_block_interval=(sqrt(least), sqrt(most)),
        icc_interval=found.icc,
    )


def _equality(found: EqualityTest | None, blocks: Performances) -> EqualityTest | None:
    """Name the target of the F test, where there is one."""
    if found is None or not isfinite(found.statistic):
        return None
    return replace(found, target=blocks.target)


def by_name(blocks: Performances, values: Array) -> dict[str, float]:
    """Pair the candidates' names with numbers."""
    return dict(zip(blocks.candidates, values.tolist(), strict=True))


N_DRAWS = 199  # simulated studies; the test is exact with any number of them


def diagnostics_of(
    blocks: Performances, model: MixedModel, alpha: float, rng: Generator
) -> Diagnostics | None:
    """Return residuals, block effects and how candidates scatter.

    `blocks`: to which the model was fitted.
    `alpha`: of the bands of the normal plots.
    `rng`: for studies simulated from the model.
    Result: None where alpha is too small for the simulated studies.
    """
    if alpha * (N_DRAWS + 1) < 1 or len(blocks.used) < 2:
        return None
    found = diagnose(blocks.used, model.sigma**2, model.sigma_block**2, rng, alpha, n_draws=N_DRAWS)
    return Diagnostics(
        residuals=_normality(found.residual_plot, blocks.target),
        blocks=_normality(found.block_plot, blocks.target) if found.block_plot else None,
        block_effects=tuple(found.predictions.block_effects.tolist()),
        spread=_spread(blocks),
        fitted_of=_columns(blocks, found.predictions.fitted),
        residuals_of=_columns(blocks, found.predictions.residuals),
    )


def _columns(blocks: Performances, cells: Array) -> dict[str, tuple[float, ...]]:
    """Pair the candidates' names with columns of a matrix."""
    return dict(zip(blocks.candidates, map(tuple, cells.T.tolist()), strict=True))


def _normality(plot: NormalPlot, target: Target) -> Normality:
    return Normality(plot.n_values, plot.n_outside, plot.p_value, target)


def _spread(blocks: Performances) -> ScaleTest | None:
    """Compare the candidates' own variances on complete replications."""
    if len(blocks.complete) < 3:
        return None
    found = candidate_variances(blocks.complete)
    if not isfinite(found.p_value):
        return None
    deviations = [sqrt(v) if v >= 0 else None for v in np.asarray(found.variances).tolist()]
    return ScaleTest(
        standard_deviations=dict(zip(blocks.candidates, deviations, strict=True)),
        ratio=found.ratio if isfinite(found.ratio) else None,
        statistic=found.statistic if isfinite(found.statistic) else None,
        df1=found.df1,
        df2=found.df2,
        p_value=found.p_value,
        method=found.method,
        target=blocks.target,
    )
