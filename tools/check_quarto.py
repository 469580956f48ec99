"""Render reports by the program Quarto in all formats at once, and read what it has made.

    QUARTO_PATH=PATH/TO/quarto python tools/check_quarto.py
    python tools/check_quarto.py --only long-names --keep FOLDER --record

It needs the program (`QUARTO_PATH`, or in PATH), LaTeX and Poppler. Each study is rendered to HTML,
LaTeX's PDF, Typst's PDF and Word by one command. Checked: the exit code; every file that is printed
is there; no "??" is in a PDF; no figure or table is lost; each number of each table is in the text
of each PDF; points are in the pixels; nothing of a name has run. `--record` keeps what the program
and LaTeX have said in `tests/rendering/quarto_runs/`, which the tests of the log's reader read.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from reportgen.rendering.quarto_program import LATEX_FILES, find_program, whole_text

ROOT = Path(__file__).parent.parent
RUNS = ROOT / "tests" / "rendering" / "quarto_runs"
FORMATS = "quarto-html,quarto-pdf,quarto-typst,quarto-docx"
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
ENTITY = re.compile(r"&#(\d+);")
MOST = 8  # faults of a kind that are listed


def results(place: Path, names: Sequence[str], n_datasets: int) -> Path:
    """Write made-up errors of candidates."""
    rng = np.random.default_rng(1)
    lines = ["dataset,replication,candidate,measure,value"]
    for d in range(n_datasets):
        for b in range(25):
            for k, name in enumerate(names):
                value = 0.3 + 0.03 * k + 0.02 * d + rng.normal(0, 0.02)
                quoted = name.replace('"', '""')
                lines.append(f'task{d},{b},"{quoted}",error,{value:.4f}')
    path = place / "r.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def studies(place: Path) -> dict[str, tuple[Path, tuple[str, ...]]]:
    """Return the studies, by name: a file, and more words of the command."""
    found: dict[str, tuple[Path, tuple[str, ...]]] = {}
    for name, names, n in (("long-names", MODELS, 8), ("hostile-names", HOSTILE, 1)):
        folder = place / name
        folder.mkdir()
        found[name] = (results(folder, names, n), ())
    own = ROOT / "studies"
    found["quickstart"] = (own / "quickstart.yaml", ("--set", "setup.resampling.replications=25"))
    shared = ROOT.parent / "shared"
    further = {
        "uci621raw": shared / "reference" / "data" / "uci621raw.csv",
        "items": shared / "cases" / "runs" / "wide-items" / "wide_items.yaml",
    }
    return found | {name: (path, ()) for name, path in further.items() if path.exists()}


def faults(study: Path, words: Sequence[str], folder: Path, record: str) -> Iterator[str]:
    """Render a study; yield what is wrong."""
    command = [sys.executable, "-m", "reportgen", "run", str(study), "--output", str(folder)]
    env = {**os.environ, "SECRET_TOKEN": SECRET}
    done = subprocess.run(
        [*command, "--format", FORMATS, *words],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    if record:
        _keep(record, done.stderr, folder)
    if done.returncode:
        yield f"exit code {done.returncode}: {done.stderr.strip()[-2000:]}"
    printed = [Path(line) for line in done.stdout.splitlines() if line.startswith(str(folder))]
    if not printed:
        yield "no file is printed"
    yield from (f"{path} is printed and not there" for path in printed if not path.exists())
    there = [path for path in printed if path.exists()]
    for path in there:
        if path.suffix == ".pdf":
            yield from _of_pdf(path)
        if path.suffix == ".html":
            yield from _of_page(path)
    yield from (f"{p}: a name has run" for p in there if SECRET.encode() in p.read_bytes())
    documents = {path.name for path in there if path.parent.name == "quarto"}
    wanted = {f"{stem}{end}" for stem in ("index",) for end in (".html", ".pdf", ".docx")}
    yield from (f"{name} is missing" for name in sorted({*wanted, "index-typst.pdf"} - documents))


def _of_pdf(path: Path) -> Iterator[str]:
    """Yield what a PDF lacks of its document."""
    document = path.with_suffix(".qmd")
    told = subprocess.run(["pdftotext", "-layout", path, "-"], capture_output=True, check=True)
    text = told.stdout.decode("utf-8", errors="replace")
    if "??" in text or "?@" in text:
        yield f"{path.name}: has ??"
    if SECRET in text:
        yield f"{path.name}: a name has run"
    source = whole_text(document)
    plain = ENTITY.sub(lambda found: chr(int(found[1])), "\n".join(ROW.findall(source)))
    lost = sorted(set(NUMBER.findall(plain)) - set(NUMBER.findall(text)))
    if lost:
        yield f"{path.name}: {len(lost)} numbers of tables are lost: {', '.join(lost[:MOST])}"
    placed = PLACED.findall(source)
    for kind, word in (("fig", "Figure"), ("tbl", "Table")):
        wanted = sum(name.startswith(kind) for name in placed)
        found = {int(n) for n in re.findall(rf"{word}[\s\u00a0]+S?(\d+)[:.]", text)}
        gone = sorted(set(range(1, wanted + 1)) - found)
        if gone:
            yield f"{path.name}: no caption of {word} {', '.join(map(str, gone[:MOST]))}"
    yield from _of_pixels(path, placed)


def _of_pixels(path: Path, placed: Sequence[str]) -> Iterator[str]:
    """Yield where a strip plot's points are not in the pixels: hardly any colour at half ink."""
    if not any("eda-distribution" in name for name in placed):
        return
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        words = ["pdftoppm", "-png", "-r", "100", path, f"{folder}/p"]
        subprocess.run(words, check=True)
        n_coloured = 0
        for file in Path(folder).glob("p*.png"):
            pixels = np.asarray(Image.open(file).convert("HSV"), dtype=int)
            n_coloured += int(((pixels[..., 1] > 60) & (pixels[..., 2] > 120)).sum())
    if n_coloured < 300:
        yield f"{path.name}: hardly a point in colour ({n_coloured} pixels)"


def _of_page(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    if re.search(r"\?@(?:fig|tbl|sec)-|\?\?", re.sub(r"<script.*?</script>", "", text, flags=re.S)):
        yield f"{path.name}: has an unresolved reference"
    names = PLACED.findall(whole_text(path.with_suffix(".qmd")))
    yield from (f"{path.name}: no {name}" for name in names if f'id="{name}"' not in text)


def _keep(name: str, said: str, folder: Path) -> None:
    """Keep what the program and LaTeX have said, without the paths of this machine."""
    RUNS.mkdir(exist_ok=True)
    texts = {f"{name}.txt": said}
    for project in folder.glob("*/quarto"):
        for ending in LATEX_FILES[:2]:
            for file in project.glob(f"*{ending}"):
                texts[f"{name}-{file.name}"] = file.read_text(encoding="utf-8", errors="replace")
    for file, text in texts.items():
        places = "|".join(map(re.escape, (str(folder), str(ROOT), str(Path.home()))))
        (RUNS / file).write_text(re.sub(places, "…", text), encoding="utf-8")


def main() -> int:
    """Check all studies, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], help="names of studies")
    parser.add_argument("--keep", type=Path, help="a folder for the reports")
    parser.add_argument("--record", action="store_true", help="keep what was said for the tests")
    given = parser.parse_args()
    if find_program() is None:
        print("the program quarto was not found: QUARTO_PATH names it")
        return 2
    n_faults = 0
    with tempfile.TemporaryDirectory() as temporary:
        place = given.keep or Path(temporary)
        inputs = Path(temporary) / "inputs"
        inputs.mkdir()
        for name, (study, words) in studies(inputs).items():
            if given.only and name not in given.only:
                continue
            found = list(faults(study, words, place / name, name if given.record else ""))
            print(f"{name}: {'holds' if not found else ''}", *found, sep="\n  ", flush=True)
            n_faults += len(found)
    return int(n_faults > 0)


if __name__ == "__main__":
    sys.exit(main())
