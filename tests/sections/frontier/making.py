"""Frontiers of made-up values, and what their section says."""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.report import SectionContent
from reportgen.sections.frontier import Options
from reportgen.sections.frontier.analysis import FrontierResult, analyse
from reportgen.sections.frontier.figures import tabulate
from reportgen.sections.inference.analysis import analyse as infer
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse
from tests.builders import placeholder, report_with
from tests.sections.reading import by_verdict_alone
from tests.sections.section_blocks import blocks_of


def find(warehouse: Warehouse, **options: Any) -> FrontierResult:
    """Analyse all measures, with the inference of the one data set."""
    rng = np.random.default_rng(1)
    tested = {}
    if len(warehouse.datasets) == 1:
        with by_verdict_alone():
            tested = {warehouse.datasets[0]: infer(warehouse, AnalysisOptions(), rng)}
    return analyse(warehouse, Options(**options), rng, inference=tested)


def tell(warehouse: Warehouse, **options: Any) -> dict[str, str]:
    """Return what each block of the section says, as plain text."""
    result = find(warehouse, **options)
    figures = [placeholder("frontier", result.shown)] if result.shown else []
    content = SectionContent("frontier", None, result, Options(), tuple(figures), tabulate(result))
    return blocks_of(report_with(warehouse, content), content)
