"""What the readers of logs share: files of bounded size, and one table made of many runs.

A log is a file, or a folder of files, that a program wrote while it evaluated something; it
has no rows. A reader finds its files (`Logs`), takes of each what one candidate did on one
data set (`Run`), and `log_table` puts the runs together. The table has the columns dataset,
candidate, replication, item, cluster, epoch and one a measure. In these an empty cell (null)
was never to be measured, and not a number was lost.

An item is named by text, and each of its runs gets a number of a replication: those of a data
set are numbered from 1 by item (by value where all names are whole numbers, else by text), then
by epoch, the repeated run. The numbers depend on nothing but these names. `RawTable.items` tells
which item, cluster and epoch a replication is; in a warehouse an item is one replication
(`warehouse.items.by_item`). Samples of a timing belong to no item: no two candidates share one.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from math import isfinite, nan
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen import json_text
from reportgen.data_classes import dataclass
from reportgen.errors import ExchangeError
from reportgen.exchange.readers.fits import Fits, Format, Part, whole_numbers
from reportgen.exchange.spellings import KEYS
from reportgen.exchange.table import RawTable, plain_name
from reportgen.file_reading import size_fault
from reportgen.performance_measure import Better, Measure
from reportgen.study.errors import shown
from reportgen.study.result_files import MAY_BE_LOGS
from reportgen.units import unit_named
from reportgen.warehouse import FAILURE_COLUMNS
from reportgen.warehouse.items import ITEM_COLUMNS, item_order, ranks_within

log = logging.getLogger(__name__)

MOST_NAMED = 4  # data sets, in what is told of a measure
MOST_FILES = 200_000  # below a folder
PIECE = 1 << 18  # bytes for which memory is taken at once
MOST_BYTES = 4 << 30  # of one file
MOST_LOOKED_AT = 16 << 20  # bytes, to find out whose files they are
JSON_NAME = r".+\.json"
SHARES = frozenset(
    "acc accnorm accuracy correct exactmatch iscorrect passat1 resolved success".split()
)
"""Names of measures that are shares of correct answers, without dashes and underscores."""
TIME = Measure("time", "smaller", "s", (0.0, None))
TOKENS = Measure("tokens", "smaller", "tokens", (0.0, None), "ratio")
COST = Measure("cost", "smaller", "USD", (0.0, None), "ratio")
COSTS = (TIME, TOKENS, COST)
PRIMARY = "primary"
"""The name of the measure that joins the main measures of data sets that have different ones."""
CLUSTERS = (
    "cluster cluster_id document document_id doc conversation conversation_id dialogue "
    "dialogue_id repository repo passage passage_id article article_id story_id context_id"
).split()
"""Keys of an item's metadata that name its cluster, the surest first."""
Unit = Literal["item", "sample", ""]


@dataclass(frozen=True, slots=True)
class Logs:
    """A file, or the files below a folder; none that a link leads to outside."""

    path: Path
    files: tuple[Path, ...]  # in the order of their names
    _documents: dict[Path, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, path: Path) -> Logs:
        """Find the files.

        Raises ExchangeError if they are too many.
        """
        if not path.is_dir():
            return cls(path, (path,))
        inside, files = path.resolve(), list[Path]()
        for name, folders, names in os.walk(path, followlinks=False):
            folders.sort()
            found = (Path(name, file) for file in sorted(names) if file.endswith(MAY_BE_LOGS))
            files += [file for file in found if file.resolve().is_relative_to(inside)]
            if len(files) > MOST_FILES:
                raise ExchangeError(
                    f"{path}: found more than {MOST_FILES:,} files; allowed a folder of results"
                )
        return cls(path, tuple(file for file in files if file.is_file()))

    def named(self, pattern: str) -> tuple[Path, ...]:
        """Return the files whose names match a pattern."""
        return tuple(file for file in self.files if re.fullmatch(pattern, file.name))

    def has(self, is_own: Callable[[Any], bool]) -> bool:
        """Whether the content of a JSON file is of a kind; of large folders some are looked at."""
        return any(is_own(content) for content in self._first_documents())

    def _first_documents(self) -> Iterator[Any]:
        n_bytes = 0
        for path in self.named(JSON_NAME):
            if n_bytes and n_bytes + path.stat().st_size > MOST_LOOKED_AT:
                continue
            n_bytes += path.stat().st_size
            if path not in self._documents:
                try:
                    self._documents[path] = read_json(path)
                except ExchangeError:
                    if path == self.path:
                        raise
                    continue  # who reads it has the error
            yield self._documents[path]

    def documents(self, pattern: str = JSON_NAME) -> Iterator[tuple[Path, Any]]:
        """Yield the JSON files of such names, with their content."""
        for path in self.named(pattern):
            yield path, self._documents[path] if path in self._documents else read_json(path)


@dataclass(frozen=True, slots=True)
class Run:
    """What one file has of one candidate on one data set, an item (or sample) a place."""

    path: Path
    dataset: str
    candidate: str
    items: Sequence[str]  # the items' own names
    # By measure: None where there was nothing to measure, not a number where the value was lost.
    values: Mapping[str, Sequence[float | None]]
    # Which repeated run of its item each is, from 1; all 1 when left out.
    epochs: Sequence[int] | None = None
    # The document, conversation or repository that each item is of.
    clusters: Sequence[str | None] | None = None
    failures: Mapping[int, str] = field(default_factory=dict)  # why the value at a place was lost
    variant: str = ""  # how the candidate was set up, which makes it another where several were.
    main: str = ""  # the measure by which the program ranks on this data set; "" where unknown


@dataclass(frozen=True, slots=True)
class Content:
    """All that logs have."""

    runs: Sequence[Run]
    known: Mapping[str, Measure]  # measures whose direction the program documents
    # Whether what all candidates did is the same, or samples are drawn of each apart; empty where
    # there is one value of each candidate and data set.
    unit: Unit = "item"
    decided: Sequence[tuple[str, str]] = ()  # as in `RawTable.decided`


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A kind of logs that a program writes."""

    # name, known_by, program: As of a `Format`.
    name: str
    known_by: str
    program: str
    # Whether logs are of this kind, by the names of the files or what is in one.
    finds: Callable[[Logs], bool]
    # Takes the logs; raises an ExchangeError where they cannot be understood.
    read: Callable[[Logs], Content]

    @property
    def format(self) -> Format:
        """The format of the table that `table` makes."""
        is_own = partial(_is_of, name=self.name)
        return Format(self.name, self.known_by, self.program, is_own, _fits)

    def table(self, logs: Logs) -> RawTable:
        """Read logs into one table.

        Raises ExchangeError if they cannot be understood, or an item occurs twice.
        """
        content = self.read(logs)
        table = log_table(logs.path, content)
        return replace(table, log_format=self.name, program=self.program)


def _is_of(table: RawTable, name: str) -> bool:
    return table.log_format == name


def _fits(table: RawTable) -> Fits:
    """Read the table of logs: a measure has the fits whose cells are not empty."""
    parts = []
    for name in table.columns:
        if name not in KEYS:
            column = table.columns[name].combine_chunks()
            fits = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
            parts.append(Part(name, fits, column.to_numpy(zero_copy_only=False)[fits]))
    return Fits(
        table.labels("dataset"),
        table.labels("candidate"),
        whole_numbers(table, "replication"),
        np.arange(table.n_rows),
        tuple(parts),
        table.known,
        table.failures,
    )


# --- reading -------------------------------------------------------------------


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises ExchangeError if it is too large, or no JSON.
    """
    return parse_json(str(path), read_bytes(path))


def read_bytes(path: Path) -> bytes:
    """Read a file.

    Raises ExchangeError if it is too large.
    """
    if path.stat().st_size > MOST_BYTES:
        raise ExchangeError(f"{path}: found more than {MOST_BYTES >> 30} GiB; allowed less")
    if found := size_fault(path, json_text.TIMES):
        raise ExchangeError(f"{path}: found {found}; allowed less")
    with path.open("rb") as file:  # which may grow, or say that it is empty
        parts, n_bytes = [], 0
        while n_bytes <= MOST_BYTES and (part := file.read(PIECE)):
            parts.append(part)
            n_bytes += len(part)
    if n_bytes > MOST_BYTES:
        raise ExchangeError(f"{path}: found more than {MOST_BYTES >> 30} GiB; allowed less")
    return b"".join(parts)


def parse_json(where: str, content: bytes) -> Any:
    """Return what JSON text says.

    Raises ExchangeError if it is no JSON.
    """
    try:
        return json_text.parse_json(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ExchangeError(
            f"{where}: found text that is not UTF-8 ({error.reason}); allowed UTF-8"
        ) from None
    except ValueError as error:
        raise ExchangeError(f"{where}: found no JSON ({error}); allowed JSON") from None


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the mappings of a file with one a line, and the lines' numbers from 1.

    Raises ExchangeError if the file is too large, or a line is no mapping in JSON.
    """
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size > MOST_BYTES:
            raise ExchangeError(f"{path}: found more than {MOST_BYTES >> 30} GiB; allowed less")
        yield from lines_of(path, file)


def lines_of(path: Path, lines: Iterable[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the mappings of lines, as `read_lines` does.

    `path`: for messages.
    """
    decode = json.JSONDecoder(object_pairs_hook=json_text.unique_mapping).raw_decode
    for number, line in enumerate(lines, start=1):
        try:
            text = line.decode()
            record, end = decode(text)
        except (ValueError, RecursionError):
            record, end, text = None, 0, line.decode(errors="replace")
            if not text.strip():
                continue
        is_odd = end + 1 != len(text) and text[end:].strip()  # also where nothing was decoded
        if is_odd or json_text.SURROGATE.search(text):
            record = parse_json(f"{path}: line {number}", line)
        if type(record) is not dict:
            raise ExchangeError(f"{path}: line {number}: found {shown(record)}; allowed a mapping")
        yield number, record


def look_up(path: Path, record: Any, *keys: str, kind: type = str) -> Any:
    """Return what is below keys in a document.

    Raises ExchangeError if a key is missing, or its value is of another kind.
    """
    value = record
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    if not isinstance(value, kind) or value == "":
        names = {str: "text", list: "a list", dict: "a mapping", int: "a whole number"}
        raise ExchangeError(
            f"{path}: {'.'.join(keys)}: found {shown(value)}; allowed {names.get(kind, 'a number')}"
        )
    return value


def mapping(value: Any) -> dict[str, Any]:
    """Return a mapping as it is, and an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def number(value: Any) -> float | None:
    """Return a number or truth value as a number; None for anything else.

    Examples
    --------
    >>> number(True), number(2), number("2"), number(float("inf"))
    (1.0, 2.0, None, None)
    """
    kind = type(value)
    if kind is float:
        return value if isfinite(value) else None
    if kind is bool or (kind is int and abs(value) < 1 << 1000):
        return float(value)
    return None


def measured(value: Any) -> float | None:
    """Return what was measured: a number, but no truth value, which is a score at most.

    Examples
    --------
    >>> measured(2), measured(True)
    (2.0, None)
    """
    return None if type(value) is bool else number(value)


def label(value: Any) -> str | None:
    """Return text, or a whole number as text; None for anything else."""
    if isinstance(value, str):
        return value.strip() or None
    return str(value) if isinstance(value, int) and abs(value) < 1 << 1000 else None


def documented(name: str, better: Better | None) -> dict[str, Measure]:
    """Return the measure of that name by the name, where the program documents a direction."""
    if better is None:
        return {}
    is_share = better == "larger" and plain_name(name) in SHARES
    share = Measure(name, better, "share", (0.0, 1.0))
    return {name: share if is_share else Measure(name, better)}


def distinct_items(path: Path, keys: Sequence[str], numbers: Sequence[Any]) -> Sequence[str]:
    """Return names of items: their keys, where equal ones are told apart in the order of numbers.

    Raises ExchangeError if key and number are those of another item.
    """
    if len(set(keys)) == len(keys):
        return keys
    twice = [pair for pair, n in Counter(zip(keys, numbers, strict=True)).items() if n > 1]
    if twice:
        raise ExchangeError(
            f"{path}: found the item {shown(twice[0][1])} ({twice[0][0]}) a second time; allowed "
            "each once"
        )
    names, seen = list(keys), Counter[str]()
    for i in sorted(range(len(names)), key=numbers.__getitem__):
        seen[keys[i]] += 1
        if seen[keys[i]] > 1:
            names[i] = f"{keys[i]} #{seen[keys[i]]}"
    return names


def agree(path: Path, known: Mapping[str, Measure], found: Mapping[str, Measure]) -> None:
    """Raise an error where a measure has one direction here and another one elsewhere."""
    for name, measure in found.items():
        if known.get(name, measure).better != measure.better:
            raise ExchangeError(
                f"{path}: found {shown(name)}, of which {measure.better} values are better here "
                f"and {known[name].better} ones elsewhere; allowed one direction: read these apart"
            )


def find_clusters(metadata: Sequence[Any]) -> tuple[str, list[str]] | None:
    """Return the key that names the clusters of items, and the cluster of each; None without.

    Each item must have one, and some must share it.

    Examples
    --------
    >>> find_clusters([{"document": "a"}, {"document": "a"}, {"document": "b"}])
    ('document', ['a', 'a', 'b'])
    >>> find_clusters([{"document": "a"}, {"level": 2}])
    """
    for key in CLUSTERS:
        found = [label(mapping(own).get(key)) for own in metadata]
        names = [name for name in found if name is not None]
        if len(names) == len(found) and 1 < len(set(names)) < len(names):
            return key, names
    return None


# --- one table -----------------------------------------------------------------


def log_table(path: Path, content: Content) -> RawTable:
    """Put runs into one table.

    Raises ExchangeError if there are none, an item occurs twice in one run, or is in two clusters.
    """
    import pyarrow as pa

    runs = _separate(_join_files([run for run in content.runs if len(run.items)]))
    if not runs:
        raise ExchangeError(f"{path}: found no items; allowed results of at least one")
    mains = _mains(runs)
    joined, told = _primary(runs, mains, content.known)
    if joined is not None:
        runs = [_with_primary(run, mains[run.dataset]) for run in runs]
    datasets = _repeat(runs, [run.dataset for run in runs])
    candidates = _repeat(runs, [run.candidate for run in runs])
    clusters = _clusters(runs)
    keys = _number(runs, datasets, content.unit)
    own = pd.Series(clusters, dtype="category")
    _check_items(runs, keys, candidates, own)
    columns: dict[str, Any] = {
        "dataset": datasets,
        "candidate": candidates,
        "replication": keys["replication"].to_numpy(),
    }
    if unit_named(content.unit).is_nested:
        columns |= {"item": keys["item"].array, "cluster": own.array}
        columns["epoch"] = keys["epoch"].to_numpy()
    arrow = {name: pa.array(column) for name, column in columns.items()}
    measures = _measures(runs, content.unit)
    arrow |= {name: _values(runs, name) for name in measures}
    frame = pd.DataFrame({"dataset": datasets, "cluster": own.array, **keys})
    items = frame.drop_duplicates(["dataset", "replication"])[list(ITEM_COLUMNS)]
    items = items.sort_values(["dataset", "replication"]).reset_index(drop=True)
    ends = np.cumsum([len(run.items) for run in runs])
    return RawTable(
        path,
        {name: pa.chunked_array([column]) for name, column in arrow.items()},
        int(ends[-1]),
        None,
        {
            **{m.name: m for m in COSTS if m.name in measures},
            **content.known,
            **({} if joined is None else {PRIMARY: joined}),
        },
        place=partial(_place, runs, ends),
        failures=_failures(runs, frame["replication"].to_numpy()),
        decided=[*content.decided, *told],
        items=items.astype({"dataset": object}) if unit_named(content.unit).is_nested else None,
        unit=content.unit,
    )


def _separate(runs: list[Run]) -> list[Run]:
    """Name the variants of a candidate, and number repeated runs in the order of their files."""
    variants = defaultdict(set)
    for run in runs:
        variants[run.candidate].add(run.variant)
    several = {name for name, found in variants.items() if len(found) > 1}
    seen: Counter[tuple[str, str]] = Counter()
    latest: dict[tuple[str, str], tuple[Path, int]] = {}
    found = []
    for run in runs:
        is_variant = run.variant and run.candidate in several
        name = f"{run.candidate} ({run.variant})" if is_variant else run.candidate
        key = (run.dataset, name)
        epochs = run.epochs or [1] * len(run.items)
        path, shift = latest.get(key, (run.path, 0))
        if path != run.path:  # runs of one file that are still apart have an item twice
            shift = seen[key]
        latest[key] = run.path, shift
        epochs = [epoch + shift for epoch in epochs]
        seen[key] = max(seen[key], *epochs)
        found.append(replace(run, candidate=name, epochs=epochs))
    return found


def _join_files(runs: list[Run]) -> list[Run]:
    """Put runs of one file, data set and candidate side by side: they measure the same answers."""
    groups: dict[tuple[Path, str, str, str], list[Run]] = defaultdict(list)
    for run in runs:
        groups[run.path, run.dataset, run.candidate, run.variant].append(run)
    return [run for own in groups.values() for run in (_join(own) if len(own) > 1 else own)]


def _join(runs: list[Run]) -> list[Run]:
    """Join runs, each of which has measures of its own; leave them where two have the same."""
    keys = [list(zip(run.items, run.epochs or [1] * len(run.items), strict=True)) for run in runs]
    place = {key: i for i, key in enumerate(dict.fromkeys(key for own in keys for key in own))}
    costs = [measure.name for measure in COSTS]
    values: dict[str, list[float | None]] = {}
    clusters: list[str | None] = [None] * len(place)
    failures: dict[int, str] = {}
    for run, own in zip(runs, keys, strict=True):
        at = [place[key] for key in own]
        if len(set(at)) < len(at) or any(
            name in values for name in {*run.values}.difference(costs)
        ):
            return runs
        for name, column in run.values.items():
            joined = values.setdefault(name, [None] * len(place))
            for i, value in zip(at, column, strict=True):
                joined[i] = value
        for i, cluster in zip(at, run.clusters or (), strict=False):
            clusters[i] = cluster
        failures |= {at[i]: text for i, text in run.failures.items()}
    items, epochs = (list(column) for column in zip(*place, strict=True))
    return [
        replace(
            runs[0],
            items=items,
            epochs=epochs,
            values=values,
            main=next((run.main for run in runs if run.main), ""),
            clusters=clusters if any(clusters) else None,
            failures=failures,
        )
    ]


def _mains(runs: Sequence[Run]) -> dict[str, str]:
    """Return the main measure of each data set; "" where it is unknown."""
    mains: dict[str, str] = {}
    for run in runs:
        mains[run.dataset] = mains.get(run.dataset) or run.main
    return mains


def _primary(
    runs: Sequence[Run], mains: Mapping[str, str], known: Mapping[str, Measure]
) -> tuple[Measure | None, list[tuple[str, str]]]:
    """Return the measure that joins the main ones of the data sets, and what is told of it."""
    # Result: no measure where all data sets have the same main one, where that of some is unknown,
    # or where they cannot be joined: values are from 0 to 1, and larger ones are better.
    names = list(dict.fromkeys(mains.values()))
    if len(names) < 2 or "" in names or any(PRIMARY in run.values for run in runs):
        return None, []
    measures = {name: known.get(name, Measure(name)) for name in names}
    values = {name: _observed(runs, mains, name) for name in names}
    odd = [
        name
        for name, own in values.items()
        if name not in known
        or measures[name].better != "larger"
        or (len(own) and not 0.0 <= own.min() <= own.max() <= 1.0)
    ]
    if odd:
        return None, [("no-primary", ", ".join(odd))]
    parts = [_joined_part(name, [d for d, own in mains.items() if own == name]) for name in names]
    units = {own.unit_symbol for own in measures.values()}
    unit = units.pop() if len(units) == 1 else ""
    return Measure(PRIMARY, "larger", unit, (0.0, 1.0)), [("primary", part) for part in parts]


def _observed(runs: Sequence[Run], mains: Mapping[str, str], name: str) -> NDArray[np.float64]:
    """Return the values of a measure on the data sets whose main one it is."""
    columns = (run.values.get(name, ()) for run in runs if mains[run.dataset] == name)
    found = np.array([x for column in columns for x in column if x is not None], np.float64)
    return found[np.isfinite(found)]


def _joined_part(name: str, datasets: Sequence[str]) -> str:
    """Say of which data sets a measure is the main one; of many how many they are."""
    shown_first = ", ".join(datasets[:MOST_NAMED])
    more = len(datasets) - MOST_NAMED
    return f"{name} ({shown_first}{f' and {more} more' if more > 0 else ''})"


def _with_primary(run: Run, main: str) -> Run:
    """Put the main measure of a run's data set first, under the name that all have in common."""
    own = run.values.get(main)
    return run if own is None else replace(run, values={PRIMARY: own, **run.values})


def _repeat(runs: Sequence[Run], names: Sequence[str]) -> pd.Categorical[str]:
    """Return the run's name at each of its places."""
    categories = list(dict.fromkeys(names))
    place = {name: i for i, name in enumerate(categories)}
    codes = np.repeat([place[name] for name in names], [len(run.items) for run in runs])
    return pd.Categorical.from_codes(codes, pd.Index(categories, dtype=object))


def _number(runs: Sequence[Run], datasets: pd.Categorical[str], unit: Unit) -> pd.DataFrame:
    """Number the items of each data set, with their repeated runs; samples one after the other."""
    epochs = np.concatenate([np.asarray(run.epochs, np.int64) for run in runs])
    codes, names = pd.factorize(np.concatenate([np.array(run.items, object) for run in runs]))
    order = item_order(names.tolist())
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    item = pd.Categorical.from_codes(place[codes], pd.Index(names[order], dtype=object))
    own = datasets.codes.astype(np.int64)
    if not unit_named(unit).shares_rows:
        replications = pd.Series(own).groupby(own).cumcount().to_numpy() + 1
    else:
        replications = ranks_within(own, place[codes], epochs)
    return pd.DataFrame({"replication": replications, "item": item, "epoch": epochs})


def _clusters(runs: Sequence[Run]) -> list[str | None]:
    """Return the cluster of each place; None where there is none."""
    found: list[str | None] = []
    for run in runs:
        found += run.clusters if run.clusters is not None else [None] * len(run.items)
    return found


def _check_items(
    runs: Sequence[Run],
    keys: pd.DataFrame,
    candidates: pd.Categorical[str],
    clusters: pd.Series[Any],
) -> None:
    """Raise an error where an item occurs twice, or is in two clusters."""
    datasets = np.repeat(np.arange(len(runs)), [len(run.items) for run in runs])
    names = {name: i for i, name in enumerate(dict.fromkeys(run.dataset for run in runs))}
    own = np.array([names[run.dataset] for run in runs])[datasets]
    frame = pd.DataFrame({"d": own, "b": keys["replication"], "k": candidates.codes})
    twice = frame.duplicated().to_numpy()
    if twice.any():
        raise _item_error(runs, keys, datasets, int(twice.argmax()), "a second time", "each once")
    codes = clusters.cat.codes.to_numpy()
    there = pd.DataFrame({"d": own, "i": keys["item"].cat.codes, "c": codes})[codes >= 0]
    several = there.drop_duplicates().duplicated(["d", "i"]).to_numpy()
    if several.any():
        at = int(there.drop_duplicates().index[int(several.argmax())])
        found = f"in the cluster {shown(str(clusters.iloc[at]))} and in another"
        raise _item_error(runs, keys, datasets, at, found, "one cluster an item")


def _item_error(
    runs: Sequence[Run],
    keys: pd.DataFrame,
    owners: NDArray[Any],
    at: int,
    found: str,
    allowed: str,
) -> ExchangeError:
    run, row = runs[int(owners[at])], keys.iloc[at]
    epoch = f" (run {row['epoch']})" if row["epoch"] > 1 else ""
    return ExchangeError(
        f"{run.path}: found the item {shown(str(row['item']))}{epoch} of {shown(run.dataset)} "
        f"{found}, with the candidate {shown(run.candidate)}; allowed {allowed}"
    )


def _measures(runs: Sequence[Run], unit: Unit) -> list[str]:
    """Return the measures as they appear; what costs comes last, but time first in timings."""
    found = list(dict.fromkeys(name for run in runs for name in run.values))
    if not unit_named(unit).shares_rows and TIME.name in found:
        return [TIME.name, *(name for name in found if name != TIME.name)]
    costs = [m.name for m in COSTS if m.name in found]
    return [name for name in found if name not in costs] + costs


def _values(runs: Sequence[Run], name: str) -> Any:
    """Return a measure at all places: empty where there was nothing to measure."""
    import pyarrow as pa

    parts = []
    for run in runs:
        values = run.values.get(name)
        parts.append(
            pa.nulls(len(run.items), pa.float64())
            if values is None
            else pa.array(values, pa.float64(), from_pandas=False)
        )
    return pa.concat_arrays(parts)


def _failures(runs: Sequence[Run], replications: NDArray[np.int64]) -> pd.DataFrame:
    """Return why values were lost, as a warehouse keeps it."""
    rows, start = [], 0
    for run in runs:
        rows += [
            (run.dataset, int(replications[start + i]), run.candidate, "run", "failed", text)
            for i, text in run.failures.items()
        ]
        start += len(run.items)
    return pd.DataFrame(rows, columns=list(FAILURE_COLUMNS))


def _place(runs: Sequence[Run], ends: NDArray[Any], row: int) -> str:
    """Describe where a row is from."""
    i = int(np.searchsorted(ends, row, "right"))
    run = runs[i]
    at = row - (int(ends[i - 1]) if i else 0)
    return f"{run.path.name}, item {run.items[at]}"


def lost(names: Iterable[str], values: dict[str, list[float | None]]) -> None:
    """Append a value that was lost to each of the measures."""
    for name in names:
        values[name].append(nan)
