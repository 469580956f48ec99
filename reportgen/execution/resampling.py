"""Learning and test samples by scheme, as row numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array

if TYPE_CHECKING:
    from reportgen.study.resampling import Resampling

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sample:
    """The observations from which a fit learns, and those on which it is tested."""

    learn: Indices  # (n_learn,); row numbers; with repetitions under the bootstrap
    test: Indices  # (n_test,); rows it does not learn from; may be empty
    # (n_learn,); of the learning observations, with mean 1; all 1 when None.
    weights: Array | None = None


@dataclass(frozen=True, slots=True)
class Units:
    """The units that are drawn: observations, or groups of them that stay together."""

    # (n_units,); the stratum of each unit, numbered from 0; a single one without stratification.
    strata: Indices
    # The observations of each unit; None where every observation is one.
    rows: tuple[Indices, ...] | None = None

    @classmethod
    def of(cls, strata: Indices, groups: Indices | None = None) -> Units:
        """Make units of observations.

        `strata`: (n,); the stratum of each observation.
        `groups`: (n,); the group of each observation, numbered from 0. A group belongs to the
        stratum of most of its observations, the first one among equals.
        """
        if groups is None:
            return cls(strata)
        rows = tuple(np.flatnonzero(groups == g) for g in range(int(groups.max()) + 1))
        return cls(np.array([np.bincount(strata[r]).argmax() for r in rows]), rows)

    @property
    def n(self) -> int:
        """Number of units."""
        return len(self.strata)

    def members(self) -> list[Indices]:
        """Return the units of every stratum."""
        n_strata = int(self.strata.max()) + 1
        if n_strata == 1:
            return [np.arange(self.n)]
        return [np.flatnonzero(self.strata == s) for s in range(n_strata)]

    def observations(self, units: Indices) -> Indices:
        """Return the observations of units, as often as each occurs."""
        if self.rows is None:
            return units
        return np.concatenate([np.zeros(0, np.int64), *(self.rows[u] for u in units)])

    def others(self, units: Indices) -> Indices:
        """Return the observations of all units but these, ascending."""
        is_other = np.ones(self.n, dtype=np.bool_)
        is_other[units] = False
        left = np.flatnonzero(is_other)
        return left if self.rows is None else np.sort(self.observations(left))


def draw_units(resampling: Resampling, units: Units, rng: Generator) -> Indices:
    """Draw the units of one learning sample.

    `resampling`: bootstrap: as many draws with replacement as there are units, and strata keep
    their sizes. Subsampling and hold-out: floor(fraction n) draws without replacement; each stratum
    gives its share to within one unit.
    Result: numbers of units, with repetitions under the bootstrap.
    """
    members = units.members()
    if resampling.scheme == "bootstrap":
        drawn = [own[rng.integers(len(own), size=len(own))] for own in members]
    else:
        sizes = _shared_out(resampling.fraction, np.array([len(own) for own in members]))
        drawn = [rng.permutation(own)[:size] for own, size in zip(members, sizes, strict=True)]
    return drawn[0] if len(drawn) == 1 else np.concatenate(drawn)


def draw_sample(resampling: Resampling, units: Units, rng: Generator) -> Sample:
    """Draw one learning sample; it is tested on what was not drawn."""
    drawn = draw_units(resampling, units, rng)
    return Sample(units.observations(drawn), units.others(drawn))


def folds_of(units: Units, n_folds: int, rng: Generator) -> Indices:
    """Divide units at random into folds whose sizes differ by one at most.

    `units`: strata are dealt one after the other, so that each is spread evenly.
    Result: (n_units,); numbers of folds from 0.
    """
    order = np.concatenate([rng.permutation(own) for own in units.members()])
    folds = np.empty(units.n, dtype=np.int64)
    folds[order] = np.arange(units.n) % n_folds
    return folds


def fold_sample(units: Units, folds: Indices, fold: int) -> Sample:
    """Learn from all folds but one, and test on that."""
    left = np.flatnonzero(folds != fold)
    return Sample(np.sort(units.observations(left)), units.others(left))


def inner_samples(
    resampling: Resampling, units: Units, rng: Generator
) -> tuple[Sample, tuple[Sample, ...]]:
    """Cross-validate inside a bootstrap sample (RW-CV; Hothorn et al. 2005, section 3.2).

    `resampling`: with the number of folds.
    Result: the bootstrap sample; its test sample are the observations that are tested on in some
    fold; one for each fold that has anything to test on: units that occur in the learning folds too
    are taken out of the validation fold.
    """
    drawn = draw_units(resampling, units, rng)
    places = Units(units.strata[drawn])
    folds = folds_of(places, resampling.folds, rng)
    found = []
    for fold in range(resampling.folds):
        learn, held = drawn[folds != fold], drawn[folds == fold]
        test = held[~np.isin(held, learn)]
        if len(test) and len(learn):
            found.append(Sample(units.observations(learn), units.observations(test)))
    rows = units.observations(drawn)
    none = np.zeros(0, np.int64)
    tested = np.unique(np.concatenate([none, *(sample.test for sample in found)]))
    return Sample(rows, tested), tuple(found)


def draw_weights(n: int, rng: Generator) -> Array:
    """Draw the weights of the Bayesian bootstrap: uniform on the simplex, times n (Rubin 1981)."""
    gaps = rng.standard_exponential(n)
    weights: Array = n * gaps / gaps.sum()
    return weights


def count_units(sample: Sample, groups: Indices | None = None) -> tuple[int, int, int]:
    """Count what a sample holds.

    `groups`: (n,); the group of each observation, where groups stay together.
    Result: observations of the learning sample; different observations to learn from, and those to
    test on, or groups of them.
    """
    n_learn = len(sample.learn)
    if groups is None:
        return n_learn, int(np.count_nonzero(np.bincount(sample.learn))), len(sample.test)
    n_distinct, n_test = (len(np.unique(groups[rows])) for rows in (sample.learn, sample.test))
    return n_learn, n_distinct, n_test


def _shared_out(fraction: float, sizes: Indices) -> Indices:
    """Split floor(fraction n) over the strata by largest remainders."""
    shares = fraction * sizes
    given: Indices = np.floor(shares + 1e-9).astype(np.int64)
    n_left = int(fraction * sizes.sum() + 1e-9) - int(given.sum())
    given[np.argsort(given - shares, kind="stable")[:n_left]] += 1
    return given
