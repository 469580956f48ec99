"""The distribution's name: nothing tells anybody to install the stranger that has the short one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from reportgen.installation import DISTRIBUTION, describe_other

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = (
    ".github",
    "benchmarks",
    "docs",
    "reportgen",
    "studies",
    "templates",
    "tools",
    "validation",
)
ENDINGS = {"", ".cff", ".j2", ".md", ".py", ".rst", ".sh", ".toml", ".txt", ".yaml", ".yml"}
INSTALLERS = (
    r"pip[\d.]* (?:install|download|wheel)|uv (?:add|pip install|tool install|tool run|run --with)"
    r"|uvx|pipx (?:install|run|inject)|(?:poetry|pdm|rye|hatch) add|(?:conda|mamba) install"
)
BARE = r"reportgen(?:\[[^\]\s]*\])?(?:(?:[=<>~!]=|[<>])[\w.*]+)?"
INSTALL = re.compile(
    rf"\b(?:{INSTALLERS})\b(?![^\n`]*\s(?:--from|--spec)[ =])[^\n`]*?[\s'\"]{BARE}(?=[\s'\"`]|$)"
    rf"|--(?:from|spec|with)[ =]['\"]?{BARE}(?=[\s'\"`]|$)|\breportgen\[(?:r|cluster|quarto)\b"
)
"""A command that would install the stranger, and an extra of it."""


@pytest.mark.parametrize(
    "text",
    [
        "pip install reportgen",
        "- pip install --quiet reportgen",
        "python -m pip install 'reportgen==0.2.0'",
        'pip install "reportgen[quarto]"',
        "an extra: reportgen[cluster]",
        "uvx reportgen run results.csv",
        "uvx --from reportgen reportgen run results.csv",
        "pipx run --spec reportgen reportgen run",
        "pipx run reportgen run results.csv",
        "uv add reportgen",
        "uv tool install reportgen",
        "conda install -c conda-forge reportgen",
        "`pip install reportgen`",
    ],
)
def test_commands_that_install_the_stranger_are_found(text: str) -> None:
    assert INSTALL.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "pip install .",
        'pip install ".[r,cluster]"',
        f"pip install '{DISTRIBUTION}[quarto]'",
        f"uvx --from {DISTRIBUTION} reportgen run results.csv",
        "uvx --from . reportgen run results.csv",
        "pipx run --spec dist/reportgen_benchmark-0.2.0-py3-none-any.whl reportgen run results.csv",
        "pip install git+https://github.com/OWNER/reportgen@v0.2.0",
        f"pip uninstall reportgen {DISTRIBUTION}",
        "reportgen run results.csv",
    ],
)
def test_other_commands_are_not(text: str) -> None:
    assert not INSTALL.search(text)


def test_nothing_says_to_install_the_stranger() -> None:
    files = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*")]
    files += ROOT.glob("*")
    read = [file for file in files if file.is_file() and file.suffix in ENDINGS]
    assert len(read) > 500
    found = [
        f"{file.relative_to(ROOT)}: {hit[0]}"
        for file in read
        for hit in INSTALL.finditer(file.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_the_name_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] == DISTRIBUTION
    assert list(project["scripts"]) == ["reportgen"]


def test_another_distribution_in_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "reportgen_benchmark-0.2.0.dist-info").mkdir()
    (tmp_path / "reportgen_pipeline-0.5.0.dist-info").mkdir()
    assert describe_other(tmp_path / "reportgen") == ""
    (tmp_path / "reportgen-0.1.8.dist-info").mkdir()
    told = describe_other(tmp_path / "reportgen")
    assert told.startswith("found reportgen 0.1.8, another distribution, installed into the folder")
    assert "pip uninstall reportgen reportgen-benchmark" in told


def test_the_command_ends_where_there_is_another(tmp_path: Path) -> None:
    (tmp_path / "reportgen").symlink_to(ROOT / "reportgen")
    (tmp_path / "reportgen-0.1.8.dist-info").mkdir()
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from reportgen import __main__ as m"
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"{code}; m.main()", "--version"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("reportgen: found reportgen 0.1.8")


@pytest.mark.parametrize(("epoch", "code"), [("", 0), ("86400", 0), ("1e20", 2)])
def test_the_command_reads_the_given_date_first(epoch: str, code: int) -> None:
    words = [sys.executable, "-P", "-m", "reportgen", "--version"]
    own = {**os.environ, "SOURCE_DATE_EPOCH": epoch, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == code
    told = "reportgen: SOURCE_DATE_EPOCH: found '1e20'; allowed seconds since 1970, a whole number"
    assert done.stderr.strip() == told * (code > 0)
