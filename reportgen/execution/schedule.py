"""The order of work: what takes longest comes first, so that no core waits at the end."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping

from reportgen.execution.replication import Cell

Pair = tuple[str, str]
"""Data set and candidate."""


class Schedule:
    """Hands out cells, each time one of the data set and candidate that take longest.

    What is not known yet is learnt: one cell of each pair whose time nobody
    knows comes before all others, the largest data sets first.

    Parameters
    ----------
    cells : iterable of Cell
        In any order; those of a pair keep theirs.
    seconds : mapping of (dataset, candidate) to float
        Times that are known.
    sizes : mapping of str to float
        Anything that grows with the work that a data set makes.
    """

    def __init__(
        self, cells: Iterable[Cell], seconds: Mapping[Pair, float], sizes: Mapping[str, float]
    ) -> None:
        self._queues: dict[Pair, deque[Cell]] = {}
        for cell in cells:
            self._queues.setdefault((cell.dataset, cell.candidate), deque()).append(cell)
        self._sizes = sizes
        self._seconds = {pair: s for pair, s in seconds.items() if pair in self._queues}
        self._untried = deque(self._largest_first(p for p in self._queues if p not in seconds))
        self._order = self._longest_first()

    def __iter__(self) -> Iterator[Cell]:
        """Yield every cell once; what is learnt meanwhile changes what comes next."""
        while self._queues:
            pair = self._untried.popleft() if self._untried else self._order[0]
            queue = self._queues[pair]
            yield queue.popleft()
            if not queue:
                del self._queues[pair]
                self._order = [other for other in self._order if other != pair]

    def learn(self, cell: Cell, seconds: float) -> None:
        """Take down how long a cell took; the first time of a pair counts."""
        pair = (cell.dataset, cell.candidate)
        if pair in self._queues and pair not in self._seconds:
            self._seconds[pair] = seconds
            self._order = self._longest_first()

    def _longest_first(self) -> list[Pair]:
        """Order the pairs: those that are being tried for the first time come last."""
        known = sorted(
            (p for p in self._queues if p in self._seconds), key=lambda p: -self._seconds[p]
        )
        return [*known, *self._largest_first(p for p in self._queues if p not in self._seconds)]

    def _largest_first(self, pairs: Iterable[Pair]) -> list[Pair]:
        return sorted(pairs, key=lambda pair: -self._sizes.get(pair[0], 0.0))
