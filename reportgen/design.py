"""The experiment as the report describes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from reportgen.document import (
    Author,
    Chosen,
    DatasetDesign,
    Design,
    Failure,
    StudyInfo,
    Warned,
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
        warnings=tuple(_warnings(warehouse)),
        choices=tuple(_choices(warehouse)),
        source=study.results.path if study.results else "",
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


def _warnings(warehouse: Warehouse) -> Iterable[Warned]:
    """Count the warnings by data set, candidate and text."""
    remarks = warehouse.remarks
    rows = remarks[remarks["kind"] == "warning"]
    found = Counter(
        zip(*(rows[c].astype(str) for c in ("dataset", "candidate", "value")), strict=True)
    )
    for (dataset, candidate, message), count in found.items():
        yield Warned(dataset, candidate, message, count)


def _choices(warehouse: Warehouse) -> Iterable[Chosen]:
    """Summarise the values of every hyperparameter that was chosen."""
    remarks = warehouse.remarks
    rows = remarks[remarks["kind"] == "choice"]
    for (dataset, candidate, name), group in rows.groupby(
        ["dataset", "candidate", "name"], sort=False
    ):
        counts = Counter(group["value"].astype(str))
        mode, count = counts.most_common(1)[0]
        ends = _ends(list(counts))
        yield Chosen(
            str(dataset), str(candidate), str(name), mode, count, len(group), len(counts), *ends
        )


def _ends(values: list[str]) -> tuple[str | None, str | None]:
    """Return the least and the greatest number; None where not all are numbers."""
    try:
        ordered = sorted(values, key=float)
    except ValueError:
        return None, None
    return ordered[0], ordered[-1]
