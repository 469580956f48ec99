"""Psychoanalysis: which characteristics of data sets decide who does best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from reportgen.sections.base import Section
from reportgen.stats.subsamples import N_SUBSAMPLES
from reportgen.study.errors import Fault, fault, listed, measure_name, nearest, shown
from reportgen.study.schema.options import AnalysisOptions, Scheme, Strict, WantedCharacteristics
from reportgen.units import names_of

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether there are characteristics of several data sets, and candidates to compare."""
    several = len(warehouse.datasets) >= 2 and len(warehouse.candidates) >= 2
    return several and not warehouse.characteristics.empty


SECTION = Section(
    name="psychoanalysis",
    package=__name__,
    condition=applies,
    scope="study",
    place=6,
    has_parts=True,
    wants="characteristics of data sets, two data sets and two candidates",
    units=names_of(lambda unit: unit.is_paired),
)


class DescribedScheme(Strict):
    """A resampling scheme whose learning samples are described in addition to the study's own."""

    scheme: Scheme
    fraction: Annotated[float, Field(gt=0, lt=1)] | None = None
    """Of subsampling, 2/3 when left out."""

    @model_validator(mode="after")
    def _fraction_has_use(self) -> DescribedScheme:
        if self.fraction is not None and self.scheme == "bootstrap":
            raise fault("fraction with bootstrap", "fraction with subsampling only", at="fraction")
        return self


class Options(AnalysisOptions):
    """Options of the section `psychoanalysis`."""

    FORMER_KEYS: ClassVar = {
        "prune": "a criterion that took divisions back: the tests decide, within max_depth, now"
    }

    measure: str | None = None
    """By which candidates are compared; the main one when left out."""
    cluster: Literal["dataset", "none"] = "dataset"
    """Independent units of the tests: data sets, or (as R does) every learning sample."""
    min_size: Annotated[int, Field(ge=1)] | None = None
    """Data sets in a node, 2 when left out; under `cluster: none` learning samples, twice the
    number of replications when left out."""
    epsilon: Annotated[float, Field(ge=0)] = 0.0
    """Two performances that differ by no more are a tie."""
    characteristics: tuple[str, ...] | None = None
    """Those to compute and to test; the usual ones, or all of an imported table, when left out."""
    schemes: tuple[DescribedScheme, ...] = ()
    """Further resampling schemes whose learning samples are described."""
    max_depth: Annotated[int, Field(ge=0)] | None = None
    """Divisions on the way to a leaf, at most."""
    permutations: Annotated[int, Field(ge=0)] = 999
    """Of the data sets, for the p-values under `cluster: dataset`; 0 for asymptotic ones."""
    resamples: Annotated[int, Field(ge=0)] = N_SUBSAMPLES
    """Trees of subsamples of the data sets, which show how stable the tree is; without any it is
    no finding."""
    figures: tuple[Literal["instability", "variation-panels", "worth-tree"], ...] = ()
    """Figures on request that stand in the section."""

    @property
    def wanted_characteristics(self) -> WantedCharacteristics:
        """Those that are named, or the usual ones."""
        schemes = tuple((entry.scheme, entry.fraction) for entry in self.schemes)
        return WantedCharacteristics(self.characteristics, schemes)

    def faults_among(self, measures: Sequence[str]) -> list[Fault]:
        """Add a measure that is not there to what all options may lack."""
        faults = super().faults_among(measures)
        if self.measure is not None and measure_name(self.measure) not in measures:
            near = nearest(self.measure, measures)
            faults.append(Fault(("measure",), shown(self.measure), listed(measures), near))
        return faults
