"""What many tests of the execution need."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import pytest

from reportgen.execution import pool as worker_process


@pytest.fixture(scope="session", autouse=True)
def _workers_know_our_candidates() -> Iterator[None]:
    """Load the tests' candidates once, in the process that workers are forked from."""
    preloaded = (*worker_process.PRELOADED, "tests.execution.faulty")
    with patch.object(worker_process, "PRELOADED", preloaded):
        yield
