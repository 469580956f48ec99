"""Pandoc's Markdown, in the small part of it that Quarto leaves as it is.

Plain text is spelled so that neither Pandoc (mathematics, citations, raw HTML and TeX, attributes)
nor Quarto (shortcodes, code cells, inline code) finds anything in it. The text of templates is read
as for HTML, and written anew.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

from markupsafe import Markup

from reportgen.rendering.markup import (
    BREAK,
    KEPT,
    Fragments,
    clean,
    guest_tokens,
    pieces,
    plain_lines,
    template_line,
    template_reader,
)

if TYPE_CHECKING:
    from markdown_it.token import Token

ACTIVE = re.compile(  # written as entities, which every program reads as text
    r"[&`{}$@\\|~^#\[\]]|<(?![ 0-9])"
)
QUIET = re.compile(  # a backslash before them is enough
    r"[*_'\"<]|!$|:(?=[:/\w])|(?<=:):|(?<==)=|=(?==)"
)
MARKER = re.compile(  # of a list, a definition, a quotation, a line below a heading
    r"^(\(?)([0-9]+|[A-Za-z]|[ivxlcdmIVXLCDM]+)([.)])(?=\s|$)|^[(+\-:=>]"
)
DASHES = re.compile(r"-(?=-)|(?<=-)-|\.(?=\.)|(?<=\.)\.")  # that would become others
HARMLESS = re.compile(r"(?!r )[A-Za-z0-9](?:[\w.,:/=() +-]*[\w.)=/])?", re.ASCII)  # as code
URL = re.compile(r"[^A-Za-z0-9:/?#!&()*+,;=._~%@-]")
KEY = re.compile(r"[A-Za-z0-9_](?:[\w:.#$%&+?<>~/-]*\w)?", re.ASCII)
LOCATOR = re.compile(r"[\w.,\u2013 -]+")
ENTITY_BRACES = re.compile(r"&#123;(?=&#123;)|&#125;(?=&#125;)")
BRACES = re.compile(r"\{(?=\{)|\}(?=\})")
GREEK = {
    letter: rf"\{name}"
    for letter, name in (
        ("α", "alpha"),
        ("β", "beta"),
        ("χ", "chi"),
        ("ε", "varepsilon"),
        ("κ", "kappa"),
        ("λ", "lambda"),
        ("μ", "mu"),
        ("ν", "nu"),
        ("π", "pi"),
        ("ρ", "rho"),
        ("σ", "sigma"),
        ("τ", "tau"),
    )
}
BREAKS = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")  # which YAML may take for ends of lines
MARKS = ("```", "~~~", "{{", "`r ", "`{", "@fig-", "@tbl-", "](#")  # found in blocks of code, too
WIDEST_CODE = 76  # letters of a line of code that pages of all classes have room for
NO_SHORTCODES = 'shortcodes="false"'
JOINER = "&#8288;"  # where no line ends
ENDLESS = re.compile(r"[^\s-]{30,}")  # no program breaks such a word by itself
PIECE = 6  # letters of such a word that stay together


def pandoc_text(text: str) -> str:
    r"""Write plain text so that it stays plain text, also at the beginning of a line.

    Words without end may go on on the next line, behind their signs or anywhere.

    Examples
    --------
    >>> print(pandoc_text("a_b {{< x >}} $5 @me `r 1`"))
    a\_b &#123;&#123;\< x >&#125;&#125; &#36;5 &#64;me &#96;r 1&#96;
    >>> print(pandoc_text("1. -- ..."))
    1&#46; &#45;&#45; &#46;&#46;&#46;
    >>> print(pandoc_text(30 * "x").replace("\u200b", "|"))
    xxxxxx|xxxxxx|xxxxxx|xxxxxx|xxxxxx
    """
    plain = clean(text).replace("\u2028", " ").replace("\u2029", " ")
    plain = ENDLESS.sub(lambda found: BREAK.join(pieces(found[0], PIECE, PIECE)), plain)
    spelled = ACTIVE.sub(_entity, plain)
    spelled = QUIET.sub(r"\\\g<0>", DASHES.sub(_entity, spelled))
    return MARKER.sub(_without_marker, spelled)


def _entity(found: re.Match[str]) -> str:
    return "".join(f"&#{ord(c)};" for c in found[0])


def _without_marker(found: re.Match[str]) -> str:
    """Spell what begins a list or a title block."""
    if found[3] is None:
        return _entity(found)
    opened = f"&#{ord('(')};" if found[1] else ""
    return f"{opened}{found[2]}&#{ord(found[3])};"


def attribute(text: str) -> str:
    """Write plain text as the value of an attribute, with its quotes.

    Quarto looks for shortcodes in the value that Pandoc has read, where an entity is a letter
    again: no two braces stand side by side there, and what parts them is not seen.

    >>> print(attribute('a "b" {c}'))
    "a &#34;b&#34; &#123;c&#125;"
    >>> print(attribute("{{< x >}}"))
    "&#123;&#8288;&#123;&#60; x &#62;&#125;&#8288;&#125;"
    """
    text = BRACES.sub("\\g<0>\u2060", text)
    spelled = re.sub(r"[&<>`{}$@\\|~^#\[\]\"\u2060]", _entity, clean(text))
    return f'"{spelled}"'


def without_shortcodes(markdown: str) -> str:
    r"""Part the braces of a text of metadata, in which Quarto looks for shortcodes after Pandoc.

    Pandoc alone reads metadata, and Quarto what it has read: entities are letters again there.

    >>> print(without_shortcodes(pandoc_text("{{< x >}}")))
    &#123;&#8288;&#123;\< x >&#125;&#8288;&#125;
    """
    return ENTITY_BRACES.sub("\\g<0>&#8288;", markdown)


def yaml_text(text: str) -> str:
    r"""Write a text as a scalar of YAML, whatever is in it.

    >>> print(yaml_text('a: "b" # !x'))
    "a: \"b\" # !x"
    """
    plain = BREAKS.sub(" ", json.dumps(text, ensure_ascii=False))
    return plain.replace("\u2060", r"\u2060")


def code(text: str) -> str:
    """Write a text as code where no program can run it or look into it, else as plain text.

    >>> print(code("x = 1"), code("r 1"), code("`x"))
    `x = 1` r 1 &#96;x
    """
    plain = clean(text)
    return f"`{plain}`" if HARMLESS.fullmatch(plain) else pandoc_text(plain)


def verbatim(text: str) -> str:
    """Write lines as they are: as a block of code, where nothing in them looks like one.

    LaTeX breaks no line of a block of code: where one is longer than a page is wide, all are text.
    """
    lines = plain_lines(text)
    is_wide = any(len(line) > WIDEST_CODE for line in lines)
    if is_wide or any(mark in line for line in lines for mark in MARKS):
        return "\n".join(f"| {_with_indentation(line)}" for line in lines)
    inner = "\n".join(line.rstrip() for line in lines)
    return f"```{{.text {NO_SHORTCODES}}}\n{inner}\n```"


def _with_indentation(line: str) -> str:
    bare = line.lstrip(" ")
    return "\u00a0" * (len(line) - len(bare)) + pandoc_text(bare)


def citation_key(key: str) -> str:
    """Return a key as a citation names it.

    >>> citation_key("eugster2011"), citation_key("a b]")
    ('@eugster2011', '@{a b&#93;}')
    """
    return f"@{key}" if KEY.fullmatch(key) else f"@{{{re.sub(r'[^A-Za-z0-9 ]', _entity, key)}}}"


def locator(place: str) -> str:
    """Write a place in a work, such as "ch. 2.2", for a citation."""
    plain = place.replace("\u00a0", " ")
    return plain if LOCATOR.fullmatch(plain) else pandoc_text(plain)


# ------------------------------------------------------------------------------- from templates


def pandoc_markdown(source: str, fragments: Fragments) -> str:
    """Turn the text of a template into Pandoc's Markdown."""
    text = "\n".join(line.strip() for line in fragments.set_apart(source).splitlines())
    blocks = _blocks(template_reader().parse(text))
    return fragments.put("\n\n".join(blocks)).strip()


def pandoc_line(source: str, fragments: Fragments) -> str:
    """Turn one paragraph of a template into a line of Pandoc's Markdown."""
    return template_line(source, fragments, _inlines)


def guest_pandoc(text: str) -> str:
    """Turn a study's own text, inline Markdown, into Pandoc's.

    >>> print(guest_pandoc("*x* <b> [y](https://e.org) $z$"))
    *x* &#60;b> [y](<https://e.org>) &#36;z&#36;
    """
    return _inlines(guest_tokens(text)).replace("\n", " ")


def _blocks(tokens: Sequence[Token]) -> list[str]:
    """Return the blocks of a text, each as its lines."""
    found, place = [], 0
    while place < len(tokens):
        token = tokens[place]
        end = _end(tokens, place)
        if token.type == "inline":
            found.append(_inlines(token.children or ()))
        elif token.type == "paragraph_open":
            found += _blocks(tokens[place + 1 : end])
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            found.append(_list(tokens[place + 1 : end], is_ordered=token.tag == "ol"))
        place = end + 1
    return found


def _end(tokens: Sequence[Token], place: int) -> int:
    """Return where what a token opens is closed: the token's own place where it opens nothing."""
    depth = 0
    for n in range(place, len(tokens)):
        depth += tokens[n].nesting
        if depth == 0:
            return n
    return len(tokens) - 1


def _list(tokens: Sequence[Token], *, is_ordered: bool) -> str:
    """Write a list with room between its items, as Word sets those of others as cells of tables."""
    items: list[str] = []
    place = 0
    while place < len(tokens):
        end = _end(tokens, place)
        lines = "\n\n".join(_blocks(tokens[place + 1 : end])).split("\n")
        mark = f"{len(items) + 1}.  " if is_ordered else "-   "
        items.append("\n".join([mark + lines[0], *(f"    {line}".rstrip() for line in lines[1:])]))
        place = end + 1
    return "\n\n".join(items) if len(items) > 1 else "\n".join(lines)


def _inlines(tokens: Sequence[Token]) -> str:
    return "".join(_inline_parts(tokens))


def _inline_parts(tokens: Sequence[Token]) -> Iterator[str]:
    place = 0
    while place < len(tokens):
        token = tokens[place]
        end = _end(tokens, place)
        inner = tokens[place + 1 : end]
        if token.type in ("text", "text_special"):
            yield _text(token.content)
        elif token.type == "code_inline":
            yield code(token.content)
        elif token.type == "softbreak":
            yield " "
        elif token.type == "hardbreak":
            yield "\\\n"
        elif token.type == "em_open":
            yield _emphasised(inner, tokens[end + 1 : end + 2])
        elif token.type == "strong_open":
            yield f"**{_inlines(inner)}**"
        elif token.type == "link_open":
            target = str(token.attrs["href"])
            has_shortcode = "{{" in unquote(target)  # which Quarto looks for in targets, too
            link = f"[{_inlines(inner)}](<{URL.sub(_percent, target)}>)"
            yield _inlines(inner) if has_shortcode else link
        place = end + 1


def _emphasised(inner: Sequence[Token], after: Sequence[Token]) -> str:
    """Write emphasis; a Greek letter, which text faces may lack, as mathematics."""
    letter = GREEK.get(inner[0].content) if len(inner) == 1 else None
    is_before_digit = bool(after) and bool(re.match(r"[0-9]", after[0].content))
    is_math = letter is not None and not is_before_digit
    return f"${letter}$" if is_math else f"*{_inlines(inner)}*"


def _percent(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())


def _text(text: str) -> str:
    """Write text apart from the tokens that wait in it."""
    return "".join(
        part if KEPT.fullmatch(part) else pandoc_text(part) for part in KEPT.split(text) if part
    )


# ----------------------------------------------------------------------------------- in blocks


def div(identifier: str, content: str, caption: str) -> Markup:
    """Write a figure or table that can be referred to: Quarto takes the last paragraph as caption.

    >>> print(div("tbl-x", "| a |", "Words."))
    ::: {#tbl-x}
    | a |
    <BLANKLINE>
    Words.
    :::
    """
    return Markup(f"::: {{#{identifier}}}\n{content.strip()}\n\n{caption.strip()}\n:::")


PAGE = 105.0  # digits of the small type of tables that stand beside one another on a page
SHORT = 72  # characters of a line of a table; of longer ones Pandoc sets columns by their dashes
GUTTER = 1.5  # digits between columns
WIDEST = 42.0  # digits of a column of words that shares a wide table with others
NARROW, BROAD = frozenset("fijlrtI.,;:'|!()[]/ \u00a0-*"), frozenset("mwMW%@—…−<>≤≥±")
BOLD = 1.12  # by how much bold letters are wider
ENTITY = re.compile(r"&#(\d+);")
JOINTS = re.compile(  # of names; a point between digits is a number's
    r"(?<=[A-Za-z0-9])(?:[/_]|\\[_:]|-|[.:](?=[A-Za-z])|(?<=[A-Za-z])[.:])(?=[A-Za-z0-9])"
)


def pipe_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], wordy: Sequence[bool]
) -> Markup:
    """Write a table whose columns are as wide as what may not be broken in them.

    Words are divided between lines before numbers have too little room; where that is not enough,
    names are, behind their hyphens, dots and strokes.
    Pandoc sets a table as wide as the page, with columns by their dashes, where a line has more
    than 72 characters, and as wide as its text where all have less.

    `heads`: empty texts for a table without a head.
    `rows`: in Markdown.
    `wordy`: whether a column stands at the left.
    """
    columns, widths = _columns(heads, rows, wordy)
    rule = "|".join(
        f":{'-' * (n - 1)}" if is_word else f"{'-' * (n - 1)}:"
        for n, is_word in zip(widths, wordy, strict=True)
    )
    lines = [f"| {' | '.join(row)} |" for row in zip(*columns, strict=True)]
    return Markup("\n".join([lines[0], f"|{rule}|", *lines[1:]]))


def table_columns(
    heads: Sequence[str], rows: Sequence[Sequence[str]], wordy: Sequence[bool]
) -> tuple[Sequence[Sequence[str]], tuple[float, ...]]:
    """Return the cells of each column as such a table has them, and the columns' shares of a line.

    There are no shares where every line is short, so that columns are as wide as their text.
    """
    columns, widths = _columns(heads, rows, wordy)
    lines = (f"| {' | '.join(row)} |" for row in zip(*columns, strict=True))
    if max(map(len, lines)) <= SHORT and sum(widths) + len(widths) + 1 <= SHORT:
        return columns, ()
    return columns, tuple(width / sum(widths) for width in widths)


def _columns(
    heads: Sequence[str], rows: Sequence[Sequence[str]], wordy: Sequence[bool]
) -> tuple[Sequence[Sequence[str]], tuple[int, ...]]:
    """Return the cells of each column, its head first, and its width in dashes."""
    cells = [[_cell(text) for text in heads]]
    cells += [
        [_cell(text, is_word) for text, is_word in zip(row, wordy, strict=True)] for row in rows
    ]
    columns = list(zip(*cells, strict=True))
    room = PAGE - GUTTER * len(columns)
    if sum(_least(column) for column in columns) > room:
        columns = [
            tuple(map(_with_joints, column)) if is_word else (_with_joints(column[0]), *column[1:])
            for column, is_word in zip(columns, wordy, strict=True)
        ]
    return columns, _shares(columns, wordy, room)


def _shares(
    columns: Sequence[Sequence[str]], wordy: Sequence[bool], room: float
) -> tuple[int, ...]:
    """Return the dashes of columns: what each has, and the words of wide ones on several lines."""
    least = [max(3.0, _least(column)) for column in columns]
    spare = room - sum(least)
    whole = [max(least[n], *map(_seen, column[1:])) for n, column in enumerate(columns)]
    limits = [
        min(own, max(low, WIDEST)) if is_word else own
        for own, low, is_word in zip(whole, least, wordy, strict=True)
    ]
    wanted = sum(limits) - sum(least)
    share = 1.0 if wanted <= spare or not wanted else max(0.0, spare / wanted)
    widths = [
        low + share * (limit - low) if is_word else low
        for low, limit, is_word in zip(least, limits, wordy, strict=True)
    ]
    return tuple(math.ceil(width + GUTTER) for width in widths)


def _with_joints(text: str) -> str:
    """Let names go on on the next line, and leave targets of links as they are."""
    parts = re.split(r"(\]\([^)]*\)|`[^`]*`)", text)
    parts[::2] = [JOINTS.sub(lambda found: f"{found[0]}{BREAK}", part) for part in parts[::2]]
    return "".join(parts)


def _cell(text: str, is_wordy: bool = True) -> str:
    r"""Keep a cell on its line and within its bars, and a number in one piece.

    >>> print(_cell("1 | 2"), _cell("< 0.5", is_wordy=False), _cell("8 – 0", is_wordy=False))
    1 \| 2 <\ 0.5 8\ –&#8288;\ 0
    """
    line = " ".join(text.split("\n")).replace("|", r"\|").strip()
    # A line may end behind a dash, even where a space follows that does not break.
    return line if is_wordy else line.replace("– ", f"–{JOINER} ").replace(" ", r"\ ")


def _least(column: Sequence[str]) -> float:
    """Return the digits of what may not be broken in a column, its head first."""
    return max(_seen(part) for text in column for part in re.split(r"(?<!\\) |\u200b", text))


def _seen(text: str) -> float:
    """Return how wide a reader sees a cell, in digits."""
    plain = re.sub(r"\]\([^)]*\)|[\[`]|\\(?=\W)", "", ENTITY.sub(_letter, text))
    width = sum(map(_wide, plain.replace("**", "")))
    return width * BOLD if "**" in plain else width


def _letter(entity: re.Match[str]) -> str:
    return chr(int(entity[1]))


def _wide(letter: str) -> float:
    if letter in (BREAK, "\u2060"):
        return 0.0
    if letter in NARROW:
        return 0.65
    if letter in BROAD:
        return 1.7
    if unicodedata.east_asian_width(letter) in "WF":
        return 2.0
    return 1.4 if letter.isupper() else 1.05
