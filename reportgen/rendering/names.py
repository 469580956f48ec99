"""Safe names for ids, anchors and files, and the numbers of figures and tables."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from reportgen.data_classes import dataclass
from reportgen.errors import RenderingError
from reportgen.report import Figure, Report, Table

LONGEST = 48  # characters of one name in a file name; four of them stay below 255

DEVICES = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{i}" for port in ("com", "lpt") for i in range(10))]
)
"""Names of devices in Windows, with any ending."""

KindOfExhibit = Literal["figure", "table"]


class Key(NamedTuple):
    """The identity of a figure or table in a report."""

    kind: KindOfExhibit
    section: str
    name: str
    measure: str
    dataset: str | None


INDEX = Key("table", "", "datasets", "", None)
"""The index of data sets."""


def slug(text: str) -> str:
    """Reduce a name to lower-case letters, digits and hyphens: a file name on any system.

    >>> slug("MONK's problem 3"), slug("../../etc/passwd"), slug("猫"), slug("NUL.")
    ('monk-s-problem-3', 'etc-passwd', 'x', 'x-nul')
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    found = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:LONGEST].strip("-") or "x"
    return f"x-{found}" if found in DEVICES else found


def distinct(texts: Iterable[str]) -> dict[str, str]:
    """Give every name its own slug; the first of several keeps the plain form.

    >>> distinct(["a b", "a-b", "c"])
    {'a b': 'a-b', 'a-b': 'a-b-2', 'c': 'c'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for text in texts:
        if text in found:
            continue
        name = _unused(slug(text), taken)
        found[text] = name
    return found


def file_stems(report: Report) -> dict[Key, str]:
    """Name every figure and table of a report: its anchor, and its file without the ending.

    The data set stands in front where there are several.
    """
    keys = [key for key, _ in exhibits_of(report)]
    several = len(report.design.datasets) > 1
    joined = {
        key: "\n".join(
            part
            for part in (key.dataset if several else "", key.section, key.name, key.measure)
            if part
        )
        for key in keys
    }
    stems: dict[Key, str] = {}
    for kind in ("figure", "table"):
        mine = [key for key in keys if key.kind == kind]
        parts = distinct(p for key in mine for p in joined[key].split("\n"))
        whole = {key: "-".join(parts[p] for p in joined[key].split("\n")) for key in mine}
        stems.update(_without_collisions(whole))
    return stems


def exhibits_of(report: Report) -> Iterator[tuple[Key, Figure | Table]]:
    """Yield every figure and table that the sections of a report have."""
    for content in report.contents:
        for figure in content.figures:
            key = Key("figure", content.name, figure.name, figure.measure, content.dataset)
            yield key, figure
        for table in content.tables:
            yield Key("table", content.name, table.name, table.measure, content.dataset), table
        for table in content.overview:
            yield Key("table", content.name, table.name, table.measure, None), table


def _unused(stem: str, taken: set[str]) -> str:
    """Return a name that is not taken, with a number where the stem is, and take it."""
    number, name = 1, stem
    while name in taken:
        number += 1
        name = f"{stem}-{number}"
    taken.add(name)
    return name


def _without_collisions(stems: dict[Key, str]) -> dict[Key, str]:
    taken: set[str] = set()
    for key, stem in stems.items():
        stems[key] = _unused(stem, taken)
    return stems


@dataclass(slots=True)
class Numbering:
    """Numbers of figures and tables in the order in which they are placed."""

    stems: dict[Key, str]
    labels: dict[str, str]  # by anchor
    counts: Counter[tuple[str, str]]  # by prefix and kind
    prefix: str = ""  # before the numbers: "S" in a supplement

    @classmethod
    def of(cls, report: Report) -> Numbering:
        """Begin to number the figures and tables of a report."""
        return cls(file_stems(report), {}, Counter())

    def anchor(self, key: Key) -> str:
        """Return the id of a figure or table in the page."""
        return f"{key.kind}-{self.stems.get(key) or slug(key.name)}"

    def place(self, key: Key, word: str) -> tuple[str, str]:
        """Give the next number to a figure or table; return its anchor and label."""
        self.counts[self.prefix, key.kind] += 1
        return self.name(key, f"{word} {self.prefix}{self.counts[self.prefix, key.kind]}")

    def name(self, key: Key, label: str) -> tuple[str, str]:
        """Give a label to a figure or table; return its anchor and label."""
        anchor = self.anchor(key)
        if anchor in self.labels:
            raise RenderingError(
                f"found the {key.kind} {key.name!r} of {key.section!r} twice; allowed once"
            )
        self.labels[anchor] = label
        return anchor, label

    def label(self, anchor: str) -> str:
        """Return the label of what was placed."""
        try:
            return self.labels[anchor]
        except KeyError:
            raise RenderingError(
                f"found a reference to {anchor!r}; allowed to what the report has"
            ) from None
