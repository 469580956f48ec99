r"""Tables of papers, in LaTeX or Markdown: a row a line of the table, its cells without markup.

Of LaTeX the rows of one tabular are read, without `\textbf{}`, `$…$` and other ways to set a cell;
`\pm` is written ±. No macro is expanded. A dash alone is an empty cell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from reportgen.errors import ExchangeError
from reportgen.exchange.records import cell_column
from reportgen.exchange.table import BOM, RawTable, named_columns, unnamed_columns
from reportgen.utf8 import utf8_fault

LATEX, MARKDOWN = (".tex",), (".md", ".markdown")
MOST_BYTES = 1 << 26
Row = tuple[int, list[str]]
"""The line of a row, from 1, and its cells."""

TABULAR = re.compile(
    r"\\begin\{(?P<kind>tabular[*xy]?|tabulary|longtable|array)\}(?P<body>.*?)\\end\{(?P=kind)\}",
    re.DOTALL,
)
COMMENT = re.compile(r"(?<!\\)%.*")
RULE = re.compile(
    r"\\(?:hline|toprule|bottomrule|midrule|(?:c(?:mid)?rule|cline)\s*(?:\([^)]*\))?\s*\{[^}]*\}"
    r"|addlinespace|hhline\s*\{[^}]*\}|endhead|endfirsthead|endfoot|endlastfoot|specialrule"
    r"\{[^}]*\}\{[^}]*\}\{[^}]*\})\s*(?:\[[^\]]*\])?"
)
ROW_END = re.compile(r"\\\\\s*\*?\s*(?:\[[^\]]*\])?|\\tabularnewline\b")
SPANS = re.compile(r"\\multicolumn\s*\{(\d+)\}\s*\{[^}]*\}\s*\{")
ROWS = re.compile(r"\\multirow\s*(?:\[[^\]]*\])?\s*\{[^}]*\}\s*(?:\[[^\]]*\])?\s*\{[^}]*\}\s*\{")
DROPPED = re.compile(
    r"\\(?:cite[tp]?|citep|ref|label|footnote|footnotemark|tnote|cellcolor|rowcolor|color|vspace"
    r"|hspace)\*?\s*(?:\[[^\]]*\])*\s*\{[^{}]*\}|\\(?:bf|it|rm|tt|sc|em|bfseries|itshape"
    r"|ttfamily|scshape|centering|small|footnotesize|scriptsize|tiny|boldmath|displaystyle)\b"
)
SET = re.compile(
    r"\\(?:text(?:bf|it|tt|rm|sc|sf|normal|up|md|sl)?|math(?:bf|it|tt|rm|sf|bfit)|boldsymbol|bm"
    r"|emph|underline|uline|num|mbox|makecell|rotatebox\s*\{[^{}]*\}|textcolor\s*\{[^{}]*\}"
    r"|colorbox\s*\{[^{}]*\})\s*(?:\[[^\]]*\])?\s*\{([^{}]*)\}"
)
GROUP = re.compile(
    r"(\\[a-zA-Z]+\*?\s*(?:\[[^\]]*\])?(?:\{[^{}]*\})?|\\[{}]|[\^_]\s*)?\{([^{}]*)\}"
)
"""Braces, with the command before them if there is one."""
MARKS = re.compile(
    r"[\^_]\s*(?:\{\s*)?(?:\\(?:dagger|ddagger|ast|star|circ|bullet|uparrow|downarrow)|[*†‡§])+\s*\}?"
    r"|\\(?:dagger|ddagger|ast|star|uparrow|downarrow)\b|[†‡↑↓]"
)
SPREAD = re.compile(r"[\^_]\s*\{\s*(±[^{}]*)\}|[\^_]\s*(±\s*[\d.]+)")
SIGNS = {r"\%": "%", r"\_": "_", r"\&": "&", r"\#": "#", r"\$": "$", r"\,": "", r"\;": " "}
DASHES = re.compile(r"[-–—−]+")
BAR = re.compile(r"(?<!\\)\|")
LINE = re.compile(r"\s*:?-+:?\s*")  # below the header of a table in Markdown
EMPHASIS = re.compile(r"(\*\*|__|~~|(?<!\w)[*_]|`)(?=\S)(.+?)(?<=\S)\1")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def read_paper_table(path: Path) -> RawTable:
    """Read the one table of a file in LaTeX or Markdown.

    Raises ExchangeError if the file is not text, has no table or several, a header of several rows,
    or a row with another number of cells.
    """
    content = path.read_bytes().removeprefix(BOM)
    if len(content) > MOST_BYTES:
        raise ExchangeError(f"{path}: found more than {MOST_BYTES >> 20} MiB; allowed less")
    if fault := utf8_fault(content):
        line, found = fault
        raise ExchangeError(f"{path}: line {line}: {found}; allowed text in UTF-8")
    read = _latex if path.suffix.lower() in LATEX else _markdown
    (first, names), *below = read(path, content.decode())
    for number, cells in below:
        if len(cells) != len(names):
            raise ExchangeError(
                f"{path}: line {number}: found {len(cells)} cells; allowed {len(names)}, as in the "
                f"header (line {first})"
            )
    columns = [cell_column([cells[i] for _, cells in below]) for i in range(len(names))]
    return RawTable(
        path,
        named_columns(path, names, columns),
        len(below),
        None,
        place=lambda row: f"line {below[row][0]}",
        unnamed=unnamed_columns(names, columns),
    )


def _only(path: Path, tables: Sequence[object], what: str) -> None:
    """Refuse a file that has no table, or several."""
    if len(tables) != 1:
        found = f"{len(tables)} tables" if tables else f"no table ({what})"
        raise ExchangeError(f"{path}: found {found}; allowed one in a file")


def _latex(path: Path, text: str) -> list[Row]:
    """Return the rows of the only tabular, the header first."""
    text = COMMENT.sub("", text)
    tables = list(TABULAR.finditer(text))
    _only(path, tables, r"\begin{tabular}")
    start, body = tables[0].start("body"), tables[0]["body"]
    number = text.count("\n", 0, start) + 1
    groups: list[list[Row]] = [[]]
    first, *others = ROW_END.split(body)
    for piece in (_without_arguments(first), *others):
        ruled = RULE.split(piece)
        line = number + len(piece[: len(piece) - len(piece.lstrip())].split("\n")) - 1
        if len(ruled) > 1 and groups[-1]:
            groups.append([])
        cells = _latex_cells("".join(ruled))
        if any(cells):
            groups[-1].append((line, cells))
        number += piece.count("\n")
    return _with_one_header(path, [group for group in groups if group])


def _without_arguments(piece: str) -> str:
    """Return the first row without what describes the columns before it."""
    while piece.lstrip()[:1] in ("{", "["):
        piece = piece.lstrip()
        depth = 0
        for i, letter in enumerate(piece):
            depth += (letter in "{[") - (letter in "}]")
            if depth == 0:
                piece = piece[i + 1 :]
                break
        else:
            return ""
    return piece


def _with_one_header(path: Path, groups: list[list[Row]]) -> list[Row]:
    """Return the rows, where what stands above the second rule is one row."""
    if not groups:
        raise ExchangeError(f"{path}: found a table without rows; allowed a header and rows")
    if len(groups) > 1 and len(groups[0]) > 1:
        line = groups[0][1][0]
        raise ExchangeError(
            f"{path}: line {line}: found a header of {len(groups[0])} rows; allowed one row of "
            "names"
        )
    return [row for group in groups for row in group]


def _latex_cells(row: str) -> list[str]:
    """Return the cells of a row; a cell over several columns is followed by empty ones."""
    cells: list[str] = []
    for cell in re.split(r"(?<!\\)&", row):
        span = SPANS.search(cell)
        cells.append(_latex_text(cell))
        cells += [""] * (int(span[1]) - 1 if span else 0)
    return cells


def _latex_text(cell: str) -> str:
    r"""Return what a cell says, without how it is set.

    Examples
    --------
    >>> _latex_text(r" \textbf{93.3} $\pm$ 0.5 "), _latex_text(r"$\mathbf{0.93}_{\pm 0.02}$")
    ('93.3 ± 0.5', '0.93 ± 0.02')
    >>> _latex_text(r"\multirow{2}{*}{LDA$^{\dagger}$}"), _latex_text(r"78.9\,\%")
    ('LDA', '78.9%')
    """
    text = cell.replace("\\pm", "±").replace("\\textpm", "±")
    for opening in (SPANS, ROWS):
        text = opening.sub("{", text)
    text = MARKS.sub("", DROPPED.sub("", text))
    for _ in range(8):  # commands within one another
        text, before = GROUP.sub(_inside, SET.sub(r"\1", text)), text
        if text == before:
            break
    text = re.sub(r"(?<!\\)\$", "", SPREAD.sub(r" \1\2", text))
    for sign, plain in SIGNS.items():
        text = text.replace(sign, plain)
    text = re.sub(r"(?<!\\)[{}]", "", text).replace("~", " ").replace("--", "–")
    text = re.sub(r"\s*±\s*", " ± ", text)
    return _cell(text)


def _inside(group: re.Match[str]) -> str:
    """Return what is in braces that belong to no command."""
    return group[2] if group[1] is None else group[0]


def _cell(text: str) -> str:
    text = " ".join(text.split())
    return "" if DASHES.fullmatch(text) else text


def _markdown(path: Path, text: str) -> list[Row]:
    """Return the rows of the only table, the header first."""
    lines = text.splitlines()
    heads = [i for i in range(1, len(lines)) if _is_head(lines[i - 1], lines[i])]
    _only(path, heads, "a row of names, and a line of dashes and bars below it")
    head = heads[0]
    rows = [(head, _bars(lines[head - 1]))]
    for i in range(head + 1, len(lines)):
        if "|" not in lines[i]:
            break
        rows.append((i + 1, _bars(lines[i])))
    return rows


def _is_head(above: str, line: str) -> bool:
    cells = _bars(line, is_plain=True)
    return "|" in line and "|" in above and all(LINE.fullmatch(cell) for cell in cells)


def _bars(line: str, *, is_plain: bool = False) -> list[str]:
    """Return the cells between bars."""
    cells = BAR.split(line.strip().removeprefix("|"))
    if len(cells) > 1 and not cells[-1].strip():
        cells.pop()
    return cells if is_plain else [_markdown_text(cell) for cell in cells]


def _markdown_text(cell: str) -> str:
    """Return what a cell says, without emphasis, marks and links.

    Examples
    --------
    >>> _markdown_text(" **93.3** ± 0.5 "), _markdown_text("[LDA](https://a.b) †")
    ('93.3 ± 0.5', 'LDA')
    """
    text = MARKS.sub("", LINK.sub(r"\1", cell).replace(r"\|", "|"))
    for _ in range(4):
        text = EMPHASIS.sub(r"\2", text)
    return _cell(text)
