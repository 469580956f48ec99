"""The one target of a design: a test for each row of the table (statistics 16a)."""

from __future__ import annotations

from typing import Any

import pytest

from reportgen.performance_measure import Measure
from reportgen.study.target import deciding_target
from reportgen.targets import DecidingTarget
from reportgen.units import ITEM, SAMPLE

SECONDS, BYTES = Measure("fit-time", unit_symbol="s"), Measure("model-size", unit_symbol="bytes")
REAL = {"problem": "real-world"}


@pytest.mark.parametrize(
    ("facts", "target"),
    [
        (REAL | {"has_new_data_error": True}, "new-data"),  # resampling, ratio known
        ({"problem": "simulation"}, "process"),  # fresh samples
        (REAL | {"is_fixed": True, "has_new_data_error": True}, "new-data"),  # losses kept
        (REAL | {"is_of_seeds": True}, "seeds"),
        ({"unit": ITEM}, "items"),
        (REAL | {"measure": SECONDS, "has_new_data_error": True}, "session"),
        (REAL | {"measure": BYTES, "has_new_data_error": True}, "session"),
        ({"unit": SAMPLE}, "session"),
        ({}, "experiment"),  # scheme unknown
        (REAL | {"is_fixed": True}, "experiment"),  # without losses
        ({"problem": "simulation", "is_fixed": True}, "experiment"),
        ({"n_datasets": 2, "has_new_data_error": True}, "these-sources"),
        ({"n_datasets": 5}, "experiment"),
        ({"n_datasets": 6}, "domain"),
        ({"n_datasets": 21, "asked": "experiment"}, "domain"),
        ({"unit": ITEM, "n_datasets": 3}, "tasks"),
        ({"unit": SAMPLE, "n_datasets": 3}, "session"),
        ({"unit": SAMPLE, "n_datasets": 6}, "domain"),
        ({"problem": "simulation", "is_setting": True}, "process"),
        (REAL | {"is_setting": True, "has_new_data_error": True}, "experiment"),
        (REAL | {"has_new_data_error": True, "asked": "experiment"}, "experiment"),
        ({"n_datasets": 3, "has_new_data_error": True, "asked": "experiment"}, "experiment"),
    ],
)
def test_what_decides(facts: dict[str, Any], target: DecidingTarget) -> None:
    assert deciding_target(**facts) == target
