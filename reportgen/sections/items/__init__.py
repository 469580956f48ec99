"""Items: what candidates that answered the items of tasks differ by, and what of it is chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.sections.base import Section
from reportgen.units import names_of

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether there are candidates to compare on items."""
    return len(warehouse.candidates) >= 2


SECTION = Section(
    name="items",
    package=__name__,
    condition=applies,
    scope="study",
    requires=("inference",),
    place=4,
    wants="items that two candidates answered",
    units=names_of(lambda unit: unit.is_nested),
)
