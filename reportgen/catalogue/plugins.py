"""What other packages bring by entry points, and who may load it."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from reportgen.errors import SetupError

CANDIDATES = "reportgen.candidates"
MEASURES = "reportgen.measures"


def offered(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by their names; no code of theirs runs."""
    return {point.name: point for point in entry_points(group=group)}


def load(group: str, name: str, packages: Iterable[str]) -> Any:
    """Return what stands behind a name that a package brings.

    Parameters
    ----------
    group : str
    name : str
        One of `offered(group)`.
    packages : iterable of str
        Packages that may be loaded.

    Raises
    ------
    SetupError
        If its package may not be loaded, or cannot be.
    """
    point = offered(group)[name]
    package = point.module.partition(".")[0]
    if package not in packages:
        raise SetupError(
            f"found {name!r} of the package {package!r}, whose code would run here; allowed with "
            f"{package} under plugins: and --allow-plugins"
        )
    try:
        return point.load()
    except Exception as error:
        raise SetupError(f"{name!r} of {package!r} cannot be loaded: {error}") from error
