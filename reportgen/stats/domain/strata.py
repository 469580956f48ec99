"""Sums of squares of a balanced domain: data sets, replications inside them, candidates."""

from __future__ import annotations

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.blocks.model import ROUNDING


@dataclass(frozen=True, slots=True)
class DomainStrata:
    """Sums of squares of M data sets by B replications by K candidates."""

    shape: tuple[int, int, int]  # m, B, K
    means: Array  # (K,); of the candidates
    dataset_means: Array  # (M, K)
    # candidates, datasets, interaction, replications, residual: sums of squares
    candidates: float
    datasets: float
    interaction: float
    replications: float
    residual: float

    @property
    def squares(self) -> Array:
        """Sums of squares of data sets, interaction, replications and residual."""
        return np.array([self.datasets, self.interaction, self.replications, self.residual])

    @property
    def df(self) -> Array:
        """Degrees of freedom in the same order."""
        m, b, k = self.shape
        return np.array([m - 1, (m - 1) * (k - 1), m * (b - 1), m * (b - 1) * (k - 1)], float)

    @property
    def mean_squares(self) -> Array:
        """Mean squares in the same order."""
        return self.squares / self.df


def domain_strata(values: Array) -> DomainStrata:
    """Split the variation of a balanced domain.

    `values`: (M, B, K); complete: M data sets, B replications of each, K candidates, all at least
    2.
    Raises ValueError if `values` is not such an array, or has no residual variance within data
    sets, or data sets do not differ in how they take the candidates.
    """
    shape = _check(values)
    n_datasets, n_replications, n_candidates = shape
    means, dataset_means = values.mean(axis=(0, 1)), values.mean(axis=1)
    of_dataset = dataset_means.mean(axis=1)
    of_block, residuals = _within(values)
    return DomainStrata(
        shape,
        means,
        dataset_means,
        candidates=n_datasets * n_replications * _squares(means - means.mean()),
        datasets=n_candidates * n_replications * _squares(of_dataset - of_dataset.mean()),
        interaction=n_replications * _squares(_interaction(values)),
        replications=n_candidates * _squares(of_block),
        residual=_squares(residuals),
    )


def has_variation_within(values: Array) -> bool:
    """Whether on some data set differences of candidates vary over replications beyond rounding.

    `values`: (M, B, K).
    """
    return _exceeds_rounding(_within(values)[1], values)


def differs_over_datasets(values: Array) -> bool:
    """Whether mean differences of candidates vary over data sets beyond rounding.

    `values`: (M, B, K).
    """
    return _exceeds_rounding(_interaction(values), values)


def _exceeds_rounding(deviations: Array, values: Array) -> bool:
    return float(np.abs(deviations).max()) > ROUNDING * float(np.abs(values).max())


def _within(values: Array) -> tuple[Array, Array]:
    """Return the effects of the replications and the residuals inside data sets."""
    within: Array = values - values.mean(axis=1, keepdims=True)
    of_block: Array = within.mean(axis=2, keepdims=True)
    residuals: Array = within - of_block
    return of_block, residuals


def _interaction(values: Array) -> Array:
    """Return how the means of the data sets depart from additivity, shape (M, K)."""
    means = values.mean(axis=1)
    centred: Array = means - means.mean(axis=0)
    interaction: Array = centred - centred.mean(axis=1, keepdims=True)
    return interaction


def _squares(deviations: Array) -> float:
    return float((deviations**2).sum())


def _check(values: Array) -> tuple[int, int, int]:
    """Return the sizes of a balanced domain; raise an error where there is no model for it."""
    if values.ndim != 3 or not np.isfinite(values).all():
        raise ValueError(
            f"values must be numbers of shape (M, B, K) without gaps, got shape {values.shape}"
        )
    n_datasets, n_replications, n_candidates = values.shape
    if min(values.shape) < 2:
        raise ValueError(
            "the domain model needs two data sets, two replications of each and two candidates, "
            f"got {n_datasets}, {n_replications} and {n_candidates}"
        )
    if not has_variation_within(values):
        raise ValueError(
            "the domain model needs residual variance: on every data set the differences of the "
            "candidates are the same in all replications"
        )
    if not differs_over_datasets(values):
        raise ValueError(
            "the domain model needs data sets that differ: the differences of the candidates' "
            "means are the same on all of them"
        )
    return n_datasets, n_replications, n_candidates
