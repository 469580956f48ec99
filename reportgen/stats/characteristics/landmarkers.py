r"""Landmarkers: what very simple candidates reach on a sample [1]_.

Each is cross-validated inside the sample, copies of an observation in one part, so that a learning
sample describes itself and not its test sample. Errors of classes are shares;
those of a numeric response are relative to the error of its mean.

References
----------
.. [1] B. Pfahringer, H. Bensusan, C. Giraud-Carrier (2000), "Meta-learning by landmarking various
   learning algorithms", Proceedings of the 17th International Conference on Machine Learning.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.characteristics.maps import UNKNOWN, Codes, Sample
from reportgen.stats.ranking import NOISE

N_PARTS = 5
MOST_ROWS = 1000  # different observations that are looked at; more are drawn from
SEED = 5
RIDGE = 1e-6  # added to the diagonal of correlations
LEAST_VARIANCE = 1e-9

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Part:
    """Rows to learn from and rows to predict."""

    # `learn` and `test` hold numbers, categories as 0 and 1; targets are columns: indicators of the
    # classes, or the response.

    learn: Array
    target: Array
    test: Array
    truth: Array


Rule = Callable[[_Part], Array]
"""Predicts columns as those of the target, one row a row of `test`."""


def nearest_neighbour_error(sample: Sample) -> Array:
    """Map to the error of the one nearest neighbour."""
    return _error(sample, _nearest)


def linear_error(sample: Sample) -> Array:
    """Map to the error of least squares on the inputs, of indicators where there are classes."""
    return _error(sample, _linear)


def stump_error(sample: Sample) -> Array:
    """Map to the error of a tree with a single division."""
    return _error(sample, _stump)


def naive_bayes_error(sample: Sample) -> Array:
    """Map to the error of naive Bayes with normal densities; nothing for a numeric response."""
    return np.array([]) if sample.classes is None else _error(sample, _naive_bayes)


def _error(sample: Sample, rule: Rule) -> Array:
    """Cross-validate a rule; nothing where that cannot be."""
    inputs, target, rows = _matrices(sample)
    if not inputs.shape[1] or not target.shape[1] or len(rows) < 2 * N_PARTS:
        return np.array([])
    inputs, target = inputs[rows], target[rows]
    parts = np.arange(len(rows)) % N_PARTS
    lost, worst = 0.0, 0.0
    for number in range(N_PARTS):
        test = parts == number
        part = _Part(inputs[~test], target[~test], inputs[test], target[test])
        predicted = rule(part)
        if sample.classes is None:
            lost += float(((predicted - part.truth) ** 2).sum())
            worst += float(((part.target.mean(axis=0) - part.truth) ** 2).sum())
        else:
            lost += float((_largest(predicted) != part.truth.argmax(axis=1)).sum())
            worst += len(part.truth)
    return np.array([lost / worst]) if worst > 0 else np.array([])


def _largest(scores: Array) -> Codes:
    """Return the column of the largest score of each row, the first of those that are equal."""
    largest = scores.max(axis=1, keepdims=True)
    size = np.abs(np.where(np.isfinite(scores), scores, 0.0)).max(axis=1, keepdims=True)
    return np.asarray((scores >= largest - NOISE * size).argmax(axis=1))


def _matrices(sample: Sample) -> tuple[Array, Array, Codes]:
    """Return inputs and target as numbers, and the rows to use: each observation once, mixed."""
    columns = np.where(np.isnan(sample.standard), 0.0, sample.standard)
    blocks = [columns, *(_indicators(column) for column in sample.nominal.T)]
    if sample.classes is None:
        target = np.zeros((sample.n, 0)) if sample.response is None else sample.response[:, None]
        known: Mask = np.asarray(~np.isnan(target).any(axis=1))
    else:
        target, known = _indicators(sample.classes), np.asarray(sample.classes != UNKNOWN)
    rows = np.arange(sample.n)
    if sample.observations is not None:
        rows = np.unique(sample.observations, return_index=True)[1]
    rows = rows[known[rows]]
    rows = np.random.default_rng([SEED, len(rows)]).permutation(rows)[:MOST_ROWS]
    if sample.classes is not None:  # every class in every part, where possible
        rows = rows[np.argsort(sample.classes[rows], kind="stable")]
    return np.hstack(blocks), target, rows


def _indicators(codes: Codes) -> Array:
    """Return a column for every category that occurs; none where fewer than two do."""
    kinds = np.unique(codes[codes != UNKNOWN])
    if len(kinds) < 2:
        return np.zeros((len(codes), 0))
    return np.asarray(codes[:, None] == kinds[None], dtype=np.float64)


def _nearest(part: _Part) -> Array:
    apart = (part.learn**2).sum(axis=1)[None] - 2 * part.test @ part.learn.T
    return np.asarray(part.target[_largest(-apart)])


def _linear(part: _Part) -> Array:
    centre, level = part.learn.mean(axis=0), part.target.mean(axis=0)
    x, y = part.learn - centre, part.target - level
    gram = x.T @ x
    gram[np.diag_indices_from(gram)] += RIDGE * len(x)
    return np.asarray((part.test - centre) @ np.linalg.solve(gram, x.T @ y) + level)


def _stump(part: _Part) -> Array:
    """Divide where the sum of squares (of indicators: the Gini index) falls most."""
    n = len(part.learn)
    total = part.target.sum(axis=0)
    best, cut, column = -np.inf, np.inf, 0
    sizes = np.arange(1, n)[:, None]
    for j, values in enumerate(part.learn.T):
        order = np.argsort(values, kind="stable")
        ascending = values[order]
        sums = np.cumsum(part.target[order], axis=0)[:-1]
        gain = (sums**2 / sizes).sum(axis=1) + ((total - sums) ** 2 / (n - sizes)).sum(axis=1)
        gain[ascending[:-1] >= ascending[1:]] = -np.inf
        at = int(gain.argmax())
        if gain[at] > best:
            best, cut, column = gain[at], (ascending[at] + ascending[at + 1]) / 2, j
    goes, side = part.learn[:, column] <= cut, part.test[:, column] <= cut
    if goes.all():
        return np.tile(total / n, (len(part.test), 1))
    means = np.array([part.target[~goes].mean(axis=0), part.target[goes].mean(axis=0)])
    return np.asarray(means[side.astype(np.intp)])


def _naive_bayes(part: _Part) -> Array:
    """Return log posteriors up to a constant; a class that was not learnt is never predicted."""
    sizes = part.target.sum(axis=0)
    floor = LEAST_VARIANCE + 1e-3 * part.learn.var(axis=0)
    found = np.full((len(part.test), len(sizes)), -np.inf)
    for g in np.flatnonzero(sizes):
        own = part.learn[part.target[:, g] > 0]
        mean, variance = own.mean(axis=0), own.var(axis=0) + floor
        apart = ((part.test - mean) ** 2 / variance + np.log(variance)).sum(axis=1)
        found[:, g] = np.log(sizes[g]) - apart / 2
    return found
