"""Options of the section `sensitivity`."""

from __future__ import annotations

from reportgen.study.manifest import AnalysisOptions


class Options(AnalysisOptions):
    """Options of the section `sensitivity`, which has none of its own."""
