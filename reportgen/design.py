"""The experiment as the report describes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from reportgen.document import (
    Author,
    DatasetDesign,
    Design,
    Failure,
    StudyInfo,
)
from reportgen.study.manifest import Study
from reportgen.warehouse import SIZES, Warehouse


def info_of(study: Study) -> StudyInfo:
    """Return what the study is called, and by whom."""
    authors = (Author(a.name, a.affiliation or "", a.orcid or "") for a in study.info.authors)
    return StudyInfo(
        study.name, study.title, tuple(authors), study.info.abstract, study.info.keywords
    )


def design_of(study: Study, warehouse: Warehouse) -> Design:
    """Describe the experiment by what the warehouse holds."""
    datasets = tuple(_dataset(warehouse, name) for name in warehouse.datasets)
    per_dataset = len(warehouse.candidates) * len(warehouse.measures)
    return Design(
        datasets=datasets,
        candidates=warehouse.candidates,
        descriptions=warehouse.descriptions,
        measures=warehouse.measures,
        problem=warehouse.problem,
        resampling=warehouse.resampling,
        seed=study.seed,
        alpha=study.analysis.alpha,
        relevance=study.analysis.relevance,
        n_values=per_dataset * sum(d.n_replications for d in datasets),
        n_missing=sum(d.n_missing for d in datasets),
        failures=tuple(_failures(warehouse)),
        source=study.results.file if study.results else "",
    )


def _dataset(warehouse: Warehouse, name: str) -> DatasetDesign:
    """Count one data set's replications and gaps, and average its sample sizes."""
    rows = warehouse.frame[warehouse.frame["dataset"] == name]
    n_replications = int(rows["replication"].nunique())
    n_cells = n_replications * len(warehouse.candidates) * len(warehouse.measures)
    blocks = rows.drop_duplicates("replication")
    n_learn, n_distinct, n_test = (_mean(blocks[size]) for size in SIZES)
    facts = warehouse.facts.get(name, {})
    return DatasetDesign(
        name,
        n_replications,
        n_cells - int(rows["value"].notna().sum()),
        _count(facts.get("n_observations")),
        _count(facts.get("n_variables")),
        _count(facts.get("n_classes")),
        n_learn,
        n_distinct,
        n_test,
    )


def _count(fact: object) -> int | None:
    return int(fact) if isinstance(fact, (int, float)) else None


def _mean(values: Iterable[float]) -> float | None:
    known = np.asarray(list(values), dtype=float)
    known = known[np.isfinite(known)]
    return float(known.mean()) if len(known) else None


def _failures(warehouse: Warehouse) -> Iterable[Failure]:
    """Count the failed fits by data set, candidate and reason."""
    columns = ["dataset", "candidate", "status", "stage", "message"]
    reasons = Counter(zip(*(warehouse.failures[c].astype(str) for c in columns), strict=True))
    for (dataset, candidate, status, stage, message), count in reasons.items():
        yield Failure(dataset, candidate, status, stage, message, count)
