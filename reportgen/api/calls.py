"""The calls that give a study: compare results, run a manifest, load what was saved."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reportgen.api.keywords import (
    as_written,
    key_paths,
    manifest_values,
    overruling_paths,
    plain_value,
)
from reportgen.errors import StudyError
from reportgen.path_redaction import redact_paths
from reportgen.progress import live_progress, stage
from reportgen.study.errors import describe_unknown, given_path, listed, measure_name, shown

if TYPE_CHECKING:
    import pandas as pd

    from reportgen.api.study import BenchmarkStudy
    from reportgen.exchange.table import RawTable
    from reportgen.performance_measure import Better, Measure
    from reportgen.pipeline import Job
    from reportgen.study.manifest import Study
    from reportgen.warehouse import Warehouse

Relevance = float | Sequence[float] | Mapping[str, Any]
AnyPath = str | os.PathLike[str]
BATTLES = "battles(…)"
COMPARE = "compare"
OUTPUT = "output"
READING = ("columns", "format", "object", "replication")
"""Keywords by which files are read."""


def compare(
    results: Any,
    *,
    better: Better | Mapping[str, Better] | None = None,
    relevance: Relevance | None = None,
    measure: str | None = None,
    candidates: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    **keywords: Any,
) -> BenchmarkStudy:
    """Compare candidates by results that exist. No file is written.

    Parameters
    ----------
    results : DataFrame, ndarray, mapping, str, Path or list of these paths
        A data frame, tidy (a row a value or a fit, with a column `candidate` and perhaps `dataset`,
        `replication`, `measure`) or wide (a column a candidate; a row a replication or, where the
        rows have names, a data set); an array of shape (B, K) or (M, B, K) of M data sets, B
        replications and K candidates; a mapping of candidates to B values, or of data sets to such
        mappings or wide data frames; a search of scikit-learn or its `cv_results_`, or a mapping
        of candidates to what `cross_validate` returns; a file of results of any known program, or
        several.
    better : {"smaller", "larger"} or mapping of measures to these, optional
        Which side is better, of measures whose name does not tell.
    relevance : float, pair of float, or mapping of measures to these, optional
        Area of equivalence: d stands for differences in [-d, d], of measures that are compared by
        ratio r for ratios in [1/r, r]. A number or pair is that of the main measure.
    measure : str, optional
        What the numbers are, where neither columns nor `measures` tell; "performance" when left
        out. Of several measures the one that counts, as `measures` with one entry.
    candidates, datasets : sequence of str, optional
        Names along the axes of an array.
    **keywords
        Every key of a manifest, such as `alpha`, `reference`, `measures`, `columns`, `problem`,
        `resampling` (or a splitter of scikit-learn), `n`, `seed`, `sections`, `title`, `name`,
        `length`. Of a search the splits are known.

    Returns
    -------
    BenchmarkStudy

    Raises
    ------
    StudyError
        If a keyword or its value is not allowed.
    ExchangeError
        If the results cannot be understood.

    Examples
    --------
    >>> import numpy as np, reportgen
    >>> rng = np.random.default_rng(1)
    >>> errors = {"lda": rng.normal(0.3, 0.02, 60), "svm": rng.normal(0.2, 0.02, 60)}
    >>> study = reportgen.compare(errors, measure="misclassification", relevance=0.01)
    >>> study.pairs()[["first", "second", "decision"]].values.tolist()
    [['lda', 'svm', 'worse-relevant']]
    """
    from reportgen.exchange.objects import MEASURE, NAME, object_table

    written = {
        "better": better,
        "relevance": relevance,
        "measure": measure,
        "candidates": candidates,
        "datasets": datasets,
        **keywords,
    }
    _check_kinds({"measure": measure, **keywords, "better": better})
    measure = measure or _only_measure(keywords)
    keywords = _with_splitter(results, keywords)
    paths = _paths(results)
    name = keywords.get("name") or (paths[0].stem if len(paths) == 1 else NAME)
    with live_progress(), stage("reading"):
        if paths:
            results, keywords = _read_files(paths, better, measure, {**keywords, "name": name})
        table = object_table(
            getattr(results, "cv_results_", results),
            name=name,
            measure=measure or MEASURE,
            candidates=candidates,
            datasets=datasets,
            columns=keywords.get("columns"),
            unit=keywords.get("unit"),
        )
        command = _command(table.path.name, written)
        if measure is not None and not table.wide_measure:
            keywords = {"measures": [measure], **keywords}
        return _compare_table(table, better, relevance, measure, keywords, command)


def battles(
    results: Any,
    *,
    first: str | None = None,
    second: str | None = None,
    winner: str | None = None,
    cluster: str | None = None,
    **keywords: Any,
) -> BenchmarkStudy:
    """Compare candidates by battles of two of them each. No file is written.

    Parameters
    ----------
    results : DataFrame, str or Path
        A row a battle: who stood against whom, and who is preferred; or a square data frame of
        wins, candidates on both sides; or a file of battles.
    first, second, winner : str, optional
        The columns, where they are not called `model_a`, `model_b` and `winner` or likewise. The
        first is the one that was shown first. A winner is "model_a", "model_b", "tie", "both_bad",
        or a name.
    cluster : str, optional
        The column by which battles belong together; the judge, or the prompt, when left out.
    **keywords
        As of `compare`, such as `alpha` and `relevance` (in Elo points); `looks`, the numbers of
        battles after which one looks at them, where several looks were planned.

    Returns
    -------
    BenchmarkStudy
        Of the unit "comparison": `pairs` are differences in Elo points, `result("battles")` has
        win rates, ties with the first, the effects of order and style, and the groups of battles
        in which the order is another one.

    Raises
    ------
    StudyError
        If a column is not there.
    ExchangeError
        If the battles cannot be understood, or do not link all candidates.

    Examples
    --------
    >>> import pandas as pd, reportgen
    >>> rows = [("ada", "bea", "ada")] * 30 + [("bea", "ada", "bea")] * 10
    >>> frame = pd.DataFrame(rows, columns=["left_one", "right_one", "better"])
    >>> study = reportgen.battles(frame, first="left_one", second="right_one", winner="better")
    >>> round(float(study.pairs()["estimate"][0]), 1)
    190.8
    """
    import pandas as pd

    from reportgen.exchange.readers.battles import frame_of_wins

    if isinstance(results, pd.DataFrame):
        given = {"model_a": first, "model_b": second, "winner": winner}
        renamed = {own: name for name, own in given.items() if own is not None}
        for own in (*renamed, *([] if cluster is None else [cluster])):
            if own not in results.columns:
                found = f"{BATTLES}: found no column {shown(own)}"
                raise StudyError(f"{found}; allowed {listed(map(str, results.columns))}")
        results = frame_of_wins(results.rename(columns=renamed))
    elif first is not None or second is not None or winner is not None:
        raise StudyError(
            f"{BATTLES}: found first, second or winner with {type(results).__name__}; allowed with "
            "a data frame"
        )
    if cluster is not None:
        keywords["columns"] = {**keywords.get("columns", {}), "cluster": cluster}
    return compare(results, unit="comparison", **keywords)


def _with_splitter(results: Any, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords with the resampling of a splitter, or that of a search's splits."""
    from reportgen.study.splitters import ALLOWED, is_splitter, resampling_of_splitter

    given = keywords.get("resampling")
    if is_splitter(given):
        found = resampling_of_splitter(given)
        if found is None:
            raise StudyError(
                f"{COMPARE}(resampling=…): found {shown(type(given).__name__)}, of which no scheme "
                f"is known; allowed {ALLOWED}, or a scheme as in a manifest"
            )
        return {**keywords, "resampling": found}
    if given is not None or not hasattr(results, "cv_results_") or not hasattr(results, "cv"):
        return dict(keywords)
    found = resampling_of_splitter(results.cv, getattr(results, "n_splits_", None))
    return dict(keywords) if found is None else {**keywords, "resampling": found}


def _check_kinds(keywords: Mapping[str, Any]) -> None:
    """Refuse values of kinds that no manifest has, where they are read before there is one."""
    text, names = "text", "a name, a mapping, or a list of these"
    kinds: dict[str, tuple[tuple[type, ...], str]] = {
        "better": ((str, Mapping), "smaller or larger, or a mapping of names to these"),
        "columns": ((Mapping,), "a mapping such as {'dataset': 'problem'}"),
        "measure": ((str,), "text, the name of what the numbers are"),
        "measures": ((str, Mapping, list, tuple), names),
        "name": ((str,), text),
        "unit": ((str,), text),
    }
    for name, value in keywords.items():
        allowed = kinds.get(name)
        if value is not None and allowed is not None and not isinstance(value, allowed[0]):
            found = f"{COMPARE}({name}=…): found {shown(value)}"
            raise StudyError(f"{found}; allowed {allowed[1]}")


def _only_measure(keywords: Mapping[str, Any]) -> str | None:
    """Return the name of the one measure that the keywords give, if it is one."""
    given = keywords.get("measures") or []
    entries = [given] if isinstance(given, str | Mapping) else list(given)
    entry = entries[0] if len(entries) == 1 else None
    name = entry.get("name") if isinstance(entry, Mapping) else entry
    return name if isinstance(name, str) else None


def _paths(results: Any) -> list[Path]:
    """Return the files that results are in; none where they are an object."""
    if isinstance(results, str | os.PathLike):
        return [Path(results)]
    is_list = isinstance(results, list | tuple)
    if is_list and all(isinstance(part, str | os.PathLike) for part in results):
        return [Path(part) for part in results]
    return []


def _read_files(
    paths: list[Path],
    better: Better | Mapping[str, Better] | None,
    measure: str | None,
    keywords: dict[str, Any],
) -> tuple[RawTable | pd.DataFrame, dict[str, Any]]:
    """Read files, several into one frame; also return the keywords that are left to obey."""
    from reportgen.exchange.files import read_table
    from reportgen.exchange.objects import is_wide

    if paths[0].suffix.lower() in (".yaml", ".yml"):
        raise StudyError(
            f"{COMPARE}: found the manifest {paths[0]}; allowed results (run takes manifests)"
        )
    options = {key: keywords[key] for key in READING if keywords.get(key) is not None}
    table = read_table(paths[0], options.get("object", ""))
    texts = [c for c in table.columns if table.is_text(c) and not table.is_numeric(c)]
    has_measure = measure is not None and is_wide(table, options.get("columns", {}), texts)
    if len(paths) == 1 and not has_measure:
        table = replace(table, is_argument=True)
        return table, {key: value for key, value in keywords.items() if key != "object"}
    frame = read(paths, better=better, measure=measure if has_measure else None, **options)
    return frame, {key: value for key, value in keywords.items() if key not in READING}


def _compare_table(
    table: RawTable,
    better: Better | Mapping[str, Better] | None,
    relevance: Relevance | None,
    measure: str | None,
    keywords: Mapping[str, Any],
    command: str,
) -> BenchmarkStudy:
    """Compare by a table."""
    from reportgen import provenance
    from reportgen.api.study import BenchmarkStudy
    from reportgen.pipeline import Job
    from reportgen.sections import find_sections

    values, origins = manifest_values(compare, keywords, key_paths())
    values["results.file"], origins["results.file"] = table.path.name, COMPARE
    sections = find_sections()
    options = {name: section.options for name, section in sections.items()}
    study = study_of(table.path, values, origins, options)
    warehouse = _warehouse(study, table, better)
    _check_measure(measure, [m.name for m in warehouse.measures])
    if relevance is not None:
        values["analysis.relevance"] = areas_of(compare, relevance, warehouse.measures)
        origins["analysis.relevance"] = f"{COMPARE}(relevance=…)"
        study = study_of(table.path, values, origins, options)
    study.check_names([m.name for m in warehouse.measures], warehouse.candidates)
    job = Job(study, sections, Path(OUTPUT) / study.name, command)
    origin = provenance.collect(
        {table.path.name: _digest(warehouse)},
        manifest="",
        command=command,
        folder=study.folder,
        execution={},
        study_digests={},
        warehouse="",
    )
    return BenchmarkStudy(job, warehouse, origin)


def _check_measure(measure: str | None, names: Sequence[str]) -> None:
    """Refuse a name for numbers that have one, or several."""
    if measure is not None and [measure_name(measure)] != list(names):
        raise StudyError(
            f"{COMPARE}(measure=…): found {shown(measure)}, where the results have the measures "
            f"{listed(names)}; allowed measures=[…] of these, the main one first"
        )


def study_of(
    path: Path, values: Mapping[str, Any], origins: Mapping[str, str], options: Mapping[str, Any]
) -> Study:
    """Check keywords by the models of a manifest."""
    from reportgen.study.manifest import check_study
    from reportgen.study.shorthand import set_values
    from reportgen.study.yaml_source import Source

    source = set_values(Source(path, "", {}), values, origins)
    return check_study(source, options, has_files=False)


def _warehouse(
    study: Study, table: RawTable, better: Better | Mapping[str, Better] | None
) -> Warehouse:
    """Read a table; ask for the side of measures that nobody knows."""
    from reportgen.exchange.columns import DirectionError, sided_measure
    from reportgen.exchange.objects import MEASURE
    from reportgen.exchange.tidy import study_results
    from reportgen.performance_measure import Measure

    sides = dict(better) if isinstance(better, Mapping) else {}
    one = {} if better is None or isinstance(better, Mapping) else {"better": better}
    for name, side in (one or sides).items():
        if side not in ("smaller", "larger"):
            raise StudyError(f"{COMPARE}: {name}: found {shown(side)}; allowed smaller or larger")
    facts = table.known
    known = {n: sided_measure(n, side, "manifest", facts) for n, side in sides.items()}
    try:
        found = study_results(study, table, known)
    except (DirectionError, StudyError) as error:
        names = getattr(error, "names", None) or getattr(error.__context__, "names", ())
        if not names:
            raise
        if not isinstance(better, str):
            ignored = [name for name in names if name != MEASURE]  # which is no column of a frame
            way = f"; what is no measure is left out by columns={{'ignore': {ignored}}}"
            raise StudyError(
                f"{COMPARE}: {table.path}: found the measures {listed(names)}, of which nobody "
                "knows what is better; allowed better='smaller' or better='larger', or a mapping "
                "of measures to these (measure= names the numbers of an array)"
                f"{way * bool(ignored)}"
            ) from None
        known |= {name: Measure(name, better) for name in names}
        found = study_results(study, table, known)
        others = [m.name for m in found.measures if m.name not in names]
        if others and not study.measures:
            raise StudyError(
                f"{COMPARE}(better=…): found {shown(better)} for {listed(names)}, of which nobody "
                f"knows whether they are measures, beside {listed(others)}; allowed "
                f"better={dict.fromkeys(names, better)} where they are, and "
                f"columns={{'ignore': {[*names]}}} where not"
            ) from None
        return found
    names = [measure.name for measure in found.measures]
    for name, measure in known.items():
        if measure.name not in names and name not in table.columns and not study.measures:
            raise StudyError(f"{COMPARE}(better=…): {describe_unknown('measure', name, names)}")
    if isinstance(better, str) and len(found.measures) == 1 and found.measures[0].better != better:
        measure = replace(found.measures[0], better=better, better_source="manifest")
        return replace(found, measures=(measure,))
    return found


def areas_of(
    function: Callable[..., Any], relevance: Relevance, measures: Sequence[Measure]
) -> dict[str, Any]:
    """Return the area of each measure; a number or pair is that of the main one."""
    origin = f"{function.__name__}(relevance=…)"
    known = {measure.name: measure for measure in measures}
    given = plain_value(origin, relevance)
    by_name = given if isinstance(given, dict) else {measures[0].name: given}
    areas = {}
    for name, area in by_name.items():
        own = measure_name(name)
        if own not in known:
            raise StudyError(f"{origin}: {describe_unknown('measure', name, known)}")
        areas[own] = _area(origin, area, known[own])
    return areas


def _area(origin: str, relevance: Any, measure: Measure) -> Any:
    """Return the area that a number stands for, on the scale of a measure; a pair as it is."""
    if isinstance(relevance, list):
        return relevance
    is_number = isinstance(relevance, int | float) and not isinstance(relevance, bool)
    least = 1 if measure.is_compared_by_ratio else 0
    if not is_number or relevance <= least:
        allowed = "a ratio above 1" if least else "a number above 0"
        raise StudyError(
            f"{origin}: found {shown(relevance)}; allowed {allowed} (of the measure "
            f"{shown(measure.name)}), a pair, or a mapping of measures to these"
        )
    return [1 / relevance, relevance] if least else [-relevance, relevance]


def _command(name: str, keywords: Mapping[str, Any]) -> str:
    """Write how to make the report again, without paths of this machine."""
    words = [f"{key}={as_written(value)}" for key, value in keywords.items() if value is not None]
    return redact_paths(f"reportgen.{COMPARE}({', '.join([f'<{name}>', *words])})")


def _digest(warehouse: Warehouse) -> str:
    """Return the SHA-256 of performances, in their order."""
    found = sha256()
    for column in ("dataset", "candidate", "measure"):
        values = warehouse.frame[column].cat
        found.update("\0".join(values.categories).encode())
        found.update(values.codes.to_numpy().astype("<i4").tobytes())
    found.update(warehouse.frame["replication"].to_numpy().astype("<i8").tobytes())
    found.update(warehouse.frame["value"].to_numpy().astype("<f8").tobytes())
    return found.hexdigest()


def read(
    paths: AnyPath | Sequence[AnyPath],
    *,
    better: Better | Mapping[str, Better] | None = None,
    measure: str | None = None,
    columns: Mapping[str, Any] | None = None,
    format: str | None = None,
    object: str = "",
    replication: Any = None,
) -> pd.DataFrame:
    r"""Read results of any known program as one tidy data frame, which `compare` takes.

    Parameters
    ----------
    paths : str, Path or sequence of these
        CSV, Parquet, JSON, RData, or a folder of results.
    better : {"smaller", "larger"} or mapping of measures to these, optional
        Which side is better, of measures that nobody else knows.
    measure : str, optional
        What the numbers of wide tables are.
    columns : mapping of str to str or sequence of str, optional
        The file's column by our name for it.
    format : str, optional
        "tidy", "wide" or a program's format; found out when left out.
    object : str
        Name of the object in a file of R's save, the sheet, or the study of Optuna.
    replication : {"rows"}, optional
        Whether the rows of each candidate are its replications.

    Returns
    -------
    DataFrame
        Columns dataset, replication, candidate, measure, value, status and, where they are known,
        n_learn, n_distinct, n_test; of items, a row a run: dataset, candidate, measure, value,
        item, cluster, epoch.

    Raises
    ------
    ExchangeError
        If a file cannot be understood, or two hold the same cell.

    Examples
    --------
    >>> import tempfile, reportgen
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "scores.csv")
    ...     n_written = file.write_text("fold,model,accuracy\n1,lda,0.8\n1,svm,0.9\n")
    ...     frame = reportgen.read(file)
    >>> frame[["candidate", "measure", "value"]].values.tolist()
    [['lda', 'accuracy', 0.8], ['svm', 'accuracy', 0.9]]
    """
    from reportgen.exchange.columns import DirectionError
    from reportgen.exchange.importing import Reading, import_results
    from reportgen.exchange.objects import MEASURES

    files = _paths(paths)
    if not files:
        raise StudyError(f"read: found {shown(paths)}; allowed a path, or several")
    given = {} if columns is None else columns
    if not isinstance(given, Mapping):
        raise StudyError(
            f"read(columns=…): found {shown(given)}; allowed a mapping of our names to columns"
        )
    named: dict[str, str | list[str]] = {}
    for role, own in given.items():
        # an index or an array has names, too
        names = list(own) if isinstance(own, Iterable) and not isinstance(own, str) else [own]
        if not all(isinstance(name, str) for name in names):
            raise StudyError(
                f"read(columns=…): {shown(role)}: found {shown(own)}; allowed the name of a "
                "column, or a list of names"
            )
        named[role] = own if isinstance(own, str) else names
    sides = dict(better) if isinstance(better, Mapping) else {}
    if isinstance(better, str) and measure is not None:
        sides[measure] = better
    reading = Reading(format, measure, sides, named, object, replication, is_argument=True)
    with live_progress(), stage("reading"):
        try:
            warehouse = import_results(files, reading)
        except DirectionError as error:
            if not isinstance(better, str):
                raise
            reading = replace(reading, better={**sides, **dict.fromkeys(error.names, better)})
            warehouse = import_results(files, reading)
        frame = _with_items(warehouse)
    known = [c for c in ("n_learn", "n_distinct", "n_test") if c in frame]
    sizes = [c for c in known if frame[c].isna().all()]
    frame = frame.drop(columns=sizes)
    frame.attrs[MEASURES] = {m.name: m.stored for m in warehouse.measures}
    return frame


def _with_items(warehouse: Warehouse) -> pd.DataFrame:
    """Return the performances, of items with the columns item, cluster and epoch, a row a run."""
    if warehouse.items.empty:
        return warehouse.frame.copy()
    tables = warehouse.tables_by_run()
    items = tables.items.astype({"dataset": object, "item": object, "cluster": object})
    frame = tables.frame.astype({"dataset": object})
    return frame.merge(items, on=["dataset", "replication"]).drop(columns="replication")


def run(
    study: AnyPath,
    output: AnyPath = OUTPUT,
    *,
    relevance: Relevance | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    fresh: bool = False,
    retry_failed: bool = False,
    allow_plugins: bool = False,
    allow_templates: bool = False,
    **keywords: Any,
) -> BenchmarkStudy:
    r"""Execute what is missing of a study, or read its results. The report is not written.

    Parameters
    ----------
    study : str or Path
        A manifest, or a file of results.
    output : str or Path
        Folder in which the study's folder is, for what is measured.
    relevance : float, pair of float, or mapping of measures to these, optional
        Area of equivalence, as of `compare`, in place of the manifest's.
    jobs : int, optional
        Worker processes, in place of the manifest's. A script has to begin its work under
        `if __name__ == "__main__":`.
    cluster : str, optional
        Address of a Dask scheduler whose workers do the fits.
    fresh, retry_failed : bool
        Whether to measure anew what is there; whether to do failed fits again.
    allow_plugins : bool
        Whether packages that the manifest names may be imported.
    allow_templates : bool
        Whether the study's own templates, and those of its theme, may be rendered.
    **keywords
        Keys of the manifest, in place of its own: `alpha`, `seed`, `measures` and all others of
        its blocks, such as `datasets`, `candidates`, `resampling`, `replications`; or a block as a
        whole, such as `setup`.

    Returns
    -------
    BenchmarkStudy

    Raises
    ------
    StudyError
        If the manifest or a keyword is wrong, or a script lacks that line.
    ExecutionError
        If more fits failed than the manifest allows.

    Examples
    --------
    >>> import tempfile, reportgen
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "scores.csv")
    ...     n_written = file.write_text("fold,model,accuracy\n1,lda,0.8\n1,svm,0.9\n")
    ...     study = reportgen.run(file, Path(folder, "output"), relevance=0.01)
    >>> study.size
    '1 data set x 1 replication x 2 candidates x 1 measure; 0 of 2 values missing'
    """
    from reportgen import pipeline
    from reportgen.api.study import BenchmarkStudy
    from reportgen.execution.pool import check_script

    if not isinstance(study, str | os.PathLike):
        raise StudyError(
            f"run: found {shown(type(study).__name__)}; allowed the path of a manifest or of a "
            "file of results (compare takes objects)"
        )
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, Integral) or jobs < 1):
        raise StudyError(f"run(jobs=…): found {shown(jobs)}; allowed a number of workers from 1 on")
    check_script()
    opened = partial(
        _open_study,
        given_path("run(study=…)", study, "a path"),
        given_path("run(output=…)", output, "the path of a folder"),
        keywords,
        allow_plugins=allow_plugins,
        allow_templates=allow_templates,
    )
    job = opened(None)
    may_run = job.study.setup is not None and (allow_plugins or not job.study.plugins)
    if relevance is not None and may_run:
        job = opened(areas_of(run, relevance, _measures(job.study)))
    with live_progress() as progress:
        measured = pipeline.measure(
            job,
            jobs=jobs,
            cluster=cluster,
            fresh=fresh,
            retry_failed=retry_failed,
            progress=progress,
        )
    if relevance is not None and not may_run:
        job = opened(areas_of(run, relevance, measured[0].measures))
    return BenchmarkStudy(job, *measured)


def _measures(study: Study) -> list[Measure]:
    """Return the measures of a study that is executed."""
    from reportgen.study.setup import measure_of

    return [measure_of(study, entry).measure for entry in study.measures]


def _open_study(
    study: Path,
    output: Path,
    keywords: Mapping[str, Any],
    areas: Mapping[str, Any] | None,
    *,
    allow_plugins: bool,
    allow_templates: bool,
) -> Job:
    """Read a manifest, with keys of it as keywords."""
    import json

    from reportgen import pipeline
    from reportgen.study.manifest import read_source

    paths = overruling_paths(is_executed="setup" in read_source(study).data)
    values, origins = manifest_values(run, {**keywords, "relevance": areas}, paths)
    settings = [f"{path}={json.dumps(value)}" for path, value in values.items()]
    return pipeline.open_job(
        study,
        output,
        settings,
        allow_plugins=allow_plugins,
        allow_templates=allow_templates,
        origins=origins,
    )
