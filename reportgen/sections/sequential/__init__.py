"""Sequential: since when each difference is clear, and when one could have stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.sections.base import Section
from reportgen.units import names_of

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse

LEAST = 20  # replications from which on a report without a list of sections monitors them


def applies(warehouse: Warehouse) -> bool:
    """Whether there are candidates to compare, and replications that accumulate."""
    replications = warehouse.frame.groupby("dataset", observed=True)["replication"]
    return len(warehouse.candidates) >= 2 and int(replications.nunique().max()) >= LEAST


SECTION = Section(
    name="sequential",
    package=__name__,
    condition=applies,
    scope="dataset",
    requires=("inference",),
    place=50,
    units=names_of(lambda unit: unit.is_block),
    wants="20 replications of a data set and two candidates",
)
