"""Samples, and the maps of a sample to a vector, which is empty where the map does not apply."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from reportgen.stats.arrays import Array

Codes = NDArray[np.int64]

UNKNOWN = -1  # code of a missing category
LN2 = float(np.log(2))


@dataclass(frozen=True)
class Sample:
    """A data set or a learning sample; what several characteristics need is computed once."""

    continuous: Array  # (n, c); not a number where a value is missing
    nominal: Codes  # (n, d); codes from 0 per variable; -1 where a value is missing
    classes: Codes | None = None  # (n,); codes of the classes; None for a numeric response
    response: Array | None = None  # (n,); the numeric response; None for classes
    # (n,); which rows are copies of one observation, as bootstrap samples have them; None where all
    # are different
    observations: Codes | None = None

    def take(self, rows: Codes) -> Sample:
        """Return a sample of the rows; a row that is drawn twice is one observation twice."""
        return Sample(
            self.continuous[rows],
            self.nominal[rows],
            None if self.classes is None else self.classes[rows],
            None if self.response is None else self.response[rows],
            rows if self.observations is None else self.observations[rows],
        )

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.continuous)

    @cached_property
    def varying(self) -> Array:
        """The continuous inputs with two values or more, shape (n, v)."""
        return varying_columns(self.continuous)

    @cached_property
    def has_gaps(self) -> bool:
        """Whether a value of an input that varies is missing."""
        return bool(np.isnan(self.varying).any())

    @cached_property
    def standard(self) -> Array:
        """The varying inputs at mean 0 and standard deviation 1, shape (n, v)."""
        average = np.nanmean if self.has_gaps else np.mean
        centred = self.varying - average(self.varying, axis=0)
        return np.asarray(centred / np.sqrt(average(centred * centred, axis=0)))

    @cached_property
    def whole(self) -> Array:
        """As `standard`, of the rows without a gap alone."""
        if not self.has_gaps:
            return self.standard
        rows = varying_columns(self.varying[self.is_whole])
        return np.asarray((rows - rows.mean(axis=0)) / rows.std(axis=0)) if len(rows) else rows

    @cached_property
    def is_whole(self) -> NDArray[np.bool_]:
        """The rows that lack no value of a varying input, shape (n,)."""
        if not self.has_gaps:
            return np.ones(self.n, dtype=np.bool_)
        return np.asarray(~np.isnan(self.varying).any(axis=1))

    @cached_property
    def correlations(self) -> Array:
        """Correlations of the columns of `whole`, shape (v, v)."""
        return np.asarray(self.whole.T @ self.whole / max(len(self.whole), 1))

    @cached_property
    def spectrum(self) -> tuple[Array, Array]:
        """Eigenvalues, ascending, and eigenvectors of `correlations`."""
        values, vectors = np.linalg.eigh(self.correlations)
        return values, vectors

    @cached_property
    def information(self) -> tuple[Array, Array]:
        """Entropy of each nominal input, and its mutual information with the classes, in bits."""
        return _information(self)


def varying_columns(columns: Array) -> Array:
    """Return the columns with two values or more."""
    if not columns.size:
        return columns[:, :0]
    low, high = np.fmin.reduce(columns, axis=0), np.fmax.reduce(columns, axis=0)
    return columns[:, low < high]


def _information(sample: Sample) -> tuple[Array, Array]:
    """Return entropies of the nominal inputs, and what they share with the classes, in bits."""
    columns = sample.nominal
    if not columns.shape[1] or not columns.size:
        return np.full(columns.shape[1], np.nan), np.full(columns.shape[1], np.nan)
    entropies = _joint_entropies(columns, columns != UNKNOWN)
    if sample.classes is None:
        return entropies, np.full(len(entropies), np.nan)
    both = (columns != UNKNOWN) & (sample.classes != UNKNOWN)[:, None]
    width = int(sample.classes.max()) + 1
    classes = np.broadcast_to(sample.classes[:, None], columns.shape)
    left = entropies if both.all() else _joint_entropies(columns, both)
    right = _joint_entropies(classes, both)
    joint = _joint_entropies(columns * width + classes, both)
    return entropies, np.maximum(left + right - joint, 0.0)


def _joint_entropies(codes: Codes, known: NDArray[np.bool_]) -> Array:
    """Return the entropy of every column's known codes in bits; not a number without any."""
    width = int(codes.max()) + 1
    offset = codes + width * np.arange(codes.shape[1])
    flat = np.bincount(offset[known], minlength=width * codes.shape[1])
    counts = flat.reshape(codes.shape[1], width)
    totals = counts.sum(axis=1)
    found = entr(counts / np.maximum(totals, 1)[:, None]).sum(axis=1) / LN2
    return np.where(totals > 0, found, np.nan)


SKEW, KURTOSIS = 3, 4  # powers of the moments
RANK = 1e-12  # eigenvalues of a correlation matrix below it, relative to the largest, are rounding
HELD = 0.95  # of the variance, by the intrinsic dimension


# ------------------------------------------------------------------------------- counts


def number_of_observations(sample: Sample) -> Array:
    """Map to the number of rows."""
    return np.array([float(sample.n)])


def number_of_variables(sample: Sample) -> Array:
    """Map to the number of inputs."""
    return np.array([float(sample.continuous.shape[1] + sample.nominal.shape[1])])


def number_of_nominal(sample: Sample) -> Array:
    """Map to the number of nominal inputs."""
    return np.array([float(sample.nominal.shape[1])])


def number_of_continuous(sample: Sample) -> Array:
    """Map to the number of continuous inputs."""
    return np.array([float(sample.continuous.shape[1])])


def number_of_binary(sample: Sample) -> Array:
    """Map to the number of nominal inputs with two categories in the sample."""
    sizes = [int((np.bincount(c[c != UNKNOWN]) > 0).sum()) for c in sample.nominal.T]
    return np.array([float(sizes.count(2))])


def missing_share(sample: Sample) -> Array:
    """Map every input to the share of its values that are missing."""
    lost = np.isnan(sample.continuous).mean(axis=0), (sample.nominal == UNKNOWN).mean(axis=0)
    return np.concatenate(lost)


# ------------------------------------------------------------------------------- inputs


def nominal_entropies(sample: Sample) -> Array:
    """Map to the entropy of every nominal input, in bits."""
    return sample.information[0]


def absolute_correlations(sample: Sample) -> Array:
    """Map every pair of continuous inputs that vary to its absolute correlation."""
    columns = sample.varying
    if columns.shape[1] < 2 or len(columns) < 2:
        return np.array([])
    upper = np.triu_indices(columns.shape[1], 1)
    if not sample.has_gaps:
        return np.asarray(np.abs(sample.correlations)[upper])
    pairs = zip(*upper, strict=True)
    return np.array([_correlation(columns[:, i], columns[:, j]) for i, j in pairs])


def skewnesses(sample: Sample) -> Array:
    """Map every continuous input that varies to its absolute skewness, m3 / m2^1.5."""
    return np.abs(_moments(sample, SKEW))


def kurtoses(sample: Sample) -> Array:
    """Map every continuous input that varies to its kurtosis, m4 / m2^2 (3 for the normal)."""
    return _moments(sample, KURTOSIS)


def intrinsic_dimension(sample: Sample) -> Array:
    """Map to the principal components that hold 95 % of the standardised continuous inputs."""
    if len(sample.whole) < 2 or not sample.whole.shape[1]:
        return np.array([])
    held = np.cumsum(sample.spectrum[0][::-1].clip(0.0))
    return np.array([float(np.searchsorted(held, HELD * held[-1]) + 1)])


# ----------------------------------------------------------------------------- response


def number_of_classes(sample: Sample) -> Array:
    """Map to the number of classes in the sample."""
    return np.array([]) if sample.classes is None else np.array([float(_n_classes(sample))])


def class_entropy(sample: Sample) -> Array:
    """Map to the entropy of the classes, in bits."""
    return np.array([]) if sample.classes is None else np.array([_entropy(_table(sample.classes))])


def class_imbalance(sample: Sample) -> Array:
    """Map to 1 - entropy of the classes over its largest value; missing with one class."""
    if sample.classes is None or _n_classes(sample) < 2:
        return np.array([])
    return np.asarray(1 - class_entropy(sample) / np.log2(_n_classes(sample)))


def response_skewness(sample: Sample) -> Array:
    """Map to the absolute skewness of a numeric response."""
    return np.abs(_response_moment(sample, SKEW))


def response_kurtosis(sample: Sample) -> Array:
    """Map to the kurtosis of a numeric response, 3 for the normal."""
    return _response_moment(sample, KURTOSIS)


def response_levels(sample: Sample) -> Array:
    """Map to the number of different values of a numeric response over the number of rows."""
    if sample.response is None:
        return np.array([])
    return np.array([len(np.unique(sample.response)) / max(sample.n, 1)])


# ------------------------------------------------------------------ inputs and response


def canonical_correlations(sample: Sample) -> Array:
    """Map to the canonical correlations of the continuous inputs with the response.

    With the indicators of the classes, or a numeric response (one: the multiple correlation).
    Rows with missing values are left out; constant and collinear inputs add nothing. Missing
    without a continuous input or a second class, or with no more rows than inputs and classes.
    """
    target = _target(sample)
    if not sample.whole.shape[1] or not target.shape[1]:
        return np.array([])
    values, vectors = sample.spectrum
    kept = values > RANK * values[-1]
    if len(sample.whole) <= kept.sum() + target.shape[1]:
        return np.array([])
    loads = (vectors[:, kept] / np.sqrt(values[kept])).T @ (sample.whole.T @ target)
    loads /= len(sample.whole)
    squared = np.linalg.eigvalsh(loads.T @ loads)[::-1]
    return np.asarray(np.sqrt(squared[: int(kept.sum())].clip(0.0, 1.0)))


def mutual_informations(sample: Sample) -> Array:
    """Map every nominal input to its mutual information with the classes, in bits."""
    if sample.classes is None or _n_classes(sample) < 2:
        return np.array([])
    return sample.information[1]


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


def response_correlations(sample: Sample) -> Array:
    """Map every continuous input that varies to its absolute correlation with the response."""
    if sample.response is None:
        return np.array([])
    return np.array([_correlation(column, sample.response) for column in sample.varying.T])


def correlation_ratios(sample: Sample) -> Array:
    """Map every nominal input to the share of the response's variance between its categories."""
    if sample.response is None:
        return np.array([])
    return np.array([_ratio(column, sample.response) for column in sample.nominal.T])


# ----------------------------------------------------------------------------- numbers


def _moments(sample: Sample, power: int) -> Array:
    """Return the standardised central moments of the columns that vary."""
    if not sample.varying.shape[1]:
        return np.array([])
    scaled = sample.standard
    squared = scaled * scaled
    average = np.nanmean if sample.has_gaps else np.mean
    return np.asarray(average(squared * (scaled if power == SKEW else squared), axis=0))


def _response_moment(sample: Sample, power: int) -> Array:
    if sample.response is None:
        return np.array([])
    none = np.zeros((sample.n, 0), dtype=np.int64)
    return _moments(Sample(sample.response[:, None], none), power)


def _correlation(left: Array, right: Array) -> float:
    both = ~np.isnan(left) & ~np.isnan(right)
    a, b = left[both], right[both]
    if len(a) < 2 or (a == a[0]).all() or (b == b[0]).all():
        return np.nan
    a, b = a - a.mean(), b - b.mean()
    return float(abs(a @ b) / np.sqrt((a @ a) * (b @ b)))


def _ratio(column: Codes, response: Array) -> float:
    known = column != UNKNOWN
    codes, values = column[known], response[known]
    if not len(values) or (values == values[0]).all():
        return np.nan
    sizes = np.bincount(codes)
    centred = values - values.mean()
    sums = np.bincount(codes, weights=centred)
    present = sizes > 0
    return float((sums[present] ** 2 / sizes[present]).sum() / (centred @ centred))


def _table(codes: Codes) -> Array:
    """Return the shares of the codes that occur."""
    counts = np.bincount(codes[codes != UNKNOWN])
    counts = counts[counts > 0]
    return np.asarray(counts / max(counts.sum(), 1))


def _entropy(shares: Array) -> float:
    """Return the entropy in bits; not a number of nothing."""
    return float(entr(shares).sum() / LN2) if len(shares) else np.nan


def _n_classes(sample: Sample) -> int:
    assert sample.classes is not None
    return int((np.bincount(sample.classes[sample.classes != UNKNOWN]) > 0).sum())


def _target(sample: Sample) -> Array:
    """Return orthonormal columns, scaled by sqrt(n), that span the centred response."""
    kept = sample.is_whole
    if sample.response is not None:
        columns = sample.response[kept][:, None]
        centred = columns - columns.mean(axis=0) if len(columns) else columns
        size = np.sqrt((centred**2).mean(axis=0)) if len(columns) else np.zeros(1)
        return np.asarray(centred[:, size > 0] / size[size > 0])
    if sample.classes is None or (sample.classes[kept] == UNKNOWN).any():
        return np.zeros((len(sample.whole), 0))
    _, members, sizes = np.unique(sample.classes[kept], return_inverse=True, return_counts=True)
    shares = sizes / max(len(members), 1)
    basis = np.linalg.svd(np.sqrt(shares)[None])[2][1:].T  # orthogonal to the constant
    return np.asarray((basis / np.sqrt(shares)[:, None])[members])
