"""Names of the variants of a data set."""

from __future__ import annotations

import pytest

from reportgen.catalogue.datasets.dataset import Setting


@pytest.mark.parametrize(
    ("level", "shown"),
    [(1500.0, "1500"), (1234567.0, "1234567"), (0.1234567, "0.1234567"), (1e-9, "1e-09")],
)
def test_levels_that_differ_have_names_that_differ(level: float, shown: str) -> None:
    assert Setting("line", {"n": level}).name == f"line (n = {shown})"
