"""The random block model of one measure: its blocks, its comparisons and its diagnostics.

Blocks may have gaps.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from math import inf, isfinite, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.inference.result import (
    Diagnostics,
    MixedModel,
    Normality,
    ScaleTest,
    Unavailable,
)
from reportgen.stats.arrays import Array
from reportgen.stats.blocks.cross_products import components
from reportgen.stats.blocks.diagnostics import NormalPlot, diagnose
from reportgen.stats.blocks.incomplete import (
    IncompleteBlockModel,
    fit_incomplete_blocks,
    has_residual_variance,
    residual_df,
)
from reportgen.stats.blocks.model import BlockModel, EqualityTest, fit_block_model
from reportgen.stats.blocks.variances import candidate_variances, variance_intervals
from reportgen.stats.multiplicity.simultaneous import max_abs_t, tukey
from reportgen.stats.pair_table import PairTable
from reportgen.stats.scaling import scaled, unusual_exponent
from reportgen.study.manifest import AnalysisOptions
from reportgen.targets import Target
from reportgen.units import REPLICATION, Unit
from reportgen.warehouse import Measure, Performances


@dataclass(frozen=True, slots=True)
class Blocks:
    """The values of one measure on one data set, absent candidates left out."""

    measure: Measure
    target: Target
    # candidates, absent: Those with a value, and those without any.
    candidates: tuple[str, ...]
    absent: tuple[str, ...]
    replications: NDArray[np.int64]  # shape (B,)
    values: Array  # (B, K); NaN where there is no value
    has_failed: NDArray[np.bool_]  # (B, K); cells without a value because of a failure
    # unit, clusters: As of `Performances`.
    unit: Unit = REPLICATION
    clusters: NDArray[np.int64] | None = None
    # deviations, n_values: Likewise; empty but of summaries.
    deviations: Array = field(default_factory=lambda: np.zeros(0))
    n_values: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    is_staged: bool = False  # whether candidates left an execution in stages

    @property
    def exponent(self) -> int:
        """The power of two by which the values are of unusual size; 0 where they are not."""
        return unusual_exponent(self.values)

    def rescaled(self, exponent: int) -> Blocks:
        """Return the blocks with values that are 2 to this power as large."""
        return replace(
            self,
            values=scaled(self.values, exponent),
            deviations=scaled(self.deviations, exponent),
        )

    def without(self, replications: Collection[int]) -> Blocks:
        """Return the blocks less some replications."""
        kept = ~np.isin(self.replications, list(replications))
        return replace(
            self,
            replications=self.replications[kept],
            values=self.values[kept],
            has_failed=self.has_failed[kept],
            clusters=None if self.clusters is None else self.clusters[kept],
        )

    @property
    def observed(self) -> NDArray[np.bool_]:
        """Shape (B, K): which cells have a value."""
        return np.isfinite(self.values)

    @property
    def complete(self) -> Array:
        """The rows without gaps."""
        return self.values[self.observed.all(axis=1)]

    @property
    def used(self) -> Array:
        """The rows with any value."""
        return self.values[self.observed.any(axis=1)]

    @property
    def n_used(self) -> int:
        """Rows with a value, or values that a mean of a summary is of, at most."""
        return int(self.n_values.max()) if self.unit.is_summary else len(self.used)

    @property
    def has_gaps(self) -> bool:
        """Whether a row that has a value lacks another."""
        return len(self.used) > len(self.complete)

    @property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """The candidates, parted where no replication links them, directly or through others."""
        labels = components(self.observed)
        return tuple(self.named(np.flatnonzero(labels == part)) for part in np.unique(labels))

    @property
    def unavailable(self) -> Unavailable | None:
        """Why no pair can be compared."""
        if len(self.candidates) < 2:
            return "one-candidate"
        if self.unit.is_summary:
            return None if (self.deviations > 0).sum() >= 2 else "too-few-blocks"
        if len(self.used) < 2:
            return "too-few-blocks"
        if self.unit.is_contest:
            return None if len(self.parts) == 1 else "too-few-values"
        if not self.unit.is_paired:
            return None
        observed = self.observed.astype(np.int_)
        shared = observed.T @ observed
        return None if np.triu(shared, 1).max() >= 2 else "too-few-values"

    @property
    def has_model(self) -> bool:
        """Whether the block model has a residual variance that can be estimated."""
        is_fitted = len(self.used) >= 2 and residual_df(self.observed) >= 1
        return is_fitted and has_residual_variance(self.used)

    def named(self, columns: NDArray[np.intp] | list[int]) -> tuple[str, ...]:
        """Return the names of some columns."""
        return tuple(self.candidates[k] for k in columns)


def blocks_of(performances: Performances, target: Target, *, is_staged: bool = False) -> Blocks:
    """Leave out candidates without any value."""
    has_value = np.isfinite(performances.values)
    is_present = has_value.any(axis=0)
    names = np.array(performances.candidates, dtype=object)
    measure = performances.measure
    if performances.unit.is_summary:  # which says nothing of geometric means
        measure = replace(measure, scale="difference")
    return Blocks(
        measure,
        target,
        tuple(names[is_present]),
        tuple(names[~is_present]),
        performances.replications,
        np.where(has_value, performances.values, np.nan)[:, is_present],
        performances.has_failed[:, is_present],
        performances.unit,
        performances.clusters,
        performances.deviations[is_present] if len(performances.deviations) else np.zeros(0),
        performances.n_values[is_present] if len(performances.n_values) else np.zeros(0, np.int64),
        is_staged,
    )


@dataclass(frozen=True, slots=True)
class BlockModelFit:
    """A block model with the comparisons by its pooled variance."""

    model: MixedModel
    means: Array  # shape (K,)
    pairs: PairTable


def model_blocks(
    blocks: Blocks, options: AnalysisOptions, rng: Generator, *, has_intervals: bool
) -> BlockModelFit | None:
    """Fit the block model to all values and compare all pairs.

    `rng`: for the critical values of designs with gaps.
    `has_intervals`: whether variances and the intraclass correlation get intervals, which no
    verdict needs.
    Result: None where no variance is left to estimate, or the gaps leave a pair with less than one
    degree of freedom.
    """
    if not blocks.has_model:
        return None
    found = _with_gaps(blocks, options, rng) if blocks.has_gaps else _complete(blocks, options)
    if found is None or not has_intervals:
        return found
    return replace(found, model=_with_intervals(found.model, blocks, options.alpha))


def _complete(blocks: Blocks, options: AnalysisOptions) -> BlockModelFit:
    """Use the closed forms of complete blocks."""
    found = fit_block_model(blocks.complete)
    asymptotic = options.df == "asymptotic"
    estimates = replace(found.estimates, df=inf) if asymptotic else found.estimates
    n_candidates = len(blocks.candidates)
    errors = np.full(n_candidates, found.standard_error)
    dfs = np.full(n_candidates, found.standard_error_df)
    model = _mixed_model(found, blocks, errors, dfs)
    return BlockModelFit(model, found.means, tukey(estimates, options.alpha))


def _with_gaps(blocks: Blocks, options: AnalysisOptions, rng: Generator) -> BlockModelFit | None:
    """Use all available values."""
    found = fit_incomplete_blocks(blocks.used)
    if not found.estimates.df >= 1:
        return None
    asymptotic = options.df == "asymptotic"
    estimates = found.asymptotic if asymptotic else found.estimates
    dfs = np.full(len(found.pair_df), np.nan) if asymptotic else found.pair_df
    model = _mixed_model(found, blocks, found.standard_errors, found.standard_error_df)
    return BlockModelFit(
        model, found.means, replace(max_abs_t(estimates, options.alpha, rng), df=dfs)
    )


def _mixed_model(
    found: BlockModel | IncompleteBlockModel,
    blocks: Blocks,
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


def _with_intervals(model: MixedModel, blocks: Blocks, alpha: float) -> MixedModel:
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


def _equality(found: EqualityTest | None, blocks: Blocks) -> EqualityTest | None:
    """Name the target of the F test, where there is one."""
    if found is None or not isfinite(found.statistic):
        return None
    return replace(found, target=blocks.target)


def by_name(blocks: Blocks, values: Array) -> dict[str, float]:
    """Pair the candidates' names with numbers."""
    return dict(zip(blocks.candidates, values.tolist(), strict=True))


N_DRAWS = 199  # simulated studies; the test is exact with any number of them


def diagnostics_of(
    blocks: Blocks, model: MixedModel, alpha: float, rng: Generator
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


def _columns(blocks: Blocks, cells: Array) -> dict[str, tuple[float, ...]]:
    """Pair the candidates' names with columns of a matrix."""
    return dict(zip(blocks.candidates, map(tuple, cells.T.tolist()), strict=True))


def _normality(plot: NormalPlot, target: Target) -> Normality:
    return Normality(plot.n_values, plot.n_outside, plot.p_value, target)


def _spread(blocks: Blocks) -> ScaleTest | None:
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
