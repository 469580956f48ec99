"""Agreement: whether scores and battles of the same candidates order them alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.sections.base import Section
from reportgen.study.schema.options import AnalysisOptions

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether there are battles beside the scores, and values to compare candidates by."""
    return warehouse.battles is not None


SECTION = Section(
    name="agreement",
    package=__name__,
    condition=applies,
    scope="study",
    requires=("inference",),
    place=5,
    wants="battles of the same candidates under results: battles",
)


class Options(AnalysisOptions):
    """What a manifest may say under `agreement`: nothing of its own."""

    @property
    def required_sections(self) -> tuple[str, ...]:
        """Those that decide over several data sets."""
        return ("domain", "items")
