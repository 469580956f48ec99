"""Units of analysis: what is asked of them, and that nobody else knows their names."""

import ast
import pickle
from pathlib import Path

import pytest
from jinja2 import nodes
from markupsafe import Markup

from reportgen.rendering.results_json import plain
from reportgen.rendering.templates import environment, template_folder
from reportgen.units import SETTING, UNITS, Unit
from tests.conftest import ROOT

NAMED = ("reportgen/units.py",)
MODULES = [
    path
    for path in sorted((ROOT / "reportgen").rglob("*.py"))
    if not str(path.relative_to(ROOT)).startswith(NAMED)
]
TEMPLATES = sorted(template_folder().rglob("*.j2"))


def in_module(text: str, called: tuple[str, ...] = ("unit", "vocabulary", "kind")) -> list[int]:
    """Return the lines in which a unit, by the names it may be called, is compared with a text."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            lists = (getattr(side, "elts", [side]) for side in sides)
            texts = {n.value for own in lists for n in own if isinstance(n, ast.Constant)}
            is_unit = any(
                getattr(side, "attr", getattr(side, "id", "")) in called for side in sides
            )
            if is_unit and texts & set(UNITS):
                found.append(node.lineno)
    return found


def in_template(text: str, *, is_text: bool) -> list[int]:
    """Return the lines in which a template compares a unit with a text, or looks one up by it."""
    tree = environment((), Markup, in_markdown=is_text).parse(text)
    compared = tree.find_all((nodes.Compare, nodes.Call, nodes.Getitem))
    return [
        node.lineno
        for node in compared
        if any(n.attr in ("unit", "vocabulary") for n in _read(node))
        and {n.value for n in node.find_all(nodes.Const)} & set(UNITS)
    ]


def _read(node: nodes.Node) -> list[nodes.Getattr]:
    return [
        n
        for n in node.find_all(nodes.Getattr)
        if isinstance(n.node, nodes.Name) and n.node.name in ("design", "warehouse")
    ]


def test_a_branch_by_name_is_found() -> None:
    """What the next test looks for."""
    assert in_module('a = 1\nif blocks.unit in ("item", "sample"):\n    pass\n') == [2]
    assert in_module('if measure.unit == "s" or unit != other:\n    pass\n') == []
    assert in_template('a\n{{ "x" if design.unit == "item" }}', is_text=True) == [2]
    assert in_template('{{ {"item": "x"}.get(design.unit) }}', is_text=True) == [1]
    assert in_template('{{ "x" if design.unit.is_block }}', is_text=True) == []


@pytest.mark.parametrize("path", [*MODULES], ids=lambda p: str(p.relative_to(ROOT)))
def test_modules_ask_a_unit_what_it_is(path: Path) -> None:
    """Another unit has other properties, and needs no further branch."""
    text = path.read_text(encoding="utf-8")
    is_reading = "exchange" in path.parts  # where `kind` is that of a level of names
    assert (in_module(text, ("unit",)) if is_reading else in_module(text)) == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: p.name)
def test_templates_ask_a_unit_what_it_is(path: Path) -> None:
    """Likewise; sentences of one unit stand in its own template."""
    name = str(path.relative_to(template_folder()))
    is_text = name.endswith(".md.j2") and not name.startswith("markdown/")
    assert in_template(path.read_text(encoding="utf-8"), is_text=is_text) == []


def test_paired_are_those_of_which_candidates_share_a_unit() -> None:
    """A row of a summary has means, which belong to no common unit."""
    assert [name for name, unit in UNITS.items() if unit.is_paired] == ["replication", "item"]
    assert [name for name, unit in UNITS.items() if unit.is_block] == ["replication"]


def test_results_have_the_name_of_a_unit() -> None:
    assert plain({"unit": UNITS["item"]}) == {"unit": "item"}


def test_units_are_equal_in_other_processes() -> None:
    """Sections may run in workers, which get copies."""
    copies: list[Unit] = pickle.loads(pickle.dumps([*UNITS.values(), SETTING]))
    assert copies == [*UNITS.values(), SETTING]
