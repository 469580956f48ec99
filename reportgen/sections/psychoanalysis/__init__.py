"""Psychoanalysis: which characteristics of data sets decide who does best."""

from reportgen.sections.base import Section

SECTION = Section(
    name="psychoanalysis",
    package=__name__,
    scope="study",
    place=6,
    has_parts=True,
    wants="characteristics of data sets, two data sets and two candidates",
    units=("replication", "item"),
)
