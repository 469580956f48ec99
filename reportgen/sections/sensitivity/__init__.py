"""Sensitivity: how the results depend on the settings of a design with factors."""

from reportgen.sections.base import Section

SECTION = Section(
    name="sensitivity",
    package=__name__,
    scope="study",
    requires=("inference", "preferences"),
    place=8,
    wants="a data set in two settings",
)
