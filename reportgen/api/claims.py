"""Claims that are asked from Python, as a test asserts them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reportgen.data_classes import dataclass
from reportgen.sections.expectations.result import ClaimTest, ExpectationsResult

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("claim", "outcome", "reason", "measure", "dataset", "first", "second", "scale"),
    *("estimate", "lower", "upper", "target"),
)


@dataclass(frozen=True, slots=True, repr=False)
class Checks(Sequence[ClaimTest]):
    """Claims and their outcomes; true where all hold.

    Attributes
    ----------
    result : ExpectationsResult
        With the family that the intervals hold in.
    """

    result: ExpectationsResult

    @property
    def items(self) -> tuple[ClaimTest, ...]:
        """The claims."""
        return self.result.gates

    def __len__(self) -> int:
        """Return the number of claims."""
        return len(self.items)

    def __getitem__(self, place: Any) -> Any:
        """Return a claim, or some."""
        return self.items[place]

    def __bool__(self) -> bool:
        """Whether all claims hold."""
        return all(self.items)

    @property
    def is_failed(self) -> bool:
        """Whether a job ends by a claim that fails, or is undecided where that is asked for."""
        return self.result.is_failed

    def __repr__(self) -> str:
        """Write a line a claim, as an assertion that fails shows it."""
        from reportgen.gates import lines_of

        return "\n".join(lines_of(self.result))

    def __str__(self) -> str:
        """Write a line a claim, and how many have which outcome, as the verb `gate` does."""
        from reportgen.gates import summary_of

        return f"{self!r}\n{summary_of(self.result)}"

    def to_frame(self) -> pd.DataFrame:
        """Return a row a claim.

        Columns are claim, outcome, reason, measure and dataset; first, second, scale, estimate,
        lower, upper and target of the contrast that the outcome rests on; and of the family level,
        that of all intervals together, n_contrasts and n_stages.
        """
        from reportgen.api.frames import records

        family = self.result.family
        of_family = (1 - family.alpha, family.n_contrasts, family.n_stages)
        rows = [[*(getattr(item, name) for name in COLUMNS), *of_family] for item in self.items]
        return records(rows, (*COLUMNS, "level", "n_contrasts", "n_stages"))
