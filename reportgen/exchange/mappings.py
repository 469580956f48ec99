"""Results in mappings: of candidates to values, and of such mappings by data set or measure.

Mappings of Python and documents of JSON are laid out by the same rules.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Sized
from typing import Any

import numpy as np
import pandas as pd

from reportgen.errors import ExchangeError
from reportgen.exchange.known_names import swapped
from reportgen.exchange.levels import (
    NAMES,
    Kind,
    Level,
    endings,
    is_counting,
    is_measure,
    kind_of,
    kinds_in_order,
    measures_in,
    number_of,
    word_of,
)
from reportgen.exchange.python_numbers import numbers_in
from reportgen.exchange.replications import COORDINATE, OWN_NAME
from reportgen.exchange.roles import CANDIDATES, DATASETS, OF_WHOLE
from reportgen.exchange.table import decoded, plain_name, text_of
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
AS_MANY = (
    "as many of each, with nan for a missing one, or unit='sample' where none of these belong "
    "together"
)
SHORT = re.compile(r"[frsk][_-]?[0-9]+", re.IGNORECASE)
"""A name of a fold, run, seed or split, beside others of the kind."""
SPLIT = {"index", "columns", "data"}  # keys of a frame that pandas has split

Leaf = Any  # what the innermost names stand for: a number, or several
Path = tuple[str, ...]  # names, from the outermost to the innermost


def of_mapping(
    results: Mapping[Any, Any], name: str, measure: str, *, are_apart: bool
) -> pd.DataFrame:
    """Lay out candidates and their values, perhaps by data set; or take the columns of a frame.

    `are_apart`: whether no two values of different candidates belong together.
    Raises ExchangeError if names or numbers do not fit.
    """
    if not any(True for _ in results):  # whatever its length says
        raise ExchangeError(f"{name}: found an empty mapping; allowed {TABLES}")
    twice = [key for key, n in Counter(map(text_of, results)).items() if n > 1]
    if twice:
        raise ExchangeError(f"{name}: found {shown(twice[0])} twice; allowed names that differ")
    results = {decoded(key): inner for key, inner in results.items()}
    parts_of_keys = {len(key) if isinstance(key, tuple) else 1 for key in results}
    if parts_of_keys == {2}:
        raise _keys_of_two_parts(name, measure, next(iter(results)))
    if all(isinstance(inner, tuple) and len(inner) == 2 for inner in results.values()):
        pair = next(iter(results.values()))
        raise ExchangeError(
            f"{name}: found pairs such as {pair!r}, which may be a mean and its spread; allowed "
            "lists of the values of replications, or a frame with columns candidate, "
            f"{measure}_mean and {measure}_std"
        )
    if all(isinstance(inner, pd.DataFrame) for inner in results.values()):
        frames = {str(key): inner for key, inner in results.items()}
        return _of_frames(frames, name, measure, are_apart=are_apart)
    frame = _columns_in(results, name)
    if frame is not None:
        return frame
    if _are_rows_named(results):
        return pd.DataFrame({str(key): own for key, own in results.items()})
    if validations_in(results):
        return _of_validations(results, name, are_apart=are_apart)
    return of_nested(results, name, measure, are_apart=are_apart)


def _of_frames(
    frames: Mapping[str, pd.DataFrame], name: str, measure: str, *, are_apart: bool
) -> pd.DataFrame:
    """Put data frames together: of candidates if all columns are measures, else of data sets."""
    heads = {key: [*map(str, (*filter(None, own.index.names), *own.columns))]
             for key, own in frames.items()}  # fmt: skip
    names_rows = {head for own in heads.values() for head in own if _is_key(head)}
    results = [*dict.fromkeys(h for own in heads.values() for h in own if h not in names_rows)]
    has_candidates = any(plain_name(head) in CANDIDATES for head in names_rows)
    if has_candidates or any(own.columns.nlevels > 1 for own in frames.values()):
        whole: pd.DataFrame = pd.concat(frames, names=["dataset"])
        return whole
    known = [head for head in results if is_measure(head, measure)]
    if known and len(known) == len(results):
        return _of_candidates(frames, names_rows, name, are_apart=are_apart)
    mixed = f"{listed(known)}, which are measures, beside " + listed(
        head for head in results if head not in known
    )
    found = mixed if 2 * len(known) >= len(results) else swapped(frames, results)
    if found:
        allowed = (
            "frames of data sets with a column a candidate, or of candidates with a column a "
            "measure whose better side is known; or a tidy data frame"
        )
        raise ExchangeError(f"{name}: found {found}; allowed {allowed}")
    by_dataset: pd.DataFrame = pd.concat(frames, names=["dataset"])
    return by_dataset


def _is_key(head: str) -> bool:
    """Whether a column's name is that of data sets, candidates or replications."""
    plain = plain_name(head)
    return plain in (*CANDIDATES, *DATASETS) or COORDINATE.fullmatch(plain) is not None


def _of_candidates(
    frames: Mapping[str, pd.DataFrame], keys: Collection[str], name: str, *, are_apart: bool
) -> pd.DataFrame:
    """Put frames of measures together; rows without names of any kind are replications."""
    if keys:
        named = {key: own.reset_index(names=[_level(level) for level in own.index.names])
                 for key, own in frames.items()}  # fmt: skip
        whole: pd.DataFrame = pd.concat(named, names=["candidate"]).reset_index(level=0)
        return whole.drop(columns=UNNAMED, errors="ignore")
    first = next(iter(frames.values())).index
    labels = [*first]
    of_text = all(isinstance(label, str) for label in labels) and not word_of(labels)
    if of_text and first.is_unique:
        return pd.concat(frames, names=["candidate", "dataset"]).reset_index()
    if not are_apart:
        _check_lengths(frames, name, AS_MANY)
        frames = {key: _in_order_of(first, own, key, name) for key, own in frames.items()}
    parts = {key: own.assign(**{OWN_NAME: range(1, len(own) + 1)}) for key, own in frames.items()}
    found: pd.DataFrame = pd.concat(parts, names=["candidate"]).reset_index(level=0)
    return found.reset_index(drop=True)


UNNAMED = "reportgen.unnamed"  # an index, while frames are put together


def _level(level: Any) -> str:
    return UNNAMED if level is None else str(level)


def _in_order_of(first: pd.Index[Any], frame: pd.DataFrame, key: str, name: str) -> pd.DataFrame:
    """Return a frame with its rows in the order of the first one's."""
    # Raises ExchangeError if these have other labels.
    if frame.index.equals(first):
        return frame
    if frame.index.is_unique and {*frame.index} == {*first}:
        return frame.reindex(first)
    raise _other_labels(key, name)


def _other_labels(key: str, name: str) -> ExchangeError:
    found = f"rows of {shown(key)} with other names than those of the first"
    allowed = "series with one index, a data frame of them, or arrays such as to_numpy()"
    return ExchangeError(f"{name}: found {found}; allowed {allowed}")


def _columns_in(results: Mapping[Any, Any], name: str) -> pd.DataFrame | None:
    """Return the data frame of a mapping that has its columns, or its rows; None for others."""
    inner = [*results.values()]
    if results.keys() == SPLIT and all(isinstance(row, list | tuple) for row in results["data"]):
        return pd.DataFrame(results["data"], index=results["index"], columns=results["columns"])
    if all(map(_is_flat, inner)):
        if not any(_names_rows(key, [*cells]) for key, cells in results.items()):
            return None
        _check_lengths({str(k): cells for k, cells in results.items()}, name, "as many of each")
        return pd.DataFrame({str(key): cells for key, cells in results.items()})
    if not all(isinstance(own, Mapping) and own for own in inner):
        return None
    if any(isinstance(cell, Mapping) or _is_flat(cell) for own in inner for cell in own.values()):
        return None
    if any(_names_rows(key, [*own.values()]) for key, own in results.items()):
        return pd.DataFrame(dict(results))
    columns = {key: [own.get(key) for own in inner] for key in inner[0]}
    if is_counting([*results]) and any(_names_rows(key, own) for key, own in columns.items()):
        return pd.DataFrame.from_dict(dict(results), orient="index")
    return None


def _are_rows_named(results: Mapping[Any, Any]) -> bool:
    """Whether a mapping is one of candidates to series that share names of rows, as a frame has."""
    # Names of replications, and numbers, are no names of rows.
    series = [own for own in results.values() if isinstance(own, pd.Series)]
    if len(series) < len(results) or any(plain_name(str(key)) in CANDIDATES for key in results):
        return False
    first = series[0].index
    if not all(own.index.is_unique and {*own.index} == {*first} for own in series):
        return False
    if first.name is not None:
        return _is_key(str(first.name))
    if not all(isinstance(label, str) for label in first):
        return False
    return not word_of([*first]) and not all(map(SHORT.fullmatch, first))


def _is_flat(cells: Any) -> bool:
    """Whether an object is a sequence of cells."""
    if isinstance(cells, np.ndarray | pd.Series | pd.Index | pd.Categorical):
        return cells.ndim == 1
    return isinstance(cells, list | tuple) and not any(
        isinstance(cell, list | tuple | Mapping | np.ndarray) for cell in cells
    )


def _names_rows(key: Any, cells: Sequence[Any]) -> bool:
    """Whether a column names the candidates, data sets or replications of the rows of a table."""
    # `model` beside `baseline` is a candidate where it has numbers.
    plain = plain_name(str(key)) if isinstance(key, str) else ""
    is_text = all(isinstance(cell, str) for cell in cells)
    if plain in NAMES["candidate"]:
        return is_text
    is_whole = is_text or all(
        isinstance(cell, int | np.integer) and not isinstance(cell, bool) for cell in cells
    )
    is_name = plain in NAMES["dataset"] or COORDINATE.fullmatch(plain)
    return is_whole and bool(is_name or plain in OF_WHOLE)


def validations_in(results: Mapping[Any, Any]) -> bool:
    """Whether a mapping has what cross_validate or a search returns, perhaps by candidate."""
    if _has_columns(results):
        return True
    nested = [inner for inner in results.values() if isinstance(inner, Mapping)]
    return any(_has_columns(inner) or _are_of_candidates(inner) for inner in nested)


def _of_validations(results: Mapping[Any, Any], name: str, *, are_apart: bool) -> pd.DataFrame:
    """Lay out what cross_validate and searches return: one, or one a candidate and a data set."""
    if _has_columns(results):
        return _one_validation(results, name)
    if all(isinstance(own, Mapping) and _are_of_candidates(own) for own in results.values()):
        tables = {
            str(key): _of_validations(inner, str(key), are_apart=are_apart)
            for key, inner in results.items()
        }
        return _upright_mapping(pd.concat(tables, names=["dataset"]).reset_index(level=0), name)
    if not all(isinstance(own, Mapping) and _has_columns(own) for own in results.values()):
        raise ExchangeError(f"{name}: found mappings of two kinds; allowed {TABLES}")
    parts = {str(key): _one_validation(inner, str(key)) for key, inner in results.items()}
    if not are_apart and not any("params" in inner for inner in results.values()):
        _check_lengths(parts, name, "as many replications of each, on the same splits")
    found: pd.DataFrame = pd.concat(parts, names=["candidate"]).reset_index(level=0)
    return found


def _one_validation(results: Mapping[Any, Any], name: str) -> pd.DataFrame:
    """Lay out the columns of one."""
    kept = {k: c for k, c in results.items() if not isinstance(c, Mapping) and k not in OBJECTS}
    columns = {str(key): list(column) for key, column in kept.items()}
    _check_lengths(columns, name, "as many of each")
    frame = pd.DataFrame(columns)
    return frame if "params" in results else frame.assign(replication=range(1, len(frame) + 1))


def of_nested(
    results: Mapping[Any, Any], name: str, measure: str, *, are_apart: bool = False
) -> pd.DataFrame:
    """Lay out mappings of names to such mappings, or to values: tidily, with a column a measure.

    Raises ExchangeError if names do not tell what is what, or values do not belong together.
    """
    paths = dict(_paths(results, ()))
    depths = {len(path) for path in paths}
    if len(depths) != 1:
        raise ExchangeError(f"{name}: found mappings of two kinds; allowed {TABLES}")
    levels = levels_of(paths)
    if _are_records(paths, levels, measure):
        return _of_records(paths, levels, name, measure)
    values = {path: _values(leaf, f"{name}: {' > '.join(map(shown, path))}: ")
              for path, leaf in paths.items()}  # fmt: skip
    has_several = any(map(_has_several, paths.values()))
    kinds = kinds_in_order(levels, measure, name, has_several=has_several)
    return _laid_out(paths, values, levels, kinds, name, measure, are_apart=are_apart)


def tells_levels(content: Mapping[str, Any]) -> bool:
    """Whether a document is one of nested mappings to numbers, whose names tell what they are.

    What pandas writes has numbers of rows inside; lists below other names are columns of a table.
    """
    if validations_in(content) or not all(isinstance(own, Mapping) for own in content.values()):
        return False
    paths = dict(_paths(content, ()))
    if len({len(path) for path in paths}) != 1:
        return False
    levels = levels_of(paths)
    if _are_records(paths, levels, ""):
        return True
    if not all(map(_has_numbers, paths.values())):
        return False
    kinds = [kind_of(level, "") for level in levels]
    if "measure" in kinds or "statistic" in kinds:
        lengths = {len(leaf) if isinstance(leaf, list) else 1 for leaf in paths.values()}
        return len(lengths) == 1  # others may be samples, which the manifest says
    if len(levels) == 2 and is_counting(levels[1].labels):
        return False
    has_several = any(isinstance(leaf, list) for leaf in paths.values())
    if kinds[-1] == "candidate":
        return True
    return not has_several and bool({"candidate", "replication"} & {*kinds})


def _has_several(leaf: Leaf) -> bool:
    """Whether something in place of a value is a list or an array, of whatever shape."""
    return bool(np.ndim(leaf)) if hasattr(leaf, "ndim") else isinstance(leaf, list | tuple)


def _has_numbers(leaf: Leaf) -> bool:
    """Whether what a document has in place of a value is a number, missing, or a list of these."""
    cells = leaf if isinstance(leaf, list) else [leaf]
    kinds = int | float | None
    return all(isinstance(cell, kinds) and not isinstance(cell, bool) for cell in cells)


def _are_records(paths: Mapping[Path, Leaf], levels: Sequence[Level], measure: str) -> bool:
    """Whether the innermost names are those of columns: measures, and settings or notes."""
    if len(levels) < 2 or any(map(_has_several, paths.values())):
        return False
    if all(map(_has_numbers, paths.values())):
        return kind_of(levels[-1], measure) == "" and bool(measures_in(levels[-1], measure))
    return any(is_measure(label, measure) for label in levels[-1].labels)  # beside notes


def _of_records(
    paths: Mapping[Path, Leaf], levels: Sequence[Level], name: str, measure: str
) -> pd.DataFrame:
    """Lay out a record a candidate, by data set or replication where there are such names."""
    inner = Level([label for label in levels[-1].labels if is_measure(label, measure)])
    kinds = kinds_in_order([*levels[:-1], inner], measure, name, has_several=False)
    heads = [_head_of_replications(levels, kinds) if kind == "replication" else kind
             for kind in kinds[:-1]]  # fmt: skip
    rows: dict[Path, dict[str, Any]] = {}
    for path, leaf in paths.items():
        rows.setdefault(path[:-1], {})[path[-1]] = leaf
    twice = {*heads} & {*levels[-1].labels}
    if twice:
        raise ExchangeError(f"{name}: found {listed(twice)} among measures; allowed another name")
    return pd.DataFrame(
        [{**dict(zip(heads, path, strict=True)), **row} for path, row in rows.items()]
    )


def names_alone(content: Mapping[str, Any]) -> bool:
    """Whether a document has a number below two names, neither of which tells what it is.

    Names of columns, and numbers of rows, are those of a table.
    """
    inner = [*content.values()]
    if not all(isinstance(own, Mapping) and own for own in inner):
        return False
    paths = dict(_paths(content, ()))
    is_one = all(len(path) == 2 and isinstance(leaf, float | None) for path, leaf in paths.items())
    if not is_one or any(_names_rows(key, [*own.values()]) for key, own in content.items()):
        return False
    return all(kind_of(level, "") == "" for level in levels_of(paths))


def _paths(results: Mapping[Any, Any], around: Path) -> Iterator[tuple[Path, Leaf]]:
    """Yield the innermost values, and the names to them."""
    for key, inner in results.items():
        path = (*around, str(key))
        if isinstance(inner, Mapping):
            yield from _paths(inner, path)
        else:
            yield path, inner


def levels_of(paths: Collection[Path]) -> list[Level]:
    """Return the levels of names, each name once, in their order."""
    return [Level([*dict.fromkeys(labels)]) for labels in zip(*paths, strict=True)]


def _values(leaf: Leaf, where: str) -> np.ndarray[Any, Any]:
    """Return numbers in one dimension."""
    if leaf is None:
        return np.array([np.nan])
    found = np.atleast_1d(numbers_in(leaf, where, ONE_A_REPLICATION))
    if found.ndim != 1:
        raise ExchangeError(
            f"{where}found an array of shape {found.shape}; allowed {ONE_A_REPLICATION}"
        )
    return found


def _laid_out(
    paths: Mapping[Path, Leaf],
    values: Mapping[Path, np.ndarray[Any, Any]],
    levels: Sequence[Level],
    kinds: Sequence[Kind],
    name: str,
    measure: str,
    *,
    are_apart: bool,
) -> pd.DataFrame:
    """Lay out the values below names: a row a data set, replication and candidate."""
    head = _head_of_replications(levels, kinds)
    if head and any(map(_has_several, paths.values())):
        own = levels[kinds.index("replication")]
        found = f"several values below names of replications ({listed(own.labels[:3])}, …)"
        raise ExchangeError(f"{name}: found {found}; allowed one value, or other names")
    if not head and not are_apart:
        values = _aligned(paths, values, kinds, name)
    of_statistics = endings(levels, kinds, name)
    parts = []
    for path, numbers in values.items():
        if of_statistics and not any(str(part) in of_statistics for part in path):
            continue
        row: dict[str, Any] = {OWN_NAME: range(1, len(numbers) + 1), "measure": measure}
        ending = ""
        for part, kind in zip(path, kinds, strict=True):
            if kind == "statistic":
                ending = of_statistics[part]
            elif kind == "replication":
                row |= {OWN_NAME: number_of(part, levels[kinds.index(kind)])}
            else:
                row[kind] = part
        row["measure"] += ending
        parts.append(pd.DataFrame({**row, "value": numbers}))
    return upright_measures(pd.concat(parts, ignore_index=True), head)


def _head_of_replications(levels: Sequence[Level], kinds: Sequence[Kind]) -> str:
    """Return what the names of replications number, such as fold; nothing where there are none."""
    if "replication" not in kinds:
        return ""
    level = levels[kinds.index("replication")]
    return word_of(level.labels) or OWN_NAME


def upright_measures(frame: pd.DataFrame, head: str = "") -> pd.DataFrame:
    """Return a frame with a column a measure, of one with a row a value.

    `head`: what the replications are called.
    """
    measures = [*dict.fromkeys(frame["measure"])]
    keys = [c for c in frame.columns if c not in ("measure", "value")]
    keys = [c for c in ("dataset", "candidate", OWN_NAME) if c in keys]
    wide = frame.set_index([*keys, "measure"])["value"].unstack("measure", sort=False)
    found: pd.DataFrame = wide[measures].rename_axis(columns=None).reset_index()
    return found.rename(columns={OWN_NAME: head}) if head else found


def _aligned(
    paths: Mapping[Path, Leaf],
    values: Mapping[Path, np.ndarray[Any, Any]],
    kinds: Sequence[Kind],
    name: str,
) -> Mapping[Path, np.ndarray[Any, Any]]:
    """Return the values of each data set, of which those of one place belong together."""
    # Series are aligned by the labels of their rows. Raises ExchangeError if these are others, or
    # there are not as many values of each.
    place = kinds.index("dataset") if "dataset" in kinds else None
    groups: dict[str, list[Path]] = {}
    for path in paths:
        groups.setdefault("" if place is None else path[place], []).append(path)
    found = dict(values)
    for dataset, own in groups.items():
        names = {", ".join(p for i, p in enumerate(path) if i != place): path for path in own}
        where = name if place is None else dataset
        found |= _in_one_order({key: paths[path] for key, path in names.items()}, names, where)
        _check_lengths({key: found[path] for key, path in names.items()}, where, AS_MANY)
    return found


def _in_one_order(
    leaves: Mapping[str, Leaf], path_of: Mapping[str, Path], name: str
) -> dict[Path, np.ndarray[Any, Any]]:
    """Return the numbers of series in the order of the first one."""
    # Raises ExchangeError if rows have other names: those of a place may not belong together.
    series = {key: leaf for key, leaf in leaves.items() if isinstance(leaf, pd.Series)}
    first = next(iter(series.values()), None)
    if first is None or all(own.index.equals(first.index) for own in series.values()):
        return {}
    for key, own in series.items():
        is_same = own.index.is_unique and {*own.index} == {*first.index}
        if not is_same or len(series) < len(leaves):
            raise _other_labels(key, name)
    where = f"{name}: "
    return {path_of[key]: _values(own.reindex(first.index), where) for key, own in series.items()}


def _upright_mapping(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return data sets and their candidates; refuse candidates and their data sets."""
    if not {"dataset", "candidate"} <= {*frame.columns}:
        return frame
    found = swapped(map(str, frame["dataset"].unique()), map(str, frame["candidate"].unique()))
    if found:
        allowed = "a mapping of data sets to mappings of candidates: {dataset: {candidate: …}}"
        raise ExchangeError(f"{name}: found {found}; allowed {allowed}")
    return frame


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


def _check_lengths(columns: Mapping[str, Sized], name: str, allowed: str) -> None:
    """Refuse columns of different lengths."""
    if len({*map(len, columns.values())}) > 1:
        found = listed([f"{len(column)} of {key}" for key, column in columns.items()])
        raise ExchangeError(f"{name}: found values: {found}; allowed {allowed}")
