"""What a run shows of what it does, and of how long the rest may take."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

import reportgen
from reportgen import progress
from reportgen.progress import (
    Lines,
    Notebook,
    Progress,
    Terminal,
    counted,
    current_progress,
    in_words,
    live_progress,
    stage,
    watched,
)


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Shown:
    """A display that remembers."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def show(self, text: str) -> None:
        self.texts.append(text)

    def hide(self) -> None:
        self.texts.append("")


def test_a_stage_of_two_seconds_is_shown_and_one_that_just_began_is_not() -> None:
    clock = Clock()
    with watched(Progress(clock=clock)) as progress, stage("reading"):
        clock.now += 1.9
        assert progress.text() == ""
        clock.now += 0.2
        assert progress.text() == "reading, 2 s so far"
    assert progress.text() == ""


def test_parts_that_are_done_tell_how_long_the_others_take() -> None:
    clock = Clock()

    def results() -> Iterator[int]:
        for n in range(4):
            clock.now += 10.0
            yield n

    shown = Shown()
    with watched(Progress(shown, clock)), stage("analysing eda"):
        assert list(counted(results(), 4, "data sets")) == [0, 1, 2, 3]
    assert shown.texts[:3] == [
        "analysing eda: 1 of 4 data sets, about 30 s left",
        "analysing eda: 2 of 4 data sets, about 20 s left",
        "analysing eda: 3 of 4 data sets, about 10 s left",
    ]
    assert shown.texts[-1] == ""


def test_fast_fits_are_shown_now_and_then() -> None:
    clock, shown = Clock(), Shown()
    with watched(Progress(shown, clock)) as progress, stage("execution"):
        clock.now += 10.0
        for n in range(1000):
            clock.now += 0.001
            progress(n, 1000)
    texts = [text for text in shown.texts if text]
    assert [int(text.split()[1]) for text in texts] in ([0, 500], [0, 501])


def test_fits_done_before_say_nothing_of_the_time_of_others() -> None:
    clock = Clock()
    with watched(Progress(clock=clock)) as progress, stage("execution"):
        progress(90, 100)  # 90 were done by an earlier run
        clock.now += 6.0
        assert progress.text() == "execution: 90 of 100 fits, 6 s so far"
        progress(92, 100)  # 2 in 6 s: 8 in 24 s
        assert progress.text() == "execution: 92 of 100 fits, about 24 s left"
        progress(3, 50)  # the next stage of replications counts anew
        assert progress.text() == "execution: 3 of 50 fits, 6 s so far"


def test_the_first_of_very_many_says_nothing_of_the_time_of_the_others() -> None:
    """The first drawing loads what all draw with."""
    clock = Clock()
    with watched(Progress(clock=clock)) as progress, stage("drawing"):
        clock.now += 20.0
        progress.count(0, 4203, "figures")
        clock.now += 20.0
        progress.count(1, 4203, "figures")
        assert progress.text() == "drawing: 1 of 4,203 figures, 40 s so far"
        progress.count(43, 4203, "figures")
        assert "left" in progress.text()


def test_what_is_expected_follows_the_pace_of_this_machine() -> None:
    clock = Clock()
    with watched(Progress(clock=clock)) as progress:
        progress.expect({"analysing eda": 2.0, "drawing": 10.0, "rendering pdf": 20.0})
        with stage("analysing eda"):
            clock.now += 6.0  # three times as long
        with stage("drawing"):
            clock.now += 12.0
            text = "drawing, about 18 s left, 1 min 20 s with what follows"  # 3 x (10 + 20) - 12
            assert progress.text() == text
            clock.now += 20.0
            assert progress.text() == "drawing, 32 s so far"
        assert progress.expected("rendering pdf") == pytest.approx(20 * 38 / 12)


def test_stages_within_a_stage_are_shown_and_errors_end_them() -> None:
    clock = Clock()

    @stage("drawing")
    def draw(progress: Progress) -> None:
        clock.now += 5.0
        assert progress.text() == "drawing, 5 s so far"
        raise ValueError("no")

    with watched(Progress(clock=clock)) as progress, stage("sections"):
        with pytest.raises(ValueError, match="no"):
            draw(progress)
        assert progress.text() == "sections, 5 s so far"
    assert [name for name, _ in progress.ended] == ["drawing", "sections"]


def test_the_log_announces_what_will_be_long(caplog: pytest.LogCaptureFixture) -> None:
    progress = Progress()
    progress.expect({"drawing": 30.0, "rendering html": 0.5})
    with caplog.at_level(logging.INFO, "reportgen"), watched(progress):
        for name in ("drawing", "rendering html"):
            with stage(name, is_long=True):
                pass
    assert caplog.messages == ["drawing (about 30 s)", "rendering html"]


def test_lines_come_now_and_then(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    lines = Lines(60.0, clock)
    with caplog.at_level(logging.INFO, "reportgen"):
        for seconds in (10.0, 49.0, 2.0, 30.0, 31.0):
            clock.now += seconds
            lines.show(f"at {clock.now - 100:.0f}")
    assert caplog.messages == ["at 61", "at 122"]


def test_a_terminal_has_one_line_of_which_nothing_is_left() -> None:
    stream = StringIO()
    terminal = Terminal(stream)
    terminal.show("drawing, 10 s so far")
    terminal.show("short")
    terminal.hide()
    terminal.hide()
    written = stream.getvalue()
    assert "\n" not in written
    line: dict[int, str] = {}
    column = 0
    for letter in written:
        column = 0 if letter == "\r" else column + 1
        if letter != "\r":
            line[column] = letter
    assert set(line.values()) == {" "}
    assert written.endswith("\r")


def test_a_notebook_writes_over_one_output(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    class Handle:
        def update(self, content: dict[str, str], *, raw: bool) -> None:
            assert raw
            calls.append(content["text/plain"])

    def display(content: dict[str, str], *, raw: bool, display_id: bool) -> Handle:
        assert raw
        assert display_id
        calls.append(f"new: {content['text/plain']}")
        return Handle()

    monkeypatch.setattr("IPython.display.display", display)
    notebook = Notebook()
    notebook.hide()
    for text in ("drawing", "drawing", "drawing, 3 s"):
        notebook.show(text)
    notebook.hide()
    assert calls == ["new: drawing", "drawing, 3 s", ""]


def test_a_run_within_another_shows_its_progress_there() -> None:
    assert current_progress() is None
    with live_progress() as outer, live_progress() as inner:
        assert outer is inner is not None
    assert current_progress() is None


def test_a_quiet_log_has_no_progress() -> None:
    log = logging.getLogger("reportgen")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        with live_progress() as progress, stage("drawing", is_long=True):
            assert progress is None
    finally:
        log.setLevel(before)


def test_times_are_told_as_one_says_them() -> None:
    told = [in_words(s) for s in (0.2, 59.4, 59.6, 61.0, 296.0, 3599.0, 7200.0)]
    assert told == ["1 s", "59 s", "1 min", "1 min", "5 min", "1 h 0 min", "2 h 0 min"]


class Noted:
    """Keeps what was shown."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def show(self, text: str) -> None:
        """Keep a text."""
        self.texts.append(text)

    def hide(self) -> None:
        """Keep all."""


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> Noted:
    """Show every stage from its beginning on, however short it is."""
    display, begin = Noted(), Progress.begin

    def begin_and_show(self: Progress, name: str) -> None:
        begin(self, name)
        self.tick()

    monkeypatch.setattr(progress, "_display", lambda: display)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(Progress, "begin", begin_and_show)
    return display


def test_a_study_in_python_tells_what_it_reads_and_analyses(noted: Noted, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    study = reportgen.compare(rng.normal(0.3, 0.02, (200, 3)), measure="misclassification")
    assert any(text.startswith("reading") for text in noted.texts)
    assert study.conclusion is not None
    assert any(text.startswith("analysing inference") for text in noted.texts)
    noted.texts.clear()
    study.result("eda")
    assert any(text.startswith("analysing eda") for text in noted.texts)
    noted.texts.clear()
    (tmp_path / "results.csv").write_text("candidate,replication,mse\na,1,1\nb,1,2\n")
    reportgen.read(tmp_path / "results.csv")
    assert any(text.startswith("reading") for text in noted.texts)


@pytest.mark.parametrize("has_handler", [False, True])
def test_a_warning_meanwhile_is_told_once(
    *, has_handler: bool, noted: Noted, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    class Telling(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.append(record.getMessage())

    handler = Telling()
    monkeypatch.setattr(logging, "lastResort", handler)
    own = logging.getLogger("reportgen")
    monkeypatch.setattr(own, "handlers", [handler] if has_handler else [])
    monkeypatch.setattr(own, "propagate", False)
    with live_progress():
        own.warning("something is missing")
    assert told == ["something is missing"]


def test_a_document_that_quarto_executes_keeps_no_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "is_notebook", lambda: True)
    assert isinstance(progress._display(), Notebook)
    monkeypatch.setenv("QUARTO_DOCUMENT_PATH", "paper")
    assert not isinstance(progress._display(), Notebook)
