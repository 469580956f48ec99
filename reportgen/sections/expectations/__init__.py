"""Expectations: claims of a study that its results are held against."""

from __future__ import annotations

from reportgen.sections.base import EVERY_UNIT, Section
from reportgen.study.claims import required_sections
from reportgen.study.schema.options import AnalysisOptions, Expectation, Undecided

SECTION = Section(
    name="expectations",
    package=__name__,
    scope="study",
    place=1,
    leads=("dataset", "few", "domain", "single", "settings"),
    units=EVERY_UNIT,
    wants="claims under expect",
)


class Options(AnalysisOptions):
    """Options of the section `expectations`."""

    expect: tuple[Expectation, ...] = ()
    """Claims; those of the manifest's `expect` when left out."""
    on_undecided: Undecided = "warn"
    """What an undecided claim does; the manifest's `on_undecided` when left out."""

    @property
    def required_sections(self) -> tuple[str, ...]:
        """Those whose results some claim is held against."""
        return required_sections(self.expect)
