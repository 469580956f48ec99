"""What can be mapped from a sample: vectors of any length, empty where there is nothing to say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

UNKNOWN = -1  # code of a missing category
SKEW, KURTOSIS = 3, 4  # powers of the moments
RANK = 1e-9  # singular values below it, relative to the largest, are rounding


@dataclass(frozen=True, slots=True)
class Sample:
    """A data set or a learning sample.

    Attributes
    ----------
    continuous : ndarray of shape (n, c)
        Not a number where a value is missing.
    nominal : ndarray of shape (n, d), int
        Codes from 0 per variable; -1 where a value is missing.
    classes : ndarray of shape (n,), int, or None
        Codes of the classes; None for a numeric response.
    response : ndarray of shape (n,) or None
        The numeric response; None for classes.
    """

    continuous: Array
    nominal: Codes
    classes: Codes | None = None
    response: Array | None = None


def number_of_observations(sample: Sample) -> Array:
    """Map to the number of rows."""
    return np.array([float(len(sample.continuous))])


def number_of_variables(sample: Sample) -> Array:
    """Map to the number of inputs."""
    return np.array([float(sample.continuous.shape[1] + sample.nominal.shape[1])])


def number_of_nominal(sample: Sample) -> Array:
    """Map to the number of nominal inputs."""
    return np.array([float(sample.nominal.shape[1])])


def number_of_continuous(sample: Sample) -> Array:
    """Map to the number of continuous inputs."""
    return np.array([float(sample.continuous.shape[1])])


def nominal_entropies(sample: Sample) -> Array:
    """Map to the entropy of every nominal input, in bits."""
    return np.array([_entropy(_table(column)) for column in sample.nominal.T])


def number_of_binary(sample: Sample) -> Array:
    """Map to the number of nominal inputs with two categories in the sample."""
    sizes = [len(np.unique(column[column != UNKNOWN])) for column in sample.nominal.T]
    return np.array([float(sizes.count(2))])


def absolute_correlations(sample: Sample) -> Array:
    """Map every pair of continuous inputs that vary to its absolute correlation."""
    varying = _varying(sample.continuous)
    if varying.shape[1] < 2 or len(varying) < 2:
        return np.array([])
    if not np.isnan(varying).any():
        upper = np.triu_indices(varying.shape[1], 1)
        return np.asarray(np.abs(np.asarray(np.corrcoef(varying, rowvar=False))[upper]))
    n = varying.shape[1]
    pairs = ((varying[:, i], varying[:, j]) for i in range(n) for j in range(i + 1, n))
    return np.array([_correlation(a, b) for a, b in pairs])


def skewnesses(sample: Sample) -> Array:
    """Map every continuous input that varies to its absolute skewness, m3 / m2^1.5."""
    return np.abs(_standardised_moments(sample.continuous, SKEW))


def kurtoses(sample: Sample) -> Array:
    """Map every continuous input that varies to its kurtosis, m4 / m2^2 (3 for the normal)."""
    return _standardised_moments(sample.continuous, KURTOSIS)


def number_of_classes(sample: Sample) -> Array:
    """Map to the number of classes in the sample."""
    return np.array([]) if sample.classes is None else np.array([_n_classes(sample)])


def class_entropy(sample: Sample) -> Array:
    """Map to the entropy of the classes, in bits."""
    return np.array([]) if sample.classes is None else np.array([_entropy(_table(sample.classes))])


def class_imbalance(sample: Sample) -> Array:
    """Map to 1 - entropy of the classes over its largest value; missing with one class."""
    if sample.classes is None or _n_classes(sample) < 2:
        return np.array([])
    return np.asarray(1 - class_entropy(sample) / np.log2(_n_classes(sample)))


def missing_share(sample: Sample) -> Array:
    """Map every input to the share of its values that are missing."""
    lost = np.isnan(sample.continuous).mean(axis=0), (sample.nominal == UNKNOWN).mean(axis=0)
    return np.concatenate(lost)


def canonical_correlations(sample: Sample) -> Array:
    """Map to the canonical correlations of the continuous inputs with the response.

    With the indicators of the classes, or a numeric response (one: the multiple correlation).
    Rows with missing values are left out; constant and collinear inputs add nothing. Missing
    without a continuous input or a second class, or with no more rows than inputs and classes.
    """
    target = _target(sample)
    kept = ~np.isnan(sample.continuous).any(axis=1) & ~np.isnan(target).any(axis=1)
    inputs, outputs = _orthonormal(sample.continuous[kept]), _orthonormal(target[kept])
    rank = inputs.shape[1] + outputs.shape[1]
    if not inputs.shape[1] or not outputs.shape[1] or kept.sum() <= rank:
        return np.array([])
    return np.asarray(np.clip(np.linalg.svd(inputs.T @ outputs, compute_uv=False), 0.0, 1.0))


def mutual_informations(sample: Sample) -> Array:
    """Map every nominal input to its mutual information with the classes, in bits."""
    if sample.classes is None or _n_classes(sample) < 2:
        return np.array([])
    return np.array([_mutual_information(column, sample.classes) for column in sample.nominal.T])


def equivalent_number(sample: Sample) -> Array:
    """Map to class entropy over mean mutual information; missing where that is 0."""
    shared = mutual_informations(sample)
    if not len(shared) or shared.mean() <= 0:
        return np.array([])
    return np.asarray(class_entropy(sample) / shared.mean())


def noise_to_signal(sample: Sample) -> Array:
    """Map to (mean entropy - mean mutual information) / mean mutual information; missing at 0."""
    shared = mutual_informations(sample)
    if not len(shared) or shared.mean() <= 0:
        return np.array([])
    return np.array([(nominal_entropies(sample).mean() - shared.mean()) / shared.mean()])


def intrinsic_dimension(sample: Sample) -> Array:
    """Map to the principal components that hold 95 % of the standardised continuous inputs."""
    varying = _varying(sample.continuous)
    varying = varying[~np.isnan(varying).any(axis=1)]
    if len(varying) < 2 or not varying.shape[1]:
        return np.array([])
    scaled = (varying - varying.mean(axis=0)) / varying.std(axis=0).clip(1e-300)
    held = np.cumsum(np.linalg.svd(scaled, compute_uv=False) ** 2)
    return np.array([float(np.searchsorted(held, 0.95 * held[-1]) + 1)])


def _table(codes: Codes) -> Array:
    """Return the shares of the codes that occur."""
    counts = np.bincount(codes[codes != UNKNOWN])
    counts = counts[counts > 0]
    return np.asarray(counts / max(counts.sum(), 1))


def _entropy(shares: Array) -> float:
    """Return the entropy in bits; not a number of nothing."""
    return float(entr(shares).sum() / np.log(2)) if len(shares) else np.nan


def _n_classes(sample: Sample) -> float:
    assert sample.classes is not None
    return float(len(np.unique(sample.classes[sample.classes != UNKNOWN])))


def _varying(columns: Array) -> Array:
    """Return the columns with two values or more."""
    known = [column[~np.isnan(column)] for column in columns.T]
    return columns[:, [len(k) > 0 and bool((k != k[0]).any()) for k in known]]


def _correlation(left: Array, right: Array) -> float:
    both = ~np.isnan(left) & ~np.isnan(right)
    a, b = left[both], right[both]
    if len(a) < 2 or (a == a[0]).all() or (b == b[0]).all():
        return np.nan
    return float(abs(np.corrcoef(a, b)[0, 1]))


def _standardised_moments(columns: Array, power: int) -> Array:
    """Return the standardised central moments of the columns that vary."""
    varying = _varying(columns)
    if not varying.shape[1]:
        return np.array([])
    average = np.nanmean if np.isnan(varying).any() else np.mean
    centred = varying - average(varying, axis=0)
    scaled = centred / np.sqrt(average(centred * centred, axis=0))
    powers = scaled * scaled * (scaled if power == SKEW else scaled * scaled)
    return np.asarray(average(powers, axis=0))


def _target(sample: Sample) -> Array:
    """Return the response as columns: indicators of the classes, or itself."""
    if sample.classes is None:
        none = np.zeros((len(sample.continuous), 0))
        return none if sample.response is None else sample.response[:, None]
    kinds = np.unique(sample.classes[sample.classes != UNKNOWN])
    indicators = (sample.classes[:, None] == kinds[None]).astype(np.float64)
    return np.where(sample.classes[:, None] == UNKNOWN, np.nan, indicators)


def _orthonormal(columns: Array) -> Array:
    """Return an orthonormal basis of the centred and scaled columns."""
    if not columns.size:
        return np.zeros((len(columns), 0))
    varying = _varying(columns)
    if not varying.shape[1]:
        return np.zeros((len(columns), 0))
    centred = varying - varying.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred / np.linalg.norm(centred, axis=0), full_matrices=False)
    return np.asarray(left[:, sizes > RANK * sizes[0]])


def _mutual_information(column: Codes, classes: Codes) -> float:
    """Return the mutual information of two nominal variables in bits."""
    both = (column != UNKNOWN) & (classes != UNKNOWN)
    if not both.any():
        return np.nan
    left, right = column[both], classes[both]
    joint = left * (int(right.max()) + 1) + right
    return max(0.0, _entropy(_table(left)) + _entropy(_table(right)) - _entropy(_table(joint)))
