"""Results in mappings: of candidates to values, and of such mappings by data set or measure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sized
from typing import Any

import numpy as np
import pandas as pd

from reportgen.errors import ExchangeError
from reportgen.exchange.learners import swapped
from reportgen.exchange.python_numbers import numbers_in
from reportgen.exchange.roles import is_known
from reportgen.study.errors import listed, shown

TABLES = (
    "a data frame, tidy (a column candidate) or wide (a column a candidate); an array of shape "
    "(replications, candidates) or (data sets, replications, candidates); a mapping of candidates "
    "to values, or of data sets to such mappings or wide data frames; cv_results_; or paths of "
    "files"
)
OBJECTS = (
    "estimator",
    "indices",
)  # what `cross_validate` returns beside numbers, where it is asked
ONE_A_REPLICATION = "numbers, one a replication"


def of_mapping(
    results: Mapping[Any, Any], name: str, measure: str, *, are_apart: bool
) -> pd.DataFrame:
    """Lay out candidates and their values, perhaps by data set; or take the columns of a frame.

    `are_apart`: whether no two values of different candidates belong together.
    """
    if not results:
        raise ExchangeError(f"{name}: found an empty mapping; allowed {TABLES}")
    twice = [key for key, n in Counter(map(str, results)).items() if n > 1]
    if twice:
        raise ExchangeError(f"{name}: found {shown(twice[0])} twice; allowed names that differ")
    parts_of_keys = {len(key) if isinstance(key, tuple) else 1 for key in results}
    if parts_of_keys == {2}:
        raise _keys_of_two_parts(name, measure, next(iter(results)))
    if all(isinstance(inner, pd.DataFrame) for inner in results.values()):
        frames = {str(key): inner for key, inner in results.items()}
        whole: pd.DataFrame = pd.concat(frames, names=["dataset"])
        return whole
    nested = [isinstance(inner, Mapping) for inner in results.values()]
    if all(nested) and all(_are_of_candidates(inner) for inner in results.values()):
        tables = {
            str(key): of_mapping(inner, str(key), measure, are_apart=are_apart)
            for key, inner in results.items()
        }
        return _upright_mapping(pd.concat(tables, names=["dataset"]).reset_index(level=0), name)
    if all(nested) and all(_has_measures(inner) for inner in results.values()):
        return _of_measures(results, name, are_apart=are_apart)
    if all(nested):
        parts = {
            str(key): _one_mapping(inner, str(key), measure, are_apart=are_apart)
            for key, inner in results.items()
        }
        own = {"candidate" if _has_columns(inner) else "dataset" for inner in results.values()}
        if len(own) > 1:
            raise ExchangeError(f"{name}: found mappings of two kinds; allowed {TABLES}")
        is_one_a_split = not any("params" in inner for inner in results.values())
        if own == {"candidate"} and is_one_a_split and not are_apart:
            _check_lengths(parts, name, "as many replications of each, on the same splits")
        return _upright_mapping(pd.concat(parts, names=[own.pop()]).reset_index(level=0), name)
    return _one_mapping(results, name, measure, are_apart=are_apart)


def _upright_mapping(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return data sets and their candidates; refuse candidates and their data sets."""
    if not {"dataset", "candidate"} <= {*frame.columns}:
        return frame
    found = swapped(map(str, frame["dataset"].unique()), map(str, frame["candidate"].unique()))
    if found:
        allowed = "a mapping of data sets to mappings of candidates: {dataset: {candidate: …}}"
        raise ExchangeError(f"{name}: found {found}; allowed {allowed}")
    return frame


def _has_measures(inner: Mapping[Any, Any]) -> bool:
    """Whether a mapping is one of measures to their values, by the names of all."""
    return len(inner) > 0 and all(isinstance(key, str) and is_known(key) for key in inner)


def _of_measures(
    results: Mapping[Any, Mapping[Any, Any]], name: str, *, are_apart: bool
) -> pd.DataFrame:
    """Lay out candidates, their measures and the values of these, one or several."""
    columns = {
        (str(candidate), str(measure)): np.atleast_1d(
            numbers_in(cells, f"{name}: found {shown(str(candidate))}:", ONE_A_REPLICATION)
        )
        for candidate, inner in results.items()
        for measure, cells in inner.items()
    }
    if any(own.ndim != 1 for own in columns.values()):
        raise ExchangeError(f"{name}: found arrays of several dimensions; allowed {TABLES}")
    if not are_apart:
        named = {f"{candidate}, {measure}": own for (candidate, measure), own in columns.items()}
        _check_lengths(named, name, "as many of each, with nan for a missing one")
    parts = {
        str(candidate): pd.DataFrame({m: pd.Series(columns[str(candidate), str(m)]) for m in inner})
        for candidate, inner in results.items()
    }
    frame: pd.DataFrame = pd.concat(parts, names=["candidate", "replication"]).reset_index()
    return frame.assign(replication=frame["replication"] + 1)


def _keys_of_two_parts(name: str, measure: str, key: tuple[Any, ...]) -> ExchangeError:
    """Return the error for names of candidates and data sets in one key, in any order."""
    return ExchangeError(
        f"{name}: found names of two parts, such as {key!r}; allowed a mapping of data sets to "
        "mappings of candidates, or a frame that says which part is what: "
        "pandas.DataFrame(results).melt(var_name=['candidate', 'dataset'], "
        f"value_name={measure!r}, ignore_index=False).rename_axis('replication').reset_index()"
    )


def _are_of_candidates(inner: Mapping[Any, Any]) -> bool:
    """Whether a mapping is one of candidates to what cross_validate returns."""
    return bool(inner) and all(
        isinstance(own, Mapping) and _has_columns(own) and "params" not in own
        for own in inner.values()
    )


def _has_columns(inner: Mapping[Any, Any]) -> bool:
    """Whether a mapping is one of columns, as cross_validate and searches return it."""
    return {"fit_time", "score_time"} <= inner.keys() or "params" in inner


def _one_mapping(
    results: Mapping[Any, Any], name: str, measure: str, *, are_apart: bool
) -> pd.DataFrame:
    """Lay out one mapping of columns, or of candidates to the values of one data set."""
    if _has_columns(results):
        kept = {k: c for k, c in results.items() if not isinstance(c, Mapping) and k not in OBJECTS}
        columns = {str(key): list(column) for key, column in kept.items()}
        _check_lengths(columns, name, "as many of each")
        frame = pd.DataFrame(columns)
        return frame if "params" in results else frame.assign(replication=range(1, len(frame) + 1))
    values = {}
    if not are_apart:
        _check_alignment(results, name)
    for candidate, cells in results.items():
        where = f"{name}: found {shown(str(candidate))}:"
        array = np.atleast_1d(numbers_in(cells, where, ONE_A_REPLICATION))
        if array.ndim != 1:
            found = f"an array of shape {array.shape}"
            raise ExchangeError(f"{where} {found}; allowed {ONE_A_REPLICATION}")
        values[str(candidate)] = pd.Series(array, index=1 + np.arange(len(array)))
    if not are_apart:
        _check_lengths(
            values,
            name,
            "as many of each, with nan for a missing one, or unit='sample' where none of these "
            "belong together",
        )
    return pd.concat(values, names=["candidate", "replication"]).rename(measure).reset_index()


def _check_lengths(columns: Mapping[str, Sized], name: str, allowed: str) -> None:
    """Refuse columns of different lengths."""
    if len({*map(len, columns.values())}) > 1:
        found = listed([f"{len(column)} of {key}" for key, column in columns.items()])
        raise ExchangeError(f"{name}: found values: {found}; allowed {allowed}")


def _check_alignment(results: Mapping[Any, Any], name: str) -> None:
    """Refuse series whose rows have other names: those of a place may not belong together."""
    series = {k: cells for k, cells in results.items() if isinstance(cells, pd.Series)}
    first = next(iter(series.values()), None)
    for candidate, cells in series.items():
        if first is not None and not cells.index.equals(first.index):
            found = f"rows of {shown(str(candidate))} with other names than those of the first"
            allowed = "series with one index, a data frame of them, or arrays such as to_numpy()"
            raise ExchangeError(f"{name}: found {found}; allowed {allowed}")
