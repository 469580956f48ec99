r"""Likelihood of paired comparisons with ties, of many tables of counts at once.

With log worths and log nu as parameters the model is an exponential family: the log likelihood is
concave, its gradient observed minus expected statistics, its information their covariance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from reportgen.stats.paired_comparisons import n_candidates_of, pairs

Array = NDArray[np.float64]

MOST_STEPS = 100
MOST_HALVINGS = 40
CONVERGED = 1e-17  # Newton decrement: the squared distance to the maximum in standard errors


def statistics(n_candidates: int, reference: int, *, ties: bool) -> Array:
    """Return the sufficient statistics of the three outcomes of every pair.

    Returns
    -------
    ndarray of shape (P, 3, q)
        Coefficients of the parameters in the logarithm of what is proportional to the
        probability. Without ties the outcome in the middle has none: see `probabilities`.
    """
    first, second = pairs(n_candidates).T
    rows = np.arange(len(first))
    features = np.zeros((len(first), 3, n_candidates + 1))
    features[rows, 0, first] = features[rows, 2, second] = 1.0
    features[rows, 1, first] = features[rows, 1, second] = 0.5
    features[:, 1, -1] = 1.0
    return np.delete(features, [reference] if ties else [reference, n_candidates], axis=2)


def probabilities(features: Array, theta: Array) -> Array:
    """Return the probabilities of the outcomes.

    Parameters
    ----------
    features : ndarray of shape (P, 3, q)
    theta : ndarray of shape (..., q)

    Returns
    -------
    ndarray of shape (..., P, 3)
    """
    n_pairs, _, size = features.shape
    scores = (theta @ features.reshape(-1, size).T).reshape(*theta.shape[:-1], n_pairs, 3)
    if size < n_candidates_of(n_pairs):
        scores[..., 1] = -np.inf
    scores -= scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores)
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def log_likelihoods(counts: Array, features: Array, theta: Array) -> Array:
    """Return the log likelihood of every table of counts at its own parameters.

    Parameters
    ----------
    counts : ndarray of shape (C, P, 3)
    features : ndarray of shape (P, 3, q)
    theta : ndarray of shape (C, q)

    Returns
    -------
    ndarray of shape (C,)
    """
    return np.asarray(xlogy(counts, probabilities(features, theta)).sum(axis=(1, 2)))


def residual_statistics(counts: Array, features: Array, theta: Array) -> Array:
    """Return observed minus expected statistics; shapes as in `log_likelihoods`, (C, q)."""
    expected = counts.sum(axis=2, keepdims=True) * probabilities(features, theta)
    n_tables, size = len(counts), features.shape[2]
    return np.asarray((counts - expected).reshape(n_tables, -1) @ features.reshape(-1, size))


def maximise(
    counts: Array, features: Array, start: Array | None = None, *, tolerance: float = CONVERGED
) -> Array:
    """Maximise the likelihoods of many tables of counts at once, by Newton's method.

    Parameters
    ----------
    counts : ndarray of shape (C, P, 3)
    features : ndarray of shape (P, 3, q)
    start : ndarray of shape (q,), optional
        Zeros when omitted.
    tolerance : float
        Newton decrement at which to stop.

    Returns
    -------
    ndarray of shape (C, q)
        Where a likelihood has no maximum: a point at which it is as good as its supremum.

    Notes
    -----
    Steps are halved until the likelihood does not fall. The Newton decrement is the criterion of
    convergence; along a direction without end it halves or better in every step.
    """
    size = features.shape[2]
    theta = np.tile(np.zeros(size) if start is None else start, (len(counts), 1))
    reached = log_likelihoods(counts, features, theta)
    active = np.arange(len(counts))
    for _ in range(MOST_STEPS):
        gradient = residual_statistics(counts[active], features, theta[active])
        step = _newton_steps(counts[active], features, theta[active], gradient)
        decrement = (gradient * step).sum(axis=1)
        going = decrement > tolerance
        if not going.any():
            break
        active = active[going]
        _walk(counts, features, theta, reached, active, step[going])
    return theta


def information(counts: Array, features: Array, theta: Array) -> Array:
    """Return the information matrices, the covariances of the statistics; (C, q, q)."""
    n_pairs, _, size = features.shape
    shares = probabilities(features, theta)
    mean = np.matmul(shares[:, :, None, :], features[None])[:, :, 0]  # (C, P, q)
    n = counts.sum(axis=2)
    weights = (n[..., None] * shares).reshape(len(counts), -1)
    squares = features[..., :, None] * features[..., None, :]
    second = weights @ squares.reshape(3 * n_pairs, -1)
    first = (mean * n[..., None]).transpose(0, 2, 1) @ mean
    return np.asarray(second.reshape(-1, size, size) - first)


def _newton_steps(counts: Array, features: Array, theta: Array, gradient: Array) -> Array:
    """Solve the Newton equations, with a trace of a ridge where they are singular."""
    matrices = information(counts, features, theta)
    largest = np.trace(matrices, axis1=1, axis2=2) + 1e-300
    ridge = 1e-14 * largest[:, None, None] * np.eye(features.shape[2])
    return np.asarray(np.linalg.solve(matrices + ridge, gradient[..., None])[..., 0])


def _walk(
    counts: Array,
    features: Array,
    theta: Array,
    reached: Array,
    active: NDArray[np.intp],
    step: Array,
) -> None:
    """Move the active parameters uphill in place, halving steps that overshoot."""
    length = np.minimum(1.0, 5.0 / np.maximum(np.abs(step).max(axis=1), 1e-300))
    for _ in range(MOST_HALVINGS):
        proposed = theta[active] + length[:, None] * step
        value = log_likelihoods(counts[active], features, proposed)
        worse = value < reached[active] - 1e-12 * np.abs(reached[active])
        good = active[~worse]
        theta[good], reached[good] = proposed[~worse], value[~worse]
        if not worse.any():
            return
        active, step, length = active[worse], step[worse], length[worse] / 2
