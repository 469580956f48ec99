"""The pages of an article: figures and tables float to where they leave the least paper empty.

As LaTeX does it, but planned: the height of every block is known, and dynamic programming chooses
their order and the page breaks. Words, figures and tables each keep their order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

KindOfBlock = Literal["words", "figure", "table"]

LATE, EARLY = 0.04, 0.02  # price of a float by its distance from its place, in blocks of words
OVERTAKE = 0.05  # price of a float before one of the other kind that comes first in the text
COLUMNS = 700  # characters that paragraphs which share their columns have at most
FURTHEST = 6  # blocks of words by which a float may come late
EMPTIEST, WASTE = 0.16, 10.0  # share of a page, without the margin of its last block, that may
# stay empty, and the price of more
CONTINUED = 0.04  # share of a page: the head of a table that goes on, and what no row fills
OPEN, CLOSE = '<div class="cols">', "</p></div>"
TAG = re.compile(r"""<(/?)([a-zA-Z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>""")
CLASS = re.compile(r"""\sclass=["']([^"']*)["']""")
VOID = frozenset(("area", "base", "br", "col", "hr", "img", "input", "link", "meta", "wbr"))
HEADINGS = frozenset(("h1", "h2", "h3", "h4"))
HEADING = re.compile("<h[1-4]")


class Block(NamedTuple):
    """What is never divided by a page break if a page can hold it."""

    kind: KindOfBlock
    html: str


@dataclass(frozen=True, slots=True)
class Element:
    """An element that has no other around it."""

    tag: str
    classes: frozenset[str]
    html: str


class Pages(NamedTuple):
    """The blocks of an article in the order of their printing."""

    blocks: tuple[tuple[Block, bool], ...]  # with whether a page begins there
    fill: tuple[float, ...]  # share of each page that its blocks take


def split(html: str) -> tuple[Element, ...]:
    """Divide markup into the elements that have no other around them.

    `html`: every element is closed; text between the elements is dropped.

    Examples
    --------
    >>> [e.html for e in split('<h2 class="a">x</h2> <p>y<br>z</p>')]
    ['<h2 class="a">x</h2>', '<p>y<br>z</p>']
    """
    html = str(html)  # pieces of markup are slow to cut
    elements: list[Element] = []
    depth = begin = 0
    tag, classes = "", frozenset[str]()
    for found in TAG.finditer(html):
        is_end, name, attributes = found[1], found[2].lower(), found[3]
        if depth == 0:
            begin, tag = found.start(), name
            own = CLASS.search(attributes)
            classes = frozenset(own[1].split() if own else ())
        if is_end:
            depth -= 1
        elif name not in VOID and not attributes.endswith("/"):
            depth += 1
        if depth == 0:
            elements.append(Element(tag, classes, html[begin : found.end()]))
    return tuple(elements)


def blocks_of(html: str) -> tuple[Block, ...]:
    """Divide markup into blocks: a heading stays with the words after it.

    Result: paragraphs between two other blocks are set in columns, some 700 characters at a time,
    so that a page may end between them.
    """
    blocks: list[Block] = []
    head = ""
    paragraphs: list[str] = []

    def flush() -> None:
        nonlocal head
        while paragraphs or head:
            text = paragraphs.pop(0) if paragraphs else ""
            while paragraphs and len(text) + len(paragraphs[0]) <= COLUMNS:
                text += paragraphs.pop(0)
            columns = f"{OPEN}{text}</div>" if text else ""
            blocks.append(Block("words", head + columns))
            head = ""

    for element in split(html):
        if element.tag == "p" and not element.classes & {"abstract", "order", "lead"}:
            paragraphs.append(element.html)
        elif element.tag == "figure":
            if head and not paragraphs:  # a heading has nothing else to stand with
                blocks.append(Block("words", head + element.html))
                head = ""
                continue
            flush()
            kind: KindOfBlock = "figure" if "fig" in element.classes else "table"
            blocks.append(Block(kind, element.html))
        elif element.tag in HEADINGS:
            if paragraphs:
                flush()
            head += element.html
        else:
            if paragraphs:
                flush()
            blocks.append(Block("words", head + element.html))
            head = ""
    flush()
    return tuple(blocks)


def join_columns(html: Sequence[str], pages: Sequence[int] = ()) -> tuple[str, ...]:
    """Join neighbours that are columns of words alone to the columns before them.

    `html`: of blocks in their order.
    `pages`: on which page each stands, where not all share one: WeasyPrint balances columns that a
    page ends in steps of what is left of a paragraph, so that none are joined over its end.

    Examples
    --------
    >>> a, b = ('<div class="cols"><p>a</p></div>', '<div class="cols"><p>b</p></div>')
    >>> join_columns([a, b])
    ('<div class="cols"><p>a</p><p>b</p></div>',)
    """
    joined: list[str] = []
    for n, block in enumerate(html):
        fits = joined and pages[n - 1 : n] == pages[n : n + 1]
        if fits and block.startswith(OPEN) and joined[-1].endswith(CLOSE):
            joined[-1] = joined[-1].removesuffix("</div>") + block.removeprefix(OPEN)
        else:
            joined.append(block)
    return tuple(joined)


def is_lead(html: str, after: str) -> bool:
    """Whether a block of few words under a heading leads to the figure or the table after it.

    Examples
    --------
    >>> is_lead('<h3>H</h3><div class="cols"><p>x</p></div>', '<figure class="tab"></figure>')
    True
    """
    is_words = HEADING.match(html) is not None and html.endswith(CLOSE) and len(html) <= COLUMNS
    return is_words and after.startswith("<figure")


def paginate(
    blocks: Sequence[Block],
    heights: Sequence[float],
    page: float,
    margins: Sequence[float] | None = None,
) -> Pages:
    """Choose the order of blocks and the page breaks.

    A page that stays empty by the share e costs e², and more than 16% costs 10; a float
    that comes late by n blocks of words costs 0.04 n², a table before a figure that comes first in
    the text, or the other way round, 0.05. A float stands at most one block of words before its
    place.

    `page`: height of a page, in the same unit.
    `margins`: how much of each block's height is empty at its end: what a page need not hold.
    """
    margins = margins or [0.0] * len(blocks)
    kinds: tuple[KindOfBlock, ...] = ("words", "figure", "table")
    queues = [[n for n, b in enumerate(blocks) if b.kind == kind] for kind in kinds]
    place = [sum(m < n for m in queues[0]) for n in range(len(blocks))]
    best: dict[tuple[int, int, int, int], tuple[float, int, bool]] = {}
    end = tuple(len(queue) for queue in queues)

    def moves(state: tuple[int, int, int, int]) -> list[tuple[float, int, bool, tuple[int, ...]]]:
        found = []
        used = float(state[3])
        for which, queue in enumerate(queues):
            if state[which] == end[which]:
                continue
            n = queue[state[which]]
            late = 0 if which == 0 else state[0] - place[n]
            if late < -1 or (late > FURTHEST and state[0] < end[0]):
                continue
            cost = LATE * late * late if late > 0 else EARLY * -late
            if which:
                other = queues[3 - which][state[3 - which] :]
                cost += OVERTAKE * sum(m < n for m in other)
            turns = used > 0 and used + heights[n] - margins[n] > page
            if turns:
                empty = 1 - used / page
                cost += empty * empty + (WASTE if empty > EMPTIEST else 0.0)
            after = (0.0 if turns else used) + heights[n]
            if after - margins[n] > page:  # taller than a page: it goes on over the next
                after = after % page + (CONTINUED * page if blocks[n].kind == "table" else 0.0)
            counts = tuple(c + (i == which) for i, c in enumerate(state[:3]))
            found.append((cost, n, turns, (*counts, round(after))))
        return found

    def solve(state: tuple[int, int, int, int]) -> float:
        if state[:3] == end:
            return 0.0
        if state not in best:
            options = [
                (cost + solve(after), n, turns)  # type: ignore[arg-type]
                for cost, n, turns, after in moves(state)
            ]
            best[state] = min(options, default=(float("inf"), -1, False))
        return best[state][0]

    state: tuple[int, ...] = (0, 0, 0, 0)
    solve((0, 0, 0, 0))
    placed, fill = [], []
    while state[:3] != end:
        _, n, turns = best[state]  # type: ignore[index]
        if turns:
            fill.append(state[3] / page)
        placed.append((blocks[n], turns))
        state = next(after for _, m, _, after in moves(state) if m == n)  # type: ignore[arg-type]
    return Pages(tuple(placed), (*fill, state[3] / page))
