"""Reports of made-up results, and what they say when they are read."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from reportgen.conclusion import conclude
from reportgen.performance_measure import Measure
from reportgen.rendering.composition import Part, compose
from reportgen.rendering.embedding import extras
from reportgen.rendering.names import slug
from reportgen.rendering.render_context import HTML, RenderContext
from reportgen.report import (
    DatasetDesign,
    Design,
    Figure,
    Provenance,
    Report,
    SectionContent,
    StudyInfo,
    Table,
)
from reportgen.sections import find_sections
from reportgen.sections.inference import analysis as inference
from tests.builders import placeholder, warehouse_of

ERROR = Measure("misclassification", "smaller", "share", (0.0, 1.0))
ACCURACY = Measure("accuracy", "larger", "share", (0.0, 1.0))
TIME = Measure("fit-time", "smaller", "s", (0.0, None))
COST = Measure("cost", "smaller", "EUR")
SCORE = Measure("score", "larger", "")

DRAWN = {"eda": ("distribution", "podium"), "inference": ("pairs",)}
OF_OTHERS = {"eda": ("distribution", "podium"), "inference": ()}
SMALL = {"eda": ("podium-small",), "inference": ("pairs-small",)}

SECTIONS = find_sections()

Values = Mapping[Measure, NDArray[np.float64]]


@dataclass(frozen=True)
class Said:
    """What a report says, as plain text.

    Attributes
    ----------
    abstract, order : str
        The paragraph that is written from the conclusion, and the order line under it.
    article, sections : mapping of str to str
        By section, for one data set: what is in the article; that and the supplement.
    remarks : tuple of (str, str)
        Heads and sentences.
    entries : mapping of str to str
        By data set, for several: what an article says of it.
    pages : mapping of (str, str) to str
        By data set and section, for several, where there is more than an entry.
    index, methods, brief_methods : str
    results : mapping of (str, str) to object
        By section and data set.
    tables : tuple of Table
    """

    abstract: str
    order: str
    article: Mapping[str, str]
    sections: Mapping[str, str]
    remarks: tuple[tuple[str, str], ...]
    entries: Mapping[str, str]
    pages: Mapping[tuple[str, str], str]
    index: str
    methods: str
    brief_methods: str
    results: Mapping[tuple[str, str], Any]
    tables: tuple[Table, ...]

    @property
    def whole(self) -> str:
        """Everything, one paragraph a line."""
        texts = (self.abstract, self.order, *self.sections.values(), *self.pages.values())
        told = (f"{head}. {text}" for head, text in self.remarks)
        more = (*told, *self.entries.values(), self.index, self.methods, self.brief_methods)
        return "\n".join((*texts, *more))

    def remark(self, head: str) -> str:
        """Return the one remark with this head."""
        (found,) = [text for of, text in self.remarks if of == head]
        return found

    def paragraph(self, section: str, start: str) -> str:
        """Return the one paragraph of a section that begins so."""
        (found,) = [p for p in self.sections[section].splitlines() if p.startswith(start)]
        return found


def plain(text: object) -> str:
    """Take the tags out of a page: one line a block, tables and drawings left out."""
    page = re.sub(r"<(svg|table)\b.*?</\1>", "", str(text), flags=re.DOTALL)
    page = re.sub(r"<math\b.*?</math>", "[formula]", page, flags=re.DOTALL)
    page = re.sub(r"(?<=[^>\n])\n(?=[^<\n])", " ", page)  # a soft end of a line
    page = re.sub(r'<span class="tools">.*?</span>', "", page, flags=re.DOTALL)
    page = re.sub(r"</(?:p|h\d|figcaption|li|div|small)>", "\n", page)
    page = html.unescape(re.sub(r"<[^>]+>", "", page)).replace("\xa0", " ")
    lines = (re.sub(r"[ \t]+", " ", line).strip() for line in page.splitlines())
    return "\n".join(line for line in lines if line)


@contextmanager
def by_verdict_alone() -> Iterator[None]:
    """Compare candidates by few methods; all others together take far longer."""
    task = inference._Task
    with (
        patch.object(task, "_other_methods", lambda *_: ([], {})),
        patch.object(task, "_of_main", lambda *_: {}),
        patch.object(inference, "effects_of", lambda *_: ()),
    ):
        yield


def placeholders(result: Any, section: str, *, n_datasets: int = 1) -> tuple[Figure, ...]:
    """Return empty drawings of those figures that a section would draw."""
    if section == "preferences":
        return ()
    main, *others = list(result) or [""]
    drawn = [(name, main) for name in SMALL[section] if n_datasets > 1]
    if n_datasets < 6:
        drawn += [(name, main) for name in DRAWN[section]]
        drawn += [(name, measure) for measure in others for name in OF_OTHERS[section]]
    return tuple(
        placeholder(name, measure)
        for name, measure in drawn
        if measure
        if not name.startswith("podium") or result[measure].podium
        if not name.startswith("pairs") or result[measure].pairs
        if n_datasets < 6 or name != "pairs-small" or result[measure].is_drawn_small
    )


def report_of(
    datasets: Mapping[str, Values],
    names: Sequence[str],
    *,
    problem: str | None = None,
    resampling: Mapping[str, object] | None = None,
    relevance: Mapping[str, tuple[float, float]] | None = None,
    only: Iterable[str] = ("eda", "inference"),
    **options: Any,
) -> Report:
    """Analyse made-up values as the pipeline does, without drawing."""
    contents = []
    for name in only:
        section = SECTIONS[name]
        fields = section.options.model_fields
        asked = {k: v for k, v in options.items() if k in fields}
        chosen = section.options(relevance=relevance or {}, **asked)
        results = {}
        for dataset, values in datasets.items():
            warehouse = warehouse_of(values, names, dataset=dataset, n_test=200.0, problem=problem)
            required = {
                need: next(c.result for c in contents if (c.name, c.dataset) == (need, dataset))
                for need in section.requires
            }
            rng = np.random.default_rng(7)
            results[dataset] = section.analyse(warehouse, chosen, rng, **required)
        if section.settles:
            results = section.settle(results, chosen)
        for dataset, result in results.items():
            figures = placeholders(result, name, n_datasets=len(datasets))
            tables = section.tabulate(result)
            is_first = len(datasets) > 1 and dataset == next(iter(datasets))
            overview = section.overview(results) if is_first else ()
            found = SectionContent(name, dataset, result, chosen, figures, tables, overview)
            contents.append(found)
    design = Design(
        datasets=tuple(
            DatasetDesign(d, max(map(len, values.values())), 0) for d, values in datasets.items()
        ),
        candidates=tuple(names),
        descriptions={},
        measures=tuple(next(iter(datasets.values()))),
        problem=problem,  # type: ignore[arg-type]
        resampling=resampling or {},
        seed=7,
        alpha=options.get("alpha", 0.05),
        relevance=relevance or {},
        n_values=1,
        n_missing=0,
    )
    origin = Provenance("2025-11-01", "reportgen run", {}, "", "", {})
    report = Report(StudyInfo("made-up", "Made up"), design, tuple(contents), origin)
    return replace(report, conclusion=conclude(report))


def read(report: Report) -> Said:
    """Write a report and read it: of a section first what is in the article, then the rest."""
    context = RenderContext(report, HTML, (), extras())
    made = compose(context)

    def text(body: object) -> str:
        return plain(context.insert_labels(str(body)))

    def both(part: Part) -> str:
        return "\n".join(filter(None, (text(part.article), text(part.body))))

    pages = made.datasets.parts if made.datasets else ()
    names = {slug(c.name): c.name for c in report.contents}
    return Said(
        abstract=text(made.abstract.text),
        order=text(made.abstract.order),
        article={names[part.anchor]: text(part.article) for part in made.sections},
        sections={names[part.anchor]: both(part) for part in made.sections},
        remarks=tuple((text(remark.head), text(remark.text)) for remark in made.remarks),
        entries={
            dataset.name: text(page.body)
            for dataset, page in zip(report.design.datasets, pages, strict=False)
        },
        pages={
            (dataset.name, names[part.anchor.removeprefix(f"{page.anchor}-")]): both(part)
            for dataset, page in zip(report.design.datasets, pages, strict=False)
            for part in page.parts
        },
        index=text(made.datasets.body) if made.datasets else "",
        methods="\n".join(text(part.body) for part in made.methods),
        brief_methods=text(made.article_methods),
        results={(c.name, c.dataset or ""): c.result for c in report.contents},
        tables=tuple(table for c in report.contents for table in c.tables),
    )


def tell(values: Any, names: Sequence[str], **settings: Any) -> Said:
    """Analyse made-up values, write the report and read it.

    One data set, called "d", may be given by its values alone.
    """
    is_one = all(isinstance(key, Measure) for key in values)
    return read(report_of({"d": values} if is_one else values, names, **settings))


NAMES = ("anna", "bert", "cara", "dora", "emil", "fritz", "gerd", "hans", "ida")

UNSOUND = (
    (r"d(?:o|oes|id) not differ(?! significantly)", "what is not distinguished may well differ"),
    (r"\bNone\b(?! of)|\bnan\b|\binf\b|[Uu]ndefined|Markup|namespace", "a value without words"),
    (r" [,.;:)]|\( |,,|\.\.(?!\.)|\.[A-Z]|,\.|;\.| and \.|  ", "punctuation"),
    (r"(?<![\d.,])1 (?:pairs|replications|values|data sets|differences)\b(?! is)", "one, not many"),
    (r"\b(?:two|three|[2-9]|\d\d+) (?:pair|replication|data set|difference)\b(?! of)", "many"),
    (r"\bno of\b|\bnone are\b|\b1 are\b|\bone are\b|\btwo is\b|\ball are is\b", "number"),
    (r"\ba accuracy|\ba area|\ban mis|\bthe the\b|\bis is\b|\bare are\b", "articles and doubles"),
    (r"\b[tT]arget: |\b(?:this-session|these-(?:sources|tasks)|generating-process)\b", "a key"),
    (r"\\ue|[\ue000-\uf8ff]|\{\{|\{%", "a token that was not put in"),
)
"""What no report may say, whatever its numbers."""


def faults(text: str) -> list[str]:
    """Return what is unsound in a text, with its surroundings."""
    return [
        f"{why}: …{text[max(0, m.start() - 60) : m.end() + 40]}…"
        for pattern, why in UNSOUND
        for m in re.finditer(pattern, text)
    ]


def blocks(
    means: Sequence[float],
    n_blocks: int,
    sd: float = 0.02,
    block_sd: float = 0.01,
    seed: int = 1,
) -> NDArray[np.float64]:
    """Return values of shape (B, K) with exactly these means and residual variance sd ** 2."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(n_blocks, len(means)))
    noise -= noise.mean(axis=0)
    noise -= noise.mean(axis=1, keepdims=True)
    mean_square = (noise**2).sum() / ((n_blocks - 1) * (len(means) - 1))
    level = rng.normal(size=(n_blocks, 1))
    level *= block_sd / max(level.std(ddof=1), 1e-300)
    return np.asarray(means) + noise * (sd / mean_square**0.5) + level - level.mean()
