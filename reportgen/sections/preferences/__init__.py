"""Preferences: the relations of the candidates by each measure and rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.sections.base import Section

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether there are candidates to compare."""
    return len(warehouse.candidates) >= 2


SECTION = Section(
    name="preferences",
    package=__name__,
    condition=applies,
    scope="dataset",
    has_brief=True,
    requires=("inference",),
    place=30,
    wants="two candidates",
)
