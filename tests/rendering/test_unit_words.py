"""Words for items and samples: templates ask for them, labels exchange them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from markupsafe import Markup

from reportgen.cli import main
from reportgen.rendering import page
from reportgen.rendering.templates import environment, template_folder
from reportgen.sections import find_sections
from reportgen.units import (
    ITEM,
    REPLICATION,
    SAMPLE,
    SETTING,
    VOCABULARIES,
    Unit,
    in_words,
)
from tests.made_up import MADE_UP, report_of

KEPT = (
    "settings of one data set",
    "a data set of its own",
    "conditional on the data set ",
    "on the data set at hand",
    "data sets of the same source",
    "other data sets of a field; the unit is the data set",
    "given the data set. A recursive",
    "what the data sets themselves lack",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A replication of a data set", "An item of a task"),
        ("in 3 replications of these data sets", "in 3 items of these tasks"),
        ("Data sets", "Tasks"),
        ("missing-replications", "missing-replications"),
        ("design.n_replications", "design.n_replications"),
        ("#replication", "#replication"),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert in_words(text, ITEM) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tests on every data set: p", "Tests in every setting: p"),
        ("Of each data set, left", "In each setting, left"),
        ("replications of each data set", "replications in each setting"),
        ("All data sets", "All settings"),
        ("conditional upon a data set", "conditional upon a setting"),
        ("position of data, set on end", "position of data, set on end"),
    ],
)
def test_words_of_settings(text: str, expected: str) -> None:
    assert in_words(text, SETTING) == expected


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        (REPLICATION, "A replication on each data set, of a data set; replications for each"),
        (ITEM, "An item on each task, of a task; items for each"),
        (SAMPLE, "A measurement on each data set, of a data set; measurements for each"),
        (SETTING, "A replication in each setting, of a data set; replications in each"),
    ],
    ids=lambda x: getattr(x, "name", ""),
)
def test_templates_ask_a_unit_for_its_words(unit: Unit, expected: str) -> None:
    source = (
        "{{ UNIT|a|capital }} {{ ON }} each {{ DATA_SET }}, of a {{ PROPER_DATA_SET }}; "
        "{{ UNITS }} {{ FOR }} each"
    )
    assert environment((), Markup, unit=unit).from_string(source).render() == expected


def test_a_report_of_settings_speaks_of_settings(tmp_path: Path) -> None:
    page.render(report_of(MADE_UP["settings"]), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    ours = re.sub(r"<style.*?</style>|<pre.*?</pre>|Multiple Data Sets", "", text, flags=re.DOTALL)
    for kept in KEPT:
        ours = ours.replace(kept, "")
    assert re.findall(r".{0,40}\bdata sets?\b.{0,40}", ours, re.IGNORECASE) == []


OF_NO_UNIT = ("documents", "manifests")
"""Templates of documents that speak of no one study."""


def other_words(name: str) -> set[str]:
    """Return the words of replications in the place of which a template may need others."""
    if name.startswith(OF_NO_UNIT):
        return set()
    units = [*VOCABULARIES]
    kind, _, own = name.rpartition("/")
    if kind == "units":  # its own, and those of settings where its values are blocks
        units = [SETTING] if own == "replication.md.j2" else []
    if kind == "sections":
        names = find_sections()[own.removesuffix(".md.j2")].units
        units = [u for u in VOCABULARIES if u.name in names or u is SETTING]
    if name.startswith(("domain_", "sections/domain")):  # settings are no domain
        units = [u for u in units if u is not SETTING]
    return {usual for unit in units for usual in unit.words}


def plain_words(text: str, words: set[str]) -> list[str]:
    """Return the words of replications in a template's own text and its strings."""
    parts = re.split(r"(\{\{.*?\}\}|\{%.*?%\}|<#.*?#>)", text, flags=re.DOTALL)
    ours = [part for part in parts if not part.startswith(("{", "<#"))]
    for tag in (part for part in parts if part.startswith("{")):
        found = re.finditer(r'(== |!= |in )?("[^"]*"|\'[^\']*\')(:)?', tag)
        ours += [m[2][1:-1] for m in found if not (m[1] or m[3])]
    pattern = rf"(?<![\w./#-])(?:{'|'.join(words)})s?(?![\w-])"
    return [m[0] for part in ours for m in re.finditer(pattern, part, re.IGNORECASE) if words]


def test_plain_words_are_found() -> None:
    """What the next test looks for."""
    text = 'a replication {{ "two data sets" if x == "replication" }}{{ {"replication": y} }}'
    assert plain_words(text, {"replication", "data set"}) == ["replication", "data sets"]
    assert plain_words("{{ UNITS }} <# replications #> n_replications", {"replication"}) == []
    assert other_words("documents/history.md.j2") == set()
    assert other_words("sections/sequential.md.j2") == {"data set"}


@pytest.mark.parametrize("path", sorted(template_folder().rglob("*.j2")), ids=lambda p: p.name)
def test_templates_have_no_words_of_one_unit(path: Path) -> None:
    """In place of "replication" and "data set" they ask for those of the report's unit."""
    words = other_words(str(path.relative_to(template_folder())))
    assert plain_words(path.read_text(encoding="utf-8"), words) == []


@pytest.mark.slow
def test_a_report_of_items_speaks_of_items(tmp_path: Path) -> None:
    rows = [
        f"data set {t},i{i},{c},{int((7 * i + 3 * t + k * i) % 5 < 2 + k)},{k + i % 7}"
        for t in range(3)
        for i in range(24)
        for k, c in enumerate("abc")
    ]
    (tmp_path / "answers.csv").write_text("\n".join(["task,item,model,correct,cost", *rows]) + "\n")
    (tmp_path / "study.yaml").write_text(
        "results:\n  file: answers.csv\n  unit: item\n"
        "  columns: {dataset: task, candidate: model}\n"
        "measures:\n  - {name: accuracy, column: correct}\n  - {name: cost, better: smaller}\n"
    )
    words = ["run", str(tmp_path / "study.yaml"), "--output", str(tmp_path), "--format", "html"]
    answer = CliRunner().invoke(main, words, catch_exceptions=False)
    assert answer.exit_code == 0, answer.stderr
    page = (tmp_path / "study" / "report.html").read_text(encoding="utf-8")
    assert "data set 0" in page  # a name
    ours = re.sub(r"<style.*?</style>|<pre.*?</pre>|Multiple Data Sets", "", page, flags=re.DOTALL)
    ours = re.sub(r"data set [0-2]", "", ours)
    found = re.findall(r".{0,40}\b(?:replications?|data sets?)\b.{0,40}", ours, re.IGNORECASE)
    assert found == []
