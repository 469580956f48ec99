"""The comparisons on one measure of one data set, and their test."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.sections.sequential.options import Options
from reportgen.sections.sequential.result import Choice, StagesRun
from reportgen.stats.pair_table import Scale
from reportgen.stats.sequential.staged import StagePlan
from reportgen.study.comparison import area_on, half_width
from reportgen.warehouse import Performances, Target

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Request:
    """The values of one measure, and the requested comparisons.

    Attributes
    ----------
    performances : Performances
    scale : {"difference", "ratio"}
        Whether candidates are compared by difference or by ratio.
    values : ndarray of shape (B, K)
        Whose differences are tested (`comparison_values`), NaN where there is no value.
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
    choice : {"all", "named", "reference", "best"}
        How the pairs were chosen.
    n_compared : int
        Pairs among which they were: of all candidates where it took results to choose.
    n_family : int
        Hypotheses of the family, which may hold other measures too.
    """

    performances: Performances
    scale: Scale
    values: Array
    pairs: tuple[tuple[int, int], ...]
    ends: tuple[int, ...]
    planned: tuple[int, ...]
    plan: StagePlan
    target: Target
    options: Options
    run: StagesRun | None
    choice: Choice
    n_compared: int
    n_family: int = 0

    @property
    def differences(self) -> tuple[Array, ...]:
        """First - second of each pair, NaN where one has no value."""
        return tuple(self.values[:, i] - self.values[:, j] for i, j in self.pairs)

    @property
    def is_part(self) -> bool:
        """Whether there are more comparisons than those that are monitored."""
        return self.n_compared > len(self.pairs)

    @property
    def own_alpha(self) -> float:
        """Level of this measure: its share by the number of pairs."""
        return self.options.alpha * self.n_compared / max(self.n_family, self.n_compared, 1)

    def alone(self, n_measures: int) -> StagePlan:
        """Return the plan for this measure's share of the level."""
        return replace(self.plan, alpha=self.plan.alpha / n_measures)

    def shared(self, plan: StagePlan, n_family: int) -> StagePlan:
        """Return a plan for the monitored pairs of a family.

        Pairs that results have chosen get their share of the level among all there
        are: whichever are chosen, the family-wise level holds.
        """
        if not self.is_part:
            return plan
        share = plan.alpha * len(self.pairs) / n_family
        return replace(plan, alpha=share, multiplicity="bonferroni")

    @property
    def is_ratio(self) -> bool:
        """Whether the values are logarithms."""
        return self.scale == "ratio"

    @property
    def named_area(self) -> tuple[float, float] | None:
        """Area of equivalence of the measure, as set by the study."""
        return self.options.relevance.get(self.performances.measure.name)

    @property
    def relevance(self) -> tuple[float, float] | None:
        """Area of equivalence; None for a test that is not one of means."""
        return area_on(self.scale, self.named_area) if self.plan.quantity == "mean" else None

    @property
    def area(self) -> float | None:
        """Differences of the values up to which do not matter."""
        return None if self.relevance is None else half_width(self.scale, self.relevance)

    def measured(self, differences: ArrayLike) -> NDArray[np.float64]:
        """Return differences of the values as differences, or ratios, of performances."""
        with np.errstate(over="ignore"):  # a ratio beyond floating point is infinite
            return np.exp(differences) if self.is_ratio else np.asarray(differences)

    @property
    def span(self) -> float | None:
        """The bound of the size of differences; None where the measure's range is not known."""
        low, high = self.performances.measure.bounds
        return None if self.is_ratio or low is None or high is None else high - low

    @property
    def burn_in(self) -> int:
        """Replications before the first look; never so few that the test is undefined."""
        return max(2, self.options.burn_in)

    def names(self, pair: tuple[int, int]) -> tuple[str, str]:
        """Return the two candidates."""
        return self.performances.candidates[pair[0]], self.performances.candidates[pair[1]]
