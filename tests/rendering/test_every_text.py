"""Every text field of a report: Pandoc reads no raw code, mathematics, citation, note or block."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reportgen import fit_issues, performance_measure
from reportgen import report as report_module
from reportgen.fit_issues import Failure, FitWarning, HyperparameterChoice, MeasureFailure
from reportgen.performance_measure import Measure
from reportgen.rendering import quarto
from reportgen.report import Author, DatasetDesign, MeasuredWith, Report, StudyInfo
from tests.rendering import as_quarto, quarto_shortcodes
from tests.rendering.conftest import FOLDERS, content, make_report

ATTACKS = (
    *("{{< env zq >}}", "{{{< env zq >}}}", "$zq$", "$$zq$$", r"\(zq\)", "`zq`", "``` zq"),
    *("`zq`{=html}", "`r zq`", "::: zq", ":::: {.zq}", "@fig-zq", "[@zq]", "-@zq", "[^1]", "^[zq]"),
    *("[zq]{.zq}", "[zq](zq)", "![zq](zq)", "<b>zq</b>", "<!-- zq -->", "<script>zq</script>"),
    *(r"\zq{zq}", r"\begin{zq}", r"\input{zq}", "^^5cinput zq", "~~zq~~", "H~zq~O", "x^zq^"),
    *("# zq {#zq}", "> zq", "| zq |", "1. zq", "- zq", "---", "zq\\", "\\", "&zq;", "zq: zq"),
)
NEVER = (
    *("RawInline", "RawBlock", "Math", "Cite", "Note", "Div", "Span", "Image", "CodeBlock"),
    *("Header", "BlockQuote", "OrderedList", "HorizontalRule", "Superscript", "Subscript"),
    *("Strikeout", "DefinitionList", "Table", "Figure"),
)

TEXTS = {  # what a manifest, results, programs and machines say
    "MeasuredWith": {"versions"},
    "Provenance": {
        *("command", "versions", "platform", "processor", "inputs", "manifest", "commit"),
        *("execution",),
    },
    "Figure": {"alt", "measure"},
    "Column": {"label", "candidate"},
    "Table": {"measure"},
    "SectionContent": {"dataset"},
    "Author": {"name", "affiliation", "email", "city", "country"},
    "StudyInfo": {"name", "title", "abstract", "keywords", "cited_as", "reference"},
    "DatasetDesign": {
        *("name", "missing", "base", "factors", "response", "response_unit", "formula"),
    },
    "Design": {
        *("candidates", "descriptions", "relevance", "readings", "source", "costs", "reference"),
        *("waiting",),
    },
    "Layout": {"footer"},
    "Failure": {"dataset", "candidate", "message"},
    "MeasureFailure": {"measure", "datasets", "reason"},
    "FitWarning": {"dataset", "candidate", "message"},
    "HyperparameterChoice": {"dataset", "candidate", "parameter", "mode"},
    "Measure": {"name", "unit_symbol"},
}
OURS = {  # words of the program, what its forms check, and files
    "Provenance": {"date", "study_digests", "warehouse"},
    "Series": {"columns"},
    "Figure": {"name", "screen", "print", "phone", "fault", "pictures"},
    "Column": {"name"},
    "Table": {"name", "marked"},
    "SectionContent": {"name"},
    "Author": {"orcid"},
    "StudyInfo": {"doi"},
    "DatasetDesign": {"resampling"},
    "Design": {"resampling"},
    "Layout": {"serif", "sans", "logo", "light", "dark", "rules"},
    "Answer": {"topic", "items", "places", "facts", "missing"},
    "Report": {"named"},
    "Failure": {"status", "stage"},
    "DrawingFault": {"section", "dataset", "figure", "measure", "reason", "traceback"},
    "SectionFault": {"section", "dataset", "reason", "needs", "traceback"},
}


def test_every_field_with_text_is_known() -> None:
    for module in (report_module, fit_issues, performance_measure):
        for name, kind in vars(module).items():
            is_own = dataclasses.is_dataclass(kind) and isinstance(kind, type)
            if not is_own or kind.__module__ != module.__name__:
                continue
            own = {f.name for f in dataclasses.fields(kind) if "str" in str(f.type)}
            assert own == TEXTS.get(name, set()) | OURS.get(name, set()), name


def made_of(text: str) -> Report:
    """Return a report each of whose texts has another one in it, at its beginning or end."""
    names = tuple(f"{text} {k}" for k in "abc")
    sets = (f"{text} one", f"two {text}")
    measure = Measure(text, "smaller", "share", (0.0, 1.0))
    other = Measure(f"m {text}", "larger", text)
    made = make_report(sets, names)
    author = Author(text, text, "0000-0002-1825-0097", text, city=text, country=text)
    info = StudyInfo(
        text,
        text,
        (author, replace(author, name=f"{text} b")),
        f"{text}\n\nWords {text}",
        (text, f"k {text}"),
        text,
        reference=names[0],
    )
    where = replace(
        made.provenance,
        command=text,
        versions={text: text, "Python": text},
        platform=text,
        processor=text,
        inputs={text: "ab" * 32},
        manifest=f"a: {text}\n{text}\n",
        commit=text,
        execution={text: text},
        measured_with=(MeasuredWith({"Python": text, text: "1"}, 3), MeasuredWith({}, 2)),
    )
    design = replace(
        made.design,
        datasets=tuple(
            DatasetDesign(
                name,
                25,
                1,
                100,
                missing={names[1]: 1},
                base=text,
                factors={text: text, "n": i},
                response=text,
                response_unit=text,
                formula=text,
            )
            for i, name in enumerate(sets)
        ),
        descriptions=dict.fromkeys(names, text),
        measures=(measure, other),
        relevance={text: (-0.01, 0.01), other.name: (-1.0, 1.0)},
        readings=((text, text),),
        source=text,
        costs=(other.name,),
        failures=tuple(
            Failure(name, names[1], "failed", "fit", f"ValueError: {text}", i)
            for i, name in enumerate(sets)
        ),
        unmeasured=(MeasureFailure(other.name, sets, text, 3),),
        warnings=tuple(FitWarning(name, names[0], text, 2) for name in sets),
        choices=tuple(HyperparameterChoice(n, names[0], text, text, 2, 3, 2) for n in sets),
        waiting={names[0]: 3.0},
    )
    contents = tuple(content(name, i, names, measure) for i, name in enumerate(sets))
    contents = tuple(
        replace(
            own,
            figures=tuple(replace(f, alt=text) for f in own.figures),
            tables=tuple(_with_heads(table, text) for table in own.tables),
        )
        for own in contents
    )
    layout = replace(made.layout, footer=text)
    return replace(
        made, study=info, provenance=where, design=design, contents=contents, layout=layout
    )


def _with_heads(table: Any, text: str) -> Any:
    columns = tuple(replace(c, label=f"{text} {i}") for i, c in enumerate(table.columns))
    return replace(table, columns=columns)


def _read(text: str, folder: Path) -> tuple[Counter[str], list[str]]:
    """Return how often Pandoc finds each kind of node, and the shortcodes that are found."""
    document = quarto.render(made_of(text), folder / "index.qmd", FOLDERS)[0]
    found: Counter[str] = Counter()
    shortcodes: list[str] = []
    for path in (document, document.with_name("supplement.qmd")):
        if not path.exists():
            continue
        source = as_quarto.source(path)
        tree = as_quarto.read(source, folder)
        found.update(node["t"] for node in as_quarto.nodes(tree))
        shortcodes += quarto_shortcodes.in_text(source)
        shortcodes += map(str, quarto_shortcodes.in_tree(tree))
    for file in (*folder.rglob("*.qmd"), *folder.glob("*.yml")):
        text_of_file = re.sub(r"^#.*", "", file.read_text("utf-8"), flags=re.MULTILINE)
        shortcodes += quarto_shortcodes.in_text(text_of_file)
    return found, [s for s in shortcodes if not s.startswith("include datasets/_")]


@pytest.fixture(scope="module")
def harmless(tmp_path_factory: pytest.TempPathFactory) -> Counter[str]:
    """Return the nodes of a report whose texts are words."""
    return _read("word zq word", tmp_path_factory.mktemp("harmless"))[0]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(" ".join(ATTACKS), id="together"),
        pytest.param(" ".join(reversed(ATTACKS)), id="reversed"),
        *(pytest.param(attack, marks=pytest.mark.slow, id=attack) for attack in ATTACKS),
    ],
)
def test_no_field_becomes_more_than_text(text: str, harmless: Counter[str], tmp_path: Path) -> None:
    found, shortcodes = _read(text, tmp_path)
    assert shortcodes == []
    differing = {kind: (found[kind], harmless[kind]) for kind in NEVER}
    assert not {k: both for k, both in differing.items() if both[0] > both[1]}
    assert harmless["Table"] > 2  # else nothing would be compared
