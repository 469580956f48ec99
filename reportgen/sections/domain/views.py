"""The domain as one matrix: candidates, or candidates by replications, by data sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.domain.cube import cube_of
from reportgen.warehouse import Measure, Warehouse

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DomainView:
    """Values of one measure with the data sets as columns.

    Attributes
    ----------
    measure : Measure
    datasets : tuple of str
        The M columns, in the study's order.
    candidates : tuple of str
        Whose value each of the n rows has.
    replications : ndarray of shape (n,), int, or None
        The rows' replications; None where rows are means.
    values : ndarray of shape (n, M)
        NaN where there is no value.
    """

    measure: Measure
    datasets: tuple[str, ...]
    candidates: tuple[str, ...]
    replications: NDArray[np.int64] | None
    values: Array

    @property
    def is_complete(self) -> NDArray[np.bool_]:
        """Shape (n,): whether a row has a value on every data set."""
        return np.asarray(np.isfinite(self.values).all(axis=1))

    @property
    def n_missing(self) -> int:
        """Number of cells without a value."""
        return int((~np.isfinite(self.values)).sum())


def replications_view(warehouse: Warehouse, measure: Measure) -> DomainView:
    """Return a row a candidate and replication: the K B rows of Eugster (2011, 4.4).

    Rows stand by candidate in the study's order, then by replication. Equal
    numbers of replications on different data sets share a row; they are not
    the same sample, so a row has a meaning only together with the others of
    its candidate.

    Parameters
    ----------
    warehouse : Warehouse
    measure : Measure

    Returns
    -------
    DomainView
        Of every replication that some data set has; NaN on data sets that do
        not, and where a fit has failed.
    """
    cube = cube_of(warehouse, measure)
    numbers = np.unique(np.concatenate(list(cube.replications.values())))
    stacked = np.full((len(cube.candidates), len(numbers), len(cube.values)), np.nan)
    for m, (name, matrix) in enumerate(cube.values.items()):
        stacked[:, np.searchsorted(numbers, cube.replications[name]), m] = matrix.T
    return DomainView(
        measure,
        warehouse.datasets,
        tuple(name for name in cube.candidates for _ in numbers),
        np.tile(numbers, len(cube.candidates)),
        stacked.reshape(-1, len(cube.values)),
    )


def means_view(warehouse: Warehouse, measure: Measure) -> DomainView:
    """Return a row a candidate: the means of its values on every data set.

    Parameters
    ----------
    warehouse : Warehouse
    measure : Measure

    Returns
    -------
    DomainView
        NaN where a candidate has no value on a data set.
    """
    cube = cube_of(warehouse, measure)
    values = np.column_stack(list(cube.means().values()))
    return DomainView(measure, warehouse.datasets, cube.candidates, None, values)
