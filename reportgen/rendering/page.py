"""The page of a report: HTML for browsers.

`render` writes the HTML report: one file, and a file for each data set where there are very many.
A page loads nothing from elsewhere and is complete without scripts. `link_files` makes links work
across the files of one report.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from posixpath import dirname, relpath
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from reportgen.drawing import css_variables
from reportgen.file_writing import write_text
from reportgen.rendering.composition import Composition, compose
from reportgen.rendering.embedding import extras, marker_symbols
from reportgen.rendering.explorer_data import explorer
from reportgen.rendering.exports import DATASETS, FILES, write_files, write_texts
from reportgen.rendering.fonts import font_css
from reportgen.rendering.markup import ID, guest_html, guest_plain
from reportgen.rendering.page_files import PLACE, STYLE, PageFiles
from reportgen.rendering.page_policy import OF_FILES, policy_of_script, with_policy
from reportgen.rendering.render_context import HTML, RenderContext
from reportgen.rendering.scripts import page_script
from reportgen.rendering.templates import count, read_text
from reportgen.report import Author, Design, Layout, Report
from reportgen.units import SCHEME_WORDS, in_words

if TYPE_CHECKING:
    from reportgen.study.schema import HtmlForm

STYLES = ("html/base.css", "html/screen.css", "html/print.css")
SYSTEM_FACES = "html/system.css"
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
LINK = re.compile(r'(<a\b[^>]*?\bhref=")#([^"]+)(?=")')


def render(
    report: Report,
    destination: Path,
    folders: Sequence[Path] = (),
    form: HtmlForm = "file",
) -> tuple[Path, ...]:
    """Write a report as a self-contained page; pages of very many data sets stand beside it.

    `destination`: the file to write.
    `folders`: template folders that come before ours: the study's, then those of packages that
    bring sections.
    `form`: whether style, drawings and data are inside the page, or files in a folder beside it for
    hosts that allow nothing inline, without scripts and faces.
    Result: the destination.
    """
    beside: dict[str, bytes] = {}
    if form == "folder":
        files = PageFiles(report.layout)
        texts = _with_places(_linked_pages(report, destination.name, folders, files))
        beside = files.written(rules_of(report.layout, (*STYLES, SYSTEM_FACES)))
    else:
        rules = rules_of(report.layout)
        texts = {
            name: with_style(text, rules)
            for name, text in _linked_pages(report, destination.name, folders).items()
        }
    if beside or (destination.parent / FILES).is_dir():
        write_files(beside, destination.parent / FILES)
    write_text(destination, texts.pop(destination.name))
    own = {name.partition("/")[2]: text for name, text in texts.items()}
    write_texts(own, destination.parent / DATASETS, "html")
    return (destination,)


def _linked_pages(
    report: Report, name: str, folders: Sequence[Path], files: PageFiles | None = None
) -> dict[str, str]:
    """Return the pages by their paths, linked with one another."""
    if files is None:
        script = page_script(report.design.vocabulary)
        assets: dict[str, Any] = {
            "style": Markup("@@STYLE@@"),
            "style_file": "",
            "script": Markup(script),
        }
        policy = policy_of_script(script)
    else:
        assets = {
            "style": "",
            "style_file": Markup(f"{PLACE}/{STYLE}"),
            "script": "",
        }
        policy = OF_FILES
    page, texts = write_pages(report, folders, assets, files)
    pages = link_files({name: page, **{f"{DATASETS}/{n}.html": t for n, t in texts.items()}})
    return {name: with_policy(text, policy) for name, text in pages.items()}


def _with_places(pages: Mapping[str, str]) -> dict[str, str]:
    """Write the way from each page to the folder of files."""
    return {
        name: text.replace(PLACE, relpath(FILES, dirname(name) or "."))
        for name, text in pages.items()
    }


def write_pages(
    report: Report,
    folders: Sequence[Path],
    assets: dict[str, Any],
    files: PageFiles | None = None,
) -> tuple[str, dict[str, str]]:
    """Return the page of a report, and the pages of data sets that stand beside it.

    `folders`: template folders that come before ours.
    `assets`: style sheet and script.
    `files`: takes drawings and data that are not inside the pages.
    Result: by safe names. A link leads to the id of its target, in whichever page that is.
    """
    pieces = extras(report.layout) if files is None else files.extras()
    context = RenderContext(report, HTML, folders, pieces)
    composition = compose(context)
    variables = page_variables(context, composition) | assets
    can_explore = files is None and not report.design.is_table
    variables["replications"] = explorer(report, context.anchors) if can_explore else None
    if files is not None:
        variables["logo"] = files.logo(report.layout.logo)
    page = context.page("html/report.html.j2", variables)
    dataset_texts = (
        _dataset_pages(context, composition, variables) if context.dataset_pages == "files" else {}
    )
    return context.insert_labels(page), {
        name: context.insert_labels(text) for name, text in dataset_texts.items()
    }


def page_variables(context: RenderContext, composition: Composition) -> dict[str, Any]:
    """Return the variables of the templates of pages."""
    report = context.report
    return {
        "is_article": context.is_article,
        "page_density": context.page_density,
        "dataset_pages": context.dataset_pages,
        "study": report.study,
        "title": Markup(guest_html(report.study.title)),
        "tab_title": guest_plain(report.study.title),
        "description": description(report),
        "kicker": kicker(report.design),
        "bylines": [byline(author, report.study.authors) for author in report.study.authors],
        "affiliations": affiliations(report.study.authors),
        "logo": report.layout.logo,
        "footer": report.layout.footer,
        "date": date_in_words(report.provenance.date),
        "iso_date": report.provenance.date,
        "blocks": context.macros,
        "symbols": marker_symbols(context.styles.values()),
        "c": composition,
    }


def _dataset_pages(
    context: RenderContext, composition: Composition, variables: dict[str, Any]
) -> dict[str, str]:
    """Set a page for every data set, with ways to the next ones and back."""
    parts = composition.datasets.parts if composition.datasets else ()
    names = [dataset.name for dataset in context.report.design.datasets]
    title = guest_plain(context.report.study.title)
    pages = {}
    for name, before, page, after in zip(
        names, (None, *parts[:-1]), parts, (*parts[1:], None), strict=True
    ):
        own = {
            "tab_title": f"{name}: {title}",
            "description": f"{name}: {description(context.report)}",
            "before": before,
            "page": page,
            "after": after,
        }
        pages[context.pages[name]] = context.page("html/dataset.html.j2", variables | own)
    return pages


def kicker(design: Design) -> str:
    """Return what stands above the title: the kind of study and its size.

    Result: "Benchmark experiment · 6 candidates · one data set · 100 bootstrap replications".
    """
    if design.is_table:
        return "Archetypes of a table"
    schemes = {design.scheme_of(dataset) for dataset in design.datasets}
    drawn = SCHEME_WORDS.get(schemes.pop(), "") if len(schemes) == 1 else ""
    least, most = min(design.n_each, default=0), max(design.n_each, default=0)
    is_each = len(design.datasets) > 1 or any(d.n_measurements for d in design.datasets)
    one, several = (
        ("setting of one data set", "settings of one data set")
        if design.factors
        else ("generating process", "generating processes")
        if design.problem == "simulation"
        else ("data set", "data sets")
    )
    sizes = (
        _counted(len(design.candidates), "candidate"),
        _counted(len(design.datasets), one, several),
        (f"{count(least)} to " if least < most else "")
        + _counted(most, f"{drawn}replication")
        + (" each" if is_each else ""),
    )
    return in_words(" · ".join((design.unit.experiment, *sizes)), design.unit)


def _counted(number: int, one: str, several: str = "") -> str:
    """Return how many there are of something, one as a word."""
    return f"one {one}" if number == 1 else f"{count(number)} {several or one + 's'}"


def description(report: Report) -> str:
    """Return what search engines and file managers show: the abstract, or the design."""
    if report.study.abstract:
        return guest_plain(report.study.abstract)[:300]
    design = report.design
    datasets = in_words(_counted(len(design.datasets), "data set"), design.vocabulary)
    candidates = _counted(len(design.candidates), "candidate")
    return ", ".join((candidates, datasets, *(m.name for m in design.measures)))


def affiliations(authors: Sequence[Author]) -> tuple[str, ...]:
    """Return every affiliation once, in the order of the authors."""
    return tuple(dict.fromkeys(a.affiliation for a in authors if a.affiliation))


def byline(author: Author, authors: Sequence[Author]) -> dict[str, Any]:
    """Return an author's name, number of affiliation, and ORCID where it is one."""
    places = affiliations(authors)
    number = places.index(author.affiliation) + 1 if author.affiliation else 0
    return {
        "name": author.name,
        "number": number if len(places) > 1 else 0,
        "orcid": orcid(author.orcid),
    }


def orcid(text: str) -> str:
    """Return the bare identifier, or "" when it is none.

    >>> orcid("https://orcid.org/0000-0002-1825-0097"), orcid("javascript:alert(1)")
    ('0000-0002-1825-0097', '')
    """
    match = re.fullmatch(r"(?:https?://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])", text.strip())
    return match[1] if match else ""


def date_in_words(iso: str) -> str:
    """Write a date in words.

    >>> date_in_words("2026-11-01T00:00:00Z")
    '1 November 2026'
    """
    try:
        date = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    return f"{date.day} {MONTHS[date.month - 1]} {date.year}"


def link_files(files: Mapping[str, str]) -> dict[str, str]:
    """Let links that lead to an id of another file name that file.

    `files`: pages by their paths, with slashes, from one folder. An id that several have belongs to
    the first.

    Examples
    --------
    >>> link_files({"a.html": '<p id="x">', "d/b.html": '<a href="#x">x</a>'})["d/b.html"]
    '<a href="../a.html#x">x</a>'
    """
    own = {name: frozenset(ID.findall(text)) for name, text in files.items()}
    homes: dict[str, str] = {}
    for name in files:
        for found in own[name]:
            homes.setdefault(found, name)
    return {
        name: LINK.sub(partial(_link_file, name, own[name], homes), text)
        for name, text in files.items()
    }


def _link_file(
    name: str, own: frozenset[str], homes: Mapping[str, str], link: re.Match[str]
) -> str:
    """Name the file that a link of another one leads to."""
    target = link[2]
    if target in own or target not in homes:
        return link[0]
    return f"{link[1]}{relpath(homes[target], dirname(name) or '.')}#{target}"


def with_style(text: str, rules: str) -> str:
    """Put rules and the faces of a page's letters where its text has room for them."""
    return text.replace("@@STYLE@@", f"{font_css(text)}\n{rules}", 1)


def rules_of(layout: Layout, styles: Sequence[str] = STYLES) -> str:
    """Return the rules of style sheets with the colours, the paper and the rules of a layout."""
    rules = minify_css("\n".join(map(read_text, styles)))
    size = "" if layout.size == "a4" else f"@media print{{@page{{size:{layout.size}}}}}"
    return "\n".join((theme_css(layout), rules + size, layout.rules))


def minify_css(css: str) -> str:
    """Take comments and indentation out of a style sheet."""
    bare = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    return "\n".join(line for raw in bare.splitlines() if (line := raw.strip()))


def theme_css(layout: Layout) -> str:
    """Return the colours of both themes: the reader's choice, else the system's."""
    light, dark = css_variables(layout.light, layout.dark)
    # an image that has no other for dark pages keeps its hues, and turns light into dark
    shown = (
        "{sel} .on-light{{display:none}}{sel} .on-dark{{display:inline}}"
        "{sel} svg image:not([class]){{filter:invert(1) hue-rotate(180deg)}}"
    )
    system, chosen = ":root:not([data-theme=light])", ":root[data-theme=dark]"
    return (
        f":root{{{light}}}"
        f"@media screen{{@media (prefers-color-scheme:dark){{{system}{{{dark}color-scheme:dark}}"
        f"{shown.format(sel=system)}}}"
        f"{chosen}{{{dark}color-scheme:dark}}{shown.format(sel=chosen)}}}"
    )
