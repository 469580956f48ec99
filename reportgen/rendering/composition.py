"""The whole report put together in one back end: its parts in the reader's order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jinja2 import Template
from markupsafe import Markup

from reportgen.rendering.appendix import Listing, appendix_tables, gaps_table
from reportgen.rendering.names import INDEX, Key, slug
from reportgen.rendering.references import Reference
from reportgen.rendering.render_context import Finding, Lead, Writer
from reportgen.rendering.template_functions import Voice, variables
from reportgen.report import DatasetDesign, SectionContent

MOST_FINDINGS = 7


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the report with a heading and a place in the table of contents.

    Attributes
    ----------
    anchor : str
    title, body : Markup
    parts : tuple of Part
        The sections of a data set's page.
    is_brief : bool
        Whether nothing is drawn in it, so that it needs no sheet of its own.
    """

    anchor: str
    title: Markup
    body: Markup
    parts: tuple[Part, ...] = ()
    is_brief: bool = False


@dataclass(frozen=True, slots=True)
class Composition:
    """A report in one back end, with labels still to be put in by `Writer.finish`.

    Attributes
    ----------
    findings : tuple of Finding
        The heaviest, heaviest first.
    lead : Lead or None
        The order above them.
    design : Part
    sections : tuple of Part
        Of the study as a whole, and those of the data set when there is one.
    datasets : Part or None
        The index and the pages of several data sets.
    methods : tuple of Part
    failures, warnings, choices, provenance, rerun, cite : Markup
    references : tuple of Reference
        Those cited, by author and year.
    """

    findings: tuple[Finding, ...]
    lead: Lead | None
    design: Part
    sections: tuple[Part, ...]
    datasets: Part | None
    methods: tuple[Part, ...]
    failures: Markup
    warnings: Markup
    choices: Markup
    provenance: Markup
    rerun: Markup
    cite: Markup
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column of the index."""

    text: Markup | str
    is_wordy: bool


def compose(writer: Writer) -> Composition:
    """Render every part of the report in the order in which it is read and numbered."""
    report = writer.report
    names = list(dict.fromkeys(content.name for content in report.contents))
    templates = {name: writer.text_template(f"sections/{name}.md.j2") for name in names}
    design = _design(writer)
    alone = [c for c in report.contents if c.dataset is None or not writer.has_pages]
    sections = _told(_section(writer, templates[c.name], c, slug(c.name), 2) for c in alone)
    datasets = _datasets(writer, templates) if writer.has_pages else None
    if datasets and writer.pages_are == "here":
        datasets = _with_pages(writer, templates, datasets)
    appendix = _frame(writer)
    text = writer.text_template("document/appendix.md.j2")
    measures = _measures(writer, text, appendix)
    failures, warnings, choices = (
        _listed(writer, text, appendix, listing) for listing in appendix_tables(report.design)
    )
    methods = [measures, *(_methods(writer, templates[name], name) for name in names)]
    provenance, rerun = (writer.block(text, name, appendix) for name in ("provenance", "rerun"))
    for name in names:
        _find(writer, templates[name], name)
    if datasets and writer.pages_are == "beside":  # numbered after all that stands in the report
        datasets = _with_pages(writer, templates, datasets)
    return Composition(
        findings=heaviest(writer.findings),
        lead=max(writer.leads, key=lambda lead: lead.weight, default=None),
        design=design,
        sections=sections,
        datasets=datasets,
        methods=_told(methods),
        failures=failures,
        warnings=warnings,
        choices=choices,
        provenance=provenance,
        rerun=rerun,
        cite=writer.block(text, "cite", appendix | {"bibtex": bibtex(writer)}),
        references=tuple(
            sorted(writer.cited.values(), key=lambda r: (r.long_names.casefold(), r.year, r.key))
        ),
    )


def heaviest(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Keep the heaviest findings, heaviest first; equal ones in their own order.

    The decision comes first, whichever section it stands in.
    """
    return tuple(sorted(findings, key=lambda f: -f.weight)[:MOST_FINDINGS])


def _frame(writer: Writer) -> dict[str, Any]:
    """Return what a template outside the sections sees."""
    return {
        "study": writer.report.study,
        "design": writer.report.design,
        "provenance": writer.report.provenance,
        "many": writer.has_pages,
        "compact": writer.is_compact,
        "pages_are": writer.pages_are,
        **Voice(writer, None).functions(),
    }


def _design(writer: Writer) -> Part:
    """Describe the experiment, and where values are missing."""
    text, seen = writer.text_template("document/design.md.j2"), _frame(writer)
    body = writer.block(text, "body", seen)
    gaps = _listed(writer, text, seen, gaps_table(writer.report.design))
    return Part("design", writer.line(text, "title", seen), _stacked([body, gaps]))


def _told(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Keep the parts that say something: one without a body would be a heading over nothing."""
    return tuple(part for part in parts if part.body)


def _stacked(blocks: Iterable[Markup]) -> Markup:
    """Set blocks one below the other; in Markdown only a blank line keeps them apart."""
    return Markup("\n\n").join(block for block in blocks if block)


def _section(
    writer: Writer, template: Template, content: SectionContent, anchor: str, level: int
) -> Part:
    seen = variables(writer, writer.contents(content.name), content, level)
    title = writer.line(template, "title", seen)
    body = writer.block(template, "body", seen)
    lost = (fault.reason for fault in content.faults if not fault.figure)
    return Part(anchor, title, _stacked([body, *(writer.lost_figures(reason) for reason in lost)]))


def _find(writer: Writer, template: Template, name: str) -> None:
    """Let a section say its findings."""
    contents = writer.contents(name)
    several = writer.has_pages and contents[0].dataset is not None
    seen = variables(writer, contents, contents[0], 2)
    writer.block(template, "findings_many" if several else "findings", seen)


def _methods(writer: Writer, template: Template, name: str) -> Part:
    contents = writer.contents(name)
    seen = variables(writer, contents, contents[0], 4)
    title = writer.line(template, "title", seen)
    return Part(f"methods-{slug(name)}", title, writer.block(template, "methods", seen))


# ----------------------------------------------------------------------- several data sets


def _datasets(writer: Writer, templates: dict[str, Template]) -> Part:
    """Set the index of data sets."""
    frame = _frame(writer)
    text = writer.text_template("document/datasets.md.j2")
    headline = writer.line(text, "headline", frame)
    index = _index(writer, templates, headline)
    overviews = (_overview(writer, t, name) for name, t in templates.items())
    body = _stacked([writer.block(text, "body", frame), index, *overviews])
    return Part("datasets", writer.line(text, "title", frame), body)


def _overview(writer: Writer, template: Template, name: str) -> Markup:
    """Let a section say what all data sets have in common, under the index."""
    contents = writer.contents(name)
    if "overview" not in template.blocks or contents[0].dataset is None:
        return Markup("")
    whole = replace(contents[0], dataset=None, figures=(), tables=contents[0].overview)
    return writer.block(template, "overview", variables(writer, contents, whole, 3))


def _with_pages(writer: Writer, templates: dict[str, Template], datasets: Part) -> Part:
    """Set a page for each data set."""
    pages = tuple(_page(writer, templates, d) for d in writer.report.design.datasets)
    return replace(datasets, parts=pages)


def _page(writer: Writer, templates: dict[str, Template], dataset: DatasetDesign) -> Part:
    anchor = writer.anchors[dataset.name]
    contents = writer.report.of_dataset(dataset.name)
    parts = _told(
        _section(writer, templates[c.name], c, f"{anchor}-{slug(c.name)}", 3) for c in contents
    )
    name = Markup(writer.back_end.write(dataset.name))
    body = writer.page_template("html/facts.html.j2").render(d=dataset) if contents else ""
    is_brief = not any(content.figures for content in contents)
    return Part(anchor, name, Markup(body), parts, is_brief)


def _index(writer: Writer, templates: dict[str, Template], headline: Markup) -> Markup:
    """Set one row a data set: its sizes, and a column of every section that has one."""
    design, voice = writer.report.design, Voice(writer, None)
    names = [
        name
        for name, template in templates.items()
        if "index" in template.blocks and writer.contents(name)[0].dataset is not None
    ]
    sizes = _size_columns(design.datasets)
    heads = [Head("Data set", True), *(Head(label, False) for label, _ in sizes)]
    for name in names:
        contents = writer.contents(name)
        seen = variables(writer, contents, contents[0], 3)
        heads.append(Head(writer.line(templates[name], "index_head", seen), True))
    rows = []
    for dataset in design.datasets:
        row = [writer.inline(voice.data(dataset.name))]
        row += [Markup(writer.back_end.write(values[dataset.name])) for _, values in sizes]
        row += [_index_cell(writer, templates[name], name, dataset.name) for name in names]
        rows.append(row)
    anchor, label = writer.numbering.place(INDEX, str(writer.made.word_table()))
    token = writer.piece("index", anchor, label, headline, heads, rows, is_block=True)
    writer.index = Markup(writer.fragments.put(str(token)))
    return writer.index


def _size_columns(datasets: Sequence[DatasetDesign]) -> list[tuple[str, dict[str, str]]]:
    """Return the columns of sizes that are known for some data set and not all the same."""
    from reportgen.rendering.templates import count

    columns = []
    for label, field in (
        ("n", "n_observations"),
        ("Variables", "n_variables"),
        ("Classes", "n_classes"),
        ("B", "n_replications"),
        ("Missing", "n_missing"),
    ):
        values = {d.name: getattr(d, field) for d in datasets}
        is_dull = len(set(values.values())) == 1 and field in ("n_replications", "n_missing")
        if any(v is not None for v in values.values()) and not is_dull:
            texts = {name: "–" if v is None else count(v) for name, v in values.items()}
            columns.append((label, texts))
    return columns


def _index_cell(writer: Writer, template: Template, name: str, dataset: str) -> Markup:
    for content in writer.report.of_dataset(dataset):
        if content.name == name:
            seen = variables(writer, writer.contents(name), content, 3)
            return writer.line(template, "index", seen)
    return Markup("–")


# -------------------------------------------------------------------------------- appendix


def _measures(writer: Writer, text: Template, seen: dict[str, Any]) -> Part:
    """Say what the measures of an executed study are; empty for results that existed."""
    title = writer.line(text, "measures_title", seen)
    return Part("how-measured", title, writer.block(text, "measures", seen))


def _listed(writer: Writer, text: Template, seen: dict[str, Any], listing: Listing) -> Markup:
    """Place a table of the appendix, or say that there is nothing to list."""
    placed, table = "", listing.table
    if table.rows:
        headline = writer.line(text, f"{table.name}_headline", seen)
        placed = writer.place_table(Key("table", "", table.name, "", None), table, headline)
    told = {table.name: placed, "n_left_out": listing.n_left_out, "n_rows": len(table.rows)}
    return writer.block(text, table.name, seen | told)


def bibtex(writer: Writer) -> str:
    """Write the entry by which a report is cited."""
    from reportgen.rendering.markup import guest_plain

    study, date = writer.report.study, writer.report.provenance.date
    authors = " and ".join(_braced(author.name) for author in study.authors)
    kind = "Archetypes of a table" if writer.report.design.is_table else "Benchmark experiment"
    fields = {
        "author": authors,
        "title": _braced(guest_plain(study.cited_as or study.title)),
        "year": date[:4],
        "doi": study.doi,
        "note": f"{kind}, report of {date[:10]}",
    }
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
    return f"@misc{{{slug(study.name)}{date[:4]},\n{lines}\n}}"


def _braced(text: str) -> str:
    """Keep braces and backslashes of a name from ending the entry."""
    return "".join(c for c in text if c not in "{}\\")
