from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from markupsafe import Markup

from reportgen.errors import RenderingError
from reportgen.rendering.composition import bibtex, compose
from reportgen.rendering.embedding import extras
from reportgen.rendering.names import Key
from reportgen.rendering.render_context import HTML, MARKDOWN, PDF, BackEnd, RenderContext
from reportgen.report import DatasetDesign, Report, Table
from reportgen.stats.columns import Column
from tests.made_up import MADE_UP, report_of

EXTRAS = {
    "formula_mathml": lambda tex, alt, display: Markup("<math></math>"),
    "formula_image": None,
    "csv": lambda anchor, series: {"name": "", "href": "#", "is_packed": False},
    "table_csv": lambda anchor, table: {"name": "", "href": "#", "is_packed": False},
    "drawing": lambda svg, css_class, alt: Markup("<svg></svg>"),
    "svg_uri": None,
}


def composed(report: Report, folders: tuple[Path, ...]) -> tuple[RenderContext, str]:
    context = RenderContext(report, HTML, folders, EXTRAS)
    composition = compose(context)
    return context, context.insert_labels("\n".join(part.text for part in composition.sections))


def test_labels_are_put_in_before_and_after_their_place(
    report: Report, folders: tuple[Path, ...]
) -> None:
    context, text = composed(report, folders)
    assert '<a class="xref" href="#table-toy-means-misclassification">Table S2</a>' in text
    assert "Figure 1" in context.insert_labels(context.remarks[0].text)


def test_headings_stand_below_their_section(
    report: Report, many: Report, folders: tuple[Path, ...]
) -> None:
    _, text = composed(report, folders)
    assert "<h3>Details</h3>" in text
    context = RenderContext(many, HTML, folders, EXTRAS)
    pages = compose(context).datasets
    assert pages is not None
    assert "<h4>Details</h4>" in pages.parts[0].parts[0].body


def test_a_column_that_is_not_shown_stands_in_the_file_of_its_table(report: Report) -> None:
    given: list[Table] = []

    def file_of(anchor: str, table: Table) -> dict[str, object]:
        given.append(table)
        return {"name": "", "href": "#", "is_packed": False}

    columns = (Column("x", "Shown", "text"), Column("n", "Unshown", "count", is_shown=False))
    table = Table("t", "", columns, (("a", 987),))
    context = RenderContext(report, HTML, (), EXTRAS | {"table_csv": file_of})
    token = context.number_table(Key("table", "", "t", "", None), table, "T")
    html = context.fragments.put(token)
    assert given == [table]
    assert "Shown" in html
    assert "Unshown" not in html
    assert "987" not in html


def test_an_article_is_divided_at_its_headings(report: Report, folders: tuple[Path, ...]) -> None:
    composition = compose(RenderContext(report, HTML, folders, EXTRAS))
    (section,) = composition.sections
    assert section.chapters == (section,)
    article = Markup("<h3>A &amp; <bdi>b</bdi></h3><p>one</p><h3>C</h3><p>two</p>")
    first, second = replace(section, article=article).chapters
    assert (first.anchor, first.title, first.article) == (
        section.anchor,
        Markup("A &amp; <bdi>b</bdi>"),
        Markup("<p>one</p>"),
    )
    assert (second.anchor, second.article) == (f"{section.anchor}-c", Markup("<p>two</p>"))


def test_a_section_that_says_nothing_has_no_heading(
    report: Report, many: Report, tmp_path: Path
) -> None:
    folder = tmp_path / "sections"
    folder.mkdir()
    says = '{% if content.dataset == "set 2" %}Something.{% endif %}'
    text = f"{{% block title %}}Toy{{% endblock %}}{{% block body %}}\n{says}\n{{% endblock %}}"
    (folder / "toy.md.j2").write_text(text, encoding="utf-8")
    assert compose(RenderContext(report, HTML, (tmp_path,), EXTRAS)).sections == ()
    pages = compose(RenderContext(many, HTML, (tmp_path,), EXTRAS)).datasets
    assert pages is not None
    assert [len(page.parts) for page in pages.parts] == [0, 0, 1, 0, 0, 0, 0]
    assert all("observations" in page.body for page in pages.parts)  # the facts stay


def test_only_cited_works_are_listed(report: Report, folders: tuple[Path, ...]) -> None:
    composition = compose(RenderContext(report, HTML, folders, EXTRAS))
    assert [r.key for r in composition.references] == ["eugster2011", "hothorn2005"]


def test_the_index_has_a_row_a_data_set(many: Report, folders: tuple[Path, ...]) -> None:
    context = RenderContext(many, HTML, folders, EXTRAS)
    composition = compose(context)
    assert composition.datasets is not None
    assert context.index.count("<tr>") == 1 + 7
    assert '<a class="data" href="#data-set-3"><bdi>set 3</bdi></a>' in context.index
    assert "Missing" not in context.index  # the entries say it
    assert "Classes" not in context.index  # not known of any


def test_without_sections_of_data_sets_there_is_an_index_and_no_page(
    many: Report, folders: tuple[Path, ...]
) -> None:
    of_study = tuple(content for content in many.contents if content.dataset is None)
    context = RenderContext(replace(many, contents=of_study), HTML, folders, EXTRAS)
    datasets = compose(context).datasets
    assert datasets is not None
    assert (len(datasets.parts), context.index.count("<tr>")) == (0, 1 + 7)
    assert "<a" not in context.index


def test_design_says_what_is_missing(many: Report, folders: tuple[Path, ...]) -> None:
    design = compose(RenderContext(many, HTML, folders, EXTRAS)).design.text
    assert "<strong>21 of 525</strong> values are missing, on " in design


def test_failures_are_listed_with_their_reason(many: Report, folders: tuple[Path, ...]) -> None:
    failures = compose(RenderContext(many, HTML, folders, EXTRAS)).failures
    assert "ValueError: set 6" in failures
    assert failures.count("<tr>") == 1 + 6


def test_a_report_may_have_no_sections(report: Report, folders: tuple[Path, ...]) -> None:
    empty = replace(report, contents=())
    composition = compose(RenderContext(empty, HTML, folders, EXTRAS))
    assert composition.remarks == composition.sections == ()
    assert [part.anchor for part in composition.methods] == ["how-measured"]
    assert not composition.abstract.text


def test_an_absent_figure_is_an_error_that_names_the_template(
    report: Report, folders: tuple[Path, ...]
) -> None:
    bare = replace(report, contents=(replace(report.contents[0], figures=()),))
    with pytest.raises(RenderingError, match=r"'article' of sections/toy.*found the figure 'bars'"):
        compose(RenderContext(bare, HTML, folders, EXTRAS))


def test_a_section_without_a_template_is_an_error(report: Report) -> None:
    with pytest.raises(RenderingError, match=r"template sections/toy.md.j2: found none"):
        compose(RenderContext(report, HTML, (), EXTRAS))


def test_citation_has_no_braces_of_others(hostile: Report, folders: tuple[Path, ...]) -> None:
    entry = bibtex(RenderContext(hostile, HTML, folders, EXTRAS))
    assert entry.startswith("@misc{script-alert-1-script2026,")
    assert entry.count("{") == entry.count("}") == 5


def test_all_that_follows_the_pages_of_data_sets_is_numbered_as_supplement(
    many: Report, folders: tuple[Path, ...]
) -> None:
    context = RenderContext(many, HTML, folders, EXTRAS)
    compose(context)
    given = context.numbering.labels.values()
    labels = [label.split(" ")[1] for label in given if label != "Index"]
    assert len(labels) > 2 * len(many.design.datasets)
    assert [label for label in labels if not label.startswith("S")] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one-dataset", "domain", "gaps"])
def test_screen_and_paper_give_the_same_numbers(name: str) -> None:
    report = report_of(MADE_UP[name], is_drawn=True)
    labels = []
    for back_end in (HTML, PDF):
        context = RenderContext(report, back_end, (), extras(report.layout))
        compose(context)
        labels.append(context.numbering.labels)
    screen, paper = labels
    assert {anchor: label for anchor, label in screen.items() if label != "Index"} == paper


@pytest.mark.slow
@pytest.mark.parametrize("name", ["few", "one-dataset"])
@pytest.mark.parametrize("form", [HTML, PDF, MARKDOWN])
def test_a_section_that_the_manifest_lists_stands_in_the_article(name: str, form: BackEnd) -> None:
    steps = ("preferences", "consensus")
    study = replace(MADE_UP[name], sections=("inference", *steps), options={})
    report = report_of(study, is_drawn=True)
    for named in ((), steps):
        context = RenderContext(replace(report, named=named), form, (), extras(report.layout))
        found = compose(context)
        articles = {part.anchor: part.article for part in found.sections}
        assert {step for step in steps if articles.get(step)} == set(named)
        assert [part.anchor for part in found.sections if part.is_named] == list(named)


def test_bold_is_told_where_a_cell_is_bold(report: Report, folders: tuple[Path, ...]) -> None:
    def told(values: tuple[float, float], bold: str = "") -> str:
        columns = (Column("candidate", "Candidate", "text"), Column("x", "X", "value", "smaller"))
        table = Table("t", "", columns, tuple(zip("ab", values, strict=True)))
        context = RenderContext(report, HTML, folders, EXTRAS)
        key = Key("table", "", "t", "", None)
        token = context.number_table(key, table, "Means.", "Of bold and a.", bold=bold)
        return re.sub(r"<[^>]+>", "", context.fragments.put(str(token)))

    assert "Of bold and a. Bold: the best of its column." in told((0.1, 0.2))
    assert "old: " not in told((0.1, 0.1))  # none is marked where all are the same
    assert "Means; bold: the least. Of bold and a." in told((0.1, 0.2), "the least")
    assert "old: " not in told((0.1, 0.1), "the least")


def test_an_index_of_names_and_missing_values_alone_is_left_out(
    many: Report, folders: tuple[Path, ...]
) -> None:
    bare = [
        DatasetDesign(d.name, 25, i, resampling=d.resampling)
        for i, d in enumerate(many.design.datasets)
    ]
    none = replace(many, design=replace(many.design, datasets=tuple(bare)), contents=())
    context = RenderContext(none, HTML, folders, EXTRAS)
    assert compose(context).datasets is None
    assert not context.index
    sized = tuple(replace(d, n_observations=100 + i) for i, d in enumerate(bare))
    context = RenderContext(
        replace(none, design=replace(none.design, datasets=sized)), HTML, folders, EXTRAS
    )
    assert compose(context).datasets is not None
    assert context.index
