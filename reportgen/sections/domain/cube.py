"""All values of one measure: a matrix of replications by candidates for every data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.settings import bases_of
from reportgen.stats.ranks.ranks import levelled
from reportgen.stats.scaling import scaled, unusual_exponent
from reportgen.warehouse import Measure, Target, Warehouse

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Cube:
    """The values of one measure.

    Attributes
    ----------
    measure : Measure
    candidates : tuple of str
        The K columns, in the study's order.
    values : mapping of str to ndarray of shape (B_m, K)
        By data set, in the study's order; NaN where there is no value.
    replications : mapping of str to ndarray of shape (B_m,), int
        The replications' own numbers, ascending.
    target : {"domain", "conditional"}
        What tests over data sets speak of: where several data sets are settings of one, these
        were chosen, and the tests speak of them alone.
    """

    measure: Measure
    candidates: tuple[str, ...]
    values: Mapping[str, Array]
    replications: Mapping[str, NDArray[np.int64]]
    target: Target = "domain"

    @property
    def exponent(self) -> int:
        """The power of two by which the values are of unusual size; 0 where they are not."""
        return unusual_exponent(np.concatenate([v.ravel() for v in self.values.values()]))

    def rescaled(self, exponent: int) -> Cube:
        """Return the values, and the measure's bounds, 2 to this power as large."""
        low, high = (
            None if x is None else float(scaled(np.array(x), exponent)) for x in self.measure.bounds
        )
        return replace(
            self,
            measure=replace(self.measure, bounds=(low, high)),
            values={name: scaled(matrix, exponent) for name, matrix in self.values.items()},
        )

    def means(self) -> dict[str, Array]:
        """Return the mean of every candidate's values by data set, NaN where it has none."""
        return {name: _mean(matrix) for name, matrix in self.values.items()}


def cube_of(warehouse: Warehouse, measure: Measure) -> Cube:
    """Take all values of one measure, in one pass over the warehouse.

    Parameters
    ----------
    warehouse : Warehouse
    measure : Measure

    Returns
    -------
    Cube
        What is not finite is taken for missing; values of one replication that only
        floating noise tells apart are made equal.
    """
    frame = warehouse.frame
    rows = frame[(frame["measure"] == measure.name).to_numpy()]
    dataset = rows["dataset"].cat.codes.to_numpy()
    candidate = rows["candidate"].cat.codes.to_numpy()
    replication = rows["replication"].to_numpy(np.int64)
    value = rows["value"].to_numpy(np.float64)
    by_dataset = np.argsort(dataset, kind="stable")
    ends = np.searchsorted(dataset[by_dataset], np.arange(len(warehouse.datasets) + 1))
    values, replications = {}, {}
    for m, name in enumerate(warehouse.datasets):
        own = by_dataset[ends[m] : ends[m + 1]]
        numbers, block = np.unique(replication[own], return_inverse=True)
        matrix = np.full((len(numbers), len(warehouse.candidates)), np.nan)
        matrix[block, candidate[own]] = value[own]
        matrix[~np.isfinite(matrix)] = np.nan
        values[name], replications[name] = levelled(matrix), numbers
    target: Target = "conditional" if bases_of(warehouse, warehouse.datasets) else "domain"
    return Cube(measure, warehouse.candidates, values, replications, target)


def _mean(matrix: Array) -> Array:
    has_value = np.isfinite(matrix)
    count = has_value.sum(axis=0)
    total = np.where(has_value, matrix, 0.0).sum(axis=0)
    mean: Array = np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)
    return mean
