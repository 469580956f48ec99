"""How long reports are: pages, words, empty paper, main figures and tables.

Pages, words and pictures are read from the PDF by Poppler.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

EMPTIEST = 0.2  # share of a page of the article that may stay empty, but of the last
EMPTIEST_OF_SUPPLEMENT = 0.4  # the same of its pages
ROUNDING = 0.01  # a line of pixels, and the rounding of the margins
MARGINS = 19 / 297, 18 / 297  # above and below the type area, of an A4 page
DARK = 200  # grey levels below this are ink


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


def check_budget(folder: Path, budget: Budget, pictures: Path) -> None:
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
