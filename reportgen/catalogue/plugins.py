"""What other packages bring by entry points, and who may load it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from reportgen.errors import SetupError

CANDIDATES = "reportgen.candidates"
MEASURES = "reportgen.measures"
DIGITS = 16  # of a module's digest: 64 bits


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


def edition(group: str, name: str) -> str:
    """Return what changes with the code behind a name: its package's version, its module's digest.

    Parameters
    ----------
    group : str
    name : str
        One that was loaded.
    """
    point = offered(group)[name]
    version = point.dist.version if point.dist else ""
    digest = ""
    with suppress(ImportError, ValueError, OSError):
        spec = find_spec(point.module)
        if spec is not None and spec.origin:
            digest = sha256(Path(spec.origin).read_bytes()).hexdigest()[:DIGITS]
    return f"{version} {digest}".strip()
