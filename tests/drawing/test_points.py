"""Points are seen whatever program draws a file of them: looked for in the pixels of each."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.axes import Axes
from PIL import Image

from reportgen.drawing import Canvas, Sheet
from reportgen.drawing.plots.rows import Panel
from reportgen.drawing.style import TEXT_WIDTH
from reportgen.report import Figure, Series

VALUES = np.arange(20.0, 320.0, 20.0)
HEIGHTS = 10 + VALUES / 10
BELOW = 40.0  # pt from the points of a plot of rows to the markers of other plots
SHADE = 60  # of 255; a point is at least so much darker than its ground
PPI = 144


def _draw(sheet: Sheet) -> None:
    sheet.begin(100)
    axes: Axes = sheet.axes(0, 0, 0, 0)
    axes.set(xlim=(0, sheet.width), ylim=(sheet.height, 0))
    axes.axis("off")
    panel = Panel(sheet, axes, SimpleNamespace())  # type: ignore[arg-type]
    panel.points(VALUES, HEIGHTS, sheet.ink("a"), "a", alpha=1.0)
    axes.scatter(VALUES, BELOW + HEIGHTS, marker="o", s=9, c=sheet.ink("a"), lw=0)


@pytest.fixture(scope="module")
def figure() -> Figure:
    canvas = Canvas.of(["a"], 1, "d", has_pictures=True)
    return canvas.figure("f", "m", _draw, alt="", data=Series((), ()))


def _missing(image: bytes) -> list[tuple[float, float]]:
    """Return the places at which an image as wide as the drawing has no point."""
    pixels = np.asarray(Image.open(BytesIO(image)).convert("L"), dtype=float)
    scale, ground = pixels.shape[1] / TEXT_WIDTH, float(np.median(pixels))
    places = [(x, y + shift) for shift in (0, BELOW) for x, y in zip(VALUES, HEIGHTS, strict=True)]
    return [
        (x, y) for x, y in places if ground - pixels[round(y * scale), round(x * scale)] < SHADE
    ]


def _as_png(figure: Figure, folder: Path) -> bytes:
    return figure.pictures["png"]


def _by_typst(figure: Figure, folder: Path) -> bytes:
    typst = pytest.importorskip("typst", reason="typst is not installed")
    (folder / "f.svg").write_bytes(figure.pictures["svg"])
    text = f'#set page(width: {TEXT_WIDTH}pt, height: auto, margin: 0pt)\n#image("f.svg")\n'
    (folder / "f.typ").write_text(text, encoding="utf-8")
    pdf = typst.compile(str(folder / "f.typ"))
    return _by_poppler(replace(figure, pictures={"pdf": pdf}), folder)


def _by_poppler(figure: Figure, folder: Path) -> bytes:
    if shutil.which("pdftoppm") is None:
        pytest.skip("Poppler is not installed")
    (folder / "f.pdf").write_bytes(figure.pictures["pdf"])
    words = ["pdftoppm", "-png", "-r", str(PPI), "-singlefile", "f.pdf", "f"]
    subprocess.run(words, cwd=folder, check=True)
    return (folder / "f.png").read_bytes()


def _by_librsvg(figure: Figure, folder: Path) -> bytes:
    if shutil.which("rsvg-convert") is None:
        pytest.skip("librsvg2-bin is not installed")
    words = ["rsvg-convert", "--zoom", "2", "--background-color", "white"]
    done = subprocess.run(words, input=figure.pictures["svg"], capture_output=True, check=True)
    return done.stdout


Render = Callable[[Figure, Path], bytes]


@pytest.mark.parametrize("render", [_as_png, _by_typst, _by_poppler, _by_librsvg])
def test_every_point_is_in_the_pixels(figure: Figure, render: Render, tmp_path: Path) -> None:
    assert _missing(render(figure, tmp_path)) == []


def test_a_picture_is_readable_on_a_dark_page(figure: Figure, tmp_path: Path) -> None:
    typst = pytest.importorskip("typst", reason="typst is not installed")
    (tmp_path / "f.svg").write_bytes(figure.pictures["svg"])
    (tmp_path / "f.typ").write_text(
        f'#set page(width: {TEXT_WIDTH}pt, height: auto, margin: 0pt, fill: rgb("#222"))\n'
        '#image("f.svg")\n',
        encoding="utf-8",
    )
    image = typst.compile(str(tmp_path / "f.typ"), format="png", ppi=PPI)
    pixels = np.asarray(Image.open(BytesIO(image)).convert("L"))
    assert pixels[2, 2] == np.median(pixels) == 255
    assert _missing(image) == []


def test_no_line_is_without_length(figure: Figure) -> None:
    assert not re.search(rb'h0[M"]|l0 0|l0,0', figure.pictures["svg"])
    assert figure.pictures["svg"].count(b"l0.1 0") == len(VALUES)
    assert figure.pictures["svg"].count(b"h.01") == len(VALUES)
