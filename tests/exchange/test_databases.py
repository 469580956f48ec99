"""Databases of Optuna that are open, were left open, or are old."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.databases import read_trials
from tests.exchange.shapes import optuna


def test_trials_that_only_the_journal_has_are_read(tmp_path: Path) -> None:
    path = optuna(tmp_path / "s.db")
    n_rows = read_trials(path).n_rows
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("INSERT INTO trials VALUES (900, 90, 1, 'COMPLETE')")
        database.commit()
        assert read_trials(path).n_rows == n_rows + 1
        (tmp_path / "copy").mkdir()
        for name in ("s.db", "s.db-wal"):
            shutil.copy(tmp_path / name, tmp_path / "copy" / name)
    assert read_trials(tmp_path / "copy" / "s.db").n_rows == n_rows + 1


def test_a_change_that_was_broken_off_is_refused(tmp_path: Path) -> None:
    path = optuna(tmp_path / "s.db")
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA cache_size = 1")
        database.execute("PRAGMA synchronous = OFF")
        database.execute("UPDATE trial_params SET distribution_json = hex(zeroblob(9000))")
        (tmp_path / "copy").mkdir()
        for name in ("s.db", "s.db-journal"):
            shutil.copy(tmp_path / name, tmp_path / "copy" / name)
        database.rollback()
    with pytest.raises(ExchangeError, match="open or was not closed, with -wal, -journal beside"):
        read_trials(tmp_path / "copy" / "s.db")


def test_a_database_before_optuna_3_is_told_as_such(tmp_path: Path) -> None:
    path = optuna(tmp_path / "s.db")
    with closing(sqlite3.connect(path)) as database:
        database.execute("ALTER TABLE trial_values DROP COLUMN value_type")
        database.commit()
    with pytest.raises(ExchangeError, match=r"Optuna before 3\.0, whose trial_values have no"):
        read_trials(path)
