"""Options of the section `inference`."""

from __future__ import annotations

from typing import Literal

from reportgen.study.manifest import AnalysisOptions


class Options(AnalysisOptions):
    """Options of the section `inference`."""

    figures: tuple[Literal["cd", "processes", "rank-ranges", "residuals", "tukey"], ...] = ()
    """Figures on request that stand in the section, of the main measure."""
