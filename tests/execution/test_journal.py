"""The journal: read, written, torn."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import BinaryIO

import pytest

from reportgen.errors import ExecutionError
from reportgen.execution.journal import line, open_journal, read_journal
from reportgen.execution.outcome import Cell, Outcome

OUTCOMES = {
    ("f", 1): Outcome("ok", {"misclassification": 0.1 + 0.2}, (10, 6, 4)),
    ("f", 2): Outcome("failed", {}, (10, 7, 3), "fit", "ValueError: “no”\u2028"),
    ("g", 1): Outcome("timed-out", stage="fit", message="took longer", timeout=2.5),
    ("g", 2): Outcome("ok", {"time": 1e-300}, (3, 3, 1), missing={"auc": "why"}, warnings=("w",)),
}


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "warehouse" / "journal"
    with open_journal(path) as opened:
        for key, outcome in OUTCOMES.items():
            opened.append(key, Cell("d", key[1], "c"), outcome)
    return path


def test_what_is_written_is_read(journal: Path) -> None:
    assert read_journal(journal) == OUTCOMES


def test_the_last_outcome_of_a_key_counts(journal: Path) -> None:
    later = Outcome("ok", {"misclassification": 0.5}, (10, 6, 4))
    with open_journal(journal) as opened:
        opened.append(("f", 2), Cell("d", 2, "c"), later)
        assert opened.outcomes[("f", 2)] == later
    assert read_journal(journal) == {**OUTCOMES, ("f", 2): later}


def test_every_outcome_knows_its_sessions_versions(journal: Path) -> None:
    cell, outcome = Cell("d", 1, "c"), OUTCOMES["f", 1]
    for name, version in (("a", "1"), ("b", "2"), ("idle", "3")):
        with open_journal(journal, {"numpy": version}) as opened:
            if name != "idle":
                opened.append((name, 1), cell, outcome)
                opened.append((name, 2), cell, outcome)
                said = [opened.outcomes[name, b].session for b in (1, 2)]
                assert [opened.sessions[i] for i in said] == [{"numpy": version}] * 2
    with open_journal(journal) as opened:
        found = {key: opened.sessions[o.session] for key, o in opened.outcomes.items()}
    assert found == {
        **{key: {} for key in OUTCOMES},
        **{("a", b): {"numpy": "1"} for b in (1, 2)},
        **{("b", b): {"numpy": "2"} for b in (1, 2)},
    }
    assert b'"3"' not in journal.read_bytes()  # nothing was measured with it


def test_outcomes_of_before_sessions_are_read(journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(line for line in lines if b"versions" not in line))
    with open_journal(journal) as opened:
        assert opened.outcomes == OUTCOMES
        assert {opened.sessions[o.session].get("numpy") for o in opened.outcomes.values()} == {None}


def test_times_of_version_0_2_are_the_processors(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    header = {"id": 0, "family": "f", "dataset": "d", "candidate": "c"}
    old = {**header, "values": ["mse", "fit-time", "predict-time", "time"]}
    path.write_bytes(line(old) + line([0, 1, [0.5, 1.0, 2.0, 3.0], [10, 6, 4], 3.5]))
    (found,) = read_journal(path).values()
    assert found.values == {
        "mse": 0.5,
        "fit-cpu-time": 1.0,
        "predict-cpu-time": 2.0,
        "cpu-time": 3.0,
    }
    assert (found.seconds, found.cpu_seconds) == (3.5, 0.0)
    new = Outcome("ok", found.values, (10, 6, 4), seconds=4.0, cpu_seconds=3.0)
    with open_journal(path) as opened:
        opened.append(("f", 2), Cell("d", 2, "c"), new)
    assert read_journal(path) == {("f", 1): found, ("f", 2): new}


def test_a_torn_tail_costs_the_last_line_only(journal: Path) -> None:
    whole = journal.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for end in range(last, len(whole)):
        journal.write_bytes(whole[:end])
        kept = dict(list(OUTCOMES.items())[:-1])
        assert read_journal(journal) == kept
    with open_journal(journal) as opened:
        opened.append(("h", 1), Cell("d", 1, "c"), OUTCOMES["f", 1])
    assert read_journal(journal) == {**kept, ("h", 1): OUTCOMES["f", 1]}
    assert journal.read_bytes().startswith(whole[:last])


def test_a_journal_of_one_torn_line_starts_afresh(journal: Path) -> None:
    journal.write_bytes(b"0" * 10_000)
    with open_journal(journal) as opened:
        assert opened.outcomes == {}
        opened.append(("h", 1), Cell("d", 1, "c"), OUTCOMES["f", 1])
    assert read_journal(journal) == {("h", 1): OUTCOMES["f", 1]}


def test_a_damaged_line_is_left_out_and_said(
    journal: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    lines = [
        line.replace(b'"fit"', b'"fat"', 1) if b"ValueError" in line else line for line in lines
    ]
    journal.write_bytes(b"".join(lines))
    with caplog.at_level(logging.WARNING, "reportgen"):
        kept = read_journal(journal)
    assert set(kept) == set(OUTCOMES) - {("f", 2)}
    assert "1 damaged lines do not count" in caplog.text


def _damage(journal: Path) -> bytes:
    """Change a letter in the line of ("f", 2), and return the line."""
    lines = journal.read_bytes().splitlines(keepends=True)
    (bad,) = [i for i, line in enumerate(lines) if b"ValueError" in line]
    lines[bad] = lines[bad].replace(b'"fit"', b'"fat"', 1)
    journal.write_bytes(b"".join(lines))
    return lines[bad]


def test_damaged_lines_are_told_of_once_and_kept_apart(
    journal: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bad = _damage(journal)
    kept = {key: outcome for key, outcome in OUTCOMES.items() if key != ("f", 2)}
    with caplog.at_level(logging.WARNING, "reportgen"), open_journal(journal) as opened:
        assert opened.outcomes == kept
        opened.append(("h", 1), Cell("d", 1, "c"), OUTCOMES["f", 1])
    assert caplog.messages == [
        "journal: 1 damaged lines do not count; they were moved to journal.damaged"
    ]
    aside = journal.with_name("journal.damaged")
    assert aside.read_bytes() == bad
    caplog.clear()
    assert read_journal(journal) == {**kept, ("h", 1): OUTCOMES["f", 1]}
    with open_journal(journal) as opened:
        assert len(opened.outcomes) == 4
    assert not caplog.messages
    assert sorted(path.name for path in journal.parent.iterdir()) == ["journal", "journal.damaged"]


def test_later_damage_goes_behind_the_earlier(journal: Path) -> None:
    bad = _damage(journal)
    with open_journal(journal):
        pass
    with journal.open("ab") as file:
        file.write(b"zzz\n")
    with open_journal(journal):
        pass
    assert journal.with_name("journal.damaged").read_bytes() == bad + b"zzz\n"


def test_lines_without_their_family_are_damaged(journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    (described, *_) = [i for i, line in enumerate(lines) if b'"family":"g"' in line]
    journal.write_bytes(b"".join(lines[:described] + lines[described + 1 :]))
    with open_journal(journal) as opened:
        assert ("g", 1) not in opened.outcomes
    orphan = journal.with_name("journal.damaged").read_bytes()
    assert b"timed-out" in orphan


def test_a_journal_that_is_being_repaired_belongs_to_one(journal: Path) -> None:
    _damage(journal)
    with (
        open_journal(journal),
        pytest.raises(ExecutionError, match="another execution is at work"),
        open_journal(journal),
    ):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks on Windows")
def test_who_waits_at_the_door_of_a_journal_that_is_replaced_takes_the_new_one(
    journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules["reportgen.execution.journal"]
    lock = module._lock  # type: ignore[attr-defined]
    opened_before: list[bool] = []

    def lock_late(file: BinaryIO, path: Path) -> None:
        if not opened_before:  # it was open already when the other one put a new file there
            opened_before.append(True)
            new = journal.with_name("new")
            new.write_bytes(journal.read_bytes())
            new.replace(journal)
        lock(file, path)

    monkeypatch.setattr(module, "_lock", lock_late)
    with open_journal(journal) as opened:
        opened.append(("h", 1), Cell("d", 1, "c"), OUTCOMES["f", 1])
    assert ("h", 1) in read_journal(journal)


def test_where_damaged_lines_cannot_be_moved_they_stay(
    journal: Path, caplog: pytest.LogCaptureFixture
) -> None:
    _damage(journal)
    before = journal.read_bytes()
    journal.with_name("journal.damaged").mkdir()
    with caplog.at_level(logging.WARNING, "reportgen"), open_journal(journal) as opened:
        assert len(opened.outcomes) == 3
    assert "1 damaged lines do not count (and cannot be moved: " in caplog.text
    assert journal.read_bytes() == before
    assert not [path for path in journal.parent.iterdir() if path.name.startswith(".")]


def test_two_executions_do_not_write_one_journal(journal: Path) -> None:
    with (
        open_journal(journal),
        pytest.raises(ExecutionError, match="another execution is at work"),
        open_journal(journal),
    ):
        pass
    with open_journal(journal) as opened:
        assert opened.outcomes == OUTCOMES


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no pipes")
def test_a_journal_that_is_a_pipe_or_a_link_is_told(journal: Path) -> None:
    kept = journal.rename(journal.with_name("elsewhere"))
    journal.symlink_to(kept)
    before = kept.read_bytes()
    with pytest.raises(ExecutionError, match="found a link"), open_journal(journal):
        pass
    assert kept.read_bytes() == before
    journal.unlink()
    os.mkfifo(journal)
    with pytest.raises(ExecutionError, match="found a pipe"):
        read_journal(journal)
    with pytest.raises(ExecutionError, match="found a pipe"), open_journal(journal):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="makes links")
def test_damaged_lines_and_what_is_printed_are_written_to_no_link(journal: Path) -> None:
    elsewhere = journal.parents[1] / "elsewhere"
    for name in ("journal.damaged", "candidates.log"):
        journal.with_name(name).symlink_to(elsewhere)
    with journal.open("ab") as file:
        file.write(b"damaged\n")
    with open_journal(journal) as opened:
        assert opened.outcomes == OUTCOMES
        opened.output.take("f", b"printed")
        assert opened.output.is_cut
    assert not elsewhere.exists()


def test_a_journal_that_is_not_kept() -> None:
    with open_journal(None) as opened:
        opened.append(("f", 1), Cell("d", 1, "c"), OUTCOMES["f", 1])
        assert opened.outcomes == {("f", 1): OUTCOMES["f", 1]}


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(ExecutionError, match="cannot be opened"),
        open_journal(tmp_path / "file" / "journal"),
    ):
        pass


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_said() -> None:
    with open_journal(None) as opened, Path("/dev/full").open("wb", buffering=0) as full:
        opened._file = full
        with pytest.raises(ExecutionError, match=r"cannot be written: .*No space left"):
            opened.append(("f", 1), Cell("d", 1, "c"), OUTCOMES["f", 1])
