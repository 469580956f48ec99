"""Text in three grades of trust: ours with markup, the reader's own Markdown, plain names.

What macros return and what templates interpolate travels through Markdown as
tokens of private-use characters, so that no name is ever read as markup and no
markup is ever read as Markdown.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import field
from functools import cache
from html import escape
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markupsafe import Markup

from reportgen.data_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from markdown_it.token import Token

OPEN, CLOSE = "\ue000", "\ue001"
TOKEN = re.compile(f"{OPEN}(\\d+){CLOSE}")
BEFORE, BEHIND = re.compile(f" {TOKEN.pattern}"), re.compile(f"{TOKEN.pattern} ")
LONE = re.compile(f"<p>{OPEN}(\\d+){CLOSE}</p>")
EMPTY = re.compile(r"<p>\s*</p>\s*")
BLANKS = re.compile(r"(?<=\S)[ \t]{2,}")
ID = re.compile(r'id="(?<=\bid=")([^"]+)"')  # begins with letters: these are found fast
KEPT = re.compile("(\ue000\\d+\ue001|\ue002[a-z0-9-]+\ue003)")  # the tokens of markup and labels
BREAK = "\u200b"  # where a name may go on on the next line

# Characters that turn the direction of writing for all that follows, and ours.
UNWANTED = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ue000-\ue00f\ufeff]")
LINES = re.compile("[ \t-\r\u2028\u2029]+")  # blanks, and all that ends a line
SIGNS = r"-_/.:,;+"
PARTS = re.compile(rf"([^{SIGNS}]+)([{SIGNS}]*)|([{SIGNS}]+)")
LOST = ("Cc", "Cs", "Co", "Cn")  # control, surrogate, private, unassigned


def clean(text: str) -> str:
    r"""Drop control characters, direction marks and the characters of our tokens.

    >>> clean("a\u202eb\x00c\nd")
    'abc d'
    """
    text = LINES.sub(" ", UNWANTED.sub("", text))  # a blank that joins stays
    if text.isprintable():  # as a drawing is: letters one by one take long
        return text
    return "".join(c for c in text if unicodedata.category(c) not in LOST)


def pieces(word: str, most: int, length: int) -> list[str]:
    """Divide a long word behind its signs, and what has more letters or signs than `most` anywhere.

    `length`: of the pieces of what is so long.

    >>> pieces("a_long-name/without_blanks", 6, 4)
    ['a_', 'long-', 'name/', 'with', 'out_', 'blanks']
    >>> pieces("a.........", 6, 4)
    ['a', '....', '....', '.']
    """

    def cut(text: str) -> list[str]:
        n = length if len(text) > most else len(text)
        return [text[i : i + n] for i in range(0, len(text), n)] if text else []

    found: list[str] = []
    for part in PARTS.finditer(word):
        letters, signs = cut(part[1] or ""), cut(part[2] or part[3] or "")
        if letters and len(signs) == 1:
            letters[-1] += signs.pop()
        found += [*letters, *signs]
    return found


def html_text(text: str) -> str:
    """Write plain text as HTML.

    >>> html_text("<b>*x*")
    '&lt;b&gt;*x*'
    """
    return escape(clean(text), quote=True)


def verbatim_text(text: str) -> Markup:
    r"""Write lines as HTML, with their indentation and without anything that runs.

    >>> print(verbatim_text("a:\n  <b>"))
    a:
      &lt;b&gt;
    """
    return Markup(escape("\n".join(plain_lines(text)), quote=True))


def plain_lines(text: str) -> list[str]:
    """Return lines with their indentation, without control characters."""
    text = re.sub("[\u2028\u2029]", "\n", UNWANTED.sub("", text))
    lines = text.expandtabs(2).strip("\n").split("\n")
    return ["".join(c for c in line if unicodedata.category(c) not in LOST) for line in lines]


def github_text(text: str) -> str:
    """Write plain text in GitHub-flavoured Markdown, where it stays plain text.

    >>> github_text("a|b *c*")
    'a&#124;b &#42;c&#42;'
    """
    spelled = re.sub(
        r"[|*_\[\]`~^#@!\\:$]", lambda m: f"&#{ord(m[0])};", escape(clean(text), False)
    )
    return re.sub(r"(?i)(?<=www)\.", "&#46;", spelled)


@dataclass(slots=True)
class Fragments:
    """Pieces of finished markup that wait for their place in the text."""

    pieces: list[str] = field(default_factory=list)  # by the number in their token
    # Those that stand by themselves, not inside a paragraph.
    blocks: set[int] = field(default_factory=set)

    def store(self, piece: str, *, is_block: bool = False) -> Markup:
        """Store a piece and return the token that stands for it."""
        number = len(self.pieces)
        self.pieces.append(piece)
        if is_block:
            self.blocks.add(number)
        return Markup(f"{OPEN}{number}{CLOSE}")

    def put(self, text: str) -> str:
        """Replace every token by its piece."""
        return TOKEN.sub(lambda m: self.pieces[int(m[1])], text)

    def spaced(self, text: str) -> str:
        """Leave one blank between words, also around a piece that is empty or brings its own."""

        def piece(match: re.Match[str]) -> str:
            return self.pieces[int(match[1])]

        text = TOKEN.sub(lambda m: m[0] if piece(m) else "", text)
        text = BEFORE.sub(lambda m: m[0][piece(m).startswith(" ") :], BLANKS.sub(" ", text))
        return BEHIND.sub(lambda m: m[0][: -1 if piece(m).endswith(" ") else None], text)

    def set_apart(self, text: str) -> str:
        """Give the tokens of blocks a paragraph of their own."""
        return TOKEN.sub(lambda m: f"\n\n{m[0]}\n\n" if int(m[1]) in self.blocks else m[0], text)


def template_line(
    source: str, fragments: Fragments, write: Callable[[Sequence[Token]], str]
) -> str:
    """Turn one paragraph of a template into a line, by what writes its parts."""
    (inline,) = template_reader().parseInline(one_line(source))
    line = fragments.put(write(inline.children or ()))
    return " ".join(part.strip() for part in line.split("\n")).strip()


@cache
def template_reader() -> MarkdownIt:
    """Return the reader of our templates: paragraphs, lists, emphasis, code."""
    reader = MarkdownIt("zero")
    return reader.enable(["list", "emphasis", "backticks", "escape", "entity", "newline"])


@cache
def _guest_reader() -> MarkdownIt:
    """Return the reader of a study's text fields: inline, and nothing that runs."""
    reader = MarkdownIt("zero").enable(["emphasis", "backticks", "escape", "link", "entity"])
    reader.validateLink = _is_harmless  # type: ignore[method-assign]
    return reader


def _is_harmless(url: str) -> bool:
    return re.match(r"(?i)(https?://|mailto:)", url.strip()) is not None


def inline_html(source: str, fragments: Fragments) -> str:
    """Turn one paragraph of a template into HTML without the paragraph."""
    text = fragments.spaced(one_line(source))
    return fragments.put(_upright(template_reader().renderInline(text))).strip()


def block_html(source: str, fragments: Fragments) -> str:
    """Turn the text of a template into HTML."""
    text = fragments.set_apart(fragments.spaced(source))
    text = "\n".join(line.strip() for line in text.splitlines())
    html = _upright(template_reader().render(text))

    def bare(match: re.Match[str]) -> str:
        return f"{OPEN}{match[1]}{CLOSE}" if int(match[1]) in fragments.blocks else match[0]

    return EMPTY.sub("", fragments.put(LONE.sub(bare, html))).strip()


def _upright(html: str) -> str:
    """Set Greek letters upright, as in formulas: the italic face has none."""
    return re.sub(r"<em>([α-ωΑ-Ω])</em>", r'<em class="greek">\1</em>', html)


def github_markdown(source: str, fragments: Fragments) -> str:
    """Turn the text of a template into GitHub-flavoured Markdown."""
    text = fragments.put(fragments.set_apart(fragments.spaced(source)))
    lines = (line.strip() for line in text.splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def github_line(source: str, fragments: Fragments) -> str:
    """Turn one paragraph of a template into a line of GitHub-flavoured Markdown."""
    lines = fragments.put(one_line(source)).split("\n")
    return " ".join(line.strip() for line in lines).strip()


def one_line(source: str) -> str:
    """Join the lines of a paragraph by one blank each, however many the template leaves."""
    return BLANKS.sub(" ", source.strip().replace("\n", " "))


def guest_html(text: str) -> str:
    """Turn a study's own text, inline Markdown, into HTML.

    >>> guest_html("*x* <b> [y](javascript:z)")
    '<em>x</em> &lt;b&gt; [y](javascript:z)'
    """
    html: str = _guest_reader().renderInline(clean(text))
    return html.replace("<a href=", '<a rel="noopener noreferrer" href=')


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a study's own text."""
    return [part for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]


def guest_plain(text: str) -> str:
    """Return a study's own text without its Markdown.

    >>> guest_plain("a *b* `c` [d](https://e.org)")
    'a b c d'
    """
    return "".join(token.content for token in guest_tokens(text))


def guest_tokens(text: str) -> list[Token]:
    """Return the inline elements of a study's own text."""
    return _guest_reader().parseInline(clean(text))[0].children or []
