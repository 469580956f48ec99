"""Power of comparisons that are planned, by the differences of a pilot.

Studies are drawn from the differences that were found, moved to where the difference is supposed
to be, and each is judged by the interval that will judge it: what is skewed, or rarely not 0, stays
so.

A pilot has not seen everything. What it can hide is measured by laws whose tail points to where
nothing is decided: those under which a sample may look like the pilot, in skewness, tell how much
larger the standard deviation may be, and how many units it takes then.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS, difference_intervals
from reportgen.stats.skewness import skewness

MOST_NUMBERS = 1_000_000  # drawn at once
NEAR = 20  # one over the precision of a number of units
# Laws that a pilot may come from: lognormal ones, by the standard deviation of the logarithm;
# their skewness is 0, .8, 1.8, 3.3 and 6.2. Negative: the long tail lies above.
SHAPES = (0.0, 0.25, 0.5, 0.75, 1.0, -0.25, -0.5, -0.75, -1.0)
RARE = 0.02  # share of samples beyond which a law is taken for excluded
N_SAMPLES, N_ALIKE = 4_000, 800  # samples of each law; those whose skewness is nearest the pilot's
MOST_SAMPLED = 400  # units of such a sample
N_STUDIES = 800  # of each law and number
MOST_SIMULATED = 2_000  # units of a study: with more, intervals shrink with their root


def drawn_intervals(
    pilot: Array,
    delta: float,
    n: int,
    level: float,
    rng: Generator,
    n_draws: int,
    *,
    noise: float = 0.0,
) -> tuple[Array, Array]:
    """Return the intervals of studies that are drawn from the differences of a pilot.

    `pilot`: (n0,); differences of units.
    `delta`: what the mean difference is supposed to be.
    `n`: units of each study.
    `level`: 1 - confidence.
    `noise`: standard deviation of a normal variable that each difference has besides.
    Result: (n_draws,) each.

    Notes
    -----
    What is known of the law by a pilot is not certain: every study has a law of its own, with
    weights of the pilot's units that are drawn from the flat Dirichlet law (the Bayesian
    bootstrap). Their variance is that of the pilot, on average.

    References
    ----------
    .. [1] D. B. Rubin (1981), "The Bayesian bootstrap", Annals of Statistics 9.
    """
    lower, upper = np.empty(n_draws), np.empty(n_draws)
    done, n_pilot = 0, len(pilot)
    spread = sqrt((n_pilot + 1) / (n_pilot - 1))  # weights take away as much of the variance
    while done < n_draws:
        size = min(n_draws - done, max(1, MOST_NUMBERS // n))
        weights = rng.standard_exponential((size, n_pilot))
        weights /= weights.sum(axis=1, keepdims=True)
        edges = np.cumsum(weights, axis=1)
        edges[:, -1] = 1.0
        offset = np.arange(size)[:, None]
        places = np.searchsorted((edges + offset).ravel(), (rng.random((size, n)) + offset).ravel())
        rows = np.minimum(places.reshape(size, n) - offset * n_pilot, n_pilot - 1)
        drawn = pilot[np.maximum(rows, 0)] - (weights @ pilot)[:, None]
        drawn = drawn * spread + delta
        if noise:
            drawn = drawn + noise * rng.standard_normal(drawn.shape)
        found = difference_intervals(drawn.T, level)
        lower[done : done + size], upper[done : done + size] = found
        done += size
    return lower, upper


def least_number(power: Callable[[int], float], wanted: float, start: int, most: int) -> float:
    """Return about the least number of units with a power, infinite beyond the most.

    `start`: where the search begins.

    Examples
    --------
    >>> least_number(lambda n: n / 100, 0.8, 10, 1000), least_number(lambda n: 0.1, 0.8, 10, 100)
    (80, inf)
    """
    low, high = FEWEST_UNITS - 1, min(max(start, FEWEST_UNITS), most)
    while power(high) < wanted:
        if high == most:
            return inf
        low, high = high, min(2 * high, most)
    while high - low > max(1, low // NEAR):
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= wanted else (middle, high)
    return high


@dataclass(frozen=True, slots=True)
class PossibleLaw:
    """A law that a pilot may come from."""

    shape: float  # one of `SHAPES`
    ratios: Array  # standard deviations of samples that look like the pilot, over that of the law


def draw_skewed(shape: float, size: tuple[int, ...], rng: Generator) -> Array:
    """Draw a lognormal variable of mean 0 and variance 1; its long tail lies below.

    `shape`: standard deviation of the logarithm; 0 of a normal law, negative with the tail above.
    """
    z = rng.standard_normal(size)
    if not shape:
        return z
    square = shape**2
    spread = sqrt((exp(square) - 1) * exp(square))
    found = (exp(square / 2) - np.exp(abs(shape) * z)) / spread
    return np.asarray(found if shape > 0 else -found)


def possible_laws(pilot: Array, rng: Generator) -> tuple[PossibleLaw, ...]:
    """Return the laws of which a pilot may be a sample, judged by its skewness.

    `pilot`: (n0,); differences of units, with spread.
    Result: the one that comes nearest where every law is excluded.

    Notes
    -----
    A law is excluded where less than 2% of its samples of that size are as skewed as the pilot or
    more, or less than 2% as little. Of the others, samples whose skewness is nearest the pilot's
    tell what its standard deviation is worth: a sample that has not seen a tail has too small a
    one.
    """
    n = min(len(pilot), MOST_SAMPLED)
    own = float(_skewness(pilot[:, None])[0])
    found, chances, apart = [], [], []
    for shape in SHAPES:
        drawn = draw_skewed(shape, (n, N_SAMPLES), rng)
        sampled = _skewness(drawn)
        chances.append(min(float((sampled <= own).mean()), float((sampled >= own).mean())))
        apart.append(abs(float(np.median(sampled)) - own))
        alike = np.argsort(np.abs(sampled - own), kind="stable")[:N_ALIKE]
        found.append(PossibleLaw(shape, drawn.std(axis=0, ddof=1)[alike]))
    kept = tuple(law for law, chance in zip(found, chances, strict=True) if chance >= RARE)
    return kept or (found[int(np.argmin(apart))],)


def _skewness(samples: Array) -> Array:
    """Return the adjusted skewness of each column."""
    counts = np.full(samples.shape[1], len(samples))
    return skewness(samples - samples.mean(axis=0), counts)


def safe_number(
    laws: tuple[PossibleLaw, ...],
    spread: float,
    is_decided: Callable[[Array, Array], NDArray[np.bool_]],
    *,
    level: float,
    wanted: float,
    start: int,
    most: int,
    seed: int,
    share: float = 1.0,
) -> tuple[float, float]:
    """Return about the least number of units that has a power under every possible law.

    `spread`: standard deviation of the pilot's differences.
    `is_decided`: of lower and upper limits of intervals, about an estimate of 0, whether they
    decide.
    `level`: 1 - confidence.
    `wanted`: the power.
    `start`, `most`: where the search begins; the most units.
    `seed`: of the studies that are drawn.
    `share`: of the variance of a unit that has the law; the rest is normal.
    Result: `number`, `shape`, infinite where no number up to the most is enough; the shape of the
    law that takes most.

    Examples
    --------
    >>> law = PossibleLaw(0.0, np.ones(800))
    >>> n, _ = safe_number((law,), 1.0, lambda lower, _: lower > -0.5, level=0.05, wanted=0.8,
    ...                    start=10, most=1000, seed=1)
    >>> 30 <= n <= 40
    True
    """
    worst, shape = 0.0, 0.0
    for at, law in enumerate(laws):
        scales = spread / law.ratios

        def power(n: int, law: PossibleLaw = law, scales: Array = scales, at: int = at) -> float:
            own = np.random.default_rng([seed, at, n])
            lower, upper = _standard_intervals(law.shape, n, level, share, own)
            factors = own.choice(scales, len(lower))
            return float(is_decided(lower * factors, upper * factors).mean())

        if worst and power(int(worst)) >= wanted:
            continue
        found = least_number(power, wanted, max(start, int(worst)), most)
        if found > worst:
            worst, shape = found, law.shape
        if found == inf:
            break
    return worst, shape


def _standard_intervals(
    shape: float, n: int, level: float, share: float, rng: Generator
) -> tuple[Array, Array]:
    """Return intervals of studies of a law with mean 0 and variance 1."""
    size = min(n, MOST_SIMULATED)
    n_draws = max(200, min(N_STUDIES, MOST_NUMBERS // size))
    drawn = draw_skewed(shape, (size, n_draws), rng)
    if share < 1:
        drawn = sqrt(share) * drawn + sqrt(1 - share) * rng.standard_normal(drawn.shape)
    lower, upper = difference_intervals(drawn, level)
    root = sqrt(size / n)
    return lower * root, upper * root
