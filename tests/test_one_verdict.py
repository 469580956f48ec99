"""No report of the example studies says two things of one pair, measure and target.

Their manifests are run as they are, but for fewer replications and performances
that are drawn, not measured: what is decided of them, drawn, written and counted
is the program's own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from reportgen.document import Figure, Report, Series
from reportgen.drawing.canvas import Canvas
from reportgen.execution.pool import SerialExecutor
from reportgen.execution.replication import Cell, Experiment, Outcome
from reportgen.pipeline import analyse, measure, open_job
from reportgen.rendering.markdown import render
from reportgen.sections.domain import subdomains
from tests.sections.reading import SVG, Said, by_verdict_alone, read
from tests.sections.study_verdicts import Study, of_results, of_text
from tests.sections.verdict_counts import counts_of_finding, counts_of_text
from tests.sections.verdicts import _of_sentence, contradictions, of_markdown, verdicts

STUDIES = Path(__file__).parents[1] / "studies"
FEW = 30  # resamples of a consensus
REPLICATIONS: dict[str, Any] = {  # the others have 24
    "classics-adaptive": {"max": 32, "stage": 16, "stop": "both", "drop": "decided"},
    "three-scenarios": 60,
    "sensitivity": 12,
    "toy-separability": 12,
    "classics": 12,
}
EXECUTED = sorted(p.stem for p in STUDIES.glob("*.yaml") if p.stem != "skeletons")


class Drawing(SerialExecutor):
    """Draws the performances of every fit; all else is computed."""

    n_workers = 1
    facts: dict[str, str | int] = {}

    def run(self, work: Any, tasks: Any, timeout: float | None = None) -> Iterator[Any]:
        if not isinstance(work, Experiment):
            yield from super().run(work, tasks, timeout)
            return
        measures = [m.name for m in work.setup.measures] if hasattr(work, "setup") else None
        for cell in tasks:
            yield cell, drawn(cell, measures or [m.name for m in work.measures])


def drawn(cell: Cell, measures: list[str]) -> Outcome:
    """Return performances: a level of the candidate, a data set's own way with it, and noise."""
    candidate = _normal(cell.candidate, size=1)[0]
    own, level = _normal(cell.dataset, cell.candidate, size=2)
    noise = _normal(*cell, size=len(measures))
    shared = _normal(cell.dataset, cell.replication, size=1)[0]
    logit = -1.5 + 0.25 * candidate + 0.1 * own + 0.05 * shared
    values = {
        name: float(
            1 / (1 + np.exp(-logit - 0.04 * e))
            if name == "misclassification"
            else np.exp(candidate + 0.3 * level + 0.2 * e)
        )
        for name, e in zip(measures, noise, strict=True)
    }
    return Outcome("ok", values, sizes=(100, 63, 37), seconds=0.1)


def _normal(*of: object, size: int) -> np.ndarray:
    seed = int.from_bytes(hashlib.sha256(repr(of).encode()).digest()[:8], "big")
    return np.random.default_rng(seed).normal(size=size)


@contextmanager
def undrawn() -> Iterator[None]:
    """Keep the data and words of figures, which take long to draw."""

    def kept(_: Any, name: str, measure: str, __: Any, *, alt: str, data: Series, **___: Any) -> Figure:
        return Figure(name, measure, alt, data, SVG, SVG)

    with (
        patch.object(Canvas, "figure", kept),
        patch.object(subdomains, "N_RESAMPLES", FEW),
        by_verdict_alone(),
    ):
        yield


def settings_of(name: str) -> list[str]:
    """Return what a study is run with: fewer replications, no random orders."""
    if name == "resampling-effect":
        return []
    return [f"setup.resampling.replications={json.dumps(REPLICATIONS.get(name, 24))}"]


@pytest.fixture(scope="module")
def report_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Report]:
    made: dict[str, Report] = {}

    def report(name: str) -> Report:
        if name not in made:
            folder = tmp_path_factory.mktemp("studies")
            job = open_job(STUDIES / f"{name}.yaml", folder, settings_of(name))
            with undrawn(), patch("reportgen.pipeline._executor", lambda *_: Drawing()):
                made[name] = analyse(job, *measure(job), jobs=1)
        return made[name]

    return report
