"""Two factors of a candidate, such as a model and a prompt: effects, interaction, best settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.sections.base import Section
from reportgen.units import names_of

if TYPE_CHECKING:
    from reportgen.warehouse import Warehouse


def applies(warehouse: Warehouse) -> bool:
    """Whether candidates are combinations of two factors, each with two levels at least."""
    levels = warehouse.candidate_levels
    factors = {name: {own[name] for own in levels.values()} for name in warehouse.candidate_factors}
    return len(factors) == 2 and min(map(len, factors.values())) > 1


SECTION = Section(
    name="factors",
    package=__name__,
    scope="study",
    place=4,
    wants="candidates whose names are made of two columns",
    units=names_of(lambda unit: unit.is_paired and not unit.is_contest),
    condition=applies,
)
