"""Maximal groups of candidates of which no two differ significantly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Clique = tuple[int, ...]


def maximal_cliques(
    is_alike: NDArray[np.bool_], order: list[int], most: int | None = None
) -> list[Clique]:
    """List the largest groups whose members are all alike in pairs.

    `is_alike`: (K, K); symmetric; the diagonal does not count.
    `order`: the K candidates, best first.
    `most`: groups after which the search ends; left out: all are found.
    Result: groups of two or more that are part of no other, members in the given order, groups by
    the places of their members. More than `most` of them: not all.

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
    np.fill_diagonal(ordered, False)
    rows = np.packbits(ordered, axis=1, bitorder="little")
    neighbours = [int.from_bytes(row.tobytes(), "little") for row in rows]
    groups = map(_members, _groups(neighbours, most))
    places = sorted(group for group in groups if len(group) > 1)
    return [tuple(order[place] for place in group) for group in places]


def skipped(clique: Clique, order: list[int]) -> Clique:
    """Return those between members of a group who do not belong to it.

    `order`: the candidates, best first.

    Examples
    --------
    >>> skipped((0, 2), [0, 1, 2, 3])
    (1,)
    """
    places = [order.index(member) for member in clique]
    between = order[min(places) : max(places) + 1]
    return tuple(candidate for candidate in between if candidate not in clique)


def _groups(neighbours: Sequence[int], most: int | None) -> list[int]:
    """List all maximal groups, a bit a member; at most one more than `most`."""
    found: list[int] = []
    open_groups = [(0, (1 << len(neighbours)) - 1, 0)]  # with who may join, and who would have
    while open_groups and (most is None or len(found) <= most):
        group, possible, seen = open_groups.pop()
        if not possible | seen:
            found.append(group)
            continue
        pivots = _members(possible | seen)
        joined = [(neighbours[i] & possible).bit_count() for i in pivots]
        for i in _members(possible & ~neighbours[pivots[joined.index(max(joined))]]):
            open_groups.append((group | 1 << i, possible & neighbours[i], seen & neighbours[i]))
            possible &= ~(1 << i)
            seen |= 1 << i
    return found


def _members(bits: int) -> list[int]:
    """Return the places of the bits that are set, in order."""
    width = (bits.bit_length() + 7) // 8
    row = np.frombuffer(bits.to_bytes(width, "little"), dtype=np.uint8)
    places: list[int] = np.flatnonzero(np.unpackbits(row, bitorder="little")).tolist()
    return places
