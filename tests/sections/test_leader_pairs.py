"""Of more than ten candidates the article has the best mean against each rival, the supplement all.

Held in each format that has both: in the text of the article stands a row for each rival, in the
rest one for each pair.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.api.study import BenchmarkStudy

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

NAMES = tuple(f"c{i:02d}" for i in range(11))
SKILL = np.linspace(1.5, -1.0, len(NAMES))


def errors(n_datasets: int, n: int) -> pd.DataFrame:
    rng = np.random.default_rng(44)
    values = 0.3 - 0.05 * SKILL + rng.normal(0, 0.02, (n_datasets, n, len(NAMES)))
    rows = [
        (f"d{m}", b, name, "misclassification", values[m, b, k])
        for m, b, k in np.ndindex(values.shape)
        for name in (NAMES[k],)
    ]
    return pd.DataFrame(rows, columns=["dataset", "replication", "candidate", "measure", "value"])


def answers() -> pd.DataFrame:
    rng = np.random.default_rng(44)
    right = rng.random((2, 60, len(NAMES))) < 1 / (1 + np.exp(-SKILL))
    rows = [
        (f"t{t}", f"i{i}", NAMES[k], int(right[t, i, k])) for t, i, k in np.ndindex(right.shape)
    ]
    return pd.DataFrame(rows, columns=["dataset", "item", "candidate", "accuracy"])


def battles() -> pd.DataFrame:
    rng = np.random.default_rng(44)
    a, b = rng.integers(0, len(NAMES), (2, 1500))
    a, b = a[a != b], b[a != b]
    won = rng.random(len(a)) < 1 / (1 + np.exp(SKILL[b] - SKILL[a]))
    return pd.DataFrame(
        {
            "model_a": [NAMES[k] for k in a],
            "model_b": [NAMES[k] for k in b],
            "winner": np.where(won, "model_a", "model_b"),
        }
    )


KINDS = {"single": "inference", "domain": "domain", "items": "items", "battles": "inference"}
"""The section that has the verdict."""


def study_of(kind: str) -> BenchmarkStudy:
    if kind == "items":
        return reportgen.compare(answers(), measures=["accuracy"])
    if kind == "battles":
        return reportgen.compare(battles())
    return reportgen.compare(errors(1, 20) if kind == "single" else errors(6, 4))


def tables_of(text: str) -> list[tuple[str, int]]:
    """Return caption and number of rows of each table of Markdown."""
    found = re.findall(
        r"^\*\*(Table .*?)$(.*?)(?=^\*\*Table |^#|\Z)", text, re.DOTALL | re.MULTILINE
    )
    return [(caption, len(re.findall(r"^\| ", body, re.MULTILINE)) - 2) for caption, body in found]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_article_has_the_rivals_and_the_supplement_all_pairs(kind: str, tmp_path: Path) -> None:
    formats = ["md", "qmd", "latex", *(["html"] if kind == "single" else [])]
    study_of(kind).report(tmp_path, formats=formats)
    tables = tables_of((tmp_path / "report.md").read_text())
    (rivals,) = ((c, n) for c, n in tables if c.startswith("Table 1. c00, which has the"))
    pairs = next((c, n) for c, n in tables if "All pairs" in c)
    assert "against each other candidate" in rivals[0]
    assert (rivals[1], pairs[1]) == (10, 55)
    assert pairs[0].startswith("Table S")
    name = rf"{KINDS[kind]}-{{}}-\w+"
    for folder, article in (("latex", "results.tex"), ("quarto", "index.qmd")):
        main = (tmp_path / folder / article).read_text()
        rest = next((tmp_path / folder).glob("supplement.*")).read_text()
        for text, there, absent in (
            (main, "leader-pairs", "pairs"),
            (rest, "pairs", "leader-pairs"),
        ):
            placed = re.findall(r"tables/([\w-]+)\}|^:{3,} \{#tbl-([\w-]+)", text, re.MULTILINE)
            names = ["".join(pair) for pair in placed]
            assert any(re.fullmatch(name.format(there), x) for x in names), (folder, names)
            assert not any(re.fullmatch(name.format(absent), x) for x in names), (folder, names)
    if "html" in formats:
        page = (tmp_path / "report.html").read_text()
        rows = dict(
            re.findall(
                r'<figure id="table-inference-([a-z-]+)-mis.*?<tbody>(.*?)</tbody>', page, re.DOTALL
            )
        )
        assert rows["leader-pairs"].count("<tr") == 10
        assert rows["pairs"].count("<tr") == 55
        before, after = page.split('<figure id="table-inference-leader-pairs')
        assert 'id="table-inference-pairs-' in after
        assert before.count("<details") == before.count(
            "</details>"
        )  # in the article, not in a fold
        assert "against each other candidate" not in before


def test_of_many_candidates_the_items_of_a_task_tell_of_its_best_mean() -> None:
    study = study_of("items")
    result = study._brief_runner.results("items")[None]
    assert not result.shows_all_pairs
    assert len(result.shown_pairs) == 2 * (len(NAMES) - 1)
    for task, pair in result.shown_pairs:
        assert pair.first == next(iter(task.ranks))
        assert (pair.estimate or 0.0) >= 0
    assert all(len(task.pairs) == len(NAMES) * (len(NAMES) - 1) // 2 for task in result.tasks)
    few = reportgen.compare(
        answers().query("candidate in @NAMES[:10]"), measures=["accuracy"]
    )._brief_runner.results("items")[None]
    assert few.shows_all_pairs
