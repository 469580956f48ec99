"""Pairs on accumulating replications, and reports of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from reportgen.performance_measure import Measure
from reportgen.report import DatasetDesign, Report, SectionContent
from reportgen.sections.sequential import Options
from reportgen.sections.sequential.analysis import Monitoring, SequentialResult, analyse
from reportgen.sections.sequential.figures import tabulate
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of
from tests.sections.reading import ERROR, NAMES, Said, blocks, faults, read, report_of

AREA = {ERROR.name: (-0.01, 0.01)}


def watch(
    values: np.ndarray,
    measure: Measure = ERROR,
    *,
    warehouse: Warehouse | None = None,
    **asked: Any,
) -> SequentialResult:
    """Analyse the values of one measure, by their columns."""
    given = warehouse or warehouse_of({measure: values}, NAMES[: values.shape[1]])
    return analyse(given, Options(**asked), np.random.default_rng(1))


def only(values: np.ndarray, measure: Measure = ERROR, **asked: Any) -> Monitoring:
    """Return what is found of the one measure."""
    (found,) = watch(values, measure, **asked).values()
    return found


def in_stages(
    values: np.ndarray,
    stages: Mapping[str, Any],
    facts: Mapping[str, Any] | None = None,
    measure: Measure = ERROR,
) -> Warehouse:
    """Return a warehouse that was filled in stages; gaps are what was not measured."""
    made = warehouse_of({measure: values}, NAMES[: values.shape[1]])
    frame = made.frame[made.frame["value"].notna()]
    told = {"scheme": "bootstrap", "replications": stages["most"], "stages": dict(stages)}
    return replace(
        made, frame=frame.reset_index(drop=True), resampling=told, facts={"d": dict(facts or {})}
    )


def report(*results: SequentialResult, **asked: Any) -> Report:
    """Return a report of the section alone, one result a data set."""
    entries = [entry for result in results for found in result.values() for entry in found.pairs]
    there = [name for entry in entries for name in (entry.first or "", entry.second or "")]
    names = tuple(dict.fromkeys([*NAMES[:6], *there]))
    base = report_of({"d": {ERROR: blocks([0.1, 0.2], 6)}}, names[:2], only=("inference",))
    many = len(results) > 1
    contents = []
    for i, result in enumerate(results):
        name = f"d{i}" if many else "d"
        made = SectionContent(
            "sequential",
            name,
            result,
            Options(**asked),
            tables=tabulate(result),
        )
        contents.append(made)
    datasets = tuple(DatasetDesign(c.dataset or "", 60, 0) for c in contents)
    design = replace(base.design, datasets=datasets, candidates=names)
    return replace(base, design=design, contents=tuple(contents), conclusion=None)


def say(*results: SequentialResult, **asked: Any) -> Said:
    """Write a report and read it; it must be sound."""
    said = read(report(*results, **asked))
    assert faults(said.whole) == []
    return said
