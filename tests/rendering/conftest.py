"""A small report that has a bit of everything, and one whose names are an attack."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from reportgen.fit_issues import Failure, FitWarning, HyperparameterChoice
from reportgen.notation import NumberFormat
from reportgen.performance_measure import Measure
from reportgen.report import (
    Author,
    DatasetDesign,
    Design,
    Figure,
    Provenance,
    Report,
    SectionContent,
    Series,
    StudyInfo,
    Table,
)
from reportgen.stats.columns import Column

FOLDERS = (Path(__file__).parent / "templates",)

HOSTILE = (
    "<script>alert(1)</script>",
    "*x* _y_ **z**",
    "a|b",
    "{{7*7}}{% raw %}",
    "[x](javascript:alert(1))",
    "\u202eevil\u202c",
    '"><img src=x onerror=alert(1)>',
    "../../etc/passwd",
    "&lt;b&gt; &amp;",
    "\ue0000\ue001 `code` ![i](https://e.org/i.png)",
)


@dataclass(frozen=True, slots=True)
class ToyResult:
    """Means by candidate, an order, and something that only figures need."""

    means: Mapping[str, float]
    order: tuple[tuple[str, ...], ...]
    secret: tuple[float, ...] = field(default=(1.0,), metadata={"results": False})


def drawing(width: str, colour: str, key: str) -> str:
    """Return the SVG of a bar."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 40" width="{width}" '
        f'height="{width}"><path id="{key}" d="M0 0L90 20" style="stroke:{colour}"/></svg>'
    )


def content(dataset: str, number: int, candidates: tuple[str, ...], measure: Measure) -> Any:
    """Return what the toy section finds on one data set."""
    means = {name: (i + 1) / 100 + number / 1000 for i, name in enumerate(candidates)}
    figure = Figure(
        "bars",
        measure.name,
        f"Bars of {', '.join(candidates)}.",
        Series(("candidate", "mean"), tuple(means.items()) * 150),
        drawing("612", "var(--c0)", f"d{number}"),
        drawing("459pt", "#0249AC", f"p{number}"),
        drawing("350", "var(--c0)", f"n{number}") if number == 0 else None,
    )
    table = Table(
        "means",
        measure.name,
        (
            Column("candidate", "Candidate", "candidate"),
            Column("mean", "Mean", "value", best="smaller"),
            Column("interval", "Interval", "interval"),
            Column("p", "p", "pvalue"),
            Column("decision", "Decision", "decision"),
            Column("wins", "Won – tied – lost", "counts"),
        ),
        tuple(
            (name, mean, (mean - 0.001, mean + 0.001), 1e-9, "better, not relevant", (1, 2, 3000))
            for name, mean in means.items()
        ),
        NumberFormat(100.0, "%", "pp", 2),
        quiet=tuple(i == 1 for i in range(len(candidates))),
    )
    order = (*tuple((name,) for name in candidates[:-2]), candidates[-2:])
    return SectionContent("toy", dataset, ToyResult(means, order), None, (figure,), (table,))


def make_report(
    datasets: tuple[str, ...] = ("monks",), candidates: tuple[str, ...] = ("svm", "rf", "lda")
) -> Report:
    """Return a report of the toy section."""
    measure = Measure("misclassification", "smaller", "share", (0.0, 1.0))
    design = Design(
        datasets=tuple(
            DatasetDesign(name, 25, i, n_observations=100 * (i + 1))
            for i, name in enumerate(datasets)
        ),
        candidates=candidates,
        descriptions={candidates[0]: "first of all"},
        measures=(measure,),
        problem="real-world",
        resampling={"scheme": "bootstrap", "replications": 25},
        seed=7,
        alpha=0.05,
        relevance={"misclassification": (-0.01, 0.01)},
        n_values=25 * len(candidates) * len(datasets),
        n_missing=sum(range(len(datasets))),
        failures=tuple(
            Failure(name, candidates[1], "failed", "fit", f"ValueError: {name}", i)
            for i, name in enumerate(datasets)
            if i
        ),
    )
    return Report(
        StudyInfo(
            "toys",
            "A *fine* study",
            (Author("Ada Example", "Here", "0000-0002-1825-0097"), Author("Bob Example", "There")),
            "Says **much** in [few words](https://example.org).\n\nAnd more.",
            ("toys", "tests"),
        ),
        design,
        tuple(content(name, i, candidates, measure) for i, name in enumerate(datasets)),
        Provenance(
            "2026-11-01T00:00:00Z",
            "reportgen run toys.yaml",
            {"Python": "3.11.7", "reportgen": "0.1.0"},
            "Linux",
            "A processor",
            {"toys.csv": "ab" * 32},
            "study:\n  name: toys\n",
        ),
    )


@pytest.fixture(scope="session")
def folders() -> tuple[Path, ...]:
    """Return the folder that has the toy section's template."""
    return FOLDERS


@pytest.fixture(scope="session")
def report() -> Report:
    """Return a report of one data set."""
    return make_report()


@pytest.fixture(scope="session")
def many() -> Report:
    """Return a report of seven data sets: pages are compact."""
    return make_report(tuple(f"set {i}" for i in range(7)))


@pytest.fixture(scope="session")
def hostile() -> Report:
    """Return a report in which every name and text is an attack."""
    made = make_report(HOSTILE, HOSTILE)
    study = StudyInfo(
        HOSTILE[0],
        " ".join(HOSTILE),
        tuple(Author(name, name, name) for name in HOSTILE),
        "\n\n".join(HOSTILE),
        HOSTILE,
    )
    provenance = replace(
        made.provenance,
        command="\n".join(HOSTILE),
        manifest="\n".join(HOSTILE),
        versions=dict.fromkeys(HOSTILE, HOSTILE[0]),
        inputs=dict.fromkeys(HOSTILE, HOSTILE[0]),
        platform=HOSTILE[6],
        processor=HOSTILE[0],
        commit=HOSTILE[6],
        execution={HOSTILE[0]: HOSTILE[6]},
    )
    design = replace(
        made.design,
        warnings=tuple(FitWarning(name, name, name, 2) for name in HOSTILE),
        choices=tuple(HyperparameterChoice(name, name, name, name, 2, 3, 2) for name in HOSTILE),
    )
    return replace(made, study=study, provenance=provenance, design=design)


@pytest.fixture
def edited(report: Report) -> Callable[..., Report]:
    """Return a maker of reports that differ from `report` in some fields of the design."""

    def edit(**changes: Any) -> Report:
        return replace(report, design=replace(report.design, **changes))

    return edit
