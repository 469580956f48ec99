"""Consensus: the order on which the preference relations of a data set agree best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import ConfigDict, Field

from reportgen.sections.base import Section
from reportgen.sections.preferences import Options as PreferencesOptions
from reportgen.stats.consensus_relations.orders import Coding
from reportgen.study.errors import Fault, listed, nearest, shown
from reportgen.study.schema.options import AnalysisOptions

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether there are candidates to put in order."""
    return len(warehouse.candidates) >= 2


SECTION = Section(
    name="consensus",
    package=__name__,
    condition=applies,
    scope="dataset",
    requires=("preferences",),
    place=40,
    has_density=True,
    shares_work=True,
    wants="two candidates",
)


class Options(AnalysisOptions):
    """Options of the section `consensus`."""

    model_config = ConfigDict(populate_by_name=True)

    order_class: Literal["linear", "weak", "semiorder", "interval", "partial"] = Field(
        "weak", alias="class"
    )
    """Class of orders in which the consensus is sought."""
    weights: dict[str, Annotated[float, Field(ge=0)]] = Field(default_factory=dict)
    """Weight of a relation by its id, name or measure/by; 1 for those left out."""
    coding: Coding = "strict"
    """The coding of ties: strict, or as R's package relations."""
    limit: int | None = Field(None, ge=1)
    """The largest number of optimal orders that are listed; by default fewer of many candidates."""

    def weight(self, relation: str) -> float:
        """Return the weight of a relation."""
        return self.weights.get(relation, self.weights.get(_former(relation), 1.0))

    def unknown(self, relations: Sequence[str]) -> list[Fault]:
        """Return weights of relations that are not there.

        `relations`: ids of all there are.
        """
        return [
            Fault(("weights", name), shown(name), listed(relations), nearest(name, relations))
            for name in self.weights
            if name not in relations and name not in map(_former, relations)
        ]

    def cross_check(
        self, others: Mapping[str, AnalysisOptions], measures: Sequence[str]
    ) -> list[Fault]:
        """Return weights of relations that are not there, or that leave none with a weight."""
        preferences = others.get("preferences")
        entries = preferences.relations if isinstance(preferences, PreferencesOptions) else None
        if entries is None:  # which of the two is known when the measures' units are
            return self.unknown([f"{m}/{by}" for m in measures for by in ("verdict", "mean")])
        ids = [entry.id for entry in entries]
        faults = self.unknown(ids)
        if not faults and all(self.weight(name) == 0 for name in ids):
            faults.append(Fault(("weights",), "0 for every relation", "a weight above 0 for one"))
        return faults


def _former(relation: str) -> str:
    """Return what version 0.1 called the relation of a measure's verdicts."""
    return relation.removesuffix("/verdict") + "/mixed-model"
