"""Losses of single observations, for measures that are means over a test sample."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from reportgen.catalogue.measures.formulas import SMALLEST_PROBABILITY
from reportgen.catalogue.measures.prediction import Prediction
from reportgen.stats.arrays import Array


def losses_of(measure: str, p: Prediction) -> Array | None:
    """Return the values whose mean is a measure.

    `measure`: its name.
    Result: (n,); None where the measure is no mean over observations, or lacks probabilities.

    Examples
    --------
    >>> p = Prediction(np.array([0, 1]), np.array([1, 1]), None, 0.1, 0.1)
    >>> losses_of("misclassification", p).tolist()
    [1.0, 0.0]
    """
    of = _LOSSES.get(measure)
    if of is None or (measure in _OF_PROBABILITIES and p.probabilities is None):
        return None
    return np.asarray(of(p), dtype=np.float64)


def _misses(p: Prediction) -> NDArray[np.bool_]:
    return np.asarray(p.predicted != p.truth)


def _hits(p: Prediction) -> NDArray[np.bool_]:
    return np.asarray(p.predicted == p.truth)


def _squares(p: Prediction) -> Array:
    return np.asarray((p.predicted - p.truth) ** 2)


def _distances(p: Prediction) -> Array:
    return np.asarray(np.abs(p.predicted - p.truth))


def _brier(p: Prediction) -> Array:
    given = np.asarray(p.probabilities)
    truth = np.eye(given.shape[1])[p.truth.astype(np.int64)]
    return np.asarray(np.sum((given - truth) ** 2, axis=1) / 2.0)


def _log_losses(p: Prediction) -> Array:
    given = np.asarray(p.probabilities)
    of_truth = given[np.arange(len(p.truth)), p.truth.astype(np.int64)]
    return np.asarray(-np.log(np.clip(of_truth, SMALLEST_PROBABILITY, 1.0)))


def _deviances(p: Prediction) -> Array:
    return 2.0 * _log_losses(p)


_LOSSES: dict[str, Callable[[Prediction], NDArray[np.generic]]] = {
    "misclassification": _misses,
    "accuracy": _hits,
    "mse": _squares,
    "mae": _distances,
    "brier": _brier,
    "log-loss": _log_losses,
    "deviance": _deviances,
}
_OF_PROBABILITIES = ("brier", "log-loss", "deviance")

MEANS = tuple(_LOSSES)
"""Measures that are means over the observations of a test sample."""
