"""Relations of small warehouses, read as the pipeline does."""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.sections.inference import analysis as inference_analysis
from reportgen.sections.preferences import Options, RelationEntry
from reportgen.sections.preferences.analysis import PreferencesResult, analyse
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse
from tests.sections.reading import by_verdict_alone


def prefer(
    warehouse: Warehouse,
    *entries: dict[str, Any],
    tested: dict[str, Any] | None = None,
    **shared: Any,
) -> PreferencesResult:
    """Read relations; `tested` overrides the options of the tests."""
    rng = np.random.default_rng(0)
    relations = tuple(RelationEntry(**entry) for entry in entries) or None
    found = {}
    if relations is None or any(
        entry.by in ("verdict", "mixed-model", "friedman") for entry in relations
    ):
        options = AnalysisOptions(**{**shared, **(tested or {})})
        with by_verdict_alone():
            found = inference_analysis.analyse(warehouse, options, rng)
    with by_verdict_alone():  # also where the tests are computed anew
        return analyse(warehouse, Options(relations=relations, **shared), rng, inference=found)
