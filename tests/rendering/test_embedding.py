"""Files inside a page: one that is too large is not written to its end."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from reportgen.rendering import embedding, tables
from reportgen.rendering.embedding import download
from reportgen.rendering.tables import comma_separated
from reportgen.report import Rows, Series


def test_a_file_that_is_too_large_for_the_page_is_given_up() -> None:
    numbers = np.random.default_rng(1).random(400_000)
    series = Series(("a", "b", "c"), Rows(numbers, numbers, numbers))
    tracemalloc.start()
    try:
        found = download("table-x", series)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (found.href, found.n_rows) == ("", len(numbers))
    assert peak < 4 * embedding.MOST_EMBEDDED  # before, 57 times


def test_parts_of_a_file_are_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(0.1 * i, None if i % 3 else i, "=x" if i % 2 else "y", i > 4) for i in range(11)]
    whole = comma_separated(("a", "b", "c", "d"), rows)
    monkeypatch.setattr(tables, "ROWS_AT_ONCE", 3)
    assert comma_separated(("a", "b", "c", "d"), rows) == whole
