"""The state of rendering one report in one back end: numbers, citations, remarks, templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from jinja2 import Template
from markupsafe import Markup

from reportgen.data_classes import dataclass
from reportgen.drawing import candidate_styles
from reportgen.errors import RenderingError
from reportgen.formats import FORMATS, PROJECT, Density, Format
from reportgen.rendering.markup import (
    Fragments,
    block_html,
    github_line,
    github_markdown,
    github_text,
    guest_html,
    html_text,
    inline_html,
    verbatim_text,
)
from reportgen.rendering.names import Key, Numbering, distinct
from reportgen.rendering.pandoc_markdown import (
    guest_pandoc,
    pandoc_line,
    pandoc_markdown,
    pandoc_text,
    verbatim,
)
from reportgen.rendering.references import Reference
from reportgen.rendering.tables import abridge_orders, format_cells, format_foot, is_wordy
from reportgen.rendering.template_data import data_of, template_functions
from reportgen.rendering.templates import (
    environment,
    get_template,
    make_macros,
    read_formulas,
    read_references,
    render_block,
    render_page,
)
from reportgen.report import Report, SectionContent, Table
from reportgen.units import Unit, Words, in_words

MANY = 5  # data sets; above, their pages are compact
SPLIT = 50  # data sets; above, each has a file of its own beside the report
TIGHT = 14  # letters of a name; shorter ones keep a table's row heads on one line
BEST_OF_COLUMN = "Bold: the best of its column."
LABEL_TOKEN = re.compile("\ue002([a-z0-9-]+)\ue003")

DatasetPages = Literal["report", "files", "omitted", "none"]


@dataclass(frozen=True, slots=True)
class BackEnd:
    """How one format of the report is written."""

    format: Format
    blocks: str  # template of the macros
    write: Callable[[str], str]  # escapes plain text
    # inline, block: Turn the text of a template into the format's own.
    inline: Callable[[str, Fragments], str]
    block: Callable[[str, Fragments], str]
    # Turns a study's own text, inline Markdown, into the format's own.
    guest: Callable[[str], str] = guest_html
    verbatim: Callable[[str], str] = verbatim_text  # writes lines as they are
    own: str = ""  # template of macros, where another format has the same blocks


HTML = BackEnd(
    *(FORMATS["html"], "html/blocks.html.j2", html_text, inline_html, block_html),
    own="html/screen_macros.html.j2",
)
PDF = BackEnd(
    *(FORMATS["pdf"], "html/blocks.html.j2", html_text, inline_html, block_html),
    own="html/paper_macros.html.j2",
)
MARKDOWN = BackEnd(
    *(FORMATS["md"], "markdown/blocks.md.j2", github_text, github_line, github_markdown),
)
QUARTO = BackEnd(
    FORMATS[PROJECT],
    "quarto/blocks.qmd.j2",
    pandoc_text,
    pandoc_line,
    pandoc_markdown,
    guest_pandoc,
    verbatim,
)


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence with a head of its own, which stands after the article's sections."""

    head: Markup | str
    text: Markup


@dataclass(frozen=True, slots=True)
class NumberedTable:
    """A numbered table; the Markdown summary repeats some of them."""

    key: Key
    label: str
    headline: Markup | str
    table: Table


class RenderContext:
    """State of rendering: labels, citations, remarks and tables so far.

    `folders`: template folders that come before ours.
    `extras`: functions that the macros call.
    """

    def __init__(
        self,
        report: Report,
        back_end: BackEnd,
        folders: Sequence[Path] = (),
        extras: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.report = report
        self.back_end = back_end
        self.format = back_end.format
        self.fragments = Fragments()
        self.numbering = Numbering.of(report)
        self.styles = candidate_styles(report.design.candidates)
        self.pages = distinct(d.name for d in report.design.datasets)
        self.references = read_references(folders)
        self.formulas = read_formulas(folders)
        self.cited: dict[str, Reference] = {}
        self.remarks: list[Remark] = []
        self.tables: list[NumberedTable] = []
        self.index = Markup("")
        self._of_section: dict[str, list[SectionContent]] = {}
        self._of_dataset: dict[str | None, list[SectionContent]] = {}
        for content in report.contents:
            self._of_section.setdefault(content.name, []).append(content)
            self._of_dataset.setdefault(content.dataset, []).append(content)
        unit = report.design.vocabulary
        self._text_environment = environment(
            folders, lambda s: self.store(back_end.write(s)), unit=unit
        )
        self._page_environment = environment(
            folders, lambda s: Markup(back_end.write(s)), in_markdown=False, unit=unit
        )
        self.macros = self.page_macros(
            back_end.blocks,
            {
                "own_macros": back_end.own,
                "styles": self.styles,
                "anchors": self.anchors,
                **template_functions(extras),
            },
        )

    @property
    def is_article(self) -> bool:
        """Whether the report is an article with a supplement."""
        return self.report.length == "article"

    @property
    def density(self) -> Density:
        """Compact where sections place nothing beyond the article; a summary in Markdown is not."""
        return "full" if self.format.is_summary else self.report.density

    @property
    def is_compact(self) -> bool:
        """Whether sections place nothing beyond the article."""
        return self.density == "compact"

    @contextmanager
    def supplement(self, *, is_of_values: bool = False) -> Iterator[None]:
        """Number what is placed as the supplement's, where there is one beside the article.

        `is_of_values`: whether it is what a compact report has there, too.
        """
        outer = self.numbering.prefix
        if self.is_article and (is_of_values or self.report.density == "full"):
            self.numbering.prefix = "S"
        try:
            yield
        finally:
            self.numbering.prefix = outer

    @property
    def heading_depth(self) -> int:
        """Levels by which headings are lower: a supplement may be a part of the document."""
        return self.format.levels.supplement if self.numbering.prefix == "S" else 0

    @property
    def has_pages(self) -> bool:
        """Whether there are several data sets, each with a page of its own."""
        return len(self.report.design.datasets) > 1

    @property
    def anchors(self) -> dict[str, str]:
        """Return the anchors of the pages of the data sets, where they have pages."""
        are_placed = self.has_pages and self.dataset_pages in ("report", "files")
        pages = self.pages if are_placed else {}
        return {name: f"data-{page}" for name, page in pages.items()}

    @property
    def dataset_pages(self) -> DatasetPages:
        """Where the pages of the data sets are.

        Up to `SPLIT` data sets they are part of the report; above, they are files or omitted.
        Without a section about single data sets there are none, nor with one value a cell, of
        which a section that has an entry there has nothing to say.
        """
        of_datasets = {c.name for c in self.report.contents if c.dataset is not None}
        if self.report.design.report_type == "single":
            of_datasets = {name for name in of_datasets if not self.has_block(name, "compact")}
        if not of_datasets:
            return "none"
        if len(self.report.design.datasets) <= SPLIT:
            return "report"
        return "files" if self.format.has_dataset_files else "omitted"

    @property
    def page_density(self) -> Density:
        """Compact where there are so many data sets that their pages are short."""
        return "compact" if len(self.report.design.datasets) > MANY else "full"

    def store(self, piece: str, *, is_block: bool = False) -> Markup:
        """Store finished markup and return its token."""
        return self.fragments.store(piece, is_block=is_block)

    def store_text(self, text: object) -> Markup:
        """Return markup as it is; store other text and return its token."""
        return text if isinstance(text, Markup) else self.store(self.back_end.write(str(text)))

    def render_macro(self, name: str, *args: Any, is_block: bool = False, **kwargs: Any) -> Markup:
        """Render a macro of the back end and return the token of its text."""
        given = {key: data_of(value) for key, value in kwargs.items()}
        with self._page_environment.begin(self.back_end.blocks):
            text = getattr(self.macros, name)(*map(data_of, args), **given)
        return self.store(str(text).strip(), is_block=is_block)

    def inline(self, text: object) -> Markup:
        """Render a text inside a paragraph; markup is Markdown, any other text is plain."""
        if isinstance(text, Markup):
            return Markup(self.back_end.inline(str(text), self.fragments))
        return Markup(self.back_end.write(str(text)))

    def text_template(self, name: str) -> Template:
        """Return a template in Markdown."""
        return get_template(self._text_environment, name)

    def page(self, name: str, variables: Mapping[str, Any]) -> str:
        """Render a template in the back end's own language."""
        return render_page(get_template(self._page_environment, name), variables)

    def page_macros(self, name: str, variables: Mapping[str, Any]) -> Any:
        """Return the macros of a template in the back end's own language."""
        return make_macros(get_template(self._page_environment, name), variables)

    def has_block(self, section: str, *names: str) -> bool:
        """Whether the template of a section has one of some blocks."""
        blocks = self.text_template(f"sections/{section}.md.j2").blocks
        return any(name in blocks for name in names)

    def block(self, template: Template, name: str, variables: Mapping[str, Any]) -> Markup:
        """Render one block of a template in Markdown as paragraphs."""
        with self._text_environment.begin(str(template.name)):
            source = render_block(template, name, variables)
            return Markup(self.back_end.block(source, self.fragments))

    def line(self, template: Template, name: str, variables: Mapping[str, Any]) -> Markup:
        """Render one block of a template in Markdown as a line."""
        with self._text_environment.begin(str(template.name)):
            source = render_block(template, name, variables)
            return Markup(self.back_end.inline(source, self.fragments))

    def label_token(self, anchor: str) -> str:
        """Return the placeholder of a label; `insert_labels` replaces it."""
        return f"\ue002{anchor}\ue003"

    def insert_labels(self, text: str) -> str:
        """Replace the placeholders by labels."""
        return LABEL_TOKEN.sub(lambda m: self.numbering.label(m[1]), text)

    def cite(self, key: str) -> Reference:
        """Look up a reference and remember that it is cited."""
        if key not in self.references:
            raise RenderingError(f"found the reference {key!r}; allowed keys of references.bib")
        return self.cited.setdefault(key, self.references[key])

    def number_table(
        self,
        key: Key,
        table: Table,
        headline: object,
        caption: object = "",
        figure: str = "",
        bold: object = "",
    ) -> Markup:
        """Number and render a table; one that only repeats a figure is named by its label.

        `bold`: what its bold cells are, which is said where there are some.
        """
        whole = in_unit_words(table, self.report.design.vocabulary)
        table = whole.shown
        if figure:
            anchor, label = self.numbering.name(key, f"{figure} as a table")
        else:
            anchor, label = self.numbering.place(key, str(self.macros.word_table()))
        headline, caption = self.inline(headline), self.inline(caption)
        rows = abridge_orders(format_cells(table))
        wordy = [is_wordy(column) for column in table.columns]
        is_tight = all(len(part) <= TIGHT for row in rows for part in row[0].parts)
        has_best = any(cell.is_best for row in rows for cell in row)
        if has_best and bold:
            headline = Markup("{}; bold: {}.").format(headline.rstrip("."), self.inline(bold))
        elif has_best:
            caption = Markup("{} {}").format(caption, BEST_OF_COLUMN).strip()
        self.tables.append(NumberedTable(key, label, headline, table))
        return self.render_macro(
            *("table", anchor, label, headline, caption, table, rows, wordy, is_tight),
            *(format_foot(table), whole),
            is_block=True,
        )

    def lost_figures(self, reason: str) -> Markup:
        """Render the notice that figures of a section could not be drawn."""
        return Markup(str(self.macros.lost_figures(reason)).strip())

    @property
    def section_names(self) -> tuple[str, ...]:
        """The sections, in the order of the report."""
        return tuple(self._of_section)

    def contents(self, name: str) -> Sequence[SectionContent]:
        """Return the contents of one section."""
        return self._of_section.get(name, ())

    def entries(self, dataset: str) -> Sequence[SectionContent]:
        """Return the contents of one data set."""
        return self._of_dataset.get(dataset, ())


def in_unit_words(table: Table, unit: Unit) -> Table:
    """Return a table whose heads and cells of our own words have the words for another unit."""
    if not unit.words:
        return table
    columns = [
        column if column.candidate else replace(column, label=in_words(column.label, unit))
        for column in table.columns
    ]
    rows = (
        tuple(in_words(cell, unit) if isinstance(cell, Words) else cell for cell in row)
        for row in table.rows
    )
    return replace(table, columns=tuple(columns), rows=tuple(rows))
