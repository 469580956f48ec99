"""A write that meets a fault leaves the old file or the new one, and the same command mends all."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.validation.scripts import load_study

faults = load_study("faults")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not hasattr(signal, "SIGXFSZ") or sys.platform == "win32", reason="there is no kill -9 here"
    ),
]


def test_an_execution_stores_all_or_nothing(tmp_path: Path) -> None:
    scene, tally = faults.execution(tmp_path), faults.Tally()
    assert {write.path for write in scene.writes} >= {
        "warehouse/journal",
        "warehouse/performances.parquet",
        "warehouse/provenance.json",
        ".input",
    }
    faults.try_faults(scene, tally, faults.some_faults(scene.writes))
    assert tally.n_faults.total() >= 20
    assert not tally.faults, "\n".join(tally.faults)


def test_a_run_leaves_the_old_report_or_the_new_one(tmp_path: Path) -> None:
    with faults.quick_documents():
        scene, tally = faults.run_of_results(tmp_path), faults.Tally()
        assert {write.path.partition("/")[0] for write in scene.writes} >= {
            *("results.json", "report.html", "report.pdf", "supplement.pdf", "report_files"),
            *("figures", "tables", "quarto", "earlier", "warehouse", ".written-report"),
        }
        own = (
            n
            for n in faults.some_faults(scene.writes)
            if "warehouse" not in scene.writes[n[0]].path
        )
        faults.try_faults(scene, tally, own)
    assert tally.n_faults.total() >= 25
    assert not tally.faults, "\n".join(tally.faults)
