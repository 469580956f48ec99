"""How far an execution is."""

from __future__ import annotations

import logging

import pytest

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
