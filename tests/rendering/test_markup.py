from __future__ import annotations

import pytest
from markupsafe import Markup

from reportgen.rendering.markup import (
    Fragments,
    block_html,
    clean,
    github_line,
    github_text,
    guest_html,
    guest_plain,
    inline_html,
    plain_lines,
)


def test_tokens_travel_through_markdown_unread() -> None:
    fragments = Fragments()
    name = fragments.store("&lt;*x*_y_&gt;")
    assert inline_html(f"**{name}** and *{name}*", fragments) == (
        "<strong>&lt;*x*_y_&gt;</strong> and <em>&lt;*x*_y_&gt;</em>"
    )


def test_blocks_stand_by_themselves_and_never_inside_a_paragraph() -> None:
    fragments = Fragments()
    figure = fragments.store("<figure></figure>", is_block=True)
    html = block_html(f"Before\n{figure} after", fragments)
    assert html == "<p>Before</p>\n<figure></figure>\n<p>after</p>"


def test_a_sentence_that_is_one_token_is_a_paragraph_all_the_same() -> None:
    fragments = Fragments()
    sentence, table = fragments.store("No fit failed."), fragments.store("<table>", is_block=True)
    html = block_html(f"{sentence}\n\n{table}", fragments)
    assert html.split("\n") == ["<p>No fit failed.</p>", "<table>"]


def test_markup_of_templates_is_paragraphs_lists_and_emphasis_only() -> None:
    html = block_html("# a\n\n<b>\n\n    code\n\n![x](y) [x](y)\n\n- *one*\n- two", Fragments())
    assert html == (
        "<p># a</p>\n<p>&lt;b&gt;</p>\n<p>code</p>\n<p>![x](y) [x](y)</p>\n"
        "<ul>\n<li><em>one</em></li>\n<li>two</li>\n</ul>"
    )


def test_lone_greek_letters_stand_upright() -> None:
    assert inline_html("*κ* *k*", Fragments()) == '<em class="greek">κ</em> <em>k</em>'


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("<script>x</script>", "&lt;script&gt;x&lt;/script&gt;"),
        ("[x](javascript:y)", "[x](javascript:y)"),
        ("[x](data:text/html,y)", "[x](data:text/html,y)"),
        ("[x](https://e.org)", '<a rel="noopener noreferrer" href="https://e.org">x</a>'),
        ("*a* `b`", "<em>a</em> <code>b</code>"),
        ("# a", "# a"),
    ],
)
def test_text_fields_take_inline_markdown_and_nothing_that_runs(text: str, html: str) -> None:
    assert guest_html(text) == html


def test_pictures_in_text_fields_are_links_at_most() -> None:
    assert "<img" not in guest_html("![x](https://e.org/x.png)")


def test_plain_form_of_text_fields_has_no_markup() -> None:
    assert guest_plain("**a** [b](https://e.org) <i>") == "a b <i>"


def test_clean_drops_what_turns_or_hides_text_and_keeps_joining_blanks() -> None:
    assert clean("a\u202eb\u2066c\ufeff\x07\ue000") == "abc"
    assert clean("12.2\u00a0s\n\tx") == "12.2\u00a0s x"


@pytest.mark.parametrize("text", ["a|b", "*x*", "`x`", "<b>", "[x](https://e.org)", "@you #1"])
def test_names_stay_plain_in_github_markdown(text: str) -> None:
    import re
    from html import unescape

    written = github_text(text)
    assert not re.search(r"[|*`<>\[\]@:]", written)
    assert unescape(written) == text


def test_lines_of_github_markdown_have_no_line_ends() -> None:
    fragments = Fragments()
    assert github_line(Markup("\n a\n b\n"), fragments) == "a b"
    assert github_line(Markup("a.\n\n b  c\n"), fragments) == "a. b c"


def test_pieces_leave_one_blank_between_words() -> None:
    fragments = Fragments()
    nothing, name, own = map(fragments.store, ("", "<b>x</b>", " With"))
    text = f"a   b.  {nothing} {name} c. {own} it.{nothing} {own} {nothing} it\n  d  {nothing}  e"
    assert block_html(text, fragments) == "<p>a b. <b>x</b> c. With it. With it\nd e</p>"
    assert inline_html(f"{own} a.{nothing} {own}", fragments) == "With a. With"


def test_separators_of_lines_are_blanks() -> None:
    """No face has a glyph for them, and a PDF would fail."""
    assert clean("a\u2028b \u2029\nc") == "a b c"
    assert plain_lines("a\u2028  b") == ["a", "  b"]
