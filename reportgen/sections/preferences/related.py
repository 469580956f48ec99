"""What a relation must have to be drawn."""

from __future__ import annotations

from typing import Protocol


class Related(Protocol):
    """A relation that can be drawn: a preference, or what else has its parts."""

    @property
    def present(self) -> tuple[str, ...]:
        """Candidates that it speaks of."""

    @property
    def absent(self) -> tuple[str, ...]:
        """Candidates that it does not."""

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """Rows of the diagram, best first."""

    @property
    def covers(self) -> tuple[tuple[str, str], ...]:
        """Lines, the better candidate first."""

    @property
    def implied(self) -> tuple[tuple[str, str], ...]:
        """Dashed lines."""

    def is_better(self, first: str, second: str) -> bool:
        """Whether one candidate is better than another."""
