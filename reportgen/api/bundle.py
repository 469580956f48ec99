"""A bundle: the report of a run, its warehouse and its study's own files in one zip file.

`load` reads it, and `reportgen report` renders it elsewhere: neither needs the study's data.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen import provenance
from reportgen.api.archive_files import ENDING, study_files, warehouse_files
from reportgen.api.zip_file import pack
from reportgen.errors import StudyError, WarehouseError
from reportgen.rendering.exports import check_whole, report_files
from reportgen.run_folder import PROVENANCE, WAREHOUSE

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
        If writing the report was broken off, or it is of another execution than the warehouse.
    """
    if destination.suffix.lower() != ENDING:
        raise StudyError(f"bundle: found {destination}; allowed a name that ends in {ENDING}")
    check_whole(run.folder)
    _check_origin(run)
    files: dict[str, Path | bytes] = {
        **study_files(run.job.study, run.origin),
        **report_files(run.folder),
        **warehouse_files(run.folder / WAREHOUSE),
    }
    return pack(files, destination)


def _check_origin(run: StoredRun) -> None:
    """Refuse a report of another execution than the one whose results lie beside it."""
    recorded = provenance.read(run.folder / WAREHOUSE / PROVENANCE)
    if not provenance.is_of_one_run(run.origin, recorded, run.job.study.manifest):
        raise WarehouseError(
            f"{run.folder}: found a report of other results than those that are stored beside it; "
            f"allowed one of these, which is written by: reportgen report "
            f"{shlex.quote(str(run.folder))}"
        )
