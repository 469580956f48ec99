"""Inference: which differences on one data set are beyond chance and relevant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from reportgen.sections.base import EVERY_UNIT, Section
from reportgen.study.schema.options import AnalysisOptions

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether there are candidates to compare, and replications to compare them by.

    Of one data set without replications a notice is logged.
    """
    is_tested = warehouse.has_spread or len(warehouse.datasets) == 1
    return is_tested and len(warehouse.candidates) >= 2


SECTION = Section(
    name="inference",
    package=__name__,
    condition=applies,
    scope="dataset",
    place=20,
    leads=("few",),
    has_density=True,
    units=EVERY_UNIT,
    wants="replications, or one data set, and two candidates",
)


class Options(AnalysisOptions):
    """Options of the section `inference`."""

    figures: tuple[Literal["cd", "processes", "rank-ranges", "residuals", "tukey"], ...] = ()
    """Figures on request that stand in the section, of the main measure."""
