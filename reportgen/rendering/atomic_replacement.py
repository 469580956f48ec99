"""The files of a report change together: those of an edition replace those of the one before."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from reportgen.errors import RenderingError
from reportgen.file_writing import unfinished
from reportgen.rendering.exports import own_report_files
from reportgen.report import RESULTS

EDITION = "edition"  # the folder of one that is not whole yet


@contextmanager
def atomic_replacement(folder: Path, names: Collection[str]) -> Iterator[Path]:
    """Yield a copy of a report; once it is changed without a fault, it replaces the report.

    The new `results.json` comes first: as long as the index of the report names another one,
    its files do not belong together.

    `folder`: of the run.
    `names`: of the files that a report may consist of, beside those in folders of its own.
    Raises RenderingError if a file cannot be written; it says whether the report is as it was.
    """
    own = own_report_files(folder, names)
    part = unfinished(folder / EDITION)
    try:
        try:
            for name in own:
                (part / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(folder / name, part / name)
            part.mkdir(exist_ok=True)
            yield part
        except OSError as error:
            fault = _fault(error, part, folder)
            raise RenderingError(f"{fault}; the report that was there is as it was") from error
        try:
            _replace(part, folder, own)
        except OSError as error:
            fault = _fault(error, part, folder)
            raise RenderingError(
                f"{fault}; only some files of the report are new: the same command writes all"
            ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def is_inside(error: OSError, folder: Path) -> bool:
    """Whether an error is about a file in a folder."""
    return error.filename is not None and Path(str(error.filename)).is_relative_to(folder)


def _replace(part: Path, folder: Path, own: Collection[str]) -> None:
    """Move the files of a folder to their places in another; files that it lacks go."""
    # Indices come before what they list: nothing that a kill leaves is in none.
    files = (file for file in part.rglob("*") if file.is_file())
    names = {file.relative_to(part).as_posix() for file in files}
    order = sorted(
        names.union(own),
        key=lambda n: (n != RESULTS, n in names, not Path(n).name.startswith("."), n),
    )
    for name in order:
        if name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (part / name).replace(folder / name)
        else:
            (folder / name).unlink(missing_ok=True)


def _fault(error: OSError, part: Path, folder: Path) -> str:
    """Say which file of a report cannot be written, and why."""
    if not is_inside(error, part):
        return str(error)
    file = folder / Path(str(error.filename)).relative_to(part)
    return f"{file}: cannot be written ({error.strerror})"
