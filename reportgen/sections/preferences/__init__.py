"""Preferences: what each measure and rule says about which candidate to prefer."""

from reportgen.sections.base import Section

SECTION = Section(
    name="preferences",
    package=__name__,
    scope="dataset",
    requires=("inference",),
    place=30,
    wants="two candidates",
)
