"""Frontier: what the main measure costs in the others, and whom nobody surpasses on both."""

from reportgen.sections.base import Section

SECTION = Section(
    name="frontier",
    package=__name__,
    scope="study",
    requires=("inference",),
    place=25,
    wants="two measures, two candidates, and two replications of a data set or two data sets, "
    "which are no settings of one",
)
