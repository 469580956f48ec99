"""The order in which candidates that tie are named: everywhere the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.warehouse import Warehouse


def by_mean(warehouse: Warehouse) -> tuple[str, ...]:
    """Return all candidates by their mean on the main measure, the better first.

    Of several data sets it is the mean of the data sets' means. Equal means, and
    candidates without a value, stand in the study's order, the latter last.

    Parameters
    ----------
    warehouse : Warehouse

    Returns
    -------
    tuple of str
    """
    for measure in warehouse.measures:
        matrices = [warehouse.performances(d, measure.name).values for d in warehouse.datasets]
        means = np.array([_means(matrix) for matrix in matrices])
        if np.isfinite(means).any():
            sign = 1 if measure.is_smaller_better else -1
            order = np.argsort(sign * _means(means), kind="stable")  # what is not a number is last
            return tuple(warehouse.candidates[k] for k in order)
    return warehouse.candidates


def _means(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of what is finite in every column."""
    is_known = np.isfinite(matrix)
    count = is_known.sum(axis=0)
    total = np.where(is_known, matrix, 0.0).sum(axis=0)
    mean: NDArray[np.float64] = np.full(len(count), np.nan)
    np.divide(total, count, out=mean, where=count > 0)
    return mean
