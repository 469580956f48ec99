"""The abstract of a report: the question, a paragraph written from the conclusion, the order."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from reportgen.rendering.markup import paragraphs
from reportgen.rendering.render_context import RenderContext
from reportgen.rendering.template_functions import TemplateFunctions

TEMPLATE = "document/abstract.md.j2"


@dataclass(frozen=True, slots=True)
class Abstract:
    """What stands before the design."""

    question: tuple[Markup, ...]  # paragraphs of the study's own abstract
    text: Markup  # the paragraph that is written from the conclusion; empty without one
    # order_label, order, order_key: What puts the candidates in order, the line, and what its signs
    # mean; empty without a line.
    order_label: Markup
    order: Markup
    order_key: Markup


def write_abstract(context: RenderContext) -> Abstract:
    """Write the abstract in the form of a back end."""
    report = context.report
    question = tuple(
        Markup(context.back_end.guest(part)) for part in paragraphs(report.study.abstract)
    )
    if report.conclusion is None and not report.section_faults:
        return Abstract(question, *[Markup("")] * 4)
    template = context.text_template(TEMPLATE)
    variables = {
        "c": report.conclusion,
        "faults": report.section_faults,
        "lacks_verdict": report.lacks_verdict,
        "design": report.design,
        **TemplateFunctions(context, None).functions(),
    }
    parts = ("abstract", "order_label", "order", "order_key")
    if report.conclusion is None:
        lost = context.line(template, "lost", variables)
        return Abstract(question, lost, *[Markup("")] * 3)
    return Abstract(question, *(context.line(template, name, variables) for name in parts))
