"""What a manifest may say under `items`."""

from __future__ import annotations

from pydantic import Field

from reportgen.study.manifest import AnalysisOptions


class Options(AnalysisOptions):
    """What a manifest may say under `items`."""

    weights: dict[str, float] = Field(default_factory=dict)
    """Of tasks in the mean over these tasks, by name; left out: each task weighs the same."""
