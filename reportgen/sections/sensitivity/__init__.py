"""Sensitivity: how the results depend on the settings of a design with factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.sections.base import Section
from reportgen.sections.datasets import settings_of

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether some data set is there in several settings."""
    return any(len(settings) > 1 for settings in settings_of(warehouse).values())


SECTION = Section(
    name="sensitivity",
    package=__name__,
    condition=applies,
    scope="study",
    requires=("inference", "preferences"),
    place=8,
    wants="a data set in two settings",
)
