r"""The report as a manuscript in LaTeX: its text, tables, figures, numbers by name, references.

`write_paper` writes a folder whose files a document takes in by `\input`, with a `main.tex` that
does: the article. A table or figure is a file with its caption, label and note; it refers to no
other, so that each can be taken alone. The texts refer to all by `\ref`. `compose_paper` returns
them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from reportgen.data_classes import dataclass
from reportgen.errors import RenderingError
from reportgen.file_writing import write_text
from reportgen.formats import FORMATS
from reportgen.rendering.composition import Composition, compose
from reportgen.rendering.exports import own_files, write_files
from reportgen.rendering.fonts import tell_boxes
from reportgen.rendering.formulas import check_formula
from reportgen.rendering.headlines import figure_caption, plain_headline
from reportgen.rendering.latex_tables import Cell, Columns, Grid, packages, write_table
from reportgen.rendering.latex_text import (
    breakable,
    escape_latex,
    guest_latex,
    latex_blocks,
    latex_line,
)
from reportgen.rendering.layout import for_review
from reportgen.rendering.markup import clean
from reportgen.rendering.means_table import NAME as MEANS
from reportgen.rendering.means_table import has_means, write_means
from reportgen.rendering.names import Key, distinct, exhibits_of, slug
from reportgen.rendering.references import Reference
from reportgen.rendering.render_context import BEST_OF_COLUMN, BackEnd, RenderContext
from reportgen.rendering.tables import Cell as PlainCell
from reportgen.rendering.tables import abridge_orders, format_cells, format_foot, is_wordy
from reportgen.rendering.templates import read_text
from reportgen.rendering.variables import Variables, variables
from reportgen.report import ROOM, Figure, Report, Table
from reportgen.study.schema import LatexEntry
from reportgen.warehouse import Performances

log = logging.getLogger("reportgen")

USUAL = LatexEntry()
MAIN = Path(FORMATS["latex"].file).name
LATEX = BackEnd(
    FORMATS["latex"],
    "latex/blocks.tex.j2",
    breakable,
    latex_line,
    latex_blocks,
    guest_latex,
    lambda text: escape_latex(" ".join(text.split())),
)
REFERENCE = re.compile(r"(?:\bin )?[ ~]?\(\ue002[a-z0-9-]+\ue003\)|(?:see )?\ue002[a-z0-9-]+\ue003")
LABEL = re.compile("\ue002((?:figure|table)-[a-z0-9-]+)\ue003")
PLACED = re.compile(r"\\input\{(figure|table)s/([a-z0-9-]+)\}")
PLACE = r"\\input\{(?:figure|table)s/[a-z0-9-]+\}"
PLACES = re.compile(rf"(?:(?P<end>(?<=\w)\.)\n\n+)?(?P<places>{PLACE}(?:\s*{PLACE})*)")
LABELS = {"figure": "fig", "table": "tab"}
TEXTS = ("abstract", "methods", "results", "supplement")
FURTHER = "S"  # the label of what the report has nowhere
LETTERS_FILE, PAGES = "letters.tex", "pages.tex"
MISSING_LETTERS = re.compile(r"\\rgletters\{([^{}]*)\}")
COMPILED = "pdflatex main; bibtex main; pdflatex main; pdflatex main; pdflatex main"
PLAIN_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9:._+-]*")
MEDIA_BOX = re.compile(rb"/MediaBox\s*\[\s*0\s+0\s+([0-9.]+)")
NARROW = 0.55  # of the text's width, up to which a figure has room in one of two columns
NEAR_FULL = 0.9  # of the text's width, from which on a figure takes all of it
FIRST_PAGE = re.compile(r"\A\s*\\clearpage\s*")  # the document begins it
NEW_PAGE = re.compile(r"^\\clearpage\n(?=\\section)", re.MULTILINE)
WAITING = r"\makeatletter\par\ifx\@deferlist\@empty\else\clearpage\fi\makeatother"
"""A new page where tables or figures have not found a place yet."""
NOCITE = "\\nocite{*}\n"
SUPPLEMENT = r"""
\clearpage
\setcounter{section}{0}\renewcommand{\thesection}{S\arabic{section}}
\setcounter{table}{0}\renewcommand{\thetable}{S\arabic{table}}
\setcounter{figure}{0}\renewcommand{\thefigure}{S\arabic{figure}}
\def\theHsection{\thesection}\def\theHtable{\thetable}\def\theHfigure{\thefigure} % of hyperref
\makeatletter % tables and figures stand where the text has them, if there is room
\let\rgfloat\@xfloat\if@twocolumn\else\def\@xfloat#1[#2]{\rgfloat{#1}[htbp]}\fi
\makeatother
\input{supplement}
"""
TOGETHER = 6  # floats between two of which LaTeX has to have room for all
FIELDS = (
    *("author", "title", "journal", "booktitle", "editor", "edition", "volume", "number"),
    *("pages", "series", "school", "institution", "type", "publisher", "address", "year"),
)


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table or figure for a manuscript."""

    kind: str
    stem: str  # its file without the ending, and its label behind `tab:` or `fig:`
    text: str  # LaTeX: the float with caption and label
    is_further: bool  # whether the report has it in its supplement, or nowhere
    picture: bytes = b""  # PDF of a figure that was drawn

    @property
    def is_shown(self) -> bool:
        """Whether a text can place it: a figure that was not drawn it cannot."""
        return self.kind == "table" or bool(self.picture)

    @property
    def path(self) -> str:
        """Its file within the folder, without the ending."""
        return f"{self.kind}s/{self.stem}"

    @property
    def file(self) -> str:
        """What stands in its file: the text, under a line that says what it needs."""
        needed = packages(self.text) if self.kind == "table" else ("graphicx",)
        return f"% {self.path}; packages: {', '.join(needed)}\n{self.text}"


@dataclass(frozen=True, slots=True)
class Paper:
    """What a manuscript takes from a report."""

    exhibits: tuple[Exhibit, ...]  # in the report's order, then those that stand nowhere in it
    # abstract, methods, results, supplement: by name; the experiment and its analysis in brief are
    # the methods, what the article holds back is the supplement. They place tables and figures.
    texts: Mapping[str, str]
    keywords: str
    references: tuple[Reference, ...]  # those cited
    stems: Mapping[Key, str]  # of what the report's sections have

    def table(self, key: Key) -> str:
        """Return the file of a table."""
        stem = self.stems[key]
        return next(e.file for e in self.exhibits if (e.kind, e.stem) == ("table", stem))


def render(
    report: Report,
    destination: Path,
    folders: Sequence[Path] = (),
    options: LatexEntry = USUAL,
) -> tuple[Path, ...]:
    """Write a report as what a manuscript takes from it, in a folder of its own.

    `destination`: the document that takes it in; it stays where an author has changed it.
    `folders`: template folders that come before ours.
    `options`: of the manuscript.
    Result: the document.
    """
    write_paper(report, destination.parent, folders, options)
    return (destination,)


def write_paper(
    report: Report,
    folder: Path,
    folders: Sequence[Path] = (),
    options: LatexEntry = USUAL,
) -> tuple[Path, ...]:
    """Write what a manuscript takes from a report, and a document that takes it in.

    `report`: its figures have pictures where they are to be written.
    `folder`: made when it is not there; what an earlier export left in it goes, and nothing else. A
    `main.tex` that is there stays: it may be the author's.
    `folders`: template folders that come before ours.
    `options`: of the manuscript.
    Raises RenderingError if a file is there that no export has written.
    """
    report = for_review(report)
    paper = compose_paper(report, folders, options)
    numbers = variables(report)
    for name, found in numbers.collisions:
        log.warning("numbers.tex: %r is called %s, as another name is like it", name, found)
    files = {f"{e.path}.tex": e.file.encode() for e in paper.exhibits}
    files |= {f"{e.path}.pdf": e.picture for e in paper.exhibits if e.picture}
    files |= {f"{name}.tex": text.encode() for name, text in paper.texts.items()}
    files |= {
        "keywords.tex": paper.keywords.encode(),
        "numbers.tex": numbers_file(numbers).encode(),
        PAGES: read_text(f"latex/{PAGES}").encode(),
        "references.bib": _bibliography(paper.references).encode(),
    }
    missing = _missing_letters(report, files)
    if missing:
        files[LETTERS_FILE] = read_text(f"latex/{LETTERS_FILE}").encode()
    _check_own(files, folder)
    written = list(write_files(files, folder))
    main, text = folder / MAIN, _main(report, paper, options.columns, has_letters=bool(missing))
    if main.exists() and main.read_text(encoding="utf-8", errors="replace") != text:
        log.warning("%s: is there with another text, and stays as it is", main)
    else:
        write_text(main, text)
        written.insert(0, main)
    tell_boxes(figure for content in report.contents for figure in content.figures)
    if missing:
        log.warning(
            "pdflatex has no letters for %s, and writes their numbers: compile by lualatex or "
            "xelatex, which take them from a font of the system",
            ", ".join(f"{c} (U+{ord(c):04X})" for c in missing),
        )
    return tuple(written)


def compose_paper(
    report: Report, folders: Sequence[Path] = (), options: LatexEntry = USUAL
) -> Paper:
    """Return what a manuscript takes from a report.

    `folders`: template folders that come before ours.
    `options`: of the manuscript.
    """
    pieces = _Pieces(report, options)
    composition = _compose(report, folders, pieces)
    texts = _texts(pieces.context, composition, options.columns)
    if report.length != "full" and pieces.missing():
        others = _Pieces(report, options)
        _compose(replace(report, length="full"), folders, others)
        for anchor in pieces.missing():
            if anchor in others.exhibits:
                pieces.exhibits[anchor] = replace(others.exhibits[anchor], is_further=True)
    pieces.add_missing()
    pieces.add_means(options)
    words = map(escape_latex, report.study.keywords)
    return Paper(
        tuple(sorted(pieces.exhibits.values(), key=lambda e: e.is_further)),
        {name: _referring(text, pieces) for name, text in texts.items()},
        f"{', '.join(words)}\n" if report.study.keywords else "",
        composition.references,
        pieces.context.numbering.stems,
    )


def means_file(
    report: Report,
    folders: Sequence[Path] = (),
    options: LatexEntry = USUAL,
    measure: str | None = None,
) -> str:
    """Return the file of the table of data sets by candidates.

    `measure`: the main one where none is chosen, or of one data set all.
    Raises StudyError where the study has no such table, or none with these options.
    """
    context = RenderContext(report, LATEX, folders, _Pieces(report, options).functions())
    names = filter(None, (MEANS, measure if len(report.design.datasets) > 1 else None))
    stem = slug("-".join(names))
    text = write_means(
        report,
        context,
        f"tab:{stem}",
        measure=measure,
        options=options.means,
        columns=options.columns,
        width=options.width,
    )
    return Exhibit("table", stem, text, is_further=True).file


def _texts(context: RenderContext, composition: Composition, columns: Columns) -> dict[str, str]:
    """Return the parts of the article and its supplement, which place tables and figures."""
    brief = composition.article_methods
    variables = {
        "c": composition,
        "is_article": context.is_article,
        "question": composition.abstract.question,
        "methods": brief,
        "has_methods": bool(brief) and composition.density == "full",
    }
    texts = {name: context.page(f"latex/{name}.tex.j2", variables) for name in TEXTS}
    return texts | {"supplement": _with_pages(FIRST_PAGE.sub("", texts["supplement"]), columns)}


def _with_pages(text: str, columns: Columns) -> str:
    r"""Let the tables and figures of a section stand before the next; of two columns, anywhere.

    >>> pages = ["A\n", "\\section{B}\n\\input{tables/b}\n", "\\section{C}"]
    >>> print(_with_pages("\\clearpage\n".join(pages), 1).replace(WAITING, "WAITING"))
    A
    \section{B}
    \input{tables/b}
    WAITING
    \section{C}
    """
    parts = NEW_PAGE.split(text)
    end = f"{WAITING}\n" if columns == 1 else ""
    ends = [end if PLACED.search(part) else "" for part in parts[:-1]]
    return "".join(f"{part}{end}" for part, end in zip(parts, [*ends, ""], strict=True))


def _referring(text: str, pieces: _Pieces) -> str:
    """Refer to tables and figures by their labels; what was lost is in the report."""

    def refer(found: re.Match[str]) -> str:
        kind, _, stem = found[1].partition("-")
        exhibit = pieces.exhibits.get(found[1])
        if exhibit is None or not exhibit.is_shown:
            return found[0]
        return rf"{kind.capitalize()}~\ref{{{LABELS[kind]}:{stem}}}"

    plain = _with_references(REFERENCE.sub(_elsewhere, LABEL.sub(refer, text)))
    return re.sub(r"\n{3,}", "\n\n", plain).strip() + "\n"


def _compose(report: Report, folders: Sequence[Path], pieces: _Pieces) -> Composition:
    context = RenderContext(report, LATEX, folders, pieces.functions())
    pieces.context = context
    return compose(context)


def _with_references(text: str) -> str:
    r"""Refer to every table and figure that a text places and does not name.

    >>> print(_with_references("Words.\n\\input{tables/a}\n\\input{figures/b}"))
    Words.
    See also Table~\ref{tab:a} and Figure~\ref{fig:b}.
    <BLANKLINE>
    \input{tables/a}
    \input{figures/b}
    >>> print(_with_references("Words.\n\n\\input{tables/a}"))
    Words. See also Table~\ref{tab:a}.
    <BLANKLINE>
    \input{tables/a}
    """

    def see(found: re.Match[str]) -> str:
        labels = [
            (kind, rf"\ref{{{LABELS[kind]}:{stem}}}") for kind, stem in PLACED.findall(found[0])
        ]
        missing = [rf"{kind.capitalize()}~{label}" for kind, label in labels if label not in text]
        if not missing:
            return found[0]
        *first, last = missing
        names = f"{', '.join(first)} and {last}" if first else last
        before = "" if found["end"] is None else f"{found['end']} "
        return f"{before}See also {names}.\n\n{found['places']}"

    return PLACES.sub(see, text)


class _Pieces:
    """The tables and figures that macros place."""

    def __init__(self, report: Report, options: LatexEntry = USUAL) -> None:
        self.context: RenderContext
        self.exhibits: dict[str, Exhibit] = {}
        self._report = report
        self._columns = options.columns
        self._width = options.width
        self._verdicts = {
            (content.dataset, verdict.measure.name): verdict
            for content in report.contents
            for verdict in content.verdicts
            if verdict.leaders
        }

    def functions(self) -> dict[str, Any]:
        """Return what the macros call."""
        return {
            "bib_key": lambda key: Markup(bib_key(key)),
            "mathematics": mathematics,
            "place_figure": self.place_figure,
            "place_compact_figure": self.place_compact_figure,
            "place_table": self.place_table,
            "place_facts": self.place_facts,
            "place_index": self.place_index,
        }

    def place_figure(
        self, anchor: str, label: str, figure: Figure, headline: str, text: str
    ) -> Markup:
        """Keep a figure."""
        caption = _sentences(headline, text) or breakable(figure.alt)
        return self._keep_figure(anchor, figure, caption, is_further=_is_further(label))

    def place_compact_figure(self, anchor: str, figure: Figure, label: str = FURTHER) -> Markup:
        """Keep a figure whose caption names its data set, as no heading does here."""
        own = self._keys.get(anchor) or Key("figure", "", figure.name, figure.measure, None)
        design = self._report.design
        key = own if len(design.datasets) > 1 else own._replace(dataset=None)
        caption = breakable(figure_caption(key, design.vocabulary))
        return self._keep_figure(anchor, figure, caption, is_further=_is_further(label))

    def _keep_figure(
        self, anchor: str, figure: Figure, caption: str, *, is_further: bool
    ) -> Markup:
        stem = anchor.partition("-")[2]
        picture = figure.pictures.get("pdf", b"")
        share = _share(picture)
        is_wide = self._columns == 2 and share > NARROW
        share = min(1.0, 2 * share) if self._columns == 2 and not is_wide else share
        name = "figure*" if is_wide else "figure"
        lines = (
            rf"\begin{{{name}}}[tbp]",
            r"\centering",
            rf"\includegraphics[{_size(share)}]{{figures/{stem}}}",
            rf"\caption{{{_alone(caption)}}}",
            rf"\label{{fig:{stem}}}",
            rf"\end{{{name}}}",
            "",
        )
        return self._keep(anchor, Exhibit("figure", stem, "\n".join(lines), is_further, picture))

    def _keep(self, anchor: str, exhibit: Exhibit) -> Markup:
        """Keep a table or figure, and return what places it: each stands in one place."""
        is_placed = anchor in self.exhibits
        self.exhibits[anchor] = exhibit
        return Markup(rf"\input{{{exhibit.path}}}" if exhibit.is_shown and not is_placed else "")

    def place_table(
        self,
        anchor: str,
        label: str,
        table: Table,
        rows: Sequence[Sequence[PlainCell]],
        wordy: Sequence[bool],
        foot: Sequence[PlainCell],
        headline: str,
        text: str,
    ) -> Markup:
        """Keep a table."""
        write = self.context.macros.cell
        dataset = self._keys.get(anchor, Key("table", "", "", "", None)).dataset
        text = text.removesuffix(BEST_OF_COLUMN)  # `marks` says what is bold
        is_told = "; bold: " in headline  # then what the report marks is bold
        bold, legend = marks(table, rows, dataset, {} if is_told else self._verdicts)
        grid = Grid(
            [breakable(column.label) for column in table.columns],
            [
                [Cell(str(write(c)).strip(), (i, j) in bold) for j, c in enumerate(row)]
                for i, row in enumerate(rows)
            ],
            wordy,
            [[Cell("" if c.kind == "empty" else str(write(c)).strip()) for c in foot]]
            if foot
            else (),
        )
        note = " ".join(part for part in (_alone(text), "" if is_told else legend) if part)
        return self._keep_table(anchor, label, grid, headline or breakable(table.name), note)

    def place_facts(
        self, anchor: str, label: str, rows: Sequence[Sequence[str]], headline: str
    ) -> Markup:
        """Keep a table of labels and what they mean."""
        n = max(map(len, rows), default=1)
        cells = [[Cell(_alone(str(c))) for c in [*row, *[""] * (n - len(row))]] for row in rows]
        return self._keep_table(anchor, label, Grid((), cells, [True] * n), headline, "")

    def place_index(
        self,
        anchor: str,
        label: str,
        heads: Sequence[Any],
        rows: Sequence[Sequence[str]],
        headline: str,
    ) -> Markup:
        """Keep the index of data sets."""
        titles = [str(h.text if isinstance(h.text, Markup) else breakable(h.text)) for h in heads]
        cells = [[Cell(_alone(str(c))) for c in row] for row in rows]
        grid = Grid(titles, cells, [head.is_wordy for head in heads])
        return self._keep_table(anchor, label, grid, headline, "")

    def _keep_table(self, anchor: str, label: str, grid: Grid, caption: str, note: str) -> Markup:
        stem = anchor.partition("-")[2]
        caption = _stopped(_alone(str(caption)))
        if not grid.rows:
            return Markup("")
        grid = replace(grid, width=self._width)
        text = write_table(grid, caption, f"tab:{stem}", note, self._columns)
        return self._keep(anchor, Exhibit("table", stem, text, _is_further(label)))

    @property
    def _keys(self) -> dict[str, Key]:
        return {f"{key.kind}-{stem}": key for key, stem in self.context.numbering.stems.items()}

    def missing(self) -> dict[str, Key]:
        """Return what sections have, and what was not placed, by anchor."""
        return {a: key for a, key in self._keys.items() if a not in self.exhibits}

    def add_missing(self) -> None:
        """Keep what stands nowhere in the report, with a plain caption."""
        sources = dict(exhibits_of(self._report))
        for anchor, key in self.missing().items():
            source = sources[key]
            if isinstance(source, Table):
                self._place_plain(anchor, source, key)
            elif not source.fault:
                self.place_compact_figure(anchor, source)

    def add_means(self, options: LatexEntry) -> None:
        """Keep the table of data sets by candidates, of each measure, or of one data set in all."""
        design = self._report.design
        if not (has_means(self._report) and any(_has_value(p) for p in self._report.performances)):
            return
        is_one = len(design.datasets) == 1
        names: Sequence[str | None] = [None] if is_one else [m.name for m in design.measures]
        stems = distinct("-".join(filter(None, (MEANS, name))) for name in names)
        for name, stem in zip(names, stems.values(), strict=True):
            if name is not None and not any(
                p.measure.name == name and _has_value(p) for p in self._report.performances
            ):
                continue
            text = write_means(
                self._report,
                self.context,
                f"tab:{stem}",
                measure=name,
                options=options.means,
                columns=options.columns,
                width=options.width,
            )
            self.exhibits[f"table-{stem}"] = Exhibit("table", stem, text, is_further=True)

    def _place_plain(self, anchor: str, table: Table, key: Key) -> None:
        rows = abridge_orders(format_cells(table))
        wordy = [is_wordy(column) for column in table.columns]
        headline = breakable(plain_headline(key, table.number_format))
        self.place_table(anchor, "S", table, rows, wordy, format_foot(table), headline, "")


def _has_value(own: Performances) -> bool:
    return bool(np.isfinite(own.values).any())


def marks(
    table: Table,
    rows: Sequence[Sequence[PlainCell]],
    dataset: str | None,
    verdicts: Mapping[tuple[str | None, str], Any],
) -> tuple[set[tuple[int, int]], str]:
    """Return which cells are bold, by row and column, and what that means.

    Where candidates are compared, those that no other is decided to be better than: their name
    and mean, or, with a data set a row, their value on it. Elsewhere what the report marks.

    `rows`: as formatted.
    `dataset`: the table's.
    """
    found: set[tuple[int, int]] = set()
    used = []
    kind = table.columns[0].kind if table.columns else ""
    for i, row in enumerate(table.rows):
        own = {"candidate": dataset, "dataset": row[0]}.get(kind, "")
        verdict = verdicts.get((own, table.measure))
        if verdict is None:
            continue
        used.append(verdict.alpha)
        for j, column in enumerate(table.columns):
            name = row[0] if kind == "candidate" else column.candidate
            is_shown = j == 0 or column.name == "mean" if kind == "candidate" else bool(name)
            if is_shown and name in verdict.leaders and row[j] is not None:
                found.add((i, j))
    if used and (kind == "candidate" or any(j for _, j in found)):
        level = f"the family-wise level {used[0]:g}"
        if len({i for i, _ in found}) == len(table.rows) and kind == "candidate":
            return set(), f"No candidate is significantly worse than another, at {level}."
        return found, rf"\textbf{{Bold}}: no other candidate is significantly better, at {level}."
    best = {(i, j) for i, row in enumerate(rows) for j, c in enumerate(row) if c.is_best}
    where = "row" if table.marked else "column"
    return best, rf"\textbf{{Bold}}: the best of its {where}." if best else ""


def _is_further(label: str) -> bool:
    """Whether a label is one of the supplement's."""
    return str(label).rpartition(" ")[2].startswith("S")


def _sentences(headline: str, text: str) -> str:
    head, rest = str(headline).strip(), str(text).strip()
    return f"{_stopped(head)} {rest}".strip() if head else rest


def _stopped(text: str) -> str:
    text = text.strip()
    return text if not text or text[-1] in ".?!:" else f"{text}."


def _alone(text: str) -> str:
    """Take out what refers to other figures and tables."""
    found = REFERENCE.sub(_elsewhere, text)
    return re.sub(r"[ ]{2,}", " ", found).strip()


def _elsewhere(found: re.Match[str]) -> str:
    if found[0].endswith(")"):
        return "in the report" if found[0].startswith("in ") else ""
    return "the report"


def mathematics(tex: str, display: bool) -> Markup:
    """Write a formula."""
    check_formula(tex)
    plain = " ".join(tex.split())
    return Markup(rf"\[{plain}\]" if display else f"${plain}$")


def _share(picture: bytes) -> float:
    """Return the share of the text's width that a figure was drawn for."""
    found = MEDIA_BOX.search(picture)
    return float(found[1]) / ROOM if found else 1.0


def _size(share: float) -> str:
    """Return how wide a figure is: all of the text, or its share of it."""
    width = "" if share > NEAR_FULL else f"{share:.2f}"
    return rf"width={width}\linewidth,height=0.8\textheight,keepaspectratio"


# ------------------------------------------------------------------------------- the files


def _check_own(files: Mapping[str, bytes], folder: Path) -> None:
    """Refuse to write over an author's files."""
    own = set(own_files(folder))
    for name in files:
        if "/" not in name and name not in own and (folder / name).exists():
            raise RenderingError(
                f"{folder / name}: found a file that no earlier export has written; allowed a "
                "folder "
                "of its own"
            )


def numbers_file(numbers: Variables) -> str:
    r"""Return `numbers.tex`: numbers by name, and the command that writes them.

    Result: `\rgnum{monks3.misclassification.svm.mean}` is the text 3.16\%, as
    `\rgnum{monks3.svm.mean}` where it is the main measure; with `exact.` before it all digits.
    """
    lines = [read_text("latex/numbers.tex").rstrip()]
    for name, found in numbers.changed.items():
        lines.append(f"% {escape_latex(name)} is called {found}")
    lines += [rf"\rgdef{{{key}}}{{{escape_latex(text)}}}" for key, text in numbers.by_key()]
    return "\n".join([*lines, ""])


def bib_key(key: str) -> str:
    """Return a key of BibTeX that LaTeX can read.

    >>> bib_key("eugster2011"), bib_key("a b}")
    ('eugster2011', 'ref-6120627d')
    """
    return key if PLAIN_KEY.fullmatch(key) else f"ref-{key.encode().hex()}"


def _bibliography(references: Sequence[Reference]) -> str:
    """Return the entries of what is cited, written anew, so that no entry holds a command."""
    return "\n".join(_entry(r) for r in sorted(references, key=lambda r: r.key))


def _entry(reference: Reference) -> str:
    fields = {name: reference.fields[name] for name in FIELDS if reference.fields.get(name)}
    lines = [f"  {name} = {{{_field(name, value)}}}" for name, value in fields.items()]
    doi = clean(reference.fields.get("doi", ""))
    if re.fullmatch(r"10\.[A-Za-z0-9./:;()<>_-]+", doi):
        lines.append(f"  doi = {{{doi}}}")
    kind = reference.kind if reference.kind.isascii() and reference.kind.isalpha() else "misc"
    return f"@{kind}{{{bib_key(reference.key)},\n" + ",\n".join(lines) + "\n}\n"


def _field(name: str, value: str) -> str:
    """Write a field; a title keeps its capitals."""
    text = escape_latex(value.replace("\u00a0", " "))
    return f"{{{text}}}" if name in ("title", "booktitle") else text


def _authors(report: Report) -> str:
    return r" \and ".join(
        r"\\ ".join(map(breakable, filter(None, (author.name, author.affiliation))))
        for author in report.study.authors
    )


def _missing_letters(report: Report, files: Mapping[str, bytes]) -> list[str]:
    """Return the letters of files, and of the title and the authors, that LaTeX's fonts lack."""
    texts = [data.decode() for name, data in files.items() if not name.endswith(".pdf")]
    texts += [guest_latex(report.study.title), _authors(report)]
    runs = (run for text in texts for run in MISSING_LETTERS.findall(text))
    return sorted({c for run in runs for c in run if not c.isspace()})


def _main(report: Report, paper: Paper, columns: Columns, *, has_letters: bool) -> str:
    """Return the document."""
    study = report.study
    placed = "".join(paper.texts.values())
    others = (e for e in paper.exhibits if e.is_shown and rf"\input{{{e.path}}}" not in placed)
    is_cited = any(r"\cite" in text for text in (placed, *(e.text for e in paper.exhibits)))
    style = f"{'' if is_cited else NOCITE}\\bibliographystyle{{plainnat}}"
    values = {
        "CLASS": f"{report.layout.size}paper{',twocolumn' if columns == 2 else ''}",
        "COMPILED": COMPILED.replace("pdflatex", "lualatex") if has_letters else COMPILED,
        "LETTERS": "\n\\input{letters}" if has_letters else "",
        "TITLE": guest_latex(study.title),
        "AUTHOR": _authors(report),
        "DATE": report.provenance.date[:10],
        "ABSTRACT": _abstract(paper),
        "WAITING": WAITING if columns == 1 else "",
        "REFERENCES": f"{style}\n\\bibliography{{references}}" if paper.references else "",
        "SUPPLEMENT": SUPPLEMENT if paper.texts["supplement"].strip() else "",
        "FURTHER": "\n".join(f"% {line}" for line in _inputs(tuple(others))),
    }
    text = read_text("latex/main.tex")
    return re.sub(r"@([A-Z]+)@", lambda m: values[m[1]], text)


def _abstract(paper: Paper) -> str:
    """Return the abstract with its keywords."""
    words = "\n\n\\noindent\\textbf{Keywords:} \\input{keywords}" if paper.keywords else ""
    if not paper.texts["abstract"].strip() and not words:
        return ""
    return f"\\begin{{abstract}}\n\\input{{abstract}}{words}\n\\end{{abstract}}\n"


def _inputs(exhibits: Sequence[Exhibit]) -> Iterator[str]:
    for number, exhibit in enumerate(exhibits, 1):
        yield rf"\input{{{exhibit.path}}}"
        if number % TOGETHER == 0:
            yield r"\clearpage"
