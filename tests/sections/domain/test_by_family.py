"""Families of data sets in a report: what is decided, by whom, and how it is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reportgen.sections.domain.families import related_datasets
from reportgen.sections.domain.result import DomainResult
from reportgen.sections.expectations.contrasts import compare_columns, values_of
from reportgen.stats.domain.family_means import Families, compare_in_families
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of
from tests.sections.domain.making import analysed, judged, report_of
from tests.sections.reading import ERROR, Said, faults, read

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

NAMES = ("a", "b", "c", "d")
FAMILIES = {"ecg": 4, "image": 4, "motion": 4, "sound": 3, "spectro": 7, "traffic": 1, "wind": 2}


def warehouse(
    sd: float = 0.02, weights: str = "equal", given: dict[str, float] | None = None
) -> Warehouse:
    """Return results on data sets that are alike in their families."""
    rng = np.random.default_rng(3)
    values, facts = {}, {}
    for family, n in FAMILIES.items():
        own = np.array([0.2, 0.22, 0.24, 0.3]) + sd * rng.normal(size=4)
        for i in range(n):
            name = f"{family}{i}"
            values[name] = own + 0.1 * rng.normal() + 0.004 * rng.normal(size=(5, 4))
            facts[name] = {"family": family} if n > 1 else {}
            if weights != "equal":
                facts[name]["weighting"] = weights
            if given:
                facts[name]["weight"] = given.get(family, 1.0)
    found = warehouse_of({ERROR: values}, NAMES)
    return replace(found, facts={d: {**found.facts.get(d, {}), **own} for d, own in facts.items()})


def told(results: Warehouse) -> tuple[Said, DomainResult]:
    result = analysed(results)
    return read(report_of(result, results)), result


@pytest.mark.slow
def test_the_family_is_the_unit() -> None:
    results = warehouse()
    said, result = told(results)
    verdict = result.verdict[result.main]
    found = verdict.dataset_families
    assert verdict.method == "families"
    assert found is not None
    assert (found.n, found.n_datasets, found.weighting) == (7, 25, "equal")
    codes = np.repeat(np.arange(7), list(FAMILIES.values()))
    expected = compare_in_families(
        verdict.units.values, Families(codes), 0.05, is_smaller_better=True
    )
    assert verdict.pairs.estimate == pytest.approx(expected.estimate)
    assert verdict.pairs.adjusted_p_value == pytest.approx(expected.adjusted_p_value)
    assert found.likeness is not None
    assert found.likeness > 0.8
    assert found.widening is not None
    assert found.widening > 1.5
    alone = judged(replace(results, facts={})).verdict[result.main]
    assert alone.method == "own-variance"
    assert alone.pairs.n_significant > verdict.pairs.n_significant
    assert "come in seven families, of one to seven data sets; every data set counts alike" in (
        said.whole
    )
    assert "The unit is the family of data sets" in said.whole
    assert "sign flips are of whole families" in said.whole
    assert result.by_ranks_alone(result.main)
    assert "Signed ranks, which take each data set for itself and ask who" in said.whole
    assert faults(said.whole) == []


def test_families_that_count_alike_are_their_means() -> None:
    said, result = told(warehouse(weights="family"))
    verdict = result.verdict[result.main]
    codes = np.repeat(np.arange(7), list(FAMILIES.values()))
    own = np.array([verdict.units.values[codes == j].mean(axis=0) for j in range(7)])
    assert [*verdict.means.values()] == pytest.approx(own.mean(axis=0).tolist())
    assert verdict.pairs.df == pytest.approx(np.full(6, 6.0))
    assert "every family counts alike" in said.whole


def test_weights_move_the_means() -> None:
    results = warehouse(weights="size", given={"wind": 50.0})
    said, result = told(results)
    verdict = result.verdict[result.main]
    found = verdict.dataset_families
    assert found is not None
    assert found.largest.name == "wind"
    assert found.largest.share == pytest.approx(100 / 123)
    assert verdict.means["a"] == pytest.approx(
        float(Families(np.arange(25), np.r_[np.ones(23), 50, 50]).means(verdict.units.values)[0])
    )
    assert "weighted by size" in said.whole
    assert "wind has 81% of the weight" in said.whole


def test_what_one_family_decides_is_looked_at() -> None:
    _, result = told(warehouse())
    verdict = result.verdict[result.main]
    found = verdict.dataset_families
    assert found is not None
    (spectro,) = (row for row in found.rows if row.name == "spectro")
    assert spectro.better is not None  # it has seven data sets
    assert ("a", "d") in spectro.better
    (wind,) = (row for row in found.rows if row.name == "wind")
    assert wind.better is None
    rest = np.array([m for m, d in enumerate(verdict.datasets) if not d.startswith("wind")])
    codes = np.repeat(np.arange(7), list(FAMILIES.values()))[rest]
    table = compare_in_families(
        verdict.units.values[rest], Families(codes), 0.05, n_comparisons=6, is_smaller_better=True
    )
    table = table.named(NAMES, "domain", True).decided(None)
    before = verdict.pairs.decision
    assert wind.n_changed == sum(x != y for x, y in zip(table.decision, before, strict=True))


def test_few_families_decide_nothing() -> None:
    results = warehouse()
    names = {d: own["family"] for d, own in results.facts.items() if "family" in own}
    joined = {"sound": "image", "spectro": "motion", "wind": "ecg"}
    kept = {d: names.get(d, "ecg") for d in results.datasets}
    facts = {d: {"family": joined.get(name, name)} for d, name in kept.items()}
    said, result = told(replace(results, facts=facts))
    assert result.verdict[result.main].is_open
    assert "Three families of data sets are too few to generalise to others" in said.whole


def test_claims_are_judged_by_families() -> None:
    results = warehouse()
    values = values_of(results, ERROR.name, None, AnalysisOptions())
    assert values.families is not None
    table = compare_columns(values, "a", "d", 0.0, 0.05, 6)
    verdict = judged(results).verdict[ERROR.name]
    pair = verdict.pairs.between("a", "d")
    assert pair is not None
    assert (float(table.lower[0]), float(table.upper[0])) == pytest.approx((pair.lower, pair.upper))


def test_a_family_that_is_said_is_not_asked_about() -> None:
    names = ("monks1", "monks2", "wine", "glass", "iris", "heart", "sonar")
    own = {"monks1": "monks", "monks2": "monks"}
    assert related_datasets(names, {}, None)
    assert not related_datasets(names, {}, None, own)


def test_the_same_values_twice_are_asked_about() -> None:
    rng = np.random.default_rng(1)
    values = {f"d{m}x": rng.normal(0.3, 0.05, size=(3, 4)) for m in range(8)}
    values["copy"] = values["d2x"].copy()
    results = warehouse_of({ERROR: values}, NAMES)
    result = analysed(results)
    assert [(r.datasets, r.sign) for r in result.related] == [(("d2x", "copy"), "same")]
    said = read(report_of(result, results))
    assert "may be one data set" in said.whole
    assert "are they the same data?" in said.whole
