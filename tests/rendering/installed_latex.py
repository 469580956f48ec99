"""What of LaTeX a test needs; where it is not installed, the test is skipped."""

from __future__ import annotations

import shutil
import subprocess

import pytest

OF_CLASSES = ("booktabs.sty", "lmodern.sty", "newunicodechar.sty", "ptmr7t.tfm")
"""What texts of reports and the classes of journals take (Debian: lmodern,
texlive-fonts-recommended, texlive-latex-extra, texlive-latex-recommended)."""

OF_UNICODE = ("luaotfload.sty", "fontspec.sty", "unicode-math.sty")
"""What lualatex and xelatex set letters with."""


def need_latex(program: str, *files: str, font: str = "") -> None:
    """Skip a test where a program of TeX, one of its files or a font is not installed."""
    for name in (program, "kpsewhich", *(["fc-list"] if font else [])):
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
    for name in files:
        if not _told("kpsewhich", name):
            pytest.skip(f"LaTeX has no {name}")
    if font and not _told("fc-list", font):
        pytest.skip(f"the font {font} is not installed")


def _told(*words: str) -> bytes:
    return subprocess.run(words, capture_output=True, check=False).stdout
