"""Formulas, written once in LaTeX: to MathML for browsers and to a drawing for paper."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from markupsafe import Markup

from reportgen.errors import RenderingError

GREEK = (
    "alpha beta gamma delta varepsilon epsilon zeta eta theta iota kappa lambda mu nu xi pi rho "
    "sigma tau upsilon varphi phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi "
    "Psi Omega"
).split()
GREEK_LETTER = re.compile(r"<mi>(?=&#x003[9A-D])")
SPECIAL = re.compile(r"[<>&$]")
ALLOWED = "allowed LaTeX that latex2mathml and mathtext know"


def mathml(tex: str, alt: str, *, is_display: bool = False) -> Markup:
    """Return a formula as MathML, with upright Greek letters.

    `tex`: LaTeX that both latex2mathml and matplotlib's mathtext read, without the characters that
    are markup in XML.
    `alt`: how it is read aloud.
    `is_display`: whether it stands on a line of its own.
    Raises RenderingError if the LaTeX cannot be read, or has a command that is not known.
    """
    from latex2mathml.converter import convert

    check_formula(tex)
    try:
        text = convert(tex, display="block" if is_display else "inline")
    except Exception as error:
        raise RenderingError(
            f"formula {tex!r}: found what is no formula ({type(error).__name__} {error}); {ALLOWED}"
        ) from error
    if unknown := re.search(r"\\\w+", text):
        raise RenderingError(f"formula {tex!r}: found {unknown.group()}; {ALLOWED}")
    upright = GREEK_LETTER.sub('<mi class="up">', text)
    return Markup('<math aria-label="{}"').format(alt) + Markup(upright.removeprefix("<math"))


def check_formula(tex: str) -> None:
    """Refuse characters that are markup, and braces that are not balanced.

    Raises RenderingError if the formula has any.
    """
    if found := SPECIAL.search(tex):
        raise RenderingError(f"formula {tex!r}: found {found.group()}; allowed its command")
    if _depth(tex):
        raise RenderingError(f"formula {tex!r}: found braces that are not balanced; allowed pairs")


def _depth(tex: str) -> int:
    """Return how many braces are open at the end, or -1 where one is closed too early."""
    depth = 0
    for piece in re.findall(r"\\.|[{}]", tex):
        depth += {"{": 1, "}": -1}.get(piece, 0)
        if depth < 0:
            return -1
    return depth


@cache
def drawing(tex: str, size: float) -> tuple[str, float, float, float]:
    """Draw a formula in the house's serif for paper.

    Result: SVG with outlines in place of letters; its width, height and depth below the line of
    writing, in pt.
    """
    import io

    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.mathtext import MathTextParser

    prepared = f"${_for_mathtext(tex)}$"
    faces: dict[Any, Any] = {
        "mathtext.fontset": "stix",
        "svg.fonttype": "path",
        "svg.hashsalt": "reportgen",
        "text.parse_math": True,
    }
    with rc_context(faces):
        properties = FontProperties(size=size)
        try:
            width, height, depth, *_ = MathTextParser("path").parse(prepared, 72, properties)
        except ValueError as error:
            raise RenderingError(
                f"formula {tex!r}: found what is no formula ({error}); {ALLOWED}"
            ) from error
        figure = Figure(figsize=((width + 1) / 72, (height + 1) / 72), dpi=72)
        figure.text(0, (depth + 0.5) / (height + 1), prepared, fontproperties=properties)
        figure.texts[0].set_color("#1D1C1A")
        figure.patch.set_visible(False)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    return re.sub(r"\s*\n\s*", " ", svg), width + 1, height + 1, depth + 0.5


def _for_mathtext(tex: str) -> str:
    """Spell what mathtext does not know, and set Greek upright as the text's face does."""
    tex = tex.replace(r"\text{", r"\mathrm{").replace(r"\dots", r"\ldots").replace(r"\vert", "|")
    letters = "|".join(GREEK)
    return re.sub(rf"\\({letters})(?![a-zA-Z])", r"\\mathrm{\\\1}", tex)
