"""Strict relations of candidates: their properties, their class, and violations of a class."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass

Incidence = NDArray[np.bool_]
IncidenceRows = tuple[Sequence[int], ...]  # of 0 and 1
MOST_LISTED = 10  # violations

OrderClass = Literal["linear", "weak", "semiorder", "interval", "partial", "none"]

CLASSES: tuple[OrderClass, ...] = ("linear", "weak", "semiorder", "interval", "partial")
"""Classes of strict orders; each is contained in the next."""


@dataclass(frozen=True, slots=True)
class Violations:
    """The places where a property does not hold."""

    n: int  # number of all such tuples
    first: tuple[tuple[int, ...], ...]  # the first of them, in lexicographic order

    def __bool__(self) -> bool:
        return self.n > 0


NONE = Violations(0, ())


def as_relation(incidence: NDArray[np.generic]) -> Incidence:
    """Check that a matrix is a strict relation.

    `incidence`: (K, K); ``incidence[i, j]`` is true, or 1, when i is better than j.
    Result: (K, K).
    Raises ValueError if the matrix is not square, or has something better than itself.
    """
    matrix = np.asarray(incidence).astype(np.bool_)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise ValueError(f"an incidence must have shape (K, K) with K >= 1, got {matrix.shape}")
    if matrix.diagonal().any():
        raise ValueError("a strict relation is irreflexive: nothing is better than itself")
    return matrix


def incidence_rows(incidence: Incidence) -> IncidenceRows:
    """Return the rows of an incidence as sequences of 0 and 1, in a byte a number.

    `incidence`: (K, K).

    Examples
    --------
    >>> rows = incidence_rows(np.array([[False, True], [False, False]]))
    >>> [*map(list, rows)], as_incidence(rows).tolist()
    ([[0, 1], [0, 0]], [[False, True], [False, False]])
    """
    return tuple(array("b", row.tobytes()) for row in np.ascontiguousarray(incidence, np.int8))


def as_incidence(rows: IncidenceRows) -> Incidence:
    """Return an incidence as an array; by bytes, as numpy takes ten times as long for tuples.

    Result: (K, K).
    """
    one = np.frombuffer(b"".join(map(bytes, rows)), dtype=np.uint8)
    return one.reshape(len(rows), len(rows)).astype(np.bool_)


def unbeaten(incidence: Incidence) -> list[int]:
    """Return the candidates that no other is better than.

    `incidence`: (K, K); ``incidence[i, j]`` is true when i is better than j.

    Examples
    --------
    >>> unbeaten(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool))
    [0, 1]
    """
    return [int(i) for i in np.flatnonzero(~incidence.any(axis=0))]


def chain(incidence: Incidence) -> list[list[int]] | None:
    """Return the classes of a strict weak order, best first.

    `incidence`: (K, K); a strict relation; ``incidence[i, j]`` is true when i is better than j.
    Result: None when the relation is no weak order: neither better nor worse is then not
    transitive.

    Examples
    --------
    >>> chain(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool))
    [[0, 1], [2]]
    >>> chain(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)) is None
    True
    """
    n_better = incidence.sum(axis=0)
    if not (incidence == (n_better[:, None] < n_better)).all():
        return None
    classes: dict[int, list[int]] = {}
    for i, n in enumerate(n_better.tolist()):
        classes.setdefault(n, []).append(i)
    return [classes[n] for n in sorted(classes)]


def of_statistic(
    values: NDArray[np.float64], is_smaller_better: bool = True, epsilon: float = 0.0
) -> Incidence:
    """Return who has the better statistic, by more than epsilon.

    `values`: (K,); not a number where there is none: such a candidate is neither better nor worse
    than any.
    `epsilon`: not negative. With epsilon = 0 the relation is a weak order, else a semiorder: being
    tied is then not transitive.
    Raises ValueError if epsilon is negative.

    Examples
    --------
    >>> of_statistic(np.array([1.0, 1.4, 1.8]), epsilon=0.5).astype(int)
    array([[0, 0, 1],
           [0, 0, 0],
           [0, 0, 0]])
    """
    if epsilon < 0:
        raise ValueError(f"epsilon must not be negative, got {epsilon}")
    signed = np.asarray(values, dtype=np.float64) * (1.0 if is_smaller_better else -1.0)
    with np.errstate(invalid="ignore"):
        return np.asarray(signed[None, :] - signed[:, None] > epsilon)


def of_intervals(
    lower: NDArray[np.float64], upper: NDArray[np.float64], is_smaller_better: bool = True
) -> Incidence:
    """Return whose interval lies wholly on the better side of whose: an interval order.

    `lower`, `upper`: (K,).
    """
    if is_smaller_better:
        return np.asarray(upper[:, None] < lower[None, :])
    return np.asarray(lower[:, None] > upper[None, :])


def of_pairs(n: int, better: NDArray[np.int64] | list[tuple[int, int]]) -> Incidence:
    """Return the relation that holds for some pairs (better, worse).

    Raises ValueError if a pair is given both ways, or with itself.
    """
    incidence = np.zeros((n, n), dtype=np.bool_)
    pairs = np.asarray(better, dtype=np.int64).reshape(-1, 2)
    incidence[pairs[:, 0], pairs[:, 1]] = True
    if (incidence & incidence.T).any():
        raise ValueError("a pair cannot be better both ways")
    return as_relation(incidence)


def order_class(incidence: Incidence) -> OrderClass:
    """Return the narrowest class of orders that a relation belongs to.

    Examples
    --------
    >>> order_class(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool))
    'weak'
    >>> order_class(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=bool))
    'none'
    """
    groups = chain(incidence)
    if groups is not None:
        return "linear" if len(groups) == len(incidence) else "weak"
    if asymmetry(incidence) or intransitivity(incidence):
        return "none"
    if not _is_nested(incidence):
        return "partial"
    return "interval" if _has_three_plus_one(incidence) else "semiorder"


def _is_nested(incidence: Incidence) -> bool:
    """Whether of the sets of those who are better one holds the other: an interval order."""
    columns = incidence[:, np.argsort(incidence.sum(axis=0))]
    return not (columns[:, :-1] & ~columns[:, 1:]).any()


def _has_three_plus_one(incidence: Incidence) -> bool:
    """Whether a transitive relation has such a pattern, by counts of the candidates between."""
    better, not_better = incidence.astype(np.float64), (~incidence).astype(np.float64)
    return bool(((better @ better > 0) & (not_better @ not_better > 0)).any())


def belongs_to(incidence: Incidence, wanted: OrderClass) -> bool:
    """Whether a relation belongs to a class."""
    found = order_class(incidence)
    return found != "none" and CLASSES.index(found) <= CLASSES.index(wanted)


def asymmetry(incidence: Incidence) -> Violations:
    """Find pairs (i, j), i < j, of which each is better than the other."""
    return _listed(np.triu(incidence & incidence.T))


def incomparability(incidence: Incidence) -> Violations:
    """Find pairs (i, j), i < j, neither of which is better: the relation is not complete."""
    return _listed(np.triu(~(incidence | incidence.T), k=1))


def intransitivity(incidence: Incidence, most: int = MOST_LISTED) -> Violations:
    """Find triples (i, j, k): i better than j, j better than k, i not better than k."""
    return _triples(incidence, incidence, ~incidence, most) if chain(incidence) is None else NONE


def negative_intransitivity(incidence: Incidence, most: int = MOST_LISTED) -> Violations:
    """Find triples (i, j, k): i better than k, yet neither i than j nor j than k.

    In a strict partial order without such a triple, being not distinguished is
    transitive, and the relation is a weak order.
    """
    return _triples(~incidence, ~incidence, incidence, most) if chain(incidence) is None else NONE


def distance(first: Incidence, second: Incidence) -> int:
    """Return the symmetric difference distance: ordered pairs in exactly one of the two.

    A pair that is reversed costs 2, a tie against a strict pair 1 (Kemeny
    and Snell 1962).
    """
    return int((first != second).sum())


def closure(incidence: Incidence) -> Incidence:
    """Return the smallest transitive relation that contains a relation.

    Its diagonal is true for what lies on a cycle.
    """
    reach = incidence.copy()
    while True:  # paths twice as long each time
        steps = reach.astype(np.float32)
        further = reach | (steps @ steps > 0)
        if np.array_equal(further, reach):
            return reach
        reach = further


def _triples(first: Incidence, second: Incidence, outer: Incidence, most: int) -> Violations:
    """Count triples (i, j, k) with (i, j) in one, (j, k) in another, (i, k) in a third relation."""
    n_between = first.astype(np.float64) @ second.astype(np.float64)
    counts = (n_between * outer).sum(axis=1)  # whole numbers: exact
    found: list[tuple[int, ...]] = []
    for i in np.flatnonzero(counts).tolist():
        rows = np.argwhere(first[i, :, None] & second & outer[i])
        found += [(i, *row) for row in _tuples(rows[: most - len(found)])]
        if len(found) == most:
            break
    return Violations(int(counts.sum()), tuple(found))


def _listed(holds: NDArray[np.bool_]) -> Violations:
    """Count true cells, and list the first of them."""
    return Violations(
        int(np.count_nonzero(holds)), tuple(_tuples(np.argwhere(holds)[:MOST_LISTED]))
    )


def _tuples(rows: NDArray[np.int64]) -> Iterator[tuple[int, ...]]:
    for row in rows:
        yield tuple(int(i) for i in row)
