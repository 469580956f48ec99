"""What a system lacks is said, and costs nothing else: Pango, /proc, limits of memory."""

from __future__ import annotations

import logging
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reportgen.execution import worker
from reportgen.execution.fitting import peak_memory
from reportgen.execution.runner import local_executor
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
    asked = ("--format", "html,pdf", "--sections", "inference")
    done = call(tmp_path, sys.executable, "-c", WITHOUT_PANGO, "run", "toy.csv", *asked)
    assert done.returncode == 4, done.stderr
    assert "pdf: found no Pango (cannot load library" in done.stderr
    assert "allowed a system that has it (docs: install.md#pango)" in done.stderr
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
