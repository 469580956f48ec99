"""The files of a study in one file: what it is written from; `archive` reads it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from reportgen import provenance
from reportgen.api.zip_file import pack
from reportgen.errors import StudyError
from reportgen.file_writing import write_text
from reportgen.pipeline import Job
from reportgen.rendering.layout import own_files, place_inside
from reportgen.run_folder import (
    PROVENANCE,
    WAREHOUSE,
)
from reportgen.study.manifest import Study
from reportgen.warehouse.files import warehouse_digest, write_warehouse

if TYPE_CHECKING:
    from reportgen.report import Provenance
    from reportgen.warehouse import Warehouse

SETTINGS = "study.json"
OWN = "study"  # the folder of the study's own files in a bundle
ENDING = ".zip"


def save(path: Path, job: Job, warehouse: Warehouse, origin: Provenance) -> Path:
    """Write a study into one file.

    Raises
    ------
    StudyError
        If the file's name does not end in .zip.
    """
    if path.suffix.lower() != ENDING:
        raise StudyError(f"save: found {path}; allowed a name that ends in {ENDING}")
    with TemporaryDirectory() as name:
        write_warehouse(warehouse, Path(name))
        origin = replace(origin, warehouse=warehouse_digest(Path(name)))
        return pack(study_files(job.study, origin) | warehouse_files(Path(name)), path)


def warehouse_files(folder: Path) -> dict[str, Path | bytes]:
    """Return the files of a warehouse by their places in a bundle."""
    files = sorted(folder.rglob("*.parquet"))
    return {f"{WAREHOUSE}/{file.relative_to(folder).as_posix()}": file for file in files}


def study_files(study: Study, origin: Provenance) -> dict[str, Path | bytes]:
    """Return what a report needs beside results: settings, provenance, and the study's own files.

    These are the manifest and what a report reads beside it: templates, theme, logo, citation.

    Returns
    -------
    dict of str to Path or bytes
        By path within a zip file.
    """
    own: dict[str, Path | bytes] = dict(own_files(study))
    if origin.manifest:
        own[study.path.name] = origin.manifest.encode()
    return {
        SETTINGS: _settings(study, is_own=True).encode(),
        f"{WAREHOUSE}/{PROVENANCE}": provenance.as_text(origin).encode(),
        **{f"{OWN}/{place}": file for place, file in own.items()},
    }


def write_settings(study: Study, folder: Path) -> None:
    """Write what a study has in place of a manifest into the folder of its run."""
    write_text(folder / SETTINGS, _settings(study))


def _settings(study: Study, *, is_own: bool = False) -> str:
    """Write what a study has in place of a manifest."""
    # `is_own` says whether theme and logo are named where a zip file has them.
    data = json.loads(json.dumps(study.source.data))
    report = data.get("report", {})
    for key in ("theme", "logo"):
        if is_own and isinstance(report.get(key), str):
            report[key] = place_inside(report[key])
    about = {"name": study.name, "path": study.path.name, "data": data}
    return json.dumps(about, indent=1, ensure_ascii=False)
