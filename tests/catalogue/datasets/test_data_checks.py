"""What looks odd in a data set of a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reportgen.catalogue.datasets.files import load_file, oddities

N = 30


def _frame() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame({"x": rng.normal(size=N), "y": ["yes", "no"] * (N // 2)})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, None),
        ({"k": 1, "e": None}, "no variation in 'k', 'e'"),
        ({"id": [f"row {i}" for i in range(N)]}, "another value in every row of 'id'"),
        (
            {"i": ["?", *(i // 2 for i in range(N - 1))]},
            "'?' among the numbers of 'i', which so are categories",
        ),
        ({"i": range(5, N + 5)}, "another value in every row of 'i'"),
        (
            {"y": ["rare", *(["yes", "no"] * N)[: N - 1]]},
            "one observation only of the class 'rare'",
        ),
        (
            {"x": np.repeat(np.arange(N // 2) + 0.5, 2), "y": ["a"] * 16 + ["b"] * 14},
            "15 of 30 rows",
        ),
        ({"x": [1, 2] * (N // 2)}, None),  # whole numbers come twice by chance
    ],
)
def test_oddities_are_told_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, change: dict[str, object], said: str | None
) -> None:
    path = tmp_path / "d.csv"
    _frame().assign(**change).to_csv(path, index=False)
    data = load_file("d", path, "y")
    if said is None:
        assert list(oddities(data)) == []
    else:
        assert said in caplog.text
        assert len(list(oddities(data))) == 1
