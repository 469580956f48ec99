"""The block model of one measure and its comparisons, with and without gaps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isfinite

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.inference.blocks import Blocks
from reportgen.sections.inference.result import EqualityTest, MixedModel
from reportgen.stats.block_model import BlockModel, EqualityF, fit_block_model
from reportgen.stats.incomplete_blocks import IncompleteBlockModel, fit_incomplete_blocks
from reportgen.stats.simultaneous import Comparisons, max_t, tukey, tukey_kramer
from reportgen.study.manifest import AnalysisOptions

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Modelled:
    """A block model with its simultaneous comparisons.

    Attributes
    ----------
    model : MixedModel
    means : ndarray of shape (K,)
    compared : Comparisons
    pair_df : tuple of float or None, P of them
        None for the normal law.
    tukey_kramer_value : float or None
        With gaps.
    """

    model: MixedModel
    means: Array
    compared: Comparisons
    pair_df: tuple[float | None, ...]
    tukey_kramer_value: float | None


def model_blocks(blocks: Blocks, options: AnalysisOptions, rng: Generator) -> Modelled | None:
    """Fit the block model to all values and compare all pairs.

    Returns
    -------
    Modelled or None
        None where the gaps leave a pair with less than one degree of freedom.
    """
    return _with_gaps(blocks, options, rng) if blocks.has_gaps else _complete(blocks, options)


def _complete(blocks: Blocks, options: AnalysisOptions) -> Modelled:
    """Use the closed forms of complete blocks."""
    found = fit_block_model(blocks.complete)
    asymptotic = options.df == "asymptotic"
    estimates = replace(found.estimates, df=inf) if asymptotic else found.estimates
    compared = tukey(estimates, options.alpha)
    pair_df = None if asymptotic else found.estimates.df
    n_candidates = len(blocks.candidates)
    return Modelled(
        _mixed_model(
            found,
            blocks,
            np.full(n_candidates, found.standard_error),
            np.full(n_candidates, found.standard_error_df),
        ),
        found.means,
        compared,
        (pair_df,) * len(compared.estimates),
        None,
    )


def _with_gaps(blocks: Blocks, options: AnalysisOptions, rng: Generator) -> Modelled | None:
    """Use all available values."""
    found = fit_incomplete_blocks(blocks.used)
    if not found.estimates.df >= 1:
        return None
    asymptotic = options.df == "asymptotic"
    estimates = found.asymptotic if asymptotic else found.estimates
    compared = max_t(estimates, options.alpha, rng)
    pair_df = tuple(None if asymptotic else df for df in found.pair_df.tolist())
    return Modelled(
        _mixed_model(found, blocks, found.standard_errors, found.standard_error_df),
        found.means,
        compared,
        pair_df,
        tukey_kramer(estimates, options.alpha).critical_value,
    )


def _mixed_model(
    found: BlockModel | IncompleteBlockModel, blocks: Blocks, errors: Array, dfs: Array
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
