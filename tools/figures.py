"""Make the contact sheets of the figures on request: docs/gallery/figures-*.png.

Each sheet has every figure that `figures` of a manifest may name, of made-up results: as a light
page, as a dark page, and without colours.

    python tools/figures.py
    python tools/figures.py --chromium /usr/bin/chromium
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from pathlib import Path

import numpy as np
from gallery import DOCS, take_picture

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.drawing import Canvas, css_variables
from reportgen.rendering.fonts import sans_css
from reportgen.report import Figure
from reportgen.sections import find_sections

HEIGHT, LARGEST = 3920, 400_000  # px of a sheet; bytes
SHEETS = {"light": (0, ""), "dark": (1, ""), "grey": (0, "filter:grayscale(1);")}
"""By name: which colours, and what a browser does to them."""
NAMES = ("lda", "knn", "rpart", "svm", "nnet", "rf")
EFFECTS = np.array([0.04, 0.03, 0.06, 0.0, 0.02, -0.01])
RULES = """
body{margin:0;padding:20px;background:var(--paper);color:var(--ink);font:14px 'RG Sans'}
main{columns:2;column-gap:28px}
figure{margin:0 0 26px;break-inside:avoid}figcaption{margin-bottom:6px}
svg{width:100%;height:auto;font-family:'RG Sans','RG Signs'}
"""


def one_dataset() -> BenchmarkStudy:
    """Return results of 150 replications of one data set."""
    rng = np.random.default_rng(3)
    block = rng.normal(0.3, 0.02, (150, 1))
    values = block + EFFECTS[:4] / 3 + rng.normal(0, [0.02, 0.03, 0.02, 0.01], (150, 4))
    errors = dict(zip(NAMES, values.T, strict=False))
    return reportgen.compare(errors, measure="misclassification", relevance=0.01)


def domain() -> BenchmarkStudy:
    """Return results of twelve data sets."""
    rng = np.random.default_rng(11)
    values = {}
    for letter in "ABCDEFGHIJKL":
        own = rng.uniform(0.05, 0.35) + EFFECTS + rng.normal(0, 0.015, 6)
        matrix = own + rng.normal(0, 0.015, (20, 1)) + rng.normal(0, 0.012, (20, 6))
        values[f"set {letter}"] = dict(zip(NAMES, np.clip(matrix, 0, 1).T, strict=True))
    return reportgen.compare(values, measure="misclassification", relevance=0.01)


def table(folder: Path) -> BenchmarkStudy:
    """Return the archetypes of a table of two columns."""
    rng = np.random.default_rng(5)
    corners = np.array([[1, 1], [8, 2], [4, 9]])
    rows = rng.dirichlet([0.6, 0.6, 0.6], 120) @ corners + rng.normal(0, 0.15, (120, 2))
    lines = [f"row {i},{x},{y}" for i, (x, y) in enumerate(rows.tolist())]
    (folder / "table.csv").write_text("\n".join(["row,width,height", *lines]) + "\n")
    manifest = folder / "table.yaml"
    manifest.write_text(
        "study: {title: A table}\nresults: {table: table.csv, label: row}\n"
        "sections: [{archetypes: {k: 3}}]\n"
    )
    return reportgen.run(manifest, folder)


def sources(name: str, folder: Path) -> BenchmarkStudy:
    """Return a study of the page of the sources."""
    return reportgen.run(DOCS.parent / "studies" / "sources" / f"{name}.yaml", folder / name)


def figures(study: BenchmarkStudy, *names: str) -> Iterator[tuple[str, Figure]]:
    """Yield the figures on request of some sections."""
    sections = find_sections()
    for name in names:
        canvas = Canvas.of(study.candidates, 1, f"{len(study.datasets)}-{name}")
        asking = replace(canvas, requested=frozenset(sections[name].requests))
        for figure in sections[name].draw(study.result(name), asking):
            if figure.is_requested:
                yield name, figure


def page(found: list[tuple[str, Figure]], which: int, style: str) -> str:
    """Write a page with all figures."""
    drawn = "".join(
        f"<figure><figcaption>{escape(section)}: <b>{escape(figure.name)}</b></figcaption>"
        f"{figure.screen}</figure>"
        for section, figure in found
    )
    colours = css_variables()[which]
    head = f"<style>{sans_css()}:root{{{colours}}}{RULES}</style>"
    body = f"<body style='{style}'><main>{drawn}</main></body>"
    return f"<!doctype html><meta charset=utf-8>{head}{body}"


def main() -> None:
    """Draw all figures on request, and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chromium", default=shutil.which("chromium") or "chromium")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = [
            *figures(one_dataset(), "eda", "inference", "preferences", "sequential"),
            *figures(domain(), "domain", "archetypes"),
            *figures(table(folder), "archetypes"),
            *figures(sources("separability", folder), "psychoanalysis"),
            *figures(sources("skeletons", folder), "archetypes"),
        ]
        once = {(section, figure.name): figure for section, figure in reversed(found)}
        found = [(section, figure) for (section, _), figure in reversed(once.items())]
        for sheet, (which, style) in SHEETS.items():
            file = folder / f"{sheet}.html"
            file.write_text(page(found, which, style), encoding="utf-8")
            picture = DOCS / "gallery" / f"figures-{sheet}.png"
            take_picture(asked.chromium, file, picture, HEIGHT, LARGEST)


if __name__ == "__main__":
    main()
