"""Which data sets are settings of one."""

from __future__ import annotations

from dataclasses import replace

from reportgen.sections.datasets import base_of, bases_of, shares_observations
from tests.builders import warehouse_of_rows


def test_settings_are_counted_where_there_are_several():
    rows = [(d, 1, "c", "m", 0.5) for d in "pqrst"]
    bases = {"p": "x", "q": "y", "r": "x", "s": "z"}
    facts = {d: {"setting": {"base": base, "factors": {}}} for d, base in bases.items()}
    warehouse = warehouse_of_rows(rows, facts=facts)
    assert [base_of(warehouse, d) for d in "ps"] == ["x", "z"]
    assert base_of(warehouse, "t") is None
    assert bases_of(warehouse, warehouse.datasets) == {"x": 2}
    assert bases_of(warehouse, ("p", "q", "t")) == {}
    assert shares_observations(warehouse)
    assert not shares_observations(replace(warehouse, problem="simulation"))
