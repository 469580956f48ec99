"""What a manifest may say under `frontier`."""

from __future__ import annotations

from reportgen.study.manifest import AnalysisOptions


class Options(AnalysisOptions):
    """What a manifest may say under `frontier`: nothing of its own."""
