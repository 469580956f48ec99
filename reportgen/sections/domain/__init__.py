"""Domain: which candidate to choose for data sets like these, and where they disagree."""

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
    name="domain",
    package=__name__,
    condition=applies,
    scope="study",
    requires=("inference", "preferences", "consensus"),
    place=5,
    has_parts=True,
    has_brief=True,
    wants="two data sets, which are no settings of one, and two candidates",
)
