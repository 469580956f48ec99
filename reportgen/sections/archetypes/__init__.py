"""Archetypes: the extreme ways to perform, and which candidates are mixtures of which."""

from reportgen.sections.base import Section

SECTION = Section(
    name="archetypes",
    package=__name__,
    scope="study",
    place=7,
    has_parts=True,
    takes_tables=True,
    wants="three data sets and three candidates",
    units=("replication", "item", "summary"),
)
