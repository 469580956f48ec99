"""Documents that are no report of a study: a page, Markdown or text with tables and figures.

They have the house's style, numbers and macros; the words are a template with the blocks `title`,
`kicker`, `date` and `body`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from markupsafe import Markup

from reportgen.data_classes import dataclass
from reportgen.formats import FORMATS
from reportgen.performance_measure import Measure
from reportgen.rendering.embedding import extras, marker_symbols
from reportgen.rendering.markup import Fragments, clean, one_line
from reportgen.rendering.page import date_in_words, rules_of, with_style
from reportgen.rendering.page_policy import WITHOUT_SCRIPT, with_policy
from reportgen.rendering.render_context import HTML, MARKDOWN, BackEnd, RenderContext
from reportgen.rendering.tables import cell_text, format_cells, is_wordy
from reportgen.rendering.template_data import template_functions
from reportgen.rendering.template_functions import TemplateFunctions, section_variables
from reportgen.report import (
    Design,
    Figure,
    Layout,
    Provenance,
    Report,
    SectionContent,
    StudyInfo,
    Table,
)

TAG = re.compile(r"<[^>]+>")
WIDTH = 100  # characters of a line of text


@dataclass(frozen=True, slots=True)
class Document:
    """What a document is made of."""

    name: str  # of its template, `documents/<name>.md.j2`
    result: Any  # what the template speaks of
    candidates: tuple[str, ...] = ()  # in the order of their marks
    measures: tuple[Measure, ...] = ()
    date: str = ""  # ISO date; "" for none
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()


def render_document(document: Document, form: str) -> str:
    """Write a document.

    `form`: a format that `formats.DOCUMENTS` names, which has a text.
    Result: HTML is one self-contained page without scripts.
    """
    content = SectionContent(
        document.name, None, document.result, None, document.figures, document.tables
    )
    report = _frame(document, content)
    back_end = BACK_ENDS[form]
    context = RenderContext(report, back_end, (), extras(report.layout))
    template = context.text_template(f"documents/{document.name}.md.j2")
    variables = dict(section_variables(context, (content,), content, 2))
    own: dict[str, Callable[..., Any]] = {"date_in_words": date_in_words}
    if back_end is not HTML:
        own["table"] = _Grids(context, content).table
    variables |= template_functions(own)
    title, kicker = (context.line(template, block, variables) for block in ("title", "kicker"))
    body = Markup(context.insert_labels(context.block(template, "body", variables)))
    if back_end is MARKDOWN:
        return _spaced(f"# {title}\n\n{kicker}\n\n{body}")
    if back_end is TEXT:
        return _spaced(f"{title}\n{'=' * len(title)}\n{kicker}\n\n{body}")
    page = context.page(
        "html/comparison.html.j2",
        {
            "title": title,
            "tab_title": TAG.sub("", title),
            "kicker": kicker,
            "description": TAG.sub("", kicker),
            "study": report.study,
            "iso_date": document.date,
            "date": date_in_words(document.date),
            "symbols": marker_symbols(context.styles.values()),
            "style_file": "",
            "style": Markup("@@STYLE@@"),
            "body": body,
            "blocks": context.macros,
            "references": tuple(context.cited.values()),
        },
    )
    styled = with_style(page, rules_of(Layout()))
    return with_policy(styled, WITHOUT_SCRIPT) + "\n"


def _frame(document: Document, content: SectionContent) -> Report:
    """Return a report that has this content alone."""
    design = Design(
        datasets=(),
        candidates=document.candidates,
        descriptions={},
        measures=document.measures,
        problem=None,
        resampling={},
        seed=0,
        alpha=0.05,
        relevance={},
        n_values=0,
        n_missing=0,
    )
    origin = Provenance(document.date, "", {}, "", "", {})
    return Report(StudyInfo(document.name, document.name), design, (content,), origin, "full")


def _spaced(text: str) -> str:
    """Leave one blank line between paragraphs."""
    lines = (line.rstrip() for line in text.strip().splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


# -------------------------------------------------------------------------------------- text


def _text_line(source: str, fragments: Fragments) -> str:
    """Turn one paragraph of a template into a line of text."""
    return " ".join(fragments.put(one_line(source)).split())


def _text_block(source: str, fragments: Fragments) -> str:
    """Turn the text of a template into paragraphs of text; tables keep their lines."""
    found = []
    for part in re.split(r"\n\s*\n", fragments.set_apart(source)):
        text = fragments.put(part.strip())
        found.append(text if part.strip() != text and "\n" in text else _filled(text))
    return "\n\n".join(part for part in found if part.strip())


def _filled(text: str) -> str:
    """Break the lines of a paragraph; items of a list keep theirs."""
    from textwrap import fill

    items = re.split(r"\n(?=- )", text)
    return "\n".join(
        fill(
            " ".join(item.split()),
            WIDTH,
            subsequent_indent="  " if item.startswith("- ") else "",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for item in items
    )


TEXT = BackEnd(FORMATS["text"], "text/blocks.txt.j2", clean, _text_line, _text_block, clean)
BACK_ENDS = {back_end.format.name: back_end for back_end in (HTML, MARKDOWN, TEXT)}


class _Grids(TemplateFunctions):
    """The functions of a template in Markdown or text, where tables stand in their place."""

    def __init__(self, context: RenderContext, content: SectionContent) -> None:
        super().__init__(context, content)

    def table(
        self,
        name: str,
        measure: str = "",
        headline: object = "",
        figure: str = "",
        bold: object = "",
        caller: Callable[[], Markup] | None = None,
    ) -> Markup:
        """Place a table with its number, headline and caption; there are no figures to repeat."""
        table, key = self._find("table", name, measure)
        _, label = self._context.numbering.place(key, str(self._context.macros.word_table()))
        head = self._context.inline(headline)
        caption = self._context.inline(caller() if caller else "")
        if self._context.back_end is TEXT:
            text = f"{label}. {head} {caption}".rstrip()
            return self._context.store(f"{_filled(text)}\n\n{text_grid(table)}", is_block=True)
        wordy = [is_wordy(column) for column in table.columns]
        grid = self._context.macros.grid(table, format_cells(table), wordy)
        text = f"**{label}. {head}** {caption}".rstrip()
        return self._context.store(f"{text}\n\n{str(grid).strip()}", is_block=True)


def text_grid(table: Table) -> str:
    """Write a table in columns of letters of one width.

    Examples
    --------
    >>> from reportgen.stats.columns import Column
    >>> columns = (Column("word", "Word", "text"), Column("n", "Letters", "count"))
    >>> print(text_grid(Table("words", "", columns, (("ape", 3), ("bear", 4)))))
    Word  Letters
    -------------
    ape         3
    bear        4
    """
    rows = [[clean(cell_text(cell)) for cell in row] for row in format_cells(table)]
    heads = [column.label for column in table.columns]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    lefts = [is_wordy(column) for column in table.columns]

    def line(cells: Sequence[str]) -> str:
        parts = (
            text.ljust(width) if is_left else text.rjust(width)
            for text, width, is_left in zip(cells, widths, lefts, strict=True)
        )
        return "  ".join(parts).rstrip()

    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([line(heads), rule, *map(line, rows)])
