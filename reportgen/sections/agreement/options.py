"""What a manifest may say under `agreement`."""

from __future__ import annotations

from reportgen.study.manifest import AnalysisOptions


class Options(AnalysisOptions):
    """What a manifest may say under `agreement`: nothing of its own."""

    @property
    def required_sections(self) -> tuple[str, ...]:
        """Those that decide over several data sets."""
        return ("domain", "items")
