"""A study in one file: its results, its manifest and its provenance."""

from __future__ import annotations

import json
import os
import shlex
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from reportgen import provenance
from reportgen.api.study import BenchmarkStudy
from reportgen.errors import StudyError, WarehouseError
from reportgen.pipeline import Job
from reportgen.run_folder import PROGRAM, PROVENANCE, SET
from reportgen.sections import find_sections
from reportgen.study.manifest import Study, check_study
from reportgen.study.shorthand import apply_overrides
from reportgen.study.yaml_source import Source, parse
from reportgen.warehouse.files import read_warehouse, write_warehouse

if TYPE_CHECKING:
    from reportgen.report import Provenance
    from reportgen.warehouse import Warehouse

WAREHOUSE = "warehouse"
SETTINGS = "study.json"
MOST_BYTES = 4_000_000_000  # unpacked: a small file may claim any size
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
        folder = Path(name)
        write_warehouse(warehouse, folder / WAREHOUSE)
        provenance.settle(origin, folder / WAREHOUSE / PROVENANCE, measured=True)
        write_settings(job.study, folder)
        temporary = path.with_name(f"{path.name}.part")
        try:
            with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
                for file in sorted(folder.rglob("*")):
                    if file.is_file():
                        archive.write(file, file.relative_to(folder).as_posix())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    return path


def write_settings(study: Study, folder: Path) -> None:
    """Write what a study has in place of a manifest into the folder of its run."""
    about = {"name": study.name, "path": study.path.name, "data": study.source.data}
    text = json.dumps(about, indent=1, ensure_ascii=False)
    (folder / SETTINGS).write_text(text, encoding="utf-8")


def load(path: str | os.PathLike[str]) -> BenchmarkStudy:
    """Read the folder of a run, or a file that `BenchmarkStudy.save` has written.

    Parameters
    ----------
    path : str or Path
        Such as output/quickstart, or study.zip.

    Raises
    ------
    StudyError
        If it is neither.
    WarehouseError
        If what is there is damaged.

    Examples
    --------
    >>> import tempfile, reportgen
    >>> values = {"lda": [0.3, 0.4, 0.2], "svm": [0.2, 0.2, 0.1]}
    >>> study = reportgen.compare(values, measure="misclassification")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     loaded = reportgen.load(study.save(f"{folder}/study.zip"))
    >>> loaded.pairs().equals(study.pairs())
    True
    """
    path = Path(path)
    if path.is_dir():
        return _load_folder(path, path)
    if not path.exists():
        raise StudyError(f"load: found no file or folder {path}; allowed a run's folder, or a .zip")
    with TemporaryDirectory() as name:
        _unpack(path, Path(name))
        return _load_folder(Path(name), path.with_suffix(""))


def _unpack(path: Path, folder: Path) -> None:
    """Unpack a file that was saved."""
    try:
        with zipfile.ZipFile(path) as archive:
            n_bytes = sum(entry.file_size for entry in archive.infolist())
            if n_bytes <= MOST_BYTES:
                archive.extractall(folder)  # leaves no path that leads outside as it is
    except Exception as error:  # what is damaged raises errors of zlib, of lzma, of anything
        allowed = "a run's folder, or a file that save() has written"
        raise StudyError(f"load: found {path} ({error}); allowed {allowed}") from None
    if n_bytes > MOST_BYTES:
        raise StudyError(f"load: found {path} of {n_bytes:,} bytes; allowed up to {MOST_BYTES:,}")


def _load_folder(folder: Path, destination: Path) -> BenchmarkStudy:
    """Read a folder; its report goes to another one."""
    file = folder / WAREHOUSE / PROVENANCE
    if not file.exists():
        raise StudyError(
            f"load: found no results in {folder}; allowed the folder of a run, such as "
            "output/quickstart, or a file that save() has written"
        )
    origin = provenance.read(file)
    study = _study(folder, origin)
    warehouse = read_warehouse(folder / WAREHOUSE)
    return BenchmarkStudy(
        Job(study, find_sections(), destination, origin.command), warehouse, origin
    )


def _study(folder: Path, origin: Provenance) -> Study:
    """Return the study of a run: as it was saved, else by its manifest and command."""
    options = {name: section.options for name, section in find_sections().items()}
    saved = folder / SETTINGS
    if saved.exists():
        try:
            about: dict[str, Any] = json.loads(saved.read_text(encoding="utf-8"))
            source = Source(Path(Path(about["path"]).name), "", about["data"])
            if not source.data.get("study", {}).get("name"):
                source.data.setdefault("study", {})["name"] = about["name"]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise WarehouseError(f"{saved}: found no settings of a study ({error})") from None
        return check_study(source, options, has_files=False)
    try:
        words = shlex.split(origin.command)
    except ValueError:  # of a call from Python
        words = []
    if tuple(words[: len(PROGRAM)]) != PROGRAM:
        raise WarehouseError(f"{saved}: found no such file; allowed one that save() has written")
    given = [words[i + 1].partition("=") for i, word in enumerate(words[:-1]) if word == SET]
    name = next(iter(origin.inputs), folder.name)
    file = Path(name)
    source = (
        parse(file, origin.manifest)
        if origin.manifest
        else Source(file, "", {"results": {"file": file.name}})
    )
    overruled = apply_overrides(source, {key: text for key, _, text in given})
    return check_study(overruled, options, has_files=False)
