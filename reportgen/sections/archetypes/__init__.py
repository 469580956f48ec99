"""Archetypes: the extreme ways to perform, and which candidates are mixtures of which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from reportgen.sections.base import Section
from reportgen.stats.subsamples import N_OF_LARGE, N_SUBSAMPLES
from reportgen.study.errors import Fault, listed, nearest, shown
from reportgen.study.schema.options import AnalysisOptions
from reportgen.units import names_of

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse

MOST_VALUES = 4_000  # of a table of which 200 subsamples take seconds
Rows = Literal["replications", "candidates", "datasets"]
Part = Literal[
    "height", "shoulders", "chest", "pelvis", "hips", "elbow", "wrist", "knee", "ankle"
]  # fmt: skip


def applies(warehouse: Warehouse) -> bool:
    """Whether there is a table, or a domain of three data sets with three candidates."""
    if warehouse.is_table:
        return True
    return len(warehouse.datasets) >= 3 and len(warehouse.candidates) >= 3


SECTION = Section(
    name="archetypes",
    package=__name__,
    condition=applies,
    scope="study",
    place=7,
    has_parts=True,
    takes_tables=True,
    wants="three data sets and three candidates",
    units=names_of(lambda unit: unit.shares_rows),
)


class Options(AnalysisOptions):
    """Options of the section `archetypes`."""

    FORMER_KEYS: ClassVar = {
        "least_gain": "the limit of the elbow, 7% of what a single point leaves now; k gives a "
        "number of archetypes"
    }

    k: int | None = Field(None, ge=1)
    """Number of archetypes; left out: by the elbow."""
    fit: Literal["original", "weighted", "robust"] = "original"
    """Plain least squares, with weights of rows, or without outliers."""
    weights: Literal["residual", "shrink"] = "residual"
    """Effect of the weights of a weighted fit: weigh squared residuals, or shrink rows towards the
    centre, as R's package does."""
    row_weights: dict[str, Annotated[float, Field(ge=0)]] = Field(default_factory=dict)
    """For a weighted fit: weight of a candidate's rows (of a data set's, where rows are data sets;
    of a row by its label in a table); 1 for those left out."""
    rows: Rows | None = None
    """A row is a candidate in a replication, a candidate's means, or a data set; columns are
    the data sets, or the candidates. Left out: replications where there are several."""
    measures: list[str] | None = None
    """Measures whose columns form the table; left out: the main one."""
    scaling: Literal["standard", "robust", "none"] | None = None
    """Of the columns; left out: robust for the robust fit, standard otherwise."""
    most: int = Field(8, ge=2)
    """Up to how many archetypes the scree goes."""
    starts: int = Field(4, ge=1)
    """Starts of every fit; as many fresh ones show whether they reach the same archetypes."""
    samples: int | None = Field(None, ge=0)
    """Subsamples of the data sets (of the rows of a table) in which the archetypes are looked for
    again; left out: 200, of a table of more than 4,000 values 50; without any they are no
    finding."""
    skeleton: dict[Part, str] = Field(default_factory=dict)
    """Columns by the part of a body that they measure, for the figure `skeleton`: `height`, widths
    of `shoulders`, `chest`, `pelvis` and `hips`, and sums of both sides of `elbow`, `wrist`, `knee`
    and `ankle`, in one unit."""
    figures: tuple[
        Literal[
            "archetype-residuals", "hull", "iterations", "panorama", "parallel", "profile-bars",
            "skeleton",
        ],
        ...,
    ] = ()  # fmt: skip
    """Figures on request that stand in the section."""

    def n_samples(self, n_values: int) -> int:
        """Return how many subsamples a table of so many values gets."""
        if self.samples is not None:
            return self.samples
        return N_OF_LARGE if n_values > MOST_VALUES else N_SUBSAMPLES

    def faults_among(self, measures: Sequence[str]) -> list[Fault]:
        """Return what does not fit the measures of a study, and weights without a weighted fit."""
        faults = super().faults_among(measures)
        faults += [
            Fault(("measures", i), shown(name), listed(measures), nearest(name, measures))
            for i, name in enumerate(self.measures or ())
            if name not in measures
        ]
        if self.row_weights and self.fit != "weighted":
            found = f"weights of rows with fit: {self.fit}"
            faults.append(Fault(("row_weights",), found, "fit: weighted"))
        return faults

    def cross_check(
        self, others: Mapping[str, AnalysisOptions], measures: Sequence[str]
    ) -> list[Fault]:
        """Return nothing: no other section's options matter."""
        return []
