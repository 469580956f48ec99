"""Exploration: what the values of one data set look like."""

from reportgen.sections.base import Section

SECTION = Section(
    name="eda",
    package=__name__,
    scope="dataset",
    place=10,
    wants="replications, or the values of one data set",
    units=("replication", "item", "sample"),
)
