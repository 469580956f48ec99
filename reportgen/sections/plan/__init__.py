"""Plan: how many data sets, splits, seeds, items or battles detect a difference."""

from reportgen.sections.base import EVERY_UNIT, Section

SECTION = Section(
    name="plan",
    package=__name__,
    scope="study",
    place=96,
    units=EVERY_UNIT,
    wants="analysis: {plan: {detect: …}}",
)
