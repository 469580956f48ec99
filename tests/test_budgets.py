"""How long reports are: pages, words, empty paper, main figures and tables, by kind of report.

The studies are run with few replications where that changes no page; pages, words and pictures are
read from the PDF by Poppler.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from reportgen.cli import main
from tests.builders import (
    brief_results,
    few_results,
    gapped_results,
    pair_results,
    single_results,
    timed_single_results,
)
from tests.rendering import as_quarto

ROOT = Path(__file__).parents[1]
UCI = ROOT.parent / "shared" / "reference" / "data" / "uci621raw.csv"
DOMAIN = ROOT.parent / "shared" / "cases" / "report" / "domain-31" / "dom31.csv"
EMPTIEST = 0.2  # share of a page of the article that may stay empty, but of the last
EMPTIEST_OF_SUPPLEMENT = 0.4  # the same of its pages
ROUNDING = 0.01  # a line of pixels, and the rounding of the margins
MARGINS = 19 / 297, 18 / 297  # above and below the type area, of an A4 page
DARK = 200  # grey levels below this are ink

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="Poppler is not installed"),
]


@dataclass(frozen=True, slots=True)
class Budget:
    """What a report may take.

    Attributes
    ----------
    pages, supplement : int
        At most; the supplement's are a third of the pages that the report had in version 0.1,
        0 where there is none.
    exhibits : int
        Figures and tables of the article, at most.
    emptiest : float
        Share of a page of the article that may stay empty, but of the last.
    emptiest_of_supplement : float
        The same of the supplement.
    """

    pages: int
    supplement: int
    exhibits: int
    emptiest: float = EMPTIEST
    emptiest_of_supplement: float = EMPTIEST_OF_SUPPLEMENT


STUDIES = {
    "quickstart": (Budget(4, 8, 6), ()),
    "cars": (Budget(5, 7, 6), ()),
    "toy-separability": (Budget(6, 7, 7), ()),
    "sensitivity": (Budget(4, 11, 5), ()),
    "three-scenarios": (Budget(6, 5, 7), ()),
    "classics": (Budget(7, 14, 10), ("--set", "setup.resampling.replications=12")),
    "skeletons": (Budget(4, 2, 6), ()),
    "assistants": (Budget(5, 10, 10), ()),
    "battles": (Budget(4, 6, 7), ()),
    "battles-looks": (Budget(4, 7, 7), ()),
    "families": (Budget(7, 22, 11), ()),
    "variation": (Budget(5, 7, 8, emptiest=0.22), ()),
    "pilot": (Budget(5, 7, 8), ()),
    "new-method": (Budget(5, 11, 7), ()),
    "processes": (Budget(3, 6, 5), ()),
    "prompts": (Budget(6, 10, 10), ()),
}
FILES: dict[str, tuple[Budget, Callable[[Path], Path]]] = {
    "few": (Budget(3, 0, 4), few_results),
    "pair": (Budget(3, 0, 4), pair_results),
    "brief": (Budget(3, 0, 4), brief_results),
    "gapped": (Budget(8, 17, 10), gapped_results),
    "single": (Budget(5, 0, 8), single_results),
    "single-timed": (Budget(6, 1, 9), timed_single_results),
}


def run(study: Path, folder: Path, *more: str) -> Path:
    """Report a study and return its folder."""
    words = ["run", str(study), "--output", str(folder), "--format", "pdf", *more]
    answer = CliRunner().invoke(main, words, catch_exceptions=False)
    assert answer.exit_code == 0, answer.stderr
    return next(path for path in folder.iterdir() if path.is_dir())


def n_pages(file: Path) -> int:
    """Return the number of pages of a PDF."""
    told = subprocess.run(["pdfinfo", file], capture_output=True, text=True, check=True).stdout
    return int(re.findall(r"Pages:\s+(\d+)", told)[0])


def text_of(file: Path) -> str:
    """Return the words of a PDF."""
    words = ["pdftotext", file, "-"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def empty_shares(file: Path, folder: Path) -> list[float]:
    """Return which share of the type area stays empty at the foot of each page."""
    subprocess.run(["pdftoppm", "-r", "30", "-gray", file, folder / file.stem], check=True)
    shares = []
    for picture in sorted(folder.glob(f"{file.stem}*.pgm")):
        ink = np.asarray(Image.open(picture)) < DARK
        height = len(ink)
        top, end = round(height * MARGINS[0]), round(height * (1 - MARGINS[1]))
        rows = np.flatnonzero(ink[top:end].any(axis=1))
        shares.append(1 - (rows.max() + 1) / (end - top))
    return shares


def check(folder: Path, budget: Budget, pictures: Path) -> None:
    """Hold a report against its budget."""
    article, supplement = folder / "report.pdf", folder / "supplement.pdf"
    assert n_pages(article) <= budget.pages
    assert supplement.exists() == bool(budget.supplement)
    assert not budget.supplement or n_pages(supplement) <= budget.supplement
    labels = set(re.findall(r"^(?:Figure|Table) \d+\.", text_of(article), re.MULTILINE))
    assert len(labels) <= budget.exhibits
    shares = empty_shares(article, pictures)[:-1]
    assert all(share <= budget.emptiest + ROUNDING for share in shares), shares
    if budget.supplement:
        shares = empty_shares(supplement, pictures)[:-1]
        assert all(share <= budget.emptiest_of_supplement + ROUNDING for share in shares), shares


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_keeps_its_budget_and_is_a_document_in_all_formats(
    name: str, tmp_path: Path
) -> None:
    budget, more = STUDIES[name]
    study = ROOT / "studies" / f"{name}.yaml"
    folder = run(study, tmp_path / "out", "--format", "pdf,qmd", *more)
    as_quarto.check_formats(folder / "quarto" / "index.qmd")
    check(folder, budget, tmp_path)


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_results_keeps_its_budget(name: str, tmp_path: Path) -> None:
    budget, write = FILES[name]
    check(run(write(tmp_path / f"{name}.csv"), tmp_path / "out"), budget, tmp_path)


@pytest.mark.parametrize("name", ["few", "single"])
def test_nothing_speaks_of_a_supplement_that_is_not_there(name: str, tmp_path: Path) -> None:
    folder = run(FILES[name][1](tmp_path / f"{name}.csv"), tmp_path / "out", "--format", "html,md")
    assert not (folder / "supplement.pdf").exists()
    for file in ("report.html", "report.md"):
        text = (folder / file).read_text(encoding="utf-8")
        words = re.sub(r"<(style|script)\b.*?</\1>", "", text, flags=re.DOTALL)
        assert "upplement" not in words
        assert "<summary>More" not in words
        assert not re.search(r"\b(?:Table|Figure) S\d", words)


@pytest.mark.skipif(not UCI.exists(), reason="the reference data are not there")
def test_21_data_sets_keep_their_budget(tmp_path: Path) -> None:
    check(run(UCI, tmp_path / "out"), Budget(6, 16, 10), tmp_path)


@pytest.mark.skipif(not DOMAIN.exists(), reason="the shared cases are not there")
def test_31_data_sets_keep_their_budget(tmp_path: Path) -> None:
    check(run(DOMAIN, tmp_path / "out"), Budget(7, 20, 10), tmp_path)
