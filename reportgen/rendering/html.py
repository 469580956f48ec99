"""The report as HTML: one file, or many where very many data sets have a page each.

No request leaves a page, and it is whole without scripts.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from reportgen.document import Report
from reportgen.rendering.files import DATASETS, write_texts
from reportgen.rendering.fonts import font_css
from reportgen.rendering.links import linked
from reportgen.rendering.page import theme_css, write_pages
from reportgen.rendering.templates import read_text
from reportgen.rendering.writer import HTML

STYLES = ("html/base.css", "html/screen.css", "html/print.css")


def render(report: Report, destination: Path, folders: Sequence[Path] = ()) -> Path:
    """Write a report as a self-contained page; pages of very many data sets stand beside it.

    Parameters
    ----------
    report : Report
    destination : Path
        The file to write.
    folders : sequence of Path
        Template folders that come before ours: the study's, then those of
        packages that bring sections.

    Returns
    -------
    Path
        The destination.
    """
    script = read_text("html/script.js").strip()
    assets = {
        "style": Markup("@@STYLE@@"),
        "script": Markup(script),
        "policy": policy(script),
    }
    page, beside = write_pages(report, HTML, folders, assets)
    files = {f"{DATASETS}/{name}.html": text for name, text in beside.items()}
    pages = linked({destination.name: page, **files})
    styled = {name: text.replace("@@STYLE@@", style_sheet(text), 1) for name, text in pages.items()}
    destination.write_text(styled.pop(destination.name), encoding="utf-8", newline="\n")
    texts = {name.partition("/")[2]: text for name, text in styled.items()}
    write_texts(texts, destination.parent / DATASETS, "html")
    return destination


def style_sheet(text: str) -> str:
    """Return the style sheet of a page with such a text."""
    rules = "\n".join(read_text(name) for name in STYLES)
    return "\n".join((font_css(text), theme_css(), smaller(rules)))


def smaller(css: str) -> str:
    """Take comments and indentation out of a style sheet."""
    bare = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    return "\n".join(line for raw in bare.splitlines() if (line := raw.strip()))


def policy(script: str) -> str:
    """Return the content security policy: nothing is fetched, only our own script runs."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        "default-src 'none'; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; img-src data:; font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
