"""Code of a document for Quarto, executed as Quarto's engine Jupyter does it.

A cell with the tag `parameters` is followed by one with the parameters that are given. What cells
with `output: asis` return as Markdown takes their place; of others nothing is shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

CELL = re.compile(r"^```\{python\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"#\| ([a-z-]+): (.*)")
FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


def options_of(code: str) -> dict[str, str]:
    """Return the options at the beginning of a cell."""
    found = {}
    for line in code.split("\n"):
        match = OPTION.fullmatch(line)
        if match is None:
            return found
        found[match[1]] = match[2]
    return found


def executed(text: str, folder: Path, parameters: Mapping[str, Any] | None = None) -> str:
    """Return a document whose cells are what they have returned.

    `parameters`: by name, as `-P name:value` gives them.
    """
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    codes = CELL.findall(text)
    cells = []
    for code in codes:
        cells.append(nbformat.v4.new_code_cell(code))
        if parameters and "parameters" in options_of(code).get("tags", ""):
            assert options_of(code).get("label"), "Quarto takes a label away, and warns without one"
            lines = [f"{name} = {value!r}" for name, value in parameters.items()]
            cells.append(nbformat.v4.new_code_cell("\n".join(["# Injected Parameters", *lines])))
    notebook = nbformat.v4.new_notebook(cells=cells)
    resources = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources=resources
    ).execute(env={**os.environ, "QUARTO_DOCUMENT_PATH": str(folder)})
    shown = iter([_shown(cell) for cell in notebook.cells if cell.source in codes])
    return CELL.sub(lambda _: next(shown), text)


def _shown(cell: Any) -> str:
    """Return the Markdown of a cell's outputs."""
    is_shown = options_of(cell.source).get("output") == "asis"
    assert is_shown or not cell.outputs, cell.outputs
    return "\n".join(output["data"]["text/markdown"] for output in cell.outputs)
