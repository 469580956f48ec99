r"""A table in LaTeX that fits its page: decimals that align, columns that break, a note.

It needs booktabs; array, longtable, rotating and pdflscape where its columns break, where it is
longer than a page, or wider. In a paper of two columns it is as wide as one of them or as the page;
there longtable does not work, and what is longer than a page is several tables. Its numbers stand
in plain columns at the right: phantoms hold the place of what a number lacks, so that points align
without another package, in bold, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil, inf
from typing import Literal

from reportgen.data_classes import dataclass
from reportgen.rendering.latex_text import ALLOW_BREAK, BREAKS, divided, text_width, unbroken

Columns = Literal[1, 2]
WIDTH, HEIGHT = 450.0, 640.0  # pt: of the text of a page on A4 with margins of 25 mm
COLUMN = 220.0  # pt: of one of two columns
MARGIN = 0.97  # of it that a table takes: widths are estimates


@dataclass(frozen=True, slots=True)
class Type:
    """A size of type."""

    name: str  # its command
    points: float
    ems: float  # pt: of what is as wide as the size of 10 pt is, as small letters are wider.
    gap: float  # pt between columns


UPRIGHT = (Type("small", 9.0, 9.25, 12.0), Type("footnotesize", 8.0, 8.5, 8.0))
TURNED = (*UPRIGHT, Type("scriptsize", 7.0, 8.0, 6.0))

LEADING = 1.25  # from line to line, in sizes
BOLD = 1.16  # by how much bold letters are wider
NARROWEST = (inf, 75.0, 40.0)  # pt: of columns that break; first none does, then only wide ones
MOST_LINES = 3  # of a head
SHORT = 8  # letters of the head of a column of words that stands on one line
APART = r"\addlinespace[2pt]"  # between rows that do not belong together
ROWS = 0.75  # of a page that rows may take where caption and note stand with them
ERROR = r" $\pm$ "
BETWEEN = re.compile(r"( to | -- | \$\\pm\$ | ± )")  # two bounds, or counts
NUMBER = re.compile(r"(?:\$[<>]\$ |\$-\$)?\d[\d,]*(?P<rest>\.\d+)?")
RLAP = re.compile(r"\\rlap\{\\textbf\{[^}]*\}\}")
SIGN_BREAKS = re.compile(rf"({BREAKS.pattern}|(?<=[a-z0-9][-/])(?=[A-Za-z0-9]))", re.IGNORECASE)
DECIMAL = re.compile(r"\.\\allowbreak\{\}(?=\d)")  # no place for a line to end
HEAD_BREAKS = re.compile(rf"({BREAKS.pattern})")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell in LaTeX; bold where it is marked."""

    text: str
    is_bold: bool = False
    mark: str = ""  # a sign behind it


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of a table in LaTeX."""

    heads: Sequence[str]  # empty for a table without a head
    rows: Sequence[Sequence[Cell]]
    wordy: Sequence[bool]  # whether a column holds words: it stands at the left, and may break
    feet: Sequence[Sequence[Cell]] = ()  # last rows behind a rule
    width: float = WIDTH  # pt: of the text that the table stands in
    together: int = 1  # rows that belong together, one below the other

    @property
    def turned(self) -> float:
        """pt: of the text on a turned page, whose letters are as wide as on an upright one."""
        return HEIGHT * min(1.0, self.width / WIDTH)

    @property
    def all_rows(self) -> list[Sequence[Cell]]:
        """The rows with the last ones."""
        return [*self.rows, *self.feet]

    def columns(self, places: Sequence[int]) -> Grid:
        """Return some columns."""
        return Grid(
            [self.heads[i] for i in places] if self.heads else (),
            [[row[i] for i in places] for row in self.rows],
            [self.wordy[i] for i in places],
            [[row[i] for i in places] for row in self.feet],
            self.width,
            self.together,
        )


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a table fits a page."""

    type: Type
    widths: tuple[float, ...]  # pt, of each column
    broken: frozenset[int]  # columns whose words break
    is_turned: bool  # whether the page is turned
    height: float  # pt, of all rows
    star: str = ""  # "*" where it takes both columns of a page


def write_table(grid: Grid, caption: str, label: str, note: str, columns: Columns = 1) -> str:
    """Write a table with its caption, label and note, which a document takes in.

    `caption`, `note`: in LaTeX; the note may be empty.
    `columns`: of the paper's text.
    Result: type is `small`, or smaller where the table is wide; then words break, then the page
    turns. What is wider still becomes several tables, what is longer than a page a longtable.
    """
    aligned = _aligned(grid)
    narrow = _narrow(aligned) if columns == 2 else None
    found = narrow or _layout(aligned)
    parts = [(aligned, found)] if found is not None else _split(aligned)
    if columns == 2 and narrow is None:
        parts = [p for part, layout in parts for p in _pages(part, replace(layout, star="*"))]
    texts = []
    for number, (part, layout) in enumerate(parts, 1):
        more = f" (part {number} of {len(parts)})" if len(parts) > 1 else ""
        own = label if number == 1 else f"{label}-{number}"
        texts.append(_write(part, layout, caption + more, own, note if number == 1 else ""))
    return "\n".join(texts)


def _narrow(grid: Grid) -> _Layout | None:
    """Return how a table fits one of two columns; None where it does not."""
    for size in UPRIGHT:
        found = _fit(grid, COLUMN * MARGIN, size, inf)
        if found is not None:
            height = _height(grid, *found, size)
            return _Layout(size, *found, False, height) if height < HEIGHT / 2 else None
    return None


def _pages(grid: Grid, layout: _Layout) -> list[tuple[Grid, _Layout]]:
    """Divide a table into parts that have room on a page."""
    room = ROWS * (grid.width if layout.is_turned else HEIGHT)
    n = max(1, int(len(grid.rows) * room / layout.height)) if layout.height > room else 0
    if not n or n >= len(grid.rows):
        return [(grid, layout)]
    n_groups = ceil(len(grid.rows) / grid.together)
    n_parts = ceil(n_groups / max(1, n // grid.together))
    n = grid.together * ceil(n_groups / n_parts)  # parts are as long as one another
    starts = range(0, len(grid.rows), n)
    parts = [
        replace(grid, rows=grid.rows[i : i + n], feet=grid.feet if i == starts[-1] else ())
        for i in starts
    ]
    return [
        (part, replace(layout, height=_height(part, layout.widths, layout.broken, layout.type)))
        for part in parts
    ]


def is_upright(grid: Grid, columns: Columns = 1) -> bool:
    """Whether a table has room on an upright page without smaller parts.

    `columns`: of the paper's text.
    """
    aligned = _aligned(grid)
    found = (_narrow(aligned) if columns == 2 else None) or _layout(aligned)
    return found is not None and not found.is_turned


def packages(text: str) -> tuple[str, ...]:
    """Return the packages that tables need."""
    signs = {
        "array": r"\arraybackslash",
        "booktabs": r"\toprule",
        "longtable": r"\begin{longtable}",
        "pdflscape": r"\begin{landscape}",
        "rotating": r"\begin{sidewaystable",
    }
    return tuple(name for name, sign in signs.items() if sign in text)


# ------------------------------------------------------------------------------- alignment


def _aligned(grid: Grid) -> Grid:
    """Let the points of every column of numbers align."""
    rows = grid.all_rows
    columns = [
        _marked([row[i] for row in rows] if is_wordy else _align_column([row[i] for row in rows]))
        for i, is_wordy in enumerate(grid.wordy)
    ]
    new = [list(row) for row in zip(*columns, strict=True)] if rows else []
    n = len(grid.rows)
    return replace(grid, rows=new[:n], feet=new[n:])


def _marked(cells: Sequence[Cell]) -> list[Cell]:
    r"""Put their marks behind cells, and the room of one behind the others of the column.

    >>> [c.text for c in _marked([Cell("1", mark="*"), Cell("2")])]
    ['1\\,*', '2\\phantom{\\,*}']
    """
    longest = max((c.mark for c in cells), key=text_width, default="")
    if not longest:
        return list(cells)
    room = rf"\phantom{{\,{longest}}}"
    marks = [rf"\,{c.mark}" if c.mark else room for c in cells]
    return [
        replace(c, text=(rf"\textbf{{{c.text}}}" if _lacks_bold(c) else c.text) + mark)
        for c, mark in zip(cells, marks, strict=True)
    ]


def _align_column(cells: Sequence[Cell]) -> list[Cell]:
    r"""Put phantoms behind numbers with fewer decimals, and before all but the first of a cell.

    >>> [c.text for c in _align_column([Cell("0.25"), Cell("1"), Cell("--")])]
    ['0.25', '1\\phantom{.00}', '--']
    >>> [c.text for c in _align_column([Cell("0.2 to 0.3"), Cell("0.1 to 10.4")])]
    ['0.2 to \\phantom{0}0.3', '0.1 to 10.4']
    >>> [c.text for c in _align_column([Cell(r"0.25 $\pm$ 0.1"), Cell("1.5")])]
    ['0.25 $\\pm$ 0.1', '1.5\\phantom{0}\\phantom{ $\\pm$ 0.1}']
    >>> _align_column([Cell("0.25", is_bold=True)])[0].text
    '\\textbf{0}\\rlap{\\textbf{.25}}\\phantom{.25}'
    """
    parts = [_numbers(cell.text) for cell in cells]
    known = [found for found in parts if found]
    n_parts = max(map(len, known), default=0)
    if not known or any(len(found) != n_parts and not _is_alone(found, known) for found in known):
        return list(cells)
    alone = {i for i, found in enumerate(parts) if found and len(found) < n_parts}
    known = [found for found in known if len(found) == n_parts]
    parts = [[own[0], *known[0][1:]] if i in alone else own for i, own in enumerate(parts)]
    known += [parts[i] for i in alone]
    places = range(0, n_parts, 2)
    fronts = {k: max((_halves(p[k])[0] for p in known), key=text_width) for k in places}
    rests = {k: max((_halves(p[k])[1] for p in known), key=text_width) for k in places}
    found: list[Cell] = []
    for cell, own in zip(cells, parts, strict=True):
        texts = list(own)
        for k in places if own else ():
            front, rest = _halves(own[k])
            before = _phantom_before(front, fronts[k]) if k else ""
            texts[k] = before + _number(front, rest, rests[k], is_bold=cell.is_bold)
        if len(found) in alone:
            sign = rf"\rlap{{\,{cell.mark}}}" if cell.mark else ""
            texts[1:] = [sign, rf"\phantom{{{''.join(known[0][1:])}}}"]
        mark = "" if len(found) in alone else cell.mark
        found.append(replace(cell, text="".join(texts), mark=mark) if own else cell)
    return found


def _is_alone(numbers: Sequence[str], known: Sequence[Sequence[str]]) -> bool:
    """Whether a number lacks the error that others have."""
    return len(numbers) == 1 and all(len(n) in (1, 3) and n[1:2] in ([], [ERROR]) for n in known)


def _numbers(text: str) -> list[str]:
    """Return the numbers of a cell, with what is between them; none where it holds no numbers."""
    parts = BETWEEN.split(text)
    return parts if all(NUMBER.fullmatch(part) for part in parts[::2]) else []


def _halves(number: str) -> tuple[str, str]:
    """Divide a number before its point."""
    found = NUMBER.fullmatch(number)
    rest = (found and found["rest"]) or ""
    return number[: len(number) - len(rest)], rest


def _number(front: str, rest: str, longest: str, *, is_bold: bool) -> str:
    """Write a number with the room that its longest neighbour takes behind the point."""
    if is_bold and longest:
        behind = rf"\rlap{{\textbf{{{rest}}}}}" if rest else ""
        return rf"\textbf{{{front}}}{behind}\phantom{{{longest}}}"
    if is_bold:
        return rf"\textbf{{{front}}}"
    missing = longest[len(rest) :]
    return front + rest + (rf"\phantom{{{re.sub('[0-9]', '0', missing)}}}" if missing else "")


def _phantom_before(front: str, longest: str) -> str:
    """Return a phantom of what the front of a number lacks."""
    n = len(longest.replace("$-$", "")) - len(front.replace("$-$", ""))
    sign = "$-$" if "$-$" in longest and "$-$" not in front else ""
    return rf"\phantom{{{sign}{'0' * max(n, 0)}}}" if sign or n > 0 else ""


# ------------------------------------------------------------------------------- layout


def _layout(grid: Grid) -> _Layout | None:
    """Return the first way in which a table fits; None where none does."""
    for is_turned in (False, True):
        room = (grid.turned if is_turned else grid.width) * MARGIN
        for narrowest in NARROWEST:
            for size in TURNED if is_turned else UPRIGHT:
                found = _fit(grid, room, size, narrowest)
                if found is not None:
                    return _Layout(size, *found, is_turned, _height(grid, *found, size))
    return None


def _fit(
    grid: Grid, room: float, size: Type, narrowest: float
) -> tuple[tuple[float, ...], frozenset[int]] | None:
    """Return the widths of columns, and which break; None where they have no room."""
    n = len(grid.wordy)
    room -= size.gap * (n - 1)
    natural = [size.ems * _natural(grid, i) for i in range(n)]
    least = [
        min(natural[i], max(narrowest, size.ems * _longest_piece(grid, i)))
        if grid.wordy[i]
        else natural[i]
        for i in range(n)
    ]
    spare = room - sum(least)
    if spare < 0:
        return None
    missing = [full - own for full, own in zip(natural, least, strict=True)]
    share = min(1.0, spare / (sum(missing) or 1.0))  # of what each column lacks
    widths = [own + share * more for own, more in zip(least, missing, strict=True)]
    broken = frozenset(i for i in range(n) if widths[i] < natural[i] - 0.1)
    return tuple(widths), broken


def _natural(grid: Grid, i: int) -> float:
    cells = max((_cell_width(row[i]) for row in grid.all_rows), default=0.0)
    return max(cells, max(map(text_width, _head_lines(grid, i)), default=0.0))


def _cell_width(cell: Cell) -> float:
    width = text_width(RLAP.sub("", cell.text))
    return width * BOLD if cell.is_bold else width


def _longest_piece(grid: Grid, i: int) -> float:
    """Return the width of the longest piece of a column that does not break."""
    texts = [row[i].text for row in grid.all_rows]
    heads = [grid.heads[i]] if grid.heads else []
    own = (piece for text in [*texts, *heads] for piece in unbroken(text))
    return BOLD * max(map(text_width, own), default=0.0)


def _height(grid: Grid, widths: Sequence[float], broken: frozenset[int], size: Type) -> float:
    """Return how high the rows are, in pt."""
    rows = (
        max((_lines(row[i].text, widths[i], size.ems) for i in broken), default=1)
        for row in grid.all_rows
    )
    heads = max((len(_head_lines(grid, i)) for i in range(len(grid.wordy))), default=0)
    gaps = 2.0 * len(grid.rows) / grid.together if grid.together > 1 else 0.0
    return LEADING * size.points * (sum(rows) + heads + 1) + gaps


def _lines(text: str, width: float, ems: float) -> int:
    return 1 + int(1.1 * ems * text_width(text) / width)


def _head_lines(grid: Grid, i: int) -> list[str]:
    """Return the head of a column in as few lines as make it no wider than its cells."""
    if not grid.heads:
        return []
    if grid.wordy[i] and len(grid.heads[i]) <= SHORT:
        return [grid.heads[i]]
    first, *others = divided(HEAD_BREAKS, grid.heads[i])
    room = max((_cell_width(row[i]) for row in grid.all_rows), default=0.0)
    room = max([room, *map(text_width, (first, *others[1::2]))])
    lines = [first]
    for gap, word in zip(others[::2], others[1::2], strict=True):
        longer = f"{lines[-1]}{gap}{word}"
        if text_width(longer) <= room or len(lines) == MOST_LINES:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines if max(map(text_width, lines)) <= room else _even_lines(grid.heads[i])


def _even_lines(head: str) -> list[str]:
    """Return the head of a column in lines of which the widest is as narrow as can be.

    >>> _even_lines("meta-llama/Llama-3.1-70B-Instruct")
    ['meta-llama/', 'Llama-3.1-', '70B-Instruct']
    """
    first, *others = divided(SIGN_BREAKS, DECIMAL.sub(".", head))
    pieces = [("", first), *zip(others[::2], others[1::2], strict=True)]
    texts = [
        ["".join(part for piece in pieces[i:j] for part in piece) for j in range(len(pieces) + 1)]
        for i in range(len(pieces))
    ]
    # The best of the pieces from i on, in lines: their widest one, and they themselves.
    best = [(text_width(row[-1]), [row[-1]]) for row in texts]
    for _ in range(MOST_LINES - 1):
        best = [
            min(
                [best[i]]
                + [
                    (max(text_width(texts[i][j]), width), [texts[i][j], *lines])
                    for j in range(i + 1, len(pieces))
                    for width, lines in [best[j]]
                ],
                key=lambda found: (found[0], len(found[1])),
            )
            for i in range(len(pieces))
        ]
    return [_without_gap(line) for line in best[0][1]]


def _without_gap(line: str) -> str:
    return line.removeprefix(r"\allowbreak{}").strip()


def _split(grid: Grid) -> list[tuple[Grid, _Layout]]:
    """Return parts whose columns fit, each with the first column."""
    n = len(grid.wordy)
    found: list[tuple[Grid, _Layout]] = []
    first = min(1, n - 1)
    while first < n:
        for last in range(n, first, -1):
            part = grid.columns([*({0} - {first}), *range(first, last)])
            layout = _layout(part) or (_forced(part) if last == first + 1 else None)
            if layout is not None:
                found.append((part, layout))
                first = last
                break
    return found


def _forced(grid: Grid) -> _Layout:
    """Return a layout in which every column breaks, whatever its words."""
    n = len(grid.wordy)
    size = UPRIGHT[-1]
    widths = ((grid.width * MARGIN - size.gap * (n - 1)) / n,) * n
    broken = frozenset(range(n))
    return _Layout(size, widths, broken, False, _height(grid, widths, broken, size))


# ------------------------------------------------------------------------------- writing


def _write(grid: Grid, layout: _Layout, caption: str, label: str, note: str) -> str:
    across = grid.width
    room, width = (across, grid.turned) if layout.is_turned else (HEIGHT, across)
    n_lines = 3 + (10 * text_width(caption) + 8.5 * text_width(note)) / width
    is_long = layout.height + 12 * n_lines > room and not layout.star
    write = _long if is_long else _float
    return "\n".join([*write(grid, layout, caption, label, note), ""])


def _style(layout: _Layout) -> str:
    return rf"\{layout.type.name}\setlength{{\tabcolsep}}{{{layout.type.gap / 2:g}pt}}"


def _float(grid: Grid, layout: _Layout, caption: str, label: str, note: str) -> list[str]:
    name = f"{'sidewaystable' if layout.is_turned else 'table'}{layout.star}"
    place = "" if layout.is_turned else "[tbp]"
    return [
        rf"\begin{{{name}}}{place}",
        r"\centering",
        rf"\caption{{{caption}}}",
        rf"\label{{{label}}}",
        _style(layout),
        rf"\begin{{tabular}}{{{_specification(grid, layout)}}}",
        r"\toprule",
        *_head(grid, layout),
        *_body(grid, layout),
        r"\bottomrule",
        r"\end{tabular}",
        *([r"\par\medskip", rf"\parbox{{\linewidth}}{{{_note(note)}}}"] if note else []),
        rf"\end{{{name}}}",
    ]


def _long(grid: Grid, layout: _Layout, caption: str, label: str, note: str) -> list[str]:
    n = len(grid.wordy)
    own = [
        rf"\begingroup{_style(layout)}\setlength{{\LTcapwidth}}{{\linewidth}}",
        rf"\begin{{longtable}}{{{_specification(grid, layout)}}}",
        rf"\caption{{{caption}}}\label{{{label}}}\\",
        r"\toprule",
        *_head(grid, layout),
        r"\endfirsthead",
        r"\toprule",
        *_head(grid, layout),
        r"\endhead",
        rf"\midrule \multicolumn{{{n}}}{{r@{{}}}}{{\emph{{continued}}}} \\",
        r"\endfoot",
        r"\bottomrule",
        r"\endlastfoot",
        *_body(grid, layout),
        r"\end{longtable}",
        *([rf"\noindent{_note(note)}"] if note else []),
        r"\par\endgroup",
    ]
    return [r"\begin{landscape}", *own, r"\end{landscape}"] if layout.is_turned else own


def _note(note: str) -> str:
    return rf"\footnotesize\raggedright\emph{{Note.}} {note}\par"


def _specification(grid: Grid, layout: _Layout) -> str:
    return f"@{{}}{''.join(_columns(grid, layout))}@{{}}"


def _columns(grid: Grid, layout: _Layout) -> Iterator[str]:
    for i, is_wordy in enumerate(grid.wordy):
        if i in layout.broken:
            side = r"\raggedright" if is_wordy else r"\raggedleft"
            yield rf">{{{side}\arraybackslash}}p{{{layout.widths[i]:.0f}pt}}"
        else:
            yield "l" if is_wordy else "r"


def _head(grid: Grid, layout: _Layout) -> list[str]:
    if not grid.heads:
        return []
    cells = []
    for i, is_wordy in enumerate(grid.wordy):
        side = "l" if is_wordy else "r"
        lines = [grid.heads[i]] if i in layout.broken else _head_lines(grid, i)
        text = r"\\{}".join(lines)  # a star or a bracket would be an argument of the break
        cells.append(
            rf"\begin{{tabular}}[b]{{@{{}}{side}@{{}}}}{text}\end{{tabular}}"
            if len(lines) > 1
            else text
        )
    return [_row(cells), r"\midrule"]


def _body(grid: Grid, layout: _Layout) -> list[str]:
    n = grid.together
    rows = [_row(_texts(row, layout), ends=(i + 1) % n == 0) for i, row in enumerate(grid.rows)]
    if n > 1:
        rows = [text for i in range(0, len(rows), n) for text in (*rows[i : i + n], APART)]
        rows = rows[:-1]
    feet = [_row(_texts(row, layout)) for row in grid.feet]
    return [*rows, *([r"\midrule", *feet] if feet else [])]


def _texts(row: Sequence[Cell], layout: _Layout) -> list[str]:
    """Return the cells of a row; where a column does not break, nothing in it may."""
    texts = (rf"\textbf{{{c.text}}}" if _lacks_bold(c) else c.text for c in row)
    return [t if i in layout.broken else t.replace(ALLOW_BREAK, "") for i, t in enumerate(texts)]


def _lacks_bold(cell: Cell) -> bool:
    return cell.is_bold and not cell.text.startswith(r"\textbf")


def _row(cells: Sequence[str], *, ends: bool = True) -> str:
    r"""Join cells; what begins with a star would be an argument of the row before."""
    # `ends`: whether the page may end behind them.
    first, *others = cells
    guarded = f"{{}}{first}" if first[:1] == "*" else first
    return " & ".join([guarded, *others]) + (r" \\" if ends else r" \\*[-2pt]")
