"""Items: what candidates that answered the items of tasks differ by, and what of it is chance."""

from reportgen.sections.base import Section

SECTION = Section(
    name="items",
    package=__name__,
    scope="study",
    requires=("inference",),
    place=4,
    wants="items that two candidates answered",
    units=("item",),
)
