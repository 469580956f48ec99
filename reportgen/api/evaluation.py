"""The call that measures estimators of scikit-learn, for those who have no results yet."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from numbers import Integral
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from reportgen.api.calls import OUTPUT, AnyPath, Relevance, areas_of, study_of
from reportgen.api.keywords import SETUP_BLOCKS, as_written, key_paths, manifest_values, plain_value
from reportgen.errors import SetupError, StudyError
from reportgen.path_redaction import redact_paths
from reportgen.study.errors import shown

if TYPE_CHECKING:
    from reportgen.api.study import BenchmarkStudy
    from reportgen.catalogue.candidates.candidate import Candidate
    from reportgen.catalogue.datasets.dataset import DataSet
    from reportgen.study.manifest import Study

    Task = Literal["classification", "regression"]

EVALUATE = "evaluate"
DATA = "data"  # a data set that has no other name
SEVERAL = "benchmark"  # a study of several data sets that has no other name
ORIGINS = {"setup.datasets": "X", "setup.candidates": "estimators"}
"""Arguments whose names are not those of the manifest, by key path."""
MEASURES = {"classification": "misclassification", "regression": "mse"}
"""What is measured when left out, by task."""
ESTIMATORS = "a mapping of names to estimators, or a list of estimators"
Named = tuple[str, Any]


def evaluate(
    estimators: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    resampling: str | Mapping[str, Any] | Sequence[Any] | None = None,
    cv: Any = None,
    replications: int | Mapping[str, Any] | None = None,
    measures: str | Sequence[str | Mapping[str, Any]] | None = None,
    relevance: Relevance | None = None,
    task: Task | None = None,
    prepare: bool | None = None,
    folder: AnyPath | None = None,
    jobs: int | Literal["auto"] = 1,
    fresh: bool = False,
    retry_failed: bool = False,
    **keywords: Any,
) -> BenchmarkStudy:
    """Measure estimators on learning and test samples, and compare them.

    Parameters
    ----------
    estimators : mapping of str to estimator, or list of estimators
        Objects of scikit-learn or of its convention, pipelines of them, and names of the
        catalogue such as "svm". In a list they are named by their classes. They stay as they are:
        each fit is that of a copy, whose `random_state` is drawn where it is None.
    X : array_like of shape (n, p), DataFrame, Bunch, or mapping of str to data
        A mapping of names to bunches, to (X, y) or to (X, y, groups) has several data sets.
        Columns of numbers are numbers, dates are days since 1970-01-01, all others categories;
        text that names rows is left out with a warning, unless it is of a categorical type.
    y : array_like of shape (n,), Series or str, optional
        The response, or its column in X. Text is classified, numbers with a fraction are
        regressed, whole numbers are what the estimators do.
    groups : array_like of shape (n,), Series or str, optional
        Observations with equal values stay together in a sample.
    resampling : str, mapping or list of these, optional
        As `setup.resampling` of a manifest: "bootstrap", which it is when left out, "subsampling",
        "k-fold", "repeated-k-fold", "hold-out", "bayesian-bootstrap", or a mapping such as
        {"scheme": "k-fold", "folds": 5}.
    cv : splitter, int, or iterable of pairs of array_like, optional
        In place of `resampling`: an object of scikit-learn with `split`, such as GroupKFold or
        TimeSeriesSplit, whose very samples are taken where it makes the same each time; (train,
        test) pairs of row numbers; or a number of folds, as of the scheme "k-fold", which draws
        folds by the seed of the study. What decides is known of splitters whose scheme is:
        samples of others speak of this experiment alone.
    replications : int or mapping, optional
        Number of learning samples of each data set, 100 when left out; or stages.
    measures : str, or list of str or mapping, optional
        Performance measures, the main one first: of the catalogue, scorers of scikit-learn, or
        functions of (y_true, y_pred) or (y_true, y_score), such as {"name": "cost", "function":
        cost, "better": "smaller"}; misclassification or mse when left out.
    relevance : float, pair of float, or mapping of measures to these, optional
        Area of equivalence, as of `compare`.
    task : {"classification", "regression"}, optional
        Where the target does not show it.
    prepare : bool, optional
        Whether an estimator gets a matrix, as in a manifest: numbers standardised, categories
        one-hot, gaps filled, all by the learning sample. When left out, all but those with a
        pipeline or a transformer of columns in them, which get the data frame.
    folder : str or Path, optional
        For what is measured: an interrupted evaluation goes on where it stopped. Nothing is kept
        when left out.
    jobs : int or "auto"
        1: this process does all fits. More: worker processes, which outlive a fit that crashes,
        and which `timeout` and `memory` need; a script has to begin its work under
        `if __name__ == "__main__":` then.
    fresh, retry_failed : bool
        Whether to measure anew what the folder has; whether to do failed fits again.
    **keywords
        Every key of a manifest, such as `seed`, `alpha`, `reference`, `problem`, `max_failures`,
        `keep`, `timeout` (of one fit, such as "10min"), `processes` (in which fits are timed, one
        after the other), `sections`, `title`, `name`.

    Returns
    -------
    BenchmarkStudy

    Raises
    ------
    StudyError
        If estimators, data or a keyword are not what is allowed.
    SetupError
        If they do not fit together.
    ExecutionError
        If more fits failed than `max_failures` allows, 5% when left out.

    Notes
    -----
    A fit that fails is a missing value with its reason, see `performances`. Classes are numbers
    from 0 inside an evaluation, in the order of their names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    >>> from sklearn.dummy import DummyClassifier
    >>> import reportgen
    >>> study = reportgen.evaluate(
    ...     {"lda": LinearDiscriminantAnalysis(), "majority": DummyClassifier()},
    ...     load_iris(), replications=20, seed=1, name="iris",
    ... )
    >>> study.measures, len(study.performances)
    (('misclassification',), 40)
    >>> bool(study.check("lda better than majority"))
    True
    """
    from reportgen import pipeline
    from reportgen.api.archive_files import write_settings
    from reportgen.api.study import BenchmarkStudy
    from reportgen.catalogue.candidates.objects import packages_of
    from reportgen.execution.pool import check_script
    from reportgen.progress import live_progress
    from reportgen.study.setup import Objects

    is_here = jobs == 1 and jobs is not True and keywords.get("processes") is None
    if not is_here:
        check_script()
    named = _named_estimators(estimators)
    candidates = _candidates(named, prepare)
    data = _data(X, y, groups, keywords.get("name"))
    resampling, splitter = _ways(resampling, cv)
    several = resampling if isinstance(resampling, list | tuple) else [resampling]
    times = (way.get("time") for way in several if isinstance(way, Mapping))
    time = next((name for name in times if isinstance(name, str)), None)
    datasets = _datasets(data, task, _usual_task(named, candidates), time)
    own = [one for name, one in named if name in candidates]
    wanted, functions = _measures(measures, datasets)
    packages = tuple(dict.fromkeys(chain(*map(packages_of, own))))
    objects = Objects(datasets, candidates, packages, functions, splitter)
    given = {
        "setup.datasets": [{"name": name} for name in datasets],
        "setup.candidates": _entries(named, candidates),
        "setup.resampling": resampling,
        "setup.resampling.replications": replications,
        "measures": wanted,
        "execution.jobs": jobs,
    }
    names = ORIGINS if cv is None else {**ORIGINS, "setup.resampling": "cv"}
    study = _study(given, names, relevance, keywords, [*datasets], functions)
    if is_here:
        _refuse_limits(study)
    else:
        _check_pickles("estimators", {name: c.build for name, c in candidates.items()})
        _check_pickles("measures", functions)
    written = {
        "resampling": resampling if splitter is None else None,
        "replications": replications,
        "measures": None if measures is None else wanted,
        "relevance": relevance,
        **keywords,
    }
    command = _command([n for n, _ in named], [*datasets], written, splitter)
    with TemporaryDirectory(prefix="reportgen-") as temporary, live_progress() as progress:
        place = Path(temporary) if folder is None else Path(folder)
        job = pipeline.Job(study, _sections(), place, command, allow_plugins=True, objects=objects)
        measured = pipeline.measure(
            job,
            jobs=None if jobs == "auto" else jobs,
            in_process=is_here,
            fresh=fresh,
            retry_failed=retry_failed,
            progress=progress,
        )
        write_settings(study, place)
    if folder is None:
        job = replace(job, folder=Path(OUTPUT) / study.name)
    return BenchmarkStudy(job, *measured)


def _ways(resampling: Any, cv: Any) -> tuple[Any, Any]:
    """Return how samples are drawn, as a manifest has it, and the splitter that makes them."""
    from reportgen.study.given_samples import name_of_splitter
    from reportgen.study.splitters import is_splitter

    if cv is None and is_splitter(resampling):
        resampling, cv = None, resampling
    for name, given in (("resampling", resampling), ("cv", cv)):
        if isinstance(given, list | tuple) and any(map(is_splitter, given)):
            found = f"{len(given)} ways with a splitter among them"
            raise StudyError(f"{EVALUATE}({name}=…): found {found}; allowed one splitter")
    if cv is None:
        return resampling, None
    origin, allowed = f"{EVALUATE}(cv=…)", "a splitter, a number of folds, or (train, test) pairs"
    if resampling is not None:
        raise StudyError(f"{origin}: found cv and resampling; allowed one of the two")
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        return {"scheme": "k-fold", "folds": int(cv)}, None
    if not hasattr(cv, "split") or isinstance(cv, str | type):
        if isinstance(cv, str | Mapping | type) or not isinstance(cv, Iterable):
            raise StudyError(f"{origin}: found {shown(cv)}; allowed {allowed}")
        cv = list(cv)
    return {"splitter": name_of_splitter(cv)}, cv


def _sections() -> Mapping[str, Any]:
    from reportgen.sections import find_sections

    return find_sections()


def _named_estimators(estimators: Any) -> list[Named]:
    """Return estimators with their names; those of a list go by their classes."""
    if isinstance(estimators, Mapping):
        found = list(estimators.items())
    elif isinstance(estimators, list | tuple) and all(map(_is_named, estimators)):
        found = list(estimators)
    elif isinstance(estimators, list | tuple):
        found = _names_by_class(estimators)
    else:
        raise StudyError(
            f"{EVALUATE}(estimators=…): found {shown(type(estimators).__name__)}; "
            f"allowed {ESTIMATORS}"
        )
    if not found:
        raise StudyError(f"{EVALUATE}(estimators=…): found none; allowed {ESTIMATORS}")
    for name, _ in found:
        if not isinstance(name, str):
            raise StudyError(
                f"{EVALUATE}(estimators=…): found the name {shown(name)}; allowed text"
            )
    return found


def _is_named(item: Any) -> bool:
    return isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)


def _names_by_class(estimators: Iterable[Any]) -> list[Named]:
    """Name estimators by their classes, numbered where there are several of one."""
    found = [(_name_of(one), one) for one in estimators]
    count = Counter(name for name, _ in found)
    number: Counter[str] = Counter()
    named = []
    for name, one in found:
        number[name] += 1
        is_object = not isinstance(one, str | Mapping)
        named.append((f"{name} {number[name]}" if is_object and count[name] > 1 else name, one))
    return named


def _name_of(estimator: Any) -> str:
    """Return the name of a catalogue's candidate, of a class, or of a pipeline's classes."""
    from sklearn.pipeline import Pipeline

    if isinstance(estimator, str):
        return estimator.rpartition(".")[2]
    if isinstance(estimator, Mapping):
        return str(estimator.get("name", ""))
    if isinstance(estimator, Pipeline):
        parts = (step for _, step in estimator.steps if step not in (None, "passthrough"))
        return "-".join(type(part).__name__ for part in parts)
    return (estimator if isinstance(estimator, type) else type(estimator)).__name__


def _candidates(named: Iterable[Named], prepare: bool | None) -> dict[str, Candidate]:
    """Return the candidates that are objects, by their names."""
    from reportgen.catalogue.candidates.objects import object_candidate

    found = {}
    for name, one in named:
        if isinstance(one, str | Mapping):
            continue
        try:
            found[name] = object_candidate(name, one, prepare=prepare)
        except SetupError as error:
            raise StudyError(f"{EVALUATE}(estimators=…): {name}: {error}") from error
    return found


def _entries(named: Iterable[Named], objects: Mapping[str, Candidate]) -> list[dict[str, Any]]:
    """Return candidates as a manifest has them; objects by their names alone."""
    entries = []
    for name, one in named:
        entry: dict[str, Any] = {"name": name}
        if isinstance(one, Mapping):
            entry = {**plain_value(f"{EVALUATE}(estimators=…)", one), **entry}
        elif name not in objects and one != name:
            entry["estimator"] = one
        entries.append(entry)
    return entries


def _usual_task(named: Iterable[Named], candidates: Mapping[str, Candidate]) -> Task | None:
    """Return the only task that all candidates do, where there is one."""
    from reportgen.catalogue.candidates import find_candidate

    tasks = [set(candidate.tasks) for candidate in candidates.values()]
    for _, one in named:
        with suppress(SetupError):  # an unknown name is told of later
            tasks += [set(find_candidate(one).tasks)] if isinstance(one, str) else []
    common = set.intersection(*tasks) if tasks else set()
    return common.pop() if len(common) == 1 else None


def _data(X: Any, y: Any, groups: Any, name: Any) -> dict[str, tuple[Any, ...]]:
    """Return inputs, target and groups of each data set by its name."""
    if isinstance(X, list | tuple) and any(map(_is_data, X)):
        raise StudyError(
            f"{EVALUATE}(X=…): found a list of data sets; allowed a mapping of their names to "
            "(X, y), (X, y, groups) or a bunch"
        )
    if not isinstance(X, Mapping) or {"data", "target"} <= set(X):
        return {name if isinstance(name, str) else DATA: (X, y, groups)}
    origin = f"{EVALUATE}(X=…)"
    if y is not None or groups is not None:
        raise StudyError(f"{origin}: found a mapping of data sets with y; allowed {{name: (X, y)}}")
    if not X:
        raise StudyError(f"{origin}: found no data set; allowed one at least")
    found = {}
    for own, given in X.items():
        parts = given if isinstance(given, tuple) else (given,)
        if not isinstance(own, str) or not 1 <= len(parts) <= 3:
            raise StudyError(
                f"{origin}: found {shown(own)} with {shown(given)}; allowed names of data sets "
                "with (X, y), (X, y, groups) or a bunch"
            )
        found[own] = parts
    return found


def _is_data(part: Any) -> bool:
    """Whether a part of a list is a data set of its own."""
    first = part[0] if isinstance(part, tuple) and part else None
    return isinstance(part, Mapping) or hasattr(first, "shape")


def _datasets(
    data: Mapping[str, tuple[Any, ...]], task: Task | None, usual: Task | None, time: str | None
) -> dict[str, DataSet]:
    from reportgen.catalogue.datasets.objects import object_dataset

    if task not in (None, *MEASURES):
        raise StudyError(
            f"{EVALUATE}(task=…): found {shown(task)}; allowed classification or regression"
        )
    found = {}
    for name, parts in data.items():
        try:
            found[name] = object_dataset(name, *parts, task=task, usual=usual, time=time)
        except SetupError as error:
            raise StudyError(f"{EVALUATE}(X=…, y=…): {error}") from error
    return found


def _measures(
    given: Any, datasets: Mapping[str, DataSet]
) -> tuple[Any, dict[str, Callable[..., Any]]]:
    """Return the measures that are requested, or the usual one of the task; and functions of it."""
    from reportgen.catalogue.measures.functions import path_of

    if given is None:
        return [MEASURES[task] for task in dict.fromkeys(d.task for d in datasets.values())], {}
    entries = [given] if isinstance(given, str | Mapping) or callable(given) else list(given)
    functions: dict[str, Callable[..., Any]] = {}
    for place, entry in enumerate(entries):
        if not isinstance(entry, str) and (not isinstance(entry, Mapping) or "name" not in entry):
            found = f"the function {path_of(entry)}" if callable(entry) else shown(entry)
            raise StudyError(
                f"{EVALUATE}(measures=…): found {found}; allowed names, and functions such as "
                "{'name': 'cost', 'function': cost, 'better': 'smaller'}"
            )
        if isinstance(entry, Mapping) and callable(entry.get("function")):
            functions[str(entry.get("name"))] = entry["function"]
            entries[place] = {**entry, "function": path_of(entry["function"])}
    return entries, functions


def _study(
    given: Mapping[str, Any],
    names: Mapping[str, str],
    relevance: Relevance | None,
    keywords: Mapping[str, Any],
    datasets: Sequence[str],
    functions: Mapping[str, Callable[..., Any]],
) -> Study:
    """Check everything by the models of a manifest."""
    from reportgen.study.schema.value_types import folder_fault
    from reportgen.study.setup import measure_of

    values, origins = manifest_values(evaluate, keywords, key_paths(SETUP_BLOCKS))
    for key, value in given.items():
        if value is not None:
            origins[key] = f"{EVALUATE}({names.get(key, key.rpartition('.')[2])}=…)"
            values[key] = plain_value(origins[key], value)
    path = Path(datasets[0] if len(datasets) == 1 and not folder_fault(datasets[0]) else SEVERAL)
    options = {key: section.options for key, section in _sections().items()}
    study = study_of(path, values, origins, options)
    if relevance is None:
        return study
    measures = [measure_of(study, entry, functions).measure for entry in study.measures]
    values["analysis.relevance"] = areas_of(evaluate, relevance, measures)
    origins["analysis.relevance"] = f"{EVALUATE}(relevance=…)"
    return study_of(path, values, origins, options)


def _refuse_limits(study: Study) -> None:
    """Refuse limits that only a worker process can keep."""
    for key in ("timeout", "memory"):
        if getattr(study.execution, key) is not None:
            raise StudyError(
                f"{EVALUATE}({key}=…): found a limit with jobs=1, where no fit can be ended; "
                "allowed jobs=2 or more, whose processes can"
            )


def _check_pickles(argument: str, objects: Mapping[str, Any]) -> None:
    """Refuse objects that cannot be sent to worker processes."""
    allowed = "classes and functions of a module that can be imported, or jobs=1"
    for name, one in objects.items():
        origin = f"{EVALUATE}({argument}=…): {name}"
        try:
            pickle.dumps(one)
        except Exception as error:
            raise StudyError(
                f"{origin}: found what cannot be sent to worker processes ({error}); "
                f"allowed {allowed}"
            ) from error


def _command(
    candidates: Sequence[str], datasets: Sequence[str], given: Mapping[str, Any], splitter: Any
) -> str:
    """Write how to make the report again, without paths of this machine."""
    from reportgen.study.given_samples import name_of_splitter

    words = [f"{key}={as_written(value)}" for key, value in given.items() if value is not None]
    if splitter is not None:
        name = name_of_splitter(splitter)
        words.insert(0, f"cv={f'<{name}>' if isinstance(splitter, list) else name}")
    names = (f"<{', '.join(part)}>" for part in (candidates, datasets))
    return redact_paths(f"reportgen.{EVALUATE}({', '.join([*names, *words])})")
