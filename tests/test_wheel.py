"""The wheel is whole: what it installs renders a report, away from the checkout."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from tests.installed import ROOT, call

pytestmark = pytest.mark.slow
PAGE = re.compile(r"page_url\(['\"]([\w-]+\.md)#")


def write_results(path: Path) -> None:
    """Write a tidy file of results: two candidates in five replications."""
    values = np.random.default_rng(1).uniform(0.1, 0.2, size=(5, 2))
    rows = [
        f"toy,{b},{candidate},misclassification,{value}"
        for b, block in enumerate(values, start=1)
        for candidate, value in zip(("lda", "svm"), block, strict=True)
    ]
    path.write_text("\n".join(["dataset,replication,candidate,measure,value", *rows]) + "\n")


def test_templates_and_schema_are_inside(binaries: Path, tmp_path: Path) -> None:
    code = "import reportgen; print(reportgen.__file__)"
    package = Path(call([binaries / "python", "-c", code], tmp_path).strip()).parent
    assert package.is_relative_to(binaries.parent)
    installed = {str(p.relative_to(package)) for p in package.rglob("*")}
    files = {p for p in (ROOT / "templates").rglob("*") if p.is_file()}
    templates = {str(p.relative_to(ROOT)) for p in files if p.suffix != ".pyc"}
    assert templates
    assert {f"_{name}" for name in templates} <= installed
    assert "rendering/results.schema.json" in installed
    read = {p for p in (ROOT / "studies").rglob("*") if p.suffix in (".yaml", ".csv")}
    assert len(read) > len(list((ROOT / "studies").glob("*.yaml")))
    assert {f"_{p.relative_to(ROOT)}" for p in read} <= installed
    sources = (ROOT / "reportgen").rglob("*.py")
    pages = {page for path in sources for page in PAGE.findall(path.read_text("utf-8"))}
    assert {f"_docs/{page}" for page in pages} <= installed
    code = "from reportgen.installation import page_url; print(page_url('imports.md#shapes'))"
    url = call([binaries / "python", "-c", code], tmp_path).strip()
    assert url == f"{(package / '_docs' / 'imports.md').as_uri()}#shapes"


def test_installed_command_has_the_examples(binaries: Path, tmp_path: Path) -> None:
    quick = "sections=[{archetypes: {k: 2, starts: 1, samples: 2}}]"
    asked = ("--format", "json", "--set", quick)
    call([binaries / "reportgen", "init", "mine", "--example", "skeletons"], tmp_path)
    call([binaries / "reportgen", "run", "mine/study.yaml", *asked], tmp_path)
    assert (tmp_path / "output" / "mine" / "results.json").is_file()


def test_installed_command_renders(binaries: Path, tmp_path: Path) -> None:
    write_results(tmp_path / "mine.csv")
    asked = ("--format", "html,json", "--sections", "inference")
    call([binaries / "reportgen", "run", "mine.csv", *asked], tmp_path)
    folder = tmp_path / "output" / "mine"
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert results["design"]["candidates"] == ["lda", "svm"]
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>")
