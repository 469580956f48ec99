"""A study in one file: its results, its manifest and its provenance."""

from __future__ import annotations

import json
import os
import shlex
import weakref
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from reportgen import provenance
from reportgen.api.archive_files import ENDING, OWN, SETTINGS
from reportgen.api.keywords import manifest_values
from reportgen.api.study import BenchmarkStudy
from reportgen.api.zip_file import unpack
from reportgen.errors import ReportgenError, StudyError, WarehouseError
from reportgen.json_text import read_json
from reportgen.pipeline import Job, setting
from reportgen.rendering.layout import place_inside
from reportgen.report import RESULTS
from reportgen.run_folder import (
    PROGRAM,
    PROVENANCE,
    SET,
    WAREHOUSE,
    study_folder,
    with_templates,
)
from reportgen.sections import find_sections
from reportgen.study.errors import given_path
from reportgen.study.manifest import Study, check_study
from reportgen.study.schema.options import AnalysisOptions
from reportgen.study.shorthand import apply_overrides
from reportgen.study.yaml_source import Source, parse
from reportgen.warehouse.files import read_warehouse, warehouse_digest

if TYPE_CHECKING:
    from reportgen.report import Provenance
    from reportgen.warehouse import Warehouse


def _check_inside(study: Study, path: Path) -> None:
    """Refuse a zip file whose report would show files of its reader: theme or logo."""
    for key, name in (("theme", study.report.theme), ("logo", study.report.logo)):
        if name and place_inside(name) != Path(name).as_posix():
            raise StudyError(f"load: found {path} with report.{key} outside; allowed in the file")


def load(
    path: str | os.PathLike[str],
    *,
    as_reported: bool = False,
    allow_templates: bool = False,
    **keywords: Any,
) -> BenchmarkStudy:
    """Read the folder of a run, or a file of `reportgen bundle` or `BenchmarkStudy.save`.

    Parameters
    ----------
    path : str or Path
        Such as output/quickstart, or study.zip.
    as_reported : bool
        Whether the settings are those of the report in the folder, where there is one, and not
        those of the execution.
    allow_templates : bool
        Whether templates of the study, and of its theme, may be rendered: those of people whom
        you trust.
    keywords
        Keys of `analysis` in a manifest, in place of the study's, such as ``alpha=0.01``.

    Raises
    ------
    StudyError
        If it is neither, or a keyword is wrong.
    WarehouseError
        If what is there is damaged.

    Examples
    --------
    >>> import tempfile, reportgen
    >>> values = {"lda": [0.3, 0.4, 0.2], "svm": [0.2, 0.2, 0.1]}
    >>> study = reportgen.compare(values, measure="misclassification")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     loaded = reportgen.load(study.save(f"{folder}/study.zip"))
    ...     stricter = reportgen.load(f"{folder}/study.zip", alpha=0.01)
    >>> loaded.pairs().equals(study.pairs())
    True
    >>> bool(stricter.pairs()["upper"][0] > study.pairs()["upper"][0])  # wider intervals
    True
    """
    paths = {name: f"analysis.{name}" for name in AnalysisOptions.model_fields}
    values, _ = manifest_values(load, keywords, paths)
    words = [f"{key}={json.dumps(value)}" for key, value in values.items()]
    more: dict[str, Any] = {"as_reported": as_reported, "allow_templates": allow_templates}
    place = given_path("load(path=…)", path, "the path of a run's folder, or of a .zip")
    own = load_study(place, **more)
    if not words:
        return own
    study = load_study(place, words, **more)
    return own if own.parts[0].study.analysis == study.parts[0].study.analysis else study


def is_archive(path: Path) -> bool:
    """Whether a path names a file that `bundle` or `save` writes."""
    return path.suffix.lower() == ENDING and not path.is_dir()


def is_run(path: Path) -> bool:
    """Whether a path is the folder of a run."""
    return (path / WAREHOUSE).is_dir()


def load_study(
    path: Path, settings: Sequence[str] = (), *, output: Path | None = None, **more: Any
) -> BenchmarkStudy:
    """Read the folder of a run or a zip file, with settings of a command.

    Parameters
    ----------
    path : Path
    settings : sequence of str
        `key=value` pairs that overrule the study's; the report's command names them.
    output : Path, optional
        Parent of the report's folder, which has the study's name; when left out, the report goes
        into the folder of the run, or one with the file's name.
    more
        What else a `Job` takes.

    Raises
    ------
    StudyError, WarehouseError
        See `load`.
    """
    if path.is_dir():
        return _with_output(read_folder(path, path, settings, **more), output)
    if not path.exists():
        raise StudyError(f"load: found no file or folder {path}; allowed a run's folder, or a .zip")
    folder = Path(mkdtemp(prefix="reportgen-"))
    try:
        study = _with_output(
            read_archive(path, folder, path.with_suffix(""), settings, **more), output
        )
    except BaseException:
        rmtree(folder, ignore_errors=True)
        raise
    if (folder / OWN).is_dir():  # a theme and templates are read when a report is written
        weakref.finalize(study, rmtree, folder, ignore_errors=True)
    else:
        rmtree(folder, ignore_errors=True)
    return study


def read_archive(
    path: Path, folder: Path, destination: Path, settings: Sequence[str] = (), **more: Any
) -> tuple[Job, Warehouse, Provenance]:
    """Unpack a file that `bundle` or `save` has written into an empty folder, and read it.

    Parameters
    ----------
    path, folder : Path
    destination, settings, more
        See `read_folder`.

    Raises
    ------
    StudyError, WarehouseError
        If it is no such file, is damaged, or has a theme or a logo outside.
    """
    unpack(path, folder, "a run's folder, or a file that bundle or save() has written")
    try:
        found = read_folder(folder, destination, settings, is_sent=True, **more)
    except ReportgenError as error:  # which names a place that nobody knows
        raise type(error)(str(error).replace(str(folder), str(path))) from error
    _check_inside(found[0].study, path)
    return found


def _with_output(found: tuple[Job, Warehouse, Provenance], output: Path | None) -> BenchmarkStudy:
    """Return a study whose report goes into a folder of its name."""
    job, warehouse, origin = found
    if output is not None:
        job = replace(job, folder=output / job.study.name)
    return BenchmarkStudy(job, warehouse, origin)


def read_folder(
    folder: Path,
    destination: Path,
    settings: Sequence[str] = (),
    *,
    as_reported: bool = False,
    is_sent: bool = False,
    **more: Any,
) -> tuple[Job, Warehouse, Provenance]:
    """Read the folder of a run.

    Parameters
    ----------
    folder : Path
    destination : Path
        The folder of its report.
    settings, more
        See `load_study`.
    as_reported : bool
        Whether its provenance is that of the report in the folder, where there is one, and
        not that of the execution: a manifest may have changed since.
    is_sent : bool
        Whether it was in a bundle, whose report is of the results that are stored with it.

    Raises
    ------
    StudyError, WarehouseError
        See `load`.
    """
    file = folder / WAREHOUSE / PROVENANCE
    if not file.exists():
        raise StudyError(
            f"load: found no results in {folder}; allowed the folder of a run, such as "
            "output/quickstart, or a file that bundle or save() has written"
        )
    recorded = stated = provenance.read(file)
    if as_reported or is_sent:
        stated = provenance.as_reported(recorded, folder / RESULTS)
    origin = stated
    if not as_reported:
        bare = with_templates(recorded.command, allow_templates=False)
        origin = replace(recorded, command=bare)
    if settings:
        words = [word for text in settings for word in (SET, text)]
        origin = replace(origin, command=f"{origin.command} {shlex.join(words)}")
    if more.get("allow_templates") and not as_reported:
        allowed = with_templates(origin.command, allow_templates=True)
        origin = replace(origin, command=allowed)
    study = _study(folder, origin, settings)
    if is_sent and not provenance.is_of_one_run(stated, recorded, study.manifest):
        raise WarehouseError(
            f"{folder}: found a report of other results than those that are stored with it; "
            "allowed both of one run, as bundle has written them"
        )
    warehouse = read_warehouse(folder / WAREHOUSE)
    if origin.warehouse not in ("", warehouse_digest(folder / WAREHOUSE)):
        raise WarehouseError(
            f"{file}: found the provenance of other results than those that are stored with it; "
            "allowed both as one run has written them"
        )
    return Job(study, find_sections(), destination, origin.command, **more), warehouse, origin


def _study(folder: Path, origin: Provenance, settings: Sequence[str]) -> Study:
    """Return the study of a run: as it was saved, else by its manifest and command."""
    options = {name: section.options for name, section in find_sections().items()}
    saved = folder / SETTINGS
    if saved.exists():
        try:
            about: dict[str, Any] = read_json(saved)
            name = Path(about["path"]).name
            source = Source(_place(folder) / name, origin.manifest, about["data"])
            if not source.data.get("study", {}).get("name"):
                source.data.setdefault("study", {})["name"] = about["name"]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            found, allowed = f"no settings of a study ({error})", "a file that save() has written"
            raise WarehouseError(f"{saved}: found {found}; allowed {allowed}") from None
        return check_study(_overruled(source, settings), options, has_files=False)
    try:
        words = shlex.split(origin.command)
    except ValueError:  # of a call from Python
        words = []
    if tuple(words[: len(PROGRAM)]) != PROGRAM:
        raise WarehouseError(f"{saved}: found no such file; allowed one that save() has written")
    given = [words[i + 1] for i, word in enumerate(words[:-1]) if word == SET]
    name = next(iter(origin.inputs), folder.name)
    file = _place(folder) / Path(name).name
    source = (
        parse(file, origin.manifest)
        if origin.manifest
        else Source(file, "", {"results": {"file": file.name}})
    )
    return check_study(_overruled(source, given), options, has_files=False)


def _place(folder: Path) -> Path:
    """Return the folder of a study's own files: in a bundle, where it is, or none of these."""
    return folder / OWN if (folder / OWN).is_dir() else study_folder(folder) or folder


def _overruled(source: Source, settings: Sequence[str]) -> Source:
    """Put the values of `--set key=value` in their places."""
    return apply_overrides(source, dict(setting(text) for text in settings))
