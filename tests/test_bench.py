"""The verb `bench`, with commands that take no time of their own."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
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

    def seconds(words: list[str], timeout: float, *, has_runs: bool) -> float:
        assert not has_runs
        assert timeout == interleaved.LONGEST
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
        (("true", "true", "--budget", "inf"), "--budget inf"),
        (("true", "true", "--timeout", "nan"), "--timeout nan"),
        (("true", "true", "--timeout", "-1"), "--timeout -1"),
        (("no-such-program-here", "true", "--blocks", "3"), "6 blocks or more"),
        (("true", "cat /dev/zero", "--timeout", "0.2"), "'cat /dev/zero' at work after 0.2 s"),
        (("sleep 600", "true", "--budget", "0.2"), "'sleep 600' at work after 0.2 s; allowed"),
        (("yes >&2", "true", "--timeout", "0.2"), "yes '>&2'"),
        (("true", "no-such-program-here"), "cannot be started"),
    ],
)
def test_wrong_words_are_told(words: tuple[str, ...], told: str) -> None:
    assert told in bench(*words, code=2)


def test_a_failing_run_is_told_with_its_words() -> None:
    with pytest.raises(StudyError, match=r"exit code 3 of .* .lost."):
        interleaved.seconds_of(
            [sys.executable, "-c", "import sys; print('lost', file=sys.stderr); sys.exit(3)"]
        )
    assert interleaved.seconds_of([sys.executable, "-c", "pass"]) > 0


SLEEPER = """
import os, sys, time
os.setsid()
open(sys.argv[1], "a").write(f"{os.getpid()} ")
time.sleep(600)
"""
STARTER = """
import os, subprocess, sys, time
subprocess.Popen([sys.executable, "-c", *sys.argv[1:3]])
while not os.path.exists(sys.argv[2]) or sys.argv[3] == "stay":
    time.sleep(0.01)
"""


WITH_INTERRUPTIONS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # which background jobs may ignore
from reportgen.__main__ import main
main()
"""


def started(file: Path, n: int) -> list[int]:
    """Wait until so many processes have written their numbers, and return these."""
    for _ in range(600):
        if file.exists() and len(file.read_text().split()) >= n:
            break
        time.sleep(0.05)
    return [int(text) for text in file.read_text().split()]


def are_gone(pids: list[int]) -> bool:
    for _ in range(200):
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found on Linux")
def test_what_a_process_leaves_behind_is_ended_and_not_waited_for(tmp_path: Path) -> None:
    """It has the error output of its process, which ends long after this, if nobody ends it."""
    file = tmp_path / "pids"
    interleaved.seconds_of([sys.executable, "-c", STARTER, SLEEPER, str(file), "go"], 60)
    pids = started(file, 1)
    assert len(pids) == 1
    assert are_gone(pids)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are found on Linux")
@pytest.mark.parametrize(
    ("number", "code", "word"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
def test_a_signal_ends_it_and_its_processes(
    tmp_path: Path, number: int, code: int, word: str
) -> None:
    file = tmp_path / "pids"
    words = (*("bench", "stay", "go", "--", sys.executable), "-c", STARTER, SLEEPER, str(file))
    own = subprocess.Popen(
        [sys.executable, "-c", WITH_INTERRUPTIONS, *words, "{}"], stderr=subprocess.PIPE, text=True
    )
    pids = started(file, 1)
    own.send_signal(number)
    assert word in own.communicate(timeout=60)[1]
    assert own.returncode == code
    assert len(pids) == 1
    assert are_gone(pids)


def test_whole_blocks_are_kept_where_a_process_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    left = [1.0] * 2 + [2.0] * 4 + [1.0]

    def seconds(words: list[str], timeout: float, *, has_runs: bool) -> float:
        assert not has_runs
        if not left:
            raise StudyError("bench: lost")
        return left.pop(0)

    monkeypatch.setattr(interleaved, "seconds_of", seconds)
    assert "lost" in bench("a", "b", "--times", str(tmp_path / "t.csv"), code=2)
    assert (tmp_path / "t.csv").read_text().splitlines()[1:] == ["1,A,2.0", "1,B,2.0"]


def printing(text: str) -> list[str]:
    return [sys.executable, "-c", f"print({text!r})"]


def test_a_process_is_the_mean_of_the_runs_that_it_prints() -> None:
    assert interleaved.seconds_of(printing("0.1\n\n0.4\n"), has_runs=True) == pytest.approx(0.2)


@pytest.mark.parametrize("text", ["", "0.1\nall done", "0.1\n0", "inf", "nan"])
def test_a_process_that_prints_no_times_is_told(text: str) -> None:
    with pytest.raises(StudyError, match="allowed the seconds of a run a line"):
        interleaved.seconds_of(printing(text), has_runs=True)


def test_runs_of_processes_are_compared(tmp_path: Path) -> None:
    """Each process prints three runs with an own start; B takes twice as long."""
    file = tmp_path / "prog.py"
    file.write_text(
        "import random, sys\n"
        "start = random.gauss(1, 0.01)\n"
        "for _ in range(3): print(start * float(sys.argv[1]) * random.gauss(1, 0.001))\n"
    )
    words = ("1", "2", "--runs", "--no-confirm", "--", sys.executable, str(file), "{}")
    ratio = float(bench(*words, code=1).split("takes ")[1].split()[0])
    assert 1.9 < ratio < 2.1
