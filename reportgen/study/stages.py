"""Replications in stages: the test of a stage, and when a data set is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any, Literal

from reportgen.data_classes import dataclass
from reportgen.methods import CombinationName, Multiplicity, RuleName, Stop, TestName
from reportgen.performance_measure import Measure
from reportgen.stats.arrays import Area, Array
from reportgen.stats.sequential.sequential_test import stage_ends
from reportgen.stats.sequential.stages import Answers, StagePlan, judged, settled
from reportgen.study.comparison import comparison_scale, comparison_values, half_width
from reportgen.warehouse import Warehouse


def stage_answers(
    values: Array,
    pairs: Sequence[tuple[int, int]],
    ends: Sequence[int],
    measure: Measure,
    stages: Stages,
) -> tuple[tuple[Answers, ...], ...]:
    """Return what is known of the pairs of an execution after each stage.

    `values`: (B, K); performances as they were measured, NaN where there is none.
    `pairs`: columns, first and second.
    `ends`: replications at the end of each stage there is.
    `measure`: by which the stages decide.
    """
    scale = comparison_scale(measure, values, stages.area)
    area = half_width(scale, stages.area) if stages.plan.quantity == "mean" else None
    return judged(comparison_values(values, scale), pairs, ends, stages.plan, area)


def final_answers(
    values: Array, candidates: Sequence[str], measure: Measure, stages: Stages
) -> dict[tuple[str, str], Answers]:
    """Return what settles the pairs of an execution in stages, which are its verdicts.

    `values`: (B, K); performances as they were measured, NaN where there is none.
    `measure`: by which the stages decide.
    Result: by pair that the stages compare. Equivalence that signed ranks or signs have decided on
    is none of means: such pairs are undecided.
    """
    ends = tuple(end for end in stages.ends if end <= len(values))
    named = stages.pairs or tuple(combinations(candidates, 2))
    pairs = tuple((candidates.index(i), candidates.index(j)) for i, j in named)
    answers = stage_answers(values, pairs, ends, measure, stages)
    return {
        names: settled(ends, own, stages.stop)[0]
        for names, own in zip(named, zip(*answers, strict=True), strict=True)
    }


@dataclass(frozen=True, slots=True)
class Stages:
    """A design that stops on a data set when its comparisons are decided."""

    size: int  # replications of a stage
    most: int  # replications at most
    measure: str  # by which it decides
    # Candidates that are no longer measured: those than which another one is better, or those all
    # of whose comparisons are decided.
    drop: Literal["beaten", "decided"] | None = None
    alpha: float = 0.05  # family-wise level
    area: Area | None = None  # area of equivalence of the measure, as set by a study
    # The comparisons that have to be decided; None for all.
    pairs: tuple[tuple[str, str], ...] | None = None
    test: TestName = "t"
    rule: RuleName = "obrien-fleming"
    combination: CombinationName = "fisher"
    multiplicity: Multiplicity = "holm"
    # A comparison is settled when a difference or equivalence is shown, or when there is an answer
    # to both questions.
    stop: Stop = "decided"

    @property
    def ends(self) -> tuple[int, ...]:
        """Replications at the end of each stage that is planned."""
        return stage_ends(self.most, self.size)

    @property
    def plan(self) -> StagePlan:
        """The test of the pairs."""
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
        area = None if self.area is None else list(self.area)
        return {**asdict(self), "pairs": pairs, "area": area}

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> Stages:
        """Return the stages that a warehouse describes.

        Examples
        --------
        >>> stages = Stages(50, 250, "mse", pairs=(("a", "b"),))
        >>> Stages.of(stages.described()) == stages
        True
        >>> Stages.of({"size": 50, "most": 250, "measure": "mse", "area": 0.5}).area  # version 0.1
        (-0.5, 0.5)
        """
        pairs, area = described.get("pairs"), described.get("area")
        if isinstance(area, int | float):
            area = (-area, area)
        if described.get("multiplicity") == "hierarchical":  # of 0.2; Holm's level holds, too
            described = {**described, "multiplicity": "holm"}
        known = {
            **described,
            "pairs": None if pairs is None else tuple(map(tuple, pairs)),
            "area": None if area is None else tuple(area),
        }
        return cls(**known)


def stages_of(warehouse: Warehouse) -> Stages | None:
    """Return the stages by which a warehouse was filled; None where it was not by stages."""
    described = warehouse.resampling.get("stages")
    return Stages.of(described) if isinstance(described, Mapping) else None
