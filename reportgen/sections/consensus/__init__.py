"""Consensus: the order on which the preference relations of a data set agree best."""

from reportgen.sections.base import Section

SECTION = Section(
    name="consensus",
    package=__name__,
    scope="dataset",
    requires=("preferences",),
    place=40,
    has_brief=True,
    wants="two candidates",
)
