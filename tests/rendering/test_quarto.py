from __future__ import annotations

import csv
import itertools
import json
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reportgen
from reportgen.drawing import Canvas, Sheet
from reportgen.drawing.style import TEXT_WIDTH
from reportgen.errors import RenderingError
from reportgen.pipeline import analyse
from reportgen.rendering import page, quarto, results_json
from reportgen.rendering.exports import write_tables
from reportgen.rendering.latex import compose_paper
from reportgen.rendering.latex_log import problems_in
from reportgen.rendering.latex_text import escape_latex
from reportgen.rendering.markup import Fragments, clean
from reportgen.rendering.names import Key, file_stems
from reportgen.rendering.pandoc_markdown import (
    PAGE,
    guest_pandoc,
    pandoc_markdown,
    pandoc_text,
    pipe_table,
    verbatim,
    yaml_text,
)
from reportgen.rendering.tables import cell_text, format_cells
from reportgen.rendering.templates import read_text
from reportgen.rendering.variables import variables
from reportgen.rendering.word_reference import word_reference
from reportgen.report import Author, Report, Series, StudyInfo
from reportgen.study.schema import QuartoEntry
from tests.made_up import MADE_UP, report_of
from tests.rendering import as_quarto, quarto_shortcodes
from tests.rendering.conftest import make_report
from tests.rendering.installed_latex import OF_UNICODE, need_latex
from tests.rendering.test_latex import cells_of_latex
from tests.test_pipeline import call

Folders = tuple[Path, ...]

ATTACKS = (
    "{{< include /etc/passwd >}}",
    "{{< env HOME >}}",
    "`r system('x')`",
    "`{python} 1+1`",
    "```{python}",
    "@eugster2011 [@x]",
    "$x$ \\input{y} \\(z\\)",
    "::: {#tbl-x}",
    "`x`{=html} <b>",
    "---",
    "- a",
    "1. b",
    "# h {#sec-design}",
    "| a | b |",
    "[^1] ^[x] H~2~O",
    "a--b...c'd",
    "=== :::",
    "x\\",
    "wow! [y](javascript:alert(1))",
    "<!-- c --> & &amp;",
    "r 1+1",
    "(@a) b",
    ": def",
    "+---+",
    "* * *",
    "{{{< env HOME >}}}",
    "{{< x",
    "{{</* x */>}}",
    "@fig-x @tbl-means",
    "\\textbf{x} \\directlua{x}",
    "<script>alert(1)</script>",
    "[y](https://e.org/{{< env HOME >}})",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("quarto")


@pytest.fixture(scope="module")
def written(report: Report, folders: Folders, folder: Path) -> Path:
    return quarto.render(report, folder / "one" / "index.qmd", folders)[0]


def text_of(document: Path) -> str:
    return document.read_text(encoding="utf-8")


# ------------------------------------------------------------------------------- the project


def test_the_project_is_whole(written: Path) -> None:
    found = {p.relative_to(written.parent).as_posix() for p in written.parent.rglob("*")}
    exhibits = {"_fig-toy-bars-misclassification.qmd", "_table-toy-means-misclassification.qmd"}
    assert (
        exhibits | {"_quarto.yml", "_variables.yml", "references.bib", "symbols.tex", "tables.typ"}
        <= found
    )
    assert {"_findings.qmd", "_methods.qmd", "figures/toy-bars-misclassification.svg"} <= found


def test_quarto_numbers_cites_and_refers(written: Path) -> None:
    text = as_quarto.whole(written)
    assert "::: {#fig-toy-bars-misclassification}\n![](figures/toy-bars-misclassification)" in text
    assert re.search(r"::: \{#tbl-toy-means-misclassification\}\n\| Candidate \| Mean", text)
    assert "(@fig-toy-bars-misclassification)" in text
    assert "[@eugster2011, ch. 2]" in text
    assert "\n\n$$\n\\chi^2" in text
    assert "::: {.callout-note}\n## Mean of svm\n\nsvm has" in text
    assert not re.search(r"Figure 1|Table 1|^```\{[a-z]", text, re.MULTILINE)
    assert text.startswith('---\ntitle: "A *fine* study"\nauthor:\n  - name: "Ada Example"\n')


def test_a_page_links_to_no_format_that_may_not_be_there(written: Path) -> None:
    """Quarto would list each format of the document under "Other formats", rendered or not."""
    options = text_of(written.with_name("_quarto.yml"))
    of_html = options.partition("\n  html:\n")[2].partition("\n  pdf:")[0]
    assert "    format-links: false\n" in of_html


def test_only_what_is_cited_is_in_the_references(written: Path) -> None:
    entries = re.findall(r"^@\w+\{(\w+),", text_of(written.with_name("references.bib")), re.M)
    cited = set(re.findall(r"@([a-z]+\d{4}\w*)", as_quarto.whole(written)))
    assert entries == sorted(cited)


def test_a_data_set_has_a_file_of_its_own(many: Report, folders: Folders, folder: Path) -> None:
    document = quarto.render(many, folder / "many" / "index.qmd", folders)[0]
    supplement = document.with_name("supplement.qmd")
    assert "\n#entry[\n```\n\n{{< include datasets/_set-3.qmd >}}\n\n" in text_of(supplement)
    assert text_of(document.parent / "datasets" / "_set-3.qmd").startswith("## set 3 {#sec-data-")
    for own in (document, supplement):
        as_quarto.resolve(as_quarto.read(as_quarto.source(own), document.parent), "html")


@pytest.mark.slow
def test_pictures_of_a_data_set_stay_with_their_heading_and_their_words(tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal([0.3, 0.27, 0.2], 0.02, size=(2, 12, 3))
    study = reportgen.compare(values, measure="misclassification", candidates=["a", "b", "c"])
    quarto.render(analyse(*study.parts, formats=["qmd"]), tmp_path / "index.qmd")
    file, _ = sorted((tmp_path / "datasets").iterdir())
    heading, *blocks = as_quarto.read(text_of(file), tmp_path)["blocks"]
    assert heading["t"] == "Header"
    kinds = [block["c"][0][0] if block["t"] == "Div" else block["t"] for block in blocks]
    names = ["podium-small", "pairs-small"]
    places, pairs = (next(k for k in kinds if k.startswith("fig-") and n in k) for n in names)
    assert kinds == [places, "Para", pairs, "Para", "Para"]
    assert as_quarto.plain(blocks[-1]) == "12 replications."


def test_what_an_author_includes_refers_to_nothing_else(written: Path) -> None:
    for file in written.parent.glob("_*.qmd"):
        own = re.findall(r"\{#((?:fig|tbl)-[\w-]+)", text_of(file))
        assert set(re.findall(r"@((?:fig|tbl)-[\w-]+)", text_of(file))) <= set(own)
        assert "](#" not in text_of(file)
    assert "svm has **1.00%**" in text_of(written.with_name("_findings.qmd"))
    assert "They are compared by their means [@eugster2011" in text_of(
        written.with_name("_methods.qmd")
    )


def test_a_reference_to_nothing_is_an_error(
    report: Report, folders: Folders, folder: Path, tmp_path: Path
) -> None:
    templates = tmp_path / "sections"
    templates.mkdir()
    text = "{% block title %}T{% endblock %}{% block body %}See {{ ref('figure', 'bars', m) }}."
    body = f"{{% set m = 'misclassification' %}}{text}{{% endblock %}}"
    (templates / "toy.md.j2").write_text(body, encoding="utf-8")
    with pytest.raises(RenderingError, match="allowed to what the report has"):
        quarto.render(report, tmp_path / "q" / "index.qmd", (tmp_path,))


def test_files_of_an_author_stay(report: Report, folders: Folders, tmp_path: Path) -> None:
    document = tmp_path / "index.qmd"
    quarto.render(make_report(("a", "b")), document, folders)
    assert (tmp_path / "datasets" / "_a.qmd").exists()
    (tmp_path / "manuscript.qmd").write_text("mine", encoding="utf-8")
    quarto.render(report, document, folders)
    assert not (tmp_path / "datasets" / "_a.qmd").exists()
    assert (tmp_path / "manuscript.qmd").read_text(encoding="utf-8") == "mine"


def test_the_same_report_gives_the_same_bytes(
    report: Report, folders: Folders, tmp_path: Path, written: Path
) -> None:
    again = quarto.render(report, tmp_path / "index.qmd", folders)[0]
    for file in again.parent.rglob("*"):
        if file.is_file():
            earlier = written.parent / file.relative_to(again.parent)
            assert file.read_bytes() == earlier.read_bytes()


def test_a_journal_gets_its_format_with_its_options(report: Report) -> None:
    given = QuartoEntry(
        format="ieee-pdf", options={"journal": {"name": "A: b", "formatting": "review"}}
    )
    text = quarto._project(quarto._formats(report, given))
    assert text.endswith(
        '  ieee-pdf:\n    default-image-extension: "pdf"\n    latex-clean: false\n'
        "    include-in-header:\n"
        '      - "symbols.tex"\n      - "tables.tex"\n      - "letters.tex"\n'
        '    journal:\n      name: "A: b"\n      formatting: "review"\n'
    )
    for option in ("embed-resources: true", 'html-math-method: "mathml"'):
        assert option in text


AUTHOR = Author("A B", "U", "", "a@b.org", is_corresponding=True, city="C", country="D")


@pytest.mark.parametrize(
    ("journal", "form", "wanted"),
    [
        ("jss", "jss-pdf", {"keywords-formatted": ["benchmarks"], "shift-heading-level-by": 0}),
        ("plos", "plos-pdf", {"number-sections": False, "journal": {"id": "plosone"}}),
        ("elsevier", "elsevier-pdf", {"keep-tex": True}),
        ("jmlr", "pdf", {"documentclass": "article"}),
        ("springer", "pdf", {"documentclass": "llncs"}),
    ],
)
def test_journals_are_presets(
    report: Report, journal: Any, form: str, wanted: dict[str, Any]
) -> None:
    told = replace(report, study=replace(report.study, keywords=("benchmarks",)))
    found = quarto._formats(told, QuartoEntry(journal=journal))[form]
    assert wanted.items() <= found.items()
    assert "papersize" not in found
    if journal == "jss":
        told = replace(report, study=replace(report.study, keywords=("{{< env X >}}",)))
        (word,) = quarto._formats(told, QuartoEntry(journal="jss"))[form]["keywords-plain"]
        assert word.startswith("&#123;&#8288;&#123;")
    assert found["latex-clean"] is False


def test_options_of_the_manifest_stand_in_place_of_a_journal_s(report: Report) -> None:
    entry = QuartoEntry(journal="elsevier", options={"journal": {"model": "5p"}})
    found = quarto._formats(report, entry)["elsevier-pdf"]
    assert found["journal"] == {
        "formatting": "preprint",
        "model": "5p",
        "cite-style": "authoryear",
    }
    assert found["fig-env"] == "figure*"
    assert "fig-env" not in quarto._formats(report, QuartoEntry(journal="elsevier"))["elsevier-pdf"]


def test_acm_gets_the_places_of_authors(report: Report, folders: Folders, tmp_path: Path) -> None:
    acm = QuartoEntry(journal="acm")
    told = replace(report, study=replace(report.study, authors=(AUTHOR,)))
    document = quarto.render(told, tmp_path / "index.qmd", folders, acm)[0]
    assert (
        '  - name: "A B"\n    email: "a&#64;b.org"\n    corresponding: true\n'
        '    affiliations:\n      - name: "U"\n        city: "C"\n        country: "D"\n'
    ) in text_of(document)
    assert "acm-pdf:" in text_of(document)
    assert 'copyright-year: "' in text_of(document.with_name("_quarto.yml"))


def test_a_format_of_a_journal_is_its_preset(report: Report) -> None:
    by_format = quarto._formats(report, QuartoEntry(format="jss-pdf"))
    assert by_format == quarto._formats(report, QuartoEntry(journal="jss"))
    assert by_format["jss-pdf"]["keywords-formatted"]
    assert "keywords-formatted" not in quarto._formats(report, QuartoEntry(format="x-pdf"))["x-pdf"]


def test_acm_gets_its_concepts(report: Report, tmp_path: Path) -> None:
    told = replace(report, study=replace(report.study, authors=(AUTHOR,)))
    concepts = [
        "Computing methodologies > Machine learning",
        {"concept": "Software (tests)", "significance": "low"},
    ]
    entry = QuartoEntry(format="acm-pdf", options={"acm-metadata": {"ccs": concepts, "doi": "1"}})
    found = quarto._formats(told, entry)["acm-pdf"]["acm-metadata"]
    assert (found["doi"], found["copyright"]) == ("1", "none")
    head = f"---\nccs: {yaml_text(found['ccs'])}\n---\n"
    (own,) = as_quarto.read(head, tmp_path, "latex")["meta"]["ccs"]["c"][0:1]
    assert own == {
        "t": "RawInline",
        "c": ["latex", r"\ccsdesc[500]{Computing methodologies~Machine learning}"],
    }
    assert r"\ccsdesc[100]{Software (tests)}" in found["ccs"]


def test_letters_that_latex_lacks_have_a_font_or_a_sign() -> None:
    text = quarto.letters_file("δ-net &#29483; дом é – x≥y שלום")
    assert re.findall(r"^\\rgnew\{(.)\}\{(\w+)\}\{(.*)\}$", text, re.MULTILINE) == [
        ("δ", "03B4", r"\ensuremath{\delta}"),
        ("д", "0434", ""),
        ("м", "043C", ""),
        ("о", "043E", ""),
        ("猫", "732B", ""),
    ]
    assert quarto.letters_file("abc é – x≥y") == quarto.NO_LETTERS


@pytest.mark.parametrize("program", ["lualatex", "xelatex", "pdflatex"])
def test_latex_sets_letters_of_other_scripts(program: str, tmp_path: Path) -> None:
    need_latex(program, "newunicodechar.sty", *OF_UNICODE, font="DejaVu Sans")
    body = "δ-дом x≥y"
    heads = "\n".join(read_text(f"quarto/{name}") for name in (quarto.SYMBOLS, quarto.SMALL))
    fonts = r"\ifdefined\suppressfontnotfounderror\usepackage{unicode-math}\fi\usepackage{lmodern}"
    letters = quarto.letters_file(body) * 2  # as where Quarto puts the lists of headers together
    document = rf"\begin{{document}}\section{{{body}}}\textbf{{{body}}} $δ$\end{{document}}"
    (tmp_path / "x.tex").write_text(
        f"\\documentclass{{article}}\n{fonts}\n{heads}\n{letters}\\usepackage{{hyperref}}\n{document}\n",
        encoding="utf-8",
    )
    for _ in range(2):
        subprocess.run(
            [program, "-interaction=nonstopmode", "x"],
            cwd=tmp_path,
            capture_output=True,
            check=False,
        )
    found = problems_in((tmp_path / "x.log").read_text("utf-8", errors="replace"))
    text = "\f".join(_pages(tmp_path / "x.pdf"))
    if program == "pdflatex":
        assert [line[:41] for line in found] == [
            f"no font of the document has U+04{n}, 2 times"[:41] for n in ("34", "3E", "3C")
        ]
        assert "δ-U+0434U+043EU+043C x≥y" in text
    else:
        assert found == []
        assert len(re.findall("[δ𝛿]-дом x≥y", text)) == 2


def test_bibtex_gets_no_bare_underscore(report: Report, folders: Folders, tmp_path: Path) -> None:
    """BibTeX would set it as mathematics: "Missing $ inserted"."""
    work = "@book{eugster2011, author = {A}, title = {T}, year = {2011}, doi = {10.1/978-3_3}}"
    (tmp_path / "references.bib").write_text(work, encoding="utf-8")
    folders = (tmp_path, *folders)
    plain = quarto.render(report, tmp_path / "a" / "index.qmd", folders)[0]
    plos = QuartoEntry(format="plos-pdf")
    for_plos = quarto.render(report, tmp_path / "b" / "index.qmd", folders, plos)[0]
    own, other = (text_of(path.with_name("references.bib")) for path in (plain, for_plos))
    assert "10.1/978-3_3" in own
    assert other == own.replace("_", r"\_")


def test_no_callout_is_anywhere_but_in_html(written: Path) -> None:
    text = as_quarto.source(written)
    for form in ("latex", "docx", "typst"):
        tree = as_quarto.change(
            as_quarto.read(text, written.parent), lambda n, form=form: as_quarto._shown(n, form)
        )
        assert not [n for n in as_quarto.nodes(tree) if n["t"] == "BlockQuote"]
        assert "Mean of svm." in as_quarto.plain(tree["blocks"])


# ------------------------------------------------------------------- article and supplement


def test_article_and_supplement_are_documents_of_their_own(
    many: Report, folders: Folders, tmp_path: Path
) -> None:
    document = quarto.render(many, tmp_path / "index.qmd", folders)[0]
    supplement = document.with_name("supplement.qmd")
    placed = {
        path.stem: re.findall(r"^::: \{#((?:fig|tbl)-\S+)\}", as_quarto.source(path), re.M)
        for path in (document, supplement)
    }
    assert not set(placed["index"]) & set(placed["supplement"])
    assert placed["supplement"]
    for path in (document, supplement):
        text = as_quarto.source(path)
        assert set(re.findall(r"@((?:fig|tbl)-[\w-]+\w)", text)) <= set(placed[path.stem])
        assert text.count("::: {#refs}") == 1
        targets = set(re.findall(r"\]\(#([\w-]+)\)", text))
        assert targets <= set(re.findall(r"\{#(sec-[\w-]+)\}", text))


def test_what_another_document_has_is_named_by_its_number() -> None:
    article = "# A {#sec-a}\n\n::: {#fig-a}\nx\n:::\n\nSee @fig-a, @tbl-c and [there](#sec-c).\n"
    supplement = (
        "# B {#sec-b}\n\n::: {#tbl-b}\nx\n:::\n\n{{< include datasets/_c.qmd >}}\n\n"
        "See (@fig-a), @tbl-c, [here](#sec-c), [there](#sec-a), a\\@fig-a.\n"
    )
    own = {"datasets/_c.qmd": "## C {#sec-c}\n\n::: {#tbl-c}\nx\n:::\n\nSee @tbl-b, @fig-a.\n"}
    bodies, files = quarto._referred({"index": article, "supplement": supplement}, own)
    assert bodies["index"].endswith("See @fig-a, Table&nbsp;S2 and there.\n")
    assert bodies["supplement"].endswith(
        "See (Figure&nbsp;1 of the article), @tbl-c, [here](#sec-c), there, a\\@fig-a.\n"
    )
    assert files["datasets/_c.qmd"].endswith("See @tbl-b, Figure&nbsp;1 of the article.\n")


def test_no_file_of_the_project_has_the_name_of_what_a_document_becomes(written: Path) -> None:
    names = [path.name for path in written.parent.iterdir() if path.is_file()]
    stems = [Path(name).stem for name in names if name.endswith(".qmd") and name[0] != "_"]
    assert len(stems) == len(set(stems)) == 4
    assert not [n for n in names if Path(n).stem in stems and not n.endswith(".qmd")]


def test_documents_for_typst_have_names_of_their_own(
    many: Report, folders: Folders, tmp_path: Path
) -> None:
    document = quarto.render(many, tmp_path / "index.qmd", folders)[0]
    for stem in ("index", "supplement"):
        own, other = (text_of(document.with_name(f"{stem}{end}.qmd")) for end in ("-typst", ""))
        assert own.split("---\n", 2)[2] == other.split("---\n", 2)[2]
        assert re.search(r"^format:\n  typst:", own, re.M)
        assert not re.search(r"^  typst:", other, re.M)


def test_numbers_of_a_supplement_are_one_word_with_their_s(tmp_path: Path) -> None:
    caption = (
        "::: {.x}\nTable S\u2060 1: words, see Figure S\u2060\u00a012.\n\n[S\u2060 ]{} S\n:::\n"
    )
    script = Path(quarto.__file__).parents[2] / "templates" / "quarto" / "numbers-s.lua"
    words = ["-f", "markdown", "-t", "plain", "--wrap=none", "--lua-filter", str(script)]
    told = as_quarto.run(words, tmp_path, caption).decode().replace("\u2060", "")
    assert told == "Table S1: words, see Figure S12.\n\nS S\n"


# -------------------------------------------------------------------------------- what is text


@pytest.fixture(scope="module")
def attacked(folders: Folders, folder: Path) -> Path:
    made = make_report(ATTACKS[:6], ATTACKS)
    info = StudyInfo(
        "x",
        " ".join(ATTACKS),
        tuple(Author(name, name, name) for name in ATTACKS),
        "\n\n".join(ATTACKS),
        ATTACKS,
    )
    where = replace(made.provenance, manifest="\n".join(ATTACKS), command=ATTACKS[4])
    hostile = replace(made, study=info, provenance=where)
    return quarto.render(hostile, folder / "attacked" / "index.qmd", folders)[0]


@pytest.mark.slow
def test_nothing_of_a_name_runs(attacked: Path) -> None:
    ours = re.findall(r"```\{=.*?```\n", read_text("quarto/entries.qmd.j2"), re.DOTALL)
    assert len(ours) == 4
    for file in (*attacked.parent.rglob("*.qmd"), *attacked.parent.glob("*.yml")):
        text = text_of(file)
        for block in ours:  # around the entry of each data set
            text = text.replace(block, "")
        text = re.sub(r"^#.*", "", text, flags=re.MULTILINE)  # comments of YAML
        shortcodes = quarto_shortcodes.in_text(text)
        assert all(found.startswith("include datasets/_") for found in shortcodes)
        assert not re.search(r"`r[ #]|`\{|^\s*```+\s*\{[a-zA-Z=]", text, re.MULTILINE)
        if file.suffix == ".qmd":
            plain = as_quarto.INCLUDE.sub("", text_of(file))
            tree = as_quarto.read(plain, file.parent)
            assert quarto_shortcodes.in_tree(tree) == []
            assert quarto_shortcodes.in_metadata(tree) == []
    lines = quarto.yaml_lines(quarto._escaped({"a": {"b": "{{< env X >}} {{{< x >}}}"}}))
    head = as_quarto.read("---\n{}\n---\n".format("\n".join(lines)), attacked.parent)
    assert quarto_shortcodes.in_metadata(head) == []
    assert as_quarto.plain(head["meta"]).startswith("{\u2060{< env X >}\u2060} {\u2060{\u2060{<")


@pytest.mark.parametrize(
    ("text", "n_in_text", "n_in_tree"),
    [
        ('---\ntitle: "{{< env X >}}"\n---\n', 1, 0),
        ("a {{< env X >}}", 1, 0),
        ("a {{{< env X >}}}", 0, 0),
        ('![](x.png){fig-alt="&#123;&#123;&#60; env X &#62;&#125;&#125;"}', 0, 1),
        ("[a](<https://e.org/%7B%7B%3C env X %3E%7D%7D>)", 0, 1),
        ("`{{< env X >}}`", 1, 1),
        ('```{.text shortcodes="false"}\n{{ < env X\n```', 0, 0),
        ("&#123;&#123;&#60; env X &#62;&#125;&#125;", 0, 0),
    ],
)
def test_where_shortcodes_are_found(
    text: str, n_in_text: int, n_in_tree: int, tmp_path: Path
) -> None:
    assert len(quarto_shortcodes.in_text(text)) == n_in_text
    tree = as_quarto.read(text, tmp_path)
    assert len(quarto_shortcodes.in_tree(tree)) == n_in_tree


@pytest.mark.parametrize("brace", ["{", r"\{", "&#123;"])
def test_metadata_is_looked_through_whatever_its_spelling(brace: str, tmp_path: Path) -> None:
    text = f"---\ntitle: 'a {brace}{brace}< env X >}}}}'\n---\n"
    assert len(quarto_shortcodes.in_metadata(as_quarto.read(text, tmp_path))) == 1


def test_a_link_whose_target_has_a_shortcode_is_its_words() -> None:
    assert guest_pandoc("[y](https://e.org/%7B%7B%3Cenv%20X%3E%7D%7D)") == "y"
    assert guest_pandoc("[y](https://e.org/a)") == "[y](<https://e.org/a>)"


def test_names_stay_what_they_are(attacked: Path) -> None:
    text = as_quarto.source(attacked)
    tree = as_quarto.read(text, attacked.parent)
    kinds = {node["t"] for node in as_quarto.nodes(tree)}
    assert not kinds & {
        *("RawInline", "RawBlock", "Note", "Superscript", "Subscript", "Strikeout", "Quoted"),
        *("HorizontalRule", "DefinitionList", "OrderedList"),
    }
    said = as_quarto.plain(tree["blocks"])
    assert not [name for name in ATTACKS if clean(name) not in said]
    as_quarto.resolve(tree, "html")
    cited = {
        citation["citationId"]
        for node in as_quarto.nodes(tree)
        if node["t"] == "Cite"
        for citation in node["c"][0]
    }
    assert not {key for key in cited if key in ("x", "a")}
    images = [node["c"][2][0] for node in as_quarto.nodes(tree) if node["t"] == "Image"]
    assert all(target.startswith("figures/") for target in images)


def test_items_of_a_list_stand_apart_and_one_is_a_paragraph() -> None:
    fragments = Fragments()
    assert pandoc_markdown("- a\n- b", fragments) == "-   a\n\n-   b"
    assert pandoc_markdown("- *a* is b", fragments) == "*a* is b"


def test_text_begins_no_block(tmp_path: Path) -> None:
    text = "\n\n".join(f"word\n{pandoc_text(name)}\n\n{pandoc_text(name)}" for name in ATTACKS)
    blocks = as_quarto.read(text, tmp_path)["blocks"]
    assert {block["t"] for block in blocks} == {"Para"}
    assert [as_quarto.plain(block) for block in blocks[1::2]] == [clean(name) for name in ATTACKS]


def test_lines_that_a_program_may_read_are_no_block_of_code() -> None:
    assert verbatim("a:\n  b") == '```{.text shortcodes="false"}\na:\n  b\n```'
    assert verbatim("a\n  ```{r}").startswith("| a\n| \u00a0\u00a0&#96;")


def test_columns_are_as_wide_as_what_may_not_be_broken() -> None:
    table = pipe_table(["A", "B"], [["one two", "1.5 to 2"]], [True, False])
    assert table.split("\n") == [
        "| A | B |",
        "|:--------|--------:|",
        r"| one two | 1.5\ to\ 2 |",
    ]
    name = "meta-llama/Llama-3.1-70B-Instruct"
    numbers = ["-12.25 to 13.75"] * 6
    row = [f"[{name}](#sec-a-b) – {name}", *numbers]
    heads, wordy = ["Pair", *["95% interval"] * 6], [True, *[False] * 6]
    _, rule, wide = pipe_table(heads, [row], wordy).split("\n")
    widths = [len(part) for part in rule.strip("|").split("|")]
    assert sum(widths) <= PAGE + len(widths)
    assert min(widths[1:]) >= 12
    assert "](#sec-a-b)" in wide
    assert wide.count("\u200b") >= 8
    assert "\u200b" not in wide.split(" | ", 1)[1]
    words = [f"{name} 34.08%" for name in MODELS]
    wide = pipe_table(MODELS, [words], [True] * 6)
    assert wide.count("34.08%") == 6  # a number goes on on no other line
    assert wide.count("\u200b") > 30


# ------------------------------------------------------------------------------ by Pandoc


@pytest.mark.parametrize("form", ["html", "latex", "typst"])
def test_pandoc_finds_nothing_to_warn_of(written: Path, form: str, tmp_path: Path) -> None:
    document = written.with_name("shown.qmd")
    for kind in ("pdf", "png"):  # which the made-up figure lacks
        for picture in written.parent.glob("figures/*.svg"):
            picture.with_suffix(f".{kind}").touch()
    document.write_text(text_of(written), encoding="utf-8")
    output = as_quarto.convert(document, form, tmp_path / f"out.{form}")
    assert output.stat().st_size > 5000


@pytest.mark.parametrize("is_ours", [False, True])
def test_no_row_of_typst_goes_on_on_the_next_page(tmp_path: Path, is_ours: bool) -> None:
    typst = pytest.importorskip("typst", reason="typst is not installed")
    own = quarto.read_text("quarto/tables.typ") if is_ours else ""
    rows = "".join(f"[row {n}], [{'word ' * 60} end{n}], " for n in range(9))
    page = "#set page(width: 300pt, height: 300pt)\n"
    (tmp_path / "a.typ").write_text(f"{own}{page}#table(columns: 2, {rows})", encoding="utf-8")
    typst.compile(str(tmp_path / "a.typ"), output=str(tmp_path / "a.pdf"))
    halves = [
        page
        for page in _pages(tmp_path / "a.pdf")
        if page.count("row ") != len(re.findall(r"end\d", page))
    ]
    assert bool(halves) == (not is_ours)


@pytest.mark.parametrize("names", [("tables.typ",), ("tables.typ", "numbers-s.typ")])
def test_a_short_table_of_typst_is_whole_and_has_its_caption(
    names: Sequence[str], tmp_path: Path
) -> None:
    typst = pytest.importorskip("typst", reason="typst is not installed")
    own = "".join(quarto.read_text(f"quarto/{name}") for name in names)
    found = []
    for n_rows in (8, 30):
        rows = "".join(f"[row {n}], " for n in range(n_rows))
        (tmp_path / "a.typ").write_text(
            f"{own}#set page(width: 300pt, height: 500pt)\n#v(330pt)\n#figure([#table({rows})], "
            'caption: figure.caption(position: top, [Words.]), kind: "quarto-float-tbl", '
            'supplement: "Table", numbering: "1") <tbl-a>\n',
            encoding="utf-8",
        )
        typst.compile(str(tmp_path / "a.typ"), output=str(tmp_path / "a.pdf"))
        pages = [page for page in _pages(tmp_path / "a.pdf") if page.strip()]
        found.append([("Words" in page, page.count("row ")) for page in pages])
    short, long = found
    assert short == [(True, 8)]
    assert long == [(True, 7), (False, 23)]  # a long one goes on


EMU = 12_700  # of Word, in a point
TWIPS = 20  # in a point
CELL = 10.8  # pt: the usual margins of a cell, into which Quarto puts a figure


def test_a_page_of_word_is_as_wide_as_figures_and_tables_are_small(tmp_path: Path) -> None:
    (tmp_path / "reference.docx").write_bytes(word_reference())
    (tmp_path / "f.png").write_bytes(_png())
    text = "![](f.png)\n\n| a | b |\n|:--|--:|\n| x | 1.25 |\n"
    words = ["-f", "markdown", "-t", "docx", "--reference-doc", "reference.docx", "-o", "f.docx"]
    as_quarto.run(words, tmp_path, text)
    with zipfile.ZipFile(tmp_path / "f.docx") as archive:
        body = archive.read("word/document.xml").decode()
        styles = archive.read("word/styles.xml").decode()
    (margins,) = re.findall(r"<w:pgMar [^>]*>", body)
    page = int(re.findall(r'w:w="(\d+)"', re.findall(r"<w:pgSz [^>]*>", body)[0])[0])
    sides = sum(int(re.findall(rf'w:{side}="(\d+)"', margins)[0]) for side in ("left", "right"))
    room = (page - sides) / TWIPS - CELL
    widths = [int(n) / EMU for n in re.findall(r'<wp:extent cx="(\d+)"', body)]
    assert widths == [pytest.approx(TEXT_WIDTH, abs=3.0)]
    assert widths[0] <= room
    assert re.search(r'w:styleId="Compact".{1,200}<w:sz w:val="14" />', styles, re.DOTALL)
    assert word_reference() == word_reference()
    (table,) = re.findall(r'<w:style [^>]*w:styleId="Table".*?</w:style>', styles, re.S)
    assert "w:tblBorders" not in table  # of figures, which Quarto puts into tables without a head
    assert re.search(r'w:type="firstRow">.*<w:tcBorders><w:top [^>]*/><w:bottom ', table)


def test_tables_and_figures_of_word_keep_their_captions(tmp_path: Path) -> None:
    """Out of the tables of one cell that Quarto puts them into; short tables are whole."""
    (tmp_path / "reference.docx").write_bytes(word_reference())
    (tmp_path / "tables.lua").write_text(read_text("quarto/tables.lua"), encoding="utf-8")
    (tmp_path / "p.png").write_bytes(_png())
    parts = []
    for name, rows in (("tbl-a", 3), ("tbl-b", 30)):
        table = "| a | b |\n|:--|--:|\n" + "| x | 1.25 |\n" * rows
        parts.append(f"::: {{#{name}}}\n{table}\nWords.\n:::\n")
    parts.append("::: {#fig-a}\n![](p.png)\n\nWords.\n:::\n")
    tree = as_quarto.resolve(as_quarto.read("\n".join(parts), tmp_path, "docx"), "docx")
    assert [block["t"] for block in tree["blocks"]] == ["Table"] * 3
    words = ["-f", "json", "-t", "docx", "--reference-doc", "reference.docx", "-L", "tables.lua"]
    as_quarto.run([*words, "-o", "f.docx"], tmp_path, json.dumps(tree))
    with zipfile.ZipFile(tmp_path / "f.docx") as archive:
        body = archive.read("word/document.xml").decode()
        styles = archive.read("word/styles.xml").decode()
    assert re.findall(r'<w:tblStyle w:val="(\w+)"', body) == ["Ruled", "Ruled"]
    (ruled,) = re.findall(r'<w:style [^>]*w:styleId="Ruled".*?</w:style>', styles, re.S)
    assert re.search(r'<w:basedOn w:val="Table" ?/>.*<w:tblBorders><w:top .*<w:bottom ', ruled)
    kept = {
        name
        for name in re.findall(r'w:styleId="(\w+)"', styles)
        if "<w:keepNext" in re.split(f'w:styleId="{name}"', styles)[1].partition("</w:style>")[0]
    }
    own = [name for name, _ in itertools.groupby(re.findall(r'<w:pStyle w:val="(\w+)"', body))]
    assert own == [
        *("TableCaption", "CompactKept", "TableCaption", "Compact"),
        *("CaptionedFigure", "ImageCaption"),
    ]
    assert {"TableCaption", "CompactKept", "CaptionedFigure"} <= kept
    assert not {"Compact", "ImageCaption"} & kept
    names = re.findall(r'<w:bookmarkStart [^>]*w:name="([\w-]+)"', body)
    assert names == ["tbl-a", "tbl-b", "fig-a"]


def _png() -> bytes:
    def nothing(sheet: Sheet) -> None:
        sheet.begin(20)
        sheet.axes(0, 0, 0, 0).axis("off")

    canvas = Canvas.of(["a"], 1, "d", has_pictures=True)
    return canvas.figure("f", "m", nothing, alt="", data=Series((), ())).pictures["png"]


def test_figures_and_tables_that_follow_one_another_do_not_touch_in_word(written: Path) -> None:
    for path in written.parent.glob("*.qmd"):
        assert not re.search(r"^:::\n\n::: \{#", text_of(path), re.MULTILINE)
    found = quarto.ADJACENT.sub(quarto.PARTED, "::: {#tbl-a}\nx\n:::\n\n::: {#tbl-b}\ny\n:::\n")
    tree = as_quarto.read(found, written.parent)
    for form, n in (("docx", 3), ("html", 2)):
        shown = as_quarto.change(
            tree["blocks"], lambda node, form=form: as_quarto._shown(node, form)
        )
        assert len(shown) == n


# ----------------------------------------------------------------------------- the same cells


@pytest.fixture(scope="module")
def study(folder: Path) -> tuple[Report, Path]:
    made_up = replace(MADE_UP["one-dataset"], sections=("eda", "inference"))
    found = replace(report_of(made_up), length="full")
    return found, quarto.render(found, folder / "cells" / "index.qmd")[0]


def plain_cell(text: str) -> str:
    """Return a cell without the marks that only one format has."""
    return re.sub(r"\s+", " ", re.sub(r"[●◐○\u2060]| \(best\)|\*\*", "", text)).strip()


def cells_of_html(html: str, stem: str) -> list[list[str]]:
    figure = html[html.index(f'id="table-{stem}"') :]
    body = figure[figure.index("<tbody>") : figure.index("</tbody>")]
    return [
        [
            plain_cell(unescape(re.sub(r"<[^>]+>", "", cell.replace("</span> <", "</span> – <"))))
            for cell in re.findall(r"<t[hd]\b[^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in body.split("</tr>")[:-1]
    ]


def cells_of_quarto(tree: as_quarto.Node, stem: str) -> list[list[str]]:
    (div,) = (n for n in as_quarto.nodes(tree) if n["t"] == "Div" and n["c"][0][0] == f"tbl-{stem}")
    bodies = div["c"][1][0]["c"][4]
    return [
        [plain_cell(as_quarto.plain(cell[4])) for cell in row[1]]
        for body in bodies
        for row in body[3]
    ]


def numbers(value: Any) -> Iterator[float]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from numbers(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(f"{abs(value):.12g}")
        yield float(f"{1 / abs(value):.12g}") if value else 0.0  # the ratio of a reversed pair


@pytest.mark.slow
def test_the_same_cells_in_every_format(study: tuple[Report, Path], tmp_path: Path) -> None:
    report, document = study
    html = text_of(page.render(report, tmp_path / "report.html")[0])
    found = json.loads(text_of(results_json.render(report, tmp_path / "results.json")[0]))
    write_tables(report, tmp_path, "csv")
    paper = compose_paper(report)
    stems = file_stems(report)
    tree = as_quarto.read(text_of(document), document.parent)
    compared = set()
    for content in report.contents:
        for table in content.tables:
            key = Key("table", content.name, table.name, table.measure, content.dataset)
            stem = stems[key]
            if f"tbl-{stem}" not in text_of(document):
                continue
            cells = cells_of_quarto(tree, stem)
            assert cells == cells_of_html(html, stem), stem
            texts = [[cell_text(c) for c in row] for row in format_cells(table.shown)]
            assert cells == [[plain_cell(c) for c in row] for row in texts], stem
            in_latex = [[escape_latex(c) for c in row] for row in texts]
            assert cells_of_latex(paper.table(key)) == in_latex, stem
            if (content.name, table.name) in (("inference", "pairs"), ("eda", "worst")):
                with (tmp_path / f"{stem}.csv").open(encoding="utf-8", newline="") as file:
                    rows = list(csv.reader(file))[1:]
                assert len(rows) == len(cells)
                exact = set(numbers(found["sections"][content.name]))
                values = [
                    x
                    for row in rows
                    for c in row
                    if re.match(r"-?\d", c)
                    for x in [*numbers(float(c))][:1]
                ]
                assert len(values) > 5
                assert set(values) <= exact, stem
            compared.add(table.name)
    assert {"pairs", "worst", "methods"} <= compared


# ------------------------------------------------------------------------------ numbers by name


def test_numbers_have_names(study: tuple[Report, Path]) -> None:
    report, document = study
    found = variables(report)
    (dataset,) = (d.name for d in report.design.datasets)
    (explored,) = (c for c in report.contents if c.name == "eda")
    row = explored.result["misclassification"].by_mean[0]
    place = found.tree[dataset]["misclassification"]
    assert found.tree["exact"][dataset]["misclassification"][row.candidate]["mean"] == row.mean
    assert place[row.candidate]["mean"] == f"{100 * row.mean:.2f}%"
    assert place["anna-vs-bert"].keys() >= {"estimate", "lower", "upper", "decision"}
    text = text_of(document.with_name("_variables.yml"))
    assert f'\n  misclassification:\n    {row.candidate}:\n      "n": ' in text


def test_names_that_collide_are_told(
    folders: Folders, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = make_report(("a b", "a-b"), ("study", "SVM", "svm"))
    found = variables(made)
    assert found.collisions == (("a-b", "a-b-2"), ("svm", "svm-2"))
    quarto.render(made, tmp_path / "index.qmd", folders)
    assert "_variables.yml: 'a-b' is called a-b-2, as another name is like it" in caplog.messages
    text = text_of(tmp_path / "_variables.yml")
    assert '# "svm" is called svm-2\n' in text
    assert '# "a b" is called a-b\n' in text


# ------------------------------------------------------------------------------- long names

MODELS = (
    *("gpt-4o-2024-11-20", "claude-3-5-sonnet-20241022", "meta-llama/Llama-3.1-70B-Instruct"),
    *("Qwen/Qwen2.5-72B-Instruct", "mistral-large-2411", "gemini-1.5-pro-002"),
)


@pytest.fixture(scope="module")
def long_names(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the article on six long names and eight data sets."""
    place = tmp_path_factory.mktemp("long")
    rng = np.random.default_rng(1)
    lines = [
        f"task{d},{b},{name},error,{0.3 + 0.03 * k + 0.02 * d + rng.normal(0, 0.02):.4f}"
        for d in range(8)
        for b in range(12)
        for k, name in enumerate(MODELS)
    ]
    head = "dataset,replication,candidate,measure,value"
    (place / "r.csv").write_text("\n".join([head, *lines]), encoding="utf-8")
    done = call("run", place / "r.csv", "--output", place, "--format", "qmd", "--jobs", "1")
    assert done.exit_code == 0, done.output
    return place / "r" / "quarto" / "index.qmd"


CLASSES = [
    *(("scrartcl", "a4paper", "DIV=11"), ("article", "twocolumn", "a4paper")),
    *(("elsarticle", "5p", "twocolumn"), ("IEEEtran", "conference")),
]


@pytest.mark.slow
@pytest.mark.parametrize("options", CLASSES, ids=[options[0] for options in CLASSES])
def test_latex_loses_nothing_of_long_names(long_names: Path, options: tuple[str, ...]) -> None:
    for name in ("index", "supplement"):
        told = as_quarto.set_latex(long_names.with_name(f"{name}.qmd"), *options)
        # IEEEtran stretches a column over its page where pictures leave no other place to break it
        assert [t for t in told if options[0] != "IEEEtran" or "too high" not in t] == []


def _compile(folder: Path, text: str) -> None:
    """Compile a document as x."""
    (folder / "x.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "x"]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)


@pytest.mark.parametrize("is_ours", [True, False])
def test_a_short_table_of_latex_is_whole_and_no_head_stands_alone(
    is_ours: bool, tmp_path: Path
) -> None:
    need_latex("pdflatex", "booktabs.sty", "longtable.sty")
    head = quarto.tables_file() if is_ours else ""
    rows = "".join(f"row {n} & {n} \\\\\n" for n in range(8))
    table = f"\\begin{{longtable}}{{lr}}\\caption{{X}}\\\\\\toprule a & b\\\\\\endhead\n{rows}"
    text = (
        f"\\documentclass{{article}}\\usepackage{{longtable,booktabs}}\n{head}\\begin{{document}}\n"
        f"\\vspace*{{.84\\textheight}}\nWords.\n\n{table}\\end{{longtable}}\nMore.\n\\end{{document}}\n"
    )
    _compile(tmp_path, text)
    first, second = _pages(tmp_path / "x.pdf")
    assert "Words" in first
    assert ("Table 1" in first) != is_ours
    assert (second.count("row") == 8) == is_ours


@pytest.mark.parametrize("is_ours", [True, False])
def test_a_page_with_a_float_above_a_table_does_not_grow(is_ours: bool, tmp_path: Path) -> None:
    need_latex("pdflatex", "booktabs.sty", "longtable.sty")
    head = quarto.tables_file() if is_ours else ""
    table = "\\begin{longtable}{l}\\toprule a\\\\\\endhead row\\\\\\end{longtable}"
    figure = "\\begin{figure}[%s]\\rule{1cm}{.3\\textheight}\\end{figure}\n\n"
    text = (
        f"\\documentclass{{article}}\\usepackage{{longtable,booktabs}}\n{head}\\begin{{document}}\n"
    )
    text += figure % "t" + f"Words.\n\n{table}\n\nWords.\n\n" + figure % "h" + "More.\n\n" * 60
    _compile(tmp_path, text + "\\end{document}\n")
    assert ("Overfull \\vbox" in (tmp_path / "x.log").read_text("latin-1")) != is_ours


ENTRY = "Heading\n\n{}\n\nEnd of the entry."


@pytest.mark.parametrize("is_ours", [True, False])
def test_an_entry_of_latex_is_whole(is_ours: bool, tmp_path: Path) -> None:
    need_latex("pdflatex", "float.sty")
    head = quarto.tables_file() + (read_text("quarto/numbers-s.tex") if is_ours else "")
    figure = "\\begin{figure}[h]\\rule{1cm}{.2\\textheight}\\caption{X}\\end{figure}"
    entry = f"\\begin{{rgentry}}\n{ENTRY.format(figure)}\n\\end{{rgentry}}\n"
    text = (
        f"\\documentclass{{article}}\n{head}\\begin{{document}}\n"
        f"\\vspace*{{.85\\textheight}}\nWords.\n\n{entry * 2}\\end{{document}}\n"
    )
    _compile(tmp_path, text)
    pages = [re.findall("Heading|Figure S?[12]|End", p) for p in _pages(tmp_path / "x.pdf")]
    whole = [[], ["Heading", "Figure S1", "End", "Heading", "Figure S2", "End"]]
    assert (pages == whole) == is_ours


def test_an_entry_of_typst_is_whole(tmp_path: Path) -> None:
    typst = pytest.importorskip("typst", reason="typst is not installed")
    text = read_text("quarto/tables.typ") + "#v(88%)\nWords.\n\n"
    for figures in ("#rect(height: 5cm)", "#rect(height: 15cm)\n" * 2):
        text += f"#entry[\n{ENTRY.format(figures)}\n]\n"
    (tmp_path / "x.typ").write_text(text, encoding="utf-8")
    typst.compile(str(tmp_path / "x.typ"), output=str(tmp_path / "x.pdf"))
    pages = [re.findall("Heading|End", page) for page in _pages(tmp_path / "x.pdf")]
    assert pages == [[], ["Heading", "End", "Heading"], ["End"]]  # the last is longer than a page


def _pages(pdf: Path) -> list[str]:
    if shutil.which("pdftotext") is None:
        pytest.skip("Poppler is not installed")
    told = subprocess.run(["pdftotext", pdf, "-"], capture_output=True, check=True).stdout
    return told.decode().rstrip("\f").split("\f")


@pytest.mark.slow
def test_names_without_end_stay_on_their_page(tmp_path: Path) -> None:
    """In texts and in tables of small type: of more than 5 pt the log would tell."""
    names = ("x" * 120, "meta_llama/" * 11, "lda")
    document = tmp_path / "index.qmd"
    quarto.render(make_report(candidates=names), document, (Path(__file__).parent / "templates",))
    told = as_quarto.set_latex(document, "article")
    assert [fault for fault in told if "too wide" in fault] == []
    assert "xxxxxx\\hspace{0pt}xxxxxx" in document.with_suffix(".tex").read_text(encoding="utf-8")


@pytest.mark.slow
def test_two_columns_of_a_title_are_met(long_names: Path) -> None:
    r"""ACM's class goes to two columns in `\maketitle`, before which it wants the abstract.

    Pandoc's own template has that after the title, so errors of the class are not of the document.
    """
    for name in ("index", "supplement"):
        document = long_names.with_name(f"{name}.qmd")
        told = as_quarto.set_latex(document, "acmart", "sigconf", "nonacm")
        assert not [fault for fault in told if "longtable" in fault or "too wide" in fault]
        assert r"\begin{longtable}" in document.with_suffix(".tex").read_text(encoding="utf-8")
