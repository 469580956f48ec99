"""Run the page of the sources, and make its pictures: docs/gallery/sources/*.png.

python tools/sources.py
python tools/sources.py hull stacked
"""

from __future__ import annotations

import argparse
import io
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "sources.md"
BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n!\[[^\]]*\]\((?P<picture>[^)]+)\))?"
    r"|^\| [^|]+ \| `(?P<call>[^`]+)` \|",
    re.MULTILINE | re.DOTALL,
)
DPI, COLOURS, MARGIN = 110, 32, 14  # px of a margin


def calls(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield the code of a page in its order, each with the picture that follows it."""
    for found in BLOCK.finditer(text):
        yield (found["code"] or found["call"]).strip(), found["picture"]


def evaluate(code: str, names: dict[str, Any]) -> Any:
    """Run code and return the value of an expression; None of statements."""
    try:
        compiled = compile(code, str(PAGE), "eval")
    except SyntaxError:
        exec(compile(code, str(PAGE), "exec"), names)  # the page's own code
        return None
    return eval(compiled, names)


def save(figure: Any, picture: Path) -> None:
    """Save a figure in few colours."""
    raw = io.BytesIO()
    figure.savefig(raw, format="png", dpi=DPI)
    image = Image.open(raw).convert("RGB")
    whole = ImageOps.expand(image, MARGIN, image.getpixel((0, 0)))
    picture.parent.mkdir(parents=True, exist_ok=True)
    whole.quantize(COLOURS, dither=Image.Dither.NONE).save(picture, optimize=True)


def main() -> None:
    """Run the page in a folder of its own, and save what has a picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="pictures, all when left out")
    asked = parser.parse_args().names
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "studies" / "sources", Path(folder, "studies", "sources"))
        os.chdir(folder)
        for code, picture in calls(PAGE.read_text(encoding="utf-8")):
            is_wanted = picture is not None and (not asked or Path(picture).stem in asked)
            if picture is None or is_wanted:
                value = evaluate(code, names)
                if picture is not None:
                    save(value, PAGE.parent / picture)
        os.chdir(ROOT)


if __name__ == "__main__":
    main()
