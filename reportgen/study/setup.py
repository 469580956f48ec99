"""From a study's names to the objects behind them, ready to be executed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeVar

from reportgen.catalogue.candidates import Candidate
from reportgen.catalogue.data_files import load_file
from reportgen.catalogue.dataset import DataSet
from reportgen.catalogue.datasets import find_dataset
from reportgen.catalogue.measures import ComputedMeasure, Task, find_measure
from reportgen.catalogue.recipes import PACKAGES
from reportgen.errors import SetupError
from reportgen.streams import stream
from reportgen.study.candidates import candidate_of
from reportgen.study.dataset_entry import DatasetEntry
from reportgen.study.faults import Place
from reportgen.study.kinds import MAX_FAILURES, FailureLimit
from reportgen.study.manifest import Study
from reportgen.study.schema import ResamplingEntry
from reportgen.warehouse import Problem

log = logging.getLogger(__name__)

BYTES_PER_VALUE = 12  # a performance in the warehouse's Parquet: 8 for the value, 4 for its keys
BYTES_PER_FIT = 220  # a record of the journal

Name = TypeVar("Name")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Resampling:
    """How learning and test samples are drawn from a data set.

    Attributes
    ----------
    scheme : {"bootstrap", "subsampling"}
        With and without replacement; the test sample is what was not drawn.
    replications : int
        Number B of learning samples of each data set.
    fraction : float
        Size of a learning sample over the number of observations: 1 for the
        bootstrap.
    stratify : bool
        Whether every class keeps its share in the learning samples.
    """

    scheme: Literal["bootstrap", "subsampling"]
    replications: int
    fraction: float = 1.0
    stratify: bool = False

    def described(self) -> dict[str, object]:
        """Return the scheme and its options as the manifest names them."""
        options: dict[str, object] = {"scheme": self.scheme, "replications": self.replications}
        if self.scheme == "subsampling":
            options["fraction"] = self.fraction
        return {**options, "stratify": True} if self.stratify else options


@dataclass(frozen=True, slots=True)
class ExecutionSettings:
    """How the execution uses the machine.

    Attributes
    ----------
    jobs : int or None
        Number of workers; None for one a core.
    timeout_seconds : float or None
        Of one fit; None for none.
    memory_bytes : int or None
        That one worker may use; None for its share of what is free.
    max_failures : FailureLimit
        How many fits may fail.
    """

    jobs: int | None = None
    timeout_seconds: float | None = None
    memory_bytes: int | None = None
    max_failures: FailureLimit = MAX_FAILURES


@dataclass(frozen=True, slots=True)
class SetupSize:
    """How much there is to do.

    Attributes
    ----------
    n_datasets, n_replications, n_candidates, n_measures : int
        M, B, K and J.
    n_fits : int
        M B K; all measures come from one fit.
    n_values : int
        M B K J, the rows of the warehouse.
    disk_bytes : int
        Estimate of what warehouse and journal take.
    """

    n_datasets: int
    n_replications: int
    n_candidates: int
    n_measures: int

    @property
    def n_fits(self) -> int:
        """Number of fits."""
        return self.n_datasets * self.n_replications * self.n_candidates

    @property
    def n_values(self) -> int:
        """Number of performances."""
        return self.n_fits * self.n_measures

    @property
    def disk_bytes(self) -> int:
        """Estimated size of warehouse and journal."""
        return BYTES_PER_VALUE * self.n_values + BYTES_PER_FIT * self.n_fits


@dataclass(frozen=True, slots=True)
class Setup:
    """An experiment, ready to be executed.

    Attributes
    ----------
    name : str
        The study's name.
    problem : str
        simulation, competition or real-world.
    datasets : tuple of DataSet
    candidates : tuple of Candidate
    measures : tuple of ComputedMeasure
        All in the manifest's order.
    resampling : Resampling
    seed : int
        Of all random streams.
    execution : ExecutionSettings
    """

    name: str
    problem: Problem
    datasets: tuple[DataSet, ...]
    candidates: tuple[Candidate, ...]
    measures: tuple[ComputedMeasure, ...]
    resampling: Resampling
    seed: int
    execution: ExecutionSettings = ExecutionSettings()

    @property
    def size(self) -> SetupSize:
        """How much there is to do."""
        return SetupSize(
            len(self.datasets),
            self.resampling.replications,
            len(self.candidates),
            len(self.measures),
        )


def make_setup(study: Study, *, allow_plugins: bool = False) -> Setup:
    """Find what stands behind the names of a study.

    Parameters
    ----------
    study : Study
        One with a setup, not with results.
    allow_plugins : bool
        Whether packages that the manifest names may be imported.

    Returns
    -------
    Setup

    Raises
    ------
    SetupError
        If a name is unknown, a file cannot be read, or a candidate or a
        measure does not suit a data set; the text names all such faults.
    """
    entry = study.setup
    if entry is None:
        raise SetupError(f"{study.path}: found results, which are not executed; allowed a setup")
    if study.plugins and not allow_plugins:
        where = study.source.where(("plugins",))
        raise SetupError(
            f"{where}: found {', '.join(study.plugins)}, whose code would run here; "
            "allowed with --allow-plugins"
        )
    finder = _Finder(study)
    find_data = partial(_dataset, study)
    datasets = finder.all(("setup", "datasets"), find_data, entry.datasets)
    packages = (*PACKAGES, *study.plugins)
    find_one = partial(candidate_of, packages=packages)
    candidates = finder.all(("setup", "candidates"), find_one, entry.candidates)
    measures = finder.all(("measures",), find_measure, [m.name for m in study.measures])
    finder.check_tasks(datasets, candidates, measures)
    finder.check_strata(entry.resampling.stratify, datasets)
    finder.finish()
    finder.warn_of_no_probabilities(candidates, measures)
    return Setup(
        study.name,
        entry.problem,
        datasets,
        candidates,
        measures,
        _resampling(entry.resampling),
        study.seed,
        ExecutionSettings(
            None if study.execution.jobs == "auto" else study.execution.jobs,
            study.execution.timeout,
            study.execution.memory,
            study.execution.max_failures,
        ),
    )


def _resampling(entry: ResamplingEntry) -> Resampling:
    fraction = 1.0 if entry.scheme == "bootstrap" else entry.fraction or 2 / 3
    return Resampling(entry.scheme, entry.replications, fraction, entry.stratify)


def _dataset(study: Study, entry: DatasetEntry) -> DataSet:
    """Load or generate a data set; a generated one has a stream of its own."""
    if entry.file is not None and entry.target is not None:
        path = study.folder / entry.file
        return load_file(entry.name, path, entry.target, entry.task, entry.drop, entry.categorical)
    if entry.openml_id is not None:
        from reportgen.catalogue.openml import load_openml

        return load_openml(entry.name, entry.openml_id, entry.target, entry.task)
    rng = stream(study.seed, "generate", entry.name)
    if entry.generator is None:
        return find_dataset(entry.name, rng=rng)
    generated = find_dataset(entry.generator, entry.n, entry.options, rng)
    return replace(generated, name=entry.name)


class _Finder:
    """Look everything up, and keep what goes wrong until all is looked up."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._faults: list[str] = []

    def all(
        self, place: Place, find: Callable[[Name], Found], names: Sequence[Name]
    ) -> tuple[Found, ...]:
        """Return what can be found of a list of the manifest."""
        found = []
        for i, name in enumerate(names):
            with self._noting((*place, i)):
                found.append(find(name))
        return tuple(found)

    def check_tasks(
        self,
        datasets: Sequence[DataSet],
        candidates: Sequence[Candidate],
        measures: Sequence[ComputedMeasure],
    ) -> None:
        """Check that the candidates and measures suit the data sets, once all are found."""
        if self._faults:
            return
        for task in dict.fromkeys(dataset.task for dataset in datasets):
            example = next(d.name for d in datasets if d.task == task)
            for i, candidate in enumerate(candidates):
                with self._noting(("setup", "candidates", i)):
                    candidate.check(task)
                    for dataset in datasets:
                        candidate.check_inputs(dataset.name, dataset.inputs.shape[1])
            for i, measure in enumerate(measures):
                with self._noting(("measures", i)):
                    _check_measure(measure, task, example)
        for i, measure in enumerate(measures):
            with self._noting(("measures", i)):
                for dataset in datasets:
                    if measure.check_dataset and measure.task in (None, dataset.task):
                        measure.check_dataset(dataset)

    def check_strata(self, stratify: bool, datasets: Sequence[DataSet]) -> None:
        """Check that there are classes where strata are asked for."""
        without = next((d.name for d in datasets if not d.classes), None)
        if stratify and without is not None:
            with self._noting(("setup", "resampling", "stratify")):
                raise SetupError(
                    f"found stratify, which needs classes; the data set {without!r} has none"
                )

    def warn_of_no_probabilities(
        self, candidates: Sequence[Candidate], measures: Sequence[ComputedMeasure]
    ) -> None:
        """Tell beforehand of values that will be missing, which is no fault."""
        names = ", ".join(m.name for m in measures if m.needs_probabilities)
        for i, candidate in enumerate(candidates if names else ()):
            if not _gives_probabilities(candidate):
                where = self._study.source.where(("setup", "candidates", i))
                log.warning("%s: gives no class probabilities, so no value of: %s", where, names)

    def finish(self) -> None:
        """Raise what went wrong, if anything did."""
        if self._faults:
            raise SetupError("\n".join(self._faults))

    @contextmanager
    def _noting(self, place: Place) -> Iterator[None]:
        """Take down an error with the place it belongs to."""
        try:
            yield
        except SetupError as error:
            self._faults.append(f"{self._study.source.where(place)}: {error}")


def _gives_probabilities(candidate: Candidate) -> bool:
    try:
        return hasattr(candidate.build("classification", 0), "predict_proba")
    except Exception:
        return True  # every fit of the candidate will say what is wrong


def _check_measure(measure: ComputedMeasure, task: Task, example: str) -> None:
    if measure.task not in (None, task):
        raise SetupError(
            f"found a measure of {measure.task}; allowed measures of {task}, "
            f"the task of the data set {example!r}"
        )
