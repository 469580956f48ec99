"""The script of a page: small, and the same program as its files."""

from __future__ import annotations

import re

import pytest

from reportgen.rendering.scripts import minify_script, page_script

LARGEST = 40_000  # bytes: what a page may take


def test_a_page_has_a_small_script() -> None:
    assert len(page_script().encode()) < LARGEST


def test_a_script_makes_no_code_and_asks_for_nothing() -> None:
    banned = r"\b(eval|Function|fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|import)\b"
    assert not re.findall(banned, page_script())
    assert not re.findall(
        r"\binnerHTML|outerHTML|insertAdjacentHTML|document\.write", page_script()
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("const a = 1;\n\n/* no */ let b", "const a=1;let b"),
        ('x = "a  /* b */ c";', 'x="a  /* b */ c";'),
        ("x = a / b / c;", "x=a/b/c;"),
        ("y = s.replace(/ [a /] +/g, t)", "y=s.replace(/ [a /] +/g,t)"),
        ("return /a b/.test(x)", "return/a b/.test(x)"),
        ("`a  ${ b ? `${ c }  d` : {e: 1}.e } `", "`a  ${b?`${c}  d`:{e:1}.e} `"),
        ("a\nb()\n(c)", "a\nb()\n(c)"),
        ("a = b + +c - -d", "a=b+ +c- -d"),
        ("a ?? b\n? c : d", "a??b\n?c:d"),
    ],
)
def test_space_goes_where_it_parts_nothing(text: str, wanted: str) -> None:
    assert minify_script(text) == wanted


@pytest.mark.parametrize("text", ["a}", "`a", "`${a"])
def test_half_a_script_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="a script has a"):
        minify_script(text)
