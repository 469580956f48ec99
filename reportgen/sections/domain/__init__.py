"""Domain: which candidate to choose for data sets like these, and where they disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import ConfigDict, Field

from reportgen.sections.base import Section
from reportgen.sections.datasets import joins_datasets
from reportgen.stats.consensus_relations.orders import Coding
from reportgen.study.schema.options import AnalysisOptions

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether there are candidates to compare, and a measure of several data sets."""
    return len(warehouse.candidates) >= 2 and joins_datasets(warehouse)


SECTION = Section(
    name="domain",
    package=__name__,
    condition=applies,
    scope="study",
    requires=("inference", "preferences", "consensus"),
    place=5,
    has_parts=True,
    has_density=True,
    wants="two data sets, which are no settings of one, and two candidates",
)


class Options(AnalysisOptions):
    """Options of the section `domain`."""

    model_config = ConfigDict(populate_by_name=True)

    structure: Literal["own", "interaction", "unstructured"] = "own"
    """The method: each pair's own variance over data sets, or a model of one covariance."""
    order_class: Literal["linear", "weak", "semiorder", "interval", "partial"] = Field(
        "weak", alias="class"
    )
    """Class of orders in which a consensus over data sets is sought."""
    coding: Coding = "strict"
    """How ties count: strict, or as R's package relations."""
    limit: int | None = Field(None, ge=1)
    """The largest number of optimal orders that are listed; by default fewer of many candidates."""
    fixed_effects: bool = False
    """Whether the model with data sets as fixed effects stands beside the verdict."""
    sort: Literal["name", "tree", "study"] = "name"
    """The order of data sets in the table of their means: by name, as in the tree, as they come."""
    figures: tuple[
        Literal[
            "cd", "cd-nemenyi", "dataset-residuals", "hasse", "incidence", "rank-ranges",
            "stacked", "summary-graph", "trellis",
        ],
        ...,
    ] = ()  # fmt: skip
    """Figures on request that stand in the section, of the main measure."""
