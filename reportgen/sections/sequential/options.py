"""Options of the section `sequential`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from reportgen.study.errors import Fault, listed, measure_name, nearest, shown
from reportgen.study.manifest import AnalysisOptions
from reportgen.study.schema.resampling import StagedTest
from reportgen.study.schema.value_types import FILLED, Count, Name

MeasureName = Annotated[Name, AfterValidator(measure_name)]


class Options(StagedTest, AnalysisOptions):
    """Options of the section `sequential`."""

    measures: Annotated[tuple[MeasureName, ...], *FILLED] | None = None
    """The measures that are monitored; the main one when left out."""
    alternative: Literal["two-sided", "less", "greater"] = "two-sided"
    """Of first - second, fixed before any result is seen."""
    burn_in: Count = 10
    """Replications before the first look."""
    stage: Count = 50
    """Replications of a stage."""
    final: Literal["exhaust", "open"] = "exhaust"
    """Whether the last stage decides in any case, or may leave a pair undecided."""
    at: tuple[Count, ...] = (30, 100)
    """Numbers of replications for which the verdict of a fixed design is shown."""
    sequence: Literal["asymptotic", "bernstein"] = "asymptotic"
    """Confidence sequence of the mean difference: in large samples, or exact where the measure's
    range is known, which takes many more replications."""
    orders: Annotated[int, Field(ge=0, le=10_000)] = 60
    """Random orders of the replications that a track is compared with; 0 for none."""

    def unknown_pairs(self, candidates: Sequence[str]) -> list[Fault]:
        """Return names in `pairs` that no candidate has."""
        return [
            Fault(("pairs", i, j), shown(name), listed(candidates), nearest(name, candidates))
            for i, pair in enumerate(self.pairs or ())
            for j, name in enumerate(pair)
            if name not in candidates
        ]

    def faults_among(self, measures: Sequence[str]) -> list[Fault]:
        """Return measures that are not there."""
        return [
            *super().faults_among(measures),
            *(
                Fault(("measures", i), shown(name), listed(measures), nearest(name, measures))
                for i, name in enumerate(self.measures or ())
                if name not in measures
            ),
        ]
