"""A performance measure: its name, its unit and which side is better."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Better = Literal["smaller", "larger"]
BetterSource = Literal["", "manifest", "command-line", "file", "name", "package", "catalogue"]
Comparison = Literal["difference", "ratio"]
Problem = Literal["simulation", "competition", "real-world"]
"""The problem of a study, which determines what its tests generalise to."""

RATIO_UNITS = ("s", "bytes")  # of measures that are compared by ratio by default
FEW_REPLICATIONS = 10
"""Below so many quartiles and places say little: figures show every value instead."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A performance measure: what it is called and which way is better.

    Attributes
    ----------
    name : str
        Its id, as in the manifest.
    better : {"smaller", "larger"}
        The direction in which a candidate improves.
    unit : str
        "share" for values shown in per cent, else the unit's own symbol.
    bounds : tuple of two (float or None)
        The least and the greatest value it can take; None where there is none.
    scale : {"difference", "ratio"} or None
        How candidates are compared; None for what the unit suggests: times and
        sizes by ratio, all else by difference.
    better_source : str
        The source of the better side: the "manifest", the "command-line", the
        "file" or the program that wrote it, the measure's "name", the "package"
        that computes it, or the "catalogue"; "" where unknown.
    """

    name: str
    better: Better = "smaller"
    unit: str = ""
    bounds: tuple[float | None, float | None] = (None, None)
    scale: Comparison | None = None
    better_source: BetterSource = field(default="", compare=False, metadata={"results": False})

    @property
    def is_compared_by_ratio(self) -> bool:
        """Whether candidates are compared by ratio where all values are above 0."""
        return self.unit in RATIO_UNITS if self.scale is None else self.scale == "ratio"

    @property
    def is_time(self) -> bool:
        """Whether it is measured by a clock, in seconds."""
        return self.unit == "s"

    @property
    def is_smaller_better(self) -> bool:
        """Whether a smaller value is the better one."""
        return self.better == "smaller"
