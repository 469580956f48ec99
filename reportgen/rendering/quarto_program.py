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
from reportgen.rendering import latex_log

PATH = "QUARTO_PATH"  # of the environment: the program, or the folder that has it
LOADED = (
    *("_extensions", "_metadata.y*ml", "_quarto-*", "_quarto.y*ml.local", "_environment*"),
    "_brand.y*ml",
)
"""What Quarto takes of a project's folder by name."""

PROGRAM = "quarto"
PYTHON = "QUARTO_PYTHON"  # of the environment: the Python that executes a document's code
TIMEOUT = 1800  # seconds
MOST_LINES = 5  # of a log, in a message
INSTALL = f"https://quarto.org, or pip install '{DISTRIBUTION}[quarto]'"

INCLUDE = re.compile(r"\{\{< include (\S+) >\}\}")
PLACED = re.compile(r"^:::+ \{#((?:fig|tbl)-[a-z0-9-]+)", re.MULTILINE)
LATEX_FILES = (".aux", ".log", ".out", ".toc", ".lof", ".lot", ".blg")
UNBROKEN = {"max_print_line": "10000", "error_line": "254", "half_error_line": "238"}
"""Lines of LaTeX's log are as long as what they say."""

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


def render_project(document: Path, form: str, output: str, *, is_executed: bool = False) -> Path:
    """Render a project's document.

    `form`: as `quarto render --to` has it: html, pdf, typst, docx, or a format of an extension.
    `output`: name of the file, beside the document.
    `is_executed`: whether code of the document makes its text, in this Python.
    Result: the file.
    Raises RenderingError if the program is not there or fails, if its log has a warning, such as an
    unresolved reference, or if LaTeX's log tells that something is lost; then the file is there,
    and so is LaTeX's log.
    """
    arguments = ["render", document.name, "--to", form, "--output", output]
    arguments += ["--execute"] if is_executed else ["--no-execute"]
    program = find_program()
    if program is None:
        raise RenderingError(
            f"the program {PROGRAM} was not found ({INSTALL}); the project is written, and "
            f"in {document.parent} it is rendered by: {' '.join([PROGRAM, *arguments])}"
        )
    path = document.with_name(output)
    before = file_state(path)
    is_latex = form.rpartition("-")[2] == "pdf"
    if is_latex:
        _remove_latex_files(document)
    said, code = _run([str(program), *arguments], document.parent)
    latex = latex_problems(document) if is_latex else []
    problems = [*latex, *problems_in(said)]
    if code and not problems:
        problems = [line for line in map(str.strip, said.splitlines()) if line][-MOST_LINES:]
    is_written = file_state(path) not in (None, before)
    if code or problems or not is_written:
        ended = f"{PROGRAM} ended with {code}" if code else f"{PROGRAM} has rendered {path}"
        if not is_written and not code:
            ended = f"{PROGRAM} has written no {path}"
        told = "; ".join(_first(problems))
        log = document.with_suffix(".log")
        is_of_latex = bool(latex) or (is_latex and bool(code))
        more = f"; LaTeX's log: {log}" if is_of_latex and log.exists() else ""
        raise RenderingError(f"{ended}: {told}{more}".rstrip(": "))
    if is_latex:
        _remove_latex_files(document)
    return path


def latex_problems(document: Path) -> list[str]:
    """Return what the files that LaTeX has left beside a document tell of it."""
    log, aux = document.with_suffix(".log"), document.with_suffix(".aux")
    if not log.exists():
        return []
    found = latex_log.problems_in(log.read_text(encoding="utf-8", errors="replace"))
    if aux.exists():
        there = latex_log.labels_in(aux.read_text(encoding="utf-8", errors="replace"))
        placed = dict.fromkeys(PLACED.findall(whole_text(document)))
        found += [f"{name} is nowhere in the PDF" for name in placed if name not in there]
    return found


def whole_text(document: Path) -> str:
    """Return the text of a document with what it includes."""
    lines = document.read_text(encoding="utf-8").split("\n")
    found = (INCLUDE.fullmatch(line) for line in lines)
    return "\n".join(
        whole_text(document.parent / include[1]) if include else line
        for line, include in zip(lines, found, strict=True)
    )


def _first(problems: Sequence[str]) -> list[str]:
    """Return the first problems, and how many more there are."""
    more = len(problems) - MOST_LINES
    return [*problems[:MOST_LINES], *([f"and {more} more"] if more > 0 else [])]


def file_state(path: Path) -> tuple[int, int, int] | None:
    """Return what changes when a file is written anew; None where there is none."""
    if not path.exists():
        return None
    found = path.stat()
    return found.st_mtime_ns, found.st_ino, found.st_size


def _remove_latex_files(document: Path) -> None:
    """Remove what LaTeX has left beside a document."""
    for ending in LATEX_FILES:
        document.with_suffix(ending).unlink(missing_ok=True)


def _run(arguments: Sequence[str], folder: Path) -> tuple[str, int]:
    """Run the program in a folder; return all that it says, and its exit code."""
    try:
        done = subprocess.run(
            arguments,
            cwd=folder,
            env={PYTHON: sys.executable, **os.environ, **safe_variables(), **UNBROKEN},
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
