"""Words for items and samples: exchanged in the program's own text, and nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from markupsafe import Markup

from reportgen.cli import main
from reportgen.rendering import page
from reportgen.rendering.templates import environment
from reportgen.units import ITEM, SETTING, in_words
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
        ("Index of data sets", "Index of settings"),
        ("conditional upon a data set", "conditional upon a setting"),
        ("position of data, set on end", "position of data, set on end"),
    ],
)
def test_words_of_settings(text: str, expected: str) -> None:
    assert in_words(text, SETTING) == expected


def test_a_data_set_that_is_meant_stays() -> None:
    source = "a data set as a {{ DATA_SET }} of its own"
    for unit, expected in ((SETTING, "a setting as a data set"), (ITEM, "a task as a task")):
        found = environment((), Markup, unit=unit)
        text = found.from_string(source).render()
        assert text == f"{expected} of its own"


def test_a_report_of_settings_speaks_of_settings(tmp_path: Path) -> None:
    page.render(report_of(MADE_UP["settings"]), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    ours = re.sub(r"<style.*?</style>|<pre.*?</pre>|Multiple Data Sets", "", text, flags=re.DOTALL)
    for kept in KEPT:
        ours = ours.replace(kept, "")
    assert re.findall(r".{0,40}\bdata sets?\b.{0,40}", ours, re.IGNORECASE) == []


def test_names_and_values_stay() -> None:
    source = (
        "{% set W = {'replication': 'a replication'} %}"
        "{{ name }}: {{ W[unit] }} {{ 'x' if unit == 'replication' else 'y' }} of a replication"
    )
    found = environment((), Markup, unit=ITEM)
    text = found.from_string(source).render(name="replication 7", unit="replication")
    assert text == "replication 7: an item x of an item"


def test_replications_have_their_own_words() -> None:
    found = environment((), Markup)
    assert found.from_string("a replication").render() == "a replication"


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
