"""What candidates print: kept in part, counted in whole, and never in our own output."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from reportgen.execution.pool import ProcessExecutor
from reportgen.execution.printed_output import LARGEST, PrintedOutput
from reportgen.execution.worker import LostTask

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no such pipes on Windows")
WAIT_SECONDS = 60.0
SLEEPER = (sys.executable, "-c", "import time; time.sleep(600)")


class Task(NamedTuple):
    deed: str
    number: int


@dataclass(frozen=True)
class Prints:
    """Prints in the ways that candidates have."""

    def owner(self, task: object) -> str:
        return ""

    def prepare(self, owner: str) -> None:
        """Nothing is needed."""

    def kind(self, task: Task) -> str:
        return ""

    def warm_up(self, task: Task) -> None:
        """Nothing is needed."""

    def __call__(self, task: Task) -> int:
        if task.deed == "python":
            sys.stdout.write(f"words {task.number}\n")
            sys.stderr.write(f"more {task.number}\n")
        if task.deed == "program":
            subprocess.run([sys.executable, "-c", "print('a program')"], check=True)
        if task.deed == "much":
            for _ in range(100):
                os.write(1, b"x" * 100_000)
        if task.deed == "steers":
            os.write(2, b"\x1b[31m\n::error::x\n\xff")
        if task.deed == "dies":
            os.write(2, b"last words")
            os._exit(3)
        if task.deed == "closes":
            os.close(1)
            os.close(2)
        if task.deed == "sleeper":
            return subprocess.Popen(SLEEPER, start_new_session=True).pid
        return task.number


def _printed(folder: Path, *deeds: str) -> tuple[str, PrintedOutput, list[object]]:
    tasks = [Task(deed, number) for number, deed in enumerate(deeds)]
    output = PrintedOutput(folder / "log")
    results = dict(ProcessExecutor(1).run(Prints(), tasks, None, output))
    output.close()
    text = (folder / "log").read_text() if (folder / "log").exists() else ""
    return text, output, [results[task] for task in tasks]


def test_what_a_task_prints_stands_below_its_name(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text, output, results = _printed(tmp_path, "python", "program", "python")
    assert results == [0, 1, 2]
    assert text == (
        "\n== python, 0\nwords 0\nmore 0\n"
        "\n== program, 1\na program\n"
        "\n== python, 2\nwords 2\nmore 2\n"
    )
    assert not output.is_cut
    assert capfd.readouterr() == ("", "")


def test_what_one_of_many_short_tasks_prints_stands_below_its_name(tmp_path: Path) -> None:
    deeds = [*["nothing"] * 150, "python", "nothing", "nothing", "python", *["nothing"] * 50]
    text, _, results = _printed(tmp_path, *deeds)
    assert results == [*range(len(deeds))]
    assert text == "".join(f"\n== python, {i}\nwords {i}\nmore {i}\n" for i in (150, 153))


def test_much_output_is_counted_and_cut(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "reportgen"):
        text, output, results = _printed(tmp_path, "much", "python")
    assert results == [0, 1]
    assert output.n_bytes == 10_000_000 + len("words 1\nmore 1\n")
    assert len(text) < 10_000
    assert text.endswith("== python, 1\nwords 1\nmore 1\n")
    (record,) = caplog.records
    assert record.getMessage().startswith("candidates printed 10,000,015 bytes: the first of them")


def test_the_file_has_an_end(tmp_path: Path) -> None:
    output = PrintedOutput(tmp_path / "log", most=100, of_fit=40)
    for number in range(10):
        output.take(str(number), b"x" * 50)
    output.close()
    assert (tmp_path / "log").stat().st_size == 100
    (tmp_path / "log").write_bytes(bytes(LARGEST + 1))
    again = PrintedOutput(tmp_path / "log")
    again.take("a", b"b")
    again.close()
    assert (tmp_path / "log").read_text() == "\n== a\nb"


def test_a_file_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    output = PrintedOutput(tmp_path / "gone" / "log")
    output.take("a", b"b")
    output.close()
    assert output.n_bytes == 1
    assert output.is_cut


def test_what_is_printed_steers_no_terminal(tmp_path: Path) -> None:
    text, _, _ = _printed(tmp_path, "steers")
    assert text == "\n== steers, 0\n\\u001b[31m\n:\u200b:error::x\n\\xff"


def test_the_last_words_of_a_task_are_kept(tmp_path: Path) -> None:
    text, _, results = _printed(tmp_path, "dies", "python")
    assert isinstance(results[0], LostTask)
    assert text.startswith("\n== dies, 0\nlast words\n== python, 1\n")


def test_a_task_that_closes_its_output_is_done(tmp_path: Path) -> None:
    _, _, results = _printed(tmp_path, "closes", "nothing")
    assert results == [0, 1]


STEP = """
from tests.execution.test_printed_output import Prints, Task
from reportgen.execution.pool import ProcessExecutor
if __name__ == "__main__":
    print(list(ProcessExecutor(1).run(Prints(), [Task("sleeper", 1)]))[0][1], flush=True)
"""


@pytest.mark.slow
def test_no_pipe_of_a_job_is_kept_open(tmp_path: Path) -> None:
    """Not even where what a candidate leaves behind cannot be ended."""
    script = tmp_path / "step.py"
    script.write_text(
        STEP.replace(
            "if __name__",
            "import reportgen.execution.pool as pool\n"
            "import reportgen.execution.worker as worker\n"
            "pool.end_marked = lambda *_, **_2: None\npool.find_descendants = lambda _: []\n"
            "worker.end_descendants = lambda _: None\nif __name__",
        )
    )
    root = Path(__file__).parents[2]
    job = subprocess.Popen(
        [sys.executable, script],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": str(root)},
        text=True,
    )
    begin = time.monotonic()
    told, _ = job.communicate(timeout=WAIT_SECONDS)
    sleeper = int(told.split()[-1])
    try:
        assert time.monotonic() - begin < WAIT_SECONDS
        os.kill(sleeper, 0)  # it is there, and holds no pipe of the job
    finally:
        os.kill(sleeper, 9)
