"""The command line itself; what its verbs do is tested with the pipeline."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from reportgen import __version__
from reportgen.__main__ import INTERRUPTED, main
from reportgen.errors import ReportgenError


def test_version() -> None:
    assert CliRunner().invoke(main, ["--version"]).output == f"reportgen {__version__}\n"


@pytest.mark.parametrize("verb", sorted(main.commands))
def test_every_verb_has_an_example_on_a_line_of_its_own(verb: str) -> None:
    lines = CliRunner().invoke(main, [verb, "--help"]).output.splitlines()
    assert any(line.startswith(f"    reportgen {verb} ") for line in lines)


def test_interruption_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    from reportgen import pipeline

    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "open_job", interrupt)
    result = CliRunner().invoke(main, ["run", "any.yaml"])
    assert result.exit_code == INTERRUPTED
    assert "kept" in result.stderr


def test_debug_shows_where_an_error_comes_from() -> None:
    result = CliRunner().invoke(main, ["check", "missing.yaml", "--debug"])
    assert isinstance(result.exception, ReportgenError)
    assert result.exception.__traceback__ is not None
