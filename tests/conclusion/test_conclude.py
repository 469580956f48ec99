"""What is concluded, for every kind of report, and the abstract's numbers from the raw values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import stats

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.conclusion import conclude
from reportgen.conclusion.result import FirstSplit, Settled
from reportgen.rendering.results_json import plain as as_json
from reportgen.report import Report
from reportgen.stats.blocks.gaps import fill_gaps
from reportgen.warehouse import Warehouse
from tests.conclusion import cases
from tests.conclusion.cases import CASES, analysed, bootstrap, case, plain, written
from tests.schemas import results_schema, validator_of
from tests.sections.reading import ERROR, NAMES, TIME, blocks

ROUNDED = 0.006  # of numbers with two decimals
EXACT = 1e-12  # sums in another order

KINDS = {
    "one-candidate": "untested",
    "measured-once": "untested",
    "explored": "untested",
    "separability": "untested",
    "settings": "settings",
    "table": "table",
}
TARGETS = {
    "time-first": "session",
    "simulation": "process",
    "domain": "domain",
    "domain-winner": "domain",
    "few-datasets": "experiment",
    "tree": "domain",
    "no-tree": "domain",
    "settings": "process",
}


@pytest.mark.parametrize("name", CASES)
def test_kinds(name: str) -> None:
    found = case(name).conclusion
    assert found is not None
    assert found.kind == KINDS.get(name, "verdict")
    usual = None if found.kind in ("untested", "table") else "new-data"
    assert found.recommendation.target == TARGETS.get(name, usual)


@pytest.mark.parametrize("name", CASES)
def test_conclusions_go_into_results(name: str) -> None:
    keys = results_schema()["$defs"]["conclusion"]["properties"]
    validator_of("conclusion").validate(as_json(case(name).conclusion))
    assert set(as_json(case(name).conclusion)) == set(keys)
    assert list(as_json(case(name).conclusion))[1:10] == [
        *("state", "target", "not_worse", "lead", "put_forward", "shown", "frontier"),
        *("dominated", "at_most_lost"),
    ]


def without(report: Report, *sections: str) -> Report:
    """Return a report without some of its sections."""
    return replace(report, contents=tuple(c for c in report.contents if c.name not in sections))


def test_sections_that_are_missing_make_it_shorter() -> None:
    whole = case("winner")
    assert conclude(whole) == whole.conclusion
    no_tests = conclude(without(whole, "frontier", "inference"))
    assert no_tests is not None
    assert no_tests.kind == "untested"
    assert conclude(without(whole, "frontier", "inference", "eda")) is None
    assert conclude(without(case("domain"), "domain")) is None
    assert conclude(without(case("table"), "archetypes")) is None
    found = conclude(without(case("settings"), "sensitivity"))
    assert found is not None
    assert found.kind == "untested"
    assert found.is_in_parts


def division(report: Report, **changes: Any) -> FirstSplit | None:
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
    assert division(whole) == FirstSplit("i2r.fcc", "first canonical correlation")
    assert division(case("no-tree")) == FirstSplit(None)
    assert division(whole, is_listed=False) is None
    rare = replace(found, recurrence=replace(found.recurrence, share=0.2))
    for doubtful in (replace(found, recurrence=None), replace(found, cluster="none")):
        told = division(whole, result={name: doubtful})
        assert told is not None
        assert told.is_exploratory
    other = replace(found, measure=TIME)
    untested = replace(found, tree=replace(found.tree, tests=(), split=None, children=()))
    for silent in (other, untested, rare, replace(found, tree=None, unavailable="no-values")):
        assert division(whole, result={name: silent}) is None
    assert case("separability").conclusion.division is None  # type: ignore[union-attr]


def test_a_study_that_names_pairs_is_told_how_many_replications_settle_them() -> None:
    warehouse = bootstrap({ERROR: blocks([0.10, 0.101, 0.30], 60)}, NAMES[:3])
    pairs, only = (("anna", "cara"), ("anna", "bert")), ("inference", "sequential")
    area = {"misclassification": (-0.02, 0.02)}
    found = analysed(warehouse, only, area, pairs=pairs, stage=20)
    monitored = found.of_section("sequential")[0].result["misclassification"]
    told = found.conclusion.settled  # type: ignore[union-attr]
    assert told == Settled(
        monitored.decided_at, 60, (("anna", "cara"),), (("anna", "bert"),), 0, is_conditional=True
    )
    assert plain(written(found).text).startswith(
        f"{told.n} of 60 replications settle the two comparisons that the study names, in this "
        "experiment: anna is significantly better than cara; anna and bert are equivalent."
    )
    every = analysed(warehouse, only, area, stage=20)
    assert every.conclusion.settled is None  # type: ignore[union-attr]


def test_pairs_of_which_none_is_decided_are_given_up_and_not_settled() -> None:
    warehouse = bootstrap({ERROR: blocks([0.10, 0.1001, 0.30], 60)}, NAMES[:3])
    found = analysed(warehouse, ("inference", "sequential"), pairs=(("anna", "bert"),), stage=20)
    told = found.conclusion.settled  # type: ignore[union-attr]
    assert told is not None
    assert (told.better, told.equivalent, told.n_given_up) == ((), (), 1)
    after = "all 60" if told.n == 60 else f"{told.n} of 60"
    assert plain(written(found).text).startswith(
        f"The comparison that the study names is given up after {after} replications, in this "
        "experiment."
    )


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
        found = report.conclusion.verdict  # type: ignore[union-attr]
        assert found is not None
        assert (found.not_worse, found.groups) == (verdict.leaders, verdict.groups)
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


def matrix(warehouse: Warehouse, measure: str, dataset: str = "") -> NDArray[np.float64]:
    """Return the raw values of a measure, read from the frame."""
    rows = warehouse.frame
    mask = rows["measure"].eq(measure) & rows["dataset"].eq(dataset or warehouse.datasets[0])
    table = rows[mask].pivot_table(
        index="replication", columns="candidate", values="value", observed=False, dropna=False
    )
    return table[list(warehouse.candidates)].to_numpy(float)


def test_numbers_of_one_data_set(monkeypatch: pytest.MonkeyPatch) -> None:
    text = plain(written(case("winner")).text)
    warehouse = raw("winner", monkeypatch)
    error, seconds = matrix(warehouse, ERROR.name), matrix(warehouse, TIME.name)
    names = np.array(warehouse.candidates)
    a, b = error.mean(axis=0).argsort()[:2]
    mean, other, gap, low, high = numbers(
        text, rf"{names[a]} has the smallest mean error, #% on average over 100 bootstrap samples; "
        rf"{names[b]}, the next, has #%; {names[a]}’s advantage is # percentage points "
        r"\(95% interval # to #, simultaneous over all 15 pairs"
    )  # fmt: skip
    assert (mean, other) == pytest.approx(100 * error[:, [a, b]].mean(axis=0), abs=ROUNDED)
    d = error[:, b] - error[:, a]
    rows = warehouse.frame.iloc[0]
    width = stats.t.isf(0.05 / 15 / 2, 99) * d.std(ddof=1)
    width *= np.sqrt(2 * rows["n_test"] / (rows["n_test"] + rows["n_distinct"]))
    bounds = (gap, low, high)
    truth = (100 * d.mean(), 100 * (d.mean() - width), 100 * (d.mean() + width))
    assert bounds == pytest.approx(truth, abs=ROUNDED)

    upper = {}
    for j in range(len(names)):
        if j != a:
            d = error[:, a] - error[:, j]
            width = stats.t.isf(0.05 / 15 / 2, 99) * d.std(ddof=1)
            width *= np.sqrt(2 * rows["n_test"] / (rows["n_test"] + rows["n_distinct"]))
            upper[j] = 100 * (d.mean() + width)
    (lost,) = numbers(text, "it may make up to # percentage points more than another")
    assert lost == pytest.approx(max(upper.values()), abs=ROUNDED)
    fits = np.exp(np.log(seconds).mean(axis=0))
    worse = {names[j] for j in upper if -upper[j] > 0 and error[:, j].mean() > error[:, a].mean()}
    left = [j for j in range(len(names)) if names[j] not in worse]
    assert fits[left].argmin() == left.index(a)
    assert f"{names[a]} has the smallest mean error and the shortest mean time." in text


def test_numbers_of_a_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    text = plain(written(case("domain")).text)
    warehouse = raw("domain", monkeypatch)
    names = list(warehouse.candidates)
    cells = [matrix(warehouse, ERROR.name, d) for d in warehouse.datasets]
    a, b = (names.index(n) for n in ("svm", "rf"))
    apart = [np.nanmean(x[:, b] - x[:, a]) for x in cells]  # on replications that both have
    x, y, gap, low, high = numbers(
        text, r"svm has the smallest mean error, #% on average over 12 data sets, gaps counted as "
        r"the worst there; rf, the next, has #%; svm’s advantage is # "
        r"percentage points on shared replications \(95% interval # to #"
    )  # fmt: skip
    filled = np.array([fill_gaps(x, is_smaller_better=True).mean(axis=0) for x in cells])
    means = 100 * filled[:, [a, b]].mean(axis=0)
    assert (x, y) == pytest.approx(means, abs=ROUNDED)
    assert gap == pytest.approx(100 * np.mean(apart), abs=ROUNDED)
    assert low < gap < high
    seconds = np.exp(
        [np.log(matrix(warehouse, TIME.name, d)).mean(axis=0) for d in warehouse.datasets]
    )
    fits = np.exp(np.log(seconds).mean(axis=0))
    slow, fast = numbers(text, r"svm [\d.]+% in # s, rf [\d.]+% in # s")
    assert (slow, fast) == pytest.approx(fits[[a, b]], abs=0.06)  # one decimal
    missing, n = numbers(text, r"(\d+) of (\d+) values of the error are missing, all of rf")
    assert (missing, n) == (sum(np.isnan(v).sum() for v in cells), sum(v.size for v in cells))


@pytest.mark.parametrize("name", CASES)
def test_a_difference_beside_two_means_agrees_with_them_or_says_why_not(name: str) -> None:
    found = case(name).conclusion
    verdict = found.verdict if found else None
    if verdict is None or verdict.is_ratio or verdict.next.estimate is None:
        return
    q = verdict.next
    apart = verdict.means[q.first] - verdict.means[q.second]
    agrees = q.estimate == pytest.approx(apart, abs=EXACT)
    text = plain(written(case(name)).text)
    said = (" that both have", ", gaps aside", " on shared replications")
    assert agrees != any(words in text for words in said)
    assert agrees or "gaps counted as the worst there" in text


# ------------------------------------------------------------------------ over some data sets

Rows = Iterator[tuple[object, ...]]


def compared(rows: Rows, **more: Any) -> BenchmarkStudy:
    """Return a study of rows that name a data set, replication, candidate, measure and value."""
    names = ["dataset", "replication", "candidate", "measure", "value"]
    return reportgen.compare(pd.DataFrame(list(rows), columns=names), **more)


def drawn(measures: Mapping[str, range], k: int = 2, n: int = 8) -> Rows:
    """Draw values of k candidates, by measure on so many data sets."""
    rng = np.random.default_rng(7)
    for measure, datasets in measures.items():
        for d in datasets:
            for b in range(n):
                level = rng.normal(0, 0.02)
                for name, step in zip("abc"[:k], (0, 0.05, 0.1), strict=False):
                    x = 0.3 + level + step + rng.normal(0, 0.01)
                    yield f"d{d + 1}", b + 1, name, measure, x


@pytest.mark.slow
def test_a_cost_is_of_the_data_sets_of_the_verdict() -> None:
    error, time = "misclassification", "fit-time"
    apart = compared(drawn({error: range(6), time: range(1, 7)}), measures=[error, time])
    assert apart.conclusion.verdict.n_units == 6
    assert apart.conclusion.costs == ()
    same = compared(drawn({error: range(6), time: range(6)}), measures=[error, time])
    assert len(same.conclusion.costs) == 1


@pytest.mark.parametrize("n_sets", [1, 3])
def test_what_the_study_asks_is_no_lack_of_knowledge(n_sets: int) -> None:
    rows = drawn({"misclassification": range(n_sets)}, n=20)
    known = {"resampling": {"scheme": "bootstrap", "replications": 20}}
    sizes = {f"d{m + 1}": 300 for m in range(n_sets)}
    asked = compared(rows, n=sizes, target="experiment", **known)
    assert "as the study asks of this experiment alone." in " ".join(str(asked).split())


def test_candidates_with_equal_values_share_the_best_mean() -> None:
    rng = np.random.default_rng(1)
    one = rng.normal(0.2, 0.02, 12)
    third = one + rng.normal(0.03, 0.01, 12)
    for two in (one.copy(), one[::-1].copy()):  # whose mean may differ in its last bit
        values = {"one": one, "two": two, "third": third}
        text = " ".join(str(reportgen.compare({"d": values}, better="smaller")).split())
        assert text.count(" shares the smallest mean performance with ") == 1
        assert "has the smallest" not in text
        assert "the next, has" not in text


@pytest.mark.parametrize("costs", [False, True])
def test_missing_values_are_of_the_main_measure(costs: bool) -> None:
    """Where a study has others, too, it is named."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "dataset": "d",
            "candidate": np.repeat(["a", "b"], 10),
            "replication": np.tile(np.arange(10), 2),
            "accuracy": rng.uniform(0.5, 0.9, 20),
            **({"cost": rng.uniform(1, 2, 20)} if costs else {}),
        }
    )
    frame.loc[[0, 1], "accuracy"] = np.nan
    cost = {"name": "cost", "better": "smaller"}
    study = reportgen.compare(frame, measures=["accuracy", *([cost] if costs else [])])
    words = "values of accuracy are missing" if costs else "values are missing"
    assert f"2 of 20 {words}, all of a" in " ".join(str(study).split())


@pytest.mark.slow
def test_a_candidate_without_any_value_is_no_gap_of_others() -> None:
    rows = [r for r in drawn({"misclassification": range(8)}, 3, 6) if r[2] != "a"]
    rows = [r for r in rows if r[1:3] != (6, "b")]
    rows += [(f"d{m + 1}", 1, "a", "misclassification", np.nan) for m in range(8)]
    found = compared(iter(rows)).conclusion.caveats
    assert found.missing_candidates == ("a",)
    assert (found.n_missing, found.n_values, found.incomplete_candidates) == (8, 8 * 6 * 2, ("b",))


def test_samples_of_different_numbers_are_as_few_as_the_fewest() -> None:
    rng = np.random.default_rng(4)
    rows = [("d", b + 1, "a", "fit-time", rng.uniform(1, 1.1)) for b in range(12)]
    rows += [("d", b + 1, "b", "fit-time", rng.uniform(1.3, 1.4)) for b in range(5)]
    text = " ".join(str(compared(iter(rows), unit="sample")).split())
    assert "Five measurements are too few to test the difference between a and b." in text
    assert "before there are more measurements (now 5)" in text
