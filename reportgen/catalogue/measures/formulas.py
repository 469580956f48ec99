"""Formulas of performance measures, from what a candidate predicts of a test sample.

Each raises ValueError where its value is not defined.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from reportgen.catalogue.measures.prediction import Prediction

SMALLEST_PROBABILITY = float(np.finfo(np.float64).eps)
"""The value for a predicted probability of zero in a logarithm."""

AT_ONCE = "the program learns and predicts in one go: only the time of both is known"


def misclassification(p: Prediction) -> float:
    """Return the share of wrong classes."""
    return float(np.mean(p.predicted != p.truth))


def accuracy(p: Prediction) -> float:
    """Return the share of right classes."""
    return float(np.mean(p.predicted == p.truth))


def balanced_accuracy(p: Prediction) -> float:
    """Average the share of hits over the classes that the test sample has."""
    hit = p.predicted == p.truth
    return float(np.mean([hit[p.truth == g].mean() for g in np.unique(p.truth)]))


def balanced_error(p: Prediction) -> float:
    """Return what is missing to the balanced accuracy of one."""
    return 1.0 - balanced_accuracy(p)


def brier(p: Prediction) -> float:
    """Return half the mean squared distance of the probabilities from the truth."""
    probabilities = _probabilities(p)
    truth = np.eye(probabilities.shape[1])[p.truth.astype(np.int64)]
    return float(np.mean(np.sum((probabilities - truth) ** 2, axis=1)) / 2.0)


def log_loss(p: Prediction) -> float:
    """Return the mean of minus the logarithm of the true class's probability."""
    probabilities = _probabilities(p)
    of_truth = probabilities[np.arange(len(p.truth)), p.truth.astype(np.int64)]
    return float(-np.mean(np.log(np.clip(of_truth, SMALLEST_PROBABILITY, 1.0))))


def deviance(p: Prediction) -> float:
    """Return twice the logarithmic loss."""
    return 2.0 * log_loss(p)


def auc(p: Prediction) -> float:
    """Average one against rest over the classes of the test sample."""
    probabilities = _probabilities(p)
    present = np.unique(p.truth).astype(np.int64)
    if len(present) < 2:
        raise ValueError("the test sample has a single class, so that there is no AUC")
    return float(np.mean([_two_class_auc(p.truth == g, probabilities[:, g]) for g in present]))


def _two_class_auc(is_member: NDArray[np.bool_], values: NDArray[np.float64]) -> float:
    """Return the Mann-Whitney share of pairs in the right order; ties count half."""
    from scipy.stats import rankdata

    n_members = int(is_member.sum())
    n_others = len(is_member) - n_members
    excess = float(rankdata(values)[is_member].sum()) - n_members * (n_members + 1) / 2
    return excess / (n_members * n_others)


def one_minus_auc(p: Prediction) -> float:
    """Return what is missing to an AUC of one."""
    return 1.0 - auc(p)


def f1(p: Prediction) -> float:
    """Average over the classes that occur in the truth or the predictions."""
    classes = np.union1d(p.truth, p.predicted)
    hits = np.array([np.sum((p.truth == g) & (p.predicted == g)) for g in classes])
    sizes = np.array([np.sum(p.truth == g) + np.sum(p.predicted == g) for g in classes])
    return float(np.mean(2 * hits / sizes))


def mse(p: Prediction) -> float:
    """Return the mean squared error."""
    return float(np.mean((p.predicted - p.truth) ** 2))


def rmse(p: Prediction) -> float:
    """Return the root of the mean squared error."""
    return float(np.sqrt(mse(p)))


def mae(p: Prediction) -> float:
    """Return the mean absolute error."""
    return float(np.mean(np.abs(p.predicted - p.truth)))


def median_absolute_error(p: Prediction) -> float:
    """Return the median absolute error."""
    return float(np.median(np.abs(p.predicted - p.truth)))


def r2(p: Prediction) -> float:
    """Return the share of the response's variance that is explained."""
    variance = float(np.var(p.truth))
    if variance == 0.0:
        raise ValueError("the response is constant in the test sample, so that there is no R²")
    return 1.0 - mse(p) / variance


def fit_time(p: Prediction) -> float:
    """Return the seconds of the fit on the clock."""
    return _apart(p, p.fit_seconds)


def predict_time(p: Prediction) -> float:
    """Return the seconds of the predictions on the clock."""
    return _apart(p, p.predict_seconds)


def time(p: Prediction) -> float:
    """Return the seconds of both on the clock."""
    return p.predict_seconds + (0.0 if np.isnan(p.fit_seconds) else p.fit_seconds)


def fit_cpu_time(p: Prediction) -> float:
    """Return the processor seconds of the fit."""
    return _apart(p, p.fit_cpu_seconds)


def predict_cpu_time(p: Prediction) -> float:
    """Return the processor seconds of the predictions."""
    return _apart(p, p.predict_cpu_seconds)


def cpu_time(p: Prediction) -> float:
    """Return the processor seconds of both."""
    return p.predict_cpu_seconds + (0.0 if np.isnan(p.fit_seconds) else p.fit_cpu_seconds)


def _apart(p: Prediction, value: float) -> float:
    """Return what belongs to the fit or to the predictions alone, where that is known."""
    if np.isnan(p.fit_seconds):
        raise ValueError(AT_ONCE)
    return value


def fit_memory(p: Prediction) -> float:
    """Return the peak bytes of the fit."""
    _apart(p, p.fit_seconds)
    if p.memory_bytes is None:
        raise ValueError("this system does not report how much memory a fit takes")
    return p.memory_bytes


def predict_memory(p: Prediction) -> float:
    """Return the peak bytes of the predictions."""
    _apart(p, p.predict_seconds)
    if p.predict_memory_bytes is None:
        raise ValueError("this system does not report how much memory predictions take")
    return p.predict_memory_bytes


def fit_predict_memory(p: Prediction) -> float:
    """Return the peak bytes of the fit or of the predictions, whichever are more."""
    return max(fit_memory(p), predict_memory(p))


def model_size(p: Prediction) -> float:
    """Return the bytes of the fitted candidate as it would be sent or kept (pickled)."""
    _apart(p, p.fit_seconds)
    return float(len(pickle.dumps(p.estimator, protocol=pickle.HIGHEST_PROTOCOL)))


def _probabilities(p: Prediction) -> NDArray[np.float64]:
    if p.probabilities is None:
        raise ValueError(p.no_probabilities)
    return p.probabilities
