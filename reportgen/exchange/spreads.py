"""Means with their spreads: in the cells of a table, or in columns beside it.

The spread of a mean is in its cell (82.2 ± 1.6), or in a column whose name says so: `acc_mean,
acc_std`, `mean_acc, std_acc`, or `mean, sd`; in wide tables `lda_mean, lda_sd`.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from reportgen.exchange.roles import Shape, find_roles, numbers_of
from reportgen.exchange.table import RawTable
from reportgen.study.errors import listed
from reportgen.study.schema import MeasureEntry

log = logging.getLogger(__name__)
WORDS: Mapping[str, str] = {
    **dict.fromkeys(("mean", "avg", "average"), "mean"),
    **dict.fromkeys(("std", "sd", "stdev", "stddev", "standard deviation"), "sd"),
    **dict.fromkeys(("se", "sem", "stderr", "standard error"), "se"),
}
"""What a column holds of values, by a word at the end or the beginning of its name."""
_WORD = "|".join(word.replace(" ", r"[\s_.-]?") for word in WORDS)
_LAST = re.compile(rf"(?P<base>.*?)[\s_./(-]+(?P<word>{_WORD})\)?", re.IGNORECASE)
_FIRST = re.compile(rf"(?P<word>{_WORD})[\s_./-]+(?P<base>.+)", re.IGNORECASE)
_ALONE = re.compile(rf"(?P<base>)(?P<word>{_WORD})", re.IGNORECASE)
MEANS_ALONE = (
    "each value of {} is a mean with a spread, which is not used: tests within a data set need the "
    "values of single runs"
)
LARGEST = 0.5  # of the median of means: a column of spreads beside one whose name says nothing


def with_spreads(table: RawTable, shape: Shape, entries: Sequence[MeasureEntry]) -> RawTable:
    """Return a table in which the columns of spreads belong to those of the means.

    A column of means loses the word for them, unless a measure of the user has its name. In a wide
    table all candidates have spreads, or none.
    """
    given = {c for own in table.user_columns.values() for c in ([own] if _is_name(own) else own)}
    given |= {entry.column or entry.name for entry in entries}
    pairs = pairs_of_columns(list(table.columns))
    found = {(base, mean): own for (base, mean), own in pairs.items() if own not in given}
    if not found:
        return table
    names = {
        mean: base
        for base, mean in found
        if base and base not in table.columns and mean not in given
    }
    columns = {names.get(c, c): cells for c, cells in table.columns.items()}
    spreads = {names.get(mean, mean): own for (_, mean), own in found.items()}
    whole = replace(table, columns=columns, spreads=spreads)
    return whole if shape == "tidy" or _are_all(whole, shape) else table


def _is_name(own: str | Sequence[str]) -> bool:
    return isinstance(own, str)


def _are_all(table: RawTable, shape: Shape) -> bool:
    """Whether each candidate of a wide table has a column of spreads, which are small."""
    means = find_roles(table, shape).columns("performance")
    if set(means) - table.spreads.keys():
        return False
    numbers = {c: numbers_of(table, c) for own in table.spreads.items() for c in own}
    return all(
        bool(np.nanmin(numbers[s]) >= 0)
        and bool(np.nanmedian(numbers[s]) <= LARGEST * abs(np.nanmedian(numbers[m])))
        for m, s in table.spreads.items()
        if np.isfinite(numbers[m]).any() and np.isfinite(numbers[s]).any()
    )


def pairs_of_columns(columns: Sequence[str]) -> dict[tuple[str, str], str]:
    """Return the column of spreads by the name of what is measured and the column of its means.

    Examples
    --------
    >>> pairs_of_columns(["model", "acc_mean", "acc_std", "f1", "f1 (SE)"])
    {('acc', 'acc_mean'): 'acc_std', ('f1', 'f1'): 'f1 (SE)'}
    """
    means: dict[str, str] = {}
    spreads: dict[str, list[str]] = {}
    for column in columns:
        base, kind = _parts(column)
        if kind in ("", "mean"):
            means.setdefault(base if kind else column, column)
        else:
            spreads.setdefault(base, []).append(column)
    return {
        (base, means[base]): own[0]
        for base, own in spreads.items()
        if base in means and len(own) == 1
    }


def _parts(column: str) -> tuple[str, str]:
    """Return what is measured, and whether a column has its mean or a spread; "" for neither."""
    for pattern in (_ALONE, _LAST, _FIRST):
        if match := pattern.fullmatch(column.strip()):
            word = re.sub(r"[\s_.-]+", " ", match["word"].lower())
            return match["base"], WORDS.get(word, WORDS.get(word.replace(" ", ""), "sd"))
    return column, ""


def note_means(table: RawTable, frame: pd.DataFrame) -> None:
    """Note that values are means with a spread, of which nothing is tested within a data set.

    `frame`: the performances, tidy, with a column `spread` where a value has one.
    """
    if "spread" not in frame:
        return
    names = list(dict.fromkeys(map(str, frame.loc[frame["spread"].notna(), "measure"])))
    log.warning("%s: %s", table.path, MEANS_ALONE.format(listed(names)))
    table.decided.append(("means-alone", listed(names)))
