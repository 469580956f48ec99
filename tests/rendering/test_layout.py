"""Paper, faces, logo, footer and theme are as the manifest asks."""

from __future__ import annotations

import re
import struct
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from reportgen.cli import main
from reportgen.drawing import Canvas, FigureTheme, Sheet, palette
from reportgen.errors import StudyError
from reportgen.rendering import page, pdf
from reportgen.rendering.layout import (
    figure_theme,
    for_review,
    layout_of,
    painted,
    painted_contents,
    theme_folder,
)
from reportgen.report import Author, Layout, Report, SectionContent, Series
from reportgen.study.schema import FontsEntry, PaperEntry, ReportEntry
from tests.rendering.test_pdf import Folders, embedded, unpacked

LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9z"/></svg>'
MINE = """
/* mine */
:root { --ink: #102030; --c0: #ABCDEF }
:root[data-theme=dark] { --ink: #FEFEFE }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    theme = tmp_path / "mine"
    (theme / "sections").mkdir(parents=True)
    (theme / "variables.css").write_text(MINE)
    (theme / "rules.css").write_text("h1 { color: #123456 }")
    (theme / "figures.mplstyle").write_text("lines.linewidth: 7\n")
    (tmp_path / "logo.svg").write_text(LOGO)
    return tmp_path


def test_the_house_is_the_default(tmp_path: Path) -> None:
    assert layout_of(ReportEntry(), tmp_path) == Layout()
    assert figure_theme(ReportEntry(), tmp_path) == FigureTheme()
    assert painted(Layout(), "fill:#1d1c1a") == "fill:#1d1c1a"


def test_a_theme_is_a_folder(folder: Path) -> None:
    entry = ReportEntry(theme="mine", logo="logo.svg", footer="No. 7")
    layout = layout_of(entry, folder)
    assert (layout.light, layout.dark) == (
        {"ink": "#102030", "c0": "#ABCDEF"},
        {"ink": "#FEFEFE"},
    )
    assert layout.rules == "h1 { color: #123456 }"
    assert layout.logo.startswith("data:image/svg+xml;base64,")
    assert figure_theme(entry, folder).settings == {"lines.linewidth": 7.0}
    ink, paper = palette()["ink"][0], palette()["paper"][0]
    assert painted(layout, f"{ink.lower()} {ink} {paper}") == f"#102030 #102030 {paper}"


def test_pictures_of_other_documents_have_the_themes_colours(folder: Path) -> None:
    theme = figure_theme(ReportEntry(theme="mine"), folder)
    canvas = Canvas.of(["a"], 1, "x", theme=theme, has_pictures=True)

    def draw(sheet: Sheet) -> None:
        sheet.begin(50)
        sheet.page().text(5, 25, "words")
        sheet.page().plot([5, 50], [40, 40], color=sheet.ink("a"))

    figure = canvas.figure("f", "", draw, alt="", data=Series((), ()))
    content = SectionContent("s", None, None, None, (figure,))
    layout = layout_of(ReportEntry(theme="mine"), folder)
    (figure,) = painted_contents(layout, [content])[0].figures
    own, house = ("#102030", "#abcdef"), [palette()[name][0].lower() for name in ("ink", "c0")]
    for drawing in (figure.print, figure.pictures["svg"].decode()):
        assert [c in drawing.lower() for c in (*own, *house)] == [True, True, False, False]
    pixels = np.asarray(Image.open(BytesIO(figure.pictures["png"])).convert("RGB"))
    found = {f"#{bytes(pixel).hex()}" for pixel in pixels.reshape(-1, 3)}
    assert "#abcdef" in found
    assert house[1] not in found


def test_the_plain_theme_is_black_on_white(tmp_path: Path) -> None:
    layout = layout_of(ReportEntry(theme="plain"), tmp_path)
    assert (layout.light["ink"], layout.light["paper"]) == ("#000000", "#FFFFFF")
    greys = [*layout.light.values(), *layout.dark.values()]
    assert all(colour[1:3] == colour[3:5] == colour[5:7] for colour in greys)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        (
            "variables.css",
            ":root { --inc: #000000 }",
            r"found '--inc: #000000'.*did you mean ink\?",
        ),
        ("variables.css", ":root { --ink: black }", r"found '--ink: black'; allowed a colour"),
        ("variables.css", "@import url(x);", r"found '@import url\(x\);'; allowed ':root"),
        ("rules.css", "</style><script>", "found '</'; allowed rules without markup"),
        ("rules.css", "<//**/style><script>", "found '</'; allowed rules without markup"),
        *(
            (
                name,
                " " * 1_000_001,
                rf"{name} of the theme: .*found 1,000,001 bytes; allowed up to 1,000,000",
            )
            for name in ("variables.css", "rules.css", "figures.mplstyle")
        ),
        ("rules.css", "h1 {}\udcff", "rules.css of the theme: .*bytes that are no UTF-8"),
        (
            "figures.mplstyle",
            "text.color: red",
            "line 1: found 'text.color: red'; allowed no colours",
        ),
        (
            "figures.mplstyle",
            "lines.width: 3",
            "line 1: found 'lines.width: 3'; allowed a setting of",
        ),
        *(
            ("figures.mplstyle", text, f"line 1: found '{text}'; allowed settings of axes, ")
            for text in ("text.usetex: True", "backend: module://mine", "figure.hooks: mine:draw")
        ),
    ],
)
def test_what_a_theme_cannot_have_is_told(folder: Path, file: str, text: str, message: str) -> None:
    (folder / "mine" / file).write_text(text, errors="surrogateescape")
    entry = ReportEntry(theme="mine")
    read = figure_theme if file.endswith(".mplstyle") else layout_of
    with pytest.raises(StudyError, match=message):
        read(entry, folder)


@pytest.mark.parametrize(
    ("name", "text"),
    [("rules.css", "/* " * 300_000), ("variables.css", " " * 900_000 + ":root{}")],
)
def test_a_theme_is_read_in_one_go(folder: Path, name: str, text: str) -> None:
    """A comment without an end, and blanks, took hours: each letter was a beginning."""
    (folder / "mine" / name).write_text(text)
    found = layout_of(ReportEntry(theme="mine"), folder)
    assert (found.rules if name == "rules.css" else dict(found.light)) in ("", {})


def _png(width: int = 20) -> bytes:
    """Return a picture, which may say that it is wider, and as high."""
    out = BytesIO()
    Image.new("RGB", (20, 20), "red").save(out, "PNG")
    if width == 20:
        return out.getvalue()
    head = b"IHDR" + struct.pack(">II", width, width) + out.getvalue()[24:29]
    return out.getvalue()[:12] + head + struct.pack(">I", crc32(head)) + out.getvalue()[33:]


def test_a_whole_picture_is_a_logo(folder: Path) -> None:
    (folder / "logo.png").write_bytes(_png())
    found = layout_of(ReportEntry(logo="logo.png"), folder)
    assert found.logo.startswith("data:image/png;base64,")


RUNNING = b'<svg xmlns="http://www.w3.org/2000/svg"><script>x()</script></svg>'


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("logo.svg", RUNNING, r"found 'logo\.svg' with the element script; allowed a pic"),
        ("logo.svg", RUNNING.decode().encode("utf-16"), r"'logo\.svg' with the element script"),
        ("logo.png", b"x" * 10_000_001, r"'logo\.png' with more than 10,000,000 bytes"),
        ("logo.png", b"x", r"'logo\.png' with content that is no PNG"),
        ("logo.png", _png()[:45], r"'logo\.png' with content that is no PNG, or a part of one"),
        ("logo.png", _png(width=10_000), r"'logo\.png' with more than 89,478,485 pixels"),
    ],
)
def test_a_logo_only_shows_something(folder: Path, name: str, content: bytes, message: str) -> None:
    (folder / name).write_bytes(content)
    with pytest.raises(StudyError, match=rf"report\.logo: .*{message}"):
        layout_of(ReportEntry(logo=name), folder)


def test_what_is_not_there_is_told(folder: Path) -> None:
    with pytest.raises(
        StudyError, match=r"found 'plane'; allowed house, plain, or a.*mean plain\?"
    ):
        theme_folder(ReportEntry(theme="plane"), folder)
    with pytest.raises(StudyError, match=r"report\.logo: found 'logo\.gif'; allowed a file \.svg"):
        layout_of(ReportEntry(logo="logo.gif"), folder)
    fonts = FontsEntry(serif="DejaVu Sarif")
    with pytest.raises(StudyError, match=r"fonts\.serif: found 'DejaVu Sarif', which is not inst"):
        layout_of(ReportEntry(paper=PaperEntry(fonts=fonts)), folder)


def test_a_page_has_colours_rules_logo_and_footer(
    report: Report, folders: Folders, folder: Path
) -> None:
    entry = ReportEntry(theme="mine", logo="logo.svg", footer="<i>No. 7</i>")
    own = replace(report, layout=replace(layout_of(entry, folder), size="letter"))
    text = page.render(own, folder / "r.html", folders)[0].read_text("utf-8")
    assert "--ink:#102030;" in text
    assert text.index("--ink:#FEFEFE;") > text.index("prefers-color-scheme:dark")
    assert "h1 { color: #123456 }</style>" in text
    assert f'<img src="{own.layout.logo}" alt="Logo">' in text
    assert '<footer class="foot">&lt;i&gt;No. 7&lt;/i&gt;</footer>' in text
    assert "@page{size:letter}" in text


def manuscript(report: Report, path: Path, folders: Folders) -> str:
    """Return the words from which an article is set."""

    def unset(given: pdf.Manuscript) -> bytes:
        return (given.before + "".join(block.html for block in given.blocks)).encode()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pdf, "set_document", unset)
        return pdf.render(report, path, folders)[0].read_text("utf-8")


@pytest.mark.slow
def test_paper_has_size_columns_and_faces(report: Report, folders: Folders, folder: Path) -> None:
    fonts = FontsEntry(serif="DejaVu Serif", sans="DejaVu Sans")
    entry = ReportEntry(theme="mine", paper=PaperEntry(size="letter", columns=1, fonts=fonts))
    own = replace(report, layout=layout_of(entry, folder))
    data = unpacked(pdf.render(own, folder / "r.pdf", folders)[0].read_bytes())
    assert b"/MediaBox [0 0 612 792]" in data
    assert {"RG-Text", "RG-Label"} <= embedded(data)
    style = pdf.style_sheet(own, "")
    assert "columns:1" in style
    assert "#102030" in style
    assert palette()["ink"][0] not in style


def test_paper_may_hide_its_authors(report: Report, folders: Folders, tmp_path: Path) -> None:
    study = replace(report.study, authors=(Author("Ada Lovelace", "Royal Society"),))
    named = replace(report, study=study, layout=Layout(footer="Laboratory"))
    hidden = replace(named, layout=replace(named.layout, is_anonymous=True))
    words = manuscript(named, tmp_path / "r.pdf", folders)
    assert all(word in words for word in ("Ada Lovelace", "Royal Society", "Laboratory"))
    words = manuscript(hidden, tmp_path / "r.pdf", folders)
    assert not re.search("Lovelace|Royal|Laboratory", words)


def test_without_authors_nothing_names_them(report: Report) -> None:
    study = replace(report.study, authors=(Author("Ada"),), doi="10.1/ada", cited_as="Ada's")
    layout = Layout(is_anonymous=True, logo="x", footer="Ada")
    own = for_review(replace(report, study=study, layout=layout))
    assert "Ada" not in f"{own.study}{own.layout}{own.provenance}"
    assert (own.study.doi, own.provenance.manifest, own.provenance.commit) == ("", "", "")


def test_a_study_overrides_one_block(tmp_path: Path) -> None:
    rows = "".join(
        f"d,{b},{c},cost,{v}\n" for b in range(9) for c, v in (("x", b % 4), ("y", 5 + b % 3))
    )
    (tmp_path / "r.csv").write_text("dataset,replication,candidate,measure,value\n" + rows)
    (tmp_path / "s.yaml").write_text(
        "results: r.csv\nmeasures: [{name: cost, better: smaller}]\nreport: {theme: mine}\n"
    )
    sections = tmp_path / "mine" / "sections"
    sections.mkdir(parents=True)
    (sections / "eda.md.j2").write_text(
        '{% extends "house/sections/eda.md.j2" %}{% block title %}Seen by us{% endblock %}'
    )
    asked = ["run", str(tmp_path / "s.yaml"), "--output", str(tmp_path / "out")]
    asked += ["--format", "html", "--sections", "eda"]
    done = CliRunner().invoke(main, [*asked, "--allow-templates"])
    assert done.exit_code == 0, done.output
    text = (tmp_path / "out" / "s" / "report.html").read_text("utf-8")
    assert "Seen by us" in text
    assert "Figure" in text


def test_links_that_lead_out_of_a_theme_are_not_followed(folder: Path) -> None:
    secret = folder / "secret"
    secret.write_text("h1 { color: #654321 }")
    (folder / "mine/rules.css").unlink()
    (folder / "mine/rules.css").symlink_to(secret)
    (folder / "mine/figures.mplstyle").unlink()
    (folder / "mine/figures.mplstyle").symlink_to(secret)
    assert layout_of(ReportEntry(theme="mine"), folder).rules == ""
    assert figure_theme(ReportEntry(theme="mine"), folder).settings == {}
    (folder / "picture.svg").symlink_to(secret)
    with pytest.raises(StudyError, match=r"report\.logo: found 'picture\.svg'"):
        layout_of(ReportEntry(logo="picture.svg"), folder)
