"""What is left of the block model: residuals, block effects, and whether they are normal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.stats.block_sizes import SILENT
from reportgen.stats.normal_plot import NormalPlot, normal_plot, shown_places, standardised

Array = NDArray[np.float64]

N_DRAWS = 499  # simulated studies; the test of normality is exact with any number of them
N_DRAWS_LARGE = 99  # ... of more values than
LARGE = 5000
AT_ONCE = 2_000_000  # values of a batch of simulated studies


@dataclass(frozen=True, slots=True)
class Predictions:
    """What the block model makes of the values at given variances.

    Attributes
    ----------
    means : ndarray of shape (..., K)
        Generalised least squares estimates of the candidates' means.
    block_effects : ndarray of shape (..., B)
        Predictions (BLUP); 0 for a block without a value.
    residuals : ndarray of shape (..., B, K)
        Value less mean less block effect; NaN where there is no value.
    """

    means: Array
    block_effects: Array
    residuals: Array

    @property
    def fitted(self) -> Array:
        """Mean plus block effect of every cell, shape (..., B, K)."""
        return self.means[..., None, :] + self.block_effects[..., :, None]


@dataclass(frozen=True, slots=True)
class BlockDiagnostics:
    """Residuals and block effects of a fitted block model.

    Attributes
    ----------
    predictions : Predictions
    residual_plot : NormalPlot
    block_plot : NormalPlot or None
        Of the block effects; None where all are 0, the block variance being
        estimated as 0.
    """

    predictions: Predictions
    residual_plot: NormalPlot
    block_plot: NormalPlot | None


def predict(values: Array, ratio: float) -> Predictions:
    r"""Return means, block effects and residuals at a given ratio of variances.

    Parameters
    ----------
    values : ndarray of shape (..., B, K)
        NaN where there is no value, in the same cells for all leading indices;
        every candidate has one.
    ratio : float
        :math:`\lambda = \sigma_\beta^2 / \sigma^2`, not negative.

    Returns
    -------
    Predictions

    Raises
    ------
    ValueError
        If a candidate has no value or the ratio is negative.

    Notes
    -----
    With :math:`n_b` values of a block and the sum :math:`s_b` of their
    deviations from the candidates' means, its effect is
    :math:`\lambda s_b / (1 + \lambda n_b)`.

    Examples
    --------
    >>> found = predict(np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 5.0]]), ratio=3.0)
    >>> found.means, found.block_effects.round(4)
    (array([2., 4.]), array([-1.2857,  0.8571,  0.4286]))
    >>> found.residuals.round(4)
    array([[ 0.2857, -0.7143],
           [ 0.1429,  0.1429],
           [-0.4286,  0.5714]])
    """
    is_there = np.isfinite(values).reshape(-1, *values.shape[-2:])[0]
    if not is_there.any(axis=0).all():
        raise ValueError("every candidate needs a value")
    if not ratio >= 0:
        raise ValueError(f"the ratio of variances must not be negative, got {ratio}")
    design = is_there.astype(np.float64)
    sizes = design.sum(axis=1)
    shrinkage = ratio / (1 + ratio * sizes)
    sums = np.where(is_there, values, 0.0).sum(axis=-1)
    means = _generalised_means(values, is_there, sums, ratio)
    block_effects = shrinkage * (sums - means @ design.T)
    residuals = values - means[..., None, :] - block_effects[..., :, None]
    return Predictions(means, block_effects, residuals)


def _generalised_means(
    values: Array, is_there: NDArray[np.bool_], sums: Array, ratio: float
) -> Array:
    """Estimate the means from comparisons within blocks and, with a weight of their own, between.

    Axes along which blocks say nothing within them are known from between them alone: apart, they
    keep their digits however large the ratio is.
    """
    design = is_there.astype(np.float64)
    n = np.maximum(design.sum(axis=1), 1.0)
    weights = 1 / (n * (1 + ratio * n))
    deviations = np.where(is_there, values - (sums / n)[..., None], 0.0)
    lengths, axes = np.linalg.eigh(np.diag(design.sum(axis=0)) - (design.T / n) @ design)
    informs = lengths > SILENT * max(float(lengths[-1]), 1.0)
    turned = design @ axes
    information = np.diag(np.where(informs, lengths, 0.0)) + (turned.T * weights) @ turned
    scores = np.where(informs, deviations.sum(axis=-2) @ axes, 0.0) + (sums * weights) @ turned
    scale = 1 / np.sqrt(information.diagonal())
    inverse = np.linalg.inv(information * np.outer(scale, scale)) * np.outer(scale, scale)
    means: Array = scores @ inverse @ axes.T
    return means


def diagnose(
    values: Array,
    variance: float,
    block_variance: float,
    rng: Generator,
    alpha: float = 0.05,
    n_draws: int | None = None,
) -> BlockDiagnostics:
    """Return residuals and block effects of a fitted block model, and their normal plots.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        NaN where there is no value; every candidate has one.
    variance, block_variance : float
        As estimated from these values.
    rng : Generator
        For the studies that are simulated from the fitted model, cells missing
        as here, to find out how far their residuals stray.
    alpha : float, default 0.05
        Of the bands.
    n_draws : int, optional
        Simulated studies; when left out 499, or 99 with more than 5,000 values.

    Returns
    -------
    BlockDiagnostics

    Raises
    ------
    ValueError
        If the variance is not positive, the block variance is negative, or a
        candidate has no value.

    References
    ----------
    .. [1] M. J. A. Eugster, T. Hothorn and F. Leisch (2008), Exploratory and
       inferential analysis of benchmark experiments, TR 30, LMU, appendix A.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> values = rng.normal(size=(30, 4)) + rng.normal(size=(30, 1))
    >>> found = diagnose(values, variance=1.0, block_variance=1.0, rng=rng)
    >>> found.residual_plot.n_outside, found.block_plot.n_values
    (0, 30)
    """
    if not variance > 0:
        raise ValueError(f"residuals need a positive variance, got {variance}")
    ratio, is_there = block_variance / variance, np.isfinite(values)
    found = predict(values, ratio)
    n_values, has_effects = int(is_there.sum()), bool(found.block_effects.any())
    blocks = is_there.any(axis=1)
    places, block_places = shown_places(n_values), shown_places(int(blocks.sum()))
    draws = n_draws or (N_DRAWS if n_values <= LARGE else N_DRAWS_LARGE)
    residuals, effects = [], []
    for simulated in _simulated(is_there, ratio, draws, rng):
        residuals.append(standardised(simulated.residuals[:, is_there], places))
        if has_effects:
            effects.append(standardised(simulated.block_effects[:, blocks], block_places))
    block_plot = (
        normal_plot(found.block_effects[blocks], np.vstack(effects), alpha) if has_effects else None
    )
    plot = normal_plot(found.residuals[is_there], np.vstack(residuals), alpha)
    return BlockDiagnostics(found, plot, block_plot)


def _simulated(
    is_there: NDArray[np.bool_], ratio: float, n_draws: int, rng: Generator
) -> Iterator[Predictions]:
    """Yield batches of studies from the model with equal means and residual variance 1."""
    batch = max(1, AT_ONCE // is_there.size)
    for start in range(0, n_draws, batch):
        size = min(batch, n_draws - start)
        values = rng.normal(size=(size, *is_there.shape))
        values += np.sqrt(ratio) * rng.normal(size=(size, len(is_there), 1))
        yield predict(np.where(is_there, values, np.nan), ratio)
