"""The extension of Quarto by which an author's documents take results of a run."""

from __future__ import annotations

import logging
from pathlib import Path

from reportgen.errors import StudyError
from reportgen.file_writing import write_text
from reportgen.rendering.templates import read_text, template_folder
from reportgen.version import __version__

log = logging.getLogger("reportgen")

PLACE = "_extensions/reportgen"
FILES = ("_extension.yml", "reportgen.lua")
STARTER = "quarto/starter"


def write_extension(folder: Path, *, starter: bool = False) -> tuple[Path, ...]:
    """Write the extension into a folder, in place of an earlier one.

    `folder`: of documents, or of a project; made when it is not there.
    `starter`: whether to write a manuscript, too; its files that are there stay as they are.
    Result: the files that were written.
    Raises StudyError if a file is where a folder has to be.
    """
    texts = {
        folder / PLACE / name: read_text(f"quarto/extension/{name}").replace(
            "@VERSION@", _version()
        )
        for name in FILES
    }
    for path in sorted((template_folder() / STARTER).iterdir()) if starter else ():
        own = folder / path.name
        if own.exists():
            log.warning("%s: is there, and stays as it is", own)
        else:
            texts[own] = path.read_text(encoding="utf-8")
    for path, text in texts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise StudyError(
                f"{path.parent}: found a file in its place; allowed a folder"
            ) from error
        write_text(path, text)
    return tuple(texts)


def _version() -> str:
    """Return this version as Quarto wants it: three numbers."""
    numbers = [part for part in __version__.split(".") if part.isdigit()]
    return ".".join([*numbers, "0", "0"][:3])
