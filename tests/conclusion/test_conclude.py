"""What is concluded, for every kind of report, and the abstract's numbers from the raw values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import jsonschema
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from reportgen.conclusion import conclude
from reportgen.conclusion.result import Division
from reportgen.rendering.results_json import SCHEMA_FILE
from reportgen.rendering.results_json import plain as as_json
from reportgen.report import Report
from reportgen.warehouse import Warehouse
from tests.conclusion import cases
from tests.conclusion.cases import CASES, case, plain, written
from tests.sections.reading import ERROR, TIME

ROUNDED = 0.006  # of numbers with two decimals
SIMULATED = 0.12  # per cent: of bounds by 40,000 draws without a correction for skewness

KINDS = {
    "one-candidate": "alone",
    "measured-once": "untested",
    "explored": "untested",
    "domain": "domain",
    "domain-winner": "domain",
    "few-datasets": "domain",
    "separability": "datasets",
    "tree": "domain",
    "no-tree": "domain",
    "settings": "settings",
    "table": "table",
}


@pytest.mark.parametrize("name", CASES)
def test_kinds(name: str) -> None:
    found = case(name).conclusion
    assert found is not None
    assert found.kind == KINDS.get(name, "dataset")


@pytest.mark.parametrize("name", CASES)
def test_conclusions_go_into_results(name: str) -> None:
    schema = json.loads(SCHEMA_FILE.read_text("utf-8"))
    part = {"$ref": "#/$defs/conclusion", "$defs": schema["$defs"]}
    jsonschema.validate(as_json(case(name).conclusion), part)
    assert set(as_json(case(name).conclusion)) == set(schema["$defs"]["conclusion"]["properties"])


def without(report: Report, *sections: str) -> Report:
    """Return a report without some of its sections."""
    return replace(report, contents=tuple(c for c in report.contents if c.name not in sections))


def test_sections_that_are_missing_make_it_shorter() -> None:
    whole = case("winner")
    assert conclude(whole) == whole.conclusion
    no_times = conclude(without(whole, "frontier"))
    assert no_times is not None
    assert no_times.cost is None
    no_tests = conclude(without(whole, "frontier", "inference"))
    assert no_tests is not None
    assert no_tests.kind == "untested"
    assert conclude(without(whole, "frontier", "inference", "eda")) is None
    assert conclude(without(case("domain"), "domain")) is None
    assert conclude(without(case("table"), "archetypes")) is None
    found = conclude(without(case("settings"), "sensitivity"))
    assert found is not None
    assert found.kind == "datasets"


def division(report: Report, **changes: Any) -> Division | None:
    """Return what is concluded of the tree, if its section's content is changed so."""
    contents = tuple(
        replace(c, **changes) if c.name == "psychoanalysis" else c for c in report.contents
    )
    found = conclude(replace(report, contents=contents))
    assert found is not None
    return found.division


def test_what_decides_is_concluded_where_it_is_asked_for() -> None:
    whole = case("tree")
    ((name, found),) = whole.of_section("psychoanalysis")[0].result.items()
    assert division(whole) == Division("i2r.fcc", "first canonical correlation")
    assert division(case("no-tree")) == Division(None)
    assert division(whole, is_listed=False) is None
    rare = replace(found, recurrence=replace(found.recurrence, share=0.2))
    for doubtful in (replace(found, recurrence=None), rare, replace(found, cluster="none")):
        told = division(whole, result={name: doubtful})
        assert told is not None
        assert told.is_exploratory
    other = replace(found, measure=TIME)
    untested = replace(found, tree=replace(found.tree, tests=(), split=None, children=()))
    for silent in (other, untested, replace(found, tree=None, unavailable="no-values")):
        assert division(whole, result={name: silent}) is None
    assert case("separability").conclusion.division is None  # type: ignore[union-attr]


def test_a_report_without_conclusion_has_its_question() -> None:
    found = written(replace(case("winner"), conclusion=None))
    assert [plain(p) for p in found.question] == ["Who is best?"]
    assert not found.text
    assert not found.order


def test_who_leads_is_the_verdict_of_the_section() -> None:
    for name in ("winner", "scenarios", "all-undecided", "thirty-blurred", "failures"):
        report = case(name)
        (inferred,) = (c.result for c in report.contents if c.name == "inference")
        verdict = next(iter(inferred.values()))
        found = report.conclusion.comparison  # type: ignore[union-attr]
        assert found is not None
        assert (found.leaders, found.groups) == (verdict.leaders, verdict.groups)
        assert {*found.better} == {
            (p.favoured, p.second if p.favoured == p.first else p.first)
            for p in verdict.pairs
            if p.favoured
        }


# ------------------------------------------------------------------- numbers from raw values


class KeptError(Exception):
    """Carries a warehouse out of a case."""


def raw(name: str, monkeypatch: pytest.MonkeyPatch) -> Warehouse:
    """Return the warehouse of a case, without analysing it."""

    def keep(warehouse: Warehouse, *_: Any, **__: Any) -> Report:
        raise KeptError(warehouse)

    monkeypatch.setattr(cases, "analysed", keep)
    with pytest.raises(KeptError) as found:
        CASES[name]()
    warehouse: Warehouse = found.value.args[0]
    return warehouse


def numbers(text: str, pattern: str) -> tuple[float, ...]:
    """Return the numbers that a sentence has at these places."""
    found = re.search(pattern.replace("#", r"(−?[\d.,]+\d)"), text)
    assert found, (pattern, text)
    return tuple(float(x.replace("−", "-").replace(",", "")) for x in found.groups())


def simultaneous(values: NDArray[np.float64], alpha: float = 0.05) -> Mapping[tuple[int, int], Any]:
    """Return intervals of all pairs by own variances, without a correction for skewness.

    The critical value is that of the largest |t|, by drawing normal values with the same
    covariance.
    """
    n, k = values.shape
    places = [(i, j) for i in range(k) for j in range(i + 1, k)]
    contrasts = np.zeros((len(places), k))
    for row, (i, j) in zip(contrasts, places, strict=True):
        row[i], row[j] = 1, -1
    d = values @ contrasts.T
    rng = np.random.default_rng(1)
    root = np.linalg.cholesky(np.cov(d.T) + 1e-12 * np.eye(len(places)))
    largest = np.empty(40_000)
    for i in range(len(largest)):
        draw = rng.standard_normal((n, len(places))) @ root.T
        largest[i] = np.abs(draw.mean(axis=0) / draw.std(axis=0, ddof=1)).max() * np.sqrt(n)
    q = np.quantile(largest, 1 - alpha)
    half = q * d.std(axis=0, ddof=1) / np.sqrt(n)
    middle = d.mean(axis=0)
    return {p: (middle[i] - half[i], middle[i] + half[i]) for i, p in enumerate(places)}


def matrix(warehouse: Warehouse, measure: str, dataset: str = "") -> NDArray[np.float64]:
    """Return the raw values of a measure, read from the frame."""
    rows = warehouse.frame
    mask = rows["measure"].eq(measure) & rows["dataset"].eq(dataset or warehouse.datasets[0])
    table = rows[mask].pivot_table(
        index="replication", columns="candidate", values="value", observed=False, dropna=False
    )
    return table[list(warehouse.candidates)].to_numpy(float)


@pytest.mark.slow
def test_numbers_of_one_data_set(monkeypatch: pytest.MonkeyPatch) -> None:
    text = plain(written(case("winner")).text)
    warehouse = raw("winner", monkeypatch)
    error, seconds = matrix(warehouse, ERROR.name), matrix(warehouse, TIME.name)
    names = np.array(warehouse.candidates)
    order = error.mean(axis=0).argsort()
    a, b = order[:2]
    mean, gap, low, high = numbers(
        text, rf"{names[a]} makes the fewest errors .*: #% on average over 100 bootstrap samples, "
        rf"# percentage points fewer than {names[b]}, the next \(95% interval # to #, simultaneous "
        r"over all 15 pairs"
    )  # fmt: skip
    assert mean == pytest.approx(100 * error[:, a].mean(), abs=ROUNDED)
    assert gap == pytest.approx(100 * (error[:, b] - error[:, a]).mean(), abs=ROUNDED)
    bounds = simultaneous(error)[min(a, b), max(a, b)]
    assert (low, high) == pytest.approx(sorted(100 * abs(x) for x in bounds), abs=SIMULATED)

    fits, times = numbers(text, rf"{names[a]} takes # ms to fit, # times as fast as {names[b]}")
    assert fits == pytest.approx(1000 * np.exp(np.log(seconds[:, a]).mean()), abs=ROUNDED)
    assert times == pytest.approx(np.exp(np.log(seconds[:, b] / seconds[:, a]).mean()), abs=ROUNDED)

    d = error[:, b] - error[:, a]
    rows = warehouse.frame.iloc[0]
    width = stats.t.isf(0.05 / 15 / 2, 99) * d.std(ddof=1)
    width *= np.sqrt(2 * rows["n_test"] / (rows["n_test"] + rows["n_distinct"]))
    low, high = numbers(text, rf"{names[a]} against {names[b]} is open \(# to # points\)")
    assert (low, high) == pytest.approx(
        (100 * (d.mean() - width), 100 * (d.mean() + width)), abs=ROUNDED
    )


def test_numbers_of_a_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    text = plain(written(case("domain")).text)
    warehouse = raw("domain", monkeypatch)
    names = list(warehouse.candidates)
    cells = [matrix(warehouse, ERROR.name, d) for d in warehouse.datasets]
    error = np.array([np.nanmean(x, axis=0) for x in cells])
    a, b = (names.index(n) for n in ("svm", "rf"))
    x, y, gap, low, high, ahead, behind = numbers(
        text, r"#% and #% on average, a difference of # percentage points \(95% interval # to #, "
        r".*; svm is ahead on (\d+) data sets, rf on (\d+)"
    )  # fmt: skip
    assert (x, y) == pytest.approx(
        (100 * error[:, a].mean(), 100 * error[:, b].mean()), abs=ROUNDED
    )
    assert gap == pytest.approx(100 * abs((error[:, a] - error[:, b]).mean()), abs=ROUNDED)
    assert (ahead, behind) == ((error[:, a] < error[:, b]).sum(), (error[:, a] > error[:, b]).sum())
    assert low < gap < high
    best, last = re.search(
        r"lda is undecided against all: the best mean on (\w+) .*, the worst on (\w+)", text
    ).groups()  # type: ignore[union-attr]
    words = ["no", "one", "two", "three", "four", "five", "six", "seven"]
    lda = error[:, names.index("lda")]
    assert words.index(best) == (lda == error.min(axis=1)).sum()
    assert words.index(last) == (lda == error.max(axis=1)).sum()
    seconds = np.array(
        [np.log(matrix(warehouse, TIME.name, d)).mean(axis=0) for d in warehouse.datasets]
    )
    (times,) = numbers(text, r"svm takes # times as long as rf")
    assert times == pytest.approx(np.exp((seconds[:, a] - seconds[:, b]).mean()), abs=ROUNDED)
    missing, n = numbers(text, r"(\d+) of (\d+) values of the error are missing, all of rf")
    assert (missing, n) == (sum(np.isnan(v).sum() for v in cells), sum(v.size for v in cells))


def test_numbers_of_each_of_two_data_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    text = plain(written(case("separability")).text)
    warehouse = raw("separability", monkeypatch)
    names = np.array(warehouse.candidates)
    assert "lda is decided better than all others on set1; rpart on set2." in text
    for dataset in warehouse.datasets:
        error = matrix(warehouse, ERROR.name, dataset)
        a, b = error.mean(axis=0).argsort()[:2]
        x, y, gap, low, high = numbers(
            text, rf"on {dataset} {names[a]} has #% and {names[b]}, the next, #%, a difference of "
            r"# percentage points \((?:95% interval )?# to #[,)]".replace("on ", "[Oo]n ", 1)
        )  # fmt: skip
        d = error[:, b] - error[:, a]
        assert (x, y, gap) == pytest.approx(
            (100 * error[:, a].mean(), 100 * error[:, b].mean(), 100 * d.mean()), abs=ROUNDED
        )
        half = stats.t.isf(0.05 / 3 / 2, len(d) - 1) * d.std(ddof=1) / np.sqrt(len(d))
        bounds = (100 * (d.mean() - half), 100 * (d.mean() + half))
        assert (low, high) == pytest.approx(bounds, abs=SIMULATED)  # these are not skew
        assert low <= bounds[0] + ROUNDED
        assert bounds[1] - ROUNDED <= high
