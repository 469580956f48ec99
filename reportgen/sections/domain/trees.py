"""How far the data sets' relations are apart, and the tree that joins alike ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.domain.basis import Groups
from reportgen.sections.domain.result import Distances
from reportgen.sections.preferences.result import Preference
from reportgen.stats.relations.clustering import Clustering, complete_linkage, cut, distances


def cluster(
    measure: str, members: Mapping[str, Preference], candidates: Sequence[str]
) -> tuple[Distances | None, Clustering | None]:
    """Say how far the data sets' relations are apart, and join alike ones."""
    if len(members) < 2:
        return None, None
    incidences = np.stack([_incidence(r) for r in members.values()])
    matrix, names = distances(incidences), tuple(members)
    first, second = np.triu_indices(len(names), k=1)
    apart = matrix[first, second]
    near, far = int(apart.argmin()), int(apart.argmax())
    found = Distances(
        measure=measure,
        relation=members[names[0]].id,
        datasets=names,
        matrix=tuple(tuple(row) for row in matrix.tolist()),
        largest=len(candidates) * (len(candidates) - 1),
        smallest=int(apart.min()),
        greatest=int(apart.max()),
        closest=(names[first[near]], names[second[near]]),
        farthest=(names[first[far]], names[second[far]]),
        n_same=int((apart == 0).sum()),
        mean=float(apart.mean()),
    )
    return found, complete_linkage(matrix)


def branches(apart: Distances | None, tree: Clustering | None) -> Groups:
    """Return the clusters that the last step joins."""
    if apart is None or tree is None or not tree.heights[-1]:
        return ()
    return tuple(tuple(apart.datasets[leaf] for leaf in branch) for branch in cut(tree, 2))


def _incidence(relation: Preference) -> NDArray[np.bool_]:
    return np.array(relation.incidence, dtype=np.bool_)


def leaf_order(
    datasets: tuple[str, ...], apart: Distances | None, tree: Clustering | None
) -> tuple[str, ...]:
    """Return the data sets, alike ones side by side, those without a relation last."""
    if apart is None or tree is None:
        return datasets
    ordered = tuple(apart.datasets[leaf] for leaf in tree.leaf_order)
    return (*ordered, *(d for d in datasets if d not in ordered))
