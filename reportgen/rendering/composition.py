"""The parts of a report in one back end, in the order in which a reader meets them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from jinja2 import Template
from markupsafe import Markup

from reportgen.data_classes import dataclass
from reportgen.formats import Density
from reportgen.rendering.abstract import Abstract, write_abstract, write_limits
from reportgen.rendering.appendix import Listing, appendix_tables, gaps_table, values_tables
from reportgen.rendering.markup import guest_plain
from reportgen.rendering.names import INDEX, Key, slug
from reportgen.rendering.pagination import Element, split
from reportgen.rendering.references import Reference
from reportgen.rendering.render_context import HTML, Remark, RenderContext
from reportgen.rendering.template_functions import TemplateFunctions, section_variables
from reportgen.rendering.templates import count
from reportgen.report import DatasetDesign, SectionContent
from reportgen.units import Unit, in_words

NOTHING = Markup("")
MOST_MAIN = 3  # data sets whose entries stand in the article
LEAST_BENEATH = 5  # candidates from which on all pairs are drawn higher than the places
HEADING = re.compile(r"<h3>(.*?)</h3>", re.DOTALL)  # in the article of a section


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the report with a heading and a place in the table of contents."""

    anchor: str
    title: Markup
    article: Markup  # what stands in the article; empty where all of it is supplement
    body: Markup  # the supplement's; what follows the article's in a full report
    parts: tuple[Part, ...] = ()  # the sections of a data set's page
    density: Density = "full"  # compact: nothing is drawn in it, so it needs no sheet of its own
    is_named: bool = False  # whether it stands in the article as the manifest lists it
    # What the body holds, in a few words; the title where a template does not say.
    more: Markup = NOTHING
    lead: Markup = NOTHING  # what stands in the open above a body that is folded

    @property
    def text(self) -> Markup:
        """What stands in the article, then the rest."""
        return _join_blocks((self.article, self.body))

    @property
    def chapters(self) -> tuple[Part, ...]:
        """The article divided at its headings, each with a title and an anchor of its own.

        >>> text = Markup("<p>one</p><h3>The rest</h3><p>two</p>")
        >>> part = Part("all", Markup("All"), text, Markup(""))
        >>> [(p.anchor, str(p.title), str(p.article)) for p in part.chapters]
        [('all', 'All', '<p>one</p>'), ('all-the-rest', 'The rest', '<p>two</p>')]
        """
        first, *others = HEADING.split(self.article)
        found = [replace(self, article=Markup(first))]
        for title, text in zip(others[::2], others[1::2], strict=True):
            anchor = f"{self.anchor}-{slug(Markup(title).striptags())}"
            found.append(replace(self, anchor=anchor, title=Markup(title), article=Markup(text)))
        if found[1:] and not first.strip():
            found[:2] = [replace(found[1], anchor=self.anchor)]
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Composition:
    """A report in one back end, with labels still to be put in by `RenderContext.insert_labels`."""

    abstract: Abstract
    design: Part
    # Of the study as a whole, and those of the data set when there is one.
    sections: tuple[Part, ...]
    # The index and the pages of several data sets, whose `article` says what the pages show.
    datasets: Part | None
    remarks: tuple[Remark, ...]  # what stands after the article's sections
    article_methods: Markup  # the methods in a few sentences
    methods: tuple[Part, ...]
    failures: Markup
    warnings: Markup
    choices: Markup
    provenance: Markup
    rerun: Markup
    cite: Markup
    references: tuple[Reference, ...]  # those cited, by author and year
    # Compact: what sections hold back for the supplement is left out, and what is missing stands in
    # the article.
    density: Density = "full"
    values: Markup = NOTHING  # then the tables of values that the article does not show whole
    # What the report answers of checklists; None where nothing is held back, or asked.
    checklists: Part | None = None
    # Whether their pages are what the abstract rests on, so that they stand in the article.
    has_main_datasets: bool = False

    @property
    def has_supplement(self) -> bool:
        """Whether something stands beside the article."""
        return bool(self.density == "full" or self.values)

    @property
    def article_text(self) -> Markup:
        """All that stands in the article."""
        parts = (part.article for part in (self.design, *self.sections))
        pages = self.datasets.parts if self.datasets and self.has_main_datasets else ()
        entries = (part.text for page in pages for part in (page, *page.parts))
        remarks = (Markup(remark.text) for remark in self.remarks)
        methods = (part.text for part in self.methods if self.density == "compact")
        return _join_blocks(
            (self.abstract.text, *parts, *entries, *remarks, self.article_methods, *methods)
        )

    def references_in(self, text: str) -> tuple[Reference, ...]:
        """Return the references that a text cites."""
        return tuple(r for r in self.references if f'href="#ref-{r.key}"' in text)


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column of the index."""

    text: Markup | str
    is_wordy: bool


def compose(context: RenderContext) -> Composition:
    """Render every part of the report in the order in which it is read and numbered."""
    report = context.report
    names = list(dict.fromkeys(content.name for content in report.contents))
    templates = {name: context.text_template(f"sections/{name}.md.j2") for name in names}
    design = _design(context)
    study_contents = [c for c in report.contents if c.dataset is None or not context.has_pages]
    is_main = _is_main(context, templates)
    main_pages = _pages(context, templates) if is_main else ()  # they stand before the sections
    sections = _non_empty(
        _section(context, templates[c.name], c, slug(c.name), 2) for c in study_contents
    )
    for content in study_contents:  # which adds to `context.remarks`
        _block(context, templates[content.name], content, "remarks", 2)
    context.remarks.extend(write_limits(context))
    article_methods = _article_methods(context, templates, study_contents)
    appendix = _frame(context)
    text = context.text_template("document/appendix.md.j2")
    provenance = context.block(text, "provenance", appendix)
    with context.supplement():
        datasets = _datasets(context, templates) if _has_datasets(context) else None
        if datasets and context.dataset_pages == "report":
            pages = main_pages or _pages(context, templates)
            datasets = replace(datasets, parts=pages)
        measured = _measures(context, text, appendix)
        failures, warnings, choices = (
            _listing(context, text, appendix, listing) for listing in appendix_tables(report.design)
        )
        if context.is_compact and not (report.design.failures or report.design.n_missing):
            failures = NOTHING
        methods = [measured, *_long_methods(context, templates)]
        checklists = _checklists(context, appendix)
        rerun = NOTHING if context.is_compact else context.block(text, "rerun", appendix)
        if (
            datasets and context.dataset_pages == "files"
        ):  # numbered after all that stands in the report
            datasets = replace(datasets, parts=_pages(context, templates))
        if datasets and not (datasets.body or datasets.lead or datasets.parts):
            datasets = None
    cite = context.block(text, "cite", appendix | {"bibtex": bibtex(context)})
    return Composition(
        abstract=write_abstract(context),
        design=design,
        sections=sections,
        datasets=datasets,
        remarks=tuple(context.remarks),
        article_methods=article_methods,
        methods=_non_empty(methods),
        failures=failures,
        warnings=warnings,
        choices=choices,
        provenance=provenance,
        rerun=rerun,
        cite=NOTHING if context.is_compact else cite,
        references=tuple(
            sorted(context.cited.values(), key=lambda r: (r.long_names.casefold(), r.year, r.key))
        ),
        density=context.density,
        values=_values(context, text, appendix),
        checklists=checklists,
        has_main_datasets=is_main,
    )


def _article_methods(
    context: RenderContext, templates: dict[str, Template], contents: Sequence[SectionContent]
) -> Markup:
    """Render the methods in a few sentences, of verdicts on each data set where these count."""
    blocks = [_block(context, templates[c.name], c, "article_methods", 4) for c in contents]
    if not _is_in_parts(context):
        return _join_blocks(blocks)
    firsts = (_first(context.contents(name)) for name in templates)
    of_datasets = (first for first in firsts if first not in contents)
    of_each = [_block(context, templates[c.name], c, "methods_of_each", 4) for c in of_datasets]
    is_of_settings = bool(context.report.design.factors)
    return _join_blocks((*blocks, *of_each) if is_of_settings else (*of_each, *blocks))


def _is_in_parts(context: RenderContext) -> bool:
    """Whether the abstract rests on verdicts on each of several data sets."""
    conclusion = context.report.conclusion
    return conclusion is not None and conclusion.is_in_parts and context.has_pages


def _is_main(context: RenderContext, templates: dict[str, Template]) -> bool:
    """Whether the entries of data sets stand in the article: few decide, or they are all it has."""
    contents, design = context.report.contents, context.report.design
    is_left_to_them = _is_in_parts(context) and not design.factors
    are_few = len(design.datasets) <= MOST_MAIN and is_left_to_them
    of_datasets = [content for content in contents if content.dataset is not None]
    are_all = len(of_datasets) == len(contents) and context.report.conclusion is None
    are_compact = all("compact" in templates[content.name].blocks for content in of_datasets)
    are_placed = context.dataset_pages == "report" and _has_datasets(context)
    return context.is_article and (are_few or are_all) and are_compact and are_placed


def _has_datasets(context: RenderContext) -> bool:
    """Whether data sets are listed one by one: each has a page, or a size that is worth telling."""
    # A report of single values has their table.
    design = context.report.design
    if not context.has_pages or context.dataset_pages != "none":
        return context.has_pages
    return design.report_type != "single" and bool(_size_columns(design.datasets, design.unit))


def _long_methods(context: RenderContext, templates: dict[str, Template]) -> Iterator[Part]:
    """Render the methods of each section whose body stands in the report."""
    for name, template in templates.items():
        if not context.is_compact or _is_whole(template) or _is_named(context, template, name):
            yield _methods(context, template, name)


def _is_whole(template: Template) -> bool:
    """Whether a section has one text for all reports: none for an article, or for an entry."""
    return not {"article", "compact"} & template.blocks.keys()


def _is_named(context: RenderContext, template: Template, name: str) -> bool:
    """Whether the manifest lists a section that has no words for an article: it stands there."""
    is_without = "article" not in template.blocks
    return context.is_article and is_without and name in context.report.named


def _values(context: RenderContext, text: Template, variables: dict[str, Any]) -> Markup:
    """Place the tables of values of a report that has one value a cell."""
    if not (context.is_compact and context.report.design.report_type == "single"):
        return NOTHING
    placed, labels = [], []
    functions = TemplateFunctions(context, None)
    with context.supplement(is_of_values=True):
        for table in values_tables(context.report):
            named = variables | {
                "measure": table.measure,
                "unit": table.number_format and table.number_format.unit_symbol,
            }
            headline = context.line(text, "values_headline", named)
            key = Key("table", "", table.name, table.measure, None)
            bold = context.line(text, "values_bold", named)
            placed.append(context.number_table(key, table, headline, bold=bold))
            labels.append(functions.ref("table", table.name, table.measure))
    return context.block(text, "values", variables | {"values": placed, "labels": labels})


def _frame(context: RenderContext) -> dict[str, Any]:
    """Return what a template outside the sections sees."""
    return {
        "study": context.report.study,
        "design": context.report.design,
        "areas": context.report.areas,
        "tests_pairs": context.report.tests_pairs,
        "provenance": context.report.provenance,
        "many": context.has_pages,
        "page_density": context.page_density,
        "dataset_pages": context.dataset_pages,
        "density": context.density,
        "is_typeset": context.format.is_html,
        "is_article": context.is_article,
        **TemplateFunctions(context, None).functions(),
    }


def _design(context: RenderContext) -> Part:
    """Describe the experiment, and where values are missing."""
    text, variables = context.text_template("document/design.md.j2"), _frame(context)
    article = context.block(text, "article", variables)
    with context.supplement():
        body = NOTHING if context.is_compact else context.block(text, "body", variables)
        is_single = context.report.design.report_type == "single"
        is_seen = context.is_compact and is_single  # in the values
        gaps = gaps_table(context.report.design)
        missing = NOTHING if is_seen else _listing(context, text, variables, gaps)
    if context.is_compact:
        article, missing = _join_blocks([article, missing]), NOTHING
    title, more = (context.line(text, name, variables) for name in ("title", "more"))
    return Part("design", title, article, _join_blocks([body, missing]), more=more)


def _non_empty(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Drop the parts without a text, so that no heading stands alone."""
    return tuple(part for part in parts if part.article or part.body)


def _join_blocks(blocks: Iterable[Markup]) -> Markup:
    """Set blocks one below the other; in Markdown only a blank line keeps them apart."""
    return Markup("\n\n").join(block for block in blocks if block)


def _section(
    context: RenderContext, template: Template, content: SectionContent, anchor: str, level: int
) -> Part:
    variables = section_variables(context, context.contents(content.name), content, level)
    article = context.block(template, "article", variables)
    heading = "article_title" if article and "article_title" in template.blocks else "title"
    title = context.line(template, heading, variables)
    is_named = _is_named(context, template, content.name)
    if is_named or (context.is_compact and _is_whole(template)):
        article, body = context.block(template, "body", variables), NOTHING
        article = _join_blocks([article, _requested(context, template, content, level)])
    elif context.is_article and (article or context.is_compact):
        article = _join_blocks([article, _requested(context, template, content, level)])
        with context.supplement():
            body = NOTHING if context.is_compact else context.block(template, "body", variables)
    else:
        with context.supplement():
            body = context.block(template, "body", variables)
            body = _join_blocks([body, _requested(context, template, content, level)])
    more = context.line(template, "more", variables)
    lost = (fault.reason for fault in content.faults if not fault.figure)
    notices = (context.lost_figures(reason) for reason in lost)
    body = _join_blocks([body, *notices])
    return Part(anchor, title, article, body, more=more or title, is_named=is_named)


def _requested(
    context: RenderContext, template: Template, content: SectionContent, level: int
) -> Markup:
    """Place the figures that were requested, each after the sentence that names it."""
    # They stand in the order of the manifest, those that it does not name after all others.
    # The words are a block of the section's template, or of `document/figures.md.j2`, with the name
    # `figure_` and the figure's.
    figures = [figure for figure in content.figures if figure.is_requested]
    if not figures:
        return NOTHING
    named = tuple(getattr(content.options, "figures", ()))
    figures.sort(key=lambda f: named.index(f.name) if f.name in named else len(named))
    common = context.text_template("document/figures.md.j2")
    contents = context.contents(content.name)
    variables = section_variables(context, contents, content, level)
    has_title = "requested_title" in template.blocks
    placed = [context.block(template, "requested_title", variables)] if has_title else []
    for figure in figures:
        block = f"figure_{figure.name.replace('-', '_')}"
        own = template if block in template.blocks else common
        measures = [m for m in context.report.design.measures if m.name == figure.measure]
        shown = {"shown": figure, "measure": next(iter(measures), None)}
        placed.append(context.block(own, block, {**variables, **shown}))
    return _join_blocks(placed)


def _block(
    context: RenderContext, template: Template, content: SectionContent, name: str, level: int
) -> Markup:
    """Render one block of a section."""
    variables = section_variables(context, context.contents(content.name), content, level)
    return context.block(template, name, variables)


def _first(contents: Sequence[SectionContent]) -> SectionContent:
    """Return the first content with a result, which a data set without values has not."""
    return next((content for content in contents if content.result), contents[0])


def _methods(context: RenderContext, template: Template, name: str) -> Part:
    contents = context.contents(name)
    variables = section_variables(context, contents, _first(contents), 4)
    title = context.line(template, "title", variables)
    body = context.block(template, "methods", variables)
    return Part(f"methods-{slug(name)}", title, NOTHING, body)


# ----------------------------------------------------------------------- several data sets


def _datasets(context: RenderContext, templates: dict[str, Template]) -> Part:
    """Render the part of the data sets: the index and the overviews."""
    frame = _frame(context)
    text = context.text_template("document/datasets.md.j2")
    headline = context.line(text, "headline", frame)
    has_index = (
        context.format.has_index or not context.is_article or context.dataset_pages != "report"
    )
    index = _dataset_index(context, templates, headline) if has_index else NOTHING
    overviews = (_overview(context, t, name) for name, t in templates.items())
    words = context.block(text, "body", frame) if index else NOTHING
    is_folded = context.is_article and context.back_end is HTML
    known = {
        "sections": tuple(templates),
        "by_stages": any(found.method == "stages" for found in _decisions(context)),
        "has_tests": any(not found.is_open for found in _decisions(context)),
        "has_places": any(
            figure.name == "podium-small" for c in context.contents("eda") for figure in c.figures
        ),
    }
    entries = context.block(text, "entries", frame | known)
    lead, words = (words, NOTHING) if is_folded else (NOTHING, words)
    body = _join_blocks([words, index, *overviews])
    frame |= {"has_index": bool(index)}
    title, more = (context.line(text, part, frame) for part in ("title", "more"))
    return Part("datasets", title, entries, body, more=more, lead=lead)


def _decisions(context: RenderContext) -> Iterator[Any]:
    """Yield the decisions on the pairs of single data sets, by the first measure."""
    for content in context.contents("inference"):
        yield from tuple(content.result.values())[:1]


def _overview(context: RenderContext, template: Template, name: str) -> Markup:
    """Render what a section says of all data sets together; it stands under the index."""
    contents = context.contents(name)
    first = _first(contents)
    if "overview" not in template.blocks or first.dataset is None:
        return NOTHING
    whole = replace(first, dataset=None, figures=(), tables=contents[0].overview)
    variables = section_variables(context, contents, whole, context.format.levels.overview)
    return context.block(template, "overview", variables)


def _pages(context: RenderContext, templates: dict[str, Template]) -> tuple[Part, ...]:
    """Render the page of each data set."""
    return tuple(_dataset_page(context, templates, d) for d in context.report.design.datasets)


def _dataset_page(
    context: RenderContext, templates: dict[str, Template], dataset: DatasetDesign
) -> Part:
    anchor = context.anchors[dataset.name]
    contents = context.entries(dataset.name)
    # in an article, a section with a block `compact` stands there by that alone
    compact = [c for c in contents if context.is_article and "compact" in templates[c.name].blocks]
    found = (_compact(context, templates[c.name], c) for c in compact)
    entries = [entry for entry in found if entry]
    whole = [c for c in contents if c not in compact]
    parts = _non_empty(
        _section(
            context,
            templates[c.name],
            c,
            f"{anchor}-{slug(c.name)}",
            context.format.levels.page,
        )
        for c in whole
    )
    name = Markup(context.back_end.write(dataset.name))
    told = [fact for c in compact if (fact := _fact(context, templates[c.name], c))]
    facts = str(context.macros.dataset_facts(dataset, told)).strip() if contents else ""
    is_html = context.format.is_html
    elements = [e for entry in entries for e in split(entry)] if is_html else []
    insets, tables = (
        [Markup(e.html) for e in elements if kind in e.classes] for kind in ("inset", "tab")
    )
    words = _one_paragraph([e for e in elements if not {"inset", "tab"} & e.classes])
    is_right = len(context.report.design.candidates) < LEAST_BENEATH
    compact_text = Markup("\n\n").join(entries)
    if insets:
        entry = context.macros.entry(insets, words, is_right)
        compact_text = Markup("\n\n").join([entry, *tables])  # of the page's whole width
    density: Density = "full" if any(content.figures for content in whole) else "compact"
    more = [_requested(context, templates[c.name], c, 3) for c in compact]
    texts = [Markup(facts), Markup(compact_text)]  # a picture stays with the heading above it
    body = _join_blocks([*(texts if is_html else reversed(texts)), *more])
    return Part(anchor, name, NOTHING, body, parts, density)


def _compact(context: RenderContext, template: Template, content: SectionContent) -> Markup:
    """Render what a section says in the entry of a data set."""
    # One that has no words there and that the manifest lists says what its block `listed` has, of
    # few data sets its whole body.
    words = _block(context, template, content, "compact", 3)
    if words or not _is_named(context, template, content.name):
        return words
    return _block(
        context, template, content, "listed" if context.page_density == "compact" else "body", 3
    )


def _fact(context: RenderContext, template: Template, content: SectionContent) -> Markup:
    """Render what a section says beside the sizes of a data set."""
    if "fact" not in template.blocks:
        return NOTHING
    variables = section_variables(context, context.contents(content.name), content, 3)
    return context.line(template, "fact", variables)


def _one_paragraph(elements: Sequence[Element]) -> list[Markup]:
    """Join the paragraphs of an entry, which have a line or two each; other elements follow."""
    texts = [e.html[3:].removesuffix("</p>") for e in elements if e.html.startswith("<p>")]
    words = [Markup(f"<p>{' '.join(texts)}</p>")] if texts else []
    return [*words, *(Markup(e.html) for e in elements if not e.html.startswith("<p>"))]


def _dataset_index(
    context: RenderContext, templates: dict[str, Template], headline: Markup
) -> Markup:
    """Render the index: a row for each data set, with sizes and a column of each section.

    Result: nothing where it would have names alone, or these and missing values.
    """
    design, functions = context.report.design, TemplateFunctions(context, None)
    names = [
        name
        for name, template in templates.items()
        if "index" in template.blocks and context.contents(name)[0].dataset is not None
    ]
    is_on_paper = not (context.is_article and context.dataset_pages == "report")
    has_gaps = is_on_paper or not context.format.is_html  # entries of pages say them
    sizes = _size_columns(design.datasets, design.unit, has_gaps=has_gaps)
    heads = [
        Head(in_words("Data set", design.vocabulary), True),
        *(Head(label, False) for label, _ in sizes),
    ]
    for name in names:
        contents = context.contents(name)
        variables = section_variables(context, contents, _first(contents), 3)
        heads.append(Head(context.line(templates[name], "index_head", variables), True))
    leads_to_pages = context.dataset_pages == "files"  # to which nothing else leads
    if not leads_to_pages and not names and {label for label, _ in sizes} <= {"Missing"}:
        return NOTHING  # which another table has
    rows = []
    for dataset in design.datasets:
        row = [context.inline(functions.data(dataset.name))]
        row += [Markup(context.back_end.write(values[dataset.name])) for _, values in sizes]
        row += [_index_cell(context, templates[name], name, dataset.name) for name in names]
        rows.append(row)
    if is_on_paper:
        anchor, label = context.numbering.place(INDEX, str(context.macros.word_table()))
    else:
        anchor, label = context.numbering.name(INDEX, "Index")
    token = context.render_macro("index", anchor, label, headline, heads, rows, is_block=True)
    context.index = Markup(context.fragments.put(str(token)))
    return context.index


def _size_columns(
    datasets: Sequence[DatasetDesign], unit: Unit, *, has_gaps: bool = True
) -> list[tuple[str, dict[str, str]]]:
    """Return the columns of sizes that are known for some data set and not all the same."""
    # `has_gaps`: whether missing values are counted; entries say how many replications lack some.
    columns = []
    for label, field in (
        ("n", "n_observations"),
        ("Variables", "n_variables"),
        ("Classes", "n_classes"),
        (unit.symbol or in_words("Replications", unit), "n_replications"),
        ("Missing", "n_missing"),
    ):
        values = {d.name: getattr(d, field) for d in datasets}
        is_dull = len(set(values.values())) == 1 and field in ("n_replications", "n_missing")
        is_left_out = field == "n_missing" and not has_gaps
        if any(v is not None for v in values.values()) and not (is_dull or is_left_out):
            texts = {name: "–" if v is None else count(v) for name, v in values.items()}
            columns.append((label, texts))
    return columns


def _index_cell(context: RenderContext, template: Template, name: str, dataset: str) -> Markup:
    for content in context.entries(dataset):
        if content.name == name:
            variables = section_variables(context, context.contents(name), content, 3)
            return context.line(template, "index", variables)
    return Markup("–")


# -------------------------------------------------------------------------------- appendix


def _measures(context: RenderContext, text: Template, variables: dict[str, Any]) -> Part:
    """Define the measures of an executed study; empty for imported results."""
    title = context.line(text, "measures_title", variables)
    return Part("how-measured", title, NOTHING, context.block(text, "measures", variables))


def _checklists(context: RenderContext, variables: dict[str, Any]) -> Part | None:
    """Render what the report answers of checklists."""
    if context.is_compact or not context.report.checklists:
        return None
    text = context.text_template("document/checklists.md.j2")
    named = variables | {"checklists": context.report.checklists}
    title, body = context.line(text, "title", named), context.block(text, "body", named)
    return Part("checklists", title, NOTHING, body)


def _listing(
    context: RenderContext, text: Template, variables: dict[str, Any], listing: Listing
) -> Markup:
    """Place a table of the appendix, or say that there is nothing to list."""
    placed, table = "", listing.table
    if table.rows:
        headline = context.line(text, f"{table.name}_headline", variables)
        placed = context.number_table(Key("table", "", table.name, "", None), table, headline)
    counts = {"n_left_out": listing.n_left_out, "n_rows": len(table.rows)}
    return context.block(text, table.name, variables | counts | {table.name: placed})


def bibtex(context: RenderContext) -> str:
    """Write the entry by which a report is cited."""
    study, date = context.report.study, context.report.provenance.date
    authors = " and ".join(_without_braces(author.name) for author in study.authors)
    kind = "Archetypes of a table" if context.report.design.is_table else "Benchmark experiment"
    fields = {
        "author": authors,
        "title": _without_braces(guest_plain(study.cited_as or study.title)),
        "year": date[:4],
        "doi": study.doi,
        "note": f"{kind}, report of {date[:10]}",
    }
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
    return f"@misc{{{slug(study.name)}{date[:4]},\n{lines}\n}}"


def _without_braces(text: str) -> str:
    """Remove braces and backslashes, which would end the entry."""
    return "".join(c for c in text if c not in "{}\\")
