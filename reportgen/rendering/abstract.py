"""The abstract of a report: the question, a paragraph written from the conclusion, the order."""

from __future__ import annotations

import re
from typing import Any

from markupsafe import Markup

from reportgen.data_classes import dataclass
from reportgen.rendering.markup import paragraphs
from reportgen.rendering.render_context import Remark, RenderContext
from reportgen.rendering.template_functions import TemplateFunctions

TEMPLATE = "document/abstract.md.j2"
QUESTION = re.compile(r"""\?(?:[\s"'”’»)*_\]\\<]|&(?:#3[49]|quot);|\Z)""")  # in no address


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

    @property
    def asks(self) -> bool:
        """Whether the study's own abstract asks something."""
        return any(QUESTION.search(paragraph) for paragraph in self.question)


def write_abstract(context: RenderContext) -> Abstract:
    """Write the abstract in the form of a back end."""
    report = context.report
    question = tuple(
        Markup(context.back_end.guest(part)) for part in paragraphs(report.study.abstract)
    )
    if report.conclusion is None and not report.section_faults:
        return Abstract(question, *[Markup("")] * 4)
    template = context.text_template(TEMPLATE)
    variables = _variables(context)
    parts = ("abstract", "order_label", "order", "order_key")
    if report.conclusion is None:
        lost = context.line(template, "lost", variables)
        return Abstract(question, lost, *[Markup("")] * 3)
    return Abstract(question, *(context.line(template, name, variables) for name in parts))


def write_limits(context: RenderContext) -> list[Remark]:
    """Write what ends the article: limits of what is shown, and when to use which."""
    if context.report.conclusion is None:
        return []
    template, variables = context.text_template(TEMPLATE), _variables(context)
    heads = {"limits": "Limits", "use": "When to use which"}
    found = ((head, context.line(template, name, variables)) for name, head in heads.items())
    return [Remark(Markup(head), text) for head, text in found if text]


def _variables(context: RenderContext) -> dict[str, Any]:
    report = context.report
    return {
        "c": report.conclusion,
        "faults": report.section_faults,
        "lacks_verdict": report.lacks_verdict,
        "design": report.design,
        **TemplateFunctions(context, None).functions(),
    }
