"""Means with their spreads: in the cells of a table, or in columns beside it.

The spread of a mean is in its cell (82.2 ± 1.6), or in a column whose name says so: `acc_mean,
acc_std`, `mean_acc, std_acc`, or `mean, sd`; in wide tables `lda_mean, lda_sd`.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from reportgen.exchange.cells import Beside, SpreadKind
from reportgen.exchange.roles import Shape, find_roles
from reportgen.exchange.table import (
    IGNORED,
    N_VALUES,
    RawTable,
    cells_of,
    numbers_of,
    plain_name,
)
from reportgen.notation import whole_range
from reportgen.study.errors import listed, shown
from reportgen.study.schema import MeasureEntry

log = logging.getLogger(__name__)
Kind = Literal["mean", "sd", "se", "n"]
WORDS: Mapping[str, Kind] = {
    **dict.fromkeys(("mean", "avg", "average"), "mean"),
    **dict.fromkeys(("std", "sd", "stdev", "stddev", "standard deviation"), "sd"),
    **dict.fromkeys(("se", "sem", "stderr", "standard error"), "se"),
    **dict.fromkeys(("n", "count", "n values", "n runs", "n seeds", "runs", "seeds"), "n"),
}
"""What a column holds of values, by a word at the end or the beginning of its name."""
_JOINED = {word.replace(" ", ""): kind for word, kind in WORDS.items()}
_WORD = "|".join(word.replace(" ", r"[\s_.-]?") for word in WORDS)
_ALONE = re.compile(rf"(?P<base>)(?P<word>{_WORD})", re.IGNORECASE)
_LAST = re.compile(rf"(?P<base>.*?)[\s_./(-]+(?P<word>{_WORD})\)?", re.IGNORECASE)
_FIRST = re.compile(rf"(?P<word>{_WORD})[\s_./-]+(?P<base>.+)", re.IGNORECASE)
_REPEATED = re.compile(r"(std|sd|stdev|stddev|se|sem|stderr|\u00b1|\+/-)(?:\.\d+)?", re.IGNORECASE)
MEANS_ALONE = (
    "each value of {} is a mean with a spread, which is not used: tests within a data set need the "
    "values of single runs, or what the spread is and of how many values"
)
KINDS = {"sd": "standard deviations", "se": "standard errors"}
VALUE = "value"  # the column of a tidy table, beside sd and n
_RANKED = re.compile(r"[^()±]*[0-9][^()±]*\(\s*(?P<rank>[0-9]{1,4})\s*\)\s*")
FEWEST_RANKED = 3  # candidates and data sets: fewer numbers are ranks by chance
LARGEST = 0.5  # of the median of means: a column of spreads beside one whose name says nothing
MOST_VALUES = 100  # of a mean, in a column n that may count the observations of a data set


def with_spreads(table: RawTable, shape: Shape, entries: Sequence[MeasureEntry]) -> RawTable:
    """Return a table in which the columns of spreads belong to those of the means.

    A column of means loses the word for them, unless a measure of the user has its name.
    Raises ExchangeError if a column of a wide table may have spreads or be a candidate, or a column
    n may count values, or the observations of data sets.
    """
    table = _with_named_spreads(table)
    given = {c for own in table.user_columns.values() for c in ([own] if _is_name(own) else own)}
    given |= {entry.written for entry in entries}
    ignored = table.user_columns.get(IGNORED, ())
    others = [c for c in table.columns if c not in ([ignored] if _is_name(ignored) else ignored)]
    if not any(_parts(c)[1] in KINDS for c in others):
        return table
    numeric = [c for c in others if table.is_numeric(c)]
    if shape != "tidy":
        numeric = [c for c in numeric if not _is_no_spread(table, c, others)]
    pairs = columns_beside(numeric)
    found = {key: own for key, own in pairs.items() if own.spread not in given}
    names = {
        mean: base
        for base, mean in found
        if base and base not in table.columns and mean not in given
    }
    columns = {names.get(c, c): cells for c, cells in table.columns.items()}
    spreads = {names.get(mean, mean): own for (_, mean), own in found.items()}
    if N_VALUES in table.user_columns or table.n_values is not None:
        spreads = {mean: replace(own, n_values=None) for mean, own in spreads.items()}
    whole = replace(table, columns=columns, spreads=spreads)
    if shape != "tidy" and _is_name(table.user_columns.get("candidate", "")):
        every = {own.spread for own in spreads.values()}
        sure = {own.spread for (_, mean), own in found.items() if _parts(mean)[1] == "mean"}
        if sure == every or _are_all(whole, shape, sure):
            sure = every
        _check_spreads(table, shape, [c for c in numeric if c not in sure | given])
    for own in spreads.values():
        if own.n_values and own.n_values.lower() == "n":
            _check_number(table, own.n_values)
    return whole


def _with_named_spreads(table: RawTable) -> RawTable:
    """Return a table in which columns such as RF, sd, SVM, sd.1 are RF, RF sd, SVM, SVM sd."""
    # These are names that a header has more than once, which pandas numbers.
    columns = [c for c in table.columns if table.is_numeric(c)]
    places = [i for i, c in enumerate(columns) if _REPEATED.fullmatch(c)]
    is_behind = all(i > 0 and i - 1 not in places for i in places)
    words = {_REPEATED.sub(r"\1", columns[i]).lower() for i in places}
    if len(places) < 2 or not is_behind or len(words) > 1:
        return table
    word = words.pop().replace("\u00b1", "sd").replace("+/-", "sd")
    names = {columns[i]: f"{columns[i - 1]} {word}" for i in places}
    return replace(table, columns={names.get(c, c): cells for c, cells in table.columns.items()})


def _is_name(own: str | Sequence[str]) -> bool:
    return isinstance(own, str)


def _check_number(table: RawTable, column: str) -> None:
    """Ask what a column n counts, where it may be observations."""
    numbers = numbers_of(table, column)
    if np.nanmax(numbers, initial=0) > MOST_VALUES:
        raise table.error(
            f"numbers up to {np.nanmax(numbers):g}, which may count the values of each mean or the "
            "observations of each data set",
            f"{table.key('columns', {N_VALUES: column})} where they are values, "
            f"{table.key('columns', {'ignore': column}, is_alone=False)} where not",
            column=column,
        )


def _is_no_spread(table: RawTable, column: str, others: Sequence[str]) -> bool:
    """Whether a column of a wide table is no spread: it sums up candidates, or is below 0."""
    base, kind = _parts(column)
    is_summary = not base and kind != "n"
    has_less = kind in KINDS and base in others and bool((numbers_of(table, column) < 0).any())
    return is_summary or has_less


def _are_all(table: RawTable, shape: Shape, sure: Collection[str]) -> bool:
    """Whether each candidate of a wide table has a column of spreads, which are sure or small."""
    means = find_roles(table, shape).columns("performance")
    if set(means) - table.spreads.keys():
        return False
    own = {m: s.spread for m, s in table.spreads.items() if s.spread not in sure}
    pairs = [(numbers_of(table, mean), numbers_of(table, spread)) for mean, spread in own.items()]
    return all(
        bool(np.nanmedian(spread) <= LARGEST * abs(np.nanmedian(mean)))
        for mean, spread in pairs
        if np.isfinite(mean).any() and np.isfinite(spread).any()
    )


def _check_spreads(table: RawTable, shape: Shape, columns: Sequence[str]) -> None:
    """Ask what a column is that would be a candidate, and has the name of another one's spreads."""
    means = {_parts(c)[0]: c for c in table.columns if _parts(c)[1] in (None, "mean")}
    odd = [c for c in columns if _parts(c)[1] in KINDS and _parts(c)[0] in means]
    performances = find_roles(table, shape).columns("performance") if odd else ()
    for column in (c for c in odd if c in performances):
        base, kind = _parts(column)
        of, way = "data set", table.key("columns", {"ignore": column})
        if shape == "wide":
            named = table.key("columns", {"candidate": ["…"]})
            of, way = "candidate", f"{named}, with all candidates,"
        raise table.error(
            f"the column {shown(column)}, which may have the {KINDS[str(kind)]} of "
            f"{shown(means[base])}, or be a {of}",
            f"{way} or names such as lda_mean and lda_sd for means and their standard deviations",
        )


def has_ranks(table: RawTable, columns: Sequence[str]) -> bool:
    """Whether the numbers in brackets of a wide table are the ranks of each row, not spreads.

    `columns`: those of the means.
    """
    if len(columns) < FEWEST_RANKED or table.n_rows < FEWEST_RANKED:
        return False
    cells = [[_RANKED.fullmatch(cell or "") for cell in cells_of(table, c)] for c in columns]
    if not all(match for own in cells for match in own):
        return False
    given = np.array([[int(match["rank"]) for match in own if match] for own in cells])
    means = np.column_stack([numbers_of(table, c) for c in columns]).T
    better = means[None] > means[:, None], means[None] < means[:, None]
    return any(bool((own.sum(axis=1) + 1 == given).all()) for own in better)


def columns_beside(columns: Sequence[str]) -> dict[tuple[str, str], Beside]:
    """Return the columns of spreads by the name of what is measured and the column of its means.

    Examples
    --------
    >>> found = columns_beside(["acc_mean", "acc_std", "f1", "f1 (SE)", "runs"])
    >>> found["acc", "acc_mean"], found["f1", "f1"].kind
    (Beside(spread='acc_std', kind='sd', n_values='runs'), 'se')
    """
    means: dict[str, str] = {}
    spreads: dict[str, list[tuple[str, SpreadKind]]] = {}
    counts: dict[str, str] = {}
    for column in columns:
        base, kind = _parts(column)
        base = "" if plain_name(column) == VALUE else base
        if kind is None or kind == "mean":
            means.setdefault(base, column)
        elif kind == "n":
            counts.setdefault(base, column)
        else:
            spreads.setdefault(base, []).append((column, kind))
    return {
        (base, means[base]): Beside(*own[0], counts.get(base, counts.get("")))
        for base, own in spreads.items()
        if base in means and len(own) == 1
    }


def _parts(column: str) -> tuple[str, Kind | None]:
    """Return what is measured, and what a column has of it; None for values."""
    for pattern in (_ALONE, _LAST, _FIRST):
        if match := pattern.fullmatch(column.strip()):
            word = re.sub(r"[\s_.-]+", " ", match["word"].lower())
            return match["base"], WORDS.get(word) or _JOINED[word]
    return column, None


def read_summaries(table: RawTable, frame: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Return the standard deviation and number of values of each mean, by data set and measure.

    `frame`: the performances, tidy, with columns `spread` and `n_values` where values have these.
    Result: for each measure a mapping of candidates to both; empty, with a note, where they are not
    known, or a candidate has several means.
    """
    if "spread" not in frame:
        return {}
    own = frame[frame["spread"].notna() & frame["value"].notna()]
    key = ["dataset", "measure", "candidate"]
    if "n_values" not in own or not (own["n_values"] >= 2).any() or own.duplicated(key).any():
        names = listed(dict.fromkeys(map(str, own["measure"])))
        log.warning("%s: %s", table.path, MEANS_ALONE.format(names))
        table.decided.append(("means-alone", names))
        return {}
    found: dict[str, dict[str, Any]] = {}
    for dataset, measure, candidate, deviation, n in own[[*key, "spread", "n_values"]].itertuples(
        index=False
    ):
        if n >= 2:
            by_measure = found.setdefault(str(dataset), {}).setdefault(str(measure), {})
            by_measure[str(candidate)] = [float(deviation), int(n)]
    table.decided.extend(("summaries", text) for text in _described(table, own))
    return found


def _described(table: RawTable, own: pd.DataFrame) -> Iterator[str]:
    """Describe the spreads of each measure: what they are, and of how many values."""
    given = [table.spread_kind] if table.spread_kind is not None else []
    kinds = given or [beside.kind for beside in table.spreads.values()]
    spreads = " and ".join(sorted({KINDS[kind] for kind in kinds}))
    for measure, part in own.groupby("measure", observed=True, sort=False):
        counts = whole_range(int(part["n_values"].min()), int(part["n_values"].max()))
        yield f"{measure}, means of {counts} values, with {spreads}"
