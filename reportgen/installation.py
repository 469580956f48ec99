"""The name under which this package is installed, and another distribution in its folder.

The package index has another program whose modules lie in a folder `reportgen`, too: where both are
installed, each has replaced files of the other, and removing one removes files of both.
"""

from __future__ import annotations

from pathlib import Path

DISTRIBUTION = "reportgen-benchmark"


def describe_other(folder: Path = Path(__file__).parent) -> str:
    """Say which other distribution is installed into a package's folder, and what to do.

    Result: "" where there is none.

    Examples
    --------
    >>> describe_other(Path("/nowhere/reportgen"))
    ''
    """
    own = folder.name
    for path in sorted(folder.parent.glob(f"{own}-*.dist-info")):
        other = path.name.removesuffix(".dist-info").replace("-", " ", 1)
        return (
            f"found {other}, another distribution, installed into the folder of {DISTRIBUTION}, so "
            "that each has replaced files of the other; allowed one of them: "
            f"pip uninstall {own} {DISTRIBUTION}, then install {DISTRIBUTION} again "
            "(docs: install.md#the-name)"
        )
    return ""
