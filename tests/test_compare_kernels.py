"""The comparison of reports that several kernels of linear algebra have made."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "compare_kernels.py"

REPORT: dict[str, Any] = {
    "provenance": {"made": "today"},
    "pairs": [
        {"first": "a", "estimate": 0.25, "decision": "better", "n": 3, "known": True},
        {"first": "b", "estimate": None, "decision": "undecided", "n": 4, "known": False},
    ],
    "order": ["a", "b"],
}


def differences(second: Any) -> list[str]:
    spec = importlib.util.spec_from_file_location("compare_kernels", TOOL)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return list(tool.differences(REPORT, second))


def changed(place: int, **changes: Any) -> dict[str, Any]:
    pairs = [dict(pair) for pair in REPORT["pairs"]]
    pairs[place].update(changes)
    return {**REPORT, "pairs": pairs}


def test_rounding_and_provenance_are_no_difference() -> None:
    assert differences(REPORT) == []
    assert differences({**changed(0, estimate=0.25 + 1e-9), "provenance": {}}) == []


@pytest.mark.parametrize(
    ("place", "changes"),
    [
        (0, {"decision": "undecided"}),
        (0, {"n": 4}),
        (0, {"n": 3.0}),
        (0, {"known": 1}),
        (0, {"estimate": 0.2501}),
        (0, {"estimate": None}),
        (0, {"estimate": float("nan")}),
        (1, {"estimate": 0.0}),
        (1, {"more": 1}),
    ],
)
def test_all_else_is_a_difference(place: int, changes: dict[str, Any]) -> None:
    (found,) = differences(changed(place, **changes))
    assert found.startswith(f"/pairs/{place}")


def test_order_and_length_count() -> None:
    assert differences({**REPORT, "order": ["b", "a"]}) == [
        "/order/0: 'a' and 'b'",
        "/order/1: 'b' and 'a'",
    ]
    assert differences({**REPORT, "order": ["a"]}) == ["/order: 2 and 1 elements"]
