"""The columns of a table of results: what each means, and which measures they hold."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from pydantic import ValidationError

from reportgen.catalogue.measures import OF_ANYTHING, known_measure
from reportgen.catalogue.measures.directions import known_direction
from reportgen.data_classes import dataclass
from reportgen.errors import ExchangeError
from reportgen.exchange.items import find_item_columns
from reportgen.exchange.keys import COMMANDS, flow, quoted
from reportgen.exchange.replications import NUMBERED, named_coordinates
from reportgen.exchange.roles import (
    CANDIDATE,
    CANDIDATES,
    DATASETS,
    OF_VALUES,
    Role,
    Roles,
    is_known,
    sample_of,
)
from reportgen.exchange.table import (
    RawTable,
    cells_of,
    has_spread,
    numbers_of,
    odd_number,
    plain_name,
    result_name,
)
from reportgen.installation import page_url
from reportgen.performance_measure import Better, BetterSource, Measure, in_per_cent
from reportgen.study.errors import faults_of, listed, measure_name, nearest, shown
from reportgen.study.schema import MeasureEntry

log = logging.getLogger(__name__)

WIDE = "wide table"
WITH_SIGN = re.compile(r"(?P<name>.*\w)\s*(\(\s*(in\s+)?%\s*\)|\[\s*%\s*\])\s*")
OF_MACHINES = frozenset(
    "host hostname machine node server worker user branch device platform os note notes tag".split()
)
"""Names of columns of text that tell no data sets apart."""
OF_ONE = frozenset(
    "acc accuracy err error rmse mse mae loss score auc value result performance time".split()
)
"""Names of measures that have no number behind them: such numbers are of replications."""
MOST_ROWS = 100_000  # of a table that is searched for settings that divide replications
MOST_LEVELS = 10
ROUNDED = 1e-3  # by which twins may differ, relatively: one of them is often written shorter
FEWEST_TASKS = 3  # columns that may be the tasks of a leaderboard
TO_SAY = 'better: "???"}    # in place of ???: smaller or larger'
"""The end of the line of a manifest with the better values of a measure."""
OR_DATA = "(are they data to learn from? `reportgen init DIR` writes a manifest that may name them)"
COSTS = ("s", "bytes")
OF_NUMBERS = (*OF_VALUES, "mean", "average", "avg", "median")
"""Names of columns of numbers that say nothing of the measure."""
SOURCE_NAMES = {"catalogue": "the catalogue", "file": "the file", "name": "its name"}


class DirectionError(ExchangeError):
    """Nobody knows which side of some measures is better.

    `names`: the measures, as the manifest calls them, else the file.
    """

    def __init__(self, text: str, names: tuple[str, ...]) -> None:
        super().__init__(text)
        self.names = names


@dataclass(frozen=True, slots=True)
class Layout:
    """The meaning of the columns of a table."""

    columns: Mapping[str, str]  # the file's column by our name for it; only those that are there
    # The measures by their name in the file: a label of the measure column, else the column that
    # holds the values. In the study's order.
    measures: Mapping[str, Measure]
    replications: tuple[str, ...] = ()  # the columns that identify the replications

    @property
    def is_tidy(self) -> bool:
        """Whether the measure's name is in a column of its own."""
        return "measure" in self.columns


def wanted_columns(table: RawTable, entries: Sequence[MeasureEntry]) -> set[str]:
    """Return the columns that the user names as measures."""
    return {entry.written for entry in entries} & set(table.columns)


def find_layout(table: RawTable, roles: Roles, entries: Sequence[MeasureEntry]) -> Layout:
    """Find out which measures the columns of a tidy table hold.

    `roles`: what each column is.
    `entries`: the measures that are wanted; none for all.
    Raises ExchangeError if a column is missing or may mean two things, or a measure's direction is
    not known.
    """
    found, own = roles.named, roles.columns("replication")
    named = table.user_columns.keys()
    if _is_search(table) and not {"candidate", "replication"} <= named:
        raise _trials_of_a_search(table)
    if "candidate" not in found:
        raise _without_candidates(table)
    others = roles.columns("performance")
    has_columns = not entries and not {"measure", "value"} & found.keys()
    if has_columns and not others:
        left = [c for c in roles.columns("left out") if c in table.columns]
        texts = f"; other columns are {listed(left)}{odd_number(table, left)}" * bool(left)
        allowed = "the columns measure and value, or one column of numbers a measure"
        raise table.error(f"no numbers besides {listed([*found.values(), *own])}{texts}", allowed)
    if not entries:
        _refuse_untold(table, roles, others)
        _refuse_pooled(table, roles)
    if "dataset" not in found:
        _check_one_data_set(
            table, roles, [c for c in table.columns if c not in (*found.values(), *own)]
        )
    if "measure" in found and "value" not in found:
        raise table.error("a column measure, but none named value", "both, or neither")
    if "measure" in found:
        names = _order(table, found["measure"])
        return Layout(found, choose_measures(table, names, entries, "label"), own)
    single = found.get("value") or _nameless(table, others, entries)
    if single and len(entries) <= 1:
        return Layout(found, {single: _single(table, entries, single)}, own)
    return Layout(found, choose_measures(table, others, entries, "column"), own)


def refuse_numbered(table: RawTable, roles: Roles, entries: Sequence[MeasureEntry]) -> None:
    """Refuse columns such as Fold1 and Fold2, which are replications of one measure."""
    open_ = [c.column for c in roles.of if c.role == "performance" and c.reason != "user"]
    numbered = [c for c in open_ if NUMBERED.fullmatch(c.strip())]
    if roles.shape == "tidy":
        numbered = numbered or _numbered_of_one(open_)
    if len(numbered) < 2 or entries:
        return
    kept = [c for role in ("dataset", "candidate") for c in roles.columns(role)]
    if "candidate" in roles.named:
        told = "measure='NAME'" if table.is_argument else "--measure NAME, in a manifest `measures`"
        allowed = f"the one measure that these are values of: {told}"
    else:
        python = f": frame.melt({kept}, var_name='replication', value_name='accuracy')"
        allowed = "a column that names the candidates; or a row a value, with a column replication "
        allowed += f"and one of the measure{python}"
    if roles.shape == "wide":
        named = table.key("columns", {"candidate": numbered}, is_alone=False)
        allowed += f"; {named} where they are candidates"
    raise table.error(f"columns with names of replications: {listed(numbered)}", allowed)


def _numbered_of_one(columns: Sequence[str]) -> list[str]:
    """Return columns such as accuracy_1, accuracy_2, accuracy_3."""
    found: dict[str, dict[int, str]] = {}
    for column in columns:
        match = re.fullmatch(r"(.*[^\W\d_])[\s_.-]?(\d+)", column.strip())
        if match and plain_name(match[1]) in OF_ONE:
            found.setdefault(match[1], {})[int(match[2])] = column
    for own in found.values():
        numbers = sorted(own)
        if (
            len(own) > 2
            and numbers[0] in (0, 1)
            and numbers == [*range(numbers[0], numbers[-1] + 1)]
        ):
            return [own[number] for number in numbers]
    return []


def refuse_measures_of_datasets(table: RawTable, roles: Roles) -> None:
    """Refuse a leaderboard with columns such as iris Acc and iris F1, of one measure."""
    found: dict[str, dict[str, str]] = {}
    for column in roles.columns("performance"):
        name, _, last = column.strip().rpartition(" ")
        if name and is_known(last):
            found.setdefault(last, {})[name] = column
    if len(found) > 1 and len({*map(frozenset, found.values())}) < len(found):
        least = next(iter(found))
        others = [c for last, own in found.items() if last != least for c in own.values()]
        raise table.error(
            f"columns of several measures: {listed(found)}",
            f"those of one: {table.key('columns', {'ignore': others}, is_alone=False)}",
        )


def _is_search(table: RawTable) -> bool:
    """Whether a table has the trials of a study of Optuna."""
    has_settings = any(c.startswith("params_") for c in table.columns)
    return has_settings and {"number", "state"} <= table.columns.keys()


def _trials_of_a_search(table: RawTable) -> ExchangeError:
    """Return the error for trials, of which each was chosen by those before it."""
    settings = [c for c in table.columns if c.startswith("params_")]
    settings.sort(key=table.is_numeric)  # a candidate is rather named than measured
    return table.error(
        "trials of a search by Optuna, which are no replications: those before choose the next",
        "results of the settings that were chosen, as often and on the same folds for all; where "
        "nothing chose the trials, name the columns: "
        + table.key("columns", {"candidate": next(iter(settings), "…"), "replication": "…"}),
    )


def refuse_leaderboard(table: RawTable, roles: Roles, entries: Sequence[MeasureEntry]) -> None:
    """Ask what the columns are, where a row is a candidate and most columns are no known measure.

    Published leaderboards have a column a task, which would be as many measures on one data set.
    """
    candidate, columns = roles.column("candidate"), roles.columns("performance")
    others: tuple[Role, ...] = ("dataset", "replication", "item", "measure", "value")
    if candidate is None or entries or len(columns) < FEWEST_TASKS:
        return
    if any(roles.columns(role) for role in others):
        return
    if len(table.labels(candidate).names) < table.n_rows:
        return
    unknown = [c for c in columns if c not in table.known and not is_known(c)]
    if 2 * len(unknown) <= len(columns):
        return
    names, file = listed(columns), quoted(table.path.name)
    meaning = {"candidate": candidate, "dataset": "columns"}
    if table.is_argument:
        raise table.error(
            f"a row a candidate, and {len(columns)} columns of numbers: {names}",
            "data sets or measures, of which you say which they are. Where the columns are data "
            f"sets (or tasks): {table.key('columns', meaning)}, measure='NAME', better='smaller' "
            "(or 'larger'). Where they are measures, name those that count: measures=['NAME', …] "
            f"(docs: {page_url('imports.md#shapes')})",
        )
    raise table.error(
        f"a row a candidate, and {len(columns)} columns of numbers: {names}",
        "data sets or measures, of which you say which they are. Where the columns are data sets "
        "(or tasks), in a manifest:\n"
        f"results: {{wide: {file}, "
        f"columns: {flow(meaning)}}}\n"
        f"measures:\n  - {{name: NAME, {TO_SAY}\n"
        "which reportgen init FOLDER --from "
        f"{file} --column candidate={candidate} --column dataset=columns --measure NAME writes. "
        "Where they are measures, name those that count by `measures` "
        f"(docs: {page_url('imports.md#shapes')})",
    )


def _order(table: RawTable, column: str) -> list[str]:
    """Return the measures' names; where the file gives no order, test samples first, costs last."""
    names = list(table.labels(column).names)
    if table.order(column) is not None:
        return names
    costs = {name for name in names if (m := known_measure(name)) and m.unit_symbol in COSTS}
    return sorted(names, key=lambda name: (name in costs, sample_of(name)))


def _without_candidates(table: RawTable) -> ExchangeError:
    """Return the error for a table that names no candidates: it may be a wide one."""
    near = nearest("candidate", table.columns) or nearest("algorithm", table.columns)
    found = f"no column of candidates among {listed(table.columns)}"
    allowed = f"a column {' or '.join(CANDIDATE)}, or {table.key('columns', {'candidate': '…'})}"
    if near:
        return table.error(found, f"{allowed}; did you mean {near}?")
    items = find_item_columns(table).values()
    others = [c for c in table.columns if plain_name(c) not in DATASETS and c not in items]
    numbered = set(named_coordinates(table))
    others = [c for c in others if c not in numbered]
    spreads = {c for own in table.spreads.values() for c in (own.spread, own.n_values)}
    numbers = [c for c in others if table.is_numeric(c) and c not in spreads]
    of_numbers = {*numbers}
    texts = [c for c in others if c not in of_numbers and c not in spreads]
    has_datasets = bool(items) or any(plain_name(c) in DATASETS for c in table.columns)
    told = "" if table.is_argument else f"; {COMMANDS}: --column candidate=… {OR_DATA}"
    if is_one := table.is_argument and len(texts) == 1:
        named = table.key("columns", {"candidate": texts[0]}, is_alone=False)
        told = f"; {named} says what names the candidates"
    if len(texts) > (0 if has_datasets else 1):  # a wide one has numbers next to its data sets
        odd = odd_number(table, texts)
        return table.error(f"{found}; those of text are {listed(texts)}{odd}", allowed + told)
    if is_one and len(numbers) < 3:
        return table.error(found, allowed + told)
    if len(numbers) < 2:
        return table.error(found, allowed)
    name = quoted(table.path.name)
    is_spread = bool(spreads) or any(has_spread(table, c) for c in numbers)
    beside = ", means with a spread (values of single runs would say more)" if is_spread else ""
    found = f"{found}, but {len(numbers)} columns of numbers{beside}"
    allowed += (
        f"; or a {WIDE} (a row a data set, a column a candidate), if you give what its numbers are "
        "and which side is better, which the file does not "
        f"(docs: {page_url('imports.md#other-tables')})"
    )
    if table.is_argument:
        return table.error(found, f"{allowed}: measure='NAME', better='smaller' (or 'larger')")
    return table.error(
        found,
        f"{allowed}. In a manifest:\n"
        f"results: {{wide: {name}}}\nmeasures:\n"
        f"  - {{name: NAME, {TO_SAY}\n"
        f"which reportgen init FOLDER --from {name} --measure NAME --better NAME=smaller "
        f"(or larger) writes {OR_DATA}",
    )


def _check_one_data_set(table: RawTable, roles: Roles, others: Sequence[str]) -> None:
    """Log that all rows are of one data set, where a column of text may distinguish several."""
    # Raises ExchangeError where such a column is the same for all candidates of a replication, or
    # tells the rows of a candidate apart, and no other one does.
    texts = [c for c in others if not table.is_numeric(c) and len(table.columns[c].unique()) > 1]
    for column in texts if roles.columns("replication") else ():
        if _divides(table, roles, column):
            named, ignored = (
                table.key("columns", {role: column}, is_alone=False)
                for role in ("dataset", "ignore")
            )
            names = listed(table.labels(column).names)
            raise table.error(
                f"no column of data sets, and {listed([column])} ({names}) "
                "that is the same for all candidates of a replication, as data sets are",
                f"{named} where it tells data sets apart, {ignored} where it does not",
            )
    is_open = not (roles.columns("replication") or table.counts_rows or table.unit)
    for column in texts if is_open and "item" not in roles.named else ():
        if not _tells_rows(table, roles, column):
            continue
        keys = [
            table.key("columns", {role: column}, is_alone=i > 0)
            for i, role in enumerate(("dataset", "replication"))
        ]
        names = listed(table.labels(column).names)
        raise table.error(
            f"several rows a candidate, which {listed([column])} ({names}) tells apart",
            f"{keys[0]} where it names data sets, {keys[1]} where it names replications",
        )
    if texts:
        log.warning(
            "%s: no column dataset: all rows are taken as one data set, and text in %s is not "
            "read; where a column names the data sets, name it by `columns: {dataset: %s}` "
            "in the manifest",
            table.path,
            listed(texts),
            texts[0],
        )


def _refuse_untold(table: RawTable, roles: Roles, columns: Sequence[str]) -> None:
    """Refuse whole numbers of no known measure that alone tell the rows of a candidate apart."""
    # `columns`: those that may be measures.
    if table.counts_rows or table.unit or roles.columns("item") or len(columns) < 2:
        return
    unknown = [c for c in columns if c not in table.known and not is_known(c)]
    unknown = [c for c in unknown if has_whole_numbers(table, c)]
    if not unknown or len(unknown) == len(columns):
        return
    keys = [c for r in ("dataset", "candidate", "replication") for c in roles.columns(r)]
    frame = pd.DataFrame({c: cells_of(table, c) for c in keys})
    if not frame.duplicated().any():
        return
    for column in unknown:
        whole = pd.concat([frame, pd.Series(cells_of(table, column), dtype=object)], axis=1)
        if whole.duplicated().any():
            continue
        own = {role: [*roles.columns(role), column] for role in ("candidate", "dataset")}
        own["replication"] = [*roles.columns("replication"), column]
        told = [
            table.key("columns", {role: c[0] if len(c) == 1 else c}, is_alone=i > 0)
            for i, (role, c) in enumerate(own.items())
        ]
        raise table.error(
            f"several rows of each candidate, which {listed([column])} tells apart",
            f"{told[0]} where it belongs to the candidate, {told[1]} where it belongs to the data "
            f"set, {told[2]} where it tells replications apart",
        )


def _refuse_pooled(table: RawTable, roles: Roles) -> None:
    """Refuse a setting that is left out, and divides the replications of candidates evenly."""
    own = [c for r in ("dataset", "candidate") for c in roles.columns(r)]
    settings = [
        c.column for c in roles.of if c.reason == "no-result" and table.is_numeric(c.column)
    ]
    numbers = roles.columns("replication")
    if not numbers or "candidate" in table.user_columns or table.n_rows > MOST_ROWS:
        return
    for column in settings:
        cells = [*own, column]
        frame = pd.DataFrame({c: cells_of(table, c) for c in (*cells, *numbers)}).drop_duplicates()
        n_levels = frame.groupby(own)[column].nunique()
        sizes = frame.groupby(cells).size()
        runs = frame.groupby([*own, *numbers])[column].nunique()
        is_even = sizes.min() == sizes.max() and sizes.min() > 1
        if not is_even or n_levels.min() < 2 or n_levels.max() > MOST_LEVELS or runs.max() > 1:
            continue
        role = roles.named["candidate"]
        raise table.error(
            f"the setting {listed([column])}, of which each candidate has several values with "
            f"{sizes.min()} replications each",
            f"{table.key('columns', {'candidate': [role, column]})} where it belongs to the "
            f"candidate, {table.key('columns', {'ignore': column}, is_alone=False)} where it tells "
            "nothing",
        )


def has_whole_numbers(table: RawTable, column: str) -> bool:
    """Whether all cells of a column are whole numbers, as of epochs."""
    values = numbers_of(table, column)
    return bool((values == np.round(values)).all())


def _tells_rows(table: RawTable, roles: Roles, column: str) -> bool:
    """Whether a column tells the rows of each candidate (and measure) apart, several have it."""
    own = [str(roles.column("candidate")), *roles.columns("measure")]
    frame = pd.DataFrame({c: cells_of(table, c) for c in (*own, column)})
    is_shared = bool((frame.drop_duplicates().groupby(column)[own[0]].nunique() > 1).any())
    return is_shared and bool(frame.duplicated(own).any() and not frame.duplicated().any())


def _divides(table: RawTable, roles: Roles, column: str) -> bool:
    """Whether a column divides replications that candidates share, several to each part."""
    if plain_name(column) in OF_MACHINES:
        return False
    keys = ["replication", "column", "candidate"]
    frame = pd.DataFrame(
        {
            "replication": pd.MultiIndex.from_arrays(
                [cells_of(table, c) for c in roles.columns("replication")]
            ).factorize()[0],
            "column": cells_of(table, column),
            "candidate": cells_of(table, str(roles.column("candidate"))),
        }
    ).drop_duplicates()
    if frame["column"].isna().any() or frame["candidate"].nunique() < 2:
        return False
    by_replication = frame.groupby("replication")
    is_shared = (by_replication["candidate"].nunique() > 1).any()
    is_one = (by_replication["column"].nunique() == 1).all()
    counts = frame.drop_duplicates(keys[:2]).groupby("column").size()
    return bool(is_shared and is_one and (counts > 1).all())


def _nameless(table: RawTable, columns: Sequence[str], entries: Sequence[MeasureEntry]) -> str:
    """Return the one column of numbers, such as mean, that the user has another name for."""
    if len(columns) != 1 or len(entries) != 1 or entries[0].column or columns[0] in table.known:
        return ""
    if measure_name(entries[0].written) == own_name(table, columns[0]):
        return ""
    return columns[0] if plain_name(columns[0]) in OF_NUMBERS else ""


def _single(table: RawTable, entries: Sequence[MeasureEntry], column: str) -> Measure:
    """Return the measure of a file that holds one without a name."""
    if not entries:
        raise table.error(
            f"values in the column {column}, but no measure",
            "one measure, named in a manifest:\n" + _example(table, ["error"]),
        )
    return _measures_of(table, {column: entries[0]})[column]


def choose_measures(
    table: RawTable, names: Sequence[str], entries: Sequence[MeasureEntry], kind: str
) -> dict[str, Measure]:
    """Match the measures that are wanted with the names in the file.

    `names`: those of the file.
    `entries`: the measures that are wanted; none for all.
    `kind`: what the names are, for messages.
    Raises ExchangeError if a measure is not there, may be two, or is of unknown direction.
    """
    if entries:
        matched = {_match(table, names, e, kind): e for e in entries}
        for name, entry in matched.items():
            _note_twins(table, name, [n for n in names if n not in matched], kind)
            if entry.unit is None and _without_sign(name) != name:
                matched[name] = entry.model_copy(update={"unit": "%"})
        return _measures_of(table, matched)
    measures = _measures_of(table, {name: _entry_of_label(table, name) for name in names})
    spelled: dict[str, list[str]] = {}
    for name, measure in measures.items():
        spelled.setdefault(measure.name, []).append(name)
    for own, same in spelled.items():
        exact = next((name for name in same if name == own), None)
        if len(same) > 1 and exact is None:
            raise _ambiguous(table, same, own)
        if len(same) > 1 and exact is not None:
            _note_twins(table, exact, same, kind)
            for name in same:
                if name != exact:
                    del measures[name]
    return measures


def _entry_of_label(table: RawTable, label: str) -> MeasureEntry:
    """Return the entry that a manifest would have for a measure of the file."""
    bare = _without_sign(label)
    entry = entry_of(result_name(bare), table.error)
    return entry if bare == label else entry.model_copy(update={"unit": "%"})


def _without_sign(label: str) -> str:
    """Return the name of a known share without the sign of per cent behind it.

    Examples
    --------
    >>> _without_sign("acc (%)"), _without_sign("gain (%)"), _without_sign("error [%]")
    ('acc', 'gain (%)', 'error [%]')
    """
    match = WITH_SIGN.fullmatch(label)
    found = None if match is None else known_measure(result_name(match["name"]))
    is_share = found is not None and found.unit_symbol == "share"
    return match["name"] if match and is_share and plain_name(label) not in OF_ANYTHING else label


def entry_of(name: str, error: Callable[[str, str], ExchangeError]) -> MeasureEntry:
    """Return the entry that a manifest would have for a measure.

    `error`: makes an error of what was found and what is allowed.
    Raises ExchangeError if the name cannot be one.
    """
    try:
        return MeasureEntry(name=name)
    except ValidationError as refused:
        fault = faults_of(refused, MeasureEntry)[0]
        raise error(f"the measure {fault.found}", fault.allowed) from None


def _match(table: RawTable, names: Sequence[str], entry: MeasureEntry, kind: str) -> str:
    """Return the name in the file that a measure of the manifest means."""
    wanted = entry.written
    if wanted in names:
        return wanted
    same: list[str] = []
    if not entry.column:
        same = [n for n in names if own_name(table, n) == measure_name(wanted)]
    same = [n for n in same if plain_name(n) == plain_name(wanted)] or same
    if len(same) > 1:
        raise _ambiguous(table, same, wanted)
    if not same:
        near = nearest(wanted, names)
        own = "" if table.is_argument else f" Name it by `column: {near}`"
        question = f"; did you mean {near}?{own}" if near else ""
        what = f"no {kind} {shown(wanted)} for the measure {shown(entry.name)}"
        tasks = ""
        if kind == "column" and len(names) > 1 and not any(map(is_known, names)):
            of = next((c for c in table.columns if plain_name(c) in CANDIDATES), "…")
            keys = table.key("columns", {"candidate": of, "dataset": "columns"}, is_alone=False)
            tasks = f"; {keys} where these are data sets, or tasks"
        raise table.error(what, f"{listed(names)}{question}{tasks}")
    return same[0]


def _note_twins(table: RawTable, exact: str, names: Iterable[str], kind: str) -> None:
    """Note which columns are left out, as the one of the very name is there."""
    for name in names:
        if name != exact and own_name(table, name) == own_name(table, exact):
            is_other = kind == "column" and not _are_equal(table, name, exact)
            why = f"{exact} is there, too{', with other values' * is_other}"
            level = logging.WARNING if is_other else logging.INFO
            log.log(level, "%s: %s is left out: %s", table.path, listed([name]), why)
            table.decided.append(("left-out-column", f"{listed([name])} ({why})"))


def _are_equal(table: RawTable, name: str, other: str) -> bool:
    """Whether two columns have the same numbers, perhaps one of them in per cent."""
    values, rest = numbers_of(table, name), numbers_of(table, other)
    scales = (1.0, 100.0, 0.01)
    return any(np.allclose(values * scale, rest, rtol=ROUNDED, equal_nan=True) for scale in scales)


def own_name(table: RawTable, name: str) -> str:
    """Return what we call a measure of the file."""
    if name in table.known:
        return table.known[name].name
    return measure_name(result_name(_without_sign(name)))


def _ambiguous(table: RawTable, names: Iterable[str], measure: str) -> ExchangeError:
    names = list(names)
    return table.error(
        f"{listed(names)}, each of which may be the measure {measure}",
        f"one of them: measure={names[0]!r}"
        if table.is_argument
        else f"one of them: name it in the manifest by {{name: {measure}, column: {names[0]}}}",
    )


def known_entry(table: RawTable, entry: MeasureEntry) -> Measure:
    """Return a measure whose direction is known, from the file, the catalogue or the entry."""
    return _measures_of(table, {entry.name: entry})[entry.name]


def sided_measure(
    name: str, better: Better, source: BetterSource, known: Mapping[str, Measure]
) -> Measure:
    """Return a measure whose side the user gives; all else is as the file or the catalogue has it.

    Examples
    --------
    >>> sided_measure("fit-time", "larger", "manifest", {}).unit_symbol
    's'
    """
    found = known.get(name) or known_measure(name) or Measure(name)
    return replace(found, better=better, better_source=source)


def _measures_of(table: RawTable, entries: Mapping[str, MeasureEntry]) -> dict[str, Measure]:
    """Complete the measures from file and catalogue; ask for the direction of all others."""
    unknown = [
        entry.name
        for name, entry in entries.items()
        if entry.better is None
        and entry.name not in table.known
        and name not in table.known
        and known_measure(entry.name) is None
        and _direction(name, entry) is None
    ]
    if unknown:
        error = table.error(
            f"{'measures' if len(unknown) > 1 else 'the measure'} {listed(map(shown, unknown))} "
            "of unknown direction",
            "measures whose better side is known; set it in a manifest (on the command line of "
            "import: --better NAME=smaller or NAME=larger), and leave out what is no measure "
            f"(docs: {page_url('manifest.md#measures')}):\n" + _example(table, entries),
        )
        raise DirectionError(str(error), tuple(unknown))
    return {name: _measure_of(name, entry, table.known) for name, entry in entries.items()}


def _measure_of(label: str, entry: MeasureEntry, known_measures: Mapping[str, Measure]) -> Measure:
    """Complete a measure that the file calls `label`; the user's name for it comes first."""
    known = known_measures.get(entry.name)
    if known is None and known_measure(entry.name) is None and label in known_measures:
        known = replace(known_measures[label], name=entry.name)
    if known is not None and not known.better_source:
        known = replace(known, better_source="file")
    known = known or known_measure(entry.name)
    if known is None and (side := _direction(label, entry)):
        known = Measure(entry.name, side, better_source="name")
    if known is not None and entry.better not in (None, known.better):
        log.warning(
            "%s values of %s are better by the manifest; %s values by %s",
            entry.better,
            shown(entry.name),
            known.better,
            SOURCE_NAMES.get(known.better_source, "what is known of it"),
        )
    base = known or Measure(entry.name)
    if entry.unit == "%":
        base = in_per_cent(base)
    return Measure(
        base.name,
        entry.better or base.better,
        base.unit_symbol if entry.unit is None else entry.unit,
        entry.bounds or base.bounds,
        scale=entry.scale or base.scale,
        better_source="manifest" if entry.better else base.better_source,
    )


def _direction(label: str, entry: MeasureEntry) -> Better | None:
    """Return the better side by the name of a measure: the user's, else the file's."""
    return known_direction(entry.name) or known_direction(label)


def _example(table: RawTable, names: Iterable[str]) -> str:
    """Write the manifest's lines with the measures."""
    lines = [f"results: {_results(table)}", "measures:"]
    for name in names:
        is_known = known_measure(name) or name in table.known or known_direction(name)
        lines.append(f"  - {quoted(name)}" if is_known else f"  - {{name: {quoted(name)}, {TO_SAY}")
    return "\n".join(lines)


def _results(table: RawTable) -> str:
    """Write the manifest's value with the place of the results and the given columns."""
    if not table.user_columns:
        return quoted(table.path.name)
    return f"{{file: {quoted(table.path.name)}, columns: {flow(table.user_columns)}}}"
