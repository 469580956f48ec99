"""Run the tests with other packages than the locked ones.

    python tools/check_packages.py lowest [OPTION OF PYTEST...]
    python tools/check_packages.py newest [OPTION OF PYTEST...]

Lowest are the lowest versions that pyproject.toml allows of what it names; newest is what an index
has today for this Python. The tools of the tests are the newest that go with these. The environment
is build/venv-lowest or build/venv-newest; needs the network, and uv beside this Python.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
UV = Path(sys.executable).with_name("uv")
RESOLUTIONS = {"lowest": "lowest-direct", "newest": "highest"}
EXTRAS = ("--extra", "r", "--extra", "cluster")


def call(*command: object) -> None:
    """Run a command in the checkout; end where it fails."""
    code = subprocess.run([str(word) for word in command], cwd=ROOT, check=False).returncode
    if code:
        sys.exit(code)


def install(kind: str) -> Path:
    """Make the environment, and return its Python."""
    home = ROOT / "build" / f"venv-{kind}"
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    compile_ = (UV, "pip", "compile", "--quiet", "--python", sys.executable, "pyproject.toml")
    add = (UV, "pip", "install", "--quiet", "--python", python)
    with TemporaryDirectory() as name:
        own, all_ = Path(name, "own.txt"), Path(name, "all.txt")
        call(*compile_, *EXTRAS, "--resolution", RESOLUTIONS[kind], "-o", own)
        call(*compile_, *EXTRAS, "--group", "dev", "-c", own, "-o", all_)
        call(UV, "venv", "--quiet", "--clear", "--python", sys.executable, home)
        call(*add, "--only-binary", ":all:", "-r", all_)
    call(*add, "--no-deps", "--no-build-isolation", "--editable", ".")
    return python


def main() -> None:
    """Install, and run the tests."""
    kind, *options = sys.argv[1:] or [""]
    if kind not in RESOLUTIONS:
        sys.exit(f"found {kind!r}; allowed {' or '.join(RESOLUTIONS)}")
    call(install(kind), "-m", "pytest", *options)


if __name__ == "__main__":
    main()
