"""The values of one measure as blocks, with and without gaps."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.inference.result import Unavailable
from reportgen.stats.blocks.cross_products import components
from reportgen.stats.blocks.incomplete import has_residual_variance, residual_df
from reportgen.stats.scaling import scaled, unusual_exponent
from reportgen.warehouse import Measure, Performances, Target

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Blocks:
    """The values of one measure on one data set, absent candidates left out.

    Attributes
    ----------
    measure : Measure
    target : str
    candidates, absent : tuple of str
        Those with a value, and those without any.
    replications : ndarray of shape (B,), int
    values : ndarray of shape (B, K)
        NaN where there is no value.
    has_failed : ndarray of shape (B, K), bool
        Cells without a value because of a failure.
    """

    measure: Measure
    target: Target
    candidates: tuple[str, ...]
    absent: tuple[str, ...]
    replications: NDArray[np.int64]
    values: Array
    has_failed: NDArray[np.bool_]

    @property
    def exponent(self) -> int:
        """The power of two by which the values are of unusual size; 0 where they are not."""
        return unusual_exponent(self.values)

    def rescaled(self, exponent: int) -> Blocks:
        """Return the blocks with values that are 2 to this power as large."""
        return replace(self, values=scaled(self.values, exponent))

    def without(self, replications: Collection[int]) -> Blocks:
        """Return the blocks less some replications."""
        kept = ~np.isin(self.replications, list(replications))
        return replace(
            self,
            replications=self.replications[kept],
            values=self.values[kept],
            has_failed=self.has_failed[kept],
        )

    @property
    def observed(self) -> NDArray[np.bool_]:
        """Shape (B, K): which cells have a value."""
        return np.isfinite(self.values)

    @property
    def complete(self) -> Array:
        """The rows without gaps."""
        return self.values[self.observed.all(axis=1)]

    @property
    def used(self) -> Array:
        """The rows with any value."""
        return self.values[self.observed.any(axis=1)]

    @property
    def has_gaps(self) -> bool:
        """Whether a row that has a value lacks another."""
        return len(self.used) > len(self.complete)

    @property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """The candidates, parted where no replication links them, directly or through others."""
        labels = components(self.observed)
        return tuple(self.named(np.flatnonzero(labels == part)) for part in np.unique(labels))

    @property
    def unavailable(self) -> Unavailable | None:
        """Why no pair can be compared."""
        if len(self.candidates) < 2:
            return "one-candidate"
        if len(self.used) < 2:
            return "too-few-blocks"
        observed = self.observed.astype(np.int_)
        shared = observed.T @ observed
        return None if np.triu(shared, 1).max() >= 2 else "too-few-values"

    @property
    def has_model(self) -> bool:
        """Whether the block model has a residual variance that can be estimated."""
        is_fitted = len(self.used) >= 2 and residual_df(self.observed) >= 1
        return is_fitted and has_residual_variance(self.used)

    def named(self, columns: NDArray[np.intp] | list[int]) -> tuple[str, ...]:
        """Return the names of some columns."""
        return tuple(self.candidates[k] for k in columns)


def blocks_of(performances: Performances, target: Target) -> Blocks:
    """Leave out candidates without any value."""
    has_value = np.isfinite(performances.values)
    is_present = has_value.any(axis=0)
    names = np.array(performances.candidates, dtype=object)
    return Blocks(
        performances.measure,
        target,
        tuple(names[is_present]),
        tuple(names[~is_present]),
        performances.replications,
        np.where(has_value, performances.values, np.nan)[:, is_present],
        performances.has_failed[:, is_present],
    )
