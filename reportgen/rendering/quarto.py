"""The report as a Quarto project: a folder of Markdown, figures, references and numbers by name.

`render` writes it. Quarto itself numbers figures, tables and sections, writes citations and the
list of references; the project holds no code. What an author takes into a manuscript stands in
files of its own: `_findings.qmd`, `_methods.qmd`, one for each figure and table, `_variables.yml`.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from hashlib import sha1
from html import unescape
from pathlib import Path
from typing import Any
from unicodedata import bidirectional

from markupsafe import Markup

from reportgen.data_classes import dataclass
from reportgen.errors import RenderingError
from reportgen.rendering.composition import Composition, Part, compose
from reportgen.rendering.exports import write_files
from reportgen.rendering.fonts import tell_boxes
from reportgen.rendering.formulas import check_formula
from reportgen.rendering.headlines import plain_headline
from reportgen.rendering.latex_text import sign
from reportgen.rendering.layout import for_review
from reportgen.rendering.manuscript import FILE as MANUSCRIPT
from reportgen.rendering.manuscript import Exhibit, manuscript_file
from reportgen.rendering.markup import clean
from reportgen.rendering.names import Key, exhibits_of
from reportgen.rendering.page import orcid
from reportgen.rendering.pandoc_markdown import (
    JOINER,
    attribute,
    citation_key,
    code,
    div,
    guest_pandoc,
    locator,
    pandoc_text,
    pipe_table,
    table_columns,
    without_shortcodes,
    yaml_text,
)
from reportgen.rendering.quarto_executed import EXECUTION, executed_body, executed_front
from reportgen.rendering.quarto_journals import format_of, options_of
from reportgen.rendering.render_context import QUARTO, RenderContext
from reportgen.rendering.tables import (
    Cell,
    abridge_orders,
    format_cells,
    format_foot,
    is_wordy,
)
from reportgen.rendering.template_data import template_functions
from reportgen.rendering.templates import read_text
from reportgen.rendering.variables import Variables, variables
from reportgen.rendering.word_reference import word_reference
from reportgen.report import RESULTS, Author, Figure, Report, Table
from reportgen.study.schema import QuartoEntry

log = logging.getLogger("reportgen")

SYMBOLS, TABLES, SMALL = "symbols.tex", "tables.typ", "tables.tex"
LETTERS, PAGES = "letters.tex", "pages.tex"
NO_LETTERS = "% This report has no letters that LaTeX's fonts lack.\n"
WORD_STYLES, WORD_TABLES = "reference.docx", "tables.lua"
NUMBERS = ("numbers-s.tex", "numbers-s.typ", "numbers-s.lua")
"""Files that number a supplement's figures and tables: S1, S2."""

TYPST = "-typst"
"""After the name of a document for Typst: Quarto lets Typst write a PDF of its document's name, and
so one of LaTeX must have another."""

OF_SUPPLEMENT = "S\u2060"  # and a number, which numbers-s.lua puts beside it
PREFIXES = {"figure": "fig", "table": "tbl"}
WORDS = {"fig": "Figure", "tbl": "Table"}
PLACED = re.compile(r"^:::+ \{#((?:fig|tbl)-[a-z0-9-]+)|^\{\{< include (\S+) >\}\}$", re.MULTILINE)
INCLUDED = re.compile(r"^\{\{< include (\S+) >\}\}$", re.MULTILINE)
LABEL = re.compile(r"(?<![\w`&#;\\])@((?:fig|tbl)-[a-z0-9-]*\w)")
ADJACENT = re.compile(r"^:::\n\n(?=::: \{#)", re.MULTILINE)
PARTED = ':::\n\n:::: {.content-visible when-format="docx"}\n\u00a0\n::::\n\n'
"""Between two figures or tables: Word makes one table of those that touch."""

SECTION = re.compile(r"\{#(sec-[a-z0-9-]+)\}")
PLAIN_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
WORDS_OF_YAML = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
REFERENCE = re.compile(r"(?:\bin )?[ \u00a0]?\(@(?:fig|tbl)-[a-z0-9-]+\)|@(?:fig|tbl)-[a-z0-9-]*\w")
DATASET_LINK = re.compile(r"\[([^\[\]]*)\]\(#sec-data-[a-z0-9-]+\)")
PART_LINK = re.compile(r"\[([^\[\]]*)\]\(#(sec-[a-z0-9-]+)\)")
DIGITS = re.compile(r".{1,16}")  # of a checksum, between which a line may end
DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "html": {
        "toc": True,
        "embed-resources": True,
        "format-links": False,  # to files that may not be there
        "html-math-method": "mathml",
        "default-image-extension": "svg",
    },
    "pdf": {
        "papersize": "a4",
        "default-image-extension": "pdf",
        "latex-clean": False,
        "include-in-header": [SYMBOLS, SMALL, LETTERS],
    },
    "typst": {
        "papersize": "a4",
        "default-image-extension": "svg",
        "citeproc": True,
        "include-in-header": [TABLES],
    },
    "docx": {
        "default-image-extension": "png",
        "reference-doc": WORD_STYLES,
        "filters": ["quarto", WORD_TABLES],
    },
}


def render(
    report: Report,
    destination: Path,
    folders: Sequence[Path] = (),
    options: QuartoEntry | None = None,
) -> tuple[Path, ...]:
    """Write a report as a Quarto project.

    `report`: its figures have pictures where they are written as PDF and PNG, too.
    `destination`: the document `index.qmd`; its folder is made, and what an earlier report left in
    it goes, and nothing else. The supplement of an article stands beside it.
    `folders`: template folders that come before ours.
    `options`: A further format, such as a journal's, and its options.
    Result: the document.
    """
    project = compose_project(report, folders)
    report, context = project.report, project.context
    composition, bodies, own = project.composition, project.bodies, project.own
    formats = _formats(report, options)
    results = destination.parent.parent / RESULTS
    is_executed = options is not None and options.engine == "jupyter"
    digest = sha1(results.read_bytes()).hexdigest() if results.is_file() else report.study.name
    project.pieces.add_missing(report, folders)
    documents = _documents(project, formats, digest if is_executed else None)
    files = {
        **documents,
        "_quarto.yml": _project(formats, is_executed=is_executed),
        "_variables.yml": _variables_file(project.numbers),
        "references.bib": _bibliography(
            context, is_natbib=options is not None and bool(options.format or options.journal)
        ),
        **{name: read_text(f"quarto/{name}") for name in (SYMBOLS, TABLES, WORD_TABLES)},
        SMALL: tables_file(),
        LETTERS: letters_file("\n".join((*documents.values(), *project.pieces.exhibits.values()))),
        **{name: read_text(f"quarto/{name}") for name in NUMBERS if len(bodies) > 1},
        "_findings.qmd": _included(_page(context, composition, "findings")),
        "_methods.qmd": _included(_methods(composition)),
        MANUSCRIPT: manuscript_file(
            report,
            project.numbers,
            project.texts,
            project.pieces.of_manuscript,
            context.numbering.stems,
            context.references,
            results,
        ),
        **{name: _included(text) for name, text in project.pieces.exhibits.items()},
        **own,
    }
    bytes_by_name = {name: text.encode() for name, text in files.items()}
    further = project.pieces.pictures | {WORD_STYLES: word_reference()}
    write_files(bytes_by_name | further, destination.parent)
    return (destination,)


@dataclass(frozen=True, slots=True)
class Project:
    """The texts of a report for Quarto, before they are files."""

    report: Report
    context: RenderContext
    composition: Composition
    pieces: _Pieces
    numbers: Variables
    texts: Mapping[str, list[str]]  # that a manuscript takes by name
    bodies: Mapping[str, str]  # of the documents, by their stems
    own: Mapping[str, str]  # files that the bodies include

    def abstract(self) -> str:
        """Return the question and what came out."""
        front = _front_matter(self.context, self.composition)
        return str(front.get("abstract", ""))

    def whole(self, stem: str) -> str:
        """Return the body of a document with what it includes."""
        return INCLUDED.sub(lambda found: self.own[found[1]].strip(), self.bodies[stem])


def compose_project(report: Report, folders: Sequence[Path]) -> Project:
    """Write the texts of a report and of its supplement; `report` and `folders` as of `render`."""
    report = for_review(report)
    pieces = _Pieces()
    context = RenderContext(report, QUARTO, folders, pieces.functions())
    pieces.context = context
    composition = compose(context)
    numbers = variables(report)
    texts = _texts(composition)
    for name, found in numbers.collisions:
        log.warning("_variables.yml: %r is called %s, as another name is like it", name, found)
    tell_boxes(figure for content in report.contents for figure in content.figures)
    own = {
        _dataset_file(part): _page(context, composition, "dataset", page=part)
        for part in _dataset_parts(composition)
    }
    stems = ("index", "supplement") if _has_supplement(context, composition) else ("index",)
    bodies = {stem: _page(context, composition, stem) for stem in stems}
    bodies, own = _referred(bodies, own)
    return Project(report, context, composition, pieces, numbers, texts, bodies, own)


class _Pieces:
    """The pieces that macros place, and what was placed: files to include, pictures."""

    def __init__(self) -> None:
        self.context: RenderContext
        self.exhibits: dict[str, str] = {}
        self.pictures: dict[str, bytes] = {}
        self.of_manuscript: dict[str, list[Exhibit]] = {"figure": [], "table": []}

    def missing(self) -> dict[str, Key]:
        """Return what sections have, and what was not placed, by anchor."""
        keys = {f"{key.kind}-{stem}": key for key, stem in self.context.numbering.stems.items()}
        return {a: key for a, key in keys.items() if exhibit_file(a) not in self.exhibits}

    def add_missing(self, report: Report, folders: Sequence[Path]) -> None:
        """Keep for manuscripts what the article and its supplement do not place."""
        # A caption is that of the full report or, where that has none, says what is shown.
        if report.length != "full" and self.missing():
            others = _Pieces()
            others.context = RenderContext(
                replace(report, length="full"), QUARTO, folders, others.functions()
            )
            compose(others.context)
            wanted = {exhibit_file(anchor) for anchor in self.missing()}
            self.exhibits |= {k: v for k, v in others.exhibits.items() if k in wanted}
            self.pictures = others.pictures | self.pictures
            for kind, own in others.of_manuscript.items():
                found = (e for e in own if exhibit_file(f"{kind}-{e.stem}") in wanted)
                self.of_manuscript[kind] += found
        sources = dict(exhibits_of(report))
        for anchor, key in self.missing().items():
            source = sources[key]
            if isinstance(source, Figure):
                if not source.fault:
                    self.place_figure(anchor, source, pandoc_text(plain_headline(key)))
                continue
            rows = abridge_orders(format_cells(source))
            wordy = [is_wordy(column) for column in source.columns]
            words = pandoc_text(plain_headline(key, source.number_format))
            self.place_table(anchor, source, rows, wordy, format_foot(source), words)

    def functions(self) -> dict[str, Any]:
        """Return what the macros call."""
        return {
            "code_of": lambda text: Markup(code(text)),
            "reference": self.reference,
            "citation_key": lambda key: Markup(citation_key(key)),
            "locator": lambda place: Markup(locator(place)),
            "mathematics": mathematics,
            "groups": lambda text: Markup(" ".join(map(pandoc_text, DIGITS.findall(text)))),
            "image": self.image,
            "place_figure": self.place_figure,
            "place_lost": self.place_lost,
            "place_table": self.place_table,
            "place_facts": self.place_facts,
            "place_index": self.place_index,
            "plain_rows": plain_rows,
        }

    def reference(self, anchor: str) -> Markup:
        """Refer to a figure or table; the label is a token, so that what stands nowhere is told."""
        return Markup(f"@{identifier(anchor)}")

    def image(self, anchor: str, figure: Figure) -> Markup:
        """Write a picture; each format takes the file with the ending that suits it."""
        stem = anchor.partition("-")[2]
        pictures = figure.pictures or {"svg": f"{figure.print}\n".encode()}
        self.pictures |= {f"figures/{stem}.{kind}": data for kind, data in pictures.items()}
        return Markup(f"![](figures/{stem}){{fig-alt={attribute(figure.alt)}}}")

    def place_figure(self, anchor: str, figure: Figure, caption: str) -> Markup:
        """Write a figure with its caption."""
        words = caption or pandoc_text(figure.alt)
        own = Exhibit(anchor.partition("-")[2], _apart(words), clean(figure.alt))
        self.of_manuscript["figure"].append(own)
        return self._place(anchor, self.image(anchor, figure), words)

    def place_lost(self, anchor: str, reason: str) -> Markup:
        """Write the place of a figure that could not be drawn, to which the text may refer."""
        return self._place(anchor, "(no figure)", f"Could not be drawn: {pandoc_text(reason)}")

    def place_table(
        self,
        anchor: str,
        table: Table,
        rows: Sequence[Sequence[Cell]],
        wordy: Sequence[bool],
        foot: Sequence[Cell],
        caption: str,
    ) -> Markup:
        """Write a table with its caption."""
        cell = self.context.macros.cell
        written = [
            [str(cell(c)).strip() for c in row] for row in (*rows, *([foot] if foot else []))
        ]
        heads = [pandoc_text(column.label) for column in table.columns]
        return self._place_rows(anchor, heads, written, wordy, caption or pandoc_text(table.name))

    def place_facts(self, anchor: str, rows: Sequence[Sequence[str]], caption: str) -> Markup:
        """Write a table of labels and what they mean."""
        cells = even_rows(rows)
        n = len(cells[0])
        return self._place_rows(anchor, [""] * n, cells, [True] * n, caption)

    def place_index(
        self, anchor: str, heads: Sequence[Any], rows: Sequence[Sequence[str]], caption: str
    ) -> Markup:
        """Write the index of data sets."""
        titles = [str(h.text if isinstance(h.text, Markup) else pandoc_text(h.text)) for h in heads]
        return self._place_rows(anchor, titles, rows, [head.is_wordy for head in heads], caption)

    def _place_rows(
        self,
        anchor: str,
        heads: Sequence[str],
        rows: Sequence[Sequence[str]],
        wordy: Sequence[bool],
        caption: str,
    ) -> Markup:
        columns, shares = table_columns(heads, rows, wordy)
        cells = [
            [_apart(text.replace(JOINER, "")) for text in row]  # which an author's fonts may lack
            for row in zip(*columns, strict=True)
        ]
        own = Exhibit(
            *(anchor.partition("-")[2], _apart(caption)),
            heads=cells[0],
            rows=cells[1:],
            wordy=wordy,
            widths=shares,
        )
        self.of_manuscript["table"].append(own)
        return self._place(anchor, pipe_table(heads, rows, wordy), caption)

    def _place(self, anchor: str, content: str, caption: str) -> Markup:
        name = identifier(anchor)
        found = div(name, content, caption)
        self.exhibits[exhibit_file(anchor)] = str(found)
        return found


def exhibit_file(anchor: str) -> str:
    """Return the file of a figure or table.

    >>> exhibit_file("figure-monks3-podium")
    '_fig-monks3-podium.qmd'
    """
    kind, _, stem = anchor.partition("-")
    return f"_{'fig' if kind == 'figure' else kind}-{stem}.qmd"


def identifier(anchor: str) -> str:
    """Return the name of a figure or table in Quarto.

    >>> identifier("figure-monks3-podium"), identifier("table-means")
    ('fig-monks3-podium', 'tbl-means')
    """
    kind, _, stem = anchor.partition("-")
    return f"{PREFIXES[kind]}-{stem}"


def mathematics(tex: str, display: bool) -> Markup:
    """Write a formula."""
    check_formula(tex)
    plain = " ".join(tex.split())
    return Markup(f"$$\n{plain}\n$$" if display else f"${plain}$")


def plain_rows(rows: Sequence[Sequence[str]]) -> Markup:
    """Write a table without a head."""
    cells = even_rows(rows)
    n = len(cells[0])
    return pipe_table([""] * n, cells, [True] * n)


def even_rows(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return rows of one length, with empty cells at the end of shorter ones."""
    n = max(len(row) for row in rows)
    return [[*row, *[""] * (n - len(row))] for row in rows]


# ------------------------------------------------------------------------------- the documents


def _has_supplement(context: RenderContext, composition: Composition) -> bool:
    return context.is_article and composition.has_supplement


def tables_file() -> str:
    """Return what sets tables, and places figures, in LaTeX."""
    return read_text(f"latex/{PAGES}") + read_text(f"quarto/{SMALL}")


def letters_file(text: str) -> str:
    """Return what sets the letters of a text that fonts of LaTeX may lack.

    Letters from right to left are left to a font of the document, which has to have them.
    """
    known = read_text(f"quarto/{SYMBOLS}")
    found = sorted({c for c in unescape(text) if c > "\u02ff"} - set(known))
    lines = [
        rf"\rgnew{{{c}}}{{{ord(c):04X}}}{{{written}}}"
        for c in found
        if (written := sign(c)) is not None and bidirectional(c) not in ("R", "AL", "AN")
    ]
    if not lines:
        return NO_LETTERS
    heads = [read_text(f"{folder}/{LETTERS}") for folder in ("latex", "quarto")]
    return "\n".join([*map(str.rstrip, heads), *lines, ""])


def _documents(project: Project, formats: Mapping[str, Any], digest: str | None) -> dict[str, str]:
    """Return the documents: each for Typst, too, under a name of its own."""
    # `digest`: of the results, where code of the documents makes their texts.
    found = {}
    for stem, body in project.bodies.items():
        front = _front_matter(project.context, project.composition)
        if stem != "index":
            front = _front_of_supplement(front)
        text = body
        if digest is not None:
            own_texts = (project.whole(stem), stem, project.report.design.alpha, digest)
            text = executed_body(*own_texts, has_abstract="abstract" in front)
            front = executed_front(front)
        for ending, is_typst in (("", False), (TYPST, True)):
            own = [name for name in formats if (_base(name) == "typst") == is_typst]
            of_form = {name: _numbers(name) if stem != "index" else "default" for name in own}
            matter = "\n".join(yaml_lines({**front, "format": of_form}))
            found[f"{stem}{ending}.qmd"] = f"---\n{matter}\n---\n\n{text}"
    return found


def _front_of_supplement(front: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: front[key] for key in ("author", "date", "date-format") if key in front}
    return {
        "title": f"Supplement to “{front['title']}”",
        **kept,
        "engine": "markdown",
        "filters": ["quarto", NUMBERS[2]],
    }


def _numbers(form: str) -> dict[str, Any]:
    """Return the options by which a format numbers a supplement: S1, S2."""
    base = _base(form)
    if base in ("pdf", "typst"):
        own = (SYMBOLS, SMALL, LETTERS, NUMBERS[0]) if base == "pdf" else (TABLES, NUMBERS[1])
        return {"include-in-header": list(own)}
    words = {
        f"{kind}-{use}": f"{word} {OF_SUPPLEMENT}"
        for kind, word in WORDS.items()
        for use in ("title", "prefix")
    }
    return {"crossref": words}


def _referred(
    bodies: Mapping[str, str], own: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Name by its number what a document refers to and another has; such a link is its words."""
    # `own`: files that the documents include.
    places = {stem: _placed(body, own) for stem, body in bodies.items()}
    found_own = dict(own)
    found = {}
    for stem, body in bodies.items():
        elsewhere = {
            name: f"{WORDS[name[:3]]}&nbsp;{'S' if other != 'index' else ''}{number}"
            + (" of the article" if other == "index" else "")
            for other, numbers in places.items()
            if other != stem
            for name, number in numbers.items()
        }

        files = [match[2] for match in PLACED.finditer(body) if match[2]]
        ids = set(SECTION.findall("\n".join((body, *(own[file] for file in files)))))
        found[stem] = _bound(body, elsewhere, ids)
        found_own |= {file: _bound(own[file], elsewhere, ids) for file in files}
    return found, found_own


def _bound(text: str, elsewhere: Mapping[str, str], ids: Set[str]) -> str:
    """Keep the links to parts of a document, and write as words what refers to another."""
    text = LABEL.sub(lambda match: elsewhere.get(match[1], match[0]), text)
    return PART_LINK.sub(lambda match: match[0] if match[2] in ids else match[1], text)


def _placed(body: str, own: Mapping[str, str]) -> dict[str, int]:
    """Return the figures and tables of a document with their numbers."""
    found: dict[str, int] = {}
    counts: Counter[str] = Counter()
    texts = "\n".join(own[match[2]] if match[2] else match[0] for match in PLACED.finditer(body))
    for match in PLACED.finditer(texts):
        kind = match[1].partition("-")[0]
        counts[kind] += 1
        found[match[1]] = counts[kind]
    return found


def _page(context: RenderContext, composition: Composition, name: str, **more: Any) -> str:
    """Render one document, with all labels checked."""
    callout = context.macros.callout
    remarks = (str(callout("note", r.head, r.text)).strip() for r in composition.remarks)
    own = {
        "c": composition,
        "is_article": context.is_article,
        "has_supplement": _has_supplement(context, composition),
        "heading": Markup("##"),
        "remarks": Markup("\n\n".join(remarks)),
        "dataset_files": [_dataset_file(part) for part in _dataset_parts(composition)],
        **template_functions({"include": lambda file: Markup(f"{{{{< include {file} >}}}}")}),
    }
    text = context.page(f"quarto/{name}.qmd.j2", own | more)
    _check_references(context, text)
    return ADJACENT.sub(PARTED, re.sub(r"\n{3,}", "\n\n", text)).strip() + "\n"


def _check_references(context: RenderContext, text: str) -> None:
    """Refuse a reference to what stands nowhere."""
    placed = {identifier(anchor) for anchor in context.numbering.labels}
    for found in LABEL.findall(text):
        if found not in placed:
            raise RenderingError(f"found a reference to {found!r}; allowed to what the report has")


def _dataset_parts(composition: Composition) -> tuple[Part, ...]:
    return composition.datasets.parts if composition.datasets else ()


def _dataset_file(part: Part) -> str:
    return f"datasets/_{part.anchor.removeprefix('data-')}.qmd"


def _methods(composition: Composition) -> str:
    """Return the methods in brief; where there are none, at length."""
    brief = str(composition.article_methods).strip()
    return brief or "\n\n".join(str(part.body) for part in composition.methods)


def _included(text: str) -> str:
    """Take out what refers to the rest of the report."""
    is_exhibit = text.lstrip().startswith("::: {#")
    head, line, rest = text.partition("\n") if is_exhibit else ("", "", text)
    return f"{head}{line}{_apart(rest)}".strip() + "\n"


def _apart(text: str) -> str:
    """Take out of a text what refers to the rest of the report."""
    return PART_LINK.sub(r"\1", REFERENCE.sub(_elsewhere, str(text)))


def _elsewhere(found: re.Match[str]) -> str:
    if found[0].startswith("@"):
        return "the report"
    return "in the report" if found[0].startswith("in ") else ""


def _texts(composition: Composition) -> dict[str, list[str]]:
    """Return the paragraphs that a manuscript takes by name."""
    question = [_apart(text) for text in composition.abstract.question]
    verdict = [_apart(composition.abstract.text)] if composition.abstract.text else []
    return {"abstract": question + verdict, "verdict": verdict}


def _front_matter(context: RenderContext, composition: Composition) -> dict[str, Any]:
    study = context.report.study
    question = [str(text) for text in composition.abstract.question]
    if composition.abstract.asks:
        question[0] = f"**Question.** {question[0]}"
    answer = DATASET_LINK.sub(r"\1", str(composition.abstract.text))
    abstract = "\n\n".join([*question, *([answer] if answer else [])])
    found = {
        "title": guest_pandoc(study.title),
        **({"author": [_author(author) for author in study.authors]} if study.authors else {}),
        "date": context.report.provenance.date[:10],
        "date-format": "long",
        **({"abstract": abstract} if abstract else {}),
        **({"keywords": [pandoc_text(k) for k in study.keywords]} if study.keywords else {}),
        "engine": "markdown",
    }
    return {key: _without_shortcodes(value) for key, value in found.items()}


def _without_shortcodes(value: Any) -> Any:
    """Part braces in every text of metadata."""
    if isinstance(value, Mapping):
        return {key: _without_shortcodes(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_shortcodes(item) for item in value]
    return without_shortcodes(value) if isinstance(value, str) else value


def _author(author: Author) -> dict[str, Any]:
    number = orcid(author.orcid)
    named = {"name": author.affiliation, "city": author.city, "country": author.country}
    place = {key: pandoc_text(text) for key, text in named.items() if text}
    return {
        "name": pandoc_text(author.name),
        **({"orcid": number} if number else {}),
        **({"email": pandoc_text(author.email)} if author.email else {}),
        **({"corresponding": True} if author.is_corresponding else {}),
        **({"affiliations": [place]} if place else {}),
    }


def _base(form: str) -> str:
    """Return the format that a format of an extension extends."""
    return form.rpartition("-")[2]


def _formats(report: Report, options: QuartoEntry | None) -> dict[str, dict[str, Any]]:
    """Return the formats of the project with their options."""
    formats: dict[str, Any] = {name: dict(own) for name, own in DEFAULTS.items()}
    if options is not None and (options.format or options.journal):
        form = format_of(options)
        base = _base(form)
        defaults = {k: v for k, v in DEFAULTS.get(base, {}).items() if k != "papersize"}
        known = defaults if options.journal else formats.get(form) or defaults
        more = options_of(options, report.study, report.provenance.date[:4])
        formats[form] = {**known, **more}
    return formats


def _project(formats: Mapping[str, Any], *, is_executed: bool = False) -> str:
    """Return `_quarto.yml`."""
    content = {
        "project": {"type": "default"},
        **({"execute": dict(EXECUTION)} if is_executed else {}),
        "lang": "en",
        "bibliography": "references.bib",
        "link-citations": True,
        "number-sections": True,
        "format": formats,
    }
    return "\n".join(yaml_lines(content)) + "\n"


def _variables_file(numbers: Variables) -> str:
    """Return `_variables.yml`; its head lists names that are another there."""
    lines = ["# Numbers of the report, for {{< var … >}} in a document of this project."]
    for name, found in numbers.changed.items():
        lines.append(f"# {yaml_text(clean(name))} is called {found}")
    texts = _escaped(numbers.tree)
    return "\n".join([*lines, *yaml_lines(texts)]) + "\n"


def _escaped(tree: Mapping[str, Any]) -> dict[str, Any]:
    """Write every text as Markdown."""
    return {
        key: _escaped(value)
        if isinstance(value, Mapping)
        else without_shortcodes(pandoc_text(value))
        if isinstance(value, str)
        else value
        for key, value in tree.items()
    }


def _bibliography(context: RenderContext, *, is_natbib: bool) -> str:
    """Return the entries of what is cited; addresses are links, which lines may break."""
    # `is_natbib`: whether BibTeX may write them, which passes on a `_` that LaTeX stops at.
    entries = (context.cited[key].source for key in sorted(context.cited))
    text = re.sub(r"\bhowpublished = \{(?=https?:)", "url = {", "\n\n".join(entries)) + "\n"
    return _without_bare(text) if is_natbib else text


def _without_bare(bibtex: str) -> str:
    r"""Escape each `_` in the values of entries, not in their keys.

    Examples
    --------
    >>> print(_without_bare('@book{a_b, doi = {10.1/3_3}, c_d = "x{y}_z", url = {e_f?g=1}}'))
    @book{a_b, doi = {10.1/3\_3}, c_d = "x{y}\_z", url = {e\_f?g=1}}
    """
    depth, is_quoted, found = 0, False, []
    for before, letter in zip(f"\n{bibtex}", bibtex, strict=False):
        depth += (letter == "{") - (letter == "}")
        is_quoted ^= letter == '"' and depth == 1
        is_bare = letter == "_" and before not in "\\$" and (depth > 1 or is_quoted)
        found.append(r"\_" if is_bare else letter)
    return "".join(found)


def yaml_lines(value: Mapping[str, Any], margin: str = "") -> Iterator[str]:
    r"""Yield the lines of a mapping as YAML.

    Examples
    --------
    >>> print("\n".join(yaml_lines({"a": [{"b": True, "no": 0.5}, "x: y"], "c": {"d": None}})))
    a:
      - b: true
        "no": 0.5
      - "x: y"
    c:
      d: null
    """
    for key, item in value.items():
        head = f"{margin}{_yaml_key(str(key))}:"
        if isinstance(item, Mapping) and item:
            yield head
            yield from yaml_lines(item, f"{margin}  ")
        elif isinstance(item, list | tuple) and item:
            yield head
            for element in item:
                yield from _yaml_item(element, f"{margin}  ")
        else:
            yield f"{head} {_yaml_scalar(item)}"


def _yaml_item(element: Any, margin: str) -> Iterator[str]:
    if isinstance(element, Mapping) and element:
        first, *others = yaml_lines(element, f"{margin}  ")
        yield f"{margin}- {first.lstrip()}"
        yield from others
    else:
        yield f"{margin}- {_yaml_scalar(element)}"


def _yaml_key(key: str) -> str:
    is_plain = PLAIN_KEY.fullmatch(key) and key.lower() not in WORDS_OF_YAML
    return key if is_plain else yaml_text(key)


def _yaml_scalar(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or isinstance(value, int | float):
        return "null" if value is None else repr(value)
    if isinstance(value, str):
        return yaml_text(value)
    if not value:
        return "{}" if isinstance(value, Mapping) else "[]"
    return yaml_text(str(value))
