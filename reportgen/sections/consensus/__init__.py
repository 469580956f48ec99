"""Consensus: the order on which the preference relations of a data set agree best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.sections.base import Section

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether there are candidates to put in order."""
    return len(warehouse.candidates) >= 2


SECTION = Section(
    name="consensus",
    package=__name__,
    condition=applies,
    scope="dataset",
    requires=("preferences",),
    place=40,
    has_brief=True,
    wants="two candidates",
)
