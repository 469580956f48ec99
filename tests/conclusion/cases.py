"""Studies of made-up values, one a kind of report and one an edge case, and what they come to."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from reportgen.conclusion import conclude
from reportgen.design import design_of
from reportgen.performance_measure import Measure
from reportgen.rendering.abstract import Abstract, write_abstract
from reportgen.rendering.embedding import extras
from reportgen.rendering.render_context import HTML, BackEnd, RenderContext
from reportgen.report import Provenance, Report, SectionContent, StudyInfo
from reportgen.sections import find_sections
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of
from tests.sections.psychoanalysis import making
from tests.sections.reading import ACCURACY, ERROR, TIME, blocks

SECTIONS = find_sections()
MSE = Measure("mse", "smaller", "", (0.0, None))
SIX = ("lda", "knn", "rpart", "svm", "nnet", "rf")
POINT = {"misclassification": (-0.01, 0.01)}
BOOTSTRAP = {"scheme": "bootstrap"}
FEW = {"starts": 3, "samples": 20, "restarts": 2}

Matrix = NDArray[np.float64]


def analysed(
    warehouse: Warehouse,
    only: Sequence[str] = ("eda", "inference", "frontier"),
    relevance: Mapping[str, tuple[float, float]] | None = None,
    **options: Any,
) -> Report:
    """Analyse a warehouse as the pipeline does, without drawing, and conclude."""
    found: dict[str, dict[str | None, Any]] = {}

    def analyse(name: str) -> None:
        section = SECTIONS[name]
        for need in section.requires:
            if need not in found:
                analyse(need)
        fields = section.options.model_fields
        asked = {k: v for k, v in options.items() if k in fields}
        chosen = section.options(relevance=relevance or {}, **asked)
        is_whole = section.scope == "study"
        found[name] = {}
        for dataset in (None,) if is_whole else warehouse.datasets:
            required = {
                need: found[need][None]
                if SECTIONS[need].scope == "study"
                else found[need]
                if dataset is None
                else found[need][dataset]
                for need in section.requires
            }
            part = warehouse if dataset is None else warehouse.only(dataset)
            rng = np.random.default_rng(7)
            found[name][dataset] = section.analyse(part, chosen, rng, **required)
        if section.settles:
            found[name] = section.settle(found[name], chosen)

    for name in only:
        if name not in found:
            analyse(name)
    contents = tuple(
        SectionContent(name, dataset, result, None, is_listed=True)
        for name in only
        for dataset, result in found[name].items()
    )
    study: Any = SimpleNamespace(
        analysis=SimpleNamespace(
            costs=None,
            deciding=None,
            missing="available",
            alpha=options.get("alpha", 0.05),
            relevance=relevance or {},
        ),
        seed=7,
        results=None,
    )
    versions, inputs = {"Python": "3.11.7", "numpy": "2.4.6"}, {"made-up.yaml": "ab" * 32}
    origin = Provenance(
        "2025-11-01", "reportgen run made-up.yaml", versions, "Linux", "A processor", inputs
    )
    info = StudyInfo("made-up", "Made up", abstract="Who is *best*?")
    report = Report(info, design_of(study, warehouse), contents, origin)
    return replace(report, conclusion=conclude(report))


def written(report: Report, back_end: BackEnd = HTML) -> Abstract:
    """Write the abstract of a report."""
    more = extras() if back_end is HTML else {}
    return write_abstract(RenderContext(report, back_end, (), more))


def plain(text: object) -> str:
    """Take the tags out of a text."""
    bare = html.unescape(re.sub(r"<[^>]+>", "", str(text)))
    return " ".join(bare.split())


def told(report: Report) -> str:
    """Return the abstract and the order line as plain text, a sentence a line."""
    found = written(report)
    lines = re.split(r"(?<=[a-z)%\d]\.) (?=[^\d])", plain(found.text))
    label, line, key = map(plain, (found.order_label, found.order, found.order_key))
    return "\n".join([*lines, *([f"{label}: {line}", f"({key})"] if line else [])]) + "\n"


# ------------------------------------------------------------------------------- values


def errors(
    means: Sequence[float], n: int = 100, sd: float = 0.008, seed: int = 1
) -> dict[Measure, Any]:
    """Return errors of so many replications."""
    return {ERROR: np.abs(blocks(means, n, sd, seed=seed))}


def times(means: Sequence[float], n: int = 100, seed: int = 2) -> dict[Measure, Any]:
    """Return times of so many replications."""
    rng = np.random.default_rng(seed)
    return {TIME: np.asarray(means) * np.exp(0.1 * rng.standard_normal((n, len(means))))}


def bootstrap(values: Mapping[Measure, Any], names: Sequence[str], **more: Any) -> Warehouse:
    """Return one data set of 200 test observations."""
    found = warehouse_of(
        values, names, dataset="monks", n_test=200.0, **{"resampling": BOOTSTRAP} | more
    )
    frame = found.frame.assign(n_learn=554.0, n_distinct=350.0)
    return replace(found, frame=frame)


def over(
    means: Matrix, names: Sequence[str], n: int = 12, sd: float = 0.01, gaps: int = 0
) -> dict[Measure, Any]:
    """Return errors and times of n replications on several data sets, one a row of means."""
    rng = np.random.default_rng(5)
    sets = [f"set{m + 1}" for m in range(len(means))]
    if n == 1:
        return {ERROR: {d: row[None] for d, row in zip(sets, means, strict=True)}}
    values = {
        d: np.abs(blocks(row, n, sd, seed=m))
        for m, (d, row) in enumerate(zip(sets, means, strict=True))
    }
    for i in range(gaps):
        values[sets[0]][i, 1] = np.nan
    slow = np.geomspace(1, 50, len(names))
    return {
        ERROR: values,
        TIME: {d: slow * np.exp(0.2 * rng.standard_normal((n, len(names)))) for d in sets},
    }


def domain_means(n_sets: int = 12, k: int = 5, seed: int = 3) -> Matrix:
    """Return errors on data sets: two good candidates, the others worse, the last uneven."""
    rng = np.random.default_rng(seed)
    level = rng.uniform(0.1, 0.3, (n_sets, 1))
    gaps = np.array([0.0, 0.0, *np.linspace(0.06, 0.1, k - 3), 0.07])
    spread = np.array([0.01] * (k - 1) + [0.13])
    return np.clip(level + gaps + spread * rng.standard_normal((n_sets, k)), 0.01, 0.9)


# -------------------------------------------------------------------------------- cases


def winner() -> Report:
    """Six candidates on one data set, as in the quickstart."""
    means = (0.031, 0.08, 0.012, 0.0316, 0.0185, 0.020)
    seconds = (0.008, 0.001, 0.0035, 0.009, 0.015, 0.2)
    values = errors(means) | times(seconds)
    return analysed(bootstrap(values, SIX), relevance=POINT)


def regression() -> Report:
    """A squared error, without an area of equivalence."""
    rng = np.random.default_rng(4)
    values = np.array([260.0, 238, 300, 305]) * (1 + 0.1 * rng.standard_normal((100, 4)))
    return analysed(bootstrap({MSE: values}, ("lm", "rlm", "spline", "loess")))


def larger_is_better() -> Report:
    """Accuracy, of which more is better, and two leaders."""
    values = 1 - blocks((0.10, 0.101, 0.2), 40, 0.02)
    return analysed(bootstrap({ACCURACY: values}, ("anna", "bert", "cara")))


def time_first() -> Report:
    """A time as the main measure."""
    values = times((0.004, 0.001, 0.09), 30)
    return analysed(bootstrap(values, ("anna", "bert", "cara")), only=("eda", "inference"))


def scenarios() -> Report:
    """A clear difference, a similar one and two that are the same in all that matters."""
    values = blocks((0.40, 0.100, 0.0805, 0.08), 200, 0.01)
    values[:, 3] = values[:, 2] + np.random.default_rng(3).normal(0, 0.001, 200)
    names = ("lda", "rf", "svm", "svm-1.01")
    return analysed(bootstrap({ERROR: values}, names), relevance=POINT)


def undecided_by_cost() -> Report:
    """Two leaders on one data set, one of them much faster."""
    values = errors((0.1, 0.101, 0.2), 40, 0.02) | times((0.2, 0.004, 0.001), 40)
    return analysed(bootstrap(values, ("svm", "rf", "lda")))


def all_undecided() -> Report:
    """Nothing is decided."""
    return analysed(bootstrap(errors((0.1, 0.102, 0.101, 0.103), 12, 0.04), SIX[:4]))


def ties() -> Report:
    """All values are equal."""
    values = np.repeat(blocks((0.1,) * 2, 12)[:, :1], 3, axis=1)
    return analysed(bootstrap({ERROR: values}, ("anna", "bert", "cara")))


def one_candidate() -> Report:
    """There is nothing to compare."""
    return analysed(
        bootstrap({ERROR: blocks((0.1, 0.2), 12)[:, :1]}, ("anna",)), ("eda", "inference")
    )


def measured_once() -> Report:
    """One value a candidate."""
    return analysed(
        bootstrap({ERROR: np.array([[0.1, 0.2, 0.3]])}, ("anna", "bert", "cara")),
        ("eda", "inference"),
    )


def pair_of_five() -> Report:
    """Two candidates in five replications."""
    return analysed(
        bootstrap(errors((0.1, 0.15), 5, 0.01), ("anna", "bert")), ("eda", "inference"), POINT
    )


def pair_of_eight() -> Report:
    """Two candidates in eight replications."""
    return analysed(
        bootstrap(errors((0.1, 0.15), 8, 0.004), ("anna", "bert")), ("eda", "inference"), POINT
    )


def thirty() -> Report:
    """Thirty candidates in five clear groups."""
    names = [f"c{i + 1:02}" for i in range(30)]
    means = 0.1 + 0.05 * (np.arange(30) // 6)
    return analysed(bootstrap(errors(means, 40, 0.01), names), ("inference",))


def thirty_blurred() -> Report:
    """Thirty candidates, the groups of which run into one another."""
    names = [f"c{i + 1:02}" for i in range(30)]
    means = 0.1 + 0.03 * np.sqrt(np.arange(30) // 7)
    return analysed(bootstrap(errors(means, 40, 0.01), names), ("inference",))


def intransitive() -> Report:
    """Being undecided is not transitive."""
    return analysed(bootstrap(errors((0.10, 0.111, 0.122), 40, 0.026), ("anna", "bert", "cara")))


def failures() -> Report:
    """One candidate failed everywhere, another one in five replications."""
    values = blocks((0.1, 0.15, 0.2, 0.3), 40, 0.02)
    values[:, 3] = np.nan
    values[:5, 1] = np.nan
    return analysed(bootstrap({ERROR: values}, ("anna", "bert", "cara", "dora")))


def simulation() -> Report:
    """Every replication draws its data anew."""
    values, names = errors((0.1, 0.15, 0.15), 50, 0.02), ("anna", "bert", "cara")
    return analysed(bootstrap(values, names, problem="simulation", resampling={}))


def folds() -> Report:
    """Cross-validation, and no more than an exploration of it."""
    found = bootstrap(
        errors((0.1, 0.15), 10), ("anna", "bert"), resampling={"scheme": "k-fold", "folds": 10}
    )
    return analysed(found)


def explored() -> Report:
    """A report without tests."""
    return analysed(bootstrap(errors((0.1, 0.15, 0.2), 20), ("anna", "bert", "cara")), ("eda",))


def domain() -> Report:
    """Two leaders over twelve data sets, one of them slow; one candidate undecided against all."""
    names = ("svm", "rf", "rpart", "lda")
    values = over(domain_means(12, 4), names, gaps=3)
    values[TIME] = {d: x[:, ::-1] for d, x in values[TIME].items()}
    return analysed(warehouse_of(values, names), ("domain", "frontier"))


def domain_winner() -> Report:
    """One candidate is decided better over ten data sets, with one value a cell."""
    means = domain_means(10, 4)
    means[:, 0] -= 0.05
    means[:, 3] = means[:, 2] + 0.02
    return analysed(warehouse_of(over(np.abs(means), SIX[:4], n=1), SIX[:4]), ("domain",))


def few_datasets() -> Report:
    """Four data sets are too few for any decision over them."""
    names = ("anna", "bert", "cara")
    return analysed(warehouse_of(over(domain_means(4, 3), names), names), ("domain",))


def separability() -> Report:
    """Two data sets, each with its winner, and nothing over both."""
    means = np.array([[0.05, 0.1, 0.12], [0.5, 0.1, 0.05]])
    return analysed(warehouse_of(over(means, SIX[:3], 40), SIX[:3]), ("eda", "inference"))


def tree() -> Report:
    """Another candidate is best where a characteristic of the data sets is large."""
    found = making.study(24, step=0.05)
    return analysed(found, ("domain", "psychoanalysis"), **making.QUICK)


def no_tree() -> Report:
    """No characteristic of the data sets goes with anything."""
    found = making.study(24, step=0.0)
    return analysed(found, ("domain", "psychoanalysis"), **making.QUICK)


def settings() -> Report:
    """A pair that turns with one factor of two, and another that does not."""
    values, facts = {}, {}
    for b2 in (0.0, 0.1, 0.2, 0.3):
        for n in (50, 150):
            name = f"line ({b2}, {n})"
            bent = 0.1 + 0.1 * b2 * (n / 50)
            values[name] = blocks((bent, 0.11, 0.3), 20, 0.01, seed=n)
            facts[name] = {"setting": {"base": "line", "factors": {"b2": b2, "n": float(n)}}}
    names = ("lm", "quadratic", "knn")
    found = warehouse_of({ERROR: values}, names, facts=facts, problem="simulation")
    return analysed(found, ("sensitivity", "inference"))


def table() -> Report:
    """Archetypes of a table: rows in a triangle."""
    rng = np.random.default_rng(5)
    corners = np.array([[0.0, 0.0, 1.0], [9, 1, 0], [1, 9, 5]])
    rows = rng.dirichlet(np.full(3, 0.6), 60) @ corners + 0.05 * rng.standard_normal((60, 3))
    facts = {"mine": {"is_table": True, "labels": []}}
    found = warehouse_of({Measure("value"): rows}, ("x1", "x2", "x3"), dataset="mine", facts=facts)
    return analysed(found, ("archetypes",), **FEW)


CASES: Mapping[str, Callable[[], Report]] = {
    make.__name__.replace("_", "-"): make
    for make in (
        winner,
        regression,
        larger_is_better,
        time_first,
        scenarios,
        undecided_by_cost,
        all_undecided,
        ties,
        one_candidate,
        measured_once,
        pair_of_five,
        pair_of_eight,
        thirty,
        thirty_blurred,
        intransitive,
        failures,
        simulation,
        folds,
        explored,
        domain,
        domain_winner,
        few_datasets,
        separability,
        tree,
        no_tree,
        settings,
        table,
    )
}


@cache
def case(name: str) -> Report:
    """Return the report of a case, analysed once."""
    return CASES[name]()


def designed(name: str) -> Report:
    """Return the report of a case without any section: what was compared needs no analysis."""
    whole = analysed

    def bare(warehouse: Warehouse, *_: Any, **options: Any) -> Report:
        return whole(warehouse, **{**options, "only": ()})

    with patch.dict(globals(), analysed=bare):
        return CASES[name]()
