"""The wheel is whole: what it installs renders a report, away from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent


def call(command: Sequence[object], folder: Path) -> str:
    """Run a command in a folder and an environment that do not know the checkout."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel with the locked build backend, without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    call(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT],
        folder,
    )
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def binaries(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel in an environment of its own; its dependencies are lent by this one."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(folder)
    python = folder / "bin" / "python"
    site = call([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], folder)
    Path(site.strip(), "lent.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--quiet", "--python", python]
    call([*pip, "install", "--no-deps", "--no-index", wheel], folder)
    return python.parent


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
    templates = {str(p.relative_to(ROOT)) for p in (ROOT / "templates").rglob("*") if p.is_file()}
    assert templates
    assert {f"_{name}" for name in templates} <= installed
    assert "rendering/results.schema.json" in installed
    read = {p for p in (ROOT / "studies").rglob("*") if p.suffix in (".yaml", ".csv")}
    assert len(read) > len(list((ROOT / "studies").glob("*.yaml")))
    assert {f"_{p.relative_to(ROOT)}" for p in read} <= installed


def test_installed_command_has_the_examples(binaries: Path, tmp_path: Path) -> None:
    call([binaries / "reportgen", "init", "mine", "--example", "skeletons"], tmp_path)
    call([binaries / "reportgen", "run", "mine/study.yaml", "--format", "json"], tmp_path)
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
