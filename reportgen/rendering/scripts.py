"""The script of a page: the files of templates/html/script as one function.

`page_script` returns it without comments and needless space.
"""

from __future__ import annotations

import re

from reportgen.rendering.templates import read_text
from reportgen.units import REPLICATION, Unit, in_words

SCRIPTS = (
    *("page", "search", "figures", "tables", "candidates", "datasets"),
    *("pairs", "samples", "explorer", "start"),
)
TOKEN = re.compile(
    r"""(?P<space>(?:\s|/\*.*?\*/)+)
    | (?P<text>"(?:\\.|[^"\\\n])*")
    | (?P<expression>/(?!/)(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*)
    | (?P<word>[\w$]+)
    | (?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)
TEXT = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*", re.DOTALL)  # of a template, up to a hole or its end
OPENERS = frozenset("(,=:[!&|?{};+><")  # a slash after one begins a regular expression
GOES_ON = frozenset(";,{([=<>+-*/&|?:!.")  # no statement ends with one
STAYS = frozenset(")],;.}")  # none begins with one


def page_script(unit: Unit = REPLICATION) -> str:
    """Return the script of a page, in the words for what a study counts."""
    text = in_words("\n".join(read_text(f"html/script/{name}.js") for name in SCRIPTS), unit)
    return f'(() => {{\n"use strict";\n{minify_script(text)}\n}})();'


def minify_script(text: str) -> str:
    r"""Take comments out of a script, and space that parts neither words nor statements.

    `text`: JavaScript without comments to the end of a line.

    Examples
    --------
    >>> minify_script('if (a) { /* why */\n  b = "x  y" + `${ c + +d } z`\n  e()\n}\n')
    'if(a){b="x  y"+`${c+ +d} z`\ne()}'
    """
    parts: list[str] = []
    if _code(text, 0, parts) != len(text):
        raise ValueError("a script has a brace too many")
    return "".join(parts)


def _code(text: str, place: int, parts: list[str]) -> int:
    """Copy code to its end, or to the brace that closes it; return where that is."""
    depth, space = 0, ""
    while place < len(text):
        last = parts[-1] if parts else ";"
        match = TOKEN.match(text, place)
        assert match is not None  # a sign is anything
        token, kind = match[0], match.lastgroup
        if kind == "space":
            space, place = token, place + len(token)
            continue
        if kind == "expression" and last[-1] not in OPENERS and last != "return":
            token = "/"
        depth += (token == "{") - (token == "}")
        if depth < 0:
            return place
        between = _needed(space, last, token)
        parts += [between, token] if between else [token]
        space, place = "", place + len(token)
        if token == "`":
            place = _template(text, place, parts)
    return place


def _needed(space: str, last: str, token: str) -> str:
    """Return the space that must stay between two tokens."""
    if not space:
        return ""
    if _is_word(last[-1]) and _is_word(token[0]):
        return "\n" if "\n" in space else " "
    if last[-1] == token[0] and token[0] in "+-":
        return " "
    return "\n" if "\n" in space and last[-1] not in GOES_ON and token[0] not in STAYS else ""


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign in "_$"


def _template(text: str, place: int, parts: list[str]) -> int:
    """Copy a template to its end, and return where that is."""
    while place < len(text):
        match = TEXT.match(text, place)
        assert match is not None  # it may be empty
        place = match.end()
        parts.append(match[0])
        if text[place : place + 1] == "`":
            parts.append("`")
            return place + 1
        parts.append("${")
        place = _code(text, place + 2, parts) + 1
        parts.append("}")
    raise ValueError("a script has a template without an end")
