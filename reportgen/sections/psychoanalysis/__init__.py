"""Psychoanalysis: which characteristics of data sets decide who does best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.sections.base import Section
from reportgen.units import names_of

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether there are characteristics of several data sets, and candidates to compare."""
    several = len(warehouse.datasets) >= 2 and len(warehouse.candidates) >= 2
    return several and not warehouse.characteristics.empty


SECTION = Section(
    name="psychoanalysis",
    package=__name__,
    condition=applies,
    scope="study",
    place=6,
    has_parts=True,
    wants="characteristics of data sets, two data sets and two candidates",
    units=names_of(lambda unit: unit.is_paired),
)
