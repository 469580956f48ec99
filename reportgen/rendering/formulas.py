"""Formulas, written once in LaTeX: to MathML for browsers and to a drawing for paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from markupsafe import Markup, escape

from reportgen.errors import RenderingError

PIECE = re.compile(r"\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|\s+|.")
LETTERS = """
alpha α beta β gamma γ delta δ varepsilon ε epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ
mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ varphi φ phi φ chi χ psi ψ omega ω
Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω
""".split()
GREEK = dict(zip(LETTERS[::2], LETTERS[1::2], strict=True))
OPERATORS = {
    "pm": "±", "times": "×", "cdot": "⋅", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥",
    "ne": "≠", "neq": "≠", "approx": "≈", "sim": "∼", "prec": "≺", "succ": "≻", "in": "∈",
    "to": "→", "infty": "∞", "dots": "…", "ldots": "…", "cdots": "⋯", "mid": "|", "vert": "|",
    "lbrace": "{", "rbrace": "}", "{": "{", "}": "}",
}  # fmt: skip
LARGE = {"sum": "∑", "prod": "∏"}
NAMED = ("max", "min", "log", "exp", "ln", "var", "Pr")
ACCENTS = {"hat": "^", "bar": "¯", "tilde": "~"}
SPACES = {",": "0.167em", ";": "0.278em", "quad": "1em", " ": "0.25em"}
FENCES = "()[]|"


def mathml(tex: str, alt: str, *, is_display: bool = False) -> Markup:
    """Return a formula as MathML.

    Parameters
    ----------
    tex : str
        LaTeX of the subset that this module reads.
    alt : str
        How it is read aloud.
    is_display : bool
        Whether it stands on a line of its own.
    """
    display = "block" if is_display else "inline"
    inner = _Reader(tex).row()
    return Markup('<math display="{}" aria-label="{}">').format(display, alt) + Markup(
        f"<mrow>{inner}</mrow></math>"
    )


class _Reader:
    """A reader of LaTeX by recursive descent; one instance a formula."""

    def __init__(self, tex: str) -> None:
        self.tex = tex
        self.pieces: list[str] = [piece for piece in PIECE.findall(tex) if not piece.isspace()]
        self.place = 0

    def row(self, closing: str = "") -> str:
        """Read up to `closing` (or the end) and leave it behind."""
        parts: list[str] = []
        while self.place < len(self.pieces):
            if self.pieces[self.place] == closing:
                self.place += 1
                return "".join(parts)
            parts.append(self._with_scripts())
        if closing:
            raise RenderingError(f"formula {self.tex!r}: {closing} is missing")
        return "".join(parts)

    def _with_scripts(self) -> str:
        name = self.pieces[self.place].removeprefix("\\")
        space = f'<mspace width="{SPACES[","]}"></mspace>' if name in NAMED else ""
        return self._scripted(name in LARGE) + space

    def _scripted(self, is_large: bool) -> str:
        base, scripts = self._atom(), {}
        while self.place < len(self.pieces) and self.pieces[self.place] in ("_", "^"):
            sign = self.pieces[self.place]
            self.place += 1
            scripts[sign] = f"<mrow>{self._atom()}</mrow>"
        if not scripts:
            return base
        below, above = ("munder", "mover") if is_large else ("msub", "msup")
        if len(scripts) == 2:
            tag = below + ("over" if is_large else "sup")
            return f"<{tag}>{base}{scripts['_']}{scripts['^']}</{tag}>"
        tag = below if "_" in scripts else above
        return f"<{tag}>{base}{''.join(scripts.values())}</{tag}>"

    def _next(self) -> str:
        if self.place >= len(self.pieces):
            raise RenderingError(f"formula {self.tex!r} ends too early")
        self.place += 1
        return self.pieces[self.place - 1]

    def _atom(self) -> str:
        piece = self._next()
        if piece == "{":
            return f"<mrow>{self.row('}')}</mrow>"
        if piece.startswith("\\"):
            return self._command(piece[1:])
        if piece[0].isdigit():
            return f"<mn>{piece}</mn>"
        if piece.isalpha():
            return f"<mi>{piece}</mi>"
        stretch = ' stretchy="false"' if piece in FENCES else ""
        return f"<mo{stretch}>{escape('−' if piece == '-' else piece)}</mo>"

    def _command(self, name: str) -> str:
        if name in GREEK:
            return f'<mi class="up">{GREEK[name]}</mi>'
        if name in OPERATORS:
            return f"<mo>{escape(OPERATORS[name])}</mo>"
        if name in LARGE:
            return f'<mo largeop="true">{LARGE[name]}</mo>'
        if name in NAMED:
            return f'<mi class="up">{name}</mi>'
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"></mspace>'
        if name in ACCENTS:
            return (
                f'<mover accent="true"><mrow>{self._atom()}</mrow><mo>{ACCENTS[name]}</mo></mover>'
            )
        if name == "frac":
            return f"<mfrac><mrow>{self._atom()}</mrow><mrow>{self._atom()}</mrow></mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self._atom()}</msqrt>"
        if name in ("mathrm", "text"):
            return f'<mi class="up">{escape("".join(self._words()))}</mi>'
        if name in ("left", "right"):
            return f'<mo stretchy="true">{escape(self._next().lstrip(chr(92)))}</mo>'
        raise RenderingError(f"formula {self.tex!r}: \\{name} is not known")

    def _words(self) -> Iterator[str]:
        if self._next() != "{":
            raise RenderingError(f"formula {self.tex!r}: text needs braces")
        while (piece := self._next()) != "}":
            yield piece


@cache
def drawing(tex: str, size: float) -> tuple[str, float, float, float]:
    """Draw a formula in the house's serif for paper.

    Returns
    -------
    tuple of str and three floats
        SVG with outlines in place of letters; its width, height and depth
        below the line of writing, in pt.
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
            raise RenderingError(f"formula {tex!r}: {error}") from error
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
