"""Run time: how many evaluations optimisers take to come within targets, and how far they come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.performance_measure import EVALUATIONS, target_exponent
from reportgen.sections.base import Section

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether there are runs, and evaluations to targets."""
    names = [measure.name for measure in warehouse.measures]
    return EVALUATIONS.name in names and any(target_exponent(name) is not None for name in names)


SECTION = Section(
    name="run_time",
    package=__name__,
    condition=applies,
    scope="study",
    place=4,
    wants="runs of optimisers, with the evaluations at which they reached targets",
)
