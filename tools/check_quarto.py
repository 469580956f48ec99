"""Render reports and documents by the program Quarto, and read what it has made.

    QUARTO_PATH=PATH/TO/quarto python tools/check_quarto.py
    python tools/check_quarto.py --only long-names book --keep FOLDER --record

It needs the program (`QUARTO_PATH`, or in PATH), LaTeX, Poppler and librsvg (`rsvg-convert`); the
documents with code need `jupyter` and `papermill` beside reportgen.

Each study is rendered to HTML, LaTeX's PDF, Typst's PDF and Word by one command. Checked: the exit
code; every file that is printed is there, the supplement among them; no reference is "??"; no
figure or table is lost; each number of each table stands where the table is in the PDF, as often as
it should; points are in the pixels of every format; nothing of a name has run. Then documents of an
author's own: by the extension (a document, a starter, a book, a manuscript with a notebook, a
website), and by code.

`--record` keeps what the program and LaTeX have said in `tests/rendering/quarto_runs/`, which the
tests of the log's reader read. The version of the program is printed first. The exit code is 0
where all holds, 1 where something does not, of which a list stands at the end (a check that could
not be made is in it, with what ended it), and 2 without the program.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

import numpy as np

from reportgen.errors import RenderingError
from reportgen.rendering.quarto_program import (
    LATEX_FILES,
    PYTHON,
    find_program,
    problems_in,
    whole_text,
)

ROOT = Path(__file__).parent.parent
RUNS = ROOT / "tests" / "rendering" / "quarto_runs"
FORMATS = {"html": ".html", "pdf": ".pdf", "typst": "-typst.pdf", "docx": ".docx"}
SECRET = "a-value-that-no-report-may-show"
MODELS = (
    *("gpt-4o-2024-11-20", "claude-3-5-sonnet-20241022", "meta-llama/Llama-3.1-70B-Instruct"),
    *("Qwen/Qwen2.5-72B-Instruct", "mistral-large-2411", "gemini-1.5-pro-002"),
)
HOSTILE = (
    *("{{< env SECRET_TOKEN >}}", "{{{< env SECRET_TOKEN >}}}", "$x$ `y`", "::: @fig-a [^1]"),
    *("<b>x</b> &amp;", r"\textbf{x} \input{y}", "100% _a_ #b"),
)
NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.])")
ROW = re.compile(r"^\| .* \|$", re.MULTILINE)
PLACED = re.compile(r"^:::+ \{#((?:fig|tbl)-[a-z0-9-]+)\}", re.MULTILINE)
PICTURE = re.compile(r"^\s*!\[\]\((figures/[a-z0-9/.-]+)\)\{fig-alt", re.MULTILINE)
CAPTION = "^[ \t]*{}[ \u00a0]+S?({})[:.][ \u00a0\n]"
UNRESOLVED = re.compile(r"\?@(?:fig|tbl|sec)-|\?\?")
ENTITY = re.compile(r"&#(\d+);")
BOX = re.compile(r'<word xMin="(\S+)" yMin="(\S+)" xMax="(\S+)" yMax="(\S+)">(.*?)</word>')
IMAGE = re.compile(r'<img[^>]*?\ssrc="([^"]*)"')
POINTS = re.compile(
    r'<g style="fill:none;stroke:(#[0-9a-f]{6});stroke-opacity:([\d.]+);[^"]*stroke-linecap:round">'
    r".*?</g>",
    re.DOTALL,
)
TIMEOUT = 3600  # seconds of one command
MOST = 8  # faults of a kind that are listed
EDGE = 12.0  # pt of a page's edge in which no word stands
OVERLAP = 1.5  # pt by which two words may stand in one another
PPI = 200
NEAR = 20  # of 255, by which the colour of a pixel may differ from that of a point
SHARE = 0.2  # of the ink of points, that has to be there: of points on points a third is left


@dataclass(frozen=True, slots=True)
class Study:
    """What is rendered: a file, more words of the command, and whether it has a supplement."""

    path: Path
    words: tuple[str, ...] = ()
    has_supplement: bool = True


def results(place: Path, names: Sequence[str], n_datasets: int, n_rows: int = 25) -> Path:
    """Write made-up errors of candidates."""
    rng = np.random.default_rng(1)
    lines = ["dataset,replication,candidate,measure,value"]
    for d in range(n_datasets):
        for b in range(n_rows):
            for k, name in enumerate(names):
                value = 0.3 + 0.03 * k + 0.02 * d + rng.normal(0, 0.02)
                quoted = name.replace('"', '""')
                lines.append(f'task{d},{b},"{quoted}",error,{value:.4f}')
    path = place / "r.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def studies(place: Path) -> dict[str, Study]:
    """Return the studies, by name; the file of one may not be there."""
    found = {}
    for name, names, n in (("long-names", MODELS, 8), ("hostile-names", HOSTILE, 1)):
        folder = place / name
        folder.mkdir()
        found[name] = Study(results(folder, names, n))
    own = ("--set", "setup.resampling.replications=25", "--set", "report.length=article")
    found["quickstart"] = Study(ROOT / "studies" / "quickstart.yaml", own)
    shared = ROOT.parent / "shared"
    found["uci621raw"] = Study(shared / "reference" / "data" / "uci621raw.csv")
    found["items"] = Study(shared / "cases" / "runs" / "wide-items" / "wide_items.yaml")
    return found


# ---------------------------------------------------------------------------------- commands


@dataclass(frozen=True, slots=True)
class Said:
    """What a command has said, and how it ended."""

    code: int
    out: str
    err: str


def command(words: Sequence[str | Path], folder: Path, **env: str) -> Said:
    """Run a command."""
    own = {"SECRET_TOKEN": SECRET, PYTHON: sys.executable, **env}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # where reportgen is
    try:
        done = subprocess.run(
            [str(word) for word in words],
            cwd=folder,
            env={**os.environ, "PATH": path, **own},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Said(-1, "", f"has not ended after {TIMEOUT} seconds")
    out, err = (text.decode("utf-8", errors="replace") for text in (done.stdout, done.stderr))
    return Said(done.returncode, out, err)


def reportgen(*words: str | Path, folder: Path, **env: str) -> Said:
    """Run this program."""
    return command([sys.executable, "-m", "reportgen", *words], folder, **env)


def quarto(*words: str | Path, folder: Path, **env: str) -> Said:
    """Run the program Quarto."""
    return command([str(find_program()), *words], folder, **env)


def version() -> str:
    """Return the version of the program Quarto, and where it is."""
    said = quarto("--version", folder=ROOT)
    told = said.out.split() if not said.code else []
    return f"quarto {told[0] if told else 'of an unknown version'} ({find_program()})"


# ----------------------------------------------------------------------------------- studies


def held(faults: Iterable[str], what: str = "") -> Iterator[str]:
    """Yield the faults that a check finds; what ends it is one, whatever it is.

    `faults`: made as they are yielded.
    `what`: that is checked.
    """
    before = f"{what}: " if what else ""
    try:
        for fault in faults:
            yield f"{before}{fault}"
    except Exception as error:
        *_, last = traceback.extract_tb(error.__traceback__)
        words = " ".join(str(error).split()) or "no message"
        where = f"{last.name}, line {last.lineno} of {Path(last.filename).name}"
        yield f"{before}could not be checked: {type(error).__name__}: {words} ({where})"


def of_study(study: Study, folder: Path, record: str = "") -> Iterator[str]:
    """Render a study in all formats at once; yield what is wrong."""
    forms = ",".join(f"quarto-{form}" for form in FORMATS)
    words = ["run", study.path, "--output", folder, "--format", forms, *study.words]
    said = reportgen(*words, folder=folder.parent)
    if said.code:
        yield f"exit code {said.code}: {said.err.strip()[-2000:]}"
    if record:
        yield from held(_kept(record, said.err, folder), "--record")
    printed = [Path(line) for line in said.out.splitlines() if line.startswith(str(folder))]
    yield from held(of_printed(printed, has_supplement=study.has_supplement), "files")
    for path in printed:
        if path.exists() and path.parent.name == "quarto" and path.suffix != ".qmd":
            yield from of_output(path)


def of_printed(printed: Sequence[Path], *, has_supplement: bool) -> Iterator[str]:
    """Yield what is printed and not there, and what is neither."""
    if not printed:
        yield "no file is printed"
    yield from (f"{path.name} is printed and not there" for path in printed if not path.exists())
    yield from (f"{p.name} is empty" for p in printed if p.exists() and not p.stat().st_size)
    names = {path.name for path in printed if path.parent.name == "quarto"}
    stems = ("index", "supplement") if has_supplement else ("index",)
    wanted = [f"{stem}{ending}" for stem in stems for ending in FORMATS.values()]
    yield from (f"{name} is not printed" for name in wanted if name not in names)


def of_output(path: Path) -> Iterator[str]:
    """Yield what is wrong in a document that was rendered, by the text that it was made of."""
    checks: dict[str, Callable[[Path, str], Iterator[str]]] = {
        ".pdf": _of_pdf,
        ".html": _of_page,
        ".docx": _of_word,
    }

    def faults() -> Iterator[str]:
        yield from checks[path.suffix](path, whole_text(path.with_suffix(".qmd")))

    yield from held(faults(), path.name)


def _of_pdf(path: Path, source: str) -> Iterator[str]:
    """Yield what a PDF lacks of its document."""
    pages = pages_of(path)
    text = "\n".join(pages)
    yield from of_text(text)
    placed = PLACED.findall(source)
    for kind, word in (("fig", "Figure"), ("tbl", "Table")):
        wanted = sum(name.startswith(kind) for name in placed)
        found = {int(n) for n in re.findall(CAPTION.format(word, r"\d+"), text, re.MULTILINE)}
        gone = sorted(set(range(1, wanted + 1)) - found)
        if gone:
            yield f"no caption of {word} {', '.join(map(str, gone[:MOST]))}"
    yield from held(lost_numbers(source, text), "numbers of tables")
    yield from held(unreadable(path), "places of words")
    yield from held(_points_of_pdf(path, source, pages), "points")


def _points_of_pdf(path: Path, source: str, pages: Sequence[str]) -> Iterator[str]:
    """Yield what the drawings of a PDF lack of their points."""
    placed = PLACED.findall(source)
    for place, file in pictures_of(path, source).items():
        number = [name for name in placed if name.startswith("fig")].index(place) + 1
        pattern = re.compile(CAPTION.format("Figure", number), re.MULTILINE)
        on = [n for n, page in enumerate(pages, 1) if pattern.search(page)]
        images = [pixels_of_page(path, n) for page in on[:1] for n in (page - 1, page) if n]
        yield from lost_points(file, images, PPI / 72)


def pages_of(path: Path) -> list[str]:
    """Return the text of the pages of a PDF, line by line as it stands there."""
    told = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, check=True)
    return told.stdout.decode("utf-8", errors="replace").split("\f")


def of_text(text: str) -> Iterator[str]:
    """Yield what no text may have."""
    if UNRESOLVED.search(text):
        yield "has an unresolved reference (?? or ?@)"
    if SECRET in text:
        yield "a name has run"


def unreadable(path: Path) -> Iterator[str]:
    """Yield words of a PDF that stand at the edge of a page or beyond, and numbers overprinted."""
    told = subprocess.run(["pdftotext", "-bbox", path, "-"], capture_output=True, check=True)
    text = told.stdout.decode("utf-8", errors="replace")
    found = []
    for number, page in enumerate(text.split("<page ")[1:], 1):
        size = re.match(r'width="([\d.]+)" height="([\d.]+)"', page)
        if size is None:
            raise ValueError(f"pdftotext -bbox has written no size: {page[:80]}")
        width, height = float(size[1]), float(size[2])
        words = [
            (*map(float, match.groups()[:4]), unescape(match[5])) for match in BOX.finditer(page)
        ]
        for left, top, right, bottom, word in words:
            if min(left, top, width - right, height - bottom) < EDGE:
                found.append(f"page {number}: {word!r} stands at the edge of the page")
        words.sort(key=lambda box: box[1])
        for n, (left, top, right, bottom, word) in enumerate(words):
            for x, y, x_end, y_end, other in words[n + 1 :]:
                if y > bottom:
                    break
                beside = min(right, x_end) - max(left, x) < OVERLAP
                under = min(bottom, y_end) - max(top, y) < 0.6 * min(bottom - top, y_end - y)
                if not (beside or under) and (NUMBER.search(word) or NUMBER.search(other)):
                    found.append(f"page {number}: {word!r} and {other!r} are overprinted")
    yield from found[:MOST]


def lost_numbers(source: str, text: str) -> Iterator[str]:
    """Yield the numbers of each table that do not stand between its neighbours' captions.

    A caption stands above its table or below it, and so the numbers stand after the caption before
    and before the caption after.
    """
    found = list(re.finditer(CAPTION.format("Table", r"\d+"), text, re.MULTILINE))
    ends = {int(match[1]): match for match in found}
    for number, own in enumerate(tables_of(source), 1):
        before, after = ends.get(number - 1), ends.get(number + 1)
        region = text[before.end() if before else 0 : after.start() if after else None]
        lost = Counter(own) - Counter(NUMBER.findall(region))
        if lost:
            words = ", ".join(f"{n} ({times} times)" for n, times in sorted(lost.items())[:MOST])
            yield f"Table {number} lacks {lost.total()} of its {len(own)} numbers: {words}"


def tables_of(source: str) -> list[list[str]]:
    """Return the numbers of each table of a document, in its order, with those that repeat."""
    starts = [match.start() for match in PLACED.finditer(source)] + [len(source)]
    found = []
    for name, start, end in zip(PLACED.findall(source), starts, starts[1:], strict=False):
        if name.startswith("tbl"):
            block = source[start:end].split("\n:::", 1)[0]
            rows = ENTITY.sub(lambda match: chr(int(match[1])), "\n".join(ROW.findall(block)))
            found.append(NUMBER.findall(rows.replace("\\", "")))
    return found


# ----------------------------------------------------------------------------------- points


def pictures_of(document: Path, source: str) -> dict[str, Path]:
    """Return the drawings with points that a document places, by their labels."""
    found = {}
    for block in re.split(r"^(?=:::+ \{#)", source, flags=re.MULTILINE):
        label, picture = PLACED.match(block), PICTURE.search(block)
        if label and picture:
            file = document.parent / f"{picture[1]}.svg"
            if file.exists() and POINTS.search(file.read_text(encoding="utf-8")):
                found[label[1]] = file
    return found


def lost_points(
    file: Path, images: Sequence[np.ndarray], scale: float, least: float = 0.58
) -> Iterator[str]:
    """Yield a fault where images lack the points of a drawing.

    `images`: of which one shows the drawing.
    `scale`: pixels of a point (pt) in them.
    `least`: share of its width that the drawing is shown with.
    """
    svg = file.read_text(encoding="utf-8")
    colours = {_blend(match[1], float(match[2])) for match in POINTS.finditer(svg)}
    with_points, without = (
        ink(_pixels_of_svg(text), colours) / 4 for text in (svg, POINTS.sub("", svg))
    )
    wanted = (without + SHARE * (with_points - without)) * least**2
    found = max((ink(image, colours) / scale**2 for image in images), default=0.0)
    if with_points - without < 1:
        yield f"{file.name} has no points itself"
    elif found < wanted:
        yield f"the points of {file.stem} are missing: {found:.0f} of {wanted:.0f} square points"


def _blend(colour: str, opacity: float) -> tuple[float, ...]:
    """Return a colour on white."""
    return tuple(255 - opacity * (255 - int(colour[i : i + 2], 16)) for i in (1, 3, 5))


def ink(image: np.ndarray, colours: set[tuple[float, ...]]) -> float:
    """Return how many pixels have one of these colours."""
    near = np.zeros(image.shape[:2], dtype=bool)
    for colour in colours:
        near |= (np.abs(image.astype(float) - np.array(colour)) < NEAR).all(axis=2)
    return float(near.sum())


def _pixels(data: bytes) -> np.ndarray:
    from PIL import Image

    image = Image.open(BytesIO(data)).convert("RGBA")
    ground = Image.new("RGBA", image.size, "white")
    return np.asarray(Image.alpha_composite(ground, image).convert("RGB"))


def _pixels_of_svg(svg: str | bytes) -> np.ndarray:
    """Draw an SVG with two pixels a point."""
    data = svg if isinstance(svg, bytes) else svg.encode()
    words = ["rsvg-convert", "--dpi-x=72", "--dpi-y=72", "--zoom", "2"]
    done = subprocess.run(words, input=data, capture_output=True, check=True)
    from PIL import Image

    width = float(re.findall(rb'viewBox="0 0 ([\d.]+)', data)[0])
    pixels = _pixels(done.stdout)
    if abs(pixels.shape[1] - 2 * width) < 2:
        return pixels
    image = Image.fromarray(pixels)  # other versions take a point for 4/3 pixels
    return np.asarray(
        image.resize((round(2 * width), round(2 * width * image.height / image.width)))
    )


def pixels_of_page(path: Path, number: int) -> np.ndarray:
    """Draw a page of a PDF."""
    words = ["pdftoppm", "-png", "-r", str(PPI), "-f", str(number), "-l", str(number), path]
    return _pixels(subprocess.run(words, capture_output=True, check=True).stdout)


def _of_page(path: Path, source: str) -> Iterator[str]:
    """Yield what is wrong in a page of HTML."""
    html = path.read_text(encoding="utf-8")
    text = re.sub(r"<(script|style).*?</\1>", "", html, flags=re.DOTALL)
    yield from of_text(re.sub(r'="[^"]*"', "", text) if SECRET not in text else text)
    yield from (f"no {name}" for name in PLACED.findall(source) if f'id="{name}"' not in html)
    cells = Counter(NUMBER.findall(unescape(re.sub(r"<[^>]+>", " ", text))))
    lost = Counter(n for own in tables_of(source) for n in own) - cells
    if lost:
        yield f"tables lack numbers: {', '.join(sorted(lost)[:MOST])}"
    files = [data for data in map(_data_of, IMAGE.findall(html)) if data]
    files += [text.encode() for text in re.findall(r"<svg.*?</svg>", html, re.DOTALL)]
    images = [
        _pixels_of_svg(data) for data in files if POINTS.search(data.decode("utf-8", "replace"))
    ]
    for file in pictures_of(path, source).values():
        yield from lost_points(file, images, 2.0, 1.0)


def _data_of(address: str) -> bytes | None:
    """Return the SVG that an address has in itself."""
    head, comma, data = unescape(address).partition(",")
    if not (comma and head.startswith("data:image/svg+xml")):
        return None
    return base64.b64decode(data) if head.endswith(";base64") else unquote_to_bytes(data)


def _of_word(path: Path, source: str) -> Iterator[str]:
    """Yield what is wrong in a file of Word."""
    with zipfile.ZipFile(path) as archive:
        body = archive.read("word/document.xml").decode()
        media = [archive.read(n) for n in archive.namelist() if n.startswith("word/media/")]
    text = unescape(re.sub(r"<[^>]+>", "", re.sub(r"</w:(?:p|tc)>", "\n", body)))
    yield from of_text(text)
    placed = PLACED.findall(source)
    for kind, word in (("fig", "Figure"), ("tbl", "Table")):
        wanted = sum(name.startswith(kind) for name in placed)
        found = {int(n) for n in re.findall(rf"{word}[ \u00a0]+(?:S\u2060?)?(\d+)[:.]", text)}
        gone = sorted(set(range(1, wanted + 1)) - found)
        if gone:
            yield f"no caption of {word} {', '.join(map(str, gone[:MOST]))}"
    lost = Counter(n for own in tables_of(source) for n in own) - Counter(NUMBER.findall(text))
    if lost:
        yield f"tables lack numbers: {', '.join(sorted(lost)[:MOST])}"
    images = [_pixels(data) for data in media if data.startswith(b"\x89PNG")]
    for file in pictures_of(path, source).values():
        width = float(re.findall(r'viewBox="0 0 ([\d.]+)', file.read_text("utf-8"))[0])
        scaled = [(image, image.shape[1] / width) for image in images]
        faults = [[*lost_points(file, [image], scale, 1.0)] for image, scale in scaled]
        if all(faults):
            yield from faults[0] if faults else [f"no picture of {file.stem}"]


# ------------------------------------------------------------------------------- documents


TEXT = """\
The mean error is {{{{< rg number {key} >}}}}. {{{{< rg verdict {pair} >}}}}
@tbl-pairs has all pairs, @fig-pairs shows them.

{{{{< rg table pairs >}}}}

{{{{< rg figure pairs >}}}}
"""
HEAD = "---\ntitle: {title}\n{more}---\n\n"


@dataclass(frozen=True, slots=True)
class Run:
    """A run whose results documents take."""

    folder: Path

    @property
    def content(self) -> Mapping[str, object]:
        """What documents take."""
        file = self.folder / "quarto" / "manuscript.json"
        return json.loads(file.read_text(encoding="utf-8"))  # type: ignore[no-any-return]

    def text(self, results: str = "") -> tuple[str, list[str]]:
        """Return a text that takes results, and what has to stand where it is rendered."""
        main = str(self.content["main_measure"])
        numbers: dict[str, dict[str, dict[str, dict[str, str]]]] = self.content["numbers"]  # type: ignore[assignment]
        dataset = next(name for name in numbers if name not in ("exact", "study", "domain"))
        own = numbers[dataset][main]
        pair = next(name for name in own if "-vs-" in name)
        first, second = pair.split("-vs-")
        text = TEXT.format(key=f"{dataset}.{first}.mean", pair=f"{first} {second}")
        if results:
            text = text.replace(" >}}", f" results={results} >}}}}")
        sentence = re.sub(r"[^a-z]+", " ", own[pair]["sentence"]).split()
        return text, [own[first]["mean"], " ".join(sentence[:2])]


def run_of(place: Path, *words: str) -> Run:
    """Make a small run with its project."""
    place.mkdir(parents=True, exist_ok=True)
    path = results(place, ("lda", "rpart", "svm"), 1, 12)
    said = reportgen("run", path, "--output", place, "--format", "qmd", *words, folder=place)
    if said.code:
        raise RuntimeError(said.err)
    return Run(place / "r")


def extension_into(folder: Path, *words: str) -> None:
    """Write the extension into a folder."""
    said = reportgen("quarto-extension", folder, *words, folder=folder)
    if said.code:
        raise RuntimeError(said.err)


def of_document(folder: Path) -> Iterator[str]:
    """Yield what is wrong in a document alone that takes results, and where a key is unknown."""
    run = run_of(folder / "elsewhere")
    place = folder / "paper"
    place.mkdir()
    extension_into(place)
    text, wanted = run.text()
    head = HEAD.format(title="Paper", more="reportgen: {results: ../elsewhere/r}\n")
    (place / "paper.qmd").write_text(head + text, encoding="utf-8")
    for form, ending in FORMATS.items():
        name = f"paper-{form}{ending[ending.index('.') :]}"
        said = quarto("render", "paper.qmd", "--to", form, "--output", name, folder=place)
        yield from of_rendering(said, form)
        yield from of_file(place / name, wanted)
    (place / "wrong.qmd").write_text(head + "{{< rg number a.b.c >}}\n", encoding="utf-8")
    said = quarto("render", "wrong.qmd", "--to", "html", folder=place)
    if not said.code:
        yield "an unknown key does not stop the rendering"
    if "found no number 'a.b.c'" not in said.out + said.err:
        yield f"an unknown key is not told: {(said.out + said.err)[-300:]}"


def of_starter(folder: Path) -> Iterator[str]:
    """Yield what is wrong in the manuscript that authors begin with."""
    folder.mkdir()
    extension_into(folder, "--starter")
    said = quarto("render", folder, folder=folder)
    yield from of_rendering(said, "manuscript")
    for ending in (".html", ".pdf", ".docx"):
        yield from of_file(folder / "_manuscript" / f"index{ending}", ["MONK", "svm"])


def of_book(folder: Path) -> Iterator[str]:
    """Yield what is wrong in a book whose chapters take results, one of them in a folder."""
    run = run_of(folder / "output")
    extension_into(folder)
    text, wanted = run.text("../output/r")  # from the chapter's folder
    (folder / "_quarto.yml").write_text(
        "project: {type: book}\n"
        "book: {title: A book, chapters: [index.qmd, parts/one.qmd]}\n"
        "reportgen: {results: output/r}\n"
        "format: {html: default, pdf: default, typst: default, docx: default}\n",
        encoding="utf-8",
    )
    preface = "# Preface\n\nOf {{< rg number study.replications >}}; see @tbl-pairs.\n"
    (folder / "index.qmd").write_text(preface, encoding="utf-8")
    (folder / "parts").mkdir()
    (folder / "parts" / "one.qmd").write_text(f"# One\n\n{text}", encoding="utf-8")
    for form, ending in FORMATS.items():
        yield from of_rendering(quarto("render", folder, "--to", form, folder=folder), form)
        found = {
            path
            for path in (folder / "_book").rglob(f"*{ending[ending.index('.') :]}")
            if form != "html" or path.name == "one.html"
        }
        if not found:
            yield f"{form}: nothing is in _book"
        for path in sorted(found):
            yield from of_file(path, wanted)
            path.unlink()


def of_manuscript(folder: Path) -> Iterator[str]:
    """Yield what is wrong in a manuscript with a notebook in a folder: both take results."""
    run = run_of(folder / "output")
    extension_into(folder)
    text, wanted = run.text()
    (folder / "_quarto.yml").write_text(
        "project: {type: manuscript, render: [paper.qmd, notebooks/one.qmd]}\n"
        "manuscript: {article: paper.qmd}\nreportgen: {results: /output/r}\n"
        "format: {html: default, pdf: default, docx: default}\n",
        encoding="utf-8",
    )
    (folder / "notebooks").mkdir()
    for name in ("paper", "notebooks/one"):
        (folder / f"{name}.qmd").write_text(HEAD.format(title=name, more="") + text, "utf-8")
    yield from of_rendering(quarto("render", folder, folder=folder), "manuscript")
    names = ("paper.html", "paper.pdf", "paper.docx", "notebooks/one-preview.html")
    for name in names:
        yield from of_file(folder / "_manuscript" / name, wanted)


def of_website(folder: Path) -> Iterator[str]:
    """Yield what is wrong in a website, one of whose pages is in a folder."""
    run = run_of(folder / "output")
    extension_into(folder)
    text, wanted = run.text()
    (folder / "_quarto.yml").write_text(
        'project: {type: website, render: ["*.qmd", "deep/*.qmd"]}\n'
        "website: {title: A site}\nreportgen: {results: /output/r}\nformat: html\n",
        encoding="utf-8",
    )
    (folder / "deep").mkdir()
    for name in ("index", "deep/page"):
        (folder / f"{name}.qmd").write_text(HEAD.format(title=name, more="") + text, "utf-8")
    yield from of_rendering(quarto("render", folder, folder=folder), "website")
    for name in ("index", "deep/page"):
        yield from of_file(folder / "_site" / f"{name}.html", wanted)


def of_code(folder: Path) -> Iterator[str]:
    """Yield what is wrong in documents whose code makes them, also with another level."""
    run = run_of(folder, "--set", "report.quarto={engine: jupyter}")
    project = run.folder / "quarto"
    for form, ending in FORMATS.items():
        document = f"index{ending.partition('.')[0]}.qmd"
        said = quarto(
            *("render", document, "--to", form, "--output", f"index{ending}"), folder=project
        )
        yield from of_rendering(said, form)
        yield from of_file(project / f"index{ending}", ["95% interval", "Figure"])
    words = ("render", "index.qmd", "--to", "html", "--output", "other.html", "-P", "alpha:0.001")
    said = quarto(*words, folder=project)
    yield from of_rendering(said, "-P alpha:0.001")
    yield from of_file(project / "other.html", ["99.9% interval"])


def of_rendering(said: Said, what: str) -> Iterator[str]:
    """Yield what is wrong in what the program has said."""
    if said.code:
        yield f"{what}: exit code {said.code}: {(said.out + said.err).strip()[-1500:]}"
    yield from (f"{what}: {line}" for line in problems_in(said.out + said.err)[:MOST])


def of_file(path: Path, wanted: Sequence[str]) -> Iterator[str]:
    """Yield what a file that was rendered lacks."""
    if not path.exists():
        yield f"{path.name} is not there"
        return
    yield from held(_of_file(path, wanted), path.name)


def _of_file(path: Path, wanted: Sequence[str]) -> Iterator[str]:
    """Yield what a file lacks that is there."""
    n_pictures = 0
    if path.suffix == ".pdf":
        text = "\n".join(pages_of(path))
        n_pictures = len(re.findall(CAPTION.format("Figure", r"[\d.]+"), text, re.MULTILINE))
    elif path.suffix == ".docx":
        with zipfile.ZipFile(path) as archive:
            text = unescape(re.sub(r"<[^>]+>", "", archive.read("word/document.xml").decode()))
            n_pictures = sum(name.startswith("word/media/") for name in archive.namelist())
    else:
        html = path.read_text(encoding="utf-8")
        text = unescape(re.sub(r"<(script|style).*?</\1>|<[^>]+>", "", html, flags=re.DOTALL))
        for address in IMAGE.findall(html):
            n_pictures += 1
            is_here = address.startswith("data:") or (path.parent / unquote(address)).exists()
            if not is_here:
                yield f"the picture {address[:80]} is not there"
        n_pictures += html.count("<svg")
    yield from of_text(text)
    said = " ".join(text.replace("\u00a0", " ").split())
    yield from (f"lacks {words!r}" for words in wanted if words not in said)
    if not n_pictures:
        yield "no figure"


DOCUMENTS: Mapping[str, Callable[[Path], Iterator[str]]] = {
    "document": of_document,
    "starter": of_starter,
    "book": of_book,
    "manuscript": of_manuscript,
    "website": of_website,
    "code": of_code,
}


# ---------------------------------------------------------------------------------- records


def _kept(name: str, said: str, folder: Path) -> Iterator[str]:
    """Keep what the program and LaTeX have said, without the paths of this machine."""
    RUNS.mkdir(exist_ok=True)
    texts = {f"{name}.txt": said, "version.txt": f"{version().partition(' (')[0]}\n"}
    for project in folder.glob("*/quarto"):
        for ending in LATEX_FILES[:2]:
            for file in project.glob(f"*{ending}"):
                texts[f"{name}-{file.name}"] = file.read_text(encoding="utf-8", errors="replace")
    for file, text in texts.items():
        places = "|".join(map(re.escape, (str(folder), str(ROOT), str(Path.home()))))
        (RUNS / file).write_text(re.sub(places, "…", text), encoding="utf-8")
    yield from ()


def main(arguments: Sequence[str] | None = None) -> int:
    """Check all studies and documents, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], help="names of studies and documents")
    parser.add_argument("--keep", type=Path, help="a folder for what is rendered")
    parser.add_argument("--record", action="store_true", help="keep what was said for the tests")
    parser.add_argument(
        "--allow-missing", action="store_true", help="leave out studies whose files are not there"
    )
    given = parser.parse_args(arguments)
    try:
        program = find_program()
    except RenderingError as error:
        print(error)
        return 2
    if program is None:
        print("the program quarto was not found: QUARTO_PATH names it")
        return 2
    for needed in ("pdftotext", "pdftoppm", "rsvg-convert"):
        if shutil.which(needed) is None:
            print(f"the program {needed} was not found")
            return 2
    print(version(), flush=True)
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as temporary:
        place = (given.keep or Path(temporary)).resolve()
        inputs = Path(temporary) / "inputs"
        inputs.mkdir()
        known = studies(inputs)
        for name in given.only or [*known, *DOCUMENTS]:
            is_gone = name in known and not known[name].path.exists()
            if is_gone and given.allow_missing:
                print(f"{name}: left out, as {known[name].path} is not there", flush=True)
                continue
            own = [*held(_of_named(name, known, place / name, record=given.record))]
            print(f"{name}: {'holds' if not own else f'{len(own)} faults'}", flush=True)
            for fault in own:
                print(f"  {fault}", flush=True)
            faults += [f"{name}: {fault}" for fault in own]
    if faults:
        print(f"\n{len(faults)} faults:", *faults, sep="\n- ")
    return int(bool(faults))


def _of_named(
    name: str, known: Mapping[str, Study], folder: Path, *, record: bool
) -> Iterator[str]:
    """Yield what is wrong in a study or document."""
    if name not in known and name not in DOCUMENTS:
        yield f"there is no such study; allowed {', '.join((*known, *DOCUMENTS))}"
        return
    if name in known and not known[name].path.exists():
        yield f"{known[name].path} is not there (--allow-missing leaves it out)"
        return
    if folder.exists():
        shutil.rmtree(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    if name in known:
        yield from of_study(known[name], folder, name if record else "")
        return
    if name not in ("starter", "code", "document"):
        folder.mkdir()
    yield from DOCUMENTS[name](folder)


if __name__ == "__main__":
    sys.exit(main())
