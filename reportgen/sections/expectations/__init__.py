"""Expectations: claims of a study that its results are held against."""

from reportgen.sections.base import EVERY_UNIT, Section

SECTION = Section(
    name="expectations",
    package=__name__,
    scope="study",
    place=1,
    leads=("dataset", "few", "domain", "single", "settings"),
    units=EVERY_UNIT,
    wants="claims under expect",
)
