"""Make what the documents show of real runs: results.json, pictures of reports, the notebook.

Runs studies at small size and takes pictures with Chromium, in few colours to be small.

    python tools/gallery.py
    python tools/gallery.py --chromium /usr/bin/chromium cars sensitivity
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
WIDTH, HEIGHT = 1240, 1600
LARGEST = 150_000  # bytes of a picture
MOST_COLOURS = (128, 64, 32, 16)

FEW = "setup.resampling.replications=40"
PICTURES = {
    "quickstart": (),
    "cars": (),
    "classics": ("setup.resampling.replications=25",),
    "three-scenarios": (FEW,),
    "sensitivity": (FEW,),
    "skeletons": (),
}
"""Studies of the gallery, and what overrules their manifests."""


def take_picture(
    chromium: str, page: Path, picture: Path, height: int = HEIGHT, largest: int = LARGEST
) -> None:
    """Take a picture of the top of a page, with as many colours as fit the largest size."""
    size = f"--window-size={WIDTH},{height}"
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", size]
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder, "page.png")
        command = [chromium, *words, f"--screenshot={raw}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True)
        image = Image.open(raw).convert("RGB")
        for colours in MOST_COLOURS:
            image.quantize(colours, dither=Image.Dither.NONE).save(picture, optimize=True)
            if picture.stat().st_size <= largest:
                return
    raise SystemExit(f"{picture}: more than {largest:,} bytes")


def run(name: str, settings: tuple[str, ...], output: Path) -> Path:
    """Run a study and return its folder."""
    overruled = [word for setting in settings for word in ("--set", setting)]
    study = ROOT / "studies" / f"{name}.yaml"
    words = ["run", str(study), *overruled, "--format", "html", "--output", str(output)]
    subprocess.run([sys.executable, "-m", "reportgen", *words], check=True, cwd=ROOT)
    return output / name


def execute(notebook: Path) -> None:
    """Run a notebook and keep what it gives, without times."""
    import nbformat
    from nbclient import NotebookClient

    found = nbformat.read(notebook, as_version=4)
    NotebookClient(found, record_timing=False).execute()
    found.metadata.language_info = {"name": "python"}
    nbformat.write(found, notebook)


def main() -> None:
    """Run the studies and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="studies; all, and the notebook, when left out")
    parser.add_argument("--chromium", default=shutil.which("chromium") or "chromium")
    asked = parser.parse_args()
    (DOCS / "gallery").mkdir(exist_ok=True)
    for name in asked.names or PICTURES:
        with tempfile.TemporaryDirectory() as output:
            found = run(name, PICTURES[name], Path(output))
            page = found / "report.html"
            take_picture(asked.chromium, page, DOCS / "gallery" / f"{name}.png")
            if name == "quickstart":
                take_picture(asked.chromium, page, DOCS / "report.png", 2050)
                shutil.copy(found / "results.json", DOCS / "results-example.json")
    if not asked.names:
        execute(DOCS / "monks3.ipynb")


if __name__ == "__main__":
    main()
