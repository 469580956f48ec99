"""Sequential: since when each difference is clear, and when one could have stopped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from reportgen.sections.base import Section
from reportgen.study.errors import Fault, listed, measure_name, nearest, shown
from reportgen.study.schema.options import AnalysisOptions
from reportgen.study.schema.resampling import Pair, each_once
from reportgen.study.schema.value_types import FILLED, Count, Name
from reportgen.units import names_of

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse

LEAST = 20  # replications from which on a report without a list of sections monitors them

MeasureName = Annotated[Name, AfterValidator(measure_name)]
OF_STAGES = "an execution in stages, `resampling: {replications: {max: ...}}`, sets its own"


def applies(warehouse: Warehouse) -> bool:
    """Whether there are candidates to compare, and replications that accumulate."""
    return len(warehouse.candidates) >= 2 and max(warehouse.n_replications, default=0) >= LEAST


SECTION = Section(
    name="sequential",
    package=__name__,
    condition=applies,
    scope="dataset",
    requires=("inference",),
    place=50,
    units=names_of(lambda unit: unit.is_block),
    wants="20 replications of a data set and two candidates",
)


class Options(AnalysisOptions):
    """Options of the section `sequential`."""

    FORMER_KEYS: ClassVar = {
        "test": f"the test of a stage: t, corrected for skewness, now; {OF_STAGES}",
        "rule": f"boundaries of the stages: O'Brien and Fleming's spending now; {OF_STAGES}",
        "combination": f"of the stages' p-values: Fisher's product now; {OF_STAGES}",
        "multiplicity": f"over the pairs: Holm's method now; {OF_STAGES}",
        "stop": f"when a pair is settled: by a difference or equivalence now; {OF_STAGES}",
        "alternative": "one-sided tests: all are two-sided now",
        "final": "whether the last stage may leave a pair undecided: it decides now",
        "at": "fixed designs beside: those of 30 and 100 replications now",
        "sequence": "the confidence sequence: the sign e-process alone holds at any time now",
    }

    measures: Annotated[tuple[MeasureName, ...], *FILLED] | None = None
    """The measures that are monitored; the main one when left out."""
    pairs: Annotated[tuple[Pair, ...], *FILLED, AfterValidator(each_once)] | None = None
    """The comparisons that are monitored, first - second; all when left out."""
    burn_in: Count = 10
    """Replications before the first look."""
    stage: Count = 50
    """Replications of a stage."""
    orders: Annotated[int, Field(ge=0, le=10_000)] = 60
    """Random orders of the replications that a track is compared with; 0 for none."""
    figures: tuple[Literal["p-track", "stages"], ...] = ()
    """Figures on request that stand in the section, of the first measure that is monitored."""

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
