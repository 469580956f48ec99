"""Battles: who wins against whom, worths with their intervals, and who is tied with the first."""

from reportgen.sections.base import Section

SECTION = Section(
    name="battles",
    package=__name__,
    scope="dataset",
    requires=("inference",),
    place=3,
    wants="battles of two candidates each",
    units=("comparison",),
)
