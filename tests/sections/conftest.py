"""Warehouses for tests of sections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from reportgen.performance_measure import Measure
from reportgen.stats.permutation import block_sums as sum_law
from reportgen.warehouse import Warehouse
from tests.builders import make_warehouse

IMPORTED = (
    Measure("Misclassification", "smaller", "share", (0, 1)),
    Measure("Time", "smaller", "s", (0, None)),
)

MakeWarehouse = Callable[..., Warehouse]


@pytest.fixture(scope="session", autouse=True)
def _laws_are_kept() -> Iterator[None]:
    """Compute the exact law of the same ranks once: hundreds of small reports ask for few laws."""
    laws: dict[tuple[bytes, int, float], sum_law.SumLaw] = {}

    def kept(law: Callable[[np.ndarray, float], sum_law.SumLaw]) -> Callable[..., sum_law.SumLaw]:
        def found(rows: np.ndarray, unit: float) -> sum_law.SumLaw:
            ordered = np.sort(rows, axis=1)  # it is the law of all arrangements within rows
            key = (ordered.tobytes(), rows.shape[1], unit)
            if key not in laws:
                laws[key] = law(rows, unit)
            return laws[key]

        return found

    with (
        patch.object(sum_law, "_on_lattice", kept(sum_law._on_lattice)),
        patch.object(sum_law, "_in_plane", kept(sum_law._in_plane)),
    ):
        yield


@cache
def read_reference(path: Path) -> Warehouse:
    """Return the warehouse of a reference file, whose order is that of the golden numbers."""
    frame = pd.read_csv(path).rename(columns={"algorithm": "candidate"})
    datasets, candidates = frame["dataset"].unique(), frame["candidate"].unique()
    return Warehouse.of(frame, IMPORTED, datasets=datasets, candidates=candidates)


@pytest.fixture(scope="session")
def monks3_warehouse(reference: Path) -> Warehouse:
    """Return the 250 replications of six candidates on monks3."""
    return read_reference(reference / "data" / "monks3raw.csv")


@pytest.fixture(scope="session")
def uci621_warehouse(reference: Path) -> Warehouse:
    """Return the same candidates on 21 data sets, five of them with gaps."""
    return read_reference(reference / "data" / "uci621raw.csv")


@pytest.fixture(scope="session")
def made() -> MakeWarehouse:
    """Return the maker of small warehouses."""
    return make_warehouse
