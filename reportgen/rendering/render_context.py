"""One report in one back end: what has been numbered, cited and found so far."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from jinja2 import Template
from markupsafe import Markup

from reportgen.drawing import candidate_styles
from reportgen.errors import RenderingError
from reportgen.rendering.markup import (
    Fragments,
    block_html,
    github_line,
    github_markdown,
    github_text,
    html_text,
    inline_html,
)
from reportgen.rendering.names import Key, Numbering, distinct
from reportgen.rendering.references import Reference
from reportgen.rendering.tables import abridged, is_wordy, written
from reportgen.rendering.templates import (
    environment,
    get_template,
    read_formulas,
    read_references,
    render_block,
)
from reportgen.report import Report, SectionContent, Table

MANY = 5  # data sets; above, their pages are compact
SPLIT = 50  # data sets; above, each has a file of its own beside the report
TIGHT = 14  # letters of a name; shorter ones keep a table's row heads on one line
LATER = re.compile("\ue002([a-z0-9-]+)\ue003")

Form = Literal["html", "pdf", "markdown"]
Place = Literal["here", "beside", "elsewhere", "nowhere"]


@dataclass(frozen=True, slots=True)
class BackEnd:
    """How one form of the report is written.

    Attributes
    ----------
    form : {"html", "pdf", "markdown"}
    blocks : str
        Template of the pieces that macros return.
    write : callable
        Escapes plain text.
    inline, block : callable
        Turn the text of a template into the form's own.
    """

    form: Form
    blocks: str
    write: Callable[[str], str]
    inline: Callable[[str, Fragments], str]
    block: Callable[[str, Fragments], str]


HTML = BackEnd("html", "html/blocks.html.j2", html_text, inline_html, block_html)
PDF = BackEnd("pdf", "html/blocks.html.j2", html_text, inline_html, block_html)
MARKDOWN = BackEnd("markdown", "markdown/blocks.md.j2", github_text, github_line, github_markdown)


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence of the findings in brief."""

    weight: float
    text: Markup


@dataclass(frozen=True, slots=True)
class Lead:
    """The one order above the findings, and what it is an order of."""

    weight: float
    label: Markup | str
    text: Markup


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """A table that stands in the report, as the Markdown summary takes it over."""

    key: Key
    label: str
    headline: Markup | str
    table: Table


class Writer:
    """What is remembered while a report is written in one back end.

    Parameters
    ----------
    report : Report
    back_end : BackEnd
    folders : sequence of Path
        Template folders that come before ours.
    extras : mapping
        What the template of pieces needs besides.
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
        self.fragments = Fragments()
        self.numbering = Numbering.of(report)
        self.styles = candidate_styles(report.design.candidates)
        self.pages = distinct(d.name for d in report.design.datasets)
        self.references = read_references(folders)
        self.formulas = read_formulas(folders)
        self.cited: dict[str, Reference] = {}
        self.findings: list[Finding] = []
        self.leads: list[Lead] = []
        self.tables: list[PlacedTable] = []
        self.index = Markup("")
        self._texts = environment(folders, lambda s: self.keep(back_end.write(s)))
        self._pieces = environment(folders, lambda s: Markup(back_end.write(s)), in_markdown=False)
        self.made: Any = get_template(self._pieces, back_end.blocks).make_module(
            {
                "form": back_end.form,
                "styles": self.styles,
                "anchors": self.anchors,
                **extras,
            }
        )

    @property
    def has_pages(self) -> bool:
        """Whether there are several data sets, each with a page of its own."""
        return len(self.report.design.datasets) > 1

    @property
    def anchors(self) -> dict[str, str]:
        """Return the anchors of the pages of the data sets, where they have pages."""
        are_placed = self.has_pages and self.pages_are in ("here", "beside")
        pages = self.pages if are_placed else {}
        return {name: f"data-{page}" for name, page in pages.items()}

    @property
    def pages_are(self) -> Place:
        """Where the pages of the data sets stand: of very many, only HTML has them, as files.

        Where no section speaks of single data sets there are none.
        """
        if all(content.dataset is None for content in self.report.contents):
            return "nowhere"
        if len(self.report.design.datasets) <= SPLIT:
            return "here"
        return "beside" if self.back_end.form == "html" else "elsewhere"

    @property
    def is_compact(self) -> bool:
        """Whether there are so many that their pages are short."""
        return len(self.report.design.datasets) > MANY

    def keep(self, piece: str, *, is_block: bool = False) -> Markup:
        """Store finished markup and return its token."""
        return self.fragments.keep(piece, is_block=is_block)

    def token(self, text: object) -> Markup:
        """Return markup as it is, and the token of anything else."""
        return text if isinstance(text, Markup) else self.keep(self.back_end.write(str(text)))

    def piece(self, name: str, *args: Any, is_block: bool = False, **kwargs: Any) -> Markup:
        """Make a piece by a macro of the back end and return its token."""
        made = getattr(self.made, name)(*args, **kwargs)
        return self.keep(str(made).strip(), is_block=is_block)

    def inline(self, text: object) -> Markup:
        """Finish a text inside a paragraph: Markdown when it is ours, plain when it is not."""
        if isinstance(text, Markup):
            return Markup(self.back_end.inline(str(text), self.fragments))
        return Markup(self.back_end.write(str(text)))

    def text_template(self, name: str) -> Template:
        """Return a template in Markdown."""
        return get_template(self._texts, name)

    def page_template(self, name: str) -> Template:
        """Return a template in the back end's own language."""
        return get_template(self._pieces, name)

    def block(self, template: Template, name: str, variables: Mapping[str, Any]) -> Markup:
        """Render one block of a template in Markdown as paragraphs."""
        source = render_block(template, name, variables)
        return Markup(self.back_end.block(source, self.fragments))

    def line(self, template: Template, name: str, variables: Mapping[str, Any]) -> Markup:
        """Render one block of a template in Markdown as a line."""
        source = render_block(template, name, variables)
        return Markup(self.back_end.inline(source, self.fragments))

    def later(self, anchor: str) -> str:
        """Return what stands for a label until all is numbered."""
        return f"\ue002{anchor}\ue003"

    def finish(self, text: str) -> str:
        """Put the labels in."""
        return LATER.sub(lambda m: self.numbering.label(m[1]), text)

    def cite(self, key: str) -> Reference:
        """Look up a reference and remember that it is cited."""
        if key not in self.references:
            raise RenderingError(f"there is no reference {key!r} in references.bib")
        return self.cited.setdefault(key, self.references[key])

    def place_table(self, key: Key, table: Table, headline: object, caption: object = "") -> Markup:
        """Give a table its number and set it."""
        words = str(self.made.word_table())
        anchor, label = self.numbering.place(key, words)
        headline = self.inline(headline)
        self.tables.append(PlacedTable(key, label, headline, table))
        rows = abridged(written(table))
        wordy = [is_wordy(column) for column in table.columns]
        is_tight = all(len(part) <= TIGHT for row in rows for part in row[0].parts)
        caption = self.inline(caption)
        return self.piece(
            "table", anchor, label, headline, caption, table, rows, wordy, is_tight, is_block=True
        )

    def lost_figures(self, reason: str) -> Markup:
        """Say that figures of a section could not be drawn."""
        return Markup(str(self.made.lost_figures(reason)).strip())

    def contents(self, name: str) -> tuple[SectionContent, ...]:
        """Return the contents of one section."""
        return self.report.of_section(name)
