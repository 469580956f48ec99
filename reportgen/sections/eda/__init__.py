"""Exploration: what the values of one data set look like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.sections.base import Section
from reportgen.units import names_of

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether values have a distribution; of one data set each value is worth showing."""
    return warehouse.is_replicated or len(warehouse.datasets) == 1


SECTION = Section(
    name="eda",
    package=__name__,
    condition=applies,
    scope="dataset",
    place=10,
    wants="replications, or the values of one data set",
    units=names_of(lambda unit: not (unit.is_summary or unit.is_contest)),
)
