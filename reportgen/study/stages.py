"""Executions in stages: how one is tested, and when a data set is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from reportgen.stats.sequential.staged import (
    CombinationName,
    Multiplicity,
    RuleName,
    StagePlan,
    TestName,
    stage_ends,
)
from reportgen.stats.sequential.verdicts import Stop


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
        Differences between -area and area do not matter.
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
    test: TestName = "wilcoxon"
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
