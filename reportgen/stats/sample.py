"""Samples: what characteristics are computed of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

Array = NDArray[np.float64]
Codes = NDArray[np.int64]

UNKNOWN = -1  # code of a missing category
LN2 = float(np.log(2))


@dataclass(frozen=True)
class Sample:
    """A data set or a learning sample; what several characteristics need is computed once.

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
    observations : ndarray of shape (n,), int, or None
        Which rows are copies of one observation, as bootstrap samples have them; None where all
        are different.
    """

    continuous: Array
    nominal: Codes
    classes: Codes | None = None
    response: Array | None = None
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
        """Which rows lack no value of a varying input, shape (n,)."""
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
