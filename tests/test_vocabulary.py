"""One word a thing: what is decided, and what is banned, in every sentence that a user reads.

Templates and modules are read as they stand, so that no branch is missed; and what made-up studies
say, so that nothing is missed that is put together from parts.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import nodes
from markupsafe import Markup

from reportgen.rendering.templates import environment, template_folder
from tests.conftest import ROOT
from tests.made_up import MADE_UP

BANNED = re.compile(
    r"\b(?:roads?|told apart|turn(?:s|ed)? round|befall\w*|ball of wool|(?:un)?distinguish\w*"
    r"|sure|surely)\b|data-sets?\b|[≺∼]",
    re.IGNORECASE,
)
SYNONYMS = re.compile(  # of words that reports have decided on
    r"\b(?:algorithms?|classifiers?|learners?|contenders?"  # candidate
    r"|tasks?|problems?|datasets?"  # data set
    r"|metrics?|criteria|scores? of a candidate"  # measure
    r"|regrets?|Pareto\w*|dominat\w+|trade-offs?"  # loss, efficient frontier, surpassed
    r"|(?:pairs?|decisions?) (?:turns?|flips?)|contradict\w*"  # reversed
    r"|trees? splits?|splits? by|negligible|practically equal|rankings?"  # divides, too small
    r"|(?:is|are|was|were) (?:not )?decided|decided (?:better|worse|alike|otherwise)"  # significant
    r"|undecided (?:pairs?|against)|pairs? (?:is|are|stays?) (?:un)?decided|open relevance)\b",
    re.IGNORECASE,
)
IDENTIFIERS = ("not-distinguished",)  # words of results.json, which a template looks up
NAMES_IN_FILTERS = ("selectattr", "rejectattr", "map", "sort", "groupby", "min", "max", "unique")
DOCUMENTS = [*(ROOT / n for n in ("README.md", "CONTRIBUTING.md")), *(ROOT / "docs").glob("*.md")]
RENDERED = sorted((ROOT / "tests/snapshots").glob("*.txt"))
MODULES = sorted(
    file
    for folder in ("sections", "conclusion", "drawing", "rendering")
    for file in (ROOT / "reportgen" / folder).rglob("*.py")
)
FOLDER = template_folder()
TEMPLATES = sorted(str(f.relative_to(FOLDER)) for f in FOLDER.rglob("*.j2"))


def banned(text: str, words: re.Pattern[str] = BANNED) -> list[str]:
    """Return the banned words of a text, each with what stands around it."""
    bare = " ".join(text.split())
    return [bare[max(0, m.start() - 40) : m.end() + 30] for m in words.finditer(bare)]


@pytest.mark.parametrize("name", TEMPLATES)
def test_templates(name: str) -> None:
    is_text = name.endswith(".md.j2") and not name.startswith("markdown/")
    env = environment((), Markup, in_markdown=is_text)
    tree = env.parse((FOLDER / name).read_text(encoding="utf-8"), name)
    assert not [found for text in _said(tree) for found in banned(text)]


def _said(node: nodes.Node) -> Iterator[str]:
    """Yield the texts that a template may write: not what it compares, looks up or names."""
    if isinstance(node, nodes.TemplateData):
        yield re.sub(r"<[^>]*>|\w+=\"[^\"]*\"", " ", node.data)
    elif isinstance(node, nodes.Const) and isinstance(node.value, str):
        if node.value not in IDENTIFIERS:
            yield node.value
    elif isinstance(node, nodes.Pair):
        yield from _said(node.value)
    elif not isinstance(node, nodes.Compare | nodes.Getitem | nodes.Import | nodes.FromImport):
        children = node.iter_child_nodes()
        if isinstance(node, nodes.Filter) and node.name in NAMES_IN_FILTERS:
            children = iter([node.node] if node.node else [])
        for child in children:
            yield from _said(child)


@pytest.mark.parametrize("file", MODULES, ids=lambda f: str(f.relative_to(ROOT / "reportgen")))
def test_modules_that_write_to_a_report(file: Path) -> None:
    """Read labels of columns, words of figures and messages: strings with a blank or a capital."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    documented = {
        id(n.body[0].value)
        for n in ast.walk(tree)
        if isinstance(n, kinds) and n.body and isinstance(n.body[0], ast.Expr)
    } | {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    texts = (
        n.value
        for n in ast.walk(tree)
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in documented
    )
    worded = (t for t in texts if re.search(r" \w|^[A-Z][a-z]", t.strip()))
    assert not [found for text in worded for found in banned(text)]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda f: f.name)
def test_documents(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```$|`[^`]*`|\]\([^)]*\)", " ", text, flags=re.MULTILINE | re.DOTALL)
    assert not banned(prose)


def test_descriptions_of_results() -> None:
    schema = json.loads((ROOT / "reportgen/rendering/results.schema.json").read_text("utf-8"))
    assert not [found for text in _described(schema) for found in banned(text)]


def _described(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("description"), str):
            yield value["description"]
        for part in value.values():
            yield from _described(part)
    elif isinstance(value, list):
        for part in value:
            yield from _described(part)


@pytest.mark.parametrize("file", RENDERED, ids=lambda f: f.stem)
def test_rendered_text(file: Path) -> None:
    """Read what made-up studies of every kind say; `tests/test_snapshots.py` holds it."""
    text = file.read_text(encoding="utf-8")
    assert not [*banned(text), *banned(text, SYNONYMS)]


def test_every_kind_of_report_is_read() -> None:
    assert {f"report-{name}" for name in MADE_UP} <= {file.stem for file in RENDERED}
