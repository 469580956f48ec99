"""Exploration: what the values of one data set look like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from reportgen.sections.base import Section
from reportgen.study.schema.options import AnalysisOptions
from reportgen.units import names_of

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether values have a distribution; of one data set each value is worth showing."""
    return warehouse.is_replicated or len(warehouse.datasets) == 1


SECTION = Section(
    name="eda",
    package=__name__,
    condition=applies,
    scope="dataset",
    place=10,
    wants="replications, or the values of one data set",
    units=names_of(lambda unit: not (unit.is_summary or unit.is_contest)),
)


class Options(AnalysisOptions):
    """Options of the section `eda`."""

    sort: Literal["mean", "median", "max"] = "mean"
    """Statistic that orders the candidates; max is the worst value."""
    m_worst: int | None = Field(None, ge=1)
    """The m of the m-th worst value; ceil(alpha B) when left out."""
    quantile: float | None = Field(None, gt=0, lt=1)
    """Level of the quantile on the worse side; 1 - alpha when left out."""
    epsilon: float = Field(0.0, ge=0)
    """Worst values that differ by no more tie."""
    figures: tuple[
        Literal["boxes", "density", "histogram", "percentile-intervals", "stacked"], ...
    ] = ()
    """Figures on request that stand in the section, of the main measure."""
