"""Forms of a report have the same numbers and words; estimates lie in intervals; all is named.

Each of our studies is reported, those that run an experiment with few replications, and made-up
files of results at the edge: two candidates, five replications, gaps, one value a cell.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from math import inf
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from reportgen.cli import main
from tests import agreement
from tests.builders import (
    brief_results,
    few_results,
    gapped_results,
    pair_results,
    single_results,
    timed_single_results,
)

ROOT = Path(__file__).parents[1]
FILES: dict[str, Callable[[Path], Path]] = {
    "few": few_results,
    "pair": pair_results,
    "brief": brief_results,
    "gapped": gapped_results,
    "single": single_results,
    "single-timed": timed_single_results,
}
FEW = ("--set", "setup.resampling.replications=10")
STUDIES: dict[str, tuple[str, ...]] = {
    "assistants": (),
    "assistants-battles": (),
    "battles": (),
    "battles-looks": (),
    "cars": FEW,
    "classics": FEW,
    "classics-adaptive": (
        *("--set", "setup.resampling.replications.max=20"),
        *("--set", "setup.resampling.replications.stage=10"),
    ),
    "families": (),
    "monks3": ("--set", "setup.resampling.replications=2"),
    "monks3-quick": FEW,
    "new-method": (),
    "pilot": (),
    "processes": (),
    "prompts": (),
    "quickstart": FEW,
    "resampling-effect": (),
    "sensitivity": FEW,
    "skeletons": (),
    "three-scenarios": FEW,
    "toy-separability": FEW,
    "variation": (),
}
NAMED = ("preferences", "consensus", "sequential")  # sections without a text for articles
HAS_NO_PAIRS = ("skeletons",)  # a table of numbers, in which nothing is compared

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("pdftotext") is None, reason="Poppler is not installed"),
]


def reported(study: Path, folder: Path, *more: str) -> Path:
    """Report a study in all forms that are read, and return its folder."""
    words = ["run", str(study), "--output", str(folder), "--format", "html,pdf,md", *more]
    answer = CliRunner().invoke(main, words, catch_exceptions=False)
    assert answer.exit_code == 0, answer.stderr
    return next(path for path in folder.iterdir() if path.is_dir())


def check(folder: Path, *, has_pairs: bool = True) -> None:
    """Hold the forms of a report against one another, and its intervals against estimates."""
    page = (folder / "report.html").read_text(encoding="utf-8")
    paper = agreement.text_of_paper(folder)
    assert agreement.differing_numbers(page, paper) == (set(), set())
    assert agreement.words_of_paper_alone(page, paper) == set()
    tree = agreement.tree_of(page)
    assert agreement.uncited(tree) == []
    outside = [
        where
        for where, lower, estimate, upper in agreement.printed_intervals(tree)
        if not lower <= estimate <= upper
    ]
    assert outside == []

    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    found = list(agreement.intervals(results))
    assert bool(found) == has_pairs
    for path, row in found:
        slack = agreement.ROUNDING * max(1.0, abs(row["estimate"]))
        assert row["lower"] - slack <= row["estimate"] <= row["upper"] + slack, path
    bounds = {
        measure["name"]: tuple(
            other if bound is None else bound
            for bound, other in zip(measure["bounds"], (-inf, inf), strict=True)
        )
        for measure in results["design"]["measures"]
    }
    assert agreement.beyond_bounds(results, bounds) == []


SAID_WITH_OTHERS = {
    "classics": {"preferences", "consensus"}
}  # pages of data sets have no heads of these


def test_every_study_is_here() -> None:
    assert {file.stem for file in (ROOT / "studies").glob("*.yaml")} == set(STUDIES)


@pytest.mark.parametrize("name", FILES)
def test_forms_of_a_file_of_results_agree(name: str, tmp_path: Path) -> None:
    check(reported(FILES[name](tmp_path / f"{name}.csv"), tmp_path / "out"))


@pytest.mark.parametrize("name", STUDIES)
def test_forms_of_a_study_agree(name: str, tmp_path: Path) -> None:
    study = ROOT / "studies" / f"{name}.yaml"
    folder = reported(study, tmp_path / "out", *STUDIES[name])
    check(folder, has_pairs=name not in HAS_NO_PAIRS)
    asked = yaml.safe_load(study.read_text("utf-8")).get("sections", ())
    named = {key for entry in asked for key in ([entry] if isinstance(entry, str) else entry)}
    page = (folder / "report.html").read_text(encoding="utf-8")
    anchors = {str(e.get("id")) for e in agreement.tree_of(page).iter()}
    for section in named - SAID_WITH_OTHERS.get(
        name, set()
    ):  # one of several data sets or parts has more behind its name
        assert any(a == section or a.startswith(f"{section}-") for a in anchors), section


@pytest.mark.parametrize("name", ["few", "pair", "brief"])
def test_a_section_that_is_named_stands_in_every_form(name: str, tmp_path: Path) -> None:
    file = FILES[name](tmp_path / f"{name}.csv")
    study = tmp_path / "named.yaml"
    study.write_text(f"results: {{file: {file.name}}}\nsections: [{', '.join(NAMED)}]\n", "utf-8")
    folder = reported(study, tmp_path / "out")
    page = (folder / "report.html").read_text(encoding="utf-8")
    parts = {e.get("id"): e for e in agreement.tree_of(page).iter("section")}
    paper, summary = agreement.text_of_paper(folder), (folder / "report.md").read_text("utf-8")
    for section in NAMED:
        title = next(agreement.words_in(head) for head in parts[section].iter("h2"))
        assert title in paper
        assert f"## {title}" in summary
