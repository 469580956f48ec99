"""Tables for LaTeX, with the rules of booktabs."""

from __future__ import annotations

from reportgen.document import Table
from reportgen.rendering.cells import Cell, is_wordy, written
from reportgen.rendering.words import said

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "\N{MINUS SIGN}": "$-$",
    "\N{EN DASH}": "--",
    "\N{PLUS-MINUS SIGN}": r"$\pm$",
    "\N{TILDE OPERATOR}": r"$\sim$",
    "\N{PRECEDES}": r"$\prec$",
}


def escaped(text: str) -> str:
    r"""Write text so that LaTeX sets it as it is.

    >>> print(escaped("a_b & 5% of {x}"))
    a\_b \& 5\% of \{x\}
    """
    return "".join(SPECIAL.get(c, c) for c in " ".join(text.split()))


def tabular(table: Table) -> str:
    """Return a table as an environment tabular; it needs the package booktabs."""
    alignment = "".join("l" if is_wordy(column) else "r" for column in table.columns)
    head = " & ".join(escaped(column.label) for column in table.columns)
    rows = [" & ".join(_cell(cell) for cell in row) + r" \\" for row in written(table)]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
            head + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _cell(cell: Cell) -> str:
    text = escaped(said(cell))
    return rf"\textbf{{{text}}}" if cell.is_best else text
