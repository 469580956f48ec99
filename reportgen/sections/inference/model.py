"""The block model of one measure and its comparisons, with and without gaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, isfinite, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.inference.blocks import Blocks
from reportgen.sections.inference.result import EqualityTest, MixedModel
from reportgen.stats.block_model import BlockModel, EqualityF, fit_block_model
from reportgen.stats.incomplete_blocks import IncompleteBlockModel, fit_incomplete_blocks
from reportgen.stats.pairwise_variance import PairwiseVariance, compare_pairwise
from reportgen.stats.parameters import ParameterEstimates
from reportgen.stats.simultaneous import Comparisons, max_t, tukey, tukey_kramer
from reportgen.stats.variance_intervals import variance_intervals
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
    lenient : Comparisons or None
        The same at twice the error probability, where there is an area of
        equivalence: two one-sided tests.
    own : PairwiseVariance or None
        The complete replications with each pair's own variance; None with
        fewer than two of them.
    uses_own : bool
        Whether decisions rest on `own`.
    """

    model: MixedModel
    means: Array
    compared: Comparisons
    pair_df: tuple[float | None, ...]
    tukey_kramer_value: float | None
    lenient: Comparisons | None = None
    own: PairwiseVariance | None = None
    uses_own: bool = False

    @property
    def chosen(self) -> Comparisons:
        """The comparisons that decisions rest on."""
        return self.own.comparisons if self.own and self.uses_own else self.compared


def model_blocks(
    blocks: Blocks, options: AnalysisOptions, rng: Generator, own_stream: Callable[[], Generator]
) -> Modelled | None:
    """Fit the block model to all values and compare all pairs.

    Parameters
    ----------
    blocks : Blocks
    options : AnalysisOptions
    rng : Generator
        For the critical values of designs with gaps.
    own_stream : callable
        Makes, each time anew, the generator for those of pairwise variances.

    Returns
    -------
    Modelled or None
        None where the gaps leave a pair with less than one degree of freedom.
    """
    found = _with_gaps(blocks, options, rng) if blocks.has_gaps else _complete(blocks, options)
    if found is None or len(blocks.complete) < 2:
        return found
    uses_own = options.variance == "own" and not blocks.has_gaps
    own = _own(blocks.complete, options, options.alpha, own_stream())
    if uses_own and found.lenient is not None:
        lenient = _own(blocks.complete, options, 2 * options.alpha, own_stream()).comparisons
        found = replace(found, lenient=lenient)
    if uses_own:
        df = own.comparisons.df if isfinite(own.comparisons.df) else None
        found = replace(found, pair_df=(df,) * len(found.pair_df))
    return replace(found, own=own, uses_own=uses_own)


def _own(values: Array, options: AnalysisOptions, alpha: float, rng: Generator) -> PairwiseVariance:
    """Compare complete replications with each pair's own variance."""
    found = compare_pairwise(values, alpha, rng)
    if options.df != "asymptotic" or not found.is_joint:
        return found
    covariance = np.cov(values, rowvar=False) / len(values)
    estimates = ParameterEstimates(values.mean(axis=0), covariance, inf)
    return replace(found, comparisons=max_t(estimates, alpha, rng))


def _is_lenient(blocks: Blocks, options: AnalysisOptions) -> bool:
    """Whether intervals of two one-sided tests are wanted."""
    return blocks.measure.name in options.relevance and 2 * options.alpha < 1


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
            options.alpha,
        ),
        found.means,
        compared,
        (pair_df,) * len(compared.estimates),
        None,
        tukey(estimates, 2 * options.alpha) if _is_lenient(blocks, options) else None,
    )


def _with_gaps(blocks: Blocks, options: AnalysisOptions, rng: Generator) -> Modelled | None:
    """Use all available values."""
    found = fit_incomplete_blocks(blocks.used)
    if not found.estimates.df >= 1:
        return None
    asymptotic = options.df == "asymptotic"
    estimates = found.asymptotic if asymptotic else found.estimates
    compared = max_t(estimates, options.alpha, rng)
    is_lenient = _is_lenient(blocks, options)
    pair_df = tuple(None if asymptotic else df for df in found.pair_df.tolist())
    return Modelled(
        _mixed_model(found, blocks, found.standard_errors, found.standard_error_df, options.alpha),
        found.means,
        compared,
        pair_df,
        tukey_kramer(estimates, options.alpha).critical_value,
        max_t(estimates, 2 * options.alpha, rng) if is_lenient else None,
    )


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
