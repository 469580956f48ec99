"""Outcomes of made-up expectations."""

from __future__ import annotations

from typing import Any

from reportgen.performance_measure import Measure
from reportgen.sections.expectations.result import ClaimTest, Contrast, ExpectationsResult, Outcome

ERROR = Measure("error", unit_symbol="share")
HOSTILE = '<b> & "x" ]]> | `rm` ::error::100%\r\n\x00\x1b, a:b'


def contrast(outcome: Outcome, **more: Any) -> Contrast:
    """Return a contrast with numbers."""
    known: dict[str, Any] = {
        "first": "a",
        "second": "b",
        "scale": "difference",
        "estimate": -0.1,
        "lower": -0.2,
        "upper": -0.05,
        "deviation": 0.2,
        "n": 20,
        "is_open": False,
        "is_constant": False,
        "skewness": 0.2,
        "bounds": (None, 0.0),
        "outcome": outcome,
        "verdict": None,
        "target": "session",
    }
    return Contrast(**{**known, **more})


def gate(outcome: Outcome, claim: str = "a better than b", **more: Any) -> ClaimTest:
    """Return a claim about a pair."""
    known: dict[str, Any] = {
        "claim": claim,
        "relation": "better",
        "kind": "gate",
        "outcome": outcome,
        "reason": "wide" if outcome == "undecided" else None,
        "on_undecided": "warn",
        "measure": "error",
        "dataset": "d",
        "unit": "replication",
        "contrasts": (contrast(outcome),),
    }
    return ClaimTest(**{**known, **more})


def result(*gates: ClaimTest) -> ExpectationsResult:
    """Return the outcomes of a study."""
    return ExpectationsResult(gates, 0.05, 1, 1, "warn", ("session",), {"error": ERROR})
