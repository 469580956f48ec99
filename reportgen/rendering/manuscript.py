r"""What an author's manuscript takes from a run: a file for the extension of Quarto.

`manuscript_file` writes it: numbers by name as the report writes them, sentences, tables and the
captions of figures. All of it is data: a text is a list of pieces, each of a kind and its plain
letters, so that who sets it need not read Markdown, TeX or HTML that comes from a study.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha1
from html import unescape
from pathlib import Path
from typing import Any

from reportgen.data_classes import dataclass
from reportgen.rendering.names import Key
from reportgen.rendering.references import Reference
from reportgen.rendering.variables import Tree, Variables
from reportgen.report import Report

FILE = "manuscript.json"
VERSION = 1

PIECE = re.compile(
    r"&(?:#\d+|\w+);|\\(?P<escaped>.|\n)|`(?P<code>[^`]*)`|\$\$?(?P<math>[^$]+)\$\$?"
    r"|(?P<mark>\*\*|\*)|\[(?P<words>(?:\\.|[^\]\\@])*)\]\((?:<[^>]*>|[^)]*)\)"
    r"|\[@(?P<cited>[^\]]+)\]|@(?P<named>\{[^}]*\}|[\w:.-]*\w)|(?P<break>\s*\n\s*)",
    re.DOTALL,
)
KINDS = {"*": "emph", "**": "strong"}

Pieces = list[list[str]]


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A figure or table as a project has it: its texts are Pandoc's Markdown."""

    stem: str  # of its file
    caption: str
    alt: str = ""  # of a figure; plain text
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    wordy: Sequence[bool] = ()  # whether a column stands at the left
    widths: Sequence[float] = ()  # of columns, as shares of the line; empty where all have room


def manuscript_file(
    report: Report,
    numbers: Variables,
    texts: Mapping[str, Sequence[str]],
    exhibits: Mapping[str, Sequence[Exhibit]],
    stems: Mapping[Key, str],
    references: Mapping[str, Reference],
    results: Path | None,
) -> str:
    """Return the file.

    `texts`: paragraphs in Pandoc's Markdown, by name.
    `exhibits`: by kind, "figure" and "table".
    `stems`: of the files of figures and tables.
    `references`: what texts may cite.
    `results`: the results.json of the same report, where it is there.
    """
    keys: dict[tuple[str, str], Key] = {(key.kind, stem): key for key, stem in stems.items()}
    slugs = {slug: name for name, slug in numbers.changed.items()}
    has_results = results is not None and results.is_file()
    content = {
        "schema_version": VERSION,
        "results_sha1": sha1(results.read_bytes()).hexdigest() if has_results and results else None,
        "study": {"name": report.study.name, "title": report.study.title},
        "main_measure": numbers.main,
        "names": {name: slug for slug, name in slugs.items()},
        "numbers": _texts_of(numbers.tree),
        "texts": {
            name: [pieces(text, references) for text in paragraphs]
            for name, paragraphs in texts.items()
        },
        **{
            f"{kind}s": [
                _exhibit(e, keys.get((kind, e.stem)), kind, references)
                for e in _in_order(own, kind, keys)
            ]
            for kind, own in exhibits.items()
        },
    }
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"


def _in_order(
    exhibits: Sequence[Exhibit], kind: str, keys: Mapping[tuple[str, str], Key]
) -> Sequence[Exhibit]:
    """Return exhibits in the order of the sections, where `study.table` looks for them, too."""
    places = {own: place for place, own in enumerate(keys)}
    return sorted(exhibits, key=lambda e: places.get((kind, e.stem), len(places)))


def _texts_of(tree: Mapping[str, Any]) -> Tree:
    """Return the numbers with all that are not texts yet written as such."""
    return {k: _texts_of(v) if isinstance(v, Mapping) else str(v) for k, v in tree.items()}


def _exhibit(
    own: Exhibit, key: Key | None, kind: str, references: Mapping[str, Reference]
) -> dict[str, Any]:
    found = {
        "stem": own.stem,
        "section": key.section if key else "",
        "name": key.name if key else own.stem,
        "measure": key.measure if key else "",
        "dataset": (key.dataset if key else None) or "",
        "caption": pieces(own.caption, references),
    }
    if kind == "figure":
        return found | {"alt": own.alt}
    return found | {
        "heads": [pieces(text, references) for text in own.heads],
        "rows": [[pieces(text, references) for text in row] for row in own.rows],
        "left": list(own.wordy),
        "widths": [round(width, 4) for width in own.widths],
    }


def pieces(text: str, references: Mapping[str, Reference]) -> Pieces:
    r"""Return a paragraph of our own Pandoc's Markdown as pieces of plain text with their kinds.

    Citations are names and years, and links their words, as a manuscript has other references.

    Examples
    --------
    >>> pieces(r"*p* &lt;\ 0.5: **a\_b** &#123;&#123;x", {})
    [['emph', 'p'], ['text', ' <\xa00.5: '], ['strong', 'a_b'], ['text', ' {{x']]
    >>> pieces(r"`x*` $\alpha$ [y *z*](<https://e.org>)", {})
    [['code', 'x*'], ['text', ' '], ['math', '\\alpha'], ['text', ' y '], ['emph', 'z']]
    """
    found: Pieces = []
    _read(text.strip(), "text", found, references)
    return found


def _read(text: str, outer: str, found: Pieces, references: Mapping[str, Reference]) -> None:
    kind, place = outer, 0
    for match in PIECE.finditer(text):
        _put(found, kind, text[place : match.start()])
        place = match.end()
        given = match.groupdict()
        if given["mark"]:
            own = KINDS[given["mark"]]
            kind = outer if kind == own else own
        elif given["escaped"] is not None:
            _put(found, kind, {" ": "\u00a0", "\n": " "}.get(given["escaped"], given["escaped"]))
        elif given["code"] is not None:
            _put(found, "code", given["code"])
        elif given["math"] is not None:
            _put(found, "math", given["math"].strip())
        elif given["words"] is not None:
            _read(given["words"], kind, found, references)
        elif given["cited"] or given["named"]:
            _put(found, kind, _cited(given, references))
        elif given["break"]:
            _put(found, kind, " ")
        else:
            _put(found, kind, unescape(match[0]))
    _put(found, kind, text[place:])


def _put(found: Pieces, kind: str, text: str) -> None:
    """Add letters; those of one kind beside one another are one piece."""
    if not text:
        return
    if found and found[-1][0] == kind and kind not in ("code", "math"):
        found[-1][1] += text
    else:
        found.append([kind, text])


def _cited(given: Mapping[str, str], references: Mapping[str, Reference]) -> str:
    """Write a citation in words."""
    if given["named"]:
        own = references.get(given["named"].strip("{}"))
        return f"{own.short_names} ({own.year})" if own else ""
    written = []
    for part in given["cited"].split(";"):
        key, _, place = part.strip().lstrip("@").partition(",")
        own = references.get(key.strip("{}"))
        words = f"{own.short_names}, {own.year}" if own else ""
        written += [unescape(f"{words},{place}" if place else words)] if words else []
    return f"({'; '.join(written)})" if written else ""
