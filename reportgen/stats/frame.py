"""Results as tables: columns, a data frame, and a few rows to look at.

Statistics know arrays only; `Tabular.to_frame` is the one place that imports pandas, when it is
called, and the contract of the layers names it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Columns = Mapping[str, Sequence[Any] | NDArray[Any]]

MOST_ROWS = 10  # that are written where a result is looked at
DIGITS = 4


class Tabular(ABC):
    """A result that can be read as a table."""

    __slots__ = ()

    @abstractmethod
    def to_columns(self) -> Columns:
        """Return the columns by name, all of the same length."""

    def to_frame(self) -> pd.DataFrame:
        """Return the columns of `to_columns` as a data frame of pandas."""
        import pandas as pd

        return pd.DataFrame({name: [*column] for name, column in self.to_columns().items()})

    def __repr__(self) -> str:
        """Write the heading and the first rows."""
        return f"{type(self).__name__}: {self._heading()}\n{text_table(self._outline())}"

    def _heading(self) -> str:
        """Say what the table is of."""
        return count(len(next(iter(self.to_columns().values()))), "row")

    def _outline(self) -> Columns:
        """Return the columns that are worth a look: all, unless there are many."""
        return self.to_columns()


class PairRows(ABC):
    """Rows that compare two candidates each, held by column: results list them as rows."""

    __slots__ = ()

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of rows."""

    @abstractmethod
    def columns(self) -> dict[str, list[Any]]:
        """Return the columns as lists of data of JSON, None where a number is missing."""

    @abstractmethod
    def arrays(self) -> dict[str, Any]:
        """Return the columns as arrays, NaN where a number is missing."""


def count(n: int, noun: str) -> str:
    """Write a number of things.

    Examples
    --------
    >>> count(1, "pair"), count(3, "pair")
    ('1 pair', '3 pairs')
    """
    return f"{n} {noun}{'s' * (n != 1)}"


def text_table(columns: Columns) -> str:
    """Write the first rows of a table as text.

    Examples
    --------
    >>> print(text_table({"candidate": ["lda", "svm"], "mean": [0.125, 0.25]}))
    candidate   mean
    lda        0.125
    svm         0.25
    """
    n_rows = max(map(len, columns.values()), default=0)
    blocks = [
        _aligned(name, [_cell(x) for x in islice(column, MOST_ROWS)], _is_text(column))
        for name, column in columns.items()
    ]
    lines = ["  ".join(row).rstrip() for row in zip(*blocks, strict=True)]
    rest = n_rows - MOST_ROWS
    return "\n".join([*lines, *([f"... and {rest} more"] if rest > 0 else [])])


def _aligned(name: str, cells: list[str], is_text: bool) -> list[str]:
    """Bring a column to one width, text to the left and numbers to the right."""
    width = max(map(len, (name, *cells)))
    return [cell.ljust(width) if is_text else cell.rjust(width) for cell in (name, *cells)]


def _is_text(column: Sequence[Any] | NDArray[Any]) -> bool:
    return any(isinstance(x, str) for x in islice(column, 1))


def _cell(value: Any) -> str:
    """Write a number with a few digits; a name that would break its line as Python does."""
    if isinstance(value, float | np.floating):
        return f"{value:.{DIGITS}g}"
    text = str(value)
    return text if text.isprintable() else repr(text)
