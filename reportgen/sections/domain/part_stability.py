"""Whether the parts of a domain return when its data sets are resampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.domain.across_result import Subdomains
from reportgen.sections.domain.result import Distances
from reportgen.stats.clustering import complete_linkage, cut

N_RESAMPLES = 100  # standard error of a mean similarity at most .05


def with_returns(
    found: Subdomains | None, apart: Distances | None, rng: Generator
) -> Subdomains | None:
    """Say of every part how well it returns when the data sets are resampled.

    Parameters
    ----------
    found : Subdomains or None
    apart : Distances or None
        Of all data sets.
    rng : Generator
    """
    if found is None or apart is None:
        return found
    place = {name: i for i, name in enumerate(apart.datasets)}
    parts = [[place[d] for d in part.datasets] for part in found.parts]
    shares = returning(np.array(apart.matrix, dtype=np.int64), parts, rng)
    named = zip(found.parts, shares, strict=True)
    return replace(found, parts=tuple(replace(part, returns=x) for part, x in named))


def returning(
    matrix: NDArray[np.int64], parts: Sequence[Sequence[int]], rng: Generator
) -> list[float | None]:
    """Return by part its mean similarity to the nearest part of resampled objects.

    Parameters
    ----------
    matrix : ndarray of shape (M, M)
        Distances.
    parts : sequence of sequences of int
        From a cut of their complete linkage.
    rng : Generator

    Returns
    -------
    list of float or None
        Mean Jaccard coefficient, over resamples with some of its members, of
        these and the most alike cluster when the distinct objects of the
        resample are clustered and cut into as many; None where there is no
        such resample.

    References
    ----------
    .. [1] C. Hennig (2007), "Cluster-wise assessment of cluster stability",
       Computational Statistics & Data Analysis 52.
    """
    sums, counts = np.zeros(len(parts)), np.zeros(len(parts))
    for _ in range(N_RESAMPLES):
        drawn = np.unique(rng.integers(len(matrix), size=len(matrix)))
        if len(drawn) < max(2, len(parts)):
            continue
        tree = complete_linkage(matrix[np.ix_(drawn, drawn)])
        clusters = [set(drawn[list(c)].tolist()) for c in cut(tree, len(parts))]
        known = set(drawn.tolist())
        for i, part in enumerate(parts):
            own = known & set(part)
            if own:
                sums[i] += max(len(own & c) / len(own | c) for c in clusters)
                counts[i] += 1
    return [float(x / n) if n else None for x, n in zip(sums, counts, strict=True)]
