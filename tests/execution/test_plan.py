"""What is allowed now against what did not suffice before."""

from __future__ import annotations

import pytest

from reportgen.execution.plan import Allowance
from reportgen.execution.replication import Outcome

GIBIBYTE = 2**30

LATE = Outcome("timed-out", timeout=10.0)
STARVED = Outcome("failed", memory=GIBIBYTE)
PARTLY = Outcome("ok", absent={"brier": "no memory"}, memory=GIBIBYTE)
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
