"""Several starts of an estimator that begins at random."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from reportgen.catalogue.wrapped import Wrapped


class Restarted(Wrapped):
    """An estimator with a random start, begun several times; the least training loss is kept.

    Parameters
    ----------
    estimator : estimator
        Has `random_state`, and `loss_` once it is fitted.
    n : int
        Number of starts.
    random_state : int, optional
    """

    def __init__(self, estimator: Any, n: int = 5, random_state: int | None = None) -> None:
        self.estimator = estimator
        self.n = n
        self.random_state = random_state

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        """Fit from every start."""
        states = np.random.default_rng(self.random_state).integers(2**32, size=self.n)
        fits = (clone(self.estimator).set_params(random_state=int(s)).fit(X, y) for s in states)
        self._keep(min(fits, key=lambda fitted: float(fitted.loss_)))
        return self
