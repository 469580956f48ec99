"""Tables of scikit-learn: what cross_validate returns, and the cv_results_ of its searches.

A scorer's larger value is the better one, as scikit-learn defines it; losses
have a minus sign and names that begin with neg_.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from reportgen.catalogue.measures import known_measure
from reportgen.exchange.readers.fits import (
    Fits,
    Format,
    Part,
    all_fits,
    constant,
    first_column,
    has,
)
from reportgen.exchange.replications import coordinates, replications
from reportgen.exchange.roles import CANDIDATE
from reportgen.exchange.table import MISSING, Labels, RawTable
from reportgen.performance_measure import Measure

TIMES: Mapping[str, str] = MappingProxyType({"fit_time": "fit-time", "score_time": "predict-time"})
DATASET = ("dataset", "data", "task")
CANDIDATES = (*CANDIDATE, "model")
SPLIT = re.compile(r"split(\d+)_test_(.+)")
PARAMETER = "param_"


def _cross_validate(table: RawTable) -> Fits:
    """Read what cross_validate returns: a row a split, a column test_… a scorer."""
    # Columns named dataset, candidate (also model, estimator) or replication (also
    # repeat, split, fold) have that meaning; without a candidate it is called as the
    # file is.
    datasets = _labels(table, DATASET, "data")
    candidates = _labels(table, CANDIDATES, table.path.stem)
    numbers = replications(table, coordinates(table), datasets, candidates)
    tested = {c: c.removeprefix("test_") for c in table.columns if c.startswith("test_")}
    parts = all_fits(table, {**tested, **TIMES})
    rows = np.arange(table.n_rows)
    return Fits(datasets, candidates, numbers, rows, parts, _scorers(tested.values()))


def _cv_results(table: RawTable) -> Fits:
    """Read the cv_results_ of a search: a row a setting, a column a split and scorer."""
    # The settings are the candidates. Times are there as means over the splits
    # only, and so are left out.
    found = [(c, match) for c in table.columns if (match := SPLIT.fullmatch(c))]
    splits = sorted({int(match[1]) for _, match in found})
    names = tuple(dict.fromkeys(match[2] for _, match in found))
    n = table.n_rows
    settings = _settings(table)
    place = {split: i * n for i, split in enumerate(splits)}
    columns: dict[str, list[tuple[int, str]]] = {name: [] for name in names}
    for column, match in found:
        columns[match[2]].append((place[int(match[1])], column))
    parts = tuple(
        Part(
            name,
            np.concatenate([first + np.arange(n) for first, _ in of_name]),
            np.concatenate([table.numbers(column) for _, column in of_name]),
        )
        for name, of_name in columns.items()
    )
    return Fits(
        constant(table.path.stem, n * len(splits)),
        Labels(settings.names, np.tile(settings.codes, len(splits))),
        np.repeat(np.array(splits, np.int64) + 1, n),
        np.tile(np.arange(n), len(splits)),
        parts,
        _scorers(names),
    )


def _settings(table: RawTable) -> Labels:
    """Name the settings by their hyperparameters."""
    names = [column for column in table.columns if column.startswith(PARAMETER)]
    if not names:
        return table.labels("params")
    texts = [["" if x is None else str(x) for x in table.columns[c].to_pylist()] for c in names]
    written = [
        " ".join(
            f"{name.removeprefix(PARAMETER)}={cell}"
            for name, cell in zip(names, cells, strict=True)
            if cell.strip().lower() not in MISSING
        )
        for cells in zip(*texts, strict=True)
    ]
    return table.as_labels(PARAMETER + "…", written)


def _scorers(names: object) -> dict[str, Measure]:
    """Return what scikit-learn documents of scorers that the catalogue does not know."""
    return {
        name: Measure(name, "larger")
        for name in names  # type: ignore[attr-defined]
        if known_measure(name) is None
    }


def _labels(table: RawTable, names: tuple[str, ...], otherwise: str) -> Labels:
    column = first_column(table, names)
    return table.labels(column) if column else constant(otherwise, table.n_rows)


def _is_search(table: RawTable) -> bool:
    return any(SPLIT.fullmatch(column) for column in table.columns) and any(
        column == "params" or column.startswith(PARAMETER) for column in table.columns
    )


FORMATS = (
    Format(
        "cross-validate",
        "fit_time, score_time",
        "scikit-learn's cross_validate",
        has(*TIMES),
        _cross_validate,
    ),
    Format(
        "cv-results",
        "params, split0_test_…",
        "the cv_results_ of scikit-learn's searches",
        _is_search,
        _cv_results,
    ),
)
