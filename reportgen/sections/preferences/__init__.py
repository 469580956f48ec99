"""Preferences: the relations of the candidates by each measure and rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from reportgen.sections.base import Section
from reportgen.study.errors import Fault, fault, listed, measure_name, nearest, shown
from reportgen.study.schema.options import AnalysisOptions, Strict
from reportgen.study.schema.value_types import FILLED, Name

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse

By = Literal[
    "mean",
    "median",
    "max",
    "m-worst",
    "quantile",
    "verdict",
    "mixed-model",
    "friedman",
    "percentile",
]
"""The source of a relation: a statistic of each candidate, or a comparison of pairs."""

STATISTICS = ("mean", "median", "max", "m-worst", "quantile")
"""Those of them that are statistics of each candidate."""

Relevant = Literal["better", "not-equivalent"]

SHARED = ("family", "alpha", "relevance", "df", "variance", "missing")
"""Options that are those of the inference where one adjustment covers the study."""


def applies(warehouse: Warehouse) -> bool:
    """Whether there are candidates to compare."""
    return len(warehouse.candidates) >= 2


SECTION = Section(
    name="preferences",
    package=__name__,
    condition=applies,
    scope="dataset",
    has_density=True,
    requires=("inference",),
    place=30,
    wants="two candidates",
)


class RelationEntry(Strict):
    """A relation that the manifest asks for."""

    measure: Annotated[Name, AfterValidator(measure_name)]
    """Name of the measure."""
    by: By
    """The statistic, or the test, by which candidates are compared."""
    name: Name | None = None
    """Its id; measure/by when left out."""
    relevant: Relevant | None = None
    """Count a significant difference only when it is relevant; with verdict or mixed-model."""
    epsilon: float = Field(0.0, ge=0)
    """Statistics that differ by no more tie; with mean, median, max, m-worst, quantile."""
    m: int | None = Field(None, ge=1)
    """The m of the m-th worst value; ceil(alpha B) when left out."""
    quantile: float | None = Field(None, gt=0, lt=1)
    """Level of the quantile on the worse side; 1 - alpha when left out."""

    @model_validator(mode="after")
    def _keys_have_use(self) -> RelationEntry:
        for key, owners in (
            ("relevant", ("verdict", "mixed-model")),
            ("epsilon", STATISTICS),
            ("m", ("m-worst",)),
            ("quantile", ("quantile",)),
        ):
            if getattr(self, key) and self.by not in owners:
                allowed = f"{key} with by: {' or '.join(owners)}"
                raise fault(f"{key} with by: {self.by}", allowed, at=key)
        return self

    @property
    def id(self) -> str:
        """Its name in the consensus and in results.json."""
        return self.name or f"{self.measure}/{self.by}"


class Options(AnalysisOptions):
    """Options of the section `preferences`."""

    relations: Annotated[tuple[RelationEntry, ...], *FILLED] | None = None
    """One for each measure when left out: by mean for times and sizes, else by verdict."""
    figures: tuple[Literal["hasse", "incidence"], ...] = ()
    """Figures on request that stand in the section, of the main measure's first relation."""

    @model_validator(mode="after")
    def _each_once(self) -> Options:
        ids = [entry.id for entry in self.relations or ()]
        twice = next((i for i in ids if ids.count(i) > 1), None)
        if twice is not None:
            allowed = "each id once: a name for one of them"
            raise fault(f"two relations with the id {shown(twice)}", allowed, at="relations")
        return self

    def faults_among(self, measures: Sequence[str]) -> list[Fault]:
        """Return relations of measures that are not there, or without the area they need."""
        faults = super().faults_among(measures)
        for i, entry in enumerate(self.relations or ()):
            place = ("relations", i)
            if entry.measure not in measures:
                near = nearest(entry.measure, measures)
                faults.append(
                    Fault((*place, "measure"), shown(entry.measure), listed(measures), near)
                )
            elif entry.relevant and entry.measure not in self.relevance:
                found = f"relevant: {entry.relevant} without an area of {listed([entry.measure])}"
                allowed = f"such an area, as in relevance: {{{entry.measure}: [-0.01, 0.01]}}"
                faults.append(Fault((*place, "relevant"), found, allowed))
        return faults

    def cross_check(
        self, others: Mapping[str, AnalysisOptions], measures: Sequence[str]
    ) -> list[Fault]:
        """Return options that part from the inference's, whose tests cover the whole study."""
        inference = others.get("inference")
        if self.family != "study" or inference is None:
            return []
        return [
            Fault(
                (key,),
                f"another {key} than inference has, with family: study",
                "the same in both (relations of one study rest on one adjustment)",
            )
            for key in SHARED
            if getattr(self, key) != getattr(inference, key)
        ]
