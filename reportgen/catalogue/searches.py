"""What a tuning tries: grids, and combinations drawn at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, log
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Setting = Mapping[str, Any]
"""Hyperparameters by name."""


class Settings(Protocol):
    """What is to be tried, given a learning sample."""

    def __call__(self, X: Any, y: NDArray[Any], rng: Generator) -> Sequence[Setting]:
        """Return the settings, the simplest first."""


@dataclass(frozen=True, slots=True)
class Span:
    """All numbers between two.

    Attributes
    ----------
    lower, upper : float
    is_log : bool
        Whether numbers are drawn evenly on the logarithmic scale.
    """

    lower: float
    upper: float
    is_log: bool = False

    def at(self, share: float) -> float:
        """Return the number at a share of the way.

        Examples
        --------
        >>> Span(1.0, 3.0).at(0.5), round(Span(0.1, 10.0, True).at(0.5), 9)
        (2.0, 1.0)
        """
        if self.is_log:
            number = exp(log(self.lower) + share * (log(self.upper) - log(self.lower)))
        else:
            number = self.lower + share * (self.upper - self.lower)
        return min(max(number, self.lower), self.upper)


Values = tuple[Any, ...] | Span
"""The values of a hyperparameter, one by one or all between two."""


@dataclass(frozen=True, slots=True)
class Grid:
    """All combinations of some values.

    Attributes
    ----------
    values : mapping of str to tuple
        By hyperparameter.
    """

    values: Mapping[str, tuple[Any, ...]]

    def __call__(self, X: Any, y: NDArray[Any], rng: Generator) -> Sequence[Setting]:
        """Return every combination, the last hyperparameter changing fastest."""
        return [
            dict(zip(self.values, chosen, strict=True)) for chosen in product(*self.values.values())
        ]


@dataclass(frozen=True, slots=True)
class RandomSearch:
    """Combinations drawn at random.

    Attributes
    ----------
    values : mapping of str to tuple or Span
        By hyperparameter.
    n : int
        How many. From lists alone none is drawn twice.
    """

    values: Mapping[str, Values]
    n: int

    def __call__(self, X: Any, y: NDArray[Any], rng: Generator) -> Sequence[Setting]:
        """Draw the combinations."""
        if any(isinstance(values, Span) for values in self.values.values()):
            return [self._draw(rng) for _ in range(self.n)]
        lists = {name: values for name, values in self.values.items() if isinstance(values, tuple)}
        sizes = [len(values) for values in lists.values()]
        n_all = int(np.prod(sizes, dtype=object))
        drawn = rng.choice(n_all, size=min(self.n, n_all), replace=False)
        places = zip(*np.unravel_index(np.sort(drawn), sizes), strict=True)
        return [
            {name: values[i] for (name, values), i in zip(lists.items(), at, strict=True)}
            for at in places
        ]

    def _draw(self, rng: Generator) -> Setting:
        return {
            name: values.at(float(rng.random()))
            if isinstance(values, Span)
            else values[int(rng.integers(len(values)))]
            for name, values in self.values.items()
        }
