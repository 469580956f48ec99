"""Executions in stages: how one is tested, and when a data set is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.sequential.staged import (
    CombinationName,
    Multiplicity,
    RuleName,
    StagePlan,
    TestName,
    stage_ends,
)
from reportgen.stats.sequential.verdicts import Answers, Stop, judged, settled
from reportgen.warehouse import Measure, Warehouse

Array = NDArray[np.float64]


def comparison_values(values: Array, measure: Measure) -> Array:
    """Return values on the scale on which their differences are tested, NaN where there is none.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        Performances as they were measured.
    measure : Measure
    """
    return np.where(np.isfinite(values), values, np.nan)


def stage_answers(
    values: Array, candidates: Sequence[str], measure: Measure, stages: Stages
) -> dict[tuple[str, str], Answers]:
    """Return what settles the pairs of an execution in stages, which are its verdicts.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        Performances as they were measured, NaN where there is none.
    candidates : sequence of str
    measure : Measure
        By which the stages decide.
    stages : Stages

    Returns
    -------
    dict of (str, str) to Answers
        By pair that the stages compare. Equivalence that signed ranks or signs have decided on
        is none of means: such pairs are undecided.
    """
    ends = tuple(end for end in stages.ends if end <= len(values))
    named = stages.pairs or tuple(combinations(candidates, 2))
    pairs = tuple((candidates.index(i), candidates.index(j)) for i, j in named)
    area = stages.area if stages.plan.quantity == "mean" else None
    answers = judged(comparison_values(values, measure), pairs, ends, stages.plan, area)
    return {
        names: settled(ends, own, stages.stop)[0]
        for names, own in zip(named, zip(*answers, strict=True), strict=True)
    }


def comparison_area(area: tuple[float, float] | None, measure: Measure) -> float | None:
    """Return the half-width of an area of equivalence on the scale of `comparison_values`.

    Parameters
    ----------
    area : tuple of two floats or None
        As a manifest says it; one of ratios says nothing of differences.
    measure : Measure
    """
    return None if area is None or area[0] >= 0 else area[1]


@dataclass(frozen=True, slots=True)
class Stages:
    """A design that stops on a data set when its comparisons are decided.

    Attributes
    ----------
    size : int
        Replications of a stage.
    most : int
        Replications at most.
    measure : str
        By which it decides.
    drop : {"beaten", "decided"} or None
        Candidates that are no longer measured: those than which another one is
        better, or those all of whose comparisons are decided.
    alpha : float
        Family-wise level.
    area : float or None
        Differences between -area and area do not matter, on the scale of the tests.
    pairs : tuple of tuples of two str, or None
        The comparisons that have to be decided; None for all.
    test, rule, combination, multiplicity : str
    stop : {"decided", "both"}
        A comparison is settled when a difference or equivalence is shown, or when
        there is an answer to both questions.
    """

    size: int
    most: int
    measure: str
    drop: Literal["beaten", "decided"] | None = None
    alpha: float = 0.05
    area: float | None = None
    pairs: tuple[tuple[str, str], ...] | None = None
    test: TestName = "t"
    rule: RuleName = "obrien-fleming"
    combination: CombinationName = "fisher"
    multiplicity: Multiplicity = "holm"
    stop: Stop = "decided"

    @property
    def ends(self) -> tuple[int, ...]:
        """Replications at the end of each stage that is planned."""
        return stage_ends(self.most, self.size)

    @property
    def plan(self) -> StagePlan:
        """How the pairs are tested."""
        return StagePlan(
            len(self.ends),
            self.alpha,
            self.test,
            rule=self.rule,
            combination=self.combination,
            multiplicity=self.multiplicity,
        )

    def described(self) -> dict[str, object]:
        """Return it as plain values, from which `of` makes it again."""
        pairs = None if self.pairs is None else [list(pair) for pair in self.pairs]
        return {**asdict(self), "pairs": pairs}

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> Stages:
        """Return the stages that a warehouse describes.

        Examples
        --------
        >>> stages = Stages(50, 250, "mse", pairs=(("a", "b"),))
        >>> Stages.of(stages.described()) == stages
        True
        """
        pairs = described.get("pairs")
        known = {**described, "pairs": None if pairs is None else tuple(map(tuple, pairs))}
        return cls(**known)


def stages_of(warehouse: Warehouse) -> Stages | None:
    """Return the stages by which a warehouse was filled; None where it was not by stages."""
    described = warehouse.resampling.get("stages")
    return Stages.of(described) if isinstance(described, Mapping) else None
