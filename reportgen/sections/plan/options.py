"""Options of the section `plan`."""

from __future__ import annotations

from reportgen.claims.requirements import PLANNED, required_sections
from reportgen.study.manifest import AnalysisOptions
from reportgen.study.schema.options import Expectation


class Options(AnalysisOptions):
    """Options of the section `plan`."""

    @property
    def required_sections(self) -> tuple[str, ...]:
        """Those whose results a claim on a pair is held against."""
        return required_sections((Expectation(claim=PLANNED),))
