"""Archetypes: the extreme ways to perform, and which candidates are mixtures of which."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.sections.base import Section
from reportgen.units import names_of

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether there is a table, or a domain of three data sets with three candidates."""
    if warehouse.is_table:
        return True
    return len(warehouse.datasets) >= 3 and len(warehouse.candidates) >= 3


SECTION = Section(
    name="archetypes",
    package=__name__,
    condition=applies,
    scope="study",
    place=7,
    has_parts=True,
    takes_tables=True,
    wants="three data sets and three candidates",
    units=names_of(lambda unit: unit.shares_rows),
)
