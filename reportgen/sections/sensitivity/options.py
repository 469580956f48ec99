"""What a manifest may say under `sensitivity`."""

from __future__ import annotations

from reportgen.study.manifest import AnalysisOptions


class Options(AnalysisOptions):
    """What a manifest may say under `sensitivity`: nothing of its own."""
