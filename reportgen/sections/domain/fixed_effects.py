"""The model with data sets as fixed effects (Eugster, Hothorn and Leisch 2008, 4.3).

Every candidate has a mean on every data set; replications inside a data set are blocks. Nothing
is a sample but the replications, so that decisions speak of these data sets, given their data.
Least squares by statsmodels, which is imported where this model is asked for.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.random import Generator

from reportgen.data_classes import dataclass
from reportgen.sections.domain import Options
from reportgen.sections.domain.basis import DomainBasis
from reportgen.sections.domain.data import DomainValues, select_model_data
from reportgen.sections.domain.result import AnovaRow, FixedEffectsFit
from reportgen.stats.arrays import Array
from reportgen.stats.distributions.tails import log_f_survival, probability
from reportgen.stats.domain.comparison import is_balanced, matrix_of_means
from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.multiplicity.simultaneous import max_abs_t_pairs, tukey
from reportgen.stats.verdict import Verdict

log = logging.getLogger("reportgen")


@dataclass(frozen=True, slots=True)
class LeastSquares:
    """Least squares inside the replications: effects against the first candidate."""

    effects: Array  # (K,), the first is 0
    covariance: Array  # (K, K), without the variance of the residuals
    squares: float  # what is left, summed
    df: int  # of it


def fit_fixed_effects(
    all_values: DomainValues, options: Options, rng: Generator
) -> FixedEffectsFit | None:
    """Fit the model to one measure.

    `rng`: for the law of all pairs, where there are gaps.
    Result: None where replications make no domain model, or a data set has too few values to
    estimate every candidate on it.
    """
    values, basis = select_model_data(all_values, options)
    if basis.unavailable or basis.model != "mixed-model" or basis.missing_by_dataset:
        log.info("no model with fixed data sets: not every data set has replications of all")
        return None
    each = [_least_squares([own]) for own in values]
    together = _least_squares(values)
    found = [own for own in each if own is not None]
    if together is None or len(found) < len(each):
        log.info("no model with fixed data sets: gaps leave a candidate's mean open on one")
        return None
    squares, df = sum(own.squares for own in found), sum(own.df for own in found)
    if df < 1 or squares <= 0:
        log.info("no model with fixed data sets: nothing varies beside what it explains")
        return None
    return _fit(values, basis, found, together, squares / df, df, options, rng)


def _fit(
    values: Sequence[Array],
    basis: DomainBasis,
    each: Sequence[LeastSquares],
    together: LeastSquares,
    variance: float,
    df: int,
    options: Options,
    rng: Generator,
) -> FixedEffectsFit:
    """Decide on every pair of the data sets' average, and test the terms of the model."""
    # `each`, `together`: of each data set, and without interactions.
    # `variance`, `df`: of the residuals.
    names, n = basis.candidates, len(values)
    levels = np.array([_level(x, own.effects) for x, own in zip(values, each, strict=True)])
    effects = np.mean([own.effects for own in each], axis=0)
    unscaled = np.sum([own.covariance for own in each], axis=0) / n**2
    estimates = ParameterEstimates(levels.mean() + effects, variance * unscaled, df)
    pairs = tukey(estimates, options.alpha) if is_balanced(values) else None
    pairs = pairs or max_abs_t_pairs(estimates, options.alpha, rng)
    smaller = basis.measure.is_smaller_better
    pairs = (
        pairs.counted(matrix_of_means(values), smaller)
        .named(names, "conditional", smaller)
        .decided(basis.relevance)
    )
    own = _anova(values, effects, unscaled, (sum(x.squares for x in each), df), together)
    blocks = next((row for row in own if row.source == "replication"), None)
    residual = own[-1].mean_square
    return FixedEffectsFit(
        verdict=Verdict(
            measure=basis.measure,
            alpha=basis.alpha,
            relevance=basis.relevance,
            target="conditional",
            method="fixed-datasets",
            pairs=pairs,
            means=dict(zip(names, estimates.coef.tolist(), strict=True)),
            is_area_given=basis.relevance is not None,
        ),
        datasets=basis.datasets,
        n_parameters=n * len(names),
        anova=own,
        residual_deviation=sqrt(residual),
        replication_deviation=None
        if blocks is None
        else sqrt(max(blocks.mean_square - residual, 0.0) / len(names)),
    )


def _least_squares(values: Sequence[Array]) -> LeastSquares | None:
    """Fit one effect of each candidate to the values, each replication of a data set a block."""
    # Result: None where gaps leave an effect open.
    from statsmodels.regression.linear_model import OLS

    blocks = np.concatenate(values)
    blocks = blocks[np.isfinite(blocks).sum(axis=1) > 1]
    known = np.isfinite(blocks)
    row, candidate = np.nonzero(known)
    size = known.sum(axis=1)
    response = blocks[known] - (np.nansum(blocks, axis=1) / size)[row]
    columns = (candidate[:, None] == np.arange(1, known.shape[1])).astype(np.float64)
    design = columns - (known[:, 1:] / size[:, None])[row]
    if not len(design) or np.linalg.matrix_rank(design) < design.shape[1]:
        return None
    model = OLS(response, design, hasconst=False)
    model.df_resid = len(response) - len(blocks) - design.shape[1]  # a mean of each block is gone
    fitted = model.fit(method="qr")
    effects = np.concatenate([[0.0], fitted.params])
    covariance = np.zeros((len(effects), len(effects)))
    covariance[1:, 1:] = fitted.normalized_cov_params
    return LeastSquares(effects, covariance, float(fitted.ssr), int(model.df_resid))


def _level(values: Array, effects: Array) -> float:
    """Return the mean of a data set's replications, candidates' effects apart."""
    return float(np.nanmean(values - effects, axis=1).mean())


def _anova(
    values: Sequence[Array],
    effects: Array,
    unscaled: Array,
    residual: tuple[float, int],
    together: LeastSquares,
) -> tuple[AnovaRow, ...]:
    """Test the terms: candidates' average effects, interactions, data sets over replications."""
    # Data sets and replications have rows where no value lacks: with gaps their means hold other
    # candidates.
    squares, df = residual
    n, k = len(values), len(effects)
    error = squares / df
    wald = float(effects[1:] @ np.linalg.solve(unscaled[1:, 1:], effects[1:]))
    rows = [
        _row("candidate", wald, k - 1, error, df),
        _row("interaction", together.squares - squares, (n - 1) * (k - 1), error, df),
    ]
    if all(np.isfinite(x).all() for x in values):
        means = [x.mean(axis=1) for x in values]
        grand = float(np.concatenate(means).mean())
        between = k * sum(len(x) * (float(x.mean()) - grand) ** 2 for x in means)
        inside = k * sum(float(((x - x.mean()) ** 2).sum()) for x in means)
        df_inside = sum(len(x) - 1 for x in means)
        of_blocks = inside / df_inside
        rows.insert(0, _row("dataset", between, n - 1, of_blocks, df_inside))
        rows.append(_row("replication", inside, df_inside, error, df))
    return (*rows, AnovaRow("residual", df, squares, error, None, None))


def _row(source: str, squares: float, df: int, error: float, df_error: int) -> AnovaRow:
    """Hold a term's mean square against another."""
    squares = max(squares, 0.0)  # rounding
    mean = squares / df
    if not error > 0:
        return AnovaRow(source, df, squares, mean, None, None)
    statistic = mean / error
    return AnovaRow(
        source, df, squares, mean, statistic, probability(log_f_survival(statistic, df, df_error))
    )
