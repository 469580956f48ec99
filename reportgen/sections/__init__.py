"""The sections a report can have: every folder here, and those of other packages."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from importlib.metadata import entry_points

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
    theirs = [point.load() for point in entry_points(group="reportgen.sections")]
    return {
        section.name: section
        for section in sorted((*ours, *theirs), key=lambda s: (s.place, s.name))
    }
