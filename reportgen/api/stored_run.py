"""A run as it is stored: its folder, a bundle of it, or what its study names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from reportgen import pipeline, provenance
from reportgen.api.archive import is_archive, is_run, load_study, read_archive, read_folder
from reportgen.data_classes import dataclass
from reportgen.errors import StudyError
from reportgen.report import RESULTS, Provenance
from reportgen.run_folder import PROVENANCE, WAREHOUSE

if TYPE_CHECKING:
    from reportgen.api.study import BenchmarkStudy
    from reportgen.pipeline import Job
    from reportgen.warehouse import Warehouse


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run and its report.

    Attributes
    ----------
    folder : Path
        Of the run.
    job : Job
    warehouse : Warehouse
    origin : Provenance
        As the report states it.
    """

    folder: Path
    job: Job
    warehouse: Warehouse
    origin: Provenance


def open_study(
    path: Path,
    output: Path,
    settings: tuple[str, ...] = (),
    *,
    allow_plugins: bool = False,
) -> BenchmarkStudy:
    """Read a study and its results; nothing is written.

    Parameters
    ----------
    path : Path
        The folder of a run, its warehouse, a bundle, a file of results, or a manifest whose run is
        in the output folder.
    output : Path
        Parent of the run's folder, of a study.
    settings : tuple of str
        `key=value` pairs that overrule the study's.
    allow_plugins : bool
        Whether code that the study names may run.

    Raises
    ------
    StudyError, WarehouseError, ExchangeError
        If there are no such results, or they are damaged.
    """
    from reportgen.api.study import BenchmarkStudy

    if (path / PROVENANCE).is_file():
        return _warehouse_study(path, settings, allow_plugins=allow_plugins)
    if is_run(path) or is_archive(path):
        return load_study(path, settings, allow_plugins=allow_plugins)
    job = pipeline.open_job(path, output, settings, allow_plugins=allow_plugins)
    if job.study.results is None:
        return BenchmarkStudy(job, *pipeline.read_stored(job))
    return results_study(job)


def _warehouse_study(
    path: Path, settings: tuple[str, ...], *, allow_plugins: bool
) -> BenchmarkStudy:
    """Read the study of a warehouse; the settings of one that was saved stand beside it."""
    if path.name == WAREHOUSE:
        return load_study(path.parent, settings, allow_plugins=allow_plugins)
    with TemporaryDirectory() as name:
        (Path(name) / WAREHOUSE).symlink_to(path.resolve(), target_is_directory=True)
        return load_study(Path(name), settings, allow_plugins=allow_plugins)


def results_study(job: Job) -> BenchmarkStudy:
    """Read the results that a study names; nothing is written.

    Parameters
    ----------
    job : Job
        Of a study that names results.

    Raises
    ------
    ExchangeError
        If they cannot be read.
    """
    from reportgen.api.study import BenchmarkStudy
    from reportgen.exchange.tidy import study_results

    path = job.study.path
    origin = Provenance("", "", {}, "", "", provenance.hashes({path.name: path}))
    return BenchmarkStudy(job, study_results(job.study), origin)


@contextmanager
def stored_run(
    path: Path,
    output: Path,
    settings: tuple[str, ...] = (),
    *,
    allow_plugins: bool = False,
    allow_templates: bool = False,
) -> Iterator[StoredRun]:
    """Read a run with the provenance that its report states.

    Parameters
    ----------
    path : Path
        The folder of a run, a bundle, or a study: then the study is as its file is now, and has
        its own files (theme, templates, data).
    output : Path
        Parent of the run's folder, of a study.
    settings : tuple of str
        `key=value` pairs that overrule the study's.
    allow_plugins, allow_templates : bool
        Whether code that the study names may run, and its templates be rendered.

    Raises
    ------
    StudyError, WarehouseError
        If there is no such run, or it is damaged.
    """
    if is_run(path):
        found = read_folder(
            path,
            path,
            settings,
            as_reported=True,
            allow_plugins=allow_plugins,
            allow_templates=allow_templates,
        )
        yield StoredRun(path, *found)
    elif is_archive(path):
        with TemporaryDirectory(prefix="reportgen-") as name:
            folder = Path(name)
            if not path.exists():
                raise StudyError(f"{path}: found no such file; allowed a bundle")
            found = read_archive(
                path,
                folder,
                folder,
                settings,
                as_reported=True,
                allow_plugins=allow_plugins,
                allow_templates=allow_templates,
            )
            yield StoredRun(folder, *found)
    else:
        try:
            job = pipeline.open_job(
                path, output, settings, allow_plugins=allow_plugins, allow_templates=allow_templates
            )
        except StudyError as error:
            if not path.is_dir():
                raise
            raise StudyError(
                f"{path}: found no warehouse; allowed the folder of a run, or a bundle"
            ) from error
        warehouse, origin = pipeline.read_stored(job)
        stated = provenance.as_reported(origin, job.folder / RESULTS)
        yield StoredRun(job.folder, job, warehouse, stated)
