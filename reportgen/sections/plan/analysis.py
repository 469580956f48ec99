"""Plan a further study from the results of this one, as `reportgen plan` does."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from reportgen.claims.planning import NoPilotError, plan_study
from reportgen.errors import StudyError
from reportgen.sections.plan.options import Options
from reportgen.sections.plan.result import PlanResult
from reportgen.warehouse import Warehouse

__all__ = ["PlanResult", "analyse"]


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
