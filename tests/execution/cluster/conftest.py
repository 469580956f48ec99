"""A cluster of real worker processes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def scheduler() -> Iterator[Any]:
    """Return a cluster of two worker processes on this machine."""
    distributed = pytest.importorskip("distributed", reason="needs the package distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        memory_limit=None,
        silence_logs=50,
    ) as found:
        yield found
