"""Two candidates that are equally good for the generating process, never on one data set.

Each classifies by the nearest centroid of a feature of its own; the features are
exchangeable. Out-of-bag misclassification, all replications of a data set at once.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Array = NDArray[np.float64]

SEPARATION = 1.0  # of the class means, in standard deviations


def data_set(n: int, rng: Generator) -> tuple[Array, Array]:
    """Return n observations of two features (n, 2), and their classes (n,), -1 or 1."""
    classes = np.where(np.arange(n) < n // 2, -1.0, 1.0)
    return rng.normal(size=(n, 2)) + SEPARATION / 2 * classes[:, None], classes


def bootstrap(n: int, n_replications: int, rng: Generator) -> Array:
    """Return how often each observation is drawn, shape (B, n)."""
    return rng.multinomial(n, np.full(n, 1 / n), size=n_replications).astype(np.float64)


def subsamples(n: int, n_replications: int, rng: Generator) -> Array:
    """Draw two thirds without replacement."""
    places = rng.permuted(np.tile(np.arange(n), (n_replications, 1)), axis=1)
    return (places < 2 * n // 3).astype(np.float64)


def misclassification(features: Array, classes: Array, drawn: Array) -> Array:
    """Return the out-of-bag errors of both candidates, shape (B, 2)."""
    is_out = drawn == 0
    errors = []
    for feature in features.T:
        low, high = drawn * (classes < 0), drawn * (classes > 0)
        first, second = low @ feature / low.sum(axis=1), high @ feature / high.sum(axis=1)
        middle, sign = (first + second) / 2, np.sign(second - first)
        guessed = np.sign(feature - middle[:, None]) * sign[:, None]
        errors.append(((guessed != classes) & is_out).sum(axis=1) / is_out.sum(axis=1))
    return np.column_stack(errors)
