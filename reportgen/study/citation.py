"""The CITATION.cff in a manifest's folder (Citation File Format 1.2)."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reportgen.data_classes import dataclass
from reportgen.errors import StudyError
from reportgen.study.yaml_source import parse_value, read_text

NAME = "CITATION.cff"
LARGEST = 2**20  # bytes
LONGEST = 300  # characters of a name or a title
MOST_AUTHORS = 200
DOI = re.compile(r"10\.\d{4,9}/[-._;()/:A-Za-z0-9]{1,200}")
ORCID = re.compile(r"(?:https?://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])")
PARTS = ("given-names", "name-particle", "family-names", "name-suffix")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CitedAuthor:
    """A person or an institution; texts are plain, and shown as they are."""

    name: str
    affiliation: str = ""
    orcid: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """The citation that the authors of a study want; empty where it is not given."""

    title: str = ""
    authors: tuple[CitedAuthor, ...] = ()
    doi: str = ""


def read_citation(folder: Path) -> Citation:
    """Read the CITATION.cff of a folder.

    `folder`: A study's.
    Result: of the preferred citation where there is one. Empty, with a warning, where the file
    cannot be read: a report does not fail for it.
    """
    path = folder / NAME
    try:
        if not path.is_file():
            return Citation()
        if path.stat().st_size > LARGEST:
            raise StudyError(f"{path}: found a larger file; allowed {LARGEST:,} bytes")
        found = parse_value(str(path), read_text(path))
    except (OSError, StudyError) as error:
        log.warning("%s; the report goes without it", error)
        return Citation()
    if not isinstance(found, Mapping):
        log.warning("%s: found no mapping of keys to values; the report goes without it", path)
        return Citation()
    preferred = found.get("preferred-citation")
    return _citation(preferred if isinstance(preferred, Mapping) else found)


def _citation(found: Mapping[str, Any]) -> Citation:
    listed = found.get("authors")
    authors = [_author(one) for one in listed[:MOST_AUTHORS]] if isinstance(listed, list) else []
    doi = DOI.fullmatch(_text(found.get("doi")))
    return Citation(
        _text(found.get("title")),
        tuple(author for author in authors if author and author.name),
        doi[0] if doi else "",
    )


def _author(found: Any) -> CitedAuthor | None:
    if not isinstance(found, Mapping):
        return None
    parts = (_text(found.get(key)) for key in PARTS)
    name = _text(found.get("name")) or " ".join(part for part in parts if part)
    orcid = ORCID.fullmatch(_text(found.get("orcid")))
    return CitedAuthor(name, _text(found.get("affiliation")), orcid[1] if orcid else "")


def _text(found: Any) -> str:
    """Put a text on one line of bearable length; anything else is none."""
    if not isinstance(found, str):
        return ""
    line = "".join(c for c in " ".join(found.split()) if c.isprintable())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
