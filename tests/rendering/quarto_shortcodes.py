"""Where Quarto finds shortcodes, after its documentation.

Quarto looks thrice. Before Pandoc reads a file, `{{< name … >}}` anywhere in its text is a
shortcode, in the YAML too, and `{{{< … >}}}` is one that is written out. After that it looks into
what Pandoc leaves as strings, where entities are letters again: code, raw text, targets of links
and pictures, and the values of attributes; code with `shortcodes="false"` is left alone.
The metadata it looks through word by word, as Pandoc has read them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from tests.rendering import as_quarto

ESCAPED = re.compile(r"\{\{\{<.*?>\}\}\}|\{\{</\*.*?\*/>\}\}", re.DOTALL)
SHORTCODE = re.compile(r"\{\{<\s*(.*?)\s*>\}\}", re.DOTALL)
ATTRIBUTES = ("Div", "Span", "Code", "CodeBlock", "Link", "Image", "Header", "Table", "Figure")


def in_text(text: str) -> list[str]:
    """Return the shortcodes of a file's text, which come before Pandoc."""
    return SHORTCODE.findall(ESCAPED.sub("", text))


def in_tree(tree: as_quarto.Node) -> list[str]:
    """Return the strings of a tree in which shortcodes begin."""
    return [text for text in _strings(tree) if "{{<" in text or "{{<" in unquote(text)]


def in_metadata(tree: as_quarto.Node) -> list[str]:
    """Return the words of metadata that begin a shortcode, however they were spelled."""
    words = (node["c"] for node in as_quarto.nodes(tree["meta"]) if node["t"] == "Str")
    return [word for word in words if "{{<" in word]


def _strings(tree: as_quarto.Node) -> Iterator[str]:
    for node in as_quarto.nodes(tree):
        content: Any = node.get("c")
        attributes = _attributes(node)
        yield from (value for _, value in attributes)
        is_quiet = ("shortcodes", "false") in attributes
        if node["t"] in ("Code", "CodeBlock", "RawInline", "RawBlock") and not is_quiet:
            yield content[1]
        if node["t"] in ("Link", "Image"):
            yield from content[2]


def _attributes(node: as_quarto.Node) -> list[tuple[str, str]]:
    if node["t"] not in ATTRIBUTES:
        return []
    own = node["c"][1 if node["t"] == "Header" else 0]
    return [(name, value) for name, value in own[2]]
