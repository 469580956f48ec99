"""What a system lacks is said, and costs nothing else; what documents promise is tried."""

from __future__ import annotations

import logging
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from ruamel.yaml import YAML

import reportgen
from reportgen.execution import worker
from reportgen.execution.fitting import peak_memory
from reportgen.execution.runner import local_executor
from reportgen.installation import page_url
from tests.execution.faulty import MAJORITY, setup_of

ROOT = Path(__file__).resolve().parent.parent
WITHOUT_PANGO = """
import sys
import cffi

def dlopen(self, name, flags=0):
    raise OSError(f"cannot load library {name!r}")

cffi.FFI.dlopen = dlopen
from reportgen.cli import main
main(sys.argv[1:])
"""
WITHOUT_PROC = 'mount -t tmpfs none /proc && exec "$@"'
STUDY = """
seed: 1
measures: [misclassification, fit-memory]
setup:
  datasets: [{name: circle, generator: circle, n: 60}]
  candidates: [lda, knn]
  resampling: {replications: 6}
execution: {memory: 1GiB}
"""


def call(folder: Path, *command: object) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_without_pango_there_is_all_but_the_pdf(tmp_path: Path) -> None:
    values = np.random.default_rng(1).uniform(0.1, 0.2, 12)
    rows = {"replication": np.repeat(np.arange(6), 2), "candidate": ["lda", "svm"] * 6}
    frame = pd.DataFrame(
        {"dataset": "toy", **rows, "measure": "misclassification", "value": values}
    )
    frame.to_csv(tmp_path / "toy.csv", index=False)
    asked = ("--format", "html,pdf", "--sections", "inference", "--jobs", "1")
    done = call(tmp_path, sys.executable, "-c", WITHOUT_PANGO, "run", "toy.csv", *asked)
    assert done.returncode == 4, done.stderr
    assert "pdf: found no Pango (cannot load library" in done.stderr
    assert f"allowed a system that has it (docs: {page_url('install.md#pango')})" in done.stderr
    assert "Traceback" not in done.stderr
    assert "courtbouillon" not in done.stdout + done.stderr
    assert (tmp_path / "output" / "toy" / "report.html").exists()


def test_memory_that_cannot_be_limited_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(worker, "STATUS", tmp_path / "no" / "status")
    setup = setup_of(MAJORITY, memory=2**30)
    with caplog.at_level(logging.WARNING, "reportgen"):
        assert local_executor(setup).memory == 2**30
        local_executor(setup_of(MAJORITY))
    (message,) = caplog.messages
    assert message.startswith("execution.memory: this system sets no limits")
    worker.limit_memory(2**30)  # which does nothing, and says nothing


def test_memory_that_is_not_accounted_has_no_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reportgen.execution.fitting.CLEAR", tmp_path / "no" / "clear_refs")
    assert peak_memory(lambda: 7) == (7, None)


def _unshare() -> list[str]:
    """Return the command that gives a process mounts of its own; empty where it may not."""
    for options in (["-m"], ["-rm"]):
        command = ["unshare", *options]
        if (
            shutil.which("unshare")
            and not call(ROOT, *command, "sh", "-c", WITHOUT_PROC, "sh", "true").returncode
        ):
            return command
    return []


@pytest.mark.slow
def test_without_proc_a_study_runs_and_says_what_is_missing(tmp_path: Path) -> None:
    unshare = _unshare()
    if not unshare:
        pytest.skip("this system lets no process hide /proc")
    (tmp_path / "small.yaml").write_text(STUDY)
    program = (sys.executable, "-m", "reportgen", "run", "small.yaml")
    asked = ("--format", "md", "--sections", "inference", "--jobs", "2")
    done = call(tmp_path, *unshare, "sh", "-c", WITHOUT_PROC, "sh", *program, *asked)
    assert done.returncode == 0, done.stderr
    assert "execution.memory: this system sets no limits" in done.stderr
    assert "Traceback" not in done.stderr
    text = (tmp_path / "output" / "small" / "report.md").read_text("utf-8")
    assert "this system does not report how much memory a fit takes" in text


# ------------------------------------------------------------------- what the documents promise

WORKFLOW = YAML(typ="safe").load(ROOT / ".github" / "workflows" / "test.yml")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PLATFORMS = (ROOT / "docs" / "install.md").read_text("utf-8").partition("## Where it is tested")[2]


def test_each_python_that_is_promised_is_run_by_the_workflow_and_on_the_page() -> None:
    pythons = WORKFLOW["jobs"]["test"]["strategy"]["matrix"]["python"]
    prefix = "Programming Language :: Python :: "
    assert pythons == [
        c.removeprefix(prefix) for c in PROJECT["classifiers"] if c.startswith(prefix)
    ]
    assert PROJECT["requires-python"] == f">={pythons[0]}"
    rows = re.findall(r"^\| (3[\d., ]+) \|", PLATFORMS, re.MULTILINE)
    assert {python for row in rows for python in row.split(", ")} == set(pythons)


def test_workflows_call_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for name in ("test", "release"):
        text = (ROOT / ".github" / "workflows" / f"{name}.yml").read_text("utf-8")
        called = set(re.findall(r"run: make ([\w-]+)|target: ([\w-]+)", text))
        targets = {first or second for first, second in called}
        assert targets
        for target in targets:
            assert re.search(rf"^(?:[\w-]+ )*{target}\b[\w -]*:", makefile, re.MULTILINE), target


@pytest.mark.parametrize("page", ["install.md", "upgrade.md"])
def test_pages_name_tests_and_files_that_are_there(page: str) -> None:
    text = (ROOT / "docs" / page).read_text("utf-8")
    for file, name in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text):
        assert f"def {name}(" in (ROOT / file).read_text("utf-8"), name
    for file in re.findall(r"`((?:tools|\.github)/[\w/.-]+)`", text):
        assert (ROOT / file).exists(), file
    version = re.findall(r"reportgen-([\d.]+)-py3", text)
    assert set(version) <= {reportgen.__version__}
