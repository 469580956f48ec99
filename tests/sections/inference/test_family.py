"""One adjustment over the data sets and measures of a study."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from reportgen.performance_measure import Measure
from reportgen.sections.inference.analysis import analyse, settle
from reportgen.sections.inference.result import InferenceResult
from reportgen.stats.pairs.paired_max_t import paired_max_t
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of_rows
from tests.sections.reading import ACCURACY, ERROR, NAMES, blocks, faults, read, report_of, tell

EXACT = 1e-9  # relative: closed forms
MEASURES = [Measure("error"), Measure("gain", better="larger")]
AREA = {"error": (-0.02, 0.02)}


def _warehouse(n_datasets: int = 3) -> Warehouse:
    """Two measures of four candidates in 12 replications, differences from none to clear."""
    rng = np.random.default_rng(8)
    rows = [
        (f"d{d}", b, f"c{k}", m, 0.3 + sign * 0.006 * d * k + 0.01 * rng.normal())
        for d in range(1, n_datasets + 1)
        for b in range(12)
        for k in range(4)
        for m, sign in (("error", 1), ("gain", -1))
        if (d, b, k) not in ((2, 3, 1), (2, 5, 0))
    ]
    return warehouse_of_rows(rows, MEASURES)


def _found(warehouse: Warehouse, **options: object) -> dict[str, InferenceResult]:
    rng = np.random.default_rng
    return {
        d: analyse(warehouse.only(d), AnalysisOptions(**options), rng(1))  # type: ignore[arg-type]
        for d in warehouse.datasets
    }


@pytest.fixture(scope="module")
def alone() -> dict[str, InferenceResult]:
    return _found(_warehouse(), relevance=AREA)


@pytest.fixture(scope="module")
def settled(alone: dict[str, InferenceResult]) -> dict[str, InferenceResult]:
    return settle(alone, AnalysisOptions(relevance=AREA, family="study"))


@pytest.mark.slow
@pytest.mark.parametrize("variance", ["own", "pooled"])
def test_all_pairs_are_one_family_by_bonferronis_inequality(variance: str) -> None:
    alone = _found(_warehouse(), relevance=AREA, variance=variance)
    options = AnalysisOptions(relevance=AREA, family="study", variance=variance)  # type: ignore[arg-type]
    settled = settle(alone, options)
    before = [p for found in alone.values() for m in found.values() for p in m.pairs]
    after = [p for found in settled.values() for m in found.values() for p in m.pairs]
    assert len(after) == 36
    assert [p.estimate for p in after] == [p.estimate for p in before]
    assert [p.adjusted_p_value for p in after] == pytest.approx(
        [min(1.0, 36 * p.p_value) for p in before], rel=EXACT
    )
    for found in chain.from_iterable(own.values() for own in settled.values()):
        for p in found.pairs:
            is_apart = p.adjusted_p_value <= 0.05
            assert p.significant == (is_apart and not p.is_undone_by_gaps)
            assert is_apart != (p.lower <= 0 <= p.upper)
        beaten = {p.second if p.favoured == p.first else p.first for p in found.pairs if p.favoured}
        assert set(found.leaders) == set(found.order) - beaten
    seen = {p.decision for p in after}
    assert {"better", "better-relevant", "undecided"} <= seen
    assert sum(p.significant for p in after) < sum(p.significant for p in before)


def test_intervals_are_those_of_a_family_of_36(
    settled: dict[str, InferenceResult],
) -> None:
    warehouse = _warehouse().only("d3")
    values = warehouse.performances("d3", "error").values
    rng = np.random.default_rng(0)
    expected = paired_max_t(values, 0.05, rng, n_comparisons=36)
    found = settled["d3"]["error"].pairs
    np.testing.assert_allclose(found.lower, expected.lower, rtol=EXACT)
    np.testing.assert_allclose(found.upper, expected.upper, rtol=EXACT)
    lenient = paired_max_t(values, 0.1, rng, n_comparisons=36)
    np.testing.assert_allclose(found.extra["tost_lower"], lenient.lower, rtol=EXACT)


def test_what_is_told_of_the_family(
    alone: dict[str, InferenceResult], settled: dict[str, InferenceResult]
) -> None:
    for dataset, own in settled.items():
        for measure, found in own.items():
            told, before = found.family, alone[dataset][measure]
            assert told is not None
            assert (told.n_pairs, told.n_families) == (36, 6)
            assert (told.n_datasets, told.n_measures) == (3, 2)
            assert told.n_alone == before.pairs.n_significant
            assert found.methods == before.methods
            assert [p.adjusted_p_value for p in found.rank_pairs] == [
                min(1.0, 6 * p.adjusted_p_value) for p in before.rank_pairs
            ]
            assert ("tost_lower" in found.pairs.extra) == (measure == "error")
            if measure == "error":
                assert (found.pairs.extra["tost_lower"] > found.pairs.lower).all()
                assert found.variance_changes == ()
    lost = [f.family.n_alone - f.pairs.n_significant  # type: ignore[union-attr]
            for own in settled.values() for f in own.values()]  # fmt: skip
    assert max(lost) > 0


def test_one_family_keeps_its_joint_law(alone: dict[str, InferenceResult]) -> None:
    one = {"d1": {"error": alone["d1"]["error"]}}
    assert settle(one, AnalysisOptions(relevance=AREA, family="study")) == one
    assert settle(alone, AnalysisOptions(relevance=AREA)) == alone


# ------------------------------------------------------------------------------------ words


@pytest.fixture(scope="module")
def values() -> dict[str, dict[Measure, np.ndarray]]:
    means = [0.1, 0.127, 0.2]
    return {
        d: {ERROR: blocks(means, 12, seed=seed), ACCURACY: 1 - blocks(means, 12, seed=seed + 1)}
        for d, seed in (("x", 2), ("y", 4))
    }


def test_the_report_says_what_one_adjustment_covers(
    values: dict[str, dict[Measure, np.ndarray]],
) -> None:
    said = tell(values, NAMES[:3], family="study", only=("inference",))
    result = said.results["inference", "x"]["misclassification"]
    kept = sum(p.significant for p in result.pairs)
    assert result.family.n_alone > kept > 0
    report = report_of(values, NAMES[:3], family="study", only=("inference",))
    full = read(replace(report, length="full"))
    text = "\n".join(full.pages.values())
    assert "All pairs of the study are adjusted together, 12 of them" in text
    assert f"only, {result.family.n_alone} of these would be significant." in text
    assert "adjusted for all 12 pairs of the study" in text
    assert "one adjustment over all its data sets and measures" in said.methods
    assert "nothing is adjusted over" not in said.methods
    assert not faults(text)


def test_nothing_is_said_of_a_family_that_is_none(
    values: dict[str, dict[Measure, np.ndarray]],
) -> None:
    one = {ERROR: values["x"][ERROR]}
    said = tell(one, NAMES[:3], family="study", only=("inference",))
    assert said.results["inference", "d"]["misclassification"].family is None
    text = "\n".join(said.sections.values())
    assert "All 3 differences are significant" in text
    assert "of the study" not in text
