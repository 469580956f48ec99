"""A Quarto project read by Pandoc, with what Quarto itself would do to it.

Pandoc takes `@fig-x` for a citation: `resolve` numbers figures, tables and sections and refers to
them, as Quarto does, and fails where it would warn.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from reportgen.rendering.quarto_program import UNBROKEN, latex_problems
from tests.conftest import ROOT
from tests.rendering.installed_latex import OF_CLASSES, need_latex

INCLUDE = re.compile(r"^\{\{< include (\S+) >\}\}$", re.MULTILINE)
EXTENSIONS = {"html": "svg", "docx": "png", "latex": "pdf", "typst": "svg", "plain": "svg"}
FORMS = {"html": "html", "docx": "docx", "latex": "tex", "typst": "typ"}
PROGRAMS = ("pdflatex", "pdftotext", "pdftoppm", "rsvg-convert")
CAPTION_STYLE = '<w:pPr><w:spacing w:before="200" /><w:pStyle w:val="ImageCaption" /></w:pPr>'
NAMES = {"fig": "Figure", "tbl": "Table", "sec": "Section"}

Node = dict[str, Any]
ENV = {**os.environ, **UNBROKEN}


def pandoc() -> str:
    """Return the path of Pandoc; skip the test without it."""
    pypandoc = pytest.importorskip("pypandoc", reason="pypandoc_binary is not installed")
    return str(pypandoc.get_pandoc_path())


def stand_in(folder: Path) -> Path:
    """Write the stand-in for the program (`quarto_model.py`); skip the test without its needs."""
    pandoc()
    pytest.importorskip("typst", reason="typst is not installed")
    for name in PROGRAMS:
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
    model = Path(__file__).with_name("quarto_model.py")
    path = folder / "quarto"
    path.write_text(
        f"#!{sys.executable}\nimport runpy, sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        f"runpy.run_path({str(model)!r}, run_name='__main__')\n",
        encoding="utf-8",
    )
    path.chmod(0o755)
    return path


def run(arguments: list[str], folder: Path, text: str | None = None) -> bytes:
    """Return what Pandoc writes; any warning is an error."""
    found = subprocess.run(
        [pandoc(), *arguments],
        cwd=folder,
        input=None if text is None else text.encode(),
        capture_output=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr.decode()
    assert not found.stderr, found.stderr.decode()
    return found.stdout


def source(document: Path) -> str:
    """Return a document with what it includes."""

    def included(found: re.Match[str]) -> str:
        return (document.parent / found[1]).read_text(encoding="utf-8")

    return INCLUDE.sub(included, document.read_text(encoding="utf-8"))


def whole(document: Path) -> str:
    """Return the text of an article and its supplement, with what they include."""
    supplement = document.with_name("supplement.qmd")
    return "\n".join(source(path) for path in (document, supplement) if path.exists())


def read(text: str, folder: Path, form: str = "html") -> Node:
    """Return the document tree of a text, as Pandoc reads it."""
    extension = f"--default-image-extension={EXTENSIONS[form]}"
    return json.loads(run(["-f", "markdown", "-t", "json", extension], folder, text))


def convert(document: Path, form: str, output: Path) -> Path:
    """Convert a project's document to a format; any warning or lost reference is an error."""
    tree = resolve(read(source(document), document.parent, form), form)
    more = ["--embed-resources", "--mathml"] if form == "html" else []
    more += ["-V", "papersize=a4", "-H", "tables.typ"] if form == "typst" else []
    more += ["--reference-doc", "reference.docx", "-L", "tables.lua"] if form == "docx" else []
    run(
        [
            *("-f", "json", "-t", form, "--standalone", "--citeproc", "--number-sections"),
            *("--bibliography", "references.bib", "--metadata", "lang=en", *more),
            *("-o", str(output)),
        ],
        document.parent,
        json.dumps(tree),
    )
    return output


def nodes(value: Any) -> Iterator[Node]:
    """Yield every node of a tree, from the outside to the inside."""
    if isinstance(value, list):
        for item in value:
            yield from nodes(item)
    elif isinstance(value, dict):
        if "t" in value:
            yield value
        for item in value.values():
            yield from nodes(item)


def change(value: Any, function: Callable[[Node], Any]) -> Any:
    """Return a tree in which a function has replaced nodes, by one or by a list of them."""
    if isinstance(value, list):
        found = []
        for item in value:
            new = change(item, function)
            found += new if isinstance(new, list) and isinstance(item, dict) else [new]
        return found
    if not isinstance(value, dict):
        return value
    new = {key: change(item, function) for key, item in value.items()}
    return function(new) if "t" in new else new


def plain(value: Any) -> str:
    """Return the text of nodes."""
    parts = []
    for node in nodes(value):
        if node["t"] == "Str":
            parts.append(node["c"])
        elif node["t"] in ("Space", "SoftBreak", "LineBreak"):
            parts.append(" ")
        elif node["t"] in ("Code", "CodeBlock"):
            parts.append(node["c"][1])
        elif node["t"] == "Math":
            parts.append(f"${node['c'][1]}$")
    return "".join(parts)


def resolve(tree: Node, form: str) -> Node:
    """Number what is referred to, as Quarto does.

    Raises
    ------
    AssertionError
        If a reference or a link leads nowhere, or if two things have one name.
    """
    tree["meta"].pop("keywords", None)  # which Pandoc's own template of Typst writes bare
    tree = change(tree, lambda node: _shown(node, form))
    numbers: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for node in nodes(tree["blocks"]):
        name = _identifier(node)
        kind = name.partition("-")[0]
        if kind in NAMES:
            assert name not in numbers, f"{name} is there twice"
            counts[kind] += 1
            numbers[name] = f"{NAMES[kind]} {counts[kind]}"
    every = Counter(_identifier(node) for node in nodes(tree["blocks"]) if _identifier(node))
    assert max(every.values(), default=1) == 1, every.most_common(3)

    def resolved(node: Node) -> Any:
        if node["t"] == "Cite":
            keys = [citation["citationId"] for citation in node["c"][0]]
            own = [key for key in keys if key.partition("-")[0] in NAMES]
            assert not own or len(own) == len(keys) == 1, keys
            if own:
                assert own[0] in numbers, f"unable to resolve @{own[0]}"
                text = [{"t": "Str", "c": numbers[own[0]]}]
                return {"t": "Link", "c": [["", [], []], text, [f"#{own[0]}", ""]]}
        if node["t"] == "Link" and node["c"][2][0].startswith("#"):
            assert node["c"][2][0][1:] in every, node["c"][2][0]
        if node["t"] == "Div" and _identifier(node).partition("-")[0] in ("fig", "tbl"):
            is_numbered = form in ("latex", "typst")  # by the format itself
            return _float(node, "" if is_numbered else numbers[_identifier(node)], form)
        return node

    return change(tree, resolved)


def _identifier(node: Node) -> str:
    if node["t"] in ("Div", "Span", "CodeBlock", "Code"):
        return str(node["c"][0][0])
    return str(node["c"][1][0]) if node["t"] == "Header" else ""


def _shown(node: Node, form: str) -> Any:
    """Leave out what another format shows, and set callouts as quotations."""
    if node["t"] != "Div":
        return node
    _, classes, pairs = node["c"][0]
    conditions = dict(pairs)
    if "content-visible" in classes:
        is_named = conditions.get("when-format", conditions.get("unless-format")) == form
        return node["c"][1] if is_named == ("when-format" in conditions) else []
    if any(name.startswith("callout-") for name in classes):
        head, *rest = node["c"][1]
        assert head["t"] == "Header"
        strong = {"t": "Para", "c": [{"t": "Strong", "c": head["c"][2]}]}
        return {"t": "BlockQuote", "c": [strong, *rest]}
    return node


def _float(node: Node, label: str, form: str) -> Node:
    """Return a figure or table with its caption, the last paragraph of the block.

    In Word, Quarto puts either into the one cell of a table, with a paragraph that has the style of
    captions of pictures.
    """
    *content, caption = node["c"][1]
    assert caption["t"] == "Para", caption
    assert len(content) == 1, node["c"][0][0]
    words = [*([{"t": "Str", "c": f"{label}: "}] if label else []), *caption["c"]]
    (body,) = content
    if form == "docx":
        style = {"t": "RawInline", "c": ["openxml", CAPTION_STYLE]}
        own = {"t": "Para", "c": [style, *words]}
        is_above = body["t"] == "Table"
        return _one_cell(
            {"t": "Div", "c": [node["c"][0], [own, body] if is_above else [body, own]]}
        )
    long = [{"t": "Plain", "c": words}]
    if body["t"] == "Table":
        body["c"][0][0] = node["c"][0][0]
        body["c"][1] = [None, long]
        return body
    return {"t": "Figure", "c": [node["c"][0], [None, long], content]}


def _one_cell(block: Node) -> Node:
    """Return a table without a head whose one cell has a block."""
    empty = ["", [], []]
    cell = [empty, {"t": "AlignDefault"}, 1, 1, [block]]
    column = [{"t": "AlignDefault"}, {"t": "ColWidth", "c": 1.0}]
    bodies = [[empty, 0, [], [[empty, [cell]]]]]
    return {
        "t": "Table",
        "c": [empty, [None, []], [column], [empty, []], bodies, [empty, []]],
    }


def check_formats(document: Path, forms: Sequence[str] = tuple(FORMS)) -> None:
    """Convert a document into formats, and set the one of Typst."""
    supplement = document.with_name("supplement.qmd")
    n_pages = 0
    for own in (document, *([supplement] if supplement.exists() else [])):
        for form in forms:
            output = convert(own, form, own.with_suffix(f".{FORMS[form]}"))
            assert output.stat().st_size > 5000
        if "html" in forms:
            assert "<script" not in own.with_suffix(".html").read_text(encoding="utf-8")
        if "typst" not in forms:
            continue
        typst = pytest.importorskip("typst", reason="typst is not installed")
        pdf = own.with_name(f"{own.stem}-typst.pdf")
        typst.compile(str(own.with_suffix(".typ")), output=str(pdf))
        told = subprocess.run(["pdfinfo", pdf], capture_output=True, text=True, check=True).stdout
        n_pages += int(re.findall(r"Pages:\s+(\d+)", told)[0])
    assert n_pages > 3 or "typst" not in forms


def set_latex(document: Path, *options: str) -> list[str]:
    """Set a document by pdfLaTeX as its format says; return what is lost or too wide in it.

    `options`: a class and its options.
    """
    need_latex("pdflatex", f"{options[0]}.cls", *OF_CLASSES)
    tree = resolve(read(source(document), document.parent, "latex"), "latex")
    own = ["numbers-s.tex"] if document.stem == "supplement" else []
    heads = [
        word for name in ("symbols.tex", "tables.tex", "letters.tex", *own) for word in ("-H", name)
    ]
    classes = [word for one in options[1:] for word in ("-V", f"classoption={one}")]
    tex = document.with_suffix(".tex")
    run(
        [
            *("-f", "json", "-t", "latex", "--standalone", "--citeproc", "--number-sections"),
            *("--bibliography", "references.bib", "-V", f"documentclass={options[0]}", *classes),
            *(*heads, "-o", str(tex)),
        ],
        document.parent,
        json.dumps(tree),
    )
    words = ["pdflatex", "-interaction=nonstopmode", tex.name]
    for _ in range(2):
        subprocess.run(words, cwd=document.parent, capture_output=True, check=False, env=ENV)
    assert document.with_suffix(".log").exists()
    return latex_problems(document)
