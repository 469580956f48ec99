"""Any name and text in a report: in no format does it become markup, a command or code."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reportgen.rendering.markup import clean
from tests.fuzz.executions import FEWER
from tests.fuzz.names import names
from tests.fuzz.outcome import command
from tests.rendering import as_quarto, quarto_shortcodes
from tests.rendering.pages import Page

CITED = re.compile(r"@(?:tbl|fig|sec)-[a-z0-9-]+")
"""A table or figure, whose name may have letters and digits of a measure's."""
MARK = "zq"
"""What a name has inside of markup: it is found again where the markup became one."""
MARKUP = (
    *("*zq*", "_zq_", "**zq**", "`zq`", "``` zq", "~zq~", "^zq^", "==zq==", "$zq$", "$$zq$$"),
    *("[zq](zq)", "![zq](zq)", "[zq]{.zq}", "[^zq]", "^[zq]", "@zq", "[@zq]", "<zq>", "</zq>"),
    *("<b onclick=zq>", "<script>zq</script>", "<!--zq", "]]>", "&zq;", "&#60;zq&#62;", '" zq="'),
    *("' zq='", "javascript:zq", "https://zq.org", "\\zq", "\\zq{", "\\(zq\\)", "{\\zq}", "%zq"),
    *("{{zq}}", "{% zq %}", "{# zq #}", "{{< zq >}}", "{{{< zq >}}}", "::: zq", "# zq", "> zq"),
    *(
        "- zq",
        "1. zq",
        "| zq |",
        "---",
        "***",
        "\n",
        "\n\n",
        "\t",
        "    zq",
        "&",
        "#",
        "^^M",
        "^^5c",
    ),
    *("^^5c", "`r zq`", "`{=html}`", "```{python}\nzq\n```", "#zq[x]", "#zq()", "@zq[x]", "//zq"),
    "/*zq*/",
    *("é", "日本", "שלום", "\u202e", "\u200b", "\ue000", "\x1b[31m", "a", " ", "zq", '"', "'", "|"),
)
texts = st.lists(st.sampled_from(MARKUP), min_size=1, max_size=4).map("".join) | names

TYPED = {
    "...": "\u2026",
    "---": "\u2014",
    "--": "\u2013",
}
"""What Pandoc sets in place of dots and dashes, by what is typed."""
END = "\u00b6"
"""What stands between two blocks, and in no text."""
FORMATS = ("html", "md", "latex", "qmd")


@dataclass(frozen=True)
class Texts:
    """What a study is of, and what its authors say of it, which may have emphasis and links."""

    candidates: list[str]
    datasets: list[str]
    keyword: str
    author: str
    affiliation: str
    city: str
    measure: str
    unit: str
    characteristic: str
    words: str

    @property
    def plain(self) -> list[str]:
        """All that has no markup."""
        own = (self.keyword, self.author, self.affiliation, self.city)
        return [
            *self.candidates,
            *self.datasets,
            *own,
            self.measure,
            self.unit,
            self.characteristic,
        ]

    def write(self, folder: Path) -> Path:
        """Write a manifest and its results."""
        rng = np.random.default_rng(3)
        rows = [
            {"dataset": d, "candidate": c, "replication": k, "loss": rng.random()}
            for d in self.datasets
            for c in self.candidates
            for k in range(1, 9)
        ]
        (folder / "results.json").write_text(json.dumps(rows), "utf-8")
        with (folder / "about.csv").open("w", encoding="utf-8", newline="") as file:
            known = csv.writer(file)
            known.writerow(["dataset", self.characteristic])
            known.writerows([d, m] for m, d in enumerate(self.datasets))
        words = self.words.replace(MARK, "qx")  # of which no two in a row hold the mark
        author = {"name": self.author, "affiliation": self.affiliation, "city": self.city}
        measure = {"name": self.measure, "column": "loss", "better": "smaller", "unit": self.unit}
        manifest = {
            "results": {"file": "results.json", "characteristics": "about.csv"},
            "measures": [measure],
            "study": {"title": words, "abstract": words, "keywords": [self.keyword]}
            | {"authors": [author]},
            "sections": ["eda", "inference"],
            "report": {"footer": words},
        }
        (folder / "study.yaml").write_text(json.dumps(manifest), "utf-8")
        return folder / "study.yaml"


lists = partial(st.lists, texts, unique=True)
studies = st.builds(
    Texts, lists(min_size=2, max_size=3), lists(min_size=1, max_size=2), *[texts] * 8
)
KEPT = [
    Texts(**known)
    for known in json.loads((Path(__file__).parent / "corpora" / "texts.json").read_text("utf-8"))
]
"""Texts that are tried in every run: each sign at each place, and what was once found."""


def with_kept(test: Any) -> Any:
    """Add what is kept to what a test is given."""
    for study in KEPT:
        test = example(study)(test)
    return test


@pytest.mark.slow
@FEWER
@with_kept
@given(studies)
def test_texts_stay_texts(study: Texts) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name) / "out"
        path = study.write(Path(name))
        arguments = ("--jobs", "1", "--format", ",".join(FORMATS))
        places = ["study.yaml", "results.json", "about.csv", "study.", "report."]
        if command("run", path, "-o", folder, *arguments, places=places).exit_code:
            return
        check_html(next(folder.rglob("report.html")).read_text("utf-8"))
        for path in folder.rglob("*.tex"):
            check_latex(path.read_text("utf-8"))
        check_markdown(next(folder.rglob("report.md")).read_text("utf-8"), Path(name), study)
        for path in next(folder.rglob("index.qmd")).parent.rglob("*.qmd"):
            text = as_quarto.INCLUDE.sub("", path.read_text("utf-8"))
            assert not [found for found in quarto_shortcodes.in_text(text) if MARK in found]
            check_markdown(text, Path(name), study)


def check_html(source: str) -> None:
    """No element, attribute, link or script of a page is of a text."""
    page = Page(source)
    assert not page.unclosed
    for tag, attributes in page.elements:
        assert MARK not in tag
        assert not [a for a in attributes if MARK in a or a.startswith("on")], (tag, attributes)
        for name in ("src", "style", "class"):
            assert MARK not in attributes.get(name, ""), (tag, attributes)
        target = attributes.get("href", "#")
        assert target.startswith(("#", "data:text/csv;")) or MARK not in target, (tag, attributes)
    assert [s.get("type", "") for s in page.all("script")] == ["application/json", ""]
    assert MARK not in re.findall(r"<script>(.*?)</script>", source, re.DOTALL)[-1]


def check_latex(source: str) -> None:
    """No command and no mathematics is of a text."""
    for sign in ("<", ">", r"\mathdollar"):  # which are set as mathematics, each by itself
        source = source.replace(f"${sign}$", "")
    assert not re.search(r"\\\\?zq|(?<!\\)[$%&_^#]zq|\\href\{[^}]*zq|\^\^M|\^\^5c", source)


def check_markdown(text: str, folder: Path, study: Texts) -> None:
    """Whatever of a text is read is read as it was written, with all that could be markup."""
    tree = as_quarto.read(text, folder)
    said = letters(CITED.sub("", _words(tree["blocks"])))
    in_manifest = [json.dumps(name)[1:-1] for name in study.plain]
    for name in sorted(map(letters, study.plain + in_manifest), key=len, reverse=True):
        said = said.replace(name, "")
    assert MARK not in said, said[max(said.index(MARK) - 40, 0) :][:100]
    raw = [node["c"] for node in as_quarto.nodes(tree) if node["t"] in ("RawInline", "RawBlock")]
    assert not [text for _, text in raw if MARK in text or "qx" in text]
    assert not quarto_shortcodes.in_tree(tree["blocks"])


def letters(text: str) -> str:
    """Return a text without what lays it out and quotes, which Pandoc pairs; dashes as typed."""
    for typed, found in TYPED.items():
        text = re.sub(found, typed, text)
    return re.sub(r"[\s\u00ad\u200b\u2060\"'\u2018-\u201d]", "", clean(text))


def _words(tree: Any) -> str:
    """Return the texts of a tree, block by block, without blocks of code."""
    return as_quarto.plain(as_quarto.change(tree, _ended))


def _ended(node: Any) -> Any:
    """End a block, so that the end of a cell and the start of the next are no name together."""
    if node["t"] == "CodeBlock":
        return []
    if node["t"] in ("Plain", "Para"):
        return {**node, "c": [*node["c"], {"t": "Str", "c": END}]}
    return node
