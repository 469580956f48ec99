"""What is made of our own files and kept on disk between runs: faces of letters, no code."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from reportgen.file_writing import write_bytes


def cache_folder() -> Path:
    """Return the folder in which files are kept, by the custom of the platform."""
    if given := os.environ.get("XDG_CACHE_HOME"):
        base = Path(given)
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home()))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path.home() / ".cache"
    return base / "reportgen"


def kept_bytes(name: str) -> bytes | None:
    """Return a file of the folder, None where there is none."""
    with suppress(OSError):
        return (cache_folder() / name).read_bytes()
    return None


def keep_bytes(name: str, data: bytes) -> None:
    """Write a file into the folder, where that is possible."""
    file = cache_folder() / name
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_bytes(file, data)
