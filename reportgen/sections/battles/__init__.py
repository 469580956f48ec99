"""Battles: who wins against whom, worths with their intervals, and who is tied with the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.sections.base import Section
from reportgen.units import names_of

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether there are candidates to compare."""
    return len(warehouse.candidates) >= 2


SECTION = Section(
    name="battles",
    package=__name__,
    scope="dataset",
    requires=("inference",),
    place=3,
    wants="battles of two candidates each",
    units=names_of(lambda unit: unit.is_contest),
    condition=applies,
)
