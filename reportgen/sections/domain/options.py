"""Options of the section `domain`."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from reportgen.stats.consensus_relations.orders import Coding
from reportgen.study.manifest import AnalysisOptions


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
