from __future__ import annotations

import base64
import gzip
import hashlib
import itertools
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from reportgen.errors import RenderingError
from reportgen.rendering import embedding, quarto
from reportgen.rendering import page as html
from reportgen.rendering.embedding import download, inline_drawing
from reportgen.rendering.page import byline, date_in_words, kicker, orcid, theme_css
from reportgen.rendering.render_context import HTML, RenderContext
from reportgen.report import Figure, Layout, Report, Series
from reportgen.units import COMPARISON, SAMPLE
from tests.rendering.conftest import make_report
from tests.rendering.pages import Page

Folders = tuple[Path, ...]


@pytest.fixture(scope="module")
def sources(
    report: Report,
    many: Report,
    hostile: Report,
    folders: Folders,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("html")
    return {
        name: html.render(made, folder / f"{name}.html", folders)[0].read_text(encoding="utf-8")
        for name, made in (("one", report), ("many", many), ("hostile", hostile))
    }


@pytest.fixture(scope="module", params=["one", "many", "hostile"])
def page(request: pytest.FixtureRequest, sources: dict[str, str]) -> Page:
    return Page(sources[request.param])


def test_every_element_is_closed(page: Page) -> None:
    assert page.unclosed == []


def test_ids_are_unique_and_every_link_inside_has_its_target(page: Page) -> None:
    assert len(set(page.ids)) == len(page.ids)
    inside = {link[1:] for link in page.links if link.startswith("#")}
    assert inside <= set(page.ids)
    labels = {a[k] for _, a in page.elements for k in ("aria-labelledby",) if k in a}
    assert labels <= set(page.ids)


def test_nothing_is_fetched_and_only_our_script_runs(page: Page) -> None:
    policy = next(m["content"] for m in page.all("meta") if "http-equiv" in m)
    assert policy.startswith("default-src 'none'")
    assert [tag for tag, _ in page.elements if tag in ("link", "iframe", "object", "img")] == []
    kinds = [script.get("type", "") for script in page.all("script")]
    assert kinds == ["application/json", ""]  # a block of data does not run
    assert not [a for _, a in page.elements if any(name.startswith("on") for name in a)]
    outside = {re.match(r"[a-z]*:?", link)[0] for link in page.links}  # type: ignore[index]
    assert outside <= {"", "https:", "data:"}


def test_the_policy_names_the_script_by_its_hash(sources: dict[str, str]) -> None:
    script = re.search(r"<script>(.*)</script>", sources["one"], re.DOTALL)
    assert script
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    metas = Page(sources["one"]).all("meta")
    policy = next(m["content"] for m in metas if "http-equiv" in m)
    assert f"script-src 'sha256-{digest}';" in policy
    assert "unsafe-eval" not in policy


def test_attacks_stay_text(sources: dict[str, str]) -> None:
    page = Page(sources["hostile"])
    for attack in ("<script>alert(1)</script>", "{{7*7}}{% raw %}", "[x](javascript:alert(1))"):
        assert page.text.count(attack) > 20
    assert "\u202e" not in sources["hostile"]
    assert not any(link.startswith("javascript") for link in page.links)


def test_drawings_have_a_text_and_markers_are_hidden_from_readers_of_text(page: Page) -> None:
    drawings = [a for a in page.all("svg") if a.get("role") == "img"]
    assert all(a["aria-label"].startswith("Bars of") for a in drawings)
    markers = [a for a in page.all("svg") if a.get("role") != "img"]
    assert all(a["aria-hidden"] == "true" for a in markers)
    assert len(drawings) > 0 < len(markers)


def test_heads_of_tables_have_a_scope(page: Page) -> None:
    assert all(a.get("scope") in ("row", "col") for a in page.all("th"))
    assert len(page.all("th")) > 10


def test_headings_leave_out_no_level(page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in itertools.pairwise(levels))


def test_the_same_report_gives_the_same_bytes(
    hostile: Report, folders: Folders, tmp_path: Path, sources: dict[str, str]
) -> None:
    again = html.render(hostile, tmp_path / "again.html", folders)[0].read_text(encoding="utf-8")
    assert again == sources["hostile"]


@pytest.mark.parametrize(
    ("abstract", "asks"),
    [
        ("Data of [all](https://example.org/?page=2) games.", False),
        ("Games.\n\nWhich *wins?*", True),
        ('Who says "which wins?"', True),
    ],
)
def test_what_asks_is_headed_so(
    report: Report, folders: Folders, tmp_path: Path, abstract: str, asks: bool
) -> None:
    asking = replace(report, study=replace(report.study, abstract=abstract))
    for write, name, head in (
        (html.render, "report.html", "<b>Question.</b>"),
        (quarto.render, "index.qmd", "**Question.**"),
    ):
        written = write(asking, tmp_path / name, folders)[0]
        assert (head in written.read_text(encoding="utf-8")) == asks


def test_title_block(sources: dict[str, str]) -> None:
    text = sources["one"]
    assert "<title>A fine study</title>" in text
    assert "<h1>A <em>fine</em> study</h1>" in text
    assert 'href="https://orcid.org/0000-0002-1825-0097"' in text
    assert '<time datetime="2026-11-01T00:00:00Z">1 November 2026</time>' in text
    assert "Says <strong>much</strong>" in text
    assert "Question." not in text  # as it asks nothing
    assert text.count('class="asked"') == 2


def test_the_size_of_the_experiment_stands_above_the_title(report: Report, many: Report) -> None:
    said = "Benchmark experiment · 3 candidates · one data set · 25 bootstrap replications"
    assert kicker(report.design) == said
    assert kicker(many.design).endswith(" · 7 data sets · 25 bootstrap replications each")
    generated = replace(report.design, problem="simulation", resampling={"scheme": "fresh"})
    assert kicker(generated).endswith(" · one generating process · 25 replications")

    first, *others = many.design.datasets
    mixed = replace(first, n_replications=1250, resampling={"scheme": "subsampling"})
    design = replace(many.design, datasets=(mixed, *others), candidates=("svm",))
    assert kicker(design).endswith(" · one candidate · 7 data sets · 25 to 1,250 replications each")

    varied = [replace(d, base="cars", factors={"n": i}) for i, d in enumerate(many.design.datasets)]
    settings = replace(many.design, datasets=tuple(varied), resampling={})
    assert kicker(settings).endswith(" · 7 settings of one data set · 25 replications each")
    assert kicker(replace(report.design, is_table=True)) == "Archetypes of a table"

    (one,) = report.design.datasets
    of_all = replace(report.design, resampling={})
    assert kicker(replace(of_all, unit=COMPARISON)).endswith(" · one data set · 25 battles")
    apart = replace(of_all, unit=SAMPLE, datasets=(replace(one, n_measurements=(8, 9)),))
    assert kicker(apart).endswith(" · one data set · 8 to 9 measurements each")


def test_folds_say_what_they_hold_and_the_references_of_the_article_stand_apart(
    report: Report, folders: Folders, tmp_path: Path
) -> None:
    text = (folders[0] / "sections" / "toy.md.j2").read_text(encoding="utf-8")
    own = tmp_path / "own" / "sections"
    own.mkdir(parents=True)
    (own / "toy.md.j2").write_text(
        f"{text}\n{{% block more %}}Toys *in full*{{% endblock %}}", encoding="utf-8"
    )
    said = {folders[0]: "what the toy shows", own.parent: "toys <em>in full</em>"}
    for folder, words in said.items():
        source = html.render(report, tmp_path / "toy.html", (folder,))[0].read_text("utf-8")
        assert f"<summary>More: {words}</summary>" in source
    shown, _, folded = source.partition("<summary>More: references of what is folded")
    assert 'id="ref-eugster2011"' in shown  # cited in the article's methods
    assert 'id="ref-hothorn2005"' not in shown
    assert 'id="ref-hothorn2005"' in folded


def test_phone_drawings_stand_beside_those_that_have_them(sources: dict[str, str]) -> None:
    classes = [a.get("class") for a in Page(sources["one"]).all("svg") if a.get("role") == "img"]
    assert classes == ["desk", "phone"]


def test_checksums_break_where_eight_signs_are_left(report: Report) -> None:
    context = RenderContext(report, HTML, (), embedding.extras(report.layout))
    for text in ("0123456789abcdef" * 3, "0123456789abcdef…"):
        written = str(context.macros.digest(text))
        assert Page(written).text == text
        parts = written.partition(">")[2].removesuffix("</span>").split("<wbr>")
        assert len(parts) > 1
        assert {len(part) for part in parts} <= {8, 9}


def test_small_files_are_embedded_plain_and_large_ones_packed() -> None:
    small = download("figure-a", Series(("x",), ((0.1,),)))
    assert small.name == "a.csv"
    assert base64.b64decode(small.href.partition(",")[2]) == b"x\n0.1\n"
    rows = tuple((i / 7,) for i in range(2000))
    large = download("figure-a", Series(("x",), rows))
    assert (large.name, large.is_packed) == ("a.csv.gz", True)
    text = gzip.decompress(base64.b64decode(large.href.partition(",")[2])).decode()
    assert [float(line) for line in text.splitlines()[1:]] == [row[0] for row in rows]


def test_data_that_are_too_many_for_a_page_are_said_to_be_elsewhere(
    report: Report, folders: Folders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = html.render(report, tmp_path / "whole.html", folders)[0].read_text(encoding="utf-8")
    assert "too many for this page" not in whole
    monkeypatch.setattr(embedding, "MOST_EMBEDDED", 1)
    text = html.render(report, tmp_path / "short.html", folders)[0].read_text(encoding="utf-8")
    assert "base64,H4s" not in text
    rows = [len(figure.data.rows) for figure in report.contents[0].figures]
    assert f"Data: {rows[0]} rows, too many for this page; the files of the run have" in text


def test_a_drawing_that_is_none_is_an_error() -> None:
    with pytest.raises(RenderingError, match="a drawing begins with"):
        inline_drawing("<?xml version='1.0'?><svg></svg>", "desk", "")


def test_identifiers_of_authors_are_checked(report: Report) -> None:
    first, second = report.study.authors
    assert byline(first, report.study.authors)["orcid"] == "0000-0002-1825-0097"
    assert byline(second, report.study.authors) == {
        "name": "Bob Example",
        "number": 2,
        "orcid": "",
    }
    assert orcid("0000-0002-1825-009") == ""


def test_dates_are_written_in_words_where_they_are_dates() -> None:
    assert date_in_words("2026-03-09") == "9 March 2026"
    assert date_in_words("someday") == "someday"


def test_letters_that_the_faces_lack_get_a_face(
    report: Report, folders: Folders, tmp_path: Path
) -> None:
    assert "RG Others'" not in html.with_style("plain @@STYLE@@", html.rules_of(Layout()))
    study = replace(report.study, title="Кот")
    text = html.render(replace(report, study=study), tmp_path / "r.html", folders)[0].read_text()
    assert "@font-face{font-family:'RG Others'" in text


def test_a_report_of_21_data_sets_leaves_room_for_its_drawings(
    report: Report, folders: Folders, tmp_path: Path
) -> None:
    """Frame, tables and data of M = 21, K = 6, B = 250 stay below 1.5 MB; drawings have 3.5."""
    made = make_report(tuple(f"set {i}" for i in range(21)), tuple("abcdef"))
    rows = tuple((b, k, (b * k % 97) / 97) for b in range(250) for k in range(6))

    def with_data(figure: Figure) -> Figure:
        return replace(figure, data=Series(("replication", "candidate", "value"), rows))

    contents = tuple(
        replace(c, figures=tuple(with_data(f) for f in c.figures)) for c in made.contents
    )
    path = html.render(replace(made, contents=contents), tmp_path / "r.html", folders)[0]
    assert path.stat().st_size < 1_500_000


@pytest.mark.browser
def test_the_script_runs_under_the_policy(
    chromium: str, sources: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "report.html"
    file.write_text(sources["many"], encoding="utf-8")
    command = [
        *(chromium, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
        *(f"--user-data-dir={tmp_path / 'profile'}", file.as_uri()),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert '<html lang="en" class="scripted">' in done.stdout
    assert 'aria-label="Use dark colours"' in done.stdout
    assert "Show data sets with" in done.stdout


def test_images_that_have_no_dark_one_are_inverted_on_dark_pages_alone() -> None:
    css = theme_css(Layout())
    rule = " svg image:not([class]){filter:invert(1) hue-rotate(180deg)}"
    on_screen, printed = css.split("@media screen{")[1], css.split("@media screen{")[0]
    by_system, chosen = on_screen.split(":root[data-theme=dark]{", 1)
    assert f":root:not([data-theme=light]){rule}" in by_system
    assert f":root[data-theme=dark]{rule}" in chosen
    assert "filter" not in printed
