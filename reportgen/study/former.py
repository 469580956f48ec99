"""Values of manifests of earlier versions: read as what they are called now, with a notice."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

from reportgen.study.faults import Place
from reportgen.study.source import Source

FORMER_VALUES: Mapping[str, Mapping[str, str]] = {"variance": {"pairwise": "own"}}
"""Today's value by that of earlier versions, of options of `analysis` and of any section."""

log = logging.getLogger(__name__)


def renewed(source: Source) -> Source:
    """Put today's values in the place of former ones, and tell of each in the log.

    Parameters
    ----------
    source : Source
        The manifest; stays as it is.
    """
    data = deepcopy(source.data)
    for place, options in _blocks(data):
        for key, values in FORMER_VALUES.items():
            former = options.get(key)
            if isinstance(former, str) and former in values:
                options[key] = values[former]
                where = source.where((*place, key))
                log.warning("%s: %s is called %s now, and is read so", where, former, options[key])
    return replace(source, data=data)


def _blocks(data: Mapping[str, Any]) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield the places of a manifest that hold options of sections."""
    if isinstance(data.get("analysis"), dict):
        yield ("analysis",), data["analysis"]
    sections = data.get("sections")
    for i, entry in enumerate(sections if isinstance(sections, list) else ()):
        for name, options in entry.items() if isinstance(entry, dict) else ():
            if isinstance(options, dict):
                yield ("sections", i, name), options
