"""Files of a folder of anybody: none that a link leads to outside of it, no pipe, no device."""

from __future__ import annotations

from pathlib import Path


def file_in(folder: Path, name: str) -> Path | None:
    """Return a file of a folder; None where there is none.

    Parameters
    ----------
    folder : Path
    name : str
        Its path in the folder.
    """
    path = folder / name
    is_inside = path.resolve().is_relative_to(folder.resolve())
    return path if is_inside and path.is_file() else None


def files_in(folder: Path, inside: Path | None = None) -> list[Path]:
    """Return the files below a folder that are no links, in the order of their names.

    Parameters
    ----------
    folder : Path
    inside : Path, optional
        The folder that they have to be in, where the first one may be a link; that one itself when
        left out.
    """
    place = (inside or folder).resolve()
    return [
        file
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.is_symlink() and file.resolve().is_relative_to(place)
    ]
