"""The wheel, and an environment in which it is installed, away from the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def foreign_environment() -> dict[str, str]:
    """Return an environment that does not know the checkout."""
    return {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}


def call(command: Sequence[object], folder: Path) -> str:
    """Run a command in a folder and an environment that do not know the checkout."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=foreign_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build_wheel(folder: Path) -> Path:
    """Build the wheel with the locked build backend, without the network."""
    options = ("--wheel", "--no-isolation", "--outdir", folder)
    call([sys.executable, "-m", "build", *options, ROOT], folder)
    return next(folder.glob("*.whl"))


def install_wheel(wheel: Path, folder: Path) -> Path:
    """Install a wheel in an environment of its own, and return the folder of its programs.

    Its dependencies are lent by this environment.
    """
    venv.create(folder / "venv")
    python = folder / "venv" / "bin" / "python"
    site = call([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], folder)
    Path(site.strip(), "lent.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--quiet", "--python", python]
    call([*pip, "install", "--no-deps", "--no-index", wheel], folder)
    return python.parent
