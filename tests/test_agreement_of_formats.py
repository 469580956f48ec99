"""A page and a PDF of a report have the same numbers and words; estimates lie in intervals."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reportgen.cli import main
from tests.builders import (
    brief_results,
    few_results,
    gapped_results,
    pair_results,
    single_results,
    timed_single_results,
)

FILES: dict[str, Callable[[Path], Path]] = {
    "few": few_results,
    "pair": pair_results,
    "brief": brief_results,
    "gapped": gapped_results,
    "single": single_results,
    "single-timed": timed_single_results,
}
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*\.\d+(?![\w])")  # with decimals: pages have numbers, too
PAPER = {"page", "supplement"}  # words that only pages of paper have
ROUNDING = 1e-12  # of a limit that is the estimate, relative to the scale

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("pdftotext") is None, reason="Poppler is not installed"),
]


def text_of_page(text: str, *, is_drawn: bool) -> str:
    """Return what a page says, with the words of its drawings or without."""
    left_out = "script|style|math" if is_drawn else "script|style|math|svg"
    text = re.sub(rf"<({left_out})\b.*?</\1>", " ", text, flags=re.DOTALL)
    blocks = "td|th|p|div|text|tspan|figcaption|li|dd|dt|h[1-6]|tr|option|summary"
    return html.unescape(re.sub(r"<[^>]+>", "", re.sub(rf"<({blocks})\b", r" <\1", text)))


def text_of_paper(folder: Path) -> str:
    """Return what the article and its supplement say in print."""
    files = [folder / "report.pdf", folder / "supplement.pdf"]
    return "\n".join(
        subprocess.run(["pdftotext", file, "-"], capture_output=True, text=True, check=True).stdout
        for file in files
        if file.exists()
    )


def letters(text: str) -> str:
    """Return the letters alone, so that no hyphen or space matters."""
    return re.sub(r"[^a-z]", "", text.lower())


def intervals(found: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield all that has an estimate and two limits."""
    if isinstance(found, dict):
        if all(isinstance(found.get(key), float) for key in ("lower", "upper", "estimate")):
            yield path, found
        for key, value in found.items():
            yield from intervals(value, f"{path}/{key}")
    elif isinstance(found, list):
        for i, value in enumerate(found):
            yield from intervals(value, f"{path}/{i}")


@pytest.mark.parametrize("name", FILES)
def test_page_and_paper_say_the_same_and_estimates_lie_in_their_intervals(
    name: str, tmp_path: Path
) -> None:
    file = FILES[name](tmp_path / f"{name}.csv")
    words = ["run", str(file), "--output", str(tmp_path / "out"), "--format", "html,pdf"]
    answer = CliRunner().invoke(main, words, catch_exceptions=False)
    assert answer.exit_code == 0, answer.stderr
    folder = tmp_path / "out" / name

    page, paper = (folder / "report.html").read_text(encoding="utf-8"), text_of_paper(folder)
    said = set(NUMBER.findall(text_of_page(page, is_drawn=False)))
    drawn = set(NUMBER.findall(text_of_page(page, is_drawn=True)))
    printed = set(NUMBER.findall(paper))
    assert len(said) > 10
    assert said - printed == set()
    assert printed - drawn == set()
    of_page = letters(text_of_page(page, is_drawn=True))
    of_paper = set(re.findall(r"[a-z]{4,}", re.sub(r"-\n", "", paper).lower()))
    assert {word for word in of_paper if word not in of_page} <= PAPER

    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    found = list(intervals(results))
    assert found
    for path, row in found:
        slack = ROUNDING * max(1.0, abs(row["estimate"]))
        assert row["lower"] - slack <= row["estimate"] <= row["upper"] + slack, path
