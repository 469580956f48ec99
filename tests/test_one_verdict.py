"""No report of the example studies says two things of one pair, measure and target.

Their manifests are run as they are, but for fewer replications and performances
that are drawn, not measured: what is decided of them, drawn, written and counted
is the program's own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from reportgen.api.study import BenchmarkStudy
from reportgen.drawing.canvas import Canvas
from reportgen.execution.outcome import Cell, Outcome
from reportgen.execution.pool import SerialExecutor
from reportgen.execution.replication import Experiment
from reportgen.pipeline import Job, analyse, measure, open_job
from reportgen.rendering.markdown import render
from reportgen.report import Figure, Provenance, Report, Series
from reportgen.section_runner import chosen_sections
from reportgen.sections.domain import clusters as subdomains
from reportgen.warehouse import Warehouse
from tests.builders import SVG
from tests.conclusion.answers import check_results
from tests.schemas import results
from tests.sections.claims import Claim, agrees
from tests.sections.reading import Said, by_verdict_alone, read
from tests.sections.study_verdicts import Study, of_results, of_text, relations
from tests.sections.verdict_counts import counts, counts_of_text
from tests.sections.verdicts import contradictions, of_figures, of_sentence, of_tables, verdicts

STUDIES = Path(__file__).parents[1] / "studies"
FEW = 30  # resamples of a consensus
REPLICATIONS: dict[str, Any] = {  # the others have 24
    "classics-adaptive": {"max": 32, "stage": 16, "stop": "both", "drop": "decided"},
    "three-scenarios": 60,
    "sensitivity": 12,
    "toy-separability": 12,
    "classics": 10,
}
DATASETS = {
    "classics": ["iris", "wine", "titanic", "monks1", "monks2", "monks3", "tic-tac-toe"],
    "classics-adaptive": ["iris", "wine"],
}
SPOKEN = ("domain", "inference", "preferences", "consensus", "sensitivity", "sequential")
OF_RESULTS = (
    *(
        "skeletons",
        "assistants",
        "assistants-battles",
        "battles",
        "families",
        "variation",
        "prompts",
    ),
    *("pilot", "new-method", "processes", "battles-looks"),
)
EXECUTED = sorted(p.stem for p in STUDIES.glob("*.yaml") if p.stem not in OF_RESULTS)


class Drawing(SerialExecutor):
    """Draws the performances of every fit; all else is computed."""

    n_workers = 1
    facts: Mapping[str, str | int] = MappingProxyType({})

    def run(
        self, work: Any, tasks: Any, timeout: float | None = None, output: object = None
    ) -> Iterator[Any]:
        if not isinstance(work, Experiment):
            yield from super().run(work, tasks, timeout)
            return
        for cell in tasks:
            yield cell, drawn(cell, [m.name for m in work.measures])


def drawn(cell: Cell, measures: list[str]) -> Outcome:
    """Return performances: a level of the candidate, a data set's own way with it, and noise."""
    candidate = _normal(cell.candidate, size=1)[0]
    own, level = _normal(cell.dataset, cell.candidate, size=2)
    noise = _normal(*cell, size=len(measures))
    shared = _normal(cell.dataset, cell.replication, size=1)[0]
    logit = -1.5 + 0.25 * candidate + 0.1 * own + 0.05 * shared
    values = {
        name: float(
            1 / (1 + np.exp(-logit - 0.04 * e))
            if name == "misclassification"
            else np.exp(candidate + 0.3 * level + 0.2 * e)
        )
        for name, e in zip(measures, noise, strict=True)
    }
    return Outcome("ok", values, sizes=(100, 63, 37), seconds=0.1)


def _normal(*of: object, size: int) -> np.ndarray:
    seed = int.from_bytes(hashlib.sha256(repr(of).encode()).digest()[:8], "big")
    return np.random.default_rng(seed).normal(size=size)


@contextmanager
def undrawn() -> Iterator[None]:
    """Keep the data and words of figures, which take long to draw."""

    def kept(
        _: Any, name: str, measure: str, __: Any, *, alt: str, data: Series, **___: Any
    ) -> Figure:
        return Figure(name, measure, alt, data, SVG, SVG)

    with (
        patch.object(Canvas, "figure", kept),
        patch.object(subdomains, "N_RESAMPLES", FEW),
        by_verdict_alone(),
    ):
        yield


def settings_of(name: str) -> list[str]:
    """Return what a study is run with: fewer replications, and fewer data sets of many."""
    found = {"setup.datasets": DATASETS[name]} if name in DATASETS else {}
    if name != "resampling-effect":
        found["setup.resampling.replications"] = REPLICATIONS.get(name, 24)
    return [f"{key}={json.dumps(value)}" for key, value in found.items()]


def _analysed(job: Job, warehouse: Warehouse, origin: Provenance) -> Report:
    """Analyse a study by those of its sections that speak of pairs."""
    chosen = [c.name for c in chosen_sections(job.study, job.sections, warehouse)]
    names = [name for name in chosen if name in SPOKEN]
    return analyse(job, warehouse, origin, sections=names, jobs=1)


@pytest.fixture(scope="module")
def executed(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], tuple[Job, Warehouse, Provenance]]:
    @cache
    def of(name: str) -> tuple[Job, Warehouse, Provenance]:
        folder = tmp_path_factory.mktemp("studies")
        job = open_job(STUDIES / f"{name}.yaml", folder, settings_of(name))
        with patch("reportgen.pipeline._executor", lambda *_, **__: Drawing()):
            return job, *measure(job)

    return of


@pytest.fixture(scope="module")
def report_of(
    executed: Callable[[str], tuple[Job, Warehouse, Provenance]],
) -> Callable[[str], Report]:
    @cache
    def report(name: str) -> Report:
        with undrawn():
            return _analysed(*executed(name))

    return report


@pytest.mark.slow
@pytest.mark.parametrize("name", EXECUTED)
def test_a_study_says_one_thing_of_a_pair(
    name: str, report_of: Callable[[str], Report], tmp_path: Path
) -> None:
    report = report_of(name)
    said, markdown = read(report), render(report, tmp_path / "report.md")[0]
    assert verdicts(report)
    assert contradictions(report, [said], [markdown.read_text(encoding="utf-8")]) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", EXECUTED)
def test_the_call_from_python_answers_what_results_json_says(
    name: str,
    executed: Callable[[str], tuple[Job, Warehouse, Provenance]],
    report_of: Callable[[str], Report],
) -> None:
    assert check_results(BenchmarkStudy(*executed(name)), results(report_of(name))) > 0


@pytest.mark.slow
def test_the_published_domain_says_one_thing_of_a_pair(reference: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(reference / "data" / "uci621raw.csv")
    file = tmp_path / "uci.csv"
    few = (frame["replication"] <= 8) & (frame["measure"] == "Misclassification")
    frame = frame[few & frame["dataset"].isin(frame["dataset"].unique()[:9])]
    frame.to_csv(file, index=False)
    job = open_job(file, tmp_path)
    with undrawn():
        origin = measure(job)
        report = analyse(job, *origin, sections=["domain", "inference", "preferences"], jobs=1)
    markdown = render(report, tmp_path / "report.md")[0].read_text(encoding="utf-8")
    assert len(report.design.datasets) == 9
    assert contradictions(report, [read(report)], [markdown]) == []


# ------------------------------------------------------------- what the walk has to find


def wrong(report: Report, said: Said | None = None) -> list[str]:
    """Return what the tables, figures and results, or else the sentences, say otherwise."""
    study = Study(report, verdicts(report))
    truth = {**study.verdicts, **relations(study)}
    claims: list[Claim] = []
    if said is None:
        claims += [*of_tables(report), *of_figures(report), *of_results(study)]
        numbers = [*counts(study)]
    else:
        claims += of_text(study, said, of_sentence)
        numbers = [*counts_of_text(study, said)]
    found = [c.where for c in claims if c.key in truth and not agrees(truth[c.key], c)]
    return found + [n.where for n in numbers if n.said != n.true]


@pytest.fixture(scope="module")
def domain(report_of: Callable[[str], Report]) -> Report:
    """The domain without its data sets' pages, whose sentences are doctored elsewhere."""
    return report_of("classics")


@pytest.fixture(scope="module")
def said(domain: Report) -> Said:
    return replace(read(domain), pages={})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("By own variances 4 of 15", "By own variances 5 of 15"),
        ("rf over lda, nnet and knn", "rf over lda, svm and knn"),
        ("rpart over knn", "knn over rpart"),
        ("rf makes fewer errors than lda", "rf makes fewer errors than svm"),
        ("; rpart than knn", "; rpart than svm"),
        ("rf against knn is then better instead of relevantly better", ("rf against knn is then "
         "better instead of relevantly worse")),
        ("rpart > rf > svm > lda > nnet > knn", "rpart > rf > lda > svm > nnet > knn"),
        ("7 of 15 differences are significant", "8 of 15 differences are significant"),
    ],
)  # fmt: skip
def test_another_sentence_on_the_domain_is_found(
    domain: Report, said: Said, before: str, after: str
) -> None:
    assert wrong(domain, said) == []
    sections = {k: text.replace(before, after) for k, text in said.sections.items()}
    doctored = replace(said, abstract=said.abstract.replace(before, after), sections=sections)
    assert doctored != said, before
    assert wrong(domain, doctored)


def test_counts_of_new_data_and_of_the_samples_are_told_apart(said: Said) -> None:
    assert re.search(
        r"Significant: differences, of 15, for new data of the source; in these samples: by own "
        r"variances, and by one pooled variance; otherwise: pairs .*",
        said.whole,
    )


def edited(report: Report, section: str, change: Callable[[Any], Any]) -> Report:
    """Change the first content of a section."""
    (place,) = [i for i, c in enumerate(report.contents) if c.name == section][:1]
    contents = list(report.contents)
    contents[place] = change(contents[place])
    return replace(report, contents=tuple(contents))


def in_table(name: str, measure: str, row: int, column: int, cell: Any) -> Callable[[Any], Any]:
    """Return what puts another cell into a table."""

    def change(content: Any) -> Any:
        tables = []
        for table in content.tables:
            if table.name == name and table.measure == measure:
                rows = [list(cells) for cells in table.rows]
                assert rows[row][column] != cell
                rows[row][column] = cell
                tables.append(replace(table, rows=tuple(map(tuple, rows))))
            else:
                tables.append(table)
        assert tuple(tables) != content.tables
        return replace(content, tables=tuple(tables))

    return change


def in_figure(name: str, row: int, column: int, cell: Any) -> Callable[[Any], Any]:
    """Return what puts another cell into the data of a figure."""

    def change(content: Any) -> Any:
        figures = []
        for figure in content.figures:
            if figure.name == name:
                rows = [list(cells) for cells in figure.data.rows]
                assert rows[row][column] != cell
                rows[row][column] = cell
                data = replace(figure.data, rows=tuple(map(tuple, rows)))
                figures.append(replace(figure, data=data))
            else:
                figures.append(figure)
        assert tuple(figures) != content.figures
        return replace(content, figures=tuple(figures))

    return change


ERROR = "misclassification"


@pytest.mark.parametrize(
    ("study", "section", "change"),
    [
        ("classics", "domain", in_table("pairs", ERROR, 0, -1, "better")),
        ("classics", "domain", in_table("incidence", ERROR, 0, 2, 1)),
        ("classics", "domain", in_table("agreement", ERROR, 0, -1, 99)),
        ("classics", "domain", in_table("means", ERROR, 0, 1, (("knn",), ("rf",)))),
        ("classics", "domain", in_figure("pairs", 0, 6, "worse, relevant")),
        ("classics", "domain", in_figure("bsplot", 0, 4, False)),
        ("classics-adaptive", "sequential", in_table("pairs", ERROR, 0, 4, "equivalent")),
        ("cars", "sequential", in_table("fixed", "mse", 0, -3, "worse")),
        ("sensitivity", "sensitivity", in_table("pairs", "mse", 0, 1, 99)),
    ],
)
def test_another_cell_is_found(
    study: str, section: str, change: Any, report_of: Callable[[str], Report]
) -> None:
    report = report_of(study)
    assert wrong(report) == []
    assert wrong(edited(report, section, change))


def test_a_slight_difference_of_stages_is_one_in_the_inference(
    report_of: Callable[[str], Report],
) -> None:
    tables = verdicts(report_of("classics-adaptive"))
    slight = [p for t in tables.values() for p in t if p.decision == "equivalent" and p.favoured]
    assert any(pair.method == "stages" for pair in slight)
