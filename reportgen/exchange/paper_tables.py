r"""Tables of papers, in LaTeX or Markdown: a row a line of the table, its cells without markup.

Of LaTeX the rows of one tabular are read, without `\textbf{}`, `$…$` and other ways to set a cell;
`\pm` is written ±. No macro is expanded. A dash alone is an empty cell, a cell over several rows
counts for each; a row that is one cell over all columns is left out.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from pathlib import Path

from reportgen.errors import ExchangeError
from reportgen.exchange.records import cell_column
from reportgen.exchange.table import BOM, RawTable, raw_table
from reportgen.file_reading import utf8_fault
from reportgen.study.errors import shown
from reportgen.study.result_files import LATEX

MOST_BYTES = 1 << 20
MOST_LETTERS = 1 << 12  # of a cell
Row = tuple[int, list[str]]
"""The line of a row, from 1, and its cells."""

EDGE = re.compile(r"\\(begin|end)\{(tabular[*xy]?|tabulary|longtable|array)\}")
TWO_ARGUMENTS = ("tabular*", "tabularx", "tabulary")  # the width, before what describes the columns
COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
RULE = re.compile(
    r"\\(?:hline|toprule|bottomrule|midrule|addlinespace|hhline\s*\{[^}]{0,999}\}|endhead"
    r"|endfirsthead|endfoot|endlastfoot|specialrule(?:\{[^}]{0,99}\}){3}"
    r"|(?:c(?:mid)?rule|cline)\s*(?:\([^)]{0,99}\)\s*)?\{(?P<part>[^}]{0,99})\})"
    r"\s*(?:\[[^\]]{0,99}\])?"
)
BEFORE_ROW = re.compile(rf"(?:\s|{RULE.pattern})*")
ROW_END = re.compile(r"\\\\\s*\*?\s*(?:\[[^\]]{0,99}\])?|\\tabularnewline\b")
CELL_END = re.compile(r"(?<!\\)&")
SPANS = re.compile(r"\\multicolumn\s*\{(\d{1,3})\}\s*\{[^}]*\}\s*\{")
ROWS = re.compile(r"\\multirow\s*(?:\[[^\]]*\])?\s*\{([^}]*)\}\s*(?:\[[^\]]*\])?\s*\{[^}]*\}\s*\{")
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
VALUE = re.compile(r"[-–−+]?[\d.]")  # what a cell with a number begins with
SIGNS = {r"\%": "%", r"\_": "_", r"\&": "&", r"\#": "#", r"\$": "$", r"\,": "", r"\;": " "}
DASHES = re.compile(r"[-–—−]+")
BAR = re.compile(r"(?<!\\)\|")
LINE = re.compile(r"\s*:?-+:?\s*")  # below the header of a table in Markdown
EMPHASIS = re.compile(
    r"(?<!\\)(?:(?P<star>\*\*|(?<!\w)\*)(?=\S)(?P<a>(?:\\\*|[^*])+)(?<![\s\\])(?P=star)"
    r"|(?P<tick>~~|`)(?=\S)(?P<b>[^~`]+)(?<=\S)(?P=tick)"
    r"|(?<!\w)(?P<line>__?)(?=\S)(?P<c>(?:\\_|[^_]|(?<=\w)_(?=\w))+?)(?<![\s\\])(?P=line)(?!\w))"
)
ESCAPED = re.compile(r"\\([!-/:-@[-`{-~])")
LINK = re.compile(r"\[([^\[\]]*)\]\([^)]{0,999}\)")


def read_paper_table(path: Path) -> RawTable:
    """Read the one table of a file in LaTeX or Markdown.

    Raises ExchangeError if the file is not text, has no table or several, a table in a cell, a
    header of several rows, the same rows below two titles, a row with another number of cells, or
    a cell that is too long.
    """
    if path.stat().st_size > MOST_BYTES:
        raise ExchangeError(f"{path}: found more than {MOST_BYTES >> 20} MiB; allowed less")
    content = path.read_bytes().removeprefix(BOM)
    if fault := utf8_fault(content):
        raise ExchangeError(f"{path}: line {fault[0]}: found {fault[1]}; allowed text in UTF-8")
    read = _latex if path.suffix.lower() in LATEX else _markdown
    (first, names), *below = read(path, content.decode())
    for number, cells in below:
        if len(cells) != len(names):
            raise ExchangeError(
                f"{path}: line {number}: found {len(cells)} cells; allowed {len(names)}, as in the "
                f"header (line {first})"
            )
    columns = [cell_column([cells[i] for _, cells in below]) for i in range(len(names))]
    return raw_table(path, names, columns, len(below), place=lambda row: f"line {below[row][0]}")


def _only(path: Path, tables: Sequence[object], what: str) -> None:
    """Refuse a file that has no table, or several."""
    if len(tables) != 1:
        found = f"{len(tables)} tables" if tables else f"no table ({what})"
        raise ExchangeError(f"{path}: found {found}; allowed one in a file")


def _latex(path: Path, text: str) -> list[Row]:
    """Return the rows of the only tabular, the header first."""
    text = COMMENT.sub(r"\1", text)
    tables = _tabulars(path, text)
    _only(path, tables, r"\begin{tabular}")
    kind, start, end = tables[0]
    number = text.count("\n", 0, start) + 1
    groups: list[list[Row]] = [[]]
    rows: list[list[str]] = []
    titles: list[Row] = []
    below: dict[int, tuple[int, str]] = {}  # rows that a cell still covers by column, and its text
    first, *others = ROW_END.split(text[start:end])
    for piece in (_without_arguments(first, 2 if kind in TWO_ARGUMENTS else 1), *others):
        line = number + piece.count("\n") - BEFORE_ROW.sub("", piece, count=1).count("\n")
        number += piece.count("\n")
        if groups[-1] and _ends_group(piece, len(rows[-1])):
            below = {} if len(groups) == 1 else below
            groups.append([])
        row = RULE.sub("", piece)
        cells, covered = _latex_cells(path, line, row)
        if not any(cells):
            continue
        if len(cells) > 1 and not CELL_END.search(row):
            titles.append((line, cells))
            continue
        for i, (_, over) in below.items():
            if i < len(cells):
                cells[i] = cells[i] or over
        below = {i: (n - 1, over) for i, (n, over) in below.items() if n > 1}
        below |= {i: (n - 1, cells[i]) for i, n in covered.items() if n > 1}
        groups[-1].append((line, cells))
        rows.append(cells)
        for i, n in covered.items():
            for above in rows[1:-1][n + 1 :] if n < -1 else ():
                if i < len(above):
                    above[i] = above[i] or cells[i]
    found = _with_one_header(path, [group for group in groups if group])
    _check_titles(path, titles, found)
    return found


def _tabulars(path: Path, text: str) -> list[tuple[str, int, int]]:
    """Return the kind of each tabular, and where its content begins and ends."""
    found = []
    opened: re.Match[str] | None = None
    for edge in EDGE.finditer(text):
        if edge[1] == "begin":
            if opened is not None:
                line = text.count("\n", 0, edge.start()) + 1
                raise ExchangeError(
                    f"{path}: line {line}: found a table within a table; allowed text in cells"
                )
            opened = edge
        elif opened is not None and edge[2] == opened[2]:
            found.append((edge[2], opened.end(), edge.start()))
            opened = None
    return found


def _ends_group(piece: str, width: int) -> bool:
    """Whether there is a rule over all columns before a row."""
    columns = set[int]()
    for rule in RULE.finditer(piece):
        if rule["part"] is None:
            return True
        ends = re.findall(r"\d{1,3}", rule["part"])
        if len(ends) == 2:
            columns.update(range(int(ends[0]), int(ends[1]) + 1))
    return columns.issuperset(range(1, width + 1))


def _check_titles(path: Path, titles: list[Row], rows: list[Row]) -> None:
    """Refuse rows of one name below several titles: what tells them apart would be left out."""
    seen: dict[tuple[str, ...], int] = {}
    lines = [line for line, _ in titles]
    for line, cells in rows[1:] if titles else ():
        n = bisect(lines, line)
        names = tuple(cell for cell in cells if cell and not VALUE.match(cell))
        if names and seen.setdefault(names, n) != n:
            title, (own, *_) = titles[n - 1]
            raise ExchangeError(
                f"{path}: line {title}: found the title {shown(own)} within the table, and "
                f"{shown(', '.join(names))} above and below it; allowed a column of what titles say"
            )


def _without_arguments(piece: str, n_braces: int) -> str:
    """Return the first row without what describes the columns before it."""
    while n_braces and piece.lstrip()[:1] in ("{", "["):
        piece = piece.lstrip()
        n_braces -= piece[0] == "{"
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


def _latex_cells(path: Path, line: int, row: str) -> tuple[list[str], dict[int, int]]:
    """Return the cells of a row, and of how many rows each is, where several."""
    # A cell over several columns is followed by empty ones; upwards the number of rows is negative.
    cells: list[str] = []
    covered = {}
    for cell in CELL_END.split(row):
        _check_length(path, line, cell)
        span, rows = SPANS.search(cell), ROWS.search(cell)
        if rows and re.fullmatch(r"\s*-?\d{1,3}\s*", rows[1]):
            covered[len(cells)] = int(rows[1])
        cells.append(_latex_text(cell))
        cells += [""] * (int(span[1]) - 1 if span else 0)
    return cells, covered


def _check_length(path: Path, line: int, cell: str) -> None:
    if len(cell) > MOST_LETTERS:
        raise ExchangeError(
            f"{path}: line {line}: found a cell of {len(cell):,} letters; allowed up to "
            f"{MOST_LETTERS:,}"
        )


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
    end = next((i for i in range(head + 1, len(lines)) if "|" not in lines[i]), len(lines))
    for i in (head - 1, *range(head + 1, end)):
        for cell in BAR.split(lines[i]):
            _check_length(path, i + 1, cell)
    rows = [(i + 1, _bars(lines[i])) for i in (head - 1, *range(head + 1, end))]
    has_bar = lines[head - 1].lstrip().startswith("|")
    for i in range(end, len(lines)):
        same = len(_bars(lines[i], is_plain=True)) == len(rows[0][1]) > 1
        if lines[i].lstrip().startswith("|") if has_bar else same:
            raise ExchangeError(
                f"{path}: line {i + 1}: found a row after the end of the table (line {end + 1} "
                "has no bar); allowed rows without others between them"
            )
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
    r"""Return what a cell says, without emphasis, marks and links.

    Examples
    --------
    >>> _markdown_text(" **93.3** ± 0.5 "), _markdown_text("[LDA](https://a.b) †")
    ('93.3 ± 0.5', 'LDA')
    >>> _markdown_text("svc__C=1__gamma=2"), _markdown_text(r"__model\_a__")
    ('svc__C=1__gamma=2', 'model_a')
    """
    text = MARKS.sub("", LINK.sub(r"\1", cell).replace(r"\|", "|"))
    for _ in range(4):
        text = EMPHASIS.sub(lambda own: own["a"] or own["b"] or own["c"], text)
    return _cell(ESCAPED.sub(r"\1", text))
