"""Sequential: since when each difference is clear, and when one could have stopped."""

from reportgen.sections.base import Section

SECTION = Section(
    name="sequential",
    package=__name__,
    scope="dataset",
    requires=("inference",),
    place=50,
    units=("replication",),
    wants="20 replications of a data set and two candidates",
)
