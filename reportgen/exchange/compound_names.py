"""Names of columns and candidates that are made of several.

Several columns make names of data sets or candidates, as the user says; the name of one column has
a candidate and a measure, as caret writes them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from reportgen.exchange.levels import is_counting
from reportgen.exchange.replications import COORDINATE, NUMBERED, named_coordinates
from reportgen.exchange.roles import (
    CANDIDATES,
    DATASETS,
    REASON_WORDS,
    Role,
    Shape,
    is_known,
    is_summary_name,
    names_sample,
    sample_of,
)
from reportgen.exchange.statuses import outcome_of
from reportgen.exchange.table import RawTable, cells_of, plain_name, result_name, unknown_column
from reportgen.study.errors import listed, measure_name, shown

if TYPE_CHECKING:
    import pyarrow as pa

log = logging.getLogger(__name__)
BETWEEN = " "
NOUNS = {"dataset": "data set", "candidate": "candidate"}
OF_BOTH = re.compile(r"(?P<candidate>[^~]*\w[^~]*)~(?P<measure>[^~]*\w[^~]*)")
"""A column's name in caret's `resamples`: rf~Accuracy."""
LAST = re.compile(r"(?P<candidate>.*\w)[\s_./-]+(?P<measure>[^\W_][\w%()]*)")
FIRST = re.compile(r"(?P<measure>[^\W_]+)[\s_./-]+(?P<candidate>\w.*)")
BRACKETS = re.compile(r"(?P<candidate>.*\w)\s*[(\[](?P<measure>[^\W_][^()\[\]]*)[)\]]")
"""Likewise with other signs between: rf_acc, acc rf, rf (acc)."""
OF_OUTCOMES = ("status", "state", "outcome", "result", "verdict")
"""Likewise of texts beside the values of a candidate."""


def with_compound_names(table: RawTable, shape: Shape) -> RawTable:
    """Return a table with one column where the user names several for data sets or candidates.

    A text stands for itself, a number beside the name of its column: "mnist budget=100". The parts
    are no columns any more, unless they are replications, too. Of a wide table several candidates
    are columns of their own.
    Raises ExchangeError if a column is not there, two combinations have one name, or numbers alone
    give another candidate in each row.
    """
    roles: tuple[Role, ...] = ("dataset",) if shape == "wide" else ("dataset", "candidate")
    for role in roles:
        given = table.user_columns.get(role)
        if given is None or isinstance(given, str):
            continue
        if len(given) == 1:
            name = given[0]
        else:
            table, name = _joined(table, role, given)
        table = replace(table, user_columns={**table.user_columns, role: name})
    return table


def _joined(table: RawTable, role: Role, parts: Sequence[str]) -> tuple[RawTable, str]:
    """Return a table with the column of the names that some columns make, and its name."""
    import pyarrow as pa

    for part in parts:
        if part not in table.columns:
            raise unknown_column(table, part, role)
    labels = [table.labels(part) for part in parts]
    words = [
        [f"{part}={name}" for name in own.names] if table.is_numeric(part) else list(own.names)
        for part, own in zip(parts, labels, strict=True)
    ]
    kinds, number = np.unique(np.array([own.codes for own in labels]), axis=1, return_inverse=True)
    names = [
        BETWEEN.join(own[code] for own, code in zip(words, kind, strict=True))
        for kind in kinds.T.tolist()
    ]
    twice = pd.Series(names).duplicated().to_numpy()
    if twice.any():
        found = f"two combinations of {listed(parts)} that are {shown(names[int(twice.argmax())])}"
        raise table.error(found, f"combinations that give different names of a {NOUNS[role]}")
    if role == "candidate" and len(names) == table.n_rows > 1 and all(map(table.is_numeric, parts)):
        raise table.error(
            f"another combination of {listed(parts)} in each row, as names of candidates",
            "columns that name them; where each column is a candidate, wide: in place of file:",
        )
    own = table.user_columns.get("replication", ())
    kept = {own} if isinstance(own, str) else {*own}
    name = ", ".join(parts)
    cells = pa.array(np.array(names, object)[number.ravel()], pa.string())
    columns = {c: found for c, found in table.columns.items() if c not in parts or c in kept}
    made = replace(table, columns={name: pa.chunked_array([cells]), **columns})
    if role == "candidate":
        levels = {
            full: {
                part: own.names[code] for part, own, code in zip(parts, labels, kind, strict=True)
            }
            for full, kind in zip(names, kinds.T.tolist(), strict=True)
        }
        made = replace(made, candidate_levels=levels)
    return made, name


def _matches(table: RawTable) -> dict[str, re.Match[str]]:
    """Return the columns that are named after a candidate and a measure, with both parts."""
    # Without caret's sign a name has both where each of several candidates has each of several
    # measures, all of which are known, or samples.
    matches = {c: match for c in table.columns if (match := OF_BOTH.fullmatch(c))}
    for pattern in () if matches else (LAST, BRACKETS, FIRST):
        own = {c: match for c in table.columns if (match := pattern.fullmatch(c))}
        known = {
            c: m for c, m in own.items() if is_known(m["measure"]) or names_sample(m["measure"])
        }
        pairs = {(m["candidate"], m["measure"]) for m in known.values()}
        of = [{pair[i] for pair in pairs} for i in (0, 1)]
        if min(map(len, of)) > 1 and len(pairs) == len(of[0]) * len(of[1]):
            return known
    return matches


def _of_best_sample(table: RawTable, found: Mapping[str, tuple[str, str]]) -> RawTable:
    """Return a wide table with the values of the best sample, in columns named after candidates."""
    # `found`: candidate and sample by column.
    best = min(map(sample_of, found))
    kept = {c: own[0] for c, own in found.items() if sample_of(c) == best}
    left = [c for c in found if c not in kept]
    why = REASON_WORDS["other-sample"]
    log.warning("%s: left out: %s (%s)", table.path, listed(left), why)
    table.decided.extend(("left-out-column", f"{listed([c])} ({why})") for c in left)
    columns = {kept.get(c, c): cells for c, cells in table.columns.items() if c not in left}
    return replace(table, columns=columns)


def with_measures_apart(table: RawTable) -> RawTable:
    """Return a table with a row a candidate where names of columns are CANDIDATE~MEASURE.

    Some measure must have two candidates; otherwise, or where the user or a column names the
    candidates, the table is as it was: `train_acc` beside `model` is a measure.
    """
    is_named = not {"candidate", "dataset"}.isdisjoint(table.user_columns)
    if is_named or any(plain_name(c) in CANDIDATES for c in table.columns):
        return table
    found = {c: (m["candidate"].strip(), m["measure"].strip()) for c, m in _matches(table).items()}
    if found and all(names_sample(measure) for _, measure in found.values()):
        return _of_best_sample(table, found)
    candidates = list(dict.fromkeys(candidate for candidate, _ in found.values()))
    measures = list(dict.fromkeys(measure for _, measure in found.values()))
    rest = [c for c in table.columns if c not in found]
    if len(candidates) < 2 or {*measures} & {*rest}:
        return table
    column_of = {own: c for c, own in found.items()}
    values = {}
    for measure in measures:
        own = [table.columns.get(column_of.get((name, measure), "")) for name in candidates]
        values[measure] = own, next(cells.type for cells in own if cells is not None)
    whole = _below_one_another(table, rest, "candidate", candidates, values)
    return replace(whole, orders={**table.orders, "candidate": candidates})


def _below_one_another(
    table: RawTable,
    rest: Sequence[str],
    key: str,
    labels: Sequence[Any],
    values: Mapping[str, tuple[Sequence[pa.ChunkedArray | None], pa.DataType]],
) -> RawTable:
    """Return a table with its rows once for each label."""
    # `rest`: the columns that are repeated.
    # `key`: the column that the labels become.
    # `values`: for each column of the result those that it is made of, one a label, and its type.
    import pyarrow as pa

    n, places = table.n_rows, table.where
    rows = pa.array(np.tile(np.arange(n), len(labels)))
    columns = {c: table.columns[c].take(rows) for c in rest}
    columns[key] = pa.chunked_array([pa.array([label for label in labels for _ in range(n)])])
    for name, (own, kind) in values.items():
        missing = pa.chunked_array([pa.nulls(n, kind)])
        parts = [missing if cells is None else cells.cast(kind) for cells in own]
        columns[name] = pa.chunked_array([chunk for part in parts for chunk in part.chunks])
    return replace(
        table,
        columns=columns,
        n_rows=n * len(labels),
        place=lambda row: places(row % n),
        has_ordered_rows=False,
    )


def with_measure_alone(table: RawTable, measure: str) -> RawTable:
    """Return a wide table with the columns that are named after candidates and the one measure.

    They are called as the candidates; other numbers are of other measures, or of no candidate. A
    text that says that a candidate has not ended well takes the value away.
    """
    import pyarrow as pa

    named = {"candidate", "dataset"} & table.user_columns.keys()
    if "candidate" in named or any(plain_name(c) in CANDIDATES for c in table.columns):
        return table
    wanted = measure_name(result_name(measure))
    for pattern in (LAST, BRACKETS, FIRST):
        matches = {c: m for c in table.columns if (m := pattern.fullmatch(c.strip()))}
        found = {
            m["candidate"]: c
            for c, m in matches.items()
            if measure_name(result_name(m["measure"])) == wanted and table.is_numeric(c)
        }
        if len(found) > 1 and wanted not in map(measure_name, found):
            break
    else:
        return table
    others = [c for c in table.columns if c not in found.values() and table.is_numeric(c)]
    kept = {*named_coordinates(table), *(str(c) for c in table.user_columns.values())}
    kept |= {c for c in others if plain_name(c) in DATASETS}
    left = [c for c in others if c not in kept]
    statuses = {
        m["candidate"]: c
        for c, m in matches.items()
        if m["candidate"] in found and m["measure"].lower() in OF_OUTCOMES
    }
    has_samples = all(_names_sample_last(candidate) for candidate in found)
    if not (left or statuses or has_samples):
        return table
    names = {c: candidate for candidate, c in found.items()}
    gone = {*left, *statuses.values()}
    columns = {names.get(c, c): cells for c, cells in table.columns.items() if c not in gone}
    for candidate, status in statuses.items():
        words = (outcome_of((cell or "").strip(), "status") for cell in cells_of(table, status))
        pairs = zip(cells_of(table, found[candidate]), words, strict=True)
        cells = [cell if word in (None, "ok") else None for cell, word in pairs]
        columns[candidate] = pa.chunked_array([pa.array(cells, pa.string())])
        table.decided.append(("candidate-status", status))
    why = REASON_WORDS["other-measure"]
    if left:
        log.warning("%s: left out: %s (%s)", table.path, listed(left), why)
    table.decided.extend(("left-out-column", f"{listed([c])} ({why})") for c in left)
    return replace(table, columns=columns)


def _names_sample_last(name: str) -> bool:
    return names_sample(re.split(r"[\W_]+", name)[-1])


def with_replications_in_rows(table: RawTable, measure: str) -> RawTable:
    """Return a table with a row a value where columns are Fold 1, Fold 2, … of each candidate.

    `measure`: the one measure, which all these columns have values of. Columns that sum these up
    are left out. A first column of texts without a name has the candidates.
    The table is as it was where nothing names the candidates, or one has the measure's name.
    Raises ExchangeError if the columns are numbers alone, which may be candidates.
    """
    import pyarrow as pa

    found = {c: m for c in table.columns if (m := NUMBERED.fullmatch(c.strip()))}
    found = {c: m for c, m in found.items() if table.is_numeric(c)}
    words = {m[1].lower() for m in found.values()}
    named = table.user_columns.get("candidate")
    has_names = isinstance(named, str) or (
        named is None and any(plain_name(c) in CANDIDATES for c in table.columns)
    )
    if not has_names and named is None and "dataset" not in table.user_columns:
        table = _with_names_of_rows(table, list(found))
        has_names = "candidate" in table.columns
    if not has_names or len(found) < 2 or len(words) > 1 or {*words, measure} & {*table.columns}:
        return table
    rest = [c for c in table.columns if c not in found]
    left = [c for c in rest if is_summary_name(c) and table.is_numeric(c)]
    table.decided.extend(
        ("left-out-column", f"{listed([c])} ({REASON_WORDS['of-others']})") for c in left
    )
    numbers = [int(re.sub(r"\D", "", c)) for c in found]
    kind = next((table.columns[c].type for c in found if table.is_text(c)), pa.float64())
    values = {measure: ([table.columns[c] for c in found], kind)}
    kept = [c for c in rest if c not in left]
    whole = _below_one_another(table, kept, words.pop(), numbers, values)
    return replace(whole, wide_measure="")


def _with_names_of_rows(table: RawTable, numbered: Sequence[str]) -> RawTable:
    """Return a table whose rows have names as one of candidates, if columns are replications."""
    # `numbered`: the columns that are replications by their names.
    # Raises ExchangeError if these are 1, 2, …, or such rows have the name of replications.
    texts = {c: cells for c, cells in table.unnamed.items() if _names_rows(table, c, cells)}
    rest = [c for c in table.columns if c not in numbered and not is_summary_name(c)]
    if len(numbered) > 1 and not rest and texts:
        name, cells = next(iter(texts.items()))
        unnamed = {c: own for c, own in table.unnamed.items() if c != name}
        return replace(table, columns={"candidate": cells, **table.columns}, unnamed=unnamed)
    counted = [c for c in rest if table.is_numeric(c)]
    others = [c for c in rest if c not in counted]
    is_odd = len(others) == 1 and _names_rows(table, others[0], table.columns[others[0]])
    is_odd = is_odd and COORDINATE.fullmatch(plain_name(others[0])) is not None
    if len(numbered) > 1 and not counted and is_odd:
        counted = [*numbered]
    elif len(counted) < 2 or not is_counting(counted) or not (is_odd or (texts and not others)):
        return table
    heads = listed(counted)
    text = f"the column {listed(others)} of texts, and " * is_odd
    way = "frame.add_prefix('fold')" if table.is_argument else "such as fold1, fold2"
    raise table.error(
        f"{text}the columns {heads}, which may be replications or candidates",
        f"names that tell: {way} where they are replications, beside a column candidate; "
        f"{table.key('columns', {'candidate': counted}, is_alone=False)} where they are candidates",
    )


def _names_rows(table: RawTable, name: str, cells: Any) -> bool:
    """Whether a column has texts, which are no replications."""
    own = replace(table, columns={name: cells}, orders={})
    if not own.is_text(name) or own.is_numeric(name):
        return False
    return not all(NUMBERED.fullmatch((cell or "").strip()) for cell in cells_of(own, name))
