"""Maximal groups of candidates of which no two differ significantly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Clique = tuple[int, ...]


def maximal_cliques(is_alike: NDArray[np.bool_], order: list[int]) -> list[Clique]:
    """List the largest groups whose members are all alike in pairs.

    Parameters
    ----------
    is_alike : ndarray of shape (K, K), bool
        Symmetric; the diagonal does not count.
    order : list of int
        The K candidates, best first.

    Returns
    -------
    list of tuples of int
        Groups of two or more that are part of no other, members in the given
        order, groups by the places of their members.

    Notes
    -----
    Bron and Kerbosch's algorithm with pivots [1]_. There may be 3^(K/3) groups,
    though not where being alike comes from differences of one variance.

    References
    ----------
    .. [1] E. Tomita, A. Tanaka and H. Takahashi (2006), "The worst-case time
       complexity for generating all maximal cliques and computational
       experiments", Theoretical Computer Science 363.

    Examples
    --------
    >>> is_alike = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool)
    >>> maximal_cliques(is_alike, [2, 1, 0])
    [(2, 1), (1, 0)]
    """
    ordered = is_alike[np.ix_(order, order)]
    neighbours = [{int(j) for j in np.flatnonzero(row) if j != i} for i, row in enumerate(ordered)]
    found: list[Clique] = []
    _extend(found, neighbours, (), set(range(len(order))), set())
    places = sorted(tuple(sorted(group)) for group in found if len(group) > 1)
    return [tuple(order[place] for place in group) for group in places]


def skipped(clique: Clique, order: list[int]) -> Clique:
    """Return those between members of a group who do not belong to it.

    Parameters
    ----------
    clique : tuple of int
    order : list of int
        The candidates, best first.

    Returns
    -------
    tuple of int

    Examples
    --------
    >>> skipped((0, 2), [0, 1, 2, 3])
    (1,)
    """
    places = [order.index(member) for member in clique]
    between = order[min(places) : max(places) + 1]
    return tuple(candidate for candidate in between if candidate not in clique)


def _extend(
    found: list[Clique],
    neighbours: list[set[int]],
    group: Clique,
    possible: set[int],
    seen: set[int],
) -> None:
    """Append all maximal groups that contain `group`, some of `possible` and none of `seen`."""
    if not possible and not seen:
        found.append(group)
        return
    pivot = max(possible | seen, key=lambda i: len(neighbours[i] & possible))
    for i in sorted(possible - neighbours[pivot]):
        _extend(found, neighbours, (*group, i), possible & neighbours[i], seen & neighbours[i])
        possible = possible - {i}
        seen = seen | {i}
