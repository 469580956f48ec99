"""What is left of the block model: whether its assumptions stand."""

from __future__ import annotations

from math import isfinite, sqrt

import numpy as np
from numpy.random import Generator

from reportgen.sections.inference.blocks import Blocks
from reportgen.sections.inference.result import Diagnostics, MixedModel, Normality, Spread
from reportgen.stats.blocks.diagnostics import NormalPlot, diagnose
from reportgen.stats.blocks.variances import candidate_variances
from reportgen.warehouse import Target

N_DRAWS = 199  # simulated studies; the test is exact with any number of them


def diagnostics_of(
    blocks: Blocks, model: MixedModel, alpha: float, rng: Generator
) -> Diagnostics | None:
    """Return residuals, block effects and how candidates scatter.

    Parameters
    ----------
    blocks : Blocks
        To which the model was fitted.
    model : MixedModel
    alpha : float
        Of the bands of the normal plots.
    rng : Generator
        For studies simulated from the model.

    Returns
    -------
    Diagnostics or None
        None where alpha is too small for the simulated studies.
    """
    if alpha * (N_DRAWS + 1) < 1 or len(blocks.used) < 2:
        return None
    found = diagnose(blocks.used, model.sigma**2, model.sigma_block**2, rng, alpha, n_draws=N_DRAWS)
    kept = found.predictions
    return Diagnostics(
        residuals=_normality(found.residual_plot, blocks.target),
        blocks=_normality(found.block_plot, blocks.target) if found.block_plot else None,
        block_effects=tuple(kept.block_effects.tolist()),
        spread=_spread(blocks),
        fitted=kept.fitted,
        residual_values=kept.residuals,
    )


def _normality(plot: NormalPlot, target: Target) -> Normality:
    return Normality(plot.n_values, plot.n_outside, plot.p_value, target, plot)


def _spread(blocks: Blocks) -> Spread | None:
    """Compare the candidates' own variances on complete replications."""
    if len(blocks.complete) < 3:
        return None
    found = candidate_variances(blocks.complete)
    if not isfinite(found.p_value):
        return None
    deviations = [sqrt(v) if v >= 0 else None for v in np.asarray(found.variances).tolist()]
    return Spread(
        standard_deviations=dict(zip(blocks.candidates, deviations, strict=True)),
        ratio=found.ratio if isfinite(found.ratio) else None,
        statistic=found.statistic if isfinite(found.statistic) else None,
        df1=found.df1,
        df2=found.df2,
        p_value=found.p_value,
        method=found.method,
        target=blocks.target,
    )
