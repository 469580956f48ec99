"""Inference: which differences on one data set are beyond chance and relevant."""

from reportgen.sections.base import Section

SECTION = Section(
    name="inference",
    package=__name__,
    scope="dataset",
    place=20,
    leads=("few",),
    has_brief=True,
    wants="replications, or one data set, and two candidates",
)
