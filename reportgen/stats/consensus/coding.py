"""What an order costs: the members of an ensemble, coded."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.relations import OrderClass

Coding = Literal["strict", "relations"]
Whole = NDArray[np.int64]


def member_costs(
    incidences: NDArray[np.bool_], order_class: OrderClass, coding: Coding
) -> tuple[Whole, Whole]:
    """Return how the distance of every member from an order comes about.

    The distance of member m from an order R is ``constants[m]`` and the sum of
    ``costs[m]`` over the pairs of R.

    Parameters
    ----------
    incidences : ndarray of shape (M, K, K), bool
    order_class : str
        Of R.
    coding : {"strict", "relations"}
        As for `consensus`.

    Returns
    -------
    costs : ndarray of shape (M, K, K), int
        What putting i before j adds; a tie adds nothing.
    constants : ndarray of shape (M,), int
        The distance from the order of no pair at all.
    """
    said = incidences.astype(np.int64)
    n = said.shape[1]
    on_diagonal = said.trace(axis1=1, axis2=2)
    off = ~np.eye(n, dtype=np.bool_)
    costs = np.where(off, 1 - 2 * said, 0)
    constants = said.sum(axis=(1, 2)) - on_diagonal
    if coding == "strict":
        return costs, constants
    constants = constants + n - on_diagonal  # a consensus of R is reflexive
    if order_class == "weak":
        # i is not worse than j unless j is better: the pair (i, j) is taken away by j before i
        return -costs.transpose(0, 2, 1), constants + costs.sum(axis=(1, 2))
    return costs, constants


def ensemble_costs(
    incidences: NDArray[np.bool_], values: Whole, order_class: OrderClass, coding: Coding
) -> tuple[Whole, int]:
    """Return the same for a whole ensemble, every member times its whole weight.

    Returns
    -------
    costs : ndarray of shape (K, K), int
    constant : int
    """
    costs, constants = member_costs(incidences, order_class, coding)
    return np.tensordot(values, costs, axes=1), int(values @ constants)
