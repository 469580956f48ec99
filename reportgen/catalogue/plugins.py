"""Plug-ins: entry points and dotted names of other packages, and digests of their code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from inspect import isclass, isroutine
from pathlib import Path
from typing import Any

from reportgen.catalogue.names import unknown_name
from reportgen.catalogue.parsed_code import OWN, Named, parsed_text, used_code
from reportgen.data_classes import dataclass
from reportgen.errors import SetupError

CANDIDATES = "reportgen.candidates"
MEASURES = "reportgen.measures"
DIGITS = 16  # of a module's digest: 64 bits
INSTALLED = frozenset({"site-packages", "dist-packages"})  # folders of what has a version


def find_entry_points(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by their names; no code of theirs runs."""
    return {point.name: point for point in entry_points(group=group)}


def load(group: str, name: str, packages: Iterable[str]) -> Any:
    """Return the object of a name that a package provides.

    `name`: one of `offered(group)`.
    `packages`: packages that may be loaded.
    Raises SetupError if its package may not be loaded, or cannot be.
    """
    point = find_entry_points(group)[name]
    package = point.module.partition(".")[0]
    if package not in packages:
        raise SetupError(
            f"found {name!r} of the package {package!r}, whose code would run here; allowed with "
            f"{package} under plugins: and --allow-plugins"
        )
    try:
        return point.load()
    except Exception as error:
        raise SetupError(
            f"found {name!r} of {package!r}, which cannot be loaded ({error}); allowed what can"
        ) from error


def import_named(path: str, kind: str, is_kind: Callable[[Any], bool]) -> Any:
    """Import an object by its dotted name.

    `path`: the module's import path, a dot and the object's name.
    `kind`: what the object is, for the error: "class" or "function".
    `is_kind`: whether an object of the module is of that kind.
    Raises SetupError if the module cannot be imported, or has no such public object of its own
    package.
    """
    module_path, _, name = path.rpartition(".")
    package = module_path.partition(".")[0]
    try:
        module = import_module(module_path)
    except Exception as error:
        missing = (isinstance(error, ModuleNotFoundError) and error.name) or ""
        allowed = "a module that can"
        if missing == package:
            allowed = "a package that is installed, or a module next to the manifest"
        elif any(_local_spec(missing, Path(own.folder)) for own in study_modules() if missing):
            allowed = f"beside the manifest: under plugins: also {missing}"
        raise SetupError(
            f"found {module_path!r}, which cannot be imported ({error}); allowed {allowed}"
        ) from error
    own = {
        known: found
        for known, found in vars(module).items()
        if is_kind(found) and not known.startswith("_") and _is_of(found, package)
    }
    if name not in own:
        raise unknown_name(f"{kind} of {module_path}:", name, sorted(own))
    return own[name]


def _is_of(found: Any, package: str) -> bool:
    """Whether a package defines a class or a function, or has made an object."""
    is_defined = isclass(found) or isroutine(found)
    return not is_defined or str(found.__module__).partition(".")[0] == package


def edition(group: str, name: str) -> str:
    """Return what changes with the code behind a name: its package's version, its module's digest.

    `name`: one that was loaded.
    """
    point = find_entry_points(group)[name]
    version = point.dist.version if point.dist else ""
    digest = ""
    with suppress(ImportError, ValueError, OSError):
        spec = find_spec(point.module)
        if spec is not None and spec.origin:
            digest = sha256(Path(spec.origin).read_bytes()).hexdigest()[:DIGITS]
    return f"{version} {digest}".strip()


@dataclass(frozen=True, slots=True)
class StudyModules:
    """A finder of a study's own modules, for `sys.meta_path`: of these, and of no file beside them.

    Attributes
    ----------
    folder : str
        Where they lie.
    packages : tuple of str
        Names of modules and packages, without dots.
    """

    folder: str  # where they lie
    packages: tuple[str, ...]  # names of modules and packages, without dots

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: object = None
    ) -> ModuleSpec | None:
        """Find one of the modules; those within a package are found by the package's own path."""
        is_own = path is None and name in self.packages
        return _local_spec(name, Path(self.folder)) if is_own else None


def make_importable(packages: Collection[str], folder: Path) -> None:
    """Let the packages that lie in a folder be imported, after all that is installed.

    `packages`: those that may be loaded.
    `folder`: the manifest's.
    Raises SetupError if one that lies there has the name of a module of Python, which it is not.
    """
    for package in packages:
        if package in sys.stdlib_module_names and _local_spec(package, folder):
            raise SetupError(
                f"found the plug-in {package!r}, which is a module of Python, too; allowed another "
                "name"
            )
    own = (p for p in packages if _installed(p) is None and _local_spec(p, folder))
    finder = StudyModules(str(folder.resolve()), tuple(own))
    if finder.packages:
        sys.meta_path.append(finder)


def study_modules() -> tuple[StudyModules, ...]:
    """Return the finders of studies' own modules that this process has: its workers need them."""
    return tuple(finder for finder in sys.meta_path if isinstance(finder, StudyModules))


def code_of(package: str, folder: Path) -> str:
    """Return a digest of all of a package's own code, as parsed; nothing of it is run.

    `package`: A name without dots.
    `folder`: the manifest's, where it may lie.
    Result: "" for a package that is installed, whose version identifies it, and where there is
    none.
    """
    return _digest(parsed_text(text).encode() for text in _own_modules(package, folder).values())


def digest_of_used(roots: Iterable[Named], folder: Path) -> str:
    """Return a digest of the code behind names that is in no installed package.

    `roots`: of classes and functions.
    `folder`: as in `code_of`.
    Result: "" where there is no such code.
    """

    def sources(package: str) -> Mapping[str, bytes]:
        is_ours = package in (OWN, __name__.partition(".")[0])
        return {} if is_ours else _own_modules(package, folder)

    text = used_code(roots, sources)
    return _digest([text.encode()]) if text else ""


def source_of(packages: Iterable[str], folder: Path) -> dict[str, bytes]:
    """Return the modules of packages that are not installed, as other machines need them.

    `folder`: the manifest's, where they may lie.
    Result: the files by their paths from where Python looks, with slashes.
    """
    found: dict[str, bytes] = {}
    for package in packages:
        found |= _own_modules(package, folder)
    return found


def _own_modules(package: str, folder: Path) -> dict[str, bytes]:
    """Return the modules of a package by their paths; none of one that is installed."""
    spec = _installed(package) or _local_spec(package, folder)
    places = [Path(place) for place in (spec and spec.submodule_search_locations) or ()]
    if places and all(INSTALLED.intersection(place.parts) for place in places):
        return {}  # without a look at its files, which may be thousands
    roots, found = [place.parent for place in places], {}
    for path in modules_of(package, folder):
        if INSTALLED.isdisjoint(path.parts):
            root = next((r for r in roots if path.is_relative_to(r)), path.parent)
            found[path.relative_to(root).as_posix()] = path.read_bytes()
    return found


def installed_code_of(package: str, folder: Path) -> str:
    """Return a digest of the code of an installed package; nothing of it is run.

    `package`, `folder`: as in `code_of`.
    Result: "" for a package of the study's own, and where there is none.
    """
    return _digest(
        path.read_bytes()
        for path in modules_of(package, folder)
        if not INSTALLED.isdisjoint(path.parts)
    )


def modules_of(package: str, folder: Path) -> list[Path]:
    """Return the files of a package's modules, in a fixed order."""
    spec = _installed(package) or _local_spec(package, folder)
    if spec is None:
        return []
    folders = [Path(place) for place in spec.submodule_search_locations or ()]
    files = [path for place in folders for path in sorted(place.rglob("*.py"))]
    if not folders and spec.has_location and spec.origin:
        files = [Path(spec.origin)]
    return [path for path in files if path.is_file()]


def _digest(texts: Iterable[bytes]) -> str:
    parts = [sha256(text).digest() for text in texts]
    return sha256(b"".join(parts)).hexdigest()[:DIGITS] if parts else ""


def _installed(package: str) -> ModuleSpec | None:
    """Find a package where Python looks for it."""
    with suppress(ImportError, ValueError):
        return find_spec(package)
    return None


def _local_spec(package: str, folder: Path) -> ModuleSpec | None:
    """Find a package in a folder."""
    return PathFinder.find_spec(package, [str(folder.resolve())])
