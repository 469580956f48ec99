"""Domain: which candidate to choose for data sets like these, and where they disagree."""

from reportgen.sections.base import Section

SECTION = Section(
    name="domain",
    package=__name__,
    scope="study",
    requires=("inference", "preferences", "consensus"),
    place=5,
    has_parts=True,
    has_brief=True,
    wants="two data sets, which are no settings of one, and two candidates",
)
