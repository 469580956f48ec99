"""How much work a consensus may take, counted so that every machine ends at the same point."""

from __future__ import annotations

PROGRAM = 5  # what a linear program costs before its first step
STEPS = 8  # steps of the simplex method that cost 1
PAIRS = 20_000  # triples of candidates looked at that cost 1


class Work:
    """A count of work; 1 is about a millisecond on a machine of 2025.

    Parameters
    ----------
    most : int
        When so much is done, searches are given up.

    Examples
    --------
    >>> work = Work(most=10)
    >>> work.add_program(n_steps=80)
    >>> work.done, work.is_done
    (15, True)
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.done = 0

    @property
    def is_done(self) -> bool:
        """Whether as much was done as may be."""
        return self.done >= self.most

    def add_program(self, n_steps: int) -> None:
        """Count a linear program."""
        self.done += PROGRAM + n_steps // STEPS

    def add_node(self, n: int) -> None:
        """Count a look at n candidates."""
        self.done += 1 + n**3 // PAIRS
