"""The findings as GitHub-flavoured Markdown: the summary of a job."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from markupsafe import Markup

from reportgen.file_writing import write_text
from reportgen.rendering.composition import Composition, compose
from reportgen.rendering.markup import guest_plain
from reportgen.rendering.names import INDEX, Key
from reportgen.rendering.page import date_in_words
from reportgen.rendering.render_context import LABEL_TOKEN, MARKDOWN, NumberedTable, RenderContext
from reportgen.rendering.tables import format_cells, is_wordy
from reportgen.report import Report, Table
from reportgen.study.manifest import EXPECTATIONS

LARGEST = 60  # rows of a table; longer ones are in the report only
MOST_TABLES = 12
INCIDENTS = ("failures", "warnings")
DECIDING = ("tied_with_first",)
"""Columns that hold what is decided of candidates, as others hold it of pairs."""
REFERENCE = re.compile(rf"(\bin)?[ \u00a0]*(\()?\({LABEL_TOKEN.pattern}\)(?(2)\))")
"""A label in brackets, twice where the sentence has brackets of its own."""
END = r"(?<!\bfig)(?<!\bch)(?<!\bsec)(?<!\beq)(?<!\bal)[.](?=\s|\Z) ?"
"""What ends a sentence, which the point of an abbreviation does not."""
SENTENCE = re.compile(rf"(?:\A|(?<=\n)|(?<=[.] ))\({LABEL_TOKEN.pattern}\) [^\n]*?{END}")
"""A sentence that begins with a label: of what a figure or a table has."""


def render(report: Report, destination: Path, folders: Sequence[Path] = ()) -> tuple[Path, ...]:
    """Write the findings, the decisions and the index of data sets.

    `destination`: the file to write.
    `folders`: template folders that come before ours.
    """
    context = RenderContext(report, MARKDOWN, folders)
    composition = compose(context)
    placed = list(_decisions(context))
    variables = {
        "plain_title": guest_plain(report.study.title),
        "c": composition,
        "index": context.index,
        "expectations": _expectations(context, composition, placed),
        "tables": [_shown(context, t) for t in placed if t.key.section != EXPECTATIONS],
        "failures": report.design.failures,
        "date": date_in_words(report.provenance.date),
        "study_seed": report.design.seed,
        "command": report.provenance.command,
    }
    text = context.page("markdown/report.md.j2", variables)
    text = context.insert_labels(without_dangling(context, text, [INDEX, *(t.key for t in placed)]))
    text = re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"
    write_text(destination, text)
    return (destination,)


def without_dangling(context: RenderContext, text: str, keys: Iterable[Key]) -> str:
    """Take out references to figures and tables that only the other formats have."""
    shown = {context.numbering.anchor(key) for key in keys}
    other = str(context.macros.elsewhere()).strip()

    def kept(found: re.Match[str]) -> str:
        if found[3] in shown:
            return found[0]
        context.numbering.label(found[3])  # which is an error of what stands nowhere
        return f"{found[1]} {other}" if found[1] else ""

    def kept_whole(found: re.Match[str]) -> str:
        anchors = LABEL_TOKEN.findall(found[0])
        for anchor in anchors:
            context.numbering.label(anchor)
        return found[0] if shown.issuperset(anchors) else ""

    return REFERENCE.sub(kept, SENTENCE.sub(kept_whole, text))


def _decisions(context: RenderContext) -> Iterator[NumberedTable]:
    """Return the tables of decisions and of failures, as long as a summary can carry them."""
    deciding = [placed for placed in context.tables if _is_deciding(placed.table)]
    if len(deciding) > MOST_TABLES:
        deciding = []
    incidents = [
        p for p in context.tables if p.table.name in INCIDENTS and len(p.table.rows) <= LARGEST
    ]
    yield from (*deciding, *incidents)


def _expectations(
    context: RenderContext, composition: Composition, placed: Sequence[NumberedTable]
) -> dict[str, object] | None:
    """Return the section that a job may fail by, which stands before all others."""
    part = next((p for p in composition.sections if p.anchor == EXPECTATIONS), None)
    own = [_shown(context, table) for table in placed if table.key.section == EXPECTATIONS]
    if part is None:
        return None
    return {"title": part.title, "article": part.article, "tables": own}


def _shown(context: RenderContext, placed: NumberedTable) -> dict[str, object]:
    """Set a table."""
    return {
        "label": placed.label,
        "headline": placed.headline,
        "dataset": placed.key.dataset if context.has_pages else None,
        "grid": _grid(context, placed),
    }


def _is_deciding(table: Table) -> bool:
    has_decision = any(c.kind == "decision" or c.name in DECIDING for c in table.columns)
    return has_decision and len(table.rows) <= LARGEST


def _grid(context: RenderContext, placed: NumberedTable) -> Markup:
    made = context.macros.grid(
        placed.table, format_cells(placed.table), [is_wordy(c) for c in placed.table.columns]
    )
    return Markup(str(made).strip())
