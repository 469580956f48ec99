"""Characteristics of learning samples: computed after the fits, in the same journal."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from reportgen.catalogue.characteristics import CHARACTERISTICS, find_characteristics, sample_of
from reportgen.data_classes import dataclass
from reportgen.execution.journal import Journal, Key
from reportgen.execution.outcome import Cell, Outcome
from reportgen.execution.plan import FAMILY_LENGTH
from reportgen.execution.pool import Executor, SerialExecutor
from reportgen.execution.process_state import caught_warnings
from reportgen.execution.replication import Experiment
from reportgen.execution.worker import LostTask
from reportgen.progress import counted, stage
from reportgen.warehouse import CHARACTERISED, no_characteristics

if TYPE_CHECKING:
    from reportgen.catalogue.datasets.dataset import DataSet
    from reportgen.study.resampling import Resampling
    from reportgen.study.setup import Setup

log = logging.getLogger("reportgen")

VERSION = 1  # of the definitions: what an earlier one has computed is computed again
WHOLE = 0  # the number that stands for the whole data set in the journal
BATCH = 25  # learning samples a task
FEW = 3e8  # numbers to go through up to which no workers are started for it
OWN = ""  # the scheme of the study itself


class Batch(NamedTuple):
    """Some learning samples of one data set, and what is to be computed of them."""

    dataset: str
    scheme: str
    replications: tuple[int, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Characterising:
    """All that is needed to describe any learning sample; sent to every worker once."""

    experiments: Mapping[str, Experiment]  # how samples are drawn, by scheme
    packages: tuple[str, ...] = ()  # whose characteristics may be loaded

    def prepare(self, owner: str) -> None:
        """Do nothing: what is loaded on first use is small."""

    def owner(self, batch: Batch) -> str:
        """Return none: all batches may share a process."""
        return ""

    def kind(self, batch: Batch) -> str:
        """Return one kind for all."""
        return "characteristics"

    def warm_up(self, batch: Batch) -> None:
        """Do nothing."""

    def __call__(self, batch: Batch) -> tuple[Outcome, ...]:
        """Describe learning samples, each in an outcome with a value a characteristic."""
        experiment = self.experiments[batch.scheme]
        chosen = find_characteristics(batch.names, self.packages)
        data = experiment.datasets[batch.dataset]
        whole = sample_of(data)
        found = []
        for replication in batch.replications:
            sample, sizes = whole, (whole.n, whole.n, 0)
            if replication != WHOLE:
                given = experiment.replicate(batch.dataset, replication)
                described = whole if given.data is data else sample_of(given.data)
                sample, sizes = described.take(given.sample.learn), given.sizes
            with caught_warnings(), np.errstate(all="ignore"):
                values = {c.name: _finite(c(sample)) for c in chosen}
            found.append(Outcome("ok", values, sizes))  # type: ignore[arg-type]
        return tuple(found)


def describe_samples(
    setup: Setup, journal: Journal, executor: Executor, *, is_wanted: bool = True
) -> pd.DataFrame:
    """Return the characteristics of all learning samples and data sets of a setup.

    `setup`: names the characteristics; none give an empty table.
    `journal`: what it holds is not computed again; what is computed is written to it.
    `executor`: computes where there is much to do, or other packages' code runs; else this process
    does.
    `is_wanted`: whether what the journal lacks is computed; else there is then an empty table.
    Result: see `Warehouse.characteristics`.
    """
    names = setup.characterised.names
    if not names:
        return no_characteristics()
    schemes = {OWN: setup.resampling, **{r.label: r for r in setup.characterised.schemes}}
    families = {
        (dataset.name, scheme): _family(
            setup, dataset, setup.resampling_of(dataset.name) if scheme == OWN else resampling
        )
        for dataset in setup.datasets
        for scheme, resampling in schemes.items()
    }
    replications = _numbers(setup)
    batches = tuple(_batches(families, replications, names, journal.outcomes))
    if batches and not is_wanted:
        return no_characteristics()
    if batches:
        log.info(
            "characteristics of %s learning samples to compute",
            f"{sum(len(b.replications) for b in batches):,}",
        )
        work = Characterising(_experiments(setup, schemes), setup.characterised.packages)
        with stage("characteristics"):
            _compute(work, batches, families, journal, _executor_for(setup, batches, executor))
    return _table(setup, families, replications, journal.outcomes)


def _numbers(setup: Setup) -> dict[str, tuple[int, ...]]:
    """Return the numbers of the replications of every data set, and that of the whole."""
    return {
        d.name: (WHOLE, *range(1, 1 + setup.resampling_of(d.name).replications))
        for d in setup.datasets
    }


def _experiments(setup: Setup, schemes: Mapping[str, Resampling]) -> dict[str, Experiment]:
    datasets = {dataset.name: dataset for dataset in setup.datasets}
    return {
        scheme: Experiment(
            datasets, {}, (), resampling, setup.seed, setup.own if scheme == OWN else {}
        )
        for scheme, resampling in schemes.items()
    }


def _family(setup: Setup, dataset: DataSet, resampling: Resampling) -> str:
    """Name all on which the characteristics of a data set's samples depend."""
    ours = all(name.partition(":")[0] in CHARACTERISTICS for name in setup.characterised.names)
    content = {
        "version": VERSION,
        "characteristics": "" if ours else sorted(setup.characterised.packages),
        "dataset": dataset.key,
        "resampling": resampling.key_of(dataset.name),
        "seed": setup.seed,
    }
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:FAMILY_LENGTH]


def _batches(
    families: Mapping[tuple[str, str], str],
    replications: Mapping[str, Sequence[int]],
    names: Sequence[str],
    done: Mapping[Key, Outcome],
) -> Iterator[Batch]:
    """Yield what the journal does not hold; samples that lack the same go together."""
    for (dataset, scheme), family in families.items():
        by_missing: dict[tuple[str, ...], list[int]] = {}
        for b in replications[dataset]:
            known = done[family, b].values if (family, b) in done else {}
            missing = tuple(name for name in names if name not in known)
            if missing:
                by_missing.setdefault(missing, []).append(b)
        for missing, numbers in by_missing.items():
            for start in range(0, len(numbers), BATCH):
                yield Batch(dataset, scheme, tuple(numbers[start : start + BATCH]), missing)


def _executor_for(setup: Setup, batches: Sequence[Batch], executor: Executor) -> Executor:
    """Choose this process where starting workers would take longer than the work."""
    sizes = {d.name: d.inputs.size * (10 + d.inputs.shape[1]) for d in setup.datasets}
    work = sum(sizes[b.dataset] * len(b.replications) for b in batches)
    ours = all(n.partition(":")[0] in CHARACTERISTICS for b in batches for n in b.names)
    return SerialExecutor() if ours and work <= FEW else executor


def _compute(
    work: Characterising,
    batches: Sequence[Batch],
    families: Mapping[tuple[str, str], str],
    journal: Journal,
    executor: Executor,
) -> None:
    """Describe samples and write down what is found; what is lost is tried again another time."""
    with closing(executor.run(work, batches)) as results:
        for batch, found in counted(results, len(batches), "batches of samples"):
            if isinstance(found, LostTask):
                log.warning("characteristics of %s: %s", batch.dataset, found.message)
                continue
            family = families[batch.dataset, batch.scheme]
            for b, outcome in zip(batch.replications, found, strict=True):
                known = journal.outcomes.get((family, b))
                values = {**(known.values if known else {}), **outcome.values}
                cell = Cell(batch.dataset, b, "")
                journal.append((family, b), cell, replace(outcome, values=values))


def _table(
    setup: Setup,
    families: Mapping[tuple[str, str], str],
    replications: Mapping[str, Sequence[int]],
    done: Mapping[Key, Outcome],
) -> pd.DataFrame:
    """Lay out one row a sample; those of data sets as a whole stand once, without replication."""
    names = setup.characterised.names
    rows = [
        (dataset, pd.NA if b == WHOLE else b, scheme, *_values(done[family, b], names))
        for (dataset, scheme), family in families.items()
        for b in replications[dataset]
        if (family, b) in done and (b != WHOLE or scheme == OWN)
    ]
    table = pd.DataFrame(rows, columns=[*CHARACTERISED, *names])
    numbers: dict[str, Any] = dict.fromkeys(names, np.float64)
    return table.astype({"dataset": object, "replication": "Int64", "scheme": object, **numbers})


def _values(outcome: Outcome, names: Sequence[str]) -> list[float]:
    found: list[float | None] = [outcome.values.get(name) for name in names]
    return [np.nan if value is None else value for value in found]


def _finite(value: float) -> float | None:
    """Return a number as JSON can hold it."""
    return value if isfinite(value) else None
