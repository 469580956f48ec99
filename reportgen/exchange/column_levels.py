"""Data frames whose columns have several levels, or are replications: laid out tidily.

So are they after `pivot`, `unstack` and `groupby(…).agg([…])`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from reportgen.errors import ExchangeError
from reportgen.exchange.levels import (
    NAMES,
    Kind,
    Level,
    describes,
    endings,
    kinds_of_columns,
    number_of,
    told_kinds,
    word_of,
)
from reportgen.exchange.replications import COORDINATE, OWN_NAME
from reportgen.exchange.spreads import WORDS
from reportgen.exchange.table import plain_name
from reportgen.study.errors import listed


def has_levels(frame: pd.DataFrame) -> bool:
    """Whether the columns of a frame have several levels, or are replications or statistics."""
    if frame.columns.nlevels > 1:
        return True
    name = frame.columns.name
    is_numbered = isinstance(name, str) and COORDINATE.fullmatch(plain_name(name))
    rows = map(plain_name, map(str, frame.index.names))
    is_described = describes([*frame.columns]) and not NAMES["candidate"].isdisjoint(rows)
    return bool(is_numbered) or (is_described and not {*frame.columns} <= {*WORDS})


def of_levels(frame: pd.DataFrame, name: str, measure: str) -> pd.DataFrame:
    """Lay out such a frame: a row a data set, replication and candidate, a column a measure.

    Raises ExchangeError if the names of levels, or of columns, do not tell what these are.
    """
    frame = _with_keys_in_index(frame)
    paths = [own if isinstance(own, tuple) else (own,) for own in list[Any](frame.columns)]
    levels = [
        Level([*dict.fromkeys(labels)], _name(own))
        for labels, own in zip(zip(*paths, strict=True), frame.columns.names, strict=True)
    ]
    rows = _named_rows(frame)
    texts = _texts(frame)
    told = told_kinds(levels, measure, name)
    sides = {str(kind): any(plain_name(c) in NAMES[kind] for c in rows) for kind in SIDES}
    if texts is not None:
        side = _side_of_rows(told, sides, texts)
        rows, sides = rows.assign(**{side: texts}), {**sides, side: True}
    kinds = kinds_of_columns(
        levels, measure, name, has_candidates=sides["candidate"], has_datasets=sides["dataset"]
    )
    if "candidate" not in kinds and not sides["candidate"]:
        found = f"columns of {' and '.join(f'{kind}s' for kind in kinds)}, and no candidates"
        raise ExchangeError(f"{name}: found {found}; allowed rows named candidate")
    is_numbered = any(COORDINATE.fullmatch(plain_name(c)) for c in rows)
    if not is_numbered and not any(sides.values()) and "replication" not in kinds:
        rows = rows.assign(**{OWN_NAME: range(1, len(rows) + 1)})
    return _laid_out(frame, rows, paths, levels, kinds, name, measure)


def _name(level: Any) -> str:
    return "" if level is None else str(level)


SIDES: tuple[Kind, ...] = ("candidate", "dataset")


def _with_keys_in_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with an index of those columns that have a name in one level alone."""
    heads, keys = list[Any](frame.columns), list[Any]()
    if frame.columns.nlevels == 1:
        keys = [own for own in heads if isinstance(own, str) and _is_key(own)]
    else:
        keys = [own for own in heads if not any(str(part).strip() for part in own[1:])]
    if not keys or len(keys) == len(frame.columns):
        return frame
    names = [str(own[0] if isinstance(own, tuple) else own) for own in keys]
    index = pd.MultiIndex.from_arrays([frame[own] for own in keys], names=names)
    rest = frame.drop(columns=keys)
    named = [level for level in frame.index.names if level is not None]
    own = frame.index.to_frame()[named] if named else frame.index.to_frame()[[]]
    whole = pd.concat([own.reset_index(drop=True), index.to_frame(index=False)], axis=1)
    return rest.set_axis(pd.MultiIndex.from_frame(whole))


def _is_key(head: str) -> bool:
    """Whether a column names candidates, data sets or replications."""
    plain = plain_name(head)
    is_side = any(plain in NAMES[kind] for kind in SIDES)
    return is_side or COORDINATE.fullmatch(plain) is not None


def _named_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the levels of the index that have names."""
    named = [str(level) for level in frame.index.names if level is not None]
    levels = [frame.index.get_level_values(i) for i, own in enumerate(frame.index.names)
              if own is not None]  # fmt: skip
    return pd.DataFrame(dict(zip(named, levels, strict=True)), index=range(len(frame)))


def _texts(frame: pd.DataFrame) -> Sequence[str] | None:
    """Return the texts of an index without a name."""
    if frame.index.nlevels > 1 or frame.index.name is not None or not len(frame):
        return None
    labels = [*frame.index]
    return labels if all(isinstance(label, str) for label in labels) else None


def _side_of_rows(told: Sequence[Kind], sides: Mapping[str, bool], labels: Sequence[str]) -> str:
    """Return what rows are that have texts alone: replications, data sets or candidates."""
    if word := word_of(labels):
        return word
    if "dataset" in told or sides["dataset"]:
        return "candidate"
    is_open = "candidate" in told or any(kind in ("", "number") for kind in told)
    return "dataset" if is_open else "candidate"


def _laid_out(
    frame: pd.DataFrame,
    rows: pd.DataFrame,
    paths: Sequence[tuple[Any, ...]],
    levels: Sequence[Level],
    kinds: Sequence[Kind],
    name: str,
    measure: str,
) -> pd.DataFrame:
    """Lay out the columns one below the other, those of measures beside one another."""
    parts: dict[tuple[Any, ...], dict[str, Any]] = {}
    heads = [_head(own, kind) for own, kind in zip(levels, kinds, strict=True)]
    of_statistics = endings(levels, kinds, name)
    for i, path in enumerate(paths):
        if of_statistics and not any(str(part) in of_statistics for part in path):
            continue
        called, word, keys = measure, "", {}
        for part, level, kind, head in zip(path, levels, kinds, heads, strict=True):
            if kind == "measure":
                called = str(part)
            elif kind == "statistic":
                word = of_statistics[str(part)]
            else:
                keys[head] = number_of(part, level) if kind == "replication" else str(part)
        twice = {*keys} & {*map(str, rows.columns)}
        if twice:
            raise ExchangeError(f"{name}: found {listed(twice)} twice; allowed once")
        own = parts.setdefault(tuple(keys.items()), {})
        own[called + word] = frame.iloc[:, i].to_numpy()
    tables = [rows.assign(**dict(keys)).assign(**columns) for keys, columns in parts.items()]
    found: pd.DataFrame = pd.concat(tables, ignore_index=True)
    return found


def _head(level: Level, kind: Kind) -> str:
    """Return what the column of a level is called."""
    if kind != "replication":
        return kind
    is_own = bool(COORDINATE.fullmatch(plain_name(level.name)))
    return level.name if is_own else word_of(level.labels) or OWN_NAME
