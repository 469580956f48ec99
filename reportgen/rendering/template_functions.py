"""The functions and variables of a section's template, in one back end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from reportgen import notation
from reportgen.errors import RenderingError
from reportgen.formats import Density
from reportgen.performance_measure import Measure
from reportgen.rendering.names import Key, KindOfExhibit
from reportgen.rendering.render_context import Remark, RenderContext
from reportgen.rendering.tables import join_order, order_beginning
from reportgen.rendering.template_data import template_functions
from reportgen.rendering.templates import count, in_words, words
from reportgen.report import Figure, SectionContent, Table
from reportgen.targets import target_words
from reportgen.units import in_words as with_words

MOST_LISTED = 5  # names of a sentence
SECTION_LEVEL = 2  # of the headings of sections that have no data set's page around them

Caller = Callable[[], Markup]


class TemplateFunctions:
    """The functions of one section's template, about one content.

    `content`: where `figure` and `table` look for exhibits; None outside of sections.
    `level`: level of the section's own heading.
    """

    def __init__(
        self, context: RenderContext, content: SectionContent | None, level: int = SECTION_LEVEL
    ) -> None:
        self._context = context
        self._content = content
        self._level = level

    def functions(self) -> dict[str, Any]:
        """Return everything a template may call."""
        names = (
            *("cand", "candname", "data", "order", "listing"),
            *("some", "datasets", "codes", "series"),
            *("code", "measurename", "short", "quiet", "wide", "digest", "verbatim", "folded"),
            *("figure", "table", "has", "ref", "seen", "facts", "plain_facts"),
            *("noted", "heading", "remark", "place"),
            *("formula", "cite", "citep", "pv"),
        )
        own = {name: getattr(self, name) for name in names}
        words = {"number_format": notation.number_format, "target_words": target_words}
        return template_functions(own | words)

    # ------------------------------------------------------------------------------ names

    def cand(self, name: str) -> Markup:
        """Write a candidate with its marker."""
        return self._context.render_macro("cand", name, self._context.styles.get(name))

    def candname(self, name: str) -> Markup:
        """Write a candidate's name alone."""
        return self._context.render_macro("cand", name, None)

    def data(self, name: str) -> Markup:
        """Write a data set's name: a link where it has a page."""
        return self._context.render_macro("data", name, self._context.anchors.get(name, ""))

    def measurename(self, measure: Measure | str) -> Markup:
        """Write a measure in words."""
        name = measure if isinstance(measure, str) else measure.name
        return self._context.render_macro("measurename", name)

    def short(self, measure: Measure) -> str:
        """Write a measure in as few words as tell it from the study's others."""
        return notation.short_words(measure, self._context.report.design.measures)

    def code(self, text: object) -> Markup:
        """Set any text as code."""
        return self._context.render_macro("code", str(text))

    def quiet(self, text: object) -> Markup:
        """Write a text in a quiet colour."""
        return self._context.render_macro("quiet", self._context.inline(text))

    def wide(self, caller: Caller) -> Markup:
        """Write words of a caption on what a figure's narrow drawing, where there is one, lacks."""
        return self._context.render_macro("wide", self._context.inline(caller()))

    def digest(self, text: str) -> Markup:
        """Write a checksum, which may break anywhere."""
        return self._context.render_macro("digest", text)

    def order(self, groups: Sequence[str | Sequence[str]]) -> Markup:
        """Write an order, best first, with commas inside a group; of a long one its beginning."""
        tied = [(group,) if isinstance(group, str) else tuple(group) for group in groups]
        return self._context.render_macro("order", *order_beginning(join_order(tied)))

    def listing(self, names: Sequence[str], most: int | None = None, link: str = "and") -> Markup:
        """Enumerate candidates; of more than `most` say only how many there are."""
        if most is not None and len(names) > most:
            return Markup(f"{words(len(names))} candidates")
        return self.series([self.candname(name) for name in names], link)

    def some(self, names: Sequence[str], most: int = MOST_LISTED, link: str = "and") -> Markup:
        """Enumerate candidates; of many the first, and how many others there are."""
        if len(names) <= most:
            return self.listing(names, link=link)
        first = [self.candname(name) for name in names[: most - 1]]
        return self.series([*first, f"{words(len(names) - most + 1)} others"], link)

    def datasets(self, names: Sequence[str], most: int | None = None) -> Markup:
        """Enumerate data sets; of more than `most` say only how many there are."""
        if most is not None and len(names) > most:
            vocabulary = self._context.report.design.vocabulary
            return Markup(with_words(f"{count(len(names))} data sets", vocabulary))
        return self.series([self.data(name) for name in names])

    def codes(self, names: Sequence[object]) -> Markup:
        """Enumerate texts set as code."""
        return self.series([self.code(name) for name in names])

    def series(self, items: Sequence[object], link: str = "and") -> Markup:
        """Enumerate texts: "a, b and c"."""
        return Markup(in_words((str(self._context.store_text(item)) for item in items), link))

    # --------------------------------------------------------------------------- exhibits

    def figure(
        self,
        name: str,
        measure: str = "",
        headline: object = "",
        caller: Caller | None = None,
        density: Density = "full",
    ) -> Markup:
        """Place a figure: its number, headline and caption, or that it could not be drawn.

        A compact one has half the width and no caption; it is "" where there is none.
        """
        is_compact = density == "compact"
        if is_compact and (self._content is None or not self.has("figure", name, measure)):
            return Markup("")
        fault = self._drawing_fault(name, measure)
        figure, key = (
            (None, self._key("figure", name, measure, None))
            if fault
            else self._find("figure", name, measure)
        )
        words = str(self._context.macros.word_figure())
        anchor, label = self._context.numbering.place(key, words)
        if fault:
            return self._context.render_macro("lost", anchor, label, fault, is_block=True)
        caption = self._context.inline(caller() if caller else "")
        shown = (anchor, label, self._context.inline(headline), caption, figure)
        if is_compact:
            return self._context.render_macro("compact_figure", *shown, is_block=True)
        return self._context.render_macro("figure", *shown, is_block=True)

    def _drawing_fault(self, name: str, measure: str) -> str:
        """Return why a figure could not be drawn; "" for one that is there, or never was."""
        if self._content is None:
            return ""
        drawn = {(f.name, f.measure): f.fault for f in self._content.figures}
        rest = next((fault.reason for fault in self._content.faults if not fault.figure), "")
        return drawn.get((name, measure), rest)

    def table(
        self,
        name: str,
        measure: str = "",
        headline: object = "",
        figure: str = "",
        bold: object = "",
        caller: Caller | None = None,
    ) -> Markup:
        """Place a table: its number and headline; or the label of the figure that it repeats.

        `bold`: what its bold cells are.
        """
        table, key = self._find("table", name, measure)
        numbering = self._context.numbering
        label = ""
        if figure:
            label = numbering.label(numbering.anchor(self._key("figure", figure, measure, None)))
        caption = caller() if caller else ""
        return self._context.number_table(key, table, headline, caption, label, bold)

    def has(
        self, kind: KindOfExhibit, name: str, measure: str = "", dataset: str | None = None
    ) -> bool:
        """Whether there is such a figure or table."""
        return self._key(kind, name, measure, dataset) in self._context.numbering.stems

    def ref(
        self, kind: KindOfExhibit, name: str, measure: str = "", dataset: str | None = None
    ) -> Markup:
        """Refer to a figure or table, placed or still to be."""
        anchor = self._context.numbering.anchor(self._key(kind, name, measure, dataset))
        return self._context.render_macro("ref", anchor, Markup(self._context.label_token(anchor)))

    def place(self, anchor: str, words: str) -> Markup:
        """Link to a part of the report by its anchor."""
        return self._context.render_macro("place", anchor, words)

    def seen(self, name: str, measure: str = "") -> Markup:
        """Refer to a figure in brackets; "" where it is not there."""
        if not self.has("figure", name, measure):
            return Markup("")
        return Markup(" ({})").format(self.ref("figure", name, measure))

    def facts(self, name: str, headline: object, rows: Sequence[Sequence[object]]) -> Markup:
        """Place a table of labels and what they mean, with a symbol at the right."""
        key = Key("table", "", name, "", None)
        anchor, label = self._context.numbering.place(key, str(self._context.macros.word_table()))
        inline = self._context.inline
        return self._context.render_macro(
            "facts",
            anchor,
            label,
            inline(headline),
            [[inline(cell) for cell in row] for row in rows],
            is_block=True,
        )

    def plain_facts(self, label: str, rows: Sequence[Sequence[object]]) -> Markup:
        """Place a table of labels and what they mean, without a number."""
        inline = self._context.inline
        cells = [[inline(cell) for cell in row] for row in rows]
        return self._context.render_macro("plain_facts", label, cells, is_block=True)

    def _key(self, kind: KindOfExhibit, name: str, measure: str, dataset: str | None) -> Key:
        if self._content is None:
            return Key(kind, "", name, measure, dataset)
        owner = self._content.dataset if dataset is None else dataset
        return Key(kind, self._content.name, name, measure, owner)

    def _find(self, kind: KindOfExhibit, name: str, measure: str) -> tuple[Any, Key]:
        if self._content is None:
            raise RenderingError(f"found the {kind} {name!r}; allowed in sections only")
        exhibits: tuple[Figure | Table, ...] = (
            self._content.figures if kind == "figure" else self._content.tables
        )
        for exhibit in exhibits:
            if (exhibit.name, exhibit.measure) == (name, measure):
                return exhibit, self._key(kind, name, measure, None)
        known = sorted({(e.name, e.measure) for e in exhibits})
        raise RenderingError(f"found the {kind} {name!r} of {measure!r}; allowed {known}")

    # ------------------------------------------------------------------------- paragraphs

    def noted(self, note: object, caller: Caller) -> Markup:
        """Write a paragraph with a note beside it."""
        inline = self._context.inline
        return self._context.render_macro("noted", inline(note), inline(caller()), is_block=True)

    def verbatim(self, text: str) -> Markup:
        """Write lines as they are."""
        lines = Markup(self._context.back_end.verbatim(text))
        return self._context.render_macro("verbatim", lines, is_block=True)

    def folded(self, summary: object, text: str) -> Markup:
        """Write lines as they are, behind a summary that opens them."""
        summary = self._context.inline(summary)
        lines = Markup(self._context.back_end.verbatim(text))
        return self._context.render_macro("folded", summary, lines, is_block=True)

    def heading(self, text: object, is_equal: bool = False) -> Markup:
        """Write a heading one level below the section's own, or on its level."""
        level = self._level + self._context.heading_depth + (not is_equal)
        return self._context.render_macro(
            "heading", self._context.inline(text), level, is_block=True
        )

    def remark(self, head: object, caller: Caller) -> Markup:
        """Add a sentence with a head of its own to those after the article's sections."""
        inline = self._context.inline
        self._context.remarks.append(Remark(inline(head), inline(caller())))
        return Markup("")

    # --------------------------------------------------------------------------- scholarly

    def formula(self, name: str, display: bool = False) -> Markup:
        """Write a named formula."""
        if name not in self._context.formulas:
            raise RenderingError(f"found the formula {name!r}; allowed those of formulas.toml")
        entry = self._context.formulas[name]
        return self._context.render_macro(
            "formula", entry["tex"], entry["alt"], display, is_block=display
        )

    def cite(self, key: str, place: str = "") -> Markup:
        """Cite a work inside a sentence: Eugster (2011, ch. 2)."""
        return self._context.render_macro("cite", self._context.cite(key), keep_abbreviation(place))

    def citep(self, key: str, place: str = "") -> Markup:
        """Cite a work in brackets: (Eugster 2011, ch. 2)."""
        return self._context.render_macro(
            "citep", self._context.cite(key), keep_abbreviation(place)
        )

    def pv(self, p: float) -> Markup:
        """Write a p-value in running text."""
        return self._context.render_macro("pvalue", *notation.p_parts(p))


def keep_abbreviation(place: str) -> str:
    r"""Join an abbreviation and its number by a blank that does not break.

    >>> keep_abbreviation("ch. 2.2") == "ch.\u00a02.2"
    True
    """
    return place.replace(". ", ".\u00a0")


def section_variables(
    context: RenderContext, contents: Sequence[SectionContent], content: SectionContent, level: int
) -> Mapping[str, Any]:
    """Return the variables and functions of a block of a section's template."""
    design = context.report.design
    return {
        "study": context.report.study,
        "design": design,
        "section": content.name,
        "content": content,
        "contents": contents,
        "section_names": context.section_names,
        "result": content.result,
        "options": _plain(content.options),
        "is_listed": content.is_listed,
        "dataset": None if content.dataset is None else design.dataset(content.dataset),
        "many": context.has_pages,
        "page_density": context.page_density,
        "is_article": context.is_article,
        "is_page": not context.format.is_summary,
        "density": context.density,
        **TemplateFunctions(context, content, level).functions(),
    }


def _plain(options: Any) -> Any:
    """Return a section's options as a mapping."""
    return None if options is None else options.model_dump()
