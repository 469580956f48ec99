"""axe-core, which finds what keeps people from a page: fetched once by npm, known by its hash."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from hashlib import sha256
from pathlib import Path

import pytest

VERSION = "4.11.1"
SHA256 = "5b86f813d96904f2d925fed5715877c75fc1cc140f89565fb42145e7801b2305"  # of the package
CACHE = Path(__file__).with_name(".cache")
PACKAGE = CACHE / f"axe-core-{VERSION}.tgz"
PATIENCE = 60.0  # s: of a download
SECONDS_TO_GIVE_UP = "--fetch-timeout=20000"  # ms
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]


def axe_script() -> str:
    """Return the program; skip the test where it neither is there nor can be fetched."""
    if not PACKAGE.exists():
        _fetch()
    content = PACKAGE.read_bytes()
    assert sha256(content).hexdigest() == SHA256, f"{PACKAGE} is another file; delete it"
    with tarfile.open(PACKAGE) as package:
        file = package.extractfile("package/axe.min.js")
        assert file is not None
        return file.read().decode()


def _fetch() -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("axe-core is not in the cache, and there is no npm to fetch it")
    CACHE.mkdir(exist_ok=True)
    command = [npm, "pack", f"axe-core@{VERSION}", "--silent", SECONDS_TO_GIVE_UP]
    try:
        subprocess.run(command, cwd=CACHE, check=True, capture_output=True, timeout=PATIENCE)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"axe-core is not in the cache and cannot be fetched: {type(error).__name__}")
