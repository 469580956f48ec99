"""Learning samples and their out-of-bag test samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

if TYPE_CHECKING:
    from reportgen.study.setup import Resampling

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sample:
    """Which observations a replication learns from, and which it is tested on.

    Attributes
    ----------
    learn : ndarray of shape (n_learn,)
        Row numbers; with repetitions under the bootstrap.
    test : ndarray of shape (n_test,)
        The rows that are not drawn, ascending; may be empty.
    """

    learn: Indices
    test: Indices

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Sizes of the learning sample, of its distinct rows and of the test sample."""
        return len(self.learn), len(np.unique(self.learn)), len(self.test)


def draw_sample(resampling: Resampling, strata: Indices, rng: Generator) -> Sample:
    """Draw the learning sample of one replication.

    Parameters
    ----------
    resampling : Resampling
        Bootstrap: as many draws with replacement as there are observations.
        Subsampling: floor(fraction n) draws without replacement.
    strata : ndarray of shape (n,)
        The stratum of each observation, numbered from 0; a single one without
        stratification. Bootstrap samples keep the strata's sizes; in
        subsampling each stratum gives its share to within one observation.
    rng : Generator

    Returns
    -------
    Sample
    """
    members = [np.flatnonzero(strata == s) for s in range(int(strata.max()) + 1)]
    if resampling.scheme == "bootstrap":
        drawn = [rows[rng.integers(len(rows), size=len(rows))] for rows in members]
    else:
        sizes = _shared_out(resampling.fraction, np.array([len(rows) for rows in members]))
        drawn = [rng.permutation(rows)[:size] for rows, size in zip(members, sizes, strict=True)]
    learn = np.concatenate(drawn)
    is_test = np.ones(len(strata), dtype=np.bool_)
    is_test[learn] = False
    return Sample(learn, np.flatnonzero(is_test))


def _shared_out(fraction: float, sizes: Indices) -> Indices:
    """Split floor(fraction n) over the strata by largest remainders."""
    shares = fraction * sizes
    given: Indices = np.floor(shares + 1e-9).astype(np.int64)
    n_left = int(fraction * sizes.sum() + 1e-9) - int(given.sum())
    given[np.argsort(given - shares, kind="stable")[:n_left]] += 1
    return given
