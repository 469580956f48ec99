"""Run time: how many evaluations optimisers take to come within targets, and how far they come."""

from reportgen.sections.base import Section

SECTION = Section(
    name="run_time",
    package=__name__,
    scope="study",
    place=4,
    wants="runs of optimisers, with the evaluations at which they reached targets",
)
