"""A performance measure: its name, its unit and which side is better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields, replace
from typing import Any, Literal

from reportgen.data_classes import HIDDEN, dataclass

Better = Literal["smaller", "larger"]
BetterSource = Literal["", "manifest", "command-line", "file", "name", "package", "catalogue"]
Scale = Literal["difference", "ratio"]
"""On which a pair of candidates is compared."""
PairScale = Literal["difference", "ratio", "wins"]
"""Of a table of pairs: also who is ahead in more units."""
Problem = Literal["simulation", "competition", "real-world"]
"""The problem of a study, which determines what its tests generalise to."""

RATIO_UNITS = ("s", "bytes")  # of what a machine was measured by; compared by ratio by default
FEW_REPLICATIONS = 10
"""Below so many quartiles and places say little: figures show every value instead."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A performance measure: what it is called and which way is better."""

    name: str  # its id, as in the manifest
    better: Better = "smaller"  # the direction in which a candidate improves
    # "share" for values shown in per cent, else the physical unit's own symbol
    unit_symbol: str = field(default="", metadata={"key": "unit"})
    # The least and the greatest value it can take; None where there is none.
    bounds: tuple[float | None, float | None] = (None, None)
    # How candidates are compared; None for what the unit suggests: times and sizes by ratio, all
    # else on one data set by difference, over data sets as its kind asks for. By wins, which are of
    # data sets, only over these.
    scale: PairScale | None = None
    # The source of the better side: the "manifest", the "command-line", the "file" or the program
    # that wrote it, the measure's "name", the "package" that computes it, or the "catalogue"; ""
    # where unknown.
    better_source: BetterSource = field(default="", compare=False, metadata=HIDDEN)

    @property
    def stored(self) -> dict[str, Any]:
        """Its fields by the keys under which files have them."""
        return {f.metadata.get("key", f.name): getattr(self, f.name) for f in fields(self)}

    @classmethod
    def of_stored(cls, stored: Mapping[str, Any]) -> Measure:
        """Return the measure of fields that are `stored`; a KeyError where it has no such field."""
        names = {f.metadata.get("key", f.name): f.name for f in fields(cls)}
        return cls(**{names[key]: value for key, value in stored.items()})

    @property
    def is_compared_by_ratio(self) -> bool:
        """Whether candidates are compared by ratio where all values are above 0."""
        return self.unit_symbol in RATIO_UNITS if self.scale is None else self.scale == "ratio"

    @property
    def is_of_machine(self) -> bool:
        """Whether it is what a machine was measured by: a time, memory, a size."""
        return self.unit_symbol in RATIO_UNITS

    @property
    def is_time(self) -> bool:
        """Whether it is measured by a clock, in seconds."""
        return self.unit_symbol == "s"

    @property
    def is_smaller_better(self) -> bool:
        """Whether a smaller value is the better one."""
        return self.better == "smaller"


def in_per_cent(measure: Measure) -> Measure:
    """Return a measure whose values are written in per cent; a share has bounds up to 100.

    Examples
    --------
    >>> in_per_cent(Measure("accuracy", "larger", "share", (0.0, 1.0))).bounds
    (0.0, 100.0)
    """
    low, high = measure.bounds
    if measure.unit_symbol == "share":
        low, high = (None if bound is None else 100 * bound for bound in (low, high))
    return replace(measure, unit_symbol="%", bounds=(low, high))


ELO = Measure("elo", "larger", "Elo", better_source="catalogue")
"""The score of candidates in battles, of which each gives 1, 0, or 1/2 for a tie: what a warehouse
has. Candidates are compared by the worths that follow, in points: 400 are odds of 10 to 1."""
STYLED = "style: "
"""Begins the name of a characteristic of battles: the style of the one shown first less that of the
other, as a share of their sum."""
PRECISION = Measure("precision", "smaller", "", (None, None), "ratio")
"""How far the best value that a run has found is from the optimum, or from 0."""
EVALUATIONS = Measure("evaluations", "smaller", "evaluations", (0.0, None), "ratio")
"""How often a run has evaluated its objective function, whether it has reached a target or not."""
HARDEST, EASIEST = -8, 2  # exponents of the targets: 10^2, 10, ..., 10^-8
_TARGET = "evaluations to 1e"


def evaluations_to(exponent: int) -> Measure:
    """Return the measure of when a run has first come within 10 to the exponent of the optimum.

    Examples
    --------
    >>> evaluations_to(-3).name
    'evaluations to 1e-3'
    """
    return Measure(f"{_TARGET}{exponent}", "smaller", "evaluations", (1.0, None), "ratio")


def target_exponent(name: str) -> int | None:
    """Return the exponent of the target that a measure of evaluations is of; None of any other.

    Examples
    --------
    >>> target_exponent("evaluations to 1e-3"), target_exponent("evaluations")
    (-3, None)
    """
    if not name.startswith(_TARGET):
        return None
    targets = {evaluations_to(exponent).name: exponent for exponent in range(HARDEST, EASIEST + 1)}
    return targets.get(name)
