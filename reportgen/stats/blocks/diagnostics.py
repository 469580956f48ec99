"""Diagnostics of the block model: residuals, predicted block effects, and normal quantile plots.

The band of a quantile plot is simultaneous: a normal sample leaves it with a given probability.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import floor

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv, ndtr, ndtri

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.blocks.cross_products import SILENT

MOST_POINTS = 200
EXTREMES = 10  # points at either end that are always kept


@dataclass(frozen=True, slots=True)
class NormalPlot:
    """Order statistics of a sample and normal quantiles."""

    n_values: int  # size of the sample
    scale: float  # root mean square by which it is divided
    # theoretical, ordered: (P,); normal quantiles and standardised values; all of them, or some 200
    # with the extremes
    theoretical: Array
    ordered: Array
    # lower, upper: (P,); band that no point leaves with probability 1 - alpha if errors are normal;
    # every point has the same probability to leave it
    lower: Array
    upper: Array
    # pointwise_lower, pointwise_upper: (P,); bounds that each point of an independent sample leaves
    # with probability alpha
    pointwise_lower: Array
    pointwise_upper: Array
    n_outside: int  # points outside the simultaneous band
    p_value: float  # Monte Carlo test of normality: at most alpha exactly when a point lies outside
    alpha: float


def shown_places(n_values: int) -> NDArray[np.intp]:
    """Return which order statistics are shown, from 0: all, or about 200 of them.

    Result: ndarray of int, ascending; both ends, and in between as evenly as can be in normal
    quantiles.

    Examples
    --------
    >>> shown_places(4)
    array([0, 1, 2, 3])
    >>> len(shown_places(10_000)) <= MOST_POINTS
    True
    """
    if n_values <= MOST_POINTS:
        return np.arange(n_values, dtype=np.intp)
    end = float(ndtri(0.5 / n_values))
    grid = np.linspace(end, -end, MOST_POINTS - 2 * EXTREMES)
    places = np.floor(n_values * ndtr(grid)).astype(np.intp)
    ends = np.arange(EXTREMES)
    return np.unique(np.concatenate([ends, places, n_values - 1 - ends]).clip(0, n_values - 1))


def standardised(samples: Array, places: NDArray[np.intp]) -> Array:
    """Divide samples by their root mean squares, and return some of their order statistics.

    `samples`: (R, n).
    `places`: (P,).
    Result: (R, P).
    """
    scales = np.sqrt((samples**2).mean(axis=1, keepdims=True))
    ordered: Array = np.sort(samples / scales, axis=1)[:, places]
    return ordered


def normal_plot(sample: Array, simulated: Array, alpha: float = 0.05) -> NormalPlot:
    r"""Compare a sample with what it looks like when errors are normal.

    `sample`: (n,); with expectation 0, n >= 2; need not be independent.
    `simulated`: (R, P); by `standardised` at `shown_places`, of R samples that arise in the same
    way from normal errors.
    `alpha`: at least 1 / (R + 1).
    Raises ValueError if the sample does not vary, or there are too few simulated samples.

    Notes
    -----
    The i-th of n independent standard normal values lies between the normal
    quantiles of the :math:`\eta/2` and :math:`1-\eta/2` points of the
    Beta(i, n+1-i) law with probability :math:`1-\eta`. The level :math:`\eta` is
    chosen such that a share 1 - alpha of the simulated samples stays inside
    everywhere [1]_, so that the scale may be estimated and values may depend on
    each other.

    References
    ----------
    .. [1] S. Aldor-Noiman, L. D. Brown, A. Buja, W. Rolke and R. A. Stine
       (2013), "The power to see: a new graphical test of normality", The
       American Statistician 67.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> simulated = standardised(rng.normal(size=(199, 50)), shown_places(50))
    >>> plot = normal_plot(rng.normal(size=50), simulated)
    >>> plot.n_outside, plot.p_value > 0.05
    (0, True)
    """
    n_values, rank = len(sample), floor(alpha * (len(simulated) + 1))
    if rank < 1:
        raise ValueError(f"{len(simulated)} simulated samples are too few for alpha = {alpha}")
    scale = float(np.sqrt((sample**2).mean()))
    if not scale > 0:
        raise ValueError("a normal plot needs a sample that varies")
    places = shown_places(n_values)
    ordered = np.sort(sample / scale)[places]
    each = _levels(ordered, places, n_values)
    levels, own = _least_levels(simulated, places, n_values).tolist(), float(each.min())
    critical = sorted(levels)[rank - 1]
    lower, upper = _bounds(critical, places, n_values)
    pointwise_lower, pointwise_upper = _shown_bounds(alpha, n_values)
    return NormalPlot(
        n_values=n_values,
        scale=scale,
        theoretical=_quantiles(places, n_values),
        ordered=ordered,
        lower=lower,
        upper=upper,
        pointwise_lower=pointwise_lower,
        pointwise_upper=pointwise_upper,
        n_outside=int((each < critical).sum()),
        p_value=(1 + sum(level <= own for level in levels)) / (1 + len(levels)),
        alpha=alpha,
    )


def _quantiles(places: NDArray[np.intp], n_values: int) -> Array:
    """Return the normal quantiles that R plots against (its ppoints)."""
    offset = 3 / 8 if n_values <= 10 else 1 / 2
    return np.asarray(ndtri((places + 1 - offset) / (n_values + 1 - 2 * offset)))


def _levels(ordered: Array, places: NDArray[np.intp], n_values: int) -> Array:
    """Return how extreme order statistics are: twice the smaller tail probability of each.

    `ordered`, `places`: of one shape, or of shapes that belong together.
    """
    a, b = places + 1.0, n_values - places.astype(np.float64)
    is_low = ndtr(ordered) < betaincinv(a, b, 0.5)  # left of its median: that tail is smaller
    first, second = np.where(is_low, a, b), np.where(is_low, b, a)
    return np.asarray(2 * betainc(first, second, ndtr(np.where(is_low, ordered, -ordered))))


LADDER = (0.01, 0.03, 0.1, 0.3)  # levels, from the smallest on


def _least_levels(ordered: Array, places: NDArray[np.intp], n_values: int) -> Array:
    """Return the smallest of the levels of each sample, (R, P).

    It is at one of the points outside the bounds of a level where there are any: those of the
    smallest such level are looked at.
    """
    found, left = np.ones(len(ordered)), np.arange(len(ordered))
    for level in LADDER:
        lower, upper = _shown_bounds(level, n_values)
        rows, points = np.nonzero((ordered[left] < lower) | (ordered[left] > upper))
        own = left[rows]
        np.minimum.at(found, own, _levels(ordered[own, points], places[points], n_values))
        left = np.setdiff1d(left, own)
    if len(left):
        found[left] = _levels(ordered[left], places, n_values).min(axis=1)
    return found


@lru_cache(maxsize=32)
def _shown_bounds(level: float, n_values: int) -> tuple[Array, Array]:
    """Return the bounds of the order statistics that are shown, for all samples of a size."""
    found = _bounds(level, shown_places(n_values), n_values)
    for one in found:
        one.flags.writeable = False
    return found


def _bounds(level: float, places: NDArray[np.intp], n_values: int) -> tuple[Array, Array]:
    """Return what each order statistic leaves to either side with probability level / 2."""
    a, b = places + 1.0, n_values - places.astype(np.float64)
    lower = ndtri(betaincinv(a, b, level / 2))
    upper = -ndtri(betaincinv(b, a, level / 2))
    return np.asarray(lower), np.asarray(upper)


N_DRAWS = 499  # simulated studies; the test of normality is exact with any number of them
N_DRAWS_LARGE = 99  # ... of more values than
LARGE = 5000
AT_ONCE = 2_000_000  # values of a batch of simulated studies


@dataclass(frozen=True, slots=True)
class Predictions:
    """The estimates of the block model at given variances."""

    means: Array  # (..., K); generalised least squares estimates of the candidates' means
    block_effects: Array  # (..., B); predictions (BLUP); 0 for a block without a value
    residuals: Array  # (..., B, K); value less mean less block effect; NaN where there is no value

    @property
    def fitted(self) -> Array:
        """Mean plus block effect of every cell, shape (..., B, K)."""
        return self.means[..., None, :] + self.block_effects[..., :, None]


@dataclass(frozen=True, slots=True)
class BlockDiagnostics:
    """Residuals and block effects of a fitted block model."""

    predictions: Predictions
    residual_plot: NormalPlot
    # of the block effects; None where all are 0, the block variance being estimated as 0
    block_plot: NormalPlot | None


def predict(values: Array, ratio: float) -> Predictions:
    r"""Return means, block effects and residuals at a given ratio of variances.

    `values`: (..., B, K); NaN where there is no value, in the same cells for all leading indices;
    every candidate has one.
    `ratio`: :math:`\lambda = \sigma_\beta^2 / \sigma^2`, not negative.
    Raises ValueError if a candidate has no value or the ratio is negative.

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
    return _predict(values, is_there, ratio)


def _predict(values: Array, is_there: NDArray[np.bool_], ratio: float) -> Predictions:
    """Return means, block effects and residuals where it is known which cells have values."""
    design = is_there.astype(np.float64)
    sizes = design.sum(axis=1)
    shrinkage = ratio / (1 + ratio * sizes)
    sums = _filled(is_there, values).sum(axis=-1)
    means = _generalised_means(values, is_there, sums, ratio)
    block_effects = shrinkage * (sums - means @ design.T)
    residuals = values - means[..., None, :] - block_effects[..., :, None]
    return Predictions(means, block_effects, residuals)


def _filled(is_there: NDArray[np.bool_], values: Array, otherwise: float = 0.0) -> Array:
    """Fill cells without a value."""
    return values if is_there.all() else np.where(is_there, values, otherwise)


def _generalised_means(
    values: Array, is_there: NDArray[np.bool_], sums: Array, ratio: float
) -> Array:
    """Estimate the means from comparisons within blocks and, with their own weight, between."""
    # Axes along which blocks carry no information within them are estimated between them alone:
    # apart, they keep their digits however large the ratio is.
    n = np.maximum(is_there.sum(axis=1), 1.0)
    weights = 1 / (n * (1 + ratio * n))
    deviations = _filled(is_there, values - (sums / n)[..., None])
    lengths, axes, turned = _axes_within(is_there.shape, is_there.tobytes())
    informs = lengths > SILENT * max(float(lengths[-1]), 1.0)
    information = np.diag(np.where(informs, lengths, 0.0)) + (turned.T * weights) @ turned
    scores = np.where(informs, deviations.sum(axis=-2) @ axes, 0.0) + (sums * weights) @ turned
    scale = 1 / np.sqrt(information.diagonal())
    inverse = np.linalg.inv(information * np.outer(scale, scale)) * np.outer(scale, scale)
    means: Array = scores @ inverse @ axes.T
    return means


@lru_cache(maxsize=8)  # data sets have one design as a rule
def _axes_within(shape: tuple[int, ...], cells: bytes) -> tuple[Array, Array, Array]:
    """Return how much blocks inform along which axes, and the design along them.

    `cells`: which ones have values.
    """
    design = np.frombuffer(cells, dtype=np.bool_).reshape(shape).astype(np.float64)
    n = np.maximum(design.sum(axis=1), 1.0)
    lengths, axes = np.linalg.eigh(np.diag(design.sum(axis=0)) - (design.T / n) @ design)
    return lengths, axes, design @ axes


def diagnose(
    values: Array,
    variance: float,
    block_variance: float,
    rng: Generator,
    alpha: float = 0.05,
    n_draws: int | None = None,
) -> BlockDiagnostics:
    """Return residuals and block effects of a fitted block model, and their normal plots.

    `values`: (B, K); NaN where there is no value; every candidate has one.
    `variance`, `block_variance`: as estimated from these values.
    `rng`: for the studies that are simulated from the fitted model, cells missing as here, to find
    out how far their residuals stray.
    `alpha`: of the bands.
    `n_draws`: simulated studies; when left out 499, or 99 with more than 5,000 values.
    Raises ValueError if the variance is not positive, the block variance is negative, or a
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
    for simulated in _simulate(is_there, ratio, draws, rng):
        residuals.append(standardised(simulated.residuals[:, is_there], places))
        if has_effects:
            effects.append(standardised(simulated.block_effects[:, blocks], block_places))
    block_plot = (
        normal_plot(found.block_effects[blocks], np.vstack(effects), alpha) if has_effects else None
    )
    plot = normal_plot(found.residuals[is_there], np.vstack(residuals), alpha)
    return BlockDiagnostics(found, plot, block_plot)


def _simulate(
    is_there: NDArray[np.bool_], ratio: float, n_draws: int, rng: Generator
) -> Iterator[Predictions]:
    """Yield batches of studies from the model with equal means and residual variance 1."""
    batch = max(1, AT_ONCE // is_there.size)
    for start in range(0, n_draws, batch):
        size = min(batch, n_draws - start)
        values = rng.normal(size=(size, *is_there.shape))
        values += np.sqrt(ratio) * rng.normal(size=(size, len(is_there), 1))
        yield _predict(_filled(is_there, values, np.nan), is_there, ratio)
