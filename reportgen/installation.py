"""The package in its surroundings: its name, its pages, another one in its folder, a given date.

The package index has another program whose modules lie in a folder `reportgen`, too: where both are
installed, each has replaced files of the other, and removing one removes files of both.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

DISTRIBUTION = "reportgen-benchmark"
EPOCH = "SOURCE_DATE_EPOCH"  # the variable with the date of what is built
LAST_DIGITS = 11  # of seconds since 1970 until the year 5138


def page_url(page: str) -> str:
    """Return the address of a page of the documents, which a browser opens.

    The wheel brings the pages of its version; in a checkout they lie beside the package.

    Examples
    --------
    >>> page_url("imports.md#shapes").rpartition("/")[-1]
    'imports.md#shapes'
    """
    from pathlib import Path

    package = Path(__file__).resolve().parent
    name, mark, anchor = page.partition("#")
    folders = (package / "_docs", package.parent / "docs")
    file = next((folder / name for folder in folders if (folder / name).is_file()), Path(name))
    return f"{file.absolute().as_uri()}{mark}{anchor}"


def describe_other(folder: Path | None = None) -> str:
    """Say which other distribution is installed into a package's folder, and what to do.

    Result: "" where there is none. `folder`: this package's by itself. pathlib is left out of the
    start.

    Examples
    --------
    >>> from pathlib import Path
    >>> describe_other(Path("/nowhere/reportgen"))
    ''
    """
    around, own = os.path.split(os.path.dirname(__file__) if folder is None else folder)  # noqa: PTH120
    try:
        files = os.listdir(around)  # noqa: PTH208
    except OSError:
        return ""
    for name in sorted(files):
        if name.startswith(f"{own}-") and name.endswith(".dist-info"):
            other = name.removesuffix(".dist-info").replace("-", " ", 1)
            return (
                f"found {other}, another distribution, installed into the folder of "
                f"{DISTRIBUTION}, so that each has replaced files of the other; allowed one of "
                f"them: pip uninstall {own} {DISTRIBUTION}, then install {DISTRIBUTION} again "
                f"(docs: {page_url('install.md#the-name')})"
            )
    return ""


def epoch_fault(epoch: str | None) -> str:
    """Say what is amiss with the date of what is built; empty where nothing is, or none is set.

    Examples
    --------
    >>> epoch_fault("yesterday")
    "SOURCE_DATE_EPOCH: found 'yesterday'; allowed seconds since 1970, a whole number"
    """
    if not epoch or (epoch.isascii() and epoch.isdigit() and len(epoch) <= LAST_DIGITS):
        return ""
    return f"{EPOCH}: found {epoch[:60]!r}; allowed seconds since 1970, a whole number"
