"""The pairs of a relation by name, held as its incidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.stats.relations.relations import Incidence


@dataclass(frozen=True, slots=True, eq=False)
class NamedPairs(Sequence[tuple[str, str]]):
    """Who is put before whom: a sequence of pairs of names that takes a byte a pair.

    `names`: of length K.
    `incidence`: (K, K); `[i, j]` is true where i is put before j.

    Examples
    --------
    >>> pairs = NamedPairs(("a", "b", "c"), np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], bool))
    >>> len(pairs), tuple(pairs), pairs[-1]
    (2, (('a', 'b'), ('a', 'c')), ('a', 'c'))
    """

    names: tuple[str, ...]
    incidence: Incidence

    def __len__(self) -> int:
        """Return the number of pairs."""
        return int(np.count_nonzero(self.incidence))

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Go through the pairs, by the first and then by the second."""
        names = self.names
        return ((names[i], names[j]) for i, j in np.argwhere(self.incidence).tolist())

    @overload
    def __getitem__(self, place: int) -> tuple[str, str]: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[tuple[str, str], ...]: ...
    def __getitem__(self, place: int | slice) -> tuple[str, str] | tuple[tuple[str, str], ...]:
        """Return a pair, or some."""
        return tuple(self)[place]

    def __eq__(self, other: object) -> bool:
        """Whether all pairs are the same."""
        return isinstance(other, NamedPairs) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        """Return a number that equal ones share."""
        return hash(tuple(self))

    def n_changed(self, other: NamedPairs) -> int:
        """Return how many pairs of candidates another relation of the same orders otherwise."""
        differs = self.incidence ^ other.incidence
        return int(np.count_nonzero(np.triu(differs | differs.T)))
