"""What a manifest may say under `frontier`."""

from __future__ import annotations

from reportgen.study.manifest import AnalysisOptions


class Options(AnalysisOptions):
    """What a manifest may say under `frontier`: nothing of its own."""

    @property
    def required_sections(self) -> tuple[str, ...]:
        """Those that decide over several data sets."""
        return ("domain", "items")
