"""The verb `bench`, with commands that take no time of their own."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import reportgen
from reportgen.cli import main
from reportgen.errors import StudyError
from reportgen.execution import interleaved


def bench(*words: str, code: int = 0) -> str:
    found = CliRunner().invoke(main, ["bench", *words])
    assert found.exit_code == code, found.output
    return found.output


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Let processes take made-up times: those with "slow" among their words a tenth more."""
    rng, told = np.random.default_rng(1), list[list[str]]()

    def seconds(words: list[str]) -> float:
        told.append([*words])
        return float(np.exp(0.01 * rng.normal()) * (1.1 if "slow" in words else 1.0))

    monkeypatch.setattr(interleaved, "seconds_of", seconds)
    return told


def test_a_slower_variant_ends_with_1(clock: list[list[str]]) -> None:
    text = bench("quick", "slow", "--", "prog", "{}", code=1)
    assert text.startswith("slower: slow takes 1.098 times as long as quick (")
    assert "run anew:" in text
    assert "slow is slower than quick" in text
    assert clock[:2] == [["prog", "quick"], ["prog", "slow"]]  # not counted
    assert [words[1] for words in clock[2:6]] == ["quick", "slow", "slow", "quick"]


def test_a_faster_or_equal_one_ends_with_0(clock: list[list[str]]) -> None:
    assert bench("slow", "quick", "--", "prog", "{}").startswith("faster: quick takes 0.9")
    assert bench("a", "b", "--within", "1.05", "--", "prog", "{}").startswith("alike, within")
    assert bench("a x", "b 'y z'", "--blocks", "6").splitlines()[-1].startswith("6 blocks")
    assert clock[-1] in (["a", "x"], ["b", "y z"])


def test_the_times_are_read_by_compare(clock: list[list[str]], tmp_path: Path) -> None:
    file = tmp_path / "times.csv"
    bench("quick", "slow", "--times", str(file), "--no-confirm", "--", "prog", "{}", code=1)
    table = pd.read_csv(file)
    assert table["candidate"].tolist()[:2] == ["A", "B"]
    assert "A" in str(reportgen.compare(file))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("a", "b", "--", "prog"), "no {} in 'prog'"),
        (("", "b"), "nothing to run as A"),
        (("true", "echo 'a"), "(No closing quotation); allowed words, quotes closed"),
        (("true", "true", "--budget", "0"), "--budget 0"),
        (("true", "true", "--blocks", "3"), "6 blocks or more"),
        (("true", "no-such-program-here"), "cannot be started"),
    ],
)
def test_wrong_words_are_told(words: tuple[str, ...], told: str) -> None:
    assert told in bench(*words, code=2)


def test_a_failing_run_is_told_with_its_words() -> None:
    with pytest.raises(StudyError, match=r"exit code 3: lost"):
        interleaved.seconds_of(
            [sys.executable, "-c", "import sys; print('lost', file=sys.stderr); sys.exit(3)"]
        )
    assert interleaved.seconds_of([sys.executable, "-c", "pass"]) > 0
