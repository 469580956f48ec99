"""What the blocks of a section's template say, one by one."""

from __future__ import annotations

from reportgen.rendering.embedding import extras
from reportgen.rendering.render_context import HTML, RenderContext
from reportgen.rendering.template_functions import section_variables
from reportgen.report import Report, SectionContent
from tests.sections.reading import plain

LINES = ("title", "index", "fact")


def blocks_of(report: Report, content: SectionContent) -> dict[str, str]:
    """Return each block of a content's template as plain text.

    Parameters
    ----------
    report : Report
        Holds the content.
    content : SectionContent
    """
    context = RenderContext(report, HTML, (), extras())
    template = context.text_template(f"sections/{content.name}.md.j2")
    variables = section_variables(context, report.of_section(content.name), content, 2)
    said = {}
    for name in template.blocks:
        render = context.line if name in LINES else context.block
        said[name] = plain(context.insert_labels(str(render(template, name, variables))))
    return said
