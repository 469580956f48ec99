"""Files of a folder of anybody: none that a link leads to outside of it, no pipe, no device."""

from __future__ import annotations

from pathlib import Path

MOST_BYTES = 1_000_000  # of a text


def file_in(folder: Path, name: str) -> Path | None:
    """Return a file of a folder; None where there is none.

    `name`: its path in the folder.
    """
    path = folder / name
    is_inside = path.resolve().is_relative_to(folder.resolve())
    return path if is_inside and path.is_file() else None


def text_in(folder: Path, name: str) -> str | None:
    """Return the text of a file of a folder; None where there is none.

    Raises ValueError if it is no UTF-8, or too large to be read.
    """
    file = file_in(folder, name)
    if file is None:
        return None
    with file.open("rb") as opened:
        content = opened.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        size = file.stat().st_size
        raise ValueError(f"{file}: found {size:,} bytes; allowed up to {MOST_BYTES:,}")
    try:
        return content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{file}: found bytes that are no UTF-8 ({error}); allowed text in UTF-8"
        ) from error


def files_in(folder: Path, inside: Path | None = None) -> list[Path]:
    """Return the files below a folder that are no links, in the order of their names.

    `inside`: the folder that they have to be in, where the first one may be a link; that one itself
    when left out.
    """
    place = (inside or folder).resolve()
    return [
        file
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.is_symlink() and file.resolve().is_relative_to(place)
    ]
