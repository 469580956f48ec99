"""Hasse diagrams: the lines of the covering relation, and the level of each candidate."""

from __future__ import annotations

from itertools import chain as joined
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.relations.relations import Incidence, chain, closure


@dataclass(frozen=True, slots=True)
class Hasse:
    """The content of a Hasse diagram."""

    # lines from the better to the worse: the transitive reduction
    covers: tuple[tuple[int, int], ...]
    # pairs that the lines read from top to bottom suggest though they are not in the relation,
    # which is not transitive: drawn dashed
    implied: tuple[tuple[int, int], ...]
    # candidates that are better than one another in a circle; they stand on one height
    cycles: tuple[tuple[int, ...], ...]
    # the heights, best first: a candidate stands just below the lowest one that is better
    levels: tuple[tuple[int, ...], ...]


def hasse(incidence: Incidence) -> Hasse:
    """Lay a relation out.

    A relation need not be transitive: the reduction is that of its transitive
    closure, whose cycles count as one (the reduction of a relation with cycles
    is not unique, that of its condensation is). Pairs of the closure that the
    relation lacks are implied, those inside a cycle aside.

    `incidence`: (K, K); a strict relation.

    References
    ----------
    .. [1] A. V. Aho, M. R. Garey and J. D. Ullman (1972), "The transitive
       reduction of a directed graph", SIAM Journal on Computing 1.

    Examples
    --------
    >>> hasse(np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)).covers
    ((0, 1), (1, 2))
    """
    groups = chain(incidence)
    if groups is not None:
        steps = (product(*both) for both in pairwise(groups))
        return Hasse(tuple(sorted(joined.from_iterable(steps))), (), (), tuple(map(tuple, groups)))
    reach = closure(incidence)
    component = _components(reach)
    above = _condense(reach, component)
    lines = above & ~_compose(above, above)
    drawn = _joined_pairs(incidence, component, lines)
    is_inside = component[:, None] == component
    implied = tuple((int(i), int(j)) for i, j in np.argwhere(reach & ~incidence & ~is_inside))
    inside = tuple((int(i), int(j)) for i, j in np.argwhere(incidence & is_inside))
    members = [tuple(np.flatnonzero(component == c).tolist()) for c in range(component.max() + 1)]
    return Hasse(
        tuple(sorted((*drawn, *inside))),
        implied,
        tuple(member for member in members if len(member) > 1),
        _levels(above, component),
    )


def levels(incidence: Incidence) -> tuple[tuple[int, ...], ...]:
    """Return the heights of a Hasse diagram alone, best first, as `Hasse` has them.

    `incidence`: (K, K); a strict relation.

    Examples
    --------
    >>> levels(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool))
    ((0,), (1, 2))
    """
    groups = chain(incidence)
    if groups is not None:
        return tuple(map(tuple, groups))
    reach = closure(incidence)
    component = _components(reach)
    return _levels(_condense(reach, component), component)


def _components(reach: Incidence) -> NDArray[np.int64]:
    """Number the strongly connected components in the order of their first members."""
    together = (reach & reach.T) | np.eye(len(reach), dtype=np.bool_)
    first = together.argmax(axis=1)
    return np.unique(first, return_inverse=True)[1].astype(np.int64)


def _condense(reach: Incidence, component: NDArray[np.int64]) -> Incidence:
    """Return which components are above which."""
    firsts = np.unique(component, return_index=True)[1]
    above = reach[np.ix_(firsts, firsts)].copy()
    np.fill_diagonal(above, False)
    return above


def _compose(first: Incidence, second: Incidence) -> Incidence:
    """Return which pairs are joined through a third."""
    return np.asarray((first.astype(np.float32) @ second.astype(np.float32)) > 0)


def _joined_pairs(
    incidence: Incidence, component: NDArray[np.int64], lines: Incidence
) -> tuple[tuple[int, int], ...]:
    """Return the pairs of the relation whose components are joined by a line."""
    joined = lines[np.ix_(component, component)] & (component[:, None] != component)
    return tuple((int(i), int(j)) for i, j in np.argwhere(incidence & joined))


def _levels(above: Incidence, component: NDArray[np.int64]) -> tuple[tuple[int, ...], ...]:
    """Put every component just below the lowest that is above it."""
    n_above = above.sum(axis=0)
    height = np.zeros(len(above), dtype=np.int64)
    for c in np.argsort(n_above, kind="stable").tolist():  # the relation is transitive
        height[c] = (1 + height[above[:, c]]).max(initial=0)
    of_candidate = height[component]
    return tuple(
        tuple(np.flatnonzero(of_candidate == level).tolist())
        for level in range(int(of_candidate.max()) + 1)
    )
