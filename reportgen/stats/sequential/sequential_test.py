"""Sequential tests of all pairs: their values, rows of replications in order, and their result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Better
from reportgen.stats.arguments import (
    Names,
    check_count,
    is_smaller_better,
    matrix_of,
    refuse,
)
from reportgen.stats.arrays import Array
from reportgen.stats.decisions import Decision
from reportgen.stats.frame import Columns, Tabular, count

FEWEST = 2  # replications of a test


@dataclass(frozen=True, slots=True, repr=False)
class SequentialTest(Tabular):
    """Decisions of a sequential procedure on all pairs.

    Attributes
    ----------
    method : str
    alpha : float
        Family-wise error probability at all looks together.
    candidates : tuple of str
    first, second : ndarray of shape (P,), int
        Places of the two in `candidates`.
    n : ndarray of shape (P,), int
        Replications that have both.
    estimate : ndarray of shape (P,)
        Mean of first - second over these.
    decision : tuple of str
        "better" or "worse" (the first than the second), "equivalent" or "undecided".
    decided_at : ndarray of shape (P,)
        Replications after which the pair was settled; NaN where it is not.
    extra : mapping of str to ndarray of shape (P,)
        Further columns of the procedure.
    details : mapping of str to object
        What else it has, such as boundaries.
    """

    method: str
    alpha: float
    candidates: tuple[str, ...]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    n: NDArray[np.intp]
    estimate: Array
    decision: tuple[Decision, ...]
    decided_at: Array
    extra: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_columns(self) -> Columns:
        """Return the columns of the pairs.

        Returns
        -------
        dict
            `first`, `second` (names), `n`, `estimate`, `decision`, `decided_at`, and those of
            `extra`.
        """
        names = np.array(self.candidates, dtype=object)
        return {
            "first": names[self.first],
            "second": names[self.second],
            "n": self.n,
            "estimate": self.estimate,
            "decision": self.decision,
            "decided_at": self.decided_at,
            **self.extra,
        }

    def _heading(self) -> str:
        return f"{self.method}, {count(len(self.first), 'pair')}, alpha = {self.alpha:g}"


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs of checked values (B, K)."""

    values: Array
    candidates: tuple[str, ...]
    is_smaller_better: bool

    @property
    def places(self) -> tuple[tuple[int, int], ...]:
        """The columns of each pair, first and second."""
        return tuple(combinations(range(len(self.candidates)), 2))

    @property
    def differences(self) -> tuple[Array, ...]:
        """First - second of each pair, NaN where one has no value."""
        return tuple(self.values[:, i] - self.values[:, j] for i, j in self.places)

    def decision(self, sign: float) -> Decision:
        """Return who is better by the sign of first - second."""
        return "better" if (sign < 0) == self.is_smaller_better else "worse"

    def result(
        self,
        method: str,
        alpha: float,
        found: Iterable[tuple[Decision, float | None]],
        extra: Mapping[str, NDArray[Any]] | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> SequentialTest:
        """Put a result together from the decision on each pair and when it was made."""
        first, second = np.array(self.places, dtype=np.intp).T
        decisions, ends = zip(*found, strict=True)
        there = [d[np.isfinite(d)] for d in self.differences]
        return SequentialTest(
            method,
            alpha,
            self.candidates,
            first,
            second,
            np.array([len(d) for d in there], dtype=np.intp),
            np.array([d.mean() if len(d) else np.nan for d in there]),
            decisions,
            np.array([np.nan if end is None else end for end in ends], dtype=np.float64),
            extra or {},
            details or {},
        )


def pairs_of(values: ArrayLike, names: Names, better: Better) -> Pairs:
    """Check what all procedures have in common."""
    smaller = is_smaller_better(better)
    matrix, candidates = matrix_of(values, names, has_gaps=True, fewest=FEWEST)
    return Pairs(matrix, candidates, smaller)


def stage_ends(n_replications: int, size: int) -> tuple[int, ...]:
    """Return how many replications there are at the end of each stage.

    The last may be short; a single replication, which has no variance, belongs to the one before.

    >>> stage_ends(211, 50), stage_ends(101, 50)
    ((50, 100, 150, 200, 211), (50, 101))
    """
    return (*range(size, n_replications - (size > 1), size), n_replications)


def stages_there(
    n_replications: int, size: int, most: int | None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the replications at the ends of the stages there are, and of those planned."""
    check_count("stage", size, FEWEST)
    if most is not None:
        check_count("most", most, n_replications)
    planned = stage_ends(most or n_replications, size)
    ends = tuple(end for end in planned if end <= n_replications)
    if not ends:
        raise refuse("values", f"{n_replications} rows", f"at least {planned[0]}, a stage")
    return ends, planned
