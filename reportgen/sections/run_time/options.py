"""What a manifest may say under `run_time`."""

from __future__ import annotations

from reportgen.study.manifest import AnalysisOptions


class Options(AnalysisOptions):
    """What a manifest may say under `run_time`: nothing of its own."""
