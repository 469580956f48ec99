"""Clustering of relations: distances, complete linkage, and the order of the leaves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Whole


@dataclass(frozen=True, slots=True)
class Clustering:
    """A tree of M objects."""

    # what each of the M - 1 steps joins: an object i < M, or what step i - M has made
    merges: tuple[tuple[int, int], ...]
    heights: tuple[float, ...]  # at which distance: the largest between members of the two
    leaf_order: tuple[int, ...]  # the objects as they stand below the tree


def distances(incidences: NDArray[np.bool_]) -> Whole:
    """Return the symmetric difference distance of every two relations.

    `incidences`: (M, K, K).
    Result: (M, M); ordered pairs that are in exactly one of the two.

    Examples
    --------
    >>> abc = np.triu(np.ones((3, 3), dtype=bool), k=1)
    >>> distances(np.stack([abc, abc.T, abc]))
    array([[0, 6, 0],
           [6, 0, 6],
           [0, 6, 0]])
    """
    flat = incidences.reshape(len(incidences), -1).astype(np.float64)  # whole numbers: exact
    size = flat.sum(axis=1)
    return np.asarray(size[:, None] + size[None, :] - 2 * (flat @ flat.T), dtype=np.int64)


def complete_linkage(matrix: NDArray[np.number]) -> Clustering:
    """Cluster objects by the largest distance between members of two clusters.

    `matrix`: (M, M); symmetric distances, M >= 2.

    Notes
    -----
    Of equal distances the first in the objects' own order is joined first, so
    leaves at equal heights may stand in another order when the objects do. Of
    two clusters that are joined the tighter one stands first, of two that are
    equally tight the one that holds the earlier object.

    References
    ----------
    .. [1] B. S. Everitt, S. Landau, M. Leese and D. Stahl (2011), Cluster
       Analysis, chapter 4.

    Examples
    --------
    >>> found = complete_linkage(np.array([[0, 4, 1], [4, 0, 5], [1, 5, 0]]))
    >>> found.heights, found.leaf_order
    ((1.0, 5.0), (1, 0, 2))
    """
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    steps = linkage(squareform(np.asarray(matrix, dtype=np.float64)), "complete")
    merges = tuple((int(a), int(b)) for a, b in steps[:, :2])
    heights = tuple(float(h) for h in steps[:, 2])
    return Clustering(merges, heights, _leaves(merges, heights))


def _leaves(merges: tuple[tuple[int, int], ...], heights: tuple[float, ...]) -> tuple[int, ...]:
    """Set the objects below the tree, the tighter cluster first."""
    n = len(merges) + 1
    members: list[tuple[int, ...]] = [(i,) for i in range(n)]
    height = [0.0] * n
    for pair, at in zip(merges, heights, strict=True):
        first, second = sorted(pair, key=lambda c: (height[c], min(members[c])))
        members.append(members[first] + members[second])
        height.append(at)
    return members[-1]


def cut(clustering: Clustering, n_clusters: int) -> tuple[tuple[int, ...], ...]:
    """Return the clusters that are left when the last joins are undone, in the leaves' order.

    `n_clusters`: between 1 and M.

    Examples
    --------
    >>> cut(complete_linkage(np.array([[0, 4, 1], [4, 0, 5], [1, 5, 0]])), 2)
    ((1,), (0, 2))
    """
    n = len(clustering.leaf_order)
    clusters: dict[int, set[int]] = {i: {i} for i in range(n)}
    for step, (a, b) in enumerate(clustering.merges[: n - n_clusters]):
        clusters[n + step] = clusters.pop(a) | clusters.pop(b)
    place = {leaf: i for i, leaf in enumerate(clustering.leaf_order)}
    ordered = (tuple(sorted(c, key=place.__getitem__)) for c in clusters.values())
    return tuple(sorted(ordered, key=lambda c: place[c[0]]))


def silhouette(matrix: NDArray[np.number], clusters: tuple[tuple[int, ...], ...]) -> float:
    r"""Return the average silhouette width: how much nearer objects are to their own cluster.

    `matrix`: (M, M); symmetric distances.
    `clusters`: all objects, in two clusters or more.
    Result: the mean of :math:`(b - a) / \max(a, b)`, with a the mean distance of an object from the
    others of its cluster and b that from the nearest other cluster; 0 for an object that is alone,
    or at distance 0 from both.

    References
    ----------
    .. [1] P. J. Rousseeuw (1987), "Silhouettes: a graphical aid to the
       interpretation and validation of cluster analysis", Journal of
       Computational and Applied Mathematics 20.

    Examples
    --------
    >>> round(silhouette(np.array([[0, 1, 4], [1, 0, 5], [4, 5, 0]]), ((0, 1), (2,))), 4)
    0.5167
    """
    d = np.asarray(matrix, dtype=np.float64)
    sizes = np.array([len(members) for members in clusters])
    own = np.empty(len(d), dtype=np.intp)
    for i, members in enumerate(clusters):
        own[list(members)] = i
    sums = d @ np.eye(len(clusters))[own]
    rows = np.arange(len(d))
    inside = sums[rows, own] / np.maximum(sizes[own] - 1, 1)
    means = sums / sizes
    means[rows, own] = np.inf
    nearest = means.min(axis=1)
    largest = np.maximum(inside, nearest)
    is_counted = (sizes[own] > 1) & (largest > 0)
    width = (nearest - inside) / np.where(largest > 0, largest, 1.0)
    return float(np.where(is_counted, width, 0.0).mean())
