"""Frontiers of made-up values, and what their section says."""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.rendering.embedding import extras
from reportgen.rendering.render_context import HTML, RenderContext
from reportgen.rendering.template_functions import section_variables
from reportgen.report import SectionContent
from reportgen.sections.frontier import tables
from reportgen.sections.frontier.analysis import analyse
from reportgen.sections.frontier.options import Options
from reportgen.sections.frontier.result import FrontierResult
from reportgen.sections.inference.analysis import analyse as infer
from reportgen.sections.inference.options import Options as InferenceOptions
from reportgen.warehouse import Warehouse
from tests.builders import placeholder, report_with
from tests.sections.reading import by_verdict_alone, plain

BLOCKS = ("title", "article", "article_methods", "body", "methods")


def find(warehouse: Warehouse, **options: Any) -> FrontierResult:
    """Analyse all measures, with the inference of the one data set."""
    rng = np.random.default_rng(1)
    tested = {}
    if len(warehouse.datasets) == 1:
        with by_verdict_alone():
            tested = {warehouse.datasets[0]: infer(warehouse, InferenceOptions(), rng)}
    return analyse(warehouse, Options(**options), rng, inference=tested)


def tell(warehouse: Warehouse, **options: Any) -> dict[str, str]:
    """Return what each block of the section says, as plain text."""
    result = find(warehouse, **options)
    figures = [placeholder("frontier", result.shown)] if result.shown else []
    content = SectionContent(
        "frontier", None, result, Options(), tuple(figures), tables.tabulate(result)
    )
    context = RenderContext(report_with(warehouse, content), HTML, (), extras())
    template = context.text_template("sections/frontier.md.j2")
    variables = section_variables(context, [content], content, 2)
    said = {}
    for name in BLOCKS:
        render = context.line if name == "title" else context.block
        said[name] = plain(context.insert_labels(str(render(template, name, variables))))
    return said
