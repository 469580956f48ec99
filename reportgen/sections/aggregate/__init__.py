"""Aggregate: scores over all data sets, in place of one mean of means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.sections.base import Section
from reportgen.sections.datasets import joins_datasets

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether there are candidates to compare, and a measure of several data sets."""
    return len(warehouse.candidates) >= 2 and joins_datasets(warehouse)


SECTION = Section(
    name="aggregate",
    package=__name__,
    condition=applies,
    scope="study",
    requires=("domain",),
    place=9,
    wants="two data sets, which are no settings of one, and two candidates",
)
