"""The random block model of one measure and its comparisons, with and without gaps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isfinite, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.inference.blocks import Blocks
from reportgen.sections.inference.result import EqualityTest, MixedModel
from reportgen.stats.blocks.incomplete import IncompleteBlockModel, fit_incomplete_blocks
from reportgen.stats.blocks.model import BlockModel, EqualityF, fit_block_model
from reportgen.stats.blocks.variances import variance_intervals
from reportgen.stats.multiplicity.simultaneous import max_t, tukey
from reportgen.stats.pair_table import PairTable
from reportgen.study.manifest import AnalysisOptions

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Modelled:
    """A block model with the comparisons by its pooled variance.

    Attributes
    ----------
    model : MixedModel
    means : ndarray of shape (K,)
    pairs : PairTable
    """

    model: MixedModel
    means: Array
    pairs: PairTable


def model_blocks(blocks: Blocks, options: AnalysisOptions, rng: Generator) -> Modelled | None:
    """Fit the block model to all values and compare all pairs.

    Parameters
    ----------
    blocks : Blocks
    options : AnalysisOptions
    rng : Generator
        For the critical values of designs with gaps.

    Returns
    -------
    Modelled or None
        None where no variance is left to estimate, or the gaps leave a pair with
        less than one degree of freedom.
    """
    if not blocks.has_model:
        return None
    return _with_gaps(blocks, options, rng) if blocks.has_gaps else _complete(blocks, options)


def _complete(blocks: Blocks, options: AnalysisOptions) -> Modelled:
    """Use the closed forms of complete blocks."""
    found = fit_block_model(blocks.complete)
    asymptotic = options.df == "asymptotic"
    estimates = replace(found.estimates, df=inf) if asymptotic else found.estimates
    n_candidates = len(blocks.candidates)
    errors = np.full(n_candidates, found.standard_error)
    dfs = np.full(n_candidates, found.standard_error_df)
    model = _mixed_model(found, blocks, errors, dfs, options.alpha)
    return Modelled(model, found.means, tukey(estimates, options.alpha))


def _with_gaps(blocks: Blocks, options: AnalysisOptions, rng: Generator) -> Modelled | None:
    """Use all available values."""
    found = fit_incomplete_blocks(blocks.used)
    if not found.estimates.df >= 1:
        return None
    asymptotic = options.df == "asymptotic"
    estimates = found.asymptotic if asymptotic else found.estimates
    dfs = np.full(len(found.pair_df), np.nan) if asymptotic else found.pair_df
    model = _mixed_model(
        found, blocks, found.standard_errors, found.standard_error_df, options.alpha
    )
    return Modelled(model, found.means, replace(max_t(estimates, options.alpha, rng), df=dfs))


def _mixed_model(
    found: BlockModel | IncompleteBlockModel,
    blocks: Blocks,
    errors: Array,
    dfs: Array,
    alpha: float,
) -> MixedModel:
    """Name the estimates of a block model."""
    sigma, sigma_block, icc = _intervals(blocks, alpha)
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
        sigma_interval=sigma,
        sigma_block_interval=sigma_block,
        icc_interval=icc,
    )


def _intervals(blocks: Blocks, alpha: float) -> tuple[tuple[float, float] | None, ...]:
    """Return intervals of both standard deviations and of the intraclass correlation."""
    try:
        found = variance_intervals(blocks.used, alpha)
    except ValueError:  # a variance without degrees of freedom
        return None, None, None
    roots = [(sqrt(low), sqrt(high)) for low, high in (found.variance, found.block_variance)]
    return *roots, found.icc


def _equality(found: EqualityF | None, blocks: Blocks) -> EqualityTest | None:
    """Name the target of the F test, where there is one."""
    if found is None or not isfinite(found.statistic):
        return None
    return EqualityTest(
        found.statistic, found.df1, found.df2, found.p_value, found.log10_p_value, blocks.target
    )


def by_name(blocks: Blocks, values: Array) -> dict[str, float]:
    """Pair the candidates' names with numbers."""
    return dict(zip(blocks.candidates, values.tolist(), strict=True))
