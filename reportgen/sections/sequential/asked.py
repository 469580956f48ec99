"""What is compared on one measure of one data set, and how."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.sequential.options import Options
from reportgen.sections.sequential.result import StagesRun
from reportgen.stats.sequential.staged import StagePlan
from reportgen.warehouse import Performances, Target

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Asked:
    """The values of one measure, and the comparisons that are asked for.

    Attributes
    ----------
    performances : Performances
    values : ndarray of shape (B, K)
        NaN where there is no value.
    pairs : tuple of tuples of two int
        Columns, first and second.
    ends : tuple of int
        Replications at the end of each stage there is.
    planned : tuple of int
        The same of each stage that was planned.
    plan : StagePlan
    target : str
    options : Options
    run : StagesRun or None
    n_family : int
        Hypotheses of the family, which may hold other measures too.
    """

    performances: Performances
    values: Array
    pairs: tuple[tuple[int, int], ...]
    ends: tuple[int, ...]
    planned: tuple[int, ...]
    plan: StagePlan
    target: Target
    options: Options
    run: StagesRun | None
    n_family: int = 0

    @property
    def differences(self) -> tuple[Array, ...]:
        """First - second of each pair, NaN where one has no value."""
        return tuple(self.values[:, i] - self.values[:, j] for i, j in self.pairs)

    @property
    def burn_in(self) -> int:
        """Replications before the first look; never so few that the test is undefined."""
        return max(2, self.options.burn_in)

    def names(self, pair: tuple[int, int]) -> tuple[str, str]:
        """Return the two candidates."""
        return self.performances.candidates[pair[0]], self.performances.candidates[pair[1]]
