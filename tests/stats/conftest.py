"""Reference numbers that are kept beside the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

GOLDEN = Path(__file__).resolve().parent.parent / "golden"


@pytest.fixture(scope="session")
def monks3() -> dict[str, Any]:
    """Return what R says of the monks3 results."""
    numbers: dict[str, Any] = json.loads((GOLDEN / "single_monks3.json").read_text())
    return numbers
