"""The site of several studies: what it lists, and that all of its links resolve."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from reportgen.errors import StudyError
from reportgen.rendering import exports, page, results_json
from reportgen.rendering.site import INDEX, write_site
from reportgen.report import Report
from reportgen.study.schema import HtmlForm
from tests.rendering.conftest import HOSTILE, make_report
from tests.rendering.test_page_files import looked_at

VERDICT = "Anna &amp; <bdi>bert</bdi> make the fewest errors"


class Page(HTMLParser):
    """Collects ids and addresses of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at a tag."""
        for name, value in attrs:
            if name == "id":
                self.ids.add(value or "")
            if name in ("href", "src", "srcset"):
                self.addresses.append(value or "")


def dead_links(folder: Path) -> list[str]:
    """Return every address of a site that leads to nothing."""
    pages: dict[Path, Page] = {}
    for file in sorted(folder.rglob("*.html")):
        pages[file.resolve()] = Page()
        pages[file.resolve()].feed(file.read_text(encoding="utf-8"))
    dead = []
    for file, found in pages.items():
        for address in found.addresses:
            if re.match(r"(https?|data):", address):
                continue
            path, _, anchor = unquote(address).partition("#")
            target = (file.parent / path).resolve() if path else file
            is_there = target.is_file() and target.is_relative_to(folder.resolve())
            if not is_there or (anchor and anchor not in pages[target].ids):
                dead.append(f"{file.name}: {address}")
    return dead


def put(
    folder: Path,
    report: Report,
    folders: tuple[Path, ...],
    form: HtmlForm = "file",
    **sections: object,
) -> Path:
    """Write a report as a run does."""
    folder.mkdir(parents=True)
    page.render(report, folder / "report.html", folders, form)
    results_json.render(report, folder / "results.json")
    exports.write_figures(report, folder / "figures")
    if sections:
        found = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        found["sections"] |= sections
        (folder / "results.json").write_text(json.dumps(found), encoding="utf-8")
    return folder


def dated(report: Report, name: str, date: str) -> Report:
    """Return a report with another name and date."""
    study = replace(report.study, name=name, title=name)
    return replace(report, study=study, provenance=replace(report.provenance, date=date))


@pytest.fixture(scope="module")
def output(
    tmp_path_factory: pytest.TempPathFactory,
    report: Report,
    hostile: Report,
    folders: tuple[Path, ...],
) -> Path:
    """Return a folder of runs: an old one, a hostile one, one with gates, one with many pages."""
    output = tmp_path_factory.mktemp("output")
    old = put(output / "old", dated(report, "old", "2025-01-02T00:00:00Z"), folders)
    text = (old / "report.html").read_text(encoding="utf-8")
    said = f'<main id="main">\n<p class="abstract"><strong>{VERDICT}</strong>: 1% and 2%.</p>'
    (old / "report.html").write_text(text.replace('<main id="main">', said, 1), encoding="utf-8")
    (old / "report.pdf").write_bytes(b"%PDF")
    (old / "warehouse").mkdir()
    (old / "warehouse/secret.parquet").write_bytes(b"data")
    put(output / "<b>hostile", hostile, folders)
    outcomes = ("pass", "fail", "holds", "undecided", "something new")
    gates = {"gates": [{"claim": name, "outcome": name} for name in outcomes]}
    newest = dated(report, "gated", "2026-12-31T00:00:00Z")
    put(output / "gated", newest, folders, "folder", expectations=gates)
    many = make_report(tuple(f"set {i}" for i in range(52)))
    put(output / "many", dated(many, "many", "2026-05-06T00:00:00Z"), folders)
    (output / "empty").mkdir()
    broken = output / "broken"
    broken.mkdir()
    (broken / "report.html").write_text("x", encoding="utf-8")
    (broken / "results.json").write_text("{", encoding="utf-8")
    (output / "link").symlink_to(output / "nowhere")
    return output


@pytest.fixture(scope="module")
def site(output: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site."""
    folder = tmp_path_factory.mktemp("site") / "public"
    assert write_site(output, folder) == (folder / INDEX, 4)
    return folder


def items(folder: Path) -> dict[str, str]:
    """Return the entries of the list by their ids, in order."""
    text = (folder / INDEX).read_text(encoding="utf-8")
    found = re.findall(r'<li class="study" id="([^"]+)">(.*?)</li>', text, re.DOTALL)
    return dict(found)


@pytest.mark.slow
def test_all_links_resolve(site: Path) -> None:
    assert dead_links(site) == []
    assert len([*site.rglob("*.html")]) == 5 + 52


def test_a_dead_link_would_be_found(site: Path, tmp_path: Path) -> None:
    text = (site / INDEX).read_text(encoding="utf-8")
    (tmp_path / INDEX).write_text(text, encoding="utf-8")
    assert len(dead_links(tmp_path)) > 4


def test_the_latest_study_is_first(site: Path) -> None:
    assert list(items(site)) == ["gated", "b-hostile", "many", "old"]


def test_an_entry_says_what_the_report_says(site: Path) -> None:
    old = items(site)["old"]
    assert '<p class="verdict">Anna &amp; bert make the fewest errors.</p>' in old
    assert '<time datetime="2025-01-02T00:00:00Z">2 January 2025</time>' in old
    assert "<span>1 data set, 3 candidates, 1 measure</span>" in old
    assert 'href="old/report.pdf"' in old
    assert "Expectations" not in old
    assert "verdict" not in items(site)["many"]


def test_gates_have_their_status(site: Path) -> None:
    gated = items(site)["gated"]
    assert 'class="gates fails"' in gated
    assert "Expectations: 2 hold, 1 fails, 1 undecided" in gated


def test_names_are_words_only(site: Path) -> None:
    found = looked_at(site / INDEX)
    assert sorted(found.forbidden) == ["script", "style"]  # our own
    hostile = items(site)["b-hostile"]
    for name in HOSTILE[:1]:
        assert name not in hostile
    assert "<img" not in hostile
    assert "javascript:" not in " ".join(found.addresses)
    assert not any(".." in address for address in found.addresses)


def test_nothing_but_reports_is_published(site: Path) -> None:
    names = {f.relative_to(site / "old").as_posix() for f in (site / "old").rglob("*.*")}
    assert names == {"report.html", "report.pdf", "results.json"}
    assert (site / ".nojekyll").exists()


ALTERED = {  # file: (what is in the place of what, what is told)
    "report.html": [
        (
            "script-src 'sha256-",
            "script-src 'sha256-x",
            "another policy than pages of this version",
        ),
        ("<head>\n<meta http-equiv", "<head>\n<meta name", "no policy and encoding as the first"),
        ("<head>", "<head><script>x()</script>", "no policy and encoding as the first"),
        ('charset="utf-8"', 'charset="iso-2022-jp"', "no policy and encoding as the first"),
        (
            "</head>",
            '<meta http-equiv="refresh" content="0"></head>',
            "<meta http-equiv='refresh'>",
        ),
    ],
    "datasets/set-3.html": [("<!doctype html>", "<script>x()</script>", "no policy")],
    "report_files/figures/x.svg": [("", "<svg onload='x()'></svg>", "the attribute onload")],
    "report_files/x.svg": [("", "<s:script xmlns:s='http://x'/>", "the element script")],
    "report_files/page.xhtml": [("", "<script>x()</script>", "the ending .xhtml")],
}


@pytest.mark.parametrize(("name", "case"), [(n, case) for n in ALTERED for case in ALTERED[n]])
def test_pages_without_our_policy_are_left_out(
    output: Path,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    name: str,
    case: tuple[str, str, str],
) -> None:
    before, after, told = case
    shutil.copytree(output / "many", tmp_path / "runs/many")
    shutil.copytree(output / "gated", tmp_path / "runs/gated")
    changed = tmp_path / "runs/many" / name
    changed.parent.mkdir(exist_ok=True, parents=True)
    text = changed.read_text(encoding="utf-8") if before else ""
    assert before in text
    changed.write_text(text.replace(before, after, 1) or after, encoding="utf-8")
    assert write_site(tmp_path / "runs", tmp_path / "public")[1] == 1
    assert not (tmp_path / "public/many").exists()
    (message,) = (r.getMessage() for r in caplog.records if "left out" in r.getMessage())
    assert f"found {name} with {told}" in message


def test_a_study_that_is_gone_goes_and_other_files_stay(output: Path, tmp_path: Path) -> None:
    few = tmp_path / "few"
    few.mkdir()
    (few / "old").symlink_to(output / "old")
    folder = tmp_path / "public"
    write_site(output, folder)
    (folder / "CNAME").write_text("example.org", encoding="utf-8")
    write_site(few, folder)
    assert not (folder / "gated/report.html").exists()
    assert (folder / "old/report.html").exists()
    assert (folder / "CNAME").exists()
    assert dead_links(folder) == []


def test_further_pages_are_linked_where_they_are(
    output: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "public"
    (folder / "a b").mkdir(parents=True)
    (folder / "a b/<h>.html").write_text("x", encoding="utf-8")
    (tmp_path / "secret.html").write_text("x", encoding="utf-8")
    links = {"<b>Old": "a b/<h>.html", "None": "none.html", "Out": "../secret.html"}
    write_site(output, folder, links=links)
    text = (folder / INDEX).read_text(encoding="utf-8")
    assert '<a href="a%20b/%3Ch%3E.html">&lt;b&gt;Old</a>' in text
    assert dead_links(folder) == []
    left = [record.getMessage().partition(":")[0] for record in caplog.records]
    assert [name for name in left if name.endswith(".html")] == ["none.html", "../secret.html"]


def test_the_page_of_somebody_else_is_not_replaced(output: Path, tmp_path: Path) -> None:
    (tmp_path / INDEX).write_text("mine", encoding="utf-8")
    with pytest.raises(StudyError, match=r"found an index\.html that is of no earlier site"):
        write_site(output, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [INDEX]


def test_a_folder_without_reports_is_told(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="found no report in its folders"):
        write_site(tmp_path, tmp_path / "public")
    with pytest.raises(StudyError, match="found no folder"):
        write_site(tmp_path / "none", tmp_path / "public")


def test_a_list_with_its_style_beside_it_has_nothing_inline(output: Path, tmp_path: Path) -> None:
    write_site(output, tmp_path, title="Nightly & <more>", form="folder")
    found = looked_at(tmp_path / INDEX)
    assert found.forbidden == []
    text = (tmp_path / INDEX).read_text(encoding="utf-8")
    assert "<title>Nightly &amp; &lt;more&gt;</title>" in text
    assert "@font-face" not in (tmp_path / "style.css").read_text(encoding="utf-8")
    assert dead_links(tmp_path) == []


def test_the_same_runs_give_the_same_bytes(output: Path, site: Path, tmp_path: Path) -> None:
    write_site(output, tmp_path / "again")
    files = [f for f in site.rglob("*") if f.is_file()]
    assert len(files) > 60
    for file in files:
        assert (tmp_path / "again" / file.relative_to(site)).read_bytes() == file.read_bytes()
