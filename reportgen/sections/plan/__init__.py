"""Plan: how many data sets, splits, seeds, items or battles detect a difference."""

from __future__ import annotations

from reportgen.sections.base import EVERY_UNIT, Section
from reportgen.study.claims import PLANNED, required_sections
from reportgen.study.schema.options import AnalysisOptions, Expectation

SECTION = Section(
    name="plan",
    package=__name__,
    scope="study",
    place=96,
    units=EVERY_UNIT,
    wants="analysis: {plan: {detect: …}}",
)


class Options(AnalysisOptions):
    """Options of the section `plan`."""

    @property
    def required_sections(self) -> tuple[str, ...]:
        """Those whose results a claim on a pair is held against."""
        return required_sections((Expectation(claim=PLANNED),))
