"""The site of several studies: a page that lists them, and their reports.

`write_site` copies the reports of a folder of runs and writes a static page, for any web server.
"""

from __future__ import annotations

import html
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import Markup

from reportgen.data_classes import dataclass
from reportgen.errors import StudyError, WarehouseError
from reportgen.formats import FORMATS, SUPPLEMENT
from reportgen.json_text import read_json
from reportgen.rendering.drawing_policy import drawing_fault
from reportgen.rendering.exports import (
    DATASETS,
    FILES,
    check_whole,
    own_files,
    report_files,
    write_files,
)
from reportgen.rendering.fonts import font_css
from reportgen.rendering.markup import guest_plain, html_text
from reportgen.rendering.names import distinct
from reportgen.rendering.page import (
    SYSTEM_FACES,
    date_in_words,
    minify_css,
    theme_css,
)
from reportgen.rendering.page_files import STYLE
from reportgen.rendering.page_policy import (
    OF_FILES,
    policy_fault,
    policy_of_script,
    with_policy,
)
from reportgen.rendering.scripts import minify_script, page_script
from reportgen.rendering.templates import environment, get_template, n_of, read_text, render_page
from reportgen.report import RESULTS, Layout
from reportgen.units import VOCABULARIES

if TYPE_CHECKING:
    from reportgen.study.schema import HtmlForm

log = logging.getLogger("reportgen")

INDEX = "index.html"
TITLE = "Benchmark studies"
NO_JEKYLL = ".nojekyll"
"""Tells GitHub Pages to serve all files as they are."""

TEMPLATE = "html/site.html.j2"
STYLES = ("html/base.css", "html/site.css")
SCRIPT = "html/site.js"
REPORTS = {  # files of a report that the list leads to, the first with its title
    FORMATS["html"].file: "Report",
    FORMATS["pdf"].file: "PDF",
    SUPPLEMENT: "Supplement",
    RESULTS: "Numbers (JSON)",
}

OUTCOMES = {"holds": "hold", "fails": "fail", "undecided": "undecided"}
EARLIER = {"pass": "holds", "fail": "fails"}
"""Outcomes as version 0.2 wrote them."""
ABSTRACT = re.compile(r'<p class="abstract">(.*?)</p>', re.DOTALL)
LEAD = re.compile(r"<strong>(.*?)</strong>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")
ENDINGS = ("html", "pdf", "json", "css", "svg", "png", "csv")
LARGEST = 64_000_000  # bytes of a file that is looked into


@dataclass(frozen=True, slots=True)
class Entry:
    """A study in the list."""

    folder: str  # of its report in the site
    # name, title: Plain texts, of whatever content.
    name: str
    title: str
    verdict: str  # the sentence that the report's abstract begins with; empty without one.
    size: str
    # date, iso_date: Of the execution.
    date: str
    iso_date: str
    address: str  # of the report, within the site
    links: tuple[tuple[str, str], ...]  # words and addresses of the report's other files
    # Numbers of expectations by outcome; empty where the study has none.
    gates: Mapping[str, int] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """The outcome of all claims: fails where one fails; empty without claims."""
        for outcome in ("fails", "undecided", "holds"):
            if self.gates.get(outcome):
                return outcome
        return ""

    @property
    def outcomes(self) -> str:
        """How many expectations have which outcome, in words."""
        known = [(key, n) for key in OUTCOMES if (n := self.gates.get(key))]
        parts = (f"{n} {OUTCOMES[key] if n > 1 else key}" for key, n in known)
        return ", ".join(parts)


def write_site(
    output: Path,
    destination: Path,
    *,
    title: str = TITLE,
    form: HtmlForm = "file",
    links: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Path, int]:
    """Write a page of all studies whose runs are in a folder, with their reports.

    `output`: the parent of the runs' folders.
    `destination`: what an earlier site has left there goes, and nothing else.
    `form`: whether style and script are inside the page, or the style is a file beside it and there
    is no script, for hosts that allow nothing inline.
    `links`: addresses of further pages in the destination by the words that lead there; one that is
    not there is left out.
    Raises StudyError if there is no report, or the destination has a page of somebody else.
    """
    if (destination / INDEX).exists() and INDEX not in own_files(destination):
        raise StudyError(
            f"{destination}: found an {INDEX} that is of no earlier site; allowed an empty folder, "
            "or one that `site` has written"
        )
    files: dict[str, bytes] = {NO_JEKYLL: b""}
    entries = []
    runs = {run.name: run for run in _runs(output)}
    for name, place in distinct(runs).items():
        try:
            check_whole(runs[name])
            entry, own = _entry(runs[name], place)
        except WarehouseError as error:
            log.warning("%s: is left out (%s)", name, error)
            continue
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            log.warning("%s: is left out, its %s is not understood (%s)", name, RESULTS, error)
            continue
        entries.append(entry)
        files |= {f"{place}/{path}": content for path, content in own.items()}
    if not entries:
        raise StudyError(f"{output}: found no report in its folders; allowed the parent of runs")
    entries.sort(key=lambda entry: entry.title.casefold())
    entries.sort(key=lambda entry: entry.iso_date, reverse=True)
    files |= _index(entries, title, form, dict(_present(links, destination)))
    write_files(files, destination)
    return destination / INDEX, len(entries)


def _runs(output: Path) -> Iterator[Path]:
    """Yield the folders of runs that have a report, by name."""
    if not output.is_dir():
        raise StudyError(f"{output}: found no folder; allowed the parent of runs, such as output")
    for folder in sorted(output.iterdir()):
        has_report = any((folder / name).is_file() for name in REPORTS if name != RESULTS)
        if has_report and (folder / RESULTS).is_file():
            yield folder


def _present(links: Mapping[str, str], destination: Path) -> Iterator[tuple[str, str]]:
    """Yield the links whose files are in the destination."""
    for words, address in links.items():
        file = (destination / address).resolve()
        if file.is_file() and file.is_relative_to(destination.resolve()):
            yield words, file.relative_to(destination.resolve()).as_posix()
        else:
            log.warning("%s: is left out of the site, where there is no such file", address)


def _entry(run: Path, place: str) -> tuple[Entry, dict[str, bytes]]:
    """Return the entry of a run in the list, and its files in the site."""
    results = read_json(run / RESULTS)
    design, date = results["design"], str(results["provenance"]["date"])
    main = [name for name in REPORTS if (run / name).is_file()]
    files = {
        name: file.read_bytes()
        for name, file in report_files(run).items()
        if name in main or name.partition("/")[0] in (DATASETS, FILES)
    }
    _check_pages(files)
    sizes = (("data set", "datasets"), ("candidate", "candidates"), ("measure", "measures"))
    return Entry(
        place,
        str(results["study"]["name"]),
        guest_plain(str(results["study"]["title"])),
        _verdict(run / main[0]) if main[0].endswith(".html") else "",
        ", ".join(n_of(len(design[key]), word) for word, key in sizes),
        date_in_words(date),
        date,
        f"{place}/{main[0]}",
        tuple((REPORTS[name], f"{place}/{name}") for name in main[1:]),
        _gates(results),
    ), files


def _check_pages(files: Mapping[str, bytes]) -> None:
    """Refuse a page whose policy is none of ours, and a drawing that is a page with a script."""
    allowed = _policies()
    for name, content in files.items():
        ending, fault = name.rpartition(".")[2], ""
        if ending == "html":
            fault = policy_fault(content.decode("utf-8", errors="replace"), allowed)
        elif ending not in ENDINGS:
            fault = f"the ending .{ending}"
        elif ending == "svg":
            fault = drawing_fault(content)
        if fault:
            raise WarehouseError(
                f"found {name} with {fault}; allowed pages of this version, which are written by: "
                "reportgen report"
            )


@cache
def _policies() -> frozenset[str]:
    """Return the policies of pages that this version writes."""
    scripts = (page_script(unit) for unit in VOCABULARIES)
    return frozenset((OF_FILES, *map(policy_of_script, scripts)))


def _verdict(page: Path) -> str:
    """Return the sentence that the abstract of a page begins with, as plain text."""
    # It is read where the report has it, so that both say the same.
    if page.stat().st_size > LARGEST:
        return ""
    abstract = ABSTRACT.search(page.read_text(encoding="utf-8", errors="replace"))
    lead = LEAD.match(abstract[1].strip()) if abstract else None
    if lead is None:
        return ""
    text = html.unescape(TAG.sub("", lead[1])).strip()
    return text if text.endswith((".", "!", "?")) else f"{text.rstrip(':,;')}."


def _gates(results: Mapping[str, Any]) -> dict[str, int]:
    """Count the expectations of a study by outcome; nothing where it has none."""
    found = results["sections"].get("expectations") or {}
    written = [gate.get("outcome") for gate in found.get("gates") or ()]
    outcomes = [EARLIER.get(outcome, outcome) for outcome in written]
    counts = {key: outcomes.count(key) for key in OUTCOMES}
    return {key: n for key, n in counts.items() if n}


def _index(
    entries: list[Entry], title: str, form: HtmlForm, links: Mapping[str, str]
) -> dict[str, bytes]:
    """Write the page of the list, with its style sheet where that is a file."""
    is_file = form == "file"
    script = f'(() => {{\n"use strict";\n{minify_script(read_text(SCRIPT))}\n}})();'
    rules = minify_css("\n".join(map(read_text, STYLES if is_file else (*STYLES, SYSTEM_FACES))))
    style = f"{theme_css(Layout())}\n{rules}"
    policy = policy_of_script(script, "'none'") if is_file else OF_FILES
    variables = {
        "title": title,
        "entries": entries,
        "links": [(words, quote(address)) for words, address in links.items()],
        "style": "",
        "style_file": "" if is_file else STYLE,
        "script": Markup(script) if is_file else "",
    }
    environment_ = environment((), lambda text: Markup(html_text(text)), in_markdown=False)
    template = get_template(environment_, TEMPLATE)
    text = render_page(template, variables)
    if not is_file:
        return {INDEX: with_policy(text, policy).encode(), STYLE: style.encode()}
    own = Markup(f"{font_css(text)}\n{style}")
    page = render_page(template, variables | {"style": own})
    return {INDEX: with_policy(page, policy).encode()}
