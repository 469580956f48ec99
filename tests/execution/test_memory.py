"""Memory is shared out and limited."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reportgen import file_reading
from reportgen.execution import worker as memory
from reportgen.execution.pool import ProcessExecutor
from reportgen.execution.runner import execute
from reportgen.execution.worker import fair_share
from reportgen.file_reading import free_memory
from tests.execution import faulty
from tests.execution.faulty import MAJORITY, candidate, setup_of

ON_LINUX = pytest.mark.skipif(
    sys.platform != "linux" or not memory.has_memory_limits(),
    reason="limits of memory hold on Linux, where /proc is there",
)


@ON_LINUX
def test_workers_share_what_is_free() -> None:
    free = free_memory()
    assert free is not None
    assert free > 2**20
    share = fair_share(4)
    assert share is not None
    assert share <= 0.3 * free_memory() or share == memory.LEAST  # type: ignore[operator]


def test_a_container_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gibibyte = 2**30
    (tmp_path / "memory.max").write_text(f"{gibibyte}\n")
    (tmp_path / "memory.current").write_text(f"{gibibyte // 2}\n")
    (tmp_path / "memory.stat").write_text(f"anon 5\ninactive_file {gibibyte // 4}\n")
    monkeypatch.setattr(file_reading, "CGROUP", tmp_path)
    monkeypatch.setattr(file_reading, "_free_on_machine", lambda: 10 * gibibyte)
    assert free_memory() == gibibyte * 3 // 4
    (tmp_path / "memory.max").write_text("max\n")
    assert free_memory() == 10 * gibibyte


def test_where_nobody_knows_there_is_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_reading, "_free_on_machine", lambda: None)
    monkeypatch.setattr(file_reading, "_free_in_container", lambda: None)
    assert fair_share(2) is None
    memory.limit_memory(None)


@ON_LINUX
def test_a_fit_that_wants_too_much_costs_its_own_cells() -> None:
    setup = setup_of(
        candidate("greedy", faulty.build_greedy), MAJORITY, replications=3, memory=300 * 2**20
    )
    executor = ProcessExecutor(2, setup.execution.memory_bytes)
    warehouse = execute(setup, executor=executor)
    values = warehouse.performances("small", "misclassification")
    assert values.n_missing == 3
    assert (values.values[:, 1] >= 0).all()
    assert set(warehouse.failures["candidate"]) == {"greedy"}
    (message,) = set(warehouse.failures["message"])
    assert "MemoryError" in message
    assert "no more memory" in message
