from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from reportgen.errors import RenderingError
from reportgen.rendering.formulas import drawing, mathml
from reportgen.rendering.templates import read_formulas


def test_greek_letters_are_upright() -> None:
    text = mathml(r"\frac{\kappa_k}{\sqrt{2}} + \Omega", "alt")
    tree = ElementTree.fromstring(text)
    letters = {x.text: x.get("class") for x in tree.iter() if x.tag.endswith("}mi")}
    assert letters == {"κ": "up", "k": None, "Ω": "up"}
    assert tree.get("aria-label") == "alt"


def test_display() -> None:
    assert ElementTree.fromstring(mathml("x", "x", is_display=True)).get("display") == "block"


@pytest.mark.parametrize("tex", [r"\nonsense", "{x", "x}{", "x_", r"\text{<b>}", "a & b"])
def test_what_is_not_known_is_an_error(tex: str) -> None:
    with pytest.raises(RenderingError, match="formula"):
        mathml(tex, "alt")


def test_alternative_text_is_escaped() -> None:
    assert 'aria-label="&lt;&#34;&gt;"' in mathml("x", '<">')


@pytest.mark.parametrize("name", sorted(read_formulas(())))
def test_what_is_summed_stands_apart_from_the_sign(name: str) -> None:
    r"""A bracket is apart by itself; a bar and a letter need `\,`."""
    assert not re.search(
        r"\\sum_\w \s* (?:\||[a-z]|\\(?!,|sum))", read_formulas(())[name]["tex"], re.X
    )


@pytest.mark.parametrize("name", sorted(read_formulas(())))
def test_no_sign_is_one_that_browsers_draw_by_a_glyph_of_mathematical_faces(name: str) -> None:
    """Ours have none: Chromium leaves out a root."""
    assert "<msqrt>" not in mathml(read_formulas(())[name]["tex"], "alt")


@pytest.mark.parametrize("name", sorted(read_formulas(())))
def test_every_formula_of_ours_is_set_in_both_forms(name: str) -> None:
    formula = read_formulas(())[name]
    ElementTree.fromstring(mathml(formula["tex"], formula["alt"]))
    svg, width, height, depth = drawing(formula["tex"], 10.0)
    ElementTree.fromstring(svg)
    assert width > height > depth >= 0
    assert len(formula["alt"]) > 10
