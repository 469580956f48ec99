"""Whether what was found returns in subsamples of the data sets: descriptive, without error rate.

Subsamples are drawn without replacement: data sets that are drawn twice look like strong evidence
to a permutation test, and like a cluster to a clustering.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass

FRACTION = 0.632  # of the data sets in a subsample: as many as a bootstrap sample has distinct ones
N_SUBSAMPLES = 200  # standard error of a share at most .035
N_OF_LARGE = 50  # ... of what takes long to find again; at most .07
LEAST_SHARE = 0.5  # from which a finding is reported, with its share


@dataclass(frozen=True, slots=True)
class SubsampleSupport:
    """The share of subsamples in which a result returns.

    Attributes
    ----------
    share : float
        Of the subsamples, those in which it returns.
    n_subsamples : int
    size, n_units : int
        Data sets (or rows) in a subsample, and in all.

    Examples
    --------
    >>> found = SubsampleSupport(0.5, 200, 13, 21)
    >>> found.is_reportable
    True
    """

    share: float
    n_subsamples: int
    size: int
    n_units: int

    @property
    def is_reportable(self) -> bool:
        """Whether it returns often enough to be a finding."""
        return self.share >= LEAST_SHARE


def subsample_size(n: int) -> int:
    """Return how many of n units a subsample has.

    Examples
    --------
    >>> [subsample_size(n) for n in (2, 3, 4, 21)]
    [1, 2, 3, 13]
    """
    return round(FRACTION * n)


def subsample(n: int, rng: Generator) -> NDArray[np.intp]:
    """Draw distinct units out of n, in ascending order.

    Examples
    --------
    >>> subsample(6, np.random.default_rng(1)).shape
    (4,)
    """
    return np.sort(rng.choice(n, size=subsample_size(n), replace=False)).astype(np.intp)
