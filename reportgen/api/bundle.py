"""A bundle: the report of a run, its warehouse and its study's own files in one zip file.

`load` reads it, and `reportgen report` renders it elsewhere: neither needs the study's data.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.api.archive_files import ENDING, study_files
from reportgen.api.zip_file import pack
from reportgen.errors import StudyError
from reportgen.rendering.exports import check_whole, report_files
from reportgen.run_folder import WAREHOUSE

if TYPE_CHECKING:
    from reportgen.api.stored_run import StoredRun


def write_bundle(run: StoredRun, destination: Path) -> Path:
    """Write a run into one file.

    Parameters
    ----------
    run : StoredRun
    destination : Path
        The same run gives the same bytes.

    Raises
    ------
    StudyError
        If the file's name does not end in .zip.
    WarehouseError
        If writing the report was broken off.
    """
    if destination.suffix.lower() != ENDING:
        raise StudyError(f"bundle: found {destination}; allowed a name that ends in {ENDING}")
    check_whole(run.folder)
    stored = (run.folder / WAREHOUSE).glob("*.parquet")
    files: dict[str, Path | bytes] = {
        **study_files(run.job.study, run.origin),
        **report_files(run.folder),
        **{f"{WAREHOUSE}/{file.name}": file for file in stored},
    }
    return pack(files, destination)
