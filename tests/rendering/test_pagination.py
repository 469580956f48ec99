"""Blocks, and the pages that are made of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from reportgen.rendering.pagination import (
    ARTICLE,
    COLUMNS,
    EARLY,
    EMPTIEST,
    ENTRY,
    LATE,
    OVERTAKE,
    PAGE,
    SUPPLEMENT,
    WASTE,
    Block,
    blocks_of,
    goes_over_pages,
    is_lead,
    join_columns,
    paginate,
    pair_entries,
    split,
)


def test_markup_is_divided_at_its_outermost_elements() -> None:
    html = '<h2 id="a">x</h2>\n<p>y<br>z &amp; w</p>text<img src="i"><div><p>in</p></div>'
    assert [element.tag for element in split(html)] == ["h2", "p", "img", "div"]
    assert split(html)[1].html == "<p>y<br>z &amp; w</p>"
    assert split('<p class="a b">x</p>')[0].classes == {"a", "b"}
    picture = '<figure class="inset"><picture><source srcset="x"><img src="y"></picture></figure>'
    assert [element.tag for element in split(f"{picture}<p>z</p>")] == ["figure", "p"]
    drawing, words = split(
        '<svg><path d="M1"/><g><g /></g></svg><p title="a > b" class=\'c\'>y</p>'
    )
    assert drawing.html == '<svg><path d="M1"/><g><g /></g></svg>'
    assert words.classes == {"c"}


def test_a_heading_stays_with_its_words_and_short_paragraphs_share_columns() -> None:
    long = f"<p>{'x' * COLUMNS}</p>"
    html = f'<h2>H</h2><p>1</p>{long}<p>3</p><figure class="fig">F</figure><p>4</p>'
    words = '<div class="cols">{}</div>'
    assert blocks_of(html) == (
        Block("words", "<h2>H</h2>" + words.format("<p>1</p>")),
        Block("words", words.format(long)),
        Block("words", words.format("<p>3</p>")),
        Block("figure", '<figure class="fig">F</figure>'),
        Block("words", words.format("<p>4</p>")),
    )


def test_an_entry_with_figures_of_the_whole_width_goes_over_pages() -> None:
    head = f"{ENTRY}<h3>pair 2</h3><p>Figure 3 has it.</p></div>"
    figure = '<figure class="fig">F</figure>'
    entry = head.removesuffix("</div>") + figure + "<p>And.</p>" + figure + "</div>"
    words, first, *_ = blocks = blocks_of(entry)
    assert [block.kind for block in blocks] == ["words", "figure", "words", "figure"]
    assert words.html == head
    assert is_lead(words.html, first.html)
    small = f'{ENTRY}<h3>pair 2</h3><figure class="one inset">F</figure></div>'
    assert [block.html for block in blocks_of(small)] == [small]


def test_figures_of_an_entry_come_before_the_next_entry() -> None:
    entries = [Block("words", f"{ENTRY}<h3>pair {n}</h3><p>x</p></div>") for n in (1, 2)]
    figure, words = Block("figure", '<figure class="fig">F</figure>'), Block("words", "<p>x</p>")
    blocks = [entries[0], figure, words, figure, entries[1], figure]
    for own in (blocks, [words, Block("table", "<figure>T</figure>"), *blocks]):
        heights = [20] * (len(own) - 6) + [30, 40, 5, 45, 20, 10]
        pages = paginate(own, heights, 100, rules=SUPPLEMENT)
        order = [block for block, _ in pages.blocks]
        for entry in entries:
            at = own.index(entry)
            assert {b.html for b in order[: order.index(entry)]} == {b.html for b in own[:at]}
            assert order.index(entry) == at


def test_an_entry_with_figures_of_the_whole_width_stands_alone() -> None:
    small = '<figure class="one inset">F</figure>'
    entry = f'{ENTRY}<h3>pair 2</h3>{small}<figure class="fig">F</figure></div>'
    blocks = pair_entries(blocks_of(entry + entry))
    assert [block.html.startswith(ENTRY) for block in blocks] == [True, False, True, False]


def test_a_heading_without_words_stays_with_its_table() -> None:
    (block,) = blocks_of('<h2>H</h2><figure class="tab">T</figure>')
    assert block == Block("words", '<h2>H</h2><figure class="tab">T</figure>')


def test_columns_of_one_heading_are_joined_where_they_share_a_page() -> None:
    first, second, third = (f'<div class="cols"><p>{n}</p></div>' for n in range(3))
    both = '<div class="cols"><p>0</p><p>1</p></div>'
    assert join_columns([first, second, third], [1, 1, 2]) == (both, third)
    assert join_columns([first, f"<h3>H</h3>{second}"], [1, 1]) == (first, f"<h3>H</h3>{second}")
    assert join_columns([first, second, third]) == (
        '<div class="cols"><p>0</p><p>1</p><p>2</p></div>',
    )


def test_few_words_under_a_heading_lead_to_what_they_are_about() -> None:
    table, few = '<figure class="tab">T</figure>', '<div class="cols"><p>x</p></div>'
    many = f'<div class="cols"><p>{"x" * COLUMNS}</p></div>'
    assert is_lead(f"<h2>G</h2><h3>H</h3>{few}", table)
    assert not is_lead(f"<h3>H</h3>{few}", few)
    assert not is_lead(f"<h3>H</h3>{many}", table)
    assert not is_lead(few, table)


def price(
    order: tuple[int, ...],
    blocks: list[Block],
    heights: list[float],
    page: float,
    margins: list[float],
) -> float:
    """Return the price of an order, page breaks where a block no longer fits; or inf."""
    kinds = [blocks[n].kind for n in order]
    for kind in set(kinds):
        mine = [n for n in order if blocks[n].kind == kind]
        if mine != sorted(mine):
            return np.inf
    cost, used, n_words = 0.0, 0.0, 0
    for n in order:
        if blocks[n].kind == "words":
            n_words += 1
        else:
            late = n_words - sum(blocks[m].kind == "words" for m in range(n))
            if late < -1:
                return np.inf
            cost += LATE * late**2 if late > 0 else EARLY * -late
            others = {"figure", "table"} - {blocks[n].kind}
            left = order[order.index(n) + 1 :]
            cost += OVERTAKE * sum(m < n and blocks[m].kind in others for m in left)
        if used > 0 and used + heights[n] - margins[n] > page:
            empty = 1 - used / page
            cost += PAGE + empty**2 + (WASTE if empty > EMPTIEST else 0)
            used = 0.0
        used += heights[n]
    return cost


@pytest.mark.parametrize("margin", [0.0, 60.0])
@pytest.mark.parametrize("seed", range(12))
def test_no_other_order_is_cheaper(seed: int, margin: float) -> None:
    """Brute force over all orders of six blocks."""
    rng = np.random.default_rng(seed)
    kinds = rng.choice(["words", "words", "figure", "table"], 6)
    blocks = [Block(kind, str(n)) for n, kind in enumerate(kinds)]
    heights = [float(h) for h in rng.integers(100, 600, 6)]
    margins = [0.0 if block.kind == "words" else margin for block in blocks]
    pages = paginate(blocks, heights, 1000.0, margins)
    order = tuple(int(block.html) for block, _ in pages.blocks)
    best = min(price(o, blocks, heights, 1000.0, margins) for o in permutations(range(6)))
    assert price(order, blocks, heights, 1000.0, margins) == pytest.approx(best, abs=1e-12)
    assert len(pages.fill) == 1 + sum(begins for _, begins in pages.blocks)


def test_a_block_taller_than_a_page_goes_on_over_the_next() -> None:
    blocks = [Block("words", "a"), Block("table", "b"), Block("words", "c")]
    pages = paginate(blocks, [900.0, 2300.0, 500.0], 1000.0)
    assert [begins for _, begins in pages.blocks] == [False, True, False]


def test_a_table_that_goes_on_repeats_its_head() -> None:
    blocks = [Block("table", "a"), Block("words", "b")]
    for height, begins in ((400.0, False), (480.0, True)):  # beside 500, and the head, on its page
        pages = paginate(blocks, [1500.0, height], 1000.0)
        assert [turns for _, turns in pages.blocks] == [False, begins]


def test_what_goes_over_pages_takes_what_is_left_of_its_page() -> None:
    """A figure that does not fit waits for the words after it; a long table needs no waiting."""
    html = ("<p>a</p>", '<figure class="fig">F</figure>', '<div class="cols"><p>b</p></div>')
    blocks = [Block("words", html[0]), Block("figure", html[1]), Block("words", html[2])]
    pages = paginate(blocks, [600.0, 500.0, 300.0], 1000.0, rules=SUPPLEMENT)
    assert [(block.html, begins) for block, begins in pages.blocks] == [
        (html[0], False),
        (html[2], False),
        (html[1], True),
    ]
    long = Block("table", '<figure class="tab long">T</figure>')
    pages = paginate([blocks[0], long, blocks[2]], [600.0, 800.0, 300.0], 1000.0, rules=SUPPLEMENT)
    assert [begins for _, begins in pages.blocks] == [False, False, False]
    pages = paginate([blocks[0], long], [900.0, 800.0], 1000.0, rules=SUPPLEMENT)
    assert [begins for _, begins in pages.blocks] == [False, True]


def test_no_float_of_a_supplement_stands_before_the_words_it_follows() -> None:
    words = [Block("words", f'<h2>{n}</h2><div class="cols"><p>x</p></div>') for n in range(3)]
    blocks = [words[0], words[1], Block("table", "T"), words[2]]
    heights = [500.0, 520.0, 450.0, 100.0]  # the table would fill the first page
    for rules, is_early in ((ARTICLE, True), (SUPPLEMENT, False)):
        order = [block.html for block, _ in paginate(blocks, heights, 1000.0, rules=rules).blocks]
        assert (order.index("T") < order.index(words[1].html)) is is_early


def test_a_table_does_not_fill_a_page_before_the_heading_of_its_section() -> None:
    first = Block("words", "<p>a</p>")
    heading = Block("words", '<h2>B</h2><div class="cols"><p>b</p></div>')
    table = Block("table", '<figure class="tab">T</figure>')
    found = paginate([first, heading, table], [850.0, 100.0, 1200.0], 1000.0)
    assert [block for block, _ in found.blocks] == [first, heading, table]


@pytest.mark.parametrize(("head", "is_kept"), [(450.0, True), (250.0, False)])
def test_a_float_leaves_its_heading_where_too_much_of_a_page_would_stay_empty(
    head: float, *, is_kept: bool
) -> None:
    words = [Block("words", f'<h2>{n}</h2><div class="cols"><p>x</p></div>') for n in range(3)]
    blocks = [*words[:2], Block("figure", '<figure class="fig">F</figure>'), words[2]]
    pages = paginate(blocks, [400.0, head, 580.0, 140.0], 1000.0)
    assert ([block for block, _ in pages.blocks] == blocks) is is_kept


@pytest.mark.parametrize(("head", "n_pages"), [(580.0, 2), (750.0, 3)])
def test_a_float_leaves_its_heading_rather_than_take_a_page_more(head: float, n_pages: int) -> None:
    words = [Block("words", f'<h2>{n}</h2><div class="cols"><p>x</p></div>') for n in range(2)]
    blocks = [words[0], Block("figure", '<figure class="fig">F</figure>'), words[1]]
    pages = paginate(blocks, [300.0, 850.0, head], 1000.0, rules=replace(ARTICLE, emptiest=1.0))
    assert 1 + sum(begins for _, begins in pages.blocks) == n_pages


def test_a_plan_is_made_of_as_many_blocks_as_there_are() -> None:
    """Recursion would end at some thousand."""
    blocks = [Block("words", f"{ENTRY}{n}</div>") for n in range(3000)]
    pages = paginate(blocks, [300.0] * 3000, 1000.0, rules=SUPPLEMENT)
    assert sum(begins for _, begins in pages.blocks) == 999
    assert [block for block, _ in pages.blocks] == blocks


def test_a_command_stays_with_the_words_that_name_it() -> None:
    words, command = "<p>From the same inputs:</p>", '<pre class="verbatim">run</pre>'
    (block,) = blocks_of(f"<h3>H</h3>{words}{command}")
    assert block.html == f'<h3>H</h3><div class="cols">{words}</div>{command}'
    assert not goes_over_pages(block.html)


def test_no_float_comes_before_a_sentence_that_only_names_it() -> None:
    """It would fill the first page, and the sentence stand alone on the next."""
    before = Block("words", "<p>a</p>")
    sentence = '<div class="cols"><p><a href="#table-x">Table 2</a> compares methods.</p></div>'
    table = Block("table", '<figure id="table-x" class="tab">T</figure>')
    for words, is_early in ((sentence, False), (sentence.replace("-x", "-y"), True)):
        blocks = [before, Block("words", words), table]
        found = paginate(blocks, [500.0, 520.0, 450.0], 1000.0)
        assert (found.blocks[1][0] is table) is is_early
