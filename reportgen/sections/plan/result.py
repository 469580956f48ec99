"""A plan by the results of a study: numbers and names, no words."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from reportgen.claims.planning import Design, Plan
from reportgen.json_text import HIDDEN
from reportgen.notation import Scale, scale
from reportgen.warehouse import Measure


@dataclass(frozen=True)
class PlanResult:
    """How much is enough to detect a difference of the main measure.

    Attributes
    ----------
    measure : str
    is_ratio : bool
        Whether differences are logarithms of ratios.
    plan : Plan or None
        None where the results have no error of the difference.
    measured : Measure
    """

    measure: str
    is_ratio: bool
    plan: Plan | None
    measured: Measure = field(metadata=HIDDEN)

    @property
    def scale(self) -> Scale:
        """How differences are written."""
        if self.is_ratio or self.plan is None:
            return Scale(1.0, "", "", 3)
        return scale(self.measured, [self.plan.detect])

    @property
    def is_enough(self) -> bool:
        """Whether some number is enough with all else kept."""
        return self.plan is not None and self.plan.enough < inf

    @property
    def has_worst(self) -> bool:
        """Whether a number at worst is known, and above the other."""
        return self.plan is not None and self.plan.enough < self.plan.safe < inf

    @property
    def cheapest(self) -> Design | None:
        """The design that costs least."""
        return self.plan.designs[0] if self.plan is not None and self.plan.designs else None
