"""The resolver: it looks up the names of a manifest and checks that the objects fit together."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from reportgen.catalogue.candidates.candidate import Candidate, weighting
from reportgen.catalogue.characteristics import find_characteristic, usual_characteristics
from reportgen.catalogue.datasets.dataset import DataSet
from reportgen.catalogue.measures.prediction import ComputedMeasure
from reportgen.errors import SetupError
from reportgen.measures import Task
from reportgen.study.errors import Place, warn_of_likeness
from reportgen.study.schema.options import Scheme

if TYPE_CHECKING:
    from reportgen.study.manifest import Study
    from reportgen.study.resampling import Characterised, Resampling

log = logging.getLogger(__name__)

WEIGHTING = "bayesian-bootstrap"

Name = TypeVar("Name")
Found = TypeVar("Found")


class Resolver:
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

    def one(
        self, place: Place, find: Callable[[Name], Found], name: Name, otherwise: Found
    ) -> Found:
        """Return what can be found of one entry, and something else where it cannot."""
        with self._noting(place):
            return find(name)
        return otherwise

    def check_tasks(
        self,
        datasets: Sequence[DataSet],
        candidates: Sequence[Candidate],
        measures: Sequence[ComputedMeasure],
    ) -> None:
        """Check that the candidates and measures suit the data sets, once all are found."""
        if self._faults:
            return
        self._check_finite(datasets, candidates)
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

    def _check_finite(self, datasets: Sequence[DataSet], candidates: Sequence[Candidate]) -> None:
        """Refuse infinite inputs that no candidate can take; log those that some can."""
        own = [candidate.name for candidate in candidates if candidate.takes_inputs_as_they_are]
        for i, dataset in enumerate(datasets):
            place = ("setup", "datasets", i)
            if own and dataset.infinite:
                where = self._study.source.where(place)
                log.warning("%s: %s; left to %s", where, dataset.infinite, ", ".join(own))
            elif dataset.infinite:
                with self._noting(place):
                    raise SetupError(
                        f"{dataset.infinite}; allowed finite numbers, empty cells, or a candidate "
                        "by import path with prepare: false, which may take others"
                    )

    def check_names(self, datasets: Sequence[DataSet]) -> None:
        """Check that no variant of a data set has another one's name."""
        count = Counter(dataset.name for dataset in datasets)
        for name in (name for name, n in count.items() if n > 1):
            with self._noting(("setup", "datasets")):
                raise SetupError(f"found the data set {name!r} twice; allowed each name once")

    def check_resampling(self, resampling: Resampling, datasets: Sequence[DataSet]) -> None:
        """Check that all data sets can be resampled, once all are found."""
        if self._faults:
            return
        for dataset in datasets:
            with self._noting(("setup", "resampling")):
                resampling.check(dataset)

    def check_processes(self, resamplings: Sequence[Resampling]) -> None:
        """Check that every process has as many runs, where fits are timed in processes."""
        n = self._study.execution.processes
        if n is None:
            return
        with self._noting(("execution", "processes")):
            for resampling in resamplings:
                total = resampling.replications
                if resampling.stages:
                    raise SetupError(
                        f"found {n} processes with replications in stages; allowed a number of "
                        "replications, an equal share of which each process has"
                    )
                if total % n:
                    raise SetupError(
                        f"found {n} processes for {total} replications; allowed a number that "
                        f"divides {total}: as many runs in each"
                    )

    def check_weights(
        self,
        resamplings: Sequence[Resampling],
        candidates: Sequence[Candidate],
        datasets: Sequence[DataSet],
    ) -> None:
        """Check that all candidates take weights where a scheme gives them."""
        if self._faults or all(r.scheme != WEIGHTING for r in resamplings):
            return
        for i, candidate in enumerate(candidates):
            if not all(_takes_weights(candidate, task) for task in {d.task for d in datasets}):
                with self._noting(("setup", "candidates", i)):
                    raise SetupError(
                        f"found the candidate {candidate.name!r}, which takes no weights of "
                        f"observations, with {WEIGHTING}; allowed candidates that do, without "
                        "tune, such as logistic, lm, rpart, rf and gbm, or another scheme"
                    )

    def characterised(self, datasets: Sequence[DataSet], resampling: Resampling) -> Characterised:
        """Return what is computed of every learning sample, once its names are found."""
        from reportgen.study.resampling import Characterised, Resampling

        wanted = self._study.wanted_characteristics
        if wanted is None:
            return Characterised()
        names = wanted.names
        if names is None:
            names = usual_characteristics([dataset.task for dataset in datasets])
        for name in names:
            with self._noting(("sections",)):
                find_characteristic(name, self._study.plugins)
        schemes = tuple(
            Resampling(scheme, resampling.replications, _fraction(scheme, fraction))
            for scheme, fraction in wanted.schemes
        )
        return Characterised(names, schemes, self._study.plugins)

    def warn(
        self,
        datasets: Sequence[DataSet],
        candidates: Sequence[Candidate],
        measures: Sequence[ComputedMeasure],
    ) -> None:
        """Warn beforehand of values that are allowed but may not be meant."""
        self._warn_of_no_probabilities(candidates, measures)
        self._warn_of_likeness(datasets, candidates)

    def _warn_of_no_probabilities(
        self, candidates: Sequence[Candidate], measures: Sequence[ComputedMeasure]
    ) -> None:
        """Warn of values that will be missing."""
        names = ", ".join(m.name for m in measures if m.needs_probabilities)
        for i, candidate in enumerate(candidates if names else ()):
            if not _gives_probabilities(candidate):
                where = self._study.source.where(("setup", "candidates", i))
                log.warning("%s: gives no class probabilities, so no value of: %s", where, names)

    def _warn_of_likeness(
        self, datasets: Sequence[DataSet], candidates: Sequence[Candidate]
    ) -> None:
        """Warn of names that may be meant to be one."""
        for key, kind, found in (
            ("datasets", "data sets", datasets),
            ("candidates", "candidates", candidates),
        ):
            where = self._study.source.where(("setup", key))
            warn_of_likeness(where, kind, [one.name for one in found])

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


def _fraction(scheme: Scheme, fraction: float | None) -> float:
    return 1.0 if scheme == "bootstrap" else fraction or 2 / 3


def _takes_weights(candidate: Candidate, task: Task) -> bool:
    try:
        weighting(candidate.build(task, 0), np.ones(1))
    except ValueError:
        return False
    except Exception:
        return True  # every fit of the candidate will fail with the error
    return True


def _gives_probabilities(candidate: Candidate) -> bool:
    try:
        return hasattr(candidate.build("classification", 0), "predict_proba")
    except Exception:
        return True  # every fit of the candidate will fail with the error


def _check_measure(measure: ComputedMeasure, task: Task, example: str) -> None:
    if measure.task not in (None, task):
        raise SetupError(
            f"found a measure of {measure.task}; allowed measures of {task}, "
            f"the task of the data set {example!r}"
        )
