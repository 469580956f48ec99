"""Programs of any language as candidates: they read a learning and a test sample from files.

The command is a list of words and never passes through a shell. The program
works in the manifest's folder; its files lie in a folder of their own, which
is gone when it has ended. Nothing that a data set holds reaches the command
line: names and values are in the files alone.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import file_digest
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Self, get_args
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from reportgen.catalogue.candidates import Candidate
from reportgen.catalogue.commands import (
    FILES,
    FileFormat,
    described,
    filled,
    missing_script,
    named_files,
)
from reportgen.catalogue.measures import NO_PROBABILITIES, Task
from reportgen.catalogue.program_files import Answer, read_answer, write_sample
from reportgen.errors import SetupError

if TYPE_CHECKING:
    import pandas as pd

LARGEST_SEED = 2**31  # R and many others take no larger numbers
LONGEST_TAIL = 400  # characters of what a program says at its end
MARK = "REPORTGEN_PROGRAM"  # in the environment of a program and of all that it starts
ROUNDS = 20  # of ending what a program has left behind


@dataclass(frozen=True, slots=True)
class Program:
    """A command that learns and predicts.

    Attributes
    ----------
    command : tuple of str
        Words, with placeholders.
    folder : Path
        Where it works: the manifest's.
    format : {"parquet", "csv"}
        Of all three files.
    digests : mapping of str to str
        SHA-256 of the files that it is made of, by their names in the folder.
    """

    command: tuple[str, ...]
    folder: Path
    format: FileFormat
    digests: Mapping[str, str]

    def __call__(self, task: Task, random_state: int) -> External:
        """Return an unfitted candidate."""
        return External(self, task, random_state)


def program_candidate(
    name: str,
    command: tuple[str, ...],
    folder: Path,
    file_format: FileFormat = "parquet",
    files: tuple[str, ...] = (),
) -> Candidate:
    """Return a candidate that is a program.

    Parameters
    ----------
    name : str
    command : tuple of str
        The program and its arguments, with placeholders.
    folder : Path
        Where it works.
    file_format : {"parquet", "csv"}
    files : tuple of str
        Further files that its fits depend on, relative to the folder.

    Raises
    ------
    SetupError
        If there is no such program or file.
    """
    folder = folder.resolve()
    if not _is_there(command[0], folder):
        raise SetupError(
            f"found the program {command[0]!r}, which is not there; allowed a program on the "
            "search path, or an executable file by its path from the manifest's folder, such as "
            f"./{Path(command[0]).name}"
        )
    missing = next((file for file in files if not (folder / file).is_file()), None)
    missing = missing or missing_script(command, folder)
    if missing is not None:
        close = get_close_matches(missing, [path.name for path in folder.iterdir()], n=1)
        near = f"; did you mean {close[0]!r}?" if close else ""
        raise SetupError(
            f"found the file {missing!r}, which is not there, in the manifest's folder{near}"
        )
    digests = {file: _digest(folder / file) for file in (*named_files(command, folder), *files)}
    program = Program(command, folder, file_format, digests)
    text = f"program: {described(command)}"
    return Candidate(name, text, program, get_args(Task), takes_inputs_as_they_are=True)


def _is_there(program: str, folder: Path) -> bool:
    path = str(folder / program) if os.sep in program else program
    return which(path) is not None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


class External:
    """A candidate whose program learns when its predictions are asked for.

    Parameters
    ----------
    program : Program
    task : {"classification", "regression"}
    random_state : int
        The program's seed.
    """

    learns_when_asked = True
    """Time and memory of learning cannot be told from those of predicting."""

    def __init__(self, program: Program, task: Task, random_state: int) -> None:
        self.program = program
        self.task: Task = task
        self.random_state = random_state

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return what its fits depend on, but for the seed."""
        program = self.program
        return {
            "command": program.command,
            "format": program.format,
            "files": dict(program.digests),
        }

    def fit(self, X: pd.DataFrame, y: NDArray[Any]) -> Self:
        """Keep the learning sample for the program."""
        self._learn = (X, y)
        self._asked: pd.DataFrame | None = None
        return self

    def predict(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Run the program, unless it was asked about these inputs before."""
        return self._answered(X).predicted

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Return the probabilities that the program gave with its predictions.

        Raises
        ------
        ValueError
            If it gave none.
        """
        answer = self._answered(X)
        if answer.probabilities is None:
            raise ValueError(NO_PROBABILITIES)
        self.classes_ = answer.classes
        return answer.probabilities

    def _answered(self, X: pd.DataFrame) -> Answer:
        if self._asked is not X:
            self._answer, self._asked = self._run(X), X
        return self._answer

    def _run(self, X: pd.DataFrame) -> Answer:
        """Write the samples, run the program, read what it predicts."""
        with TemporaryDirectory(prefix="reportgen-", ignore_cleanup_errors=True) as name:
            paths = {file: Path(name) / f"{file}.{self.program.format}" for file in FILES}
            write_sample(paths["learn"], *self._learn)
            write_sample(paths["test"], X)
            values = {file: str(path) for file, path in paths.items()}
            values |= {"seed": str(self.random_state % LARGEST_SEED), "task": self.task}
            run(filled(self.program.command, values), self.program.folder, Path(name))
            return read_answer(paths["predictions"], len(X), self.task)


def run(words: list[str], folder: Path, own: Path) -> None:
    """Run a program to its end, and end whatever it leaves behind.

    Parameters
    ----------
    words : list of str
    folder : Path
        Where it works.
    own : Path
        For what it says, and for its temporary files.

    Raises
    ------
    ChildProcessError
        If it cannot be started, or its exit code is not 0; with the end of
        what it wrote to standard error.

    Notes
    -----
    The program stays in the process group of its worker, and is killed with it
    when its time is up.
    """
    mark = uuid4().hex
    surroundings = {**os.environ, "TMPDIR": str(own), MARK: mark}
    said = own / "stderr"
    with said.open("wb") as errors:
        try:
            process = subprocess.Popen(
                words,
                cwd=folder,
                env=surroundings,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
        except OSError as error:
            raise ChildProcessError(f"the program cannot be started: {error.strerror}") from error
        try:
            code = process.wait()
        finally:
            process.kill()
            process.wait()
            _end_all(mark)
    if code:
        raise ChildProcessError(f"the program {_ending(code)}{_tail(said)}")


def _end_all(mark: str) -> None:
    """End the processes that a program has started and left, where the system can tell (Linux)."""
    written = f"{MARK}={mark}".encode()
    for _ in range(ROUNDS):
        left = [pid for pid in _processes() if written in _environment(pid)]
        if not left:
            return
        for pid in left:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def _processes() -> list[int]:
    try:
        return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    except OSError:
        return []


def _environment(pid: int) -> bytes:
    """Return the environment that a process was started with; empty where it has ended."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def _ending(code: int) -> str:
    if code > 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _tail(path: Path) -> str:
    """Return the end of what a program said, on one line."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 4 * LONGEST_TAIL))
        text = " ".join(file.read().decode("utf-8", errors="replace").split())
    if not text:
        return ", and said nothing"
    return f": {text if len(text) <= LONGEST_TAIL else '…' + text[-LONGEST_TAIL:]}"
