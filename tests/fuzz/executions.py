"""How many executions: few, and the same in every run, or as many others as FUZZ_EXAMPLES says."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "0"))
FUZZ = settings(
    max_examples=EXAMPLES or 10,
    derandomize=not EXAMPLES,
    deadline=None,
    database=None,
    print_blob=bool(EXAMPLES),
    suppress_health_check=list(HealthCheck),
    phases=[p for p in Phase if p is not Phase.explain],  # which takes minutes
)
FEWER = settings(FUZZ, max_examples=EXAMPLES or 5)
"""Of what analyses two studies an execution, or has more that is kept and tried in every run."""
