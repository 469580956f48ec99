"""Replications of a table of results: the columns that number them, one or several."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.exchange.table import (
    MOST_WHOLE,
    NUMBER,
    Labels,
    RawTable,
    plain_name,
    unknown_column,
)
from reportgen.installation import page_url
from reportgen.study.errors import listed, shown
from reportgen.units import unit_named

log = logging.getLogger(__name__)

Numbers = NDArray[np.int64]

OWN_NAME = "replication"
NAMES = (
    ("replication", "replicate", "rep", "repetition", "repeat", "repeats", "cvrepeat"),
    ("resample", "bootstrap", "boot", "draw", "run", "trial", "restart", "simulation", "sim"),
    (
        *("seed", "randomseed", "randomstate", "modelseed", "initseed", "trainseed", "dataseed"),
        *("torchseed", "npseed", "numpyseed", "splitseed", "rngseed", "rng", "globalseed"),
        *("orderseed", "shuffleseed", "weightseed", "weightsseed", "dropoutseed", "bootstrapseed"),
        *("augmentationseed", "tuningseed", "hposeed", "searchseed", "resampleseed"),
    ),
    ("split", "partition"),
    ("iteration", "iter"),
    ("fold", "folds", "cvfold", "kfold", "testfold", "outerfold"),
)
"""Names of columns that identify replications; of several the first changes last."""
UNSURE = frozenset(("bootstrap", "boot", "sim"))
"""Those that a setting of forests, or a similarity, has as well."""
COORDINATE = re.compile(rf"({'|'.join(n for names in NAMES for n in names)})(id|no|nr|index|idx)?")
NUMBERED = re.compile(
    rf"({'|'.join(n for names in NAMES for n in names)})[\s_.#=:-]*[0-9]+", re.IGNORECASE
)
"""A name of one of them, such as "Fold 1"."""
SAMPLES = frozenset(
    "train training learn learning test testing val valid validation dev holdout".split()
)
"""Values of a column split that name the predicted sample, not a replication."""


def coordinates(table: RawTable, excluded: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the columns that identify the replications: the user's, else those of such names.

    `excluded`: columns that mean something else.
    Raises ExchangeError if the user names a column that is not there.
    """
    columns = table.user_columns.get(OWN_NAME, ())
    columns = (columns,) if isinstance(columns, str) else tuple(columns)
    for name in columns:
        if name not in table.columns:
            raise unknown_column(table, name, OWN_NAME)
    return columns or tuple(sorted(named_coordinates(table, excluded), key=_place))


def named_coordinates(table: RawTable, excluded: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the columns whose names are those of replications, which no measure has.

    An identifier of runs, another one in each row, numbers no replications.
    """
    others = set(excluded)
    found = tuple(
        c
        for c in table.columns
        if c not in others
        and COORDINATE.fullmatch(plain_name(c))
        and not (plain_name(c).endswith("id") and _is_identifier(table, c))
        and not _is_note(table, c)
    )
    sure = tuple(c for c in found if plain_name(c) not in UNSURE)
    found = sure or tuple(c for c in found if _has_whole_numbers(table, c))
    return tuple(c for c in found if _varies(table, c)) or found


def _varies(table: RawTable, column: str) -> bool:
    """Whether a column has different cells."""
    return len(table.columns[column].unique()) > 1


def _has_whole_numbers(table: RawTable, column: str) -> bool:
    """Whether all cells of a column are whole numbers."""
    if not table.is_numeric(column):
        return False
    return all(_whole(str(name)) is not None for name in table.labels(column).names)


def _is_note(table: RawTable, column: str) -> bool:
    """Whether a column has one text in all rows, such as the partition of a cluster."""
    return table.n_rows > 1 and not _varies(table, column) and not table.is_numeric(column)


def _is_identifier(table: RawTable, column: str) -> bool:
    """Whether a column has another cell in each row."""
    return table.n_rows > 1 and len(table.columns[column].unique()) == table.n_rows


def is_fold(column: str) -> bool:
    """Whether a column's name is that of folds."""
    match = COORDINATE.fullmatch(plain_name(column))
    return match is not None and match[1] in NAMES[-1]


def _place(column: str) -> int:
    """Return the place of a column among several."""
    match = COORDINATE.fullmatch(plain_name(column))
    return next(i for i, names in enumerate(NAMES) if match and match[1] in names)


def replications(
    table: RawTable,
    columns: Sequence[str],
    datasets: Labels,
    candidates: Labels,
    measure: Labels | None = None,
) -> Numbers:
    """Return the number of every row's replication.

    One column of whole numbers is used unchanged; names, and the combinations of
    several columns, are numbered from 1 in natural order.

    `columns`: see `coordinates`.
    `datasets`, `candidates`: of every row.
    `measure`: of every row, where a row has one value only.
    Raises ExchangeError if no column shows which rows belong together, and the user has not set
    that they are in order; or several columns may mean different things.
    """
    if table.counts_rows or not columns:
        cells = _cells(datasets, candidates, measure)
        return (_count if table.counts_rows else _single)(table, cells, datasets)
    levels = [_levels(table, column) for column in columns]
    for column, own in zip(columns, levels, strict=True):
        if own.min() == -1 and own.max() > 0 and OWN_NAME not in table.user_columns:
            raise table.error(
                "-1 among numbers from 0 or 1, which may be the rows of a mean",
                "the rows of single replications; where it is one, "
                f"{table.key('columns', {OWN_NAME: column}, is_alone=False)} says so",
                row=int(own.argmin()),
                column=column,
            )
    if [plain_name(column) for column in columns] != [OWN_NAME]:
        if OWN_NAME not in table.user_columns:
            cells = _cells(datasets, candidates, measure)
            _check_meaning(table, columns, levels, cells, datasets, candidates)
            log.info("%s: the replications are identified by %s", table.path, listed(columns))
        table.decided.append(("replication-columns", ", ".join(columns)))
    return levels[0] if len(columns) == 1 else _ranks(levels) + 1


def count_rows(datasets: Labels, measure: Labels | None = None) -> Numbers:
    """Number the rows of each data set (and measure) from 1: samples that nobody shares."""
    own = datasets.codes.astype(np.int64)
    if measure is not None:
        own = own * len(measure.names) + measure.codes
    return np.asarray(pd.Series(own).groupby(own).cumcount(), np.int64) + 1


def run_numbers(table: RawTable, columns: Sequence[str]) -> Numbers:
    """Return the number of every row's run, from 1, by the columns that tell runs apart."""
    return _ranks([_levels(table, column) for column in columns]) + 1


def _levels(table: RawTable, column: str) -> Numbers:
    """Read whole numbers; or number labels such as "fold a" in natural order."""
    labels = table.labels(column)
    if SAMPLES.issuperset(name.lower() for name in labels.names):
        raise table.error(
            f"{listed(map(shown, labels.names))}, which name samples and not replications",
            "the rows of one kind of sample alone, and a column that identifies the replications",
            column=column,
        )
    numbers = [_whole(name) for name in labels.names]
    if not any(NUMBER.fullmatch(name) for name in labels.names):
        log.info("%s: the replications are numbered in the order of their names", table.path)
        table.decided.append(("numbered-replications", column))
        return labels.codes.astype(np.int64) + 1
    if None in numbers:
        row = int(np.argmax(labels.codes == numbers.index(None)))
        raise table.error(shown(labels.of(row)), "a whole number", row=row, column=column)
    return np.asarray(np.array(numbers, np.int64)[labels.codes])


def _whole(text: str) -> int | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number.is_integer() and abs(number) < MOST_WHOLE else None


def _check_meaning(
    table: RawTable,
    columns: Sequence[str],
    levels: Sequence[Numbers],
    cells: Numbers,
    datasets: Labels,
    candidates: Labels,
) -> None:
    """Refuse columns of replications by which candidates that may belong together are apart."""
    if (
        len(candidates.names) < 2 or not unit_named(table.unit).shares_rows
    ):  # of which no two belong together
        return
    own = datasets.codes.astype(np.int64)
    blocks = _ranks([own, *levels])
    for i, column in enumerate(columns if len(columns) > 1 else ()):
        others = [o for o in columns if o != column]
        rest = _ranks([own, *(values for j, values in enumerate(levels) if j != i)])
        has_one = not pd.DataFrame({"b": rest, "c": cells}).duplicated().any()
        if has_one and rest.max() < blocks.max():
            raise table.error(
                f"values of {column} that differ between the candidates of the same "
                f"{' and '.join(others)}",
                f"{table.key('columns', {OWN_NAME: _one_or_all(others)})}, if these candidates had "
                "the same learning and test sample, else "
                + table.key("columns", {OWN_NAME: _one_or_all(columns)}, is_alone=False),
            )
    pairs = pd.DataFrame({"b": blocks, "c": candidates.codes}).drop_duplicates()
    several = pd.DataFrame({"d": own, "c": candidates.codes}).drop_duplicates()
    is_shared = pairs["b"].duplicated().any() or not several["d"].duplicated().any()
    if is_shared:
        if len(columns) == 1:
            _check_shift(table, columns[0], levels[0], candidates)
        _check_alone(table, columns, levels[0], pairs, several, candidates)
    else:
        raise table.error(
            f"no two candidates with the same {' and '.join(columns)}",
            "columns that show which rows belong together: the values of all candidates of the "
            "same learning and test sample; name them by "
            f"{table.key('columns', {OWN_NAME: '…'})}; where no values belong together, as every "
            "run drew its own sample or start, "
            f"{table.key('unit', 'sample', is_alone=False)} says so",
        )


def _check_shift(table: RawTable, column: str, levels: Numbers, candidates: Labels) -> None:
    """Refuse candidates whose replications are numbered from 0, beside others' from 1."""
    frame = pd.DataFrame({"c": candidates.codes, "l": levels}).groupby("c")["l"]
    least, most, n = frame.min(), frame.max(), frame.nunique()
    if (
        set(least) == {0, 1}
        and most.max() > 1
        and (most - least + 1 == n).all()
        and n.nunique() == 1
    ):
        from_0 = candidates.names[int(least.index[least == 0][0])]
        raise table.error(
            f"{column} from 0 to {most[least == 0].max()} for {shown(from_0)}, and from 1 to "
            f"{most.max()} for others",
            "numbers of which the same ones belong together; where they do, "
            f"{table.key('columns', {OWN_NAME: column}, is_alone=False)} says so",
        )


def _check_alone(
    table: RawTable,
    columns: Sequence[str],
    levels: Numbers,
    pairs: pd.DataFrame,
    several: pd.DataFrame,
    candidates: Labels,
) -> None:
    """Refuse a candidate that has no replication in common with others of the same data sets."""
    # `pairs`: the blocks and candidates that there are, each once; `several`: data sets likewise.
    shared = pairs["c"][pairs["b"].duplicated(keep=False)]
    beside = several["c"][several["d"].duplicated(keep=False)]
    alone = sorted({*beside} - {*shared})
    if not alone:
        return
    is_own = candidates.codes == alone[0]
    own, others = levels[is_own], levels[~is_own]
    raise table.error(
        f"{columns[0]} from {own.min()} to {own.max()} for {shown(candidates.names[alone[0]])}, "
        "which has no replication in common with any other candidate; others have "
        f"{others.min()} to {others.max()}",
        f"the same {' and '.join(columns)} for values of the same learning and test sample; where "
        "no values belong together, as every run drew its own sample or start, "
        f"{table.key('unit', 'sample', is_alone=False)} says so, and where they do belong together "
        f"as they are, {table.key('columns', {OWN_NAME: _one_or_all(columns)}, is_alone=False)}",
        row=int(is_own.argmax()),
    )


def _one_or_all(columns: Sequence[str]) -> str | Sequence[str]:
    return columns[0] if len(columns) == 1 else columns


def _single(table: RawTable, cells: Numbers, datasets: Labels) -> Numbers:
    """Take each candidate's one row; refuse several rows without a difference."""
    twice = pd.Series(cells).duplicated().to_numpy()
    if twice.any():
        row = int(twice.argmax())
        most = int(np.unique(cells, return_counts=True)[1].max())
        raise table.error(
            f"no column of replications, and up to {most} rows a candidate, first a second one of "
            f"the data set {shown(datasets.of(row))}",
            "a column replication, repeat, fold, seed, split or iteration, or another one that "
            f"{table.key('columns', {OWN_NAME: '…'})} names (several: [repeat, fold]); where the "
            "rows of every candidate are in the same order and the first ones belong together, "
            f"{table.key(OWN_NAME, 'rows', option='--replication rows', is_alone=False)} declares "
            f"this (docs: {page_url('imports.md#a-tidy-table')})",
            row=row,
        )
    return np.ones(table.n_rows, np.int64)


def _count(table: RawTable, cells: Numbers, datasets: Labels) -> Numbers:
    """Take the rows of each data set, candidate and measure as replications, in their order."""
    # The first rows of two candidates then make the first block: this needs as
    # many rows of each.
    numbers = np.asarray(pd.Series(cells).groupby(cells).cumcount(), np.int64) + 1
    counts = pd.Series(numbers).groupby(cells).max()
    owner = pd.Series(datasets.codes).groupby(cells).first()
    for code, of_dataset in counts.groupby(owner):
        if of_dataset.nunique() > 1:
            raise table.error(
                f"replication: rows, and between {of_dataset.min()} and {of_dataset.max()} "
                f"rows a candidate of the data set {shown(datasets.names[int(str(code))])}",
                "a column of replications, or as many rows of every candidate, in the order of "
                "the replications",
            )
    table.decided.append(("counted-replications", str(numbers.max())))
    return numbers


def _cells(datasets: Labels, candidates: Labels, measure: Labels | None) -> Numbers:
    """Number the combinations of names in every row."""
    number = datasets.codes.astype(np.int64)
    for labels in (candidates, *([measure] if measure else [])):
        number = number * len(labels.names) + labels.codes
    return number


def _ranks(columns: Sequence[Numbers]) -> Numbers:
    """Number the combinations of numbers from 0, in their order."""
    key = np.zeros(len(columns[0]), np.int64)
    for values in columns:
        found, codes = np.unique(values, return_inverse=True)
        key = np.unique(key * len(found) + codes, return_inverse=True)[1].astype(np.int64)
    return key
