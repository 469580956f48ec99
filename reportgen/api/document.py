"""The texts of an article, as the cells of a document of Quarto show them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from reportgen import pipeline
from reportgen.data_classes import dataclass
from reportgen.errors import StudyError
from reportgen.file_writing import write_bytes
from reportgen.formats import PROJECT
from reportgen.pipeline import Job
from reportgen.progress import live_progress
from reportgen.rendering.names import slug
from reportgen.rendering.quarto import compose_project
from reportgen.rendering.quarto_executed import parts_of
from reportgen.report import Provenance
from reportgen.study.errors import describe_unknown, listed, shown
from reportgen.warehouse import Warehouse

PICTURE = re.compile(r"^(\s*!\[\]\()figures/(?=[a-z0-9-]+\)\{)", re.MULTILINE)
FURTHER = (
    *("start", "design", "datasets", "remarks", "methods", "provenance", "values"),
    *("missing", "warnings", "choices", "checklists"),
)
"""Parts that an article or a supplement may have beside those of sections."""


class Text(str):
    """A text in Pandoc's Markdown, which notebooks and Quarto show as what it means."""

    __slots__ = ()

    def _repr_markdown_(self) -> str:
        return str(self)


@dataclass(frozen=True, slots=True)
class Document:
    """The parts of an article or of its supplement, in Pandoc's Markdown for Quarto.

    Figures and tables have the labels of the project, to which any text refers.

    Attributes
    ----------
    abstract : Text
        The question and what came out, under a heading; empty of a supplement.
    parts : mapping of str to Text
        By the anchors of their headings, such as "design" and "inference"; "start" is what stands
        before the first.
    """

    abstract: Text
    parts: Mapping[str, Text]
    names: frozenset[str]

    def part(self, *names: str) -> Text:
        """Return parts by name; one that the study could have and has not is empty.

        Raises
        ------
        StudyError
            If there is no such part.
        """
        for name in names:
            if name not in self.names:
                raise StudyError(describe_unknown("part", name, sorted(self.names)))
        return Text("\n\n".join(self.parts[name] for name in names if name in self.parts))

    def others(self, *names: str) -> Text:
        """Return all parts but those with these names."""
        return self.part(*(name for name in self.parts if name not in names))


def document_of(
    job: Job,
    warehouse: Warehouse,
    origin: Provenance,
    stem: Literal["index", "supplement"],
    folder: Path | None,
) -> Document:
    """Return the texts of a study's article or supplement; its drawings are written."""
    with live_progress():
        report = pipeline.analyse(job, warehouse, origin, jobs=1, formats=[PROJECT])
    project = compose_project(report, pipeline.template_folders(job))
    if stem not in project.bodies:
        allowed = listed(tuple(project.bodies))
        raise StudyError(f"document(stem=…): found {shown(stem)}; allowed {allowed}")
    place = folder or Path("figures") / f"alpha-{report.design.alpha:g}"
    body = PICTURE.sub(lambda found: f"{found[1]}{place.as_posix()}/", project.whole(stem))
    for name, data in project.pieces.pictures.items():
        path = place / Path(name).name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, data)
    parts = {name: Text(text) for name, text in parts_of(body).items()}
    told = project.abstract() if stem == "index" else ""
    names = {*FURTHER, *parts, *(slug(name) for name in job.sections)}
    head = f"# Abstract {{.unnumbered}}\n\n{told}" if told else ""
    return Document(Text(head), parts, frozenset(names))
