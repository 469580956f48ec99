"""What many tests of the execution need."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import pytest

from reportgen.execution import pool


@pytest.fixture(scope="session", autouse=True)
def _workers_know_our_candidates() -> Iterator[None]:
    """Load the tests' candidates once, in the process that workers are forked from."""
    preloaded = (*pool.PRELOADED, "tests.execution.faulty")
    with patch.object(pool, "PRELOADED", preloaded):
        yield
