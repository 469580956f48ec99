"""Samples on which no candidate, or no pair that counts, differs from another.

Every law draws complete blocks: a unit (a replication, or a data set of a domain) a row, a
candidate a column.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from math import exp, sqrt
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Array = NDArray[np.float64]

N_TEST = 20  # test observations behind a discrete value: 0, .05, ..., 1
SMALLEST, LARGEST = 0.5, 2.0  # standard deviations of heteroscedastic candidates
FAR = 50.0  # standard deviations between candidates that are not alike
STEP = 0.7  # between the true means that intervals must cover
BAD = 5.0  # standard deviation of one bad candidate, that of the others being 1
NEIGHBOURS = 0.9  # correlation of neighbours
GRADED = 10.0  # largest standard deviation of skewed candidates, and the inverse of the smallest
SHAPE = 4.0  # of the gamma law: its skewness is 1
SIGMAS: Mapping[float, float] = MappingProxyType({1.75: 0.5, 6.2: 1.0})  # lognormal, by skewness
NARROW = 0.01  # standard deviation about -1 and 1, and where no method fails
FAILURES = 0.1  # share of the units in which one candidate fails, and so loses 1
REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference" / "data"
REAL = "uci621raw.csv"
SEPARATION = 1.0  # of the class means of a learning problem, in standard deviations


@dataclass(frozen=True, slots=True)
class Sample:
    """Values with what is true of them.

    Attributes
    ----------
    values : ndarray of shape (n, K)
        Of candidates that all have mean 0, but for `shifts`.
    shifts : ndarray of shape (K,)
        True means.
    """

    values: Array
    shifts: Array

    @property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The columns of all pairs in lexical order."""
        first, second = np.triu_indices(len(self.shifts), k=1)
        return first, second

    @property
    def is_alike(self) -> NDArray[np.bool_]:
        """Whether the candidates of a pair have the same distribution, shape (P,)."""
        first, second = self.pairs
        return np.asarray(self.shifts[first] == self.shifts[second])

    @property
    def differences(self) -> Array:
        """The true differences of all pairs, shape (P,)."""
        first, second = self.pairs
        return np.asarray(self.shifts[first] - self.shifts[second])

    def spread(self) -> Sample:
        """Return the same deviations about means that all differ: for intervals."""
        means = STEP * np.arange(len(self.shifts))
        return Sample(self.values - self.shifts + means, means)


Law = Callable[[Generator, int, int], Sample]


def normal(rng: Generator, n: int, k: int) -> Sample:
    """Draw exchangeable normal candidates, correlated through the units."""
    return Sample(rng.normal(size=(n, 1)) + rng.normal(size=(n, k)), np.zeros(k))


def unequal(rng: Generator, n: int, k: int) -> Sample:
    """Draw normal candidates of equal means and standard deviations from .5 to 2."""
    deviations = np.geomspace(SMALLEST, LARGEST, k)
    return Sample(rng.normal(size=(n, 1)) + deviations * rng.normal(size=(n, k)), np.zeros(k))


def tied(rng: Generator, n: int, k: int) -> Sample:
    """Draw exchangeable misclassification rates of 20 test observations: many ties."""
    rates = rng.beta(4.0, 20.0, size=(n, 1))  # .17 on average, .08 to .29 in most units
    wrong = rng.binomial(N_TEST, np.broadcast_to(rates, (n, k)))
    return Sample(wrong / N_TEST, np.zeros(k))


def partly(rng: Generator, n: int, k: int) -> Sample:
    """Draw normal candidates of which the first half are alike, the others far from all."""
    n_alike = (k + 1) // 2
    shifts = np.concatenate([np.zeros(n_alike), FAR * np.arange(1, k - n_alike + 1)])
    return Sample(normal(rng, n, k).values + shifts, shifts)


def roots(k: int) -> dict[str, Array]:
    """Return roots of the covariances under which pairs are compared."""
    steps = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    return {
        "equal": np.eye(k),
        "unequal": np.diag(np.geomspace(0.4, 2.5, k)),
        "one bad": np.diag([1.0] * (k - 1) + [BAD]),
        "neighbours correlated": np.linalg.cholesky(NEIGHBOURS**steps),
    }


def correlated(kind: str, rng: Generator, n: int, k: int) -> Sample:
    """Draw normal candidates with one of the covariances of `roots`."""
    return Sample(rng.normal(size=(n, k)) @ roots(k)[kind].T, np.zeros(k))


def skewed(skewness: float, rng: Generator, n: int, k: int) -> Sample:
    """Draw candidates of one skewed law, standard deviations from .1 to 10.

    They vary so differently that the difference of two is nearly as skewed as
    the one that varies more: lognormal, but gamma for a skewness of 1 and
    exponential for 2.
    """
    if skewness == 1:
        noise = (rng.standard_gamma(SHAPE, size=(n, k)) - SHAPE) / sqrt(SHAPE)
    elif skewness == 2:
        noise = rng.standard_exponential(size=(n, k)) - 1
    else:
        sigma = SIGMAS[skewness]
        noise = np.exp(sigma * rng.standard_normal((n, k))) - exp(sigma**2 / 2)
        noise /= exp(sigma**2 / 2) * sqrt(exp(sigma**2) - 1)
    return Sample(noise * np.geomspace(1 / GRADED, GRADED, k), np.zeros(k))


def two_values(rng: Generator, n: int, k: int) -> Sample:
    """Draw exchangeable candidates that are nearly -1 or nearly 1."""
    values = rng.choice([-1.0, 1.0], size=(n, k))
    return Sample(values + NARROW * rng.normal(size=(n, k)), np.zeros(k))


def failures(rng: Generator, n: int, k: int) -> Sample:
    """Draw candidates that hardly differ, but that the first loses 1 in a tenth of the units."""
    values = NARROW * rng.normal(size=(n, k))
    values[:, 0] += (rng.random(n) < FAILURES) - FAILURES
    return Sample(values, np.zeros(k))


def real(rng: Generator, n: int, k: int) -> Sample:
    """Draw replications of one of 21 data sets of a benchmark, less their means.

    Of the first k of its candidates.
    """
    populations = observed(REAL, "Misclassification")
    if not populations or populations[0].shape[1] < k:
        raise ValueError(f"the law needs {REFERENCE / REAL} and its candidates")
    values = populations[rng.integers(len(populations))][:, :k]
    return Sample(rng.choice(values - values.mean(axis=0), size=n), np.zeros(k))


@cache
def observed(file: str, measure: str) -> tuple[Array, ...]:
    """Return the complete replications of all data sets of a file, each (B, K)."""
    import pandas as pd

    if not (REFERENCE / file).exists():
        return ()
    table = pd.read_csv(REFERENCE / file)
    wide = table[table["measure"] == measure].pivot(
        index=["dataset", "replication"], columns="algorithm", values="value"
    )
    return tuple(own.dropna().to_numpy() for _, own in wide.groupby(level="dataset"))


LAWS: Mapping[str, Law] = MappingProxyType(
    {
        "normal": normal,
        "unequal": unequal,
        "tied": tied,
        "partly": partly,
        "one bad": partial(correlated, "one bad"),
        "two values": two_values,
        "skewness 1": partial(skewed, 1.0),
        "skewness 1.75": partial(skewed, 1.75),
        "skewness 2": partial(skewed, 2.0),
        "skewness 6.2": partial(skewed, 6.2),
        "failures": failures,
        "real": real,
    }
)


def with_gaps(values: Array, share: float, rng: Generator) -> Array:
    """Remove a share of the cells at random, never the last of a block or a candidate."""
    missing = rng.random(values.shape) < share
    missing[np.arange(len(values)), rng.integers(values.shape[1], size=len(values))] = False
    missing[rng.integers(len(values), size=values.shape[1]), np.arange(values.shape[1])] = False
    return np.where(missing, np.nan, values)


def domain(rng: Generator, m: int, k: int, is_equal: bool) -> Array:
    """Draw m data sets of 3 replications, with effects of both and of candidates by data sets.

    Returns
    -------
    ndarray of shape (m, 3, k)
        With `is_equal` the effects of the candidates have one variance, else
        standard deviations from .5 to 2.
    """
    deviations = np.ones(k) if is_equal else np.geomspace(SMALLEST, LARGEST, k)
    effects = rng.normal(size=(m, 1, 1)) + deviations * rng.normal(size=(m, 1, k))
    return np.asarray(effects + 0.5 * rng.normal(size=(m, 3, 1)) + rng.normal(size=(m, 3, k)))


# ------------------------------------------------------------------- one learning problem


def learning_problem(rng: Generator, n: int, k: int) -> tuple[Array, Array]:
    """Draw n observations of k exchangeable features, and their classes, -1 or 1."""
    classes = np.where(np.arange(n) < n // 2, -1.0, 1.0)
    return rng.normal(size=(n, k)) + SEPARATION / 2 * classes[:, None], classes


def bootstrap(rng: Generator, n: int, n_replications: int) -> Array:
    """Return how often each observation is drawn, shape (B, n)."""
    return rng.multinomial(n, np.full(n, 1 / n), size=n_replications).astype(np.float64)


def subsamples(rng: Generator, n: int, n_replications: int) -> Array:
    """Draw two thirds without replacement, shape (B, n)."""
    places = rng.permuted(np.tile(np.arange(n), (n_replications, 1)), axis=1)
    return (places < 2 * n // 3).astype(np.float64)


def out_of_bag_errors(features: Array, classes: Array, drawn: Array) -> Array:
    """Return the errors of nearest centroids, one feature a candidate, shape (B, k)."""
    low, high = drawn * (classes < 0), drawn * (classes > 0)
    is_out = drawn == 0
    errors = []
    for feature in features.T:
        first, second = low @ feature / low.sum(axis=1), high @ feature / high.sum(axis=1)
        guessed = np.sign(feature - ((first + second) / 2)[:, None])
        wrong = (guessed * np.sign(second - first)[:, None] != classes) & is_out
        errors.append(wrong.sum(axis=1) / is_out.sum(axis=1))
    return np.column_stack(errors)


def sharing(drawn: Array, is_distinct: bool = True) -> float:
    """Return the mean number of test observations over that of learning observations."""
    learnt = (drawn > 0).sum(axis=1) if is_distinct else drawn.sum(axis=1)
    return float(((drawn == 0).sum(axis=1) / learnt).mean())
