"""Files that other programs have made, for the readers of this folder's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

collect_ignore_glob = ["files/*"]  # what makes the files is run by hand


@pytest.fixture(scope="session")
def files() -> Path:
    """Return the folder of small files that the real programs have written."""
    return Path(__file__).parent / "files"
