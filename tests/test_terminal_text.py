"""What others wrote is printed so that no terminal and no job obeys it."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen.cli import main
from reportgen.cli.options import log_to_stderr
from reportgen.terminal_text import terminal_text

HOSTILE = "\x1b]0;x\x07\x9b31m\r\u202e\u2066\ud800\x00"


def test_no_character_steers() -> None:
    found = terminal_text(f"{HOSTILE}\ta\nb é 猫")
    assert found.endswith("\ta\nb é 猫")
    assert found.replace("\t", "").replace("\n", "").isprintable()
    assert found.encode()


@pytest.mark.parametrize("text", ["::error::x", "  ::add-mask::x", "a\n::stop-commands::b"])
def test_no_line_is_a_command_of_a_job(text: str) -> None:
    assert not any(line.lstrip().startswith("::") for line in terminal_text(text).splitlines())
    assert "##[" not in terminal_text("see ##[error]x")


def test_errors_and_the_log_are_plain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "\x1b[31m/r.csv"
    path.parent.mkdir()
    path.write_text("a;b\n1;2;3\n")
    done = CliRunner().invoke(main, ["check", str(path)])
    assert done.exit_code == 2
    assert "\\u001b[31m/r.csv: row 2" in done.output
    assert "\x1b" not in done.output
    log_to_stderr(logging.INFO)
    logging.getLogger("reportgen").info("the column %s", HOSTILE)
    assert "\x1b" not in capsys.readouterr().err
