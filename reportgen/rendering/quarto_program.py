"""The program Quarto: where it is, how it renders a project, and what its log says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from reportgen.errors import RenderingError
from reportgen.installation import DISTRIBUTION
from reportgen.module_path import safe_variables

PATH = "QUARTO_PATH"  # of the environment: the program, or the folder that has it
LOADED = (
    *("_extensions", "_metadata.y*ml", "_quarto-*", "_quarto.y*ml.local", "_environment*"),
    "_brand.y*ml",
)
"""What Quarto takes of a project's folder by name."""

PROGRAM = "quarto"
TIMEOUT = 1800  # seconds
MOST_LINES = 5  # of a log, in a message
INSTALL = f"https://quarto.org, or pip install '{DISTRIBUTION}[quarto]'"

COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
PROBLEM = re.compile(
    r"^\s*(?:\[?(?:WARN|WARNING|ERROR|FATAL)\]?\b|\[[WE]\]|(?:warning|error)\b\s*:)"
    r"|^(?:LaTeX|Package \w+) Warning: .*undefined"
    r"|\?@(?:fig|tbl|sec|eq)-"
    r"|[Mm]issing character",
)
BARE = re.compile(r"^\s*\[?[A-Z]+\]?:?\s*(?:\([^)]*\))?:?\s*$")  # the message is on the next line


def find_program() -> Path | None:
    """Return the program: by QUARTO_PATH, of Python's environment, or of PATH; None without it.

    Raises RenderingError if QUARTO_PATH names nothing that can be run.
    """
    given = os.environ.get(PATH, "")
    if given:
        found = shutil.which(given) or shutil.which(PROGRAM, path=given)
        if found is None:
            raise RenderingError(
                f"{PATH}: found {given!r}; allowed the program {PROGRAM}, or the folder that has it"
            )
        return Path(found)
    own = shutil.which(PROGRAM, path=str(Path(sys.executable).parent))
    found = own or shutil.which(PROGRAM)
    return Path(found) if found else None


def loaded_files(document: Path) -> tuple[str, ...]:
    """Return what Quarto would load of a project's folder beside what a report puts there.

    These are extensions (of journals, say), profiles, variables and metadata, which name filters.
    """
    folder = document.parent
    return tuple(
        path.relative_to(folder).as_posix()
        for pattern in LOADED
        for path in sorted(folder.rglob(pattern))
    )


def render_project(document: Path, form: str, output: str) -> Path:
    """Render a project's document.

    `form`: as `quarto render --to` has it: html, pdf, typst, docx, or a format of an extension.
    `output`: name of the file, beside the document.
    Result: the file.
    Raises RenderingError if the program is not there or fails, or if its log has a warning, such as
    an unresolved reference; then the file is there.
    """
    arguments = ["render", document.name, "--to", form, "--output", output, "--no-execute"]
    program = find_program()
    if program is None:
        raise RenderingError(
            f"the program {PROGRAM} was not found ({INSTALL}); the project is written, and "
            f"in {document.parent} it is rendered by: {' '.join([PROGRAM, *arguments])}"
        )
    said, code = _run([str(program), *arguments], document.parent)
    problems = problems_in(said)
    if code and not problems:
        problems = [line for line in map(str.strip, said.splitlines()) if line][-MOST_LINES:]
    path = document.with_name(output)
    if code or problems or not path.exists():
        ended = f"{PROGRAM} ended with {code}" if code else f"{PROGRAM} has rendered {path}"
        if not path.exists() and not code:
            ended = f"{PROGRAM} has written no {path}"
        raise RenderingError(": ".join([ended, "; ".join(problems[:MOST_LINES])]).rstrip(": "))
    return path


def _run(arguments: Sequence[str], folder: Path) -> tuple[str, int]:
    """Run the program in a folder; return all that it says, and its exit code."""
    try:
        done = subprocess.run(
            arguments,
            cwd=folder,
            env={**os.environ, **safe_variables()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise RenderingError(f"{PROGRAM} has not ended after {TIMEOUT} seconds") from error
    return done.stdout.decode("utf-8", errors="replace"), done.returncode


def problems_in(log: str) -> list[str]:
    r"""Return the lines of a log that tell of a problem, each once.

    Examples
    --------
    >>> problems_in("pandoc\n  to: html\n[WARNING] Citeproc: citation x not found\n")
    ['[WARNING] Citeproc: citation x not found']
    """
    lines = [COLOUR.sub("", line).strip() for line in re.split(r"[\r\n]+", log)]
    found = []
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if PROBLEM.search(line):
            found.append(f"{line} {after}".strip() if BARE.match(line) else line)
    return list(dict.fromkeys(found))
