"""How far an execution is."""

from __future__ import annotations

import logging

import pytest

from reportgen.execution.runner import Tally
from reportgen.progress import Lines


def test_lines_come_now_and_then(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "reportgen"):
        seldom, always = Lines(3600.0), Lines(0.0)
        for lines in (seldom, always):
            for n_done in (0, 1_500, 2_000):
                lines(n_done, 2_000)
    assert caplog.messages == [
        "0 of 2,000 fits are done after 0 min",
        "1,500 of 2,000 fits are done after 0 min",
    ]


def test_a_tally_keeps_what_there_was_to_do(caplog: pytest.LogCaptureFixture) -> None:
    told: list[tuple[int, int]] = []
    tally = Tally(lambda *numbers: told.append(numbers))
    with caplog.at_level(logging.INFO, "reportgen"):
        for n_done in (400, 401, 1_600):
            tally(n_done, 1_600)
    assert (tally.n_missing, tally.n_all) == (1_200, 1_600)
    assert caplog.messages == ["1,200 of 1,600 fits to run"]
    assert told == [(400, 1_600), (401, 1_600), (1_600, 1_600)]
