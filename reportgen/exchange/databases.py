"""Databases of SQLite that Optuna has written: the trials of a study, as its data frame has them.

A database is opened read-only, by the tables of its documented schema, with what its journal has;
values that are no columns are JSON.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from reportgen.errors import ExchangeError
from reportgen.exchange.records import record_table
from reportgen.exchange.table import RawTable
from reportgen.json_text import parse_json
from reportgen.performance_measure import Better, Measure
from reportgen.study.errors import listed, shown

NEEDED = frozenset(("studies", "study_directions", "trials", "trial_params", "trial_values"))
JOURNALS = ("-wal", "-journal")
MOST_ROWS = 10_000_000
COLUMNS = "PRAGMA table_info(trial_values)"
SIDES: dict[str, Better] = {"MAXIMIZE": "larger", "MINIMIZE": "smaller"}
INFINITE = {"INF_POS": "inf", "INF_NEG": "-inf"}


def read_trials(path: Path, study: str = "") -> RawTable:
    """Read the trials of a study of Optuna.

    `study`: its name; needed where there are several.
    Result: a row a trial, with the columns number, value (or values_0, …), state, params_… and
    user_attrs_….
    Raises ExchangeError if it is no such database, or has no such study.
    """
    if not path.is_file():
        raise FileNotFoundError(path)
    place = path.resolve()
    journals = (place.with_name(place.name + ending) for ending in JOURNALS)
    is_open = any(own.is_file() and own.stat().st_size for own in journals)
    address = f"file:{quote(str(place))}?mode=ro{'' if is_open else '&immutable=1'}"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            kind = "SELECT name FROM sqlite_master WHERE type = 'table'"
            tables = {str(name) for (name,) in database.execute(kind)}
            if not tables >= NEEDED:
                raise ExchangeError(
                    f"{path}: found a database of SQLite with the tables {listed(sorted(tables))}; "
                    "allowed a study of Optuna; save the results of others as CSV"
                )
            columns = {str(name) for _, name, *_ in database.execute(COLUMNS)}
            if "value_type" not in columns:
                raise ExchangeError(
                    f"{path}: found a database of Optuna before 3.0, whose trial_values have no "
                    "value_type; allowed one of Optuna 3 and later, which `optuna storage upgrade` "
                    "makes of it"
                )
            number, name = _study(path, database, study)
            return _trials(path, database, tables, number, name)
    except (sqlite3.Error, TypeError, ValueError, KeyError) as error:  # cells may be of any kind
        message = " ".join(str(error).split())
        if is_open:
            raise ExchangeError(
                f"{path}: found a database that is open or was not closed, with {listed(JOURNALS)} "
                f"beside it, and cannot be read ({message}); allowed one that Optuna has closed"
            ) from None
        raise ExchangeError(
            f"{path}: found no database of SQLite that can be read ({message}); allowed one"
        ) from None


def _study(path: Path, database: sqlite3.Connection, study: str) -> tuple[int, str]:
    """Return number and name of a study."""
    studies = {
        str(name): int(number)
        for number, name in database.execute("SELECT study_id, study_name FROM studies")
    }
    if study not in studies and (study or len(studies) != 1):
        found = f"no study {shown(study)}" if study else f"{len(studies)} studies"
        raise ExchangeError(
            f"{path}: found {found}; allowed one of {listed(studies)}, which `object:` below "
            "`results` names (--object of import and init, object= in Python)"
        )
    name = study or next(iter(studies))
    return studies[name], name


def _trials(
    path: Path, database: sqlite3.Connection, tables: set[str], study: int, name: str
) -> RawTable:
    """Return a row for each trial, by its number."""

    def rows(columns: str, table: str) -> Iterable[Any]:
        if table not in tables:
            return []
        own = "SELECT trial_id FROM trials WHERE study_id = ?"
        query = f"SELECT {columns} FROM {table} WHERE trial_id IN ({own}) LIMIT {MOST_ROWS}"
        return database.execute(query, (study,))

    found: dict[int, dict[str, Any]] = {}
    query = "SELECT trial_id, number, state FROM trials WHERE study_id = ? ORDER BY number"
    for trial, number, state in database.execute(query, (study,)):
        found[trial] = {"number": number, "state": state}
    values = list(rows("trial_id, objective, value, value_type", "trial_values"))
    is_one = all(objective == 0 for _, objective, _, _ in values)
    for trial, objective, value, kind in values:
        column = "value" if is_one else f"values_{objective}"
        found[trial][column] = INFINITE.get(kind, value)
    for trial, key, value, distribution in rows(
        "trial_id, param_name, param_value, distribution_json", "trial_params"
    ):
        found[trial][f"params_{key}"] = _setting(path, value, distribution)
    for trial, key, value in rows("trial_id, key, value_json", "trial_user_attributes"):
        found[trial][f"user_attrs_{key}"] = _parse(path, value)
    sides = {
        "value" if is_one else f"values_{objective}": SIDES.get(str(direction))
        for objective, direction in database.execute(
            "SELECT objective, direction FROM study_directions WHERE study_id = ?", (study,)
        )
    }
    known = {column: Measure(column, side) for column, side in sides.items() if side}
    places = [f"trial {trial['number']}" for trial in found.values()]
    table = record_table(path, list(found.values()), places)
    return replace(table, program=f"Optuna, study {name}", known=known)


def _setting(path: Path, value: Any, distribution: Any) -> Any:
    """Return a setting: of categories, which are numbered, the category."""
    described = _parse(path, distribution)
    attributes = described.get("attributes") if isinstance(described, dict) else None
    choices = attributes.get("choices") if isinstance(attributes, dict) else None
    if isinstance(choices, list) and isinstance(value, float) and 0 <= value < len(choices):
        return choices[int(value)]
    return value


def _parse(path: Path, text: Any) -> Any:
    try:
        return parse_json(str(text))
    except ValueError:
        raise ExchangeError(f"{path}: found {shown(text)}; allowed JSON") from None
