"""Tables of settings that come with results."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.design_tables import read_settings
from reportgen.sections.sensitivity import applies
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of_rows


@pytest.fixture
def warehouse() -> Warehouse:
    """Return results in two settings, of one of which the size is known."""
    rows = [(d, b, k, "m", 0.1) for d in ("near", "far") for b in (1, 2) for k in "pq"]
    facts = {"far": {"n_observations": 9}}
    return warehouse_of_rows(rows, facts=facts)


def read(tmp_path: Path, text: str, warehouse: Warehouse) -> dict[str, dict[str, object]]:
    path = tmp_path / "settings.csv"
    path.write_text(text)
    return read_settings(path, warehouse, "simplex")


def test_factors_are_numbers_or_names(tmp_path: Path, warehouse: Warehouse) -> None:
    facts = read(tmp_path, "dataset,radius,law\nnear,2,normal\nfar,15,\n", warehouse)
    near = {"base": "simplex", "factors": {"radius": 2, "law": "normal"}}
    assert facts["near"] == {"setting": near}
    far = {"base": "simplex", "factors": {"radius": 15}}
    assert facts["far"] == {"n_observations": 9, "setting": far}


def test_a_column_says_what_the_settings_are_of(tmp_path: Path, warehouse: Warehouse) -> None:
    facts = read(tmp_path, "dataset,base,radius\nnear,ball,2\nfar,cube,2\n", warehouse)
    assert [facts[d]["setting"]["base"] for d in ("near", "far")] == ["ball", "cube"]  # type: ignore[index]


def test_results_with_settings_are_compared(tmp_path: Path, warehouse: Warehouse) -> None:
    assert not applies(warehouse)
    facts = read(tmp_path, "dataset,radius\nnear,2\nfar,15\n", warehouse)
    columns = warehouse.frame
    assert applies(Warehouse.of(columns, warehouse.measures, facts=facts))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("data,radius\nnear,2\nfar,3\n", "no column dataset"),
        ("dataset,base\nnear,a\nfar,a\n", "no factor"),
        ("dataset,radius\nnear,2\nfra,3\n", "did you mean far"),
        ("dataset,radius\nnear,2\nfar,3\nnear,4\n", "a second time"),
        ("dataset,radius\nnear,2\n", "no setting of far"),
    ],
)
def test_wrong_settings(tmp_path: Path, warehouse: Warehouse, text: str, said: str) -> None:
    with pytest.raises(ExchangeError, match=said):
        read(tmp_path, text, warehouse)
