"""The plan of an execution: which fits are made again, and in which order."""

from __future__ import annotations

import pytest

from reportgen.execution.outcome import Cell, Outcome
from reportgen.execution.plan import Allowance, Schedule

GIBIBYTE = 2**30

LATE = Outcome("timed-out", timeout=10.0)
STARVED = Outcome("failed", memory=GIBIBYTE)
PARTLY = Outcome("ok", missing={"brier": "no memory"}, memory=GIBIBYTE)
WRONG = Outcome("failed", message="no pivot")


@pytest.mark.parametrize(
    ("allowance", "again"),
    [
        (Allowance(10.0, GIBIBYTE), []),
        (Allowance(11.0, GIBIBYTE), [LATE]),
        (Allowance(None, GIBIBYTE), [LATE]),
        (Allowance(10.0, GIBIBYTE + 1), [STARVED, PARTLY]),
        (Allowance(10.0, GIBIBYTE // 2), []),
        (Allowance(10.0, None), [STARVED, PARTLY]),
        (Allowance(10.0, GIBIBYTE * 5 // 4, is_share=True), []),  # what is free comes and goes
        (Allowance(10.0, GIBIBYTE * 5 // 4 + 1, is_share=True), [STARVED, PARTLY]),
    ],
)
def test_more_is_another_chance(allowance: Allowance, again: list[Outcome]) -> None:
    assert [o for o in (LATE, STARVED, PARTLY, WRONG) if allowance.exceeds(o)] == again


# ------------------------------------------------------------------------------------ schedule

CELLS = [
    Cell(dataset, b, candidate)
    for dataset in ("large", "small")
    for b in (1, 2, 3)
    for candidate in ("slow", "quick")
]
SIZES = {"large": 1000.0, "small": 10.0}


def _pairs(cells: list[Cell]) -> list[str]:
    return [f"{cell.dataset} {cell.candidate}" for cell in cells]


def test_known_times_decide() -> None:
    seconds = {
        ("large", "slow"): 3.0,
        ("large", "quick"): 0.1,
        ("small", "slow"): 2.0,
        ("small", "quick"): 0.2,
    }
    order = list(Schedule(CELLS, seconds, SIZES))
    assert _pairs(order) == [
        pair
        for pair in ("large slow", "small slow", "small quick", "large quick")
        for _ in range(3)
    ]
    assert [cell.replication for cell in order] == [1, 2, 3] * 4


def test_what_is_unknown_is_tried_first_the_largest_data_set_before_all() -> None:
    order = list(Schedule(CELLS, {("small", "slow"): 5.0}, SIZES))
    assert _pairs(order[:4]) == ["large slow", "large quick", "small quick", "small slow"]
    assert sorted(order) == sorted(CELLS)


def test_what_is_learnt_meanwhile_counts() -> None:
    schedule = Schedule(CELLS, {}, SIZES)
    times = {"large slow": 1.0, "large quick": 0.1, "small slow": 9.0, "small quick": 0.5}
    order = []
    for cell in schedule:
        order.append(cell)
        schedule.learn(cell, times[f"{cell.dataset} {cell.candidate}"])
    assert len(order) == len(set(order)) == len(CELLS)
    assert _pairs(order[:4]) == ["large slow", "large quick", "small slow", "small quick"]
    assert _pairs(order[4::2]) == ["small slow", "large slow", "small quick", "large quick"]


def test_nothing_to_do() -> None:
    assert list(Schedule([], {("a", "b"): 1.0}, {})) == []
