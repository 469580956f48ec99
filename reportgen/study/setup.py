"""The setup of a study: the objects behind its names, ready to be executed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from functools import partial
from itertools import chain
from typing import Any

from reportgen.catalogue.candidates.candidate import Candidate
from reportgen.catalogue.candidates.recipes import PACKAGES
from reportgen.catalogue.datasets import find_dataset
from reportgen.catalogue.datasets.dataset import DataSet, Setting
from reportgen.catalogue.datasets.files import load_file
from reportgen.catalogue.measures import find_measure
from reportgen.catalogue.measures.functions import function_measure, object_measure
from reportgen.catalogue.measures.prediction import ComputedMeasure
from reportgen.catalogue.plugins import make_importable
from reportgen.data_classes import dataclass
from reportgen.errors import SetupError
from reportgen.installation import page_url
from reportgen.measures import in_unit_of_response
from reportgen.performance_measure import Measure, Problem
from reportgen.streams import stream
from reportgen.study.candidates import candidate_of
from reportgen.study.errors import Place
from reportgen.study.families import family_facts, family_of_each
from reportgen.study.manifest import Study
from reportgen.study.resampling import Characterised, Resampling, resamplings_of
from reportgen.study.resolver import Resolver
from reportgen.study.schema import MeasureEntry, SetupEntry
from reportgen.study.schema.candidates import CandidateEntry
from reportgen.study.schema.datasets import DatasetEntry
from reportgen.study.schema.value_types import MAX_FAILURES, FailureLimit

BYTES_PER_VALUE = 12  # a performance in the warehouse's Parquet: 8 for the value, 4 for its keys
BYTES_PER_FIT = 220  # a record of the journal


@dataclass(frozen=True, slots=True)
class ExecutionSettings:
    """The use of the machine by the execution."""

    jobs: int | None = None  # number of workers; None for one a core
    timeout_seconds: float | None = None  # of one fit; None for none
    memory_bytes: int | None = None  # that one worker may use; None for its share of what is free
    max_failures: FailureLimit = MAX_FAILURES  # how many fits may fail
    keeps_predictions: bool = False  # whether what is predicted of every test observation is kept
    keeps_samples: bool = False  # whether observations, learning samples and fitted curves are kept
    # In which the fits of a candidate on a data set are timed; None for any workers.
    processes: int | None = None


@dataclass(frozen=True, slots=True)
class SetupSize:
    """The size of an experiment.

    `n_fits`: M B K; all measures come from one fit.
    `n_values`: M B K J, the rows of the warehouse.
    `disk_bytes`: Estimate of what warehouse and journal take.
    """

    # n_datasets, n_replications, n_candidates, n_measures: M, B (of the data set with most), K and
    # J.
    n_datasets: int
    n_replications: int
    n_candidates: int
    n_measures: int
    n_blocks: int | None = None  # replications of all data sets, M B when None

    @property
    def n_fits(self) -> int:
        """Number of fits."""
        blocks = self.n_datasets * self.n_replications if self.n_blocks is None else self.n_blocks
        return blocks * self.n_candidates

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

    Raises SetupError if a data set cannot be resampled by `resampling`.
    """

    name: str  # the study's name
    problem: Problem  # simulation, competition or real-world
    datasets: tuple[DataSet, ...]
    candidates: tuple[Candidate, ...]
    measures: tuple[ComputedMeasure, ...]  # all in the manifest's order
    resampling: Resampling
    seed: int  # of all random streams
    execution: ExecutionSettings = ExecutionSettings()
    characterised: Characterised = field(default_factory=Characterised)
    # By data set, where samples are drawn in several ways.
    own: Mapping[str, Resampling] = field(default_factory=dict)
    # By data set what is known of its relatives, and how much it counts.
    families: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for dataset in self.datasets:
            self.resampling_of(dataset.name).check(dataset)

    def resampling_of(self, dataset: str) -> Resampling:
        """Return how the samples of a data set are drawn."""
        return self.own.get(dataset, self.resampling)

    def runs_of_process(self, dataset: str) -> int:
        """Return how many replications, one after the other, are runs of one process; 0 of none."""
        n = self.execution.processes
        return 0 if n is None else max(1, self.resampling_of(dataset).replications // n)

    def at_most(self, replications: int) -> Setup:
        """Return the setup with no more replications than these."""

        def fewer(resampling: Resampling) -> Resampling:
            n = min(resampling.replications, replications)
            return replace(resampling, replications=n)

        own = {name: fewer(resampling) for name, resampling in self.own.items()}
        return replace(self, resampling=fewer(self.resampling), own=own)

    @property
    def size(self) -> SetupSize:
        """The size of the experiment."""
        counts = [self.resampling_of(dataset.name).replications for dataset in self.datasets]
        return SetupSize(
            len(self.datasets),
            max(counts, default=self.resampling.replications),
            len(self.candidates),
            len(self.measures),
            sum(counts) if self.own else None,
        )


@dataclass(frozen=True, slots=True)
class Objects:
    """Data sets, candidates and functions that a call brings, by the names that its study has."""

    datasets: Mapping[str, DataSet] = field(default_factory=dict)
    candidates: Mapping[str, Candidate] = field(default_factory=dict)
    packages: tuple[str, ...] = ()  # that the candidates come from
    # Functions that compute measures.
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    splitter: Any = None  # that makes the samples; None where the study says how they are drawn


def make_setup(
    study: Study, *, allow_plugins: bool = False, objects: Objects | None = None
) -> Setup:
    """Find the objects of the names of a study.

    `study`: one with a setup, not with results.
    `allow_plugins`: whether packages that the manifest names may be imported.
    `objects`: what some of the names mean; the others are looked up.
    Raises SetupError if a name is unknown, a file cannot be read, or a candidate or a measure does
    not suit a data set; the text names all such faults.
    """
    entry = study.setup
    if entry is None:
        raise SetupError(f"{study.path}: found results, which are not executed; allowed a setup")
    if not allow_plugins:
        _refuse_plugins(study, entry)
    make_importable(study.plugins, study.folder)
    finder = Resolver(study)
    objects = objects or Objects()
    find_data = partial(_variants, study, objects.datasets)
    found = finder.all(("setup", "datasets"), find_data, entry.datasets)
    datasets = tuple(chain.from_iterable(found))
    packages = (*PACKAGES, *study.plugins)

    def find_one(entry: CandidateEntry) -> Candidate:
        given = objects.candidates.get(entry.name)
        return given or candidate_of(entry, packages, study.folder)

    candidates = finder.all(("setup", "candidates"), find_one, entry.candidates)
    find_measure_of = partial(measure_of, study, functions=objects.functions)
    measures = finder.all(("measures",), find_measure_of, study.measures)
    measures = _in_units(measures, datasets)
    finder.check_tasks(datasets, candidates, measures)
    find_ways = partial(resamplings_of, study, datasets=datasets, splitter=objects.splitter)
    otherwise: tuple[Resampling, ...] = (Resampling("bootstrap", 1),)
    ways = finder.one(("setup", "resampling"), find_ways, measures, otherwise)
    for way in ways:
        finder.check_resampling(way, datasets)
    finder.check_weights(ways, candidates, datasets)
    resampling, own = ways[0], dict[str, Resampling]()
    if len(ways) > 1:
        pairs = [(d, d.at("resampling", way.label), way) for d in datasets for way in ways]
        datasets = tuple(variant for _, variant, _ in pairs)
        own = {v.name: way.renamed(d.name, v.name) for d, v, way in pairs}
    finder.check_names(datasets)
    finder.check_processes(ways)
    names = tuple(dataset.name for dataset in datasets)
    unknown: dict[str, dict[str, object]] = {}
    families = finder.one(("setup",), partial(_families, entry), names, unknown)
    characterised = finder.characterised(datasets, resampling)
    finder.finish()
    finder.warn(datasets, candidates, measures)
    study.check_claims(
        [c.name for c in candidates],
        [m.measure.name for m in measures],
        [d.name for d in datasets],
    )
    return Setup(
        study.name,
        entry.problem,
        datasets,
        candidates,
        measures,
        resampling,
        study.seed,
        ExecutionSettings(
            None if study.execution.jobs == "auto" else study.execution.jobs,
            study.execution.timeout,
            study.execution.memory,
            study.execution.max_failures,
            "predictions" in study.execution.keep,
            "samples" in study.execution.keep,
            study.execution.processes,
        ),
        characterised,
        own,
        families,
    )


def _families(entry: SetupEntry, datasets: tuple[str, ...]) -> dict[str, dict[str, object]]:
    """Return what the study says of families and weights of its data sets."""

    def refuse(key: str, found: str, allowed: str) -> SetupError:
        return SetupError(f"{key}: found {found}; allowed {allowed}")

    family = family_of_each(entry.families or {}, datasets, refuse)
    return family_facts(datasets, family, entry.weights, refuse)


def measure_of(
    study: Study, entry: MeasureEntry, functions: Mapping[str, Callable[..., Any]] | None = None
) -> ComputedMeasure:
    """Find a measure by its name, or the function that computes it.

    `entry`: one of the study's.
    `functions`: those that a call brings, by measure.
    Raises SetupError if there is none.
    """
    found = _measure(study, entry, (functions or {}).get(entry.name))
    if entry.scale is None:
        return found
    return replace(found, measure=replace(found.measure, scale=entry.scale))


def _measure(
    study: Study, entry: MeasureEntry, function: Callable[..., Any] | None
) -> ComputedMeasure:
    if entry.function is None:
        return find_measure(entry.name, study.plugins)
    measure = Measure(
        entry.name,
        entry.better or "smaller",  # it is there: the manifest has it for every function
        entry.unit or "",
        entry.bounds or (None, None),
        better_source="manifest",
    )
    if function is not None:
        return object_measure(function, measure)
    return function_measure(entry.function, measure, (*PACKAGES, *study.plugins), study.folder)


def _refuse_plugins(study: Study, entry: SetupEntry) -> None:
    """Run no code of others unless the user has allowed it."""
    places: list[tuple[Place, str]] = [(("plugins",), name) for name in study.plugins]
    for i, candidate in enumerate(entry.candidates):
        if candidate.command is not None:
            places.append((("setup", "candidates", i), f"the program {candidate.command[0]!r}"))
    if places:
        names = ", ".join(name for _, name in places)
        raise SetupError(
            f"{study.source.where(places[0][0])}: found {names}, whose code would run here; "
            "allowed with --allow-plugins, in Python with allow_plugins=True "
            f"(docs: {page_url('manifest.md#candidates')})"
        )


def _variants(
    study: Study, given: Mapping[str, DataSet], entry: DatasetEntry
) -> tuple[DataSet, ...]:
    """Return a data set, or all its variants."""
    if entry.name in given:
        return (given[entry.name],)
    if not entry.vary:
        return (_of_unit(_dataset(study, entry), entry),)
    found = []
    for variant, factors in entry.variants():
        setting = Setting(entry.name, factors)
        named = variant.model_copy(update={"name": setting.name})
        found.append(_of_unit(replace(_dataset(study, named), setting=setting), entry))
    return tuple(found)


def _of_unit(dataset: DataSet, entry: DatasetEntry) -> DataSet:
    """Return a data set with the unit of its response that the study gives."""
    if entry.unit is None:
        return dataset
    if dataset.task != "regression":
        found = f"setup.datasets: {entry.name!r}: found unit: {entry.unit} of a classification"
        raise SetupError(f"{found}; allowed the unit of the response of a regression")
    return replace(dataset, unit=entry.unit)


def _time(study: Study) -> str | None:
    """Return the column of the time, where samples are drawn in its order."""
    ways = study.setup.resampling if study.setup else ()
    several = ways if isinstance(ways, tuple) else (ways,)
    return next((way.time for way in several if way.time is not None), None)


def _dataset(study: Study, entry: DatasetEntry) -> DataSet:
    """Load or generate a data set; a generated one has a stream of its own."""
    if entry.file is not None and entry.target is not None:
        path = study.folder / entry.file
        test = None if entry.test is None else study.folder / entry.test
        return load_file(
            entry.name,
            path,
            entry.target,
            entry.task,
            entry.drop,
            entry.categorical,
            test=test,
            groups=entry.groups,
            time=_time(study),
        )
    if entry.openml_id is not None:
        from reportgen.catalogue.datasets.openml import load_openml

        return load_openml(entry.name, entry.openml_id, entry.target, entry.task)
    rng = stream(study.seed, "generate", entry.name)
    if entry.generator is None:
        return find_dataset(entry.name, rng=rng)
    generated = find_dataset(entry.generator, entry.n, entry.options, rng, n_test=entry.n_test or 0)
    return replace(generated, name=entry.name)


def _in_units(
    measures: tuple[ComputedMeasure, ...], datasets: tuple[DataSet, ...]
) -> tuple[ComputedMeasure, ...]:
    """Return the measures, errors of the response in its unit where all data sets share one."""
    units = {dataset.unit for dataset in datasets}
    if len(units) != 1 or units == {""}:
        return measures
    (unit,) = units
    return tuple(replace(m, measure=in_unit_of_response(m.measure, unit)) for m in measures)
