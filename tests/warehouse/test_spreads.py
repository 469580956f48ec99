"""Means of values and their standard errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reportgen.warehouse.spreads import means_of_values
from tests.builders import make_warehouse


def test_means_of_complete_values_are_those_of_each_candidate_by_itself() -> None:
    rng = np.random.default_rng(1)
    for n in (2, 9, 200):
        values = rng.normal(size=(n, 5))
        warehouse = make_warehouse(values)
        own = warehouse.performances(warehouse.datasets[0], "error")
        found = means_of_values(own)
        for k, name in enumerate(own.candidates):
            column = own.values[:, k].copy()
            assert found[name].mean == column.mean()
            assert found[name].deviation == column.std(ddof=1)
            assert found[name].df == n - 1
        gap = replace(own, values=np.where(np.arange(n)[:, None] == 0, np.nan, own.values))
        assert {x.n for x in means_of_values(gap).values()} == {n - 1}
