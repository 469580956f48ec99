"""Frontier: what the main measure costs in the others, and whom nobody surpasses on both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.sections.base import Section
from reportgen.sections.datasets import joins_datasets
from reportgen.study.schema.options import AnalysisOptions

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether there are two measures, two candidates, and replications or data sets to average."""
    is_one = len(warehouse.datasets) == 1
    is_averaged = warehouse.is_replicated if is_one else joins_datasets(warehouse)
    return is_averaged and len(warehouse.measures) >= 2 and len(warehouse.candidates) >= 2


SECTION = Section(
    name="frontier",
    package=__name__,
    condition=applies,
    scope="study",
    requires=("inference",),
    place=25,
    wants="two measures, two candidates, and two replications of a data set or two data sets, "
    "which are no settings of one",
)


class Options(AnalysisOptions):
    """What a manifest may say under `frontier`: nothing of its own."""

    @property
    def required_sections(self) -> tuple[str, ...]:
        """Those that decide over several data sets."""
        return ("domain", "items")
