"""A cluster of real worker processes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


def _cluster(n_workers: int, **options: Any) -> Any:
    """Return a cluster of worker processes on this machine."""
    distributed = pytest.importorskip("distributed", reason="needs the package distributed")
    return distributed.LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        silence_logs=50,
        **options,
    )


@pytest.fixture(scope="module")
def scheduler() -> Iterator[Any]:
    """Return a cluster of two worker processes on this machine."""
    with _cluster(2, dashboard_address=None, memory_limit=None) as found:
        yield found


@pytest.fixture
def bare() -> Iterator[Any]:
    """Return a cluster without workers."""
    with _cluster(0, dashboard_address=":0") as found:
        yield found
