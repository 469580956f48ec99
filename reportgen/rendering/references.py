"""References: read from BibTeX, written as a list and as citations."""

from __future__ import annotations

import re
from collections.abc import Mapping

from reportgen.data_classes import dataclass
from reportgen.errors import RenderingError

ENTRY = re.compile(r"@(\w+)\s*\{\s*([^,\s]+)\s*,")
FIELD = re.compile(r"\s*(\w+)\s*=\s*")
JOINT = "\u00a0"  # a blank at which no line ends
ACCENTS = {
    '"': "\u0308",
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    "~": "\u0303",
    "c": "\u0327",
    "v": "\u030c",
}
QUOTES = {"``": "“", "''": "”", "`": "‘", "'": "’"}  # TeX's, the double ones first


@dataclass(frozen=True, slots=True)
class Reference:
    """One work that a report cites."""

    # key, kind: As in BibTeX: `eugster2011`, `article`.
    key: str
    kind: str
    fields: Mapping[str, str]  # lower-case names; values without braces and TeX accents
    source: str  # the entry as it was read

    @property
    def year(self) -> str:
        """The year of publication."""
        return self.fields.get("year", "n.d.")

    @property
    def authors(self) -> tuple[tuple[str, str], ...]:
        """Family and given names."""
        names = re.split(r"\s+and\s+", self.fields.get("author", ""))
        return tuple(_family_and_given(name) for name in names if name)

    @property
    def short_names(self) -> str:
        """Who is named in a citation: "A", "A and B", "A et al."."""
        families = [family for family, _ in self.authors]
        if not families:
            return self.fields.get("title", self.key)
        if len(families) > 2:
            return f"{families[0]} et al."
        return " and ".join(families)

    @property
    def long_names(self) -> str:
        """Who is named in the list: "A, B. C., D, E. and F, G."."""
        written = [
            f"{family},{JOINT}{_initials(given)}" if given else family
            for family, given in self.authors
        ]
        return " and ".join([", ".join(written[:-1]), written[-1]] if written[1:] else written)


def read_bibtex(text: str) -> dict[str, Reference]:
    r"""Read the entries of a BibTeX file by key.

    Examples
    --------
    >>> found = read_bibtex('@book{k, author = {K{\\"o}hler, Ann}, title = "T", year = 1999}')
    >>> found["k"].short_names, found["k"].year
    ('Köhler', '1999')
    """
    found = {}
    for start in ENTRY.finditer(text):
        kind, key = start[1].lower(), start[2]
        if kind in ("comment", "string", "preamble"):
            continue
        fields, end = _fields(text, start.end())
        found[key] = Reference(key, kind, fields, text[start.start() : end])
    return found


def _fields(text: str, place: int) -> tuple[dict[str, str], int]:
    fields = {}
    while match := FIELD.match(text, place):
        value, place = _value(text, match.end())
        fields[match[1].lower()] = _plain(value)
        place = _skip(text, place)
    if not text.startswith("}", place := _skip(text, place)):
        near = repr(text[place : place + 40])
        raise RenderingError(
            f"references.bib: found an entry that is not closed, {near}; allowed closed"
        )
    return fields, place + 1


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in " \t\r\n,":
        place += 1
    return place


def _value(text: str, place: int) -> tuple[str, int]:
    """Read a braced, quoted or bare value; return it and where it ends."""
    if text[place] not in '{"':
        match = re.compile(r"[^,}\s]*").match(text, place)
        return (match[0], match.end()) if match else ("", place)
    is_quoted, depth, start = text[place] == '"', 0, place + 1
    for i in range(place, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if i > place and depth == 0 and (text[i] == '"' if is_quoted else text[i] == "}"):
            return text[start:i], i + 1
    near = repr(text[place : place + 40])
    raise RenderingError(
        f"references.bib: found a value that is not closed, {near}; allowed closed"
    )


def _plain(value: str) -> str:
    import unicodedata

    text = re.sub(
        r"\{?\\([\"'`^~cv])\s*\{?\\?([a-zA-Z])\}?\}?",
        lambda m: unicodedata.normalize("NFC", m[2] + ACCENTS[m[1]]),
        value,
    )
    text = text.replace(r"\ss", "ß").replace(r"\&", "&").replace("--", "–").replace("~", " ")
    for written, quote in QUOTES.items():
        text = text.replace(written, quote)
    return re.sub(r"\s+", " ", re.sub(r"[{}]", "", text)).strip()


def _family_and_given(name: str) -> tuple[str, str]:
    if "," in name:
        family, _, given = name.partition(",")
        return family.strip(), given.strip()
    given, _, family = name.rpartition(" ")
    return family.strip(), given.strip()


def _initials(given: str) -> str:
    return JOINT.join(
        "-".join(part[0] + "." for part in word.split("-") if part) for word in given.split()
    )
