"""The sections a report can have: every folder here, and those of other packages."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from reportgen.errors import SetupError
from reportgen.sections.base import Section


def find_sections() -> dict[str, Section]:
    """Return every section by name, in the order a report has them by default.

    Other packages add theirs by the entry point group `reportgen.sections`.
    """
    ours = [
        import_module(f"{__name__}.{found.name}").SECTION
        for found in pkgutil.iter_modules(__path__)
        if found.ispkg
    ]
    theirs = map(_load, entry_points(group="reportgen.sections"))
    return {
        section.name: section
        for section in sorted((*ours, *theirs), key=lambda s: (s.place, s.name))
    }


def _load(point: EntryPoint) -> Section:
    """Import the section of another package."""
    try:
        section = point.load()
        if isinstance(section, Section):
            section.options.model_rebuild()  # our models are built at their first use
    except Exception as error:
        raise _wrong(point, f"{type(error).__name__}: {error}") from error
    if not isinstance(section, Section):
        raise _wrong(point, f"{point.value} is no Section")
    return section


def _wrong(point: EntryPoint, found: str) -> SetupError:
    package = point.dist.name if point.dist else point.module
    return SetupError(
        f"the package {package!r}: found no section at {point.value!r} ({found}); allowed in its "
        "entry points reportgen.sections is a Section that can be imported"
    )
