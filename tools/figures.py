"""Make the contact sheets of the figures on request: docs/gallery/figures-*.png.

Each sheet has every figure that `figures` of a manifest may name, of made-up results: as a light
page, as a dark page, without colours, on a phone, and as readers see it who lack cones for long,
middle or short waves (Machado, Oliveira and Fernandes 2009, full severity).

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

HEIGHT, LARGEST = 4660, 400_000  # px of a sheet; bytes
SHEETS = {
    "light": (0, ""),
    "dark": (1, ""),
    "grey": (0, "filter:grayscale(1);"),
    "phone": (0, ""),
    "protanopia": (0, "filter:url(#protanopia);"),
    "deuteranopia": (0, "filter:url(#deuteranopia);"),
    "tritanopia": (0, "filter:url(#tritanopia);"),
}
"""By name: which colours, and what a browser does to them."""
VISION = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""Linear red, green and blue as they are seen (Machado et al. 2009, table 1, severity 1)."""
NAMES = ("lda", "knn", "rpart", "svm", "nnet", "rf")
EFFECTS = np.array([0.04, 0.03, 0.06, 0.0, 0.02, -0.01])
RULES = """
body{margin:0;padding:20px;background:var(--paper);color:var(--ink);font:14px 'RG Sans'}
main{columns:2;column-gap:28px}
figure{margin:0 0 26px;break-inside:avoid}figcaption{margin-bottom:6px}
svg{width:100%;height:auto;font-family:'RG Sans','RG Signs'}
"""
PHONE_RULES = "main{columns:3}figure{width:350px}"  # as wide as a phone


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


def example(name: str, folder: Path) -> BenchmarkStudy:
    """Return a study of the folder of studies."""
    return reportgen.run(DOCS.parent / "studies" / f"{name}.yaml", folder / name)


def figures(
    study: BenchmarkStudy, *names: str, dataset: str | None = None
) -> Iterator[tuple[str, Figure]]:
    """Yield the figures on request of some sections, of a data set where there are several."""
    sections = find_sections()
    for name in names:
        canvas = Canvas.of(study.candidates, 1, f"{len(study.datasets)}-{name}")
        asking = replace(canvas, requested=frozenset(sections[name].requests))
        for figure in sections[name].draw(study.result(name, dataset), asking):
            if figure.is_requested:
                yield name, figure


def vision() -> str:
    """Write the filters of `VISION`, which browsers apply to linear colours."""
    filters = "".join(
        f"<filter id='{name}'><feColorMatrix values='"
        f"{' '.join(f'{r} {g} {b} 0 0' for r, g, b in matrix)} 0 0 0 1 0'/></filter>"
        for name, matrix in VISION.items()
    )
    return f"<svg style='position:absolute;width:0;height:0'>{filters}</svg>"


def page(found: list[tuple[str, Figure]], sheet: str) -> str:
    """Write a page with all figures."""
    which, style = SHEETS[sheet]
    is_phone = sheet == "phone"
    drawn = "".join(
        f"<figure><figcaption>{escape(section)}: <b>{escape(figure.name)}</b></figcaption>"
        f"{(is_phone and figure.phone) or figure.screen}</figure>"
        for section, figure in found
    )
    colours = css_variables()[which]
    rules = RULES + (PHONE_RULES if is_phone else "")
    head = f"<style>{sans_css()}:root{{{colours}}}{rules}</style>"
    body = f"<body>{vision()}<main style='{style}'>{drawn}</main></body>"
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
            *figures(example("processes", folder), "inference", dataset="parse"),
            *figures(example("sources/separability", folder), "psychoanalysis"),
            *figures(example("toy-separability", folder), "psychoanalysis"),
            *figures(example("sources/skeletons", folder), "archetypes"),
        ]
        once = {(section, figure.name): figure for section, figure in reversed(found)}
        found = [(section, figure) for (section, _), figure in reversed(once.items())]
        every = {(own.name, name) for own in find_sections().values() for name in own.requests}
        if missing := sorted(every - set(once)):
            raise SystemExit(f"figures on request that no study here has: {missing}")
        for sheet in SHEETS:
            file = folder / f"{sheet}.html"
            file.write_text(page(found, sheet), encoding="utf-8")
            picture = DOCS / "gallery" / f"figures-{sheet}.png"
            take_picture(asked.chromium, file, picture, HEIGHT, LARGEST)


if __name__ == "__main__":
    main()
