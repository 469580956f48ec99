"""What a drawing of whatever origin may have: nothing that runs, and nothing that is fetched.

Inside a page an SVG is a picture, whatever it has. Opened by itself it is a page, with scripts and
without our policy: hence the logo of a report, and what a site publishes, are looked through as
browsers read them, element by element.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.parsers import expat

ENCODINGS = ("utf-8", "us-ascii")
ACTIVE = frozenset(
    (
        *("script", "foreignobject", "iframe", "object", "embed", "handler", "listener"),
        *("audio", "video", "base", "link", "meta"),
    )
)
"""Elements that run, frame or load something, of whatever namespace."""

XHTML = "http://www.w3.org/1999/xhtml"
ADDRESSES = ("href", "src", "base")
INSIDE = re.compile(r"\s*(#|data:image/(png|jpeg|gif|webp)[;,])", re.IGNORECASE)
LINK = re.compile(r"\s*(#|https?://|mailto:)", re.IGNORECASE)
FETCHING = re.compile(
    r"@import|image-set|\\|url\(\s*[\"']?\s*(?!#|data:(?:font|image)/)", re.IGNORECASE
)
"""What loads something in style rules; a backslash may spell any letter."""

TEXTS = ("aria-", "data-")
"""Attributes that are texts."""


def drawing_fault(content: bytes) -> str:
    """Return what would run or be fetched where an SVG is opened by itself; "" if nothing is.

    Examples
    --------
    >>> drawing_fault(b'<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>')
    'the attribute onload'
    >>> drawing_fault(b'<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>')
    ''
    """
    reader = expat.ParserCreate("utf-8", namespace_separator=" ")
    reader.buffer_text = True
    reader.XmlDeclHandler = _check_declaration
    reader.StartDoctypeDeclHandler = _check_type
    reader.ProcessingInstructionHandler = _check_instruction

    def begin(name: str, attributes: Mapping[str, str]) -> None:
        _check_element(name, attributes)
        is_style = name.rpartition(" ")[2].lower() == "style"
        reader.CharacterDataHandler = _check_style if is_style else None

    def end(name: str) -> None:
        reader.CharacterDataHandler = None

    reader.StartElementHandler, reader.EndElementHandler = begin, end
    try:
        reader.Parse(content, True)
    except expat.ExpatError as error:
        return f"what is no XML ({error})"
    except ValueError as fault:
        return str(fault)
    return ""


def _check_declaration(version: str, encoding: str | None, standalone: int) -> None:
    if encoding and encoding.lower() not in ENCODINGS:
        raise ValueError(f"the encoding {encoding[:20]!r}")


def _check_type(name: str, system: str | None, public: str | None, has_entities: int) -> None:
    if has_entities:
        raise ValueError("entities of its own")


def _check_instruction(target: str, data: str) -> None:
    if target.lower() == "xml-stylesheet":
        raise ValueError("a style sheet of its own")


def _check_element(name: str, attributes: Mapping[str, str]) -> None:
    space, _, local = name.rpartition(" ")
    if local.lower() in ACTIVE or space == XHTML:
        raise ValueError(f"the element {local[:20]}")
    for key, value in attributes.items():
        own = key.rpartition(" ")[2].lower()
        is_of_other = own == "attributename"  # an animation sets that one
        target = value.rpartition(":")[2].strip().lower() if is_of_other else own
        if target.startswith("on") or (is_of_other and target in ADDRESSES):
            raise ValueError(f"the attribute {target[:20]}")
        allowed = LINK if local.lower() == "a" else INSIDE
        if own in ADDRESSES and value.strip() and not allowed.match(value):
            raise ValueError(f"the address {value[:40]!r}")
        if not own.startswith(TEXTS):
            _check_style(value)


def _check_style(text: str) -> None:
    if found := FETCHING.search(text):
        raise ValueError(f"{found[0][:20]!r} in its style")
