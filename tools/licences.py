"""Write the licences of the packages that a report needs into docs/licences.md.

    python tools/licences.py

The packages are those of requirements.txt, their licences what the installed packages say of
themselves. A package that is not installed here, as another platform needs it, keeps its row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from email.message import Message
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import cast

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "licences.md"
REQUIREMENT = re.compile(r"^([a-z0-9._-]+)==", re.MULTILINE)
ROW = re.compile(r"^\| ([a-z0-9._-]+) \| (.+) \|\n", re.MULTILINE)
HEAD = "| package | licence |\n| --- | --- |\n"
CLASS = "License :: OSI Approved :: "
LONGEST = 40  # characters: a longer text is the licence itself, not its name


def required(requirements: str) -> list[str]:
    """Return the names in the text of a file of requirements."""
    return sorted(REQUIREMENT.findall(requirements))


def listed(page: str) -> dict[str, str]:
    """Return the licences in the table of the page, by package."""
    return dict(ROW.findall(page.partition(HEAD)[2]))


def licence_of(package: str) -> str | None:
    """Return the licence that an installed package names; None where it is not installed."""
    try:
        about = cast(Message, metadata(package))
    except PackageNotFoundError:
        return None
    if expression := about.get("License-Expression"):
        return expression
    text = about.get("License") or ""
    if text and len(text) <= LONGEST:
        return text
    classes = [c for c in about.get_all("Classifier") or [] if c.startswith(CLASS)]
    return " or ".join(c.removeprefix(CLASS) for c in classes) or "not named"


def table(requirements: str, known: Mapping[str, str]) -> str:
    """Lay out the licences of all that is required.

    Parameters
    ----------
    requirements : str
        Text of a file of requirements.
    known : mapping of str to str
        For packages that are not installed here.
    """
    rows = (
        f"| {name} | {licence_of(name) or known.get(name, 'not named')} |\n"
        for name in required(requirements)
    )
    return HEAD + "".join(rows)


def main() -> None:
    """Replace the table of the page."""
    page = PAGE.read_text(encoding="utf-8")
    before, _, after = page.partition(HEAD)
    rest = ROW.sub("", after)
    requirements = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    PAGE.write_text(before + table(requirements, listed(page)) + rest, encoding="utf-8")


if __name__ == "__main__":
    main()
