"""The views of a study: a dozen lines of text, and a piece of a notebook's page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from html import escape, unescape
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from reportgen.notation import number_format, whole_range
from reportgen.study.errors import shown

if TYPE_CHECKING:
    from reportgen.api.contents import Contents, FigureEntry
    from reportgen.rendering.abstract import Abstract
    from reportgen.rendering.render_context import BackEnd
    from reportgen.report import Report

WIDTH = 88  # characters of a line
MOST_ROWS = 12
DPI = 200  # of a picture in a document
ALONE = "There is no other candidate to compare it with."
METHODS = "Methods: {0}figure(), check('A better than B'), report()"


def text_view(report: Report) -> str:
    """Write the verdict, the order and the candidates' numbers as plain text."""
    abstract = _abstract(report, is_html=False)
    lines = [_head(report)]
    if abstract is not None:
        lines += ["", fill(_plain(abstract.text), WIDTH)]
        if abstract.order:
            lines += ["", fill(f"{_plain(abstract.order_label)}: {_plain(abstract.order)}", WIDTH)]
    elif len(report.design.candidates) == 1:
        lines += ["", ALONE]
    rows = [_cells(row) for row in _rows(report)]
    if rows:
        lines += ["", *_aligned(rows)]
    own = "" if report.design.report_type == "single" else "summary(), ranks(), pairs(), "
    own = "pairs(), " if own and report.design.unit.is_summary else own
    domain = "domain(), " if len(report.design.datasets) > 1 else ""
    return "\n".join([*lines, "", METHODS.format(own + domain)])


def _head(report: Report) -> str:
    """Write the size of the experiment."""
    from reportgen.pipeline import summary

    return f"{report.study.name}: {summary(report.design)}"


def _abstract(report: Report, *, is_html: bool) -> Abstract | None:
    """Return the abstract in the form of a page, or of Markdown."""
    from reportgen.rendering.render_context import HTML, MARKDOWN

    return _abstract_in(report, HTML if is_html else MARKDOWN)


def _abstract_in(report: Report, back_end: BackEnd, **functions: Any) -> Abstract | None:
    """Return the abstract in the form of a back end; None where there is none."""
    if report.conclusion is None and not report.section_faults:
        return None
    from reportgen.rendering.abstract import write_abstract
    from reportgen.rendering.render_context import RenderContext

    return write_abstract(RenderContext(report, back_end, (), functions))


def markdown_view(report: Report) -> str:
    """Write the verdict, the order and the candidates' numbers in Markdown."""
    from reportgen.rendering.markup import github_text

    parts = [github_text(_head(report))]
    abstract = _abstract(report, is_html=False)
    if abstract is not None:
        parts.append(str(abstract.text))
        if abstract.order:
            key = f" ({abstract.order_key})" if abstract.order_key else ""
            parts.append(f"{abstract.order_label}: {abstract.order}{key}")
    elif len(report.design.candidates) == 1:
        parts.append(ALONE)
    rows = list(_rows(report))
    if rows:
        lines = ["".join(f"| {github_text(cell)} " for cell in row) + "|" for row in rows]
        parts.append("\n".join([lines[0], "|:--|--:|--:|", *lines[1:]]))
    return "\n\n".join(parts) + "\n"


def latex_view(report: Report) -> str:
    """Write the verdict, the order and the candidates' numbers in LaTeX, without a package."""
    from reportgen.rendering.latex import LATEX, mathematics
    from reportgen.rendering.latex_text import breakable, escape_latex

    parts = [breakable(_head(report))]
    abstract = _abstract_in(report, LATEX, bib_key=str, mathematics=mathematics)
    if abstract is not None:
        parts.append(str(abstract.text))
        if abstract.order:
            parts.append(f"{abstract.order_label}: {abstract.order} ({abstract.order_key})")
    elif len(report.design.candidates) == 1:
        parts.append(ALONE)
    rows = [[escape_latex(cell) for cell in row] for row in _rows(report)]
    if rows:
        head, *body = (rf"{{}}{' & '.join(row)} \\" for row in rows)
        lines = [r"\begin{tabular}{lrr}", r"\hline", head, r"\hline", *body, r"\hline"]
        parts.append("\n".join([*lines, r"\end{tabular}"]))
    return "\n\n".join(parts) + "\n"


def png_view(contents: Contents) -> bytes | None:
    """Draw the figure of all pairs as a picture; None where there is none."""
    from io import BytesIO

    found, file = _pairs(contents), BytesIO()
    if found is None:
        return None
    sheet = contents.sheet(found)
    sheet.drawing.savefig(file, format="png", dpi=DPI, facecolor=sheet.colour("paper"))
    return file.getvalue()


def _pairs(contents: Contents) -> FigureEntry | None:
    """Return the figure of all pairs, over data sets where they are compared so."""
    for section in ("domain", "inference"):
        for entry in contents.figures(section, requested=frozenset()):
            if entry.name == "pairs":
                return entry
    return None


def _plain(markdown: str) -> str:
    """Return the text of a line of Markdown."""
    return unescape(re.sub(r"\*{1,2}|</?[a-z]+>", "", str(markdown)))


def _rows(report: Report) -> Iterator[tuple[str, ...]]:
    """Yield the candidates' means, the best first, under their heads."""
    from reportgen.conclusion.result import conclusion_of

    found = conclusion_of(report)
    verdict = None if found is None else found.verdict
    if verdict is None:
        return
    at = number_format(verdict.measure, verdict.verdict.typical)
    kind = "geometric mean" if verdict.is_ratio else "mean"
    heads = ("candidate", f"{kind} {verdict.measure.name}", "significantly better than")
    ranges = verdict.rank_ranges if verdict.has_ranks else {}
    yield (*heads, "rank") if ranges else heads
    better: dict[str, int] = {}
    for first, _ in verdict.better:
        better[first] = better.get(first, 0) + 1
    for name, mean in list(verdict.means.items())[:MOST_ROWS]:
        n = len(verdict.means) - 1 if verdict.reference in (None, name) else 1
        cells = (name, f"{at.value(mean)}{at.unit_symbol}", f"{better.get(name, 0)} of {n}")
        yield (*cells, whole_range(*ranges.get(name, (0, 0)))) if ranges else cells


def _cells(row: tuple[str, ...]) -> tuple[str, ...]:
    """Keep each cell on one line."""
    return tuple(shown(cell) if "\n" in cell else cell for cell in row)


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    """Put cells under one another: names to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def html_view(report: Report, contents: Contents) -> str:
    """Write the verdict, the order, the candidates' numbers and a figure as a piece of HTML.

    Its style is its own, it needs no script and requests nothing.
    """
    abstract = _abstract(report, is_html=True)
    parts = [f"<p class='rg-head'>{escape(_head(report))}</p>"]
    if abstract is not None:
        parts.append(f"<p class='rg-verdict'>{abstract.text}</p>")
        if abstract.order:
            parts.append(
                f"<p class='rg-order'><b>{abstract.order_label}</b> {abstract.order}"
                f"<br><small>{abstract.order_key}</small></p>"
            )
    elif len(report.design.candidates) == 1:
        parts.append(f"<p class='rg-verdict'>{ALONE}</p>")
    rows = list(_rows(report))
    if rows:
        parts.append(_table(rows))
    if drawing := _figure(contents):
        parts.append(f"<figure>{drawing}</figure>")
    return f"<div class='reportgen-view'><style>{_style()}</style>{''.join(parts)}</div>"


def _table(rows: list[tuple[str, ...]]) -> str:
    """Write rows under their heads."""
    head, *body = rows
    heads = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in body
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"


def _figure(contents: Contents) -> str:
    """Return the figure of all pairs, for a page; nothing where there is none."""
    from xml.etree.ElementTree import tostring

    from reportgen.drawing.style import house_settings
    from reportgen.drawing.svg import for_screen

    found = _pairs(contents)
    if found is None:
        return ""
    with house_settings():
        drawing = contents.sheet(found).elements()
    key = f"rg-{sha256(tostring(drawing)).hexdigest()[:12]}"  # a page may have several
    return for_screen(drawing, key, has_replications=False)


@cache
def _style() -> str:
    """Return the style of the view, in light and dark, for what is inside it only."""
    from reportgen.drawing import css_variables
    from reportgen.rendering.fonts import sans_css

    light, dark = css_variables()
    text = (Path(__file__).parent / "view.css").read_text(encoding="utf-8")
    return sans_css() + text.replace("$LIGHT", light).replace("$DARK", dark)
