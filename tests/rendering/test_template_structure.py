"""Templates hold nothing that no report shows: macros, blocks and imports are used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest
from jinja2 import nodes
from markupsafe import Markup

from reportgen.rendering.render_context import HTML, PDF
from reportgen.rendering.templates import FILTERS, environment, template_folder
from reportgen.units import UNITS
from tests.conftest import ROOT

FOLDER = template_folder()
TEMPLATES = sorted(str(f.relative_to(FOLDER)) for f in FOLDER.rglob("*.j2"))
SECTIONS = [name for name in TEMPLATES if name.startswith("sections/")]
LONGEST_LINE = 300  # characters
CALL = re.compile(  # of a macro in Python
    r"(?:macros|macros\(\)|module)\.(\w+)|render_macro\(\s*\*?\(?\"(\w+)\""
)
BLOCKS = {
    *(
        "title",
        "article_title",
        "article",
        "remarks",
        "article_methods",
        "methods_of_each",
        "requested_title",
    ),
    *("body", "methods"),
    *("compact", "fact", "listed", "overview", "index_head", "index", "more"),
}


OF_FORMS = [back_end.own for back_end in (HTML, PDF)]  # of which a report's form has one
OF_UNITS = [f"units/{name}.md.j2" for name in UNITS]  # of which a report's unit has one


@cache
def parsed(name: str) -> nodes.Template:
    """Return the syntax tree of a template."""
    is_text = name.endswith(".md.j2") and not name.startswith("markdown/")
    env = environment((), Markup, in_markdown=is_text)
    return env.parse((FOLDER / name).read_text(encoding="utf-8"), name)


@cache
def python() -> str:
    """Return the package's modules as one text."""
    return "\n".join(f.read_text(encoding="utf-8") for f in (ROOT / "reportgen").rglob("*.py"))


@cache
def called() -> frozenset[str]:
    """Return the names of the macros that the package's modules call."""
    return frozenset(name for names in CALL.findall(python()) for name in names)


def loaded(name: str) -> set[str]:
    """Return the names that a template reads."""
    return {n.name for n in parsed(name).find_all(nodes.Name) if n.ctx == "load"}


@cache
def imported(name: str) -> tuple[tuple[str, str], ...]:
    """Return the template and the name of what a template takes from others."""
    return tuple(_imports(name))


def _imports(name: str) -> Iterator[tuple[str, str]]:
    aliases = {"blocks": "html/blocks.html.j2"} | {  # the page's macros, whatever the back end
        n.target: n.template.value
        for n in parsed(name).find_all(nodes.Import)
        if isinstance(n.template, nodes.Const)
    }
    for taken in parsed(name).find_all(nodes.FromImport):
        assert isinstance(taken.template, nodes.Const)
        for item in taken.names:
            yield taken.template.value, item if isinstance(item, str) else item[0]
    for read in parsed(name).find_all(nodes.Getattr):
        if isinstance(read.node, nodes.Name) and read.node.name in aliases:
            yield aliases[read.node.name], read.attr
        if isinstance(read.node, nodes.Name) and read.node.name == "own":
            yield from ((own, read.attr) for own in OF_FORMS)
        if isinstance(read.node, nodes.Name) and read.node.name == "of_unit":
            yield from ((own, read.attr) for own in OF_UNITS)


@pytest.mark.parametrize("name", TEMPLATES)
def test_macros_and_words_are_used(name: str) -> None:
    macros = {n.name for n in parsed(name).find_all(nodes.Macro)}
    words = {
        n.target.name
        for n in parsed(name).body
        if isinstance(n, nodes.Assign) and isinstance(n.target, nodes.Name)
    }
    elsewhere = {item for other in TEMPLATES for file, item in imported(other) if file == name}
    assert not (macros | words) - loaded(name) - elsewhere - called()


def test_macros_that_modules_call_are_found() -> None:
    assert {"cand", "data", "order"} <= called()


def test_all_units_have_the_same_macros() -> None:
    """A template takes a macro of whatever unit the results have."""
    macros = [
        {n.name: len(n.args) for n in parsed(name).find_all(nodes.Macro)} for name in OF_UNITS
    ]
    assert macros[0]
    assert all(own == macros[0] for own in macros)
    assert {name for name in TEMPLATES if name.startswith("units/")} == {*OF_UNITS}


@pytest.mark.parametrize("name", TEMPLATES)
def test_imports_are_used(name: str) -> None:
    taken = {
        item if isinstance(item, str) else item[1]
        for n in parsed(name).find_all(nodes.FromImport)
        for item in n.names
    }
    assert not taken - loaded(name)


@pytest.mark.parametrize("name", SECTIONS)
def test_blocks_of_sections_are_rendered(name: str) -> None:
    assert {n.name for n in parsed(name).find_all(nodes.Block)} <= BLOCKS


@pytest.mark.parametrize("name", [n for n in TEMPLATES if n.startswith("document/")])
def test_blocks_of_the_document_are_rendered(name: str) -> None:
    for block in parsed(name).find_all(nodes.Block):
        stem = block.name.removesuffix("_headline")
        figure = block.name.removeprefix("figure_").replace("_", "-")  # one on request
        assert any(f'"{own}"' in python() for own in (block.name, stem, figure)), block.name


def test_composition_knows_the_blocks_of_sections() -> None:
    text = (ROOT / "reportgen/rendering/composition.py").read_text(encoding="utf-8")
    assert not {b for b in BLOCKS if f'"{b}"' not in text}


def test_filters_and_functions_are_used() -> None:
    from reportgen.rendering.template_functions import TemplateFunctions

    read = set().union(*(loaded(name) for name in TEMPLATES))
    piped = {n.name for name in TEMPLATES for n in parsed(name).find_all(nodes.Filter)}
    functions = set(re.findall(r'"(\w+)"', _names_of_functions()))
    assert functions
    assert all(hasattr(TemplateFunctions, f) for f in functions)
    assert not functions - read
    assert not set(FILTERS) - piped


def _names_of_functions() -> str:
    file = ROOT / "reportgen/rendering/template_functions.py"
    return file.read_text(encoding="utf-8").split("names = (")[1].split("own = {name")[0]


@pytest.mark.parametrize("name", TEMPLATES)
def test_lines_can_be_read(name: str) -> None:
    """A long line is broken inside a tag, where the break writes nothing."""
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    assert not [n for n, line in enumerate(lines, start=1) if len(line) > LONGEST_LINE]


@pytest.mark.parametrize("name", TEMPLATES)
def test_emphasis_stands_outside_of_strings(name: str) -> None:
    """What an expression writes is a text, whose asterisks are printed."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    strings = re.findall(r'"((?:[^"\\]|\\.)*)"', " ".join(re.findall(r"{{.*?}}", text, re.DOTALL)))
    assert not [string for string in strings if re.search(r"\*\w[^*]*\*", string)]


def test_no_text_names_a_shade() -> None:
    """In dark faces strong lines are light, and on paper colours are grey: words say the kind."""
    shade = re.compile(r"\b(black|white|gr[ea]y|dark(er|est)?)\b", re.IGNORECASE)
    texts = {n: (FOLDER / n).read_text(encoding="utf-8") for n in TEMPLATES if n.endswith(".md.j2")}
    assert len(texts) > 40
    assert [n for n, text in texts.items() if shade.search(text)] == []
