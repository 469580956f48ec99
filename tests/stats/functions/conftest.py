"""A domain that a report and the functions of arrays analyse."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.pipeline import analyse, measure, open_job, render

SEED = 2011
NAMES = ("lda", "nnet", "rf", "svm")
DATASETS = tuple(f"d{m:02d}" for m in range(12))
SIZE = np.repeat([100, 1000], 6)
B = 20
MEASURES = ("misclassification", "accuracy")
MANIFEST = """
measures: [{name: misclassification, better: smaller}, {name: accuracy, better: larger}]
results:
  file: mine.csv
  characteristics: sizes.csv
  resampling: {scheme: repeated-k-fold, folds: 10}
analysis:
  relevance: {misclassification: [-0.01, 0.01], accuracy: [-0.01, 0.01]}
sections:
  - inference
  - preferences
  - consensus
  - domain
  - psychoanalysis: {resamples: 0}
  - archetypes: {samples: 0}
  - sequential: {stage: 10, orders: 0, measures: [misclassification]}
"""


@dataclass(frozen=True)
class Reported:
    """Values of shape (M, B, K) by measure, and what results.json has of them."""

    values: dict[str, np.ndarray]
    sections: dict[str, Any]


def _values() -> np.ndarray:
    """Error rates: of small data sets the first candidate's are larger."""
    rng = np.random.default_rng(5)
    m, k = len(DATASETS), len(NAMES)
    of_dataset = rng.normal(0.2, 0.03, size=(m, 1, 1)) + rng.normal(0, 0.01, size=(m, 1, k))
    of_size = np.where(SIZE == 100, 0.05, 0.0)[:, None, None] * np.array([1, 0, 0, 0])
    noise = rng.normal(0, 0.01, size=(m, B, 1)) + rng.normal(0, 0.01, size=(m, B, k))
    return (of_dataset + of_size + np.array([0, 0.03, 0.05, 0]) + noise).round(4)


@pytest.fixture(scope="session")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Reported:
    """Report on the domain."""
    folder = tmp_path_factory.mktemp("reported")
    errors = _values()
    values = dict(zip(MEASURES, (errors, (1 - errors).round(4)), strict=True))
    rows = [
        f"{dataset},{b + 1},{name},{measure},{own[m, b, k]:.4f}"
        for measure, own in values.items()
        for m, dataset in enumerate(DATASETS)
        for b in range(B)
        for k, name in enumerate(NAMES)
    ]
    head = "dataset,replication,candidate,measure,value"
    (folder / "mine.csv").write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    sizes = [f"{dataset},{size}" for dataset, size in zip(DATASETS, SIZE, strict=True)]
    (folder / "sizes.csv").write_text("\n".join(["dataset,size", *sizes, ""]), encoding="utf-8")
    (folder / "study.yaml").write_text(MANIFEST, encoding="utf-8")
    job = open_job(folder / "study.yaml", folder / "output")
    warehouse, origin = measure(job)
    report = analyse(job, warehouse, origin, formats=["json"])
    written: list[Path] = render(job, report, ["json"])
    (found,) = (path for path in written if path.name == "results.json")
    return Reported(values, json.loads(found.read_text(encoding="utf-8"))["sections"])
