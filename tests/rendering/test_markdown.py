from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from reportgen.errors import RenderingError
from reportgen.rendering import markdown
from reportgen.rendering.names import Key
from reportgen.rendering.render_context import RenderContext
from reportgen.report import Report
from tests.made_up import MADE_UP, report_of

Folders = tuple[Path, ...]


@pytest.fixture
def written(report: Report, folders: Folders, tmp_path: Path) -> str:
    return markdown.render(report, tmp_path / "report.md", folders)[0].read_text(encoding="utf-8")


def test_remarks_and_the_design_follow_the_title(written: str) -> None:
    assert written.startswith("# A fine study\n\n- **Mean of svm.** svm has **1.00%**.\n")
    assert "\n\nThree candidates learn" in written
    assert "(Figure 1)" not in written  # which only the other formats have


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("so. {table}", "so. (Table 7)"),
        ("so ({table}).", "so ((Table 7))."),
        ("so. {figure}", "so."),
        ("so {figure}, and", "so, and"),
        ("so ({figure}).", "so."),
        ("as in {figure}.", "as in the full report."),
        ("within {figure}.", "within."),
        ("{figure}{figure} {table}{figure}", " (Table 7)"),
        ("So. {figure} has more, {table} too. And", "So. And"),
        ("{table} has more.", "(Table 7) has more."),
        ("{figure} is new (Eugster 2011, fig. 2.7): so, too (ch. 2.4). And", "And"),
    ],
)
def test_what_is_referred_to_is_there(report: Report, said: str, expected: str) -> None:
    context = RenderContext(report, markdown.MARKDOWN)
    keys = {
        kind: Key(kind, "toy", name, "misclassification", "monks")
        for kind, name in (("table", "means"), ("figure", "bars"))
    }
    for key in keys.values():
        context.numbering.labels[context.numbering.anchor(key)] = "Table 7"
    tokens = {
        kind: f"({context.label_token(context.numbering.anchor(key))})"
        for kind, key in keys.items()
    }
    text = markdown.without_dangling(context, said.format(**tokens), [keys["table"]])
    assert context.insert_labels(text) == expected
    nowhere = f"({context.label_token('figure-of-nothing')})"
    with pytest.raises(RenderingError, match="allowed to what the report has"):
        markdown.without_dangling(context, nowhere, [])


def test_what_is_said_of_gaps_is_a_paragraph_of_its_own(
    many: Report, folders: Folders, tmp_path: Path
) -> None:
    gappy = tuple(replace(d, n_incomplete=1, missing={"rf": 1}) for d in many.design.datasets)
    changed = replace(many, design=replace(many.design, datasets=gappy))
    text = markdown.render(changed, tmp_path / "r.md", folders)[0].read_text(encoding="utf-8")
    assert "\n\nIncomplete replications stay in:" in text


def test_tables_of_decisions_are_tables(written: str) -> None:
    html = MarkdownIt("gfm-like", {"linkify": False}).render(written)
    assert html.count("<table>") == 1
    assert '<td style="text-align:left">● better, not relevant</td>' in html


def test_nothing_points_to_files_or_pictures(written: str) -> None:
    assert not re.search(r"!\[|\]\(|\.svg|\.png", written)


def test_the_index_of_data_sets_is_a_table(many: Report, folders: Folders, tmp_path: Path) -> None:
    text = markdown.render(many, tmp_path / "r.md", folders)[0].read_text(encoding="utf-8")
    assert "## Data sets" in text
    assert re.search(r"^\| set 4 \| 500 \| 4 \| svm \|$", text, re.MULTILINE)


def test_attacks_stay_text(hostile: Report, folders: Folders, tmp_path: Path) -> None:
    text = markdown.render(hostile, tmp_path / "r.md", folders)[0].read_text(encoding="utf-8")
    html = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    assert "<script" not in html
    assert "<img" not in html
    assert "<a " not in html
    assert "<td>a|b</td>" in re.sub(r' style="[^"]*"', "", html)


def test_long_tables_stay_in_the_report(report: Report, folders: Folders, tmp_path: Path) -> None:
    content = report.contents[0]
    rows = content.tables[0].rows * 30
    table = replace(content.tables[0], rows=rows, quiet=())
    longer = replace(report, contents=(replace(content, tables=(table,)),))
    text = markdown.render(longer, tmp_path / "r.md", folders)[0].read_text(encoding="utf-8")
    assert "|" not in text


def test_the_same_report_gives_the_same_bytes(
    report: Report, folders: Folders, tmp_path: Path, written: str
) -> None:
    again = markdown.render(report, tmp_path / "again.md", folders)[0]
    assert again.read_text(encoding="utf-8") == written


def test_expectations_lead_under_a_heading_of_their_own(tmp_path: Path) -> None:
    found = report_of(MADE_UP["expectations"])
    text = markdown.render(found, tmp_path / "r.md")[0].read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings == ["Expectations", "Design", "Decisions"]
    own = text[text.index("## Expectations") : text.index("## Design")]
    assert re.search(r"^Of .* expectations .* hold", own, re.MULTILINE)
    assert re.search(r"^\| Expectation \| .* \| Outcome \|", own, re.MULTILINE)
    assert text.count("| Expectation |") == 1


def test_a_report_that_expects_nothing_has_no_such_heading(written: str) -> None:
    assert "## " not in written
