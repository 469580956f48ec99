"""Forms of a report have the same numbers and words, and are as long as they may be; all is named.

Each of our studies is reported once in the forms that are read, with few replications where that
changes no page, those of the sources, and made-up files of results at the edge: two candidates,
five replications, gaps, one value a cell.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from math import inf
from pathlib import Path

import jsonschema
import pytest
import yaml
from click.testing import CliRunner

from reportgen.cli import main
from reportgen.rendering.results_json import SCHEMA_FILE
from tests import agreement
from tests.budgets import Budget, check_budget, text_of
from tests.builders import (
    brief_results,
    few_results,
    gapped_results,
    pair_results,
    single_results,
    timed_single_results,
)
from tests.rendering import as_quarto
from tests.report_cases import CASES, DATA, case

ROOT = Path(__file__).parents[1]
UCI = DATA / "uci621raw.csv"
DOMAIN = CASES / "domain-31" / "dom31.csv"
EDGES = (
    *("bound/bound.csv", "edge_small/edge_small.csv", "sign/sign.csv", "sign3/sign3.csv"),
    *("side-of-zero/rw_merged.yaml", "side-of-zero/sim.yaml"),
)
PAIR = "two-candidates-named-sections"
NAMED = (
    *("few-replications-named-sections/few9.yaml", f"{PAIR}/pm.yaml"),
    *(f"{PAIR}/two_consensus.yaml", f"{PAIR}/two_preferences.yaml", "groups-coloured/skelg.yaml"),
)
FREE = "decides-by-free-covariance/s_unstructured.yaml"
SCHEMA = jsonschema.Draft202012Validator(json.loads(SCHEMA_FILE.read_text(encoding="utf-8")))
FILES: dict[str, tuple[Budget, Callable[[Path], Path]]] = {
    "few": (Budget(3, 0, 4), few_results),
    "pair": (Budget(3, 0, 4), pair_results),
    "brief": (Budget(3, 0, 4), brief_results),
    "gapped": (Budget(8, 17, 10), gapped_results),
    "single": (Budget(5, 0, 8), single_results),
    "single-timed": (Budget(6, 1, 9), timed_single_results),
}
FEW = ("--set", "setup.resampling.replications=10")
STUDIES: dict[str, tuple[Budget | None, tuple[str, ...]]] = {
    "assistants": (Budget(5, 10, 10), ()),
    "assistants-battles": (None, ()),
    "battles": (Budget(4, 6, 7), ()),
    "battles-looks": (Budget(4, 7, 7), ()),
    "cars": (Budget(5, 7, 6), ()),
    "classics": (Budget(7, 14, 10), ("--set", "setup.resampling.replications=12")),
    "classics-adaptive": (
        None,
        (
            *("--set", "setup.resampling.replications.max=20"),
            *("--set", "setup.resampling.replications.stage=10"),
        ),
    ),
    "families": (Budget(7, 22, 11), ()),
    "monks3": (None, ("--set", "setup.resampling.replications=2")),
    "monks3-quick": (None, FEW),
    "new-method": (Budget(5, 11, 7), ()),
    "pilot": (Budget(5, 7, 8), ()),
    "processes": (Budget(3, 6, 6), ()),
    "prompts": (Budget(6, 10, 10), ()),
    "quickstart": (Budget(4, 8, 6), ()),
    "resampling-effect": (None, ()),
    "sensitivity": (Budget(4, 11, 5), ()),
    "skeletons": (
        Budget(4, 2, 6),
        ("--set", "sections=[{archetypes: {fit: robust, starts: 2, samples: 10}}]"),
    ),
    "three-scenarios": (Budget(6, 5, 7), ()),
    "toy-separability": (Budget(6, 7, 7), ()),
    "variation": (Budget(5, 7, 8), ()),
}
"""Budgets, and what is asked beside the manifest; those without one are kinds that others have."""
PAIRS = (("html", "typst"), ("latex", "docx"))
"""Formats of documents, by turns: every format of half of the studies."""
HAS_NO_PAIRS = ("skeletons",)  # a table of numbers, in which nothing is compared
SOURCES = sorted((ROOT / "studies" / "sources").glob("*.yaml"))
COMPARED = ("monks3", "ringnorm", "uci621")  # those of the sources that have differences of pairs

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("pdftotext") is None, reason="Poppler is not installed"),
]


def reported(study: Path, folder: Path, *more: str, forms: str = "html,pdf") -> Path:
    """Report a study in forms, and return its folder."""
    words = ["run", str(study), "--output", str(folder), "--format", forms, *more]
    answer = CliRunner().invoke(main, words, catch_exceptions=False)
    assert answer.exit_code == 0, answer.stderr
    return next(path for path in folder.iterdir() if path.is_dir())


def check(folder: Path, *, has_pairs: bool = True) -> None:
    """Hold the forms of a report against one another, and its intervals against estimates."""
    page = (folder / "report.html").read_text(encoding="utf-8")
    paper = agreement.text_of_paper(folder)
    assert agreement.differing_numbers(page, paper) == (set(), set())
    assert agreement.words_of_paper_alone(page, paper) == set()
    assert agreement.stray_blanks(page, paper) == []
    tree = agreement.tree_of(page)
    assert agreement.words_of_page_alone(tree, paper) == set()
    assert agreement.uncited(tree) == []
    assert agreement.told_of_wide_alone(tree) == []
    assert agreement.labels_of_page(tree) == agreement.labels_of_paper(paper)
    outside = [
        where
        for where, lower, estimate, upper in agreement.printed_intervals(tree)
        if not lower <= estimate <= upper
    ]
    assert outside == []

    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    has_gaps = results["design"]["n_missing"] > 0
    assert agreement.sides_lost(tree, has_gaps=has_gaps) == []
    assert [*SCHEMA.iter_errors(results)] == []
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


OF_ENTRIES = {
    "preferences": re.compile(
        r"Order (?:here )?by|the order is|no weak order|on one height|is preferred"
        r"|no relation"
    ),
    "consensus": re.compile(r"[Cc]onsensus|nearest to|equally near|nothing to agree on"),
}  # words of sections that have no heads in entries of data sets


def named_sections(study: Path) -> set[str]:
    """Return the sections that a manifest lists."""
    asked = yaml.safe_load(study.read_text("utf-8")).get("sections", ())
    return {key for entry in asked for key in ([entry] if isinstance(entry, str) else entry)}


def check_named_sections(study: Path, folder: Path) -> None:
    """Hold the page against the sections that the manifest names."""
    named = named_sections(study)
    page = (folder / "report.html").read_text(encoding="utf-8")
    tree = agreement.tree_of(page)
    anchors = {str(e.get("id")) for e in tree.iter()}
    entries = [agreement.words_in(e) for e in tree.iter("article")]
    for section in named:
        if entries and section in OF_ENTRIES:
            assert all(OF_ENTRIES[section].search(entry) for entry in entries), section
            continue
        # one of several data sets or parts has more behind its name
        assert any(a == section or a.startswith(f"{section}-") for a in anchors), section


def check_heads(study: Path, folder: Path) -> None:
    """Hold print and Markdown against the heads of the sections that the manifest names."""
    tree = agreement.tree_of((folder / "report.html").read_text(encoding="utf-8"))
    summary = (folder / "report.md").read_text(encoding="utf-8")
    article = text_of(folder / "report.pdf")
    for section in named_sections(study):
        (part,) = (e for e in tree.iter("section") if e.get("id") == section)
        head = agreement.words_in(next(part.iter("h2"))).strip()
        assert f"\n## {head}\n" in summary
        assert f"\n{head}\n" in article


def test_every_study_is_here() -> None:
    assert {file.stem for file in (ROOT / "studies").glob("*.yaml")} == set(STUDIES)


@pytest.mark.parametrize("name", FILES)
def test_forms_of_a_file_of_results_agree_and_keep_their_budget(name: str, tmp_path: Path) -> None:
    budget, write = FILES[name]
    forms = "html,pdf" if budget.supplement else "html,pdf,md"
    folder = reported(write(tmp_path / f"{name}.csv"), tmp_path / "out", forms=forms)
    check(folder)
    check_budget(folder, budget, tmp_path)
    if not budget.supplement:
        check_nothing_speaks_of_a_supplement(folder)


def check_nothing_speaks_of_a_supplement(folder: Path) -> None:
    """Hold page and Markdown against a supplement that is not there."""
    for file in ("report.html", "report.md"):
        text = (folder / file).read_text(encoding="utf-8")
        words = re.sub(r"<(style|script)\b.*?</\1>", "", text, flags=re.DOTALL)
        assert "upplement" not in words
        assert "<summary>More" not in words
        assert not re.search(r"\b(?:Table|Figure) S\d", words)


@pytest.mark.parametrize("name", STUDIES)
def test_forms_of_a_study_agree_keep_their_budget_and_are_documents(
    name: str, tmp_path: Path
) -> None:
    study = ROOT / "studies" / f"{name}.yaml"
    budget, more = STUDIES[name]
    folder = reported(study, tmp_path / "out", *more, forms="html,pdf,qmd")
    check(folder, has_pairs=name not in HAS_NO_PAIRS)
    check_named_sections(study, folder)
    if budget:
        check_budget(folder, budget, tmp_path)
    forms = PAIRS[list(STUDIES).index(name) % len(PAIRS)]
    as_quarto.check_formats(folder / "quarto" / "index.qmd", forms)


@pytest.mark.parametrize("study", SOURCES, ids=lambda study: study.stem)
def test_forms_of_a_study_of_the_sources_agree(study: Path, tmp_path: Path) -> None:
    folder = reported(study, tmp_path / "out")
    check(folder, has_pairs=study.stem in COMPARED)
    check_named_sections(study, folder)


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not there")
@pytest.mark.parametrize("name", EDGES)
def test_forms_of_edge_cases_agree(name: str, tmp_path: Path) -> None:
    check(reported(case(name, tmp_path / "in"), tmp_path / "out"))


@pytest.mark.skipif(not UCI.exists(), reason="the reference data are not there")
@pytest.mark.parametrize("name", NAMED)
def test_sections_that_edge_cases_name_are_there_in_all_forms(name: str, tmp_path: Path) -> None:
    study = case(name, tmp_path / "in")
    folder = reported(study, tmp_path / "out", forms="html,pdf,md")
    check(folder, has_pairs=False)
    check_named_sections(study, folder)
    if not (folder / "supplement.pdf").exists():
        check_heads(study, folder)


@pytest.mark.skipif(not UCI.exists(), reason="the reference data are not there")
def test_the_table_of_methods_has_the_model_that_decides(tmp_path: Path) -> None:
    folder = reported(case(FREE, tmp_path / "in"), tmp_path / "out", forms="html")
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    tree = agreement.tree_of((folder / "report.html").read_text(encoding="utf-8"))
    rows = [[agreement.words_in(c).strip() for c in row] for row in tree.iter("tr")]
    (found,) = (row for row in rows if row[:1] == ["Means, free covariance"] and len(row) == 5)
    verdict = results["sections"]["domain"]["verdict"]["misclassification"]
    assert re.findall(r"\w+", found[3]) == verdict["leaders"] == ["svm", "rf", "lda"]
    assert not any("one variance" in row[0] for row in rows if len(row) == 5)


@pytest.mark.skipif(not UCI.exists(), reason="the reference data are not there")
def test_21_data_sets_keep_their_budget(tmp_path: Path) -> None:
    check_budget(reported(UCI, tmp_path / "out", forms="pdf"), Budget(6, 16, 10), tmp_path)


@pytest.mark.skipif(not DOMAIN.exists(), reason="the shared cases are not there")
def test_31_data_sets_keep_their_budget(tmp_path: Path) -> None:
    check_budget(reported(DOMAIN, tmp_path / "out", forms="pdf"), Budget(7, 20, 10), tmp_path)
