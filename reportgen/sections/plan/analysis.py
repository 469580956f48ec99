"""Plan a further study from the results of this one, as `reportgen plan` does."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any

from numpy.random import Generator

from reportgen.data_classes import HIDDEN
from reportgen.errors import StudyError
from reportgen.notation import NumberFormat, number_format
from reportgen.performance_measure import Measure
from reportgen.sections.plan import Options
from reportgen.sections.plan.planning import Design, NoPilotError, Plan, plan_study
from reportgen.warehouse import Warehouse


def analyse(warehouse: Warehouse, options: Options, rng: Generator, **sections: Any) -> PlanResult:
    """Say how much is enough by the main measure.

    `sections`: results of the sections that `options.required_sections` names, where they apply.
    Raises StudyError if the options have no plan, or one of a size or a name that is none.
    """
    if options.plan is None:
        raise StudyError(
            "section plan: found no analysis: {plan: …}; allowed {plan: {detect: 1pp}}"
        )
    measure = warehouse.measures[0]
    try:
        plan = plan_study(warehouse, measure.name, options.plan, options, sections, rng)
    except NoPilotError:
        plan = None
    is_ratio = plan is not None and plan.is_ratio
    return PlanResult(measure.name, is_ratio, plan, measure)


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
    def number_format(self) -> NumberFormat:
        """How differences are written."""
        if self.is_ratio or self.plan is None:
            return NumberFormat(1.0, "", "", 3)
        return number_format(self.measured, [self.plan.detect])

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
