"""Cells that hold a number and something beside it: a sign of per cent, or a spread.

Tables of papers have `93.3%`, `82.2 ± 1.6`, `93.3 (0.5)` and `0.93 (3)`, whose last digit is
uncertain by 3; items are marked True, CORRECT, pass or C.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.data_classes import dataclass

_UNSIGNED = r"(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?"
_PLUS_MINUS = r"(?:±|\+/-|\+-)"
_SIGN = r"\s*(?:%\s*)?"
_BOUND = rf"[+-]?{_UNSIGNED}{_SIGN}"
_INTERVAL = (
    rf"[(\[]\s*(?:95\s*%\s*(?:[Cc][Ii])?\s*[:,;]?\s*)?(?P<low>{_BOUND}?)"
    rf"(?:[-–—,;]|to)\s*(?P<high>{_BOUND})[)\]]"
)
CELL = (
    rf"^\s*(?P<mean>[+-]?{_UNSIGNED}){_SIGN}"
    rf"(?:{_INTERVAL}\s*|(?:{_PLUS_MINUS}\s*(?P<after>{_UNSIGNED})"
    rf"|\((?P<signed>{_PLUS_MINUS}\s*)?(?P<inside>{_UNSIGNED}){_SIGN}\)){_SIGN})?$"
)
"""Of a number and, after it, a spread or an interval; as re and RE2 understand it."""
SpreadKind = Literal["sd", "se"]
"""A standard deviation of values, or a standard error of their mean."""
GRADES: Mapping[str, float] = {
    "C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "correct": 1.0, "incorrect": 0.0,
    "yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0,
}  # fmt: skip
"""What scores of text count in Inspect's accuracy: letters as they stand, words in any case."""
MARKS: Mapping[str, float] = {
    **GRADES,
    "T": 1.0,
    "F": 0.0,
    **dict.fromkeys(("pass", "passed", "right", "success", "resolved", "solved"), 1.0),
    **dict.fromkeys(("fail", "failed", "wrong", "failure", "unresolved", "unsolved"), 0.0),
}
"""Likewise, with those of other programs."""

BESIDE = ("spread", "n_values", "is_per_cent")
"""Columns of a frame of performances while it is read: what stands beside numbers."""
LONGEST_CELL = 200  # characters; what is longer is no number
_CELL = re.compile(CELL)


@dataclass(frozen=True, slots=True)
class Cells:
    """The numbers of a column, and what stands beside them."""

    values: NDArray[np.float64]  # (n,); NaN where there is none
    # spreads, n_values: (n,); None where no cell has one. Standard deviations where both are there.
    spreads: NDArray[np.float64] | None = None
    n_values: NDArray[np.float64] | None = None
    is_per_cent: NDArray[np.bool_] | None = None  # (n,); None where no cell has the sign

    def columns(self, rows: NDArray[np.int64] | None = None) -> dict[str, NDArray[Any]]:
        """Return them as columns of a frame: value and, where there are any, those of `BESIDE`.

        `rows`: which are wanted; all of them when None.
        """
        own = (self.values, self.spreads, self.n_values, self.is_per_cent)
        found = zip(("value", *BESIDE), own, strict=True)
        return {n: x if rows is None else x[rows] for n, x in found if x is not None}


@dataclass(frozen=True, slots=True)
class Beside:
    """The columns beside one of means."""

    spread: str
    kind: SpreadKind
    n_values: str | None = None  # of the numbers of values


def read_cell(text: str) -> tuple[float, float, bool] | None:
    """Return the number of a cell, its spread, and whether it is in per cent.

    A whole number in brackets after one with decimals counts its last digit.
    Result: the spread is NaN where there is none; None for another text.

    Examples
    --------
    >>> read_cell("82.2 ± 1.6"), read_cell("93.3(0.5)"), read_cell("93.3 %")
    ((82.2, 1.6, False), (93.3, 0.5, False), (93.3, nan, True))
    >>> read_cell("0.93 (3)"), read_cell("93 (3)"), read_cell("0.93 (x)")
    ((0.93, 0.03, False), (93.0, 3.0, False), None)
    >>> read_cell("0,5") is None
    True
    >>> read_cell("0.70 (0.67-0.73)"), read_cell("0.70 (0.1-0.2)")
    ((0.7, nan, False), None)
    """
    match = _CELL.match(text) if len(text) <= LONGEST_CELL else None
    if match is None:
        return None
    if match["high"]:
        return _within(match["mean"], match["low"], match["high"], is_per_cent="%" in text)
    if "," in text:  # the table says what its commas are
        return None
    mean, inside = match["mean"], match["inside"]
    spread = float(match["after"] or inside or "nan")
    if inside and inside.isdigit() and not match["signed"] and "e" not in mean.lower():
        spread = float(f"{inside}e-{len(mean.partition('.')[2])}")
    return float(mean), spread, "%" in text


def has_interval(text: str | None) -> bool:
    """Whether a cell has an interval behind its number, as of 95% confidence.

    Examples
    --------
    >>> has_interval("0.70 [0.67, 0.73]"), has_interval("0.70 (3)")
    (True, False)
    """
    match = _CELL.match(text) if text and len(text) <= LONGEST_CELL else None
    return match is not None and match["high"] is not None


def _within(
    mean: str, low: str, high: str, *, is_per_cent: bool
) -> tuple[float, float, bool] | None:
    """Return a number that is in its interval, as `read_cell` does; None for another one."""
    try:
        value, least, most = (float(x.strip(" %")) for x in (mean, low, high))
    except ValueError:  # decimal commas
        return None
    return (value, float("nan"), is_per_cent) if least <= value <= most else None


def read_cells(texts: Sequence[str | None]) -> Cells | int:
    """Return the numbers of cells and what stands beside them, or the first cell that has none.

    `texts`: with decimal points; None where a number is missing.
    """
    codes, levels = pd.factorize(np.array(texts, object))
    found: list[tuple[float, float, bool]] = []
    for code, text in enumerate(levels):
        cell = read_cell(text)
        if cell is None:
            return int(np.argmax(codes == code))
        found.append(cell)
    found.append((np.nan, np.nan, False))  # code -1
    values, spreads, signs = (np.array(own)[codes] for own in zip(*found, strict=True))
    return Cells(
        values,
        spreads if np.isfinite(spreads).any() else None,
        is_per_cent=signs if signs.any() else None,
    )


def mark_of(text: str) -> float | None:
    """Return what a word for right or wrong counts; None for another word.

    Examples
    --------
    >>> [mark_of(word) for word in ("True", "INCORRECT", "C", "c", "pass")]
    [1.0, 0.0, 1.0, None, 1.0]
    """
    return MARKS.get(text) if len(text) == 1 else MARKS.get(text.lower())
