"""What a generator of data is, and a generator with the options of one data set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.catalogue.measures import Task

Table = tuple[pd.DataFrame, pd.Series]


@dataclass(frozen=True, slots=True)
class GeneratedData:
    """A generator of any number of observations.

    Attributes
    ----------
    draw : callable
        Takes n, a random generator and the options; returns inputs and target.
    origin : str
        Where the definition stands.
    options : mapping
        Every option with its default.
    n : int
        Number of observations where nobody says.
    task : {"classification", "regression"}
    estimate : callable or None
        Takes inputs, target and the options; returns those options that are
        estimated.
    """

    draw: Callable[..., Table]
    origin: str
    options: Mapping[str, float] = field(default_factory=dict)
    n: int = 300
    task: Task = "classification"
    estimate: Callable[..., dict[str, float]] | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A generator with the options of one data set.

    Attributes
    ----------
    definition : GeneratedData
    options : mapping
        All of them.
    """

    definition: GeneratedData
    options: Mapping[str, float]

    def draw(self, n: int, rng: Generator) -> Table:
        """Draw n observations."""
        return self.definition.draw(n, rng, **self.options)

    def estimated(self, inputs: pd.DataFrame, target: pd.Series) -> Source:
        """Return the generator with estimated parameters."""
        if self.definition.estimate is None:
            raise ValueError("no parameters of this generator are estimated")
        found = self.definition.estimate(inputs, target, **self.options)
        return Source(self.definition, {**self.options, **found})


def named(points: NDArray[np.float64]) -> pd.DataFrame:
    """Name columns x1, x2 and so on."""
    return pd.DataFrame(points, columns=[f"x{j + 1}" for j in range(points.shape[1])])
