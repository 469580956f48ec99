"""Options of the section `eda`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from reportgen.study.manifest import AnalysisOptions


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
