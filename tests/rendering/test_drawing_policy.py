"""Drawings that run or fetch something where they are opened by themselves are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.rendering.drawing_policy import drawing_fault
from reportgen.rendering.fonts import drawing_css

SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
OTHER = "http://www.w3.org/1999/xhtml"
ENTITIES = "".join(f'<!ENTITY e{n} "{10 * f"&e{n - 1};"}">' for n in range(1, 12))

RUNNING = {
    "a script": (f"{SVG}><script>x()</script></svg>", "element script"),
    "a script of another prefix": (
        '<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script>x()</s:script></s:svg>',
        "element script",
    ),
    "a script elsewhere": (f'{SVG}><script xlink:href="data:,x()"/></svg>', "element script"),
    "a page within": (f"{SVG}><foreignObject/></svg>", "element foreignObject"),
    "an element of a page": (f'{SVG}><p xmlns="{OTHER}">x</p></svg>', "element p"),
    "a handler": (f'{SVG} onload="x()"/>', "attribute onload"),
    "a handler of other letters": (f'{SVG}><g ONCLICK="x()"/></svg>', "attribute onclick"),
    "a handler that is spelled": (f'{SVG} &#111;nload="x()"/>', "no XML"),
    "an animation of a handler": (
        f'{SVG}><set attributeName="onmouseover" to="x()"/></svg>',
        "attribute onmouseover",
    ),
    "an animation of an address": (
        f'{SVG}><a><animate attributeName="xlink:href" values="javascript:x()"/></a></svg>',
        "attribute href",
    ),
    "a link that runs": (f'{SVG}><a href="javascript:x()"/></svg>', "address 'javascript:x()'"),
    "the same, spelled": (
        f'{SVG}><a xlink:href="&#106;ava&#10;script:x()"/></svg>',
        "address 'java",
    ),
    "a picture elsewhere": (f'{SVG}><image href="file:/etc/passwd"/></svg>', "address 'file:"),
    "a shape elsewhere": (f'{SVG}><use href="https://example.org/x.svg#a"/></svg>', "address"),
    "a drawing in a drawing": (f'{SVG}><use href="data:image/svg+xml,x#a"/></svg>', "address"),
    "a base": (f'{SVG} xml:base="https://example.org"/>', "address 'https:"),
    "an import of rules": (f"{SVG}><style>@import 'https://example.org'</style></svg>", "@import"),
    "a face elsewhere": (
        f"{SVG}><style>@font-face{{src:url(https://example.org/f)}}</style></svg>",
        "url",
    ),
    "the same in parts": (f"{SVG}><style>u<![CDATA[rl(]]>https://e)</style></svg>", "url"),
    "a face that is spelled": (f"{SVG}><style>p{{a:\\75rl(https://e)}}</style></svg>", "style"),
    "a filter elsewhere": (f'{SVG}><g filter="url(https://example.org#f)"/></svg>', "url"),
    "a style sheet": (f'<?xml-stylesheet href="data:text/xsl,x" type="text/xsl"?>{SVG}/>', "sheet"),
    "an entity of another file": (
        f'<!DOCTYPE svg [<!ENTITY x SYSTEM "file:/etc/passwd">]>{SVG}><text>&x;</text></svg>',
        "entities of its own",
    ),
    "entities without end": (
        f'<!DOCTYPE svg [<!ENTITY e0 "x">{ENTITIES}]>{SVG}><text>&e11;</text></svg>',
        "entities of its own",
    ),
    "another encoding": (f'<?xml version="1.0" encoding="ISO-2022-JP"?>{SVG}/>', "encoding"),
    "no drawing": ("<svg", "no XML"),
    "nothing": ("", "no XML"),
}


@pytest.mark.parametrize("name", RUNNING)
def test_what_runs_or_fetches_is_found(name: str) -> None:
    text, fault = RUNNING[name]
    assert fault in drawing_fault(text.encode())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_bytes_that_are_no_utf_8_are_no_drawing(encoding: str) -> None:
    assert drawing_fault(f"{SVG}><script>x()</script></svg>".encode(encoding))


@pytest.mark.parametrize(
    "text",
    [
        '<?xml version="1.0" encoding="UTF-8" standalone="no"?>' + SVG + "/>",
        '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/x.dtd">' + SVG + "/>",
        SVG + '><style>.a{fill:url(#g)}</style><use xlink:href="#a"/></svg>',
        SVG + '><image href="data:image/png;base64,iVBORw0KGgo="/></svg>',
        SVG + '><a href="https://example.org"><text>on load = url(x) \\ @import</text></a></svg>',
        SVG + ' aria-label="a \\ b, url(x)"><title>&lt;script&gt;</title></svg>',
        SVG + f"><style>{drawing_css('abc')}</style><text>abc</text></svg>",
    ],
)
def test_drawings_that_only_show_something_are_let_through(text: str) -> None:
    assert drawing_fault(text.encode()) == ""
    assert drawing_fault(b"\xef\xbb\xbf" + text.encode()) == ""


def test_what_matplotlib_draws_is_let_through(tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.subplots()
    axes.plot([1, 2], [3, 4], marker="o", clip_on=True)
    axes.imshow([[0.0, 1.0]])
    figure.savefig(tmp_path / "figure.svg")
    assert drawing_fault((tmp_path / "figure.svg").read_bytes()) == ""
