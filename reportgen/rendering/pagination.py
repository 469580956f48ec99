"""The pages of an article: figures and tables float to where they leave the least paper empty.

As LaTeX does it, but planned: the height of every block is known, and dynamic programming chooses
their order and the page breaks. Words, figures and tables each keep their order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import Literal, NamedTuple

from reportgen.data_classes import dataclass

KindOfBlock = Literal["words", "figure", "table"]

LATE, EARLY = 0.04, 0.02  # price of a float by its distance from its place, in blocks of words
ELSEWHERE = 0.5  # price of a float that stands under another heading than its own
OVERTAKE = 0.05  # price of a float before one of the other kind that comes first in the text
COLUMNS = 700  # characters that paragraphs which share their columns have at most
SENTENCE = 300  # characters of markup that a sentence has at most which only names a float
LEFT = 0.05  # price of a page that ends between a heading with few words and their float
FURTHEST = 6  # blocks of words by which a float may come late
PAGE = 2.0  # price of a page more
EMPTIEST, WASTE = 0.16, 10.0  # share of a page, without the margin of its last block, that may
# stay empty, and the price of more
LEAST_PART = 0.15  # share of a page that the first part of what goes over pages needs
CONTINUED = 0.04  # share of a page: the head of a table that goes on, and what no row fills
OPEN, CLOSE = '<div class="cols">', "</p></div>"
TAG = re.compile(r"""<(/?)([a-zA-Z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>""")
CLASS = re.compile(r"""\sclass=["']([^"']*)["']""")
VOID = frozenset(
    ("area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr")
)
HEADINGS = frozenset(("h1", "h2", "h3", "h4"))
HEADING = re.compile("<h[1-4]")
LONG = re.compile(r'<figure[^>]*\sclass="[^"]*\b(?:long|breaks)\b')
ENTRY = '<div class="half">'  # of a data set
PAIR = '<div class="abreast">'  # of entries of data sets
COMPACT_FIGURE = 'class="one inset"'  # of a figure of half the width


class Block(NamedTuple):
    """What is never divided by a page break if a page can hold it."""

    kind: KindOfBlock
    html: str


@dataclass(frozen=True, slots=True)
class Rules:
    """What a plan of pages may do."""

    # furthest, earliest: blocks of words by which a float may come late, and early
    furthest: int = FURTHEST
    earliest: int = 1
    emptiest: float = EMPTIEST  # share of a page that may stay empty at little cost
    elsewhere: float = ELSEWHERE  # price of a float under another heading than its own
    turn: float = PAGE  # price of a page more
    kept: int = 5000  # plans that are followed at a time, the cheapest
    # whether long tables and lists go over pages where they stand, though a page could hold them
    breaks: bool = False


ARTICLE = Rules()
UNHEADED = Rules(elsewhere=0.02)  # of an article whose floats need not keep to their headings
SUPPLEMENT = Rules(furthest=2, earliest=0, elsewhere=0.0, turn=0.0, kept=300, breaks=True)

State = tuple[int, int, int, int]  # words, figures and tables placed, and what the page has taken


class Step(NamedTuple):
    """The cheapest way to a state."""

    price: float
    block: int  # the last that was placed
    turns: bool  # whether a page begins there
    before: State | None


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

    for element in chain.from_iterable(map(_open_entry, split(html))):
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
        elif element.tag == "pre" and len(paragraphs) == 1 and len(element.html) <= COLUMNS:
            text = f"{OPEN}{paragraphs.pop()}</div>"  # what says what the lines are
            blocks.append(Block("words", head + text + element.html))
            head = ""
        else:
            if paragraphs:
                flush()
            blocks.append(Block("words", head + element.html))
            head = ""
    flush()
    return tuple(blocks)


def _open_entry(element: Element) -> tuple[Element, ...]:
    """Return the head of an entry of a data set apart from what has the whole width."""
    if not element.html.startswith(ENTRY):
        return (element,)
    inner = split(element.html[len(ENTRY) : -len("</div>")])
    at = next((n for n, e in enumerate(inner) if {"fig", "tab"} & e.classes), 0)
    if not at:
        return (element,)
    head = "".join(e.html for e in inner[:at])
    return (Element("div", element.classes, f"{ENTRY}{head}</div>"), *inner[at:])


def pair_entries(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Set entries of data sets that have one picture side by side, two a row.

    Examples
    --------
    >>> entry = Block("words", ENTRY + '<figure class="one inset"></figure></div>')
    >>> [block.html.count("inset") for block in pair_entries([entry, entry, entry])]
    [2, 1]
    """
    joined: list[Block] = []
    waits = False
    kinds = (*(block.kind for block in blocks[1:]), None)
    for block, after in zip(blocks, kinds, strict=True):
        is_small = block.html.count("<figure") == block.html.count(COMPACT_FIGURE) == 1
        if not (is_small and block.html.startswith(ENTRY)) or after in ("figure", "table"):
            joined.append(block)
            waits = False
        elif waits:
            first = joined.pop().html.removesuffix("</div>")
            joined.append(Block("words", f"{first}{block.html}</div>"))
            waits = False
        else:
            joined.append(Block("words", f"{PAIR}{block.html}</div>"))
            waits = True
    return tuple(joined)


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
    is_headed = HEADING.match(html.removeprefix(ENTRY)) is not None
    is_words = is_headed and html.endswith(CLOSE) and len(html) <= COLUMNS
    return is_words and after.startswith("<figure")


def is_name(html: str, after: str) -> bool:
    """Whether a block is one sentence that names the figure or the table after it, and no more.

    Examples
    --------
    >>> words = '<div class="cols"><p><a href="#table-x">Table 2</a> compares methods.</p></div>'
    >>> is_name(words, '<figure id="table-x" class="tab"></figure>')
    True
    >>> is_name(words, '<figure id="table-y" class="tab"></figure>')
    False
    """
    found = re.match(r'<figure[^>]*\sid="([^"]+)"', after)
    is_sentence = html.startswith(OPEN) and len(html) <= SENTENCE and html.count("<p") == 1
    return found is not None and is_sentence and f'href="#{found[1]}"' in html


def goes_over_pages(html: str) -> bool:
    """Whether a block may end on another page than it begins on, as the style sheet has it.

    Examples
    --------
    >>> goes_over_pages('<figure class="tab long"></figure>'), goes_over_pages(ENTRY)
    (True, False)
    """
    if html.startswith("<figure"):
        return bool(LONG.match(html))
    is_whole = html.startswith((ENTRY, PAIR)) or html.endswith(CLOSE) or "<figure" in html
    is_whole = is_whole or (html.endswith("</pre>") and len(html) <= 2 * COLUMNS)
    return not is_whole


def _entries_with_floats(blocks: Sequence[Block]) -> tuple[set[int], set[int]]:
    """Return the floats of entries of data sets, and the words before which all others come."""
    floats, bounds = set[int](), set[int]()
    is_inside = False
    for n, block in enumerate(blocks):
        if block.kind != "words":
            floats |= {n} if is_inside else set()
        elif block.html.startswith((ENTRY, PAIR)) or HEADING.match(block.html):
            after = blocks[n + 1 : n + 2]
            opens = block.html.startswith(ENTRY) and bool(after) and after[0].kind != "words"
            bounds |= {n} if opens or is_inside else set()
            is_inside = opens
    return floats, bounds


def paginate(
    blocks: Sequence[Block],
    heights: Sequence[float],
    page: float,
    margins: Sequence[float] | None = None,
    rules: Rules = ARTICLE,
) -> Pages:
    """Choose the order of blocks and the page breaks.

    A page more costs `rules.turn`, one that stays empty by the share e another e², and more than
    `rules.emptiest` 10; a float that comes late by n blocks of words costs 0.04 n², one under
    another heading than its own `rules.elsewhere`, a table before a figure that comes first in the
    text, or the other way round, 0.05; a page that ends between a heading with few words and the
    float that these lead to costs 0.05. No float comes before a sentence that does nothing but name
    it, and none of an entry of a data set beside another's.

    `page`: height of a page, in the same unit.
    `margins`: how much of each block's height is empty at its end: what a page need not hold.
    """
    margins = margins or [0.0] * len(blocks)
    kinds: tuple[KindOfBlock, ...] = ("words", "figure", "table")
    queues = [[n for n, b in enumerate(blocks) if b.kind == kind] for kind in kinds]
    place = [sum(m < n for m in queues[0]) for n in range(len(blocks))]
    leads = {n for n, pair in enumerate(pairwise(b.html for b in blocks)) if is_lead(*pair)}
    named = {n + 1 for n, pair in enumerate(pairwise(b.html for b in blocks)) if is_name(*pair)}
    headed = {n for n, block in enumerate(blocks) if HEADING.match(block.html)}
    own, bounds = _entries_with_floats(blocks)
    passed = [sum(n <= m for n in headed) for m in range(len(blocks))]  # headings up to a block
    goes_on = [rules.breaks and goes_over_pages(block.html) for block in blocks]
    ends = [len(queue) for queue in queues]

    def waits(state: State) -> bool:
        """Whether a float has to come before the next words, which begin or follow an entry."""
        n = queues[0][state[0]] if state[0] < ends[0] else -1
        left = (queue[placed:][:1] for queue, placed in zip(queues[1:], state[1:3], strict=True))
        return n in bounds and any(m < n for (m,) in filter(None, left))

    def moves(state: State, last: int) -> Iterator[tuple[float, int, bool, State]]:
        """Yield what may come next: its price, the block, whether it turns, and what then is."""
        used, is_held = float(state[3]), waits(state)
        for which, queue in enumerate(queues):
            if state[which] == ends[which] or (which == 0 and is_held):
                continue
            n = queue[state[which]]
            late = 0 if which == 0 else state[0] - place[n]
            earliest = 0 if n in named | own else rules.earliest
            is_late = late > rules.furthest and state[0] < ends[0] and not is_held
            if late < -earliest or is_late:
                continue
            cost = LATE * late * late if late > 0 else EARLY * -late
            if which:
                other = queues[3 - which][state[3 - which] :]
                cost += OVERTAKE * sum(m < n for m in other)
                above = passed[queues[0][state[0] - 1]] if state[0] else 0
                cost += rules.elsewhere * (above != passed[n])
            height = heights[n] - margins[n]
            least = min(height, LEAST_PART * page) if goes_on[n] else height
            turns = used > 0 and used + least > page
            if turns:
                empty = 1 - used / page
                cost += rules.turn + empty * empty + WASTE * (empty > rules.emptiest)
                cost += LEFT * (last in leads and n == last + 1)
            after = (0.0 if turns else used) + heights[n]
            if after - margins[n] > page:  # it goes on over the next page
                cost += rules.turn
                is_table = blocks[n].kind == "table"
                after = after % page + (CONTINUED * page if is_table else 0.0)
            counts = [c + (i == which) for i, c in enumerate(state[:3])]
            yield cost, n, turns, (counts[0], counts[1], counts[2], round(after))

    # what is cheapest to each state that so many blocks lead to, and the step before
    layers: list[dict[State, Step]] = [{(0, 0, 0, 0): Step(0.0, -1, False, None)}]
    for _ in blocks:
        found: dict[State, Step] = {}
        for state, step in layers[-1].items():
            for cost, n, turns, after in moves(state, step.block):
                price = step.price + cost
                if after not in found or price < found[after].price:
                    found[after] = Step(price, n, turns, state)
        cheapest = sorted(found, key=lambda state: (found[state].price, state))[: rules.kept]
        layers.append({state: found[state] for state in cheapest})

    last: State | None = next(iter(layers[-1]))
    placed: list[tuple[Block, bool]] = []
    fill: list[float] = []
    for layer in reversed(layers[1:]):
        assert last is not None
        step = layer[last]
        if not placed:
            fill.append(last[3] / page)
        placed.append((blocks[step.block], step.turns))
        if step.turns and step.before:
            fill.append(step.before[3] / page)
        last = step.before
    return Pages(tuple(reversed(placed)), tuple(reversed(fill)))
