"""Commands with placeholders, by which a program is called that is a candidate."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

FileFormat = Literal["parquet", "csv"]

FILES = ("learn", "test", "predictions")
"""Placeholders that a command needs: where the files lie."""

PLACEHOLDERS = (*FILES, "seed", "task")
"""All placeholders of a command."""

SCRIPT = re.compile(r"[\w./][\w./-]*\.(R|r|py|jl|pl|rb|sh|js|lua|jar)")
"""Names of scripts, by their endings."""

SEPARATOR = re.compile(r"[/\\]")

OPTION = re.compile(r"-{1,2}\w[\w-]*=")
"""The name of an option whose value follows in the same word."""

PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")


def filled(command: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """Put values in the places of the placeholders.

    Examples
    --------
    >>> filled(["program", "--seed={seed}"], {"seed": "7"})
    ['program', '--seed=7']
    """
    return [PLACEHOLDER.sub(lambda found: values[found[1]], word) for word in command]


def plain_words(command: Sequence[str]) -> list[str]:
    """Return the words without placeholders: what a reader wants to know of a command."""
    return [word for word in command if not PLACEHOLDER.search(word)]


def described(command: Sequence[str]) -> str:
    """Write a command for readers of a report: without placeholders, and without an author's paths.

    Of the program and of scripts the last part of the path is left, of all else that may hold a
    path nothing.

    Examples
    --------
    >>> described(["/me/bin/Rscript", "/me/lda.R", "--lib=/me/r", "-q", "{learn}"])
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
