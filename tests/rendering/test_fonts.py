from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from reportgen.rendering import fonts, quarto
from reportgen.rendering.fonts import Face, font_css, house_faces, others_face, subset
from reportgen.rendering.latex import write_paper
from reportgen.report import Report
from tests.rendering.conftest import FOLDERS, make_report


def write_manuscript(report: Report, folder: Path) -> None:
    write_paper(report, folder, FOLDERS)


def write_project(report: Report, folder: Path) -> None:
    quarto.render(report, folder / "index.qmd", FOLDERS)


def with_figure(report: Report, drawn: str) -> Report:
    first, *others = report.contents
    figures = tuple(replace(figure, print=drawn) for figure in first.figures)
    return replace(report, contents=(replace(first, figures=figures), *others))


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def small() -> Face:
    face = house_faces()[-1]
    return Face(face.family, face.weight, face.style, face.file, "≺∼", is_partial=True)


def test_a_subset_has_its_characters_and_few_others() -> None:
    font = TTFont(io.BytesIO(subset(small(), "ttf")))
    characters = set(map(chr, font.getBestCmap()))
    assert {"≺", "∼", " "} <= characters
    assert len(characters) <= 5  # mirrored forms come along
    assert font["name"].getDebugName(13) or font["name"].getDebugName(0)  # who made it stays


def test_the_characters_of_a_file_are_those_that_fonttools_reads() -> None:
    for file in {face.file for face in house_faces()} | {fonts._others_file()}:
        with TTFont(file, lazy=True) as font:
            assert fonts._characters(file) == font.getBestCmap().keys()


def test_subsets_are_kept_and_made_the_same_again(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = subset(small(), "woff2")
    assert len(list(empty_cache.rglob("*.woff2"))) == 1
    made = fonts._make_subset(small(), "woff2")
    monkeypatch.setattr(fonts, "_make_subset", lambda *_: pytest.fail("made again"))
    assert subset(small(), "woff2") == first == made


def test_a_cache_that_cannot_be_written_costs_time_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "reportgen").write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert subset(small(), "woff2")[:4] == b"wOF2"


def test_every_face_is_embedded() -> None:
    css = font_css("plain")
    assert len(re.findall(r"@font-face", css)) == len(house_faces())
    assert not re.findall(r"url\((?!data:)", css)
    assert len(css) < 250_000


def test_others_have_exactly_what_the_house_lacks() -> None:
    assert others_face("plain ≺ é κ") is None
    face = others_face("Кот é")
    assert face is not None
    assert face.text == "".join(sorted("Кот"))
    assert others_face("猫") is None  # no face that comes with us has it


@pytest.mark.parametrize("write", [write_manuscript, write_project])
def test_boxes_in_figures_as_files_are_told(
    write: Callable[[Report, Path], object], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told = "figures: our fonts lack 猫, shown as a box"
    write(make_report(), tmp_path)
    assert told not in caplog.messages
    write(with_figure(make_report(), "<svg><text>猫</text></svg>"), tmp_path)
    assert told in caplog.messages


def test_every_letter_of_ascii_is_in_the_upright_faces() -> None:
    assert {chr(n) for n in range(33, 127)} <= fonts.covered_letters()
    assert fonts._further_letters("a\udc80b\n\N{GREEK SMALL LETTER PI}") == {"\udc80", "π"}
