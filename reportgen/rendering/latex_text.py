r"""Text in LaTeX: plain names, the text of templates, widths.

Plain text is spelled with letters of ASCII and commands that every encoding of fonts has, so that
none of it is a command, and that it is set by pdfLaTeX with the fonts that it always has. Letters
of other scripts are set by `letters.tex` with fonts of the system; without it they are numbers.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar

from markdown_it.renderer import RendererHTML

from reportgen.rendering.markup import (
    BREAK,
    KEPT,
    Fragments,
    clean,
    guest_tokens,
    pieces,
    template_line,
    template_reader,
)

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "[": "{[}",  # else an argument of the end of a row
    "]": "{]}",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    '"': "''",
    "\u00a0": "~",
    "\u2009": r"\,",
    "\u202f": r"\,",
    "\u00ad": r"\-",
    "\u200b": "",
    "\u2010": "-",
    "\u2011": "-",
    "–": "--",
    "—": "---",
    "‘": "`",
    "’": "'",
    "‚": ",",
    "‹": "`",
    "›": "'",
    "⁄": "/",
    "“": "``",
    "”": "''",
    "„": ",,",
    "…": r"\dots{}",
    "©": "(c)",
    "€": "EUR",
    "ß": r"\ss{}",
    "ẞ": "SS",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "đ": "d",
    "Đ": "D",
    "ð": "d",
    "Ð": "D",
    "þ": "th",
    "Þ": "Th",
}
MATH = {  # of fonts for mathematics, which are always there
    "$": r"\mathdollar",
    "§": r"\mathsection",
    "¶": r"\mathparagraph",
    "†": r"\dagger",
    "‡": r"\ddagger",
    "£": r"\mathsterling",
    "−": "-",
    "±": r"\pm",
    "×": r"\times",
    "·": r"\cdot",
    "÷": r"\div",
    "°": r"^\circ",
    "′": "'",
    "¬": r"\neg",
    "≤": r"\leq",
    "≥": r"\geq",
    "≠": r"\neq",
    "≈": r"\approx",
    "∼": r"\sim",
    "≻": r"\succ",
    "≺": r"\prec",
    "≪": r"\ll",
    "≫": r"\gg",
    "«": r"\ll",
    "»": r"\gg",
    "∞": r"\infty",
    "√": r"\surd",
    "∑": r"\sum",
    "∏": r"\prod",
    "∈": r"\in",
    "∩": r"\cap",
    "∪": r"\cup",
    "→": r"\rightarrow",
    "←": r"\leftarrow",
    "↑": r"\uparrow",
    "↓": r"\downarrow",
    "↔": r"\leftrightarrow",
    "⌈": r"\lceil",
    "⌉": r"\rceil",
    "⌊": r"\lfloor",
    "⌋": r"\rfloor",
    "●": r"\bullet",
    "•": r"\bullet",
    "○": r"\circ",
    "◐": r"\ominus",
    "µ": r"\mu",
    "α": r"\alpha",
    "β": r"\beta",
    "γ": r"\gamma",
    "δ": r"\delta",
    "ε": r"\varepsilon",
    "ζ": r"\zeta",
    "η": r"\eta",
    "θ": r"\theta",
    "ι": r"\iota",
    "κ": r"\kappa",
    "λ": r"\lambda",
    "μ": r"\mu",
    "ν": r"\nu",
    "ξ": r"\xi",
    "ο": "o",
    "π": r"\pi",
    "ρ": r"\rho",
    "σ": r"\sigma",
    "ς": r"\varsigma",
    "τ": r"\tau",
    "υ": r"\upsilon",
    "φ": r"\varphi",
    "χ": r"\chi",
    "ψ": r"\psi",
    "ω": r"\omega",
    "Γ": r"\Gamma",
    "Δ": r"\Delta",
    "Θ": r"\Theta",
    "Λ": r"\Lambda",
    "Ξ": r"\Xi",
    "Π": r"\Pi",
    "Σ": r"\Sigma",
    "Φ": r"\Phi",
    "Ψ": r"\Psi",
    "Ω": r"\Omega",
}
ACCENTS = {  # that every encoding of fonts has, by their combining character
    "\u0300": r"\`",
    "\u0301": r"\'",
    "\u0302": r"\^",
    "\u0303": r"\~",
    "\u0304": r"\=",
    "\u0306": r"\u",
    "\u0307": r"\.",
    "\u0308": r"\"",
    "\u030a": r"\r",
    "\u030b": r"\H",
    "\u030c": r"\v",
    "\u0323": r"\d",
    "\u0327": r"\c",
    "\u0331": r"\b",
}
RAISED = {"<super>": "^", "<sub>": "_"}  # of the decompositions of Unicode
DOTLESS = {"i": r"\i", "j": r"\j"}
LIGATURES = re.compile(r"(?<=-)-|(?<=`)`|(?<=')'|(?<=,),|(?<=[?!])`")
APART = "\ue000"
NO_LIGATURE = r"{\kern0pt}"  # LuaTeX puts letters together across {}
OTHER_SCRIPT = re.compile(
    r"\{\\ifdefined\\rgletters\\rgletters\{([^{}]*)\}"
    r"\\else ((?:U\+[0-9A-F]+(?:\\penalty0| )?)*)\\fi\}"
)
FROM_RIGHT = OTHER_SCRIPT.pattern.replace("[^{}]*", "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]+")
WORDS_FROM_RIGHT = re.compile(rf"(?:{FROM_RIGHT} )+{FROM_RIGHT}")
LONG, PIECE = 20, 18  # letters of a word that may break, and of its longest whole part
SHORT = 5  # letters of the pieces of longer parts: lines stretch by 3 em
ALLOW_BREAK = r"\allowbreak{}"
NUMBER_BREAK = r"\penalty0"  # between the numbers of letters
WORD = re.compile(rf"\S{{{LONG},}}")
BREAKS = re.compile(r"\\allowbreak\{\}| ")
HIDDEN = "\ue004"
WIDE = re.compile(  # between letters of Chinese, Japanese and Korean, and beside them
    "(?<=[{0}])(?=[{0}])".format(
        "\u2e80-\u2fdf\u3040-\u30fb\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    )
)


def escape_latex(text: str) -> str:
    r"""Write plain text so that LaTeX sets it as it is, in one line.

    A letter that LaTeX's usual fonts lack is set by `letters.tex`; without that it is its number.

    Examples
    --------
    >>> print(escape_latex("a_b & 5% of {x}"))
    a\_b \& 5\% of \{x\}
    >>> print(escape_latex(r"\input{x} ^^5c été ≥"))
    \textbackslash{}input\{x\} \textasciicircum{}\textasciicircum{}5c \'{e}t\'{e} $\geq$
    >>> print(escape_latex("a 猫"))
    a {\ifdefined\rgletters\rgletters{猫}\else U+732B\fi}
    """
    composed = LIGATURES.sub(_set_apart, unicodedata.normalize("NFC", clean(text)))
    parts = []
    for script, run in groupby(composed, _Script()):
        letters = "".join(run)
        if script:
            parts.append(_other_script(letters, NUMBER_BREAK.join(map(_number, letters))))
        else:
            parts += [NO_LIGATURE if c == APART else _letter(c) or _number(c) for c in letters]
    return WORDS_FROM_RIGHT.sub(_together, "".join(parts))


class _Script:
    """Tells letters by what sets them: "" for LaTeX's usual fonts, which number others, too."""

    def __init__(self) -> None:
        self._last = ""

    def __call__(self, c: str) -> str:
        category, direction = unicodedata.category(c), unicodedata.bidirectional(c)
        if c == APART or _letter(c) is not None or category in ("Cc", "Cs", "Co", "Cn"):
            self._last = ""
        elif not (self._last and category.startswith("M")):  # accents belong to what is before
            is_wide = unicodedata.east_asian_width(c) in ("W", "F")
            from_right = direction in ("R", "AL", "AN")
            self._last = "right" if from_right else "wide" if is_wide else "other"
        return self._last


def _number(c: str) -> str:
    return f"U+{ord(c):04X}"


def _numbers(found: re.Match[str]) -> str:
    """Return the numbers of letters of other scripts, in place of what writes either."""
    return found[2].replace(NUMBER_BREAK, "")


def _other_script(letters: str, numbers: str) -> str:
    return rf"{{\ifdefined\rgletters\rgletters{{{letters}}}\else {numbers}\fi}}"


def _together(found: re.Match[str]) -> str:
    """Set words at once whose line goes from right to left."""
    runs = OTHER_SCRIPT.findall(found[0])
    letters, numbers = (" ".join(run[i] for run in runs) for i in (0, 1))
    return _other_script(letters, numbers)


def _set_apart(found: re.Match[str]) -> str:
    return APART + found[0]


def breakable(text: str) -> str:
    r"""Write plain text so that long words in it may break: at signs, else anywhere.

    Letters of Chinese and of scripts like it may part from one another.

    >>> print(breakable("a_long-name/without_blanks"))
    a\_\allowbreak{}long-\allowbreak{}name/\allowbreak{}without\_\allowbreak{}blanks
    """
    cut = WIDE.sub(BREAK, WORD.sub(lambda m: BREAK.join(pieces(m[0], PIECE, SHORT)), clean(text)))
    return ALLOW_BREAK.join(map(escape_latex, cut.split(BREAK)))


def unbroken(latex: str) -> list[str]:
    r"""Divide LaTeX where its lines may end; letters of other scripts, as their numbers are wider.

    >>> unbroken(r"a b-\allowbreak{}c") + unbroken(breakable("дом"))
    ['a', 'b-', 'c', 'U+0434', 'U+043E', 'U+043C']
    """
    plain = OTHER_SCRIPT.sub(lambda m: m[2].replace(NUMBER_BREAK, ALLOW_BREAK), latex)
    return BREAKS.split(plain)


def divided(breaks: re.Pattern[str], latex: str) -> list[str]:
    r"""Divide LaTeX at breaks, of which none is within what writes letters of other scripts.

    >>> divided(re.compile("( )"), escape_latex("a 猫 b"))[2]
    '{\\ifdefined\\rgletters\\rgletters{猫}\\else U+732B\\fi}'
    """
    kept: list[str] = []

    def hidden(found: re.Match[str]) -> str:
        kept.append(found[0])
        return HIDDEN

    texts = iter(kept)
    parts = breaks.split(OTHER_SCRIPT.sub(hidden, latex))
    return [re.sub(HIDDEN, lambda _: next(texts), part) for part in parts]


def sign(c: str) -> str | None:
    r"""Return what writes a letter that a text face may lack, in mathematics, too.

    Result: "" where LaTeX's usual fonts lack it; None for letters that text faces have.

    >>> sign("δ"), sign("猫"), sign("é"), sign("–")
    ('\\ensuremath{\\delta}', '', None, None)
    """
    if c in MATH and c > "\u02ff":
        return rf"\ensuremath{{{MATH[c]}}}"
    if c < "\u0250" or "\u2000" <= c < "\u2070":
        return None
    return _letter(c) or ""


@cache
def _letter(c: str) -> str | None:
    """Write one letter; None where LaTeX's usual fonts lack it."""
    if c in SPECIAL:
        return SPECIAL[c]
    if c in MATH:
        return f"${MATH[c]}$"
    if " " <= c <= "~":
        return c
    kind, _, parts = unicodedata.decomposition(c).rpartition(">")
    plain = "".join(chr(int(code, 16)) for code in parts.split())
    if kind and plain:
        known = [_letter(part) for part in plain]
        if None in known:
            return None
        written = "".join(filter(None, known))
        sign = RAISED.get(f"{kind}>")
        return f"${sign}{{{written}}}$" if sign and written.isalnum() else written
    return _accented(plain) or None if plain else None


def _accented(plain: str) -> str:
    """Write a letter with its accents; "" where the letter is not in the fonts."""
    base, *marks = list(unicodedata.normalize("NFD", plain))
    if not base.isascii():
        return ""
    if not all(unicodedata.combining(mark) for mark in marks):
        return ""
    known = [ACCENTS[mark] for mark in marks if mark in ACCENTS]
    written = base if not known else DOTLESS.get(base, base) if known[0] not in r"\d\c\b" else base
    for accent in known:
        written = f"{accent}{{{written}}}"
    return written


# ------------------------------------------------------------------------------- from templates


class _LatexRenderer(RendererHTML):
    """Writes what the readers of Markdown have read."""

    __output__ = "latex"
    pieces: ClassVar[Mapping[str, str]] = {
        "em_open": r"\emph{",
        "strong_open": r"\textbf{",
        "em_close": "}",
        "strong_close": "}",
        "softbreak": " ",
        "hardbreak": r"\\ ",
        "paragraph_close": "\n\n",
        "bullet_list_open": "\\begin{itemize}\n",
        "bullet_list_close": "\\end{itemize}\n\n",
        "ordered_list_open": "\\begin{enumerate}\n",
        "ordered_list_close": "\\end{enumerate}\n\n",
        "list_item_open": r"\item ",
    }

    def __init__(self, parser: Any = None) -> None:
        super().__init__(parser)
        written: Any = {
            "text": self._text,
            "text_special": self._text,
            "code_inline": self._code,
        }
        self.rules = written

    def renderToken(  # noqa: N802 - the library's name
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        """Write what begins or ends an element."""
        del options, env
        return self.pieces.get(tokens[idx].type, "")

    @staticmethod
    def _text(tokens: Sequence[Token], idx: int, *_: Any) -> str:
        parts = KEPT.split(tokens[idx].content)
        return "".join(p if KEPT.fullmatch(p) else breakable(p) for p in parts)

    @staticmethod
    def _code(tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return rf"\texttt{{{breakable(tokens[idx].content)}}}"


@cache
def _writer() -> _LatexRenderer:
    return _LatexRenderer()


def latex_blocks(source: str, fragments: Fragments) -> str:
    """Turn the text of a template into LaTeX."""
    text = "\n".join(line.strip() for line in fragments.set_apart(source).splitlines())
    tokens = template_reader().parse(text)
    return fragments.put(_writer().render(tokens, template_reader().options, {}))


def latex_line(source: str, fragments: Fragments) -> str:
    """Turn one paragraph of a template into a line of LaTeX."""
    return template_line(source, fragments, _inline)


def guest_latex(text: str) -> str:
    r"""Turn a study's own text, inline Markdown, into LaTeX, without its links.

    >>> print(guest_latex(r"*x* \write18{y} [z](https://e.org)"))
    \emph{x} \textbackslash{}write18\{y\} z
    """
    return _inline(guest_tokens(text))


def _inline(tokens: Sequence[Token]) -> str:
    return _writer().renderInline(tokens, template_reader().options, {})


# ------------------------------------------------------------------------------- widths

WIDTHS = {  # of Computer Modern, in thousandths of its size
    **dict.fromkeys("il!',.:;[]|`", 278),
    **dict.fromkeys("fjI", 340),
    **dict.fromkeys("-()trs", 390),
    **dict.fromkeys("cezJ?", 450),
    **dict.fromkeys("0123456789agoEF/*", 500),
    **dict.fromkeys("bdhnpquvxykS", 556),
    **dict.fromkeys("BCDEFGHKLNOPQRTUVXYZ", 720),
    **dict.fromkeys("Mmw%&+=<>@#", 833),
    "W": 1028,
    " ": 333,
    "~": 333,
}
COMMAND = re.compile(
    r"\\(?:allowbreak|phantom|textbf|emph|texttt|mathrm|scriptsize)(?:\{\})?|[{}$]"
)
ESCAPED = re.compile(r"\\[{}#%&_]|\\(?!allowbreak)[A-Za-z]+\{\}")
NAMED = re.compile(r"\\[A-Za-z]+ ?|\\(.)")
OTHER = 600


def text_width(latex: str) -> float:
    r"""Return how wide a piece of LaTeX is, about, in sizes of its type.

    >>> round(text_width("0.25"), 2), round(text_width(r"$-$0.25"), 2)
    (1.78, 2.17)
    """
    plain = COMMAND.sub(
        "", ESCAPED.sub("n", OTHER_SCRIPT.sub(_numbers, latex).replace(NO_LIGATURE, ""))
    )
    seen = NAMED.sub(lambda m: m[1] or "m", plain)
    return sum(WIDTHS.get(c, OTHER) for c in seen) / 1000
