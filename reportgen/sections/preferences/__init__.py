"""Preferences: the relations of the candidates by each measure and rule."""

from reportgen.sections.base import Section

SECTION = Section(
    name="preferences",
    package=__name__,
    scope="dataset",
    has_brief=True,
    requires=("inference",),
    place=30,
    wants="two candidates",
)
