"""The learning and test samples of a replication, which all candidates share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from reportgen.data_classes import dataclass
from reportgen.execution.resampling import (
    Indices,
    Sample,
    Units,
    count_units,
    draw_sample,
    draw_units,
    draw_weights,
    fold_sample,
    folds_of,
    inner_samples,
)
from reportgen.streams import stream

if TYPE_CHECKING:
    from reportgen.catalogue.datasets.dataset import DataSet
    from reportgen.study.resampling import Resampling


@dataclass(frozen=True, slots=True)
class Replicate:
    """One replication of a data set."""

    data: DataSet  # what rows are of: the data set itself, or data drawn for this replication.
    sample: Sample  # the learning sample, and all observations that are tested on
    # The fits to make; the performance is the mean over them. Mostly the sample itself.
    parts: tuple[Sample, ...]
    # n_learn, n_distinct and n_test; the last two count groups where groups are drawn.
    sizes: tuple[int, int, int]

    @classmethod
    def of(
        cls, data: DataSet, sample: Sample, parts: tuple[Sample, ...] | None = None
    ) -> Replicate:
        """Count a sample, and make one fit where no others are named."""
        sizes = count_units(sample, data.groups)
        return cls(data, sample, (sample,) if parts is None else parts, sizes)


def replicate(data: DataSet, resampling: Resampling, seed: int, replication: int) -> Replicate:
    """Return what all candidates share in a replication.

    `seed`: the study's.
    `replication`: from 1.
    Result: the same for the same seed, data set and replication, whatever else a study holds.
    """
    make = _take_given if resampling.given else _MAKERS.get(resampling.scheme)
    if make is not None:
        return make(data, resampling, seed, replication)
    return _draw_resample(data, resampling, seed, replication)


def _rng(seed: int, data: DataSet, replication: int) -> Generator:
    return stream(seed, "sample", data.name, replication)


def _units(data: DataSet, resampling: Resampling) -> Units:
    """Return what can be drawn: the learning data, or all of it."""
    n = data.n if resampling.is_out_of_bag else data.n - data.n_test
    strata = np.zeros(n, dtype=np.int64)
    if resampling.stratify:
        strata = data.response[:n].astype(np.int64)
    return Units.of(strata, None if data.groups is None else data.groups[:n])


def _draw_resample(data: DataSet, resampling: Resampling, seed: int, replication: int) -> Replicate:
    """Draw rows by bootstrap, subsampling or hold-out."""
    units, rng = _units(data, resampling), _rng(seed, data, replication)
    if resampling.assessment == "cross-validation":
        sample, parts = inner_samples(resampling, units, rng)
        return Replicate.of(data, sample, parts)
    sample = draw_sample(resampling, units, rng)
    return Replicate.of(data, _tested(sample, data, resampling, units, rng))


def _tested(
    sample: Sample, data: DataSet, resampling: Resampling, units: Units, rng: Generator
) -> Sample:
    """Return a learning sample with the test sample that the assessment asks for."""
    if resampling.assessment == "fixed":
        return Sample(sample.learn, _test_rows(data))
    if resampling.assessment == "learning":
        return Sample(sample.learn, sample.learn)
    if resampling.assessment == "bootstrap":
        drawn = draw_units(replace(resampling, scheme="bootstrap"), units, rng)
        return Sample(sample.learn, units.observations(drawn))
    return sample


def _test_rows(data: DataSet) -> Indices:
    return np.arange(data.n - data.n_test, data.n)


def _draw_folds(data: DataSet, resampling: Resampling, seed: int, replication: int) -> Replicate:
    """Leave out one fold; all folds of a repeat are of one partition."""
    repeat, fold = divmod(replication - 1, resampling.folds)
    units = _units(data, resampling)
    folds = folds_of(units, resampling.folds, stream(seed, "folds", data.name, repeat + 1))
    sample = fold_sample(units, folds, fold)
    rng = _rng(seed, data, replication)
    return Replicate.of(data, _tested(sample, data, resampling, units, rng))


def _draw_weights(data: DataSet, resampling: Resampling, seed: int, replication: int) -> Replicate:
    """Give all learning observations random weights."""
    n = data.n - data.n_test
    weights = draw_weights(n, _rng(seed, data, replication))
    return Replicate.of(data, Sample(np.arange(n), _test_rows(data), weights))


def _take_given(data: DataSet, resampling: Resampling, seed: int, replication: int) -> Replicate:
    """Take the user's rows."""
    samples = resampling.given[data.name]
    chosen = samples[replication - 1]
    return Replicate.of(
        data, Sample(np.array(chosen.learn, np.int64), np.array(chosen.test, np.int64))
    )


def _fresh(data: DataSet, resampling: Resampling, seed: int, replication: int) -> Replicate:
    """Draw learning and test sample anew from the generator."""
    n_learn = data.n - data.n_test
    rng = stream(seed, "simulate", data.name, replication)
    if resampling.assessment == "fixed":
        drawn = data.drawn(n_learn, rng, kept=_test_rows(data))
    else:
        drawn = data.drawn(data.n, rng)
    return Replicate.of(drawn, Sample(np.arange(n_learn), np.arange(n_learn, drawn.n)))


def _draw_estimated(
    data: DataSet, resampling: Resampling, seed: int, replication: int
) -> Replicate:
    """Draw from the generator with the parameters that the learning data suggest."""
    rng = stream(seed, "estimated", data.name, replication)
    n_learn = data.n - data.n_test
    if resampling.assessment == "fixed":
        drawn = data.estimated().drawn(n_learn, rng, kept=_test_rows(data))
    else:
        drawn = data.estimated().drawn(2 * n_learn, rng)
    return Replicate.of(drawn, Sample(np.arange(n_learn), np.arange(n_learn, drawn.n)))


_Maker = Callable[["DataSet", "Resampling", int, int], Replicate]
_MAKERS: dict[str, _Maker] = {
    "k-fold": _draw_folds,
    "repeated-k-fold": _draw_folds,
    "bayesian-bootstrap": _draw_weights,
    "parametric-bootstrap": _draw_estimated,
    "fresh": _fresh,
}
