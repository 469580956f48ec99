"""Very many data sets: each has a file of its own beside the report."""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import dirname, join, normpath

import pytest

from reportgen.rendering import markdown, pdf, render_context
from reportgen.rendering import page as html
from reportgen.rendering.exports import DATASETS, EARLIER, archive_earlier, write_texts
from reportgen.rendering.render_context import SPLIT
from tests.rendering.conftest import HOSTILE, make_report
from tests.rendering.pages import Page

NAMES = (*HOSTILE, *(f"set {i}" for i in range(SPLIT + 1 - len(HOSTILE))))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, folders: tuple[Path, ...]) -> dict[str, Page]:
    folder = tmp_path_factory.mktemp("split")
    html.render(make_report(NAMES), folder / "report.html", folders)
    return {
        path.relative_to(folder).as_posix(): Page(path.read_text(encoding="utf-8"))
        for path in folder.rglob("*.html")
    }


@pytest.mark.slow
def test_every_dataset_has_a_file_and_the_report_has_none_of_their_pages(
    files: dict[str, Page],
) -> None:
    assert len(files) == 1 + len(NAMES)
    assert not files["report.html"].all("article")
    assert all(len(page.all("article")) == 1 for name, page in files.items() if "/" in name)
    assert {dirname(name) for name in files} == {"", DATASETS}


def test_every_link_leads_to_an_id_of_its_file(files: dict[str, Page]) -> None:
    for name, page in files.items():
        assert page.unclosed == []
        assert len(set(page.ids)) == len(page.ids)
        for link in (link for link in page.links if not link.startswith(("https:", "data:"))):
            path, _, target = link.partition("#")
            where = normpath(join(dirname(name), path)) if path else name
            assert target in files[where].ids


def test_one_can_go_from_page_to_page_and_back(files: dict[str, Page]) -> None:
    page = files["datasets/set-1.html"]
    links = {a.get("rel"): a["href"] for a in page.all("a") if a.get("rel") in ("prev", "next")}
    assert links == {"prev": "set-0.html#data-set-0", "next": "set-2.html#data-set-2"}
    assert "../report.html#datasets" in page.links
    last = files[f"datasets/set-{SPLIT - len(HOSTILE)}.html"]
    assert not [a for a in last.all("a") if a.get("rel") == "next"]


def test_exhibits_of_the_report_are_numbered_before_those_of_its_pages(
    files: dict[str, Page],
) -> None:
    captions = {
        name: re.findall(r"\bTable S(\d+) [A-Z]", page.text) for name, page in files.items()
    }
    ours = [int(number) for number in captions.pop("report.html")]
    assert ours[0] == 1
    assert max(ours) < min(int(number) for numbers in captions.values() for number in numbers)


@pytest.mark.slow
def test_pdf_and_markdown_have_the_index_without_pages(
    tmp_path: Path, folders: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render_context, "SPLIT", 7)
    report = make_report(tuple(f"set {i}" for i in range(8)))
    assert pdf.render(report, tmp_path / "report.pdf", folders)[0].stat().st_size > 0
    text = markdown.render(report, tmp_path / "report.md", folders)[0].read_text(encoding="utf-8")
    assert "set 7" in text


@pytest.mark.parametrize("clean", [True, False])
def test_pages_of_an_earlier_report_go_with_it(tmp_path: Path, clean: bool) -> None:
    results = tmp_path / "results.json"
    page = tmp_path / "report.html"
    names = ["results.json", "report.html"]
    results.write_text("1", encoding="utf-8")
    page.touch()
    (old,) = write_texts({"a.html": "x"}, tmp_path / DATASETS, "html")
    archive_earlier(tmp_path, results, [page, results], names)
    results.write_text("2", encoding="utf-8")
    archive_earlier(tmp_path, results, [results], names, clean=clean)
    assert not page.exists()
    assert not old.exists()
    moved = {p.name for p in (tmp_path / EARLIER).rglob("*.html")}
    assert moved == (set() if clean else {"report.html", "a.html"})
    assert clean or len(list((tmp_path / EARLIER).glob(f"*/{DATASETS}/a.html"))) == 1
