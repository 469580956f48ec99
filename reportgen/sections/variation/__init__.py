"""Variation: where it comes from (data set, split, seed, tuning), and what narrows intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.sections.base import Section

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether two sources of variation are known: split, seed, tuning, or the data set."""
    for dataset in warehouse.datasets:
        sources = warehouse.facts.get(dataset, {}).get("sources")
        if isinstance(sources, dict):
            n = len(sources["levels"]) + bool(sources["split"])
            return n + (len(warehouse.datasets) > 1) > 1
    return False


SECTION = Section(
    name="variation",
    package=__name__,
    condition=applies,
    scope="study",
    place=22,
    wants="columns of two sources of variation, such as fold and seed",
)
