"""Documents of Quarto whose code makes them: each part of a report is what a cell returns.

Quarto executes them by Jupyter, with parameters where they are given (`-P alpha:0.01`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

EXECUTION: Mapping[str, Any] = MappingProxyType({"echo": False, "freeze": "auto", "daemon": False})
"""No code is shown; a project's documents are executed again where they have changed; no program of
an earlier time, with other packages, waits for the next."""

START = "start"  # the name of what stands before the first heading
REFERENCES = "# References {.unnumbered}\n\n::: {#refs}\n:::\n"
HEADING = re.compile(r"# .* \{#sec-([a-z0-9-]+)\}")
FENCE = re.compile(r"(`{3,})(.*)")


def parts_of(body: str) -> dict[str, str]:
    r"""Divide the body of a document at its first headings; what is in blocks of code is none.

    The list of references, which every document ends with, is no part.

    Examples
    --------
    >>> parts_of("a\n\n# B {#sec-b}\n\n```{.text}\n# C {#sec-c}\n```\n\n# D {#sec-d}\n\ne\n")
    {'start': 'a', 'b': '# B {#sec-b}\n\n```{.text}\n# C {#sec-c}\n```', 'd': '# D {#sec-d}\n\ne'}
    """
    found: dict[str, list[str]] = {START: []}
    own, fence = START, ""
    for line in body.removesuffix(REFERENCES).split("\n"):
        heading = None if fence else HEADING.fullmatch(line)
        if heading:
            own = heading[1]
        mark = FENCE.fullmatch(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1] == fence and not mark[2]:
            fence = ""
        found.setdefault(own, []).append(line)
    texts = {name: "\n".join(lines).strip() for name, lines in found.items()}
    return {name: text for name, text in texts.items() if text}


def executed_front(front: Mapping[str, Any]) -> dict[str, Any]:
    """Return the head of a document that is executed: its abstract is what a cell returns."""
    kept = {key: value for key, value in front.items() if key != "abstract"}
    return {**kept, "engine": "jupyter", "jupyter": "python3"}


def executed_body(body: str, stem: str, alpha: float, digest: str, *, has_abstract: bool) -> str:
    """Return the cells that make a document.

    `body`: as it is without cells.
    `stem`: of its file.
    `digest`: of the results: Quarto executes a frozen document again when its text has changed.
    """
    return "\n".join(_cells(parts_of(body), stem, alpha, digest, has_abstract=has_abstract)) + (
        f"\n{REFERENCES}" if body.endswith(REFERENCES) else ""
    )


def _cells(
    parts: Mapping[str, str], stem: str, alpha: float, digest: str, *, has_abstract: bool
) -> Iterator[str]:
    """Yield the blocks of code."""
    # Quarto takes the label of a cell of parameters away, and warns where it has none.
    yield from ("```{python}", "#| label: parameters", "#| tags: [parameters]", "")
    yield from (f"alpha = {alpha!r}", "```", "")
    yield from ("```{python}", "#| label: study", f"# The results are {digest}.", "")
    yield from (
        "import reportgen as rg",
        "",
        'study = rg.load("..", as_reported=True, alpha=alpha)',
    )
    yield from (f'document = study.document("{stem}")', "```", "")
    if has_abstract:
        yield from _cell("abstract", "document.abstract")
    for name in parts:
        yield from _cell(f"text-{name}", f'document.part("{name}")')
    names = ", ".join(f'"{name}"' for name in parts)
    yield from _cell("text-others", f"document.others({names})")


def _cell(label: str, code: str) -> Iterator[str]:
    yield from ("```{python}", f"#| label: {label}", "#| output: asis", code, "```", "")
