"""Options of the section `inference`."""

from __future__ import annotations

from reportgen.study.manifest import AnalysisOptions


class Options(AnalysisOptions):
    """Options of the section `inference`."""
