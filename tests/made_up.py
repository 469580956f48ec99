"""Small studies of made-up values, one a kind of report, and all that their reports say."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from reportgen.api.study import BenchmarkStudy
from reportgen.performance_measure import Measure
from reportgen.pipeline import Job, analyse, open_job
from reportgen.rendering.composition import Part, compose
from reportgen.rendering.embedding import extras
from reportgen.rendering.render_context import HTML, RenderContext
from reportgen.report import Provenance, Report
from reportgen.section_runner import chosen_sections
from reportgen.study.stages import Stages
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of
from tests.conclusion import cases
from tests.sections.archetypes import making as triangles
from tests.sections.psychoanalysis import making
from tests.sections.reading import ERROR, blocks
from tests.sections.sequential import watched
from tests.test_one_verdict import undrawn

SENTENCE_END = re.compile(r"(?<=[a-z)%\d#]\.)(?<!\bsec\.)(?<!\bch\.) (?=[^\d])")
NUMBER = re.compile(r"\d[\d,]*\.\d+(?:[eE][+-]?\d+)?")
TRIO = ("anna", "bert", "cara")
FOUR = (*TRIO, "dora")
QUICK = ("eda", "inference", "preferences", "consensus", "sequential", "frontier", "domain")
VERSIONS = {"Python": "3.11.7", "numpy": "2.4.6"}
ORIGIN = Provenance("2025-11-01", "reportgen run made-up.yaml", VERSIONS, "Linux", "A", {})


@dataclass(frozen=True)
class MadeUp:
    """A study of made-up values.

    Attributes
    ----------
    warehouse : callable
        Returns its values.
    sections : tuple of str
        Those that are asked for by name; none for all quick ones that apply.
    relevance : mapping
        Areas of equivalence.
    options : mapping of str to mapping
        Of sections.
    expect : tuple of str
        Claims.
    """

    warehouse: Callable[[], Warehouse]
    sections: tuple[str, ...] = ()
    relevance: Mapping[str, list[float]] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    expect: tuple[str, ...] = ()


def one_dataset() -> Warehouse:
    """Return four candidates on one data set, by error and time."""
    errors = cases.errors((0.10, 0.103, 0.15, 0.25), 60, 0.01)
    return cases.bootstrap(errors | cases.times((0.2, 0.04, 0.01, 1), 60), FOUR)


def domain() -> Warehouse:
    """Return four candidates on eight data sets, with a few gaps."""
    return warehouse_of(cases.over(cases.domain_means(8, 4), FOUR, gaps=3), FOUR)


def settings() -> Warehouse:
    """Return a pair that turns with one factor of two, and two that do not."""
    values, facts = {}, {}
    for b2 in (0.0, 0.1, 0.2, 0.3):
        for n in (50, 150):
            name = f"line ({b2}, {n})"
            values[name] = blocks((0.1 + 0.1 * b2 * n / 50, 0.11, 0.3), 20, 0.01, seed=n)
            facts[name] = {"setting": {"base": "line", "factors": {"b2": b2, "n": float(n)}}}
    return warehouse_of({ERROR: values}, TRIO, facts=facts, problem="simulation")


def one_value_a_cell() -> Warehouse:
    """Return four candidates on ten data sets, measured once."""
    means = cases.domain_means(10, 4)
    means[:, 0] -= 0.05
    return warehouse_of(cases.over(np.abs(means), FOUR, n=1), FOUR)


def few() -> Warehouse:
    """Return two candidates in five replications."""
    return cases.bootstrap(cases.errors((0.1, 0.15), 5, 0.01), ("old", "new"))


def gaps() -> Warehouse:
    """Return three data sets; one candidate failed everywhere on one, another now and then."""
    values = {d: blocks((0.1, 0.14, 0.2, 0.24), 14, 0.02, seed=m) for m, d in enumerate("abc")}
    values["a"][:, 3] = np.nan
    values["b"][:5, 1] = np.nan
    return warehouse_of({ERROR: values}, FOUR)


def table() -> Warehouse:
    """Return rows in a triangle."""
    rng = np.random.default_rng(5)
    corners = np.array([[0.0, 0.0, 1.0], [9, 1, 0], [1, 9, 5]])
    rows = rng.dirichlet(np.full(3, 0.6), 40) @ corners + 0.05 * rng.standard_normal((40, 3))
    facts = {"mine": {"is_table": True, "labels": []}}
    names = ("x1", "x2", "x3")
    return warehouse_of({Measure("value"): rows}, names, dataset="mine", facts=facts)


def folds() -> Warehouse:
    """Return three candidates in a ten-fold cross-validation."""
    values = cases.errors((0.1, 0.11, 0.2), 10)
    return cases.bootstrap(values, TRIO, resampling={"scheme": "k-fold", "folds": 10})


def fixed_sample() -> Warehouse:
    """Return three candidates on one test sample, with the losses of its observations."""
    rng = np.random.default_rng(4)
    hard = rng.beta(0.4, 1.6, (150, 1))
    chances = np.clip(hard + np.array([0.0, 0.02, 0.12]), 0, 1)
    wrong = (rng.random((20, 150, 3)) < chances).astype(float)
    losses = pd.DataFrame(
        {
            "dataset": "d",
            "measure": ERROR.name,
            "candidate": np.tile(TRIO, 150),
            "observation": np.repeat(np.arange(1, 151), 3),
            "loss": wrong.mean(axis=0).ravel(),
            "n_tested": 20,
        }
    )
    return warehouse_of(
        {ERROR: wrong.mean(axis=1)},
        TRIO,
        problem="competition",
        resampling={"scheme": "bootstrap", "assessment": "fixed", "replications": 20},
        facts={"d": {"origin": "a file"}},
        losses=losses,
    )


def stages() -> Warehouse:
    """Return an execution in stages, which dropped who was beaten and stopped early."""
    values = blocks((0.1, 0.12, 0.3), 40, 0.02)
    values[20:, 2] = np.nan
    rules = Stages(20, 80, ERROR.name, drop="beaten").described()
    facts = {"fit_seconds": {"anna": 1.0, "bert": 2.0, "cara": 3.0}}
    return watched.in_stages(values, rules, facts)


MADE_UP: Mapping[str, MadeUp] = {
    "one-dataset": MadeUp(one_dataset, relevance={"misclassification": [-0.01, 0.01]}),
    "domain": MadeUp(domain),
    "settings": MadeUp(settings, ("sensitivity", "eda", "inference")),
    "one-value-a-cell": MadeUp(one_value_a_cell),
    "few": MadeUp(few, relevance={"misclassification": [-0.01, 0.01]}),
    "gaps": MadeUp(gaps),
    "table": MadeUp(table, ("archetypes",), options={"archetypes": {"starts": 3, "samples": 20}}),
    "folds": MadeUp(folds),
    "test-sample": MadeUp(
        fixed_sample,
        ("eda", "inference", "preferences", "consensus"),
        expect=(
            "anna better than cara",
            "anna better than bert",
            "bert within 0.02 of anna in this experiment",
            "misclassification of anna below 0.3",
        ),
    ),
    "stages": MadeUp(stages, ("eda", "inference", "sequential")),
    "archetypes": MadeUp(
        triangles.domain,
        ("archetypes",),
        options={"archetypes": triangles.FEW},
    ),
    "expectations": MadeUp(
        one_dataset,
        ("inference", "consensus"),
        relevance={"misclassification": [-0.01, 0.01]},
        expect=(
            "anna better than cara",
            "bert not worse than anna by 0.02",
            "cara among the best",
            "anna equivalent to bert by 0.0035",
            "fit-time of cara below 20 ms",
            "consensus starts with dora",
            "no failures",
        ),
    ),
    "expectations-domain": MadeUp(
        domain, ("domain",), expect=("anna better than cara", "dora better than anna on set1")
    ),
    "no-tree": MadeUp(
        lambda: making.study(24, step=0.0),
        ("psychoanalysis",),
        options={"psychoanalysis": making.QUICK},
    ),
    "tree": MadeUp(
        lambda: making.study(24, step=0.1),
        ("psychoanalysis",),
        options={"psychoanalysis": making.QUICK},
    ),
}


def report_of(study: MadeUp, *, is_drawn: bool = False) -> Report:
    """Analyse a study by the sections of the program, mostly without drawing.

    The manifest lists sections to be quick: the report has them as if it listed none.
    """
    job, warehouse = opened(study)
    with nullcontext() if is_drawn else undrawn():
        chosen = chosen_sections(job.study, job.sections, warehouse)
        fitting = [c.name for c in chosen if job.sections[c.name].applies(warehouse)]
        return replace(analyse(job, warehouse, ORIGIN, sections=fitting, jobs=1), named=())


def study_in_python(study: MadeUp) -> BenchmarkStudy:
    """Return a study as a call from Python does."""
    return BenchmarkStudy(*opened(study), ORIGIN)


def opened(study: MadeUp) -> tuple[Job, Warehouse]:
    """Return a study with its values."""
    names = study.sections or QUICK
    with TemporaryDirectory() as folder:
        manifest = Path(folder) / "made-up.yaml"
        (Path(folder) / "results.csv").write_text("dataset,candidate,value\n", encoding="utf-8")
        content = {
            "study": {"title": "Made up"},
            "results": {"file": "results.csv"},
            "analysis": {"relevance": dict(study.relevance)},
            "sections": [{name: dict(study.options.get(name, {}))} for name in names],
            **({"expect": list(study.expect)} if study.expect else {}),
        }
        manifest.write_text(json.dumps(content), encoding="utf-8")
        job = open_job(manifest, Path(folder) / "output")
    return job, study.warehouse()


def text_of(report: Report) -> str:
    """Return all that a report says but where its numbers come from, a sentence a line.

    Numbers with decimals are left out, so that texts are the same on all processors.
    """
    context = RenderContext(report, HTML, (), extras())
    made = compose(context)
    lines = [
        *_lines(context, made.abstract.text, made.abstract.order_label, made.abstract.order_key),
        *_part(context, made.design),
    ]
    for part in made.sections:
        lines += _part(context, part)
    for remark in made.remarks:
        lines += _lines(context, remark.head, remark.text)
    if made.datasets:
        lines += _part(context, made.datasets)
        for page in made.datasets.parts[:2]:
            lines += _part(context, page)
            for part in page.parts:
                lines += _part(context, part)
    lines += _lines(context, made.failures, made.article_methods)
    for part in (*made.methods, *([made.checklists] if made.checklists else [])):
        lines += _part(context, part)
    return "\n".join(lines) + "\n"


def _part(context: RenderContext, part: Part) -> Iterator[str]:
    """Yield what a part says, under its title."""
    yield f"\n## {_plain(context, part.title)}"
    yield from _lines(context, part.article, part.body)


def _lines(context: RenderContext, *texts: object) -> Iterator[str]:
    """Yield the sentences of texts, and the heads of their tables."""
    for text in texts:
        for paragraph in _plain(context, text).splitlines():
            yield from SENTENCE_END.split(paragraph)


def _plain(context: RenderContext, text: object) -> str:
    """Return the words of a piece of a page, a paragraph a line."""
    page = context.insert_labels(str(text))
    page = re.sub(r"(?<=[^>\n])\n(?=[^<\n])", " ", page)  # a soft end of a line
    page = re.sub(r"(?<=</thead>)<tbody>.*?</table>", "", page, flags=re.DOTALL)
    page = re.sub(r"<svg\b.*?</svg>", "", page, flags=re.DOTALL)
    page = re.sub(r"<math\b.*?</math>", "[formula]", page, flags=re.DOTALL)
    page = re.sub(r'<span class="tools">.*?</span>', "", page, flags=re.DOTALL)
    page = re.sub(r"</(?:p|h\d|figcaption|li|div|small|tr|dt)>", "\n", page)
    page = re.sub(r"</t[hd]>", " | ", page)
    bare = html.unescape(re.sub(r"<[^>]+>", "", page)).replace("\xa0", " ")
    lines = (
        re.sub(r"[ \t]+", " ", NUMBER.sub("#", line)).strip(" |") for line in bare.splitlines()
    )
    return "\n".join(line for line in lines if line)
