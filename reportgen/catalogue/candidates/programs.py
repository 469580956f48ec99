"""Programs of any language as candidates: they read a learning and a test sample from files.

The command is a list of words with placeholders and never passes through a shell. The
program works in the manifest's folder; the samples and its predictions lie in a
temporary folder of their own. Nothing that a data set holds reaches the command
line: names and values are in the files alone.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from hashlib import file_digest
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from reportgen.catalogue.candidates.candidate import Candidate
from reportgen.catalogue.measures.prediction import NO_PROBABILITIES
from reportgen.data_classes import dataclass
from reportgen.errors import SetupError
from reportgen.measures import Task
from reportgen.module_path import safe_variables
from reportgen.path_redaction import SEPARATOR
from reportgen.processes import run_to_end

if TYPE_CHECKING:
    import pandas as pd

RESPONSE = "response"
"""The learning sample's last column; an input of that name gets an underscore."""
PREDICTION = "prediction"
CLASS = re.compile(r"X?(\d{1,9})")  # R puts an X before names that are numbers
ROW_NAMES = ("Unnamed: 0", "__index_level_0__")  # that R and pandas may write without being asked
ALLOWED = (
    f"{PREDICTION}, or a column of probabilities for each class, named by its number (0, 1, …)"
)
FileFormat = Literal["parquet", "csv"]
FILES = ("learn", "test", "predictions")
"""Placeholders that a command needs: where the files lie."""
PLACEHOLDERS = (*FILES, "seed", "task")
"""All placeholders of a command."""
SCRIPT = re.compile(r"[\w./][\w./-]*\.(R|r|py|jl|pl|rb|sh|js|lua|jar)")
"""Names of scripts, by their endings."""
OPTION = re.compile(r"-{1,2}\w[\w-]*=")
"""The name of an option whose value follows in the same word."""
PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
LARGEST_SEED = 2**31  # R and many others take no larger numbers
LONGEST_TAIL = 400  # characters of the end of an error output


def program_candidate(
    name: str,
    command: tuple[str, ...],
    folder: Path,
    file_format: FileFormat = "parquet",
    files: tuple[str, ...] = (),
) -> Candidate:
    """Return a candidate that is a program.

    `command`: the program and its arguments, with placeholders.
    `folder`: where it works.
    `files`: further files that its fits depend on, relative to the folder.
    Raises SetupError if there is no such program or file.
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
            f"found the file {missing!r}, which is not there; allowed one in the manifest's "
            f"folder{near}"
        )
    digests = {file: _digest(folder / file) for file in (*named_files(command, folder), *files)}
    program = Program(command, folder, file_format, digests)
    text = f"program: {describe_command(command)}"
    return Candidate(name, text, program, get_args(Task), takes_inputs_as_they_are=True)


@dataclass(frozen=True, slots=True)
class Program:
    """A command that learns and predicts."""

    command: tuple[str, ...]  # words, with placeholders
    folder: Path  # where it works: the manifest's
    format: FileFormat  # of all three files
    # SHA-256 of the files that it is made of, by their names in the folder.
    digests: Mapping[str, str]

    def __call__(self, task: Task, random_state: int) -> External:
        """Return an unfitted candidate."""
        return External(self, task, random_state)


class External:
    """A candidate whose program learns when it predicts.

    `random_state`: the program's seed.
    """

    learns_with_predictions = True
    """Time and memory of learning and of predicting are measured together."""

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
        self._answered_inputs: pd.DataFrame | None = None
        return self

    def predict(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Run the program, unless it has predicted these inputs before."""
        return self._answered(X).predicted

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Return the probabilities that the program gave with its predictions.

        Raises ValueError if it gave none.
        """
        answer = self._answered(X)
        if answer.probabilities is None:
            raise ValueError(NO_PROBABILITIES)
        self.classes_ = answer.classes
        return answer.probabilities

    def _answered(self, X: pd.DataFrame) -> Answer:
        if self._answered_inputs is not X:
            self._answer, self._answered_inputs = self._run(X), X
        return self._answer

    def _run(self, X: pd.DataFrame) -> Answer:
        """Write the samples, run the program, read what it predicts."""
        with TemporaryDirectory(prefix="reportgen-", ignore_cleanup_errors=True) as name:
            paths = {file: Path(name) / f"{file}.{self.program.format}" for file in FILES}
            write_sample(paths["learn"], *self._learn)
            write_sample(paths["test"], X)
            values = {file: str(path) for file, path in paths.items()}
            values |= {"seed": str(self.random_state % LARGEST_SEED), "task": self.task}
            run(fill_placeholders(self.program.command, values), self.program.folder, Path(name))
            return read_answer(paths["predictions"], len(X), self.task)


def run(words: list[str], folder: Path, own: Path) -> None:
    """Run a program to its end, and end whatever it leaves behind.

    `folder`: where it works.
    `own`: for its temporary files.
    Raises ChildProcessError if it cannot be started, or its exit code is not 0; with the end of
    what it wrote to standard error.

    Notes
    -----
    The program stays in the process group of its worker, and is killed with it
    when its time is up.
    """
    variables = {**safe_variables(), "TMPDIR": str(own)}
    try:
        ended = run_to_end(words, folder=folder, variables=variables)
    except OSError as error:
        raise ChildProcessError(f"the program cannot be started: {error.strerror}") from error
    if ended.code:
        raise ChildProcessError(f"the program {_ending(ended.code)}{_message(ended.said)}")


def _ending(code: int) -> str:
    if code > 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _message(text: str) -> str:
    """Say the end of the error output of a program."""
    if not text:
        return " without a message"
    return f": {text if len(text) <= LONGEST_TAIL else '…' + text[-LONGEST_TAIL:]}"


def _is_there(program: str, folder: Path) -> bool:
    path = str(folder / program) if os.sep in program else program
    return which(path) is not None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def fill_placeholders(command: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """Put values in the places of the placeholders.

    Examples
    --------
    >>> fill_placeholders(["program", "--seed={seed}"], {"seed": "7"})
    ['program', '--seed=7']
    """
    return [PLACEHOLDER.sub(lambda found: values[found[1]], word) for word in command]


def plain_words(command: Sequence[str]) -> list[str]:
    """Return the words without placeholders: what a reader wants to know of a command."""
    return [word for word in command if not PLACEHOLDER.search(word)]


def describe_command(command: Sequence[str]) -> str:
    """Write a command for readers of a report: without placeholders, and without an author's paths.

    Of the program and of scripts the last part of the path is left, of all else that may hold a
    path nothing.

    Examples
    --------
    >>> describe_command(["/me/bin/Rscript", "/me/lda.R", "--lib=/me/r", "-q", "{learn}"])
    'Rscript lda.R --lib=… -q'
    """
    program, *others = plain_words(command) or [""]
    words = [_last_part(program), *(_without_path(word) for word in others)]
    return " ".join(words)


def _without_path(word: str) -> str:
    """Shorten a script's path to its name, and any other path to nothing."""
    if not SEPARATOR.search(word):
        return word
    if SCRIPT.fullmatch(_last_part(word)) and not word.startswith("-"):
        return _last_part(word)
    option = OPTION.match(word)
    return f"{option[0]}…" if option else "…"


def _last_part(path: str) -> str:
    return SEPARATOR.split(path)[-1]


def named_files(command: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Return the words of a command that are names of files in a folder."""
    return tuple(word for word in dict.fromkeys(command) if _is_file(folder, word))


def missing_script(command: Sequence[str], folder: Path) -> str | None:
    """Return the first word after the program that is the name of a script and not there.

    Examples
    --------
    >>> missing_script(["Rscript", "lda.R", "{learn}"], Path("nowhere"))
    'lda.R'
    """
    scripts = (word for word in command[1:] if SCRIPT.fullmatch(word))
    return next((word for word in scripts if not _is_file(folder, word)), None)


def _is_file(folder: Path, word: str) -> bool:
    try:
        return (folder / word).is_file()
    except (OSError, ValueError):  # a word that is no name
        return False


@dataclass(frozen=True, slots=True)
class Answer:
    """The predictions of a program on a test sample."""

    predicted: NDArray[np.float64]  # (n,); responses, or numbers of classes
    probabilities: NDArray[np.float64] | None  # shape (n, G)
    classes: NDArray[np.int64]  # (G,); the class of each column of the probabilities


def write_sample(path: Path, inputs: pd.DataFrame, response: NDArray[Any] | None = None) -> None:
    """Write a learning sample, or a test sample, which has no response.

    `path`: ends with .csv or .parquet.
    `inputs`: numbers, and categories as text; what is missing stays so (empty in CSV).
    `response`: numbers; of classes from 0, in the order of the data set.
    """
    table = inputs.reset_index(drop=True)
    if RESPONSE in table:
        fresh = RESPONSE
        while fresh in table:
            fresh += "_"
        table = table.rename(columns={RESPONSE: fresh})
    if response is not None:
        table = table.assign(**{RESPONSE: response})
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
    else:
        table.to_parquet(path, index=False)


def read_answer(path: Path, n_test: int, task: Task) -> Answer:
    """Read what a program predicts.

    `path`: with `prediction`, or for classes a column for each, or both.
    `n_test`: how many rows there have to be.
    Raises ValueError if there is no such file, or it holds something else.
    """
    if not path.is_file():
        raise ValueError("the program has ended well, but has written no predictions")
    table = _table(path)
    names = [name for name in map(str, table.columns) if name not in ROW_NAMES]
    table = table.set_axis([str(name) for name in table.columns], axis=1)
    classes = {name: int(m[1]) for name in names if (m := CLASS.fullmatch(name))}
    if task == "regression" or not set(names) - {PREDICTION}:
        classes = {}
    wrong = [name for name in names if name != PREDICTION and name not in classes]
    if wrong or not names:
        found = ", ".join(map(repr, wrong[:5])) if wrong else "no column"
        allowed = PREDICTION if task == "regression" else ALLOWED
        raise ValueError(f"found {found} in the program's predictions; allowed {allowed}")
    if len(table) != n_test:
        raise ValueError(f"the program has written {len(table)} predictions, not {n_test}")
    return _answer(table, classes)


def _table(path: Path) -> pd.DataFrame:
    import pandas as pd

    try:
        return pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    except Exception as error:
        kind = path.suffix[1:].replace("csv", "CSV").replace("parquet", "Parquet")
        raise ValueError(f"the program's predictions are no {kind}: {error}") from error


def _answer(table: pd.DataFrame, classes: dict[str, int]) -> Answer:
    probabilities = _numbers(table[list(classes)]) if classes else None
    numbers = np.array(list(classes.values()), dtype=np.int64)
    if len(set(classes.values())) < len(classes):
        raise ValueError("the program gives probabilities of a class twice")
    if PREDICTION in table:
        predicted = _numbers(table[[PREDICTION]])[:, 0]
    else:
        if probabilities is None or np.isnan(probabilities).any():
            raise ValueError("some of the program's probabilities are missing")
        predicted = numbers[np.argmax(probabilities, axis=1)].astype(np.float64)
    return Answer(predicted, probabilities, numbers)


def _numbers(table: pd.DataFrame) -> NDArray[np.float64]:
    try:
        return table.to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError):
        raise ValueError(
            f"the program's predictions are not numbers (columns {', '.join(table.columns)}); "
            "classes are numbers from 0, in the order of the data set"
        ) from None
